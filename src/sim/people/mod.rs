// SPDX-License-Identifier: GPL-3.0-or-later
//! People at a board: what their hands do with a game, what a board and a clock tell of it, and what
//! was truly played.
//!
//! All of it follows from a seed. What can be observed is given as reports and claims for a
//! [`crate::table::Table`] in virtual time; what was meant is the [`Truth`], with which whoever has
//! heard the reports can be compared. A game ends with its first [`Irregularity`], or is played on after
//! the ruling ([`Manners`]). Not modelled are fallen flags, reports that a line loses, and boards that
//! say themselves that a square is disturbed.
//!
//! ```text
//! Game --Hand--> acts with moments --Senses--> reports with stamps
//!          \---> truth
//! ```

mod after;
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

/// In one game.
const MOST_WRONGS: usize = 3;

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
    /// What was done wrong, in the order of time.
    pub wrongs: Vec<Wronged>,
    /// What the last move calls for.
    pub ending: Option<RulingKind>,
}

/// Something that was done wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wronged {
    /// What.
    pub what: Irregularity,
    /// Who did it.
    pub by: Colour,
    /// What it calls for.
    pub due: Due,
    /// When it began.
    pub since: Mono,
    /// So many half-moves stood before it.
    pub after: usize,
    /// The half-move that was made with it, which may stand until it is ruled on.
    pub may_stand: Vec<String>,
    /// Somebody claimed it.
    pub claimed: bool,
    /// The position was put back and the game went on.
    pub played_on: bool,
}

/// What goes wrong in a game, as far as its moves offer an occasion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manners {
    /// Nothing.
    Orderly,
    /// Something, and the game ends with it.
    Irregular,
    /// Something, and when it was ruled on people put the position back and play on, where the Laws say
    /// so; then more may go wrong.
    PlayedOn,
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
    pub claims: Vec<(Mono, Colour, Claim)>,
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
    /// `game`, as the people of this seed play it.
    pub fn of(game: &Game, habits: &Habits, manners: Manners, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let tempo = Tempo::pick(&mut chance);
        let observer = if chance.percent(70) { Observer::Arbiter } else { Observer::Witness };
        let senses = Senses::pick(habits, &mut chance);
        let plan = (manners != Manners::Orderly).then(|| Plan::pick(game.moves.len(), &mut chance));
        let hand = Hand::new(&mut chance, habits, tempo, game.start, BEGIN.after(Duration::from_secs(3)));
        let (truth, claims, late) = (Truth::default(), Vec::new(), Press::None);
        let mut players = Players { hand, observer, truth, claims, late };
        players.play(game, plan, manners == Manners::PlayedOn);
        let Players { hand, truth, claims, .. } = players;
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
            claims,
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
        told.extend(self.claims.iter().map(|(at, by, claim)| (*at, Told::Claim(*by, *claim))));
        told.sort_by_key(|(at, _)| *at);
        told
    }

    /// The same game at a board without a clock. Presses are not seen there: a move is completed by the
    /// opponent's reply or with the end of the game (6.2.1), nothing that needs a press accuses
    /// anybody, and who claims it is told that this is left to the arbiter.
    #[must_use]
    pub fn without_clock(mut self) -> Self {
        self.acts.retain(|timed| matches!(timed.act, Act::Lift(_) | Act::Place(..)));
        let truth = &mut self.truth;
        truth.unseen = usize::from(truth.ending.is_none()).min(truth.moves.len());
        for wronged in &mut truth.wrongs {
            wronged.due = match wronged.due {
                // Nobody replies to a move that was claimed about, so nothing completes it.
                Due::Ruling(kind @ RulingKind::TouchMove) => Due::Open(kind),
                Due::Ruling(_) if wronged.claimed => Due::Left,
                _ => Due::Nothing,
            };
        }
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
    claims: Vec<(Mono, Colour, Claim)>,
    late: Press,
}

