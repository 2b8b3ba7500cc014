// SPDX-License-Identifier: GPL-3.0-or-later
//! The chess clock: readings in, presses, pauses and flags out.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod lever;
mod model;

use std::time::Duration;

pub use model::{ClockEvent, ClockModel};

/// A time as a clock shows it: `1:29:59`.
pub fn shown(remaining: Duration) -> String {
    let seconds = remaining.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
