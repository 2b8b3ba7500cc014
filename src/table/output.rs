// SPDX-License-Identifier: GPL-3.0-or-later
//! What a table gives: facts to record, rulings and notices, directives for devices, and views
//! for those who watch.

use std::time::Duration;

use arbiterd_board::{ClockSide, Colour, Mono, Piece, Placement, Square, Stamp};
use serde::{Deserialize, Serialize};

use super::input::{Claim, Fact, Speaker};
use crate::laws::{Directive, Notice, Ruling, Status};

/// One output of a table. Facts, rulings and notices are committed in their order before any of
/// them is published; views may be published at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// To be recorded.
    Fact(Fact),
    /// What the law made of facts.
    Ruling(Ruling),
    /// A person should look.
    Notice(Notice),
    /// Something for a device, or a question for a computation elsewhere.
    Directive(Directive),
    /// What may be shown to everyone.
    View(View),
}

/// What everyone may see. Before a move is completed these are the hardware's own observations,
/// the same for a legal and for an illegal move: nobody is helped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum View {
    /// A square became empty.
    Lifted {
        /// As the players see it.
        square: Square,
        /// What stood there.
        piece: Piece,
        /// When.
        at: Stamp,
    },
    /// A piece appeared on a square.
    Placed {
        /// As the players see it.
        square: Square,
        /// What stands there now.
        piece: Piece,
        /// When.
        at: Stamp,
    },
    /// The whole board, as the players see it.
    Placement(Placement),
    /// A player pressed his clock.
    Pressed {
        /// Who.
        by: Colour,
        /// When.
        at: Stamp,
    },
    /// The clock, changed in a way that cannot be foreseen from the last view.
    Clock(ClockView),
    /// A claim was made.
    Claimed {
        /// Who.
        by: Speaker,
        /// What.
        claim: Claim,
        /// The fact that records it.
        fact: u64,
    },
    /// A move was completed and is in the record.
    Moved(MoveView),
    /// Moves were taken back by a ruling or by the arbiter, or are told anew after he corrected one.
    TakenBack {
        /// Half-moves that remain in the record.
        remaining: usize,
    },
    /// A person decided on a proposed ruling.
    Decided {
        /// The ruling's number at the table.
        ruling: u64,
        /// What became of it.
        status: Status,
    },
    /// The arbiter accepted what stands on the board as the position.
    Accepted {
        /// The position, as FEN.
        fen: String,
    },
    /// The arbiter had a position put back.
    Restored(Restored),
    /// A new game begins, and the one before is left as it was.
    Begun {
        /// The position from which it begins, as FEN.
        fen: String,
        /// The result of the game before, if it had one.
        before: GameResult,
    },
    /// The state of the table changed.
    State(TableState),
    /// The game ended, or a result was lifted.
    Result(GameResult),
}

/// A position that the arbiter had put back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restored {
    /// Half-moves that remain in the record.
    pub remaining: usize,
    /// What was taken back, in UCI notation, oldest first.
    pub taken_back: Vec<String>,
    /// The position, as FEN.
    pub fen: String,
    /// White's and Black's time at that moment, where known. Which times to set is the arbiter's to
    /// judge (FIDE 7.1).
    pub clock: Option<[Duration; 2]>,
    /// Whether the game was over and goes on.
    pub reopened: bool,
}

/// A completed move, as it is published: squares only. Whether it was legal is not said here,
/// so that a witness tells no player what he has not seen himself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MoveView {
    /// Half-moves in the record with this one: 1 for the first.
    pub ply: usize,
    /// Who moved.
    pub by: Colour,
    /// In UCI notation, castling by the king's squares.
    pub uci: String,
    /// How it was completed.
    pub completion: Completion,
    /// The clock after it, White and Black, where known.
    pub clock: Option<[Duration; 2]>,
    /// The position after it, as FEN.
    pub fen: String,
}

/// How a move was completed (FIDE 6.2.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Completion {
    /// By pressing the clock.
    Press,
    /// By the opponent's released reply.
    Reply,
    /// The move ended the game.
    GameEnd,
    /// The arbiter said that it was played: it was not seen, or seen as another.
    Arbiter,
}

/// The clock at one moment: enough to show it running without a signal each second.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClockView {
    /// White's time.
    pub white: Duration,
    /// Black's time.
    pub black: Duration,
    /// Whose time counts; `None` for a stopped clock.
    pub running: Option<Colour>,
    /// The moment to which the times belong.
    pub as_of: Mono,
    /// How much older than `as_of` they may be.
    pub uncertainty: Duration,
    /// The side of the clock on which White sits.
    pub white_side: ClockSide,
    /// The flags that the clock shows.
    pub flags: [bool; 2],
    /// Whether a clock is connected.
    pub connected: bool,
}

/// Where a table stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TableState {
    /// No board has been seen yet.
    NoBoard,
    /// The board does not show the position from which the game is to begin.
    AwaitingPosition {
        /// Squares that differ.
        differing: Vec<Square>,
    },
    /// The board agrees with the record, as far as a move in progress allows.
    InStep,
    /// A ruling or the arbiter restored a position, and the pieces are being put back.
    Restoring {
        /// Squares that still differ.
        differing: Vec<Square>,
    },
    /// What stands cannot be explained by the record: a person has to help.
    OutOfStep {
        /// Squares that differ from the last completed position.
        differing: Vec<Square>,
    },
    /// The game is over.
    Over,
    /// The board does not answer.
    BoardLost,
}

impl TableState {
    /// The word for it on the bus.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NoBoard => "no-board",
            Self::AwaitingPosition { .. } => "awaiting-position",
            Self::InStep => "in-step",
            Self::Restoring { .. } => "restoring",
            Self::OutOfStep { .. } => "out-of-step",
            Self::Over => "over",
            Self::BoardLost => "board-lost",
        }
    }

    /// The squares that differ, where the state has any.
    pub fn differing(&self) -> &[Square] {
        match self {
            Self::AwaitingPosition { differing }
            | Self::Restoring { differing }
            | Self::OutOfStep { differing } => differing,
            _ => &[],
        }
    }
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum GameResult {
    /// The game goes on.
    #[default]
    Open,
    /// One side won.
    Won(Colour),
    /// Drawn.
    Drawn,
}

impl GameResult {
    /// As in a PGN.
    pub const fn pgn(self) -> &'static str {
        match self {
            Self::Open => "*",
            Self::Won(Colour::White) => "1-0",
            Self::Won(Colour::Black) => "0-1",
            Self::Drawn => "1/2-1/2",
        }
    }
}

impl From<GameResult> for String {
    fn from(result: GameResult) -> Self {
        result.pgn().to_owned()
    }
}

/// The text is no result of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no result; expected *, 1-0, 0-1 or 1/2-1/2")]
pub struct ParseResultError(String);

impl TryFrom<String> for GameResult {
    type Error = ParseResultError;

    fn try_from(text: String) -> Result<Self, ParseResultError> {
        [Self::Open, Self::Won(Colour::White), Self::Won(Colour::Black), Self::Drawn]
            .into_iter()
            .find(|r| r.pgn() == text)
            .ok_or(ParseResultError(text))
    }
}
