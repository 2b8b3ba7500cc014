// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulated board against the description: what it sends is compared byte by byte, without
//! the decoder.

use arbiterd_board::{ClockSide, Piece, Version};

use super::*;
use crate::message::BatteryStatus;

mod any;
mod board;
mod bus;
mod bus_line;
mod clock;
mod faults;
mod hosts;
mod memory;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

fn ms(millis: u64) -> Mono {
    Mono::from_millis(millis)
}

fn sq(name: &str) -> Square {
    name.parse().unwrap()
}

fn piece(letter: char) -> Piece {
    Piece::from_letter(letter).unwrap()
}

fn board(clock: Option<ClockOptions>) -> Simulator {
    let placement = START.parse().unwrap();
    let mut simulator = Simulator::new(Mono::ZERO, Options { placement, clock, ..Options::default() });
    simulator.receive(Mono::ZERO, &[0x4b]);
    simulator
}

fn sent(simulator: &mut Simulator) -> Vec<Vec<u8>> {
    core::iter::from_fn(|| simulator.poll_transmit()).collect()
}

fn squares(changes: &[(u8, u8)]) -> Vec<Vec<u8>> {
    changes.iter().map(|(square, code)| vec![0x8e, 0, 5, *square, *code]).collect()
}

/// 1:30:00 on both sides, no increment.
fn plain_clock() -> ClockOptions {
    ClockOptions { increment: Duration::ZERO, ..ClockOptions::default() }
}
