// SPDX-License-Identifier: GPL-3.0-or-later
//! "Cannot checkmate by any possible series of legal moves" (FIDE 5.2.2, 6.9, 7.5.5).
//!
//! An answer is only ever given with its proof: a line that was replayed to mate, or a named
//! reason why there is none. What is neither stays [`Verdict::Undetermined`], and the ruling
//! that asked is proposed to the arbiter instead of given.

mod line;
mod material;

use arbiterd_board::Colour;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Position};

use crate::table::{Standing, Start};

/// The name of a question within a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct QuestionId(pub u32);

/// Whether a side can mate by any series of legal moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// It can: this line of legal moves, in UCI notation, ends in its mate.
    Possible {
        /// Replayed to mate before it was returned.
        line: Vec<String>,
    },
    /// It cannot, for this reason.
    Impossible {
        /// Why not.
        proof: Proof,
    },
    /// Neither was found within the budget.
    Undetermined {
        /// Positions looked at.
        spent: u64,
    },
}

/// Why a side cannot mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Proof {
    /// It is mated, or the game is stalemate, already.
    GameOver,
    /// The pieces left on the board allow no mate, however both sides help.
    Material,
}

/// Positions that a ruling lets the search look at: about a tenth of a second.
pub const BUDGET: u64 = 200_000;

/// The answer to a table's question about a position given as FEN. A position that legal play
/// cannot continue has none.
pub fn answer(fen: &str, side: Colour) -> Verdict {
    match Start::from_fen(fen).map(|s| s.standing().clone()) {
        Ok(Standing::Valid(position)) => can_mate(&position, side, BUDGET),
        Ok(Standing::Irregular(_)) | Err(_) => Verdict::Undetermined { spent: 0 },
    }
}

/// Whether `side` can give mate from `position` by any series of legal moves.
///
/// `budget` is the number of positions that may be looked at; for the same budget the answer is
/// always the same.
pub fn can_mate(position: &Chess, side: Colour, budget: u64) -> Verdict {
    let side: Color = crate::board::color(side);
    // What is on the board comes before any rule about material.
    if position.is_checkmate() {
        return if position.turn() == side {
            Verdict::Impossible { proof: Proof::GameOver }
        } else {
            Verdict::Possible { line: Vec::new() }
        };
    }
    if position.is_stalemate() {
        return Verdict::Impossible { proof: Proof::GameOver };
    }
    if material::cannot_mate(position.board(), side) {
        return Verdict::Impossible { proof: Proof::Material };
    }
    line::search(position, side, budget)
}
