// SPDX-License-Identifier: GPL-3.0-or-later
//! A worked scenario as types, and what its outcome is compared with. The schema is in
//! `tests/cases/README.md`.
//!
//! Of the expectation these are compared: the ruling, how many there are, its articles and the event
//! that completes its evidence, the result, the times added, the counted illegal moves (where the scenario is about
//! them), the position, the moves allowed and the free touches. The other fields are for people.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use arbiterd_board::{Colour, Occupant, Square};
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use shakmaty::CastlingMode;
use shakmaty::fen::Fen;
use toml::Spanned;

use super::Difference;
use super::case::{Schema, occupant, square};
use super::check_case::one_of;
use super::compare::side;
use super::read::no_move;
use super::stage::Stage;
use crate::laws::kinds::{SCENARIO_WORDS, is_scenario_word};
use crate::laws::{Authority, Certainty, Ruling, RulingKind};
use crate::table::{GameResult, Observer, Standing};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(rename = "schema")]
    _schema: Schema,
    #[serde(deserialize_with = "scenarios")]
    pub(super) scenario: Vec<Spanned<Scenario>>,
}

/// A worked scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Unique in its file.
    pub id: String,
    /// The line in which it begins in the file.
    #[serde(skip)]
    pub line: usize,
    /// Others of its lines.
    #[serde(skip)]
    pub(super) lines: Lines,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// Under each of these the expectation is the same.
    #[serde(deserialize_with = "rulebooks")]
    pub rulebooks: Vec<String>,
    pub(super) observer: Observer,
    pub(super) fen: Spanned<String>,
    #[serde(default)]
    pub(super) moves: Vec<Spanned<String>>,
    pub(super) clock: Clock,
    #[serde(default)]
    before: Option<Spanned<[u8; 2]>>,
    pub(super) events: Vec<Spanned<Event>>,
    expect: Expect,
    #[serde(default, rename = "group")]
    _group: IgnoredAny,
    /// Whether its position is meant to be none that play leads to.
    #[serde(default)]
    pub(super) odd: bool,
    #[serde(default, rename = "chess960")]
    _chess960: IgnoredAny,
    #[serde(default, rename = "period")]
    _period: IgnoredAny,
}

/// In which lines of its file it says what.
#[derive(Clone, Default, Debug)]
pub(super) struct Lines {
    pub(super) rulebooks: Vec<usize>,
    pub(super) before: usize,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Clock {
    pub(super) w: u64,
    pub(super) b: u64,
    pub(super) inc: u64,
    /// Whose clock counts.
    pub(super) running: Player,
    #[serde(default, rename = "delay")]
    _delay: IgnoredAny,
}

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum What {
    Lift,
    Place,
    Press,
    Stop,
    Flag,
    Claim,
    Say,
    Human,
}

/// Of a claim, of what a player says, or of what the arbiter sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Illegal,
    Touch,
    Flag,
    Threefold,
    Fifty,
    Setup,
    KingAdjacent,
    Adjust,
    Resign,
    DrawOffer,
    Accept,
    Accident,
    TwoHands,
    Inverted,
    ClockError,
    ColoursReversed,
    BoardTurned,
    Assistant,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) enum Player {
    #[serde(rename = "w")]
    White,
    #[serde(rename = "b")]
    Black,
}

impl Kind {
    /// The word in the file.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Illegal => "illegal",
            Self::Touch => "touch",
            Self::Flag => "flag",
            Self::Threefold => "threefold",
            Self::Fifty => "fifty",
            Self::Setup => "setup",
            Self::KingAdjacent => "king-adjacent",
            Self::Adjust => "adjust",
            Self::Resign => "resign",
            Self::DrawOffer => "draw-offer",
            Self::Accept => "accept",
            Self::Accident => "accident",
            Self::TwoHands => "two-hands",
            Self::Inverted => "inverted",
            Self::ClockError => "clock-error",
            Self::ColoursReversed => "colours-reversed",
            Self::BoardTurned => "board-turned",
            Self::Assistant => "assistant",
        }
    }
}

impl What {
    /// The word in the file.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Lift => "lift",
            Self::Place => "place",
            Self::Press => "press",
            Self::Stop => "stop",
            Self::Flag => "flag",
            Self::Claim => "claim",
            Self::Say => "say",
            Self::Human => "human",
        }
    }
}

