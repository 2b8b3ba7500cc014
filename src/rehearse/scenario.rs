// SPDX-License-Identifier: GPL-3.0-or-later
//! A worked scenario as types, and what its outcome is compared with. The schema is in
//! `tests/cases/README.md`.
//!
//! Of the expectation these are compared: the ruling, how many there are, its articles and the event
//! it rests on, the result, the times added, the counted illegal moves (where the scenario is about
//! them), the position, the moves allowed and the free touches. The other fields are for people.

use std::collections::BTreeMap;
use std::time::Duration;

use arbiterd_board::{Colour, Occupant, Square};
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use shakmaty::uci::UciMove;
use toml::Spanned;

use super::Difference;
use super::case::{Schema, occupant, square};
use super::check_case::one_of;
use super::stage::Stage;
use crate::laws::kinds::{SCENARIO_WORDS, is_scenario_word};
use crate::laws::{Authority, Certainty, Ruling};
use crate::table::Observer;

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
    pub(super) before: [u8; 2],
    pub(super) events: Vec<Spanned<Event>>,
    expect: Expect,
    #[serde(default, rename = "group")]
    _group: IgnoredAny,
    #[serde(default, rename = "odd")]
    _odd: IgnoredAny,
    #[serde(default, rename = "chess960")]
    _chess960: IgnoredAny,
    #[serde(default, rename = "period")]
    _period: IgnoredAny,
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
    allowed: Option<Vec<String>>,
    #[serde(default, deserialize_with = "squares")]
    free_touch: Option<Vec<String>>,
    #[serde(default)]
    articles: Vec<String>,
    #[serde(default)]
    cite: BTreeMap<String, Vec<String>>,
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
    wrong.compare("position", position, expect.fen.get_ref().clone());
    let result = proposed.map_or_else(|| stage.result(), |r| r.consequence.result.pgn());
    wrong.compare("result", result, expect.result.clone());
    if expect.ruling == "ok" || expect.ruling == "no-ruling" {
        wrong.compare("number of rulings", stage.rulings().len().to_string(), "0");
        return wrong.0;
    }
    let Some(ruling) = stage.rulings().last() else {
        let found = format!("none (notices: {})", stage.notices().join(", "));
        wrong.compare("ruling", found, expect.ruling.clone());
        return wrong.0;
    };
    // Earlier rulings may only be answers to other claims of the scenario.
    let earlier = stage.rulings().len() - 1;
    let may_be = usize::from(earlier > 0 && stage.claims() > 1);
    wrong.compare("number of earlier rulings", earlier.min(1).to_string(), may_be.to_string());
    if ruling.certainty == Certainty::Likely && ruling.authority != Authority::Proposed {
        wrong.compare("authority", "final for what is only likely", "proposed");
    }
    compare_ruling(&mut wrong, ruling, stage, scenario);
    for article in expect.articles(rulebook, &scenario.rulebooks) {
        if !ruling.articles.contains(article) {
            wrong.compare("articles", ruling.articles.join(" "), article.clone());
        }
    }
    let event = *expect.rule_at.get_ref();
    let evidence = || format!("{:?}", ruling.evidence);
    match stage.fact_of_event(event) {
        Some(fact) if ruling.evidence.contains(&fact) => {}
        Some(fact) => wrong.compare("evidence", evidence(), format!("with {fact} (event {event})")),
        None => wrong.compare("evidence", evidence(), format!("with event {event}, which there is not")),
    }
    wrong.0
}

fn compare_ruling(wrong: &mut Differences, ruling: &Ruling, stage: &Stage, scenario: &Scenario) {
    let expect = &scenario.expect;
    if !ruling.kind.other_words().is_some_and(|w| w.scenarios.contains(&expect.ruling.as_str())) {
        wrong.compare("ruling", ruling.kind.word(), expect.ruling.clone());
    }
    let c = &ruling.consequence;
    // An increment taken back is time less for the offender.
    let net = |side, add: Duration| {
        let back = if ruling.offender == Some(side) { c.take_back_increment } else { Duration::ZERO };
        (millis(add) - millis(back)).to_string()
    };
    wrong.compare("White's time", net(Colour::White, c.add_white), expect.add_w.to_string());
    wrong.compare("Black's time", net(Colour::Black, c.add_black), expect.add_b.to_string());
    if expect.counts {
        let counted = [expect.illegal_w, expect.illegal_b];
        wrong.compare("illegal moves", format!("{:?}", c.illegal_moves), format!("{counted:?}"));
    }
    if let Some(allowed) = &expect.allowed {
        wrong.compare("moves allowed", format!("{:?}", stage.allowed()), format!("{allowed:?}"));
    }
    if let Some(free) = &expect.free_touch {
        wrong.compare("free touches", format!("{:?}", c.free_touch), format!("[{}]", free.join(", ")));
    }
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

fn moves<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    match words.iter().find(|word| word.parse::<UciMove>().is_err()) {
        Some(word) => Err(D::Error::custom(format!("{word:?} is no move, such as e2e4, e1g1 or e7e8q"))),
        None => Ok(Some(words)),
    }
}

fn squares<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    match words.iter().find(|word| word.parse::<Square>().is_err()) {
        Some(word) => Err(D::Error::custom(format!("{word:?} is no square, such as e4"))),
        None => Ok(Some(words)),
    }
}
