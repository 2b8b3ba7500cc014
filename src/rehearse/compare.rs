// SPDX-License-Identifier: GPL-3.0-or-later
//! What came of a case against what it expects, field by field.

use std::collections::BTreeSet;
use std::time::Duration;

use arbiterd_board::{Colour, Mono, Square};

use super::Difference;
use super::case::{Case, Expect, ExpectedClock, ExpectedRuling, Who};
use super::play::{BEGIN, Played};
use super::stage::notice_word;
use super::venue::Venue;
use crate::laws::{Consequence, NoticeKind, Ruling, RulingKind};
use crate::table::{Command, GameResult, View};

/// How far a time may be from the expected one.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(1);

/// Everything in which what came of a case differs from what it expects.
pub fn differences(case: &Case, played: &Played) -> Vec<Difference> {
    let expect = &case.expect;
    let mut found: Vec<Difference> = played.untold.iter().map(|what| Difference::untold(what)).collect();
    if let Some(wanted) = &expect.dev_moves {
        found.extend(compare_boards(played, wanted));
    }
    // With several boards the record of each stands in `dev_moves`.
    if let (None, Some(venue)) = (&expect.dev_moves, played.seats.values().next()) {
        let record = Record::of(venue);
        found.extend(compare_record(expect, &record));
        found.extend(compare_end(expect, venue));
        found.extend(compare_published(expect, venue));
    }
    found.extend(compare_said(expect, played));
    found
}

/// The record of the game as it stands in the end.
struct Record {
    /// The completed moves, and the one that was made and is not completed.
    moves: Vec<String>,
    completed: usize,
    irregular: Vec<String>,
    inferred: Vec<String>,
}

impl Record {
    fn of(venue: &Venue) -> Self {
        let game = venue.table.game();
        let uci = |p: &crate::table::Ply| p.uci(game.mode());
        let plies = game.plies();
        let mut moves: Vec<String> = plies.iter().map(uci).collect();
        let completed = moves.len();
        moves.extend(made(venue));
        Self {
            moves,
            completed,
            irregular: plies.iter().filter(|p| p.is_irregular()).map(uci).collect(),
            inferred: plies.iter().filter(|p| p.inferred).map(uci).collect(),
        }
    }
}

/// The move that stands on the board and is not completed.
fn made(venue: &Venue) -> Option<String> {
    let game = venue.table.game();
    let on_board = venue.table.standing_on_board().placement();
    let standing = game.standing();
    if on_board == standing.placement() {
        return None;
    }
    let legal = standing.legal_moves();
    let m = legal.iter().find(|&&m| standing.play(m, game.mode()).placement() == on_board)?;
    Some(m.to_uci(game.mode()).to_string())
}

fn words(list: &[String]) -> String {
    format!("[{}]", list.join(" "))
}

fn compare_record(expect: &Expect, record: &Record) -> Vec<Difference> {
    let mut found = Vec::new();
    let tail = record.moves.strip_prefix(expect.moves.as_slice());
    if !tail.is_some_and(|tail| expect.optional_tail.starts_with(tail)) {
        let optional = if expect.optional_tail.is_empty() {
            String::new()
        } else {
            format!(", maybe with {}", words(&expect.optional_tail))
        };
        let wanted = format!("{}{optional}", words(&expect.moves));
        found.push(Difference::new("moves", words(&record.moves), wanted));
    }
    if record.irregular != expect.irregular {
        found.push(Difference::new("irregular", words(&record.irregular), words(&expect.irregular)));
    }
    if expect.inferred.iter().any(|m| !record.inferred.contains(m)) {
        found.push(Difference::new("inferred", words(&record.inferred), words(&expect.inferred)));
    }
    // `completed` counts moves of `moves`: what may follow them does not matter.
    let completed = record.completed.min(expect.moves.len());
    if let Some(wanted) = expect.completed.filter(|&wanted| wanted != completed) {
        found.push(Difference::new("completed", completed.to_string(), wanted.to_string()));
    }
    found
}

