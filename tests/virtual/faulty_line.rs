// SPDX-License-Identifier: GPL-3.0-or-later
//! A line that loses, doubles and turns round bytes: what it tells is believed when the board shows it again.

use arbiterd::laws::{NoticeKind, RulingKind};
use arbiterd::table::Observer;
use arbiterd_board::{Colour, Noise, NoiseCause, ReportBody};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";

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
    assert_eq!((t.record(), t.kinds()), ("d2d4".to_owned(), vec![]));
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
    assert_eq!(t.record(), "");
    t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(2000);
    assert_eq!(t.record(), "e2e4");
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
        let before = t.record();
        t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        t.go(2000);
        (before, t.record())
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
    assert_eq!(t.record(), "");
    assert_eq!(t.notices.iter().filter(|n| n.kind.asks()).count(), 1, "{:?}", t.notices);
    t.whole("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(2000);
    assert_eq!(t.record(), "e2e4", "the reply completes it (6.2.1.2)");
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
        (t.kinds().len(), t.noticed(NoticeKind::NotRuled))
    };
    assert_eq!(pressed(false), (1, false));
    assert_eq!(pressed(true), (0, true), "it is left to the arbiter");
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
    assert_eq!((t.record(), t.kinds()), ("b2b4".to_owned(), vec![]));
}

/// A damaged report of the whole board contradicts, and the next one ends that: what has rested meanwhile counts.
#[test]
fn a_contradiction_that_ends_keeps_no_mate_from_being_ruled() {
    let mate = "4k3/R7/4K3/8/8/8/8/7R w - - 0 1";
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, mate);
    t.carry("h1", "h8", 'R');
    t.wait(80);
    t.unconfirmed("4k2R/R7/4K3/8/8/8/8/N7");
    t.wait(400);
    t.unconfirmed("4k2R/R7/4K3/8/8/8/8/8");
    t.go(4000);
    t.whole("4k2R/R7/4K3/8/8/8/8/8");
    t.go(4000);
    assert_eq!((t.record(), t.kinds()), ("h1h8".to_owned(), vec![RulingKind::Checkmate]));
}

/// What is held back as no part of play is shown by every report, and keeps no move from being believed.
#[test]
fn a_piece_that_cannot_be_there_is_no_contradiction() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.shows_itself = false;
    t.square("e5", 'K');
    t.go(1000);
    t.carry("e2", "e4", 'P');
    t.unconfirmed("rnbqkbnr/pppppppp/8/4K3/4P3/8/PPPP1PPP/RNBQKBNR");
    t.press(Colour::White);
    t.wait(200);
    t.whole("rnbqkbnr/pppppppp/8/4K3/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(1000);
    assert_eq!(t.record(), "e2e4");
}

/// The update of the pawn's arrival was lost. The press waits for the report that contradicts, and what is played
/// on goes into the record.
#[test]
fn a_press_that_found_a_piece_in_the_air_waits_for_the_contradiction() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.shows_itself = false;
    t.square("e2", '.');
    t.wait(200);
    t.press(Colour::White);
    t.wait(200);
    t.unconfirmed("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(600);
    t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(200);
    assert_eq!(t.record(), "e2e4");
    t.play("e7", "e5", 'p');
    assert_eq!((t.record(), t.kinds()), ("e2e4 e7e5".to_owned(), vec![]));
}

/// A frame of an unknown kind is whole, and the line no worse for it.
#[test]
fn a_frame_that_nobody_knows_is_no_nonsense() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e4", 'P');
    t.go(10_000);
    t.tell(ReportBody::Noise(Noise { bytes: 4, cause: NoiseCause::UnknownKind }));
    t.press(Colour::Black);
    t.go(5000);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove]);
}

/// A false rook on a1 is held back, until the true one is lifted; then the true one is held back. Which of them is
/// there the board shows.
#[test]
fn of_two_pieces_of_which_one_is_false_the_board_tells_which() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/8/8/8/8/8/3K4/7r b - - 0 1");
    t.shows_itself = false;
    t.square("a1", 'r');
    t.wait(100);
    t.carry("h1", "h2", 'r');
    t.press(Colour::Black);
    t.go(900);
    assert_eq!(t.record(), "");
    t.whole("4k3/8/8/8/8/8/3K3r/8");
    t.go(2000);
    assert_eq!((t.record(), t.kinds()), ("h1h2".to_owned(), vec![]));
}
