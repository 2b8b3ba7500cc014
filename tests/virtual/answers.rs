// SPDX-License-Identifier: GPL-3.0-or-later
//! Every claim has the answer that the evidence bears, and a proposal is what a person confirms.

use arbiterd::laws::{Authority, NotCovered, NoticeKind, RulingKind, Status};
use arbiterd::table::{Claim, Command, CommandError, Observer, Orientation, Speaker, View};
use arbiterd_board::{ClockReport, ClockSide, Colour, LinkState, ReportBody};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";
const WHITE: Speaker = Speaker::Player(Colour::White);
const BLACK: Speaker = Speaker::Player(Colour::Black);

fn begun() -> Lagged {
    Lagged::begin(STANDARD, Observer::Arbiter, START)
}

/// A board that does not show itself when it is asked to: what rests on its evidence is only proposed.
fn begun_without_second_look() -> Lagged {
    let mut t = begun();
    t.shows_itself = false;
    t
}

/// The reasons for which something was left to the arbiter.
fn left(t: &Lagged) -> Vec<NotCovered> {
    t.notices.iter().filter_map(|n| n.not_covered).collect()
}

fn number(t: &Lagged, kind: NoticeKind) -> usize {
    t.notices.iter().filter(|n| n.kind == kind).count()
}

fn press(t: &mut Lagged, by: Colour) {
    t.press(by);
    t.go(3000);
}

fn claim_illegal(t: &mut Lagged, by: Speaker) {
    t.claim(by, Claim::IllegalMove);
    t.go(3000);
}

/// The flag is up.
fn claim_flag(t: &mut Lagged, by: Speaker) {
    t.claim(by, Claim::Flag);
    for _ in 0..5 {
        t.go(1000);
        t.clock();
    }
}

fn told_of(t: &Lagged, number: u64) -> Vec<Status> {
    let decided = |view: &View| match view {
        View::Decided { ruling, status } if *ruling == number => Some(*status),
        _ => None,
    };
    t.views.iter().filter_map(decided).collect()
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

// ----- proposals ----------------------------------------------------------------------------------

fn propose_two_presses(t: &mut Lagged) {
    press(t, Colour::White);
    press(t, Colour::Black);
    press(t, Colour::White);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove; 2], "{:?}", t.notices);
    assert!(t.rulings.iter().all(|r| r.authority == Authority::Proposed));
}

/// Both were drafted when none was counted. The second that is confirmed is his second: by 7.5.5 it loses.
#[test]
fn what_is_counted_between_proposal_and_word_counts() {
    let mut t = begun_without_second_look();
    propose_two_presses(&mut t);
    let [first, second] = [t.rulings[0].seq, t.rulings[1].seq];
    t.command(Command::Confirm { ruling: first });
    assert_eq!((told_of(&t, first), t.table.game().illegal), (vec![Status::Confirmed], [1, 0]));
    t.command(Command::Confirm { ruling: second });
    t.go(1000);
    assert_eq!(told_of(&t, second), [Status::Fallen], "what it said does not follow any more");
    let last = t.rulings.last().unwrap();
    assert_eq!((last.kind, last.authority), (RulingKind::PressWithoutMove, Authority::Final));
    assert_eq!((last.consequence.illegal_moves, t.table.game().illegal, t.result()), ([2, 0], [2, 0], "0-1"));
    assert!(t.rulings[1].evidence.iter().all(|fact| last.evidence.contains(fact)));
}

/// One of each player: neither count undoes the other.
#[test]
fn a_proposal_about_one_player_does_not_undo_what_was_counted_for_the_other() {
    let mut t = begun_without_second_look();
    press(&mut t, Colour::White);
    t.square("e2", '.');
    t.square("e4", 'P');
    press(&mut t, Colour::Black);
    press(&mut t, Colour::White);
    assert_eq!(t.record(), "e2e4");
    press(&mut t, Colour::Black);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove; 2], "{:?}", t.notices);
    for ruling in [t.rulings[0].seq, t.rulings[1].seq] {
        t.command(Command::Confirm { ruling });
        t.go(1000);
    }
    assert_eq!((t.table.game().illegal, t.result()), ([1, 1], "*"));
}

#[test]
fn what_was_overruled_is_neither_proposed_anew_nor_denied() {
    let mut t = begun_without_second_look();
    t.play("e2", "e5", 'P');
    t.go(3000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
    t.command(Command::Overrule { ruling: t.rulings[0].seq });
    claim_flag(&mut t, WHITE);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove, RulingKind::ClaimRejected], "the flag is up");
    assert_eq!(number(&t, NoticeKind::ClaimAnswered), 1, "a person said what was so: {:?}", t.notices);
}

/// What waits for a person is what a claim of it would say.
#[test]
fn a_claim_of_what_is_proposed_is_answered_by_the_proposal() {
    let mut t = begun_without_second_look();
    press(&mut t, Colour::White);
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove]);
    assert_eq!(number(&t, NoticeKind::ClaimAnswered), 1, "{:?}", t.notices);
}

