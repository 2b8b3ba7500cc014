// SPDX-License-Identifier: GPL-3.0-or-later
//! What the arbiter puts right: a position that is put back, moves that were missed, a move that was
//! another, a board that stands turned round.

use std::time::Duration;

use arbiterd::laws::{Authority, NotCovered, NoticeKind, RulingKind, Status};
use arbiterd::table::{
    Claim, Command, CommandError, Completion, MoveProblem, Observer, Orientation, Restored, Speaker, View,
};
use arbiterd_board::{Colour, LinkState};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
const AFTER_E4_E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
const AFTER_NF3_NC6: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";

fn set(after: u32, moves: &[&str]) -> Command {
    Command::SetMoves { after, moves: moves.iter().map(|m| (*m).to_owned()).collect() }
}

fn correct(ply: u32, uci: &str) -> Command {
    Command::CorrectPly { ply, uci: uci.to_owned() }
}

fn restored(t: &Lagged) -> &Restored {
    let restored = t.views.iter().rev().find_map(|v| if let View::Restored(r) = v { Some(r) } else { None });
    restored.unwrap()
}

fn became(t: &Lagged, number: u64) -> Option<Status> {
    t.views.iter().rev().find_map(|v| match v {
        View::Decided { ruling, status } if *ruling == number => Some(*status),
        _ => None,
    })
}

/// 1. e4 e5 2. Nf3, with times of their own after each.
fn three_half_moves() -> Lagged {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.seconds = [95, 100];
    t.play("e2", "e4", 'P');
    t.seconds = [95, 88];
    t.play("e7", "e5", 'p');
    t.seconds = [70, 88];
    t.play("g1", "f3", 'N');
    assert_eq!(t.moves(), ["e2e4", "e7e5", "g1f3"]);
    t
}

/// 1. f3 e5 2. g4 Qh4 mate.
fn mated() -> Lagged {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("f2", "f3", 'P');
    t.play("e7", "e5", 'p');
    t.play("g2", "g4", 'P');
    t.play("d8", "h4", 'q');
    assert_eq!((t.state(), t.result()), ("over", "0-1"));
    t
}

#[test]
fn a_position_is_put_back_with_what_fell_and_what_the_clocks_showed_then() {
    let mut t = three_half_moves();
    t.command(Command::Restore { plies: 1 });
    assert_eq!((t.state(), t.moves()), ("restoring", vec!["e2e4".to_owned()]));
    let s = Duration::from_secs;
    assert_eq!(
        restored(&t),
        &Restored {
            remaining: 1,
            taken_back: vec!["e7e5".to_owned(), "g1f3".to_owned()],
            fen: "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_owned(),
            clock: Some([s(95), s(100)]),
            reopened: false,
        }
    );
    // What is put back is no play, and presses for it are none.
    t.press(Colour::Black);
    t.carry("f3", "g1", 'N');
    t.carry("e5", "e7", 'p');
    t.go(4000);
    assert_eq!((t.state(), t.moves().len(), t.kinds().len()), ("in-step", 1, 0));
    t.press(Colour::White);
    t.play("c7", "c5", 'p');
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned(), "c7c5".to_owned()], vec![]));
}

#[test]
fn a_position_that_stands_already_is_in_step_at_once_and_nothing_is_known_of_the_first_times() {
    let mut t = three_half_moves();
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    t.command(Command::Restore { plies: 0 });
    assert_eq!((t.state(), t.moves().len()), ("in-step", 0));
    assert_eq!((restored(&t).taken_back.len(), restored(&t).clock), (3, None));
    // The record as it is can be put back too: from out of step, say.
    let mut t = three_half_moves();
    t.whole("r1bqkbnr/pp3ppp/2np4/2p1p3/3PP3/2N2N2/PPP2PPP/R1BQKB1R");
    t.go(20_000);
    assert_eq!(t.state(), "out-of-step");
    t.command(Command::Restore { plies: 3 });
    assert_eq!((t.state(), t.moves().len()), ("restoring", 3));
    assert_eq!(restored(&t).taken_back, [""; 0]);
    t.whole("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R");
    assert_eq!(t.state(), "in-step");
}

