// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast bytes become messages.
#![allow(missing_docs, reason = "criterion's macro makes a public function")]

#[path = "../../board/tests/shared/bench.rs"]
mod bench;

use arbiterd_dgt::bus::BusDecoder;
use arbiterd_dgt::{Decoder, Item};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

const UPDATES: [u8; 20] =
    [0x8e, 0, 5, 0x34, 0, 0x8e, 0, 5, 0x24, 1, 0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x29, 0x58, 0x11];
const BUS: [u8; 26] = [
    0x85, 0, 0x0d, 8, 1, 0x40, 0x34, 0x51, 0x24, 0x71, 0x29, 0x58, 0x76, 0x84, 0, 0x0d, 8, 1, 1, 0x30, 0, 1,
    0x29, 0x58, 0x11, 0x5e,
];
const ROUNDS: usize = 4096;

/// The initial position.
fn dump() -> Vec<u8> {
    let mut bytes = vec![0x86, 0, 0x43, 8, 9, 10, 12, 11, 10, 9, 8];
    bytes.extend([7; 8]);
    bytes.extend([0; 32]);
    bytes.extend([1; 8]);
    bytes.extend([2, 3, 4, 6, 5, 4, 3, 2]);
    bytes
}

fn single(bytes: &[u8]) -> usize {
    let (mut decoder, mut rest, mut messages) = (Decoder::new(), black_box(bytes), 0);
    while let Some(item) = decoder.decode(&mut rest) {
        messages += usize::from(matches!(black_box(item), Item::Message(_)));
    }
    messages
}

fn bus(bytes: &[u8]) -> usize {
    let (mut decoder, mut rest, mut items) = (BusDecoder::default(), black_box(bytes), 0);
    while let Some(item) = decoder.decode(&mut rest) {
        black_box(&item);
        items += 1;
    }
    items
}

fn decode(c: &mut Criterion) {
    let streams: [(&str, Vec<u8>, bench::Decode); 4] = [
        ("updates and times", UPDATES.repeat(ROUNDS), single),
        ("dumps", dump().repeat(ROUNDS), single),
        ("noise", [0x12, 0x34, 0x56, 0x8e, 0x00].repeat(ROUNDS), single),
        ("bus", BUS.repeat(ROUNDS), bus),
    ];
    bench::decode(c, streams);
}

criterion_group!(benches, decode);
criterion_main!(benches);
