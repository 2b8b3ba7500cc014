// SPDX-License-Identifier: GPL-3.0-or-later
//! What hands do at a board, as data.

use std::time::Duration;

use arbiterd_board::{ClockSide, Mono, Piece, Role, Square};

/// A simulated board with pieces and a clock that hands can reach.
pub trait Hands {
    /// Does `act` at `now`. What is not there cannot be handled: lifting from an empty square
    /// and pressing a clock that is not connected do nothing.
    fn act(&mut self, now: Mono, act: Act);
}

/// One thing that a hand does. Squares are those of the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Act {
    /// Takes what stands on a square off the board.
    Lift(Square),
    /// Puts a piece on a square.
    Place(Square, Piece),
    /// Presses the clock on one side.
    Press(ClockSide),
    /// Stops the clock by its start/stop button.
    Stop,
    /// Starts the clock by its start/stop button.
    Start,
    /// Sets both times.
    SetTimes {
        /// The time of the left side.
        left: Duration,
        /// The time of the right side.
        right: Duration,
    },
}

/// A move as it is seen on a board, without a word on whether it is legal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Where the piece is lifted.
    pub from: Square,
    /// Where it is set down.
    pub to: Square,
    /// What stands there then: the moved piece, or the new one of a promotion.
    pub piece: Piece,
    /// Where the captured piece stood, which for an en passant capture is not `to`.
    pub captured: Option<Square>,
    /// The rook's part of castling, for which `piece` is the king.
    pub rook: Option<RookMove>,
}

/// The rook's part of castling.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RookMove {
    /// Where the rook is lifted.
    pub from: Square,
    /// Where it is set down.
    pub to: Square,
}

impl Move {
    /// A move of `piece` that neither captures nor castles.
    pub const fn quiet(piece: Piece, from: Square, to: Square) -> Self {
        Self { from, to, piece, captured: None, rook: None }
    }

    /// The acts of a hand that plays this move in the usual order: the captured piece is
    /// cleared away first, then the piece moves, and in castling the rook follows the king
    /// (FIDE 3.8.2, 4.4). The clock is not pressed.
    pub fn acts(&self) -> Vec<Act> {
        let lift = |at: Square, to: Square| (at != to).then_some(Act::Lift(at));
        let place = |from: Square, at: Square, piece| (from != at).then_some(Act::Place(at, piece));
        let mut acts = Vec::new();
        acts.extend(self.captured.map(Act::Lift));
        acts.extend(lift(self.from, self.to));
        let Some(rook) = self.rook else {
            acts.extend(place(self.from, self.to, self.piece));
            return acts;
        };
        let piece = Piece { colour: self.piece.colour, role: Role::Rook };
        let (king, up) = (place(self.from, self.to, self.piece), lift(rook.from, rook.to));
        // In Chess960 the rook may stand where the king goes.
        acts.extend(if rook.from == self.to { [up, king] } else { [king, up] }.into_iter().flatten());
        acts.extend(place(rook.from, rook.to, piece));
        acts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    fn piece(letter: char) -> Piece {
        Piece::from_letter(letter).unwrap()
    }

    #[test]
    fn a_quiet_move_is_lifted_and_placed() {
        let acts = Move::quiet(piece('N'), square("g1"), square("f3")).acts();
        assert_eq!(acts, [Act::Lift(square("g1")), Act::Place(square("f3"), piece('N'))]);
    }

    #[test]
    fn the_victim_goes_first_also_beside_the_path() {
        let en_passant =
            Move { captured: Some(square("d5")), ..Move::quiet(piece('P'), square("e5"), square("d6")) };
        assert_eq!(
            en_passant.acts(),
            [Act::Lift(square("d5")), Act::Lift(square("e5")), Act::Place(square("d6"), piece('P'))]
        );
    }

    #[test]
    fn a_promotion_sets_the_new_piece_down() {
        let acts =
            Move { captured: Some(square("b1")), ..Move::quiet(piece('q'), square("a2"), square("b1")) }
                .acts();
        assert_eq!(acts.last(), Some(&Act::Place(square("b1"), piece('q'))));
        assert_eq!(acts.len(), 3);
    }

    #[test]
    fn the_rook_follows_the_king() {
        let castling = Move {
            rook: Some(RookMove { from: square("a8"), to: square("d8") }),
            ..Move::quiet(piece('k'), square("e8"), square("c8"))
        };
        assert_eq!(
            castling.acts(),
            [
                Act::Lift(square("e8")),
                Act::Place(square("c8"), piece('k')),
                Act::Lift(square("a8")),
                Act::Place(square("d8"), piece('r')),
            ]
        );
    }
}
