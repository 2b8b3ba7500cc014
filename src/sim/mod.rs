// SPDX-License-Identifier: GPL-3.0-or-later
//! Boards that are not there: a simulated board on a pseudo terminal, and the hands that move
//! its pieces. The daemon opens such a port exactly as it opens a real one.

mod dgt;
mod game;
mod hands;
mod line;
mod millennium;
pub mod people;
mod pgn;
mod pty;

pub use arbiterd_board::simulator::Device;

pub use self::game::{Game, GameError, Played};
pub use self::hands::{Act, Hands, Move, RookMove};
pub use self::line::{Board, Line, News, Way};
pub use self::pty::{BoardGone, Pace, PtyBoard, PtyError};
