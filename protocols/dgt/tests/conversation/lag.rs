// SPDX-License-Identifier: MIT OR Apache-2.0
//! What arrives behind something long may have waited in the board since before that began.

use core::time::Duration;

use arbiterd_board::{Capabilities, Channel, Driver, Report, ReportBody, Request};
use arbiterd_dgt::Transport;

use crate::script::{DGT_3000, EMPTY_DUMP, Script};
use crate::table::ms;

/// 96 bytes take 100 ms on the line.
const PORTION: usize = 96;

const E2_EMPTY: &str = "8e 00 05 34 00";
const E2_PAWN: &str = "8e 00 05 34 01";

fn frame(head: [u8; 3], fill: u8, length: usize) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.resize(length, fill);
    bytes
}

/// The log in the memory: 7939 bytes.
pub fn log() -> Vec<u8> {
    frame([0x8f, 0x3e, 0x03], 0x7f, 7939)
}

/// Bytes arrive as the line carries them, and no question of the driver is answered meanwhile.
pub fn hear_slowly(script: &mut Script, bytes: &[u8]) {
    for portion in bytes.chunks(PORTION) {
        let end = script.now + 100;
        while let Some(due) = script.driver.poll_timeout().filter(|due| *due <= ms(end)) {
            script.driver.handle_timeout(due.max(ms(script.now)));
            script.drain();
        }
        script.now = end;
        script.driver.receive(ms(end), portion);
        script.drain();
    }
}

fn lags(script: &Script) -> (u64, u64) {
    let Capabilities { board_lag, clock_lag, .. } = script.driver.capabilities(Channel(0));
    [board_lag, clock_lag].map(|lag| u64::try_from(lag.as_millis()).unwrap()).into()
}

fn last(script: &Script, wanted: impl Fn(&ReportBody) -> bool) -> (usize, &Report) {
    script.reports.iter().enumerate().rfind(|(_, report)| wanted(&report.body)).unwrap()
}

fn told_lags(script: &Script) -> (usize, &Capabilities) {
    let (at, report) = last(script, |body| matches!(body, ReportBody::Capabilities(_)));
    let ReportBody::Capabilities(told) = &report.body else { panic!("{report:?}") };
    (at, told)
}

/// How far the stamp of the last change of a square reaches back, in milliseconds.
fn reach(script: &Script) -> u64 {
    let (_, square) = last(script, |body| matches!(body, ReportBody::Square { .. }));
    u64::try_from(square.at.uncertainty().as_millis()).unwrap()
}

fn calm(script: &mut Script) {
    script.run_until(script.now + 6000);
    assert_eq!(lags(script), (400, 1000));
}

#[test]
fn what_waited_behind_a_log_is_stamped_since_before_it_began() {
    let mut script = Script::dgt_3000();
    calm(&mut script);
    let began = script.now;
    hear_slowly(&mut script, &log());
    script.hear(E2_EMPTY);
    // 7944 bytes take 8275 ms, told in steps of 100 ms, and the lag of every change is 400 ms.
    assert_eq!(reach(&script), 8300 + 400);
    let (_, square) = last(&script, |body| matches!(body, ReportBody::Square { .. }));
    assert!(square.at.earliest <= ms(began - 250), "a scan before the log began");
    script.hear("8d 00 0a 01 30 00 01 29 57 10");
    let (_, times) = last(&script, |body| matches!(body, ReportBody::Clock(_)));
    assert_eq!(times.at.uncertainty(), Duration::from_millis(8300 + 1000));
    assert_eq!(lags(&script), (8700, 9300));
    // The lag is told before what it concerns.
    let (told_at, told) = told_lags(&script);
    assert_eq!((told.board_lag, told.clock_lag), (Duration::from_millis(8700), Duration::from_millis(9300)));
    assert!(told_at < last(&script, |body| matches!(body, ReportBody::Square { .. })).0);
}

#[test]
fn a_look_asked_for_on_a_quiet_line_proves_that_nothing_waits() {
    let mut script = Script::dgt_3000();
    calm(&mut script);
    hear_slowly(&mut script, &log());
    // The answer to a question from while the log held the line, with a change behind it.
    let empty = "00 ".repeat(64);
    script.hear(&format!("{EMPTY_DUMP} {empty}"));
    script.run_until(script.now + 40);
    script.hear(E2_PAWN);
    assert_eq!(reach(&script), 8400 + 400, "8011 bytes take 8345 ms");
    let heard = script.now;
    script.hear(E2_EMPTY);
    script.said.clear();
    script.wait_for("42");
    assert_eq!(script.now, heard + 300);
    assert_eq!(lags(&script), (8800, 9400));
    script.hear(&format!("{EMPTY_DUMP} {empty}"));
    assert_eq!(lags(&script), (400, 1000));
    assert_eq!(told_lags(&script).1.board_lag, Duration::from_millis(400));
    script.run_until(script.now + 1000);
    script.hear(E2_PAWN);
    assert_eq!(reach(&script), 400);
}

#[test]
fn a_look_amid_what_still_arrives_proves_nothing() {
    let mut script = Script::dgt_3000();
    calm(&mut script);
    hear_slowly(&mut script, &log());
    script.order(Request::ReadBoard);
    script.hear(&format!("{EMPTY_DUMP} {}", "00 ".repeat(64)));
    script.hear(E2_PAWN);
    assert_eq!(reach(&script), 8400 + 400);
}

#[test]
fn all_that_holds_the_line_longer_than_a_dump_widens_the_stamps() {
    let trade_mark = |length: u8| frame([0x92, length >> 7, length & 0x7f], 0x20, usize::from(length));
    let cases = [
        // With the 5 bytes of the change 200 bytes take 208 ms; 72 take 75 ms.
        ("a text", trade_mark(195), 300),
        ("a text no longer than a dump", trade_mark(67), 0),
        ("bytes outside a frame", vec![0x20; 195], 300),
        ("a few of them", vec![0x20; 67], 0),
        ("a frame of bus mode that is damaged", frame([0x85, 1, 67], 0x20, 195), 300),
        ("a frame that broke off", log()[..195].to_vec(), 300),
        ("frames of an unknown kind", frame([0xb0, 0, 65], 0x20, 65).repeat(3), 300),
    ];
    for (what, bytes, wider) in cases {
        let mut script = Script::dgt_3000();
        calm(&mut script);
        hear_slowly(&mut script, &bytes);
        script.hear(E2_PAWN);
        assert_eq!(reach(&script), 400 + wider, "{what}");
        script.run_until(script.now + 2000);
        assert_eq!(lags(&script), (400, 1000), "{what}: looked after");
    }
}

#[test]
fn noise_between_changes_adds_up() {
    let mut script = Script::dgt_3000();
    calm(&mut script);
    for wider in [0, 200, 200] {
        script.now += 50;
        hear_slowly(&mut script, &[0x20; 60]);
        script.hear(E2_PAWN);
        // 60 bytes, then 125 and 190, because once there are more than 67 the changes count too.
        assert_eq!(reach(&script), 400 + wider);
    }
}

#[test]
fn over_bluetooth_the_wider_lag_comes_on_top() {
    let mut script = Script::running(Transport::Bluetooth, "3000147740", DGT_3000);
    script.run_until(script.now + 6000);
    hear_slowly(&mut script, &log());
    script.hear(E2_EMPTY);
    assert_eq!(lags(&script), (8300 + 950, 8300 + 1300));
}
