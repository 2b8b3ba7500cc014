// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulated board against the description: what it sends is compared byte by byte, without
//! the decoder. Texts of frames are those of the worked vectors or sums done by hand.

use arbiterd_board::Piece;

use super::*;

mod answers;
mod any;
mod faults;
mod models;
mod reports;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// Vectors 17, 19 and 20: the initial position, e2 lifted, e4 set.
const INITIAL: &str = "srnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR73";
const E2_LIFTED: &str = "srnbqkbnrpppppppp................................PPPP.PPPRNBQKBNR0D";
const E2_E4: &str = "srnbqkbnrpppppppp....................P...........PPPP.PPPRNBQKBNR73";

/// An empty board: an even number of dots cancel each other.
const EMPTY: &str = "s................................................................73";

fn ms(millis: u64) -> Mono {
    Mono::from_millis(millis)
}

fn us(micros: u64) -> Mono {
    Mono::from_micros(micros)
}

fn sq(name: &str) -> Square {
    name.parse().unwrap()
}

fn piece(letter: char) -> Piece {
    Piece::from_letter(letter).unwrap()
}

fn fault(text: &str) -> Fault {
    text.parse().unwrap()
}

/// With the pieces of the initial position, and no reports unless asked.
fn of(options: Options) -> Simulator {
    let mut simulator = Simulator::new(ms(0), Options { placement: START.parse().unwrap(), ..options });
    simulator.inject(ms(0), fault("register=02,01"));
    simulator
}

fn board() -> Simulator {
    of(Options::default())
}

/// A board in this mode of reports.
fn reporting(mode: u8) -> Simulator {
    let mut simulator = board();
    simulator.inject(ms(0), Fault::Register(2, mode));
    simulator
}

/// Characters with their block parity and odd parity, worked out here.
fn command(text: &str) -> Vec<u8> {
    let sum = text.bytes().fold(0, |sum, byte| sum ^ byte);
    let odd = |byte: u8| if byte.count_ones() % 2 == 1 { byte } else { byte | 0x80 };
    format!("{text}{sum:02X}").bytes().map(odd).collect()
}

/// What it has sent, without bit 7.
fn sent(simulator: &mut Simulator) -> Vec<String> {
    core::iter::from_fn(|| simulator.poll_transmit())
        .map(|bytes| bytes.iter().map(|byte| char::from(byte & 0x7f)).collect())
        .collect()
}

/// What it has sent by then.
fn by(simulator: &mut Simulator, at: Mono) -> Vec<String> {
    simulator.handle_timeout(at);
    sent(simulator)
}

/// What it answers to a command given at `at`, up to ten milliseconds later.
fn ask(simulator: &mut Simulator, at: u64, text: &str) -> Vec<String> {
    simulator.receive(ms(at), &command(text));
    by(simulator, ms(at + 10))
}
