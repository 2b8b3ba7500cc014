// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line of `arbiterctl soak`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub(crate) const HELP: &str = "\
Examples:
  arbiterctl soak --games 500 --seed 7
      500 games with everything that hands do, and no irregularity in them.
  arbiterctl soak --games 500 --seed 7 --irregular 50
      In half of them somebody does something wrong, and it is known what.
  arbiterctl soak --games 500 --seed 7 --irregular 50 --play-on
      And when it was ruled on, they put the position back and play on.
  arbiterctl soak --seed 7 --irregular 50 --only 17 --trace
      Game 17 of those again: everything that was told, and what came of it.
  arbiterctl soak --games 100 --pgn games.pgn
      Real games, in turn, instead of random legal moves.
  arbiterctl soak --games 200 --seed 7 --level bytes
      Through everything: hands at a simulated board, its bytes, the line, the driver, the table. Boards
      of both families by turns, wired and over Bluetooth, some the other way round.
  arbiterctl soak --games 200 --seed 7 --level bytes --family dgt --faults 30
      DGT boards only; in 30 of 100 games the line loses, doubles or damages a byte now and then.

What is counted:
  wrong      a half-move in the record is another than was played; the rest of its game is not judged
  missing    a half-move was played and is not in the record
  false      a ruling, given or only proposed, that nothing called for
  ruled      an irregularity, or the end of the game, led to the ruling that it calls for
  left       instead of that, a notice says that this is left to the arbiter (notice.not-ruled)
  called     a person had to be called, or a claim is still open, and a notice says so
  quiet      nothing was due, and nothing came
  missed     none of these: a ruling or a call was due, and did not come
  calls      notices that ask a person to look; those that only tell of something are listed with them
  broken off missing or missed where the line was faulty: counted apart, and no failure

What is done wrong, with --irregular:
  illegal-move            is made and pressed for (7.5.1)
  illegal-unpressed       is made, and corrected before the press: no fault (6.2.1)
  press-without-move      (7.5.3)
  promotion-not-replaced  a pawn is left on the last rank and the clock pressed (7.5.2)
  touch-move              one piece is touched and another moved, and that is claimed (4.3, 4.8)
  rook-first-castling     the rook is touched first, and that is claimed (4.4.2)
  displaced-piece         a piece is knocked to the next square beside a legal move (7.4)
  wrong-piece-back        two are knocked over and put back on each other's squares (7.4)

Beside each count is the first game of it: for --only in place of --games, with all other options as they were.
Not every game offers an occasion for what is to be done wrong in it: in how many none came is said, if in any.

With --json: an object for each game in which something went wrong (\"event\": \"failure\"; \"again\" is the command
that shows it), and one at the end (\"end\") with the words above; \"notices\" are all of them, \"asking\" those that
call a person, \"first\" and \"first_notices\" are games, \"planned\" the games in which something was to be done wrong
and \"no_occasion\" those of them in which nothing was.
With --trace (\"trace\"): what was told, by its second and square; indented what came of it; < and > bytes from
and to the board.

A board without a clock shows no press. There the last half-move may be absent, for no reply completes it;
a touch that is claimed is ruled on or left open, a claim of what needs a press is left to the arbiter, and the
game always ends with what was done wrong.

The same options and the same seed give the same games on every machine.

Exit codes: 0 nothing was wrong, missing, false or missed; 1 something was, or an error; 2 wrong usage.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct SoakArgs {
    /// How many games
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) games: u64,
    /// From which everything follows
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
    /// Only this game, counted from 0
    #[arg(long, value_name = "K", conflicts_with = "games")]
    pub(super) only: Option<u64>,
    /// Show each report and what came of it
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
