// SPDX-License-Identifier: GPL-3.0-or-later
//! Worked scenarios, played against a table in virtual time.
//!
//! `scenarios.toml` beside this file says what happens and what must come of it; its schema is at
//! its top. They are played and compared as `arbiterctl rehearse` does it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

use std::path::Path;

use arbiterd::laws::rulebook::Library;
use arbiterd::rehearse::{Difference, Document, Lags, Scenario, Stage, differences, read};

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
    for scenario in scenarios() {
        let books: Vec<_> = scenario.rulebooks.iter().filter(|id| known.contains(id)).collect();
        assert!(!books.is_empty(), "{}: none of its rulebooks is known", scenario.id);
        if but.contains(&scenario.id.as_str()) {
            continue;
        }
        for id in books {
            played += 1;
            let mut stage = Stage::new(&scenario, library.get(id).unwrap(), lags).unwrap();
            stage.play(&scenario).unwrap();
            let wrong = differences(&stage, &scenario, id);
            for wrong in wrong.into_iter().filter(|d| !is_not_cited(d, &scenario.id)) {
                failures.push(format!("{} under {id}: {wrong}", scenario.id));
            }
        }
    }
    assert!(played >= 100, "only {played} scenarios were played");
    assert!(failures.is_empty(), "{} of {played}:\n{}", failures.len(), failures.join("\n"));
}

fn scenarios() -> Vec<Scenario> {
    match read(Path::new("scenarios.toml"), SCENARIOS) {
        Ok(Document::Scenarios(scenarios)) => scenarios,
        other => panic!("{other:?}"),
    }
}

/// An article that is not cited yet. Every other difference is a failure.
fn is_not_cited(difference: &Difference, scenario: &str) -> bool {
    let article = difference.wanted.as_str();
    difference.field == "articles"
        && (FAMILIES_NOT_CITED.iter().any(|family| article.starts_with(family))
            || NOT_CITED.contains(&(scenario, article)))
}
