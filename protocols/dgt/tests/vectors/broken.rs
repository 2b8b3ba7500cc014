// SPDX-License-Identifier: MIT OR Apache-2.0
//! Broken input: what is dropped, and that the next message is read.

use arbiterd_board::{Noise, NoiseCause, Occupant, Piece, ResultToken, Square};
use arbiterd_dgt::clock::AckMeaning;
use arbiterd_dgt::{Counters, Decoder, Item, Message};

use crate::read::{ack, decode, drain, e2_empty, hex, message, noise, pawn_on_e4, square};

fn broken(text: &str, expected: &[Item]) {
    assert_eq!(decode(&hex(text)), expected, "{text}");
}

#[test]
fn broken_update_cut_short_by_the_next() {
    broken("8e 00 05 34 8e 00 05 24 01", &[noise(4, NoiseCause::Unfinished), pawn_on_e4()]);
}

#[test]
fn broken_clock_message_cut_short_by_a_lift() {
    broken("8d 00 0a 01 30 8e 00 05 34 00", &[noise(5, NoiseCause::Unfinished), e2_empty()]);
}

#[test]
fn broken_junk_before_a_message() {
    broken("00 41 5a 8e 00 05 24 01", &[noise(3, NoiseCause::Junk), pawn_on_e4()]);
}

#[test]
fn broken_unknown_id_80_and_zeros() {
    broken("80 00 00 8e 00 05 24 01", &[noise(3, NoiseCause::UnknownKind), pawn_on_e4()]);
}

#[test]
fn broken_lone_80() {
    broken("80 8e 00 05 24 01", &[noise(1, NoiseCause::UnknownKind), pawn_on_e4()]);
}

#[test]
fn broken_zero_runs_do_not_loop() {
    let mut bytes = hex("80 00 00");
    bytes.extend([0; 10_000]);
    bytes.extend(hex("8e 00 05 24 01"));
    assert_eq!(decode(&bytes), [noise(10_003, NoiseCause::UnknownKind), pawn_on_e4()]);
}

#[test]
fn broken_length_below_three() {
    broken("8e 00 00 34 00 8e 00 05 24 01", &[noise(5, NoiseCause::Malformed), pawn_on_e4()]);
}

#[test]
fn broken_dump_of_a_draughts_board() {
    let mut bytes = hex("86 00 67");
    bytes.extend([0; 100]);
    bytes.extend(hex("8e 00 05 24 01"));
    let mut decoder = Decoder::new();
    assert_eq!(drain(&mut decoder, &bytes), [noise(103, NoiseCause::Malformed), pawn_on_e4()]);
    assert_eq!(decoder.counters(), Counters { draughts_dumps: 1, dropped_bytes: 103, ..Counters::default() });
}

#[test]
fn broken_junk_after_a_message() {
    let mut decoder = Decoder::new();
    assert_eq!(drain(&mut decoder, &hex("8e 00 05 24 01 00")), [pawn_on_e4()]);
    assert_eq!(decoder.take_noise(), Some(Noise { bytes: 1, cause: NoiseCause::Junk }));
}

#[test]
fn broken_one_message_in_four_reads() {
    let mut decoder = Decoder::new();
    for part in ["8e", "00", "05 24"] {
        assert_eq!(drain(&mut decoder, &hex(part)), []);
    }
    assert_eq!(drain(&mut decoder, &hex("01")), [pawn_on_e4()]);
}

#[test]
fn broken_two_messages_in_one_read() {
    broken("8e 00 05 34 00 8e 00 05 24 01", &[e2_empty(), pawn_on_e4()]);
}

#[test]
fn broken_square_64_is_rejected_and_never_masked() {
    let mut decoder = Decoder::new();
    let items = drain(&mut decoder, &hex("8e 00 05 40 01 8e 00 05 24 01"));
    assert_eq!(items, [noise(5, NoiseCause::OutOfRange), pawn_on_e4()]);
    assert_eq!(decoder.counters().squares_out_of_range, 1);
}

