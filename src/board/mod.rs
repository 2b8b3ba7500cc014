// SPDX-License-Identifier: GPL-3.0-or-later
//! From hardware squares to lifts, places and what rests.
//!
//! # What a board can never tell
//!
//! A board tells that a square became empty or that a piece appeared on it, some time before it said so. It does
//! not tell, and nothing here claims:
//!
//! - **Who lifted.** A piece goes off its square by its player's hand, by his opponent's who takes it, or by a
//!   sleeve. Only a piece that is *put down* somewhere is taken for its player's deed; a lift alone completes no
//!   move, and accuses nobody before a legal touch of the player to move explains it
//!   ([`crate::laws`], touch-move). Where both players' pieces moved between two reports and their order is not
//!   shown, the moves are marked as inferred and are evidence for nothing.
//! - **Intent.** A touch-move ruling by the board alone is proposed, or follows a claim, and says that whether
//!   the touch was deliberate (4.3) was not observable.
//! - **"I adjust"** (4.2.1). It is heard by people only: a piece that is lifted and put back is a touch that may
//!   have been announced, and without a claim nothing comes of it.
//! - **Two hands** (4.1, 7.5.4). Both rook and king in the air at once are seen with one hand as well, which
//!   puts one down later: it is never ruled on.
//! - **Holding against releasing** (4.7). A piece that is held on its square looks like one that was let go. What
//!   stands is therefore only *made* when it has rested, and *completed* by the press, by the released reply, or
//!   by the end of the game; a piece that slides rests on its way for up to two seconds, and what may still be
//!   on its way completes nothing that a press has not borne out. At a table without a clock it completes
//!   something when it has stood for longer than pieces do on their way.
//! - **What happened between two reports**, or on a square that reads to and fro ([`Sensor::disturb`]): it may be
//!   anything that the squares before and after allow. Every placement that may have stood at a press is
//!   considered, a legal move is preferred to anything else, and if two explanations remain that begin with
//!   another half-move, neither is taken: a person is called. So it is where a pawn is taken before the board
//!   has shown how far it went (one square, or two and in passing, 3.7.3.1), or what it became.
//! - **The order within one scan.** It tells its squares in an order of its own. What both players put down in it
//!   came in either order; only a piece that was taken up in an earlier scan was taken up before.
//! - **Whether a report is true.** The squares of a single DGT board carry no check. A report of the whole board
//!   that contradicts all others moves nothing before it is confirmed; after bytes that were no frame a move is
//!   believed when the board has shown it, and a press beside them accuses nobody.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod chess;
mod phantom;
mod sensor;

pub use chess::{board_of, chess_square, color, colour, hardware_piece, hardware_square, placement_of, role};
pub use phantom::{Phantom, Phantoms, can_stand, surplus};
pub use sensor::{Change, Sensor, SensorEvent};
