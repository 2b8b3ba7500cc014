// SPDX-License-Identifier: GPL-3.0-or-later
//! Whether a file has the keys that it needs and no others: all of its mistakes at once, before
//! any value is looked at.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, Key};
use super::read::Source;
use crate::document::did_you_mean;

type Inner<'t> = (&'t DeTable<'t>, Range<usize>);

/// Tells all that a case lacks or has too much.
pub fn check_case(source: &mut Source<'_>, root: &DeTable<'_>) {
    check(source, (root, 0..0), "a case", keys::CASE);
    check_id(source, root);
    for setup in tables(source, root, "setup") {
        check(source, setup, "[setup]", keys::SETUP);
    }
    for observation in tables(source, root, "obs") {
        check_kind(source, observation, "observation", "kind", keys::EVERY_OBSERVATION, keys::OBSERVATIONS);
    }
    for (expect, span) in tables(source, root, "expect") {
        check(source, (expect, span), "[expect]", keys::EXPECT);
        for clock in tables(source, expect, "clock") {
            check(source, clock, "[expect.clock]", keys::EXPECTED_CLOCK);
        }
        for ruling in tables(source, expect, "ruling") {
            check(source, ruling, "[[expect.ruling]]", keys::EXPECTED_RULING);
        }
    }
}

/// The same of scenarios.
pub fn check_scenarios(source: &mut Source<'_>, root: &DeTable<'_>) {
    check(source, (root, 0..0), "a file of scenarios", keys::SCENARIOS);
    for (scenario, span) in tables(source, root, "scenario") {
        check(source, (scenario, span), "[[scenario]]", keys::SCENARIO);
        check_id(source, scenario);
        for clock in tables(source, scenario, "clock") {
            check(source, clock, "the clock of a scenario", keys::SCENARIO_CLOCK);
        }
        for event in tables(source, scenario, "events") {
            check_kind(source, event, "event", "ev", keys::EVERY_EVENT, keys::EVENTS);
        }
        for expect in tables(source, scenario, "expect") {
            check(source, expect, "[scenario.expect]", keys::SCENARIO_EXPECT);
        }
    }
}

/// Lines of output are found by their ids, and control characters would change what stands around them.
fn check_id(source: &mut Source<'_>, table: &DeTable<'_>) {
    let Some(value) = table.get("id") else { return };
    let Some(id) = value.get_ref().as_str() else { return };
    if id.trim().is_empty() {
        source.tell(value.span(), "id: a name is needed here, and it is empty");
    } else if id.contains(char::is_control) {
        source.tell(value.span(), format!("id: a name has no control characters, as {id:?} has"));
    }
}

/// The table of this name, or the tables of the array. What is neither is told.
fn tables<'t>(source: &mut Source<'_>, table: &'t DeTable<'t>, name: &str) -> Vec<Inner<'t>> {
    let Some(value) = table.get(name) else { return Vec::new() };
    let each: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
        DeValue::Array(values) => values.iter().collect(),
        _ => vec![value],
    };
    let mut inner = Vec::new();
    for value in each {
        match value.get_ref().as_table() {
            Some(table) => inner.push((table, value.span())),
            None => {
                let what = format!("{name} has to be {}, not {}", form_of(name), value.get_ref().type_str());
                source.tell(value.span(), what);
            }
        }
    }
    inner
}

/// How what is a table, or tables, is written.
fn form_of(name: &str) -> String {
    match name {
        "obs" | "ruling" | "scenario" => {
            format!("tables, [[{}{name}]]", if name == "ruling" { "expect." } else { "" })
        }
        "events" => "tables, one for each event".to_owned(),
        _ => "a table".to_owned(),
    }
}

fn check(source: &mut Source<'_>, (table, span): Inner<'_>, what: &str, keys: &[Key]) {
    for key in keys.iter().filter(|key| key.is_required() && !table.contains_key(key.name)) {
        source.tell(span.clone(), format!("{what} lacks {}", key.name));
    }
    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    for key in table.keys().filter(|key| !names.contains(&key.get_ref().as_ref())) {
        let unknown = key.get_ref();
        let meant = did_you_mean(unknown, names.iter().copied());
        let told = format!("unknown field `{unknown}`: {what} has {}{meant}", names.join(", "));
        source.tell(key.span(), told);
    }
}

/// A table whose keys are those of its kind.
fn check_kind(
    source: &mut Source<'_>,
    (table, span): Inner<'_>,
    what: &str,
    kind: &str,
    every: &[Key],
    kinds: &[(&str, &[Key])],
) {
    let Some(value) = table.get(kind) else {
        source.tell(span, format!("this {what} lacks {kind}"));
        return;
    };
    let word = value.get_ref().as_str().unwrap_or_default();
    let Some((_, keys)) = kinds.iter().find(|(name, _)| *name == word) else {
        let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
        let meant = did_you_mean(word, names.iter().copied());
        let told = format!("no {what} has the {kind} {word:?}: it is one of {}{meant}", names.join(", "));
        source.tell(value.span(), told);
        return;
    };
    let all = [every, keys].concat();
    check(source, (table, span), &format!("{} of the {kind} {word:?}", with_article(what)), &all);
}

fn with_article(noun: &str) -> String {
    format!("{} {noun}", if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
}
