// SPDX-License-Identifier: GPL-3.0-or-later
//! Rulings, notices and directives: what the laws give.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Run, Square};
use serde::{Deserialize, Serialize};

use super::kinds::{NoticeKind, RulingKind};
use super::mate::QuestionId;
use crate::table::{GameResult, SetUpFault};

/// What the law makes of facts.
///
/// Journaled as JSON: fields are added with a default, never renamed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ruling {
    /// 1, 2, 3 ... within the table.
    pub seq: u64,
    /// The revision of the game that it applies to.
    pub revision: u64,
    /// The rulebook in force.
    pub rulebook: String,
    /// What it is about.
    pub kind: RulingKind,
    /// The articles, in the numbering of the rulebook's edition.
    pub articles: Vec<String>,
    /// Who broke a rule, or whose claim failed.
    pub offender: Option<Colour>,
    /// What follows.
    pub consequence: Consequence,
    /// Whether it stands by itself or waits for a person's word.
    pub authority: Authority,
    /// What has become of it since.
    pub standing: Status,
    /// The facts it rests on, by number.
    pub evidence: Vec<u64>,
    /// How firmly the evidence proves it.
    pub certainty: Certainty,
    /// What could not be observed and is left to a person.
    pub not_observable: Vec<NotObservable>,
    /// When the evidence was complete, so that the ruling could be given.
    pub evidence_complete: Mono,
}

/// What follows from a ruling.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Consequence {
    /// Time to add to White's clock.
    pub add_white: Duration,
    /// Time to add to Black's clock.
    pub add_black: Duration,
    /// Increment that the offender gained by pressing and that is taken off again.
    pub take_back_increment: Duration,
    /// The result, if the ruling ends the game.
    pub result: GameResult,
    /// The position to restore, as FEN, if one is restored.
    pub restore: Option<String>,
    /// The move that was completed wrongly, in UCI notation.
    pub irregular_move: Option<String>,
    /// The moves of which one must be played now; empty if any legal move may be played.
    pub required_moves: Vec<String>,
    /// Squares whose touched piece binds nobody, because nothing on them can move.
    pub free_touch: Vec<Square>,
    /// Times that the arbiter may set (FIDE 7.1: he judges), White and Black.
    pub proposed_clock: Option<ProposedClock>,
    /// Illegal moves counted so far, White and Black, with this one.
    pub illegal_moves: [u8; 2],
}

/// Times for the arbiter to choose from after a restoration. Penalties are not in them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProposedClock {
    /// White and Black when the irregularity occurred.
    pub at_irregularity: [Duration; 2],
    /// White and Black now.
    pub now: [Duration; 2],
}

/// Whether a ruling stands by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Authority {
    /// It is in force.
    Final,
    /// A person must confirm it.
    Proposed,
}

/// What has become of a ruling.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// As it was given.
    InForce,
    /// A person confirmed it.
    Confirmed,
    /// A person overruled it.
    Overruled,
    /// What it was about was taken out of the record before anybody decided on it.
    Fallen,
}

/// How firmly the evidence proves a ruling.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// Nothing else can have happened.
    Proven,
    /// The evidence allows another course of events.
    Likely,
}

/// What a board and a clock cannot see.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotObservable {
    /// Whether a touch was meant or an accident (FIDE 4.2.2).
    Intent,
    /// The times to set after a restoration (FIDE 7.1).
    ClockTimes,
    /// Whether any series of legal moves mates: the search ended without an answer.
    MatePossible,
    /// Whether a piece was released or only rested.
    Release,
    /// Whose hand it was.
    Hand,
    /// What stands on the board, a second time: it was asked to show itself and did not.
    SecondLook,
    /// What stood on a square that read to and fro.
    DisturbedSquare,
}

impl NotObservable {
    /// The word for it on the bus.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Intent => "intent",
            Self::ClockTimes => "clock-times",
            Self::MatePossible => "mate-possible",
            Self::Release => "release",
            Self::Hand => "hand",
            Self::SecondLook => "second-look",
            Self::DisturbedSquare => "disturbed-square",
        }
    }
}

/// A person should look.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Notice {
    /// What about.
    pub kind: NoticeKind,
    /// When.
    pub at: Mono,
    /// Squares it concerns.
    pub squares: Vec<Square>,
    /// Whom it concerns.
    pub side: Option<Colour>,
    /// For [`NoticeKind::NotRuled`]: what is not covered.
    pub not_covered: Option<NotCovered>,
    /// The facts it rests on, by number.
    pub evidence: Vec<u64>,
    /// For [`NoticeKind::StartPositionWrong`]: what is wrong, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_up: Vec<SetUpFault>,
}

