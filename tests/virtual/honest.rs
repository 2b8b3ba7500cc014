// SPDX-License-Identifier: GPL-3.0-or-later
//! Honest hands are never accused: whatever a legal game's hands do, its moves are recorded as
//! they were played, and nobody is ruled against, under any rulebook.

use std::time::Duration;

use arbiterd::laws::rulebook::Library;
use arbiterd::table::{Observer, Standing, Start};
use arbiterd_board::Occupant;
use proptest::prelude::*;
use shakmaty::{CastlingMode, Chess, Move, Position};

use super::venue::{Plan, Venue, changes};

pub const POSITIONS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 8",
    "4k3/P6P/8/3pP3/8/8/p6p/4K3 w - d6 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K2R b K d3 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 30",
];

/// How one half-move is carried out.
#[derive(Clone, Debug)]
pub struct Habit {
    pub pick: prop::sample::Index,
    order: u8,
    slow: u64,
    pub before_press: u64,
    pub think: u64,
    adjust: bool,
}

pub fn habit() -> impl Strategy<Value = Habit> {
    (
        any::<prop::sample::Index>(),
        any::<u8>(),
        30u64..700,
        20u64..2500,
        300u64..4000,
        prop::bool::weighted(0.1),
    )
        .prop_map(|(pick, order, slow, before_press, think, adjust)| Habit {
            pick,
            order,
            slow,
            before_press,
            think,
            adjust,
        })
}

/// Hands: everything that has to go off its square, then everything that comes on, in one of the
/// orders in which people do it.
pub fn carry(venue: &mut Venue, plan: &Plan, position: &Chess, m: Move, habit: &Habit) {
    let all = changes(position, m);
    let mut off: Vec<_> = all.iter().filter(|c| c.1 != Occupant::Empty).collect();
    let mut on: Vec<_> = all.iter().filter(|c| c.2 != Occupant::Empty).collect();
    if habit.order & 1 == 1 {
        off.reverse();
    }
    if habit.order & 2 == 2 {
        on.reverse();
    }
    if habit.adjust {
        // Straightens the piece it is about to move: off and on within a flicker.
        if let Some((s, before, _)) = all.iter().find(|c| m.from().map(u8::from) == Some(c.0.index())) {
            venue.lift(plan, *s);
            venue.millis(300);
            venue.put(plan, *s, *before);
            venue.millis(600);
        }
    }
    for (s, _, _) in off {
        venue.lift(plan, *s);
        venue.millis(habit.slow);
    }
    for (i, (s, _, after)) in on.iter().enumerate() {
        if i > 0 {
            venue.millis(habit.slow);
        }
        venue.put(plan, *s, *after);
    }
}

pub fn position_of(fen: &str) -> Chess {
    match Start::from_fen(fen).unwrap().standing() {
        Standing::Valid(p) => p.clone(),
        Standing::Irregular(_) => panic!("{fen}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_honest_game_is_recorded_and_nobody_is_ruled_against(
        start in 0..POSITIONS.len(),
        book in 0usize..9,
        arbiter: bool,
        turned: bool,
        habits in prop::collection::vec(habit(), 1..14),
    ) {
        let library = Library::embedded().unwrap();
        let id = library.ids().nth(book).unwrap().to_owned();
        let plan = Plan {
            fen: POSITIONS[start].to_owned(),
            rulebook: library.get(&id).unwrap(),
            observer: if arbiter { Observer::Arbiter } else { Observer::Witness },
            turned,
            times: Duration::from_secs(9000),
            increment: Duration::from_secs(10),
        };
        let mut venue = Venue::open(&plan);
        let mut position = position_of(&plan.fen);
        let mut played = Vec::new();
        for habit in &habits {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[habit.pick.index(legal.len())];
            let by = arbiterd::board::colour(position.turn());
            carry(&mut venue, &plan, &position, m, habit);
            venue.millis(habit.before_press);
            venue.press(by);
            venue.millis(habit.think);
            played.push(m.to_uci(CastlingMode::Standard).to_string());
            position.play_unchecked(m);
        }
        venue.millis(5000);
        prop_assert_eq!(venue.moves(), played, "under {}", id);
        let accused: Vec<_> = venue.rulings.iter().filter(|r| r.offender.is_some()).collect();
        prop_assert!(accused.is_empty(), "{:?}", accused);
        prop_assert!(!venue.notices.iter().any(|n| n.kind == arbiterd::laws::NoticeKind::OutOfStep));
    }
}
