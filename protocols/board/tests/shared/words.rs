// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short words for what tests name all the time.

use arbiterd_board::{Mono, Occupant, Square};

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

pub fn ms(millis: u64) -> Mono {
    Mono::from_millis(millis)
}

pub fn sq(name: &str) -> Square {
    name.parse().unwrap()
}

pub fn occupant(letter: char) -> Occupant {
    Occupant::from_letter(letter).unwrap()
}
