// SPDX-License-Identifier: GPL-3.0-or-later
//! Every claim has the answer that the evidence bears, and a person is called for what he can put right.

use arbiterd::laws::{NotCovered, NoticeKind, RulingKind};
use arbiterd::table::{Claim, Command, Observer, Orientation, Speaker};
use arbiterd_board::{ClockReport, ClockSide, Colour, LinkState, ReportBody};

use super::lagged::{Lagged, START};

pub(super) const STANDARD: &str = "fide-2023-standard";
pub(super) const WHITE: Speaker = Speaker::Player(Colour::White);
pub(super) const BLACK: Speaker = Speaker::Player(Colour::Black);

pub(super) fn begun() -> Lagged {
    Lagged::begin(STANDARD, Observer::Arbiter, START)
}

/// A board that does not show itself when it is asked to: what rests on its evidence is only proposed.
pub(super) fn begun_without_second_look() -> Lagged {
    let mut t = begun();
    t.shows_itself = false;
    t
}

/// The reasons for which something was left to the arbiter.
pub(super) fn left(t: &Lagged) -> Vec<NotCovered> {
    t.notices.iter().filter_map(|n| n.not_covered).collect()
}

pub(super) fn number(t: &Lagged, kind: NoticeKind) -> usize {
    t.notices.iter().filter(|n| n.kind == kind).count()
}

pub(super) fn press(t: &mut Lagged, by: Colour) {
    t.press(by);
    t.go(3000);
}

pub(super) fn claim_illegal(t: &mut Lagged, by: Speaker) {
    t.claim(by, Claim::IllegalMove);
    t.go(3000);
}

/// The flag is up.
pub(super) fn claim_flag(t: &mut Lagged, by: Speaker) {
    t.claim(by, Claim::Flag);
    for _ in 0..5 {
        t.go(1000);
        t.clock();
    }
}

// ----- claims about a press of which it is not known what it was for ---------------------------------

/// Who presses early and is pressed back has completed nothing yet; whether he will is not known.
#[test]
fn a_press_of_the_opponent_does_not_close_what_the_accused_has_begun() {
    let mut t = begun();
    t.square("e2", '.');
    press(&mut t, Colour::White);
    press(&mut t, Colour::Black);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [], "{:?}", t.notices);
    assert!(left(&t).contains(&NotCovered::UnfinishedMove), "{:?}", t.notices);
}

#[test]
fn who_presses_again_for_nothing_has_pressed_without_a_move() {
    let mut t = Lagged::begin("fide-2018-rapid", Observer::Witness, START);
    t.square("e2", '.');
    press(&mut t, Colour::White);
    t.square("e2", 'P');
    t.go(2000);
    press(&mut t, Colour::Black);
    press(&mut t, Colour::White);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove], "{:?}", t.notices);
}

/// A lever that moves while the clock stands is perhaps no press; that it was none is not known either.
#[test]
fn a_claim_about_a_press_that_may_be_none_is_not_rejected() {
    let mut t = begun();
    t.counting = false;
    t.press(Colour::White);
    t.go(3000);
    t.start();
    t.go(3000);
    claim_illegal(&mut t, BLACK);
    assert_eq!((t.kinds(), left(&t)), (vec![], vec![NotCovered::UncertainPress]), "{:?}", t.notices);
}

/// Nothing was moved and nothing pressed: that claim is rejected.
#[test]
fn a_claim_about_nothing_is_rejected() {
    let mut t = begun();
    t.play("e2", "e4", 'P');
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::ClaimRejected]);
}

#[test]
fn what_was_ruled_on_is_not_denied_to_who_claims_it_after_another_ruling() {
    let mut t = begun();
    press(&mut t, Colour::White);
    claim_flag(&mut t, BLACK);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove, RulingKind::ClaimRejected]);
    assert_eq!(number(&t, NoticeKind::ClaimAnswered), 1, "{:?}", t.notices);
    let mut t = begun();
    t.play("e2", "e5", 'P');
    t.square("e5", '.');
    t.square("e2", 'P');
    t.go(3000);
    claim_flag(&mut t, BLACK);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove, RulingKind::ClaimRejected]);
    assert_eq!(number(&t, NoticeKind::ClaimAnswered), 1, "{:?}", t.notices);
}

