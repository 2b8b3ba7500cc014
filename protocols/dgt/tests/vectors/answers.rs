// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers of the clock.

use arbiterd_board::{ClockButton, Version};
use arbiterd_dgt::clock::{AckMeaning, ClockAck, ClockMessage};
use arbiterd_dgt::{Message, encode};

use crate::read::{ack, ack_bytes, hex};

#[test]
fn vector_25_version_2_0() {
    assert_eq!(ack_bytes("8d 00 0a 0a 10 09 0a 20 00 00"), [0x10, 0x09, 0x20, 0x00]);
    let version = Version { main: 2, sub: 0 };
    assert_eq!(ack("8d 00 0a 0a 10 09 0a 20 00 00").meaning(), AckMeaning::Version(version));
    let bytes = encode(&Message::Clock(ClockMessage::Ack(ClockAck::version(version))));
    assert_eq!(bytes, hex("8d 00 0a 0a 10 09 0a 20 00 00"));
}

#[test]
fn vector_26_version_1_14() {
    let meaning = ack("8d 00 0a 0a 10 09 0a 1e 00 00").meaning();
    assert_eq!(meaning, AckMeaning::Version(Version { main: 1, sub: 14 }));
}

#[test]
fn vector_27_set_and_run_accepted() {
    assert_eq!(ack("8d 00 0a 0a 10 0a 0a 00 00 00").meaning(), AckMeaning::Accepted(0x0a));
}

#[test]
fn vector_28_set_and_run_refused() {
    assert_eq!(ack("8d 00 0a 0a 40 0a 0a 00 00 00"), ClockAck::refused(0x0a));
    assert_eq!(ack("8d 00 0a 0a 40 0a 0a 00 00 00").meaning(), AckMeaning::Failed(0x0a));
}

#[test]
fn vector_29_error_20() {
    assert_eq!(ack_bytes("8d 00 0a 0a 20 00 0a 00 00 00"), [0x20, 0, 0, 0]);
    assert_eq!(ack("8d 00 0a 0a 20 00 0a 00 00 00").meaning(), AckMeaning::Failed(0));
}

#[test]
fn vector_30_buttons() {
    assert_eq!(ack_bytes("8d 00 0a 0a 10 08 2a 05 31 00"), [0x10, 0x88, 0x05, 0x31]);
    for (text, button) in [
        ("8d 00 0a 0a 10 08 2a 05 31 00", ClockButton::Back),
        ("8d 00 0a 0a 10 08 2a 21 34 00", ClockButton::Minus),
        ("8d 00 0a 0a 10 08 2a 11 33 00", ClockButton::Run),
        ("8d 00 0a 0a 10 08 2a 09 32 00", ClockButton::Plus),
        ("8d 00 0a 0a 10 08 2a 41 35 00", ClockButton::Ok),
    ] {
        assert_eq!(ack(text).meaning(), AckMeaning::Button(button), "{text}");
    }
}

#[test]
fn vector_31_button_marked_in_one_byte_only() {
    assert_eq!(ack("8d 00 0a 0a 10 08 20 05 31 00").meaning(), AckMeaning::Button(ClockButton::Back));
}

#[test]
fn vector_32_ready_is_not_the_answer_to_display() {
    assert_eq!(ack("8d 00 0a 0a 10 01 2a 00 00 00").meaning(), AckMeaning::Ready);
    assert_eq!(ack("8d 00 0a 0a 10 01 0a 00 00 00").meaning(), AckMeaning::Accepted(0x01));
}

#[test]
fn vector_33_text_accepted() {
    assert_eq!(ack("8d 00 0a 0a 10 0c 0a 00 00 00").meaning(), AckMeaning::Accepted(0x0c));
}
