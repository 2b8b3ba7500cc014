// SPDX-License-Identifier: GPL-3.0-or-later
//! One board, one clock and the game on it: the only actor whose state changes.
//!
//! **The contract in one sentence:** call [`Table::handle`] with each input and the moment it
//! arrived, or [`Table::advance`] when [`Table::poll_timeout`] has come, and drain
//! [`Table::poll_output`] after each call. Deadlines are run at their own time, before anything
//! later, so a late timer changes no ruling, and the same inputs always give the same outputs.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod board_signal;
mod command;
mod correct;
mod game;
pub mod input;
mod lights;
mod named_move;
mod new_game;
pub mod output;
mod phantom;
mod reader;
mod replay;
mod set_up;
mod settings;
mod sight;
mod standing;
mod state;

pub(crate) use correct::Void;
pub use game::{Game, Ply, PlyBody, Watched, opponent, side_index};
pub use input::{Claim, Command, CommandError, Fact, Input, Saying, Speaker, UnknownClaim};
pub use lights::Lights;
pub use named_move::MoveProblem;
pub use output::{ClockView, Completion, GameResult, MoveView, Output, Restored, TableState, View};
pub use reader::{Pending, Reader, Reading, landing, one_move_shape, taken_in_passing};
pub use replay::replay;
pub use set_up::{SetUpFault, SetUpWord, faults};
pub use settings::{Observer, Orientation, Start, StartError, TableConfig};
pub use standing::Standing;

use std::collections::VecDeque;
use std::time::Duration;

use arbiterd_board::{
    Capabilities, Colour, LinkState, Mono, Noise, NoiseCause, Placement, Report, ReportBody, Sensing, Square,
    Stamp, Trouble,
};

use crate::board::{Phantoms, Sensor, SensorEvent};
use crate::clock::{ClockEvent, ClockModel};
use crate::laws::{
    Arbiter, Authority, Bench, Completed, Decision, Directive, Notice, NoticeKind, Occurrence, Ruling,
    RulingKind,
};

/// Until a driver says how far its board lags, the slowest board that is known is assumed.
const UNKNOWN_BOARD_LAG: Duration = Duration::from_millis(1500);

/// The same of the clock.
const UNKNOWN_CLOCK_LAG: Duration = Duration::from_secs(3);

/// More decisions than one input can lead to: each completes a move, answers a claim or ends
/// the game.
const DECISION_LIMIT: u32 = 1000;

/// More deadlines at one moment than all that a table can have.
const SAME_MOMENT_LIMIT: u32 = 64;

/// A ruling that waits for a person's word.
#[derive(Clone, Debug)]
struct Proposal {
    ruling: Ruling,
    take_back_to: Option<usize>,
    /// Half-moves in the record when it was done, if it was a press without one, or else was proposed.
    plies: usize,
}

/// One board, one clock and the game on it.
#[derive(Clone, Debug)]
pub struct Table {
    config: TableConfig,
    sensor: Sensor,
    phantoms: Phantoms,
    clock: ClockModel,
    beginning: new_game::Beginning,
    still_true: new_game::StillTrue,
    game: Game,
    arbiter: Arbiter,
    state: TableState,
    link_up: bool,
    /// Until the board says otherwise it knows its pieces.
    sensing: Sensing,
    board_lag: Duration,
    clock_lag: Duration,
    facts: u64,
    rulings: u64,
    unclear_since: Option<Mono>,
    sight: sight::Sight,
    /// A person was called because nothing leads from the record to what stands, and neither has been otherwise since:
    /// nobody calls him twice.
    called: bool,
    proposals: Vec<Proposal>,
    /// The ruling that ended the game, and the illegal moves that had been counted before it.
    ended_by: Option<(u64, [u8; 2])>,
    /// The moves of which one has to be played after a restoration; empty for any.
    replacement: Vec<String>,
    /// While a position is restored: a replacement was played straight from where the piece stood. It is
    /// play from then on, and nobody is told before it is completed.
    replaced: bool,
    /// A position was restored and has not been seen on the board since.
    restoration_due: bool,
    /// What stands was not seen to come from the record that the arbiter set: before it follows from that,
    /// no press is judged by it.
    unfounded: bool,
    shown: lights::Shown,
    /// What was said of the start position last.
    set_up_told: Vec<SetUpFault>,
    /// The result that the players showed and that was proposed.
    sign_proposed: Option<GameResult>,
    outputs: VecDeque<Output>,
}

