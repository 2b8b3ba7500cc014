// SPDX-License-Identifier: GPL-3.0-or-later
//! A table in virtual time, with a scenario's events played to it.

use std::sync::Arc;
use std::time::Duration;

use arbiterd::laws::mate::can_mate;
use arbiterd::laws::{Directive, NoticeKind, Rulebook, Ruling};
use arbiterd::table::{
    Claim, Input, Lights, Observer, Orientation, Output, Saying, Speaker, Standing, Start, Table, TableConfig,
};
use arbiterd_board::{
    Capabilities, ClockControl, ClockReading, ClockReport, ClockSide, Colour, Flag, Lever, Mono, Occupant,
    Placement, Report, ReportBody, Sensing, SideReading, Square, Stamp,
};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};

use super::scenario::{Event, Scenario};

/// The moment at which a scenario's own time begins; earlier moves are played before it.
const BEGIN: u64 = 1_000_000;

/// How far the stamps of board and clock reach back, in milliseconds.
#[derive(Clone, Copy)]
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

pub struct Stage {
    table: Table,
    lags: Lags,
    at: Option<Mono>,
    hardware: Placement,
    pub claims: usize,
    now: u64,
    clock: ClockReading,
    facts: Vec<Option<u64>>,
    pub rulings: Vec<Ruling>,
    pub notices: Vec<NoticeKind>,
}

impl Stage {
    pub fn new(scenario: &Scenario, rulebook: Arc<Rulebook>, lags: Lags) -> Self {
        let start = Start::from_fen(&scenario.fen).unwrap();
        let placement = start.standing().placement();
        let config = TableConfig {
            id: scenario.id.clone(),
            rulebook,
            observer: if scenario.observer == "arbiter" { Observer::Arbiter } else { Observer::Witness },
            white_side: ClockSide::Left,
            orientation: Orientation::Normal,
            start,
            increment: Duration::from_millis(scenario.clock.inc),
            illegal_moves: scenario.before,
            lights: Lights::Off,
        };
        let side = |ms| SideReading { remaining: Duration::from_millis(ms), flag: Flag::Up };
        let mut stage = Self {
            table: Table::new(config),
            lags,
            at: None,
            hardware: placement,
            claims: 0,
            now: BEGIN - 500_000,
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
            notices: Vec::new(),
        };
        let capabilities = Capabilities {
            sensing: Sensing::Pieces,
            clock: ClockControl::ReadOnly,
            board_lag: Duration::from_millis(lags.board),
            clock_lag: Duration::from_millis(lags.clock),
        };
        stage.report(ReportBody::Capabilities(capabilities));
        stage.report(ReportBody::Board { placement, confirmed: true });
        let first = stage.table.game().turn();
        stage.lever(opponent(first));
        stage.play_before(&scenario.moves);
        stage.now = BEGIN;
        stage.lever(if scenario.clock.running == "w" { Colour::Black } else { Colour::White });
        stage
    }

    /// Runs the deadlines up to now, each at its own time, and answers what the table asks then.
    fn step(&mut self) {
        let end = Mono::from_millis(self.now);
        while let Some(due) = self.table.poll_timeout().filter(|&due| due < end) {
            self.at = Some(due);
            self.table.advance(due);
            self.drain();
        }
        self.at = None;
    }

    fn moment(&self) -> Mono {
        self.at.unwrap_or(Mono::from_millis(self.now))
    }

    fn input(&mut self, input: Input) -> u64 {
        if self.at.is_none() {
            self.step();
        }
        let fact = self.table.handle(self.moment(), input);
        self.drain();
        fact
    }

    fn drain(&mut self) {
        while let Some(output) = self.table.poll_output() {
            match output {
                Output::Ruling(r) => self.rulings.push(r),
                Output::Notice(n) => self.notices.push(n.kind),
                Output::Directive(Directive::ReadBoard) => {
                    let placement = self.hardware;
                    self.report(ReportBody::Board { placement, confirmed: true });
                }
                Output::Directive(Directive::AskMate { question, fen, side }) => {
                    let start = Start::from_fen(&fen).unwrap();
                    let Standing::Valid(position) = start.standing() else { panic!("{fen}") };
                    let verdict = can_mate(position, side, 200_000);
                    self.input(Input::MateVerdict { question, verdict });
                }
                _ => {}
            }
        }
    }

    fn report(&mut self, body: ReportBody) -> u64 {
        let lag = if matches!(body, ReportBody::Clock(_)) { self.lags.clock } else { self.lags.board };
        let at = Stamp::received(self.moment(), Duration::from_millis(lag));
        self.input(Input::Report(Report { at, body }))
    }

