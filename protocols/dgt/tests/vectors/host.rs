// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host says.

use core::time::Duration;

use arbiterd_board::{ClockSide, NoiseCause, Run};
use arbiterd_dgt::wire::{
    BeepAfter, ClockCommand, ClockText, Command, Glyphs, Lights, LongClockText, SetAndRun,
};

use crate::read::{decode, hex, noise};

fn set(left: u64, right: u64, run: Run, toggles: bool) -> Vec<u8> {
    let [left, right] = [left, right].map(Duration::from_secs);
    let set = SetAndRun::new(left, right, run, toggles).unwrap();
    Command::Clock(ClockCommand::SetAndRun(set)).encode()
}

#[test]
fn vector_38_two_minutes_more_and_paused() {
    let old = 3600 + 29 * 60 + 58;
    let bytes = set(old + 120, 5400, Run::Stopped, false);
    assert_eq!(bytes, hex("2b 0a 03 0a 01 1f 3a 01 1e 00 04 00"));
}

#[test]
fn vector_39_left_runs_or_right_with_the_lever() {
    let left = set(5518, 5400, Run::Side(ClockSide::Left), false);
    assert_eq!(left, hex("2b 0a 03 0a 01 1f 3a 01 1e 00 01 00"));
    let right = set(5518, 5400, Run::Side(ClockSide::Right), true);
    assert_eq!(right, hex("2b 0a 03 0a 01 1f 3a 01 1e 00 0a 00"));
}

#[test]
fn vector_40_text_in_lower_case_and_a_beep() {
    let text = Command::Clock(ClockCommand::Text(ClockText::new("ILLEGAL").unwrap(), BeepAfter::NONE));
    assert_eq!(text.encode(), hex("2b 0c 03 0c 69 6c 6c 65 67 61 6c 20 00 00"));
    let beep = Command::Clock(ClockCommand::Beep(16));
    assert_eq!(beep.encode(), hex("2b 04 03 0b 10 00"));
}

#[test]
fn vector_41_text_on_seven_segments() {
    let text = Command::Clock(ClockCommand::Glyphs(Glyphs::new("e2 e4", false).unwrap()));
    assert_eq!(text.encode(), hex("2b 0b 03 01 00 5b 7b 00 66 7b 00 01 00"));
    let beeping = Command::Clock(ClockCommand::Glyphs(Glyphs::new("e2 e4", true).unwrap()));
    assert_eq!(beeping.encode(), hex("2b 0b 03 01 00 5b 7b 00 66 7b 00 03 00"));
}

#[test]
fn vector_42_lights() {
    let [from, to] = ["e2", "e4"].map(|name| name.parse().unwrap());
    assert_eq!(Command::Lights(Lights::On { from, to }).encode(), hex("60 04 01 34 24 00"));
    assert_eq!(Command::Lights(Lights::AllOff).encode(), hex("60 04 00 40 40 00"));
}

#[test]
fn a_text_of_eleven_characters_and_its_beep() {
    let text = LongClockText::new("Illegal mov").unwrap();
    let beep = BeepAfter::nearest(Duration::from_millis(500));
    let command = Command::Clock(ClockCommand::LongText(text, beep));
    assert_eq!(command.encode(), hex("2b 0f 03 0d 69 6c 6c 65 67 61 6c 20 6d 6f 76 07 00"));
}

#[test]
fn commands_for_version_and_end() {
    assert_eq!(Command::Clock(ClockCommand::Version).encode(), hex("2b 03 03 09 00"));
    assert_eq!(Command::Clock(ClockCommand::End).encode(), hex("2b 03 03 03 00"));
}

#[test]
fn vector_50_a_bus_log_under_the_id_of_the_dump() {
    assert_eq!(decode(&hex("86 00 09 08 01 7b 5a 00 6d")), [noise(9, NoiseCause::WrongMode)]);
}
