// SPDX-License-Identifier: GPL-3.0-or-later
//! What is settled at a table before the game.

use serde::{Deserialize, Serialize};

/// What the daemon is in the sense of the laws: they know an arbiter who sees, and others who
/// may only bear witness.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observer {
    /// What it observes counts as seen by the arbiter: it rules on its own, as the laws tell him to.
    Arbiter,
    /// It rules on claims only, as evidence for them.
    Witness,
}

impl Observer {
    /// Every value with its word in files and on the bus.
    pub const WORDS: &[(&str, Self)] = &[("arbiter", Self::Arbiter), ("witness", Self::Witness)];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Arbiter => "arbiter",
            Self::Witness => "witness",
        }
    }
}

/// Which way round the board stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// Found out from the start position.
    #[default]
    Auto,
    /// As its own coordinates say.
    Normal,
    /// Turned by half a circle: its h8 is the players' a1.
    Turned,
}

impl Orientation {
    /// Every value with its word in files and on the bus.
    pub const WORDS: &[(&str, Self)] =
        &[("auto", Self::Auto), ("normal", Self::Normal), ("turned", Self::Turned)];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Normal => "normal",
            Self::Turned => "turned",
        }
    }
}
