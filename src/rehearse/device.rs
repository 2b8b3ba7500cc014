// SPDX-License-Identifier: GPL-3.0-or-later
//! The bytes of a case, through the driver of their family.
//!
//! A driver asks questions. They are answered by the family's simulated board, which follows what
//! the case has shown of the board so far; so the driver hears who the board is, that it lives, and
//! what stands on it. Of changes and of the clock it hears from the case alone.

use std::time::Duration;

use arbiterd_board::simulator::Device as _;
use arbiterd_board::{Channel, Driver, Mono, Occupant, Placement, ReportBody, Request, Square};
use arbiterd_dgt::DgtDriver;
use arbiterd_dgt::simulator as dgt;
use arbiterd_millennium::MillenniumDriver;
use arbiterd_millennium::simulator as millennium;

use super::case::Device;
use super::venue::Venue;
use crate::table::Input;

/// Longer than the first conversation with a board takes.
pub const OPENING: Duration = Duration::from_secs(20);

/// First bytes of what a DGT board sends by itself, and of all that its clock says (dgt: messages).
const DGT_OF_ITSELF: [u8; 2] = [0x8d, 0x8e];

/// A driver and the board that answers it.
pub struct Line {
    driver: Box<dyn Driver>,
    board: Board,
    /// What the case has shown of the board.
    shown: Placement,
    /// Until the case begins nobody has read the clock.
    begun: bool,
}

enum Board {
    Dgt(Box<dgt::Simulator>),
    Millennium(Box<millennium::Simulator>),
}

impl Line {
    /// A line whose conversation begins now; none if the case names no family.
    pub fn open(device: Device, now: Mono, placement: Placement) -> Option<Self> {
        let (mut driver, board): (Box<dyn Driver>, Board) = match device {
            Device::Any => return None,
            Device::Dgt => {
                let options = dgt::Options { placement, ..dgt::Options::default() };
                (Box::new(DgtDriver::new()), Board::Dgt(Box::new(dgt::Simulator::new(now, options))))
            }
            Device::Millennium => {
                let model = millennium::Options::of(millennium::Model::Exclusive);
                let options = millennium::Options { placement, ..model };
                let board = Box::new(millennium::Simulator::new(now, options));
                (Box::new(MillenniumDriver::new()), Board::Millennium(board))
            }
        };
        driver.reset(now);
        Some(Self { driver, board, shown: placement, begun: false })
    }

    /// The case begins: from here on the clock is heard.
    pub const fn begin(&mut self) {
        self.begun = true;
    }

    /// Lets time pass, each deadline of board, driver and table at its own moment.
    pub fn pass(&mut self, venue: &mut Venue, end: Mono) {
        loop {
            self.exchange(venue);
            let due = [self.board.poll_timeout(), self.driver.poll_timeout(), venue.table.poll_timeout()];
            let Some(next) = due.into_iter().flatten().min().filter(|&due| due < end) else { break };
            venue.now = venue.now.max(next);
            self.board.handle_timeout(venue.now);
            self.driver.handle_timeout(venue.now);
            venue.settle();
        }
        venue.now = end;
    }

    /// Bytes of the case arrive now.
    pub fn receive(&mut self, venue: &mut Venue, bytes: &[u8]) {
        self.driver.receive(venue.now, bytes);
        self.exchange(venue);
    }

    fn exchange(&mut self, venue: &mut Venue) {
        loop {
            let mut quiet = true;
            while let Some(bytes) = self.driver.poll_transmit() {
                self.board.receive(venue.now, &bytes);
                quiet = false;
            }
            while let Some(bytes) = self.board.answer() {
                self.driver.receive(venue.now, &bytes);
                quiet = false;
            }
            while let Some((_, report)) = self.driver.poll_report() {
                self.follow(venue.now, &report.body);
                if self.begun || !matches!(report.body, ReportBody::Clock(_)) {
                    venue.input(Input::Report(report));
                }
                quiet = false;
            }
            if std::mem::take(&mut venue.wants_board) {
                // A board that cannot be asked now is not seen: the table waits for it as it would.
                let asked = self.driver.request(venue.now, Channel(0), Request::ReadBoard);
                quiet = quiet && asked.is_err();
            }
            if quiet {
                return;
            }
        }
    }

    /// The simulated board shows from now on what the case has shown.
    fn follow(&mut self, now: Mono, body: &ReportBody) {
        let before = self.shown;
        match body {
            ReportBody::Board { placement, .. } | ReportBody::Scan { placement } => self.shown = *placement,
            ReportBody::Square { square, occupant } => self.shown[*square] = *occupant,
            _ => {}
        }
        for square in before.differences(&self.shown) {
            self.board.replace(now, square, self.shown[square]);
        }
    }
}

impl Board {
    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        match self {
            Self::Dgt(board) => board.receive(now, bytes),
            Self::Millennium(board) => board.receive(now, bytes),
        }
    }

    /// The next answer. What a board would say by itself only the case says.
    fn answer(&mut self) -> Option<Vec<u8>> {
        match self {
            Self::Dgt(board) => std::iter::from_fn(|| board.poll_transmit())
                .find(|bytes| !bytes.first().is_some_and(|first| DGT_OF_ITSELF.contains(first))),
            Self::Millennium(board) => board.poll_transmit(),
        }
    }

    fn poll_timeout(&self) -> Option<Mono> {
        match self {
            Self::Dgt(board) => board.poll_timeout(),
            Self::Millennium(board) => board.poll_timeout(),
        }
    }

    fn handle_timeout(&mut self, now: Mono) {
        match self {
            Self::Dgt(board) => board.handle_timeout(now),
            Self::Millennium(board) => board.handle_timeout(now),
        }
    }

    fn replace(&mut self, now: Mono, square: Square, occupant: Occupant) {
        match self {
            Self::Dgt(board) => drop(board.replace(now, square, occupant)),
            Self::Millennium(board) => drop(board.replace(now, square, occupant)),
        }
    }
}
