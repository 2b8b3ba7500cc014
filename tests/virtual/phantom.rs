// SPDX-License-Identifier: GPL-3.0-or-later
//! A square that shows a piece that cannot be there: it is no part of play and accuses nobody, a person is
//! called if it stays, and the game goes on around it.

use arbiterd::laws::NoticeKind;
use arbiterd::table::{Command, Observer};
use arbiterd_board::Colour;

use super::lagged::{Lagged, START};

fn table() -> Lagged {
    Lagged::begin("fide-2023-standard", Observer::Arbiter, START)
}

fn called_for(t: &Lagged) -> Vec<String> {
    let calls = t.notices.iter().filter(|n| n.kind == NoticeKind::PhantomPiece);
    calls.flat_map(|n| n.squares.iter().map(ToString::to_string)).collect()
}

#[test]
fn play_goes_on_around_it_and_a_person_is_called_once() {
    for (square, letter) in [("d5", 'p'), ("e4", 'K'), ("f5", 'n'), ("a6", 'Q'), ("h3", 'R'), ("c4", 'b')] {
        let mut t = table();
        t.square(square, letter);
        t.go(2500);
        assert_eq!(called_for(&t), [] as [&str; 0], "it may be half a move");
        t.go(1000);
        assert_eq!(called_for(&t), [square], "{letter}");
        t.play("g1", "f3", 'N');
        t.play("b8", "c6", 'n');
        t.go(20_000);
        assert_eq!((t.moves(), t.kinds()), (vec!["g1f3".to_owned(), "b8c6".to_owned()], vec![]));
        assert_eq!((called_for(&t).len(), t.state(), t.notices.len()), (1, "in-step", 1), "{letter}");
        t.square(square, '.');
        t.go(1000);
        t.play("b1", "c3", 'N');
        assert_eq!((t.moves().len(), t.notices.len()), (3, 1));
    }
}

#[test]
fn one_that_goes_again_soon_calls_nobody() {
    let mut t = table();
    t.whole("rnbqkbnr/pppppppp/8/8/6p1/8/PPPPPPPP/RNBQKBNR");
    t.go(2000);
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    t.go(10_000);
    t.play("g1", "f3", 'N');
    assert_eq!((t.moves(), t.kinds(), t.notices.len()), (vec!["g1f3".to_owned()], vec![], 0));
}

#[test]
fn a_new_square_that_is_told_before_the_old_one_is_empty_is_a_move() {
    let mut t = table();
    t.square("e4", 'P');
    t.wait(300);
    t.square("e2", '.');
    t.wait(300);
    t.press(Colour::White);
    t.go(3000);
    t.square("d5", 'p');
    t.wait(200);
    t.square("d7", '.');
    t.press(Colour::Black);
    t.go(3000);
    t.square("d5", 'P');
    t.wait(300);
    t.square("e4", '.');
    t.press(Colour::White);
    t.go(3000);
    assert_eq!(
        (t.moves(), t.kinds(), t.notices.len()),
        (["e2e4", "d7d5", "e4d5"].map(String::from).to_vec(), vec![], 0)
    );
}

#[test]
fn nobody_is_accused_beside_it() {
    let mut t = table();
    t.square("d5", 'p');
    t.press(Colour::White);
    t.go(8000);
    assert_eq!(
        (t.moves(), t.kinds()),
        (vec![], vec![]),
        "a press without a move, if the square can be trusted"
    );
}

#[test]
fn a_square_that_stays_filled_makes_no_move_and_no_ruling_and_calls_a_person() {
    let mut t = table();
    t.square("e4", 'P');
    t.wait(300);
    t.press(Colour::White);
    t.go(8000);
    assert_eq!((t.kinds(), called_for(&t)), (vec![], vec!["e4".to_owned()]));
}

#[test]
fn whoever_accepts_the_board_accepts_all_that_it_shows() {
    let mut t = Lagged::begin("fide-2023-standard", Observer::Arbiter, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    t.square("a5", 'R');
    t.go(4000);
    t.command(Command::AcceptBoard { turn: Colour::White });
    assert_eq!(t.table.game().standing().fen(), "4k3/8/8/R7/8/8/4P3/4K3 w - - 0 1");
}

#[test]
fn a_promotion_brings_a_piece_from_outside() {
    let mut t = Lagged::begin("fide-2023-standard", Observer::Arbiter, "4k3/P7/8/8/8/8/8/Q3K3 w - - 0 1");
    t.square("a8", 'Q');
    t.wait(200);
    t.square("a7", '.');
    t.press(Colour::White);
    t.go(3000);
    assert_eq!((t.moves(), t.notices.len()), (vec!["a7a8q".to_owned()], 0));
}
