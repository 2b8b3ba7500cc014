// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties of the decoder: bytes inserted, lost or changed anywhere cost at most the frames they
//! touch, and never make a frame that was not sent.
//!
//! The block parity is a sum without order, so some damage is a valid frame for every decoder: a byte
//! lost and an equal one inserted elsewhere in the frame, two equal changes, the head of one frame and
//! the tail of another (topic: what the check does not catch). Of such frames none is made here:
//!
//! * bits that are turned, up to three anywhere, are all caught, because the parity of each byte is
//!   checked too once it was learned, so there nothing is left out;
//! * of bytes that are inserted, lost or changed at will, up to three, each lies in a frame of its own, with a
//!   whole one between it and the next (the last letter of a status can be that of an answer, `r`, and the
//!   rest of a frame that has lost its own fit it);
//! * none is inserted where the last byte of the body is a hexadecimal digit: it would come to stand for the
//!   first digit of the parity, and one frame in some hundreds fits then;
//! * and none of them becomes `l`, `x` or `t`: these letters and the block parity behind them can be
//!   an acknowledgement, which acknowledges nothing unless the driver waits for it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

#[path = "../../board/tests/shared/damage.rs"]
mod shared;

use arbiterd_board::{Occupant, Piece, Placement, Square, Version};
use arbiterd_millennium::wire::{Cable, status_letter};
use arbiterd_millennium::{ByteParity, Decoder, Item, Message, Text, encode};
use proptest::prelude::*;
use proptest::sample::Index;

use shared::{Damage, Stream, any_damage, damage, damages, in_portions, is_subsequence, untouched};

