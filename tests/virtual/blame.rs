// SPDX-License-Identifier: GPL-3.0-or-later
//! Nobody is accused of what the other may have done, of what nobody saw, or by a press that he still owed.

use arbiterd::laws::{NotCovered, Notice, RulingKind};
use arbiterd::table::Observer;
use arbiterd_board::Colour;

use super::lagged::{Lagged, START};
use super::quick_play::{called, is_beginning, told};

fn left(t: &Lagged, why: NotCovered) -> usize {
    t.notices.iter().filter(|n: &&Notice| n.not_covered == Some(why)).count()
}

// ----- presses that are owed (6.2.2) -------------------------------------------------------------

/// Three half-moves that are completed by the reply, and then the three presses for them.
#[test]
fn both_press_late_after_three_half_moves() {
    let moves = "e2. 200 e4P 900 e7. 200 e5p 900 g1. 200 f3N";
    for presses in ["500 W 900 B 900 W", "500 W 150 B 150 W", "500 W 1500 B 1500 W", "3000 W 700 B 700 W"] {
        let t = told(START, false, &format!("{moves} {presses}"));
        assert_eq!((t.record().as_str(), t.kinds()), ("e2e4 e7e5 g1f3", vec![]), "{presses}");
        // A first illegal move does not lose.
        let t = told(START, false, &format!("{moves} {presses} 3000 b8. 200 b5n 500 B"));
        assert_eq!((t.kinds(), t.result()), (vec![RulingKind::IllegalMove], "*"), "{presses}");
    }
}

#[test]
fn both_press_late_after_four_half_moves() {
    let t = told(
        START,
        false,
        "e2. 200 e4P 400 W 2000 e7. 200 e5p 900 g1. 200 f3N 900 b8. 200 c6n 600 B 700 W 700 B",
    );
    assert_eq!((t.record().as_str(), t.kinds()), ("e2e4 e7e5 g1f3 b8c6", vec![]));
}

/// All presses came before the board told of the moves; the one after the last of them is for nothing.
#[test]
fn a_press_that_was_heard_is_not_owed_any_more() {
    let t = told(
        "4k3/8/3n4/8/4N3/8/8/4K3 b - - 0 3",
        false,
        "d6. 200 b5n 200 e4. 89 B 111 200 g5N 289 W 311 e8. 200 d8k 289 B 2711 e1. 200 f1K 289 W 3200 B",
    );
    assert_eq!(t.record(), "d6b5 e4g5 e8d8 e1f1");
    assert!(t.kinds() == [RulingKind::PressWithoutMove] || left(&t, NotCovered::PressMayBeLate) == 1);
}

// ----- whose hand -------------------------------------------------------------------------------

/// White's pawn stood on e4 when he pressed, and somebody pushed it on.
#[test]
fn what_the_opponent_may_have_pushed_on_is_no_illegal_move() {
    for after in [50, 200, 399] {
        let t = told(START, false, &format!("e2. 200 e4P 500 W {after} e4. 200 e5P 2000 e5. 200 e4P 5000"));
        assert_eq!(t.kinds(), vec![], "{after}");
    }
    let t = told(START, false, "e2. 200 e4P 500 W 200 e4. 200 e5P 20000");
    assert_eq!((t.kinds(), left(&t, NotCovered::MovedOn)), (vec![], 1), "it is left to the arbiter");
    let t = told(START, false, "e2. 200 e5P 500 W");
    assert_eq!(t.kinds(), vec![RulingKind::IllegalMove], "nobody but he can have done that");
}

/// White's pawn stood on e4 when he pressed, and somebody put it back.
#[test]
fn what_the_opponent_may_have_put_back_is_no_press_without_a_move() {
    let back = "whole:rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    for after in ["200 e4. 200 e2P", "50 e4. 50 e2P", back] {
        let t = told(START, false, &format!("e2. 200 e4P 700 W {after} 5000"));
        assert_eq!((t.kinds(), left(&t, NotCovered::MovedOn)), (vec![], 1), "{after}: {:?}", t.notices);
    }
    let t = told(START, false, "e2. 200 e4P 1000 e4. 200 e2P 1200 tick 1300 W 3000");
    assert_eq!(t.kinds(), vec![RulingKind::PressWithoutMove], "he had put it back long before");
}

/// Black takes on e4 and lays the pawn that he took on h5 for a moment.
#[test]
fn a_taken_piece_that_is_laid_on_the_board_is_no_move_of_its_owner() {
    let t = told(
        "rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        false,
        "e2. 200 e4P 400 W 250 e4. 150 h5P 800 h5. 100 d5. 250 e4p 500 B",
    );
    assert!(is_beginning(&t, "e2e4 d5e4"), "{}", t.record());
    assert_eq!(t.kinds(), vec![]);
}

