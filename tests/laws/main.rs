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
use arbiterd_board::Colour;
use scenario::Scenario;
use stage::Stage;

const SCENARIOS: &str = include_str!("scenarios.toml");

/// Families of articles that rulings do not cite yet: which clause of Article 3 a move broke, and
/// rules on draws that stand beside a mate.
const FAMILIES_NOT_CITED: [&str; 4] = ["3.", "1.4.1", "4.4.3", "9.6"];

/// Articles that a ruling could name beside its own and does not yet: why a mate is none, why an
/// old irregularity or a later flag does not matter.
const NOT_CITED: [(&str, &str); 4] = [("N05", "5.1.1"), ("N10", "A.4.2"), ("N10", "A.5.2"), ("J09", "6.9")];

#[test]
fn every_worked_scenario_is_ruled_as_expected() {
    let library = Library::embedded().unwrap();
    let mut failures = Vec::new();
    let mut played = 0;
    for scenario in Scenario::parse(SCENARIOS) {
        for id in &scenario.rulebooks {
            let Some(rulebook) = library.get(id) else { continue };
            played += 1;
            let mut stage = Stage::new(&scenario, rulebook);
            stage.play(&scenario);
            for wrong in differences(&stage, &scenario, id) {
                failures.push(format!("{} under {id}: {wrong}", scenario.id));
            }
        }
    }
    assert!(played >= 60, "only {played} scenarios were played");
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
    compare("position", stage.fen(), expect.fen.clone());
    compare("result", stage.result().to_owned(), expect.result.clone());
    if expect.ruling == "ok" || expect.ruling == "no-ruling" {
        compare("number of rulings", stage.rulings.len().to_string(), "0".to_owned());
        return wrong;
    }
    let Some(ruling) = stage.rulings.last() else {
        wrong.push(format!("no ruling, should be {}; notices {:?}", expect.ruling, stage.notices));
        return wrong;
    };
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
