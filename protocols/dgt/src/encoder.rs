// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages to bytes, as a board does it.

use arbiterd_board::Placement;

use crate::message::{LOG_LENGTH, Message};
use crate::wire::{self, id};

/// The bytes of a message.
///
/// What the line cannot carry is fitted to it: characters outside ASCII become `?`, a text is
/// cut to the longest its kind allows, a serial number is filled with zeros at its left and
/// cut to its last characters, a bus address keeps its low 14 bits, and a log is cut or filled
/// with zeros to its length.
#[must_use]
pub fn encode(message: &Message) -> Vec<u8> {
    match message {
        Message::Board(placement) => frame(id::BOARD_DUMP, board(placement)),
        Message::Square { square, occupant } => {
            frame(id::FIELD_UPDATE, [wire::raw_square(*square), wire::piece_code(*occupant)])
        }
        Message::Clock(message) => frame(id::CLOCK, message.encode()),
        Message::Version(version) => frame(id::VERSION, [version.main, version.sub]),
        Message::Serial(text) => frame(id::SERIAL, digits::<5>(text)),
        Message::LongSerial(text) => frame(id::LONG_SERIAL, digits::<10>(text)),
        Message::Battery(status) => frame(id::BATTERY, status.encode()),
        Message::BusAddress(address) => {
            let [high, low] = [address >> 7, *address].map(seven_bits);
            frame(id::BUS_ADDRESS, [high, low])
        }
        Message::TradeMark(text) => frame(id::TRADE_MARK, ascii(text).take(LONGEST_TEXT)),
        Message::Log(log) => {
            // Zero is no record: it fills what is missing.
            let whole = log.iter().copied().chain(core::iter::repeat(0)).take(LOG_LENGTH);
            frame(id::EE_MOVES, whole)
        }
    }
}

const LONGEST_TEXT: usize = 256;

pub(crate) fn board(placement: &Placement) -> impl Iterator<Item = u8> {
    wire::raw_order().map(|square| wire::piece_code(placement[square]))
}

fn ascii(text: &str) -> impl DoubleEndedIterator<Item = u8> {
    text.chars().map(|c| u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(b'?'))
}

fn digits<const N: usize>(text: &str) -> [u8; N] {
    let mut out = [b'0'; N];
    for (slot, byte) in out.iter_mut().rev().zip(ascii(text).rev()) {
        *slot = byte;
    }
    out
}

pub(crate) fn seven_bits(value: u16) -> u8 {
    // Seven bits always fit.
    u8::try_from(value & 0x7f).unwrap_or(0)
}

fn frame(id: u8, payload: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let mut out = vec![id, 0, 0];
    // Bit 7 marks the start of a message and may occur nowhere else.
    out.extend(payload.into_iter().map(|b| b & 0x7f));
    let total = u16::try_from(out.len()).unwrap_or(u16::MAX);
    out[1] = seven_bits(total >> 7);
    out[2] = seven_bits(total);
    out
}

#[cfg(test)]
mod tests {
    use arbiterd_board::{ClockReading, ClockSide, Flag, Lever, SideReading, Square, Version};
    use core::time::Duration;
    use proptest::prelude::*;

    use super::*;
    use crate::clock::{ClockAck, ClockMessage, Times};
    use crate::message::BatteryStatus;
    use crate::{Decoder, Item};

    fn square() -> impl Strategy<Value = Square> {
        (0u8..64).prop_filter_map("on the board", Square::new)
    }

    fn occupant() -> impl Strategy<Value = arbiterd_board::Occupant> {
        (0u8..16).prop_map(wire::occupant)
    }

    fn placement() -> impl Strategy<Value = Placement> {
        proptest::collection::vec(occupant(), 64).prop_map(|occupants| {
            let mut placement = Placement::EMPTY;
            for (square, occupant) in Square::all().zip(occupants) {
                placement[square] = occupant;
            }
            placement
        })
    }

