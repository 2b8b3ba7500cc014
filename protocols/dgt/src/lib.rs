// SPDX-License-Identifier: MIT OR Apache-2.0
//! DGT electronic boards and the clocks attached to them, alone on a line or several on a bus.
//!
//! | room | what it does |
//! |---|---|
//! | [`wire`] | ids, commands, lengths, piece codes, square numbers |
//! | [`clock`] | the clock message, in both directions |
//! | [`Message`] | what a board says |
//! | [`Decoder`] | bytes to messages, in any portions, never failing |
//! | [`encode`] | messages to bytes, as the board does it |
//! | [`log`] | the records in which a board keeps and tells what changed |
//! | [`bus`] | several boards on one line: addresses, frames, answers |
//! | [`DgtDriver`] | the host's side of the conversation, an [`arbiterd_board::Driver`] |
//! | [`host`] | what a host says, as a board hears it |
//! | [`simulator`] | boards with clocks, hands that move their pieces, and faults |
//!
//! Nothing here opens a port or reads a clock: bytes and time are arguments. DGT is a trade
//! mark of its owner; this crate is an independent, interoperable implementation.
//!
//! A remark such as "(topic: squares)" names the part of the protocol on which a decision rests;
//! where sources disagree, the README says which choice was made and why.
//!
//! ```
//! use arbiterd_board::simulator::Device;
//! use arbiterd_board::{Driver, LinkState, Mono, ReportBody};
//! use arbiterd_dgt::DgtDriver;
//! use arbiterd_dgt::simulator::{Options, Simulator};
//!
//! let mut board = Simulator::new(Mono::ZERO, Options::default());
//! let mut driver = DgtDriver::new();
//! driver.reset(Mono::ZERO);
//! while let Some(now) = driver.poll_timeout().filter(|at| *at < Mono::from_millis(1000)) {
//!     driver.handle_timeout(now);
//!     while let Some(bytes) = driver.poll_transmit() {
//!         board.receive(now, &bytes);
//!         while let Some(answer) = board.poll_transmit() {
//!             driver.receive(now, &answer);
//!         }
//!     }
//! }
//! let (_, first) = driver.poll_report().ok_or("the board did not answer")?;
//! assert_eq!(first.body, ReportBody::Link(LinkState::Up));
//! # Ok::<(), &str>(())
//! ```
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(missing_docs)]

pub mod bus;
pub mod clock;
mod decoder;
mod driver;
mod encoder;
mod frames;
pub mod host;
pub mod log;
mod message;
pub mod simulator;
pub mod wire;

pub use decoder::{Counters, Decoder, Item};
pub use driver::{BOARD_LAG, CLOCK_LAG, DgtDriver, Transport};
pub use encoder::encode;
pub use message::{BatteryStatus, LOG_LENGTH, Message};
