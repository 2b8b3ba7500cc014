// SPDX-License-Identifier: GPL-3.0-or-later
//! One scan that tells of both players in an order of its own, and pieces of which the board shows less than
//! they did.

use arbiterd::laws::NoticeKind;
use arbiterd::table::Observer;
use arbiterd_board::Colour;

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";

/// The rook rests on d8 on its way to e8 when White takes up his knight too early, and one scan tells the rest.
#[test]
fn a_piece_may_be_taken_up_while_the_opponents_is_on_its_way() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "r5k1/8/8/8/8/8/8/1K4N1 b - - 0 1");
    t.carry("a8", "d8", 'r');
    t.wait(200);
    t.square("g1", '.');
    t.wait(200);
    for (square, piece) in [("d8", '.'), ("e8", 'r'), ("f3", 'N')] {
        t.square(square, piece);
    }
    t.wait(200);
    t.press(Colour::Black);
    t.wait(500);
    t.press(Colour::White);
    t.go(4000);
    assert!(!t.record().starts_with("a8d8"), "{}", t.record());
    t.play("g8", "g7", 'k');
    t.go(4000);
    assert!(t.record().is_empty() || t.record() == "a8e8 g1f3 g8g7", "{}", t.record());
}

/// White presses while nothing stands yet; what he puts down certainly after that and slides on is no move.
#[test]
fn a_press_completes_nothing_that_was_put_down_after_it() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.clock();
    t.press(Colour::White);
    t.wait(200);
    t.square("e2", '.');
    t.wait(450);
    t.square("e3", 'P');
    t.wait(800);
    t.carry("e3", "e4", 'P');
    t.go(500);
    t.carry("e7", "e5", 'p');
    t.press(Colour::Black);
    t.go(4000);
    assert_eq!((t.record(), t.kinds()), ("e2e4 e7e5".to_owned(), vec![]));
}

/// Both put a piece down within one scan, and Black's may be his next move: White had taken up his knight when
/// the queen stood on e8.
#[test]
fn the_move_upon_which_the_opponent_took_up_a_piece_is_the_one_that_was_made() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "2q4k/8/8/8/8/8/8/K5N1 b - - 0 1");
    t.carry("c8", "e8", 'q');
    t.wait(100);
    t.press(Colour::Black);
    t.wait(100);
    t.square("g1", '.');
    t.wait(300);
    for (square, piece) in [("e8", '.'), ("d7", 'q'), ("f3", 'N')] {
        t.square(square, piece);
    }
    t.wait(200);
    t.press(Colour::White);
    t.go(600);
    t.carry("d7", "c6", 'q');
    t.press(Colour::Black);
    t.go(5000);
    assert_eq!(t.record(), "c8e8 g1f3 e8c6");
}

/// The pawn rested on b3 and was pressed for; one scan then tells that it stands on b4 and that Black has
/// replied. Either it went on, or it was moved again after the reply: what White plays next tells.
#[test]
fn a_piece_that_rested_on_its_way_may_have_been_moved_twice() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.carry("b2", "b3", 'P');
    t.wait(200);
    t.press(Colour::White);
    for (square, piece) in [("g8", '.'), ("f6", 'n'), ("b4", 'P'), ("b3", '.')] {
        t.square(square, piece);
    }
    t.go(600);
    t.press(Colour::Black);
    t.go(2000);
    assert_eq!(t.record(), "", "it is not known yet");
    t.play("c1", "b2", 'B');
    t.go(3000);
    assert_eq!(t.record(), "b2b4 g8f6 c1b2");
}

/// The same, when the scan tells that Black has lifted his piece before it tells that White's has gone on: within
/// one scan that is no order.
#[test]
fn a_piece_that_is_lifted_in_the_same_scan_was_not_taken_up_before() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.carry("g2", "g3", 'P');
    t.wait(900);
    t.press(Colour::White);
    for (square, piece) in [("g8", '.'), ("g4", 'P'), ("g3", '.'), ("f6", 'n')] {
        t.square(square, piece);
    }
    t.go(600);
    t.press(Colour::Black);
    t.go(2000);
    assert_eq!(t.record(), "", "it is not known yet");
    t.play("b1", "c3", 'N');
    t.go(3000);
    assert_eq!(t.record(), "g2g4 g8f6 b1c3");
}

/// Black's pawn rested on b6 and was gone from there before White took up his: it was taken there, or went on to
/// b5 and was taken in passing (3.7.3.1).
#[test]
fn a_pawn_that_was_taken_one_square_on_may_have_gone_two() {
    let taken_after = |rested: u64| {
        let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/1p6/8/2P5/8/8/8/4K3 b - - 0 1");
        t.carry("b7", "b6", 'p');
        t.wait(rested);
        t.square("b6", '.');
        t.wait(600);
        t.square("c5", '.');
        t.press(Colour::Black);
        t.wait(500);
        t.square("b6", 'P');
        t.wait(300);
        t.press(Colour::White);
        t.go(12_000);
        t
    };
    let soon = taken_after(900);
    assert_eq!(soon.record(), "");
    assert!(soon.noticed(NoticeKind::UnfinishedMove) || soon.noticed(NoticeKind::OutOfStep));
    // A piece does not rest on its way for so long.
    assert_eq!(taken_after(2500).record(), "b7b6 c5b6");
}

