// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a simulated board is, and what it does by itself.

use core::time::Duration;

use arbiterd_board::{Placement, Version};

use super::{ClockOptions, TimedFault};
use crate::message::BatteryStatus;

/// What the simulated board is.
#[derive(Clone, Debug)]
pub struct Options {
    /// The text it gives for its trade mark: its own, never a maker's.
    pub trade_mark: String,
    /// The short serial number; its last five digits are used, and as a 14-bit number they are
    /// the bus address.
    pub serial: u32,
    /// The long serial number, its last ten digits; `None` for an old board, which does not
    /// answer the question.
    pub long_serial: Option<u64>,
    /// The firmware version.
    pub version: Version,
    /// The battery; `None` for a board that has none and does not answer the question.
    pub battery: Option<BatteryStatus>,
    /// The firmware of a Revelation II, such as 3.25: it has lights, texts of eleven characters
    /// from 3.24 on, and its long serial number begins with this version.
    pub revelation: Option<Version>,
    /// From one scan of all squares to the next; at least a millisecond.
    pub scan_period: Duration,
    /// From one look at the clock to the next, as a Bluetooth board looks only two or three times
    /// a second; zero for a board that notices at once.
    pub clock_poll: Duration,
    /// The clock in its port, if there is one.
    pub clock: Option<ClockOptions>,
    /// What stands on the board when it is switched on.
    pub placement: Placement,
    /// The mode in which it wakes when it is switched on.
    pub power_up: PowerUp,
    /// Whether a message is given out only when the line is free for it, at 9600 baud. Not for a
    /// shell that keeps the pace of the line itself.
    pub paced: bool,
    /// How many bytes of input wait while the board sends in single-board mode; further ones are
    /// lost. Real boards have room for ten. `None` loses nothing.
    pub input_limit: Option<usize>,
    /// Faults that happen by themselves, each at its time after the start.
    pub faults: Vec<TimedFault>,
    /// What chance begins with: the same seed gives the same waits and faults.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            trade_mark: "arbiterd simulator".to_owned(),
            serial: 1,
            long_serial: Some(1),
            version: Version { main: 1, sub: 0 },
            battery: None,
            revelation: None,
            // A wired board; Bluetooth boards take twice as long (topic: timing).
            scan_period: Duration::from_millis(250),
            clock_poll: Duration::ZERO,
            clock: Some(ClockOptions::default()),
            placement: Placement::EMPTY,
            power_up: PowerUp::Single,
            paced: false,
            input_limit: None,
            faults: Vec::new(),
            seed: 0,
        }
    }
}

/// The mode in which a board wakes (topic: bus mode). Real ones wake in bus mode; a host that
/// speaks to one board does not notice, for its first command changes that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PowerUp {
    /// Single-board mode, sending nothing by itself.
    #[default]
    Single,
    /// Bus mode.
    Bus,
}

/// What a board is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Bus mode: it speaks only when asked by its address.
    Bus,
    /// It sends nothing by itself.
    Idle,
    /// Squares on change, the clock every second.
    Update,
    /// Squares on change; the clock's answers are not passed on.
    UpdateBoard,
    /// Squares and clock on change.
    UpdateNice,
}

impl Mode {
    pub(super) const fn sends_squares(self) -> bool {
        matches!(self, Self::Update | Self::UpdateBoard | Self::UpdateNice)
    }

    /// Also whether the clock's answers get through.
    pub(super) const fn sends_clock(self) -> bool {
        matches!(self, Self::Update | Self::UpdateNice)
    }
}

impl From<PowerUp> for Mode {
    fn from(power_up: PowerUp) -> Self {
        match power_up {
            PowerUp::Single => Self::Idle,
            PowerUp::Bus => Self::Bus,
        }
    }
}
