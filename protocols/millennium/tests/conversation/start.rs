// SPDX-License-Identifier: MIT OR Apache-2.0
//! The start of a conversation, with every kind of board.

use arbiterd_board::{
    Capabilities, Channel, ClockControl, Driver, LinkState, Mono, ReportBody, Request, RequestError, Run,
    Sensing, Version,
};
use arbiterd_millennium::{ByteParity, MillenniumDriver, Transport};
use core::time::Duration;

use crate::board::Board;
use crate::table::{E2_LIFTED, START, Table, board, fen, ms, scan, sq};

/// What all else rests on is asked until two answers in a row agree.
const START_SEQUENCE: [&str; 14] =
    ["V", "V", "R00", "R00", "R01", "R01", "R02", "R02", "R03", "R03", "R04", "R04", "S", "X"];

#[test]
fn a_board_is_asked_in_the_order_of_the_description() {
    let table = Table::running();
    assert_eq!(table.heard()[..14], START_SEQUENCE);
    assert_eq!(table.heard()[14..], [] as [String; 0], "nothing is said while statuses stream");
    assert_eq!(table.board.wrong, [] as [Vec<u8>; 0]);
    // The first word after 100 ms of silence, and 15 ms between an answer and the next.
    let times: Vec<u64> = table.said.iter().map(|(at, _)| at.as_micros() / 1000).collect();
    assert_eq!(times, [115, 130, 145, 160, 175, 190, 205, 220, 235, 250, 265, 280, 295, 310]);
}

