// SPDX-License-Identifier: GPL-3.0-or-later
//! A case file as types: its schema is in `tests/cases/README.md`.

use std::collections::BTreeSet;

use arbiterd_board::{ClockSide, Colour, Occupant, Placement, Square};
use serde::{Deserialize, Deserializer, de};
use toml::Spanned;

/// The part of the work that must make a case pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Due {
    /// Which moves were made.
    Sensing,
    /// What the Laws say of them.
    Laws,
    /// Times, presses and flags.
    Clock,
    /// What was recorded.
    Journal,
    /// Several boards, and boards that go and come back.
    Venue,
}

impl Due {
    /// The word in the file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sensing => "sensing",
            Self::Laws => "laws",
            Self::Clock => "clock",
            Self::Journal => "journal",
            Self::Venue => "venue",
        }
    }
}

/// What was observed and what must come of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    #[serde(rename = "schema")]
    _schema: Schema,
    /// Its name.
    pub id: String,
    /// The line of its id in the file.
    #[serde(skip)]
    pub line: usize,
    /// The line of its `book`.
    #[serde(skip)]
    pub(super) book_line: usize,
    /// One line for people.
    pub title: String,
    #[serde(default, rename = "source")]
    _source: Vec<u32>,
    /// The part of the work that must make it pass.
    pub due: Option<Due>,
    #[serde(rename = "level")]
    _level: Level,
    /// Whether sources disagree on what is right.
    #[serde(default)]
    pub disputed: bool,
    #[serde(default, rename = "note")]
    _note: String,
    pub(super) setup: Setup,
    #[serde(default)]
    pub(super) obs: Vec<Spanned<Observation>>,
    pub(super) expect: Expect,
}

impl Case {
    /// Whether something happens to the service as a process.
    pub(super) fn needs_the_service(&self) -> bool {
        self.obs.iter().any(|o| o.get_ref().kind == Kind::System)
    }
}

/// Version 1 of the schema, the only one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema;

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            1 => Ok(Self),
            other => Err(de::Error::custom(format!("schema {other} is not known here, only 1 is"))),
        }
    }
}

/// The lowest level that can show the fault. Everything is fed at its own level.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Level {
    Events,
    Snapshots,
    Bytes,
    System,
}

/// Where play begins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setup {
    pub(super) start_fen: String,
    pub(super) book: Spanned<String>,
    mode: Mode,
    #[serde(default = "yes")]
    supervised: bool,
    #[serde(default)]
    pub(super) device: Device,
    #[serde(default)]
    pub(super) white_clock_side: Side,
    #[serde(rename = "base_ms")]
    _base_ms: Option<u64>,
    #[serde(default)]
    pub(super) increment_ms: u64,
    #[serde(rename = "white_ms")]
    _white_ms: Option<u64>,
    #[serde(rename = "black_ms")]
    _black_ms: Option<u64>,
    #[serde(rename = "time_control")]
    _time_control: Option<String>,
    #[serde(default)]
    pub(super) variations: Vec<String>,
}

const fn yes() -> bool {
    true
}

impl Setup {
    /// The id of the rulebook: under adequate supervision fast chess has one of its own.
    pub(super) fn rulebook(&self) -> String {
        let mode = match (self.mode, self.supervised) {
            (Mode::Standard, _) => "standard",
            (Mode::Rapid, true) => "rapid-sup",
            (Mode::Rapid, false) => "rapid",
            (Mode::Blitz, true) => "blitz-sup",
            (Mode::Blitz, false) => "blitz",
        };
        format!("{}-{mode}", self.book.get_ref())
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Standard,
    Rapid,
    Blitz,
}

/// Whose bytes they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Device {
    #[default]
    Any,
    Dgt,
    Millennium,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Side {
    #[default]
    Left,
    Right,
}

impl Side {
    pub(super) const fn of_clock(self) -> ClockSide {
        match self {
            Self::Left => ClockSide::Left,
            Self::Right => ClockSide::Right,
        }
    }
}

/// Who pressed last: a lever is always down on one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Player {
    White,
    Black,
}

impl Player {
    pub(super) const fn colour(self) -> Colour {
        match self {
            Self::White => Colour::White,
            Self::Black => Colour::Black,
        }
    }
}

/// Who makes a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Claimant {
    White,
    Black,
    Arbiter,
}

/// Whose flags are down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Flags {
    White,
    Black,
    Both,
    None,
}

impl Flags {
    pub(super) const fn has(self, side: Colour) -> bool {
        matches!((self, side), (Self::Both, _) | (Self::White, Colour::White) | (Self::Black, Colour::Black))
    }
}

/// A colour, or neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Who {
    White,
    Black,
    None,
}

