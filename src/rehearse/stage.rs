// SPDX-License-Identifier: GPL-3.0-or-later
//! A table in virtual time, with a scenario's events played to it.

use std::sync::Arc;
use std::time::Duration;

use arbiterd_board::{
    Capabilities, ClockControl, ClockReading, ClockReport, ClockSide, Colour, Flag, Lever, Mono, Occupant,
    ReportBody, Sensing, SideReading, Square,
};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};
use toml::Spanned;

use super::Difference;
use super::scenario::{Event, Kind, Player, Scenario, What};
use super::venue::Venue;
use crate::laws::{Notice, Rulebook, Ruling};
use crate::table::{
    Claim, Input, Lights, Orientation, Saying, Speaker, Standing, Start, TableConfig, opponent,
};

/// The moment at which a scenario's own time begins; earlier moves are played before it.
const BEGIN: u64 = 1_000_000;

/// A clock that says nothing for much longer is one that nobody hears.
const HEARD_EVERY_MS: u64 = 10_000;

/// How far the stamps of board and clock reach back, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Lags {
    board: u64,
    clock: u64,
}

impl Lags {
    /// Exact times.
    pub const NONE: Self = Self { board: 0, clock: 0 };
    /// A wired DGT board and its clock.
    pub const DGT: Self = Self { board: 400, clock: 1000 };
}

/// Something in a scenario that cannot be told to a table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Untold(String);

impl Untold {
    pub(super) fn difference(self) -> Difference {
        Difference::untold(&self.0)
    }
}

/// A table, and what came of a scenario that was played to it.
pub struct Stage {
    venue: Venue,
    claims: usize,
    now: u64,
    clock: ClockReading,
    facts: Vec<u64>,
    rulings: Vec<Ruling>,
}

impl Stage {
    /// A table under a rulebook, after the moves before the scenario.
    ///
    /// # Errors
    /// [`Untold`] if the position or a move before cannot stand on a board.
    pub fn new(scenario: &Scenario, rulebook: Arc<Rulebook>, lags: Lags) -> Result<Self, Untold> {
        let start =
            Start::from_fen(scenario.fen.get_ref()).map_err(|e| Untold(format!("its position: {e}")))?;
        let placement = start.standing().placement();
        let config = TableConfig {
            id: scenario.id.clone(),
            rulebook,
            observer: scenario.observer,
            white_side: ClockSide::Left,
            orientation: Orientation::Normal,
            start,
            increment: Duration::from_millis(scenario.clock.inc),
            illegal_moves: scenario.before(),
            lights: Lights::Off,
        };
        let now = BEGIN - 500_000;
        let (board_lag, clock_lag) = (Duration::from_millis(lags.board), Duration::from_millis(lags.clock));
        let side = |ms| SideReading { remaining: Duration::from_millis(ms), flag: Flag::Up };
        let mut stage = Self {
            venue: Venue::new(config, Mono::from_millis(now), board_lag, clock_lag),
            claims: 0,
            now,
            clock: ClockReading {
                left: side(scenario.clock.w),
                right: side(scenario.clock.b),
                counting: true,
                lever: Lever::Unknown,
                turn: None,
                battery_low: false,
            },
            facts: Vec::new(),
            rulings: Vec::new(),
        };
        stage.venue.hardware = Some(placement);
        let (sensing, clock) = (Sensing::Pieces, ClockControl::ReadOnly);
        stage.report(ReportBody::Capabilities(Capabilities { sensing, clock, board_lag, clock_lag }));
        stage.report(ReportBody::Board { placement, confirmed: true });
        let first = stage.venue.table.game().turn();
        stage.lever(opponent(first));
        stage.play_before(&scenario.moves)?;
        stage.come_to(BEGIN);
        stage.lever(match scenario.clock.running {
            Player::White => Colour::Black,
            Player::Black => Colour::White,
        });
        Ok(stage)
    }

    fn input(&mut self, input: Input) -> u64 {
        self.venue.pass(Mono::from_millis(self.now));
        self.venue.input(input)
    }

    fn report(&mut self, body: ReportBody) -> u64 {
        self.venue.pass(Mono::from_millis(self.now));
        self.venue.report(body)
    }

    fn settle(&mut self) {
        self.venue.pass(Mono::from_millis(self.now));
        self.venue.settle();
    }

    fn square(&mut self, square: Square, occupant: Occupant) -> u64 {
        self.venue.pass(Mono::from_millis(self.now));
        if let Some(hardware) = &mut self.venue.hardware {
            hardware[square] = occupant;
        }
        self.venue.report(ReportBody::Square { square, occupant })
    }

    /// Time passes, and the clock is heard meanwhile.
    fn come_to(&mut self, now: u64) {
        while self.now.saturating_add(HEARD_EVERY_MS) < now {
            self.now += HEARD_EVERY_MS;
            self.reading();
        }
        self.now = now;
    }

    fn reading(&mut self) -> u64 {
        self.report(ReportBody::Clock(ClockReport::Reading(self.clock)))
    }

    /// `by` pressed last.
    fn lever(&mut self, by: Colour) -> u64 {
        self.clock.lever = Lever::Pressed(side_of(by));
        self.reading()
    }

    /// Plays the half-moves before the scenario: hands, then a press each.
    fn play_before(&mut self, moves: &[Spanned<String>]) -> Result<(), Untold> {
        for text in moves.iter().map(Spanned::get_ref) {
            let by = self.venue.table.game().turn();
            match text.strip_prefix('!') {
                Some(illegal) => self.carry(illegal)?,
                None => self.play_legal(text)?,
            }
            self.now += 1000;
            self.lever(by);
            self.now += 5000;
            self.settle();
        }
        Ok(())
    }