#[test]
fn the_link_is_up_when_the_board_has_answered_and_a_board_is_told_when_two_agree() {
    let mut table = Table::new();
    table.run_until(114);
    assert_eq!(table.bodies(), []);
    table.run_until(1000);
    let bodies = table.bodies();
    assert_eq!(bodies[0], ReportBody::Link(LinkState::Up));
    assert_eq!(bodies[1], scan(START), "what is seen before is evidence");
    let identity = match &bodies[2] {
        ReportBody::Identity(identity) => identity.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((identity.family.as_str(), identity.serial), ("millennium", None));
    assert_eq!(identity.firmware, Some(Version { main: 1, sub: 3 }));
    let observed: Vec<_> =
        bodies[3..].iter().filter(|b| !matches!(b, ReportBody::Capabilities(_))).cloned().collect();
    // Two scans of the stream agree, and the answer to the question agrees with them.
    assert_eq!(observed, [scan(START), board(START), board(START)]);
    assert_eq!(table.driver.byte_parity(), ByteParity::Odd);
}

/// 2 scans of 40.96 ms until it is seen, 17.4 ms of line and as much for each of two statuses before it,
/// 16 ms of USB, two scans to bear it out and one more if a question was asked meanwhile.
#[test]
fn the_capabilities_tell_the_lag_and_that_there_is_no_clock() {
    let table = Table::running();
    let expected = Capabilities {
        sensing: Sensing::Pieces,
        clock: ClockControl::None,
        board_lag: Duration::from_micros(5 * 40_960 + 3 * 17_447 + 16_000),
        clock_lag: Duration::ZERO,
    };
    assert_eq!(table.driver.capabilities(Channel(0)), expected);
    let told = table.reports.iter().rev().find_map(|r| match r.body {
        ReportBody::Capabilities(capabilities) => Some(capabilities),
        _ => None,
    });
    assert_eq!(told, Some(expected));
}

/// A board may be switched on long after the port was opened.
#[test]
fn a_board_without_parity_is_looked_for_again_in_every_tenth_round() {
    let mut table = Table::new();
    table.cut = true;
    table.run_until(60_000);
    let tries: Vec<usize> =
        table.said.iter().map(|(_, bytes)| bytes.len()).filter(|l| [1, 3].contains(l)).collect();
    let bare: Vec<usize> = (0..tries.len()).filter(|at| tries[*at] == 1).collect();
    assert_eq!(bare[..3], [3, 34, 65], "after three tries, and then after thirty more");
}

#[test]
fn nobody_is_asked_three_times_then_once_without_parity_and_then_left_in_peace() {
    let mut table = Table::new();
    table.cut = true;
    table.run_until(4500);
    let said: Vec<(u64, usize)> =
        table.said.iter().map(|(at, bytes)| (at.as_micros() / 1000, bytes.len())).collect();
    // Three tries, a bare V, a second of rest, three tries, a second of rest.
    let expected = [(115, 3), (415, 3), (715, 3), (1030, 1), (2360, 3), (2660, 3), (2960, 3), (4290, 3)];
    assert_eq!(said, expected);
    assert_eq!(table.said[3].1, [0xd6]);
    assert_eq!(table.bodies(), []);
    table.cut = false;
    table.run_until(6000);
    assert_eq!(table.boards().first().map(String::as_str), Some(START));
}

#[test]
fn over_bluetooth_there_is_more_time() {
    let mut table = Table::with(Transport::Bluetooth, Board::new(fen(START)));
    table.cut = true;
    table.run_until(2300);
    let times: Vec<u64> = table.said.iter().map(|(at, _)| at.as_micros() / 1000).collect();
    assert_eq!(times, [200, 1200, 2200]);
}

#[test]
fn a_board_without_block_parity_is_found_and_put_right_once() {
    let mut board = Board::new(fen(START));
    board.registers[0] = 1;
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(3000);
    assert_eq!(table.board.registers[0], 0);
    assert_eq!(table.count("W"), 1);
    assert_eq!(table.boards().first().map(String::as_str), Some(START));
}

#[test]
fn a_newer_board_that_recognises_pieces_is_asked_who_it_is() {
    let mut board = Board::new(fen(START));
    board.version = "0200";
    board.information = Some("55mm");
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(1000);
    assert_eq!(table.heard()[..5], ["V", "V", "I00", "I00", "R00"]);
    assert!(!table.heard().contains(&"R06".to_owned()));
    assert_eq!(table.driver.capabilities(Channel(0)).sensing, Sensing::Pieces);
    assert_eq!(table.boards().first().map(String::as_str), Some(START));
}

fn e_one() -> Board {
    let mut board = Board::new(fen(START));
    board.version = "0200";
    board.information = Some("e-one 1.0");
    board.odd_parity = false;
    board
}

const OCCUPIED: &str = "????????/????????/8/8/8/8/????????/????????";

#[test]
fn the_letters_of_an_eone_are_not_believed() {
    let mut table = Table::with(Transport::Wired, e_one());
    table.run_until(1000);
    assert_eq!(table.driver.capabilities(Channel(0)).sensing, Sensing::Occupancy);
    assert_eq!(table.boards().first().map(String::as_str), Some(OCCUPIED));
    assert_eq!(table.driver.byte_parity(), ByteParity::None);
    table.board.placement = fen(E2_LIFTED);
    table.run_until(1100);
    // A piece that it takes for another one is no change.
    table.board.placement[sq("d1")] =
        arbiterd_board::Occupant::Piece(arbiterd_board::Piece::from_letter('N').unwrap());
    table.run_until(2000);
    assert_eq!(table.squares().len(), 1);
    assert!(table.heard().contains(&"R06".to_owned()));
    assert_eq!(table.count("W"), 0, "its options do");
}

#[test]
fn an_eone_is_told_to_know_no_rules_and_not_to_turn_itself() {
    let mut board = e_one();
    board.registers[6] = 0xea;
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(1000);
    // Bits 5 and 2 are cleared, the others stay.
    assert_eq!(table.board.registers[6], 0xca);
    assert_eq!(table.count("W"), 1);
    table.driver.reset(ms(1000));
    table.run_until(2500);
    assert_eq!(table.count("W"), 1);
}

#[test]
fn a_newer_board_that_does_not_say_what_it_is_may_be_one() {
    let mut board = e_one();
    board.information = None;
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(2500);
    assert_eq!(table.count("I00"), 3);
    assert_eq!(table.driver.capabilities(Channel(0)).sensing, Sensing::Occupancy);
    assert_eq!(table.boards().first().map(String::as_str), Some(OCCUPIED));
    // It is asked again, and believed when it has said twice what it is.
    table.run_until(11_000);
    assert_eq!(table.count("I00"), 4);
    table.board.information = Some("55mm");
    table.run_until(23_000);
    assert_eq!(table.count("I00"), 6);
    assert_eq!(table.driver.capabilities(Channel(0)).sensing, Sensing::Pieces);
    assert_eq!(table.boards().last().map(String::as_str), Some(START));
    assert_eq!(table.squares(), [], "what is known better now is no change");
}

#[test]
fn a_status_between_a_command_and_its_answer_disturbs_neither() {
    let mut table = Table::new();
    for at in (0..1000).step_by(7) {
        table.board.before_answer = Some(fen(START));
        table.run_until(at);
    }
    assert_eq!(table.heard()[..14], START_SEQUENCE);
    assert_eq!(table.count("V"), 2);
    assert!(table.boards().iter().all(|b| b == START));
}

#[test]
fn an_answer_of_another_register_is_no_answer() {
    let mut table = Table::new();
    table.run_until(160);
    assert_eq!(table.heard(), ["V", "V", "R00", "R00"]);
    // R00 was answered; while R01 waits, others come.
    table.board.deaf = Some((b'R', 1));
    table.run_until(180);
    let stray = table.board.frame("r0233");
    table.hear(&stray);
    table.run_until(1500);
    assert_eq!(table.count("R01"), 2, "asked three times, heard twice");
    assert_eq!(table.count("W"), 0, "the stray 33 is believed of no register");
}

#[test]
fn an_open_line_is_needed_for_anything() {
    let mut driver = MillenniumDriver::new();
    driver.receive(ms(1), b"v010374");
    driver.handle_timeout(Mono::from_millis(10_000));
    assert_eq!(driver.poll_timeout(), None);
    assert_eq!(driver.poll_transmit(), None);
    assert_eq!(driver.poll_report(), None);
}

#[test]
fn requests_that_cannot_be_done_are_refused_and_nothing_is_said() {
    let mut table = Table::new();
    let ask =
        |table: &mut Table, channel, request| table.driver.request(table.now, Channel(channel), request);
    assert_eq!(ask(&mut table, 0, Request::ReadBoard), Err(RequestError::LinkDown));
    table.run_until(1000);
    assert_eq!(ask(&mut table, 1, Request::ReadBoard), Err(RequestError::NoSuchChannel(Channel(1))));
    table.forget();
    let time = Duration::from_secs(60);
    for request in [
        Request::ReadClock,
        Request::SetClock { left: time, right: time, run: Run::Stopped },
        Request::ShowText { text: "hello".to_owned(), beep: time },
        Request::ShowTimes,
        Request::Beep(time),
    ] {
        assert_eq!(ask(&mut table, 0, request), Err(RequestError::NotSupported { what: "a clock" }));
    }
    table.run_until(1200);
    assert_eq!(table.said, []);
}
