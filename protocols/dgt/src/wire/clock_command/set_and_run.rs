// SPDX-License-Identifier: MIT OR Apache-2.0
//! Setting both times of a clock that is in its option for control by a computer.

use core::time::Duration;

use arbiterd_board::{ClockSide, Run};

use crate::wire::{LONGEST_TIME, hours_minutes_seconds};

/// Both times and who runs, as the clock takes them: plain binary, left first, unlike the
/// clock's own message (topic: clock commands).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetAndRun {
    left: [u8; 3],
    right: [u8; 3],
    flags: u8,
}

/// The time is more than a clock can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is more than a clock can hold: the limit is 9:59:59")]
pub struct TimeTooLong(pub Duration);

/// Which way a side counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counting {
    /// Towards zero.
    Down,
    /// Away from it. A DGT XL up to version 1.14 cannot.
    Up,
}

/// In the hours byte: this side counts up.
const COUNTS_UP: u8 = 0x10;
const LEFT_RUNS: u8 = 0x01;
const RIGHT_RUNS: u8 = 0x02;
const PAUSE: u8 = 0x04;
const LEVER_TOGGLES: u8 = 0x08;

impl SetAndRun {
    /// Whole seconds of both times (fractions are cut off), the side that runs afterwards, and
    /// whether the lever then changes sides. Both sides count down.
    ///
    /// # Errors
    /// [`TimeTooLong`] above [`LONGEST_TIME`].
    pub fn new(left: Duration, right: Duration, run: Run, toggles: bool) -> Result<Self, TimeTooLong> {
        let who = match run {
            Run::Side(ClockSide::Left) => LEFT_RUNS,
            Run::Side(ClockSide::Right) => RIGHT_RUNS,
            // One driver sends nothing at all for this; the maker's manual has a pause.
            Run::Stopped => PAUSE,
        };
        let flags = if toggles { who | LEVER_TOGGLES } else { who };
        Ok(Self { left: binary(left)?, right: binary(right)?, flags })
    }

    /// The same with one side counting up.
    #[must_use]
    pub const fn counting_up(mut self, side: ClockSide) -> Self {
        match side {
            ClockSide::Left => self.left[0] |= COUNTS_UP,
            ClockSide::Right => self.right[0] |= COUNTS_UP,
        }
        self
    }

    pub(super) const fn arguments(&self) -> [u8; 7] {
        let [l0, l1, l2] = self.left;
        let [r0, r1, r2] = self.right;
        [l0, l1, l2, r0, r1, r2, self.flags]
    }

    /// Reads the seven arguments, as a clock does; `None` if there is a time in them that no
    /// clock can hold. Sides may both run, which a host of this crate never asks for.
    #[must_use]
    pub fn decode([l0, l1, l2, r0, r1, r2, flags]: [u8; 7]) -> Option<Self> {
        let set = Self { left: [l0, l1, l2], right: [r0, r1, r2], flags };
        let fits = |[h, m, s]: [u8; 3]| h & !COUNTS_UP < 10 && m < 60 && s < 60;
        (fits(set.left) && fits(set.right)).then_some(set)
    }

    /// The time of a side.
    #[must_use]
    pub fn time(&self, side: ClockSide) -> Duration {
        let [hours, minutes, seconds] = self.bytes(side);
        let hours = u64::from(hours & !COUNTS_UP);
        Duration::from_secs(hours * 3600 + u64::from(minutes) * 60 + u64::from(seconds))
    }

    /// Which way a side counts.
    #[must_use]
    pub const fn counting(&self, side: ClockSide) -> Counting {
        if self.bytes(side)[0] & COUNTS_UP != 0 { Counting::Up } else { Counting::Down }
    }

    /// Whether a side runs. In a pause neither does.
    #[must_use]
    pub const fn runs(&self, side: ClockSide) -> bool {
        let bit = match side {
            ClockSide::Left => LEFT_RUNS,
            ClockSide::Right => RIGHT_RUNS,
        };
        self.flags & PAUSE == 0 && self.flags & bit != 0
    }

    /// Whether neither side runs afterwards.
    #[must_use]
    pub const fn is_pause(&self) -> bool {
        self.flags & PAUSE != 0 || self.flags & (LEFT_RUNS | RIGHT_RUNS) == 0
    }

    /// Whether the lever changes sides.
    #[must_use]
    pub const fn toggles(&self) -> bool {
        self.flags & LEVER_TOGGLES != 0
    }

    const fn bytes(&self, side: ClockSide) -> [u8; 3] {
        match side {
            ClockSide::Left => self.left,
            ClockSide::Right => self.right,
        }
    }
}

fn binary(time: Duration) -> Result<[u8; 3], TimeTooLong> {
    if time.as_secs() > LONGEST_TIME.as_secs() {
        return Err(TimeTooLong(time));
    }
    Ok(hours_minutes_seconds(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_cannot_be_set_beyond_its_range() {
        let ten_hours = Duration::from_secs(36_000);
        assert_eq!(
            SetAndRun::new(ten_hours, Duration::ZERO, Run::Stopped, false),
            Err(TimeTooLong(ten_hours))
        );
        assert!(SetAndRun::new(LONGEST_TIME, LONGEST_TIME, Run::Stopped, false).is_ok());
    }

    #[test]
    fn what_is_set_is_read_by_the_clock() {
        let left = Duration::from_secs(5518);
        let set = SetAndRun::new(left, LONGEST_TIME, Run::Side(ClockSide::Right), true).unwrap();
        let heard = SetAndRun::decode(set.counting_up(ClockSide::Left).arguments()).unwrap();
        assert_eq!(heard.time(ClockSide::Left), left);
        assert_eq!(heard.time(ClockSide::Right), LONGEST_TIME);
        assert_eq!(heard.counting(ClockSide::Left), Counting::Up);
        assert_eq!(heard.counting(ClockSide::Right), Counting::Down);
        assert!(heard.runs(ClockSide::Right) && !heard.runs(ClockSide::Left) && heard.toggles());
        assert_eq!(SetAndRun::decode([0, 60, 0, 0, 0, 0, 4]), None);
        assert_eq!(SetAndRun::decode([10, 0, 0, 0, 0, 0, 4]), None);
    }
}
