// SPDX-License-Identifier: MIT OR Apache-2.0
//! Squares, questions and the clock in its normal option.

use super::*;

#[test]
fn vector_6_a_pawn_slides_from_e2_over_e3_to_e4() {
    let mut simulator = board(None);
    simulator.lift(ms(100), sq("e2"));
    simulator.place(ms(200), sq("e3"), piece('P'));
    simulator.remove(ms(300), sq("e3"));
    simulator.place(ms(350), sq("e4"), piece('P'));
    simulator.handle_timeout(ms(500));
    // The first scan finds the pawn on e3, the second on e4: e3 is first in raw order before
    // e2, and e4 before e3.
    assert_eq!(sent(&mut simulator), squares(&[(0x2c, 1), (0x34, 0), (0x24, 1), (0x2c, 0)]));
}

#[test]
fn vector_7_a_capture_never_shows_the_target_empty() {
    let mut simulator = board(None);
    simulator.replace(ms(10), sq("e4"), Occupant::Piece(piece('P')));
    simulator.replace(ms(10), sq("d5"), Occupant::Piece(piece('p')));
    simulator.handle_timeout(ms(250));
    sent(&mut simulator);
    simulator.lift(ms(300), sq("e4"));
    simulator.place(ms(400), sq("d5"), piece('P'));
    simulator.handle_timeout(ms(500));
    assert_eq!(sent(&mut simulator), squares(&[(0x1b, 1), (0x24, 0)]));
}

#[test]
fn a_lift_shorter_than_a_scan_is_never_seen() {
    let mut simulator = board(None);
    simulator.lift(ms(260), sq("e2"));
    simulator.place(ms(490), sq("e2"), piece('P'));
    simulator.handle_timeout(ms(2000));
    assert_eq!(sent(&mut simulator), squares(&[]));
    assert_eq!(simulator.poll_timeout(), None);
}

#[test]
fn the_dump_shows_what_the_last_scan_saw() {
    let mut simulator = board(None);
    let before = crate::encode(&Message::Board(START.parse().unwrap()));
    simulator.lift(ms(260), sq("e2"));
    simulator.receive(ms(400), &[0x42]);
    assert_eq!(sent(&mut simulator), std::slice::from_ref(&before));
    simulator.receive(ms(500), &[0x42]);
    let messages = sent(&mut simulator);
    assert_eq!(messages[0], [0x8e, 0, 5, 0x34, 0]);
    assert_ne!(messages[1], before);
}

#[test]
fn an_idle_board_says_nothing_by_itself() {
    let mut simulator = board(Some(ClockOptions::default()));
    simulator.receive(ms(10), &[0x40]);
    simulator.lift(ms(20), sq("e2"));
    simulator.start(ms(20));
    simulator.receive(ms(5000), &[0x2b, 3, 3, 9, 0]);
    assert_eq!(sent(&mut simulator), Vec::<Vec<u8>>::new());
}

#[test]
fn board_updates_alone_carry_no_clock_and_no_answer_of_it() {
    let mut simulator = board(Some(ClockOptions::default()));
    simulator.receive(ms(10), &[0x44]);
    simulator.start(ms(20));
    simulator.lift(ms(20), sq("e2"));
    simulator.receive(ms(3000), &[0x2b, 3, 3, 9, 0]);
    assert_eq!(sent(&mut simulator), squares(&[(0x34, 0)]));
}

#[test]
fn it_answers_the_questions_of_identity() {
    let options = Options {
        serial: 1025,
        long_serial: Some(3_000_147_740),
        version: Version { main: 3, sub: 1 },
        battery: Some(BatteryStatus { percent: 100, ..BatteryStatus::default() }),
        ..Options::default()
    };
    let mut simulator = Simulator::new(Mono::ZERO, options);
    // The bytes between the questions are unknown to the board.
    simulator.receive(Mono::ZERO, &[0x00, 0x45, 0x48, 0x55, 0xff, 0x4d, 0x3f, 0x46, 0x4c, 0x47]);
    let text = b"arbiterd simulator";
    let mut trade_mark = vec![0x92, 0, 21];
    trade_mark.extend(text);
    assert_eq!(
        sent(&mut simulator),
        [
            vec![0x91, 0, 8, 0x30, 0x31, 0x30, 0x32, 0x35],
            vec![0xa2, 0, 0x0d, 0x33, 0x30, 0x30, 0x30, 0x31, 0x34, 0x37, 0x37, 0x34, 0x30],
            vec![0x93, 0, 5, 3, 1],
            vec![0x90, 0, 5, 8, 1],
            vec![0xa0, 0, 0x0c, 0x64, 0x7f, 0x7f, 0, 0, 0, 0, 0, 0],
            trade_mark,
        ]
    );
}

