// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board answers on a bus: `id, length high, length low, address high, address low, data,
//! checksum`.

use arbiterd_board::{Placement, Version};

use super::frame::BusAddress;
use crate::clock::ClockMessage;
use crate::encoder::{board, seven_bits};
use crate::log::{LONGEST_LOG, Log};
use crate::wire::{bus_checksum, bus_id};

/// A valid answer and whose it is. Records are borrowed from where the bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusMessage<'a> {
    /// The board that answers.
    pub address: BusAddress,
    /// What it says.
    pub answer: Answer<'a>,
}

/// What a board answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer<'a> {
    /// The whole board.
    Board(Placement),
    /// The clock, in the seven bytes of single-board mode.
    Clock(ClockMessage),
    /// What changed since the changes were asked for last, or the same again if that was asked.
    Changes(Log<'a>),
    /// Everything since the start of the game was marked.
    FromStart(Log<'a>),
    /// A sign of life: to a ping, and to the order to ignore the next one.
    Ping,
    /// The start of the game was marked.
    Started,
    /// The firmware version; boards up to 1.2 answer without it.
    Version(Option<Version>),
}

/// The bytes of an answer.
///
/// What the line cannot carry is fitted to it: a log is cut to its last
/// [`LONGEST_LOG`] bytes.
#[must_use]
pub fn encode(message: &BusMessage<'_>) -> Vec<u8> {
    let address = message.address;
    match message.answer {
        Answer::Board(placement) => frame(bus_id::BOARD, address, board(&placement)),
        Answer::Clock(clock) => frame(bus_id::CLOCK, address, clock.encode()),
        Answer::Changes(log) => frame(bus_id::CHANGES, address, last(log)),
        Answer::FromStart(log) => frame(bus_id::FROM_START, address, last(log)),
        Answer::Ping => frame(bus_id::PING, address, []),
        Answer::Started => frame(bus_id::STARTED, address, []),
        Answer::Version(None) => frame(bus_id::VERSION, address, []),
        Answer::Version(Some(version)) => frame(bus_id::VERSION, address, [version.main, version.sub]),
    }
}

fn last(log: Log<'_>) -> impl Iterator<Item = u8> {
    let over = log.bytes().len().saturating_sub(LONGEST_LOG);
    log.bytes().iter().skip(over).copied()
}

fn frame(id: u8, address: BusAddress, data: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let [high, low] = address.bytes();
    let mut out = vec![id, 0, 0, high, low];
    // Bit 7 marks the start of a frame and may occur nowhere else.
    out.extend(data.into_iter().map(|b| b & 0x7f));
    // The checksum counts too.
    let total = u16::try_from(out.len() + 1).unwrap_or(u16::MAX);
    if let [_, high, low, ..] = &mut out[..] {
        [*high, *low] = [total >> 7, total].map(seven_bits);
    }
    out.push(bus_checksum(&out));
    out
}
