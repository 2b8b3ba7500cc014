// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding the boards on a line.

use core::time::Duration;

use arbiterd_board::{Driver, LinkState, Mono, Noise, NoiseCause};
use arbiterd_dgt::bus::{BusCommand, BusFrame, LineCommand};

use crate::line::{Board, Line, START, address, ms};

fn found(line: &Line) -> Vec<u16> {
    line.driver.boards().map(|a| a.number()).collect()
}

fn pings(line: &Line) -> Vec<Mono> {
    let ping = BusFrame::All(LineCommand::Ping);
    line.said.iter().filter(|(_, f)| *f == ping).map(|(at, _)| *at).collect()
}

fn ping_after(line: &mut Line, number: u16, after: &[u64]) {
    line.boards.get_mut(&number).unwrap().ping_after = after.iter().copied().collect();
}

#[test]
fn boards_are_found_and_come_up() {
    let mut line = Line::unknown([1001, 1002, 1003]);
    for (number, after) in [(1001, 900), (1002, 100), (1003, 1050)] {
        ping_after(&mut line, number, &[after]);
    }
    line.run_until(7000);
    // In the order in which they answered.
    assert_eq!(found(&line), [1002, 1001, 1003]);
    // One round that finds them and two that find nobody.
    assert_eq!(pings(&line).len(), 3);
    assert_eq!(pings(&line)[0], ms(500));
    for number in [1001, 1002, 1003] {
        assert_eq!(line.links(number).len(), 1);
        assert_eq!(line.boards_told(number)[0], (START.to_owned(), true));
        // Each was told before each further ping.
        assert_eq!(line.times_said(number, BusCommand::IgnoreNextPing).len(), 2);
    }
    assert_eq!(line.collisions, 0);
    assert_eq!(line.noises(0), []);
    line.run_until(60_000);
    assert_eq!(pings(&line).len(), 3);
}

#[test]
fn boards_whose_answers_meet_are_found_in_a_later_round() {
    let mut line = Line::unknown([1001, 1006]);
    ping_after(&mut line, 1001, &[300]);
    ping_after(&mut line, 1006, &[300, 303, 800]);
    line.run_until(12_000);
    assert_eq!(found(&line), [1001, 1006]);
    // Two rounds of garbage, one that finds both, two that find nobody.
    assert_eq!(pings(&line).len(), 5);
    assert!(!line.noises(0).is_empty());
}

#[test]
fn a_board_that_two_answers_only_looked_like_is_not_believed() {
    // 1001 is 07 69 and 1002 is 07 6a: zeros win, so this is 07 68, and the checksum fits too.
    let mut line = Line::unknown([1001, 1002]);
    ping_after(&mut line, 1002, &[10, 500]);
    line.run_until(12_000);
    assert!(!line.times_said(1000, BusCommand::IgnoreNextPing).is_empty());
    assert_eq!(found(&line), [1001, 1002]);
    assert_eq!(line.times_said(1000, BusCommand::SendVersion), []);
    assert_eq!(line.bodies(1000), []);
}

#[test]
fn a_line_that_is_never_clean_ends_the_search_too() {
    let mut line = Line::unknown([1001]);
    for at in (600..20_000).step_by(500) {
        line.run_until(at);
        line.hear(&[0x87, 0x00]);
    }
    assert_eq!(found(&line), [1001]);
    assert_eq!(line.links(1001).last().map(|(_, state, _)| *state), Some(LinkState::Up));
    // The first finds it, six are noisy, two count.
    assert_eq!(pings(&line).len(), 9);
}

#[test]
fn an_empty_line_is_searched_again() {
    let mut line = Line::unknown([]);
    line.run_until(10_000);
    let times = pings(&line);
    assert_eq!(times.len(), 4);
    assert_eq!(times[1].since(times[0]), Duration::from_millis(1200));
    // Two rounds, and five seconds.
    assert_eq!(times[2].since(times[1]), Duration::from_millis(6200));
    line.boards.insert(1001, Board::default());
    line.run_until(20_000);
    assert_eq!(found(&line), [1001]);
    assert_eq!(line.boards_told(1001)[0], (START.to_owned(), true));
}

