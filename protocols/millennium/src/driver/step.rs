// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of the conversation (topic: start sequence).

use core::time::Duration;

use arbiterd_board::Mono;

use crate::wire::{Command, Register, Setting};

/// From the end of one round of questions for the version to the next: whoever is at the other end
/// is left in peace meanwhile.
pub(super) const REST: Duration = Duration::from_secs(1);

/// So many times a command is said again that is not answered.
pub(super) const RETRIES: u8 = 2;

/// Where the conversation stands: what is said next, or was said last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Step {
    /// The line is not open.
    #[default]
    Detached,
    /// The line was just opened.
    Opening,
    /// Is there a board, and which?
    Version,
    /// Is there a board whose frames carry no block parity?
    BareVersion,
    /// There is: it is told to use it.
    RestoreParity,
    /// Nobody answered.
    Resting,
    /// Is it a board that does not recognise pieces? Only newer ones know the question.
    Information,
    Reading(Register),
    Writing(Setting),
    /// The register that was written is read again.
    Verifying(Setting),
    FirstStatus,
    FirstDark,
    Running,
}

impl Step {
    /// Whether input is thrown away.
    pub(super) const fn discards(self) -> bool {
        matches!(self, Self::Detached | Self::Opening)
    }

    /// Whether an answer to the question for the version is waited for, or would be news.
    pub(super) const fn asks_for_the_version(self) -> bool {
        matches!(self, Self::Version | Self::BareVersion | Self::RestoreParity | Self::Resting)
    }

    /// Whether it is known what the letters of a status are worth.
    pub(super) const fn knows_the_board(self) -> bool {
        !matches!(
            self,
            Self::Detached
                | Self::Opening
                | Self::Version
                | Self::BareVersion
                | Self::RestoreParity
                | Self::Resting
                | Self::Information
        )
    }
}

/// What a command is answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Nothing: a wait.
    Nothing,
    Version,
    Information,
    /// The register with this address.
    Register(u8),
    /// The same, written.
    Written(u8),
    Status,
    LightsSet,
    LightsOff,
}

impl Answer {
    pub(super) const fn is_of_lights(self) -> bool {
        matches!(self, Self::LightsSet | Self::LightsOff)
    }
}

/// The one command that was said last and is not settled yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awaiting {
    pub(super) answer: Answer,
    pub(super) said: Mono,
    pub(super) until: Mono,
    /// What to say again, and how often.
    pub(super) again: Option<(Command, u8)>,
}
