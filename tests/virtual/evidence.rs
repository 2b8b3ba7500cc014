// SPDX-License-Identifier: GPL-3.0-or-later
//! What slow stamps prove and what they do not: mates and flags, windows, hands, interruptions.

use arbiterd::laws::{Authority, NotCovered, NoticeKind, RulingKind};
use arbiterd::table::{Claim, Observer, Orientation, Speaker};
use arbiterd_board::{ClockSide, Colour, LinkState};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";
const RAPID: &str = "fide-2023-rapid";
const MATE_IN_ONE: &str = "6k1/8/6K1/8/8/8/8/R7 w - - 0 1";
const BLACK: Speaker = Speaker::Player(Colour::Black);

// Mates, stalemates and flags.

#[test]
fn an_illegal_move_neither_mates_nor_stalemates() {
    // The rook jumps over its own pawn.
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "6k1/8/6K1/8/P7/8/8/R7 w - - 0 1");
    t.play("a1", "a8", 'R');
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
    assert_eq!(t.result(), "*");
    let mut t = Lagged::begin(STANDARD, Observer::Witness, "7k/8/8/6Q1/8/8/8/K7 w - - 0 1");
    t.play("g5", "f7", 'Q');
    assert_eq!((t.kinds(), t.result()), (vec![], "*"));
}

#[test]
fn a_mate_that_may_have_been_made_before_the_flag_was_noticed_stands() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, MATE_IN_ONE);
    t.flag(Colour::White, 1500);
    t.wait(100);
    t.carry("a1", "a8", 'R');
    t.go(4000);
    assert_eq!((t.kinds(), t.result()), (vec![RulingKind::Checkmate], "1-0"));
}

#[test]
fn a_mate_after_the_flag_was_ruled_is_no_mate() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "6k1/8/6K1/8/8/8/q7/R7 w - - 0 1");
    t.flag(Colour::White, 1500);
    t.go(1000);
    t.carry("a1", "a8", 'R');
    t.go(4000);
    assert_eq!((t.kinds(), t.result()), (vec![RulingKind::FlagFall], "0-1"));
}

#[test]
fn a_flag_claim_waits_for_the_mate_that_is_on_its_way() {
    let mut t = Lagged::begin("fide-2018-standard", Observer::Witness, MATE_IN_ONE);
    t.square("a1", '.');
    t.wait(100);
    t.flag(Colour::White, 10);
    t.wait(50);
    t.claim(BLACK, Claim::Flag);
    t.wait(100);
    t.square("a8", 'R');
    t.go(3000);
    assert_eq!((t.kinds(), t.result()), (vec![RulingKind::Checkmate], "1-0"));
}

#[test]
fn the_arbiters_flag_claim_is_against_the_fallen_flag() {
    let mut t = Lagged::begin("fide-2018-standard", Observer::Witness, START);
    t.play("e2", "e4", 'P');
    t.flag(Colour::Black, 1500);
    t.go(1000);
    t.claim(Speaker::Arbiter, Claim::Flag);
    t.go(2000);
    assert_eq!(t.kinds(), [RulingKind::FlagFall]);
    assert_eq!(t.rulings[0].offender, Some(Colour::Black));
}

// Windows.