impl Table {
    /// A table whose game has not begun.
    pub fn new(config: TableConfig) -> Self {
        let turned = match config.orientation {
            Orientation::Auto => None,
            Orientation::Normal => Some(false),
            Orientation::Turned => Some(true),
        };
        Self {
            sensor: Sensor::new(turned, config.rulebook.release_dwell),
            phantoms: Phantoms::default(),
            clock: ClockModel::new(config.white_side),
            beginning: new_game::Beginning::default(),
            still_true: new_game::StillTrue::default(),
            game: Game::new(&config.start, config.illegal_moves),
            arbiter: Arbiter::default(),
            state: TableState::NoBoard,
            link_up: true,
            sensing: Sensing::Pieces,
            board_lag: UNKNOWN_BOARD_LAG,
            clock_lag: UNKNOWN_CLOCK_LAG,
            facts: 0,
            rulings: 0,
            unclear_since: None,
            sight: sight::Sight::UNBROKEN,
            called: false,
            proposals: Vec::new(),
            ended_by: None,
            replacement: Vec::new(),
            replaced: false,
            restoration_due: false,
            unfounded: false,
            shown: lights::Shown::default(),
            set_up_told: Vec::new(),
            sign_proposed: None,
            outputs: VecDeque::new(),
            config,
        }
    }

    /// What was fixed before the game.
    pub const fn config(&self) -> &TableConfig {
        &self.config
    }

    /// The position on the board: with the move that was made and not completed, if what stands
    /// is one legal move.
    pub fn standing_on_board(&self) -> Standing {
        if self.in_play() { self.bench(Mono::ZERO).standing_on_board() } else { self.game.standing().clone() }
    }

    /// The record.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Where the table stands.
    pub const fn state(&self) -> &TableState {
        &self.state
    }

    /// The clock.
    pub const fn clock(&self) -> &ClockModel {
        &self.clock
    }

    /// The next output, oldest first.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Table::advance`] wants to be called, if nothing arrives before.
    pub fn poll_timeout(&self) -> Option<Mono> {
        let decides = self.arbiter.poll_timeout(self.sensor.settles_by());
        let (calls, lights) = (self.sensor.settles_by(), self.lights_due());
        let (phantoms, sign) = (self.phantoms.due(), self.sign_due());
        [self.sensor.rest_due(), decides, self.unclear_due(), calls, lights, phantoms, sign]
            .into_iter()
            .flatten()
            .min()
    }

    /// Runs every deadline up to and including `now`, each at its own time.
    pub fn advance(&mut self, now: Mono) {
        // One deadline may make another due at the same moment; none may do so for ever.
        let mut same = 0;
        let mut last = None;
        while let Some(due) = self.poll_timeout().filter(|&due| due <= now) {
            same = if last == Some(due) { same + 1 } else { 0 };
            if same > SAME_MOMENT_LIMIT {
                break;
            }
            last = Some(due);
            self.run_deadlines(due);
        }
    }

    fn run_deadlines(&mut self, now: Mono) {
        if self.sensor.rest(now) {
            self.occur(now, Occurrence::Rested);
            self.settle_state(now);
        }
        self.decide(now);
        self.look_for_disorder(now);
        self.call_for_disturbed_squares(now);
        self.call_for_phantoms(now);
        self.look_for_sign(now);
        self.look_for_new_game(now);
        self.tend_lights(now);
    }

    fn call_for_disturbed_squares(&mut self, now: Mono) {
        let (squares, facts): (Vec<_>, Vec<_>) = self.sensor.call_for(now).into_iter().unzip();
        if !squares.is_empty() {
            self.notice(now, NoticeKind::SquareDisturbed, squares, facts);
        }
    }

