// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every electronic chess board has in common, in the words of the field.
//!
//! A board family (`protocols/dgt`, `protocols/millennium`) implements [`Driver`]: it is
//! handed bytes and the time at which they arrived, and gives back [`Report`]s, the bytes to
//! send and the next moment at which it wants to be woken. Nothing here opens a port, reads a
//! clock or knows a rule of chess.
//!
//! **The contract in one sentence:** after each call of [`Driver::receive`],
//! [`Driver::handle_timeout`], [`Driver::request`] or [`Driver::reset`], drain
//! [`Driver::poll_transmit`] and [`Driver::poll_report`] until both are `None`, then wait for
//! bytes or for [`Driver::poll_timeout`], whichever comes first.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(missing_docs)]

mod clock;
mod driver;
mod identity;
mod item;
mod piece;
mod report;
mod requests;
pub mod simulator;
mod square;
mod time;

pub use clock::{ClockButton, ClockReading, ClockReport, ClockSide, Flag, Lever, SideReading};
pub use driver::{Driver, LineSettings, Parity, Request, RequestError, RequestId, Run};
pub use identity::{Capabilities, ClockControl, Identity, Sensing, Version};
pub use item::{Dropped, Item};
pub use piece::{Colour, Occupant, ParsePlacementError, Piece, Placement, ResultToken, Role};
pub use report::{AckOutcome, Battery, Channel, LinkState, Noise, NoiseCause, Report, ReportBody, Trouble};
pub use requests::{Pending, Requests, Wanted};
pub use square::{ParseSquareError, Square};
pub use time::{Mono, Order, Stamp};
