// SPDX-License-Identifier: MIT OR Apache-2.0
//! A driver and a simulated board on one line, without delay, in virtual time.

use std::collections::VecDeque;

use arbiterd_board::{
    AckOutcome, ClockReading, ClockReport, Driver, Identity, LinkState, Mono, Occupant, Piece, Report,
    ReportBody, RequestId, Square, Stamp,
};
use arbiterd_dgt::DgtDriver;
use arbiterd_dgt::simulator::{ClockOptions, Options, Simulator};

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

pub fn ms(millis: u64) -> Mono {
    Mono::from_millis(millis)
}

pub fn sq(name: &str) -> Square {
    name.parse().unwrap()
}

pub fn piece(letter: char) -> Piece {
    Piece::from_letter(letter).unwrap()
}

pub fn occupant(letter: char) -> Occupant {
    Occupant::from_letter(letter).unwrap()
}

pub struct Table {
    pub now: Mono,
    pub driver: DgtDriver,
    pub board: Simulator,
    /// What the driver told, oldest first.
    pub reports: Vec<Report>,
    /// What the driver said to the board, and when.
    pub said: Vec<(Mono, Vec<u8>)>,
    /// All bytes that reached the driver, with their times.
    pub heard: Vec<(Mono, Vec<u8>)>,
    /// When bytes last reached the driver.
    pub last_heard: Mono,
    /// Nothing passes the line in either direction.
    pub deaf: bool,
    /// No clock message passes the line.
    pub mute_clock: bool,
    /// Sizes of the portions in which bytes reach the driver, in turn; whole messages if empty.
    pub portions: VecDeque<usize>,
}

impl Table {
    /// A board in the initial position whose port was opened at time zero.
    pub fn new(options: Options) -> Self {
        let options = Options { placement: START.parse().unwrap(), ..options };
        let mut driver = DgtDriver::new();
        driver.reset(Mono::ZERO);
        Self {
            now: Mono::ZERO,
            driver,
            board: Simulator::new(Mono::ZERO, options),
            reports: Vec::new(),
            said: Vec::new(),
            heard: Vec::new(),
            last_heard: Mono::ZERO,
            deaf: false,
            mute_clock: false,
            portions: VecDeque::new(),
        }
    }

    /// The same, three seconds later, when the conversation runs.
    pub fn running() -> Self {
        Self::with_clock(Some(ClockOptions::default()))
    }

    pub fn with_clock(clock: Option<ClockOptions>) -> Self {
        let mut table = Self::new(Options { clock, ..Options::default() });
        table.run_until(3000);
        table
    }

    /// Lets time pass.
    pub fn run_until(&mut self, millis: u64) {
        let end = ms(millis);
        self.exchange();
        loop {
            let due = [self.driver.poll_timeout(), self.board.poll_timeout()].into_iter().flatten().min();
            let Some(due) = due.filter(|due| *due <= end) else { break };
            assert!(due >= self.now, "{due} lies before {}", self.now);
            self.now = due;
            self.board.handle_timeout(due);
            self.exchange();
            if self.driver.poll_timeout().is_some_and(|at| at <= due) {
                self.driver.handle_timeout(due);
                self.exchange();
                let next = self.driver.poll_timeout();
                assert!(next.is_none_or(|at| at > due), "the driver does not move on at {due}");
            }
        }
        self.now = self.now.max(end);
        self.exchange();
    }

    /// Bytes that no board sent reach the driver.
    pub fn hear(&mut self, bytes: &[u8]) {
        self.last_heard = self.now;
        self.heard.push((self.now, bytes.to_vec()));
        let mut rest = bytes;
        while !rest.is_empty() {
            let size = self.portions.pop_front().unwrap_or(rest.len()).clamp(1, rest.len());
            let (portion, after) = rest.split_at(size);
            self.driver.receive(self.now, portion);
            rest = after;
        }
        self.collect();
    }

    /// Moves bytes and reports until nothing moves any more.
    fn exchange(&mut self) {
        loop {
            self.collect();
            if let Some(bytes) = self.driver.poll_transmit() {
                self.said.push((self.now, bytes.clone()));
                if !self.deaf {
                    self.board.receive(self.now, &bytes);
                }
            } else if let Some(bytes) = self.board.poll_transmit() {
                let is_clock = bytes.first() == Some(&0x8d);
                let blocked = self.deaf || (self.mute_clock && is_clock);
                if !blocked {
                    self.hear(&bytes);
                }
            } else {
                return;
            }
        }
    }

    fn collect(&mut self) {
        while let Some((_, report)) = self.driver.poll_report() {
            self.reports.push(report);
        }
    }

    pub fn bodies(&self) -> Vec<ReportBody> {
        self.reports.iter().map(|r| r.body.clone()).collect()
    }

    /// Every dump that was told, as text, and whether it was confirmed.
    pub fn boards(&self) -> Vec<(String, bool)> {
        let boards = self.reports.iter().filter_map(|r| match &r.body {
            ReportBody::Board { placement, confirmed } => Some((placement.to_string(), *confirmed)),
            _ => None,
        });
        boards.collect()
    }

    pub fn readings(&self) -> Vec<ClockReading> {
        let readings = self.reports.iter().filter_map(|r| match r.body {
            ReportBody::Clock(ClockReport::Reading(reading)) => Some(reading),
            _ => None,
        });
        readings.collect()
    }

    pub fn identities(&self) -> Vec<Identity> {
        let identities = self.reports.iter().filter_map(|r| match &r.body {
            ReportBody::Identity(identity) => Some(identity.clone()),
            _ => None,
        });
        identities.collect()
    }

    pub fn links(&self) -> Vec<(LinkState, Stamp)> {
        let links = self.reports.iter().filter_map(|r| match r.body {
            ReportBody::Link(state) => Some((state, r.at)),
            _ => None,
        });
        links.collect()
    }

    pub fn acks(&self, wanted: RequestId) -> Vec<AckOutcome> {
        let acks = self.reports.iter().filter_map(|r| match r.body {
            ReportBody::Ack { request, outcome } if request == wanted => Some(outcome),
            _ => None,
        });
        acks.collect()
    }
}