/// By a rulebook that waits for the claim a second press without a move is a second fault.
#[test]
fn a_second_press_without_a_move_is_ruled_on_by_a_second_claim() {
    let mut t = Lagged::begin("fide-2018-rapid", Observer::Witness, START);
    press(&mut t, Colour::White);
    claim_illegal(&mut t, BLACK);
    press(&mut t, Colour::Black);
    press(&mut t, Colour::White);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove; 2], "{:?}", t.notices);
    assert_eq!(t.result(), "0-1");
}

// ----- what was not watched ------------------------------------------------------------------------

/// The clock is pulled out, and White plays what he may not.
#[test]
fn a_claim_about_a_press_that_no_clock_could_tell_is_left_to_the_arbiter() {
    let mut t = begun();
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    t.tell(ReportBody::Clock(ClockReport::Absent));
    t.carry("d2", "d5", 'P');
    t.go(2000);
    claim_illegal(&mut t, BLACK);
    assert_eq!((t.kinds(), left(&t)), (vec![], vec![NotCovered::NotWatched]), "{:?}", t.notices);
}

/// What was touched or pressed while the line was down was seen by nobody, also when all stands as before.
#[test]
fn a_claim_about_the_time_when_the_line_was_down_is_left_to_the_arbiter() {
    for (claim, since) in [(Claim::IllegalMove, false), (Claim::TouchMove, false), (Claim::IllegalMove, true)]
    {
        let mut t = begun();
        t.play("e2", "e4", 'P');
        t.link(LinkState::Down);
        t.go(5000);
        t.link(LinkState::Up);
        t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        t.clock();
        t.go(1000);
        if since {
            t.play("e7", "e5", 'p');
        }
        t.claim(WHITE, claim);
        t.go(4000);
        assert_eq!((t.kinds(), left(&t)), (vec![], vec![NotCovered::NotWatched]), "{claim:?} {since}");
        if since {
            // What was played after that was watched from its beginning.
            t.play("d2", "d4", 'P');
            claim_illegal(&mut t, BLACK);
            assert_eq!(t.kinds(), [RulingKind::ClaimRejected], "{:?}", t.notices);
        }
    }
}

/// White's move was played while the line was down, and pressed; what Black did then, before the line was up, nobody saw.
#[test]
fn what_the_player_did_before_the_line_was_up_belongs_to_his_half_move() {
    for claim in [Claim::IllegalMove, Claim::TouchMove] {
        let mut t = begun();
        t.play("d2", "d4", 'P');
        t.play("d7", "d5", 'p');
        t.link(LinkState::Down);
        t.go(5000);
        t.link(LinkState::Up);
        t.whole("rnbqkbnr/ppp1pppp/8/3p4/3PP3/8/PPP2PPP/RNBQKBNR");
        t.lever = ClockSide::Left;
        t.clock();
        t.go(2000);
        t.carry("e7", "e6", 'p');
        press(&mut t, Colour::Black);
        assert_eq!(t.record(), "d2d4 d7d5 e2e4 e7e6");
        t.claim(WHITE, claim);
        t.go(4000);
        assert_eq!(
            (t.kinds(), left(&t)),
            (vec![], vec![NotCovered::NotWatched]),
            "{claim:?} {:?}",
            t.notices
        );
    }
}

/// What can be ruled on all game long, if it was seen, is not known to have been none when it was not.
#[test]
fn a_break_in_the_observation_is_remembered_as_long_as_a_fault_would_be() {
    for (book, kinds) in [(STANDARD, vec![]), ("fide-2018-rapid", vec![RulingKind::ClaimRejected])] {
        let mut t = Lagged::begin(book, Observer::Arbiter, START);
        t.play("e2", "e4", 'P');
        t.link(LinkState::Down);
        t.link(LinkState::Up);
        t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        t.clock();
        for (from, to, piece) in [("e7", "e5", 'p'), ("d2", "d4", 'P'), ("d7", "d6", 'p')] {
            t.go(1000);
            t.play(from, to, piece);
        }
        claim_illegal(&mut t, WHITE);
        assert_eq!((t.record().as_str(), t.kinds()), ("e2e4 e7e5 d2d4 d7d6", kinds), "{book}");
    }
}