    /// Takes an input that arrived at `at` and returns the number of the fact it became.
    pub fn handle(&mut self, at: Mono, input: Input) -> u64 {
        self.advance(at);
        self.facts += 1;
        let fact = self.facts;
        self.outputs.push_back(Output::Fact(Fact { seq: fact, at, input: input.clone() }));
        match input {
            Input::Report(report) => {
                self.shown.hear(&report.body);
                self.still_true.hear(&report);
                self.report(at, &report, fact);
            }
            Input::Said { by, what: Saying::Claim(claim) } => {
                self.view(View::Claimed { by, claim, fact });
                self.occur(at, Occurrence::Claimed { by, claim, fact });
            }
            Input::Gap { .. } => self.unobserved(),
            Input::MateVerdict { question, verdict } => self.arbiter.answer(question, verdict),
            Input::Command(command) => {
                // What is refused changes nothing.
                if self.check(&command).is_ok() {
                    self.show_phantoms(at);
                }
                self.obey(at, &command, fact);
            }
        }
        self.decide(at);
        self.look_for_new_game(at);
        self.tend_lights(at);
        fact
    }

    fn report(&mut self, received: Mono, report: &Report, fact: u64) {
        match &report.body {
            // Kept as evidence, but nobody knows whose board it is, or which pieces stand on it: it
            // is no position.
            ReportBody::Board { .. }
            | ReportBody::Square { .. }
            | ReportBody::Disturbed { .. }
            | ReportBody::Clock(_)
                if !self.link_up => {}
            ReportBody::Board { .. } | ReportBody::Square { .. } | ReportBody::Disturbed { .. }
                if self.sensing == Sensing::Occupancy => {}
            // Kept as evidence: a byte too few or too many shows pieces that nobody touched, and a second look
            // tells.
            ReportBody::Board { placement, confirmed: false } if self.contradicts(placement) => {
                self.sensor.contradict();
            }
            ReportBody::Disturbed { square, disturbed: true } => {
                self.sensor.disturb(received, report.at, *square, fact);
            }
            ReportBody::Disturbed { square, disturbed: false } => {
                // What stands may have rested meanwhile, and nobody relied on it.
                if self.sensor.calm(*square) && self.sensor.rested() {
                    self.occur(received, Occurrence::Rested);
                }
            }
            ReportBody::Board { placement, confirmed } => {
                let unproven = self.sensor.is_unproven(received);
                let turned_before = self.sensor.turned();
                let before = self.sensor.placement().copied();
                let events = self.sense_whole(phantom::Heard { received, at: report.at, fact }, placement);
                let turned = self.sensor.turned() == Some(true) && turned_before.is_none();
                if turned {
                    self.notice(received, NoticeKind::OrientationRotated, Vec::new(), vec![fact]);
                }
                if before.is_none() || turned {
                    self.board_seen(received);
                }
                self.sensed(received, before.as_ref(), &events);
                if *confirmed {
                    self.sensor.bear_out();
                }
                // What stands is proven, and may have rested when nobody relied on it.
                if unproven && !self.sensor.is_unproven(received) && self.sensor.rested() {
                    self.occur(received, Occurrence::Rested);
                }
            }
            // A frame that nobody knows is whole all the same.
            ReportBody::Noise(Noise { cause: NoiseCause::UnknownKind, .. }) => {}
            ReportBody::Noise(_) => self.sensor.hear_noise(received),
            ReportBody::Square { square, occupant } => {
                let before = self.sensor.placement().copied();
                let heard = phantom::Heard { received, at: report.at, fact };
                let events = self.sense_square(heard, *square, *occupant);
                self.sensed(received, before.as_ref(), &events);
            }
            ReportBody::Clock(clock) => self.clock_report(received, report.at, clock, fact),
            ReportBody::Capabilities(Capabilities { board_lag, clock_lag, sensing, .. }) => {
                self.board_lag = *board_lag;
                self.clock_lag = *clock_lag;
                self.sensing = *sensing;
            }
            // A shared address is a lost board until it has been off the line and back.
            ReportBody::Link(LinkState::Down) | ReportBody::Trouble(Trouble::SharedAddress)
                if self.link_up =>
            {
                self.link_up = false;
                self.interrupted();
                self.set_state(TableState::BoardLost);
                self.notice(received, NoticeKind::DeviceLost, Vec::new(), vec![fact]);
            }
            ReportBody::Link(LinkState::Up) if !self.link_up => {
                self.link_up = true;
                self.notice(received, NoticeKind::DeviceBack, Vec::new(), vec![fact]);
            }
            ReportBody::Link(_)
            | ReportBody::Identity(_)
            | ReportBody::Battery(_)
            | ReportBody::Ack { .. }
            | ReportBody::Trouble(_)
            // Evidence for the journal: nothing is concluded before a second scan bears it out.
            | ReportBody::Scan { .. } => {}
        }
    }

