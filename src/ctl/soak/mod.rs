// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl soak`: many games that are known, played by people's hands against the core, and what
//! it got wrong. Needs no service and no board.

mod again;
mod args;
mod boards;
mod bytes;
mod desk;
mod fold;
mod help;
mod judge;
mod progress;
mod seat;
mod tell;
mod totals;
mod trace;
mod words;

use std::io::Write;
use std::time::Instant;

use arbiterd_board::simulator::Chance;

pub(super) use self::args::SoakArgs;
use self::args::{Level, Mix};
use self::boards::Stand;
use self::desk::{Heard, NoSuchGame};
use self::judge::judge;
use self::progress::Progress;
use self::totals::Totals;
use super::CtlError;
use crate::laws::rulebook::{Library, RulebookError};
use crate::sim::people::{Habits, Manners, Session, random};
use crate::sim::{Game, GameError};

/// Why a soak could not be run, or what it ended with.
#[derive(Debug, thiserror::Error)]
pub(super) enum SoakError {
    #[error(transparent)]
    Game(#[from] GameError),
    #[error(transparent)]
    Seat(#[from] NoSuchGame),
    #[error("the rulebooks that are built in are damaged: {0}")]
    Rulebooks(#[from] RulebookError),
    #[error("{0}")]
    Usage(&'static str),
    #[error("something went wrong in {0} of the games")]
    Failed(usize),
}

impl SoakError {
    /// Whether the command line was wrong.
    pub(super) const fn is_usage(&self) -> bool {
        matches!(self, Self::Usage(_))
    }
}

/// Plays the games and tells what came of them.
pub(super) fn run(args: &SoakArgs, json: bool, out: &mut impl Write) -> Result<(), CtlError> {
    let hall = Hall::open(args)?;
    let numbers = match args.only {
        Some(only) => only..only.checked_add(1).ok_or(SoakError::Usage("no game has that number"))?,
        None => 0..args.games,
    };
    let begun = Instant::now();
    let mut progress = Progress::new(numbers.end - numbers.start);
    let mut totals = Totals::default();
    for number in numbers {
        let Sitting { session, stand, heard, irregular } = hall.play(number)?;
        let judgement = judge(&session.truth, &heard, stand.as_ref().is_some_and(Stand::is_faulty));
        if args.trace {
            tell::trace(&session, stand.as_ref(), &heard, json, out)?;
        }
        if irregular {
            totals.planned(!session.truth.wrongs.is_empty());
        }
        let place = || tell::place(&session, stand.as_ref());
        totals.add(number, stand.as_ref().map(Stand::word), place, &judgement);
        progress.step(totals.failures.len());
    }
    progress.end();
    tell::totals(&totals, args, begun.elapsed(), json, out)?;
    match totals.failures.len() {
        0 => Ok(()),
        failed => Err(SoakError::Failed(failed).into()),
    }
}

/// A game that was played: the people, the board if there was one, and what the core made of it.
struct Sitting {
    session: Session,
    stand: Option<Stand>,
    heard: Heard,
    /// Somebody was to do something wrong.
    irregular: bool,
}

/// Where the games are played.
struct Hall<'a> {
    args: &'a SoakArgs,
    habits: Habits,
    library: Library,
    games: Vec<Game>,
}

impl<'a> Hall<'a> {
    fn open(args: &'a SoakArgs) -> Result<Self, SoakError> {
        if let Some(contradiction) = args.contradiction() {
            return Err(SoakError::Usage(contradiction));
        }
        let library = Library::embedded().map_err(SoakError::from)?;
        let games = args.pgn.as_deref().map(Game::load_all).transpose()?.unwrap_or_default();
        let habits = match args.habits {
            Mix::Clean => Habits::clean(),
            Mix::Everyday => Habits::everyday(),
        };
        Ok(Self { args, habits, library, games })
    }

    /// Each game has a seed of its own, so that it can be played again alone.
    fn seed(&self, number: u64) -> u64 {
        let mixed =
            self.args.seed ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
        Chance::new(mixed).below(u64::MAX)
    }

    fn play(&self, number: u64) -> Result<Sitting, SoakError> {
        let seed = self.seed(number);
        let mut chance = Chance::new(seed);
        let irregular = chance.percent(self.args.irregular);
        let has_clock = self.args.level == Level::Events || self.args.family.of(number).has_clock();
        let manners = match irregular {
            false => Manners::Orderly,
            // Without a clock a move that was claimed about waits for a reply, which is not given.
            true if self.args.play_on && has_clock => Manners::PlayedOn,
            true => Manners::Irregular,
        };
        let known = number.checked_rem(u64::try_from(self.games.len()).unwrap_or(u64::MAX));
        let known = known.and_then(|n| self.games.get(usize::try_from(n).ok()?));
        let session = match known {
            Some(game) => Session::of(game, &self.habits, manners, seed),
            None => {
                let game = random::game(&mut chance, usize::from(self.args.longest));
                Session::of(&game, &self.habits, manners, seed)
            }
        };
        let traced = self.args.trace;
        Ok(match self.args.level {
            Level::Events => {
                let heard = seat::play(&session, &self.library, traced)?;
                Sitting { session, stand: None, heard, irregular }
            }
            Level::Bytes => {
                let family = self.args.family.of(number);
                let faulty = chance.percent(self.args.faults);
                let stand = Stand::pick(family, session.senses.turned, faulty, &mut chance);
                let session = if family.has_clock() { session } else { session.without_clock() };
                let heard = bytes::play(&session, &stand, &self.library, traced)?;
                Sitting { session, stand: Some(stand), heard, irregular }
            }
        })
    }
}