fn compare_end(expect: &Expect, venue: &Venue) -> Vec<Difference> {
    let mut found = Vec::new();
    let result = result(venue).pgn();
    let results = results(venue);
    if let Some(wanted) = expect.games.filter(|&wanted| wanted != results.len()) {
        found.push(Difference::new("games", results.len().to_string(), wanted.to_string()));
    }
    if let Some(wanted) = expect.results.as_ref().filter(|wanted| **wanted != results) {
        found.push(Difference::new("results", words(&results), words(wanted)));
    }
    if let Some(wanted) = expect.result.as_ref().filter(|wanted| *wanted != result) {
        found.push(Difference::new("result", result, wanted.clone()));
    }
    if let Some(wanted) = &expect.reason {
        let reasons = reasons(venue);
        if !reasons.contains(&wanted.as_str()) {
            let reason = if reasons.is_empty() { "none".to_owned() } else { reasons.join(" or ") };
            found.push(Difference::new("reason", reason, wanted.clone()));
        }
    }
    if let Some(wanted) = &expect.clock {
        found.extend(compare_clock(wanted, venue));
    }
    if expect.orientation.is_some() && !has_notice(venue, NoticeKind::OrientationRotated) {
        found.push(Difference::new("orientation", "not rotated", "rotated"));
    }
    let matches = board(venue) == Some(venue.table.standing_on_board().placement());
    if matches != expect.board_matches {
        found.push(Difference::new("board_matches", matches.to_string(), expect.board_matches.to_string()));
    }
    found
}

/// The result of the last game. One that the players have shown is it for the cases; the service proposes it
/// to the arbiter, and nobody has decided yet.
fn result(venue: &Venue) -> GameResult {
    let stands = venue.table.game().result;
    let shown = venue.rulings.iter().rev().find(|r| {
        let number = r.what.seq;
        r.what.kind == RulingKind::BoardSignal
            && venue.table.check(&Command::Confirm { ruling: number }).is_ok()
    });
    match shown {
        Some(shown) if stands == GameResult::Open => shown.what.consequence.result,
        _ => stands,
    }
}

/// The results of all games that were played at the table, in their order.
fn results(venue: &Venue) -> Vec<String> {
    let before = venue.views.iter().filter_map(|v| match &v.what {
        View::Begun { before, .. } => Some(*before),
        _ => None,
    });
    before.chain([result(venue)]).map(|r| r.pgn().to_owned()).collect()
}

/// What the service says of the result: the ruling that gave it.
fn reasons(venue: &Venue) -> Vec<&'static str> {
    let result = result(venue);
    let gave = venue.rulings.iter().rev().find(|r| r.what.consequence.result == result);
    match gave {
        Some(ruling) if result != GameResult::Open => {
            ruling.what.kind.other_words().map_or_else(Vec::new, |w| w.reasons.to_vec())
        }
        _ => Vec::new(),
    }
}

fn compare_clock(expect: &ExpectedClock, venue: &Venue) -> Vec<Difference> {
    let mut found = Vec::new();
    let Some(clock) = venue.table.clock().view() else {
        return vec![Difference::new("clock", "not heard", "heard")];
    };
    for (field, shown, wanted) in
        [("white_ms", clock.white, expect.white_ms), ("black_ms", clock.black, expect.black_ms)]
    {
        if let Some(wanted) = wanted.filter(|&ms| shown.abs_diff(Duration::from_millis(ms)) > CLOCK_TOLERANCE)
        {
            found.push(Difference::new(
                format!("clock.{field}"),
                shown.as_millis().to_string(),
                wanted.to_string(),
            ));
        }
    }
    if let Some(wanted) = expect.running.filter(|wanted| wanted.colour() != clock.running) {
        found.push(Difference::new("clock.running", side(clock.running), side(wanted.colour())));
    }
    found
}

/// What stands on the board, as the players see it.
fn board(venue: &Venue) -> Option<arbiterd_board::Placement> {
    venue.views.iter().rev().find_map(|v| match &v.what {
        View::Placement(placement) => Some(*placement),
        _ => None,
    })
}

fn has_notice(venue: &Venue, kind: NoticeKind) -> bool {
    venue.notices.iter().any(|n| n.what.kind == kind)
}

