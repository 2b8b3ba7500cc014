// SPDX-License-Identifier: MIT OR Apache-2.0
//! When to ask for the clock, although it speaks by itself when it changes, and when not to
//! believe it yet.
//!
//! A frame has no checksum, and one bit of its status is a press or a flag. So a reading that says
//! more than that time has passed is believed when another one says the same; the clock is asked for
//! it at once.

use core::time::Duration;

use arbiterd_board::{ClockReading, ClockSide, Flag, Mono, Stamp};

/// A clock that counts changes every second. Half a second of grace, then it is asked: so a
/// frozen clock is noticed and a fallen flag, after which nothing changes, is seen twice.
const OVERDUE: Duration = Duration::from_millis(1500);
/// Times are whole seconds, and told up to a second late (topic: clock errata).
const TICK: Duration = Duration::from_secs(2);
/// A clock that never says the same twice is asked no more often than this.
const DOUBT: Duration = Duration::from_millis(250);
/// For so long after it was set, a clock may still tell a time from before (topic: clock errata).
const UNSETTLED: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockWatch {
    /// It was asked at least once.
    asked: bool,
    presence: Presence,
    /// It counts or shows a flag.
    watched: bool,
    last: Mono,
    reading: Option<ClockReading>,
    believed: Option<Seen>,
    /// It waits for another that says the same.
    doubted: Option<Seen>,
    /// The board said that there is no clock any more, and that waits for another that says so too.
    gone: Option<Stamp>,
    /// Since when readings are doubted without a break: what the next one bears out may have happened
    /// then.
    doubt_began: Option<Mono>,
    /// The clock was asked because of the doubt.
    doubt_asked: bool,
    setting: Setting,
}

/// A reading and when it was true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) at: Stamp,
    pub(super) reading: ClockReading,
}

impl Seen {
    /// Whether `later` is what this clock shows when nothing but time has passed.
    fn goes_on_as(&self, later: &Self) -> bool {
        let elapsed = later.at.latest.since(self.at.latest);
        let passed = if self.reading.counting { elapsed + TICK } else { TICK };
        let same = |side: ClockSide| {
            let (before, after) = (self.reading.side(side), later.reading.side(side));
            // In some options a clock counts up, or the one side what the other loses.
            before.flag == after.flag && before.remaining.abs_diff(after.remaining) <= passed
        };
        self.reading.lever == later.reading.lever
            && self.reading.counting == later.reading.counting
            && same(ClockSide::Left)
            && same(ClockSide::Right)
    }
}

/// What to make of a reading.
#[derive(Clone, Copy, Debug)]
pub(super) enum Belief {
    /// It is believed, and so is the one that it bears out.
    Believed {
        /// The reading that was doubted before.
        borne_out: Option<Seen>,
    },
    /// Not before another says the same.
    Doubted,
}

/// Whether there is a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Presence {
    /// The board has not said yet.
    #[default]
    Unknown,
    Present,
    Absent,
}

/// How far the setting of the times has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Setting {
    #[default]
    None,
    /// The command is on its way.
    Sent,
    /// It was taken, or its fate is not known. The clock is read when the time is over.
    Settling { until: Mono },
}

impl ClockWatch {
    pub(super) fn polled(&mut self, now: Mono) {
        self.asked = true;
        self.doubt_asked = self.is_in_doubt();
        self.last = now;
        if self.has_settled(now) {
            self.setting = Setting::None;
        }
    }

    /// A reading arrived. Says whether the clock was not known to be there before.
    pub(super) fn heard(&mut self, now: Mono, reading: &ClockReading) -> bool {
        let new = self.presence != Presence::Present;
        let flagged = [reading.left, reading.right].iter().any(|s| s.flag != Flag::Up);
        self.presence = Presence::Present;
        self.watched = reading.counting || flagged;
        self.last = now;
        self.reading = Some(*reading);
        if self.gone.take().is_some() {
            self.doubt_asked = false;
        }
        new
    }

    /// The board says that there is no clock: one bit of a status. If there was one, it is believed when
    /// it says so again: when the clock went, then.
    pub(super) fn weigh_absence(&mut self, at: Stamp) -> Option<Stamp> {
        if self.presence != Presence::Present {
            return Some(at);
        }
        self.gone.replace(at)
    }

    /// Weighs a reading that may be older than no setting.
    pub(super) fn weigh(&mut self, at: Stamp, reading: ClockReading) -> Belief {
        let seen = Seen { at, reading };
        let doubted = self.doubted.take();
        let mut borne_out = doubted.filter(|before| before.goes_on_as(&seen));
        if borne_out.is_none() && !self.believed.is_some_and(|before| before.goes_on_as(&seen)) {
            self.doubted = Some(seen);
            self.doubt_began.get_or_insert(at.earliest);
            return Belief::Doubted;
        }
        if let (Some(first), Some(began)) = (&mut borne_out, self.doubt_began.take()) {
            first.at.earliest = first.at.earliest.min(began);
        }
        self.doubt_began = None;
        self.doubt_asked = false;
        self.believed = Some(seen);
        Belief::Believed { borne_out }
    }

    /// Whether something waits for another message that says the same.
    pub(super) const fn is_in_doubt(&self) -> bool {
        self.doubted.is_some() || self.gone.is_some()
    }

    /// Whether a reading says something that the one before did not.
    pub(super) fn is_news(&self, reading: &ClockReading) -> bool {
        self.reading.is_some_and(|before| before != *reading)
    }

    pub(super) fn absent(&mut self) {
        self.presence = Presence::Absent;
        self.watched = false;
        self.reading = None;
        self.believed = None;
        self.doubted = None;
        self.gone = None;
        self.doubt_began = None;
        self.doubt_asked = false;
        self.setting = Setting::None;
    }

    pub(super) const fn presence(&self) -> Presence {
        self.presence
    }

    pub(super) const fn setting_sent(&mut self) {
        self.setting = Setting::Sent;
    }

    /// The clock refused: nothing has changed.
    pub(super) const fn setting_refused(&mut self) {
        self.setting = Setting::None;
    }

    /// The clock took the times, or may have taken them.
    pub(super) fn setting_taken(&mut self, now: Mono) {
        self.setting = Setting::Settling { until: now.after(UNSETTLED) };
    }

    /// Whether a reading that arrives now may be older than the setting.
    pub(super) fn is_unsettled(&self, now: Mono) -> bool {
        match self.setting {
            Setting::None => false,
            Setting::Sent => true,
            Setting::Settling { until } => now < until,
        }
    }

    fn has_settled(&self, now: Mono) -> bool {
        matches!(self.setting, Setting::Settling { until } if until <= now)
    }

    pub(super) fn poll_due(&self) -> Option<Mono> {
        if !self.asked {
            return Some(Mono::ZERO);
        }
        // While it is being set no reading can end a doubt.
        if self.is_in_doubt() && self.setting == Setting::None {
            return Some(if self.doubt_asked { self.last.after(DOUBT) } else { Mono::ZERO });
        }
        let overdue = (self.presence == Presence::Present && self.watched).then(|| self.last.after(OVERDUE));
        let read_back = match self.setting {
            Setting::Settling { until } => Some(until),
            _ => None,
        };
        [overdue, read_back].into_iter().flatten().min()
    }
}
