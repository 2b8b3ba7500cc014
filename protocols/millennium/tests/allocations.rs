// SPDX-License-Identifier: MIT OR Apache-2.0
//! In the steady state nothing is allocated: a daemon that runs for a day on a small machine
//! decodes as many bytes as it likes in the memory that it has.
#![allow(clippy::unwrap_used, reason = "in a test a panic is a failed test")]

#[path = "../../board/tests/shared/allocations.rs"]
mod shared;

use allocation_counter::measure;
use arbiterd_board::{Driver, Mono, Placement, Version};
use arbiterd_millennium::{Decoder, Message, MillenniumDriver, encode};

use shared::{assert_none, steady};

fn status(fen: &str) -> Vec<u8> {
    encode(&Message::Status(fen.parse::<Placement>().unwrap()))
}

fn start() -> Vec<u8> {
    status("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR")
}

fn lifted() -> Vec<u8> {
    status("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")
}

#[test]
fn the_decoder_allocates_nothing() {
    let answers = [
        Message::Version(Version { main: 1, sub: 3 }),
        Message::Register { address: 1, value: 0x14 },
        Message::LightsSet,
    ];
    let answers: Vec<u8> = answers.iter().flat_map(encode).collect();
    let noise = [&[0, 0xff, b'i', b'r'][..], &start()[..40], b"S53"].concat();
    let bytes = [start(), answers, noise, lifted()].concat().repeat(1000);
    let mut decoder = Decoder::new();
    // Five messages and noise in each of two thousand rounds.
    assert_none(&bytes, 12_000, |rest| decoder.decode(rest).is_some());
}

#[test]
fn the_driver_allocates_nothing_for_what_it_hears() {
    let mut driver = MillenniumDriver::new();
    let mut now = 0;
    driver.reset(Mono::ZERO);
    // The conversation up to the first board; every question is answered.
    while now < 1000 {
        now += 20;
        driver.handle_timeout(Mono::from_millis(now));
        while let Some(said) = driver.poll_transmit() {
            let said: Vec<u8> = said.iter().map(|b| b & 0x7f).collect();
            let value = |digits: &[u8]| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap();
            let answer = match said.as_slice() {
                [b'V', ..] => encode(&Message::Version(Version { main: 1, sub: 3 })),
                [b'R', high, low, ..] => {
                    let address = value(&[*high, *low]);
                    encode(&Message::Register { address, value: if address == 1 { 0x14 } else { 0 } })
                }
                [b'X', ..] => encode(&Message::LightsOff),
                _ => start(),
            };
            driver.receive(Mono::from_millis(now), &answer);
        }
    }
    let scans = [start().repeat(30), lifted().repeat(30)].concat().repeat(20);
    let mut reports = 0;
    let used = steady(|| {
        for portion in scans.chunks(67) {
            now += 41;
            for part in portion.chunks(20) {
                driver.receive(Mono::from_millis(now), part);
            }
            while driver.poll_report().is_some() {
                reports += 1;
            }
        }
    });
    // A scan, a square and a board for each of 40 changes, twice, and boards each second.
    assert!(reports >= 240, "{reports}");
    assert_eq!(used.count_total, 0, "{used:?}");
}

/// A decoder holds one frame in place.
#[test]
fn the_memory_of_a_decoder_is_bounded() {
    let endless = [&b"i00"[..], &[b'a'; 200]].concat().repeat(100);
    for bytes in
        [endless, vec![b'L'; 100_000], vec![b'r'; 100_000], vec![0; 100_000], start()[..66].repeat(1000)]
    {
        let used = measure(|| {
            let mut decoder = Decoder::new();
            decoder.expect_information(true);
            let mut rest = &bytes[..];
            while decoder.decode(&mut rest).is_some() {}
        });
        assert_eq!(used.count_total, 0, "{used:?}");
    }
}
