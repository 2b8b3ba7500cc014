// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked vectors of the protocol's description, and its table of broken input. Each number
//! is the number of the vector there.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

use core::time::Duration;

use arbiterd_board::{
    ClockButton, ClockReading, ClockSide, Flag, Lever, Noise, NoiseCause, Occupant, Piece, Placement,
    ResultToken, Run, SideReading, Square, Version,
};
use arbiterd_dgt::clock::{AckMeaning, ClockAck, ClockMessage, Status, Times};
use arbiterd_dgt::wire::{
    BeepAfter, ClockCommand, ClockText, Command, Glyphs, Lights, LongClockText, SetAndRun,
};
use arbiterd_dgt::{BatteryStatus, Counters, Decoder, Item, Message, encode};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// Bytes from hexadecimal text.
fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect()
}

fn drain(decoder: &mut Decoder, bytes: &[u8]) -> Vec<Item> {
    let mut rest = bytes;
    core::iter::from_fn(|| decoder.decode(&mut rest)).collect()
}

fn decode(bytes: &[u8]) -> Vec<Item> {
    drain(&mut Decoder::new(), bytes)
}

/// The messages in a stream without noise.
fn messages(text: &str) -> Vec<Message> {
    let bytes = hex(text);
    decode(&bytes)
        .into_iter()
        .map(|item| match item {
            Item::Message(message) => message,
            Item::Noise(noise) => panic!("{text}: {noise:?}"),
        })
        .collect()
}