/// A move was missed, and its press seemed to be for none.
#[test]
fn a_press_without_a_move_falls_when_the_arbiter_says_what_was_played_then() {
    let mut t = begun_without_second_look();
    press(&mut t, Colour::White);
    let ruling = t.rulings[0].seq;
    t.command(Command::SetMoves { after: 0, moves: vec!["e2e4".to_owned()] });
    assert_eq!((told_of(&t, ruling), t.table.game().illegal), (vec![Status::Fallen], [0, 0]));
    assert_eq!(t.refused(&Command::Confirm { ruling }), CommandError::NoSuchProposal(ruling));
    t.square("e2", '.');
    t.square("e4", 'P');
    t.play("e7", "e5", 'p');
    assert_eq!((t.record().as_str(), t.kinds()), ("e2e4 e7e5", vec![RulingKind::PressWithoutMove]));
}

/// What is taken back by one ruling is nothing that another could be confirmed about.
#[test]
fn a_proposal_about_what_was_taken_back_falls() {
    let mut t = begun_without_second_look();
    t.play("e2", "e5", 'P');
    t.go(3000);
    t.play("b8", "c6", 'n');
    t.play("d2", "d5", 'P');
    t.go(3000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove; 2], "{:?}", t.notices);
    let [first, second] = [t.rulings[0].seq, t.rulings[1].seq];
    t.command(Command::Confirm { ruling: first });
    assert_eq!((told_of(&t, second), t.record().as_str()), (vec![Status::Fallen], ""));
}

#[test]
fn nothing_is_confirmed_when_the_game_is_over() {
    let mut t = begun_without_second_look();
    press(&mut t, Colour::White);
    let ruling = t.rulings[0].seq;
    t.flag(Colour::White, 1000);
    t.go(5000);
    assert_eq!(t.result(), "0-1");
    assert_eq!(t.refused(&Command::Confirm { ruling }), CommandError::GameOver);
    t.command(Command::Restore { plies: 0 });
    t.command(Command::Confirm { ruling });
    assert_eq!(t.table.game().illegal, [1, 0]);
}

/// What was found out in a game that was over, and goes on, is not forgotten.
#[test]
fn a_game_that_goes_on_remembers_what_was_proposed() {
    let mut t = begun_without_second_look();
    propose_two_presses(&mut t);
    let [first, second] = [t.rulings[0].seq, t.rulings[1].seq];
    t.flag(Colour::White, 1000);
    t.go(5000);
    t.command(Command::Restore { plies: 0 });
    claim_illegal(&mut t, BLACK);
    assert!(!t.kinds().contains(&RulingKind::ClaimRejected), "{:?}", t.kinds());
    t.command(Command::Confirm { ruling: first });
    t.command(Command::Confirm { ruling: second });
    t.go(1000);
    assert_eq!((t.table.game().illegal, t.result()), ([2, 0], "0-1"));
    let mut t = begun_without_second_look();
    t.play("e2", "e5", 'P');
    t.go(3000);
    t.command(Command::Overrule { ruling: t.rulings[0].seq });
    t.flag(Colour::Black, 1000);
    t.go(5000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove, RulingKind::FlagFall]);
    t.command(Command::Restore { plies: 1 });
    t.go(5000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove, RulingKind::FlagFall], "he has said what is so");
}

/// A half-move long before is put right; what came after it is as it was.
#[test]
fn a_correction_leaves_what_was_found_out_about_what_came_after() {
    let mut t = begun_without_second_look();
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    press(&mut t, Colour::White);
    let ruling = t.rulings[0].seq;
    t.command(Command::CorrectPly { ply: 1, uci: "e2e3".to_owned() });
    assert_eq!(told_of(&t, ruling), []);
    t.command(Command::Confirm { ruling });
    assert_eq!(t.table.game().illegal, [1, 0]);
    let mut t = begun_without_second_look();
    t.play("e2", "e4", 'P');
    t.play("a7", "a4", 'p');
    t.go(3000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
    t.command(Command::CorrectPly { ply: 1, uci: "d2d4".to_owned() });
    assert_eq!(told_of(&t, t.rulings[0].seq), [Status::Fallen]);
    let anew = t.rulings.last().unwrap().clone();
    assert_eq!((t.kinds().len(), anew.authority), (2, Authority::Proposed), "of the position that stood");
    assert!(anew.consequence.restore.as_deref().is_some_and(|fen| fen.contains("/3P4/")), "{anew:?}");
}

/// By a question that was asked of another position nothing is decided: the moves were another.
#[test]
fn a_flag_is_judged_by_the_position_that_the_arbiter_says() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
    t.answers_questions = false;
    t.flag(Colour::Black, 1000);
    t.go(3000);
    t.command(Command::SetMoves { after: 0, moves: vec!["a1a8".to_owned()] });
    t.go(1000);
    assert_eq!((t.kinds(), t.result()), (vec![RulingKind::Checkmate], "1-0"));
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
