// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a chess clock reports. Sides are those of the clock, seen from its front; which player
//! sits on which side is a matter of the table.

use core::time::Duration;

/// A side of the clock, seen from its front.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "the names say it")]
pub enum ClockSide {
    Left,
    Right,
}

impl ClockSide {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// What the clock shows of one side's flag.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Flag {
    /// No flag is shown.
    #[default]
    Up,
    /// A flag is shown but the clock may run on, in the next period.
    Shown,
    /// The flag has fallen and the clock is blocked at zero.
    Fallen,
}

/// Which side's button is down, that is, who pressed last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Lever {
    /// The player on this side pressed last: his side is low, the opponent's high.
    Pressed(ClockSide),
    /// The clock has no lever or does not tell.
    Unknown,
}

/// One side of a reading.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SideReading {
    /// The time shown, as fine as the hardware transmits it (DGT: whole seconds).
    pub remaining: Duration,
    /// The flag of this side.
    pub flag: Flag,
}

/// Both times and the state of the clock at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClockReading {
    /// The left side.
    pub left: SideReading,
    /// The right side.
    pub right: SideReading,
    /// Whether the clock counts (false: stopped by start/stop).
    pub counting: bool,
    /// Who pressed last.
    pub lever: Lever,
    /// The side to which the clock attributes the turn, where it says so. Confirm by which time
    /// falls before building on it: sources disagree on these bits.
    pub turn: Option<ClockSide>,
    /// The clock's battery is low.
    pub battery_low: bool,
}

impl ClockReading {
    /// The reading of one side.
    pub const fn side(&self, side: ClockSide) -> SideReading {
        match side {
            ClockSide::Left => self.left,
            ClockSide::Right => self.right,
        }
    }
}

/// A message about or from the clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClockReport {
    /// A plausible reading.
    Reading(ClockReading),
    /// No clock is connected: what was last read stays the last known time.
    Absent,
    /// A reading from which nothing may be concluded: it may be older than a setting which the clock
    /// is just taking, or damaged, because it says more than that time has passed and no other has
    /// said the same yet. One that is borne out follows as a reading, with the same stamp.
    Unsettled(ClockReading),
    /// A side was stopped by a press, with this time left. Told by boards that keep a log of
    /// presses beside the changes of the squares.
    SideStopped {
        /// The side whose player pressed.
        side: ClockSide,
        /// What it showed then.
        remaining: Duration,
    },
    /// A button of the clock was pressed.
    Button(ClockButton),
}

/// A button on a clock, from left to right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "the names say it")]
pub enum ClockButton {
    Back,
    Minus,
    /// Starts and stops the clock.
    Run,
    Plus,
    Ok,
}
