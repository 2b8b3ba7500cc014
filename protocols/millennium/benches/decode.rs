// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast bytes become messages.
#![allow(missing_docs, reason = "criterion's macro makes a public function")]

#[path = "../../board/tests/shared/bench.rs"]
mod bench;

use arbiterd_board::Version;
use arbiterd_millennium::{Decoder, Item, Message, encode};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

const ROUNDS: usize = 1024;

/// The initial position, and it again with a square between.
fn statuses() -> Vec<u8> {
    let boards =
        ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"];
    boards
        .into_iter()
        .filter_map(|board| board.parse().ok())
        .flat_map(|p| encode(&Message::Status(p)))
        .collect()
}

fn answers() -> Vec<u8> {
    let messages = [
        Message::Version(Version { main: 1, sub: 3 }),
        Message::LightsSet,
        Message::LightsOff,
        Message::Register { address: 2, value: 0 },
        Message::Written { address: 2, value: 3 },
    ];
    messages.iter().flat_map(encode).collect()
}

fn decode(bytes: &[u8]) -> usize {
    let (mut decoder, mut rest, mut messages) = (Decoder::new(), black_box(bytes), 0);
    while let Some(item) = decoder.decode(&mut rest) {
        messages += usize::from(matches!(black_box(item), Item::Message(_)));
    }
    messages
}

fn all(c: &mut Criterion) {
    let broken: Vec<u8> = statuses().into_iter().skip(1).collect();
    let streams = [
        ("statuses", statuses().repeat(ROUNDS)),
        ("answers", answers().repeat(ROUNDS)),
        ("broken statuses", [&broken[..], &broken[..40]].concat().repeat(ROUNDS)),
        ("noise", [0x12, 0x34, 0x56, 0x8e, 0x00].repeat(ROUNDS)),
    ];
    bench::decode(c, streams.map(|(name, bytes)| (name, bytes, decode as bench::Decode)));
}

criterion_group!(benches, all);
criterion_main!(benches);
