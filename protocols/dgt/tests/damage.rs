// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties of both decoders: bytes inserted, lost or changed anywhere in a stream of messages
//! of every kind cost at most the frames they touch.
//!
//! A frame is touched by what happens to its own bytes. What is put before its first byte, or
//! stands where its neighbour's bytes were, touches it not: a byte from 0x80 on always begins a
//! new frame (topic: framing).
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

#[path = "../../board/tests/shared/damage.rs"]
mod shared;

use arbiterd_board::{ClockReading, Flag, Lever, Placement, SideReading, Square, Version};
use arbiterd_dgt::bus::{self, Answer, BusAddress, BusDecoder, BusItem, BusMessage};
use arbiterd_dgt::clock::{ClockAck, ClockMessage, Times};
use arbiterd_dgt::log::Log;
use arbiterd_dgt::wire::{clock_code, occupant};
use arbiterd_dgt::{BatteryStatus, Decoder, Item, LOG_LENGTH, Message, encode};
use core::time::Duration;
use proptest::prelude::*;
use proptest::sample::Index;

use shared::{damage, damages, in_portions, is_subsequence, untouched};

fn placement() -> impl Strategy<Value = Placement> {
    proptest::collection::vec(0u8..16, 64).prop_map(|codes| {
        let mut placement = Placement::EMPTY;
        for (square, code) in Square::all().zip(codes) {
            placement[square] = occupant(code);
        }
        placement
    })
}

fn clock() -> impl Strategy<Value = ClockMessage> {
    let times = (0u64..36_000, 0u64..36_000, any::<bool>()).prop_map(|(left, right, battery_low)| {
        let side = |seconds| SideReading { remaining: Duration::from_secs(seconds), flag: Flag::Up };
        let reading = ClockReading {
            left: side(left),
            right: side(right),
            counting: true,
            lever: Lever::Pressed(arbiterd_board::ClockSide::Left),
            turn: None,
            battery_low,
        };
        ClockMessage::Times(Times { reading, left_per_move: false, right_per_move: false })
    });
    prop_oneof![times, Just(ClockMessage::NoClock), Just(ClockMessage::Ack(ClockAck::good(clock_code::TEXT))),]
}

fn digits(count: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(b'0'..=b'9', count).prop_map(|d| String::from_utf8(d).unwrap())
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        4 => (0u8..64, 0u8..16).prop_map(|(square, code)| Message::Square {
            square: Square::new(square).unwrap(),
            occupant: occupant(code),
        }),
        4 => clock().prop_map(Message::Clock),
        2 => placement().prop_map(Message::Board),
        1 => (0u8..128, 0u8..128).prop_map(|(main, sub)| Message::Version(Version { main, sub })),
        1 => digits(5).prop_map(Message::Serial),
        1 => digits(10).prop_map(Message::LongSerial),
        1 => (0u16..0x4000).prop_map(Message::BusAddress),
        1 => (0u8..=100).prop_map(|percent| Message::Battery(BatteryStatus {
            percent,
            ..BatteryStatus::default()
        })),
        1 => digits(153).prop_map(Message::TradeMark),
        1 => (0u8..128).prop_map(|byte| Message::Log(vec![byte; LOG_LENGTH])),
    ]
}

/// An answer of bus mode, as its bytes.
fn answer() -> impl Strategy<Value = Vec<u8>> {
    let frame = |number: u16, answer: Answer<'_>| {
        bus::encode(&BusMessage { address: BusAddress::new(number).unwrap(), answer })
    };
    let log = || proptest::collection::vec(0u8..128, 0..40);
    let number = || 1u16..=0x3fff;
    prop_oneof![
        (number(), log()).prop_map(move |(n, log)| frame(n, Answer::Changes(Log::new(&log)))),
        (number(), log()).prop_map(move |(n, log)| frame(n, Answer::FromStart(Log::new(&log)))),
        (number(), clock()).prop_map(move |(n, clock)| frame(n, Answer::Clock(clock))),
        (number(), placement()).prop_map(move |(n, board)| frame(n, Answer::Board(board))),
        number().prop_map(move |n| frame(n, Answer::Ping)),
        number().prop_map(move |n| frame(n, Answer::Started)),
        (number(), any::<bool>()).prop_map(move |(n, told)| {
            frame(n, Answer::Version(told.then_some(Version { main: 1, sub: 3 })))
        }),
    ]
}

fn single(bytes: &[u8], sizes: &[usize]) -> Vec<Message> {
    let mut decoder = Decoder::new();
    let items = in_portions(bytes, sizes, |portion| decoder.decode(portion));
    items.into_iter().filter_map(|item| if let Item::Message(m) = item { Some(m) } else { None }).collect()
}

/// Answers, as the bytes that they are made of.
fn on_bus(bytes: &[u8], sizes: &[usize]) -> Vec<Vec<u8>> {
    let mut decoder = BusDecoder::new();
    let items = in_portions(bytes, sizes, |portion| match decoder.decode(portion)? {
        BusItem::Message(message) => Some(Some(bus::encode(&message))),
        BusItem::Noise(_) => Some(None),
    });
    items.into_iter().flatten().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_costs_a_single_board_the_frames_it_touches(
        messages in proptest::collection::vec(message(), 1..12),
        damages in damages(),
        sizes in proptest::collection::vec(1usize..40, 0..20),
    ) {
        let frames: Vec<Vec<u8>> = messages.iter().map(encode).collect();
        prop_assert_eq!(&single(&frames.concat(), &sizes), &messages, "undamaged");
        let (bytes, touched) = damage(&frames, &damages);
        let found = single(&bytes, &sizes);
        prop_assert!(is_subsequence(&untouched(&messages, &touched), &found), "{found:?}");
        // A false message is made of damage, and of each no more than one.
        prop_assert!(found.len() <= messages.len() + damages.len(), "{found:?}");
    }

    #[test]
    fn damage_costs_a_bus_the_frames_it_touches(
        frames in proptest::collection::vec(answer(), 1..12),
        damages in damages(),
        sizes in proptest::collection::vec(1usize..40, 0..20),
    ) {
        prop_assert_eq!(&on_bus(&frames.concat(), &sizes), &frames, "undamaged");
        let (bytes, touched) = damage(&frames, &damages);
        let found = on_bus(&bytes, &sizes);
        prop_assert!(is_subsequence(&untouched(&frames, &touched), &found), "{found:?}");
    }

    /// The checksum is a sum of seven bits, so it notices each change of one byte, but for those of
    /// the length, which say where the checksum stands.
    #[test]
    fn a_changed_byte_on_a_bus_is_no_answer(frame in answer(), at in any::<Index>(), bits in 1u8..0x80) {
        let mut bytes = frame;
        let at = at.index(bytes.len() - 2);
        let at = if at == 0 { 0 } else { at + 2 };
        bytes[at] ^= bits;
        prop_assert_eq!(on_bus(&bytes, &[]), Vec::<Vec<u8>>::new());
    }
}
