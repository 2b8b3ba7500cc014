// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lights.

use arbiterd_board::{AckOutcome, Request};
use arbiterd_millennium::Transport;
use arbiterd_millennium::wire::{Cable, Command, Lights};

use crate::board::Board;
use crate::table::{START, Table, fen, sq};

fn squares(names: &[&str]) -> Request {
    Request::Light(names.iter().map(|name| sq(name)).collect())
}

fn frame(names: &[&str]) -> Vec<u8> {
    let squares: Vec<_> = names.iter().map(|name| sq(name)).collect();
    Command::Lights(Lights::squares(&squares, Cable::Left)).encode()
}

#[test]
fn lights_are_set_and_acknowledged() {
    let mut table = Table::running();
    table.forget();
    let id = table.ask(squares(&["e2", "e4"]));
    assert_eq!(table.acks(id), [AckOutcome::Accepted]);
    assert_eq!(table.said.iter().map(|(_, b)| b.clone()).collect::<Vec<_>>(), [frame(&["e2", "e4"])]);
}

#[test]
fn no_squares_are_all_lights_off() {
    let mut table = Table::running();
    table.forget();
    let id = table.ask(squares(&[]));
    assert_eq!(table.acks(id), [AckOutcome::Accepted]);
    assert_eq!(table.heard(), ["X"]);
}

#[test]
fn only_the_newest_waits() {
    let mut table = Table::running();
    table.forget();
    table.cut = true;
    let first = table.ask(squares(&["a1"]));
    let second = table.ask(squares(&["b2"]));
    let third = table.ask(squares(&["c3"]));
    assert_eq!(table.acks(second), [AckOutcome::TooLate], "it was never sent");
    table.cut = false;
    table.run_until(1400);
    // The first was lost on the line and is said again, then the third.
    let said: Vec<_> = table.said.iter().map(|(_, b)| b.clone()).filter(|b| b.len() > 3).collect();
    assert_eq!(said, [frame(&["a1"]), frame(&["a1"]), frame(&["c3"])]);
    assert_eq!(table.acks(first), [AckOutcome::Accepted]);
    assert_eq!(table.acks(third), [AckOutcome::Accepted]);
}

#[test]
fn lights_that_are_not_acknowledged_are_given_up_after_three_tries() {
    let mut board = Board::new(fen(START));
    board.mute = vec![b'L'];
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(1000);
    let id = table.ask(squares(&["e4"]));
    table.run_until(3000);
    assert_eq!(table.count("L"), 3);
    assert_eq!(table.acks(id), [AckOutcome::NoAnswer]);
    assert_eq!(table.links().len(), 1, "the board is there all the same");
}

#[test]
fn a_board_that_never_acknowledges_is_told_once() {
    let mut board = Board::new(fen(START));
    board.version = "0110";
    board.mute = vec![b'L', b'X'];
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(2000);
    let id = table.ask(squares(&["e4"]));
    table.run_until(3000);
    assert_eq!(table.count("L"), 1);
    assert_eq!(table.acks(id), [AckOutcome::Accepted]);
}

#[test]
fn lights_and_questions_take_turns() {
    let mut table = Table::on_change();
    table.forget();
    for at in 0..20 {
        table.ask(Request::ReadBoard);
        table.ask(squares(&["e4"]));
        table.run_until(3000 + at * 300);
    }
    assert!(table.count("L") >= 10 && table.count("S") >= 10);
}
