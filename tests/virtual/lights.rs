// SPDX-License-Identifier: GPL-3.0-or-later
//! Lights show which squares are to be put right after a ruling, and nothing else, ever.

use std::time::Duration;

use arbiterd::laws::rulebook::Library;
use arbiterd::laws::{Authority, RulingKind};
use arbiterd::table::{Claim, Command, Observer, Orientation, Speaker, TableState};
use arbiterd_board::{AckOutcome, Colour, LinkState, Occupant, Square};
use proptest::prelude::*;
use shakmaty::Position;

use super::honest::{Habit, POSITIONS, habit, position_of};
use super::lagged::{Lagged, START};
use super::venue::{Plan, Venue};

const STANDARD: &str = "fide-2023-standard";
const BLACK: Speaker = Speaker::Player(Colour::Black);

/// What was ordered since `from`, as words; a dot for darkness.
fn shown(t: &Lagged, from: usize) -> Vec<String> {
    let words = |picture: &Vec<Square>| {
        let names: Vec<String> = picture.iter().map(ToString::to_string).collect();
        if names.is_empty() { ".".to_owned() } else { names.join(" ") }
    };
    t.table.pictures[from..].iter().map(words).collect()
}

/// White has played e2-e5, and it was ruled that he puts it back.
fn ruled() -> Lagged {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.play("e2", "e5", 'P');
    assert_eq!((t.kinds(), t.state()), (vec![RulingKind::IllegalMove], "restoring"));
    assert_eq!(shown(&t, 0), ["e2 e5"]);
    t
}

#[test]
fn a_square_is_dark_when_it_is_right_and_all_are_when_the_game_goes_on() {
    let mut t = ruled();
    t.square("e5", '.');
    assert_eq!(shown(&t, 1), ["e2"]);
    t.square("e2", 'P');
    assert_eq!((shown(&t, 2), t.state()), (vec![".".to_owned()], "in-step"));
    t.carry("e2", "e4", 'P');
    t.go(3000);
    assert_eq!((t.state(), shown(&t, 3)), ("in-step", vec![]));
}

#[test]
fn lights_are_squares_of_the_hardware_and_none_before_it_is_known_how_it_stands() {
    for orientation in [Orientation::Auto, Orientation::Turned] {
        let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, orientation);
        t.table.stands_turned();
        t.capabilities();
        t.whole("RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr");
        t.clock();
        t.go(2000);
        // e2 and e5 of the players.
        t.play("d7", "d4", 'P');
        assert_eq!((t.state(), shown(&t, 0)), ("restoring", vec!["e2 e5".to_owned()]));
    }
}

#[test]
fn lights_do_not_tell_whether_what_is_played_instead_is_legal() {
    let straight_to = |square| {
        let mut t = ruled();
        t.carry("e5", square, 'P');
        t.go(3000);
        (t.state(), shown(&t, 0))
    };
    let pictures = ["e2 e5", "e2", "."].map(str::to_owned).to_vec();
    for square in ["e4", "e6", "d3"] {
        assert_eq!(straight_to(square), ("restoring", pictures.clone()), "{square}");
    }
}

/// Nor does the opponent's reply bring them back, whatever it is a reply to.
#[test]
fn lights_stay_out_when_what_is_played_instead_is_answered() {
    for square in ["e4", "e6", "d3"] {
        let mut t = ruled();
        t.carry("e5", square, 'P');
        t.go(1000);
        t.carry("b8", "c6", 'n');
        t.go(3000);
        assert_eq!(shown(&t, 0), ["e2 e5", "e2", "."], "{square}");
    }
}

#[test]
fn a_piece_on_a_wrong_square_is_guided_back_once_it_is_in_the_hand_again() {
    let mut t = ruled();
    t.carry("e5", "e6", 'P');
    t.square("e6", '.');
    t.square("e2", 'P');
    assert_eq!((t.state(), shown(&t, 3)), ("in-step", vec!["e2".to_owned(), ".".to_owned()]));
}

#[test]
fn the_move_that_was_taken_back_stays_lit_when_the_reply_to_it_is_back() {
    let mut t = Lagged::begin(STANDARD, Observer::Witness, START);
    t.play("e2", "e5", 'P');
    t.carry("b8", "c6", 'n');
    t.go(1000);
    t.claim(BLACK, Claim::IllegalMove);
    t.go(3000);
    assert_eq!((t.state(), shown(&t, 0)), ("restoring", vec!["e2 e5 c6 b8".to_owned()]));
    t.square("c6", '.');
    t.square("b8", 'n');
    t.square("e5", '.');
    t.square("e2", 'P');
    assert_eq!(
        (t.state(), shown(&t, 1)),
        ("in-step", ["e2 e5 b8", "e2 e5", "e2", "."].map(str::to_owned).to_vec())
    );
}