/// While White takes the pawn that went to b3, the board shows another on h4.
#[test]
fn a_piece_that_is_shown_falsely_beside_a_capture_is_no_move() {
    let t = told(
        "4k3/1p1p1p2/8/2P1P1P1/1p1p1p2/8/2P1P1P1/4K3 b - - 0 1",
        false,
        "b4. 200 b3p 500 B 200 b3. 100 h4p 2000 h4. 300 c2. 300 b3P 435 W",
    );
    assert!(is_beginning(&t, "b4b3 c2b3"), "{}", t.record());
    assert_eq!(t.kinds(), vec![]);
}

// ----- what nobody saw --------------------------------------------------------------------------

/// A pair of moves is played while the line is down.
#[test]
fn what_was_played_while_the_line_was_down_is_neither_knocked_over_nor_illegal() {
    for gap in ["1000 up", "6000 up", "200 up 800 tick"] {
        for (then, next) in [
            ("e6. 200 e5p 500 B 3000 c3. 200 d5N 500 W", "2N5/PPPP1PPP/R1BQKBNR"),
            ("e6. 200 e5p 500 B 3000 f3. e5. 200 e5N 500 W", "5N2/PPPP1PPP/RNBQKB1R"),
        ] {
            let script = format!(
                "e2. 200 e4P 500 W 2000 lost {gap} whole:rnbqkbnr/pppp1ppp/4p3/8/4P3/{next} 50 tick 5500 {then}"
            );
            let t = told(START, false, &script);
            assert_eq!((t.record().as_str(), t.kinds(), called(&t)), ("e2e4", vec![], true), "{script}");
        }
    }
}

#[test]
fn kings_that_went_on_while_the_line_was_down_are_not_accused() {
    let t = told(
        "8/5k2/8/3K4/8/8/8/8 b - - 1 1",
        false,
        "f7. 300 f6k 300 B 200 lost 3000 up whole:8/8/3K1k2/8/8/8/8/8 50 W 4000 f6. 200 g5k 1000 B 6000 d6. \
         300 d5K 1000 W 5000 g5. 300 h5k 400 B 5000",
    );
    assert_eq!(t.kinds(), vec![], "{}", t.record());
}

/// The position of the record comes back by Black's last move, for which he presses.
#[test]
fn who_comes_back_to_the_position_of_the_record_has_moved() {
    let t = told(
        "8/8/3k4/4p3/4P3/8/4K3/8 b - - 1 1",
        false,
        "lost 300 up whole:8/8/4k3/4p3/4P3/3K4/8/8 9000 d3. 300 e2K 500 W 4000 e6. 300 d6k 500 B 4000",
    );
    assert_eq!((t.record().as_str(), t.kinds()), ("", vec![]));
    assert!(called(&t));
}

// ----- nobody is silenced -----------------------------------------------------------------------

/// Black presses before he has put down what he took, White takes at once and presses too.
#[test]
fn a_press_of_the_opponent_does_not_cancel_a_call() {
    let script = "e2. 200 e4P 400 W 3000 d7. 300 B 100 e4. 200 d5P 300 W 300 d8. 200 d5. 200 d5q 300 B 3000";
    for last in ["", " W 60000"] {
        let t = told(START, false, &format!("{script}{last}"));
        assert!(is_beginning(&t, "e2e4 d7d5 e4d5 d8d5"), "{}", t.record());
        assert!(t.moves().len() >= 3 || called(&t), "{} {:?}", t.record(), t.notices);
    }
}

#[test]
fn an_early_press_that_is_pressed_back_is_told() {
    let t = told(START, false, "e2. 400 W 1000 B 30000");
    assert!(called(&t), "White's pawn is in nobody's sight");
}

/// A witness rules on claims only (12.6).
#[test]
fn a_witness_is_told_nothing_of_it() {
    let mut t = Lagged::begin("fide-2023-standard", Observer::Witness, START);
    t.carry("e2", "e4", 'P');
    t.press(Colour::White);
    t.go(200);
    t.carry("e4", "e5", 'P');
    t.go(20_000);
    assert_eq!((t.kinds(), left(&t, NotCovered::MovedOn)), (vec![], 0));
}

// ----- moves that were not made ------------------------------------------------------------------

/// White's king goes to e4, and on to e3 after a half-move that nobody saw: d4 to e3 is a king's move too.
#[test]
fn what_was_played_while_the_line_was_down_is_not_made_one_with_what_is_played_after() {
    let t = told(
        "8/5k2/8/8/3K4/8/8/8 w - - 0 1",
        false,
        "d4. 200 e4K 258 W lost 2842 up whole:5k2/8/8/8/4K3/8/8/8 50 tick 358 B 1142 e4. 200 e3K 658 W 5342 f8. \
         300 e8k 358 B 5642 e3. 300 d3K 558 W",
    );
    assert_eq!((t.record().as_str(), t.kinds(), called(&t)), ("", vec![], true));
}

