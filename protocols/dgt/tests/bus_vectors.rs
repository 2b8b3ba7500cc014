// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked vectors of bus mode, read and written, and what is done with broken frames. Each
//! number is the number of the vector in the protocol's description.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

use core::time::Duration;

use arbiterd_board::{
    ClockReading, ClockSide, Flag, Lever, Noise, NoiseCause, Occupant, Placement, SideReading, Version,
};
use arbiterd_dgt::Counters;
use arbiterd_dgt::bus::{
    Answer, BusAddress, BusAddressError, BusCommand, BusDecoder, BusFrame, BusFrameError, BusItem,
    BusMessage, LineCommand, encode,
};
use arbiterd_dgt::clock::{ClockMessage, Times};
use arbiterd_dgt::log::{Log, Record};
use proptest::prelude::*;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// Bytes from hexadecimal text.
fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect()
}

/// The board of all vectors, serial number 01025.
fn board() -> BusAddress {
    BusAddress::from_serial("01025").unwrap()
}

/// What the host says, written and read.
fn said(text: &str, frame: BusFrame) {
    let bytes: [u8; 4] = hex(text).try_into().unwrap();
    assert_eq!(frame.encode(), bytes, "{text}");
    assert_eq!(BusFrame::parse(bytes), Ok(frame), "{text}");
}

fn to_board(command: BusCommand) -> BusFrame {
    BusFrame::to(board(), command)
}

/// What the board answers, read and written; and with each other checksum it is noise.
fn answered(text: &str, answer: Answer<'_>) {
    let bytes = hex(text);
    let message = BusMessage { address: board(), answer };
    assert_eq!(encode(&message), bytes, "{text}");
    let mut decoder = BusDecoder::new();
    let mut rest = &bytes[..];
    assert_eq!(decoder.decode(&mut rest), Some(BusItem::Message(message)), "{text}");
    assert!(rest.is_empty() && decoder.take_noise().is_none(), "{text}");
    let (sum, before) = bytes.split_last().unwrap();
    for wrong in (0..0x80).filter(|wrong| wrong != sum) {
        let broken = [before, &[wrong]].concat();
        let bytes = u32::try_from(broken.len()).unwrap();
        assert_eq!(all_noise(&broken), [Noise { bytes, cause: NoiseCause::Malformed }], "{broken:02x?}");
    }
}

/// What is told of bytes in which there is no answer.
fn all_noise(bytes: &[u8]) -> Vec<Noise> {
    let mut decoder = BusDecoder::new();
    let mut rest = bytes;
    let mut found = Vec::new();
    while let Some(item) = decoder.decode(&mut rest) {
        match item {
            BusItem::Noise(noise) => found.push(noise),
            BusItem::Message(message) => panic!("{message:?}"),
        }
    }
    decoder.abandon();
    found.extend(decoder.take_noise());
    found
}

fn noise(bytes: u32, cause: NoiseCause) -> Noise {
    Noise { bytes, cause }
}

/// That a ping of the board follows `bytes` and is found, after this noise.
fn found_after(text: &str, expected: &[Noise]) {
    let bytes = [hex(text), hex("87 00 06 08 01 16")].concat();
    let mut decoder = BusDecoder::new();
    let mut rest = &bytes[..];
    for noise in expected {
        assert_eq!(decoder.decode(&mut rest), Some(BusItem::Noise(*noise)), "{text}");
    }
    let ping = BusMessage { address: board(), answer: Answer::Ping };
    assert_eq!(decoder.decode(&mut rest), Some(BusItem::Message(ping)), "{text}");
    assert_eq!(decoder.decode(&mut rest), None);
}

fn piece(square: &str, letter: char, soon: bool) -> Record {
    Record::Piece { square: square.parse().unwrap(), occupant: Occupant::from_letter(letter).unwrap(), soon }
}

