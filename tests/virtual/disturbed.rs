// SPDX-License-Identifier: GPL-3.0-or-later
//! A square that reads to and fro: what happens on it proves nothing, so nobody is accused, no claim is
//! rejected and no move completed by it until it is calm; and what is certain goes on.

use arbiterd::laws::{Authority, NotCovered, NoticeKind, RulingKind};
use arbiterd::table::{Claim, Observer, Orientation, Speaker};
use arbiterd_board::{Colour, LinkState};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";
const BLACK: Speaker = Speaker::Player(Colour::Black);

fn table() -> Lagged {
    Lagged::begin(STANDARD, Observer::Arbiter, START)
}

/// How often something was left to the arbiter because of it.
fn left_open(t: &Lagged) -> usize {
    t.notices.iter().filter(|n| n.not_covered == Some(NotCovered::Disturbed)).count()
}

fn called_for(t: &Lagged) -> Vec<String> {
    let calls = t.notices.iter().filter(|n| n.kind == NoticeKind::SquareDisturbed);
    calls.flat_map(|n| n.squares.iter().map(ToString::to_string)).collect()
}

#[test]
fn a_move_that_bounces_is_completed_by_its_press_as_soon_as_the_square_is_calm() {
    let mut t = table();
    t.flicker("e2", ['.', 'P', '.']);
    t.square("e4", 'P');
    t.wait(100);
    t.press(Colour::White);
    t.go(800);
    assert_eq!(t.moves(), Vec::<String>::new(), "it is waited for");
    t.disturbed("e2", false);
    t.go(600);
    assert_eq!((t.moves(), t.kinds(), left_open(&t)), (vec!["e2e4".to_owned()], vec![], 0));
    assert_eq!(called_for(&t), [] as [&str; 0], "nobody is called for so short a time");
}

#[test]
fn the_opponents_answer_meanwhile_is_not_lost() {
    let mut t = table();
    t.flicker("e4", ['.', 'P', '.']);
    t.square("e2", '.');
    t.square("e4", 'P');
    t.press(Colour::White);
    t.wait(400);
    t.carry("e7", "e5", 'p');
    t.press(Colour::Black);
    t.go(500);
    t.disturbed("e4", false);
    t.go(3000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned(), "e7e5".to_owned()], vec![]));
}

#[test]
fn a_piece_that_flickered_was_not_touched_for_certain_so_the_claim_is_left_to_the_arbiter() {
    for flickers in [true, false] {
        let mut t = table();
        t.square("g1", '.');
        t.wait(600);
        t.square("g1", 'N');
        t.wait(200);
        if flickers {
            t.square("g1", '.');
            t.disturbed("g1", true);
            t.wait(600);
            t.square("g1", 'N');
            t.go(1100);
            t.disturbed("g1", false);
        }
        t.play("d2", "d4", 'P');
        assert_eq!(t.moves(), ["d2d4"]);
        t.claim(BLACK, Claim::TouchMove);
        t.go(3000);
        let expected = if flickers { (vec![], 1) } else { (vec![RulingKind::TouchMove], 0) };
        assert_eq!((t.kinds(), left_open(&t)), expected);
    }
}

#[test]
fn nobody_is_accused_of_a_move_on_a_board_with_a_disturbed_square() {
    for disturbed in [true, false] {
        let mut t = table();
        if disturbed {
            t.flicker("e5", ['P', '.', 'P']);
        }
        t.square("e2", '.');
        t.wait(100);
        t.square("e5", 'P');
        t.wait(100);
        t.press(Colour::White);
        t.go(2000);
        assert_eq!(t.kinds(), if disturbed { vec![] } else { vec![RulingKind::IllegalMove] });
        t.go(10_000);
        assert_eq!(left_open(&t), usize::from(disturbed));
        assert_eq!(called_for(&t), if disturbed { vec!["e5"] } else { vec![] }, "once");
    }
}

#[test]
fn nobody_is_accused_of_a_press_without_a_move_either() {
    for disturbed in [true, false] {
        let mut t = table();
        if disturbed {
            t.flicker("e2", ['.', 'P', '.']);
            t.square("e2", 'P');
        }
        t.press(Colour::White);
        t.go(1500);
        t.disturbed("e2", false);
        t.go(6000);
        assert_eq!(t.kinds(), if disturbed { vec![] } else { vec![RulingKind::PressWithoutMove] });
        assert_eq!(left_open(&t), usize::from(disturbed));
    }
}

#[test]
fn a_claim_that_nothing_shows_is_not_rejected_meanwhile() {
    for disturbed in [true, false] {
        let mut t = table();
        t.play("e2", "e4", 'P');
        if disturbed {
            t.disturbed("h5", true);
        }
        t.claim(BLACK, Claim::IllegalMove);
        t.go(10_000);
        assert_eq!(t.kinds(), if disturbed { vec![] } else { vec![RulingKind::ClaimRejected] });
        assert_eq!(left_open(&t), usize::from(disturbed));
    }
}

#[test]
fn a_game_goes_on_beside_a_square_that_is_disturbed_for_good() {
    let mut t = table();
    t.disturbed("h5", true);
    t.go(6000);
    assert_eq!(called_for(&t), ["h5"]);
    t.play("e2", "e4", 'P');
    t.disturbed("h5", true);
    t.play("e7", "e5", 'p');
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned(), "e7e5".to_owned()], vec![]));
    assert_eq!((called_for(&t).len(), left_open(&t)), (1, 0), "nobody is called twice");
}

