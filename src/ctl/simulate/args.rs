// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line of `arbiterctl simulate`: the families, and what they have in common.

use std::path::PathBuf;
use std::time::Duration;

use arbiterd_board::Placement;
use clap::{Args, Subcommand, ValueEnum};

use super::dgt::{self, DgtArgs};
use super::millennium::{self, MillenniumArgs};
use super::player::Tempo;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// What is simulated.
#[derive(Debug, Subcommand)]
pub(crate) enum Family {
    /// A DGT board or a line of them, with clocks, on a pseudo terminal
    #[command(after_help = dgt::FAULTS)]
    Dgt(Box<DgtArgs>),
    /// A Millennium board with the ChessLink protocol, on a pseudo terminal
    #[command(after_help = millennium::FAULTS)]
    Millennium(Box<MillenniumArgs>),
}

/// How fast hands are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum HandsPace {
    /// As people
    Real,
    /// As fast as the board notices
    Fast,
}

/// What is asked of boards of every family.
#[derive(Debug, Args)]
pub(crate) struct BoardArgs {
    /// A symbolic link to the terminal, gone at the end; it may replace a link that leads nowhere,
    /// such as a killed simulator leaves behind, nothing else
    #[arg(long, value_name = "PATH")]
    pub(super) link: Option<PathBuf>,
    /// What stands on the boards, as the placement of a FEN
    #[arg(long, value_name = "PLACEMENT", default_value = START, value_parser = placement)]
    pub(super) position: Placement,
    /// Play a game of this PGN file on every board, once a host has asked the board what stands
    #[arg(long, value_name = "FILE.pgn", conflicts_with = "position")]
    pub(super) play: Option<PathBuf>,
    /// Which game of the file, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, requires = "play")]
    pub(super) game: usize,
    /// How fast the game is played
    #[arg(long, value_enum, default_value_t = HandsPace::Real, requires = "play")]
    pub(super) pace: HandsPace,
    /// Seconds that a player thinks, at real pace
    #[arg(long, value_name = "S", default_value_t = 3, requires = "play")]
    pub(super) move_seconds: u32,
    /// Read on standard input what hands do, see below
    #[arg(long)]
    pub(super) hands: bool,
    /// The same seed gives the same waits and the same accidents
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

impl BoardArgs {
    /// Hands that are to be seen wait until the board has `noticed`.
    pub(super) fn tempo(&self, noticed: Duration) -> Tempo {
        match self.pace {
            HandsPace::Fast => Tempo { think: Duration::ZERO, hand: noticed },
            HandsPace::Real => Tempo {
                think: Duration::from_secs(self.move_seconds.into()),
                hand: Duration::from_millis(500).max(noticed),
            },
        }
    }
}

fn placement(text: &str) -> Result<Placement, String> {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.parse().map_err(|_| format!("{text:?} is no placement; give one such as {START}"))
}