fn side(seconds: u64) -> SideReading {
    SideReading { remaining: Duration::from_secs(seconds), flag: Flag::Up }
}

// ----- the vectors ------------------------------------------------------------------------

#[test]
fn vector_43_changes() {
    said("83 08 01 0c", to_board(BusCommand::SendChanges));
    let log = hex("40 34 51 24 71 29 58");
    answered("85 00 0d 08 01 40 34 51 24 71 29 58 76", Answer::Changes(Log::new(&log)));
    let expected = [
        piece("e2", '.', false),
        piece("e4", 'P', true),
        Record::Time { side: ClockSide::Left, remaining: Duration::from_secs(5398) },
    ];
    let mut records = Log::new(&log).records();
    assert_eq!(records.by_ref().collect::<Vec<_>>(), expected);
    assert_eq!(records.skipped(), 0);
    let mut written = Vec::new();
    expected.iter().for_each(|record| record.write(&mut written));
    assert_eq!(written, log);
}

#[test]
fn vector_43_changes_once_more() {
    // 84 + 08 + 01 = 8d.
    said("84 08 01 0d", to_board(BusCommand::RepeatChanges));
}

#[test]
fn vector_44_no_changes() {
    answered("85 00 06 08 01 14", Answer::Changes(Log::default()));
}

#[test]
fn vector_45_ping() {
    said("87 00 00 07", BusFrame::All(LineCommand::Ping));
    answered("87 00 06 08 01 16", Answer::Ping);
    assert_eq!(all_noise(&hex("87 00 06 08 01 17")), [noise(6, NoiseCause::Malformed)]);
}

#[test]
fn vector_46_clock() {
    said("81 08 01 0a", to_board(BusCommand::SendClock));
    let reading = ClockReading {
        left: side(5398),
        right: side(5400),
        counting: true,
        lever: Lever::Pressed(ClockSide::Right),
        turn: Some(ClockSide::Left),
        battery_low: false,
    };
    let times = Times { reading, left_per_move: false, right_per_move: false };
    answered("84 00 0d 08 01 01 30 00 01 29 58 11 5e", Answer::Clock(ClockMessage::Times(times)));
}

#[test]
fn vector_47_board() {
    said("82 08 01 0b", to_board(BusCommand::SendBoard));
    let codes = format!(
        "83 00 46 08 01 08 09 0a 0c 0b 0a 09 08 {} {} {} 02 03 04 06 05 04 03 02 7c",
        "07 ".repeat(8),
        "00 ".repeat(32),
        "01 ".repeat(8)
    );
    answered(&codes, Answer::Board(START.parse().unwrap()));
}

#[test]
fn vector_48_start_of_a_game() {
    said("85 08 01 0e", to_board(BusCommand::SetStartGame));
    answered("88 00 06 08 01 17", Answer::Started);
}

#[test]
fn vector_49_version() {
    said("8b 08 01 14", to_board(BusCommand::SendVersion));
    answered("89 00 08 08 01 01 03 1e", Answer::Version(Some(Version { main: 1, sub: 3 })));
    // A board up to version 1.2: 89 + 06 + 08 + 01 = 98.
    answered("89 00 06 08 01 18", Answer::Version(None));
    said("8a 08 01 13", to_board(BusCommand::IgnoreNextPing));
}

#[test]
fn vector_50_from_the_start() {
    // 86 + 08 + 01 = 8f.
    said("86 08 01 0f", to_board(BusCommand::SendFromStart));
    let log = hex("7b 5a 00");
    answered("86 00 09 08 01 7b 5a 00 6d", Answer::FromStart(Log::new(&log)));
    let records: Vec<Record> = Log::new(&log).records().collect();
    assert_eq!(records, [Record::StartTag, piece("a8", 'b', true)]);
}

#[test]
fn the_example_of_the_checksum() {
    // 81 10 06: address 16 * 128 + 6.
    said("81 10 06 17", BusFrame::to(BusAddress::new(2054).unwrap(), BusCommand::SendClock));
}