#[test]
fn a_move_to_a_square_that_stays_disturbed_is_not_completed_but_told() {
    let mut t = table();
    t.flicker("e4", ['P', '.', 'P']);
    t.square("e2", '.');
    t.press(Colour::White);
    t.go(8000);
    assert_eq!((t.moves(), t.kinds(), left_open(&t)), (Vec::<String>::new(), vec![], 1));
    // Once it is calm the reply completes it (6.2.1).
    t.disturbed("e4", false);
    t.play("e7", "e5", 'p');
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned(), "e7e5".to_owned()], vec![]));
}

#[test]
fn without_a_clock_the_reply_completes_when_the_square_is_calm() {
    let mut t = Lagged::begin_without_clock(STANDARD, Observer::Arbiter, START);
    t.carry("e2", "e4", 'P');
    t.go(2000);
    t.flicker("e5", ['p', '.', 'p']);
    t.square("e7", '.');
    t.go(900);
    assert_eq!(t.moves(), Vec::<String>::new());
    t.disturbed("e5", false);
    t.go(100);
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned()], vec![]));
}

#[test]
fn a_flag_falls_all_the_same_and_is_only_proposed_if_what_stands_is_doubtful() {
    for (flicker, expected) in
        [(None, Authority::Final), (Some("h5"), Authority::Final), (Some("e4"), Authority::Proposed)]
    {
        let mut t = table();
        t.square("e2", '.');
        t.square("e4", 'P');
        if let Some(square) = flicker {
            t.disturbed(square, true);
        }
        t.flag(Colour::White, 500);
        t.go(8000);
        assert_eq!(t.kinds(), [RulingKind::FlagFall], "{flicker:?}");
        assert_eq!(t.rulings[0].authority, expected, "{flicker:?}");
    }
}

/// What is played after the flag does not come before it because the flag had to wait.
#[test]
fn a_mate_that_was_played_after_the_flag_does_not_overtake_it() {
    let fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, fen);
    t.disturbed("h5", true);
    t.wait(500);
    t.flag(Colour::White, 500);
    t.wait(1000);
    t.carry("a1", "a8", 'R');
    t.go(10_000);
    assert_eq!((t.kinds(), t.result()), (vec![RulingKind::FlagFall], "0-1"));
}

/// A flag has fallen when it is claimed (6.8), and what is pressed after that does not come before it.
#[test]
fn a_mate_that_was_pressed_after_a_flag_was_claimed_does_not_overtake_it() {
    let fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    for disturbed in [true, false] {
        let mut t = Lagged::begin(STANDARD, Observer::Witness, fen);
        if disturbed {
            t.disturbed("h5", true);
        }
        t.flag(Colour::White, 500);
        t.go(100);
        t.claim(BLACK, Claim::Flag);
        t.wait(1500);
        t.carry("a1", "a8", 'R');
        t.press(Colour::White);
        t.go(10_000);
        assert_eq!((t.kinds(), t.result()), (vec![RulingKind::FlagFall], "0-1"), "{disturbed}");
    }
}

/// For that square somebody was called; the others are waited for as ever.
#[test]
fn a_move_that_bounces_is_waited_for_beside_a_square_that_is_disturbed_for_good() {
    let mut t = table();
    t.disturbed("h5", true);
    t.go(60_000);
    assert_eq!(called_for(&t), ["h5"]);
    t.flicker("e2", ['.', 'P', '.']);
    t.square("e4", 'P');
    t.press(Colour::White);
    t.go(800);
    t.disturbed("e2", false);
    t.go(600);
    assert_eq!((t.moves(), t.kinds(), left_open(&t)), (vec!["e2e4".to_owned()], vec![], 0));
}

/// Each is calm again soon, but never all of them.
#[test]
fn squares_that_are_disturbed_in_turns_hold_up_nothing_for_ever_and_a_person_is_called() {
    let mut t = table();
    t.disturbed("h5", true);
    t.carry("e2", "e4", 'P');
    t.press(Colour::White);
    let mut first_called = None;
    for round in 0..15_u64 {
        t.go(2000);
        let (on, off) = if round % 2 == 0 { ("h6", "h5") } else { ("h5", "h6") };
        t.disturbed(on, true);
        t.go(1000);
        t.disturbed(off, false);
        if !called_for(&t).is_empty() {
            first_called.get_or_insert(round);
        }
    }
    assert_eq!(t.moves(), ["e2e4"]);
    // After five seconds, and once: none of them goes on for five seconds itself.
    assert_eq!((first_called, called_for(&t)), (Some(1), vec!["h6".to_owned()]));
}

#[test]
fn the_named_square_is_the_hardwares_and_a_lost_board_is_forgotten() {
    let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Turned);
    t.capabilities();
    t.whole("RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr");
    t.clock();
    t.go(2000);
    // The players' e4 is the hardware's d5.
    t.disturbed("d5", true);
    t.go(6000);
    assert_eq!(called_for(&t), ["e4"]);
    t.link(LinkState::Down);
    t.link(LinkState::Up);
    t.whole("RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr");
    t.clock();
    t.go(2000);
    t.press(Colour::White);
    t.go(2000);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove]);
}
