// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bus mode: several boards on one line (topic: bus mode).
//!
//! The host asks and one board answers; nothing is sent unasked, and a board keeps one command
//! of input. Every frame carries an address and a checksum, which those of single-board mode do
//! not; ids of the two modes overlap, so a reader must know the mode.
//!
//! | part | what it does |
//! |---|---|
//! | [`BusAddress`], [`BusFrame`] | what the host says, and to whom |
//! | [`BusMessage`], [`encode`] | what a board answers |
//! | [`BusDecoder`] | bytes to answers, in any portions, never failing |
//! | [`DgtBusDriver`] | the host's side of the conversation with all boards of a line |

mod decoder;
mod driver;
mod frame;
mod message;

pub use decoder::{BusDecoder, BusItem};
pub use driver::DgtBusDriver;
pub use frame::{BusAddress, BusAddressError, BusCommand, BusFrame, BusFrameError, LineCommand};
pub use message::{Answer, BusMessage, encode};
