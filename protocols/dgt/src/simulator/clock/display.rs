// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a clock shows besides its times, and its beeper: for whoever looks at the simulation.

use core::time::Duration;

use crate::host::HeardText;

/// What the clock shows instead of the times or beside them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClockDisplay {
    /// Dashes: the option for control by a computer, before the first setting.
    pub dashes: bool,
    /// A text of letters.
    pub text: Option<String>,
    /// Six seven-segment digits from left to right.
    pub segments: Option<[u8; 6]>,
    /// The dots and colons among the digits.
    pub dots: u8,
    /// The icons: left, right, their periods and flags, and what was said of all.
    pub icons: Option<[u8; 5]>,
    /// How often it has beeped.
    pub beeps: u32,
    /// How long the last beep was; zero for the one among digits, whose length is not described.
    pub last_beep: Duration,
}

impl ClockDisplay {
    /// Back to the times.
    pub(super) fn end(&mut self) {
        self.text = None;
        self.segments = None;
        self.dots = 0;
    }

    pub(super) fn show_text(&mut self, heard: HeardText) {
        self.end();
        self.text = Some(heard.text);
        if !heard.beep.is_zero() {
            self.beep(heard.beep);
        }
    }

    pub(super) fn show_segments(&mut self, (segments, dots, beeps): ([u8; 6], u8, bool)) {
        self.end();
        self.segments = Some(segments);
        self.dots = dots;
        if beeps {
            self.beep(Duration::ZERO);
        }
    }

    pub(super) fn beep(&mut self, length: Duration) {
        self.beeps = self.beeps.saturating_add(1);
        self.last_beep = length;
    }
}
