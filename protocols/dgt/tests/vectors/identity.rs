// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who the board is, its memory and its text.

use arbiterd_board::Version;
use arbiterd_dgt::{BatteryStatus, Item, Message, encode};

use crate::read::{decode, hex, message, pawn_on_e4};

#[test]
fn vector_34_serial_numbers() {
    assert_eq!(message("91 00 08 30 31 30 32 35"), Message::Serial("01025".to_owned()));
    let long = "a2 00 0d 33 30 30 30 31 34 37 37 34 30";
    assert_eq!(message(long), Message::LongSerial("3000147740".to_owned()));
}

#[test]
fn an_old_board_adds_a_storage_version_to_its_serial_number() {
    let text = "91 00 0c 30 31 30 32 35 20 31 2e 30";
    assert_eq!(message(text), Message::Serial("01025".to_owned()));
}

#[test]
fn vector_35_version_bus_address_and_battery() {
    assert_eq!(message("93 00 05 03 01"), Message::Version(Version { main: 3, sub: 1 }));
    assert_eq!(message("90 00 05 08 01"), Message::BusAddress(1025));
    let full = BatteryStatus { percent: 100, ..BatteryStatus::default() };
    assert_eq!(message("a0 00 0c 64 7f 7f 00 00 00 00 00 00"), Message::Battery(full));
}

#[test]
fn version_3_10_is_not_3_1() {
    assert_eq!(message("93 00 05 03 0a"), Message::Version(Version { main: 3, sub: 10 }));
}

#[test]
fn vector_36_memory_dump() {
    let mut bytes = hex("8f 3e 03");
    let log: Vec<u8> = [0x40, 0x34].into_iter().cycle().take(7936).collect();
    bytes.extend(&log);
    bytes.extend(hex("8e 00 05 24 01"));
    assert_eq!(decode(&bytes), [Item::Message(Message::Log(log.clone())), pawn_on_e4()]);
    assert_eq!(encode(&Message::Log(log)), bytes[..7939]);
}

#[test]
fn vector_37_a_text_longer_than_127_bytes() {
    let text = "x".repeat(153);
    let mut bytes = hex("92 01 1c");
    bytes.extend(text.bytes());
    assert_eq!(decode(&bytes), [Item::Message(Message::TradeMark(text.clone()))]);
    assert_eq!(encode(&Message::TradeMark(text)), bytes);
}