#[test]
fn the_other_commands() {
    said("88 08 01 11", to_board(BusCommand::EndBusMode));
    said("89 08 01 12", to_board(BusCommand::Reset));
    said("87 08 01 10", to_board(BusCommand::Ping));
    said("88 00 00 08", BusFrame::All(LineCommand::EndBusMode));
    said("89 00 00 09", BusFrame::All(LineCommand::Reset));
}

// ----- addresses --------------------------------------------------------------------------

#[test]
fn an_address_is_a_serial_number_of_14_bits() {
    assert_eq!(board().number(), 1025);
    assert_eq!(board().bytes(), [0x08, 0x01]);
    assert_eq!(board().to_string(), "01025");
    assert_eq!(BusAddress::from_serial("16383").unwrap().bytes(), [0x7f, 0x7f]);
    for bad in ["", "0", "00000", "16384", "20336", "001025", "+1025", "1a", "-1"] {
        assert_eq!(BusAddress::from_serial(bad), Err(BusAddressError(bad.to_owned())), "{bad}");
    }
    assert_eq!(BusAddress::new(0), None);
    assert_eq!(BusAddress::new(0x4000), None);
}

// ----- broken frames of the host ----------------------------------------------------------

#[test]
fn broken_frames_of_the_host_are_refused() {
    let parse = |text: &str| BusFrame::parse(hex(text).try_into().unwrap());
    assert_eq!(parse("83 08 01 0d"), Err(BusFrameError::Checksum { expected: 0x0c, found: 0x0d }));
    assert_eq!(parse("83 88 01 0c"), Err(BusFrameError::Unfinished));
    assert_eq!(parse("43 08 01 4c"), Err(BusFrameError::Unfinished));
    // Draughts, and commands that nobody has described.
    assert_eq!(parse("8c 08 01 15"), Err(BusFrameError::UnknownCommand(0x8c)));
    assert_eq!(parse("df 08 01 68"), Err(BusFrameError::UnknownCommand(0xdf)));
    for (command, bytes) in [
        (BusCommand::SendClock, "81 00 00 01"),
        (BusCommand::SendBoard, "82 00 00 02"),
        (BusCommand::SendChanges, "83 00 00 03"),
        (BusCommand::RepeatChanges, "84 00 00 04"),
        (BusCommand::SetStartGame, "85 00 00 05"),
        (BusCommand::SendFromStart, "86 00 00 06"),
        (BusCommand::IgnoreNextPing, "8a 00 00 0a"),
        (BusCommand::SendVersion, "8b 00 00 0b"),
    ] {
        assert_eq!(parse(bytes), Err(BusFrameError::NotForAll(command)));
    }
}

// ----- broken answers ---------------------------------------------------------------------

#[test]
fn broken_answers_cost_only_themselves() {
    found_after("85 00 0d 08 01 40 34", &[noise(7, NoiseCause::Unfinished)]);
    found_after("00 41 5a", &[noise(3, NoiseCause::Junk)]);
    found_after("80 00 00", &[noise(3, NoiseCause::UnknownKind)]);
    found_after("80", &[noise(1, NoiseCause::UnknownKind)]);
    // Lengths that the answer cannot have: 0, 5, a board of 69 and a clock of 12 bytes.
    for header in ["85 00 00", "85 00 05", "83 00 45", "84 00 0c", "85 3f 00"] {
        found_after(header, &[noise(3, NoiseCause::Malformed)]);
    }
    // A version with one number, which no firmware sends: 89 + 07 + 08 + 01 + 01 = 9a.
    found_after("89 00 07 08 01 01 1a", &[noise(7, NoiseCause::Malformed)]);
    // Address 0 is nobody's.
    found_after("87 00 06 00 00 0d", &[noise(6, NoiseCause::OutOfRange)]);
    // Unknown answers are skipped by their length: b4 + 07 + 08 + 01 + 20 = e4.
    found_after("b4 00 07 08 01 20 64", &[noise(7, NoiseCause::UnknownKind)]);
    found_after("b4 00 07 08 01 20 65", &[noise(7, NoiseCause::Malformed)]);
}