/// While the pieces go back, the position after the first move that was taken back stands for a moment.
#[test]
fn a_move_that_was_taken_back_is_not_played_again_by_putting_back_what_came_after_it() {
    let mut t = three_half_moves();
    t.command(Command::Restore { plies: 1 });
    t.carry("f3", "g1", 'N');
    t.go(3000);
    t.press(Colour::Black);
    t.go(3000);
    assert_eq!((t.state(), t.moves().len()), ("restoring", 1));
    t.carry("e5", "e7", 'p');
    assert_eq!(t.state(), "in-step");
}

#[test]
fn what_is_not_in_the_record_cannot_be_put_back() {
    let t = three_half_moves();
    for plies in [4, u32::MAX] {
        let refused = t.refused(&Command::Restore { plies });
        assert_eq!(refused, CommandError::NoSuchPly { asked: plies, completed: 3 });
    }
    let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Normal);
    assert_eq!(t.refused(&Command::Restore { plies: 0 }), CommandError::NotBegun);
    t.capabilities();
    t.whole("8/8/8/8/8/8/8/8");
    assert_eq!(
        (t.state(), t.refused(&Command::Restore { plies: 0 })),
        ("awaiting-position", CommandError::NotBegun)
    );
}

#[test]
fn a_game_that_is_over_goes_on_where_the_arbiter_says() {
    let mut t = mated();
    assert_eq!(t.refused(&set(3, &["d8g5"])), CommandError::GameOver);
    assert_eq!(t.refused(&correct(4, "d8g5")), CommandError::GameOver);
    assert_eq!(t.refused(&Command::AcceptBoard { turn: Colour::White }), CommandError::GameOver);
    let mate = t.rulings.last().unwrap().seq;
    t.command(Command::Restore { plies: 3 });
    assert_eq!((t.state(), t.result(), restored(&t).reopened), ("restoring", "*", true));
    assert_eq!(became(&t, mate), Some(Status::Overruled));
    t.carry("h4", "d8", 'q');
    assert_eq!(t.state(), "in-step");
    t.press(Colour::White);
    t.play("d8", "g5", 'q');
    assert_eq!((t.moves().len(), t.result()), (4, "*"));
    // Where mate stands the game ends by itself, whoever reopened it.
    let mut t = mated();
    t.command(Command::Restore { plies: 4 });
    assert_eq!((t.state(), t.result()), ("over", "0-1"));
    assert_eq!(t.kinds(), [RulingKind::Checkmate, RulingKind::Checkmate]);
}

#[test]
fn a_loss_by_count_that_does_not_stand_is_not_counted_either() {
    let mut t = Lagged::begin("fide-2023-standard", Observer::Arbiter, START);
    t.play("e2", "e5", 'P');
    t.carry("e5", "e2", 'P');
    t.go(3000);
    t.press(Colour::Black);
    t.go(3000);
    t.play("e2", "e5", 'P');
    t.go(3000);
    assert_eq!((t.result(), t.table.game().illegal), ("0-1", [2, 0]));
    t.command(Command::Restore { plies: 0 });
    assert_eq!((t.result(), t.table.game().illegal), ("*", [1, 0]));
}

#[test]
fn a_flag_that_was_none_does_not_end_the_reopened_game_again() {
    let mut t = three_half_moves();
    t.flag(Colour::Black, 1500);
    t.go(3000);
    assert_eq!((t.state(), t.result()), ("over", "1-0"));
    t.command(Command::Restore { plies: 3 });
    t.go(20_000);
    assert_eq!((t.state(), t.result()), ("in-step", "*"));
}

#[test]
fn without_a_board_the_record_goes_back_and_the_board_is_told_when_it_is_there() {
    let mut t = three_half_moves();
    t.link(LinkState::Down);
    t.command(Command::Restore { plies: 2 });
    assert_eq!((t.state(), t.moves().len()), ("board-lost", 2));
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R");
    t.go(20_000);
    assert_eq!((t.state(), t.table.state().differing().len()), ("restoring", 2));
    t.carry("f3", "g1", 'N');
    assert_eq!(t.state(), "in-step");
    // Over, with the board gone: it is not there when the game is reopened.
    let mut t = mated();
    t.link(LinkState::Down);
    t.command(Command::Restore { plies: 3 });
    assert_eq!((t.state(), t.result()), ("board-lost", "*"));
}

