// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two boards on the line with one address.

use arbiterd_board::{LinkState, ReportBody, Trouble};
use arbiterd_dgt::bus::BusCommand::{RepeatChanges, SendBoard, SendChanges, SendClock};

use arbiterd_dgt::log::Record;

use crate::line::{Board, Fault, Line};

fn troubles(line: &Line) -> usize {
    let shared = ReportBody::Trouble(Trouble::SharedAddress);
    line.reports.iter().filter(|(_, _, r)| r.body == shared).count()
}

#[test]
fn two_answers_to_each_question_are_two_boards() {
    let mut line = Line::new([1001, 1025]);
    line.twin = Some((1025, Board::default(), Some(30)));
    line.run_until(10_000);
    let shared = ReportBody::Trouble(Trouble::SharedAddress);
    assert_eq!(line.bodies(1025).iter().filter(|body| **body == shared).count(), 1);
    assert_eq!(troubles(&line), 1);
}

#[test]
fn dumps_that_are_always_damaged_while_all_else_is_good_are_two_boards() {
    let mut line = Line::new([1001, 1025]);
    line.run_until(3000);
    let mut twin = Board::default();
    twin.change("e2", '.');
    twin.noted.clear();
    line.twin = Some((1025, twin, None));
    line.run_until(30_000);
    assert!(line.bodies(1025).contains(&ReportBody::Trouble(Trouble::SharedAddress)));
    assert_eq!(troubles(&line), 1);
    assert_eq!(line.links(1025).len(), 1);
}

#[test]
fn a_shared_address_is_told_again_when_the_board_was_lost_and_is_back() {
    let mut line = Line::new([1001, 1025]);
    line.twin = Some((1025, Board::default(), Some(30)));
    line.run_until(10_000);
    assert_eq!(troubles(&line), 1);
    // One of the two is switched off and on.
    line.board().note(Record::PowerUp);
    line.run_until(14_000);
    let links = line.links(1025).len();
    assert!(links >= 3, "up, down and up again: {links}");
    assert_eq!(troubles(&line), 2);
    let shared = ReportBody::Trouble(Trouble::SharedAddress);
    let up = line.bodies(1025).iter().rposition(|body| *body == ReportBody::Link(LinkState::Up)).unwrap();
    assert!(line.bodies(1025)[up..].contains(&shared), "told after the link");
}

#[test]
fn two_answers_to_one_ping_are_two_boards() {
    let mut line = Line::unknown([1025]);
    let ping_after = [600].into();
    // When they are asked by their address, both say the same at the same moment.
    line.twin = Some((1025, Board { ping_after, ..Board::default() }, None));
    line.run_until(8000);
    assert!(line.bodies(1025).contains(&ReportBody::Trouble(Trouble::SharedAddress)));
    assert_eq!(troubles(&line), 1);
}

#[test]
fn late_and_damaged_answers_of_one_board_are_not_two() {
    let mut line = Line::running();
    for round in 0..20 {
        line.faults.extend([(1025, SendClock, Fault::Late(110)), (1025, SendChanges, Fault::Late(100))]);
        line.faults.extend([(1025, SendBoard, Fault::Damaged), (1025, RepeatChanges, Fault::Damaged)]);
        line.run_until(4000 + 1500 * round);
    }
    line.run_until(40_000);
    assert_eq!(line.faults, []);
    assert_eq!(troubles(&line), 0);
}