impl Players<'_> {
    fn play(&mut self, game: &Game, plan: Option<Plan>, plays_on: bool) {
        let mut part = self.part(game, plan, plays_on);
        while let Some((game, plan)) = part {
            part = self.part(&game, plan, plays_on);
        }
    }

    /// Plays until something is ruled on and the game goes on otherwise, or to the end.
    fn part(&mut self, game: &Game, plan: Option<Plan>, plays_on: bool) -> Option<(Game, Option<Plan>)> {
        let mut position = game.position.clone();
        let resumed = !self.truth.wrongs.is_empty();
        for (index, played) in game.moves.iter().enumerate() {
            let due = plan.filter(|plan| plan.from <= index);
            // The orderly half-moves begin before it is known whether there will be an occasion.
            let before_it = plan.is_some_and(|plan| plan.from <= index + ORDERLY);
            // Nobody replies to the last one: only its press completes it, and a press that is missing
            // or hidden before it would hide it too. And nobody is careless with the arbiter beside him.
            let orderly = before_it || index + ORDERLY > game.moves.len() || (resumed && index == 0);
            self.think();
            let since = self.hand.now;
            if let Some(plan) = due
                && let Some(wrong) = self.hand.do_wrong(plan.what, &position, played.chosen)
            {
                let instead = self.note(plan.what, since, wrong, plays_on);
                return instead.map(|chosen| self.put_right(&position, chosen, game.moves.len() - index));
            }
            self.move_and_press(&position, played, orderly);
            position.play_unchecked(played.chosen);
        }
        self.truth.ending = ending(&position);
        self.hand.pause(Span(1500, 1500));
        None
    }

    /// The position is put back, and the game goes on with `chosen`; again something may go wrong in it.
    fn put_right(&mut self, position: &Chess, chosen: shakmaty::Move, left: usize) -> (Game, Option<Plan>) {
        self.hand
            .restore(&crate::board::placement_of(position.board()), crate::board::colour(position.turn()));
        let game = after::go_on(position, chosen, &mut self.hand, left.max(ORDERLY * 2));
        let again = self.truth.wrongs.len() < MOST_WRONGS && self.hand.chance.percent(50);
        let plan = again.then(|| Plan::pick(game.moves.len(), self.hand.chance));
        (game, plan)
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

    /// The opponent says what he has seen, if the arbiter is not the one who sees it. What is played
    /// instead when that was ruled on, if they play on.
    fn note(
        &mut self,
        what: Irregularity,
        since: Mono,
        wrong: Wrong,
        plays_on: bool,
    ) -> Option<shakmaty::Move> {
        let after = self.truth.moves.len();
        self.truth.moves.extend(wrong.moves);
        let claims = wrong.claims_always || self.observer == Observer::Witness;
        let claim = wrong.claim.filter(|_| claims);
        if let Some(claim) = claim {
            let after = self.hand.moment(Span(1500, 6000));
            self.hand.now = self.hand.now.after(after);
            self.claims.push((self.hand.now, opponent(wrong.by), claim));
        }
        let by = wrong.by;
        let counted = what.is_counted() && self.has_been_counted(by);
        let instead = if plays_on && !counted { self.hand.one_of(&wrong.instead) } else { None };
        self.truth.wrongs.push(Wronged {
            what,
            by,
            due: match what.due() {
                Due::Person if self.observer == Observer::Witness => Due::Unclaimed,
                due => due,
            },
            since,
            after,
            may_stand: wrong.may_stand,
            claimed: claim.is_some(),
            played_on: instead.is_some(),
        });
        instead
    }

    /// Whether an illegal move of this player was counted before: the second loses (7.5.5).
    fn has_been_counted(&self, by: Colour) -> bool {
        self.truth.wrongs.iter().any(|wronged| wronged.by == by && wronged.what.is_counted())
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

    fn mannered(seed: u64, manners: Manners) -> Session {
        let game = random::game(&mut Chance::new(seed), 60);
        Session::of(&game, &Habits::everyday(), manners, seed)
    }

    fn session(seed: u64, irregular: bool) -> Session {
        mannered(seed, if irregular { Manners::Irregular } else { Manners::Orderly })
    }

    #[test]
    fn after_a_ruling_the_game_goes_on_from_the_position_before() {
        let mut several = 0;
        for seed in 0..200 {
            let session = mannered(seed, Manners::PlayedOn);
            several += usize::from(session.truth.wrongs.len() > 1);
            let mut position: Chess = session
                .fen
                .parse::<shakmaty::fen::Fen>()
                .unwrap()
                .into_position(shakmaty::CastlingMode::Standard)
                .unwrap();
            for uci in &session.truth.moves {
                let played = uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(&position).unwrap();
                position.play_unchecked(played);
            }
            let stops = session.acts.iter().filter(|timed| timed.act == Act::Stop).count();
            let starts = session.acts.iter().filter(|timed| timed.act == Act::Start).count();
            assert_eq!(stops, starts, "seed {seed}");
            let played_on = session.truth.wrongs.iter().filter(|wronged| wronged.played_on).count();
            assert_eq!(stops, played_on, "seed {seed}");
        }
        assert!(several > 5, "{several}");
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
            let dues = [touch, Due::Left, Due::Nothing];
            assert!(session.truth.wrongs.iter().all(|w| dues.contains(&w.due)), "seed {seed}");
            assert_eq!(session.truth.unseen, usize::from(session.truth.ending.is_none()), "seed {seed}");
        }
    }

    #[test]
    fn every_irregularity_comes_about() {
        let mut found: Vec<Irregularity> =
            (0..300).flat_map(|seed| session(seed, true).truth.wrongs).map(|wronged| wronged.what).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, Irregularity::ALL);
    }
}
