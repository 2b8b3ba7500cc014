// SPDX-License-Identifier: GPL-3.0-or-later
//! One board, one clock and the game on it: the only actor whose state changes.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod input;
pub mod output;
mod settings;

pub use input::{Claim, Fact, Input, Saying, Speaker, UnknownClaim};
pub use output::{ClockView, Completion, GameResult, MoveView, Output, TableState, View};
pub use settings::{Observer, Orientation};
