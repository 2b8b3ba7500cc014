// SPDX-License-Identifier: GPL-3.0-or-later
//! Every claim has the answer that the evidence bears, and a proposal is what a person confirms.

use arbiterd::laws::{Authority, NotCovered, NoticeKind, RulingKind, Status};
use arbiterd::table::{Claim, Command, CommandError, Observer, Orientation, Speaker, View};
use arbiterd_board::{ClockSide, Colour};

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