impl Player {
    pub(super) const fn colour(self) -> Colour {
        match self {
            Self::White => Colour::White,
            Self::Black => Colour::Black,
        }
    }
}

/// Where the expectation comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Confidence {
    /// The letter of the rulebook.
    #[default]
    Text,
    /// Common practice.
    Practice,
    /// Nobody: it is an open point.
    Open,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    pub(super) t: u64,
    pub(super) ev: What,
    #[serde(default, deserialize_with = "square")]
    pub(super) sq: Option<Square>,
    #[serde(default, deserialize_with = "occupant")]
    pub(super) pc: Option<Occupant>,
    pub(super) by: Option<Player>,
    pub(super) kind: Option<Kind>,
    pub(super) side: Option<Player>,
    pub(super) w: Option<u64>,
    pub(super) b: Option<u64>,
    #[serde(default, rename = "running")]
    _running: IgnoredAny,
    #[serde(default, rename = "move")]
    _move: IgnoredAny,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    #[serde(deserialize_with = "ruling")]
    ruling: String,
    rule_at: Spanned<usize>,
    #[serde(deserialize_with = "result")]
    result: String,
    #[serde(default)]
    add_w: i64,
    #[serde(default)]
    add_b: i64,
    #[serde(default)]
    illegal_w: u8,
    #[serde(default)]
    illegal_b: u8,
    fen: Spanned<String>,
    #[serde(default, deserialize_with = "moves")]
    allowed: Option<BTreeSet<String>>,
    #[serde(default, deserialize_with = "squares")]
    free_touch: Option<BTreeSet<String>>,
    #[serde(default)]
    articles: Vec<String>,
    #[serde(default)]
    cite: BTreeMap<Spanned<String>, Vec<String>>,
    #[serde(default)]
    confidence: Confidence,
    /// Whether the counts are what the scenario is about.
    #[serde(skip)]
    counts: bool,
    #[serde(default, rename = "running")]
    _running: IgnoredAny,
    #[serde(default, rename = "bind")]
    _bind: IgnoredAny,
    #[serde(default, rename = "can_mate")]
    _can_mate: IgnoredAny,
    #[serde(default, rename = "position")]
    _position: IgnoredAny,
    #[serde(default, rename = "repetitions")]
    _repetitions: IgnoredAny,
    #[serde(default, rename = "human")]
    _human: IgnoredAny,
    #[serde(default, rename = "note")]
    _note: IgnoredAny,
}

impl Expect {
    /// The articles that have to be cited. For a rulebook that the scenario does not name it says
    /// none: each edition has a numbering of its own.
    fn articles(&self, rulebook: &str, named: &[String]) -> &[String] {
        match self.cite.get(rulebook) {
            Some(cited) => cited,
            None if named.iter().any(|n| n == rulebook) => &self.articles,
            None => &[],
        }
    }
}

impl Scenario {
    /// Which begins in this line.
    pub(super) fn prepared(mut self, line: usize) -> Self {
        self.line = line;
        let about = |what: &str| self.expect.ruling.starts_with(what);
        self.expect.counts = about("illegal-move") || about("press-without");
        self
    }

    /// The event that the ruling rests on, counted from 0.
    pub(super) const fn rule_at(&self) -> &Spanned<usize> {
        &self.expect.rule_at
    }

    /// The rulebooks for which it says what has to be cited.
    pub(super) fn cited(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.expect.cite.keys()
    }

    /// Illegal moves counted before, White's and Black's.
    pub(super) fn before(&self) -> [u8; 2] {
        self.before.as_ref().map_or([0; 2], |before| *before.get_ref())
    }

    /// Where these stand.
    pub(super) fn place_of_before(&self) -> Range<usize> {
        self.before.as_ref().map_or(0..0, Spanned::span)
    }

    /// The position that must stand in the end.
    pub(super) const fn expected_fen(&self) -> &Spanned<String> {
        &self.expect.fen
    }

    /// Whether what is right is an open point.
    pub fn is_open(&self) -> bool {
        self.expect.confidence == Confidence::Open
    }
}

/// What was compared and differs.
struct Differences(Vec<Difference>);

impl Differences {
    fn compare(&mut self, field: &str, found: impl Into<String>, wanted: impl Into<String>) {
        let (found, wanted) = (found.into(), wanted.into());
        if found != wanted {
            self.0.push(Difference::new(field, found, wanted));
        }
    }
}

