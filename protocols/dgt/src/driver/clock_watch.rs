// SPDX-License-Identifier: MIT OR Apache-2.0
//! When to ask for the clock, although it speaks by itself when it changes, and when not to
//! believe it yet.

use core::time::Duration;

use arbiterd_board::{ClockReading, Flag, Mono};

/// A clock that counts changes every second. Half a second of grace, then it is asked: so a
/// frozen clock is noticed and a fallen flag, after which nothing changes, is seen twice.
const OVERDUE: Duration = Duration::from_millis(1500);
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
    setting: Setting,
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
        new
    }

    /// Whether a reading says something that the one before did not.
    pub(super) fn is_news(&self, reading: &ClockReading) -> bool {
        self.reading.is_some_and(|before| before != *reading)
    }

    pub(super) fn absent(&mut self) {
        self.presence = Presence::Absent;
        self.watched = false;
        self.reading = None;
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
        let overdue = (self.presence == Presence::Present && self.watched).then(|| self.last.after(OVERDUE));
        let read_back = match self.setting {
            Setting::Settling { until } => Some(until),
            _ => None,
        };
        [overdue, read_back].into_iter().flatten().min()
    }
}
