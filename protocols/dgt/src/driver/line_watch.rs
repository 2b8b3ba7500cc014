// SPDX-License-Identifier: MIT OR Apache-2.0
//! What has held the line, so that other messages may have waited behind it in the board.

use core::time::Duration;

use crate::wire::{HEADER, LINE};
use crate::{Item, Message};

/// The delay is told in such steps, so that not every message behind something long changes it.
const STEP: Duration = Duration::from_millis(100);

/// A dump of the board: 64 codes.
const DUMP: usize = HEADER + 64;

/// How long messages may have waited in the board, beyond what every lag allows for.
///
/// A dump that is being sent belongs to every lag. What is longer, as the log in the memory with
/// its 8.3 s (topic: timing), lets changes wait for as long as it takes on the line, and they wait
/// for each other then. All that is over when a look is answered that was asked for on a quiet
/// line: a board says things one after another, so nothing can be left before the answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineWatch {
    /// Bytes that others may have waited for.
    held: usize,
    /// The answer to the look that was asked for last will prove that nothing waits.
    proving: bool,
    /// A look got no answer in time: an answer that comes may be the one to it.
    stale: bool,
    /// A look was answered since the last was asked for.
    answered: bool,
}

impl LineWatch {
    /// Something arrived. Says whether the delay has grown because of something unusual, after
    /// which a look is due.
    pub(super) fn carried(&mut self, item: &Item) -> bool {
        let (bytes, usual) = match item {
            Item::Message(message) => (length(message), length(message) <= DUMP),
            Item::Noise(noise) => (usize::try_from(noise.bytes).unwrap_or(usize::MAX), false),
        };
        if usual && !self.is_held() {
            return false;
        }
        self.held = self.held.saturating_add(bytes);
        if usual {
            return false;
        }
        self.proving = false;
        self.is_held()
    }

    /// Whether what arrives may have waited.
    pub(super) const fn is_held(&self) -> bool {
        self.held > DUMP
    }

    /// For how long it may have waited.
    pub(super) fn delay(&self) -> Duration {
        if !self.is_held() {
            return Duration::ZERO;
        }
        let steps = LINE.duration(self.held).as_micros().div_ceil(STEP.as_micros());
        STEP.saturating_mul(u32::try_from(steps).unwrap_or(u32::MAX))
    }

    /// A look is asked for, on a line that has been quiet or not.
    pub(super) const fn look_asked(&mut self, quiet: bool) {
        // Answers to earlier looks follow each other, so silence after one says it was the last.
        if quiet && self.answered {
            self.stale = false;
        }
        self.answered = false;
        self.proving = quiet && !self.stale;
    }

    pub(super) const fn look_missed(&mut self) {
        self.stale = true;
    }

    /// The answer to a look.
    pub(super) const fn look_answered(&mut self) {
        self.answered = true;
        if self.proving {
            self.held = 0;
        }
    }
}

/// Its length on the line, or a little more: what is not long need not be exact.
fn length(message: &Message) -> usize {
    match message {
        Message::Log(log) => HEADER + log.len(),
        Message::TradeMark(text) => HEADER + text.chars().count(),
        Message::Board(_) => DUMP,
        Message::Square { .. } => 5,
        Message::Clock(_) => 10,
        Message::Version(_)
        | Message::Serial(_)
        | Message::LongSerial(_)
        | Message::BusAddress(_)
        | Message::Battery(_) => 13,
    }
}