/// What was published of moves and results, whatever became of it later.
fn compare_published(expect: &Expect, venue: &Venue) -> Vec<Difference> {
    let mut found = Vec::new();
    let published: Vec<String> = venue
        .views
        .iter()
        .filter_map(|v| match &v.what {
            View::Moved(m) => Some(format!("move:{}", m.uci)),
            View::Result(r) => Some(format!("result:{}", r.pgn())),
            _ => None,
        })
        .collect();
    for never in &expect.never {
        if published.contains(&format!("move:{never}")) {
            found.push(Difference::new("never", format!("{never} published"), "not published"));
        }
    }
    let mut rest = published.iter();
    if let Some(missing) = expect.order.iter().find(|wanted| !rest.any(|p| p == *wanted)) {
        let wanted = format!("{} ({missing} is missing there)", words(&expect.order));
        found.push(Difference::new("order", words(&published), wanted));
    }
    found
}

fn compare_boards(played: &Played, wanted: &[String]) -> Vec<Difference> {
    let mut found = Vec::new();
    let named = wanted.iter().filter_map(|w| w.split_once(':')).map(|(dev, _)| dev);
    let devs: BTreeSet<&str> = played.seats.keys().map(String::as_str).chain(named).collect();
    for dev in devs {
        let moves: Vec<String> = played.seats.get(dev).map(|v| Record::of(v).moves).unwrap_or_default();
        let of_dev = |w: &String| Some(w.split_once(':').filter(|(d, _)| *d == dev)?.1.to_owned());
        let expected: Vec<String> = wanted.iter().filter_map(of_dev).collect();
        if moves != expected {
            found.push(Difference::new(format!("dev_moves of {dev:?}"), words(&moves), words(&expected)));
        }
    }
    found
}

/// A ruling or a notice in the words of the cases.
struct Utterance<'v> {
    at: Mono,
    number: usize,
    dev: &'v str,
    /// What it is called to whoever wrote the case.
    told: String,
    words: &'static [&'static str],
    /// Whether it is a ruling for the cases.
    ruling: bool,
    by: Option<Colour>,
    squares: BTreeSet<Square>,
    consequence: Option<&'v Consequence>,
}

fn utterances(played: &Played) -> Vec<Utterance<'_>> {
    let mut all = Vec::new();
    for (dev, venue) in &played.seats {
        all.extend(venue.rulings.iter().filter_map(|said| {
            let words = said.what.kind.other_words()?;
            Some(Utterance {
                at: said.at,
                number: said.number,
                dev,
                told: told_of(&said.what, words.cases),
                words: words.cases,
                ruling: words.case_ruling,
                by: said.what.offender,
                squares: BTreeSet::new(),
                consequence: Some(&said.what.consequence),
            })
        }));
        all.extend(venue.notices.iter().map(|said| Utterance {
            at: said.at,
            number: said.number,
            dev,
            told: in_words(said.what.kind.case_words(), notice_word(&said.what)),
            words: said.what.kind.case_words(),
            ruling: false,
            by: said.what.side,
            squares: said.what.squares.iter().copied().collect(),
            consequence: None,
        }));
    }
    all.sort_by_key(|u| (u.at, u.number));
    all
}

/// The words of the cases, if there are any, and ours where it says more.
fn in_words(words: &[&str], ours: String) -> String {
    if words.is_empty() || words.contains(&ours.as_str()) {
        ours
    } else {
        format!("{} ({ours})", words.join(" or "))
    }
}

fn told_of(ruling: &Ruling, words: &[&str]) -> String {
    let kind = in_words(words, ruling.kind.word().to_owned());
    let against = ruling.offender.map(|c| format!(" against {}", side(Some(c)))).unwrap_or_default();
    format!("{kind}{against} ({})", ruling.articles.join(" "))
}

