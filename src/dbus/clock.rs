// SPDX-License-Identifier: GPL-3.0-or-later
//! `org.arbiterd.Arbiter1.Clock`.

use arbiterd_board::ClockSide;
use zbus::interface;

use super::codes;
use super::dict::{micros, millis, side};
use super::shown::{Changes, Shown};
use crate::table::ClockView;

/// What a clock shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ClockShown {
    white: u64,
    black: u64,
    running: String,
    as_of: u64,
    uncertainty: u64,
    white_side: String,
    connected: u32,
    flags: Vec<String>,
}

impl ClockShown {
    /// This is the clock now.
    pub(super) fn set(&mut self, view: &ClockView) -> Changes {
        let white_side = match view.white_side {
            ClockSide::Left => "left",
            ClockSide::Right => "right",
        };
        let down = ["white", "black"].into_iter().zip(view.flags).filter(|(_, down)| *down);
        let mut changes = Changes::default();
        changes.set("White", &mut self.white, millis(view.white));
        changes.set("Black", &mut self.black, millis(view.black));
        changes.set("Running", &mut self.running, side(view.running).to_owned());
        changes.set("AsOf", &mut self.as_of, view.as_of.as_micros());
        changes.set("Uncertainty", &mut self.uncertainty, micros(view.uncertainty));
        changes.set("WhiteSide", &mut self.white_side, white_side.to_owned());
        changes.set("Connected", &mut self.connected, codes::connected(view.connected));
        changes.set("Flags", &mut self.flags, down.map(|(side, _)| side.to_owned()).collect());
        changes
    }
}

pub(super) struct Clock {
    pub(super) shown: Shown<ClockShown>,
}

/// The clock of a table.
#[interface(name = "org.arbiterd.Arbiter1.Clock")]
impl Clock {
    /// White's time at `AsOf`, in milliseconds. It is not signalled as it runs: a change is
    /// signalled when something happened that cannot be foreseen from the last values. While it is
    /// White's time that runs, what has passed since `AsOf` is to be taken off.
    #[zbus(property)]
    fn white(&self) -> u64 {
        self.shown.with(|c| c.white)
    }

    /// Black's time at `AsOf`, in milliseconds, as `White`.
    #[zbus(property)]
    fn black(&self) -> u64 {
        self.shown.with(|c| c.black)
    }

    /// Whose time runs: `white`, `black`, or empty for a clock that is stopped or not known.
    #[zbus(property)]
    fn running(&self) -> String {
        self.shown.with(|c| c.running.clone())
    }

    /// The moment to which the times belong, in microseconds of CLOCK_MONOTONIC; 0 if none was
    /// read yet.
    #[zbus(property)]
    fn as_of(&self) -> u64 {
        self.shown.with(|c| c.as_of)
    }

    /// How much older than `AsOf` the times may be, in microseconds.
    #[zbus(property)]
    fn uncertainty(&self) -> u64 {
        self.shown.with(|c| c.uncertainty)
    }

    /// The side of the clock on which White sits, seen from its front: `left`, `right`, or empty
    /// if it is not known.
    #[zbus(property)]
    fn white_side(&self) -> String {
        self.shown.with(|c| c.white_side.clone())
    }

    /// Whether a clock is connected: 0 unknown, 1 connected, 2 absent (the times are the last
    /// known ones). Treat any other number as 0.
    #[zbus(property)]
    fn connected(&self) -> u32 {
        self.shown.with(|c| c.connected)
    }

    /// The sides, `white` and `black`, whose flag the clock shows as fallen.
    #[zbus(property)]
    fn flags(&self) -> Vec<String> {
        self.shown.with(|c| c.flags.clone())
    }
}