    fn square(&mut self, square: Square, occupant: Occupant) -> u64 {
        self.step();
        self.hardware[square] = occupant;
        self.report(ReportBody::Square { square, occupant })
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
    fn play_before(&mut self, moves: &[String]) {
        for text in moves {
            let by = self.table.game().turn();
            match text.strip_prefix('!') {
                Some(illegal) => self.carry(illegal[..2].parse().unwrap(), illegal[2..4].parse().unwrap()),
                None => self.play_legal(text),
            }
            self.now += 1000;
            self.lever(by);
            self.now += 5000;
            self.step();
            self.table.advance(Mono::from_millis(self.now));
            self.drain();
        }
    }

    fn play_legal(&mut self, text: &str) {
        let Standing::Valid(position) = self.table.game().standing().clone() else { panic!("{text}") };
        let m: Move = text.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        let mut after: Chess = position.clone();
        after.play_unchecked(m);
        let (before, after) = (Standing::Valid(position).placement(), Standing::Valid(after).placement());
        let differing: Vec<Square> = before.differences(&after).collect();
        for &s in &differing {
            if before[s] != Occupant::Empty {
                self.now += 100;
                self.square(s, Occupant::Empty);
            }
        }
        for &s in &differing {
            if after[s] != Occupant::Empty {
                self.now += 300;
                self.square(s, after[s]);
            }
        }
    }

    fn carry(&mut self, from: Square, to: Square) {
        let piece = self.table.game().standing().placement()[from];
        self.now += 300;
        self.square(from, Occupant::Empty);
        self.now += 300;
        self.square(to, piece);
    }

    pub fn play(&mut self, scenario: &Scenario) {
        for event in &scenario.events {
            self.now = BEGIN + event.t;
            let fact = self.event(event);
            self.facts.push(fact);
        }
        self.now += 5000;
        self.step();
        self.table.advance(Mono::from_millis(self.now));
        self.drain();
    }

    fn event(&mut self, event: &Event) -> Option<u64> {
        if let Some(w) = event.w {
            self.clock.left.remaining = Duration::from_millis(w);
        }
        if let Some(b) = event.b {
            self.clock.right.remaining = Duration::from_millis(b);
        }
        let square = || event.sq.as_deref().unwrap().parse().unwrap();
        Some(match event.ev.as_str() {
            "lift" => self.square(square(), Occupant::Empty),
            "place" => self.square(square(), Occupant::from_letter(event.pc.unwrap()).unwrap()),
            "press" => self.lever(colour(event.by.as_deref())),
            "stop" => {
                self.clock.counting = false;
                self.reading()
            }
            "flag" => self.flag(colour(event.side.as_deref())),
            "claim" => {
                let what = match event.kind.as_deref() {
                    Some("illegal") => Claim::IllegalMove,
                    Some("touch") => Claim::TouchMove,
                    Some("flag") => Claim::Flag,
                    other => panic!("claim {other:?} is not covered yet"),
                };
                self.claims += 1;
                let by = Speaker::Player(colour(event.by.as_deref()));
                self.input(Input::Said { by, what: Saying::Claim(what) })
            }
            other => panic!("event {other} is not covered yet"),
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

    pub fn fen(&self) -> String {
        self.table.standing_on_board().fen()
    }

    pub fn result(&self) -> &'static str {
        self.table.game().result.pgn()
    }

    pub fn fact_of_event(&self, index: usize) -> Option<u64> {
        self.facts.get(index).copied().flatten()
    }

    /// The moves that may be played now: those that the last ruling requires, else all.
    pub fn allowed(&self) -> Vec<String> {
        let required = self.rulings.last().map(|r| r.consequence.required_moves.clone()).unwrap_or_default();
        if !required.is_empty() {
            return required;
        }
        let mut all: Vec<_> = self
            .table
            .game()
            .standing()
            .legal_moves()
            .iter()
            .map(|m| m.to_uci(CastlingMode::Standard).to_string())
            .collect();
        all.sort_unstable();
        all
    }
}

fn colour(word: Option<&str>) -> Colour {
    if word == Some("w") { Colour::White } else { Colour::Black }
}

fn opponent(c: Colour) -> Colour {
    arbiterd::table::opponent(c)
}

fn side_of(c: Colour) -> ClockSide {
    match c {
        Colour::White => ClockSide::Left,
        Colour::Black => ClockSide::Right,
    }
}
