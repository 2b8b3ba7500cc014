// SPDX-License-Identifier: GPL-3.0-or-later
//! What hands do at real boards: too early, too late, two at once, while the clock stands. None of
//! it may accuse anybody, and none of it may become a move that was not played.

use arbiterd::laws::{NotCovered, NoticeKind, RulingKind};
use arbiterd::table::{Claim, Observer, Speaker};
use arbiterd_board::{Colour, Flag};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";
const BLACK: Speaker = Speaker::Player(Colour::Black);

#[test]
fn a_press_with_the_piece_in_hand_becomes_neither_a_move_nor_a_charge() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.square("e2", '.');
    t.wait(200);
    t.press(Colour::White);
    // It rests on e3 on its way, longer than a slide, and Black presses back.
    t.go(2000);
    t.square("e3", 'P');
    t.go(600);
    t.square("e3", '.');
    t.wait(200);
    t.square("e4", 'P');
    t.go(800);
    t.press(Colour::Black);
    t.go(2000);
    assert_eq!((t.kinds(), t.moves().len()), (vec![], 0));
    t.press(Colour::White);
    t.go(3000);
    assert_eq!(t.moves(), ["e2e4"]);
    assert_eq!(t.kinds(), []);
}

#[test]
fn a_capture_whose_piece_is_not_sensed_yet_is_no_press_without_a_move() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
    t.square("d5", '.');
    t.wait(150);
    t.square("e4", '.');
    t.wait(150);
    t.press(Colour::White);
    t.go(900);
    t.square("d5", 'P');
    t.go(5000);
    // The press was early, and what stands soon after it calls nobody.
    assert_eq!((t.kinds(), t.noticed(NoticeKind::UnfinishedMove)), (vec![], false));
    // Black's released reply completes it (6.2.1.2).
    t.square("e8", '.');
    t.wait(300);
    t.square("e7", 'k');
    t.go(3000);
    assert_eq!(t.moves(), ["e4d5"]);
}

#[test]
fn a_late_press_after_the_reply_is_no_fault() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.carry("e2", "e4", 'P');
    t.go(900);
    // Black replies before White has pressed (6.2.2), then each presses for his own move.
    t.carry("e7", "e5", 'p');
    t.go(900);
    t.press(Colour::White);
    t.go(900);
    t.press(Colour::Black);
    t.go(3000);
    t.play("g1", "f3", 'N');
    assert_eq!(t.moves(), ["e2e4", "e7e5", "g1f3"]);
    assert_eq!(t.kinds(), []);
}

#[test]
fn an_opponent_who_takes_up_his_piece_in_the_same_scan_hides_no_move() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.square("e2", '.');
    t.wait(100);
    // One scan reports Black's lift before White's pawn, in the order of the squares.
    t.press(Colour::White);
    t.wait(50);
    t.square("b8", '.');
    t.square("e4", 'P');
    t.go(3000);
    t.square("c6", 'n');
    t.wait(200);
    t.press(Colour::Black);
    t.go(3000);
    assert_eq!(t.moves(), ["e2e4", "b8c6"]);
    assert_eq!(t.kinds(), []);
}

#[test]
fn pieces_shown_while_the_clock_stands_are_no_play() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.counting = false;
    t.clock();
    t.go(5000);
    for (from, to, piece) in [("f2", "f3", 'P'), ("e7", "e5", 'p'), ("g2", "g4", 'P'), ("d8", "h4", 'q')] {
        t.carry(from, to, piece);
        t.go(4000);
    }
    assert_eq!((t.moves().len(), t.kinds(), t.result()), (0, vec![], "*"));
}

#[test]
fn a_piece_that_pauses_on_a_mating_square_has_not_mated() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "6k1/8/6K1/8/8/8/8/R7 w - - 0 1");
    t.carry("a1", "a8", 'R');
    t.go(600);
    t.carry("a8", "a7", 'R');
    t.press(Colour::White);
    t.go(3000);
    assert_eq!((t.moves(), t.kinds()), (vec!["a1a7".to_owned()], vec![]));
}

#[test]
fn a_flag_that_is_only_shown_is_no_flag_fall() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.flags[0] = Flag::Shown;
    t.seconds[0] = 1800;
    t.clock();
    t.go(1500);
    t.clock();
    t.go(5000);
    assert_eq!((t.kinds(), t.result()), (vec![], "*"));
}

#[test]
fn a_prompt_flag_claim_waits_for_the_second_reading() {
    let mut t = Lagged::begin("fide-2018-standard", Observer::Witness, START);
    t.flags[0] = Flag::Fallen;
    t.seconds[0] = 0;
    t.clock();
    t.go(200);
    t.claim(BLACK, Claim::Flag);
    t.go(1000);
    assert_eq!(t.kinds(), []);
    t.clock();
    t.go(3000);
    assert_eq!((t.kinds(), t.result()), (vec![RulingKind::FlagFall], "0-1"));
    // While the clock is heard and shows no flag, the claim is rejected in the end.
    let mut t = Lagged::begin("fide-2018-standard", Observer::Witness, START);
    t.claim(BLACK, Claim::Flag);
    for _ in 0..5 {
        t.clock();
        t.go(1000);
    }
    assert_eq!(t.kinds(), [RulingKind::ClaimRejected]);
    // A clock that fell silent proves nothing.
    let mut t = Lagged::begin("fide-2018-standard", Observer::Witness, START);
    t.claim(BLACK, Claim::Flag);
    t.go(10_000);
    assert_eq!(t.kinds(), []);
    assert!(t.notices.iter().any(|n| n.not_covered == Some(NotCovered::NotWatched)));
}

#[test]
fn two_pieces_of_one_player_elsewhere_are_displaced_not_an_illegal_move() {
    // A legal king move, and the rook nudged aside.
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    t.carry("e1", "f1", 'K');
    t.carry("a1", "b1", 'R');
    t.press(Colour::White);
    t.go(5000);
    assert_eq!(t.kinds(), []);
}

#[test]
fn a_pawn_left_on_the_last_rank_is_the_arbiters_to_rule() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    t.carry("a7", "a8", 'P');
    t.press(Colour::White);
    t.go(5000);
    assert_eq!(t.kinds(), []);
    assert!(t.noticed(NoticeKind::NotRuled));
}

#[test]
fn a_press_that_is_seen_together_with_a_stop_completes_a_move_but_charges_nobody() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.carry("e2", "e4", 'P');
    t.counting = false;
    t.press(Colour::White);
    t.go(3000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned()], vec![]));
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.counting = false;
    t.press(Colour::White);
    t.go(3000);
    assert_eq!(t.kinds(), []);
}
