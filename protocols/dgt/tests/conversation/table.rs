// SPDX-License-Identifier: MIT OR Apache-2.0
//! A driver and a simulated board on one line, without delay, in virtual time.

#[path = "../../../board/tests/shared/line.rs"]
mod line;
#[path = "../../../board/tests/shared/words.rs"]
mod words;

pub use words::{START, ms, occupant, sq};

use arbiterd_board::{ClockReading, ClockReport, Identity, Mono, Piece, ReportBody};
use arbiterd_dgt::DgtDriver;
use arbiterd_dgt::simulator::{ClockOptions, Options, Simulator};

pub fn piece(letter: char) -> Piece {
    Piece::from_letter(letter).unwrap()
}

pub type Table = line::Line<DgtDriver, Simulator>;

impl Table {
    /// A board in the initial position whose port was opened at time zero.
    pub fn new(options: Options) -> Self {
        let options = Options { placement: START.parse().unwrap(), ..options };
        Self::open(DgtDriver::new(), Simulator::new(Mono::ZERO, options))
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
}
