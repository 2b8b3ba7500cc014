// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worked vectors of the protocol, by the numbers that their description gives them. Each bears its
//! number in its name.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

mod broken;
mod data;
mod lights;
mod sequences;
mod short;
mod statuses;

use arbiterd_board::{Noise, NoiseCause, Placement};
use arbiterd_millennium::{ByteParity, Decoder, Item, Message};

pub fn drain(decoder: &mut Decoder, bytes: &[u8]) -> Vec<Item> {
    let mut rest = bytes;
    let items = core::iter::from_fn(|| decoder.decode(&mut rest)).collect();
    assert!(rest.is_empty());
    items
}

pub fn decode(bytes: &[u8]) -> Vec<Item> {
    drain(&mut Decoder::new(), bytes)
}

/// A decoder that has learned that the board sends odd parity.
pub fn strict() -> Decoder {
    let mut decoder = Decoder::new();
    drain(&mut decoder, &data::V17.bytes().repeat(3));
    assert_eq!(decoder.byte_parity(), ByteParity::Odd);
    decoder
}

pub fn noise(bytes: u32, cause: NoiseCause) -> Item {
    Item::Noise(Noise { bytes, cause })
}

pub fn status(fen: &str) -> Item {
    Item::Message(Message::Status(placement(fen)))
}

pub fn placement(fen: &str) -> Placement {
    fen.parse().unwrap()
}

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
pub const E2_LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
pub const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
