// SPDX-License-Identifier: MIT OR Apache-2.0
//! The times of the clock.

use arbiterd_board::{ClockSide, Flag, Lever};
use arbiterd_dgt::clock::{ClockMessage, Status, Times};

use crate::read::{clock, reading, time, times};

#[test]
fn vector_14_left_runs() {
    let (left, right) = (time(1, 29, 58, Flag::Up), time(1, 30, 0, Flag::Up));
    times("8d 00 0a 01 30 00 01 29 58 11", reading(left, right, true, ClockSide::Left));
}

#[test]
fn vector_15_right_runs_after_lefts_press() {
    let (left, right) = (time(1, 29, 58, Flag::Up), time(1, 29, 59, Flag::Up));
    times("8d 00 0a 01 29 59 01 29 58 0b", reading(left, right, true, ClockSide::Right));
}

#[test]
fn vector_16_stopped_with_left_high() {
    let (left, right) = (time(1, 29, 58, Flag::Up), time(1, 30, 0, Flag::Up));
    times("8d 00 0a 01 30 00 01 29 58 10", reading(left, right, false, ClockSide::Left));
}

#[test]
fn vector_17_battery_low() {
    let (left, right) = (time(1, 29, 58, Flag::Up), time(1, 30, 0, Flag::Up));
    let mut expected = reading(left, right, true, ClockSide::Left);
    expected.reading.battery_low = true;
    times("8d 00 0a 01 30 00 01 29 58 15", expected);
}

#[test]
fn vector_18_left_flag_fallen_and_blocked() {
    let (left, right) = (time(0, 0, 0, Flag::Fallen), time(0, 0, 7, Flag::Up));
    times("8d 00 0a 00 00 07 50 00 00 10", reading(left, right, false, ClockSide::Left));
}

#[test]
fn vector_19_right_flag_shown_and_running_on() {
    let (left, right) = (time(0, 3, 2, Flag::Up), time(0, 59, 30, Flag::Shown));
    times("8d 00 0a 40 59 30 00 03 02 0b", reading(left, right, true, ClockSide::Right));
}

#[test]
fn vector_20_time_per_move_on_both_sides() {
    let (left, right) = (time(0, 3, 2, Flag::Up), time(0, 2, 59, Flag::Up));
    let both =
        Times { left_per_move: true, right_per_move: true, ..reading(left, right, true, ClockSide::Right) };
    times("8d 00 0a 20 02 59 20 03 02 0b", both);
}

#[test]
fn vector_21_right_runs_although_left_is_high() {
    let (left, right) = (time(0, 5, 0, Flag::Up), time(0, 4, 59, Flag::Up));
    let mut expected = reading(left, right, true, ClockSide::Left);
    expected.reading.turn = Some(ClockSide::Right);
    times("8d 00 0a 00 04 59 00 05 00 09", expected);
}

#[test]
fn vector_22_no_clock() {
    assert_eq!(clock("8d 00 0a 00 00 00 00 00 00 20"), ClockMessage::NoClock);
}

#[test]
fn vector_23_null_message() {
    assert_eq!(clock("8d 00 0a 00 00 00 00 00 00 00"), ClockMessage::Null);
}

#[test]
fn vector_24_hours_nibble_12_is_corrupt_and_no_answer() {
    let status =
        Status { counting: false, lever: Lever::Pressed(ClockSide::Right), turn: None, battery_low: false };
    let corrupt = ClockMessage::Corrupt { payload: [0x0c, 0x08, 0x08, 0, 0, 0, 0], status };
    assert_eq!(clock("8d 00 0a 0c 08 08 00 00 00 00"), corrupt);
}

#[test]
fn digits_no_clock_can_show_are_corrupt() {
    for text in [
        "8d 00 0a 01 60 00 01 29 58 11",
        "8d 00 0a 01 30 00 01 29 60 11",
        "8d 00 0a 01 3a 00 01 29 58 11",
        "8d 00 0a 01 30 00 01 29 5f 11",
        "8d 00 0a 01 30 00 0b 29 58 11",
    ] {
        let ClockMessage::Corrupt { status, .. } = clock(text) else { panic!("{text}") };
        // Running, left high, left's turn.
        assert_eq!((status.counting, status.turn), (true, Some(ClockSide::Left)), "{text}");
        assert_eq!(status.lever, Lever::Pressed(ClockSide::Right), "{text}");
    }
}

#[test]
fn an_answer_goes_before_no_clock_and_that_before_corrupt_digits() {
    assert!(matches!(clock("8d 00 0a 0a 10 09 00 20 00 20"), ClockMessage::Ack(_)));
    assert_eq!(clock("8d 00 0a 0c 7f 7f 00 00 00 20"), ClockMessage::NoClock);
}
