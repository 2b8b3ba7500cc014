// SPDX-License-Identifier: GPL-3.0-or-later
//! What a family brings: boards for a terminal, and what has to be known to play on them.

use std::fmt::Debug;
use std::str::FromStr;

use arbiterd_board::Mono;
use arbiterd_board::simulator::ParseFaultError;
use tokio::sync::mpsc;

use super::SimulateError;
use super::args::BoardArgs;
use super::player::Tempo;
use super::wish::Wish;
use crate::sim::{Act, Device, Game, Pace};

/// What happened at a board, which is named by its number from zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum News {
    /// A host asked what stands on it, and will be told of changes.
    Asked { board: usize },
    /// A host sent something that harms a board: for programs, for people, and what it does.
    Harmed { board: usize, command: String, shown: String, what: &'static str },
    /// A host did what no host should: a word for programs and a sentence for people.
    Misused { board: usize, misuse: &'static str, what: String },
    /// A host sent so many bytes that found no room.
    Lost { board: usize, bytes: u64 },
    /// A host does not read, and what boards say to it is lost.
    Unread,
    /// It does not work any more, or again does.
    Became { board: usize, condition: &'static str, what: &'static str },
    /// It left its port, or the line that others are on too.
    Unplugged { board: usize },
}

/// Boards for a terminal.
pub(super) trait Bench: Device + Sized {
    /// What can go wrong with one of them.
    type Fault: FromStr<Err = ParseFaultError> + Clone + PartialEq + Debug + Send + 'static;

    /// The name that is meant by a word of the hands.
    fn board_name(text: &str) -> Result<String, String>;

    /// The pace at which a terminal must give out what the boards say.
    fn pace(&self) -> Pace;

    /// A hand does something at a board.
    fn act(&mut self, at: Mono, board: usize, act: Act);

    /// Does at a board what a line of the hands asks for; what cannot be done is said.
    fn grant(&mut self, at: Mono, board: usize, wish: Wish<Self::Fault>) -> Result<(), String>;

    /// The port was opened again.
    fn plugged_in(&mut self, at: Mono);

    /// Tells what is new since the last time.
    fn look(&mut self, at: Mono);
}

/// What has to be known of the boards before they are made.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What the boards are called, in their order.
    pub(super) names: Vec<String>,
    pub(super) tempo: Tempo,
    pub(super) has_clock: bool,
    /// The clock is there and is started and stopped by its button.
    pub(super) starts_clock: bool,
    /// The board has the port for itself, which closes when it is unplugged.
    pub(super) alone: bool,
}

/// A command line that describes boards.
pub(super) trait Stage {
    type Bench: Bench;

    /// What it has in common with others.
    fn board(&self) -> &BoardArgs;

    /// Holds that the command line makes sense.
    fn plan(&self) -> Result<Plan, SimulateError>;

    /// The boards, switched on, with the position of the game if there is one.
    fn bench(
        &self,
        game: Option<&Game>,
        news: mpsc::UnboundedSender<News>,
    ) -> Result<Self::Bench, SimulateError>;
}
