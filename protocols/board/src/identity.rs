// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who a board is and what it can do.

use core::fmt;
use core::time::Duration;

/// A version as the integer pair that the hardware sends: 3.1 and 3.10 are different versions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "the names say it")]
pub struct Version {
    pub main: u8,
    pub sub: u8,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.main, self.sub)
    }
}

/// What is known of a board so far. Fields fill in as answers arrive.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Identity {
    /// The family: `dgt`, `millennium`.
    pub family: String,
    /// The serial number printed by the maker, as text.
    pub serial: Option<String>,
    /// The firmware version.
    pub firmware: Option<Version>,
    /// The version of the clock attached to the board, where it answers.
    pub clock: Option<Version>,
}

/// How a board knows what stands on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sensing {
    /// It identifies each piece.
    Pieces,
    /// It only knows which squares are occupied: not fit for arbitration.
    Occupancy,
}

/// What can be done with the clock attached to a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClockControl {
    /// There is no clock port.
    None,
    /// Times can be read; whether they can be set is not known yet, or they cannot.
    ReadOnly,
    /// Times can be read and set.
    Settable,
}

/// What a channel can do and how far its stamps can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Capabilities {
    /// How the board knows what stands on it.
    pub sensing: Sensing,
    /// The clock.
    pub clock: ClockControl,
    /// The longest time from a change on the board to its report at the host.
    pub board_lag: Duration,
    /// The longest time from a change of the clock to its report at the host.
    pub clock_lag: Duration,
}
