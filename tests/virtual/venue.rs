// SPDX-License-Identifier: GPL-3.0-or-later
//! Simulated board, driver and table, byte by byte, in virtual time: the whole way of a byte
//! without a port, a thread or a clock.

use std::sync::Arc;
use std::time::Duration;

use arbiterd::laws::mate::can_mate;
use arbiterd::laws::{Directive, Notice, Rulebook, Ruling};
use arbiterd::table::{Input, Lights, Observer, Orientation, Output, Standing, Start, TableConfig, View};
use arbiterd_board::simulator::Device;
use arbiterd_board::{Channel, ClockSide, Colour, Driver, Mono, Occupant, Placement, Request, Square};
use arbiterd_dgt::DgtDriver;
use arbiterd_dgt::simulator::{ClockOptions, Options, Simulator};
use shakmaty::{Move, Position};

use super::twins::Twins;

/// A venue with one table.
pub struct Venue {
    now: Mono,
    board: Simulator,
    driver: DgtDriver,
    /// The next message of the clock is damaged: in this byte, these bits are flipped.
    clock_damage: Option<(usize, u8)>,
    pub table: Twins,
    pub rulings: Vec<Ruling>,
    pub notices: Vec<Notice>,
    pub views: Vec<View>,
}

/// What is played, and under what.
pub struct Plan {
    pub fen: String,
    pub rulebook: Arc<Rulebook>,
    pub observer: Observer,
    pub turned: bool,
    pub times: Duration,
    pub increment: Duration,
}

impl Venue {
    /// A venue whose driver has had its first conversation, with the clock running.
    pub fn open(plan: &Plan) -> Self {
        let start = Start::from_fen(&plan.fen).unwrap();
        let placement = start.standing().placement();
        let white_begins = start.standing().turn() == shakmaty::Color::White;
        let now = Mono::from_millis(1_000_000);
        let options = Options {
            placement: if plan.turned { placement.rotated() } else { placement },
            clock: Some(ClockOptions {
                left: plan.times,
                right: plan.times,
                increment: plan.increment,
                pressed: if white_begins { ClockSide::Right } else { ClockSide::Left },
                ..ClockOptions::default()
            }),
            ..Options::default()
        };
        let config = TableConfig {
            id: "t".to_owned(),
            rulebook: Arc::clone(&plan.rulebook),
            observer: plan.observer,
            white_side: ClockSide::Left,
            orientation: Orientation::Auto,
            start,
            increment: plan.increment,
            illegal_moves: [0; 2],
            lights: Lights::Off,
        };
        let mut venue = Self {
            now,
            board: Simulator::new(now, options),
            driver: DgtDriver::new(),
            clock_damage: None,
            table: Twins::new(config, plan.turned),
            rulings: Vec::new(),
            notices: Vec::new(),
            views: Vec::new(),
        };
        venue.driver.reset(now);
        venue.pass(Duration::from_secs(4));
        venue.board.start(venue.now);
        venue.pass(Duration::from_secs(2));
        venue
    }

    /// Lets time pass, each deadline of board, driver and table at its own moment.
    pub fn pass(&mut self, by: Duration) {
        let end = self.now.after(by);
        loop {
            self.exchange();
            let due = [self.board.poll_timeout(), self.driver.poll_timeout(), self.table.poll_timeout()];
            let Some(next) = due.into_iter().flatten().min().filter(|&t| t <= end) else { break };
            self.now = self.now.max(next);
            self.board.handle_timeout(self.now);
            self.driver.handle_timeout(self.now);
            self.table.advance(self.now);
            self.drain();
        }
        self.now = end;
    }

    /// Bytes that no board sent reach the driver, as after damage on the line.
    pub fn false_bytes(&mut self, bytes: &[u8]) {
        self.driver.receive(self.now, bytes);
        self.exchange();
    }

    /// The next message of the clock arrives with these bits of a byte flipped (0: the first after
    /// its header).
    pub fn damage_clock(&mut self, byte: usize, bits: u8) {
        self.clock_damage = Some((byte, bits));
    }

    pub fn millis(&mut self, ms: u64) {
        self.pass(Duration::from_millis(ms));
    }

    fn exchange(&mut self) {
        loop {
            let mut quiet = true;
            while let Some(bytes) = self.driver.poll_transmit() {
                self.board.receive(self.now, &bytes);
                quiet = false;
            }
            while let Some(mut bytes) = self.board.poll_transmit() {
                if bytes.starts_with(&[0x8d, 0x00, 0x0a])
                    && let Some((byte, bits)) = self.clock_damage.take()
                {
                    bytes[3 + byte] ^= bits;
                }
                self.driver.receive(self.now, &bytes);
                quiet = false;
            }
            while let Some((_, report)) = self.driver.poll_report() {
                self.table.handle(self.now, Input::Report(report));
                self.drain();
                quiet = false;
            }
            if quiet {
                return;
            }
        }
    }

    fn drain(&mut self) {
        while let Some(output) = self.table.poll_output() {
            match output {
                Output::Ruling(r) => self.rulings.push(r),
                Output::Notice(n) => self.notices.push(n),
                Output::View(v) => self.views.push(v),
                Output::Directive(Directive::AskMate { question, fen, side }) => {
                    let start = Start::from_fen(&fen).unwrap();
                    let Standing::Valid(position) = start.standing() else { continue };
                    let verdict = can_mate(position, side, 20_000);
                    self.table.handle(self.now, Input::MateVerdict { question, verdict });
                }
                Output::Directive(Directive::ReadBoard) => {
                    self.driver.request(self.now, Channel(0), Request::ReadBoard).unwrap();
                }
                Output::Fact(_) | Output::Directive(_) => {}
            }
        }
    }

    /// The hardware's square for the players' square.
    fn hardware(&self, plan: &Plan, s: Square) -> Square {
        if plan.turned { s.rotated() } else { s }
    }

    pub fn lift(&mut self, plan: &Plan, s: Square) {
        let s = self.hardware(plan, s);
        self.board.lift(self.now, s);
    }

    pub fn put(&mut self, plan: &Plan, s: Square, o: Occupant) {
        let s = self.hardware(plan, s);
        self.board.replace(self.now, s, o);
    }

    pub fn press(&mut self, by: Colour) {
        let side = if by == Colour::White { ClockSide::Left } else { ClockSide::Right };
        self.board.press(self.now, side);
    }

    /// The completed moves, in UCI notation.
    pub fn moves(&self) -> Vec<String> {
        self.table.game().plies().iter().map(|p| p.uci(self.table.game().mode())).collect()
    }
}

/// The squares that a legal move changes: before and after.
pub fn changes(position: &shakmaty::Chess, m: Move) -> Vec<(Square, Occupant, Occupant)> {
    let mut after = position.clone();
    after.play_unchecked(m);
    let before: Placement = Standing::Valid(position.clone()).placement();
    let after = Standing::Valid(after).placement();
    before.differences(&after).map(|s| (s, before[s], after[s])).collect()
}
