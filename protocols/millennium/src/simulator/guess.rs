// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board that only knows which squares are occupied takes for pieces (topic: eONE).
//!
//! How the real one guesses is not described, only that it follows the pieces from the initial
//! position and may go wrong. This one believes that what was lifted last is set down first, never
//! notices a promotion or a replacement, and begins anew at the occupancy of the initial position.

use arbiterd_board::{Occupant, Placement, Square};

use super::Letters;
use crate::wire::status_letter;

/// The position in which every game begins, which the board takes for granted.
const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// What the board believes.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    believed: Placement,
    /// Lifted and not set down, the last at the end.
    in_hand: Vec<Occupant>,
}

impl Guess {
    pub(super) const fn new() -> Self {
        Self { believed: Placement::EMPTY, in_hand: Vec::new() }
    }

    /// A scan sees these squares occupied; what it then takes for pieces.
    pub(super) fn look(&mut self, seen: &Letters) -> Letters {
        let occupied = |square: Square| seen.at(square) != b'.';
        if Square::all().all(|square| occupied(square) == matches!(square.rank(), 0 | 1 | 6 | 7)) {
            *self = Self::initial();
        }
        for square in Square::all().filter(|square| !occupied(*square)) {
            match core::mem::take(&mut self.believed[square]) {
                Occupant::Empty => {}
                lifted => self.in_hand.push(lifted),
            }
        }
        for square in Square::all().filter(|square| occupied(*square)) {
            if self.believed[square] == Occupant::Empty {
                self.believed[square] = self.in_hand.pop().unwrap_or(Occupant::Unidentified);
            }
        }
        Letters::of(|square| status_letter(self.believed[square]))
    }

    fn initial() -> Self {
        // The text is that of a position.
        Self { believed: INITIAL.parse().unwrap_or(Placement::EMPTY), in_hand: Vec::new() }
    }
}
