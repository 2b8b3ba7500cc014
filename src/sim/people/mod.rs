// SPDX-License-Identifier: GPL-3.0-or-later
//! People at a board: what their hands do with a game, what a board and a clock tell of it, and what
//! was truly played.
//!
//! All of it follows from a seed. What can be observed is given as reports and claims for a
//! [`crate::table::Table`] in virtual time; what was meant is the [`Truth`], with which whoever has
//! heard the reports can be compared. At most one [`Irregularity`] comes about in a game, and the game
//! ends with it: what people do after a ruling is not modelled, nor are fallen flags, a clock that is
//! stopped, reports that a line loses, and boards that say themselves that a square is disturbed.
//!
//! ```text
//! Game --Hand--> acts with moments --Senses--> reports with stamps
//!          \---> truth
//! ```

mod habits;
mod hand;
pub mod random;
mod senses;
mod wrong;

use std::time::Duration;

use arbiterd_board::simulator::Chance;
use arbiterd_board::{ClockSide, Colour, Mono, Placement, Report};
use shakmaty::{Chess, Position};

pub use self::habits::{Habits, SenseHabits, Span, Tempo};
pub use self::hand::{Hand, Timed};
pub use self::senses::{Heard, Senses, Times};
pub use self::wrong::{Due, Irregularity};
use self::wrong::{Wrong, pick, uci};
use crate::laws::RulingKind;
use crate::sim::{Act, Game};
use crate::table::{Claim, Observer, opponent};

/// When the boards are switched on.
const BEGIN: Mono = Mono::from_millis(1_000_000);
/// What is still due after the last act is due by then.
const AFTERMATH: Duration = Duration::from_secs(15);
/// More than any game here takes: flags do not fall.
const TIME: Duration = Duration::from_secs(9 * 3600);
/// Before an irregularity so many half-moves are pressed in their turn: a press that is late or
/// missing there would leave open what the press of the irregularity was for.
const ORDERLY: usize = 3;

/// A hand that presses early has taken up its piece so long before.
const IN_HAND: Duration = Duration::from_millis(20);

/// What a table is told, at its moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// By the driver of its board.
    Report(Report),
    /// By a player.
    Claim(Colour, Claim),
}

/// What was truly played.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Truth {
    /// The completed half-moves in UCI notation.
    pub moves: Vec<String>,
    /// So many of them at the end need not be in the record: nothing that can be seen completed them.
    pub unseen: usize,
    /// A half-move that may stand after them: the one that was made with the irregularity.
    pub may_stand: Option<String>,
    /// What was done wrong, and by whom.
    pub irregularity: Option<(Irregularity, Colour)>,
    /// What that calls for.
    pub due: Due,
    /// When that began.
    pub since: Mono,
    /// What the last move calls for.
    pub ending: Option<RulingKind>,
}

/// A game as people play it.
#[derive(Clone, Debug)]
pub struct Session {
    /// How fast they play.
    pub tempo: Tempo,
    /// Whose eyes the table is.
    pub observer: Observer,
    /// Where it begins.
    pub fen: String,
    /// What stands on the board then.
    pub start: Placement,
    /// Who begins.
    pub begins: Colour,
    /// When people sit down: the board has been switched on by then, and the clock started.
    pub begin: Mono,
    /// What hands do, in the order of time and in the players' squares.
    pub acts: Vec<Timed>,
    /// What is claimed, and when.
    pub claim: Option<(Mono, Colour, Claim)>,
    /// A board that scans and a clock that is read, which answers when it is asked.
    pub senses: Senses,
    /// When all is over.
    pub end: Mono,
    /// What was truly played.
    pub truth: Truth,
    /// What chance goes on with.
    chance: Chance,
}

impl Session {
    /// `game`, as the people of this seed play it; with `irregular`, something goes wrong in it if the
    /// game offers an occasion.
    pub fn of(game: &Game, habits: &Habits, irregular: bool, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let tempo = Tempo::pick(&mut chance);
        let observer = if chance.percent(70) { Observer::Arbiter } else { Observer::Witness };
        let senses = Senses::pick(habits, &mut chance);
        let irregular = irregular.then(|| Plan::pick(game.moves.len(), &mut chance));
        let hand = Hand::new(&mut chance, habits, tempo, game.start, BEGIN.after(Duration::from_secs(3)));
        let mut players = Players { hand, observer, truth: Truth::default(), claim: None, late: Press::None };
        players.play(game, irregular);
        let Players { hand, truth, claim, .. } = players;
        let end = hand.now.after(AFTERMATH);
        let acts = hand.done();
        let fen = shakmaty::fen::Fen::from_position(&game.position, shakmaty::EnPassantMode::Legal);
        let (start, begins) = (game.start, game.begins);
        Self {
            tempo,
            observer,
            fen: fen.to_string(),
            start,
            begins,
            begin: BEGIN,
            acts,
            claim,
            senses,
            end,
            truth,
            chance,
        }
    }

