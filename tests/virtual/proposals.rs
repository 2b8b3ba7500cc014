// SPDX-License-Identifier: GPL-3.0-or-later
//! A proposal is what a person confirms, with what follows from it when he does.

use arbiterd::laws::{Authority, NoticeKind, RulingKind, Status};
use arbiterd::table::{Claim, Command, CommandError, Observer, View};
use arbiterd_board::Colour;

use super::answers::{
    BLACK, STANDARD, WHITE, begun, begun_without_second_look, claim_flag, claim_illegal, left, number, press,
};
use super::lagged::{Lagged, START};

fn told_of(t: &Lagged, number: u64) -> Vec<Status> {
    let decided = |view: &View| match view {
        View::Decided { ruling, status } if *ruling == number => Some(*status),
        _ => None,
    };
    t.views.iter().filter_map(decided).collect()
}

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

/// A touch of the opponent's piece is only proposed. A correction of a move before makes no illegal move of it.
#[test]
fn a_correction_makes_no_other_ruling_of_a_proposal() {
    let mut t = begun();
    t.play("e2", "e4", 'P');
    t.play("d7", "d5", 'p');
    t.square("d5", '.');
    t.go(1000);
    t.square("d5", 'p');
    t.go(1000);
    t.play("b1", "c3", 'N');
    t.claim(BLACK, Claim::TouchMove);
    t.go(3000);
    assert_eq!(t.kinds(), [RulingKind::TouchMove], "{:?}", t.notices);
    assert_eq!(t.rulings[0].authority, Authority::Proposed);
    t.command(Command::CorrectPly { ply: 2, uci: "d7d6".to_owned() });
    t.go(3000);
    assert_eq!((t.kinds(), t.table.game().illegal), (vec![RulingKind::TouchMove], [0, 0]));
    assert_eq!((told_of(&t, t.rulings[0].seq), left(&t).len()), (vec![Status::Fallen], 1));
}

/// It was pressed before two half-moves, and is claimed after them: what falls with these is not about it.
#[test]
fn a_proposal_is_of_the_time_of_the_fault_and_not_of_the_claim() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.shows_itself = false;
    press(&mut t, Colour::White);
    press(&mut t, Colour::Black);
    t.play("e2", "e4", 'P');
    t.play("e7", "e5", 'p');
    claim_illegal(&mut t, BLACK);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove], "{:?}", t.notices);
    assert_eq!(t.rulings[0].authority, Authority::Proposed);
    t.command(Command::Restore { plies: 1 });
    t.command(Command::Confirm { ruling: t.rulings[0].seq });
    assert_eq!(t.table.game().illegal, [1, 0]);
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

/// A press without a move, and an illegal move after it.
fn two_faults_of_white_are_proposed() -> Lagged {
    let mut t = begun_without_second_look();
    t.play("a2", "a3", 'P');
    t.play("a7", "a6", 'p');
    press(&mut t, Colour::White);
    press(&mut t, Colour::Black);
    t.play("e2", "e5", 'P');
    t.go(3000);
    assert_eq!(t.kinds(), [RulingKind::PressWithoutMove, RulingKind::IllegalMove], "{:?}", t.notices);
    t
}

/// The arbiter confirms, and corrects a move while it is being worked out what follows.
#[test]
fn what_was_confirmed_is_ruled_on_whatever_is_corrected_meanwhile() {
    for command in [
        Command::CorrectPly { ply: 1, uci: "h2h3".to_owned() },
        Command::SetMoves { after: 3, moves: vec!["g8f6".to_owned()] },
        Command::Restore { plies: 4 },
        Command::AcceptBoard { turn: Colour::White },
    ] {
        let mut t = two_faults_of_white_are_proposed();
        t.play("b8", "c6", 'n');
        let [first, second] = [t.rulings[0].seq, t.rulings[1].seq];
        t.command(Command::Confirm { ruling: first });
        t.answers_questions = false;
        t.command(Command::Confirm { ruling: second });
        t.go(1000);
        t.answers_questions = true;
        t.command(command.clone());
        t.go(10_000);
        assert_eq!((t.table.game().illegal, t.result()), ([2, 0], "0-1"), "{command:?} {:?}", t.kinds());
    }
}

/// White's asks whether Black can mate; Black's is proposed anew all the same.
#[test]
fn every_proposal_that_a_correction_makes_untrue_is_proposed_anew() {
    let mut t = two_faults_of_white_are_proposed();
    t.play("b8", "b3", 'n');
    t.go(3000);
    t.play("h2", "h3", 'P');
    t.command(Command::Confirm { ruling: t.rulings[0].seq });
    t.command(Command::CorrectPly { ply: 1, uci: "g2g3".to_owned() });
    t.go(10_000);
    let illegal: Vec<_> = t.rulings.iter().filter(|r| r.kind == RulingKind::IllegalMove).collect();
    let of = |by| illegal.iter().filter(|r| r.offender == Some(by)).count();
    assert_eq!((of(Colour::White), of(Colour::Black)), (2, 2), "{:?}", t.kinds());
}

/// Another game begins, and what was not decided is told to be no more.
#[test]
fn what_waits_falls_when_another_game_begins() {
    let mut t = begun_without_second_look();
    t.play("e2", "e4", 'P');
    press(&mut t, Colour::Black);
    let ruling = t.rulings[0].seq;
    t.square("d7", '.');
    t.claim(WHITE, Claim::TouchMove);
    t.go(2000);
    assert_eq!(number(&t, NoticeKind::ClaimOpen), 1);
    t.seconds = [50, 50];
    t.clock();
    t.go(1000);
    t.stop();
    t.go(2000);
    t.seconds = [100, 100];
    t.clock();
    t.go(1000);
    t.square("d7", 'p');
    t.go(500);
    t.carry("e4", "e2", 'P');
    t.go(5000);
    t.clock();
    assert_eq!((t.before.len(), told_of(&t, ruling)), (1, vec![Status::Fallen]));
    assert_eq!(number(&t, NoticeKind::ClaimAnswered), 1, "{:?}", t.notices);
}
