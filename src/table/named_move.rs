// SPDX-License-Identifier: GPL-3.0-or-later
//! A move that a person names: which one it is, or what is wrong with it.

use arbiterd_board::{Colour, Occupant, Square};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move};

use super::Standing;
use crate::board::{colour, hardware_square};

/// What is wrong with a move that was named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum MoveProblem {
    /// The text is no move.
    #[error("it is not written as a move in UCI notation is, such as e2e4 or e7e8q")]
    NotUci,
    /// The position before it is one in which nobody can move.
    #[error("the game had ended before it by checkmate or stalemate")]
    GameEnded,
    /// The square that it begins on is empty.
    #[error("nothing stands on {0} then")]
    NothingThere(Square),
    /// The piece on the square that it begins on does not have the move.
    #[error("it is {turn:?}'s move then, and the piece on {from} is not his")]
    NotHisPiece {
        /// Where it begins.
        from: Square,
        /// Who has the move.
        turn: Colour,
    },
    /// A pawn that reaches the last rank becomes another piece.
    #[error("a pawn that reaches the last rank becomes another piece: add q, r, b or n")]
    NoPromotion,
    /// The move is castling, written in another way.
    #[error("castling is written by the king and {0} at this table")]
    CastlingForm(&'static str),
    /// The piece cannot go there, or its king could be taken then.
    #[error("the piece on {0} may not go there")]
    NotLegal(Square),
    /// What was no legal move cannot have been made either: other pieces stand on its squares.
    #[error("other pieces stand then where that was done")]
    OtherPieces,
}

impl Standing {
    /// The move of [`Standing::legal_moves`] that `uci` names, as the table writes moves in `mode`: castling
    /// by the king's squares, in Chess960 by the squares of king and rook.
    ///
    /// # Errors
    /// [`MoveProblem`]: what is wrong with it.
    pub fn named_move(&self, uci: &str, mode: CastlingMode) -> Result<Move, MoveProblem> {
        let named: UciMove = uci.parse().map_err(|_| MoveProblem::NotUci)?;
        let UciMove::Normal { from, promotion, .. } = named else { return Err(MoveProblem::NotUci) };
        let moves = self.legal_moves();
        if let Some(found) = moves.iter().find(|m| m.to_uci(mode) == named) {
            return Ok(*found);
        }
        if moves.is_empty() && self.valid().is_some() {
            return Err(MoveProblem::GameEnded);
        }
        let other = if mode.is_chess960() { CastlingMode::Standard } else { CastlingMode::Chess960 };
        let written = if mode.is_chess960() { "the square of his rook" } else { "his square after it" };
        if moves.iter().any(|m| m.is_castle() && m.to_uci(other) == named) {
            return Err(MoveProblem::CastlingForm(written));
        }
        let promotes = |m: &Move| m.is_promotion() && without_promotion(m.to_uci(mode)) == Some(named);
        if promotion.is_none() && moves.iter().any(promotes) {
            return Err(MoveProblem::NoPromotion);
        }
        Err(self.why_not(hardware_square(from)))
    }

    fn why_not(&self, from: Square) -> MoveProblem {
        let turn = colour(self.turn());
        match self.placement()[from] {
            Occupant::Empty => MoveProblem::NothingThere(from),
            piece if !piece.is_of(turn) => MoveProblem::NotHisPiece { from, turn },
            _ => MoveProblem::NotLegal(from),
        }
    }
}

fn without_promotion(uci: UciMove) -> Option<UciMove> {
    match uci {
        UciMove::Normal { from, to, .. } => Some(UciMove::Normal { from, to, promotion: None }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Start;

    fn named(fen: &str, uci: &str) -> Result<String, MoveProblem> {
        let start = Start::from_fen(fen).unwrap();
        start.standing().named_move(uci, start.mode()).map(|m| m.to_uci(start.mode()).to_string())
    }

    fn sq(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn a_move_is_found_as_the_table_writes_it() {
        let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        assert_eq!(named(castling, "e1g1"), Ok("e1g1".to_owned()));
        assert!(matches!(named(castling, "e1h1"), Err(MoveProblem::CastlingForm(_))));
        // Chess960: the king stands beside his rook.
        let beside = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1";
        assert_eq!(named(beside, "f1g1"), Ok("f1g1".to_owned()));
        let far = "4k3/8/8/8/8/8/8/2K4R w H - 0 1";
        assert_eq!(named(far, "c1h1"), Ok("c1h1".to_owned()));
        assert!(matches!(named(far, "c1g1"), Err(MoveProblem::CastlingForm(_))));
        assert_eq!(named("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8n"), Ok("a7a8n".to_owned()));
    }

    #[test]
    fn what_is_wrong_with_it_is_said() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let not_his = MoveProblem::NotHisPiece { from: sq("e7"), turn: Colour::White };
        for (fen, uci, problem) in [
            (start, "", MoveProblem::NotUci),
            (start, "e2-e4", MoveProblem::NotUci),
            (start, "0000", MoveProblem::NotUci),
            (start, "P@e4", MoveProblem::NotUci),
            (start, "é2e4", MoveProblem::NotUci),
            (start, "e4e5", MoveProblem::NothingThere(sq("e4"))),
            (start, "e7e5", not_his),
            (start, "e2e5", MoveProblem::NotLegal(sq("e2"))),
            (start, "e2e4q", MoveProblem::NotLegal(sq("e2"))),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8", MoveProblem::NoPromotion),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8k", MoveProblem::NotLegal(sq("a7"))),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "h8g8", MoveProblem::GameEnded),
        ] {
            assert_eq!(named(fen, uci), Err(problem), "{uci:?} in {fen}");
        }
    }
}
