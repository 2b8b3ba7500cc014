// SPDX-License-Identifier: GPL-3.0-or-later
//! The bytes of a case, through the driver of their family.
//!
//! A driver asks questions. They are answered by the family's simulated board, which follows what
//! the case has shown of the board so far; so the driver hears who the board is, that it lives, and
//! what stands on it. Of changes and of the clock it hears from the case alone.

use std::time::Duration;

use arbiterd_board::simulator::Device as _;
use arbiterd_board::{Channel, Driver, Mono, Occupant, Placement, ReportBody, Request, Square};
use arbiterd_dgt::simulator as dgt;
use arbiterd_dgt::{DgtDriver, Message, encode};
use arbiterd_millennium::MillenniumDriver;
use arbiterd_millennium::simulator as millennium;

use super::case::Device;
use super::venue::Venue;
use crate::table::Input;

/// Longer than the first conversation with a board takes.
pub const OPENING: Duration = Duration::from_secs(20);

/// First bytes of what a DGT board sends of the whole board, of its clock, and of a change on a square (dgt:
/// messages).
const BOARD: u8 = 0x86;
const CLOCK: u8 = 0x8d;
const CHANGE: u8 = 0x8e;

/// How a message of the clock begins, with its length, and how long it is (dgt: messages).
const CLOCK_MESSAGE: [u8; 3] = [CLOCK, 0x00, 0x0a];
const CLOCK_LENGTH: usize = 10;

/// For so long a clock that is asked again shows what it has just shown. Later it would show another time,
/// and that is for the case to tell.
const JUST_NOW: Duration = Duration::from_millis(250);

/// A driver and the board that answers it.
pub struct Line {
    driver: Box<dyn Driver>,
    board: Board,
    /// What the case has shown of the board.
    shown: Placement,
    /// Until the case begins nobody has read the clock.
    begun: bool,
    /// The bytes of the case since the last message of the clock began.
    told: Vec<u8>,
    /// When that message was whole, and which it was.
    clock: Option<(Mono, Vec<u8>)>,
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
        Some(Self { driver, board, shown: placement, begun: false, told: Vec::new(), clock: None })
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
        self.listen(venue.now, bytes);
        self.driver.receive(venue.now, bytes);
        // What the simulated board answers is older than what the case has just told: it is not followed.
        self.hear(venue, true);
        self.exchange(venue);
    }

    /// Remembers the last message of the clock that the case has told.
    fn listen(&mut self, now: Mono, bytes: &[u8]) {
        self.told.extend_from_slice(bytes);
        while let Some(at) = self.told.windows(CLOCK_MESSAGE.len()).position(|w| w == CLOCK_MESSAGE) {
            self.told.drain(..at);
            let Some(message) = self.told.get(..CLOCK_LENGTH).map(<[u8]>::to_vec) else { return };
            self.told.drain(..CLOCK_MESSAGE.len());
            if message[CLOCK_MESSAGE.len()..].iter().all(|byte| *byte < 0x80) {
                self.clock = Some((now, message));
            }
        }
        let kept = self.told.len().saturating_sub(CLOCK_MESSAGE.len());
        self.told.drain(..kept);
    }

    /// What a real board answers, as far as the case has told it.
    fn answer(&mut self, now: Mono) -> Option<Vec<u8>> {
        loop {
            let answer = self.board.answer()?;
            match (&self.board, answer.first()) {
                (Board::Dgt(_), Some(&CHANGE)) => {}
                // Its scan may not have come to what the case has told already.
                (Board::Dgt(_), Some(&BOARD)) => return Some(encode(&Message::Board(self.shown))),
                (Board::Dgt(_), Some(&CLOCK)) => {
                    let just_told = self.clock.as_ref().filter(|(told, _)| now.since(*told) <= JUST_NOW);
                    if let Some((_, message)) = just_told {
                        return Some(message.clone());
                    }
                }
                _ => return Some(answer),
            }
        }
    }

    fn exchange(&mut self, venue: &mut Venue) {
        loop {
            let mut quiet = true;
            while let Some(bytes) = self.driver.poll_transmit() {
                self.board.receive(venue.now, &bytes);
                quiet = false;
            }
            while let Some(bytes) = self.answer(venue.now) {
                self.driver.receive(venue.now, &bytes);
                quiet = false;
            }
            quiet &= !self.hear(venue, false);
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

    /// Tells the table what the driver reports; true if that is something.
    fn hear(&mut self, venue: &mut Venue, follow: bool) -> bool {
        let mut something = false;
        while let Some((_, report)) = self.driver.poll_report() {
            something = true;
            if follow {
                self.follow(venue.now, &report.body);
            }
            if self.begun || !matches!(report.body, ReportBody::Clock(_)) {
                venue.input(Input::Report(report));
            }
        }
        something
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

    fn answer(&mut self) -> Option<Vec<u8>> {
        match self {
            Self::Dgt(board) => board.poll_transmit(),
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