#[test]
fn an_old_illegal_move_does_not_answer_a_claim_about_a_new_one() {
    let mut t = Lagged::begin(RAPID, Observer::Witness, START);
    t.play("e2", "e5", 'P');
    t.play("d7", "d6", 'p');
    t.play("a2", "a5", 'P');
    t.claim(BLACK, Claim::IllegalMove);
    t.go(4000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
    assert_eq!(t.rulings[0].consequence.irregular_move.as_deref(), Some("a2a5"));
}

#[test]
fn an_old_illegal_move_of_the_claimant_does_not_bar_him() {
    let mut t = Lagged::begin(RAPID, Observer::Witness, START);
    t.play("e2", "e4", 'P');
    t.play("e7", "e4", 'p');
    t.play("d2", "d4", 'P');
    t.play("d7", "d6", 'p');
    t.play("a2", "a5", 'P');
    t.claim(BLACK, Claim::IllegalMove);
    t.go(4000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
}

#[test]
fn an_old_press_without_a_move_is_past_in_fast_chess_and_hides_nothing_in_standard() {
    let mut t = Lagged::begin(RAPID, Observer::Witness, START);
    t.press(Colour::White);
    t.go(3000);
    t.press(Colour::Black);
    t.go(3000);
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    t.play("g1", "f3", 'N');
    t.claim(BLACK, Claim::IllegalMove);
    t.go(4000);
    assert_eq!(t.kinds(), [RulingKind::ClaimRejected]);

    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.press(Colour::White);
    t.go(3000);
    t.press(Colour::Black);
    t.go(3000);
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    t.play("g1", "g5", 'N');
    t.claim(BLACK, Claim::IllegalMove);
    t.go(4000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove], "the fresh illegal move");
    assert_eq!(t.moves(), ["e2e4", "e7e5"]);
}

#[test]
fn what_the_claimant_does_after_his_claim_does_not_count_against_it() {
    let mut t = Lagged::begin(RAPID, Observer::Witness, START);
    t.play("e2", "e5", 'P');
    t.claim(BLACK, Claim::IllegalMove);
    t.wait(50);
    t.carry("d7", "d6", 'p');
    t.press(Colour::Black);
    t.go(4000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);

    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.square("g1", '.');
    t.wait(800);
    t.square("g1", 'N');
    t.wait(500);
    t.play("e2", "e4", 'P');
    t.claim(BLACK, Claim::TouchMove);
    t.wait(50);
    t.carry("d7", "d6", 'p');
    t.press(Colour::Black);
    t.go(4000);
    assert_eq!(t.kinds(), [RulingKind::TouchMove]);
    assert_eq!(t.rulings[0].consequence.required_moves, ["g1f3", "g1h3"]);
}

#[test]
fn an_arbiter_who_comes_after_the_reply_leaves_it_in_fast_chess() {
    let mut t = Lagged::unplugged("fide-2017-rapid", Observer::Arbiter, START, Orientation::Normal);
    // Nothing is known of the board's lag, so the worst is assumed and the reply rests before.
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    t.clock();
    t.go(2000);
    t.carry("e2", "e5", 'P');
    t.press(Colour::White);
    t.wait(300);
    t.carry("b8", "c6", 'n');
    t.go(6000);
    assert!(!t.rulings.iter().any(|r| r.authority == Authority::Final), "{:?}", t.rulings);
    assert_eq!(t.result(), "*");
}

#[test]
fn what_is_only_likely_is_proposed() {
    // The reply had rested 0.2 s when White's illegal move was claimed.
    let mut t = Lagged::begin("fide-2017-rapid", Observer::Witness, START);
    t.play("e2", "e5", 'P');
    t.carry("b8", "c6", 'n');
    t.wait(100);
    t.claim(BLACK, Claim::IllegalMove);
    t.go(3000);
    assert_eq!(t.rulings.last().map(|r| r.authority), Some(Authority::Proposed));
    assert_eq!(t.result(), "*", "a proposal changes nothing");
}

// Hands.

#[test]
fn a_piece_lifted_on_the_opponents_time_may_have_been_its_owners_hand() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, "4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1");
    t.square("d5", '.');
    t.wait(1000);
    t.square("d5", 'n');
    t.wait(1000);
    t.play("e1", "e2", 'K');
    t.claim(BLACK, Claim::TouchMove);
    t.go(4000);
    assert_eq!(t.rulings.last().map(|r| r.authority), Some(Authority::Proposed), "{:?}", t.rulings);
    assert_eq!(t.moves(), ["e1e2"]);
}

#[test]
fn nothing_is_ruled_from_the_order_of_moves_that_came_in_one_report() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, "4k3/R7/8/8/8/2n5/1P6/7K w - - 0 1");
    t.press(Colour::White);
    t.whole("4k3/R7/8/8/8/2n5/1P6/7K");
    t.wait(100);
    t.whole("4k3/1R6/8/8/8/8/1P6/3n3K");
    t.go(3000);
    t.claim(BLACK, Claim::TouchMove);
    t.go(4000);
    assert!(t.kinds().iter().all(|k| *k == RulingKind::ClaimRejected), "{:?}", t.rulings);
    assert!(t.noticed(NoticeKind::MovesInferred));
}

#[test]
fn the_opponents_hand_within_the_lag_is_not_part_of_an_illegal_move() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.carry("e2", "e5", 'P');
    t.press(Colour::White);
    t.wait(100);
    t.square("b8", '.');
    t.wait(500);
    t.square("c6", 'n');
    t.wait(100);
    t.press(Colour::Black);
    t.go(9000);
    assert_eq!(t.moves(), ["e2e5", "b8c6"]);
    assert_eq!(t.state(), "in-step");
}

// Interruptions and the way back.

#[test]
fn no_press_is_invented_across_an_interruption() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e4", 'P');
    t.link(LinkState::Down);
    t.go(60_000);
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.wait(200);
    t.press(Colour::Black);
    t.go(3000);
    assert_eq!(t.kinds(), []);
}