    fn play_legal(&mut self, text: &str) -> Result<(), Untold> {
        let not_played = || Untold(format!("the move {text} before it"));
        let Standing::Valid(position) = self.venue.table.game().standing().clone() else {
            return Err(not_played());
        };
        let uci: UciMove = text.parse().map_err(|_| not_played())?;
        let m: Move = uci.to_move(&position).map_err(|_| not_played())?;
        let mut after: Chess = position.clone();
        after.play_unchecked(m);
        let (before, after) = (Standing::Valid(position).placement(), Standing::Valid(after).placement());
        let differing: Vec<Square> = before.differences(&after).collect();
        for &s in differing.iter().filter(|&&s| before[s] != Occupant::Empty) {
            self.now += 100;
            self.square(s, Occupant::Empty);
        }
        for &s in differing.iter().filter(|&&s| after[s] != Occupant::Empty) {
            self.now += 300;
            self.square(s, after[s]);
        }
        Ok(())
    }

    fn carry(&mut self, text: &str) -> Result<(), Untold> {
        let square = |at: std::ops::Range<usize>| -> Option<Square> { text.get(at)?.parse().ok() };
        let (Some(from), Some(to)) = (square(0..2), square(2..4)) else {
            return Err(Untold(format!("the move {text} before it")));
        };
        let piece = self.venue.table.game().standing().placement()[from];
        self.now += 300;
        self.square(from, Occupant::Empty);
        self.now += 300;
        self.square(to, piece);
        Ok(())
    }

    /// Plays the events of a scenario, and lets 5 s pass after the last.
    ///
    /// # Errors
    /// [`Untold`] at the first event that cannot be told to a table.
    pub fn play(&mut self, scenario: &Scenario) -> Result<(), Untold> {
        for event in scenario.events.iter().map(Spanned::get_ref) {
            self.come_to(BEGIN.saturating_add(event.t));
            let fact = self.event(event)?;
            self.facts.push(fact);
        }
        self.now += 5000;
        self.settle();
        self.rulings = self.venue.rulings.iter().map(|r| r.what.clone()).collect();
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<u64, Untold> {
        if let Some(w) = event.w {
            self.clock.left.remaining = Duration::from_millis(w);
        }
        if let Some(b) = event.b {
            self.clock.right.remaining = Duration::from_millis(b);
        }
        let untold = || {
            let kind = event.kind.map(|kind| format!(" {}", kind.word())).unwrap_or_default();
            Untold(format!("{}{kind} at {} ms", event.ev.word(), event.t))
        };
        let square = || event.sq.ok_or_else(untold);
        let who = |player: Option<Player>| player.map(Player::colour).ok_or_else(untold);
        Ok(match event.ev {
            What::Lift => self.square(square()?, Occupant::Empty),
            What::Place => self.square(square()?, event.pc.ok_or_else(untold)?),
            What::Press => self.lever(who(event.by)?),
            What::Stop => {
                self.clock.counting = false;
                self.reading()
            }
            What::Flag => self.flag(who(event.side)?),
            What::Claim => {
                let what = match event.kind {
                    Some(Kind::Illegal) => Claim::IllegalMove,
                    Some(Kind::Touch) => Claim::TouchMove,
                    Some(Kind::Flag) => Claim::Flag,
                    _ => return Err(untold()),
                };
                self.claims += 1;
                let by = Speaker::Player(who(event.by)?);
                self.input(Input::Said { by, what: Saying::Claim(what) })
            }
            What::Say | What::Human => return Err(untold()),
        })
    }

    /// A clock shows its flag for good: two readings of it, the first is the event.
    fn flag(&mut self, side: Colour) -> u64 {
        let shown = match side {
            Colour::White => &mut self.clock.left,
            Colour::Black => &mut self.clock.right,
        };
        *shown = SideReading { remaining: Duration::ZERO, flag: Flag::Fallen };
        self.reading();
        self.reading()
    }

    /// The rulings, in their order.
    pub fn rulings(&self) -> &[Ruling] {
        &self.rulings
    }

    /// The kinds of the notices, in their order; with what is not ruled.
    pub(super) fn notices(&self) -> Vec<String> {
        self.venue.notices.iter().map(|n| notice_word(&n.what)).collect()
    }

    /// How many claims were made.
    pub(super) const fn claims(&self) -> usize {
        self.claims
    }

    pub(super) fn fen(&self) -> String {
        self.venue.table.standing_on_board().fen()
    }

    pub(super) fn result(&self) -> &'static str {
        self.venue.table.game().result.pgn()
    }

    /// The events, counted from 0, that are among these facts.
    pub(super) fn events_among(&self, facts: &[u64]) -> Vec<usize> {
        let each = self.facts.iter().enumerate();
        each.filter(|(_, fact)| facts.contains(fact)).map(|(event, _)| event).collect()
    }

    /// The moves that may be played now: those that the last ruling requires, else all.
    pub(super) fn allowed(&self) -> Vec<String> {
        let required = self.rulings.last().map(|r| r.consequence.required_moves.clone()).unwrap_or_default();
        if !required.is_empty() {
            return required;
        }
        let legal = self.venue.table.game().standing().legal_moves();
        let mut all: Vec<_> = legal.iter().map(|m| m.to_uci(CastlingMode::Standard).to_string()).collect();
        all.sort_unstable();
        all
    }
}

/// The kind of a notice, and what it leaves to the arbiter.
pub(super) fn notice_word(notice: &Notice) -> String {
    let kind = notice.kind.word();
    notice.not_covered.map_or_else(|| kind.to_owned(), |what| format!("{kind} ({})", what.word()))
}

const fn side_of(c: Colour) -> ClockSide {
    match c {
        Colour::White => ClockSide::Left,
        Colour::Black => ClockSide::Right,
    }
}
