// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line of `arbiterctl simulate millennium`, and the board that it describes.

mod bench;

use std::time::Duration;

use arbiterd_board::Parity;
use arbiterd_millennium::simulator::{Model, Options, Simulator, TimedFault};
use arbiterd_millennium::wire::Cable;
use clap::{Args, ValueEnum};
use tokio::sync::mpsc;

use self::bench::MillenniumBench;
pub(in crate::ctl) use self::bench::harm;
use super::SimulateError;
use super::args::BoardArgs;
use super::stage::{News, Plan, Stage};
use crate::sim::Game;
use crate::time::now;

pub(super) const FAULTS: &str = "\
Faults (--fault, and `fault` of the hands, which happens at once and takes no @):
  drop=1/100 double=1/100 flip=1/100 insert=1/100[,5a]
                                            bytes of the board go wrong from now on
                                            (also =every:100, =never)
  cut=40 late=300ms freeze=5s               a message is cut, all are late, the board stands still
  slow=300ms no-answer=1 deaf=V|none        answers are late, are never given, a command is not heard
  status-first=on|off splice=32             a status before each answer, a mixture of two scans
  bad-check lower-case=on|off parity=on|off echo=on|off
  flicker=e4[,Q] read=e4,? stuck=e4 free=e4 a square is read as another letter of a status
                                            for one scan, from now on, as it was, as it is again
  register=02,07                            what another program left in a register, in hexadecimal
  hang unplug                               the board hangs, the port closes
  With @ and a time it happens later: freeze=5s@30s.

Hands (--hands), one wish a line, each answered by `ok` or `error: ...`:
  lift e2 | place e4 P | position PLACEMENT | fault FAULT | power (off and on) | unplug | plug | quit
Wishes are granted as fast as they are read, whether or not a host is there; the board scans its
squares 24 times a second, unless a host has chosen otherwise. The end of the input is that of the
hands only: the board stays as it is and answers on until Ctrl-C. Boards of this family have no clock.";

/// Which board it is, or which imitation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// The Exclusive with its ChessLink module, as described
    Exclusive,
    /// The Performance: it does not answer L, X and W
    Performance,
    /// The Supreme Tournament 55: newer, with a page of text
    Supreme,
    /// The eONE: it knows only which squares are occupied and guesses the letters
    Eone,
    /// An imitation that answers X by a status
    Elfacun,
    /// An imitation with a version of its own
    Cynuslink,
    /// An imitation without parity that sends on change only
    Chesstimation,
    /// An imitation with lower-case digits and wrong answers to R
    Centaur,
}

/// On which side of White the cable leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum CableSide {
    Left,
    Right,
}

/// What the board puts in bit 7 of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Bit {
    /// Odd parity, as described
    Odd,
    /// Nothing, and it does not look at that of the host
    None,
}

#[derive(Debug, Args)]
pub(crate) struct MillenniumArgs {
    /// Which board it is
    #[arg(long, value_enum, default_value_t = Kind::Exclusive)]
    kind: Kind,
    /// On which side of White the cable leaves
    #[arg(long, value_enum, default_value_t = CableSide::Left)]
    cable: CableSide,
    /// The parity of its bytes, instead of that of the kind
    #[arg(long, value_enum)]
    parity: Option<Bit>,
    /// A fault, see below; may be given several times
    #[arg(long = "fault", value_name = "FAULT")]
    faults: Vec<TimedFault>,
    #[command(flatten)]
    board: BoardArgs,
}

/// Its only name: these boards have no serial number that a host could ask for.
const NAME: &str = "1";

impl MillenniumArgs {
    fn options(&self, game: Option<&Game>) -> Options {
        let known = Options::of(match self.kind {
            Kind::Exclusive => Model::Exclusive,
            Kind::Performance => Model::Performance,
            Kind::Supreme => Model::Supreme,
            Kind::Eone => Model::EOne,
            Kind::Elfacun => Model::Elfacun,
            Kind::Cynuslink => Model::CynusLink,
            Kind::Chesstimation => Model::Chesstimation,
            Kind::Centaur => Model::Centaur,
        });
        Options {
            cable: match self.cable {
                CableSide::Left => Cable::Left,
                CableSide::Right => Cable::Right,
            },
            parity: match self.parity {
                None => known.parity,
                Some(Bit::Odd) => Parity::Odd,
                Some(Bit::None) => Parity::None,
            },
            placement: game.map_or(self.board.position, |game| game.start),
            faults: self.faults.clone(),
            seed: self.board.seed,
            ..known
        }
    }
}

impl Stage for MillenniumArgs {
    type Bench = MillenniumBench;

    fn board(&self) -> &BoardArgs {
        &self.board
    }

    fn plan(&self) -> Result<Plan, SimulateError> {
        Ok(Plan {
            names: vec![NAME.to_owned()],
            // Two scans at the factory's pace, which other programs may have slowed down.
            tempo: self.board.tempo(Duration::from_millis(100)),
            has_clock: false,
            starts_clock: false,
            alone: true,
        })
    }

    fn bench(
        &self,
        game: Option<&Game>,
        news: mpsc::UnboundedSender<News>,
    ) -> Result<MillenniumBench, SimulateError> {
        Ok(MillenniumBench::new(Simulator::new(now(), self.options(game)), news))
    }
}
