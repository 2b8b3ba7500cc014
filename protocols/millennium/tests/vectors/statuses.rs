// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statuses, in hardware squares: those of a board whose cable is on the left.

use arbiterd_board::Occupant;
use arbiterd_millennium::wire::Cable;
use arbiterd_millennium::{Decoder, Message, encode};

use crate::data::{self, Vector};
use crate::{AFTER_E4, E2_LIFTED, START, decode, drain, placement, status};

fn told(vector: &Vector, fen: &str) {
    assert_eq!(decode(&vector.bytes()), [status(fen)], "{}", vector.0);
    assert_eq!(decode(&vector.seven_bits()), [status(fen)], "{}", vector.0);
    assert_eq!(encode(&Message::Status(placement(fen))), vector.bytes(), "{}", vector.0);
}

/// A board whose cable is on the right tells its own numbers, which are the players' from behind.
fn told_turned(vector: &Vector, fen: &str) {
    told(vector, &placement(fen).rotated().to_string());
    let letters = &vector.0[1..65];
    for (place, letter) in (0..).zip(letters.chars()) {
        let square = Cable::Right.square(place).unwrap();
        assert_eq!(placement(fen)[square].letter(), letter, "{square}");
    }
}

#[test]
fn vector_17_initial_position() {
    told(&data::V17, START);
}

#[test]
fn vector_18_initial_position_with_the_cable_right() {
    told_turned(&data::V18, START);
}

#[test]
fn vector_19_pawn_lifted() {
    told(&data::V19, E2_LIFTED);
}

#[test]
fn vector_20_pawn_put() {
    told(&data::V20, AFTER_E4);
}

#[test]
fn vector_21_pawn_put_with_the_cable_right() {
    told_turned(&data::V21, AFTER_E4);
}

#[test]
fn vector_22_unknown_piece() {
    let mut decoder = Decoder::new();
    let mut board = placement(START);
    board["e1".parse().unwrap()] = Occupant::Unidentified;
    assert_eq!(drain(&mut decoder, &data::V22.bytes()), [status(&board.to_string())]);
    assert_eq!(decoder.counters().unknown_letters, 1);
    assert_eq!(encode(&Message::Status(board)), data::V22.bytes());
}

/// The other letter of unknown origin: `O` for `K` on e1 turns bit 2, so 73 becomes 77.
#[test]
fn the_other_unknown_letter_is_kept_too() {
    let text = data::V17.0.replace('K', "O").replace("R73", "R77");
    let mut board = placement(START);
    board["e1".parse().unwrap()] = Occupant::Unidentified;
    assert_eq!(decode(text.as_bytes()), [status(&board.to_string())]);
}
