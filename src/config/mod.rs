// SPDX-License-Identifier: GPL-3.0-or-later
//! The configuration: which boards hang on which ports, and what is played on them.
//!
//! Checking a configuration and starting with it are one path ([`Config::load`]); the text is
//! read purely ([`Config::parse`]), and only [`Config::load`] and [`library`] touch files.

mod files;
mod read;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arbiterd_board::ClockSide;
use arbiterd_dgt::bus::BusAddress;

use crate::document::{Problem, write_lines};
use crate::laws::rulebook::{Library, RulebookError};
use crate::table::{Lights, Observer, Orientation};

pub use files::library;

/// Where the journal is when neither the configuration nor systemd says so. The games' evidence
/// lies in one known place, never in whichever directory the program was started from.
pub const DEFAULT_STATE_DIR: &str = "/var/lib/arbiterd";
/// Where rulebooks are looked for when the configuration does not say: the packages' and, taking
/// their place where the names are the same, those of the venue. They need not exist.
pub const DEFAULT_RULEBOOK_DIRS: [&str; 2] = ["/usr/share/arbiterd/rulebooks", "/etc/arbiterd/rulebooks.d"];

/// A configuration without a mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// At least one; ids are unique, and so are ports but for boards on a bus line, whose
    /// addresses differ.
    pub boards: Vec<BoardConfig>,
    /// Ids are unique, and no two tables share a board.
    pub tables: Vec<TableSettings>,
    /// The database file, absolute.
    pub journal: PathBuf,
    /// Absolute; later ones go before earlier ones.
    pub rulebook_dirs: Vec<PathBuf>,
}

/// A board and how to reach it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardConfig {
    /// 1 to 32 of `[A-Za-z0-9_-]`.
    pub id: String,
    /// The serial device, absolute.
    pub port: PathBuf,
    /// Which protocol it speaks.
    pub family: Family,
    /// How it is connected.
    pub connection: Connection,
}

/// How a board is connected to its port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connection {
    /// Alone, by a cable.
    Wired,
    /// Alone, by Bluetooth: slower.
    Bluetooth,
    /// With others on a tournament bus (DGT), at this address.
    Bus(BusAddress),
}

/// A family of boards that speak one protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Family {
    /// DGT.
    Dgt,
    /// Millennium (ChessLink).
    Millennium,
}

impl Family {
    /// Every value with its word in the file.
    pub const WORDS: &[(&str, Self)] = &[("dgt", Self::Dgt), ("millennium", Self::Millennium)];

    /// Whether several of its boards can share a line.
    pub const fn has_bus(self) -> bool {
        match self {
            Self::Dgt => true,
            Self::Millennium => false,
        }
    }

    /// The word in the file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Dgt => "dgt",
            Self::Millennium => "millennium",
        }
    }
}

/// What is settled for a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableSettings {
    /// 1 to 32 of `[A-Za-z0-9_-]`.
    pub id: String,
    /// The id of its board.
    pub board: String,
    /// The id of its rulebook, which the library has.
    pub rulebook: String,
    /// What the daemon is in the sense of the laws.
    pub observer: Observer,
    /// The side of the clock, seen from its front, on which White sits.
    pub white_side: ClockSide,
    /// A legal position, or `None` for the array.
    pub start_fen: Option<String>,
    /// What the clock adds for each completed move.
    pub increment: Duration,
    /// Which way round the board stands.
    pub orientation: Orientation,
    /// What the lights of the board are used for.
    pub lights: Lights,
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error("cannot read the configuration {path:?}: {source}; check its name and permissions")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Everything that is wrong with it and with the rulebooks it points to, one a line.
    #[error("{}", Lines(.0))]
    Problems(Vec<Problem>),
}

impl From<RulebookError> for ConfigError {
    fn from(error: RulebookError) -> Self {
        Self::Problems(error.0)
    }
}

struct Lines<'a>(&'a [Problem]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_lines(self.0, f)
    }
}

impl Config {
    /// Reads and checks a configuration file. Its tables may name rulebooks of `base` and of the
    /// directories it points to; [`library`] gives the two together.
    ///
    /// # Errors
    /// That the file cannot be read, or everything that is wrong with it and its rulebooks.
    pub fn load(path: &Path, base: &Library) -> Result<Self, ConfigError> {
        files::load(path, base)
    }

    /// Tells whether [`Config::load`] would succeed, by doing it.
    ///
    /// # Errors
    /// The same.
    pub fn check(path: &Path, base: &Library) -> Result<(), ConfigError> {
        Self::load(path, base).map(drop)
    }

    /// Reads and checks the text of a configuration whose rulebooks are all in `library`.
    /// `file` names it in problems; `state_dir` is the directory that systemd made for the
    /// service, if it did.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the lines.
    pub fn parse(
        file: &Path,
        text: &str,
        library: &Library,
        state_dir: Option<&Path>,
    ) -> Result<Self, Vec<Problem>> {
        read::read(file, text, Some(library), state_dir)
    }
}
