// SPDX-License-Identifier: MIT OR Apache-2.0
//! A driver and a board on one line, without delay, in virtual time.

#[path = "../../../board/tests/shared/line.rs"]
mod line;
#[path = "../../../board/tests/shared/words.rs"]
mod words;

pub use words::{START, ms, sq};

use arbiterd_board::{Channel, Driver, Mono, Placement, Report, ReportBody, Request, RequestId};
use arbiterd_millennium::{MillenniumDriver, Transport};

use crate::board::Board;
use words::occupant;

pub const E2_LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
pub const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
pub const AFTER_E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";

pub fn fen(text: &str) -> Placement {
    text.parse().unwrap()
}

pub fn square(name: &str, letter: char) -> ReportBody {
    ReportBody::Square { square: sq(name), occupant: occupant(letter) }
}

pub fn scan(text: &str) -> ReportBody {
    ReportBody::Scan { placement: fen(text) }
}

pub fn board(text: &str) -> ReportBody {
    ReportBody::Board { placement: fen(text), confirmed: true }
}

pub type Table = line::Line<MillenniumDriver, Board>;

impl Table {
    /// The line to this board was opened at time zero.
    pub fn with(transport: Transport, board: Board) -> Self {
        Self::open(MillenniumDriver::over(transport), board)
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

    /// What is told from now on.
    pub fn forget(&mut self) {
        self.reports.clear();
        self.said.clear();
        self.board.heard.clear();
        self.arrived.clear();
    }

    pub fn ask(&mut self, request: Request) -> RequestId {
        let id = self.driver.request(self.now, Channel(0), request).unwrap();
        self.exchange();
        id
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

    /// When the driver heard the frames of which a status is one.
    pub fn statuses(&self) -> Vec<Mono> {
        self.arrived.iter().filter(|(_, bytes)| bytes.first() == Some(&b's')).map(|(at, _)| *at).collect()
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
