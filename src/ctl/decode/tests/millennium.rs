// SPDX-License-Identifier: GPL-3.0-or-later
//! Millennium boards and their hosts, against the worked vectors of the protocol.

use arbiterd_board::simulator::Device;

use super::*;

fn board(text: &str) -> Vec<Value> {
    said(text, Protocol::Millennium, Side::Board)
}

fn host(text: &str) -> Vec<Value> {
    said(text, Protocol::Millennium, Side::Host)
}

/// A frame as people write it, without byte parity, in hexadecimal.
fn frame(characters: &str) -> String {
    hex::hex(characters.as_bytes())
}

fn command(word: &str, more: &[(&str, &str)]) -> Value {
    let mut value = json!({ "event": "command", "command": word, "odd": true, "check": true });
    for (name, member) in more {
        value[*name] = (*member).into();
    }
    value
}

/// Vector 17, and the position after 1. e4 (vector 20).
const START: &str = "srnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR73";
const E4: &str = "srnbqkbnrpppppppp....................P...........PPPP.PPPRNBQKBNR73";

#[test]
fn what_boards_answer() {
    assert_eq!(
        board("76 b0 31 b0 b3 37 34  f8 37 38  ec b6 43  f2 b0 32 b0 b0 37 b0  f7 b0 32 b0 b3 37 b6"),
        [
            json!({ "event": "version", "version": "1.3", "main": 1, "sub": 3 }),
            json!({ "event": "lights-off" }),
            json!({ "event": "lights-set" }),
            json!({ "event": "register", "address": "02", "value": "00" }),
            json!({ "event": "written", "address": "02", "value": "03" }),
        ]
    );
    // Vector 16.
    assert_eq!(
        board("e9 b0 b0 b5 b5 6d 6d 8a b6 b3"),
        [json!({ "event": "information", "page": "00", "text": "55mm" })]
    );
}

#[test]
fn statuses_are_told_for_both_sides_of_the_cable() {
    assert_eq!(
        board(&frame(E4)),
        [json!({
            "event": "status",
            "placement": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
            "turned": "RNBKQBNR/PPP1PPPP/8/3P4/8/8/pppppppp/rnbkqbnr",
        })]
    );
}

#[test]
fn broken_input_is_noise_where_it_lay() {
    // Vector 34: five bytes of junk before a version.
    let all =
        decode(b"00 ff 7e 0d 0a 76 b0 31 b0 b3 37 34", true, Protocol::Millennium, Side::Board).unwrap();
    assert_eq!((&all[0]["event"], &all[0]["cause"]), (&"noise".into(), &"junk".into()));
    assert_eq!((&all[0]["offset"], &all[0]["length"]), (&0.into(), &5.into()));
    assert_eq!((&all[1]["offset"], &all[1]["length"]), (&5.into(), &7.into()));
    assert_eq!(all[2]["board"]["byte_parity"], "learning");
    assert_eq!(all[2]["board"]["dropped_bytes"], 5);
    // Vector 31: thirty bytes of a status, then another.
    let cut = format!("{}{E4}", &START[..30]);
    let all = decode(frame(&cut).as_bytes(), true, Protocol::Millennium, Side::Board).unwrap();
    let places: Vec<[&Value; 3]> =
        all.iter().take(2).map(|o| [&o["event"], &o["offset"], &o["length"]]).collect();
    assert_eq!(
        places,
        [[&json!("noise"), &json!(0), &json!(30)], [&json!("status"), &json!(30), &json!(67)]]
    );
    // Vector 36: the host's own bytes come back.
    let echo = board("d3 b5 b3");
    assert_eq!(echo, [json!({ "event": "noise", "cause": "unknown-kind" })]);
}

#[test]
fn a_message_that_a_false_start_swallowed_keeps_its_place() {
    // A page that never ends holds two versions.
    let text = format!("{} {}", frame("i00"), "76 b0 31 b0 b3 37 34 ".repeat(2));
    let all = decode(text.as_bytes(), true, Protocol::Millennium, Side::Board).unwrap();
    let places: Vec<[&Value; 3]> = all.iter().map(|o| [&o["event"], &o["offset"], &o["length"]]).collect();
    assert_eq!(places[0][1..], [&json!(0), &json!(3)]);
    assert_eq!(places[1], [&json!("version"), &json!(3), &json!(7)]);
    assert_eq!(places[2], [&json!("version"), &json!(10), &json!(7)]);
}

