// SPDX-License-Identifier: GPL-3.0-or-later
//! A new game on the same table begins when the pieces are set up again and the clock says so too, never
//! because a game returns to where it began.

use arbiterd::laws::NoticeKind;
use arbiterd::table::{GameResult, Observer, Table};
use arbiterd_board::{ClockSide, Colour, Mono};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";

/// White's pawn went to e4, the clock was stopped, and the pawn is back.
fn put_back(stopped: bool) -> Lagged {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.seconds = [102, 97];
    t.play("e2", "e4", 'P');
    if stopped {
        t.stop();
        t.go(2000);
    }
    t.carry("e4", "e2", 'P');
    t.go(2000);
    t
}

fn set_clock(t: &mut Lagged, seconds: [u64; 2]) {
    t.seconds = seconds;
    t.lever = ClockSide::Right;
    t.clock();
    t.go(4000);
    t.start();
    t.go(2000);
}

#[test]
fn pieces_and_clock_set_to_the_beginning_begin_a_new_game() {
    for times in [[100, 100], [180, 180]] {
        let mut t = put_back(true);
        assert_eq!(t.before, [], "the arbiter may be restoring a position");
        set_clock(&mut t, times);
        assert_eq!(t.before, [GameResult::Open], "the game before has no result");
        t.play("e2", "e4", 'P');
        assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned()], vec![]));
        assert!(!t.noticed(NoticeKind::OutOfStep));
    }
}

#[test]
fn the_facts_of_the_new_game_tell_it_alone() {
    let mut t = put_back(true);
    set_clock(&mut t, [100, 100]);
    t.play("d2", "d4", 'P');
    t.play("d7", "d5", 'p');
    let numbers: Vec<u64> = t.facts.iter().map(|f| f.seq).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let mut again = Table::new(t.table.config().clone());
    for fact in &t.facts {
        again.handle(fact.at, fact.input.clone());
    }
    again.advance(Mono::from_millis(1_000_000));
    assert_eq!(again.game().plies(), t.table.game().plies());
    assert_eq!(again.game().plies().len(), 2);
}

#[test]
fn other_times_are_no_beginning() {
    // As it stood; with two minutes more for Black; set back, and a penalty; both less than at the beginning.
    for times in [[102, 97], [102, 217], [100, 220], [90, 90]] {
        let mut t = put_back(true);
        set_clock(&mut t, times);
        t.go(10_000);
        assert_eq!((t.before.len(), t.moves()), (0, vec!["e2e4".to_owned()]), "{times:?}");
    }
}

#[test]
fn nothing_begins_while_the_clock_counts() {
    let mut t = put_back(false);
    t.seconds = [100, 100];
    t.clock();
    t.go(20_000);
    assert_eq!((t.before.len(), t.moves()), (0, vec!["e2e4".to_owned()]));
}

#[test]
fn a_game_that_returns_to_its_start_position_goes_on() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.seconds = [99, 99];
    t.play("g1", "f3", 'N');
    t.play("g8", "f6", 'n');
    t.play("f3", "g1", 'N');
    t.play("f6", "g8", 'n');
    t.stop();
    t.go(3000);
    // The arbiter sets the clock, for whatever reason.
    set_clock(&mut t, [100, 100]);
    t.play("e2", "e4", 'P');
    assert_eq!((t.before.len(), t.moves().len()), (0, 5));
}

#[test]
fn after_a_game_that_is_over_the_pieces_alone_tell() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("f2", "f3", 'P');
    t.play("e7", "e5", 'p');
    t.play("g2", "g4", 'P');
    t.play("d8", "h4", 'q');
    assert_eq!(t.result(), "0-1");
    t.go(20_000);
    assert_eq!(t.before, []);
    t.stop();
    t.carry("h4", "d8", 'q');
    t.carry("g4", "g2", 'P');
    t.carry("f3", "f2", 'P');
    t.carry("e5", "e7", 'p');
    t.go(2000);
    assert_eq!(t.before, [GameResult::Won(Colour::Black)]);
    assert_eq!((t.result(), t.state(), t.moves()), ("*", "in-step", vec![]));
    t.lever = ClockSide::Right;
    t.start();
    t.go(2000);
    t.play("e2", "e4", 'P');
    assert_eq!(t.moves(), ["e2e4"]);
}

#[test]
fn without_a_clock_pieces_that_stood_so_for_long_begin_one() {
    let mut t = Lagged::begin_without_clock(STANDARD, Observer::Arbiter, START);
    t.carry("e2", "e4", 'P');
    t.go(3000);
    t.carry("e7", "e5", 'p');
    t.go(3000);
    t.carry("g1", "f3", 'N');
    t.go(3000);
    assert_eq!(t.moves(), ["e2e4", "e7e5"], "each is completed by the reply");
    t.carry("f3", "g1", 'N');
    t.carry("e5", "e7", 'p');
    t.carry("e4", "e2", 'P');
    t.go(4000);
    assert_eq!(t.before, []);
    t.go(4000);
    assert_eq!((t.before.len(), t.moves()), (1, vec![]));
}
