// SPDX-License-Identifier: GPL-3.0-or-later
//! From hardware squares to lifts, places and what rests.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod chess;
mod phantom;
mod sensor;

pub use chess::{board_of, chess_square, color, colour, hardware_piece, hardware_square, placement_of, role};
pub use phantom::{Phantom, Phantoms, can_stand, surplus};
pub use sensor::{Change, Sensor, SensorEvent};
