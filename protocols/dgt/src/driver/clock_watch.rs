// SPDX-License-Identifier: MIT OR Apache-2.0
//! When to ask for the clock, although it speaks by itself when it changes.

use core::time::Duration;

use arbiterd_board::{ClockReading, Flag, Mono};

/// A clock that counts changes every second. Half a second of grace, then it is asked: so a
/// frozen clock is noticed and a fallen flag, after which nothing changes, is seen twice.
const OVERDUE: Duration = Duration::from_millis(1500);
/// How long a clock may take to answer a command.
const VERSION_LIMIT: Duration = Duration::from_secs(2);
/// A clock that does not answer in so many tries cannot be spoken to.
const VERSION_TRIES: u8 = 3;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockWatch {
    /// It was asked at least once.
    asked: bool,
    present: bool,
    /// It counts or shows a flag.
    watched: bool,
    last: Mono,
    version: Version,
}

/// How far the question for the clock's version has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Version {
    #[default]
    Unasked,
    /// Asked so many times; the answer, or the next try, is due then.
    Asking {
        tries: u8,
        due: Mono,
    },
    Known,
}

impl ClockWatch {
    pub(super) fn polled(&mut self, now: Mono) {
        self.asked = true;
        self.last = now;
    }

    pub(super) fn heard(&mut self, now: Mono, reading: &ClockReading) {
        let flagged = [reading.left, reading.right].iter().any(|s| s.flag != Flag::Up);
        // Some boards recognise a clock only later: it has not heard the first question.
        if !self.present && self.version_due().is_none() && self.version != Version::Known {
            self.version = Version::Asking { tries: 0, due: now };
        }
        self.present = true;
        self.watched = reading.counting || flagged;
        self.last = now;
    }

    pub(super) fn absent(&mut self) {
        self.present = false;
        self.watched = false;
        // Another clock may be plugged in; until then there is nobody to answer.
        self.version = Version::Unasked;
    }

    pub(super) fn poll_due(&self) -> Option<Mono> {
        if !self.asked {
            return Some(Mono::ZERO);
        }
        (self.present && self.watched).then(|| self.last.after(OVERDUE))
    }

    pub(super) fn asked_version(&mut self, now: Mono) {
        let tries = match self.version {
            Version::Asking { tries, .. } => tries + 1,
            _ => 1,
        };
        self.version = Version::Asking { tries, due: now.after(VERSION_LIMIT) };
    }

    pub(super) fn version_known(&mut self) {
        self.version = Version::Known;
    }

    pub(super) fn version_due(&self) -> Option<Mono> {
        match self.version {
            Version::Asking { tries, due } if tries < VERSION_TRIES => Some(due),
            _ => None,
        }
    }
}
