// SPDX-License-Identifier: GPL-3.0-or-later
//! From hardware squares to lifts, places and what rests.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod chess;

pub use chess::{chess_square, color, colour, hardware_piece, hardware_square, placement_of, role};