/// The clock tells of the second illegal move when it was claimed already; the first has been ruled on.
#[test]
fn a_claim_that_comes_before_its_press_is_told_is_not_answered_by_an_older_ruling() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.play("e2", "e5", 'P');
    claim_illegal(&mut t, BLACK);
    t.whole(START.split(' ').next().unwrap());
    t.clock();
    t.go(3000);
    t.press(Colour::Black);
    t.go(3000);
    t.carry("e2", "e5", 'P');
    t.wait(100);
    t.claim(BLACK, Claim::IllegalMove);
    t.go(600);
    press(&mut t, Colour::White);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove; 2], "{:?}", t.notices);
    assert_eq!(t.result(), "0-1");
}

/// A knight stood on f3 for eight seconds (4.7), and went to h3. That it may is not said.
#[test]
fn a_claim_that_a_released_piece_was_moved_on_is_not_rejected() {
    for before_press in [false, true] {
        let mut t = begun();
        t.carry("g1", "f3", 'N');
        t.go(8000);
        t.carry("f3", "h3", 'N');
        t.clock();
        if before_press {
            t.claim(BLACK, Claim::TouchMove);
            t.go(1000);
        }
        press(&mut t, Colour::White);
        if !before_press {
            t.claim(BLACK, Claim::TouchMove);
            t.go(3000);
        }
        assert_eq!((t.record().as_str(), t.kinds()), ("g1h3", vec![]), "{:?}", t.notices);
        assert!(left(&t).contains(&NotCovered::ReleasedPiece), "{:?}", t.notices);
    }
}

/// Which piece was touched first is not known when the board was away meanwhile.
#[test]
fn a_touch_that_was_seen_before_the_line_was_down_is_not_denied() {
    let mut t = begun();
    t.square("g1", '.');
    t.go(1000);
    t.square("g1", 'N');
    t.go(1000);
    t.square("e2", '.');
    t.claim(BLACK, Claim::TouchMove);
    t.go(1000);
    t.link(LinkState::Down);
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR");
    t.clock();
    t.square("e4", 'P');
    t.go(500);
    press(&mut t, Colour::White);
    assert_eq!((t.record().as_str(), t.kinds()), ("e2e4", vec![]), "{:?}", t.notices);
    assert!(left(&t).contains(&NotCovered::NotWatched), "{:?}", t.notices);
}

/// A clock tells up to a second late of a press.
#[test]
fn a_claim_waits_for_what_the_clock_may_still_tell() {
    let mut t = begun();
    t.carry("e2", "e5", 'P');
    t.wait(100);
    t.claim(BLACK, Claim::IllegalMove);
    t.go(600);
    assert_eq!(t.kinds(), []);
    press(&mut t, Colour::White);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove], "{:?}", t.notices);
}

// ----- whom a claim is about -----------------------------------------------------------------------

/// An old illegal move of White, which stands: Black's claim of it does not make White's own claim void.
#[test]
fn a_claim_of_what_cannot_be_corrected_any_more_takes_no_other_claim_away() {
    let mut t = Lagged::begin("fide-2018-rapid", Observer::Witness, START);
    t.play("e2", "e5", 'P');
    t.play("b8", "c6", 'n');
    t.play("d2", "d4", 'P');
    t.square("g8", '.');
    t.go(1000);
    t.square("g8", 'n');
    t.go(1000);
    t.square("b7", '.');
    t.claim(WHITE, Claim::TouchMove);
    t.go(1000);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::IllegalMoveStands]);
    t.square("b6", 'p');
    t.go(500);
    press(&mut t, Colour::Black);
    assert_eq!(t.kinds(), [RulingKind::IllegalMoveStands, RulingKind::TouchMove], "{:?}", t.notices);
}

