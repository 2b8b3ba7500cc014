// SPDX-License-Identifier: GPL-3.0-or-later
//! A frame that was damaged on its way can look like a good one: DGT frames of a single board carry
//! no checksum. One false change of a square is no move and accuses nobody, whenever it comes: the
//! board shows itself again, and what it shows is believed.

use std::time::Duration;

use arbiterd::laws::rulebook::Library;
use arbiterd::table::Observer;
use arbiterd_board::{Colour, Occupant, Square};
use proptest::prelude::*;
use shakmaty::{CastlingMode, Position};

use super::honest::{Habit, POSITIONS, carry, habit, position_of};
use super::venue::{Plan, Venue};

/// A false FIELD_UPDATE (id 8e, five bytes in all): any square, any of the sixteen piece codes.
#[derive(Clone, Debug)]
struct Falsehood {
    square: u8,
    piece: u8,
    moment: Moment,
}

/// When it comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    /// Before the hand reaches for a piece, so long.
    Before(u64),
    /// Between the move and the press.
    BeforePress,
    /// Together with the press.
    WithPress,
    /// So long after the press.
    After(u64),
}

fn falsehood() -> impl Strategy<Value = Falsehood> {
    let moment = prop_oneof![
        (0u64..1500).prop_map(Moment::Before),
        Just(Moment::BeforePress),
        Just(Moment::WithPress),
        (0u64..1500).prop_map(Moment::After),
    ];
    (0u8..64, 0u8..16, moment).prop_map(|(square, piece, moment)| Falsehood { square, piece, moment })
}

impl Falsehood {
    fn tell(&self, venue: &mut Venue) {
        venue.false_bytes(&[0x8e, 0x00, 0x05, self.square, self.piece]);
    }
}

/// One half-move with a false change of a square in it.
fn half_move(
    venue: &mut Venue,
    plan: &Plan,
    position: &shakmaty::Chess,
    habit: &Habit,
    lie: &Falsehood,
) -> String {
    let legal = position.legal_moves();
    let m = legal[habit.pick.index(legal.len())];
    if let Moment::Before(wait) = lie.moment {
        lie.tell(venue);
        venue.millis(wait);
    }
    carry(venue, plan, position, m, habit);
    venue.millis(habit.before_press / 2);
    if lie.moment == Moment::BeforePress {
        lie.tell(venue);
    }
    venue.millis(habit.before_press / 2);
    if lie.moment == Moment::WithPress {
        lie.tell(venue);
    }
    venue.press(arbiterd::board::colour(position.turn()));
    if let Moment::After(wait) = lie.moment {
        venue.millis(wait);
        lie.tell(venue);
    }
    venue.millis(habit.think);
    m.to_uci(CastlingMode::Standard).to_string()
}

fn plan(start: usize, library: &Library, book: usize) -> Plan {
    let id = library.ids().nth(book).unwrap().to_owned();
    Plan {
        fen: POSITIONS[start].to_owned(),
        rulebook: library.get(&id).unwrap(),
        observer: Observer::Arbiter,
        turned: false,
        times: Duration::from_secs(9000),
        increment: Duration::from_secs(10),
    }
}

/// The words of the rulings, with whom they accuse.
fn rulings(venue: &Venue) -> Vec<String> {
    venue.rulings.iter().map(|r| format!("{:?} {:?}", r.kind, r.offender)).collect()
}

/// Plays these half-moves honestly and lets the board come to rest.
fn honest(venue: &mut Venue, plan: &Plan, habits: &[Habit]) -> (shakmaty::Chess, Vec<String>) {
    let mut position = position_of(&plan.fen);
    let mut played = Vec::new();
    for habit in habits {
        play(venue, plan, &mut position, habit, &mut played);
    }
    venue.millis(2000);
    (position, played)
}

fn play(
    venue: &mut Venue,
    plan: &Plan,
    position: &mut shakmaty::Chess,
    habit: &Habit,
    played: &mut Vec<String>,
) {
    let legal = position.legal_moves();
    if legal.is_empty() {
        return;
    }
    let m = legal[habit.pick.index(legal.len())];
    carry(venue, plan, position, m, habit);
    venue.millis(habit.before_press);
    venue.press(arbiterd::board::colour(position.turn()));
    venue.millis(habit.think);
    played.push(m.to_uci(CastlingMode::Standard).to_string());
    position.play_unchecked(m);
}

/// Nobody moves and nobody presses, whatever one frame says.
#[test]
fn one_false_change_on_a_board_at_rest_is_no_move() {
    let library = Library::embedded().unwrap();
    let plan = plan(0, &library, 0);
    for square in 0..64 {
        for piece in 0..16 {
            let mut venue = Venue::open(&plan);
            venue.false_bytes(&[0x8e, 0x00, 0x05, square, piece]);
            venue.millis(8000);
            assert_eq!(venue.moves(), Vec::<String>::new(), "square {square}, piece {piece}");
            assert!(venue.rulings.is_empty(), "square {square}, piece {piece}: {:?}", venue.rulings);
        }
    }
}

