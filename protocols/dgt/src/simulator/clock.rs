// SPDX-License-Identifier: MIT OR Apache-2.0
//! A clock in a normal option of a tournament: it runs by itself, with increments, and cannot be
//! set over the line.

use core::time::Duration;

use arbiterd_board::{ClockReading, ClockSide, Flag, Lever, Mono, SideReading, Version};

use crate::clock::Times;
use crate::wire::LONGEST_TIME;

/// What the simulated clock is set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockOptions {
    /// The time of the left side.
    pub left: Duration,
    /// The time of the right side.
    pub right: Duration,
    /// What a player gets for each press.
    pub increment: Duration,
    /// The side whose end of the lever is down: the opponent of the player who begins.
    pub pressed: ClockSide,
    /// The version it answers; each number up to 15.
    pub version: Version,
    /// Its battery is low.
    pub battery_low: bool,
}

impl Default for ClockOptions {
    fn default() -> Self {
        Self {
            left: Duration::from_secs(90 * 60),
            right: Duration::from_secs(90 * 60),
            increment: Duration::from_secs(30),
            pressed: ClockSide::Right,
            version: Version { main: 2, sub: 2 },
            battery_low: false,
        }
    }
}

/// Both times, as exactly as the clock counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ClockTimes {
    pub left: Duration,
    pub right: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Side {
    remaining: Duration,
    fallen: bool,
}

impl Side {
    fn new(remaining: Duration) -> Self {
        Self { remaining: remaining.min(LONGEST_TIME), fallen: false }
    }

    /// A second is shown until it is wholly used up, so 0:00:00 appears in the moment in which
    /// the flag falls, and a clock just set to 1:30:00 shows that for a whole second.
    fn shown(&self) -> SideReading {
        let seconds = whole_seconds_up(self.remaining);
        let flag = if self.fallen { Flag::Fallen } else { Flag::Up };
        SideReading { remaining: Duration::from_secs(seconds), flag }
    }
}

fn whole_seconds_up(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[derive(Clone, Debug)]
pub(super) struct SimulatedClock {
    options: ClockOptions,
    left: Side,
    right: Side,
    pressed: ClockSide,
    counting: bool,
    now: Mono,
}

impl SimulatedClock {
    /// A stopped clock.
    pub(super) fn new(now: Mono, options: ClockOptions) -> Self {
        Self {
            left: Side::new(options.left),
            right: Side::new(options.right),
            pressed: options.pressed,
            counting: false,
            now,
            options,
        }
    }

    pub(super) fn press(&mut self, side: ClockSide) {
        if self.pressed == side {
            return;
        }
        self.pressed = side;
        // A lever moved while the clock is stopped is no press, and a fallen flag stays.
        let increment = if self.counting { self.options.increment } else { Duration::ZERO };
        let presser = self.side_mut(side);
        if !presser.fallen {
            presser.remaining = presser.remaining.saturating_add(increment).min(LONGEST_TIME);
        }
    }

    pub(super) fn stop(&mut self) {
        self.counting = false;
    }

    pub(super) fn start(&mut self) {
        self.counting = true;
    }

    pub(super) fn set_times(&mut self, left: Duration, right: Duration) {
        self.left = Side { fallen: left.is_zero() && self.left.fallen, ..Side::new(left) };
        self.right = Side { fallen: right.is_zero() && self.right.fallen, ..Side::new(right) };
    }

    /// Counts down to `now`; the flag falls when nothing is left and the other side is not
    /// stopped by that.
    pub(super) fn run_to(&mut self, now: Mono) {
        let passed = now.since(self.now);
        self.now = self.now.max(now);
        if self.counting && !passed.is_zero() {
            let side = self.side_mut(self.pressed.other());
            side.remaining = side.remaining.saturating_sub(passed);
            side.fallen |= side.remaining.is_zero();
        }
    }

    /// When the display changes by itself.
    pub(super) fn next_change(&self) -> Option<Mono> {
        let side = self.side(self.pressed.other());
        if !self.counting || side.fallen {
            return None;
        }
        let next = Duration::from_secs(whole_seconds_up(side.remaining).saturating_sub(1));
        // At least a microsecond, so that time moves on; a clock started at zero falls then.
        let left = side.remaining.saturating_sub(next).max(Duration::from_micros(1));
        Some(self.now.after(left))
    }

    pub(super) fn times(&self) -> ClockTimes {
        ClockTimes { left: self.left.remaining, right: self.right.remaining }
    }

    pub(super) fn version(&self) -> Version {
        self.options.version
    }

    /// What the display shows.
    pub(super) fn shown(&self) -> Times {
        let reading = ClockReading {
            left: self.left.shown(),
            right: self.right.shown(),
            counting: self.counting,
            lever: Lever::Pressed(self.pressed),
            turn: Some(self.pressed.other()),
            battery_low: self.options.battery_low,
        };
        Times { reading, left_per_move: false, right_per_move: false }
    }

    fn side(&self, side: ClockSide) -> &Side {
        match side {
            ClockSide::Left => &self.left,
            ClockSide::Right => &self.right,
        }
    }

    fn side_mut(&mut self, side: ClockSide) -> &mut Side {
        match side {
            ClockSide::Left => &mut self.left,
            ClockSide::Right => &mut self.right,
        }
    }
}
