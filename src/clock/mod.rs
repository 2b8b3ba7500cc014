// SPDX-License-Identifier: GPL-3.0-or-later
//! The chess clock: readings in, presses, pauses and flags out.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod lever;
mod model;

pub use model::{ClockEvent, ClockModel};
