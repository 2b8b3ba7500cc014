// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loss of a board, and its return.

use arbiterd_board::{AckOutcome, Driver, LinkState, Request, Stamp};
use core::time::Duration;

use crate::table::{AFTER_E4, START, Table, fen, ms};

#[test]
fn a_stream_that_stops_is_asked_after_and_lost_within_a_second() {
    let mut table = Table::running();
    table.run_until(2000);
    let last = *table.statuses.last().unwrap();
    table.cut = true;
    table.forget();
    table.run_until(5000);
    let end = last.after(Duration::from_secs(1));
    assert_eq!(table.links(), [(LinkState::Down, Stamp { earliest: last, latest: end })]);
    // It was asked for a status meanwhile, and is asked for its version from then on.
    assert_eq!(table.said[0].1, [0xd3, 0xb5, 0xb3]);
    assert!(table.said.iter().any(|(at, b)| *at >= end && *b == [0xd6, 0xb5, 0xb6]));
}

#[test]
fn a_board_that_is_asked_is_lost_after_two_questions() {
    let mut table = Table::on_change();
    table.cut = true;
    let last = *table.statuses.last().unwrap();
    table.forget();
    table.run_until(9000);
    let end = last.after(Duration::from_millis(2 * 1500 + 1000));
    assert_eq!(table.links(), [(LinkState::Down, Stamp { earliest: last, latest: end })]);
}

#[test]
fn what_was_moved_meanwhile_is_a_board_and_no_move() {
    let mut table = Table::running();
    table.cut = true;
    table.run_until(5000);
    table.board.placement = fen(AFTER_E4);
    table.cut = false;
    table.forget();
    table.run_until(8000);
    assert_eq!(table.links().first().map(|(l, _)| *l), Some(LinkState::Up));
    assert_eq!(table.squares(), []);
    assert_eq!(table.boards().first().map(String::as_str), Some(AFTER_E4));
    // It is set up anew: it may be another one.
    assert!(table.heard().contains(&"R02".to_owned()));
}

#[test]
fn requests_are_given_back_when_the_link_is_lost() {
    let mut table = Table::running();
    table.cut = true;
    let board = table.ask(Request::ReadBoard);
    let lights = table.ask(Request::Light(Vec::new()));
    table.run_until(3000);
    for id in [board, lights] {
        assert_eq!(table.acks(id), [AckOutcome::NoAnswer]);
    }
}

#[test]
fn opening_the_line_again_starts_the_conversation_again() {
    let mut table = Table::running();
    table.driver.reset(ms(1000));
    table.run_until(2000);
    let links: Vec<_> = table.links().into_iter().map(|(l, _)| l).collect();
    assert_eq!(links, [LinkState::Up, LinkState::Down, LinkState::Up]);
    assert!(table.boards().iter().all(|b| b == START));
    assert_eq!(table.squares(), []);
}

#[test]
fn a_board_that_restarts_is_asked_everything_again() {
    let mut table = Table::running();
    table.forget();
    let frame = table.board.frame("t");
    table.hear(&frame);
    table.run_until(2000);
    let links: Vec<_> = table.links().into_iter().map(|(l, _)| l).collect();
    assert_eq!(links, [LinkState::Down, LinkState::Up]);
    assert_eq!(table.heard()[..3], ["V", "V", "R00"]);
}

/// Found by the fuzzer: what counts as silence is less once the start is over, and was not looked at
/// again then, so that after a pause of the machine the next deadline lay in the past.
#[test]
fn a_board_that_falls_silent_at_the_end_of_its_start_is_lost_when_the_start_is_over() {
    let mut table = Table::new();
    table.run_until(309);
    table.cut = true;
    let last = *table.statuses.last().unwrap();
    // The last try of X, and then nobody looks for four seconds.
    table.run_until(990);
    assert_eq!(table.said.iter().filter(|(_, bytes)| bytes[0] == 0x58).count(), 3);
    table.now = ms(5000);
    table.driver.handle_timeout(ms(5000));
    assert!(table.driver.poll_timeout().is_some_and(|at| at > ms(5000)));
    table.collect();
    assert_eq!(table.links().last(), Some(&(LinkState::Down, Stamp { earliest: last, latest: ms(5000) })));
}