    /// The first placement after the start or an interruption.
    fn board_seen(&mut self, now: Mono) {
        self.sight.see_board(now);
        self.show_placement();
        self.settle_state(now);
        self.call_for_set_up(now);
    }

    /// Whether a report of the whole board shows something else than all that was told before.
    fn contradicts(&self, hardware: &Placement) -> bool {
        let shown = self.sensor.placement().map(|stands| self.phantoms.with_all(*stands));
        shown.is_some_and(|shown| shown != self.turn(hardware))
    }

    /// What came and went is told. Things that are no chess pieces are none that anybody lifts or places,
    /// but they stand there.
    fn sensed(&mut self, now: Mono, before: Option<&Placement>, events: &[SensorEvent]) {
        for event in events {
            self.view(match *event {
                SensorEvent::Lifted { square, piece, at } => View::Lifted { square, piece, at },
                SensorEvent::Placed { square, piece, at } => View::Placed { square, piece, at },
            });
        }
        if before.is_some() && before != self.sensor.placement() {
            self.show_placement();
            self.settle_state(now);
        }
    }

    fn clock_report(&mut self, now: Mono, at: Stamp, report: &arbiterd_board::ClockReport, fact: u64) {
        let (ran, stood) = (self.clock.running().is_some(), self.clock.stands_since());
        let heard = self.clock.listens(now);
        let events = self.clock.report(at, report);
        self.sight.hear_clock(now, heard);
        self.sight.hear_clock(now, self.clock.listens(now));
        self.beginning.hear_clock(report, self.clock.times());
        if !ran && self.clock.running().is_some() {
            self.call_for_set_up(now);
        }
        if let Some(stopped) = stood.filter(|_| self.clock.stands_since().is_none()) {
            self.goes_on(now, stopped, at);
        }
        for event in events {
            match event {
                ClockEvent::Pressed { by, at, certain } => {
                    self.view(View::Pressed { by, at });
                    let times = self.clock.times();
                    self.press_without_foundation(now);
                    self.occur(now, Occurrence::Pressed { by, at, certain, times, fact });
                }
                ClockEvent::FlagDown { side, at } => self.occur(now, Occurrence::FlagDown { side, at, fact }),
                ClockEvent::Lost => self.notice(now, NoticeKind::ClockLost, Vec::new(), vec![fact]),
            }
        }
        if let Some(view) = self.clock.changed_view() {
            self.view(View::Clock(view));
        }
    }

    fn occur(&mut self, now: Mono, occurrence: Occurrence) {
        let mut arbiter = std::mem::take(&mut self.arbiter);
        arbiter.occur(occurrence, &self.bench(now));
        self.arbiter = arbiter;
    }

