// SPDX-License-Identifier: GPL-3.0-or-later
//! Pieces that are knocked over beside a legal move (FIDE 7.4): the move is completed by its press, and the
//! arbiter is told which squares to look at.

use arbiterd::laws::NoticeKind;
use arbiterd::table::Observer;
use arbiterd_board::Colour;

use super::lagged::Lagged;

const STANDARD: &str = "fide-2023-standard";
const CHECK: &str = "6k1/5pp1/7p/8/8/8/5PPP/4R1K1 w - - 0 30";

fn begin(fen: &str) -> Lagged {
    Lagged::begin(STANDARD, Observer::Arbiter, fen)
}

/// The squares that were named, and whose they are to put right.
fn named(t: &Lagged) -> Vec<(String, Option<Colour>)> {
    let told = t.notices.iter().filter(|n| n.kind == NoticeKind::PiecesDisplaced);
    told.map(|n| (n.squares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), n.side)).collect()
}

#[test]
fn a_move_with_own_pieces_knocked_over_is_the_move() {
    let mut t = begin(CHECK);
    for square in ["e1", "f2", "g2"] {
        t.square(square, '.');
        t.wait(50);
    }
    t.square("e8", 'R');
    t.wait(200);
    t.press(Colour::White);
    t.go(3000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e1e8".to_owned()], vec![]));
    assert_eq!(named(&t), [("f2 g2".to_owned(), Some(Colour::White))]);
    t.square("f2", 'P');
    t.square("g2", 'P');
    t.go(1000);
    t.play("g8", "h7", 'k');
    assert_eq!((t.moves(), t.kinds()), (vec!["e1e8".to_owned(), "g8h7".to_owned()], vec![]));
    assert!(!t.noticed(NoticeKind::OutOfStep) && named(&t).len() == 1);
}

#[test]
fn a_piece_that_is_swept_off_while_the_move_is_released_is_no_part_of_it() {
    let mut t = begin(CHECK);
    t.carry("e1", "e8", 'R');
    t.square("h2", '.');
    t.wait(50);
    t.press(Colour::White);
    t.go(4000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e1e8".to_owned()], vec![]));
    assert_eq!(named(&t), [("h2".to_owned(), Some(Colour::White))]);
}

#[test]
fn beside_a_piece_of_the_opponents_that_was_moved_nothing_is_completed() {
    let mut t = begin(CHECK);
    t.square("e1", '.');
    t.carry("h6", "g5", 'p');
    t.square("e8", 'R');
    t.wait(200);
    t.press(Colour::White);
    t.go(7000);
    assert_eq!((t.moves(), t.kinds()), (vec![], vec![]), "Black's piece was moved: whose hand was it?");
    assert_eq!(named(&t), []);
    assert!(t.noticed(NoticeKind::UnfinishedMove));
}

#[test]
fn where_either_of_two_moves_can_be_the_accident_neither_is_taken_for_the_move() {
    let mut t = begin(CHECK);
    t.square("e1", '.');
    t.carry("f2", "f3", 'P');
    t.square("e8", 'R');
    t.wait(200);
    t.press(Colour::White);
    t.go(7000);
    assert_eq!((t.moves(), t.kinds(), named(&t)), (vec![], vec![], vec![]));
    assert!(t.noticed(NoticeKind::UnfinishedMove));
}

#[test]
fn castling_with_the_rook_in_the_hand_is_not_complete() {
    let mut t = begin("4k3/8/8/8/8/8/P7/4K2R w K - 0 1");
    t.square("h1", '.');
    t.carry("e1", "g1", 'K');
    t.press(Colour::White);
    t.go(3000);
    assert_eq!((t.moves(), t.kinds(), named(&t)), (vec![], vec![], vec![]));
}

#[test]
fn a_witness_completes_it_and_tells_nobody() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, CHECK);
    t.square("f2", '.');
    t.carry("e1", "e8", 'R');
    t.press(Colour::White);
    t.go(3000);
    assert_eq!((t.moves(), named(&t)), (vec!["e1e8".to_owned()], vec![]));
}
