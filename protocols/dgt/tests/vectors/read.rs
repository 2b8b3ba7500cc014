// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes as text, and what comes of them.

use core::time::Duration;

use arbiterd_board::{
    ClockReading, ClockSide, Flag, Lever, Noise, NoiseCause, Occupant, Placement, SideReading,
};
use arbiterd_dgt::clock::{ClockAck, ClockMessage, Times};
use arbiterd_dgt::{Decoder, Item, Message, encode};

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// Bytes from hexadecimal text.
pub fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect()
}

pub fn drain(decoder: &mut Decoder, bytes: &[u8]) -> Vec<Item> {
    let mut rest = bytes;
    core::iter::from_fn(|| decoder.decode(&mut rest)).collect()
}

pub fn decode(bytes: &[u8]) -> Vec<Item> {
    drain(&mut Decoder::new(), bytes)
}

/// The messages in a stream without noise.
pub fn messages(text: &str) -> Vec<Message> {
    let bytes = hex(text);
    decode(&bytes)
        .into_iter()
        .map(|item| match item {
            Item::Message(message) => message,
            Item::Noise(noise) => panic!("{text}: {noise:?}"),
        })
        .collect()
}

pub fn message(text: &str) -> Message {
    let mut all = messages(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

pub fn clock(text: &str) -> ClockMessage {
    match message(text) {
        Message::Clock(clock) => clock,
        other => panic!("{text}: {other:?}"),
    }
}

pub fn ack(text: &str) -> ClockAck {
    match clock(text) {
        ClockMessage::Ack(ack) => ack,
        other => panic!("{text}: {other:?}"),
    }
}

pub fn ack_bytes(text: &str) -> [u8; 4] {
    let ack = ack(text);
    [ack.status, ack.subject, ack.value, ack.detail]
}

pub fn occupant(letter: char) -> Occupant {
    Occupant::from_letter(letter).unwrap()
}

pub fn square(name: &str, letter: char) -> Message {
    Message::Square { square: name.parse().unwrap(), occupant: occupant(letter) }
}

pub fn changes(text: &str, expected: &[(&str, char)]) {
    let expected: Vec<Message> = expected.iter().map(|(name, letter)| square(name, *letter)).collect();
    assert_eq!(messages(text), expected);
    assert_eq!(expected.iter().flat_map(encode).collect::<Vec<_>>(), hex(text));
}

pub fn time(hours: u64, minutes: u64, seconds: u64, flag: Flag) -> SideReading {
    SideReading { remaining: Duration::from_secs(hours * 3600 + minutes * 60 + seconds), flag }
}

/// A reading in which `high` is to move and its opponent pressed last.
pub fn reading(left: SideReading, right: SideReading, counting: bool, high: ClockSide) -> Times {
    let reading = ClockReading {
        left,
        right,
        counting,
        lever: Lever::Pressed(high.other()),
        turn: Some(high),
        battery_low: false,
    };
    Times { reading, left_per_move: false, right_per_move: false }
}

pub fn times(text: &str, expected: Times) {
    assert_eq!(clock(text), ClockMessage::Times(expected));
    assert_eq!(encode(&Message::Clock(ClockMessage::Times(expected))), hex(text));
}

pub fn dump(text: &str, placement: &str) {
    let placement: Placement = placement.parse().unwrap();
    assert_eq!(message(text), Message::Board(placement));
    assert_eq!(encode(&Message::Board(placement)), hex(text));
}

pub fn noise(bytes: u32, cause: NoiseCause) -> Item {
    Item::Noise(Noise { bytes, cause })
}

pub fn pawn_on_e4() -> Item {
    Item::Message(square("e4", 'P'))
}

pub fn e2_empty() -> Item {
    Item::Message(square("e2", '.'))
}