    fn bench(&self, now: Mono) -> Bench<'_> {
        Bench {
            now,
            rulebook: &self.config.rulebook,
            observer: self.config.observer,
            increment: self.config.increment,
            game: &self.game,
            sensor: &self.sensor,
            clock: &self.clock,
            in_play: self.in_play(),
            in_sight: self.in_sight(now),
            watched: self.in_sight(now).and(self.watched()),
            called: self.called,
            restoring: matches!(self.state, TableState::Restoring { .. }) && !self.replaced,
            board_lag: self.board_lag,
            clock_lag: self.clock_lag,
            pressed_back: false,
            phantoms: !self.phantoms.is_empty(),
        }
    }

    /// Asks the laws for decisions and applies each, until there is none.
    fn decide(&mut self, now: Mono) {
        for _ in 0..DECISION_LIMIT {
            let mut arbiter = std::mem::take(&mut self.arbiter);
            let decision = arbiter.decide(&self.bench(now));
            self.arbiter = arbiter;
            let Some(decision) = decision else { break };
            self.apply(now, decision);
        }
    }

    fn apply(&mut self, now: Mono, decision: Decision) {
        match decision {
            Decision::Complete(done) => self.complete(now, *done),
            Decision::Rule { ruling, take_back_to } => self.rule(now, *ruling, take_back_to),
            Decision::Look => self.outputs.push_back(Output::Directive(Directive::ReadBoard)),
            Decision::Notice(notice) if self.is_told(&notice) => {}
            Decision::Notice(notice) => self.outputs.push_back(Output::Notice(notice)),
            Decision::Ask { question, fen, side } => {
                self.outputs.push_back(Output::Directive(Directive::AskMate { question, fen, side }));
            }
        }
    }

    fn complete(&mut self, now: Mono, done: Completed) {
        let before = self.game.standing().clone();
        let by = self.game.turn();
        let changes = self.sensor.settle(done.changes, &done.after.placement());
        let evidence = done.facts.clone();
        let ply = Ply {
            before,
            body: done.body,
            by,
            completion: done.completion,
            at: done.at,
            clock: done.clock,
            // Which changes were whose was not seen: none of them is evidence.
            changes: if done.inferred { Vec::new() } else { changes },
            facts: done.facts,
            inferred: done.inferred,
            confirmed: done.confirmed,
            watched: self.watched().and(Watched { board: true, clock: !done.left_open }),
        };
        self.game.push(ply, done.after);
        self.called = false;
        if matches!(self.state, TableState::Restoring { .. }) {
            self.restoration_due = false;
            self.set_state(TableState::InStep);
        }
        if let Some(view) = self.move_view(self.game.plies().len() - 1) {
            self.view(View::Moved(view));
        }
        // A witness tells nobody what he has not claimed (12.6).
        if !done.displaced.is_empty() && self.config.observer == Observer::Arbiter {
            self.displaced(now, by, done.displaced, evidence);
        }
        if done.inferred {
            self.notice(now, NoticeKind::MovesInferred, Vec::new(), Vec::new());
        }
        self.settle_state(now);
    }

    fn rule(&mut self, now: Mono, mut ruling: Ruling, take_back_to: Option<usize>) {
        self.rulings += 1;
        ruling.seq = self.rulings;
        ruling.revision = self.game.revision;
        self.outputs.push_back(Output::Ruling(ruling.clone()));
        // What is only proposed changes nothing until a person says so.
        if ruling.authority == Authority::Proposed {
            let plies = self.arbiter.found.plies_of(&ruling).unwrap_or(self.game.plies().len());
            self.proposals.push(Proposal { ruling, take_back_to, plies });
        } else {
            self.take_effect(now, &ruling, take_back_to);
        }
    }

    /// Makes a ruling's consequences those of the game.
    fn take_effect(&mut self, now: Mono, ruling: &Ruling, take_back_to: Option<usize>) {
        let counted_before = self.game.illegal;
        if charges(ruling.kind) {
            self.game.illegal = ruling.consequence.illegal_moves;
        }
        self.game.revision += 1;
        if let Some(remaining) = take_back_to {
            let standing = self.game.standing().placement();
            self.shown.taken_back(self.game.plies(), remaining, &standing);
            self.game.take_back(remaining);
            self.fall(now, Void::After(remaining));
            self.arbiter.restored(remaining);
            self.sight.resume(now);
            self.replacement.clone_from(&ruling.consequence.required_moves);
            self.view(View::TakenBack { remaining });
        }
        if let Some(offender) = ruling.offender.filter(|_| ruling.kind == RulingKind::IllegalMove) {
            self.arbiter.found.charged(offender);
        }
        if ruling.consequence.result != GameResult::Open {
            self.game.result = ruling.consequence.result;
            self.ended_by = Some((ruling.seq, counted_before));
            self.view(View::Result(ruling.consequence.result));
            self.set_state(TableState::Over);
        } else if take_back_to.is_some() {
            self.begin_restoring(now);
        }
    }

    fn notice(&mut self, at: Mono, kind: NoticeKind, squares: Vec<Square>, evidence: Vec<u64>) {
        self.outputs.push_back(Output::Notice(Notice { squares, evidence, ..Notice::new(kind, at) }));
    }

    fn displaced(&mut self, at: Mono, by: Colour, squares: Vec<Square>, evidence: Vec<u64>) {
        let notice = Notice::new(NoticeKind::PiecesDisplaced, at);
        self.outputs.push_back(Output::Notice(Notice { squares, side: Some(by), evidence, ..notice }));
    }

    fn view(&mut self, view: View) {
        self.outputs.push_back(Output::View(view));
    }
}

/// Whether a ruling of this kind counts a fault.
const fn charges(kind: RulingKind) -> bool {
    matches!(kind, RulingKind::IllegalMove | RulingKind::PressWithoutMove)
}
