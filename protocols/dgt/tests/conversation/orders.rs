// SPDX-License-Identifier: MIT OR Apache-2.0
//! Orders to clock and lights, against bytes written down by hand.

use core::time::Duration;

use arbiterd_board::{
    AckOutcome, Channel, ClockControl, ClockReport, Driver, ReportBody, Request, RequestError, Run,
};
use arbiterd_dgt::Transport;

use crate::script::{DGT_3000, EMPTY_DUMP, Script, TIMES};
use crate::table::{ms, sq};

const NO_CLOCK: &str = "8d 00 0a 00 00 00 00 00 00 20";
const DGT_XL: &str = "8d 00 0a 0a 10 09 0a 1e 00 00";
const SET_TAKEN: &str = "8d 00 0a 0a 10 0a 0a 00 00 00";
const SET_REFUSED: &str = "8d 00 0a 0a 40 0a 0a 00 00 00";
const TEXT_TAKEN: &str = "8d 00 0a 0a 10 0c 0a 00 00 00";
const ERROR: &str = "8d 00 0a 0a 20 00 0a 00 00 00";

/// 1:31:58 and 1:30:00.
fn set(run: Run) -> Request {
    Request::SetClock { left: Duration::from_secs(5518), right: Duration::from_secs(5400), run }
}

fn text(text: &str) -> Request {
    Request::ShowText { text: text.to_owned(), beep: Duration::ZERO }
}

const SET_PAUSED: &str = "2b 0a 03 0a 01 1f 3a 01 1e 00 04 00";
const END: &str = "2b 03 03 03 00";

#[test]
fn a_clock_is_set_and_its_times_are_not_believed_until_they_can_be_new() {
    let mut script = Script::dgt_3000();
    assert_eq!(script.clock_control(), ClockControl::ReadOnly);
    let id = script.order(set(Run::Stopped));
    script.wait_for(SET_PAUSED);
    let sent = script.now;
    script.hear(TIMES);
    assert!(matches!(script.last_clock(), ClockReport::Unsettled(_)), "before the answer");
    script.run_until(sent + 400);
    script.hear(SET_TAKEN);
    assert_eq!(script.outcome(id), Some(AckOutcome::Accepted));
    assert_eq!(script.clock_control(), ClockControl::Settable);
    assert_eq!(script.times_said(END), [sent + 400]);
    script.run_until(sent + 1399);
    script.hear(TIMES);
    assert!(matches!(script.last_clock(), ClockReport::Unsettled(_)), "within a second of the answer");
    script.hear("8d 00 0a 0a 10 03 0a 00 00 00");
    let asked = script.times_said("41").len();
    script.run_until(sent + 1400);
    assert_eq!(script.times_said("41").len(), asked + 1, "read back a second after the answer");
    script.hear_twice("8d 00 0a 01 30 00 01 31 58 10");
    let ClockReport::Reading(reading) = script.last_clock() else { panic!("{:?}", script.last_clock()) };
    assert_eq!(reading.left.remaining, Duration::from_secs(5518));
    script.run_until(sent + 4000);
    assert_eq!(script.times_said("41").len(), asked + 2, "read back, and that borne out");
}

#[test]
fn a_request_for_the_clock_waits_for_times_that_can_be_believed() {
    let mut script = Script::dgt_3000();
    script.order(set(Run::Stopped));
    script.wait_for(SET_PAUSED);
    let sent = script.now;
    let read = script.order(Request::ReadClock);
    script.run_until(sent + 300);
    script.hear(SET_TAKEN);
    script.hear(TIMES);
    assert_eq!(script.outcome(read), None);
    script.run_until(sent + 1300);
    script.hear_twice("8d 00 0a 01 30 00 01 31 58 10");
    assert_eq!(script.outcome(read), Some(AckOutcome::Accepted));
}

#[test]
fn a_clock_that_runs_itself_refuses_and_its_times_stay_good() {
    let mut script = Script::dgt_3000();
    let id = script.order(set(Run::Stopped));
    script.wait_for(SET_PAUSED);
    script.hear(SET_REFUSED);
    assert_eq!(script.outcome(id), Some(AckOutcome::Refused));
    assert_eq!(script.clock_control(), ClockControl::ReadOnly);
    script.hear(TIMES);
    assert!(matches!(script.last_clock(), ClockReport::Reading(_)));
    let said = script.times_said(SET_PAUSED).len();
    script.run_until(script.now + 10_000);
    assert_eq!(script.times_said(SET_PAUSED).len(), said, "a refusal is not tried again");
}

