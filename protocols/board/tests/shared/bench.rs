// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast bytes become messages, beside a plain walk over the same bytes, which is the most
//! that any decoder could reach: on a noisy machine only the ratio of the two means something.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;

/// Decodes a stream and counts what it finds.
pub type Decode = fn(&[u8]) -> usize;

/// A plain walk: what the bytes add up to.
fn walk(bytes: &[u8]) -> u64 {
    black_box(bytes).iter().map(|b| u64::from(black_box(*b))).sum()
}

pub fn decode(c: &mut Criterion, streams: impl IntoIterator<Item = (&'static str, Vec<u8>, Decode)>) {
    let mut group = c.benchmark_group("decode");
    for (name, bytes, decode) in streams {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(BenchmarkId::new("messages", name), &bytes, |b, bytes| {
            b.iter(|| decode(bytes))
        });
        group.bench_with_input(BenchmarkId::new("walk", name), &bytes, |b, bytes| b.iter(|| walk(bytes)));
    }
    group.finish();
}
