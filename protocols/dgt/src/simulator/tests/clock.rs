// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock: what it may be told, what it answers, and how the board hears of it.

use super::*;
use arbiterd_board::ClockButton as Button;

const VERSION: &[u8] = &[0x2b, 3, 3, 9, 0];
/// "illegal ", without a beep.
const TEXT: &[u8] = &[0x2b, 0x0c, 3, 0x0c, 0x69, 0x6c, 0x6c, 0x65, 0x67, 0x61, 0x6c, 0x20, 0, 0];
/// Left 1:31:58, right 1:30:00, and who runs.
fn set_and_run(flags: u8) -> Vec<u8> {
    vec![0x2b, 0x0a, 3, 0x0a, 1, 0x1f, 0x3a, 1, 0x1e, 0, flags, 0]
}

fn computer() -> ClockOptions {
    ClockOptions { control: Control::Computer, ..ClockOptions::default() }
}

fn clock_message(payload: [u8; 7]) -> Vec<u8> {
    [0x8d, 0, 0x0a].into_iter().chain(payload).collect()
}

fn answer(status: u8, subject: u8) -> Vec<u8> {
    clock_message([0x0a, status, subject, 0x0a, 0, 0, 0])
}

#[test]
fn vectors_25_to_33_answers() {
    for (version, byte) in [(Version { main: 2, sub: 0 }, 0x20), (Version { main: 1, sub: 14 }, 0x1e)] {
        let mut simulator = board(Some(ClockOptions { version, ..ClockOptions::default() }));
        simulator.receive(ms(0), VERSION);
        assert_eq!(sent(&mut simulator), [clock_message([0x0a, 0x10, 9, 0x0a, byte, 0, 0])]);
    }
    let mut simulator = board(Some(computer()));
    simulator.receive(ms(0), &set_and_run(4));
    assert_eq!(sent(&mut simulator)[0], answer(0x10, 0x0a));
    let mut simulator = board(Some(ClockOptions::default()));
    simulator.receive(ms(0), &set_and_run(4));
    simulator.receive(ms(0), TEXT);
    assert_eq!(sent(&mut simulator), [answer(0x40, 0x0a), answer(0x10, 0x0c)]);
}

#[test]
fn vector_30_buttons() {
    let mut simulator = board(Some(computer()));
    let two = [
        (vec![Button::Back], 0x05, 0x31),
        (vec![Button::Minus], 0x21, 0x34),
        (vec![Button::Run], 0x11, 0x33),
        (vec![Button::Plus], 0x09, 0x32),
        (vec![Button::Ok], 0x41, 0x35),
        (vec![Button::Back, Button::Minus], 0x25, 0x34),
        (vec![Button::Run, Button::Minus], 0x31, 0x33),
        (vec![Button::Minus, Button::Plus], 0x29, 0x32),
        (vec![Button::Plus, Button::Run], 0x19, 0x32),
        (vec![Button::Back, Button::Ok], 0x45, 0x35),
    ];
    for (buttons, held, code) in two {
        simulator.press_buttons(ms(0), &buttons);
        assert_eq!(sent(&mut simulator), [clock_message([0x0a, 0x10, 8, 0x2a, held, code, 0])]);
    }
    simulator.press_buttons(ms(0), &[]);
    // Here the start/stop button is one for the host.
    simulator.start(ms(0));
    assert_eq!(sent(&mut simulator), [clock_message([0x0a, 0x10, 8, 0x2a, 0x11, 0x33, 0])]);
}

#[test]
fn before_the_first_setting_there_are_dashes() {
    let mut simulator = board(Some(computer()));
    assert!(simulator.display().unwrap().dashes);
    simulator.press(ms(100), ClockSide::Left);
    assert_eq!(sent(&mut simulator), [clock_message([0, 0, 0, 0, 0, 0, 0x0a])]);
    simulator.receive(ms(200), &set_and_run(4));
    assert!(!simulator.display().unwrap().dashes);
    assert_eq!(sent(&mut simulator), [answer(0x10, 0x0a), clock_message([1, 0x30, 0, 1, 0x31, 0x58, 0x0a])]);
}

