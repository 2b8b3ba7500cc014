// SPDX-License-Identifier: GPL-3.0-or-later
//! Worked scenarios, played against a table in virtual time.
//!
//! `scenarios.toml` beside this file says what happens and what must come of it; its schema is at
//! its top. Scenarios enter with stamps of no width: how a slow board blurs them is tested
//! elsewhere.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

mod scenario;
mod stage;

use arbiterd::laws::kinds::OTHER_WORDS;
use arbiterd::laws::rulebook::Library;
use arbiterd::laws::{Authority, Certainty};
use arbiterd_board::Colour;
use scenario::Scenario;
use stage::{Lags, Stage};

const SCENARIOS: &str = include_str!("scenarios.toml");

/// Families of articles that rulings do not cite yet: which clause of Article 3 a move broke, and
/// rules on draws that stand beside a mate.
const FAMILIES_NOT_CITED: [&str; 4] = ["3.", "1.4.1", "4.4.3", "9.6"];

/// Articles that a ruling could name beside its own and does not yet: why a mate is none, why an
/// old irregularity or a later flag does not matter.
const NOT_CITED: [(&str, &str); 4] = [("N05", "5.1.1"), ("N10", "A.4.2"), ("N10", "A.5.2"), ("J09", "6.9")];

#[test]
fn every_worked_scenario_is_ruled_as_expected() {
    play_all(Lags::NONE, &[]);
}

/// The same through a board that lags 0.4 s and a clock that lags 1 s: nothing is ruled otherwise
/// than with exact times, except where the times decide and cannot be known any more.
#[test]
fn a_slow_board_and_clock_change_no_ruling_unless_the_order_decides() {
    play_all(Lags::DGT, &ORDER_DECIDES);
}

/// Scenarios in which slow stamps leave open what exact ones show. E03: whose hand took the pawn
/// off, the mover's before his press or the opponent's after it (only the article on the touch
/// depends on it).
const ORDER_DECIDES: [&str; 1] = ["E03"];

fn play_all(lags: Lags, but: &[&str]) {
    let library = Library::embedded().unwrap();
    let known: Vec<_> = library.ids().map(str::to_owned).collect();
    let mut failures = Vec::new();
    let mut played = 0;
    for scenario in Scenario::parse(SCENARIOS) {
        let books: Vec<_> = scenario.rulebooks.iter().filter(|id| known.contains(id)).collect();
        assert!(!books.is_empty(), "{}: none of its rulebooks is known", scenario.id);
        if but.contains(&scenario.id.as_str()) {
            continue;
        }
        for id in books {
            played += 1;
            let mut stage = Stage::new(&scenario, library.get(id).unwrap(), lags);
            stage.play(&scenario);
            for wrong in differences(&stage, &scenario, id) {
                failures.push(format!("{} under {id}: {wrong}", scenario.id));
            }
        }
    }
    assert!(played >= 100, "only {played} scenarios were played");
    assert!(failures.is_empty(), "{} of {played}:\n{}", failures.len(), failures.join("\n"));
}

/// Everything in which the outcome differs from the expectation.
fn differences(stage: &Stage, scenario: &Scenario, rulebook: &str) -> Vec<String> {
    let expect = &scenario.expect;
    let mut wrong = Vec::new();
    let mut compare = |what: &str, found: String, wanted: String| {
        if found != wanted {
            wrong.push(format!("{what} is {found}, should be {wanted}"));
        }
    };
    // What is proposed has no effect yet: its own words count.
    let proposed = stage.rulings.last().filter(|r| r.authority == Authority::Proposed);
    let position = proposed.and_then(|r| r.consequence.restore.clone()).unwrap_or_else(|| stage.fen());
    compare("position", position, expect.fen.clone());
    let result = proposed.map_or_else(|| stage.result(), |r| r.consequence.result.pgn());
    compare("result", result.to_owned(), expect.result.clone());
    if expect.ruling == "ok" || expect.ruling == "no-ruling" {
        compare("number of rulings", stage.rulings.len().to_string(), "0".to_owned());
        return wrong;
    }
    let Some(ruling) = stage.rulings.last() else {
        wrong.push(format!("no ruling, should be {}; notices {:?}", expect.ruling, stage.notices));
        return wrong;
    };
    // Earlier rulings may only be answers to other claims of the scenario.
    let earlier = stage.rulings.len() - 1;
    compare(
        "number of rulings",
        (earlier.min(1)).to_string(),
        usize::from(earlier > 0 && stage.claims > 1).to_string(),
    );
    if ruling.certainty == Certainty::Likely && ruling.authority != Authority::Proposed {
        wrong.push("what is only likely is given, not proposed".to_owned());
    }
    let words = OTHER_WORDS.iter().find(|w| w.kind == ruling.kind).unwrap();
    if !words.scenarios.contains(&expect.ruling.as_str()) {
        wrong.push(format!("ruling is {:?}, should be {}", ruling.kind, expect.ruling));
    }
    let c = &ruling.consequence;
    let mut compare = |what: &str, found: String, wanted: String| {
        if found != wanted {
            wrong.push(format!("{what} is {found}, should be {wanted}"));
        }
    };
    // An increment taken back is time less for the offender.
    let net = |side, add: std::time::Duration| {
        let back =
            if ruling.offender == Some(side) { c.take_back_increment } else { std::time::Duration::ZERO };
        (i128::try_from(add.as_millis()).unwrap() - i128::try_from(back.as_millis()).unwrap()).to_string()
    };
    compare("White's time", net(Colour::White, c.add_white), expect.add_w.to_string());
    compare("Black's time", net(Colour::Black, c.add_black), expect.add_b.to_string());
    if expect.counts {
        compare(
            "illegal moves",
            format!("{:?}", c.illegal_moves),
            format!("{:?}", [expect.illegal_w, expect.illegal_b]),
        );
    }
    if let Some(allowed) = &expect.allowed {
        compare("moves allowed", format!("{:?}", stage.allowed()), format!("{allowed:?}"));
    }
    if let Some(free) = &expect.free_touch {
        compare("free touches", format!("{:?}", c.free_touch), format!("[{}]", free.join(", ")));
    }
    let covered = |a: &&String| {
        !FAMILIES_NOT_CITED.iter().any(|family| a.starts_with(family))
            && !NOT_CITED.contains(&(scenario.id.as_str(), a.as_str()))
    };
    for article in expect.articles(rulebook).iter().filter(covered) {
        if !ruling.articles.contains(article) {
            wrong.push(format!("cites {:?}, should cite {article}", ruling.articles));
        }
    }
    if let Some(fact) = stage.fact_of_event(expect.rule_at)
        && !ruling.evidence.contains(&fact)
    {
        wrong.push(format!(
            "rests on {:?}, should rest on {fact} (event {})",
            ruling.evidence, expect.rule_at
        ));
    }
    wrong
}
