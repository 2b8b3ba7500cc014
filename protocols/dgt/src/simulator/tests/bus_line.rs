// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several boards on one line.

use super::*;

fn with_serial(serial: u32) -> Options {
    Options { serial, version: Version { main: 1, sub: 3 }, clock: None, ..Options::default() }
}

fn line(echo: bool, serials: &[u32]) -> BusLine {
    let boards = serials.iter().map(|serial| with_serial(*serial)).collect();
    BusLine::new(Mono::ZERO, BusLineOptions { echo, seed: 7 }, boards).unwrap()
}

/// Lets time pass and returns each byte with the moment at which the host has it.
fn listen(line: &mut BusLine, until: u64) -> Vec<(Mono, u8)> {
    let mut heard = Vec::new();
    while let Some(at) = line.poll_timeout().filter(|at| *at <= ms(until)) {
        line.handle_timeout(at);
        while let Some(bytes) = line.poll_transmit() {
            heard.extend(bytes.into_iter().map(|byte| (at, byte)));
        }
    }
    line.handle_timeout(ms(until));
    heard
}

fn bytes(heard: &[(Mono, u8)]) -> Vec<u8> {
    heard.iter().map(|(_, byte)| *byte).collect()
}

#[test]
fn time_on_the_line() {
    let mut line = line(false, &[1025, 1026]);
    listen(&mut line, 1000);
    line.receive(ms(1000), &[0x87, 8, 1, 0x10]);
    let heard = listen(&mut line, 2000);
    assert_eq!(bytes(&heard), [0x87, 0, 6, 8, 1, 0x16]);
    // Bytes are counted from zero: the first of the command is number 960 and ends after
    // 1001.042 ms, the fourth after 1004.167 ms. 2 ms later, at 1006.167 ms, the answer waits
    // for number 966, which begins at 1006.25 ms; its sixth byte ends at 1012.5 ms.
    assert_eq!(heard[0].0, Mono::from_micros(1_007_292));
    assert_eq!(heard[5].0, Mono::from_micros(1_012_500));
}

#[test]
fn each_board_answers_to_its_address() {
    let mut line = line(false, &[1025, 1026]);
    assert_eq!(line.addresses(), [1025, 1026]);
    line.board(ms(500), 1026).unwrap().place(ms(500), sq("a8"), piece('b'));
    line.receive(ms(1000), &[0x82, 8, 2, 0x0c]);
    let heard = bytes(&listen(&mut line, 2000));
    assert_eq!((&heard[..6], heard.len()), (&[0x83, 0, 0x46, 8, 2, 0x0a][..], 70));
    line.receive(ms(2000), &[0x82, 8, 1, 0x0b]);
    let heard = bytes(&listen(&mut line, 3000));
    assert_eq!((&heard[..6], heard.len()), (&[0x83, 0, 0x46, 8, 1, 0][..], 70));
    assert!(line.board(ms(3000), 1027).is_none());
}

#[test]
fn boards_that_speak_at_once_spoil_each_other() {
    // The same address, so both answer at once: 5 and 0a on a8 make 0, the checksums 57 and 5c
    // make 54, which fits neither nor the sum 52 of what is heard.
    let mut line = line(false, &[1025, 1025]);
    line.board_number(ms(0), 0).unwrap().place(ms(0), sq("a8"), piece('K'));
    line.board_number(ms(0), 1).unwrap().place(ms(0), sq("a8"), piece('b'));
    line.receive(ms(1000), &[0x82, 8, 1, 0x0b]);
    let heard = bytes(&listen(&mut line, 2000));
    assert_eq!(heard.len(), 70);
    assert_eq!((&heard[..6], heard[69]), (&[0x83, 0, 0x46, 8, 1, 0][..], 0x57 & 0x5c));
    assert_ne!(heard[69], wire::bus_checksum(&heard[..69]));
}

#[test]
fn pings_of_many_collide_and_of_the_unknown_are_found_in_the_end() {
    let serials: Vec<u32> = (1..=12).collect();
    let mut line = line(false, &serials);
    let mut found = BTreeSet::new();
    let mut spoilt = 0;
    let mut now = 1000;
    let mut empty = 0;
    while empty < 2 {
        for address in &found {
            let frame: [u8; 3] = [0x8a, 0, *address];
            line.receive(ms(now), &[frame[0], frame[1], frame[2], wire::bus_checksum(&frame)]);
            now += 80;
            assert_eq!(bytes(&listen(&mut line, now)).len(), 6);
        }
        line.receive(ms(now), &[0x87, 0, 0, 7]);
        now += 1200;
        let heard = bytes(&listen(&mut line, now));
        empty = if heard.is_empty() { empty + 1 } else { 0 };
        for frame in heard.chunks(6) {
            let whole = frame.len() == 6 && frame[..4] == [0x87, 0, 6, 0];
            if whole && frame[5] == wire::bus_checksum(&frame[..5]) {
                found.insert(frame[4]);
            } else {
                spoilt += 1;
            }
        }
        assert!(now < 600_000, "found only {found:?}");
    }
    assert_eq!(found, (1..=12).collect());
    // Twelve answers of 6 ms within 1100 ms: with this seed some overlap.
    assert!(spoilt > 0);
}

#[test]
fn an_adapter_with_one_pair_of_wires_hears_itself() {
    let mut line = line(true, &[1025]);
    line.receive(ms(1000), &[0x87, 8, 1, 0x10]);
    assert_eq!(bytes(&listen(&mut line, 2000)), [0x87, 8, 1, 0x10, 0x87, 0, 6, 8, 1, 0x16]);
}

#[test]
fn the_same_seed_gives_the_same_line() {
    let run = |seed| {
        let boards = (1..=5).map(with_serial).collect();
        let mut line = BusLine::new(Mono::ZERO, BusLineOptions { echo: false, seed }, boards).unwrap();
        line.receive(ms(1000), &[0x87, 0, 0, 7]);
        listen(&mut line, 3000)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn late_calls_change_nothing_on_the_line() {
    let run = |steps: &[u64]| {
        let mut line = line(false, &[1, 2, 3]);
        line.receive(ms(1000), &[0x87, 0, 0, 7]);
        let mut heard = Vec::new();
        for step in steps {
            line.handle_timeout(ms(*step));
            heard.extend(core::iter::from_fn(|| line.poll_transmit()).flatten());
        }
        heard
    };
    assert_eq!(run(&[1001, 1200, 1203, 1800, 3000]), run(&[3000]));
}

#[test]
fn a_line_holds_one_to_32_boards() {
    let line = |count: u32| {
        BusLine::new(Mono::ZERO, BusLineOptions::default(), (0..count).map(with_serial).collect())
    };
    assert_eq!(line(0).err(), Some(BusLineError::Empty));
    assert!(line(32).is_ok());
    assert_eq!(line(33).err(), Some(BusLineError::TooMany(33)));
}

#[test]
fn a_line_that_is_unplugged_is_silent() {
    let mut line = line(true, &[1025]);
    line.unplug(ms(500));
    assert!(line.is_unplugged());
    line.receive(ms(1000), &[0x87, 8, 1, 0x10]);
    assert_eq!(listen(&mut line, 2000), []);
}

#[test]
fn a_fault_is_told_without_a_question() {
    let mut line = line(false, &[1025]);
    listen(&mut line, 1000);
    line.board(ms(1000), 1025).unwrap().inject(ms(1000), Fault::BusFrame);
    assert_eq!(bytes(&listen(&mut line, 2000)), [0x87, 0, 6, 8, 1, 0x16]);
}
