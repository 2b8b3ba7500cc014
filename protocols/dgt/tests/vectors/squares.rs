// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dumps and squares.

use arbiterd_board::Placement;
use arbiterd_dgt::Message;

use crate::read::{START, changes, dump, message};

#[test]
fn vector_1_initial_position() {
    let codes = format!(
        "86 00 43 08 09 0a 0c 0b 0a 09 08 {} {} {} 02 03 04 06 05 04 03 02",
        "07 ".repeat(8),
        "00 ".repeat(32),
        "01 ".repeat(8)
    );
    dump(&codes, START);
}

#[test]
fn vector_2_initial_position_on_a_turned_board() {
    let codes = format!(
        "86 00 43 02 03 04 05 06 04 03 02 {} {} {} 08 09 0a 0b 0c 0a 09 08",
        "01 ".repeat(8),
        "00 ".repeat(32),
        "07 ".repeat(8)
    );
    // Hardware squares: turning it is not the decoder's business.
    dump(&codes, "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr");
    let start: Placement = START.parse().unwrap();
    assert_eq!(message(&codes), Message::Board(start.rotated()));
}

#[test]
fn vector_3_empty_board() {
    dump(&format!("86 00 43 {}", "00 ".repeat(64)), "8/8/8/8/8/8/8/8");
}

#[test]
fn vector_4_e2_is_lifted() {
    changes("8e 00 05 34 00", &[("e2", '.')]);
}

#[test]
fn vector_5_pawn_on_e4() {
    changes("8e 00 05 24 01", &[("e4", 'P')]);
}

#[test]
fn vector_6_e2e4_slides_over_e3_out_of_order() {
    changes(
        "8e 00 05 2c 01 8e 00 05 34 00 8e 00 05 24 01 8e 00 05 2c 00",
        &[("e3", 'P'), ("e2", '.'), ("e4", 'P'), ("e3", '.')],
    );
}

#[test]
fn vector_7_capture_on_d5_that_is_never_empty() {
    changes("8e 00 05 1b 01 8e 00 05 24 00", &[("d5", 'P'), ("e4", '.')]);
}

#[test]
fn vector_8_white_castles_short() {
    changes(
        "8e 00 05 3c 00 8e 00 05 3e 05 8e 00 05 3f 00 8e 00 05 3d 02",
        &[("e1", '.'), ("g1", 'K'), ("h1", '.'), ("f1", 'R')],
    );
}

#[test]
fn vector_9_black_castles_long() {
    changes(
        "8e 00 05 04 00 8e 00 05 02 0b 8e 00 05 00 00 8e 00 05 03 08",
        &[("e8", '.'), ("c8", 'k'), ("a8", '.'), ("d8", 'r')],
    );
}

#[test]
fn vector_10_en_passant() {
    changes("8e 00 05 1c 00 8e 00 05 13 01 8e 00 05 1b 00", &[("e5", '.'), ("d6", 'P'), ("d5", '.')]);
}

#[test]
fn vector_11_a_pawn_is_left_on_b8() {
    changes("8e 00 05 09 00 8e 00 05 01 01", &[("b7", '.'), ("b8", 'P')]);
}

#[test]
fn vector_12_it_is_exchanged_for_a_queen() {
    changes("8e 00 05 01 00 8e 00 05 01 06", &[("b8", '.'), ("b8", 'Q')]);
}

#[test]
fn vector_13_kings_on_e4_and_d5() {
    changes("8e 00 05 24 05 8e 00 05 1b 0b", &[("e4", 'K'), ("d5", 'k')]);
}