#[test]
fn running_times_are_sent_once_and_paused_ones_three_times() {
    let mut script = Script::dgt_3000();
    let runs = script.order(set(Run::Side(arbiterd_board::ClockSide::Right)));
    let running = "2b 0a 03 0a 01 1f 3a 01 1e 00 0a 00";
    script.wait_for(running);
    script.run_until(script.now + 12_000);
    assert_eq!(script.times_said(running).len(), 1);
    assert_eq!(script.outcome(runs), Some(AckOutcome::NoAnswer));

    let paused = script.order(set(Run::Stopped));
    script.run_until(script.now + 15_000);
    let sent = script.times_said(SET_PAUSED);
    // A dump may be on the line when the next try is due; it takes no longer than a pause.
    let gaps: Vec<u64> = sent.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(sent.len(), 3);
    assert!(gaps.iter().all(|gap| (2500..2700).contains(gap)), "{gaps:?}");
    assert_eq!(script.outcome(paused), Some(AckOutcome::NoAnswer));
}

#[test]
fn the_board_is_watched_while_the_clock_is_silent() {
    let mut script = Script::dgt_3000();
    script.order(text("hello"));
    script.wait_for("2b 0c 03 0c 68 65 6c 6c 6f 20 20 20 00 00");
    let sent = script.now;
    script.run_until(sent + 200);
    script.hear("8e 00 05 34 00");
    script.run_until(sent + 500);
    assert_eq!(script.times_said("42").last(), Some(&(sent + 500)), "the look that follows a change");
}

#[test]
fn an_answer_to_another_command_and_an_error_on_the_way_end_no_wait() {
    let mut script = Script::dgt_3000();
    let id = script.order(text("hello"));
    let hello = "2b 0c 03 0c 68 65 6c 6c 6f 20 20 20 00 00";
    script.wait_for(hello);
    let sent = script.now;
    script.hear(SET_TAKEN);
    assert_eq!(script.outcome(id), None);
    script.hear(ERROR);
    assert_eq!(script.outcome(id), None);
    script.run_until(sent + 999);
    assert_eq!(script.times_said(hello).len(), 1);
    script.run_until(sent + 1000);
    assert_eq!(script.times_said(hello).len(), 2);
    script.hear(TEXT_TAKEN);
    assert_eq!(script.outcome(id), Some(AckOutcome::Accepted));
}

#[test]
fn a_text_takes_the_form_that_the_clock_can_show() {
    let mut xl = Script::running(Transport::Wired, "3000147740", DGT_XL);
    xl.order(text("E2 E4"));
    xl.wait_for("2b 0b 03 01 00 5b 7b 00 66 7b 00 01 00");
    assert!(matches!(xl.ask(text("no")), Err(RequestError::OutOfRange { .. })), "n would blind the board");

    let mut revelation = Script::running(Transport::Wired, "3.25000000", DGT_3000);
    revelation.order(text("Illegal mov"));
    revelation.wait_for("2b 0f 03 0d 69 6c 6c 65 67 61 6c 20 6d 6f 76 00 00");
    assert!(matches!(Script::dgt_3000().ask(text("Illegal mov")), Err(RequestError::OutOfRange { .. })));

    let mut mute = Script::running(Transport::Wired, "3000147740", TIMES);
    assert!(matches!(mute.ask(text("hi")), Err(RequestError::NotSupported { .. })));
}

#[test]
fn beeps_last_as_long_as_asked_and_end_shows_the_times() {
    let mut script = Script::dgt_3000();
    let beep = script.order(Request::Beep(Duration::from_millis(250)));
    script.wait_for("2b 04 03 0b 04 00");
    script.run_until(script.now + 2500);
    assert_eq!(script.outcome(beep), Some(AckOutcome::NoAnswer), "one emulator never answers a beep");
    assert_eq!(script.times_said("2b 04 03 0b 04 00").len(), 1);
    script.order(Request::ShowTimes);
    script.wait_for(END);
}

#[test]
fn only_a_revelation_is_sent_lights() {
    let mut script = Script::running(Transport::Wired, "3.25000000", DGT_3000);
    let squares = ["e2", "e4", "h8"].map(sq);
    let id = script.order(Request::Light(squares.to_vec()));
    script.run_until(script.now + 1000);
    let lights: Vec<&str> =
        script.said.iter().map(|(_, text)| text.as_str()).filter(|text| text.starts_with("60")).collect();
    assert_eq!(lights, ["60 04 00 40 40 00", "60 04 01 34 24 00", "60 04 01 07 07 00"]);
    assert_eq!(script.outcome(id), Some(AckOutcome::Accepted));
    let refused = Script::dgt_3000().ask(Request::Light(vec![sq("e2")]));
    assert!(matches!(refused, Err(RequestError::NotSupported { .. })));
}