/// The arbiter does not say against whom he claims: against whoever did something.
#[test]
fn an_arbiter_who_claims_means_whoever_is_to_blame() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    press(&mut t, Colour::White);
    claim_illegal(&mut t, Speaker::Arbiter);
    let offenders: Vec<_> = t.rulings.iter().map(|r| (r.kind, r.offender)).collect();
    assert_eq!(offenders, [(RulingKind::PressWithoutMove, Some(Colour::White))], "{:?}", t.notices);
    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    t.square("d2", '.');
    press(&mut t, Colour::White);
    claim_illegal(&mut t, Speaker::Arbiter);
    assert_eq!((t.kinds(), left(&t)), (vec![], vec![NotCovered::UnfinishedMove]));
}

/// After a ruling on an illegal move the same player presses without one.
#[test]
fn a_new_fault_after_a_ruling_is_a_new_fault() {
    let mut t = Lagged::begin("fide-2018-rapid", Observer::Witness, START);
    t.play("e2", "e5", 'P');
    claim_illegal(&mut t, BLACK);
    t.whole(START.split(' ').next().unwrap());
    t.go(3000);
    press(&mut t, Colour::Black);
    press(&mut t, Colour::White);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove, RulingKind::PressWithoutMove], "{:?}", t.notices);
    assert_eq!(t.result(), "0-1");
}

/// Who did it has been ruled on: the arbiter claims it all the same.
#[test]
fn an_arbiter_who_claims_what_was_ruled_on_is_answered() {
    for shows_itself in [true, false] {
        let mut t = begun();
        t.shows_itself = shows_itself;
        t.play("e2", "e4", 'P');
        t.play("e7", "e5", 'p');
        press(&mut t, Colour::White);
        claim_illegal(&mut t, Speaker::Arbiter);
        assert_eq!(t.kinds(), [RulingKind::PressWithoutMove]);
        assert_eq!(number(&t, NoticeKind::ClaimAnswered), 1, "{:?}", t.notices);
    }
}

/// The arbiter puts the position back while a press is not judged yet, or was left to him.
#[test]
fn a_restoration_denies_no_press_that_was_not_judged() {
    let mut t = begun();
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    t.press(Colour::White);
    t.wait(100);
    t.command(Command::Restore { plies: 2 });
    t.go(3000);
    claim_illegal(&mut t, BLACK);
    assert_eq!((t.kinds(), left(&t)), (vec![], vec![NotCovered::NotWatched]), "{:?}", t.notices);
    for over in [false, true] {
        let mut t = begun();
        t.counting = false;
        t.press(Colour::White);
        t.go(3000);
        t.start();
        if over {
            t.flag(Colour::Black, 1000);
            t.go(3000);
            assert_eq!(t.result(), "1-0");
        }
        t.command(Command::Restore { plies: 0 });
        claim_illegal(&mut t, BLACK);
        assert!(!t.kinds().contains(&RulingKind::ClaimRejected), "{over} {:?}", t.kinds());
    }
}

/// White had put down his pawn when the line was down for a moment, takes it back and plays another.
#[test]
fn what_is_put_back_after_a_break_in_the_line_is_no_riddle() {
    let mut t = begun();
    t.carry("e2", "e4", 'P');
    t.link(LinkState::Down);
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    t.clock();
    t.carry("e4", "e2", 'P');
    t.carry("d2", "d4", 'P');
    press(&mut t, Colour::White);
    t.play("d7", "d5", 'p');
    assert_eq!((t.record().as_str(), t.kinds()), ("d2d4 d7d5", vec![]));
}

/// What a touch claim waits for does not come when the arbiter says that the game went otherwise.
#[test]
fn a_touch_claim_falls_with_its_position() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    t.square("f1", '.');
    t.go(1000);
    t.claim(BLACK, Claim::TouchMove);
    t.go(1000);
    assert_eq!(number(&t, NoticeKind::ClaimOpen), 1);
    t.command(Command::SetMoves { after: 0, moves: vec!["d2d4".to_owned()] });
    assert_eq!(number(&t, NoticeKind::ClaimAnswered), 1, "{:?}", t.notices);
}