/// 7.5.1: a restoration is not over because the board was away meanwhile.
#[test]
fn an_illegal_move_that_was_ruled_on_is_not_charged_again_after_the_board_was_away() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e5", 'P');
    t.go(3000);
    assert_eq!((t.kinds(), t.state()), (vec![RulingKind::IllegalMove], "restoring"));
    t.link(LinkState::Down);
    t.go(3000);
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR");
    t.clock();
    t.go(3000);
    // The clock is handed back to White, who has his pawn where it was.
    t.press(Colour::Black);
    t.go(2000);
    t.press(Colour::White);
    t.go(4000);
    assert_eq!((t.kinds(), t.result(), t.state()), (vec![RulingKind::IllegalMove], "*", "restoring"));
    t.carry("e5", "e2", 'P');
    assert_eq!(t.state(), "in-step");
}

#[test]
fn a_proposal_falls_with_what_it_is_about() {
    let proposed = || {
        let mut t = three_half_moves();
        t.shows_itself = false;
        t.play("b8", "b6", 'n');
        t.go(3000);
        assert_eq!((t.kinds(), t.rulings[0].authority), (vec![RulingKind::IllegalMove], Authority::Proposed));
        t
    };
    let mut t = proposed();
    let ruling = t.rulings[0].seq;
    t.command(Command::Restore { plies: 3 });
    assert_eq!(became(&t, ruling), Some(Status::Fallen));
    assert_eq!(t.refused(&Command::Confirm { ruling }), CommandError::NoSuchProposal(ruling));
    // What stays in the record keeps its proposal.
    let mut t = proposed();
    t.command(Command::Restore { plies: 4 });
    assert_eq!((became(&t, ruling), t.table.check(&Command::Confirm { ruling })), (None, Ok(())));
    // Corrected to a legal move, it is nobody's fault any more.
    let mut t = proposed();
    t.command(correct(4, "b8c6"));
    assert_eq!(became(&t, ruling), Some(Status::Fallen));
    t.go(20_000);
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
}

#[test]
fn moves_that_were_missed_are_set_and_play_goes_on() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.whole(AFTER_NF3_NC6);
    t.go(20_000);
    assert_eq!(t.state(), "out-of-step");
    t.command(set(0, &["e2e4", "e7e5", "g1f3", "b8c6"]));
    assert_eq!(
        (t.state(), t.moves()),
        ("in-step", ["e2e4", "e7e5", "g1f3", "b8c6"].map(str::to_owned).to_vec())
    );
    let moved = t.views.iter().filter_map(|v| if let View::Moved(m) = v { Some(m) } else { None });
    let told: Vec<_> = moved.map(|m| (m.ply, m.uci.as_str(), m.completion, m.clock)).collect();
    assert_eq!(told[0], (1, "e2e4", Completion::Arbiter, None));
    assert_eq!(told[3], (4, "b8c6", Completion::Arbiter, None));
    for ply in t.table.game().plies() {
        assert!(ply.inferred && ply.changes.is_empty() && ply.facts.len() == 1);
    }
    // They were not seen: no claim of a touch is upheld or rejected by them.
    t.go(1000);
    t.claim(Speaker::Player(Colour::White), Claim::TouchMove);
    t.go(3000);
    let handed: Vec<_> = t.notices.iter().filter(|n| n.kind == NoticeKind::NotRuled).collect();
    assert_eq!((handed.len(), handed[0].not_covered), (1, Some(NotCovered::InferredMove)));
    t.press(Colour::Black);
    t.play("f1", "b5", 'B');
    assert_eq!((t.moves().len(), t.kinds(), t.state()), (5, vec![], "in-step"));
}

#[test]
fn a_move_in_progress_goes_on_after_moves_were_set() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.whole(AFTER_NF3_NC6);
    t.go(20_000);
    t.square("f1", '.');
    t.command(set(0, &["e2e4", "e7e5", "g1f3", "b8c6"]));
    assert_eq!(t.state(), "in-step");
    t.square("b5", 'B');
    t.wait(200);
    t.press(Colour::Black);
    t.go(2000);
    t.press(Colour::White);
    t.go(4000);
    assert_eq!((t.moves().last().unwrap().as_str(), t.kinds()), ("f1b5", vec![]));
}

