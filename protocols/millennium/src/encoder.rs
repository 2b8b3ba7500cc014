// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages to bytes, as a board does it.

use arbiterd_board::Placement;

use crate::message::Message;
use crate::wire::{self, answer};

/// The bytes of a message, with odd parity in bit 7, as genuine boards send them.
///
/// [`wire::without_parity`] gives what a board sends that knows no parity. Squares that hold what
/// is no piece are sent as `?`.
#[must_use]
pub fn encode(message: &Message) -> Vec<u8> {
    match message {
        Message::Version(version) => frame(answer::VERSION, &hex([version.main, version.sub])),
        Message::BareVersion(version) => {
            let bare = core::iter::once(answer::VERSION).chain(hex([version.main, version.sub]));
            bare.map(wire::with_parity).collect()
        }
        Message::Status(placement) => frame(answer::STATUS, &letters(placement)),
        Message::Dump(placement) => frame(answer::DUMP, &letters(placement)),
        Message::LightsSet => frame(answer::LIGHTS, &[]),
        Message::LightsOff => frame(answer::LIGHTS_OFF, &[]),
        Message::Restarting => frame(answer::RESET, &[]),
        Message::Register { address, value } => frame(answer::READ, &hex([*address, *value])),
        Message::Written { address, value } => frame(answer::WRITE, &hex([*address, *value])),
        Message::Information { page, text } => {
            let mut payload = wire::hex_digits(*page).to_vec();
            payload.extend(text.as_str().bytes());
            payload.push(b'\n');
            frame(answer::INFORMATION, &payload)
        }
    }
}

fn hex(values: [u8; 2]) -> Vec<u8> {
    values.into_iter().flat_map(wire::hex_digits).collect()
}

fn letters(placement: &Placement) -> Vec<u8> {
    wire::status_order().map(|square| wire::status_letter(placement[square])).collect()
}

fn frame(letter: u8, payload: &[u8]) -> Vec<u8> {
    wire::frame(core::iter::once(letter).chain(payload.iter().copied()))
}
