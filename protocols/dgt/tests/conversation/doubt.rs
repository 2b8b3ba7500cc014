// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one frame says may be damage: a lever, a flag or a jump is believed when a second frame says
//! the same, and an answer that comes late is as old as its question may be.

use core::time::Duration;

use arbiterd_board::{ClockReport, ClockSide, Driver, Lever, Report, ReportBody, Stamp};

use crate::script::{EMPTY_DUMP, Script};
use crate::table::ms;

/// Left 1:29:58 and right 1:30:00, counting, right high: right to move.
const RIGHT_RUNS: &str = "8d 00 0a 01 30 00 01 29 58 0b";
/// The same a second later.
const GOES_ON: &str = "8d 00 0a 01 29 59 01 29 58 0b";
/// The same with the lever bit flipped.
const LEVER_FLIPPED: &str = "8d 00 0a 01 29 59 01 29 58 09";
/// A stray frame: nothing on the clock, and counting.
const ALL_ZERO: &str = "8d 00 0a 00 00 00 00 00 00 11";
/// Left is shown with a flag, fallen, and with all its time.
const FLAGGED: &str = "8d 00 0a 01 29 59 51 29 58 0b";

fn counting() -> Script {
    let mut script = Script::dgt_3000();
    script.hear_twice(RIGHT_RUNS);
    script.reports.clear();
    script.run_until(script.now + 900);
    script
}

fn readings(script: &Script) -> Vec<(Stamp, Lever)> {
    let reading = |report: &Report| match &report.body {
        ReportBody::Clock(ClockReport::Reading(reading)) => Some((report.at, reading.lever)),
        _ => None,
    };
    script.reports.iter().filter_map(reading).collect()
}

#[test]
fn what_one_frame_says_and_the_next_does_not_is_kept_and_not_believed() {
    for damaged in [LEVER_FLIPPED, ALL_ZERO, FLAGGED, "8d 00 0a 01 29 59 01 29 58 0a"] {
        let mut script = counting();
        script.hear(damaged);
        assert!(matches!(script.last_clock(), ClockReport::Unsettled(_)), "{damaged}");
        assert_eq!(script.times_said("41").last(), Some(&script.now), "asked at once");
        script.hear(GOES_ON);
        let told = readings(&script);
        assert_eq!(
            told.iter().map(|(_, lever)| *lever).collect::<Vec<_>>(),
            [Lever::Pressed(ClockSide::Left)]
        );
        assert_eq!(script.times_said("4b").len(), Script::dgt_3000().times_said("4b").len(), "{damaged}");
    }
}

#[test]
fn a_press_is_told_with_the_stamp_of_the_frame_that_told_it_first() {
    let mut script = counting();
    let pressed = script.now;
    script.hear(LEVER_FLIPPED);
    script.run_until(pressed + 30);
    script.hear(LEVER_FLIPPED);
    let lag = Duration::from_secs(1);
    let first = Stamp::received(ms(pressed), lag);
    let second = Stamp::received(ms(pressed + 30), lag);
    assert_eq!(
        readings(&script),
        [(first, Lever::Pressed(ClockSide::Right)), (second, Lever::Pressed(ClockSide::Right))]
    );
}

#[test]
fn different_damage_twice_is_not_believed_either() {
    let mut script = counting();
    script.hear(LEVER_FLIPPED);
    script.hear(ALL_ZERO);
    script.hear(FLAGGED);
    assert_eq!(readings(&script), []);
    script.hear(GOES_ON);
    assert_eq!(readings(&script).len(), 1);
}

#[test]
fn a_clock_that_counts_up_is_believed() {
    let mut script = counting();
    for second in 1..5 {
        script.hear(&format!("8d 00 0a 01 30 0{second} 01 29 58 0b"));
    }
    assert_eq!(readings(&script).len(), 4);
}

#[test]
fn a_dump_that_comes_late_is_as_old_as_the_question_that_was_given_up() {
    let mut script = Script::dgt_3000();
    script.hear("8e 00 05 34 00");
    let asked = next_look(&mut script);
    // It is asked again after a second; the answer to the first question comes then.
    assert_eq!(next_look(&mut script), asked + 1000);
    script.now += 200;
    let before = stamps(&script).len();
    script.hear(&format!("{EMPTY_DUMP} {}", "00 ".repeat(64)));
    assert_eq!(stamps(&script).len(), before + 1);
    assert_eq!(stamps(&script).last().unwrap().earliest, ms(asked));
}

#[test]
fn a_dump_that_was_lost_makes_no_later_one_old_for_ever() {
    let mut script = Script::dgt_3000();
    script.hear("8e 00 05 34 00");
    let lost = next_look(&mut script);
    let second = next_look(&mut script);
    assert_eq!(second, lost + 1000);
    script.hear(&format!("{EMPTY_DUMP} {}", "00 ".repeat(64)));
    assert_eq!(stamps(&script).last().unwrap().earliest, ms(lost), "it may be the answer to either");
    // Five seconds of quiet later the board is asked again, and answers at once.
    script.run_until(script.now + 6000);
    let lag = script.driver.capabilities(arbiterd_board::Channel(0)).board_lag;
    let last = *stamps(&script).last().unwrap();
    assert!(last.latest >= ms(second + 5000), "{last:?}");
    assert_eq!(last, Stamp::received(last.latest, lag));
}

#[test]
fn a_clock_that_never_says_the_same_twice_is_not_asked_without_end() {
    let mut script = counting();
    script.hear(ALL_ZERO);
    let asked = |script: &Script| script.times_said("41").len();
    let (before, mut answered) = (asked(&script), 0);
    for _ in 0..200 {
        while before + answered <= asked(&script) {
            script.hear(if answered % 2 == 0 { FLAGGED } else { ALL_ZERO });
            answered += 1;
        }
        script.run_until(script.now + 10);
    }
    assert!((5..=10).contains(&answered), "{answered} questions in two seconds");
    assert_eq!(readings(&script), []);
}

fn stamps(script: &Script) -> Vec<Stamp> {
    let board = |r: &&Report| matches!(r.body, ReportBody::Board { .. });
    script.reports.iter().filter(board).map(|r| r.at).collect()
}

/// Lets time pass, with nothing answered, until the board is asked for once more.
fn next_look(script: &mut Script) -> u64 {
    let before = script.times_said("42").len();
    while script.times_said("42").len() == before {
        let due = script.driver.poll_timeout().unwrap();
        script.now = (due.as_micros() / 1000).max(script.now);
        script.driver.handle_timeout(ms(script.now));
        script.drain();
    }
    script.now
}

/// One bit says that the clock is gone; a press right after it is a press of a clock that never was.
#[test]
fn a_clock_that_one_message_says_is_gone_is_there() {
    const GONE: &str = "8d 00 0a 01 29 59 01 29 58 2b";
    let mut script = counting();
    script.hear(GONE);
    assert_eq!(script.times_said("41").last(), Some(&script.now), "asked at once");
    script.run_until(script.now + 30);
    script.hear_twice(LEVER_FLIPPED);
    let told: Vec<_> = readings(&script).into_iter().map(|(_, lever)| lever).collect();
    assert_eq!(told, [Lever::Pressed(ClockSide::Right); 2]);
    let absent = |script: &Script| {
        script.reports.iter().filter(|r| r.body == ReportBody::Clock(ClockReport::Absent)).count()
    };
    assert_eq!(absent(&script), 0);
    script.hear_twice(GONE);
    assert_eq!(absent(&script), 1);
}