#[test]
fn what_still_differs_after_moves_were_set_is_out_of_step_and_accuses_nobody() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.whole(AFTER_NF3_NC6);
    t.go(20_000);
    // One was forgotten.
    t.command(set(0, &["e2e4", "e7e5", "b1c3"]));
    assert_eq!(t.state(), "out-of-step");
    let differing: Vec<String> = t.table.state().differing().iter().map(ToString::to_string).collect();
    assert_eq!(differing, ["b1", "g1", "c3", "f3", "c6", "b8"]);
    // Black has the move; what he or White presses now is judged by nothing.
    t.press(Colour::Black);
    t.go(3000);
    t.press(Colour::White);
    t.go(3000);
    t.claim(Speaker::Player(Colour::White), Claim::TouchMove);
    t.go(3000);
    assert_eq!((t.moves().len(), t.kinds()), (3, vec![]));
    t.command(set(2, &["g1f3", "b8c6"]));
    assert_eq!((t.state(), t.moves().len()), ("in-step", 4));
}

/// What differs is White's only, and looks like a move that is not legal; nobody saw where it came from.
#[test]
fn what_was_not_seen_to_follow_from_the_record_accuses_nobody_but_calls_a_person_after_a_press() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.whole("r1bqkbnr/pppp1ppp/2n5/4p1N1/4P3/8/PPPP1PPP/RNBQKB1R");
    t.go(20_000);
    t.command(set(0, &["e2e4", "e7e5"]));
    assert_eq!(t.state(), "out-of-step");
    t.whole("rnbqkbnr/pppp1ppp/8/4p1N1/4P3/8/PPPP1PPP/RNBQKB1R");
    t.go(20_000);
    assert_eq!(t.state(), "in-step", "before a press nobody learns that it is not legal");
    let called = |t: &Lagged| t.notices.iter().filter(|n| n.kind == NoticeKind::OutOfStep).count();
    let before = called(&t);
    t.press(Colour::White);
    t.go(10_000);
    assert_eq!((t.kinds(), t.moves().len(), t.state()), (vec![], 2, "out-of-step"));
    assert_eq!(called(&t), before + 1);
    // Once it follows from the record, play is judged again.
    t.whole(AFTER_E4_E5);
    t.press(Colour::Black);
    t.go(3000);
    t.play("g1", "g5", 'N');
    assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
}

/// 7.5.3 is about play: a press while a position was put back is none, however late it is judged.
#[test]
fn a_press_while_a_ruling_is_carried_out_is_no_press_without_a_move() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e5", 'P');
    t.go(3000);
    assert_eq!((t.kinds(), t.state()), (vec![RulingKind::IllegalMove], "restoring"));
    t.press(Colour::Black);
    t.go(3000);
    t.square("e5", '.');
    t.press(Colour::White);
    t.square("e2", 'P');
    assert_eq!(t.state(), "in-step");
    t.go(4000);
    assert_eq!((t.kinds(), t.result()), (vec![RulingKind::IllegalMove], "*"));
}

#[test]
fn a_thing_that_is_no_piece_is_told_as_what_differs_when_it_comes_and_when_it_goes() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e5", 'P');
    t.go(3000);
    t.square("a4", '?');
    assert_eq!(t.table.state().differing().len(), 3);
    t.square("a4", '.');
    assert_eq!(t.table.state().differing().len(), 2);
}

#[test]
fn a_game_in_progress_is_taken_over_at_a_board_that_stands_turned_round() {
    let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Auto);
    t.capabilities();
    let turned: arbiterd_board::Placement = AFTER_E4_E5.parse().unwrap();
    t.whole(&turned.rotated().to_string());
    t.clock();
    assert_eq!(t.state(), "awaiting-position");
    t.table.stands_turned();
    t.command(set(0, &["e2e4", "e7e5"]));
    assert_eq!((t.state(), t.noticed(NoticeKind::OrientationRotated)), ("in-step", true));
    // g1 and f3, as the hardware has them.
    t.carry("b8", "c6", 'N');
    t.press(Colour::White);
    t.go(3000);
    assert_eq!(t.moves(), ["e2e4", "e7e5", "g1f3"]);
}

#[test]
fn moves_can_be_set_before_a_board_is_there() {
    let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Normal);
    t.command(set(0, &["e2e4"]));
    assert_eq!((t.state(), t.moves().len()), ("no-board", 1));
    t.capabilities();
    t.whole(AFTER_E4);
    assert_eq!(t.state(), "in-step");
}

