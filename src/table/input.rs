// SPDX-License-Identifier: GPL-3.0-or-later
//! What a table is told. Everything that can change a ruling enters here, is numbered as a
//! [`Fact`] and journaled; a table's state is the replay of its facts.

use arbiterd_board::{Colour, Mono, Report};
use serde::{Deserialize, Serialize};

use super::MoveProblem;
use crate::laws::mate::{QuestionId, Verdict};

/// Something a table is told.
///
/// The journal keeps these; variants are only ever added at the end
/// (`tests/journal_encoding.rs` holds the encoding still).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Input {
    /// A driver's report about the board or clock of this table.
    Report(Report),
    /// Someone said something that the laws know.
    Said {
        /// Who.
        by: Speaker,
        /// What.
        what: Saying,
    },
    /// Nothing was observed in this span (the daemon or the port was away).
    Gap {
        /// When observation ended.
        from: Mono,
        /// When it began again.
        to: Mono,
    },
    /// The answer to [`crate::laws::Directive::AskMate`], computed elsewhere.
    MateVerdict {
        /// The question it answers.
        question: QuestionId,
        /// The answer.
        verdict: Verdict,
    },
    /// The arbiter decided something.
    Command(Command),
}

/// What an arbiter can tell a table to do. Each leads to a defined state, whatever happened.
///
/// The journal keeps these; variants are only ever added at the end.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Command {
    /// A proposed ruling is given.
    Confirm {
        /// Its number at the table.
        ruling: u64,
    },
    /// A proposed ruling is not given.
    Overrule {
        /// Its number at the table.
        ruling: u64,
    },
    /// What stands on the board is the position, and this player has the move: the way back in
    /// step when nothing else leads there.
    AcceptBoard {
        /// Who has the move.
        turn: Colour,
    },
    /// The position after so many completed half-moves is put back (FIDE 7.5.1, 7.6), and a game
    /// that was over goes on. Half-moves after it fall, with what was proposed about them.
    Restore {
        /// Half-moves that remain in the record.
        plies: u32,
    },
    /// What was missed: after so many half-moves these were played, and none of those in the record.
    SetMoves {
        /// Half-moves that remain in the record.
        after: u32,
        /// The half-moves after them, in UCI notation, castling as the table writes it.
        moves: Vec<String>,
    },
    /// One half-move was another than the record says. Those after it stay.
    CorrectPly {
        /// Which: 1 for the first.
        ply: u32,
        /// What it was, in UCI notation.
        uci: String,
    },
    /// [`Command::AcceptBoard`] with what the daemon cannot know by itself.
    AcceptBoardAs {
        /// Who has the move.
        turn: Colour,
        /// Whether the hardware's a1 is h8, where nobody knows it yet or it is known wrongly.
        turned: Option<bool>,
        /// Who may still castle, as in a FEN; else what follows from the record.
        castling: Option<String>,
    },
}

/// Why a command was not taken. Nothing changed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// No proposed ruling has this number.
    #[error("ruling {0} is not a proposal that waits: `arbiterctl rulings` shows which do")]
    NoSuchProposal(u64),
    /// What a ruling becomes is being worked out, and what is counted by it.
    #[error("another ruling is being worked out: confirm this one when it has been given")]
    RulingPending,
    /// There is no placement that could be accepted.
    #[error("the board cannot be accepted as it stands: {0}")]
    BoardUnusable(&'static str),
    /// The game is over.
    #[error("the game is over: `arbiterctl restore` reopens it at the half-move that you name")]
    GameOver,
    /// No half-move was ever completed, so there is no position to put back.
    #[error("the game has not begun: set up the start position, or tell what was played by `set-moves`")]
    NotBegun,
    /// The record has no such half-move.
    #[error("half-move {asked} is not in the record, which has {completed}: `arbiterctl monitor` shows them")]
    NoSuchPly {
        /// Which was named.
        asked: u32,
        /// How many there are.
        completed: usize,
    },
    /// No move was named.
    #[error("no move was named: `arbiterctl restore` is what takes half-moves back")]
    NoMoves,
    /// A move of a list, or the correction of one, cannot have been played.
    #[error(
        "{uci} cannot be half-move {ply} (number {number} of those given): {problem}; nothing was changed"
    )]
    MoveRefused {
        /// Its number among those that were given: 1 for the first.
        number: usize,
        /// Which half-move of the game it would be.
        ply: usize,
        /// What was given.
        uci: String,
        /// What is wrong with it.
        problem: MoveProblem,
    },
    /// A half-move after a corrected one could not be played then.
    #[error(
        "half-move {ply}, {uci}, could not follow: {problem}; `arbiterctl set-moves` says all of them anew"
    )]
    LaterMove {
        /// The first that cannot.
        ply: usize,
        /// What the record says.
        uci: String,
        /// Why not.
        problem: MoveProblem,
    },
    /// The words for who may castle are no such words, or king or rook is not where it has to be.
    #[error(
        "castling {0:?} is not possible here: give letters as in a FEN (such as KQkq, - for nobody), each \
             with king and rook on their first squares"
    )]
    Castling(String),
}

/// Someone who may speak at a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Speaker {
    /// One of the players.
    Player(Colour),
    /// The arbiter.
    Arbiter,
}

/// Something said that the laws give an effect to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Saying {
    /// A claim.
    Claim(Claim),
}

/// A claim that a player, or the arbiter for him, can make.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Claim {
    /// The opponent completed an illegal move (FIDE 7.5).
    IllegalMove,
    /// The opponent touched one piece and moved another (FIDE 4.3, 4.8).
    TouchMove,
    /// The opponent's flag has fallen (FIDE 6.8).
    Flag,
}

impl Claim {
    /// Every claim that is understood, with its word on the bus.
    pub const ALL: [Self; 3] = [Self::IllegalMove, Self::TouchMove, Self::Flag];

    /// The word for it on the bus.
    pub const fn word(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal-move",
            Self::TouchMove => "touch-move",
            Self::Flag => "flag",
        }
    }
}

/// A word that names no claim known here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no claim is called {0:?}; known are illegal-move, touch-move and flag")]
pub struct UnknownClaim(pub String);

impl std::str::FromStr for Claim {
    type Err = UnknownClaim;

    fn from_str(word: &str) -> Result<Self, UnknownClaim> {
        Self::ALL.into_iter().find(|c| c.word() == word).ok_or_else(|| UnknownClaim(word.to_owned()))
    }
}

/// An input with its number within the table and the moment at which it arrived.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fact {
    /// 1, 2, 3 ... within the table.
    pub seq: u64,
    /// When it arrived at the host.
    pub at: Mono,
    /// What arrived.
    pub input: Input,
}
