// SPDX-License-Identifier: MIT OR Apache-2.0
//! Orders that wait until they make no sense any more, and answers that nothing else waits for.

use core::time::Duration;

use arbiterd_board::{AckOutcome, ClockControl, ClockReport, ClockSide, ReportBody, Request, RequestId, Run};
use arbiterd_dgt::Transport;

use crate::lag;
use crate::script::{DGT_3000, Script};
use crate::table::{ms, sq};

const PAUSED: [u8; 10] = [0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x29, 0x58, 0x10];

fn text(text: &str) -> Request {
    Request::ShowText { text: text.to_owned(), beep: Duration::ZERO }
}

fn set_running() -> Request {
    Request::SetClock {
        left: Duration::from_secs(5518),
        right: Duration::from_secs(5400),
        run: Run::Side(ClockSide::Left),
    }
}

/// How a request ended, and how long after `since`.
fn ended(script: &Script, since: u64, wanted: RequestId) -> (AckOutcome, u64) {
    let end = script.reports.iter().find_map(|report| match report.body {
        ReportBody::Ack { request, outcome } if request == wanted => Some((outcome, report.at.latest)),
        _ => None,
    });
    let (outcome, at) = end.unwrap();
    (outcome, at.since(ms(since)).as_millis().try_into().unwrap())
}

#[test]
fn orders_that_cannot_be_sent_in_time_are_told_as_too_late_and_never_sent() {
    let mut script = Script::running(Transport::Wired, "3.25000000", DGT_3000);
    script.run_until(script.now + 1000);
    let now = script.now;
    // The board answers no look, and times go on arriving.
    script.order(Request::ReadBoard);
    script.said.clear();
    let orders = [
        (set_running(), 1000),
        (Request::Beep(Duration::from_millis(250)), 3000),
        (text("hello"), 10_000),
        (Request::ShowTimes, 10_000),
        (Request::Light(vec![sq("e2")]), 10_000),
    ];
    let asked = orders.map(|(order, life)| (script.order(order), life));
    lag::hear_slowly(&mut script, &PAUSED.repeat(1000));
    for (id, life) in asked {
        assert_eq!(ended(&script, now, id), (AckOutcome::TooLate, life));
    }
    assert!(script.said.iter().all(|(_, said)| said == "42"), "{:?}", script.said);
    assert!(matches!(script.last_clock(), ClockReport::Reading(_)), "the clock was not set");
    assert_eq!(script.clock_control(), ClockControl::ReadOnly);
}

#[test]
fn behind_a_clock_that_is_silent_orders_wait_so_long_and_no_longer() {
    let mut script = Script::dgt_3000();
    script.run_until(script.now + 1000);
    let now = script.now;
    let [first, second, third] = ["a", "b", "c"].map(|letter| script.order(text(letter)));
    let beep = script.order(Request::Beep(Duration::from_millis(64)));
    script.run_until(now + 20_000);
    assert_eq!(ended(&script, now, beep), (AckOutcome::TooLate, 3000));
    assert_eq!(script.outcome(first), Some(AckOutcome::NoAnswer));
    // Sent within its ten seconds, and not sent again after them.
    assert_eq!(script.outcome(second), Some(AckOutcome::NoAnswer));
    assert_eq!(ended(&script, now, third), (AckOutcome::TooLate, 10_000));
    let last = script.said.iter().rfind(|(_, said)| said.starts_with("2b")).unwrap();
    assert!(last.0 < now + 10_000, "{last:?}");
}

#[test]
fn a_look_waits_for_no_clock() {
    let mut script = Script::dgt_3000();
    script.run_until(script.now + 1000);
    script.hear_twice("8d 00 0a 01 30 00 01 29 58 11");
    let heard = script.now;
    script.run_until(heard + 1400);
    script.hear("8e 00 05 34 00");
    script.run_until(heard + 1700);
    assert_eq!(script.times_said("41").last(), Some(&(heard + 1500)), "it counts and has fallen silent");
    assert_eq!(script.times_said("42").last(), Some(&(heard + 1700)));
    // It is not asked again while it may answer, and then it is.
    let asked = script.order(Request::ReadClock);
    script.run_until(heard + 2499);
    assert_eq!(script.times_said("41").last(), Some(&(heard + 1500)));
    script.run_until(heard + 2500);
    assert_eq!(script.times_said("41").last(), Some(&(heard + 2500)));
    script.hear("8d 00 0a 01 30 00 01 29 56 11");
    assert_eq!(script.outcome(asked), Some(AckOutcome::Accepted));
}

#[test]
fn a_look_waits_for_no_battery() {
    let mut script = Script::running(Transport::Bluetooth, "3000147740", DGT_3000);
    let due = script.times_said("4c")[0] + 60_000;
    script.run_until(due - 500);
    script.hear("8e 00 05 34 00");
    script.run_until(due + 100);
    assert_eq!(script.times_said("4c").last(), Some(&due));
    assert_eq!(script.times_said("42").last(), Some(&(due + 100)));
}

#[test]
fn lights_are_accepted_once_all_of_the_order_was_sent() {
    let mut script = Script::running(Transport::Wired, "3.25000000", DGT_3000);
    script.run_until(script.now + 1000);
    let now = script.now;
    let id = script.order(Request::Light(["e2", "e4", "h8"].map(sq).to_vec()));
    script.run_until(now + 199);
    assert_eq!(script.outcome(id), None);
    script.run_until(now + 200);
    assert_eq!(script.times_said("60 04 01 07 07 00"), [now + 200]);
    assert_eq!(ended(&script, now, id), (AckOutcome::Accepted, 200));
}

#[test]
fn lights_that_were_not_sent_are_given_up_with_the_board() {
    let mut script = Script::running(Transport::Wired, "3.25000000", DGT_3000);
    script.run_until(script.now + 1000);
    let id = script.order(Request::Light(["e2", "e4", "h8"].map(sq).to_vec()));
    arbiterd_board::Driver::reset(&mut script.driver, ms(script.now));
    script.drain();
    assert_eq!(script.outcome(id), Some(AckOutcome::NoAnswer));
}
