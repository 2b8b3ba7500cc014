// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short frames: commands as they are said, answers as they are read and written.

use arbiterd_board::Version;
use arbiterd_millennium::wire::{Brightness, Command, Register, ReportMode, ScanTime, Setting};
use arbiterd_millennium::{Decoder, Item, Message, Text, encode};

use crate::data::{self, Vector};
use crate::{decode, drain};

fn said(vector: &Vector, command: Command) {
    assert_eq!(command.encode(), vector.bytes(), "{}", vector.0);
    assert_eq!(Command::from_frame(&vector.bytes()), Some(command), "{}", vector.0);
}

fn told(vector: &Vector, message: Message) {
    assert_eq!(decode(&vector.bytes()), [Item::Message(message)], "{}", vector.0);
    assert_eq!(decode(&vector.seven_bits()), [Item::Message(message)], "{}", vector.0);
    assert_eq!(encode(&message), vector.bytes(), "{}", vector.0);
}

#[test]
fn vector_01_version_request() {
    said(&data::V1, Command::Version);
}

#[test]
fn vector_02_version() {
    told(&data::V2, Message::Version(Version { main: 1, sub: 3 }));
}

#[test]
fn vector_03_status_request() {
    said(&data::V3, Command::Status);
}

#[test]
fn vector_04_lights_off() {
    said(&data::V4, Command::LightsOff);
}

#[test]
fn vector_05_lights_are_off() {
    told(&data::V5, Message::LightsOff);
}

#[test]
fn vector_06_lights_are_set() {
    told(&data::V6, Message::LightsSet);
}

#[test]
fn vector_07_reset() {
    said(&data::V7, Command::Reset);
}

#[test]
fn vector_08_read_of_the_reports() {
    said(&data::V8, Command::Read(Register::Reports));
}

#[test]
fn vector_09_reports_after_every_scan() {
    told(&data::V9, Message::Register { address: 2, value: 0 });
}

#[test]
fn vector_10_reports_on_change() {
    said(&data::V10, Command::Write(Setting::Reports(ReportMode::OnChange)));
}

#[test]
fn vector_11_reports_were_written() {
    told(&data::V11, Message::Written { address: 2, value: 3 });
}

#[test]
fn vector_12_scan_of_the_factory() {
    said(&data::V12, Command::Write(Setting::ScanTime(ScanTime::FACTORY)));
}

#[test]
fn vector_13_fastest_scan() {
    said(&data::V13, Command::Write(Setting::ScanTime(ScanTime::FASTEST)));
}

#[test]
fn vector_14_full_brightness() {
    said(&data::V14, Command::Write(Setting::Brightness(Brightness::FULL)));
}

#[test]
fn vector_15_information_request() {
    said(&data::V15, Command::Information);
}

#[test]
fn vector_16_information() {
    let message = Message::Information { page: 0, text: Text::new("55mm") };
    let mut decoder = Decoder::new();
    decoder.expect_information(true);
    // The vector's text is "55mm" after page 00: its characters are i 00 55mm LF 63.
    assert_eq!(data::V16.0, "i0055mm\n63");
    assert_eq!(drain(&mut decoder, &data::V16.bytes()), [Item::Message(message)]);
    assert_eq!(encode(&message), data::V16.bytes());
}

/// `t` is sent by an emulator only; its characters are in the table of lengths.
#[test]
fn a_reset_that_is_answered_is_understood() {
    assert_eq!(decode(b"t74"), [Item::Message(Message::Restarting)]);
}
