// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of the conversation (topic: start-up).

use core::time::Duration;

/// How long a board needs after its port was opened.
pub(super) const OPENING: Duration = Duration::from_millis(500);
/// Some boards miss the first question. Nothing else is said before the answer, so waiting a
/// second for it and asking again a second later is one wait.
pub(super) const VERSION_RETRY: Duration = Duration::from_secs(2);

/// Where the conversation stands: what is said next, or was said last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Step {
    /// The line is not open.
    #[default]
    Detached,
    /// The line was just opened.
    Opening,
    /// The board is told to stop an old stream.
    Quieting,
    /// Is there a board, and which?
    Version,
    Serial,
    /// Old boards do not answer.
    LongSerial,
    StartUpdates,
    /// The first dump. Updates before it are part of it.
    Baseline,
    Running,
}

impl Step {
    /// The step after this one; the last is followed by itself.
    pub(super) const fn next(self) -> Self {
        match self {
            Self::Detached => Self::Detached,
            Self::Opening => Self::Quieting,
            Self::Quieting => Self::Version,
            Self::Version => Self::Serial,
            Self::Serial => Self::LongSerial,
            Self::LongSerial => Self::StartUpdates,
            Self::StartUpdates => Self::Baseline,
            Self::Baseline | Self::Running => Self::Running,
        }
    }

    /// Whether input is thrown away, because an old stream may be running.
    pub(super) const fn discards(self) -> bool {
        matches!(self, Self::Detached | Self::Opening | Self::Quieting)
    }

    /// Whether the first dump was seen.
    pub(super) const fn has_baseline(self) -> bool {
        matches!(self, Self::Running)
    }
}

/// What a command is answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Nothing: the wait only keeps a distance to the next command.
    Nothing,
    Version,
    Serial,
    LongSerial,
    Board,
    Clock,
    Battery,
}
