// SPDX-License-Identifier: GPL-3.0-or-later
//! What is fixed for a table before its game begins.

use std::sync::Arc;
use std::time::Duration;

use arbiterd_board::ClockSide;
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;
use shakmaty::fen::Fen;

use super::{Lights, Standing};
use crate::laws::Rulebook;

/// Whether what the daemon observes counts as observed by the arbiter.
///
/// The Laws know only a human arbiter, so the organiser decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observer {
    /// It counts as seen by the arbiter: rulings come by themselves where the rulebook lets an
    /// arbiter act.
    Arbiter,
    /// It is a witness: rulings come on claims only.
    Witness,
}

impl Observer {
    /// Every value with its word in the configuration.
    pub const WORDS: &[(&str, Self)] = &[("arbiter", Self::Arbiter), ("witness", Self::Witness)];

    /// The word in the configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Arbiter => "arbiter",
            Self::Witness => "witness",
        }
    }
}

/// How the board stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// Found out from the first placement that agrees with the expected one.
    Auto,
    /// The hardware's a1 is a1.
    Normal,
    /// The hardware's a1 is h8.
    Turned,
}

impl Orientation {
    /// Every value with its word in the configuration.
    pub const WORDS: &[(&str, Self)] =
        &[("auto", Self::Auto), ("normal", Self::Normal), ("turned", Self::Turned)];

    /// The word in the configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Normal => "normal",
            Self::Turned => "turned",
        }
    }
}

/// The position from which a game begins.
#[derive(Clone, Debug)]
pub struct Start {
    standing: Standing,
    mode: CastlingMode,
}

/// The start position cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StartError {
    /// It is no FEN.
    #[error("{0:?} is not a FEN")]
    NotAFen(String),
    /// It is a FEN of a position that cannot stand on a board.
    #[error("{0:?} is not a position from which a game can begin")]
    NotAPosition(String),
}

impl Default for Start {
    fn default() -> Self {
        Self { standing: Standing::Valid(shakmaty::Chess::default()), mode: CastlingMode::Standard }
    }
}

impl Start {
    /// A start position from a FEN; castling rights decide whether it is Chess960.
    ///
    /// # Errors
    /// [`StartError`] if it is no FEN or no position that can stand on a board.
    pub fn from_fen(fen: &str) -> Result<Self, StartError> {
        let setup = fen.parse::<Fen>().map_err(|_| StartError::NotAFen(fen.to_owned()))?.into_setup();
        let mode = CastlingMode::detect(&setup);
        match Standing::from_setup(setup, mode) {
            standing @ Standing::Valid(_) => Ok(Self { standing, mode }),
            Standing::Irregular(_) => Err(StartError::NotAPosition(fen.to_owned())),
        }
    }

    /// The position.
    pub const fn standing(&self) -> &Standing {
        &self.standing
    }

    /// How castling is written and found.
    pub const fn mode(&self) -> CastlingMode {
        self.mode
    }
}

/// Everything a table has to know before its game begins.
#[derive(Clone, Debug)]
pub struct TableConfig {
    /// The name of the table.
    pub id: String,
    /// The rulebook in force.
    pub rulebook: Arc<Rulebook>,
    /// Whose eyes the daemon is.
    pub observer: Observer,
    /// The side of the clock on which White sits, seen from its front.
    pub white_side: ClockSide,
    /// How the board stands.
    pub orientation: Orientation,
    /// Where the game begins.
    pub start: Start,
    /// What a press adds to the presser's clock.
    pub increment: Duration,
    /// Illegal moves counted before, White's and Black's (a game taken over in mid-play).
    pub illegal_moves: [u8; 2],
    /// What the lights of the board are used for. No ruling depends on it.
    pub lights: Lights,
}
