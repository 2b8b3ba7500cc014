// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a dump is told as confirmed: at rest, and when it says what was told before.

use arbiterd_board::{ReportBody, Request};

use crate::lag;
use crate::script::{EMPTY_DUMP, Script};

/// Dumps of an empty board, and with a black rook on a8.
fn dump(first: &str) -> String {
    format!("{EMPTY_DUMP} {first} {}", "00 ".repeat(63))
}

const EMPTY: &str = "00";
const ROOK: &str = "08";

/// Whether the last dump was confirmed.
fn confirmed(script: &Script) -> bool {
    let told = script.reports.iter().rev().find_map(|report| match report.body {
        ReportBody::Board { confirmed, .. } => Some(confirmed),
        _ => None,
    });
    told.unwrap()
}

/// A board at rest, the last look at it just answered.
fn at_rest() -> Script {
    let mut script = Script::dgt_3000();
    script.run_until(script.now + 1000);
    look(&mut script, EMPTY);
    assert!(confirmed(&script));
    script
}

/// Somebody asks for the board, which answers so.
fn look(script: &mut Script, first: &str) {
    script.order(Request::ReadBoard);
    script.hear(&dump(first));
}

/// When the driver looks next.
fn next_look(script: &mut Script) -> u64 {
    script.said.clear();
    script.wait_for("42");
    script.now
}

#[test]
fn the_first_dump_is_confirmed_by_a_second_one() {
    let script = Script::dgt_3000();
    let confirmed = script.reports.iter().filter_map(|report| match report.body {
        ReportBody::Board { confirmed, .. } => Some(confirmed),
        _ => None,
    });
    assert_eq!(confirmed.collect::<Vec<_>>(), [false, true]);
    let asked = script.times_said("42");
    assert_eq!(asked[1] - asked[0], 300);
}

#[test]
fn a_dump_that_shows_what_no_update_told_waits_for_a_second_that_says_the_same() {
    let mut script = at_rest();
    script.run_until(script.now + 2000);
    let seen = script.now;
    look(&mut script, ROOK);
    assert!(!confirmed(&script));
    // Asked for within the time in which a hand may still be over the board, it says too little.
    script.run_until(seen + 200);
    look(&mut script, ROOK);
    assert!(!confirmed(&script));
    assert_eq!(next_look(&mut script), seen + 300);
    script.hear(&dump(ROOK));
    assert!(confirmed(&script));
}

#[test]
fn dumps_that_contradict_each_other_confirm_nothing() {
    let mut script = at_rest();
    script.run_until(script.now + 2000);
    look(&mut script, ROOK);
    for first in [EMPTY, ROOK, EMPTY] {
        let before = script.now;
        assert_eq!(next_look(&mut script), before + 300);
        script.hear(&dump(first));
        assert!(!confirmed(&script));
    }
    next_look(&mut script);
    script.hear(&dump(EMPTY));
    assert!(confirmed(&script));
}

#[test]
fn a_dump_that_agrees_with_the_updates_is_confirmed_at_once() {
    let mut script = at_rest();
    script.run_until(script.now + 2000);
    script.hear("8e 00 05 00 08");
    let changed = script.now;
    assert_eq!(next_look(&mut script), changed + 300);
    script.hear(&dump(ROOK));
    assert!(confirmed(&script));
}

#[test]
fn a_dump_behind_something_long_confirms_nothing_while_changes_may_wait_behind_it() {
    let mut script = at_rest();
    lag::hear_slowly(&mut script, &lag::log());
    script.hear(&dump(EMPTY));
    assert!(!confirmed(&script), "it may answer a question from long before");
    let before = script.now;
    assert_eq!(next_look(&mut script), before + 300);
    script.hear(&dump(EMPTY));
    assert!(confirmed(&script));
}
