// SPDX-License-Identifier: GPL-3.0-or-later
//! Both players' hands between two reports, and presses that may be for one move or for another.

use arbiterd::laws::NoticeKind;
use arbiterd::table::Observer;
use arbiterd_board::Colour;

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";

#[test]
fn a_move_is_completed_by_its_press_while_the_opponent_holds_his_piece() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.carry("e2", "e4", 'P');
    t.wait(900);
    t.square("b8", '.');
    t.wait(1500);
    t.press(Colour::White);
    t.go(8000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned()], vec![]));
    assert!(!t.noticed(NoticeKind::UnfinishedMove) && !t.noticed(NoticeKind::OutOfStep));
}

#[test]
fn both_moves_of_one_report_are_recorded_in_the_order_of_play() {
    for touched_before in [false, true] {
        let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
        if touched_before {
            t.carry("e2", "e2", 'P');
            t.wait(500);
        }
        t.press(Colour::White);
        t.wait(300);
        for (square, piece) in [("e5", 'p'), ("e4", 'P'), ("e7", '.'), ("e2", '.')] {
            t.square(square, piece);
        }
        t.wait(300);
        t.press(Colour::Black);
        t.go(5000);
        assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned(), "e7e5".to_owned()], vec![]));
    }
}

/// The pawn was never seen on d5: the knight took it there within a scan.
#[test]
fn what_is_taken_where_it_arrived_is_found_if_only_one_way_leads_there() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/8/5n2/3p4/4P3/8/8/4K3 w - - 0 1");
    t.square("e4", '.');
    t.wait(200);
    t.press(Colour::White);
    t.wait(200);
    t.square("f6", '.');
    t.square("d5", 'n');
    t.wait(200);
    t.press(Colour::Black);
    t.go(5000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e4d5".to_owned(), "f6d5".to_owned()], vec![]));
}

/// One square and a plain capture, or two and one in passing: the board shows the same.
#[test]
fn where_two_ways_lead_to_what_stands_neither_is_recorded_and_a_person_is_called() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/1p6/8/P7/8/8/8/4K3 b - - 0 1");
    t.square("b7", '.');
    t.wait(300);
    t.press(Colour::Black);
    t.wait(300);
    t.square("a5", '.');
    t.square("b6", 'P');
    t.wait(200);
    t.press(Colour::White);
    t.go(12_000);
    assert_eq!((t.moves(), t.kinds()), (vec![], vec![]));
    assert!(t.noticed(NoticeKind::UnfinishedMove));
}

/// White and Black have both replied without a press. Then Black presses for the first of his moves, while
/// the pawn of his next one rests on its way (6.2.2).
#[test]
fn a_late_press_does_not_complete_a_move_that_is_on_its_way() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e4", 'P');
    t.carry("e7", "e5", 'p');
    t.go(600);
    t.carry("g1", "f3", 'N');
    t.go(600);
    t.carry("d7", "d6", 'p');
    t.go(450);
    t.press(Colour::Black);
    t.go(900);
    t.carry("d6", "d5", 'p');
    t.wait(600);
    t.press(Colour::White);
    t.wait(600);
    t.press(Colour::Black);
    t.go(5000);
    let expected = ["e2e4", "e7e5", "g1f3", "d7d5"];
    assert_eq!((t.moves(), t.kinds()), (expected.map(str::to_owned).to_vec(), vec![]));
}

/// But one that stays where it is was pressed for.
#[test]
fn a_press_that_was_expected_late_completes_the_next_move_if_that_stays() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e4", 'P');
    t.carry("e7", "e5", 'p');
    t.go(600);
    t.carry("g1", "f3", 'N');
    t.go(600);
    t.carry("d7", "d6", 'p');
    t.go(450);
    t.press(Colour::Black);
    t.go(5000);
    let expected = ["e2e4", "e7e5", "g1f3", "d7d6"];
    assert_eq!((t.moves(), t.kinds()), (expected.map(str::to_owned).to_vec(), vec![]));
}

#[test]
fn without_a_clock_a_reply_stands_when_the_next_piece_is_taken_up_in_the_same_report() {
    // His own piece, or one that he is going to take.
    for (start, lifted) in [(START, "g1"), ("4k3/4p3/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5")] {
        let mut t = Lagged::begin_without_clock(STANDARD, Observer::Arbiter, start);
        let (from, to, piece) = if lifted == "g1" { ("e2", "e4", 'P') } else { ("e1", "d2", 'K') };
        t.carry(from, to, piece);
        t.go(2000);
        t.square("e7", '.');
        t.wait(300);
        t.square("e6", 'p');
        t.square(lifted, '.');
        t.go(2000);
        assert_eq!((t.moves(), t.kinds()), (vec![format!("{from}{to}")], vec![]));
    }
}