#[test]
fn a_line_on_which_all_boards_were_exchanged_is_searched_again() {
    let mut line = Line::unknown([1001]);
    line.run_until(10_000);
    line.boards.remove(&1001);
    line.boards.insert(1002, Board::default());
    line.run_until(30_000);
    assert_eq!(found(&line), [1001, 1002]);
    assert_eq!(line.links(1001).last().map(|(_, state, _)| *state), Some(LinkState::Down));
    assert_eq!(line.links(1002).last().map(|(_, state, _)| *state), Some(LinkState::Up));
}

#[test]
fn nobody_searches_while_a_board_is_up() {
    let mut line = Line::unknown([1001, 1002]);
    ping_after(&mut line, 1002, &[100]);
    line.run_until(10_000);
    let before = pings(&line).len();
    line.boards.get_mut(&1002).unwrap().off = true;
    line.run_until(60_000);
    assert_eq!(pings(&line).len(), before);
}

#[test]
fn a_search_can_be_asked_for() {
    let mut line = Line::new([1001]);
    line.boards.insert(1002, Board::default());
    line.run_until(5000);
    assert_eq!(found(&line), [1001]);
    assert_eq!(pings(&line), []);
    line.driver.discover(line.now);
    line.run_until(12_000);
    assert_eq!(found(&line), [1001, 1002]);
    assert_eq!(line.boards_told(1002)[0], (START.to_owned(), true));
    // The games that were on are not interrupted.
    assert_eq!(line.links(1001).len(), 1);
}

#[test]
fn a_board_on_the_line_that_is_not_configured_is_left_alone() {
    let mut line = Line::new([1001]);
    line.boards.insert(1002, Board::default());
    line.run_until(20_000);
    assert!(line.said.iter().all(|(_, frame)| frame.address() == Some(address(1001))));
}

#[test]
fn a_reset_finds_the_boards_anew() {
    let mut line = Line::unknown([1001]);
    line.run_until(10_000);
    line.boards.insert(1002, Board::default());
    ping_after(&mut line, 1002, &[100]);
    line.driver.reset(line.now);
    line.run_until(20_000);
    assert_eq!(found(&line), [1001, 1002]);
    let states: Vec<LinkState> = line.links(1001).into_iter().map(|(_, state, _)| state).collect();
    assert_eq!(states, [LinkState::Up, LinkState::Down, LinkState::Up]);
}

#[test]
fn a_device_that_answers_pings_and_nothing_else_does_not_hold_up_the_boards() {
    let mut line = Line::unknown([1001, 1002]);
    line.boards.get_mut(&1002).unwrap().pings_only = true;
    ping_after(&mut line, 1002, &[100]);
    line.run_until(20_000);
    assert_eq!(found(&line), [1001]);
    assert_eq!(line.links(1001).len(), 1);
    assert_eq!(line.boards_told(1001)[0], (START.to_owned(), true));
    // Three rounds in which it counts, and two that bring nobody else.
    assert_eq!(pings(&line).len(), 5);
    // It answered each of them, and these answers were noise.
    assert_eq!(line.noises(0), [Noise { bytes: 5 * 6, cause: NoiseCause::OutOfRange }]);
    assert_eq!(line.bodies(1002), []);
}

#[test]
fn a_device_that_answers_pings_and_nothing_else_is_searched_for_ever_less_often() {
    let mut line = Line::unknown([1002]);
    line.boards.get_mut(&1002).unwrap().pings_only = true;
    line.run_until(200_000);
    let times = pings(&line);
    let pauses: Vec<u64> = times.windows(2).map(|p| p[1].since(p[0]).as_secs()).filter(|s| *s > 3).collect();
    assert_eq!(pauses, [6, 11, 21, 41, 41, 41]);
    // A board that is plugged in then is found all the same.
    line.boards.insert(1001, Board::default());
    ping_after(&mut line, 1001, &[500]);
    line.run_until(260_000);
    assert_eq!(found(&line), [1001]);
}

#[test]
fn a_search_ends_whatever_answers() {
    let mut line = Line::unknown([1001]);
    line.run_to_ping();
    // Somebody else each time.
    for number in 2000..2100 {
        line.boards.insert(number, Board { pings_only: true, ping_after: [500].into(), ..Board::default() });
        line.run_to_ping();
        line.boards.remove(&number);
        if line.links(1001).len() == 1 {
            break;
        }
    }
    line.run_until(line.now.as_micros() / 1000 + 60_000);
    assert_eq!(found(&line), [1001]);
    assert_eq!(line.links(1001).len(), 1);
    assert_eq!(pings(&line).len(), 24);
}