    /// What the clock shows when they sit down.
    pub const fn times(&self) -> Times {
        let down = match self.begins {
            Colour::White => ClockSide::Right,
            Colour::Black => ClockSide::Left,
        };
        Times { remaining: TIME, increment: self.tempo.increment(), down }
    }

    /// What a driver of the board of this session tells, and what is said, in the order of time; of one
    /// moment the board is heard first.
    pub fn told(&self) -> Vec<(Mono, Told)> {
        let (times, mut chance) = (self.times(), self.chance.clone());
        let mut told = self.senses.introduce(self.begin, &self.start, times);
        told.extend(self.senses.squares(&self.start, &self.acts, &mut chance));
        told.extend(self.senses.clock(times, &self.acts, self.begin, self.end));
        let mut told: Vec<_> = told.into_iter().map(|(at, report)| (at, Told::Report(report))).collect();
        told.extend(self.claim.map(|(at, by, claim)| (at, Told::Claim(by, claim))));
        told.sort_by_key(|(at, _)| *at);
        told
    }

    /// The same game at a board without a clock. Presses are not seen there: a move is completed by the
    /// opponent's reply or with the end of the game (6.2.1), nothing that needs a press accuses
    /// anybody, and who claims it is told that this is left to the arbiter.
    #[must_use]
    pub fn without_clock(mut self) -> Self {
        self.acts.retain(|timed| !matches!(timed.act, Act::Press(_)));
        let truth = &mut self.truth;
        truth.unseen = usize::from(truth.ending.is_none()).min(truth.moves.len());
        truth.due = match truth.due {
            // Nobody replies to a move that was claimed about, so nothing completes it.
            Due::Ruling(kind @ RulingKind::TouchMove) => Due::Open(kind),
            Due::Ruling(_) if self.claim.is_some() => Due::Left,
            _ => Due::Nothing,
        };
        self
    }
}

/// What goes wrong and from which half-move on it may.
#[derive(Clone, Copy, Debug)]
struct Plan {
    what: Irregularity,
    from: usize,
}

impl Plan {
    fn pick(length: usize, chance: &mut Chance) -> Self {
        let what = pick(chance);
        let latest = u64::try_from(length.saturating_sub(ORDERLY)).unwrap_or(0);
        let first = match what {
            // Occasions are rare: the first one is taken.
            Irregularity::PromotionNotReplaced | Irregularity::RookFirst => 0,
            _ => chance.below(latest),
        };
        Self { what, from: usize::try_from(first).unwrap_or(0).saturating_add(ORDERLY) }
    }
}

/// A press that has still to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Press {
    None,
    /// When the opponent's hand is on his piece.
    WithReply(Colour),
    /// When the opponent has replied.
    AfterReply(Colour),
}

/// Two players at their game.
struct Players<'a> {
    hand: Hand<'a>,
    observer: Observer,
    truth: Truth,
    claim: Option<(Mono, Colour, Claim)>,
    late: Press,
}