/// A clock answer whose first byte lost its bit 7, behind answers of which nothing is missed.
#[test]
fn a_lost_answer_does_not_hide_behind_an_unknown_one() {
    for unknown in ["80", "80 00 00", "80 00 00 00", "b4 00 07 08 01 20 64"] {
        let bytes = format!("{unknown} 04 00 0d 08 01 01 30 00 01 29 58 11 5e");
        let lost = u32::try_from(hex(&bytes).len()).unwrap();
        found_after(&bytes, &[noise(lost, NoiseCause::Junk)]);
    }
}

#[test]
fn a_draughts_answer_is_skipped() {
    // 8a + 38 + 08 + 01 = cb.
    found_after(&format!("8a 00 38 08 01 {} 4b", "00 ".repeat(50)), &[noise(56, NoiseCause::UnknownKind)]);
}

#[test]
fn messages_of_single_board_mode_are_told_at_once() {
    let wrong = |bytes| noise(bytes, NoiseCause::WrongMode);
    found_after("8e 00 05 34 00", &[wrong(5)]);
    found_after("8d 00 0a 01 30 00 01 29 58 11", &[wrong(10)]);
    found_after("91 00 08 30 31 30 32 35", &[wrong(8)]);
    found_after("93 00 05 03 01", &[wrong(5)]);
    // Its dump has the id and a length of the records since the start: no checksum fits.
    found_after(&format!("86 00 43 {}", "00 ".repeat(64)), &[wrong(67)]);
    // Noise before it stays before it.
    let bytes = hex("7f 7f 8e 00 05 34 00");
    let mut decoder = BusDecoder::new();
    let mut rest = &bytes[..];
    assert_eq!(decoder.decode(&mut rest), Some(BusItem::Noise(wrong(5))));
    assert_eq!(decoder.take_noise(), Some(noise(2, NoiseCause::Junk)));
}

#[test]
fn records_that_fill_a_frame_like_a_dump_are_still_records() {
    // 61 bytes of filler: 86 + 43 + 08 + 01 + 61 * 7f = d2 + 1e43, of which seven bits are 15.
    let log = vec![0x7f; 61];
    let bytes = [hex("86 00 43 08 01"), log.clone(), vec![0x15]].concat();
    let mut decoder = BusDecoder::new();
    let message = BusMessage { address: board(), answer: Answer::FromStart(Log::new(&log)) };
    assert_eq!(decoder.decode(&mut &bytes[..]), Some(BusItem::Message(message)));
}