/// Everything in which the outcome differs from the expectation.
pub fn differences(stage: &Stage, scenario: &Scenario, rulebook: &str) -> Vec<Difference> {
    let expect = &scenario.expect;
    let mut wrong = Differences(Vec::new());
    // What is proposed has no effect yet: its own words count.
    let proposed = stage.rulings().last().filter(|r| r.authority == Authority::Proposed);
    let position = proposed.and_then(|r| r.consequence.restore.clone()).unwrap_or_else(|| stage.fen());
    if !is_position(&position, expect.fen.get_ref()) {
        wrong.compare("fen", position, expect.fen.get_ref().clone());
    }
    let result = proposed.map_or_else(|| stage.result(), |r| r.consequence.result.pgn());
    wrong.compare("result", result, expect.result.clone());
    if expect.ruling == "ok" || expect.ruling == "no-ruling" {
        if !stage.rulings().is_empty() {
            wrong.compare("ruling", listed(stage.rulings()), expect.ruling.clone());
        }
        return wrong.0;
    }
    let Some((ruling, earlier)) = stage.rulings().split_last() else {
        let found = format!("none (notices: {})", stage.notices().join(", "));
        wrong.compare("ruling", found, expect.ruling.clone());
        return wrong.0;
    };
    // Earlier rulings may only be answers to other claims of the scenario.
    if !earlier.is_empty() && stage.claims() <= 1 {
        wrong.compare("ruling", format!("after {}", listed(earlier)), "the only one");
    }
    if ruling.certainty == Certainty::Likely && ruling.authority != Authority::Proposed {
        wrong.compare("ruling", "final for what is only likely", "proposed");
    }
    compare_ruling(&mut wrong, ruling, stage, scenario);
    for article in expect.articles(rulebook, &scenario.rulebooks) {
        if !ruling.articles.contains(article) {
            wrong.compare("articles", ruling.articles.join(" "), article.clone());
        }
    }
    let event = *expect.rule_at.get_ref();
    let fit = completing(ruling, stage, scenario);
    if !fit.contains(&event) {
        let named = |event: usize| match scenario.events.get(event) {
            Some(spanned) => format!("{event} ({})", spanned.get_ref().ev.word()),
            None => format!("{event}, which there is not"),
        };
        let found = fit.iter().map(|&event| named(event)).collect::<Vec<_>>().join(" or ");
        let found = if found.is_empty() { "no event".to_owned() } else { found };
        wrong.compare("rule_at", found, named(event));
    }
    wrong.0
}

/// The events that can be said to complete the evidence of a ruling: the last of those among it. A mate and
/// a stalemate end the game as they are made, whether or not the press after is waited for.
fn completing(ruling: &Ruling, stage: &Stage, scenario: &Scenario) -> Vec<usize> {
    let mut events = stage.events_among(&ruling.evidence);
    let is_press = |event: usize| scenario.events.get(event).is_some_and(|e| e.get_ref().ev == What::Press);
    let last = events.pop();
    let made = matches!(ruling.kind, RulingKind::Checkmate | RulingKind::Draw)
        .then(|| events.pop())
        .flatten()
        .filter(|_| last.is_some_and(is_press));
    made.into_iter().chain(last).collect()
}

fn compare_ruling(wrong: &mut Differences, ruling: &Ruling, stage: &Stage, scenario: &Scenario) {
    let expect = &scenario.expect;
    if !ruling.kind.other_words().is_some_and(|w| w.scenarios.contains(&expect.ruling.as_str())) {
        wrong.compare("ruling", word(ruling), expect.ruling.clone());
    }
    let c = &ruling.consequence;
    // An increment taken back is time less for the offender.
    let net = |side, add: Duration| {
        let back = if ruling.offender == Some(side) { c.take_back_increment } else { Duration::ZERO };
        (millis(add) - millis(back)).to_string()
    };
    wrong.compare("add_w", net(Colour::White, c.add_white), expect.add_w.to_string());
    wrong.compare("add_b", net(Colour::Black, c.add_black), expect.add_b.to_string());
    if expect.counts {
        let [white, black] = c.illegal_moves.map(|count| count.to_string());
        wrong.compare("illegal_w", white, expect.illegal_w.to_string());
        wrong.compare("illegal_b", black, expect.illegal_b.to_string());
    }
    if let Some(allowed) = &expect.allowed {
        let found = stage.allowed().into_iter().collect();
        wrong.compare("allowed", set(&found), set(allowed));
    }
    if let Some(free) = &expect.free_touch {
        let found = c.free_touch.iter().map(ToString::to_string).collect();
        wrong.compare("free_touch", set(&found), set(free));
    }
}

