// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock in the board's port: it counts, shows, and obeys what its option lets it obey.

mod display;
mod side;

use core::time::Duration;

use arbiterd_board::{ClockReading, ClockSide, Flag, Lever, Mono, Version};

pub use self::display::ClockDisplay;

use self::side::Side;
use crate::clock::{ClockAck, Times};
use crate::host::ClockFrame;
use crate::wire::{Counting, LONGEST_TIME, SetAndRun, clock_code};

/// What the simulated clock is set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockOptions {
    /// The time of the left side.
    pub left: Duration,
    /// The time of the right side.
    pub right: Duration,
    /// What a player gets for each press.
    pub increment: Duration,
    /// What a player gets when his time is used up, in turn; after the last the flag falls.
    pub later_periods: [Option<Duration>; 2],
    /// The sign of a time control with time per move is shown.
    pub per_move_sign: bool,
    /// The side whose end of the lever is down: the opponent of the player who begins.
    pub pressed: ClockSide,
    /// The version it answers; each number up to 15. Main 1 has seven-segment digits, main 2
    /// letters.
    pub version: Version,
    /// Its battery is low.
    pub battery_low: bool,
    /// Who runs it.
    pub control: Control,
    /// It answers commands. Simple clocks only report their times.
    pub answers: bool,
    /// How long a command takes until it is done and answered. Real ones take 50 to 1500 ms.
    pub ack_delay: Duration,
    /// By up to so much longer, by chance.
    pub ack_spread: Duration,
    /// So many of a hundred commands fail with the error 20, as with a DGT XL on an old board.
    pub flaky_percent: u8,
    /// After each command comes a clock message of zeros, and for a second the answer stands in
    /// for the times, as with Bluetooth boards 2.10.
    pub repeats_answers: bool,
}

impl Default for ClockOptions {
    fn default() -> Self {
        Self {
            left: Duration::from_secs(90 * 60),
            right: Duration::from_secs(90 * 60),
            increment: Duration::from_secs(30),
            later_periods: [None; 2],
            per_move_sign: false,
            pressed: ClockSide::Right,
            version: Version { main: 2, sub: 2 },
            battery_low: false,
            control: Control::Clock,
            answers: true,
            ack_delay: Duration::ZERO,
            ack_spread: Duration::ZERO,
            flaky_percent: 0,
            repeats_answers: false,
        }
    }
}

/// Who runs a clock (topic: who controls the clock).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Control {
    /// The clock itself, in a normal option of a tournament: with increments, periods and flags,
    /// and never set over the line.
    #[default]
    Clock,
    /// A computer: it sets both times and says who runs. There are no increments, no periods and
    /// no flags, and nothing but dashes before the first setting.
    Computer,
}

/// Both times, as exactly as the clock counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ClockTimes {
    pub left: Duration,
    pub right: Duration,
}

/// What runs in the option for control by a computer.
#[derive(Clone, Copy, Debug, Default)]
struct Ordered {
    left: bool,
    right: bool,
    toggles: bool,
}

#[derive(Clone, Debug)]
pub(super) struct SimulatedClock {
    options: ClockOptions,
    left: Side,
    right: Side,
    pressed: ClockSide,
    /// Started by its button; used where the clock runs itself.
    counting: bool,
    ordered: Ordered,
    display: ClockDisplay,
    now: Mono,
}

const SIDES: [ClockSide; 2] = [ClockSide::Left, ClockSide::Right];

/// The version up to which a DGT XL cannot count up.
const NO_UP_COUNT: Version = Version { main: 1, sub: 14 };

impl SimulatedClock {
    /// A stopped clock.
    pub(super) fn new(now: Mono, options: ClockOptions) -> Self {
        let dashes = options.control == Control::Computer;
        let side = |time| Side::new(if dashes { Duration::ZERO } else { time });
        Self {
            left: side(options.left),
            right: side(options.right),
            pressed: options.pressed,
            counting: false,
            ordered: Ordered::default(),
            display: ClockDisplay { dashes, ..ClockDisplay::default() },
            now,
            options,
        }
    }

    pub(super) const fn options(&self) -> &ClockOptions {
        &self.options
    }

    pub(super) const fn display(&self) -> &ClockDisplay {
        &self.display
    }

    pub(super) fn battery_is_low(&mut self) {
        self.options.battery_low = true;
    }

    // ----- hands --------------------------------------------------------------------------

    pub(super) fn press(&mut self, side: ClockSide) {
        if self.pressed == side {
            return;
        }
        self.pressed = side;
        match self.options.control {
            Control::Clock => self.add_increment(side),
            Control::Computer => self.toggle(),
        }
    }

    /// A lever moved while the clock is stopped is no press, and a fallen flag stays.
    fn add_increment(&mut self, presser: ClockSide) {
        if !self.counting {
            return;
        }
        let increment = self.options.increment;
        let side = self.side_mut(presser);
        if side.flag != Flag::Fallen {
            side.remaining = side.remaining.saturating_add(increment).min(LONGEST_TIME);
        }
    }