impl Who {
    pub(super) const fn colour(self) -> Option<Colour> {
        match self {
            Self::White => Some(Colour::White),
            Self::Black => Some(Colour::Black),
            Self::None => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Lift,
    Place,
    Board,
    Clock,
    Raw,
    Unplug,
    Replug,
    Claim,
    Arbiter,
    System,
    Wait,
}

/// Something observed. Which keys each kind has is said by [`super::keys::OBSERVATIONS`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Observation {
    pub(super) t_ms: u64,
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) dev: String,
    #[serde(default, deserialize_with = "square")]
    pub(super) square: Option<Square>,
    #[serde(default, deserialize_with = "occupant")]
    pub(super) piece: Option<Occupant>,
    #[serde(default, deserialize_with = "placement")]
    pub(super) fen: Option<Placement>,
    pub(super) white_ms: Option<u64>,
    pub(super) black_ms: Option<u64>,
    pub(super) lever: Option<Player>,
    pub(super) running: Option<Who>,
    pub(super) flag: Option<Flags>,
    #[serde(default, deserialize_with = "bytes")]
    pub(super) hex: Option<Vec<u8>>,
    #[serde(rename = "port")]
    _port: Option<String>,
    pub(super) by: Option<Claimant>,
    pub(super) what: Option<String>,
    #[serde(rename = "move")]
    _move: Option<String>,
    pub(super) action: Option<Action>,
    #[serde(default)]
    pub(super) moves: Vec<String>,
    #[serde(rename = "event")]
    _event: Option<String>,
    #[serde(rename = "down_ms")]
    _down_ms: Option<u64>,
    #[serde(rename = "duration_ms")]
    _duration_ms: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Action {
    Restore,
    SetMoves,
    Resume,
}

/// What must come of it. What is absent is not compared, unless it says otherwise.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    #[serde(default)]
    pub(super) moves: Vec<String>,
    #[serde(default)]
    pub(super) irregular: Vec<String>,
    #[serde(default)]
    pub(super) inferred: Vec<String>,
    #[serde(default)]
    pub(super) optional_tail: Vec<String>,
    #[serde(default)]
    pub(super) never: Vec<String>,
    pub(super) completed: Option<usize>,
    pub(super) games: Option<usize>,
    pub(super) results: Option<Vec<String>>,
    pub(super) result: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) clock: Option<ExpectedClock>,
    pub(super) orientation: Option<ExpectedOrientation>,
    #[serde(default)]
    pub(super) order: Vec<String>,
    pub(super) dev_moves: Option<Vec<String>>,
    #[serde(default = "yes")]
    pub(super) board_matches: bool,
    #[serde(default)]
    pub(super) forbid: BTreeSet<String>,
    #[serde(default)]
    pub(super) allow: BTreeSet<String>,
    #[serde(default)]
    pub(super) ruling: Vec<Spanned<ExpectedRuling>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedClock {
    pub(super) white_ms: Option<u64>,
    pub(super) black_ms: Option<u64>,
    pub(super) running: Option<Who>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ExpectedOrientation {
    Rotated,
}

/// A ruling or a notice that must come.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedRuling {
    pub(super) kind: String,
    #[serde(default)]
    pub(super) alternatives: Vec<String>,
    pub(super) by: Option<Who>,
    pub(super) add_white_ms: Option<u64>,
    pub(super) add_black_ms: Option<u64>,
    pub(super) required: Option<BTreeSet<String>>,
    #[serde(default, deserialize_with = "squares")]
    pub(super) squares: Option<Spanned<BTreeSet<Square>>>,
    pub(super) dev: Option<String>,
    pub(super) after_ms: Option<u64>,
    pub(super) before_ms: Option<u64>,
}

pub(super) fn square<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Square>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(|_| de::Error::custom(format!("{text:?} is no square, such as e4")))
}

type Squares = Spanned<BTreeSet<Square>>;

fn squares<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Squares>, D::Error> {
    let texts = Spanned::<Vec<String>>::deserialize(deserializer)?;
    let span = texts.span();
    let parse = |text: &String| {
        text.parse().map_err(|_| de::Error::custom(format!("{text:?} is no square, such as e4")))
    };
    let squares = texts.get_ref().iter().map(parse).collect::<Result<_, _>>()?;
    Ok(Some(Spanned::new(span, squares)))
}

pub(super) fn occupant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Occupant>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let mut letters = text.chars();
    match (letters.next().and_then(Occupant::from_letter), letters.next()) {
        (Some(occupant), None) => Ok(Some(occupant)),
        _ => Err(de::Error::custom(format!("{text:?} is no piece, such as N (White's) or n (Black's)"))),
    }
}

fn placement<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Placement>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(|e| de::Error::custom(format!("{text:?} is no placement: {e}")))
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let byte = |word: &str| {
        u8::from_str_radix(word, 16)
            .map_err(|_| de::Error::custom(format!("{word:?} is no byte of two hexadecimal digits")))
    };
    text.split_whitespace().map(byte).collect::<Result<_, _>>().map(Some)
}