#[test]
fn what_may_be_another_boards_is_no_move_and_accuses_nobody() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e4", 'P');
    t.shared_address();
    assert_eq!(t.state(), "board-lost");
    // Two games are reported as one.
    t.play("d2", "d4", 'P');
    t.play("e7", "e2", 'p');
    t.go(10_000);
    assert_eq!((t.moves(), t.state(), t.kinds()), (vec!["e2e4".to_owned()], "board-lost", vec![]));
    // The other board was taken away, and this one switched off and on.
    t.link(LinkState::Down);
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.press(Colour::White);
    t.go(2000);
    t.play("e7", "e5", 'p');
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned(), "e7e5".to_owned()], vec![]));
}

/// White's pawn went from e2 to e5 and is to go back; the arbiter has started his clock again.
fn ruled_and_started_again() -> Lagged {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e5", 'P');
    t.counting = false;
    t.lever = ClockSide::Right;
    t.clock();
    t.go(1000);
    t.counting = true;
    t.clock();
    t
}

#[test]
fn the_replacement_may_be_played_straight_from_the_wrong_square() {
    let mut t = ruled_and_started_again();
    assert_eq!((t.kinds(), t.state()), (vec![RulingKind::IllegalMove], "restoring"));
    t.play("e5", "e4", 'P');
    t.play("e7", "e5", 'p');
    t.play("g1", "f3", 'N');
    t.go(6000);
    assert_eq!(t.moves(), ["e2e4", "e7e5", "g1f3"]);
    assert_eq!(t.state(), "in-step");
    assert_eq!(t.kinds().len(), 1);
}

/// Whoever watches the state learns nothing from it before the press (a legal and two illegal ones).
#[test]
fn the_state_does_not_tell_whether_a_replacement_is_legal_before_its_press() {
    for (to, expected) in [("e4", "in-step"), ("e6", "restoring"), ("d4", "restoring")] {
        let mut t = ruled_and_started_again();
        t.carry("e5", to, 'P');
        t.go(3000);
        assert_eq!(t.state(), "restoring", "{to}");
        t.press(Colour::White);
        t.go(3000);
        assert_eq!(t.state(), expected, "{to}");
    }
}

#[test]
fn a_press_that_overtakes_the_board_is_not_lost() {
    let mut t = ruled_and_started_again();
    t.square("e5", '.');
    t.press(Colour::White);
    t.wait(20);
    t.square("e2", 'P');
    t.wait(20);
    t.square("e2", '.');
    t.wait(20);
    t.square("e4", 'P');
    t.go(4000);
    assert_eq!(t.moves(), ["e2e4"]);
    t.play("a8", "a5", 'r');
    t.go(5000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove, RulingKind::IllegalMove]);
}

#[test]
fn a_turned_board_is_recognised_when_it_is_set_up_after_it_was_switched_on() {
    let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Auto);
    t.capabilities();
    t.whole("8/8/8/8/8/8/8/8");
    t.go(1000);
    t.whole("RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr");
    t.go(1000);
    assert_eq!(t.state(), "in-step");
    assert!(t.noticed(NoticeKind::OrientationRotated));
}

#[test]
fn claims_that_need_no_ruling_are_answered_all_the_same() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, MATE_IN_ONE);
    t.play("a1", "a8", 'R');
    assert_eq!(t.result(), "1-0");
    t.claim(BLACK, Claim::IllegalMove);
    t.go(3000);
    assert!(t.noticed(NoticeKind::ClaimAnswered));
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e5", 'P');
    t.claim(BLACK, Claim::IllegalMove);
    t.go(1000);
    assert_eq!(t.kinds().len(), 1, "it was ruled on already");
    assert!(t.noticed(NoticeKind::ClaimAnswered));
}

#[test]
fn the_clock_at_the_irregularity_is_that_of_the_press() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.seconds = [90, 100];
    t.carry("e2", "e5", 'P');
    t.seconds = [92, 100];
    t.press(Colour::White);
    t.wait(300);
    t.seconds = [92, 99];
    t.clock();
    t.go(3000);
    let proposed = t.rulings[0].consequence.proposed_clock.unwrap();
    assert_eq!(proposed.at_irregularity.map(|d| d.as_secs()), [92, 100]);
    assert_eq!(proposed.now.map(|d| d.as_secs()), [92, 99]);
}

#[test]
fn a_press_without_a_move_cites_its_own_penalty_in_2017() {
    let mut t = Lagged::begin("fide-2017-standard", Observer::Arbiter, START);
    t.press(Colour::White);
    t.go(3000);
    assert_eq!(t.rulings[0].articles, ["7.8.1", "7.8.2"]);
}

// A second look before anybody is accused.

