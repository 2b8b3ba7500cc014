// SPDX-License-Identifier: GPL-3.0-or-later
//! What the law makes of what happened. Nothing here knows a device.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod kinds;
pub mod mate;
pub mod rulebook;
mod ruling;

pub use kinds::{NoticeKind, RulingKind};
pub use rulebook::{Matter, Rulebook};
pub use ruling::{
    Authority, Certainty, Consequence, Directive, NotCovered, NotObservable, Notice, ProposedClock, Ruling,
    Standing,
};
