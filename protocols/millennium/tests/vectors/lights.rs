// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lights.

use arbiterd_board::Square;
use arbiterd_millennium::wire::{Cable, Command, LIGHTS, LIGHTS_LENGTH, Lights, Pattern};

use crate::data::{self, hex};

fn squares() -> [Square; 2] {
    ["e2", "e4"].map(|name| name.parse().unwrap())
}

fn steady(cable: Cable) -> Lights {
    let mut patterns = [Pattern::OFF; LIGHTS];
    for corner in squares().into_iter().flat_map(|square| cable.corners(square)) {
        patterns[corner] = Pattern::STEADY;
    }
    Lights::new(0x32, patterns)
}

#[test]
fn vector_23_steady_lights() {
    let lights = steady(Cable::Left);
    assert_eq!(Command::Lights(lights).encode(), data::V23.bytes());
    assert_eq!(data::V23.bytes().len(), LIGHTS_LENGTH);
    assert_eq!(Command::from_frame(&data::V23.bytes()), Some(Command::Lights(lights)));
}

#[test]
fn vector_24_steady_lights_with_the_cable_right() {
    assert_eq!(Command::Lights(steady(Cable::Right)).encode(), data::V24.bytes());
    assert_eq!(Command::Lights(steady(Cable::Left).turned()).encode(), data::V24.bytes());
}

#[test]
fn vector_25_lights_in_turns() {
    let lights = Lights::squares(&squares(), Cable::Left);
    assert_eq!(Command::Lights(lights).encode(), data::V25.bytes());
}

#[test]
fn vector_26_all_lights() {
    let mut bytes = hex("4C B3 32");
    bytes.extend([0x46; 162]);
    bytes.extend(hex("34 C4"));
    assert_eq!(Command::Lights(Lights::new(0x32, [Pattern::STEADY; LIGHTS])).encode(), bytes);
    // Any pattern of two equal digits leaves the block parity as it is.
    let same = Lights::new(0x32, [Pattern(0x55); LIGHTS]);
    assert!(Command::Lights(same).encode().ends_with(&hex("34 C4")));
}