#[test]
fn vectors_38_and_39_a_computer_sets_the_times_and_says_who_runs() {
    // Flags, the bytes of the right and of the left side, and the status two seconds later.
    // Left is high.
    for (flags, right, left, status) in [
        (0x04, [1, 0x30, 0x00], [1, 0x31, 0x58], 0x10),
        (0x00, [1, 0x30, 0x00], [1, 0x31, 0x58], 0x10),
        (0x01, [1, 0x30, 0x00], [1, 0x31, 0x56], 0x11),
        // Vector 21: right runs although the left side is high.
        (0x02, [1, 0x29, 0x58], [1, 0x31, 0x58], 0x09),
        (0x0a, [1, 0x29, 0x58], [1, 0x31, 0x58], 0x09),
        (0x03, [1, 0x29, 0x58], [1, 0x31, 0x56], 0x01),
        (0x06, [1, 0x30, 0x00], [1, 0x31, 0x58], 0x10),
    ] {
        let mut simulator = board(Some(computer()));
        simulator.receive(ms(0), &set_and_run(flags));
        simulator.receive(ms(2000), &[0x41]);
        let payload = [right[0], right[1], right[2], left[0], left[1], left[2], status];
        assert_eq!(sent(&mut simulator).pop(), Some(clock_message(payload)), "{flags:02x}");
    }
}

#[test]
fn the_lever_changes_sides_only_if_it_was_told_to() {
    let times = |flags| {
        let mut simulator = board(Some(computer()));
        simulator.receive(ms(0), &set_and_run(flags));
        simulator.press(ms(2000), ClockSide::Left);
        simulator.press(ms(5000), ClockSide::Right);
        let times = simulator.times(ms(6000)).unwrap();
        (times.left.as_secs(), times.right.as_secs())
    };
    // Left 5518 and right 5400 seconds to begin with.
    assert_eq!(times(0x09), (5518 - 2 - 1, 5400 - 3));
    assert_eq!(times(0x01), (5518 - 6, 5400));
    // A pause stays one.
    assert_eq!(times(0x0c), (5518, 5400));
}

#[test]
fn no_increment_no_period_and_no_flag_where_a_computer_has_control() {
    let options = ClockOptions {
        increment: Duration::from_secs(30),
        later_periods: [Some(Duration::from_secs(60)), None],
        ..computer()
    };
    let mut simulator = board(Some(options));
    // Left 2 s, right 1:00:00, left runs, the lever toggles.
    simulator.receive(ms(0), &[0x2b, 0x0a, 3, 0x0a, 0, 0, 2, 1, 0, 0, 0x09, 0]);
    simulator.handle_timeout(ms(5000));
    assert_eq!(sent(&mut simulator).pop(), Some(clock_message([1, 0, 0, 0, 0, 0, 0x11])));
    simulator.press(ms(6000), ClockSide::Left);
    assert_eq!(simulator.times(ms(6000)).unwrap().left, Duration::ZERO);
}

#[test]
fn counting_up_is_for_newer_clocks() {
    let set = [0x2b, 0x0a, 3, 0x0a, 0x10, 0, 5, 1, 0, 0, 0x01, 0];
    let mut simulator = board(Some(computer()));
    simulator.receive(ms(0), &set);
    assert_eq!(simulator.times(ms(3000)).unwrap().left, Duration::from_secs(8));
    assert_eq!(sent(&mut simulator).pop(), Some(clock_message([1, 0, 0, 0, 0, 8, 0x11])));
    let old = ClockOptions { version: Version { main: 1, sub: 14 }, ..computer() };
    let mut simulator = board(Some(old));
    simulator.receive(ms(0), &set);
    assert_eq!(sent(&mut simulator), [answer(0x40, 0x0a)]);
}

#[test]
fn times_that_no_clock_holds_are_refused() {
    let mut simulator = board(Some(computer()));
    simulator.receive(ms(0), &[0x2b, 0x0a, 3, 0x0a, 1, 60, 0, 1, 0, 0, 4, 0]);
    assert_eq!(sent(&mut simulator), [answer(0x40, 0x0a)]);
    assert!(simulator.display().unwrap().dashes);
}

#[test]
fn answers_take_their_time_and_keep_their_order() {
    let delay = ClockOptions { ack_delay: Duration::from_millis(800), ..computer() };
    let mut simulator = board(Some(delay));
    simulator.receive(ms(100), &set_and_run(1));
    simulator.receive(ms(150), TEXT);
    simulator.handle_timeout(ms(899));
    assert_eq!(sent(&mut simulator), squares(&[]));
    // The clock is set only now, and runs from now on.
    simulator.handle_timeout(ms(900));
    assert_eq!(sent(&mut simulator), [answer(0x10, 0x0a), clock_message([1, 0x30, 0, 1, 0x31, 0x58, 0x11])]);
    simulator.handle_timeout(ms(950));
    assert_eq!(sent(&mut simulator), [answer(0x10, 0x0c)]);
    assert_eq!(simulator.times(ms(1900)).unwrap().left, Duration::from_secs(5517));
}

