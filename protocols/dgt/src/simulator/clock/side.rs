// SPDX-License-Identifier: MIT OR Apache-2.0
//! One side of the clock.

use core::time::Duration;

use arbiterd_board::{Flag, SideReading};

use crate::wire::{Counting, LONGEST_TIME};

#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) remaining: Duration,
    pub(super) flag: Flag,
    counting: Counting,
    /// How many later periods have begun.
    periods: usize,
}

impl Side {
    pub(super) fn new(remaining: Duration) -> Self {
        Self::set(remaining, Counting::Down)
    }

    pub(super) fn set(remaining: Duration, counting: Counting) -> Self {
        Self { remaining: remaining.min(LONGEST_TIME), flag: Flag::Up, counting, periods: 0 }
    }

    /// A fallen flag stays where there is no time again.
    pub(super) fn set_by_hand(&mut self, remaining: Duration) {
        self.remaining = remaining.min(LONGEST_TIME);
        if !remaining.is_zero() {
            self.flag = Flag::Up;
        }
    }

    /// Counts. Without `periods` nothing happens at zero.
    pub(super) fn run(&mut self, passed: Duration, periods: Option<&[Option<Duration>; 2]>) {
        if self.counting == Counting::Up {
            self.remaining = self.remaining.saturating_add(passed).min(LONGEST_TIME);
            return;
        }
        let mut passed = passed;
        while passed >= self.remaining {
            passed = passed.saturating_sub(self.remaining);
            self.remaining = Duration::ZERO;
            let Some(periods) = periods else { return };
            let Some(next) = periods.get(self.periods).copied().flatten() else {
                self.flag = Flag::Fallen;
                return;
            };
            // The flag is shown, and stays so; the clock runs on.
            self.flag = Flag::Shown;
            self.periods += 1;
            self.remaining = next.min(LONGEST_TIME);
        }
        self.remaining = self.remaining.saturating_sub(passed);
    }

    /// How long until it shows something else, if it runs.
    pub(super) fn next_change(&self, flags: bool) -> Option<Duration> {
        if self.counting == Counting::Up {
            let next = Duration::from_secs(self.remaining.as_secs() + 1);
            return (self.remaining < LONGEST_TIME).then(|| next.saturating_sub(self.remaining));
        }
        let stands = self.flag == Flag::Fallen || (self.remaining.is_zero() && !flags);
        let next = Duration::from_secs(whole_seconds_up(self.remaining).saturating_sub(1));
        // At least a microsecond, so that time moves on; a clock started at zero falls then.
        let wait = self.remaining.saturating_sub(next).max(Duration::from_micros(1));
        (!stands).then_some(wait)
    }

    /// A second is shown until it is wholly used up, so 0:00:00 appears in the moment in which
    /// the flag falls, and a clock just set to 1:30:00 shows that for a whole second. Counting
    /// up, a second is shown when it is complete.
    pub(super) fn shown(&self) -> SideReading {
        let seconds = match self.counting {
            Counting::Down => whole_seconds_up(self.remaining),
            Counting::Up => self.remaining.as_secs(),
        };
        SideReading { remaining: Duration::from_secs(seconds), flag: self.flag }
    }
}

fn whole_seconds_up(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