/// The pawn was seen where it was taken in passing.
#[test]
fn a_pawn_that_was_seen_two_squares_on_was_taken_in_passing() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/1p6/8/2P5/8/8/8/4K3 b - - 0 1");
    t.carry("b7", "b5", 'p');
    t.wait(300);
    t.press(Colour::Black);
    t.wait(300);
    t.square("b5", '.');
    t.wait(100);
    t.carry("c5", "b6", 'P');
    t.press(Colour::White);
    t.go(5000);
    assert_eq!(t.record(), "b7b5 c5b6");
}

/// What the pawn became was taken before the board showed it: the two half-moves cannot be told, and the next
/// move is none beside pieces that were knocked over (7.4).
#[test]
fn half_moves_that_nobody_can_tell_are_no_accident() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "r4r1k/4P3/8/8/8/5R2/8/K7 w - - 0 1");
    t.square("e7", '.');
    t.wait(300);
    t.square("f8", '.');
    t.wait(600);
    t.square("a8", '.');
    t.press(Colour::White);
    t.wait(400);
    t.square("f8", 'r');
    t.press(Colour::Black);
    t.go(5000);
    t.play("f3", "f4", 'R');
    t.go(5000);
    assert_eq!(t.record(), "");
    assert!(!t.noticed(NoticeKind::PiecesDisplaced));
    assert!(t.noticed(NoticeKind::UnfinishedMove));
}

/// Black's pawn went two squares unseen and was taken in passing, or went one and was taken there: the knight's
/// move before is certain, and pieces of both sides that are elsewhere were not knocked over.
#[test]
fn three_half_moves_of_which_one_cannot_be_told_are_no_accident() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/1p5p/8/2P5/8/8/8/4K1N1 w - - 0 1");
    t.carry("g1", "e2", 'N');
    t.wait(300);
    t.square("b7", '.');
    t.press(Colour::White);
    t.wait(700);
    t.press(Colour::Black);
    t.square("c5", '.');
    t.square("b6", 'P');
    t.wait(300);
    t.press(Colour::White);
    t.wait(900);
    t.carry("h7", "h6", 'p');
    t.wait(200);
    t.press(Colour::Black);
    t.go(12_000);
    assert_eq!(t.record(), "g1e2", "that is certain");
    assert!(!t.noticed(NoticeKind::PiecesDisplaced));
    assert!(t.noticed(NoticeKind::OutOfStep));
}

/// Black has moved and White takes a piece of his with the next one: both are in the hand for long.
#[test]
fn a_piece_that_the_opponent_is_taking_is_no_accident() {
    let fen = "4k3/4p3/5pqn/6P1/8/8/8/4K3 b - - 0 1";
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, fen);
    t.carry("h6", "g4", 'n');
    t.wait(400);
    t.press(Colour::Black);
    t.square("g5", '.');
    t.square("f6", '.');
    t.wait(900);
    t.press(Colour::White);
    t.wait(500);
    t.square("e7", '.');
    t.wait(900);
    t.square("f6", 'p');
    t.wait(900);
    t.press(Colour::Black);
    t.go(8000);
    assert_eq!(t.record(), "h6g4 g5f6 e7f6");
    assert!(!t.noticed(NoticeKind::PiecesDisplaced));
}

/// The knight was never seen on g5, where the pawn took it. No press tells that the pawn has come to its square:
/// after four seconds it is on its way no longer.
#[test]
fn without_a_clock_what_was_taken_unseen_is_recorded_once_its_taker_has_stood() {
    let fen = "4k3/8/7n/8/7P/6P1/8/4K3 b - - 0 1";
    let mut t = Lagged::begin_without_clock(STANDARD, Observer::Arbiter, fen);
    t.square("h6", '.');
    t.wait(800);
    t.square("g3", '.');
    t.square("g4", 'P');
    t.go(9000);
    assert_eq!(t.record(), "", "g3g4 answers no move");
    let fen = "4k3/8/7n/8/8/5P2/8/4K3 b - - 0 1";
    let mut t = Lagged::begin_without_clock(STANDARD, Observer::Arbiter, fen);
    t.square("h6", '.');
    t.wait(800);
    t.square("f3", '.');
    t.square("g4", 'P');
    t.go(3500);
    assert_eq!(t.record(), "", "the pawn may still be on its way");
    t.go(1000);
    assert_eq!(t.record(), "h6g4");
    t.carry("e8", "e7", 'k');
    t.go(3000);
    t.carry("e1", "e2", 'K');
    t.go(3000);
    assert_eq!(t.record(), "h6g4 f3g4 e8e7");
}

