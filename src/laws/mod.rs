// SPDX-License-Identifier: GPL-3.0-or-later
//! What the law makes of what happened. Nothing here knows a device.
//!
//! An article, or a family of articles, to a file; each decision cites its article through the
//! rulebook in force, so that the engine never asks for an edition.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod arbiter;
mod bench;
pub mod board_signal;
mod calls;
mod claims;
mod completion;
mod displaced;
mod flag;
mod found;
mod game_end;
mod illegal_move;
pub mod kinds;
pub mod mate;
mod owed;
mod press;
mod question;
pub mod rulebook;
mod ruling;
mod several;
mod touch_claim;
mod touch_move;
mod window;

pub use arbiter::Arbiter;
pub use bench::{Bench, Completed, Decision, Occurrence};
pub use kinds::{NoticeKind, RulingKind};
pub use rulebook::{Matter, Rulebook};
pub use ruling::{
    Authority, Certainty, Consequence, Directive, NotCovered, NotObservable, Notice, ProposedClock, Ruling,
    Status,
};