#[test]
fn the_clock_answers_commands_and_refuses_to_be_set() {
    let mut simulator = board(Some(ClockOptions::default()));
    simulator.receive(ms(1), &[0x2b, 3, 3]);
    simulator.receive(ms(2), &[9, 0]);
    simulator.receive(ms(3), &[0x2b, 0x0a, 3, 0x0a, 1, 0x1f, 0x3a, 1, 0x1e, 0, 4, 0]);
    simulator.receive(ms(4), &[0x2b, 0x0c, 3, 0x0c, 0x69, 0x6c, 0x6c, 0x65, 0x67, 0x61, 0x6c, 0x20, 0, 0]);
    assert_eq!(
        sent(&mut simulator),
        [
            // Version 2.2, refused with 40, text accepted.
            vec![0x8d, 0, 0x0a, 0x0a, 0x10, 0x09, 0x0a, 0x22, 0, 0],
            vec![0x8d, 0, 0x0a, 0x0a, 0x40, 0x0a, 0x0a, 0, 0, 0],
            vec![0x8d, 0, 0x0a, 0x0a, 0x10, 0x0c, 0x0a, 0, 0, 0],
        ]
    );
}

#[test]
fn vectors_14_and_15_a_press_turns_the_lever() {
    let mut simulator = board(Some(plain_clock()));
    simulator.start(ms(0));
    simulator.handle_timeout(ms(2000));
    assert_eq!(sent(&mut simulator).last(), Some(&vec![0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x29, 0x58, 0x11]));
    simulator.press(ms(2000), ClockSide::Left);
    simulator.handle_timeout(ms(3000));
    assert_eq!(sent(&mut simulator).last(), Some(&vec![0x8d, 0, 0x0a, 1, 0x29, 0x59, 1, 0x29, 0x58, 0x0b]));
}

#[test]
fn vector_16_the_clock_is_stopped() {
    let mut simulator = board(Some(plain_clock()));
    simulator.start(ms(0));
    simulator.stop(ms(2000));
    simulator.handle_timeout(ms(9000));
    assert_eq!(sent(&mut simulator).last(), Some(&vec![0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x29, 0x58, 0x10]));
}

#[test]
fn vector_18_a_flag_falls_and_the_clock_is_stopped() {
    let options =
        ClockOptions { left: Duration::from_secs(3), right: Duration::from_secs(7), ..plain_clock() };
    let mut simulator = board(Some(options));
    simulator.start(ms(0));
    simulator.handle_timeout(ms(2999));
    assert_eq!(sent(&mut simulator).last(), Some(&vec![0x8d, 0, 0x0a, 0, 0, 7, 0, 0, 1, 0x11]));
    simulator.stop(ms(3000));
    assert_eq!(sent(&mut simulator).last(), Some(&vec![0x8d, 0, 0x0a, 0, 0, 7, 0x50, 0, 0, 0x10]));
}

#[test]
fn a_press_brings_the_increment_but_not_after_the_flag() {
    let thirty = Duration::from_secs(30);
    let options =
        ClockOptions { left: Duration::from_secs(2), right: thirty, increment: thirty, ..plain_clock() };
    let mut simulator = board(Some(options));
    simulator.start(ms(0));
    simulator.press(ms(500), ClockSide::Left);
    let after_press = simulator.times(ms(500)).unwrap();
    assert_eq!(after_press.left, Duration::from_millis(31_500));
    simulator.press(ms(1500), ClockSide::Right);
    assert_eq!(simulator.times(ms(1500)).unwrap().right, Duration::from_secs(59));
    simulator.press(ms(40_000), ClockSide::Left);
    assert_eq!(simulator.times(ms(40_000)).unwrap().left, Duration::ZERO);
}

#[test]
fn the_lever_of_a_stopped_clock_is_no_press() {
    let mut simulator = board(Some(ClockOptions::default()));
    let before = simulator.times(ms(0));
    simulator.press(ms(100), ClockSide::Left);
    assert_eq!(simulator.times(ms(100)), before);
    assert_eq!(sent(&mut simulator), [vec![0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x30, 0, 0x0a]]);
}

#[test]
fn an_arbiter_corrects_the_times_by_hand() {
    let mut simulator = board(Some(plain_clock()));
    simulator.set_times(ms(10), Duration::from_secs(5518), Duration::from_secs(5400));
    assert_eq!(sent(&mut simulator), [vec![0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x31, 0x58, 0x10]]);
}

#[test]
fn the_full_update_mode_sends_the_clock_every_second() {
    let mut simulator = board(Some(plain_clock()));
    simulator.receive(ms(0), &[0x43]);
    assert_eq!(sent(&mut simulator).len(), 1);
    simulator.handle_timeout(ms(5000));
    assert_eq!(sent(&mut simulator).len(), 5);
}

#[test]
fn late_calls_change_nothing() {
    let run = |steps: &[u64]| {
        let mut simulator = board(Some(plain_clock()));
        simulator.start(ms(130));
        simulator.lift(ms(130), sq("e2"));
        for step in steps {
            simulator.handle_timeout(ms(*step));
        }
        sent(&mut simulator)
    };
    let late = run(&[7000]);
    // The first display at the start, seven whole seconds minus the start, one square.
    assert_eq!(late.len(), 1 + 6 + 1);
    assert_eq!(run(&[250, 251, 1130, 2000, 7000]), late);
}

#[test]
fn without_a_clock_the_board_says_so() {
    let mut simulator = board(None);
    simulator.receive(ms(1), &[0x41]);
    assert_eq!(sent(&mut simulator), [vec![0x8d, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0x20]]);
    assert_eq!(simulator.times(ms(2)), None);
}