#[test]
fn a_move_that_cannot_be_is_refused_by_its_number_and_with_what_is_wrong() {
    let t = three_half_moves();
    let sq = |s: &str| s.parse().unwrap();
    let refused = |number, ply, uci: &str, problem| CommandError::MoveRefused {
        number,
        ply,
        uci: uci.to_owned(),
        problem,
    };
    assert_eq!(
        t.refused(&set(3, &["b8c6", "f1b5", "f8c4"])),
        refused(3, 6, "f8c4", MoveProblem::NotLegal(sq("f8")))
    );
    let white = MoveProblem::NotHisPiece { from: sq("e7"), turn: Colour::White };
    assert_eq!(t.refused(&set(0, &["e7e5"])), refused(1, 1, "e7e5", white));
    assert_eq!(t.refused(&set(1, &["e7e5 "])), refused(1, 2, "e7e5 ", MoveProblem::NotUci));
    let long = "e".repeat(100_000);
    assert_eq!(t.refused(&set(1, &[&long])), refused(1, 2, "eeeeeeeeeeee", MoveProblem::NotUci));
    assert_eq!(t.refused(&set(3, &[])), CommandError::NoMoves);
    assert_eq!(t.refused(&set(4, &["b8c6"])), CommandError::NoSuchPly { asked: 4, completed: 3 });
    let told = t.refused(&set(3, &["f8c4"])).to_string();
    assert!(told.contains("half-move 4") && told.contains("f8"), "{told}");
}

#[test]
fn castling_of_chess960_is_set_as_the_table_writes_it() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "1k6/8/8/8/8/8/8/5KR1 w G - 0 1");
    t.command(set(0, &["f1g1", "b8c8"]));
    assert_eq!(t.moves(), ["f1g1", "b8c8"]);
    assert!(t.table.game().standing().fen().starts_with("2k5/8/8/8/8/8/8/5RK1 w"));
}

#[test]
fn a_mate_that_was_set_ends_the_game() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.command(set(0, &["f2f3", "e7e5", "g2g4", "d8h4"]));
    assert_eq!((t.kinds(), t.result()), (vec![RulingKind::Checkmate], "0-1"));
    assert_eq!(t.rulings[0].evidence.len(), 1, "the arbiter's word");
}

#[test]
fn a_promotion_that_was_another_piece_is_corrected_and_play_goes_on() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "8/P1k5/8/8/8/8/7p/2K5 w - - 0 1");
    t.carry("a7", "a8", 'Q');
    t.press(Colour::White);
    t.go(3000);
    t.play("c7", "d7", 'k');
    assert_eq!(t.moves(), ["a7a8q", "c7d7"]);
    let clock = t.table.game().plies()[0].clock;
    t.square("a8", 'R');
    t.go(1000);
    t.command(correct(1, "a7a8r"));
    assert_eq!((t.state(), t.moves()), ("in-step", vec!["a7a8r".to_owned(), "c7d7".to_owned()]));
    let corrected = &t.table.game().plies()[0];
    assert_eq!(
        (corrected.completion, corrected.clock, corrected.inferred),
        (Completion::Arbiter, clock, true)
    );
    assert!(t.views.contains(&View::TakenBack { remaining: 0 }));
    t.play("a8", "a7", 'R');
    assert_eq!((t.moves().len(), t.kinds()), (3, vec![]));
}

#[test]
fn a_correction_that_a_later_move_does_not_bear_names_the_first_such() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.command(set(0, &["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6"]));
    // Without the king's pawn gone, neither queen nor bishop comes out: the queen is first.
    let nothing = MoveProblem::NotLegal("d1".parse().unwrap());
    let later = CommandError::LaterMove { ply: 3, uci: "d1h5".to_owned(), problem: nothing };
    assert_eq!(t.refused(&correct(1, "a2a3")), later);
    assert!(matches!(t.refused(&correct(1, "e2e5")), CommandError::MoveRefused { number: 1, ply: 1, .. }));
    for ply in [0, 7] {
        assert_eq!(t.refused(&correct(ply, "e2e4")), CommandError::NoSuchPly { asked: ply, completed: 6 });
    }
    t.command(correct(2, "c7c5"));
    assert_eq!(t.moves()[1..3], ["c7c5", "d1h5"]);
    // What was accepted does not follow from what came before: it stays.
    t.whole("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    t.command(Command::AcceptBoard { turn: Colour::White });
    t.command(correct(1, "e2e3"));
    let fen = t.table.game().standing().fen();
    assert!(fen.starts_with("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"), "{fen}");
    assert_eq!((t.moves()[0].as_str(), t.state()), ("e2e3", "in-step"));
}