/// A queen has been put down, and one message makes a rook of her: no hand leaves so little time.
#[test]
fn a_false_change_of_the_piece_that_a_pawn_became_is_not_believed() {
    let library = Library::embedded().unwrap();
    let plan = plan(2, &library, 0);
    let [h7, h8]: [Square; 2] = ["h7", "h8"].map(|s| s.parse().unwrap());
    for (rest, after) in (0..10).flat_map(|r| (0..40).map(move |a| (r * 30, a * 10))) {
        let mut venue = Venue::open(&plan);
        venue.lift(&plan, h7);
        venue.millis(300);
        venue.put(&plan, h8, Occupant::from_letter('Q').unwrap());
        venue.millis(rest);
        venue.press(Colour::White);
        venue.millis(after);
        venue.false_bytes(&[0x8e, 0x00, 0x05, 7, 2]);
        venue.millis(8000);
        assert_eq!(venue.moves(), ["h7h8q"], "pressed after {rest} ms, changed {after} ms later");
        assert!(venue.rulings.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn false_changes_in_an_honest_game_are_no_moves_and_accuse_nobody(
        start in 0..POSITIONS.len(),
        book in 0usize..9,
        halves in prop::collection::vec((habit(), falsehood()), 1..10),
    ) {
        let library = Library::embedded().unwrap();
        let plan = plan(start, &library, book);
        let mut venue = Venue::open(&plan);
        let mut position = position_of(&plan.fen);
        let mut played = Vec::new();
        for (habit, lie) in &halves {
            if position.legal_moves().is_empty() {
                break;
            }
            let uci = half_move(&mut venue, &plan, &position, habit, lie);
            let m = uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(m);
            played.push(uci);
            // Players who see that the board is watched do not hurry: the next look is due.
            venue.millis(1500);
        }
        venue.millis(8000);
        // A press that comes while the board seems to show something else may complete nothing,
        // and then the record ends there: it is short, and holds nothing that was not played.
        let recorded = venue.moves();
        prop_assert!(played.starts_with(&recorded), "{recorded:?} of {played:?}");
        let accused: Vec<_> = venue.rulings.iter().filter(|r| r.offender.is_some()).collect();
        prop_assert!(accused.is_empty(), "{:?}", accused);
    }

    /// Between two moves, while nobody touches anything: the rulings are those of the same
    /// game without it, and the record holds nothing that was not played.
    #[test]
    fn a_false_change_between_honest_moves_changes_no_ruling(
        start in 0..POSITIONS.len(),
        book in 0usize..9,
        before in prop::collection::vec(habit(), 0..6),
        after in prop::collection::vec(habit(), 1..4),
        (square, piece) in (0u8..64, 0u8..16),
        wait in 1000u64..3000,
    ) {
        let library = Library::embedded().unwrap();
        let plan = plan(start, &library, book);
        let game = |lies: bool| {
            let mut venue = Venue::open(&plan);
            let (mut position, mut played) = honest(&mut venue, &plan, &before);
            if lies {
                venue.false_bytes(&[0x8e, 0x00, 0x05, square, piece]);
            }
            venue.millis(wait);
            for habit in &after {
                play(&mut venue, &plan, &mut position, habit, &mut played);
            }
            venue.millis(8000);
            (venue, played)
        };
        let (venue, played) = game(true);
        prop_assert!(played.starts_with(&venue.moves()), "{:?} of {played:?}", venue.moves());
        prop_assert_eq!(rulings(&venue), rulings(&game(false).0));
    }

    /// One message of the clock is damaged while the players think: the rulings are those of the same
    /// game without it, and all that was played is recorded.
    #[test]
    fn a_damaged_message_of_the_clock_changes_no_ruling_and_no_move(
        start in 0..POSITIONS.len(),
        book in 0usize..9,
        before in prop::collection::vec(habit(), 1..6),
        after in prop::collection::vec(habit(), 1..4),
        (byte, bits) in (0usize..7, 1u8..128),
        wait in 1000u64..4000,
    ) {
        let library = Library::embedded().unwrap();
        let plan = plan(start, &library, book);
        let game = |damaged: bool| {
            let mut venue = Venue::open(&plan);
            let (mut position, mut played) = honest(&mut venue, &plan, &before);
            if damaged {
                venue.damage_clock(byte, bits);
            }
            venue.millis(wait);
            for habit in &after {
                play(&mut venue, &plan, &mut position, habit, &mut played);
            }
            venue.millis(8000);
            (venue, played)
        };
        let ((venue, played), (whole, _)) = (game(true), game(false));
        prop_assert_eq!(venue.moves(), whole.moves(), "{:?}", played);
        prop_assert_eq!(rulings(&venue), rulings(&whole));
    }

    /// The player to move presses while the board seems to show something else: nothing has been
    /// moved, so nothing enters the record, and no more is ruled than for a press without a move.
    #[test]
    fn a_press_upon_a_false_change_is_no_move(
        start in 0..POSITIONS.len(),
        book in 0usize..9,
        before in prop::collection::vec(habit(), 0..6),
        (square, piece) in (0u8..64, 0u8..16),
        wait in 0u64..1000,
    ) {
        let library = Library::embedded().unwrap();
        let plan = plan(start, &library, book);
        let game = |lies: bool| {
            let mut venue = Venue::open(&plan);
            let (position, played) = honest(&mut venue, &plan, &before);
            if lies {
                venue.false_bytes(&[0x8e, 0x00, 0x05, square, piece]);
            }
            venue.millis(wait);
            venue.press(arbiterd::board::colour(position.turn()));
            venue.millis(8000);
            (venue, played)
        };
        let (venue, played) = game(true);
        prop_assert_eq!(venue.moves(), played);
        let deserved = rulings(&game(false).0);
        let ruled = rulings(&venue);
        prop_assert!(ruled.iter().all(|r| deserved.contains(r)), "{ruled:?}, deserved {deserved:?}");
    }
}
