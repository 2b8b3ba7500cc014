// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequences of statuses: what a hand does, as the board tells it.

use arbiterd_board::Placement;
use arbiterd_millennium::{Item, Message, encode};

use crate::{data, decode};

/// What changes from one status to the next, as `e2.` for a square that becomes empty.
fn changes(statuses: &[&str]) -> Vec<Vec<String>> {
    let placements: Vec<Placement> = statuses.iter().map(|text| placement(text)).collect();
    let differences = placements
        .windows(2)
        .map(|pair| pair[0].differences(&pair[1]).map(|s| format!("{s}{}", pair[1][s].letter())).collect());
    differences.collect()
}

fn placement(text: &str) -> Placement {
    match decode(text.as_bytes())[..] {
        [Item::Message(Message::Status(placement))] => {
            // Written again it is the same, but for parity.
            let bytes: Vec<u8> = encode(&Message::Status(placement)).iter().map(|b| b & 0x7f).collect();
            assert_eq!(bytes, text.as_bytes());
            placement
        }
        ref other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn sequence_slide() {
    assert_eq!(changes(&data::SLIDE), [vec!["e2.", "e3P"], vec!["e3.", "e4P"]]);
}

#[test]
fn sequence_capture_with_the_captured_piece_first() {
    assert_eq!(changes(&data::CAPTURE), [["d5."], ["e4."], ["d5P"]]);
}

#[test]
fn sequence_capture_by_pushing() {
    assert_eq!(changes(&data::PUSHED_CAPTURE), [["d5P"]]);
}

#[test]
fn sequence_castling() {
    assert_eq!(changes(&data::CASTLING), [["e1."], ["g1K"], ["h1."], ["f1R"]]);
}

#[test]
fn sequence_promotion() {
    assert_eq!(changes(&data::PROMOTION), [["a7."], ["a8P"], ["a8."], ["a8Q"]]);
}

#[test]
fn sequence_en_passant() {
    assert_eq!(changes(&data::EN_PASSANT), [["e5."], ["d6P"], ["d5."]]);
}