#[test]
fn a_spread_of_answers_stays_within_it() {
    let options = ClockOptions {
        ack_delay: Duration::from_millis(50),
        ack_spread: Duration::from_millis(1450),
        ..plain_clock()
    };
    let mut simulator = board(Some(options));
    let mut waits = BTreeSet::new();
    for begin in (0..40).map(|n| n * 2000) {
        simulator.receive(ms(begin), TEXT);
        let due = simulator.poll_timeout().unwrap();
        waits.insert(due.since(ms(begin)).as_millis());
        simulator.handle_timeout(ms(begin + 1999));
    }
    assert_eq!(sent(&mut simulator).len(), 40);
    assert!(waits.first().is_some_and(|w| *w >= 50) && waits.last().is_some_and(|w| *w <= 1500));
    assert!(waits.len() > 20);
}

#[test]
fn no_answer_in_the_modes_that_do_not_pass_it_on() {
    for mode in [0x40, 0x44] {
        let mut simulator = board(Some(computer()));
        simulator.receive(ms(0), &[mode]);
        simulator.receive(ms(100), &set_and_run(4));
        simulator.press_buttons(ms(200), &[Button::Ok]);
        assert_eq!(sent(&mut simulator), squares(&[]));
        // But it was done.
        assert_eq!(simulator.times(ms(300)).unwrap().left, Duration::from_secs(5518));
    }
}

#[test]
fn vector_29_a_flaky_clock_does_nothing_and_says_20() {
    let mut simulator = board(Some(ClockOptions { flaky_percent: 100, ..computer() }));
    simulator.receive(ms(0), TEXT);
    assert_eq!(sent(&mut simulator), [answer(0x20, 0)]);
    assert_eq!(simulator.display().unwrap().text, None);
    let half = ClockOptions { flaky_percent: 50, ..computer() };
    let mut simulator = board(Some(half));
    for n in 0..100 {
        simulator.receive(ms(n * 1000), TEXT);
    }
    let failed = sent(&mut simulator).iter().filter(|message| message[4] == 0x20).count();
    assert!((30..=70).contains(&failed), "{failed}");
}

#[test]
fn a_bluetooth_board_repeats_answers_and_sends_zeros() {
    let mut simulator = board(Some(ClockOptions { repeats_answers: true, ..computer() }));
    simulator.receive(ms(0), &set_and_run(1));
    // The answer, the zeros, and the answer in place of the new times.
    let expected = [answer(0x10, 0x0a), clock_message([0; 7]), answer(0x10, 0x0a)];
    assert_eq!(sent(&mut simulator), expected);
    simulator.receive(ms(999), &[0x41]);
    assert_eq!(sent(&mut simulator), [answer(0x10, 0x0a)]);
    simulator.receive(ms(1000), &[0x41]);
    let times = clock_message([1, 0x30, 0, 1, 0x31, 0x57, 0x11]);
    assert_eq!(sent(&mut simulator).pop(), Some(times));
}

#[test]
fn a_simple_clock_only_reports() {
    let mut simulator = board(Some(ClockOptions { answers: false, ..plain_clock() }));
    simulator.receive(ms(0), VERSION);
    simulator.receive(ms(0), TEXT);
    assert_eq!(sent(&mut simulator), squares(&[]));
    simulator.receive(ms(0), &[0x41]);
    assert_eq!(sent(&mut simulator), [clock_message([1, 0x30, 0, 1, 0x30, 0, 0x10])]);
}

#[test]
fn what_is_shown_stays_until_the_end() {
    let mut simulator = board(Some(plain_clock()));
    simulator.receive(ms(0), TEXT);
    assert_eq!(simulator.display().unwrap().text.as_deref(), Some("illegal "));
    assert_eq!(simulator.display().unwrap().beeps, 0);
    // Upper case is no host's business, but it is shown; 7 sixteenths and 62.5 ms.
    simulator.receive(ms(0), b"\x2b\x0c\x03\x0cNoMate  \x07\x00");
    assert_eq!(simulator.display().unwrap().text.as_deref(), Some("NoMate  "));
    assert_eq!(simulator.display().unwrap().last_beep, Duration::from_millis(500));
    // Vector 41: "e2 e4 " on digits, sent in the order C B A F E D.
    simulator.receive(ms(0), &[0x2b, 0x0b, 3, 1, 0, 0x5b, 0x7b, 0, 0x66, 0x7b, 0, 1, 0]);
    assert_eq!(simulator.display().unwrap().segments, Some([0x7b, 0x5b, 0, 0x7b, 0x66, 0]));
    assert_eq!(simulator.display().unwrap().text, None);
    simulator.receive(ms(0), &[0x2b, 4, 3, 0x0b, 0x10, 0]);
    assert_eq!(simulator.display().unwrap().last_beep, Duration::from_millis(1024));
    assert_eq!(simulator.display().unwrap().beeps, 2);
    simulator.receive(ms(0), &[0x2b, 0x0c, 3, 2, 2, 1, 2, 0x20, 0, 0, 0, 0, 0, 0]);
    assert_eq!(simulator.display().unwrap().icons, Some([2, 1, 2, 0x20, 0]));
    simulator.receive(ms(0), &[0x2b, 3, 3, 3, 0]);
    assert_eq!(simulator.display().unwrap().segments, None);
    let answered: Vec<u8> = sent(&mut simulator).iter().map(|message| message[5]).collect();
    assert_eq!(answered, [0x0c, 0x0c, 0x01, 0x0b, 0x02, 0x03]);
}

