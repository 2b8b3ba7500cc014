// SPDX-License-Identifier: MIT OR Apache-2.0
//! Millennium boards that speak the ChessLink protocol, on a wire or over Bluetooth.
//!
//! | room | what it does |
//! |---|---|
//! | [`wire`] | letters, lengths, parities, squares, commands, registers, lights |
//! | [`Message`] | what a board says |
//! | [`Decoder`] | bytes to messages, in any portions, never failing |
//! | [`encode`] | messages to bytes, as the board does it |
//! | [`MillenniumDriver`] | the host's side of the conversation, an [`arbiterd_board::Driver`] |
//! | [`host`] | what a host says, as a board hears it |
//! | [`simulator`] | boards, hands that move their pieces, and faults |
//!
//! Nothing here opens a port or reads a clock: bytes and time are arguments. Millennium and
//! ChessLink are Millennium's trade marks; this crate is an independent, interoperable
//! implementation.
//!
//! A remark such as "(topic: squares)" names the part of the protocol on which a decision rests;
//! where sources disagree, the README says which choice was made and why.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(missing_docs)]

mod decoder;
mod driver;
mod encoder;
pub mod host;
mod message;
mod parity;
pub mod simulator;
pub mod wire;

pub use decoder::{Counters, Decoder, Item};
pub use driver::{MillenniumDriver, Transport};
pub use encoder::encode;
pub use message::{Message, Text};
pub use parity::ByteParity;

/// The name of the family, as it stands in [`arbiterd_board::Identity::family`].
pub const FAMILY: &str = "millennium";