fn occupant() -> impl Strategy<Value = Occupant> {
    let piece = proptest::sample::select("PNBRQKpnbrqk".chars().collect::<Vec<_>>())
        .prop_map(|letter| Occupant::Piece(Piece::from_letter(letter).unwrap()));
    prop_oneof![4 => Just(Occupant::Empty), 4 => piece, 1 => Just(Occupant::Unidentified)]
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

fn message() -> impl Strategy<Value = Message> {
    let two = || (any::<u8>(), any::<u8>());
    prop_oneof![
        6 => placement().prop_map(Message::Status),
        1 => placement().prop_map(Message::Dump),
        1 => two().prop_map(|(main, sub)| Message::Version(Version { main, sub })),
        2 => two().prop_map(|(address, value)| Message::Register { address, value }),
        1 => two().prop_map(|(address, value)| Message::Written { address, value }),
        1 => Just(Message::LightsSet),
        1 => Just(Message::LightsOff),
    ]
}

fn decode(decoder: &mut Decoder, bytes: &[u8], sizes: &[usize]) -> Vec<Item> {
    in_portions(bytes, sizes, |portion| decoder.decode(portion))
}

fn messages(items: &[Item]) -> Vec<Message> {
    let messages = items.iter().filter_map(|item| match item {
        Item::Message(message) => Some(*message),
        Item::Noise(_) => None,
    });
    messages.collect()
}

/// A decoder that has learned that the board sends odd parity.
fn strict() -> Decoder {
    let mut decoder = Decoder::new();
    let start = encode(&Message::Status(Placement::EMPTY));
    decode(&mut decoder, &start.repeat(3), &[]);
    assert_eq!(decoder.byte_parity(), ByteParity::Odd);
    decoder
}

/// Whether a byte that is inserted before it can make another frame of this one.
fn may_shift_into_a_frame(frame: &[u8]) -> bool {
    frame.iter().rev().nth(2).is_some_and(|last_of_body| (last_of_body & 0x7f).is_ascii_hexdigit())
}

/// The block parity of the longer body is "77", and its first digit stands there already.
#[test]
fn a_digit_that_is_inserted_can_make_another_register_of_one() {
    let mut frame = Stream::of(&[encode(&Message::Register { address: 0x99, value: 0x17 })]);
    frame.apply(1, Damage::Inserted(b'4'));
    let found = messages(&decode(&mut strict(), &frame.bytes(), &[]));
    assert_eq!(found, [Message::Register { address: 0x49, value: 0x91 }]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_encoded_is_decoded(
        sent in proptest::collection::vec(message(), 1..8),
        text in "[ -~]{0,80}",
        page in any::<u8>(),
        sizes in proptest::collection::vec(1usize..90, 0..40),
    ) {
        let mut sent = sent;
        sent.push(Message::Information { page, text: Text::new(&text) });
        let mut decoder = Decoder::new();
        decoder.expect_information(true);
        let all: Vec<u8> = sent.iter().flat_map(encode).collect();
        let items = decode(&mut decoder, &all, &sizes);
        prop_assert_eq!(messages(&items), sent.clone());
        prop_assert_eq!(items.len(), sent.len(), "no noise");
        prop_assert_eq!(decoder.counters().bytes, all.len() as u64);
        prop_assert_eq!(decoder.counters().dropped_bytes, 0);
    }

    #[test]
    fn any_portions_of_anything_give_the_same_items(
        sent in proptest::collection::vec(message(), 0..6),
        damages in damages(),
        sizes in proptest::collection::vec(1usize..90, 0..200),
        information in any::<bool>(),
    ) {
        let frames: Vec<Vec<u8>> = sent.iter().map(encode).collect();
        let (bytes, _) = damage(&frames, &damages);
        let [mut whole, mut parts] = [Decoder::new(), Decoder::new()];
        whole.expect_information(information);
        parts.expect_information(information);
        prop_assert_eq!(decode(&mut whole, &bytes, &[]), decode(&mut parts, &bytes, &sizes));
        prop_assert_eq!(whole.counters(), parts.counters());
    }

    #[test]
    fn damage_costs_the_frames_that_it_touches(
        sent in proptest::collection::vec(message(), 1..12),
        damages in damages(),
        sizes in proptest::collection::vec(1usize..40, 0..20),
    ) {
        let frames: Vec<Vec<u8>> = sent.iter().map(encode).collect();
        let (bytes, touched) = damage(&frames, &damages);
        let found = messages(&decode(&mut Decoder::new(), &bytes, &sizes));
        prop_assert!(is_subsequence(&untouched(&sent, &touched), &found), "{:?}", found);
        // A false message is made of damage, and of each no more than one.
        prop_assert!(found.len() <= sent.len() + damages.len(), "{:?}", found);
    }

    #[test]
    fn three_turned_bits_make_no_frame_that_was_not_sent(
        sent in proptest::collection::vec(message(), 1..5),
        turned in proptest::collection::vec((any::<Index>(), 0u8..8), 1..=3),
    ) {
        let mut all: Vec<u8> = sent.iter().flat_map(encode).collect();
        for (index, bit) in turned {
            let at = index.index(all.len());
            all[at] ^= 1 << bit;
        }
        let found = messages(&decode(&mut strict(), &all, &[]));
        prop_assert!(is_subsequence(&found, &sent), "{:?}", found);
    }

    #[test]
    fn three_faults_make_no_frame_that_was_not_sent(
        sent in proptest::collection::vec(message(), 5..8),
        faults in proptest::collection::vec((any::<Index>(), any_damage()), 1..=3),
    ) {
        let frames: Vec<Vec<u8>> = sent.iter().map(encode).collect();
        let mut damaged = Vec::new();
        for (number, frame) in frames.iter().enumerate() {
            let shifts = may_shift_into_a_frame(frame);
            let mut frame = Stream::of(core::slice::from_ref(frame));
            let fits = |damage: &Damage| shifts && matches!(damage, Damage::Inserted(_));
            let fault = faults.get(number / 2).filter(|_| number % 2 == 0);
            if let Some((index, damage)) = fault.filter(|(_, damage)| !fits(damage)) {
                let at = index.index(frame.0.len());
                let becomes = match damage {
                    Damage::Inserted(new) => *new,
                    Damage::Changed(bits) => frame.0[at].0 ^ bits,
                    Damage::Deleted => 0,
                };
                if !b"lxt".contains(&(becomes & 0x7f)) {
                    frame.apply(at, *damage);
                }
            }
            damaged.extend(frame.bytes());
        }
        let found = messages(&decode(&mut strict(), &damaged, &[]));
        prop_assert!(is_subsequence(&found, &sent), "{:?}", found);
    }

    /// What the players see is told in reverse by a board that is turned round.
    #[test]
    fn a_turned_board_tells_the_reverse(placement in placement()) {
        let letters = |cable: Cable| -> Vec<u8> {
            (0..64).map(|place| status_letter(placement[cable.square(place).unwrap()])).collect()
        };
        let mut reversed = letters(Cable::Right);
        reversed.reverse();
        prop_assert_eq!(letters(Cable::Left), reversed);
        let seven_bits = |frame: Vec<u8>| frame.into_iter().map(|b| b & 0x7f).collect::<Vec<u8>>();
        let left = seven_bits(encode(&Message::Status(placement)));
        let right = seven_bits(encode(&Message::Status(placement.rotated())));
        prop_assert_eq!(&left[1..65], letters(Cable::Left));
        prop_assert_eq!(&right[1..65], letters(Cable::Right));
        prop_assert_eq!(&left[65..], &right[65..], "a sum knows no order");
    }
}

/// Every single fault there is, in a stream of two statuses.
#[test]
fn no_single_fault_makes_a_frame_that_was_not_sent() {
    let sent = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "r3k2r/8/8/3Bb3/8/8/8/R3K2R"]
        .map(|fen| Message::Status(fen.parse().unwrap()));
    let all: Vec<u8> = sent.iter().flat_map(encode).collect();
    let judge = |bytes: &[u8]| {
        let found = messages(&decode(&mut strict(), bytes, &[]));
        assert!(is_subsequence(&found, &sent), "{found:?}");
        assert!(!found.is_empty(), "one of two is touched");
    };
    for at in 0..all.len() {
        let mut deleted = all.clone();
        deleted.remove(at);
        judge(&deleted);
        for byte in 0..=255 {
            let mut changed = all.clone();
            changed[at] = byte;
            judge(&changed);
            let mut inserted = all.clone();
            inserted.insert(at, byte);
            judge(&inserted);
        }
    }
}