#[test]
fn an_illegal_move_that_stands_keeps_its_place_after_an_earlier_one_is_corrected() {
    let mut t = Lagged::begin("fide-2017-rapid", Observer::Witness, START);
    t.play("a2", "a3", 'P');
    t.play("b8", "b6", 'n');
    t.play("e2", "e4", 'P');
    assert_eq!(t.moves(), ["a2a3", "b8b6", "e2e4"]);
    t.square("a3", '.');
    t.square("a4", 'P');
    t.command(correct(1, "a2a4"));
    assert_eq!((t.moves(), t.state()), (["a2a4", "b8b6", "e2e4"].map(str::to_owned).to_vec(), "in-step"));
    assert!(t.table.game().plies()[1].is_irregular());
}

/// A correction that leaves what stands as it is disturbs nobody who is playing.
#[test]
fn a_press_that_waits_for_its_evidence_is_judged_after_a_correction() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.command(set(0, &["g1f3", "g8f6", "b1c3", "b8c6"]));
    t.whole("r1bqkb1r/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/R1BQKB1R");
    t.press(Colour::Black);
    t.go(3000);
    t.carry("e2", "e4", 'P');
    t.press(Colour::White);
    t.wait(50);
    t.command(set(0, &["b1c3", "b8c6", "g1f3", "g8f6"]));
    t.go(3000);
    assert_eq!((t.moves().len(), t.moves()[4].as_str(), t.state()), (5, "e2e4", "in-step"));
}

#[test]
fn a_board_is_accepted_the_way_round_that_the_arbiter_says() {
    let stands = |turned: bool| {
        let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Auto);
        t.capabilities();
        t.whole("4k3/8/8/8/8/8/4P3/4K3");
        t.clock();
        t.go(2000);
        assert!(matches!(
            t.refused(&Command::AcceptBoard { turn: Colour::White }),
            CommandError::BoardUnusable(_)
        ));
        if turned {
            t.table.stands_turned();
        }
        t.command(Command::AcceptBoardAs { turn: Colour::White, turned: Some(turned), castling: None });
        assert_eq!(t.state(), "in-step");
        t
    };
    let mut t = stands(false);
    t.play("e2", "e4", 'P');
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned()], vec![]));
    // The same hardware squares are others for the players.
    let mut t = stands(true);
    assert_eq!(t.table.game().standing().fen(), "3K4/3P4/8/8/8/8/8/3k4 w - - 0 1");
    t.play("e1", "d1", 'K');
    assert_eq!((t.moves(), t.kinds()), (vec!["d8e8".to_owned()], vec![]));
}

#[test]
fn who_may_still_castle_follows_from_the_record_unless_the_arbiter_says_otherwise() {
    let accepted = |castling: Option<&str>| {
        let mut t = Lagged::begin(STANDARD, Observer::Arbiter, "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1");
        // White's rook of the queen's side stands elsewhere, Black's king's pieces at home.
        t.whole("r3k2r/8/8/8/8/8/8/3RK2R");
        let castling = castling.map(str::to_owned);
        let command = Command::AcceptBoardAs { turn: Colour::Black, turned: None, castling };
        t.table.check(&command)?;
        t.command(command);
        Ok(t.table.game().standing().fen().split(' ').nth(2).unwrap().to_owned())
    };
    assert_eq!(accepted(None), Ok("Kk".to_owned()), "a right that was lost does not come back");
    assert_eq!(accepted(Some("kq")), Ok("kq".to_owned()));
    assert_eq!(accepted(Some("-")), Ok("-".to_owned()));
    for wrong in ["Q", "KQ", "x", "", "- 0 1", "KQkqKQkqKQkqKQkq"] {
        assert!(matches!(accepted(Some(wrong)), Err(CommandError::Castling(_))), "{wrong:?}");
    }
}

/// 5.1.1: only a move ends the game by mate; what was accepted was seen to come from none, and the last
/// one in the record may be the mated player's.
#[test]
fn a_mated_position_that_was_accepted_is_no_checkmate_by_whoever_moved_last() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("f2", "f3", 'P');
    t.whole("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR");
    t.command(Command::AcceptBoard { turn: Colour::White });
    t.go(20_000);
    assert_eq!((t.kinds(), t.result()), (vec![], "*"));
}
