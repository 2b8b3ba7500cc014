// SPDX-License-Identifier: MIT OR Apache-2.0
//! What time means on a wire and over a radio (topic: timing).

use core::time::Duration;

/// How the board is reached, which says how fast it scans and how late its bytes may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Transport {
    /// A serial line or USB: a scan of all squares takes 200 to 250 ms.
    #[default]
    Wired,
    /// Bluetooth: the board scans at about half the speed, and radio gaps reach 300 ms.
    Bluetooth,
}

/// A dump that is being sent holds the line for 70 ms, and an adapter may hold bytes for tens of
/// milliseconds.
const ON_THE_WAY: Duration = Duration::from_millis(150);
const RADIO_GAP: Duration = Duration::from_millis(300);

impl Transport {
    /// The longest time in which the board looks at each square once.
    #[must_use]
    pub const fn scan_period(self) -> Duration {
        match self {
            Self::Wired => Duration::from_millis(250),
            Self::Bluetooth => Duration::from_millis(500),
        }
    }

    /// The longest time from a change on the board to its report.
    #[must_use]
    pub const fn board_lag(self) -> Duration {
        let wired = self.scan_period().saturating_add(ON_THE_WAY);
        match self {
            Self::Wired => wired,
            Self::Bluetooth => wired.saturating_add(RADIO_GAP),
        }
    }

    /// The longest time from a change of the clock to its report: the board asks the clock from
    /// time to time, so up to a second passes (topic: clock errata).
    #[must_use]
    pub const fn clock_lag(self) -> Duration {
        let wired = Duration::from_secs(1);
        match self {
            Self::Wired => wired,
            Self::Bluetooth => wired.saturating_add(RADIO_GAP),
        }
    }

    /// A board at rest has sent no update for longer than one scan.
    pub(super) const fn settled(self) -> Duration {
        match self {
            Self::Wired => Duration::from_millis(300),
            Self::Bluetooth => Duration::from_millis(600),
        }
    }

    /// How often a board without a cable is asked for its battery.
    pub(super) const fn battery_period(self) -> Option<Duration> {
        match self {
            Self::Wired => None,
            Self::Bluetooth => Some(Duration::from_secs(60)),
        }
    }
}