#[test]
fn what_was_held_back_has_the_time_of_its_bytes() {
    let text = format!("0.1 < {}\n0.2 < 76 b0 31 b0 b3 37 34\n0.9 > d3 b5 b3\n", frame("i00"));
    let told = traced_as(Protocol::Millennium, &text, true).unwrap();
    let all: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let times: Vec<[&Value; 3]> = all.iter().map(|o| [&o["event"], &o["began_us"], &o["at_us"]]).collect();
    // The page was given up half a second after its last byte.
    assert_eq!(times[0], [&json!("noise"), &json!(100_000), &json!(700_000)]);
    assert_eq!(times[1], [&json!("version"), &json!(200_000), &json!(700_000)]);
    assert_eq!(times[2], [&json!("command"), &json!(900_000), &json!(900_000)]);
}

#[test]
fn what_hosts_say() {
    assert_eq!(
        host("d6 b5 b6  d3 b5 b3  58 b5 38  52 b0 32 b5 b0  57 b0 32 b0 b3 b5 b6  49 b0 b0 34 b9  4d"),
        [
            command("version", &[]),
            command("status", &[]),
            command("lights-off", &[]),
            command("read", &[("address", "02")]),
            command("write", &[("address", "02"), ("value", "03")]),
            command("information", &[("page", "00")]),
            json!({ "event": "unknown" }),
        ]
    );
    // Without byte parity, and with a wrong block parity.
    let said = host("56 35 36  d6 b5 37");
    assert_eq!([&said[0]["odd"], &said[0]["check"]], [&json!(false), &json!(true)]);
    assert_eq!([&said[1]["odd"], &said[1]["check"]], [&json!(true), &json!(false)]);
    let lights = host(&frame(&format!("L32{}4D", "FF".repeat(81))));
    assert_eq!((&lights[0]["command"], &lights[0]["slot"]), (&"lights".into(), &0x32.into()));
    assert_eq!(lights[0]["patterns"], "FF".repeat(81));
}

#[test]
fn harm_is_named() {
    // T, and register 02 := 07: 57, 02 and 07 give 52.
    let said = host(&format!("54 b5 34 {}", frame("W020752")));
    assert_eq!([&said[0]["event"], &said[0]["harm"]], ["harmful", "restart"]);
    assert_eq!([&said[1]["harm"], &said[1]["value"]], ["hides-touches", "07"]);
    let end = decode(b"54 b5 34", true, Protocol::Millennium, Side::Host).unwrap().pop().unwrap();
    assert_eq!((&end["host"]["harmful"], &end["host"]["commands"]), (&1.into(), &0.into()));
}

#[test]
fn people_read_what_it_means() {
    let text = "0.1 > 57 b0 32 b0 b3 b5 b6\n0.11 < f7 b0 32 b0 b3 37 b6\n0.2 > 54 b5 34\n0.3 < 76 b0\n";
    let shown = traced_as(Protocol::Millennium, text, false).unwrap();
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].ends_with("  write register 02 = 03 (a status on change)"), "{shown}");
    assert!(lines[1].ends_with("  written: register 02 = 03 (a status on change)"), "{shown}");
    assert!(lines[2].contains("  HARMFUL COMMAND reset: the board restarts"), "{shown}");
    assert!(lines[3].ends_with("NOISE: a message that broke off"), "{shown}");
    assert!(lines[4].starts_with("board: 9 bytes, 1 messages (byte parity learning)"), "{shown}");
}

proptest! {
    /// Whatever is said by a simulated board is told without noise and in its order.
    #[test]
    fn a_simulated_board_is_understood(puts in prop::collection::vec((0u8..64, 0usize..13), 1..20)) {
        use arbiterd_board::{Occupant, Square};
        use arbiterd_millennium::simulator::{Options, Simulator};
        let mut board = Simulator::new(Mono::ZERO, Options::default());
        let mut ear = Ear::new(Protocol::Millennium, Side::Board);
        let mut heard = Vec::new();
        let mut last = String::new();
        for (number, (square, letter)) in (1u64..).zip(puts) {
            let at = Mono::from_millis(100 * number);
            let letter = char::from(b".PNBRQKpnbrqk"[letter]);
            board.replace(at, Square::new(square).unwrap(), Occupant::from_letter(letter).unwrap());
            board.handle_timeout(Mono::from_millis(100 * number + 50));
            while let Some(bytes) = board.poll_transmit() {
                ear.hear(at, &bytes, &mut heard);
            }
            last = board.placement().to_string();
        }
        prop_assert!(heard.iter().all(|one| one.said.json["event"] == "status"));
        prop_assert_eq!(&heard.last().unwrap().said.json["placement"], &last);
    }
}
