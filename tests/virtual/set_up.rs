// SPDX-License-Identifier: GPL-3.0-or-later
//! A start position that is wrong is told in words, and told again when the clock is started on it.

use arbiterd::laws::NoticeKind;
use arbiterd::table::{Observer, Orientation, SetUpWord};

use super::lagged::{Lagged, START};

fn shows(orientation: Orientation, placement: &str) -> Lagged {
    let mut t = Lagged::unplugged("fide-2023-standard", Observer::Arbiter, START, orientation);
    t.counting = false;
    t.capabilities();
    t.clock();
    t.whole(placement);
    t.go(1000);
    t
}

fn told(t: &Lagged) -> Vec<String> {
    let wrong = t.notices.iter().filter(|n| n.kind == NoticeKind::StartPositionWrong);
    wrong.map(|n| n.set_up.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")).collect()
}

#[test]
fn what_is_wrong_is_named() {
    let t = shows(Orientation::Normal, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR");
    assert_eq!(told(&t), ["white king and queen swapped"]);
    let notice = &t.notices[0];
    assert_eq!(notice.set_up[0].what, SetUpWord::Swapped);
    let squares: Vec<String> = notice.squares.iter().map(ToString::to_string).collect();
    assert_eq!(squares, ["d1", "e1"]);
}

#[test]
fn a_board_that_stands_turned_round_and_lacks_a_pawn_is_named_as_the_players_see_it() {
    let t = shows(Orientation::Auto, "RNBKQBNR/PPP1PPPP/8/8/8/8/pppppppp/rnbkqbnr");
    assert_eq!(told(&t), ["board turned round; piece missing: e2"]);
    assert_eq!(t.notices[0].squares.len(), 1);
}

#[test]
fn pieces_that_are_set_up_wrongly_later_are_told_when_the_clock_is_started() {
    let mut t = shows(Orientation::Normal, "8/8/8/8/8/8/8/8");
    assert_eq!(told(&t), ["no piece is on the board"]);
    t.whole("rnbqknbr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    t.go(20_000);
    assert_eq!(told(&t).len(), 1, "it may not be finished");
    t.start();
    t.go(1000);
    t.clock();
    assert_eq!(told(&t)[1..], ["black knight and bishop swapped on the king's side"]);
}