impl Utterance<'_> {
    fn is(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    fn meets(&self, wanted: &ExpectedRuling) -> bool {
        self.is(&wanted.kind) || wanted.alternatives.iter().any(|w| self.is(w))
    }

    fn at_ms(&self) -> u64 {
        u64::try_from(self.at.since(BEGIN).as_millis()).unwrap_or(u64::MAX)
    }

    /// In which fields it is not what was expected.
    fn differs(&self, wanted: &ExpectedRuling, field: &str) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut differs = |what: &str, is: String, should: String| {
            found.push(Difference::new(format!("{field}.{what}"), is, should));
        };
        if let Some(by) = wanted.by.filter(|&by| !is_side(by, self.by)) {
            differs("by", side(self.by), side(by.colour()));
        }
        let none = Consequence::default();
        let consequence = self.consequence.unwrap_or(&none);
        for (what, added, should) in [
            ("add_white_ms", consequence.add_white, wanted.add_white_ms),
            ("add_black_ms", consequence.add_black, wanted.add_black_ms),
        ] {
            if let Some(should) = should.filter(|&ms| added != Duration::from_millis(ms)) {
                differs(what, added.as_millis().to_string(), should.to_string());
            }
        }
        if let Some(required) = &wanted.required {
            let is: BTreeSet<String> = consequence.required_moves.iter().cloned().collect();
            if is != *required {
                differs("required", format!("{is:?}"), format!("{required:?}"));
            }
        }
        if let Some(squares) = wanted.squares.as_ref().filter(|s| *s.get_ref() != self.squares) {
            differs("squares", format!("{:?}", self.squares), format!("{:?}", squares.get_ref()));
        }
        if let Some(dev) = wanted.dev.as_ref().filter(|dev| *dev != self.dev) {
            differs("dev", self.dev.to_owned(), dev.clone());
        }
        if let Some(after) = wanted.after_ms.filter(|&after| self.at_ms() < after) {
            differs("after_ms", format!("{} ms", self.at_ms()), format!("not before {after} ms"));
        }
        if let Some(before) = wanted.before_ms.filter(|&before| self.at_ms() > before) {
            differs("before_ms", format!("{} ms", self.at_ms()), format!("not after {before} ms"));
        }
        found
    }
}

const fn is_side(wanted: Who, found: Option<Colour>) -> bool {
    matches!(
        (wanted.colour(), found),
        (None, None)
            | (Some(Colour::White), Some(Colour::White))
            | (Some(Colour::Black), Some(Colour::Black))
    )
}

/// The word in the file.
pub fn side(c: Option<Colour>) -> String {
    match c {
        Some(Colour::White) => "white",
        Some(Colour::Black) => "black",
        None => "none",
    }
    .to_owned()
}

/// Each expected ruling and notice once and in order, nothing forbidden, and no other ruling.
fn compare_said(expect: &Expect, played: &Played) -> Vec<Difference> {
    let all = utterances(played);
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut from = 0;
    let mut found = Vec::new();
    for (number, wanted) in expect.ruling.iter().enumerate() {
        let wanted = wanted.get_ref();
        let field = format!("ruling {} ({})", number + 1, wanted.kind);
        let candidates = || all.iter().enumerate().skip(from).filter(|(_, u)| u.meets(wanted));
        // Of several the one that is right; else the first tells what is wrong.
        let right = candidates().find(|(_, u)| u.differs(wanted, &field).is_empty());
        match right.or_else(|| candidates().next()) {
            Some((index, utterance)) => {
                found.extend(utterance.differs(wanted, &field));
                taken.insert(index);
                from = index + 1;
            }
            None => found.push(Difference::new(field, format!("missing ({})", given(&all)), "there")),
        }
    }
    for (index, utterance) in all.iter().enumerate() {
        let at = format!("{} at {} ms", utterance.told, utterance.at_ms());
        if utterance.words.iter().any(|w| expect.forbid.contains(*w)) {
            found.push(Difference::new("forbid", at, "nothing of the kind"));
        } else if utterance.ruling && !taken.contains(&index) && !allowed(expect, utterance) {
            found.push(Difference::new("ruling", at, "no other"));
        }
    }
    found
}

fn allowed(expect: &Expect, utterance: &Utterance<'_>) -> bool {
    let ends = expect.result.as_deref().is_some_and(|r| r != "*");
    utterance.words.iter().any(|w| expect.allow.contains(*w) || (*w == "game-over" && ends))
}

/// What was said instead, for people.
fn given(all: &[Utterance<'_>]) -> String {
    if all.is_empty() {
        return "there is nothing".to_owned();
    }
    let each: Vec<_> = all.iter().map(|u| format!("{} at {} ms", u.told, u.at_ms())).collect();
    format!("there are {}", each.join(", "))
}