#[test]
fn vector_19_a_later_period_begins() {
    let options = ClockOptions {
        left: Duration::from_secs(3600),
        right: Duration::from_secs(5),
        later_periods: [Some(Duration::from_secs(3600)), None],
        pressed: ClockSide::Left,
        ..plain_clock()
    };
    let mut simulator = board(Some(options));
    simulator.start(ms(0));
    // Five seconds, then 30 of the hour.
    simulator.handle_timeout(ms(35_000));
    assert_eq!(sent(&mut simulator).pop(), Some(clock_message([0x40, 0x59, 0x30, 1, 0, 0, 0x0b])));
    // After the last period the flag falls and the side is blocked.
    simulator.handle_timeout(ms(3_605_000));
    assert_eq!(sent(&mut simulator).pop(), Some(clock_message([0x50, 0, 0, 1, 0, 0, 0x0b])));
    assert_eq!(simulator.poll_timeout(), None);
}

#[test]
fn vectors_17_20_and_22_battery_sign_and_no_clock() {
    let options = ClockOptions { per_move_sign: true, ..plain_clock() };
    let mut simulator = board(Some(options));
    simulator.inject(ms(0), Fault::ClockBatteryLow);
    assert_eq!(sent(&mut simulator), [clock_message([0x21, 0x30, 0, 0x21, 0x30, 0, 0x14])]);
    simulator.inject(ms(100), Fault::Clock(Port::Out));
    assert_eq!(sent(&mut simulator), [clock_message([0, 0, 0, 0, 0, 0, 0x20])]);
    simulator.start(ms(200));
    simulator.receive(ms(300), TEXT);
    assert_eq!(sent(&mut simulator), squares(&[]));
    // It went on without the board.
    simulator.inject(ms(10_200), Fault::Clock(Port::In));
    assert_eq!(sent(&mut simulator), [clock_message([0x21, 0x30, 0, 0x21, 0x29, 0x50, 0x15])]);
}

#[test]
fn a_board_that_looks_seldom_misses_a_press_and_its_answer() {
    let placement = START.parse().unwrap();
    let options = Options {
        placement,
        clock: Some(plain_clock()),
        clock_poll: Duration::from_millis(400),
        ..Options::default()
    };
    let mut simulator = Simulator::new(Mono::ZERO, options);
    simulator.receive(ms(0), &[0x4b]);
    simulator.start(ms(0));
    simulator.handle_timeout(ms(400));
    assert_eq!(sent(&mut simulator), [clock_message([1, 0x30, 0, 1, 0x30, 0, 0x11])]);
    simulator.press(ms(410), ClockSide::Left);
    simulator.press(ms(790), ClockSide::Right);
    simulator.handle_timeout(ms(800));
    // Left has used 0.42 s and right 0.38 s: both still show 1:30:00.
    assert_eq!(sent(&mut simulator), squares(&[]));
    simulator.press(ms(900), ClockSide::Left);
    simulator.handle_timeout(ms(1200));
    assert_eq!(sent(&mut simulator), [clock_message([1, 0x30, 0, 1, 0x30, 0, 0x0b])]);
}

#[test]
fn a_stuck_lever_turns_nothing() {
    let mut simulator = board(Some(plain_clock()));
    simulator.start(ms(0));
    sent(&mut simulator);
    simulator.inject(ms(500), Fault::Lever(LeverState::Stuck));
    simulator.press(ms(500), ClockSide::Left);
    assert_eq!(sent(&mut simulator), squares(&[]));
    simulator.inject(ms(600), Fault::Lever(LeverState::Free));
    simulator.press(ms(700), ClockSide::Left);
    assert_eq!(sent(&mut simulator), [clock_message([1, 0x30, 0, 1, 0x30, 0, 0x0b])]);
}