/// Black has moved his pawn when the arbiter says what was played, without it: it is put back, and he moves another.
#[test]
fn what_the_arbiter_says_was_played_makes_no_touch_of_what_was_moved_before() {
    let mut t = begun();
    t.play("a2", "a3", 'P');
    t.carry("h7", "h6", 'p');
    t.press(Colour::Black);
    t.command(Command::SetMoves { after: 0, moves: vec!["a2a3".to_owned()] });
    t.whole("rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR");
    t.go(1500);
    press(&mut t, Colour::White);
    t.play("b7", "b6", 'p');
    t.claim(WHITE, Claim::TouchMove);
    t.go(3000);
    assert_eq!((t.record().as_str(), t.kinds()), ("a2a3 b7b6", vec![]), "{:?}", t.notices);
    assert!(left(&t).iter().any(|why| [NotCovered::NotWatched, NotCovered::InferredMove].contains(why)));
}

// ----- whom a person is called for ----------------------------------------------------------------

/// A ruling about something else does not make a person forget what he was called for.
#[test]
fn a_ruling_does_not_call_a_person_a_second_time() {
    let mut t = begun();
    t.whole("rnbQkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBqKBNR");
    t.go(10_000);
    claim_flag(&mut t, BLACK);
    t.square("e2", '.');
    t.go(500);
    press(&mut t, Colour::White);
    t.go(5000);
    assert_eq!((number(&t, NoticeKind::OutOfStep), number(&t, NoticeKind::UnfinishedMove)), (1, 0));
}

/// White has pressed without a move, and Black gives him the move back: that press is for nothing.
#[test]
fn the_press_that_gives_the_move_back_calls_nobody() {
    let mut t = begun();
    press(&mut t, Colour::White);
    press(&mut t, Colour::Black);
    t.go(10_000);
    assert_eq!((t.kinds(), t.notices.len()), (vec![RulingKind::PressWithoutMove], 0), "{:?}", t.notices);
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    assert_eq!(t.record(), "e2e4 e7e5");
    // White has taken up a pawn already.
    let mut t = begun();
    press(&mut t, Colour::White);
    t.square("e2", '.');
    press(&mut t, Colour::Black);
    t.go(10_000);
    assert_eq!((t.kinds(), t.notices.len()), (vec![RulingKind::PressWithoutMove], 0), "{:?}", t.notices);
}

/// Who was to be called for is called for, whatever became of the line.
#[test]
fn a_break_in_the_observation_cancels_no_call() {
    let mut t = begun();
    t.square("e2", '.');
    t.press(Colour::White);
    t.go(2000);
    t.interrupt();
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR");
    t.clock();
    t.go(10_000);
    assert_eq!(number(&t, NoticeKind::UnfinishedMove), 1, "{:?}", t.notices);
}

/// Black presses, and the game begins.
#[test]
fn the_press_that_starts_the_clock_calls_nobody() {
    let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Normal);
    t.lever = ClockSide::Left;
    t.capabilities();
    t.whole(START.split(' ').next().unwrap());
    t.clock();
    t.go(2000);
    press(&mut t, Colour::Black);
    t.go(10_000);
    assert_eq!((t.kinds(), t.notices.len()), (vec![], 0), "{:?}", t.notices);
}

/// Nobody looked for a while: nothing that is pressed then is judged by what stood before.
#[test]
fn what_was_not_observed_accuses_nobody() {
    let mut t = begun();
    t.play("e2", "e4", 'P');
    t.interrupt();
    assert_eq!(t.state(), "board-lost");
    press(&mut t, Colour::White);
    press(&mut t, Colour::Black);
    claim_illegal(&mut t, WHITE);
    assert_eq!((t.kinds(), left(&t)), (vec![], vec![NotCovered::NotWatched]), "{:?}", t.notices);
    t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    assert_eq!(t.state(), "in-step");
}