#[test]
fn what_is_odd_in_a_good_answer_is_counted() {
    let mut decoder = BusDecoder::new();
    // A pawn with an undescribed bit on a8: 83 + 46 + 08 + 01 + 41 = 113.
    let board = hex(&format!("83 00 46 08 01 41 {} 13", "00 ".repeat(63)));
    let mut placement = Placement::EMPTY;
    placement["a8".parse().unwrap()] = Occupant::from_letter('P').unwrap();
    let found = decoder.decode(&mut &board[..]);
    let Some(BusItem::Message(BusMessage { answer, .. })) = found else { panic!("{found:?}") };
    assert_eq!(answer, Answer::Board(placement));
    // Twelve hours: 84 + 0d + 08 + 01 + 0c = a6.
    let clock = hex("84 00 0d 08 01 0c 00 00 00 00 00 00 26");
    let found = decoder.decode(&mut &clock[..]);
    let Some(BusItem::Message(BusMessage { answer, .. })) = found else { panic!("{found:?}") };
    let Answer::Clock(ClockMessage::Corrupt { payload, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!(payload, [0x0c, 0, 0, 0, 0, 0, 0]);
    assert_eq!(decoder.decode(&mut &hex("87 00 06 08 01 17")[..]), None);
    let expected = Counters {
        masked_pieces: 1,
        corrupt_clocks: 1,
        bad_checksums: 1,
        dropped_bytes: 6,
        ..Counters::default()
    };
    assert_eq!(decoder.counters(), expected);
}

#[test]
fn a_log_longer_than_the_boards_memory_is_cut_to_its_end() {
    let mut log = vec![0x6d; 0x1f01];
    log[0] = 0x6a;
    let bytes = encode(&BusMessage { address: board(), answer: Answer::Changes(Log::new(&log)) });
    let mut decoder = BusDecoder::new();
    let found = decoder.decode(&mut &bytes[..]);
    let answer = Answer::Changes(Log::new(&log[1..]));
    assert_eq!(found, Some(BusItem::Message(BusMessage { address: board(), answer })));
}

// ----- properties -------------------------------------------------------------------------

/// Owned form of what a decoder finds, for comparison: an answer as its bytes again.
fn found(decoder: &mut BusDecoder, mut rest: &[u8]) -> Vec<Result<Vec<u8>, Noise>> {
    let mut found = Vec::new();
    while let Some(item) = decoder.decode(&mut rest) {
        found.push(match item {
            BusItem::Message(message) => Ok(encode(&message)),
            BusItem::Noise(noise) => Err(noise),
        });
    }
    found
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let frame = prop_oneof![
        Just(hex("85 00 0d 08 01 40 34 51 24 71 29 58 76")),
        Just(hex("84 00 0d 08 01 01 30 00 01 29 58 11 5e")),
        Just(hex("87 00 06 08 01 16")),
        Just(hex("87 00 06 08 01 17")),
        Just(hex("8e 00 05 34 00")),
        proptest::collection::vec(any::<u8>(), 0..9),
    ];
    proptest::collection::vec(frame, 0..12).prop_map(|frames| frames.concat())
}

proptest! {
    #[test]
    fn the_portions_do_not_matter(bytes in stream(), portions in proptest::collection::vec(1usize..9, 1..40)) {
        let mut decoder = BusDecoder::new();
        let whole = found(&mut decoder, &bytes);
        let mut portioned = BusDecoder::new();
        let mut parts = Vec::new();
        let mut rest = &bytes[..];
        for size in portions.iter().cycle() {
            let (head, tail) = rest.split_at((*size).min(rest.len()));
            parts.extend(found(&mut portioned, head));
            rest = tail;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(parts, whole);
        prop_assert_eq!(portioned.counters(), decoder.counters());
    }

    #[test]
    fn any_bytes_are_survived_and_accounted_for(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut decoder = BusDecoder::new();
        let good: usize = found(&mut decoder, &bytes).iter().flatten().map(Vec::len).sum();
        decoder.abandon();
        let dropped = usize::try_from(decoder.counters().dropped_bytes).unwrap();
        prop_assert_eq!(good + dropped, bytes.len());
    }

    #[test]
    fn every_host_frame_is_read_as_it_was_written(number in 1u16..0x4000, byte in 0x81u8..=0x8b) {
        let command = BusCommand::from_byte(byte).unwrap();
        let frame = BusFrame::to(BusAddress::new(number).unwrap(), command);
        prop_assert_eq!(BusFrame::parse(frame.encode()), Ok(frame));
    }

    /// A single wrong byte in an answer never gives another answer.
    #[test]
    fn a_wrong_byte_never_gives_another_answer(at in 0usize..13, byte in any::<u8>()) {
        let good = hex("85 00 0d 08 01 40 34 51 24 71 29 58 76");
        let mut bytes = good.clone();
        bytes[at] = byte;
        let found = found(&mut BusDecoder::new(), &bytes);
        prop_assert!(found.iter().flatten().all(|answer| *answer == good), "{:02x?}", found);
    }
}
