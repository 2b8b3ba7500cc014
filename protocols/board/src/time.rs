// SPDX-License-Identifier: MIT OR Apache-2.0
//! Moments and intervals. A board scan takes 60 to 400 ms and a clock lags up to a second, so
//! an observation is an interval, and two observations may have no provable order.

use core::fmt;
use core::time::Duration;

/// A moment of the host's monotonic clock, in microseconds (`CLOCK_MONOTONIC` on Linux).
///
/// Wall time is deliberately not expressible here: it is kept once per run by the shell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mono(u64);

impl Mono {
    /// The origin of the monotonic clock.
    pub const ZERO: Self = Self(0);

    /// The moment `micros` microseconds after the origin.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// The moment `millis` milliseconds after the origin.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1000))
    }

    /// Microseconds since the origin.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// This moment plus `by`; stays at the far end of time rather than wrapping.
    #[must_use]
    pub const fn after(self, by: Duration) -> Self {
        Self(self.0.saturating_add(micros(by)))
    }

    /// This moment minus `by`; stays at the origin rather than wrapping.
    #[must_use]
    pub const fn before(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(micros(by)))
    }

    /// How long after `earlier` this moment lies; zero if it lies before it.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

const fn micros(d: Duration) -> u64 {
    d.as_secs().saturating_mul(1_000_000).saturating_add(d.subsec_micros() as u64)
}

impl fmt::Display for Mono {
    /// Seconds with three decimals, as people read them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000_000, self.0 % 1_000_000 / 1000)
    }
}

/// When something happened, as far as the evidence goes: not before `earliest`, not after
/// `latest`. There is no `Ord`: ask [`Stamp::order`], which may answer that it is undecided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stamp {
    /// Not before this.
    pub earliest: Mono,
    /// Not after this.
    pub latest: Mono,
}

impl Stamp {
    /// An exactly known moment (a command typed at the host, a scenario).
    pub const fn at(moment: Mono) -> Self {
        Self { earliest: moment, latest: moment }
    }

    /// Something received at `received` that happened at most `lag` before.
    pub const fn received(received: Mono, lag: Duration) -> Self {
        Self { earliest: received.before(lag), latest: received }
    }

    /// How wide the interval is.
    pub const fn uncertainty(self) -> Duration {
        self.latest.since(self.earliest)
    }

    /// The provable order of two observations.
    pub const fn order(a: Self, b: Self) -> Order {
        if a.latest.0 < b.earliest.0 {
            Order::Before
        } else if b.latest.0 < a.earliest.0 {
            Order::After
        } else {
            Order::Undecided
        }
    }
}

/// What can be said of the order of two observations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// The first happened before the second.
    Before,
    /// The first happened after the second.
    After,
    /// The intervals touch: the evidence does not prove an order.
    Undecided,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_intervals_have_no_order() {
        let ms = Mono::from_millis;
        let a = Stamp { earliest: ms(100), latest: ms(400) };
        let b = Stamp { earliest: ms(400), latest: ms(800) };
        let c = Stamp { earliest: ms(401), latest: ms(800) };
        assert_eq!(Stamp::order(a, b), Order::Undecided);
        assert_eq!(Stamp::order(a, c), Order::Before);
        assert_eq!(Stamp::order(c, a), Order::After);
    }

    #[test]
    fn moments_saturate_instead_of_wrapping() {
        assert_eq!(Mono::ZERO.before(Duration::from_secs(1)), Mono::ZERO);
        assert_eq!(Mono::from_micros(u64::MAX).after(Duration::MAX).as_micros(), u64::MAX);
        assert_eq!(Mono::from_millis(5).since(Mono::from_millis(9)), Duration::ZERO);
        assert_eq!(Mono::from_micros(1_234_567).to_string(), "1.234");
    }
}