impl Players<'_> {
    fn play(&mut self, game: &Game, irregular: Option<Plan>) {
        let mut position = game.position.clone();
        for (index, played) in game.moves.iter().enumerate() {
            let plan = irregular.filter(|plan| plan.from <= index);
            // The orderly half-moves begin before it is known whether there will be an occasion.
            let before_it = irregular.is_some_and(|plan| plan.from <= index + ORDERLY);
            // Nobody replies to the last one: only its press completes it, and a press that is missing
            // or hidden before it would hide it too.
            let orderly = before_it || index + ORDERLY > game.moves.len();
            self.think();
            self.truth.since = self.hand.now;
            if let Some(plan) = plan
                && let Some(wrong) = self.hand.do_wrong(plan.what, &position, played.chosen)
            {
                self.note(plan.what, wrong);
                return;
            }
            self.move_and_press(&position, played, orderly);
            position.play_unchecked(played.chosen);
        }
        self.truth.ending = ending(&position);
        self.hand.pause(Span(1500, 1500));
    }

    fn think(&mut self) {
        if let Press::WithReply(by) = self.late {
            self.hand.pause(Span(250, 900));
            let soon = self.hand.moment(Span(0, 100));
            self.hand.press_at(by, self.hand.now.after(soon));
            self.late = Press::None;
        } else if self.late == Press::None {
            self.hand.pause(self.hand.tempo.think());
        } else {
            self.hand.pause(Span(600, 2500));
        }
    }

    fn move_and_press(&mut self, position: &Chess, played: &crate::sim::Played, orderly: bool) {
        self.hand.make(&played.hands);
        self.truth.moves.push(uci(position, played.chosen));
        let released = self.hand.now;
        if let Press::AfterReply(by) = self.late {
            self.hand.pause(Span(50, 400));
            self.hand.press_at(by, self.hand.now);
            self.hand.pause(Span(150, 400));
            self.late = Press::None;
            self.hand.press_at(played.by, self.hand.now);
            return;
        }
        let habits = self.hand.habits;
        let shares =
            [habits.press_early, habits.press_with_reply, habits.press_after_reply, habits.press_forgotten];
        let [early, with, after, forgotten] = shares.map(u64::from);
        let choice = if orderly { 100 } else { self.hand.chance.below(100) };
        if choice < early {
            let before = self.hand.moment(Span(50, 400));
            // With the piece in the air: while it stands on its way, what stands is what is pressed for.
            let at = released.before(before).max(self.hand.lifted.after(IN_HAND)).min(released);
            self.hand.press_at(played.by, at);
        } else if choice < early + with {
            self.late = Press::WithReply(played.by);
        } else if choice < early + with + after {
            self.late = Press::AfterReply(played.by);
        } else if choice >= early + with + after + forgotten {
            self.hand.pause(self.hand.tempo.press());
            self.hand.press_at(played.by, self.hand.now);
        }
    }

    /// The opponent says what he has seen, if the arbiter is not the one who sees it.
    fn note(&mut self, what: Irregularity, wrong: Wrong) {
        self.truth.irregularity = Some((what, wrong.by));
        self.truth.due = what.due();
        self.truth.moves.extend(wrong.moves);
        self.truth.may_stand = wrong.may_stand;
        let claims = wrong.claims_always || self.observer == Observer::Witness;
        if let Some(claim) = wrong.claim.filter(|_| claims) {
            let after = self.hand.moment(Span(1500, 6000));
            self.hand.now = self.hand.now.after(after);
            self.claim = Some((self.hand.now, opponent(wrong.by), claim));
        }
    }
}

/// What a position calls for by itself (5.1.1, 5.2.1).
fn ending(position: &Chess) -> Option<RulingKind> {
    if position.is_checkmate() {
        Some(RulingKind::Checkmate)
    } else if position.is_stalemate() {
        Some(RulingKind::Draw)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(seed: u64, irregular: bool) -> Session {
        let game = random::game(&mut Chance::new(seed), 60);
        Session::of(&game, &Habits::everyday(), irregular, seed)
    }

    #[test]
    fn the_same_seed_is_told_the_same() {
        assert_eq!(session(5, true).told(), session(5, true).told());
        assert_ne!(session(5, true).told(), session(6, true).told());
    }

    #[test]
    fn reports_come_in_the_order_of_time_and_happened_before() {
        for seed in 0..20 {
            let told = session(seed, true).told();
            assert!(told.windows(2).all(|pair| pair[0].0 <= pair[1].0), "seed {seed}");
            let late = told.iter().any(|(at, told)| matches!(told, Told::Report(r) if r.at.latest != *at));
            assert!(!late, "seed {seed}");
        }
    }

    #[test]
    fn without_a_clock_nobody_presses_and_only_touches_are_ruled_on() {
        for seed in 0..100 {
            let session = session(seed, true).without_clock();
            assert!(!session.acts.iter().any(|timed| matches!(timed.act, Act::Press(_))), "seed {seed}");
            let touch = Due::Open(RulingKind::TouchMove);
            assert!([touch, Due::Left, Due::Nothing].contains(&session.truth.due), "seed {seed}");
            assert_eq!(session.truth.unseen, usize::from(session.truth.ending.is_none()), "seed {seed}");
        }
    }

    #[test]
    fn every_irregularity_comes_about() {
        let mut found: Vec<Irregularity> = (0..300)
            .filter_map(|seed| session(seed, true).truth.irregularity)
            .map(|(what, _)| what)
            .collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, Irregularity::ALL);
    }
}