#[test]
fn after_a_touch_only_what_is_to_be_put_back_is_lit() {
    // White touched his bishop and moved his knight.
    let mut t = Lagged::begin(STANDARD, Observer::Witness, "4k3/8/8/8/8/8/8/2B1K1N1 w - - 0 1");
    t.square("c1", '.');
    t.wait(1000);
    t.square("c1", 'B');
    t.wait(1000);
    t.play("g1", "f3", 'N');
    t.claim(BLACK, Claim::TouchMove);
    t.go(4000);
    assert_eq!((t.kinds(), t.state()), (vec![RulingKind::TouchMove], "restoring"));
    assert!(!t.rulings[0].consequence.required_moves.is_empty());
    assert_eq!(shown(&t, 0), ["g1 f3"]);
    t.carry("f3", "g1", 'N');
    assert_eq!((t.state(), shown(&t, 1)), ("in-step", ["g1", "."].map(str::to_owned).to_vec()));
}

/// His opponent puts his reply back first: nothing of that is a move of the offender.
#[test]
fn a_reply_that_is_put_back_first_leaves_the_rest_lit() {
    let mut t = Lagged::begin_without_clock(STANDARD, Observer::Arbiter, START);
    t.square("d2", '.');
    t.wait(1000);
    t.square("d2", 'P');
    t.go(1000);
    for (from, to, piece) in [("g1", "f3", 'N'), ("e7", "e5", 'p')] {
        t.carry(from, to, piece);
        t.go(2000);
    }
    t.claim(Speaker::Arbiter, Claim::TouchMove);
    t.go(4000);
    assert_eq!((t.kinds(), t.state()), (vec![RulingKind::TouchMove], "restoring"));
    t.carry("e5", "e7", 'p');
    t.go(3000);
    assert_eq!(shown(&t, 0), ["g1 f3 e5 e7", "g1 f3 e7", "g1 f3"]);
    // Nor does a knight that is straightened where it stood, while the pawn is taken once more.
    t.carry("f3", "f3", 'N');
    t.carry("e7", "e5", 'p');
    t.carry("e5", "e7", 'p');
    t.go(3000);
    assert_eq!(shown(&t, 3), ["g1", "g1 f3", "g1 f3 e7", "g1 f3 e5 e7", "g1 f3 e7", "g1 f3"]);
    // Another move of his is one, whatever his opponent does then.
    t.carry("f3", "h3", 'N');
    t.carry("e7", "e5", 'p');
    t.go(3000);
    assert_eq!(shown(&t, 9), ["g1", "."]);
}

#[test]
fn what_is_only_proposed_lights_nothing_until_it_is_confirmed() {
    let mut t = Lagged::begin(STANDARD, Observer::Arbiter, START);
    t.shows_itself = false;
    t.play("e2", "e5", 'P');
    t.go(3000);
    assert_eq!(t.rulings[0].authority, Authority::Proposed);
    assert_eq!(shown(&t, 0), [""; 0]);
    t.command(Command::Confirm { ruling: t.rulings[0].seq });
    assert_eq!((t.state(), shown(&t, 0)), ("restoring", vec!["e2 e5".to_owned()]));
    // And the arbiter's word puts them out.
    t.command(Command::AcceptBoard { turn: Colour::Black });
    assert_eq!((t.state(), shown(&t, 1)), ("in-step", vec![".".to_owned()]));
}

#[test]
fn a_flag_that_falls_puts_the_lights_out() {
    let mut t = ruled();
    t.flag(Colour::White, 1500);
    t.go(3000);
    assert_eq!((t.state(), t.result(), shown(&t, 1)), ("over", "0-1", vec![".".to_owned()]));
}

#[test]
fn a_board_that_was_away_is_told_to_be_dark_once_it_has_shown_itself() {
    let mut t = ruled();
    t.link(LinkState::Down);
    assert_eq!((t.state(), shown(&t, 1)), ("board-lost", vec![".".to_owned()]));
    t.go(5000);
    t.link(LinkState::Up);
    t.go(1000);
    assert_eq!(shown(&t, 2), [""; 0], "it has not said what it is");
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    t.go(20_000);
    assert_eq!((t.state(), shown(&t, 2)), ("in-step", vec![".".to_owned()]));
    // What was to be put back before still is.
    let mut t = ruled();
    t.link(LinkState::Down);
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR");
    t.go(20_000);
    assert_eq!((t.state(), shown(&t, 1)), ("restoring", vec![".".to_owned(), "e2 e5".to_owned()]));
    // A board that is heard for the first time may have been left with lights on as well.
    let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Normal);
    t.link(LinkState::Up);
    t.whole(START.split(' ').next().unwrap());
    t.go(2000);
    assert_eq!((t.state(), shown(&t, 0)), ("in-step", vec![".".to_owned()]));
}

