// SPDX-License-Identifier: GPL-3.0-or-later
//! A result that the players show with the pieces: the arbiter is asked, and only if the sign was set while
//! the clock stood.

use arbiterd::laws::{Authority, RulingKind};
use arbiterd::table::{Command, Observer};
use arbiterd_board::Colour;

use super::lagged::Lagged;

const STANDARD: &str = "fide-2023-standard";
/// Kings beside the centre, Black to move.
const BESIDE: &str = "8/8/3k4/8/8/4K3/4P3/8 b - - 0 60";

fn stopped(fen: &str) -> Lagged {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, fen);
    t.stop();
    t.go(2000);
    t
}

fn proposed(t: &Lagged) -> Vec<&'static str> {
    assert!(
        t.rulings.iter().all(|r| r.kind == RulingKind::BoardSignal && r.authority == Authority::Proposed)
    );
    t.rulings.iter().map(|r| r.consequence.result.pgn()).collect()
}

#[test]
fn kings_that_are_put_in_the_centre_propose_a_result_and_are_no_move() {
    for (white, black, result) in [("e4", "d5", "1-0"), ("d4", "e5", "0-1"), ("e4", "e5", "1/2-1/2")] {
        let mut t = stopped(BESIDE);
        t.carry("d6", black, 'k');
        t.wait(600);
        t.carry("e3", white, 'K');
        t.go(1500);
        assert_eq!(proposed(&t), [] as [&str; 0], "it has not stood long enough");
        t.go(8000);
        assert_eq!((proposed(&t), t.moves(), t.result()), (vec![result], vec![], "*"), "{white} {black}");
        assert_eq!(t.notices, [], "nobody is called to a board on which nothing is played");
        t.command(Command::Confirm { ruling: 1 });
        assert_eq!((t.result(), t.state()), (result, "over"));
    }
}

#[test]
fn a_result_token_is_a_sign_too_if_it_came_while_the_clock_stood() {
    for (token, result) in [('+', "1-0"), ('-', "0-1"), ('=', "1/2-1/2")] {
        let mut t = stopped(BESIDE);
        t.square("a1", token);
        t.go(5000);
        assert_eq!((proposed(&t), t.result()), (vec![result], "*"));
    }
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, BESIDE);
    t.square("a1", '+');
    t.go(3000);
    t.stop();
    t.go(10_000);
    assert_eq!(t.kinds(), []);
}

#[test]
fn no_sign_is_seen_while_the_clock_counts() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, BESIDE);
    t.carry("d6", "d5", 'k');
    t.carry("e3", "e4", 'K');
    t.go(20_000);
    assert_eq!(t.kinds(), []);
}

#[test]
fn an_illegal_move_that_puts_the_kings_beside_each_other_is_no_sign_when_the_clock_is_stopped_for_it() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, "8/8/8/3k4/8/4K3/4P3/8 w - - 0 60");
    t.carry("e3", "e4", 'K');
    t.press(Colour::White);
    t.go(2000);
    assert_eq!(t.moves(), ["e3e4"], "as it was made");
    t.stop();
    t.go(20_000);
    assert_eq!(t.kinds(), []);
}

#[test]
fn one_king_in_the_centre_or_a_passing_pair_is_no_sign() {
    let mut t = stopped(BESIDE);
    t.carry("d6", "d5", 'k');
    t.go(10_000);
    t.carry("e3", "e4", 'K');
    t.go(1000);
    t.carry("e4", "f3", 'K');
    t.go(10_000);
    assert_eq!(t.kinds(), []);
}

#[test]
fn play_goes_on_after_a_sign_that_the_arbiter_overrules() {
    let mut t = stopped(BESIDE);
    t.carry("d6", "d5", 'k');
    t.carry("e3", "e4", 'K');
    t.go(4000);
    t.command(Command::Overrule { ruling: 1 });
    t.carry("e4", "e3", 'K');
    t.carry("d5", "d6", 'k');
    t.go(2000);
    t.start();
    t.go(2000);
    t.play("d6", "c5", 'k');
    assert_eq!((proposed(&t), t.moves(), t.result()), (vec!["1-0"], vec!["d6c5".to_owned()], "*"));
}
