// SPDX-License-Identifier: GPL-3.0-or-later
//! What is decoded, against the worked vectors of the protocol; expectations are worked out by hand.

use clap::Parser;
use proptest::prelude::*;
use serde_json::Value;

use super::args::{EXAMPLES, MILLENNIUM, Mode, Side};
use super::*;
use crate::ctl::cli::Cli;

mod millennium;

const SINGLE: Protocol = Protocol::Dgt(Mode::Single);
const BUS: Protocol = Protocol::Dgt(Mode::Bus);
const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

fn input(bytes: &[u8]) -> Input {
    Input { place: "notes".to_owned(), from: Box::new(io::Cursor::new(bytes.to_vec())) }
}

fn decode(bytes: &[u8], hex: bool, protocol: Protocol, from: Side) -> Result<Vec<Value>, DecodeError> {
    let mut out = Vec::new();
    stream(&mut input(bytes), hex.then(HexReader::new), Ear::new(protocol, from), &mut out)?;
    let text = String::from_utf8(out).unwrap();
    Ok(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The objects without their places and without the last.
fn said(text: &str, protocol: Protocol, from: Side) -> Vec<Value> {
    let mut all = decode(text.as_bytes(), true, protocol, from).unwrap();
    assert_eq!(all.pop().unwrap()["event"], "end");
    for object in &mut all {
        let members = object.as_object_mut().unwrap();
        for place in ["offset", "length", "bytes"] {
            assert!(members.remove(place).is_some(), "{place} is missing");
        }
    }
    all
}

fn board(text: &str) -> Vec<Value> {
    said(text, SINGLE, Side::Board)
}

fn bus(text: &str) -> Vec<Value> {
    said(text, BUS, Side::Board)
}

fn host(text: &str) -> Vec<Value> {
    said(text, SINGLE, Side::Host)
}

fn initial_codes() -> String {
    let (pawns, empty) = ("07".repeat(8), "00".repeat(32));
    format!("0809 0a0c 0b0a 0908 {pawns} {empty} {} 0203 0406 0504 0302", "01".repeat(8))
}

fn square(square: &str, piece: &str) -> Value {
    json!({ "event": "square", "square": square, "piece": piece })
}

// ----- what boards say ------------------------------------------------------------------------

#[test]
fn boards_and_squares() {
    assert_eq!(
        board(&format!("86 00 43 {}", initial_codes())),
        [json!({ "event": "board", "placement": INITIAL })]
    );
    assert_eq!(
        board("8e 00 05 34 00  8e 00 05 24 01  8e 00 05 1b 0b  8e 00 05 34 0e"),
        [square("e2", "."), square("e4", "P"), square("d5", "k"), square("e2", "+")]
    );
}

#[test]
fn times_of_the_clock() {
    let side = |time: &str, time_ms: u64, flag: &str, per_move: bool| json!({ "time": time, "time_ms": time_ms, "flag": flag, "per_move": per_move });
    // The left side is high, so the right one pressed last.
    let expected = json!({
        "event": "times", "left": side("1:29:58", 5_398_000, "up", false),
        "right": side("1:30:00", 5_400_000, "up", false),
        "counting": true, "pressed": "right", "turn": "left", "battery_low": false,
    });
    assert_eq!(board("8d 00 0a 01 30 00 01 29 58 11"), [expected]);
    let all =
        board("8d 00 0a 00 00 07 50 00 00 10  8d 00 0a 40 59 30 00 03 02 0b  8d 00 0a 20 02 59 20 03 02 0b");
    assert_eq!((&all[0]["left"], &all[0]["counting"]), (&side("0:00:00", 0, "fallen", false), &json!(false)));
    assert_eq!(all[1]["right"], side("0:59:30", 3_570_000, "shown", false));
    assert_eq!(all[2]["left"], side("0:03:02", 182_000, "up", true));
    assert_eq!(
        board("8d 00 0a 00 00 00 00 00 00 20  8d 00 0a 00 00 00 00 00 00 00"),
        [json!({ "event": "no-clock" }), json!({ "event": "null-clock" })]
    );
    assert_eq!(
        board("8d 00 0a 0c 08 08 00 00 00 05"),
        [json!({ "event": "corrupt-clock", "payload": "0c 08 08 00 00 00 05",
                 "status": { "counting": true, "pressed": "right", "turn": null, "battery_low": true } })]
    );
}

#[test]
fn answers_of_the_clock() {
    assert_eq!(
        board(
            "8d 00 0a 0a 10 09 0a 1e 00 00  8d 00 0a 0a 10 0a 0a 00 00 00  8d 00 0a 0a 40 0a 0a 00 00 00
             8d 00 0a 0a 10 08 2a 05 31 00  8d 00 0a 0a 10 01 2a 00 00 00"
        ),
        [
            json!({ "event": "answer", "ack": "10 09 1e 00", "meaning": "version", "version": "1.14",
                    "main": 1, "sub": 14 }),
            json!({ "event": "answer", "ack": "10 0a 00 00", "meaning": "accepted", "command": "set-and-run" }),
            json!({ "event": "answer", "ack": "40 0a 00 00", "meaning": "failed", "command": "set-and-run" }),
            json!({ "event": "answer", "ack": "10 88 05 31", "meaning": "button", "button": "back" }),
            json!({ "event": "answer", "ack": "10 81 00 00", "meaning": "ready" }),
        ]
    );
}

#[test]
fn who_a_board_is_and_what_it_remembers() {
    // Three hours and five minutes left; on for 1:02, in standby for a day and 2:03; discharging.
    assert_eq!(
        board(
            "91 00 08 30 31 30 32 35  93 00 05 03 0a  90 00 05 08 01
             a0 00 0c 50 03 05 01 02 01 02 03 02  92 00 07 6f 6e 0a 65"
        ),
        [
            json!({ "event": "serial", "serial": "01025" }),
            json!({ "event": "version", "version": "3.10", "main": 3, "sub": 10 }),
            json!({ "event": "bus-address", "address": "01025" }),
            json!({ "event": "battery", "percent": 80, "left_minutes": 185, "on_minutes": 62,
                    "standby_minutes": 1563, "charging": false, "discharging": true }),
            json!({ "event": "trade-mark", "text": "on\ne" }),
        ]
    );
    // Filled up with nothing to 0x1f00 bytes; the first is the rest of a record that was cut.
    let log = format!("8f 3e 03 34 7b 51 24 71 29 58 6b {}", "7f".repeat(0x1f00 - 8));
    assert_eq!(
        board(&log),
        [json!({ "event": "log", "skipped": 1, "records": [
            { "record": "start-tag" },
            { "record": "piece", "square": "e4", "piece": "P", "soon": true },
            { "record": "time", "side": "left", "time": "1:29:58", "time_ms": 5_398_000 },
            { "record": "end" },
        ] })]
    );
}

#[test]
fn answers_on_a_bus_carry_their_address_and_records() {
    assert_eq!(
        bus("85 00 0d 08 01 40 34 51 24 71 29 58 76  87 00 06 08 01 16  89 00 08 08 01 01 03 1e"),
        [
            json!({ "event": "changes", "address": "01025", "skipped": 0, "records": [
                { "record": "piece", "square": "e2", "piece": ".", "soon": false },
                { "record": "piece", "square": "e4", "piece": "P", "soon": true },
                { "record": "time", "side": "left", "time": "1:29:58", "time_ms": 5_398_000 },
            ] }),
            json!({ "event": "ping", "address": "01025" }),
            json!({ "event": "version", "address": "01025", "version": "1.3", "main": 1, "sub": 3 }),
        ]
    );
}

// ----- what hosts say -------------------------------------------------------------------------

#[test]
fn commands_for_the_clock_and_the_lights() {
    let set = |time: &str, time_ms: u64, runs: bool| json!({ "time": time, "time_ms": time_ms, "counting": "down", "runs": runs });
    assert_eq!(
        host(
            "2b 0a 03 0a 01 1f 3a 01 1e 00 0a 00  2b 0c 03 0c 69 6c 6c 65 67 61 6c 20 00 00  2b 04 03 0b 10 00"
        ),
        [
            json!({ "event": "clock-command", "command": "set-and-run", "code": "0a",
                    "arguments": "01 1f 3a 01 1e 00 0a", "left": set("1:31:58", 5_518_000, false),
                    "right": set("1:30:00", 5_400_000, true), "pause": false, "toggles": true }),
            json!({ "event": "clock-command", "command": "text", "code": "0c",
                    "arguments": "69 6c 6c 65 67 61 6c 20 00", "text": "illegal ", "beep_ms": 0 }),
            json!({ "event": "clock-command", "command": "beep", "code": "0b", "arguments": "10",
                    "beep_ms": 1024 }),
        ]
    );
    assert_eq!(
        host("60 04 01 34 24 00  60 04 00 40 40 00  4b 48"),
        [
            json!({ "event": "lights", "lights": "on", "squares": ["e2", "e4"] }),
            json!({ "event": "lights", "lights": "all-off" }),
            json!({ "event": "command", "command": "update-nice" }),
            json!({ "event": "unknown" }),
        ]
    );
    assert_eq!(
        host("83 08 01 0c  87 00 00 07  81 08 01 0b"),
        [
            json!({ "event": "bus-command", "command": "send-changes", "address": "01025", "intact": true }),
            json!({ "event": "bus-command", "command": "ping", "address": "all", "intact": true }),
            json!({ "event": "bus-command", "command": "send-clock", "address": "01025", "intact": false }),
        ]
    );
}

#[test]
fn each_harmful_command_of_a_host_says_what_it_harms() {
    for (byte, what) in [("4e", "boot loader"), ("51", "blind"), ("53", "blind"), ("54", "stored scan")] {
        let all = decode(byte.as_bytes(), true, SINGLE, Side::Host).unwrap();
        assert_eq!((&all[0]["event"], &all[0]["bytes"]), (&json!("harmful"), &json!(byte)));
        assert!(all[0]["what"].as_str().unwrap().contains(what), "{byte}");
        assert_eq!(all[1]["host"]["harmful"], 1);
    }
}

#[test]
fn the_key_of_a_pegasus_is_not_shown() {
    let all = decode(b"63 03 11 22 33", true, SINGLE, Side::Host).unwrap();
    let expected = json!({ "event": "pegasus-key", "offset": 0, "length": 5, "bytes": null });
    assert_eq!(all[0], expected);
    let shown = traced("1 > 63 03 11 22 33", false).unwrap();
    assert!(shown.contains("Pegasus") && !shown.contains("22"), "{shown}");
}

// ----- places and noise -----------------------------------------------------------------------

fn noise(cause: &str, offset: u64, bytes: &str) -> Value {
    let length = bytes.split_whitespace().count();
    json!({ "event": "noise", "cause": cause, "offset": offset, "length": length, "bytes": bytes })
}

#[test]
fn an_offset_is_where_the_first_byte_lies() {
    let all =
        decode(b"00 41  8e 00 05 24 01  8e 00  93 00 05 03 01  8e 00", true, SINGLE, Side::Board).unwrap();
    assert_eq!(all[0], noise("junk", 0, "00 41"));
    assert_eq!(
        all[1],
        json!({ "event": "square", "square": "e4", "piece": "P", "offset": 2, "length": 5,
                "bytes": "8e 00 05 24 01" })
    );
    assert_eq!(all[2], noise("unfinished", 7, "8e 00"));
    assert_eq!((&all[3]["event"], &all[3]["offset"]), (&json!("version"), &json!(9)));
    assert_eq!(all[4], noise("unfinished", 14, "8e 00"));
    let end = &all[5]["board"];
    assert_eq!((&end["length"], &end["messages"]), (&json!(16), &json!(2)));
    assert_eq!((&end["noises"], &end["dropped_bytes"]), (&json!(3), &json!(6)));
}

#[test]
fn each_piece_of_noise_has_its_own_cause() {
    for (text, all) in [
        (
            "8e 00 05 34  8d 00 0a 01",
            vec![noise("unfinished", 0, "8e 00 05 34"), noise("unfinished", 4, "8d 00 0a 01")],
        ),
        (
            "80 00 00  8e 00 05 40 01",
            vec![noise("unknown-kind", 0, "80 00 00"), noise("out-of-range", 3, "8e 00 05 40 01")],
        ),
        ("86 00 67  55", vec![noise("malformed", 0, "86 00 67"), noise("junk", 3, "55")]),
        ("87 00 06 08 01 16", vec![noise("wrong-mode", 0, "87 00 06 08 01 16")]),
    ] {
        let mut heard = decode(text.as_bytes(), true, SINGLE, Side::Board).unwrap();
        heard.pop();
        assert_eq!(heard, all, "{text}");
    }
}

#[test]
fn a_host_that_breaks_off_or_builds_wrongly_makes_noise() {
    let all = decode(b"2b 0a 03 42 4b 83 2b 03 03 09 01", true, SINGLE, Side::Host).unwrap();
    // Text may hold 42 and 4b, so only the byte with bit 7 ends the first frame.
    assert_eq!(all[0], noise("unfinished", 0, "2b 0a 03 42 4b"));
    // The bus command takes three bytes of the next; what is left is no frame any more.
    assert_eq!(
        (&all[1]["event"], &all[1]["offset"], &all[1]["length"]),
        (&json!("bus-command"), &json!(5), &json!(4))
    );
    let all = decode(b"2b 03 03 09 01", true, SINGLE, Side::Host).unwrap();
    assert_eq!(all[0], noise("malformed", 0, "2b 03 03 09 01"));
    assert_eq!(all[1]["host"]["dropped_bytes"], 5);
}

#[test]
fn endless_noise_is_told_in_pieces() {
    let mut all = decode(&[0x55; 70], false, SINGLE, Side::Board).unwrap();
    all.pop();
    let places: Vec<_> = all.iter().map(|o| (o["offset"].as_u64(), o["length"].as_u64())).collect();
    assert_eq!(places, [(Some(0), Some(32)), (Some(32), Some(32)), (Some(64), Some(6))]);
}

// ----- hexadecimal text -----------------------------------------------------------------------

#[test]
fn hexadecimal_text_in_all_its_forms() {
    let (mut reader, mut bytes) = (HexReader::new(), Vec::new());
    reader.read("8e 00\t05\r\n0x34 0X00 # 8e zz é\n8E0005 0x2401#".as_bytes(), &mut bytes).unwrap();
    reader.finish().unwrap();
    assert_eq!(bytes, [0x8e, 0, 5, 0x34, 0, 0x8e, 0, 5, 0x24, 1]);
}

#[test]
fn a_mistake_in_hexadecimal_text_has_its_place() {
    for (text, place) in [
        ("8e 0g", "notes, line 1, column 5: 'g'"),
        ("8e 00 # é\n 05, 34", "notes, line 2, column 4: ','"),
        ("# é\n\n8e 5 00", "notes, line 3, column 4: half a byte"),
        ("8e 0", "notes, line 1, column 4: half a byte"),
        ("0x 00", "notes, line 1, column 1: 0x without digits"),
        ("0x0x8e", "notes, line 1, column 4: 'x'"),
        ("8e é", "notes, line 1, column 4: byte c3 is no text"),
    ] {
        let said = decode(text.as_bytes(), true, SINGLE, Side::Board).unwrap_err().to_string();
        assert!(said.starts_with(place), "{text:?}: {said}");
    }
}

// ----- traces ---------------------------------------------------------------------------------

fn traced(text: &str, json: bool) -> Result<String, String> {
    traced_as(SINGLE, text, json)
}

fn traced_as(protocol: Protocol, text: &str, json: bool) -> Result<String, String> {
    let mut out = Vec::new();
    trace::run(&mut input(text.as_bytes()), protocol, json, &mut out).map_err(|e| e.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

fn traced_objects(text: &str) -> Vec<Value> {
    traced(text, true).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_trace_puts_split_messages_together_and_shows_broken_ones() {
    let text = "# a remark\n\n1.5 > 42 # asked\n1.52 < 8e 00 05\n 1.523456\t<34 00\n2 < 8d 00 0a\n2.6 > 4e\n2.7 > 2b 03\n";
    let shown = traced(text, false).unwrap();
    let lines: Vec<&str> = shown.lines().collect();
    let expected = [
        ("     1.500000  +0.000000  >  42             ", "  send-board"),
        ("     1.523456  +0.023456  <  8e 00 05 34 00 ", "  e2 empty (began at 1.520000)"),
        // It was silent for half a second: then it is given up.
        (
            "     2.500000  +0.976544  <  8d 00 0a       ",
            "  NOISE: a message that broke off (began at 2.000000)",
        ),
        ("     2.600000  +0.100000  >  4e             ", "  HARMFUL COMMAND 4e: "),
        ("     2.700000  +0.100000  >  2b 03          ", "  NOISE: a message that broke off"),
    ];
    assert_eq!(lines.len(), expected.len() + 2, "{shown}");
    for (line, (start, meaning)) in lines.iter().zip(expected) {
        // 29 columns before the bytes, 41 for them: all meanings stand below each other.
        assert!(line.starts_with(start) && line.get(70..).unwrap().starts_with(meaning), "{line:?}");
    }
    assert_eq!(lines[5], "board: 8 bytes, 1 messages (0 of a corrupt clock), 3 bytes of noise in 1 places");
    assert_eq!(
        lines[6],
        "host: 4 bytes, 1 commands, 1 HARMFUL and 0 unknown ones, 2 bytes of noise in 1 places"
    );
    assert_eq!(
        traced_objects(text)[1],
        json!({ "event": "square", "square": "e2", "piece": ".", "offset": 0, "length": 5,
                "bytes": "8e 00 05 34 00", "from": "board", "at_us": 1_523_456, "began_us": 1_520_000 })
    );
}

#[test]
fn a_gap_in_time_breaks_a_message_off() {
    // Without the gap 42 would lie within the command for the clock, and 05 within the square.
    let all = traced_objects("1 > 2b 03\n1.101 > 42\n2 < 8e 00\n2.501 < 05 34 00\n3 < 55\n");
    let seen: Vec<_> = all
        .iter()
        .map(|o| {
            (o["event"].as_str().unwrap(), o["cause"].as_str(), o["offset"].as_u64(), o["at_us"].as_u64())
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("noise", Some("unfinished"), Some(0), Some(1_100_000)),
            ("command", None, Some(2), Some(1_101_000)),
            ("noise", Some("unfinished"), Some(0), Some(2_500_000)),
            ("noise", Some("junk"), Some(2), Some(2_501_000)),
            ("noise", Some("junk"), Some(5), Some(3_000_000)),
            ("end", None, None, None),
        ]
    );
    // Just as long as a message may pause.
    let whole = traced_objects("1 > 2b 03\n1.1 > 03 09 00\n2 < 8e 00\n2.5 < 05 34 00\n");
    let events: Vec<_> = whole.iter().map(|o| o["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["clock-command", "square", "end"]);
}

#[test]
fn a_wrong_line_of_a_trace_is_named_after_what_came_before() {
    for (text, said) in [
        ("1 < 00\n< 8e", "notes, line 2: a line begins with its time"),
        ("1.2.3 < 8e", "notes, line 1: a line begins with its time"),
        ("-1 < 8e", "notes, line 1: a line begins with its time"),
        ("1e3 < 8e", "notes, line 1: after the time"),
        ("1 8e 00", "notes, line 1: after the time"),
        ("2 < 8e\n1 < 00", "notes, line 2: the time runs back"),
        ("1 < 8e 0g", "notes, line 1, column 9: 'g'"),
        ("1 < 8e 0", "notes, line 1, column 8: half a byte"),
        ("99999999999999 < 8e", "notes, line 1: a line begins with its time"),
    ] {
        let error = traced(text, false).unwrap_err();
        assert!(error.starts_with(said), "{text:?}: {error}");
    }
    let long = format!("1 < {}", "00 ".repeat(400_000));
    assert!(traced(&long, false).unwrap_err().starts_with("notes, line 1: it has more than"));
}

// ----- the command line -----------------------------------------------------------------------

#[test]
fn the_examples_are_understood() {
    let lines = EXAMPLES.lines().filter_map(|line| line.strip_prefix("  arbiterctl"));
    assert_eq!(lines.clone().count(), 6);
    for line in lines {
        let words = line.split_whitespace().take_while(|word| *word != "<");
        assert!(Cli::try_parse_from(std::iter::once("arbiterctl").chain(words)).is_ok(), "{line}");
    }
}

#[test]
fn the_examples_for_millennium_are_understood() {
    let lines = MILLENNIUM.lines().filter_map(|line| line.strip_prefix("  arbiterctl"));
    assert_eq!(lines.clone().count(), 5);
    for line in lines {
        let words = line.split_whitespace().take_while(|word| *word != "<");
        assert!(Cli::try_parse_from(std::iter::once("arbiterctl").chain(words)).is_ok(), "{line}");
    }
    let trace: Vec<&str> = MILLENNIUM.lines().filter(|line| line.starts_with("  12.")).collect();
    let told = traced_as(Protocol::Millennium, &trace.join("\n"), true).unwrap();
    let events: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<&Value> = events.iter().map(|object| &object["event"]).collect();
    assert_eq!(events, ["command", "version", "end"]);
}

#[test]
fn the_trace_of_the_help_is_read() {
    let trace: Vec<&str> = EXAMPLES.lines().filter(|line| line.starts_with("  12.")).collect();
    let events: Vec<_> = traced_objects(&trace.join("\n")).into_iter().map(|o| o["event"].clone()).collect();
    assert_eq!(events, ["command", "square", "end"]);
}

proptest! {
    #[test]
    fn any_bytes_are_accounted_for_in_whatever_portions(
        portions in prop::collection::vec(prop::collection::vec(lively(), 0..40), 0..8),
        side in 0..5,
    ) {
        let (protocol, from) = match side {
            0 => (SINGLE, Side::Board),
            1 => (BUS, Side::Board),
            2 => (SINGLE, Side::Host),
            3 => (Protocol::Millennium, Side::Board),
            _ => (Protocol::Millennium, Side::Host),
        };
        let whole = portions.concat();
        let listen = |portions: &[Vec<u8>]| {
            let (mut ear, mut heard) = (Ear::new(protocol, from), Vec::new());
            portions.iter().for_each(|portion| ear.hear(Mono::ZERO, portion, &mut heard));
            ear.finish(Mono::ZERO, &mut heard);
            heard
        };
        let told = listen(&portions);
        let mut next = 0;
        for one in &told {
            prop_assert_eq!(one.offset, next);
            prop_assert!(!one.bytes.is_empty());
            let first = usize::try_from(next).unwrap();
            prop_assert_eq!(&one.bytes[..], &whole[first..first + one.bytes.len()]);
            next += one.bytes.len() as u64;
        }
        prop_assert_eq!(next, whole.len() as u64);
        prop_assert_eq!(&told, &listen(&[whole]));
    }

    #[test]
    fn what_is_dropped_is_what_the_decoder_counts(
        bytes in prop::collection::vec(lively(), 0..200),
        protocol in prop::sample::select(vec![SINGLE, BUS, Protocol::Millennium]),
    ) {
        let mut ear = Ear::new(protocol, Side::Board);
        let mut heard = Vec::new();
        ear.hear(Mono::ZERO, &bytes, &mut heard);
        ear.finish(Mono::ZERO, &mut heard);
        let noise = heard.iter().filter(|one| one.said.json["event"] == "noise");
        let dropped: u64 = noise.map(|one| one.bytes.len() as u64).sum();
        prop_assert_eq!(Some(dropped), ear.counters().map(|counters| counters.dropped_bytes));
    }

    #[test]
    fn the_times_of_a_trace_never_run_back(
        gaps in prop::collection::vec((0..700u64, any::<bool>(), prop::collection::vec(lively(), 0..6)), 0..30),
        protocol in prop::sample::select(vec![SINGLE, Protocol::Millennium]),
    ) {
        let (mut now, mut text) = (0, String::new());
        for (gap, from_host, bytes) in gaps {
            now += gap;
            let arrow = if from_host { '>' } else { '<' };
            text += &format!("{}.{:03} {arrow} {}\n", now / 1000, now % 1000, hex::hex(&bytes));
        }
        let told = traced_as(protocol, &text, true).unwrap();
        let objects: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let times: Vec<u64> = objects.iter().filter_map(|o| o["at_us"].as_u64()).collect();
        prop_assert!(times.is_sorted(), "{:?}", times);
        prop_assert!(objects.iter().all(|o| o["began_us"].as_u64() <= o["at_us"].as_u64()));
    }

    #[test]
    fn any_text_is_a_trace_or_names_its_line(text in "([0-9.# <>\n]|[0-9] [<>] [0-9a-f]{2}|\\PC){0,40}") {
        if let Err(error) = traced(&text, false) {
            prop_assert!(error.starts_with("notes, line "), "{}", error);
        }
    }
}

/// Bytes among which messages begin and end often.
fn lively() -> impl Strategy<Value = u8> {
    prop_oneof![
        any::<u8>(),
        prop::sample::select(vec![0x00, 0x03, 0x05, 0x06, 0x2b, 0x60, 0x63, 0x80, 0x85, 0x87, 0x8d, 0x8e]),
        prop::sample::select(b"vlxtriwgVSLXTRWIG0123456789ABCDEF\n".to_vec()),
    ]
}