/// Two captures are played while the line is down: four squares are empty that nobody swept.
#[test]
fn what_was_taken_while_the_line_was_down_was_not_knocked_over() {
    let t = told(
        "r2q1rk1/p3ppbp/2pp1np1/8/4P1b1/2N1B3/PPPQBPPP/R4RK1 w - - 0 10",
        false,
        "lost 5178 up whole:r2q1rk1/p4pbp/2pp1np1/8/4P1b1/2N1B3/PPP1BPPP/R4RK1 50 W 200 B 3000 f2. 200 f3P 800 W 5178 \
         f6. 400 e8n 422 B 5578",
    );
    assert_eq!((t.record().as_str(), t.kinds(), called(&t)), ("", vec![], true), "{:?}", t.notices);
}

const EXCHANGE: &str = "r2q1rk1/pp2ppbp/2np1np1/8/3NP1b1/2N1B3/PPPQBPPP/R4RK1 w - - 0 10";

/// Black's knight takes on e4, where it was never seen, and is taken; in whatever order one scan tells that the next
/// has taken on d4.
#[test]
fn the_order_of_squares_within_one_scan_says_nothing_of_what_was_taken() {
    for last in ["d4n c6.", "c6. d4n"] {
        let script = format!(
            "a2. 250 a4P 500 W 3000 f6. 250 e4. 250 c3. 250 e4N 300 B 300 W 900 d4. 250 {last} 500 B"
        );
        let t = told(EXCHANGE, false, &script);
        assert_eq!((t.record().as_str(), t.kinds()), ("a2a4 f6e4 c3e4 c6d4", vec![]), "{last}");
        let quick =
            format!("a2. a4P 985 W 15 f6. 250 e4. 250 c3. 250 e4N 69 B 129 W 802 d4. 250 {last} 736 B");
        let t = told(EXCHANGE, false, &quick);
        assert!(is_beginning(&t, "a2a4 f6e4 c3e4 c6d4"), "{last}: {}", t.record());
    }
}

#[test]
fn what_others_have_pressed_for_was_not_knocked_over() {
    let t = told(
        "4k1n1/8/4p3/3p4/2P5/8/7P/4KB2 w - - 0 1",
        false,
        "c4. 250 d5. 413 W 87 e6. 250 d5p 163 B 837 h2. 250 h3P 113 W 887 d5. 250 d4p 63 B",
    );
    assert!(is_beginning(&t, "c4d5 e6d5 h2h3 d5d4"), "{}", t.record());
}

/// Without a clock the half-move that brought the pawn before the last rank is not completed yet when it becomes a
/// rook: that is no rook too many.
#[test]
fn a_quick_promotion_is_no_piece_that_cannot_be_there() {
    let t = told(
        "3k4/8/2P1n3/8/8/2p1N3/4K3/8 w - - 2 3",
        true,
        "c6. 200 c7P 1000 d8. 200 e8k 200 c7. 400 c8R 3000 e8. 200 e7k",
    );
    assert_eq!(t.record(), "c6c7 d8e8 c7c8r");
    assert!(!called(&t), "{:?}", t.notices);
}

/// Black's king stood on e8 for seven seconds: it was moved there.
#[test]
fn where_a_king_stayed_it_was_moved() {
    let t = told(
        "8/8/4k3/4p3/4P3/3K4/8/8 b - - 1 1",
        true,
        "e6. 350 e7k 350 e4. 350 e4P d3. 350 e7. c2K 350 e8k 1050 d3K c2. 5950 e8. 350 f7k 5950 d3. 350 c3K 5950 f7. \
         350 g7k 5950 c3. 350 b4K",
    );
    assert!(is_beginning(&t, "e6e7 d3c2 e7e8 c2d3 e8f7 d3c3 f7g7 c3b4"), "{}", t.record());
}

/// Both kings rested where they were moved, and went on at once: f7 to f6 is one move of a king, and e2 to f1.
#[test]
fn kings_that_both_rested_on_their_way_may_have_been_moved_twice() {
    let t = told(
        "8/5k2/8/4p3/4P3/8/4K3/8 b - - 3 2",
        true,
        "f7. 200 e6k 1000 e2. 200 e1K 200 e6. 200 f6k 1000 e1. 200 f1K 6000",
    );
    assert!(is_beginning(&t, "f7e6 e2e1 e6f6 e1f1"), "{}", t.record());
}