fn message(text: &str) -> Message {
    let mut all = messages(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

fn clock(text: &str) -> ClockMessage {
    match message(text) {
        Message::Clock(clock) => clock,
        other => panic!("{text}: {other:?}"),
    }
}

fn ack(text: &str) -> ClockAck {
    match clock(text) {
        ClockMessage::Ack(ack) => ack,
        other => panic!("{text}: {other:?}"),
    }
}

fn ack_bytes(text: &str) -> [u8; 4] {
    let ack = ack(text);
    [ack.status, ack.subject, ack.value, ack.detail]
}

fn occupant(letter: char) -> Occupant {
    Occupant::from_letter(letter).unwrap()
}

fn square(name: &str, letter: char) -> Message {
    Message::Square { square: name.parse().unwrap(), occupant: occupant(letter) }
}

fn changes(text: &str, expected: &[(&str, char)]) {
    let expected: Vec<Message> = expected.iter().map(|(name, letter)| square(name, *letter)).collect();
    assert_eq!(messages(text), expected);
    assert_eq!(expected.iter().flat_map(encode).collect::<Vec<_>>(), hex(text));
}

fn time(hours: u64, minutes: u64, seconds: u64, flag: Flag) -> SideReading {
    SideReading { remaining: Duration::from_secs(hours * 3600 + minutes * 60 + seconds), flag }
}

/// A reading in which `high` is to move and its opponent pressed last.
fn reading(left: SideReading, right: SideReading, counting: bool, high: ClockSide) -> Times {
    let reading = ClockReading {
        left,
        right,
        counting,
        lever: Lever::Pressed(high.other()),
        turn: Some(high),
        battery_low: false,
    };
    Times { reading, left_per_move: false, right_per_move: false }
}

fn times(text: &str, expected: Times) {
    assert_eq!(clock(text), ClockMessage::Times(expected));
    assert_eq!(encode(&Message::Clock(ClockMessage::Times(expected))), hex(text));
}

fn dump(text: &str, placement: &str) {
    let placement: Placement = placement.parse().unwrap();
    assert_eq!(message(text), Message::Board(placement));
    assert_eq!(encode(&Message::Board(placement)), hex(text));
}

fn noise(bytes: u32, cause: NoiseCause) -> Item {
    Item::Noise(Noise { bytes, cause })
}

fn pawn_on_e4() -> Item {
    Item::Message(square("e4", 'P'))
}

fn e2_empty() -> Item {
    Item::Message(square("e2", '.'))
}

// ----- dumps and squares ------------------------------------------------------------------

#[test]
fn vector_1_initial_position() {
    let codes = format!(
        "86 00 43 08 09 0a 0c 0b 0a 09 08 {} {} {} 02 03 04 06 05 04 03 02",
        "07 ".repeat(8),
        "00 ".repeat(32),
        "01 ".repeat(8)
    );
    dump(&codes, START);
}

#[test]
fn vector_2_initial_position_on_a_turned_board() {
    let codes = format!(
        "86 00 43 02 03 04 05 06 04 03 02 {} {} {} 08 09 0a 0b 0c 0a 09 08",
        "01 ".repeat(8),
        "00 ".repeat(32),
        "07 ".repeat(8)
    );
    // Hardware squares: turning it is not the decoder's business.
    dump(&codes, "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr");
    let start: Placement = START.parse().unwrap();
    assert_eq!(message(&codes), Message::Board(start.rotated()));
}

#[test]
fn vector_3_empty_board() {
    dump(&format!("86 00 43 {}", "00 ".repeat(64)), "8/8/8/8/8/8/8/8");
}

#[test]
fn vector_4_e2_is_lifted() {
    changes("8e 00 05 34 00", &[("e2", '.')]);
}

#[test]
fn vector_5_pawn_on_e4() {
    changes("8e 00 05 24 01", &[("e4", 'P')]);
}

#[test]
fn vector_6_e2e4_slides_over_e3_out_of_order() {
    changes(
        "8e 00 05 2c 01 8e 00 05 34 00 8e 00 05 24 01 8e 00 05 2c 00",
        &[("e3", 'P'), ("e2", '.'), ("e4", 'P'), ("e3", '.')],
    );
}

#[test]
fn vector_7_capture_on_d5_that_is_never_empty() {
    changes("8e 00 05 1b 01 8e 00 05 24 00", &[("d5", 'P'), ("e4", '.')]);
}

#[test]
fn vector_8_white_castles_short() {
    changes(
        "8e 00 05 3c 00 8e 00 05 3e 05 8e 00 05 3f 00 8e 00 05 3d 02",
        &[("e1", '.'), ("g1", 'K'), ("h1", '.'), ("f1", 'R')],
    );
}

#[test]
fn vector_9_black_castles_long() {
    changes(
        "8e 00 05 04 00 8e 00 05 02 0b 8e 00 05 00 00 8e 00 05 03 08",
        &[("e8", '.'), ("c8", 'k'), ("a8", '.'), ("d8", 'r')],
    );
}

#[test]
fn vector_10_en_passant() {
    changes("8e 00 05 1c 00 8e 00 05 13 01 8e 00 05 1b 00", &[("e5", '.'), ("d6", 'P'), ("d5", '.')]);
}

#[test]
fn vector_11_a_pawn_is_left_on_b8() {
    changes("8e 00 05 09 00 8e 00 05 01 01", &[("b7", '.'), ("b8", 'P')]);
}

#[test]
fn vector_12_it_is_exchanged_for_a_queen() {
    changes("8e 00 05 01 00 8e 00 05 01 06", &[("b8", '.'), ("b8", 'Q')]);
}

#[test]
fn vector_13_kings_on_e4_and_d5() {
    changes("8e 00 05 24 05 8e 00 05 1b 0b", &[("e4", 'K'), ("d5", 'k')]);
}

// ----- times ------------------------------------------------------------------------------

#[test]
fn vector_14_left_runs() {
    let (left, right) = (time(1, 29, 58, Flag::Up), time(1, 30, 0, Flag::Up));
    times("8d 00 0a 01 30 00 01 29 58 11", reading(left, right, true, ClockSide::Left));
}

#[test]
fn vector_15_right_runs_after_lefts_press() {
    let (left, right) = (time(1, 29, 58, Flag::Up), time(1, 29, 59, Flag::Up));
    times("8d 00 0a 01 29 59 01 29 58 0b", reading(left, right, true, ClockSide::Right));
}

#[test]
fn vector_16_stopped_with_left_high() {
    let (left, right) = (time(1, 29, 58, Flag::Up), time(1, 30, 0, Flag::Up));
    times("8d 00 0a 01 30 00 01 29 58 10", reading(left, right, false, ClockSide::Left));
}

#[test]
fn vector_17_battery_low() {
    let (left, right) = (time(1, 29, 58, Flag::Up), time(1, 30, 0, Flag::Up));
    let mut expected = reading(left, right, true, ClockSide::Left);
    expected.reading.battery_low = true;
    times("8d 00 0a 01 30 00 01 29 58 15", expected);
}

#[test]
fn vector_18_left_flag_fallen_and_blocked() {
    let (left, right) = (time(0, 0, 0, Flag::Fallen), time(0, 0, 7, Flag::Up));
    times("8d 00 0a 00 00 07 50 00 00 10", reading(left, right, false, ClockSide::Left));
}

#[test]
fn vector_19_right_flag_shown_and_running_on() {
    let (left, right) = (time(0, 3, 2, Flag::Up), time(0, 59, 30, Flag::Shown));
    times("8d 00 0a 40 59 30 00 03 02 0b", reading(left, right, true, ClockSide::Right));
}

#[test]
fn vector_20_time_per_move_on_both_sides() {
    let (left, right) = (time(0, 3, 2, Flag::Up), time(0, 2, 59, Flag::Up));
    let both =
        Times { left_per_move: true, right_per_move: true, ..reading(left, right, true, ClockSide::Right) };
    times("8d 00 0a 20 02 59 20 03 02 0b", both);
}

#[test]
fn vector_21_right_runs_although_left_is_high() {
    let (left, right) = (time(0, 5, 0, Flag::Up), time(0, 4, 59, Flag::Up));
    let mut expected = reading(left, right, true, ClockSide::Left);
    expected.reading.turn = Some(ClockSide::Right);
    times("8d 00 0a 00 04 59 00 05 00 09", expected);
}

#[test]
fn vector_22_no_clock() {
    assert_eq!(clock("8d 00 0a 00 00 00 00 00 00 20"), ClockMessage::NoClock);
}

#[test]
fn vector_23_null_message() {
    assert_eq!(clock("8d 00 0a 00 00 00 00 00 00 00"), ClockMessage::Null);
}

#[test]
fn vector_24_hours_nibble_12_is_corrupt_and_no_answer() {
    let status =
        Status { counting: false, lever: Lever::Pressed(ClockSide::Right), turn: None, battery_low: false };
    let corrupt = ClockMessage::Corrupt { payload: [0x0c, 0x08, 0x08, 0, 0, 0, 0], status };
    assert_eq!(clock("8d 00 0a 0c 08 08 00 00 00 00"), corrupt);
}

#[test]
fn digits_no_clock_can_show_are_corrupt() {
    for text in [
        "8d 00 0a 01 60 00 01 29 58 11",
        "8d 00 0a 01 30 00 01 29 60 11",
        "8d 00 0a 01 3a 00 01 29 58 11",
        "8d 00 0a 01 30 00 01 29 5f 11",
        "8d 00 0a 01 30 00 0b 29 58 11",
    ] {
        let ClockMessage::Corrupt { status, .. } = clock(text) else { panic!("{text}") };
        // Running, left high, left's turn.
        assert_eq!((status.counting, status.turn), (true, Some(ClockSide::Left)), "{text}");
        assert_eq!(status.lever, Lever::Pressed(ClockSide::Right), "{text}");
    }
}

#[test]
fn an_answer_goes_before_no_clock_and_that_before_corrupt_digits() {
    assert!(matches!(clock("8d 00 0a 0a 10 09 00 20 00 20"), ClockMessage::Ack(_)));
    assert_eq!(clock("8d 00 0a 0c 7f 7f 00 00 00 20"), ClockMessage::NoClock);
}

// ----- answers of the clock ---------------------------------------------------------------

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

// ----- identity ---------------------------------------------------------------------------

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

// ----- what the host says -----------------------------------------------------------------

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

// ----- broken input -----------------------------------------------------------------------

fn broken(text: &str, expected: &[Item]) {
    assert_eq!(decode(&hex(text)), expected, "{text}");
}

#[test]
fn broken_update_cut_short_by_the_next() {
    broken("8e 00 05 34 8e 00 05 24 01", &[noise(4, NoiseCause::Unfinished), pawn_on_e4()]);
}

#[test]
fn broken_clock_message_cut_short_by_a_lift() {
    broken("8d 00 0a 01 30 8e 00 05 34 00", &[noise(5, NoiseCause::Unfinished), e2_empty()]);
}

#[test]
fn broken_junk_before_a_message() {
    broken("00 41 5a 8e 00 05 24 01", &[noise(3, NoiseCause::Junk), pawn_on_e4()]);
}

#[test]
fn broken_unknown_id_80_and_zeros() {
    broken("80 00 00 8e 00 05 24 01", &[noise(3, NoiseCause::UnknownKind), pawn_on_e4()]);
}

#[test]
fn broken_lone_80() {
    broken("80 8e 00 05 24 01", &[noise(1, NoiseCause::UnknownKind), pawn_on_e4()]);
}

#[test]
fn broken_zero_runs_do_not_loop() {
    let mut bytes = hex("80 00 00");
    bytes.extend([0; 10_000]);
    bytes.extend(hex("8e 00 05 24 01"));
    assert_eq!(decode(&bytes), [noise(10_003, NoiseCause::UnknownKind), pawn_on_e4()]);
}

#[test]
fn broken_length_below_three() {
    broken("8e 00 00 34 00 8e 00 05 24 01", &[noise(5, NoiseCause::Malformed), pawn_on_e4()]);
}

#[test]
fn broken_dump_of_a_draughts_board() {
    let mut bytes = hex("86 00 67");
    bytes.extend([0; 100]);
    bytes.extend(hex("8e 00 05 24 01"));
    let mut decoder = Decoder::new();
    assert_eq!(drain(&mut decoder, &bytes), [noise(103, NoiseCause::Malformed), pawn_on_e4()]);
    assert_eq!(decoder.counters(), Counters { draughts_dumps: 1, dropped_bytes: 103, ..Counters::default() });
}

#[test]
fn broken_junk_after_a_message() {
    let mut decoder = Decoder::new();
    assert_eq!(drain(&mut decoder, &hex("8e 00 05 24 01 00")), [pawn_on_e4()]);
    assert_eq!(decoder.take_noise(), Some(Noise { bytes: 1, cause: NoiseCause::Junk }));
}

#[test]
fn one_message_in_four_reads() {
    let mut decoder = Decoder::new();
    for part in ["8e", "00", "05 24"] {
        assert_eq!(drain(&mut decoder, &hex(part)), []);
    }
    assert_eq!(drain(&mut decoder, &hex("01")), [pawn_on_e4()]);
}

#[test]
fn two_messages_in_one_read() {
    broken("8e 00 05 34 00 8e 00 05 24 01", &[e2_empty(), pawn_on_e4()]);
}

#[test]
fn broken_square_64_is_rejected_and_never_masked() {
    let mut decoder = Decoder::new();
    let items = drain(&mut decoder, &hex("8e 00 05 40 01 8e 00 05 24 01"));
    assert_eq!(items, [noise(5, NoiseCause::OutOfRange), pawn_on_e4()]);
    assert_eq!(decoder.counters().squares_out_of_range, 1);
}

#[test]
fn broken_high_bits_of_a_piece_are_masked_and_counted() {
    let mut decoder = Decoder::new();
    assert_eq!(drain(&mut decoder, &hex("8e 00 05 34 41")), [Item::Message(square("e2", 'P'))]);
    assert_eq!(decoder.counters(), Counters { masked_pieces: 1, ..Counters::default() });
}

#[test]
fn pieces_that_announce_a_result() {
    for (code, token) in
        [("0d", ResultToken::Draw), ("0e", ResultToken::WhiteWins), ("0f", ResultToken::BlackWins)]
    {
        let text = format!("8e 00 05 34 {code}");
        let square: Square = "e2".parse().unwrap();
        assert_eq!(message(&text), Message::Square { square, occupant: Occupant::Token(token) });
    }
}

#[test]
fn the_twelve_pieces_have_their_codes() {
    for (code, letter) in (1u8..).zip("PRNBKQprnbkq".chars()) {
        let occupant = Occupant::Piece(Piece::from_letter(letter).unwrap());
        let square: Square = "e4".parse().unwrap();
        let update = Message::Square { square, occupant };
        assert_eq!(decode(&[0x8e, 0, 5, 0x24, code]), [Item::Message(update)], "{letter}");
    }
}

#[test]
fn broken_bus_frame_in_single_mode() {
    // Told at once: no message may follow.
    broken("87 00 06 08 01 16", &[noise(6, NoiseCause::WrongMode)]);
    broken("00 87 00 06 08 01 16", &[noise(1, NoiseCause::Junk), noise(6, NoiseCause::WrongMode)]);
}

#[test]
fn broken_bus_frame_with_a_wrong_checksum_is_dropped() {
    broken("87 00 06 08 01 17 8e 00 05 24 01", &[noise(6, NoiseCause::Malformed), pawn_on_e4()]);
}

#[test]
fn broken_first_length_byte_above_3e() {
    broken("8f 3f 03 8e 00 05 24 01", &[noise(3, NoiseCause::Malformed), pawn_on_e4()]);
}

#[test]
fn broken_lengths_of_known_messages() {
    for text in ["8e 00 06 34 00 00", "8d 00 09 01 30 00 01 29 58", "93 00 04 03", "a0 00 07 64 7f 7f 00"] {
        let bytes = u32::try_from(hex(text).len()).unwrap();
        broken(&format!("{text} 8e 00 05 24 01"), &[noise(bytes, NoiseCause::Malformed), pawn_on_e4()]);
    }
}

#[test]
fn an_unknown_kind_is_skipped_by_its_length() {
    broken("a3 00 05 01 02 8e 00 05 24 01", &[noise(5, NoiseCause::UnknownKind), pawn_on_e4()]);
}

#[test]
fn broken_battery_above_100_percent() {
    broken(
        "a0 00 0c 65 7f 7f 00 00 00 00 00 00 8e 00 05 24 01",
        &[noise(12, NoiseCause::OutOfRange), pawn_on_e4()],
    );
}

#[test]
fn an_answer_with_status_zero_is_an_error_and_no_time() {
    assert_eq!(ack("8d 00 0a 0a 00 0a 0a 00 00 00").meaning(), AckMeaning::Failed(0x0a));
}

#[test]
fn noise_of_several_causes_tells_the_first_and_counts_all() {
    broken("00 8e 00 05 34 8e 00 05 24 01", &[noise(5, NoiseCause::Junk), pawn_on_e4()]);
}