    fn side() -> impl Strategy<Value = SideReading> {
        let flag = prop_oneof![Just(Flag::Up), Just(Flag::Shown), Just(Flag::Fallen)];
        (0u64..36_000, flag)
            .prop_map(|(seconds, flag)| SideReading { remaining: Duration::from_secs(seconds), flag })
    }

    fn clock_side() -> impl Strategy<Value = ClockSide> {
        prop_oneof![Just(ClockSide::Left), Just(ClockSide::Right)]
    }

    fn times() -> impl Strategy<Value = ClockMessage> {
        let bits = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
        (side(), side(), clock_side(), proptest::option::of(clock_side()), bits)
            .prop_map(|(left, right, pressed, turn, (counting, low, left_per_move, right_per_move))| {
                let lever = Lever::Pressed(pressed);
                let reading = ClockReading { left, right, counting, lever, turn, battery_low: low };
                ClockMessage::Times(Times { reading, left_per_move, right_per_move })
            })
            .prop_filter("all zero is the null message", |m| m.encode() != [0; 7])
    }

    fn ack() -> impl Strategy<Value = ClockMessage> {
        any::<[u8; 4]>().prop_map(|[status, subject, value, detail]| {
            ClockMessage::Ack(ClockAck { status, subject, value, detail })
        })
    }

    fn battery() -> impl Strategy<Value = BatteryStatus> {
        let time = || (0u8..0x7f, 0u8..60);
        let standby = (0u8..0x7f, 0u8..24, 0u8..60);
        (0u8..=100, proptest::option::of(time()), time(), standby, any::<(bool, bool)>()).prop_map(
            |(percent, left, on, standby, (charging, discharging))| BatteryStatus {
                percent,
                left,
                on,
                standby,
                charging,
                discharging,
            },
        )
    }

    fn message() -> impl Strategy<Value = Message> {
        prop_oneof![
            placement().prop_map(Message::Board),
            (square(), occupant()).prop_map(|(square, occupant)| Message::Square { square, occupant }),
            times().prop_map(Message::Clock),
            ack().prop_map(Message::Clock),
            Just(Message::Clock(ClockMessage::Null)),
            Just(Message::Clock(ClockMessage::NoClock)),
            (0u8..0x80, 0u8..0x80).prop_map(|(main, sub)| Message::Version(Version { main, sub })),
            "[0-9]{5}".prop_map(Message::Serial),
            "[ -~]{10}".prop_map(Message::LongSerial),
            battery().prop_map(Message::Battery),
            (0u16..0x4000).prop_map(Message::BusAddress),
            "[\r\n -~]{0,256}".prop_map(Message::TradeMark),
        ]
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(messages in proptest::collection::vec(message(), 1..8)) {
            let bytes: Vec<u8> = messages.iter().flat_map(encode).collect();
            let mut rest = &bytes[..];
            let mut decoder = Decoder::new();
            let decoded: Vec<Item> = core::iter::from_fn(|| decoder.decode(&mut rest)).collect();
            let expected: Vec<Item> = messages.into_iter().map(Item::Message).collect();
            prop_assert_eq!(decoded, expected);
            prop_assert_eq!(decoder.counters(), crate::Counters::default());
        }

        #[test]
        fn any_bytes_are_survived_and_accounted_for(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let mut rest = &bytes[..];
            let mut decoder = Decoder::new();
            let mut good = 0;
            while let Some(item) = decoder.decode(&mut rest) {
                if let Item::Message(message) = item {
                    good += encode(&message).len() as u64;
                }
            }
            decoder.abandon();
            // A serial number may be four bytes longer on the wire than the five that count.
            let accounted = good + decoder.counters().dropped_bytes;
            prop_assert!(accounted <= bytes.len() as u64);
            prop_assert!(bytes.len() as u64 - accounted <= 4 * (bytes.len() as u64 / 8));
        }
    }
}