/// Neither order nor repetition means anything.
fn set(words: &BTreeSet<String>) -> String {
    format!("[{}]", words.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
}

/// Whether a position that the program writes is the wanted one, however that is written: with the castling
/// and the capture in passing that there can be, and with counters only if it has some.
fn is_position(found: &str, wanted: &str) -> bool {
    let Ok(fen) = wanted.parse::<Fen>() else { return false };
    let written = Standing::from_setup(fen.into_setup(), CastlingMode::Standard).fen();
    let compared = wanted.split_whitespace().count().max(WITHOUT_COUNTERS);
    let fields = |fen: &str| fen.split(' ').take(compared).map(str::to_owned).collect::<Vec<_>>();
    fields(found) == fields(&written)
}

/// The fields of a FEN: placement, side to move, castling and the square of a capture in passing.
const WITHOUT_COUNTERS: usize = 4;

/// What scenarios call a ruling, where they have a word for it.
fn word(ruling: &Ruling) -> String {
    let ours = ruling.kind.word();
    let ending = match ruling.consequence.result {
        GameResult::Open => "",
        GameResult::Drawn => "-draw",
        _ => "-loss",
    };
    let words = ruling.kind.other_words().map_or(&[][..], |w| w.scenarios);
    let ends = |word: &&&str| ["-draw", "-loss"].into_iter().find(|e| word.ends_with(e)).unwrap_or_default();
    let fitting: Vec<&str> = words.iter().filter(|word| ends(word) == ending).copied().collect();
    let words = if fitting.is_empty() { words } else { &fitting };
    if words.is_empty() || words.contains(&ours) { ours.to_owned() } else { words.join(" or ") }
}

/// Rulings with whom they are against and their articles.
fn listed(rulings: &[Ruling]) -> String {
    let each = rulings.iter().map(|ruling| {
        let against = ruling.offender.map(|c| format!(" against {}", side(Some(c)))).unwrap_or_default();
        format!("{}{against} ({})", word(ruling), ruling.articles.join(" "))
    });
    each.collect::<Vec<_>>().join(", ")
}

fn millis(d: Duration) -> i64 {
    i64::try_from(d.as_millis()).unwrap_or(i64::MAX)
}

/// A ruling that nobody gives would never be found.
fn ruling<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let word = String::deserialize(deserializer)?;
    if is_scenario_word(&word) {
        return Ok(word);
    }
    let known = one_of(&word, SCENARIO_WORDS);
    Err(D::Error::custom(format!("no ruling of the scenarios is called {word:?}: {known}")))
}

/// A file of none would pass without having been looked at.
fn scenarios<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Spanned<Scenario>>, D::Error> {
    let scenarios = Vec::<Spanned<Scenario>>::deserialize(deserializer)?;
    if scenarios.is_empty() {
        return Err(D::Error::custom("there is no scenario: add one as [[scenario]]"));
    }
    Ok(scenarios)
}

/// Under no rulebook nothing would be played, and nothing be wrong.
fn rulebooks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let ids = Vec::<String>::deserialize(deserializer)?;
    if ids.is_empty() {
        return Err(D::Error::custom("rulebooks is empty: name at least one, such as fide-2023-standard"));
    }
    Ok(ids)
}

fn result<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let word = String::deserialize(deserializer)?;
    match word.as_str() {
        "*" | "1-0" | "0-1" | "1/2-1/2" | "new-game" => Ok(word),
        _ => Err(D::Error::custom(format!("{word:?} is no result: *, 1-0, 0-1, 1/2-1/2 or new-game"))),
    }
}

fn moves<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BTreeSet<String>>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    match words.iter().find_map(|word| no_move(word)) {
        Some(what) => Err(D::Error::custom(what)),
        None => Ok(Some(words.into_iter().collect())),
    }
}

fn squares<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BTreeSet<String>>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    match words.iter().find(|word| word.parse::<Square>().is_err()) {
        Some(word) => Err(D::Error::custom(format!("{word:?} is no square, such as e4"))),
        None => Ok(Some(words.into_iter().collect())),
    }
}
