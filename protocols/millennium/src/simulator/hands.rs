// SPDX-License-Identifier: MIT OR Apache-2.0
//! What people do at the board. There is no clock.

use arbiterd_board::{Mono, Occupant, Piece, Square};

use super::Simulator;

impl Simulator {
    /// Takes what stands on a square into the hand.
    pub fn lift(&mut self, now: Mono, square: Square) -> Occupant {
        self.put(now, square, Occupant::Empty)
    }

    /// Puts a piece on a square. What stood there is gone, without the square ever having been
    /// empty: a capture by pushing.
    pub fn place(&mut self, now: Mono, square: Square, piece: Piece) {
        self.put(now, square, Occupant::Piece(piece));
    }

    /// Takes a piece off the board for good; to the board the same as [`Simulator::lift`].
    pub fn remove(&mut self, now: Mono, square: Square) {
        self.put(now, square, Occupant::Empty);
    }

    /// Exchanges what stands on a square, such as a pawn for a queen, and returns what stood there.
    /// What is no piece of the board is read as `?`.
    pub fn replace(&mut self, now: Mono, square: Square, occupant: Occupant) -> Occupant {
        self.put(now, square, occupant)
    }

    fn put(&mut self, now: Mono, square: Square, occupant: Occupant) -> Occupant {
        self.advance(now);
        self.reports.look_again();
        core::mem::replace(&mut self.actual[square], occupant)
    }
}