impl Notice {
    /// A notice of this kind that says nothing more.
    pub const fn new(kind: NoticeKind, at: Mono) -> Self {
        Self {
            kind,
            at,
            squares: Vec::new(),
            side: None,
            not_covered: None,
            evidence: Vec::new(),
            set_up: Vec::new(),
        }
    }
}

/// What the laws know and this version does not rule on yet: the arbiter decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotCovered {
    /// A pawn was left on the last rank and the clock pressed (FIDE 7.5.2).
    #[error("a pawn left on the last rank is not ruled on")]
    PromotionNotReplaced,
    /// The clock was pressed before the move was complete on the board.
    #[error("a move that was not complete when the clock was pressed is not ruled on")]
    UnfinishedMove,
    /// The move was not seen in its order, so nothing is ruled from it.
    #[error("nothing is ruled from a move whose order was not seen")]
    InferredMove,
    /// King and rook were both touched (FIDE 4.4).
    #[error("touching king and rook is not ruled on")]
    CastlingTouch,
    /// Both players completed illegal moves.
    #[error("illegal moves of both players are not ruled on together")]
    IllegalMovesOfBoth,
    /// Both flags are down (FIDE III.3.1).
    #[error("two fallen flags are not ruled on")]
    BothFlags,
    /// The rulebook leaves a press without a move to the arbiter.
    #[error("a press without a move is left to the arbiter by this rulebook")]
    Discretionary,
    /// A claim about what was not watched: the board, or for a flag the clock, did not report.
    #[error("the claim is about what was not watched")]
    NotWatched,
    /// A claim about what only a clock shows: nothing here tells of presses or times.
    #[error("the claim is about what only a clock shows, and none was heard")]
    NoClock,
    /// A square read to and fro meanwhile: what happened on it is not known.
    #[error("a square read to and fro, so what happened is not known")]
    Disturbed,
    /// The line told nonsense beside it, and may have told this falsely.
    #[error("the line told nonsense beside it, so whether it happened is not known")]
    FaultyLine,
    /// A move that may not be played stands, or none, after a press that may have come late for the move before.
    #[error("whether the clock was pressed for what stands, or late for the move before, is not known")]
    PressMayBeLate,
    /// A legal move stood, and was moved on or put back when the clock was pressed: by its player, or by the other.
    #[error(
        "whether a piece was moved on or put back before the clock was pressed, or by the opponent after, is not \
         known"
    )]
    MovedOn,
    /// The lever moved when the clock may have stood.
    #[error("whether the clock was pressed in play, or its lever moved while it stood, is not known")]
    UncertainPress,
    /// A piece stood where it may be moved, and then went elsewhere (FIDE 4.7).
    #[error("whether a piece that was put down and then moved on had been released is not ruled on")]
    ReleasedPiece,
}

impl NotCovered {
    /// The word for it on the bus.
    pub const fn word(self) -> &'static str {
        match self {
            Self::PromotionNotReplaced => "promotion-not-replaced",
            Self::UnfinishedMove => "unfinished-move",
            Self::InferredMove => "inferred-move",
            Self::NotWatched => "not-watched",
            Self::NoClock => "no-clock",
            Self::Disturbed => "disturbed",
            Self::FaultyLine => "faulty-line",
            Self::PressMayBeLate => "press-may-be-late",
            Self::MovedOn => "moved-on",
            Self::UncertainPress => "uncertain-press",
            Self::ReleasedPiece => "released-piece",
            Self::CastlingTouch => "castling-touch",
            Self::IllegalMovesOfBoth => "illegal-moves-of-both",
            Self::BothFlags => "both-flags",
            Self::Discretionary => "discretionary",
        }
    }
}

/// Something for a device or for a computation elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Directive {
    /// Answer whether `side` can mate by any series of legal moves from `fen`; the answer comes
    /// back as [`crate::table::Input::MateVerdict`].
    AskMate {
        /// Name of the question.
        question: QuestionId,
        /// The position.
        fen: String,
        /// Who would have to mate.
        side: Colour,
    },
    /// Read the whole board again.
    ReadBoard,
    /// Read the clock again.
    ReadClock,
    /// Set the clock, White's and Black's time, and what runs then.
    SetClock {
        /// White's time.
        white: Duration,
        /// Black's time.
        black: Duration,
        /// What runs afterwards, by the clock's sides.
        run: Run,
    },
    /// Light these hardware squares of the board and no others; none puts all lights out.
    Light(Vec<Square>),
}