#[test]
fn a_change_that_was_lost_on_the_line_accuses_nobody() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    // White plays e2-e4, both reports are lost; only the whole board shows it.
    t.press_with_board_showing("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(3000);
    assert_eq!(t.kinds(), []);
    assert_eq!(t.moves(), ["e2e4"]);
}

#[test]
fn a_board_that_does_not_show_itself_again_proves_nothing() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.shows_itself = false;
    t.play("e2", "e5", 'P');
    t.go(3000);
    assert_eq!(t.rulings.iter().map(|r| r.authority).collect::<Vec<_>>(), [Authority::Proposed]);
}

#[test]
fn several_plies_that_look_like_one_odd_move_accuse_nobody() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    // 1.e4 d5 2.exd5, all in one late report.
    t.go(20_000);
    t.press_with_board_showing("rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR");
    t.go(8000);
    assert_eq!(t.kinds(), []);
}

#[test]
fn what_was_not_watched_is_not_rejected_but_left_to_the_arbiter() {
    let left = |t: &Lagged| {
        let left = t.notices.iter().find(|n| n.not_covered == Some(NotCovered::NotWatched));
        t.kinds().is_empty() && left.is_some_and(|n| !n.evidence.is_empty())
    };
    for claim in Claim::ALL {
        let mut nothing_seen = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Normal);
        nothing_seen.claim(Speaker::Player(Colour::White), claim);
        nothing_seen.go(10_000);
        assert!(left(&nothing_seen), "{claim:?} {:?}", nothing_seen.kinds());

        let mut lost = Lagged::begin(STANDARD, Observer::Arbiter, START);
        lost.play("e2", "e4", 'P');
        lost.link(LinkState::Down);
        lost.claim(BLACK, claim);
        lost.go(10_000);
        assert!(left(&lost), "{claim:?} {:?}", lost.kinds());
    }
    let mut overturned = Lagged::begin(STANDARD, Observer::Arbiter, START);
    overturned.whole("r1bqkbnr/ppp2ppp/2np4/4p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R");
    overturned.go(20_000);
    assert_eq!(overturned.state(), "out-of-step");
    overturned.claim(BLACK, Claim::IllegalMove);
    overturned.go(3000);
    assert!(left(&overturned));
}

#[test]
fn what_was_seen_before_the_board_was_lost_is_ruled_on() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.play("e2", "e5", 'P');
    t.link(LinkState::Down);
    t.claim(BLACK, Claim::IllegalMove);
    t.go(3000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
}

/// The move was made and not pressed: the opponent has the move all the same (1.3), and what he touches
/// before the press is his touch.
#[test]
fn a_touch_between_the_move_and_its_press_is_the_opponents() {
    for claimed_before_the_press in [true, false] {
        let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
        t.carry("e2", "e4", 'P');
        t.go(1000);
        t.square("b8", '.');
        t.wait(700);
        t.square("b8", 'n');
        t.go(1000);
        if claimed_before_the_press {
            t.claim(Speaker::Player(Colour::White), Claim::TouchMove);
            t.go(1000);
        }
        t.press(Colour::White);
        t.go(2000);
        t.play("d7", "d6", 'p');
        if !claimed_before_the_press {
            t.claim(Speaker::Player(Colour::White), Claim::TouchMove);
            t.go(2000);
        }
        assert_eq!(t.kinds(), [RulingKind::TouchMove], "{claimed_before_the_press}");
        assert_eq!(t.rulings[0].offender, Some(Colour::Black));
        assert_eq!(t.rulings[0].consequence.required_moves, ["b8a6", "b8c6"]);
    }
}

/// The reply stands before the press for the replacement is judged, because a board lags.
#[test]
fn a_replacement_that_is_answered_at_once_is_completed_by_its_press() {
    let mut t = ruled_and_started_again();
    t.carry("e5", "e4", 'P');
    t.go(1000);
    t.press(Colour::White);
    t.wait(50);
    t.carry("e7", "e5", 'p');
    t.press(Colour::Black);
    t.go(3000);
    assert_eq!((t.moves(), t.state()), (vec!["e2e4".to_owned(), "e7e5".to_owned()], "in-step"));
    assert_eq!(t.kinds().len(), 1);
}

/// Nothing shows whether the mate stood long enough before the hand was shaken: the arbiter decides.
#[test]
fn a_flag_beside_a_mate_that_was_not_shown_to_stand_is_only_proposed() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    t.shows_itself = false;
    t.carry("a1", "a8", 'R');
    t.flag(Colour::White, 300);
    t.wait(900);
    t.square("g8", '.');
    t.square("g1", '.');
    t.go(20_000);
    assert_eq!(t.kinds(), [RulingKind::FlagFall]);
    assert_eq!(t.rulings[0].authority, Authority::Proposed);
}
