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