#[test]
fn without_a_clock_orders_are_refused_and_those_that_wait_are_given_up() {
    let mut script = Script::dgt_3000();
    let first = script.order(text("a"));
    let second = script.order(text("b"));
    script.run_until(script.now + 100);
    script.hear_twice(NO_CLOCK);
    for id in [first, second] {
        assert_eq!(script.outcome(id), Some(AckOutcome::NoAnswer));
    }
    assert_eq!(script.ask(text("c")), Err(RequestError::NoClock));
}

#[test]
fn so_many_orders_wait_and_no_more() {
    let mut script = Script::dgt_3000();
    let taken = (0..20).filter(|_| script.ask(text("a")).is_ok()).count();
    assert_eq!(script.ask(text("a")), Err(RequestError::Busy));
    // Eight wait; the first may be on its way.
    assert!((8..=9).contains(&taken), "{taken}");
}

#[test]
fn a_loss_of_the_board_gives_up_what_waits() {
    let mut script = Script::dgt_3000();
    let id = script.order(text("a"));
    script.driver.reset(ms(script.now));
    script.drain();
    assert_eq!(script.outcome(id), Some(AckOutcome::NoAnswer));
}

#[test]
fn buttons_are_told() {
    let mut script = Script::dgt_3000();
    script.hear("8d 00 0a 0a 10 08 2a 11 33 00");
    assert_eq!(script.last_clock(), ClockReport::Button(arbiterd_board::ClockButton::Run));
}

#[test]
fn a_change_that_was_not_told_makes_the_board_tell_again() {
    let mut script = Script::dgt_3000();
    let before = script.times_said("4b").len();
    script.hear(&format!("{EMPTY_DUMP} 08 {}", "00 ".repeat(63)));
    script.run_until(script.now + 100);
    assert_eq!(script.times_said("4b").len(), before + 1);
    // The same board again is no news.
    script.now += 1;
    script.hear(&format!("{EMPTY_DUMP} 08 {}", "00 ".repeat(63)));
    script.run_until(script.now + 150);
    assert_eq!(script.times_said("4b").len(), before + 1);
}

#[test]
fn a_clock_that_moves_on_unasked_for_makes_the_board_tell_again() {
    let mut script = Script::dgt_3000();
    let before = script.times_said("4b").len();
    script.hear_twice("8d 00 0a 01 30 00 01 29 58 11");
    let asked = script.times_said("41").len();
    script.run_until(script.now + 1500);
    assert_eq!(script.times_said("41").len(), asked + 1);
    script.hear("8d 00 0a 01 30 00 01 29 56 11");
    script.run_until(script.now + 200);
    assert_eq!(script.times_said("4b").len(), before + 1);
}

#[test]
fn over_bluetooth_stamps_are_wider_looks_later_and_the_battery_is_asked_for() {
    let mut script = Script::running(Transport::Bluetooth, "3000147740", DGT_3000);
    let capabilities = script.driver.capabilities(Channel(0));
    // A scan of 500 ms, 150 ms on the way and a radio gap of 300 ms; a second and a gap.
    assert_eq!(capabilities.board_lag, Duration::from_millis(950));
    assert_eq!(capabilities.clock_lag, Duration::from_millis(1300));
    script.run_until(7000);
    let changed = script.now;
    script.hear("8e 00 05 34 00");
    let square = script.reports.iter().rfind(|r| matches!(r.body, ReportBody::Square { .. })).unwrap();
    assert_eq!(square.at.uncertainty(), Duration::from_millis(950));
    script.run_until(changed + 599);
    assert!(script.times_said("42").last() < Some(&changed));
    script.run_until(changed + 700);
    assert_eq!(script.times_said("42").last(), Some(&(changed + 600)));
    script.run_until(changed + 70_000);
    assert_eq!(script.times_said("4c").len(), 2, "again after a minute");
    let wired = Script::dgt_3000();
    assert_eq!(wired.times_said("4c"), Vec::<u64>::new());
}

#[test]
fn a_board_that_only_knows_what_is_occupied_says_so() {
    let script = Script::running(Transport::Wired, "P000012345", DGT_3000);
    let sensing = script.driver.capabilities(Channel(0)).sensing;
    assert_eq!(sensing, arbiterd_board::Sensing::Occupancy);
}
