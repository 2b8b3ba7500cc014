// SPDX-License-Identifier: GPL-3.0-or-later
//! A line that loses, doubles and turns round bytes: what it tells is believed when the board shows it again.

use arbiterd::laws::NoticeKind;
use arbiterd::table::Observer;
use arbiterd_board::{Colour, Noise, NoiseCause, ReportBody};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";

fn moves(t: &Lagged) -> String {
    t.moves().join(" ")
}

fn noise(t: &mut Lagged) {
    t.tell(ReportBody::Noise(Noise { bytes: 5, cause: NoiseCause::Unfinished }));
}

/// A byte too many shifts what a report of the whole board shows; the next one shows the board.
#[test]
fn a_report_of_the_whole_board_that_contradicts_moves_nothing_before_it_is_confirmed() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.unconfirmed("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.wait(100);
    t.press(Colour::White);
    t.wait(300);
    t.whole("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR");
    t.go(5000);
    assert_eq!((moves(&t), t.kinds()), ("d2d4".to_owned(), vec![]));
}

/// The update of the pawn's last step was lost. The press waits for the report that contradicts what was told.
#[test]
fn a_press_waits_until_a_contradiction_is_confirmed() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.shows_itself = false;
    t.carry("e2", "e3", 'P');
    t.press(Colour::White);
    t.unconfirmed("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(1500);
    assert_eq!(moves(&t), "");
    t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(2000);
    assert_eq!(moves(&t), "e2e4");
}

/// A turned bit names another square, and nothing on the line shows that. Where it has told nonsense of late, the
/// board is asked before a move is believed.
#[test]
fn on_a_line_that_tells_nonsense_a_move_is_believed_when_the_board_shows_it() {
    let told = |nonsense: bool| {
        let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
        t.shows_itself = false;
        if nonsense {
            noise(&mut t);
            t.go(60_000);
            t.clock();
        }
        t.carry("e2", "e3", 'P');
        t.press(Colour::White);
        t.go(1000);
        let before = moves(&t);
        t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        t.go(2000);
        (before, moves(&t))
    };
    assert_eq!(told(false), ("e2e3".to_owned(), "e2e3".to_owned()), "nothing gives it away");
    assert_eq!(told(true), (String::new(), "e2e4".to_owned()));
}

#[test]
fn a_board_that_never_shows_what_was_told_completes_nothing_and_a_person_is_called() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.shows_itself = false;
    noise(&mut t);
    t.carry("e2", "e4", 'P');
    t.press(Colour::White);
    t.carry("e7", "e5", 'p');
    t.go(20_000);
    assert_eq!(moves(&t), "");
    assert!(t.noticed(NoticeKind::UnfinishedMove));
    t.whole("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(2000);
    assert_eq!(moves(&t), "e2e4", "the reply completes it (6.2.1.2)");
}

/// A doubled byte makes a lever of a digit: a press that a line with nonsense tells of accuses nobody.
#[test]
fn a_press_beside_nonsense_is_no_press_without_a_move() {
    let pressed = |nonsense: bool| {
        let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
        t.play("e2", "e4", 'P');
        t.go(10_000);
        if nonsense {
            noise(&mut t);
        }
        t.press(Colour::Black);
        t.go(5000);
        t.kinds().len()
    };
    assert_eq!((pressed(false), pressed(true)), (1, 0));
}

/// Nonsense beside the press: the press itself may be none, and the piece on its way.
#[test]
fn beside_nonsense_a_piece_has_to_stand_as_long_as_none_does_on_its_way() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.carry("b2", "b3", 'P');
    noise(&mut t);
    t.press(Colour::White);
    t.wait(1200);
    t.carry("b3", "b4", 'P');
    t.go(500);
    t.press(Colour::Black);
    t.wait(10);
    t.press(Colour::White);
    t.go(5000);
    assert_eq!((moves(&t), t.kinds()), ("b2b4".to_owned(), vec![]));
}