#[test]
fn a_picture_that_a_board_did_not_take_is_ordered_again_but_not_at_once_nor_for_ever() {
    let mut t = ruled();
    for _ in 0..100 {
        // One that waits is given back when a newer one overtakes it.
        t.acknowledge(AckOutcome::TooLate);
    }
    t.go(5000);
    t.acknowledge(AckOutcome::Accepted);
    assert_eq!(shown(&t, 0), ["e2 e5"], "nothing was wrong");
    for again in 2..=5 {
        // Three tries of a driver are over before the second is.
        let mut waited = 900;
        t.go(waited);
        t.acknowledge(AckOutcome::NoAnswer);
        while shown(&t, 0).len() < again {
            t.go(10);
            waited += 10;
        }
        let expected = if again == 2 { 900 } else { 1000 };
        assert_eq!(waited, expected, "{again}");
    }
    for _ in 0..10 {
        t.go(900);
        t.acknowledge(AckOutcome::NoAnswer);
    }
    assert_eq!(shown(&t, 0), ["e2 e5"; 5]);
    // Darkness is ordered as long as the board does not take it.
    t.carry("e5", "e2", 'P');
    for _ in 0..60 {
        t.go(1000);
        t.acknowledge(AckOutcome::NoAnswer);
    }
    let dark = shown(&t, 0).iter().filter(|picture| *picture == ".").count();
    assert_eq!((t.state(), dark), ("in-step", 10), "five in as many seconds, and then every ten");
}

/// A move of one piece that the laws do not allow: any such, by number.
fn illegal(position: &shakmaty::Chess, habit: &Habit) -> Option<(Square, Square, Occupant)> {
    let legal = position.legal_moves();
    let own = position.us();
    let all: Vec<_> = own
        .into_iter()
        .flat_map(|from| shakmaty::Square::ALL.map(|to| (from, to)))
        .filter(|(from, to)| position.board().piece_at(*to).is_none() && from != to)
        .filter(|(from, to)| !legal.iter().any(|m| m.from() == Some(*from) && m.to() == *to))
        .collect();
    let (from, to) = *all.get(habit.pick.index(all.len().max(1)))?;
    let placement = arbiterd::table::Standing::Valid(position.clone()).placement();
    let [from, to] = [from, to].map(|s| Square::new(u8::from(s)).unwrap());
    Some((from, to, placement[from]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// What holds of every picture the twins see to: here restorations are wild.
    #[test]
    fn however_pieces_are_put_back_only_what_differs_is_lit_and_only_then(
        start in 0..POSITIONS.len(),
        turned: bool,
        fault in habit(),
        stations in prop::collection::vec((0u8..64, 20u64..1500), 0..5),
    ) {
        let plan = Plan {
            fen: POSITIONS[start].to_owned(),
            rulebook: Library::embedded().unwrap().get(STANDARD).unwrap(),
            observer: Observer::Arbiter,
            turned,
            times: Duration::from_secs(9000),
            increment: Duration::from_secs(10),
        };
        let mut venue = Venue::open(&plan);
        let position = position_of(&plan.fen);
        let Some((from, to, piece)) = illegal(&position, &fault) else { return Ok(()) };
        venue.lift(&plan, from);
        venue.millis(300);
        venue.put(&plan, to, piece);
        venue.millis(1000);
        prop_assert!(venue.table.lit().is_empty());
        venue.press(arbiterd::board::colour(position.turn()));
        venue.millis(4000);
        let restoring = matches!(venue.table.state(), TableState::Restoring { .. });
        prop_assert_eq!(!venue.table.lit().is_empty(), restoring);
        // The piece is put down here and there on its way.
        let mut stands = to;
        for (square, wait) in stations {
            let square = Square::new(square).unwrap();
            venue.lift(&plan, stands);
            venue.millis(wait);
            if venue.table.game().standing().placement()[square] == Occupant::Empty {
                stands = square;
            }
            venue.put(&plan, stands, piece);
            venue.millis(wait);
        }
        venue.lift(&plan, stands);
        venue.millis(300);
        venue.put(&plan, from, piece);
        venue.millis(2000);
        prop_assert!(venue.table.lit().is_empty());
    }
}
