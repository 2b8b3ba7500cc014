// SPDX-License-Identifier: GPL-3.0-or-later
//! `tests/cases/README.md` says of cases and scenarios what is so: its tables and lists are those of the
//! code, and its examples pass.

use std::path::Path;

use super::check_case::CLAIMS;
use super::keys::{self, Key};
use super::*;
use crate::laws::kinds::{CASE_REASONS, CASE_WORDS, SCENARIO_WORDS};
use crate::laws::rulebook::Library;

const README: &str = include_str!("../../tests/cases/README.md");

/// What stands under a heading, up to the next.
fn section(heading: &str) -> &'static str {
    let (_, rest) = README.split_once(&format!("\n{heading}\n\n")).expect(heading);
    rest.split("\n#").next().unwrap_or_default()
}

fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The cells of the first table in a text.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn the_tables_are_those_of_the_code() {
    for (heading, keys) in [
        ("## File", keys::CASE),
        ("### `[setup]`", keys::SETUP),
        ("## Observations", keys::EVERY_OBSERVATION),
        ("### `[expect]`", keys::EXPECT),
        ("### `[expect.clock]`", keys::EXPECTED_CLOCK),
        ("### `[[expect.ruling]]`", keys::EXPECTED_RULING),
        ("### File of scenarios", keys::SCENARIOS),
        ("### `clock`", keys::SCENARIO_CLOCK),
        ("### `events`", keys::EVERY_EVENT),
        ("### `[scenario.expect]`", keys::SCENARIO_EXPECT),
    ] {
        let told: Vec<_> =
            rows(section(heading)).iter().map(|row| format!("{} {}", row[0], row[1])).collect();
        let otherwise = |key: &Key| key.otherwise.unwrap_or("required");
        let known: Vec<_> = keys.iter().map(|key| format!("`{}` {}", key.name, otherwise(key))).collect();
        assert_eq!(told, known, "{heading}");
    }
    // What people alone read has no line of its own there.
    let told: Vec<_> = rows(section("### `[[scenario]]`")).iter().flat_map(|row| quoted(row[0])).collect();
    let known: Vec<_> = keys::SCENARIO.iter().map(|key| key.name).collect();
    assert_eq!(told, known);
}

#[test]
fn the_kinds_are_those_of_the_code() {
    for (heading, kinds) in [("## Observations", keys::OBSERVATIONS), ("### `events`", keys::EVENTS)] {
        let (_, after) = section(heading).split_once("the keys of its kind").expect(heading);
        let told: Vec<_> = rows(after).iter().map(|row| row[..3].concat()).collect();
        let list = |keys: &[Key], required: bool| {
            let named = keys.iter().filter(|key| key.is_required() == required);
            named.map(|key| format!("`{}`", key.name)).collect::<Vec<_>>().join(", ")
        };
        let row =
            |(kind, keys): &(&str, &[Key])| format!("`{kind}`{}{}", list(keys, true), list(keys, false));
        let known: Vec<_> = kinds.iter().map(row).collect();
        assert_eq!(told, known, "{heading}");
    }
}

#[test]
fn the_words_are_those_of_the_code() {
    for (heading, words) in [
        ("### Claims", CLAIMS),
        ("### Rulings and notices of cases", CASE_WORDS),
        ("### Reasons of results", CASE_REASONS),
        ("### Rulings of scenarios", SCENARIO_WORDS),
    ] {
        let list = section(heading).split("\n\n").next().unwrap_or_default();
        assert_eq!(quoted(list), words, "{heading}");
    }
}

#[test]
fn the_kinds_of_what_is_said_are_those_of_the_code() {
    let example =
        README.split("```toml\n").last().and_then(|rest| rest.split("```").next()).unwrap_or_default();
    let wrong = example.replace("kind = \"illegal\"", "kind = \"x\"");
    let errors = read(Path::new("README.md"), &wrong).expect_err("no kind is called x");
    let list = section("### Kinds of what is said").split("\n\n").next().unwrap_or_default();
    assert_eq!(quoted(&errors[0].what)[1..], quoted(list), "{errors:?}");
}

#[test]
fn the_examples_pass() {
    let books = Books::Named(with_supervised(&Library::embedded().unwrap()).unwrap());
    let examples = README.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    let mut passed = Vec::new();
    for example in examples {
        let outcomes = match read(Path::new("README.md"), example) {
            Ok(Document::Case(case)) => vec![run_case(&case, &books, &[])],
            Ok(Document::Scenarios(all)) => all.iter().map(|s| run_scenario(s, &books)).collect(),
            Err(errors) => panic!("{errors:?}"),
        };
        for outcome in outcomes {
            assert_eq!(
                (outcome.outcome, outcome.differences),
                (Verdict::Passed, Vec::new()),
                "{}",
                outcome.id
            );
            passed.push(outcome.id);
        }
    }
    assert_eq!(passed, ["pawn-three-squares", "claimed-in-time"]);
}
