// SPDX-License-Identifier: MIT OR Apache-2.0
//! In the steady state nothing is allocated: a daemon that runs for a day on a small machine
//! decodes as many bytes as it likes in the memory that it has.

#[path = "../../board/tests/shared/allocations.rs"]
mod shared;

use allocation_counter::measure;
use arbiterd_board::{Driver, Mono};
use arbiterd_dgt::bus::BusDecoder;
use arbiterd_dgt::{Decoder, DgtDriver};

use shared::{assert_none, steady};

const SQUARE: [u8; 5] = [0x8e, 0, 5, 0x34, 0];
const PAWN: [u8; 5] = [0x8e, 0, 5, 0x24, 1];
const TIMES: [u8; 10] = [0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x29, 0x58, 0x11];
const ANSWER: [u8; 10] = [0x8d, 0, 0x0a, 0x0a, 0x10, 0x0c, 0x0a, 0, 0, 0];
/// Changes of board 1025: e2 off, white pawn on e4, the left clock 1:29:58.
const CHANGES: [u8; 13] = [0x85, 0, 0x0d, 8, 1, 0x40, 0x34, 0x51, 0x24, 0x71, 0x29, 0x58, 0x76];
const BUS_TIMES: [u8; 13] = [0x84, 0, 0x0d, 8, 1, 1, 0x30, 0, 1, 0x29, 0x58, 0x11, 0x5e];

fn dump() -> Vec<u8> {
    [0x86, 0, 0x43].into_iter().chain([0; 64]).collect()
}

/// A thousand times over.
fn stream(frames: &[&[u8]]) -> Vec<u8> {
    frames.concat().repeat(1000)
}

#[test]
fn the_decoder_allocates_nothing() {
    let bytes = stream(&[&SQUARE, &PAWN, &TIMES, &ANSWER, &dump(), &[1, 2, 3], &[0x8e, 0]]);
    let mut decoder = Decoder::new();
    // Five messages in each of two thousand rounds, and the noise between them.
    assert_none(&bytes, 10_000, |rest| decoder.decode(rest).is_some());
}

#[test]
fn the_decoder_of_bus_mode_allocates_nothing() {
    let bytes = stream(&[&CHANGES, &BUS_TIMES, &[1, 2, 3]]);
    let mut decoder = BusDecoder::default();
    assert_none(&bytes, 4000, |rest| decoder.decode(rest).is_some());
}

#[test]
fn the_driver_allocates_nothing_for_what_it_hears() {
    let mut driver = DgtDriver::new();
    let mut now = 0;
    driver.reset(Mono::ZERO);
    // The conversation up to the first dump; every question is answered.
    while now < 3000 {
        now += 50;
        driver.handle_timeout(Mono::from_millis(now));
        while let Some(said) = driver.poll_transmit() {
            match said.as_slice() {
                [0x4d] => driver.receive(Mono::from_millis(now), &[0x93, 0, 5, 3, 1]),
                [0x42] => driver.receive(Mono::from_millis(now), &dump()),
                _ => {}
            }
        }
    }
    let bytes = stream(&[&SQUARE, &PAWN, &TIMES]);
    let mut reports = 0;
    let used = steady(|| {
        for portion in bytes.chunks(7) {
            driver.receive(Mono::from_millis(now), portion);
            while driver.poll_report().is_some() {
                reports += 1;
            }
        }
    });
    assert!(reports >= 6000, "{reports}");
    assert_eq!(used.count_total, 0, "{used:?}");
}

/// Whatever comes, a decoder holds one frame at most: the longest is 8063 bytes (length bytes 3e
/// and 7f), and a buffer that grows by doubling takes no more than twice as much, and as much
/// again while it is copied.
#[test]
fn the_memory_of_a_decoder_is_bounded() {
    const MOST: u64 = 4 * 8063;
    let endless = [vec![0x99, 0x3e, 0x7f], vec![0x11; 8000]].concat().repeat(20);
    let skipped = [vec![0x99, 0x3e, 0x7f], vec![0x11; 8060]].concat().repeat(20);
    let junk = vec![0x11; 200_000];
    let starts = vec![0x8e; 200_000];
    for bytes in [&endless, &skipped, &junk, &starts] {
        let used = measure(|| {
            let mut decoder = Decoder::new();
            let mut rest = &bytes[..];
            while decoder.decode(&mut rest).is_some() {}
        });
        assert!(used.bytes_max <= MOST, "{used:?}");
        let used = measure(|| {
            let mut decoder = BusDecoder::new();
            let mut rest = &bytes[..];
            while decoder.decode(&mut rest).is_some() {}
        });
        assert!(used.bytes_max <= MOST, "{used:?}");
    }
}