#[test]
fn broken_high_bits_of_a_piece_are_masked_and_counted() {
    let mut decoder = Decoder::new();
    assert_eq!(drain(&mut decoder, &hex("8e 00 05 34 41")), [Item::Message(square("e2", 'P'))]);
    assert_eq!(decoder.counters(), Counters { masked_pieces: 1, ..Counters::default() });
}

#[test]
fn broken_pieces_that_announce_a_result_are_no_chess_pieces() {
    for (code, token) in
        [("0d", ResultToken::Draw), ("0e", ResultToken::WhiteWins), ("0f", ResultToken::BlackWins)]
    {
        let text = format!("8e 00 05 34 {code}");
        let square: Square = "e2".parse().unwrap();
        assert_eq!(message(&text), Message::Square { square, occupant: Occupant::Token(token) });
    }
}

#[test]
fn the_twelve_pieces_have_their_codes() {
    for (code, letter) in (1u8..).zip("PRNBKQprnbkq".chars()) {
        let occupant = Occupant::Piece(Piece::from_letter(letter).unwrap());
        let square: Square = "e4".parse().unwrap();
        let update = Message::Square { square, occupant };
        assert_eq!(decode(&[0x8e, 0, 5, 0x24, code]), [Item::Message(update)], "{letter}");
    }
}

#[test]
fn broken_bus_frame_in_single_mode() {
    // Told at once: no message may follow.
    broken("87 00 06 08 01 16", &[noise(6, NoiseCause::WrongMode)]);
    broken("00 87 00 06 08 01 16", &[noise(1, NoiseCause::Junk), noise(6, NoiseCause::WrongMode)]);
}

#[test]
fn broken_bus_frame_with_a_wrong_checksum_is_dropped() {
    broken("87 00 06 08 01 17 8e 00 05 24 01", &[noise(6, NoiseCause::Malformed), pawn_on_e4()]);
}

#[test]
fn broken_first_length_byte_above_3e() {
    broken("8f 3f 03 8e 00 05 24 01", &[noise(3, NoiseCause::Malformed), pawn_on_e4()]);
}

#[test]
fn broken_lengths_of_known_messages() {
    for text in ["8e 00 06 34 00 00", "8d 00 09 01 30 00 01 29 58", "93 00 04 03", "a0 00 07 64 7f 7f 00"] {
        let bytes = u32::try_from(hex(text).len()).unwrap();
        broken(&format!("{text} 8e 00 05 24 01"), &[noise(bytes, NoiseCause::Malformed), pawn_on_e4()]);
    }
}

#[test]
fn an_unknown_kind_is_skipped_by_its_length() {
    broken("a3 00 05 01 02 8e 00 05 24 01", &[noise(5, NoiseCause::UnknownKind), pawn_on_e4()]);
}

#[test]
fn broken_battery_above_100_percent() {
    broken(
        "a0 00 0c 65 7f 7f 00 00 00 00 00 00 8e 00 05 24 01",
        &[noise(12, NoiseCause::OutOfRange), pawn_on_e4()],
    );
}

#[test]
fn broken_answer_with_status_zero_is_an_error_and_no_time() {
    assert_eq!(ack("8d 00 0a 0a 00 0a 0a 00 00 00").meaning(), AckMeaning::Failed(0x0a));
}

#[test]
fn noise_of_several_causes_tells_the_first_and_counts_all() {
    broken("00 8e 00 05 34 8e 00 05 24 01", &[noise(5, NoiseCause::Junk), pawn_on_e4()]);
}

/// An update whose first byte lost its bit 7, behind a message of which nothing is missed.
#[test]
fn a_lost_update_does_not_hide_behind_an_unknown_message() {
    for unknown in ["80", "80 00 00", "80 00 00 00", "a3 00 05 01 02"] {
        let bytes = u32::try_from(hex(unknown).len() + 5).unwrap();
        broken(
            &format!("{unknown} 0e 00 05 34 00 8e 00 05 24 01"),
            &[noise(bytes, NoiseCause::Junk), pawn_on_e4()],
        );
    }
}
