// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line of `arbiterctl soak`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help::HELP;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct SoakArgs {
    /// How many games
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) games: u64,
    /// The number from which everything follows: the same one gives the same games
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub(super) seed: u64,
    /// In how many of a hundred games something is done wrong
    #[arg(long, default_value_t = 0, value_name = "P", value_parser = clap::value_parser!(u8).range(..=100))]
    pub(super) irregular: u8,
    /// When it was ruled on, people put the position back and play on, and up to three things are done
    /// wrong; else such a game ends with the first
    #[arg(long)]
    pub(super) play_on: bool,
    /// How people and boards are
    #[arg(long, value_enum, default_value_t = Mix::Everyday)]
    pub(super) habits: Mix,
    /// What the core is given
    #[arg(long, value_enum, default_value_t = Level::Events)]
    pub(super) level: Level,
    /// The boards that are played at, with --level bytes
    #[arg(long, value_enum, default_value_t = Families::Both)]
    pub(super) family: Families,
    /// In how many of a hundred games the line is faulty, with --level bytes
    #[arg(long, default_value_t = 0, value_name = "P", value_parser = clap::value_parser!(u8).range(..=100))]
    pub(super) faults: u8,
    /// At most so many half-moves in a random game
    #[arg(long, default_value_t = 80, value_name = "N", conflicts_with = "pgn",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) longest: u16,
    /// Games to be played, instead of random legal moves
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Only this game, counted from 0: one of the games that were named, with the same other options
    #[arg(long, value_name = "K", conflicts_with = "games")]
    pub(super) only: Option<u64>,
    /// Show line by line what was told of the game, what was done wrong and what came of it
    #[arg(long, requires = "only")]
    pub(super) trace: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Mix {
    /// Careful people at fast boards
    Clean,
    /// People as they are, at boards as they are sold
    Everyday,
}

impl SoakArgs {
    /// Words that do not go together.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        if self.play_on && self.irregular == 0 {
            return Some("--play-on is about what is done wrong: add --irregular with a share of games");
        }
        if self.trace && self.only.is_none() && self.games > 1 {
            return Some("--trace shows one game: name it with --only instead of --games");
        }
        let of_bytes = self.faults > 0 || self.family != Families::Both;
        (self.level == Level::Events && of_bytes)
            .then_some("--family and --faults are about boards and lines: add --level bytes")
    }
}

impl Mix {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Everyday => "everyday",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Level {
    /// Reports as a driver tells them
    Events,
    /// Bytes as they are on the line, through the driver
    Bytes,
}

impl Level {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Bytes => "bytes",
        }
    }
}

/// Which families are played at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Families {
    Dgt,
    Millennium,
    /// By turns
    Both,
}

impl Families {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Dgt => Family::Dgt.word(),
            Self::Millennium => Family::Millennium.word(),
            Self::Both => "both",
        }
    }

    /// The family of a game.
    pub(super) const fn of(self, game: u64) -> Family {
        match self {
            Self::Dgt => Family::Dgt,
            Self::Millennium => Family::Millennium,
            Self::Both if game.is_multiple_of(2) => Family::Dgt,
            Self::Both => Family::Millennium,
        }
    }
}

/// A family of boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Dgt,
    Millennium,
}

impl Family {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Dgt => "dgt",
            Self::Millennium => "millennium",
        }
    }

    pub(super) const fn has_clock(self) -> bool {
        matches!(self, Self::Dgt)
    }
}

#[cfg(test)]
pub(super) use tests::of_words;

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        soak: SoakArgs,
    }

    /// What stands behind `soak`.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> SoakArgs {
        Line::parse_from(std::iter::once("soak").chain(words)).soak
    }

    #[test]
    fn a_trace_is_of_one_game() {
        let contradiction = |words: &str| {
            let line = std::iter::once("soak").chain(words.split(' '));
            Line::try_parse_from(line).map(|line| line.soak.contradiction()).unwrap_or(Some("refused"))
        };
        let told = contradiction("--trace --games 3").unwrap_or_default();
        assert!(told.contains("name it with --only instead of --games"), "{told}");
        assert_eq!(contradiction("--trace"), Some("refused"));
        assert_eq!(contradiction("--trace --only 3"), None);
    }
}
