// SPDX-License-Identifier: GPL-3.0-or-later
//! Expectations are worked out by hand from the description of the protocol.

use clap::Parser;
use proptest::prelude::*;

use super::*;

fn input(bytes: &[u8]) -> Input {
    Input { name: "test".to_owned(), from: Box::new(io::Cursor::new(bytes.to_vec())) }
}

fn decode(bytes: &[u8], hex: bool, mode: Mode, from: Side) -> Result<Vec<Value>, DecodeError> {
    let mut out = Vec::new();
    let mut hex = hex.then(Hex::default);
    stream(&mut input(bytes), hex.as_mut(), Ear::new(mode, from), &mut out)?;
    let text = String::from_utf8(out).unwrap();
    Ok(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn single(text: &str) -> Vec<Value> {
    decode(text.as_bytes(), true, Mode::Single, Side::Board).unwrap()
}

#[test]
fn a_lift_and_a_time() {
    let all = single("8e 00 05 34 00  8d000a01300001295811 # vectors 4 and 14\n");
    assert_eq!(all[0], json!({ "kind": "square", "square": "e2", "piece": ".", "offset": 5 }));
    assert_eq!(
        all[1]["left"],
        json!({ "time": "1:29:58", "ms": 5_398_000, "flag": null, "per_move": false })
    );
    assert_eq!(all[1]["right"]["time"], "1:30:00");
    assert_eq!(
        (&all[1]["counting"], &all[1]["pressed"], &all[1]["turn"]),
        (&json!(true), &json!("right"), &json!("left"))
    );
    assert_eq!(
        (&all[2]["kind"], &all[2]["bytes"], &all[2]["dropped"]),
        (&json!("end"), &json!(15), &json!(0))
    );
}

#[test]
fn versions_are_pairs_and_corrupt_times_keep_their_status() {
    let all = single("0x93 0x00 0x05 0x03 0x0a 8d 00 0a 0c 08 08 00 00 00 00");
    assert_eq!(all[0], json!({ "kind": "version", "version": "3.10", "main": 3, "sub": 10, "offset": 5 }));
    assert_eq!(all[1]["kind"], "corrupt-clock");
    assert_eq!(all[1]["payload"], "0c 08 08 00 00 00 00");
    assert_eq!(all[1]["status"]["counting"], false);
    assert_eq!(all[2]["corrupt_clocks"], 1);
}

#[test]
fn noise_is_an_object_and_what_is_unfinished_too() {
    let all = single("00 41 5a 8e 00 05 24 01 8e 00");
    assert_eq!(all[0], json!({ "kind": "noise", "bytes": 3, "cause": "junk", "offset": 8 }));
    assert_eq!(all[1]["piece"], "P");
    assert_eq!(all[2], json!({ "kind": "noise", "bytes": 2, "cause": "unfinished", "offset": 10 }));
    assert_eq!(all[3]["dropped"], 5);
}

#[test]
fn answers_on_a_bus_carry_their_address_and_records() {
    let text = "85 00 0d 08 01 40 34 51 24 71 29 58 76";
    let all = decode(text.as_bytes(), true, Mode::Bus, Side::Board).unwrap();
    assert_eq!(all[0]["kind"], "changes");
    assert_eq!(all[0]["address"], "01025");
    let records = json!([
        { "record": "piece", "square": "e2", "piece": ".", "soon": false },
        { "record": "piece", "square": "e4", "piece": "P", "soon": true },
        { "record": "time", "stopped": "left", "time": "1:29:58", "ms": 5_398_000 },
    ]);
    assert_eq!(all[0]["records"], records);
}

#[test]
fn the_host_is_understood_and_harm_is_named() {
    let text = "4b 2b 0a 03 0a 01 1f 3a 01 1e 00 04 00 4e 83 08 01 0c";
    let all = decode(text.as_bytes(), true, Mode::Single, Side::Host).unwrap();
    assert_eq!(all[0]["command"], "UpdateNice");
    assert_eq!(all[1]["set"]["left"], "1:31:58");
    assert_eq!((&all[1]["set"]["left_runs"], &all[1]["set"]["right_runs"]), (&json!(false), &json!(false)));
    assert_eq!((&all[2]["kind"], &all[2]["byte"]), (&json!("HARMFUL"), &json!("4e")));
    assert_eq!((&all[3]["command"], &all[3]["address"]), (&json!("83"), &json!("01025")));
}

#[test]
fn wrong_text_is_told_with_its_place() {
    for (text, line, column, found) in
        [("8e 0g", 1, 5, "0g"), ("8e\n  zz", 2, 3, "z"), ("8e 0", 1, 4, "0"), ("# zz\n8 e", 2, 2, "8")]
    {
        match decode(text.as_bytes(), true, Mode::Single, Side::Board) {
            Err(DecodeError::Hex { line: l, column: c, found: f }) => {
                assert_eq!((l, c, f.as_str()), (line, column, found), "{text:?}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

fn traced(text: &str, json: bool) -> Result<String, DecodeError> {
    let mut out = Vec::new();
    trace::run(&mut input(text.as_bytes()), Mode::Single, json, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn a_trace_shows_both_sides_and_puts_frames_together() {
    let text = "# start\n0.500 > 4d\n0.512 < 93 00\n0.514 < 05 03 01\n";
    let shown = traced(text, false).unwrap();
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    assert_eq!(lines[..2], ["0.500          > 4d", "command command=SendVersion"]);
    assert_eq!(lines[2..4], ["0.512   +0.012 < 93 00", "(not complete)"]);
    assert!(lines[5].starts_with("version") && lines[5].contains("version=3.1"), "{shown}");
    let objects = traced(text, true).unwrap();
    let third: Value = serde_json::from_str(objects.lines().nth(2).unwrap()).unwrap();
    assert_eq!((&third["from"], &third["items"][0]["sub"]), (&json!("board"), &json!(1)));
}

#[test]
fn a_wrong_line_of_a_trace_is_named() {
    for (text, line) in
        [("0.1 < 93\n0.2 93 00", 2), ("x < 93", 1), ("0.1 < 9", 1), ("-1 < 93", 1), ("0.1", 1)]
    {
        match traced(text, false) {
            Err(DecodeError::Trace { line: l, .. }) => assert_eq!(l, line, "{text:?}"),
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[derive(Debug, Parser)]
struct Alone {
    #[command(subcommand)]
    family: Family,
}

#[test]
fn the_examples_are_understood() {
    let examples: Vec<_> = EXAMPLES.lines().filter_map(|l| l.split_once("arbiterctl decode ")).collect();
    assert_eq!(examples.len(), 5);
    for (_, rest) in examples {
        let words = rest.split('<').next().unwrap_or("").split_whitespace();
        assert!(Alone::try_parse_from(std::iter::once("decode").chain(words)).is_ok(), "{rest}");
    }
}

proptest! {
    #[test]
    fn any_bytes_give_objects_and_are_accounted_for(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for (mode, from) in [(Mode::Single, Side::Board), (Mode::Bus, Side::Board), (Mode::Single, Side::Host)] {
            let all = decode(&bytes, false, mode, from).unwrap();
            let last = all.last().unwrap();
            prop_assert_eq!(&last["kind"], "end");
            prop_assert_eq!(last["bytes"].as_u64(), Some(bytes.len() as u64));
            let noise: u64 =
                all.iter().filter(|v| v["kind"] == "noise").filter_map(|v| v["bytes"].as_u64()).sum();
            if from == Side::Board {
                prop_assert_eq!(last["dropped"].as_u64(), Some(noise));
            }
        }
    }

    #[test]
    fn any_text_is_decoded_or_refused(text in "[0-9a-fx#<> .\n]{0,80}") {
        let _ = decode(text.as_bytes(), true, Mode::Single, Side::Board);
        let _ = traced(&text, false);
    }
}
