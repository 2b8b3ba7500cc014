// SPDX-License-Identifier: MIT OR Apache-2.0
//! One board in bus mode, and the ways in and out of it.

use super::*;

/// Board 1025 of version 1.3 in bus mode with a clock of 1:30:00 on both sides.
fn bus_board(placement: &str) -> Simulator {
    let options = Options {
        serial: 1025,
        version: Version { main: 1, sub: 3 },
        placement: placement.parse().unwrap(),
        clock: Some(plain_clock()),
        // Faster than 250 ms, so that two scans lie close enough together for the mark.
        scan_period: Duration::from_millis(200),
        power_up: PowerUp::Bus,
        ..Options::default()
    };
    Simulator::new(Mono::ZERO, options)
}

/// What is sent in answer to a command that is given at `at`, and when.
fn asked(board: &mut Simulator, at: u64, command: &[u8]) -> Vec<(Mono, Vec<u8>)> {
    board.receive(ms(at), command);
    board.handle_timeout(ms(at + 100));
    core::iter::from_fn(|| board.poll_transmission()).collect()
}

fn hex(text: &str) -> Vec<u8> {
    text.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// The answer to a command, which is one frame at the given time.
fn answer(board: &mut Simulator, at: u64, command: &str) -> Vec<u8> {
    let mut frames = asked(board, at, &hex(command));
    assert_eq!(frames.len(), 1, "{command}");
    frames.remove(0).1
}

const REPEAT: &str = "84 08 01 0d";
const CHANGES: &str = "83 08 01 0c";
const FROM_START: &str = "86 08 01 0f";

#[test]
fn vectors_43_and_44_changes_are_told_once() {
    let mut board = bus_board(START);
    board.start(ms(0));
    assert_eq!(&answer(&mut board, 0, CHANGES)[..3], [0x85, 0, 6 + 4 + 64 + 1]);
    assert_eq!(answer(&mut board, 200, CHANGES), hex("85 00 06 08 01 14"));
    board.lift(ms(500), sq("e2"));
    board.place(ms(700), sq("e4"), piece('P'));
    board.press(ms(2000), ClockSide::Left);
    let changes = hex("85 00 0d 08 01 40 34 51 24 71 29 58 76");
    assert_eq!(answer(&mut board, 2500, CHANGES), changes);
    assert_eq!(answer(&mut board, 2700, REPEAT), changes);
    assert_eq!(answer(&mut board, 2900, REPEAT), changes);
    assert_eq!(answer(&mut board, 3100, CHANGES), hex("85 00 06 08 01 14"));
    assert_eq!(answer(&mut board, 3300, REPEAT), hex("85 00 06 08 01 14"));
}

#[test]
fn the_first_changes_are_those_of_being_switched_on() {
    let mut board = bus_board("b7/8/8/8/8/8/8/7K");
    assert_eq!(answer(&mut board, 300, CHANGES), hex("85 00 0e 08 01 7f 7f 7f 6a 5a 00 55 3f 71"));
}

#[test]
fn vector_45_a_ping_is_answered_within_1100_ms() {
    let mut board = bus_board(START);
    assert_eq!(answer(&mut board, 0, "87 08 01 10"), hex("87 00 06 08 01 16"));
    let mut waits = Vec::new();
    for round in 1..=20 {
        let begin = round * 2000;
        board.receive(ms(begin), &hex("87 00 00 07"));
        board.handle_timeout(ms(begin + 1100));
        let (at, frame) = board.poll_transmission().unwrap();
        assert_eq!(frame, hex("87 00 06 08 01 16"));
        waits.push(at.since(ms(begin)));
    }
    // Six bytes take 6.25 ms.
    assert!(waits.iter().all(|wait| *wait <= Duration::from_millis(1093)));
    assert!(
        waits.iter().max().unwrap().saturating_sub(*waits.iter().min().unwrap()) > Duration::from_millis(500)
    );
}

#[test]
fn vector_46_the_clock_is_asked() {
    let mut board = bus_board(START);
    board.start(ms(0));
    assert_eq!(answer(&mut board, 2000, "81 08 01 0a"), hex("84 00 0d 08 01 01 30 00 01 29 58 11 5e"));
}

#[test]
fn vector_47_the_whole_board() {
    let mut board = bus_board(START);
    let frame = answer(&mut board, 100, "82 08 01 0b");
    assert_eq!(&frame[..5], hex("83 00 46 08 01"));
    assert_eq!(&frame[5..13], hex("08 09 0a 0c 0b 0a 09 08"));
    assert_eq!(&frame[61..], hex("02 03 04 06 05 04 03 02 7c"));
}

#[test]
fn vectors_48_and_50_the_start_of_a_game() {
    let mut board = bus_board("b7/8/8/8/8/8/8/8");
    answer(&mut board, 100, CHANGES);
    assert_eq!(answer(&mut board, 300, FROM_START), hex("86 00 06 08 01 15"));
    board.receive(ms(1000), &hex("85 08 01 0e"));
    board.handle_timeout(ms(2000));
    assert_eq!(board.poll_transmission(), Some((ms(1070), hex("88 00 06 08 01 17"))));
    // Nothing of it was fetched yet.
    assert_eq!(answer(&mut board, 2000, FROM_START), hex("86 00 06 08 01 15"));
    assert_eq!(answer(&mut board, 2200, CHANGES), hex("85 00 09 08 01 7b 5a 00 6c"));
    assert_eq!(answer(&mut board, 2400, FROM_START), hex("86 00 09 08 01 7b 5a 00 6d"));
}

#[test]
fn vector_49_the_version() {
    let mut board = bus_board(START);
    assert_eq!(answer(&mut board, 100, "8b 08 01 14"), hex("89 00 08 08 01 01 03 1e"));
    let mut old = bus_board(START);
    old.options.version = Version { main: 1, sub: 2 };
    assert_eq!(answer(&mut old, 100, "8b 08 01 14"), hex("89 00 06 08 01 18"));
}

#[test]
fn the_next_ping_of_everybody_is_ignored_once() {
    let mut board = bus_board(START);
    assert_eq!(answer(&mut board, 100, "8a 08 01 13"), hex("87 00 06 08 01 16"));
    // One to its own address is not.
    assert_eq!(answer(&mut board, 300, "87 08 01 10"), hex("87 00 06 08 01 16"));
    board.receive(ms(500), &hex("87 00 00 07"));
    board.handle_timeout(ms(1700));
    assert_eq!(board.poll_transmission(), None);
    board.receive(ms(1700), &hex("87 00 00 07"));
    board.handle_timeout(ms(2900));
    assert!(board.poll_transmission().is_some());
}

#[test]
fn all_at_once_comes_in_its_order() {
    let mut board = bus_board(START);
    let frames = asked(&mut board, 1000, &hex("8d 08 01 16"));
    assert_eq!(frames.iter().map(|(_, frame)| frame[0]).collect::<Vec<_>>(), [0x85, 0x84, 0x83]);
}

#[test]
fn answers_come_within_milliseconds_or_20_after_a_write() {
    let mut board = bus_board(START);
    assert_eq!(asked(&mut board, 1000, &hex(CHANGES))[0].0, ms(1002));
    board.lift(ms(1100), sq("e2"));
    board.handle_timeout(ms(1200));
    assert_eq!(asked(&mut board, 1205, &hex(CHANGES))[0].0, ms(1220));
}

#[test]
fn other_addresses_and_bad_checksums_are_not_for_it() {
    let mut board = bus_board(START);
    for command in ["83 08 02 0d", "83 08 01 0d", "83 00 00 03", "81 00 00 01", "92 08 01 1b", "df 08 01 68"]
    {
        assert_eq!(asked(&mut board, 1000, &hex(command)), [], "{command}");
    }
    assert_eq!(board.mode(), Mode::Bus);
}

#[test]
fn one_command_waits_while_another_is_answered() {
    let mut board = bus_board(START);
    let three = [hex("81 08 01 0a"), hex("87 08 01 10"), hex("82 08 01 0b")].concat();
    let frames = asked(&mut board, 1000, &three);
    assert_eq!(frames.iter().map(|(_, frame)| frame[0]).collect::<Vec<_>>(), [0x84, 0x87]);
    // 2 ms, thirteen bytes of 1.0417 ms, 2 ms.
    assert_eq!(frames[1].0, Mono::from_micros(1_002_000 + 13_541 + 2000));
}

#[test]
fn no_word_without_a_question() {
    let mut board = bus_board(START);
    board.start(ms(0));
    board.lift(ms(500), sq("e2"));
    board.press(ms(1000), ClockSide::Left);
    board.handle_timeout(ms(10_000));
    assert_eq!(board.poll_transmit(), None);
}

#[test]
fn the_first_bus_command_only_switches_and_is_lost() {
    let mut board = bus_board(START);
    // A command of single mode is recognised in bus mode, and done.
    assert_eq!(answer(&mut board, 1000, "4d"), hex("93 00 05 01 03"));
    assert_eq!(board.mode(), Mode::Idle);
    // With a wrong checksum it is noise.
    assert_eq!(asked(&mut board, 2000, &hex("83 08 01 0d")), []);
    assert_eq!(board.mode(), Mode::Idle);
    assert_eq!(asked(&mut board, 3000, &hex(CHANGES)), []);
    assert_eq!(board.mode(), Mode::Bus);
    assert_eq!(answer(&mut board, 4000, "87 08 01 10"), hex("87 00 06 08 01 16"));
    // Bytes of a bus command are no commands: 41 as an address would ask for the clock.
    board.receive(ms(5000), &hex("40"));
    assert_eq!(asked(&mut board, 5200, &hex("83 41 42 06")), []);
}

#[test]
fn to_bus_mode_and_back() {
    let mut board = bus_board(START);
    board.receive(ms(0), &[0x40]);
    assert_eq!(board.mode(), Mode::Idle);
    board.receive(ms(200), &[0x4b, 0x4a]);
    assert_eq!(board.mode(), Mode::Bus);
    board.receive(ms(400), &hex("88 08 01 11"));
    assert_eq!(board.mode(), Mode::Idle);
    board.lift(ms(500), sq("e2"));
    board.handle_timeout(ms(2000));
    assert_eq!(board.poll_transmit(), None);
}

#[test]
fn a_reset_takes_some_seconds() {
    let mut board = bus_board(START);
    answer(&mut board, 100, CHANGES);
    board.receive(ms(1000), &hex("89 00 00 09"));
    assert_eq!(asked(&mut board, 2000, &hex(CHANGES)), []);
    // The power-up group again: three fillers, the tag, 32 pieces of two bytes, the position.
    let changes = answer(&mut board, 1000 + 3000 + 100, CHANGES);
    assert_eq!(changes.len(), 6 + 4 + 64 + 1);
    assert_eq!((&changes[5..9], changes[73]), (&hex("7f 7f 7f 6a")[..], 0x6f));
}

#[test]
fn a_checksum_can_be_wrong_once() {
    let mut board = bus_board(START);
    board.inject(ms(0), Fault::BadChecksum);
    assert_eq!(answer(&mut board, 100, "87 08 01 10"), hex("87 00 06 08 01 17"));
    assert_eq!(answer(&mut board, 300, "87 08 01 10"), hex("87 00 06 08 01 16"));
}