/// The rook took on f6 and was taken there before the board showed it.
#[test]
fn without_a_clock_both_of_two_captures_on_one_square_are_recorded() {
    let fen = "4k3/8/5p2/5R2/5q2/8/8/4K3 w - - 0 1";
    let mut t = Lagged::begin_without_clock(STANDARD, Observer::Arbiter, fen);
    for (square, piece) in [("f5", '.'), ("f6", '.'), ("f4", '.'), ("f6", 'q')] {
        t.square(square, piece);
        t.wait(800);
    }
    t.go(10_000);
    t.carry("e1", "e2", 'K');
    t.go(3000);
    t.carry("e8", "e7", 'k');
    t.go(3000);
    assert_eq!(t.record(), "f5f6 f4f6 e1e2");
}

/// The bishop went to e4, the queen went to d3 unseen and was taken there: White's pieces stand as before his
/// move, and his press is for the second one.
#[test]
fn a_piece_that_has_moved_and_taken_back_is_no_press_without_a_move() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/8/8/3q4/8/3B4/8/4K3 w - - 0 1");
    t.carry("d3", "e4", 'B');
    t.square("d5", '.');
    t.wait(100);
    t.square("d3", 'B');
    t.square("e4", '.');
    t.wait(100);
    t.press(Colour::White);
    t.go(2000);
    assert_eq!((t.record(), t.kinds()), (String::new(), vec![]), "it may still be on its way");
    t.go(6000);
    assert_eq!((t.record(), t.kinds()), ("d3e4 d5d3 e4d3".to_owned(), vec![]));
}

/// A press for a move that the reply has completed waits behind another; what is moved later is not pressed by it.
#[test]
fn a_press_that_has_waited_is_not_for_a_move_that_was_made_after_it() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e4", 'P');
    t.carry("e7", "e5", 'p');
    t.go(500);
    t.carry("g1", "f3", 'N');
    t.go(500);
    t.press(Colour::Black);
    t.wait(200);
    t.carry("b8", "c6", 'n');
    t.go(500);
    t.press(Colour::White);
    t.wait(200);
    t.carry("f1", "c4", 'B');
    t.go(500);
    t.carry("g8", "f6", 'n');
    t.wait(100);
    t.press(Colour::Black);
    t.go(8000);
    assert_eq!((t.record(), t.kinds()), ("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6".to_owned(), vec![]));
}

/// The knight went to e5 in the scan that tells Black's reply, and on to f7: it was not taken on h6, which it never
/// reached, for as many knights stand as before.
#[test]
fn a_piece_that_stands_later_was_not_taken_unseen() {
    let fen = "4k1n1/5p2/8/8/6N1/8/8/1N2K3 w - - 0 1";
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, fen);
    t.square("g4", '.');
    t.wait(800);
    for (square, piece) in [("h6", 'n'), ("g8", '.'), ("e5", 'N')] {
        t.square(square, piece);
    }
    t.go(1500);
    t.square("e5", '.');
    t.wait(500);
    t.square("f7", 'N');
    t.square("h6", '.');
    t.wait(200);
    t.press(Colour::White);
    t.wait(20);
    t.square("h6", 'n');
    t.go(8000);
    t.square("f7", '.');
    t.wait(100);
    t.play("h6", "f7", 'n');
    t.go(5000);
    assert_eq!(t.record(), "g4e5 g8h6 e5f7 h6f7");
}

/// White's pawn went one square or two, Black took it unseen and was taken himself: the pawn that took last is not
/// the one that went first.
#[test]
fn a_pawn_that_takes_last_is_not_the_pawn_that_went_first() {
    let fen = "4k3/8/8/8/1p6/8/1PP5/4K3 w - - 0 1";
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, fen);
    t.square("c2", '.');
    t.wait(900);
    t.press(Colour::White);
    t.wait(600);
    t.square("b4", '.');
    t.wait(400);
    t.square("c3", 'p');
    t.wait(200);
    t.press(Colour::Black);
    t.go(2500);
    for (square, piece) in [("b2", '.'), ("c3", '.'), ("c3", 'P')] {
        t.square(square, piece);
        t.wait(400);
    }
    t.press(Colour::White);
    t.go(12_000);
    assert_eq!((t.record(), t.kinds()), (String::new(), vec![]));
    assert!(t.noticed(NoticeKind::UnfinishedMove) || t.noticed(NoticeKind::OutOfStep));
}

/// Two half-moves that came while the board was not heard of may have been any number of half-moves.
#[test]
fn what_a_whole_report_shows_much_later_is_no_two_half_moves() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.go(5000);
    t.whole("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    t.press(Colour::White);
    t.go(500);
    t.press(Colour::Black);
    t.go(10_000);
    assert_eq!((t.record(), t.kinds()), (String::new(), vec![]));
    assert!(t.noticed(NoticeKind::OutOfStep));
}