    fn toggle(&mut self) {
        if self.ordered.toggles && (self.ordered.left || self.ordered.right) {
            self.ordered.left = self.pressed == ClockSide::Right;
            self.ordered.right = self.pressed == ClockSide::Left;
        }
    }

    pub(super) fn stop(&mut self) {
        self.counting = false;
    }

    pub(super) fn start(&mut self) {
        self.counting = true;
    }

    pub(super) fn set_times(&mut self, left: Duration, right: Duration) {
        self.left.set_by_hand(left);
        self.right.set_by_hand(right);
        self.display.dashes = false;
    }

    // ----- time ---------------------------------------------------------------------------

    /// Counts up to `now`; a flag that falls does not stop the other side.
    pub(super) fn run_to(&mut self, now: Mono) {
        let passed = now.since(self.now);
        self.now = self.now.max(now);
        if passed.is_zero() {
            return;
        }
        let periods = self.options.later_periods;
        let flags = self.options.control == Control::Clock;
        for side in SIDES {
            if self.runs(side) {
                self.side_mut(side).run(passed, flags.then_some(&periods));
            }
        }
    }

    /// When the display changes by itself.
    pub(super) fn next_change(&self) -> Option<Mono> {
        let flags = self.options.control == Control::Clock;
        let running = SIDES.into_iter().filter(|side| self.runs(*side));
        let wait = running.filter_map(|side| self.side(side).next_change(flags)).min()?;
        Some(self.now.after(wait))
    }

    fn runs(&self, side: ClockSide) -> bool {
        match (self.options.control, side) {
            (Control::Clock, side) => self.counting && side != self.pressed,
            (Control::Computer, ClockSide::Left) => self.ordered.left,
            (Control::Computer, ClockSide::Right) => self.ordered.right,
        }
    }

    pub(super) fn times(&self) -> ClockTimes {
        ClockTimes { left: self.left.remaining, right: self.right.remaining }
    }

    /// What is reported. Dashes are reported as zeros; what real clocks report then is not known.
    pub(super) fn shown(&self) -> Times {
        let high = self.pressed.other();
        let turn = match (self.runs(ClockSide::Left), self.runs(ClockSide::Right)) {
            (true, true) => None,
            (true, false) => Some(ClockSide::Left),
            (false, true) => Some(ClockSide::Right),
            (false, false) => Some(high),
        };
        let reading = ClockReading {
            left: self.left.shown(),
            right: self.right.shown(),
            counting: match self.options.control {
                Control::Clock => self.counting,
                Control::Computer => self.ordered.left || self.ordered.right,
            },
            lever: Lever::Pressed(self.pressed),
            turn,
            battery_low: self.options.battery_low,
        };
        let sign = self.options.per_move_sign;
        Times { reading, left_per_move: sign, right_per_move: sign }
    }

    // ----- commands -----------------------------------------------------------------------

    /// Does what it is told and answers. What is not built as its kind is neither done nor
    /// answered.
    pub(super) fn obey(&mut self, frame: &ClockFrame, long_texts: bool) -> Option<ClockAck> {
        let has_letters = self.options.version.main >= 2;
        match frame.code {
            clock_code::VERSION => return Some(ClockAck::version(self.options.version)),
            clock_code::SET_AND_RUN => return self.set_and_run(frame),
            clock_code::BUTTON => {}
            clock_code::END => self.display.end(),
            clock_code::BEEP => self.display.beep(frame.beep()?),
            clock_code::DISPLAY => self.display.show_segments(frame.segments()?),
            clock_code::ICONS => self.display.icons = Some(frame.icons()?),
            clock_code::TEXT if has_letters => self.display.show_text(frame.text()?),
            clock_code::LONG_TEXT if has_letters && long_texts => self.display.show_text(frame.text()?),
            _ => return None,
        }
        Some(ClockAck::good(frame.code))
    }

    fn set_and_run(&mut self, frame: &ClockFrame) -> Option<ClockAck> {
        let refused = Some(ClockAck::refused(frame.code));
        if self.options.control == Control::Clock {
            return refused;
        }
        let Some(set) = frame.set_and_run() else { return refused };
        let counts_up = SIDES.iter().any(|side| set.counting(*side) == Counting::Up);
        if counts_up && self.options.version <= NO_UP_COUNT {
            return refused;
        }
        self.take(&set);
        Some(ClockAck::good(frame.code))
    }

    fn take(&mut self, set: &SetAndRun) {
        for side in SIDES {
            *self.side_mut(side) = Side::set(set.time(side), set.counting(side));
        }
        self.ordered = Ordered {
            left: set.runs(ClockSide::Left),
            right: set.runs(ClockSide::Right),
            toggles: set.toggles(),
        };
        self.display.dashes = false;
    }

    const fn side(&self, side: ClockSide) -> &Side {
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
