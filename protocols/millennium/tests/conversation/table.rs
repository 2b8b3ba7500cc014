// SPDX-License-Identifier: MIT OR Apache-2.0
//! A driver and a board on one line, without delay, in virtual time.

use std::collections::VecDeque;

use arbiterd_board::{
    AckOutcome, Channel, Driver, LinkState, Mono, Occupant, Placement, Report, ReportBody, Request,
    RequestId, Square, Stamp,
};
use arbiterd_millennium::{MillenniumDriver, Transport};

use crate::board::Board;

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
pub const E2_LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
pub const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
pub const AFTER_E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";

pub fn ms(millis: u64) -> Mono {
    Mono::from_millis(millis)
}

pub fn sq(name: &str) -> Square {
    name.parse().unwrap()
}

pub fn fen(text: &str) -> Placement {
    text.parse().unwrap()
}

pub fn square(name: &str, letter: char) -> ReportBody {
    ReportBody::Square { square: sq(name), occupant: Occupant::from_letter(letter).unwrap() }
}

pub fn scan(text: &str) -> ReportBody {
    ReportBody::Scan { placement: fen(text) }
}

pub fn board(text: &str) -> ReportBody {
    ReportBody::Board { placement: fen(text), confirmed: true }
}

pub struct Table {
    pub now: Mono,
    pub driver: MillenniumDriver,
    pub board: Board,
    /// What the driver told, oldest first.
    pub reports: Vec<Report>,
    /// What the driver said, and when.
    pub said: Vec<(Mono, Vec<u8>)>,
    /// When the driver heard the frames of which a status is one.
    pub statuses: Vec<Mono>,
    /// Nothing passes the line in either direction.
    pub cut: bool,
    /// Sizes of the portions in which bytes reach the driver, in turn; whole frames if empty.
    pub portions: VecDeque<usize>,
}

impl Table {
    /// The line to this board was opened at time zero.
    pub fn with(transport: Transport, board: Board) -> Self {
        let mut driver = MillenniumDriver::over(transport);
        driver.reset(Mono::ZERO);
        Self {
            now: Mono::ZERO,
            driver,
            board,
            reports: Vec::new(),
            said: Vec::new(),
            statuses: Vec::new(),
            cut: false,
            portions: VecDeque::new(),
        }
    }

    pub fn new() -> Self {
        Self::with(Transport::Wired, Board::new(fen(START)))
    }

    /// A second later, when the conversation runs.
    pub fn running() -> Self {
        let mut table = Self::new();
        table.run_until(1000);
        table
    }

    /// The same over Bluetooth, with a board that reports on change, three seconds later.
    pub fn on_change() -> Self {
        let mut board = Board::new(fen(START));
        board.registers[2] = 3;
        let mut table = Self::with(Transport::Bluetooth, board);
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

    /// Bytes reach the driver.
    pub fn hear(&mut self, bytes: &[u8]) {
        if bytes.first() == Some(&b's') {
            self.statuses.push(self.now);
        }
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
                if !self.cut {
                    self.board.receive(self.now, &bytes);
                }
            } else if let Some(bytes) = self.board.poll_transmit() {
                if !self.cut {
                    self.hear(&bytes);
                }
            } else {
                return;
            }
        }
    }

    /// Takes what the driver tells.
    pub fn collect(&mut self) {
        while let Some((channel, report)) = self.driver.poll_report() {
            assert_eq!(channel, Channel(0));
            assert!(report.at.earliest <= report.at.latest && report.at.latest <= self.now, "{report:?}");
            self.reports.push(report);
        }
    }

    /// What is told from now on.
    pub fn forget(&mut self) {
        self.reports.clear();
        self.said.clear();
        self.board.heard.clear();
        self.statuses.clear();
    }

    pub fn ask(&mut self, request: Request) -> RequestId {
        let id = self.driver.request(self.now, Channel(0), request).unwrap();
        self.exchange();
        id
    }

    pub fn bodies(&self) -> Vec<ReportBody> {
        self.reports.iter().map(|r| r.body.clone()).collect()
    }

    /// Squares and scans, in their order.
    pub fn observed(&self) -> Vec<ReportBody> {
        let mut bodies = self.bodies();
        bodies.retain(|b| matches!(b, ReportBody::Square { .. } | ReportBody::Scan { .. }));
        bodies
    }

    pub fn squares(&self) -> Vec<Report> {
        let squares = self.reports.iter().filter(|r| matches!(r.body, ReportBody::Square { .. }));
        squares.cloned().collect()
    }

    /// Every board that was told.
    pub fn boards(&self) -> Vec<String> {
        let boards = self.reports.iter().filter_map(|r| match &r.body {
            ReportBody::Board { placement, confirmed } => {
                assert!(confirmed, "what is not confirmed is told as a scan");
                Some(placement.to_string())
            }
            _ => None,
        });
        boards.collect()
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

    /// The commands that the board heard, without their checks.
    pub fn heard(&self) -> Vec<String> {
        self.board.heard.iter().map(|(_, command)| command.clone()).collect()
    }

    /// How many of them begin so.
    pub fn count(&self, start: &str) -> usize {
        self.board.heard.iter().filter(|(_, command)| command.starts_with(start)).count()
    }
}
