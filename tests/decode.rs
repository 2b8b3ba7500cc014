// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl decode` as a process: what a technician types.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_arbiterctl"))
        .arg("decode")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn decode(args: &[&str], input: &[u8]) -> Output {
    let mut child = start(args);
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn objects(output: &Output) -> Vec<serde_json::Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn bytes_in_objects_out() {
    let output = decode(&["dgt"], &[0x8e, 0, 5, 0x34, 0]);
    assert!(output.status.success());
    let objects = objects(&output);
    assert_eq!(objects[0]["square"], "e2");
    assert_eq!((&objects[0]["offset"], &objects[0]["length"]), (&0.into(), &5.into()));
    assert_eq!(objects[1]["event"], "end");
}

#[test]
fn an_object_comes_as_soon_as_its_bytes_do() {
    let mut child = start(&["dgt"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for square in [0x34, 0x24] {
        input.write_all(&[0x8e, 0, 5, square, 0]).unwrap();
        let mut line = String::new();
        // The input stays open: a tool that waited for its end would hang here.
        output.read_line(&mut line).unwrap();
        assert!(line.contains("\"square\""), "{line}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_message_in_portions_has_the_place_of_its_first_byte() {
    let mut child = start(&["dgt"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    input.write_all(&[0x55, 0x8e, 0]).unwrap();
    assert_eq!(next()["event"], "noise");
    input.write_all(&[5, 0x34, 0]).unwrap();
    let square = next();
    assert_eq!((&square["offset"], &square["length"]), (&1.into(), &5.into()));
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_file_and_a_mistake_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bytes.hex");
    std::fs::write(&file, "93 00 05 03 0a\n8e 0q").unwrap();
    let output = decode(&["dgt", "--hex", file.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(1));
    // What came before the mistake is told.
    assert_eq!(objects(&output)[0]["version"], "3.10");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("bytes.hex, line 2, column 5: 'q'"), "{said}");
    let folder = folder.path().display().to_string();
    for unreadable in ["/no/such/file", &folder] {
        let output = decode(&["dgt", unreadable], b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(&format!("cannot read {unreadable}: ")), "{said}");
    }
}

#[test]
fn a_mistake_is_found_across_a_large_file() {
    let text = format!("{}8e 5", "8e 00 05 34 00\n".repeat(1000));
    let output = decode(&["dgt", "--hex"], text.as_bytes());
    assert_eq!((output.status.code(), objects(&output).len()), (Some(1), 1000));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("standard input, line 1001, column 4: half a byte"), "{said}");
}

#[test]
fn nothing_is_an_end_alone() {
    for args in
        [&["dgt"][..], &["dgt", "--hex"], &["dgt", "--from", "host"], &["--json", "dgt", "--trace", "-"]]
    {
        let output = decode(args, b"");
        let objects = objects(&output);
        assert_eq!((output.status.code(), objects.len()), (Some(0), 1), "{args:?}");
        assert_eq!(objects[0]["event"], "end", "{args:?}");
    }
}

#[test]
fn wrong_usage_has_a_code_of_its_own() {
    for args in [&["dgt", "--hex", "--trace", "x"][..], &["nothing"], &["dgt", "--mode", "both"]] {
        assert_eq!(decode(args, b"").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_reader_who_stops_reading_is_no_failure() {
    let mut child = start(&["dgt"]);
    drop(child.stdout.take());
    let many = [0x8e, 0, 5, 0x34, 0].repeat(10_000);
    // The other end may close while this is written.
    let _ = child.stdin.take().unwrap().write_all(&many);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_trace_for_people_and_for_programs() {
    let trace = b"0.5 > 4d\n0.6 < 93 00 05\n0.61 < 03 01\n0.7 < 8e 00\n";
    let people = decode(&["dgt", "--trace", "-"], trace);
    let people = String::from_utf8(people.stdout).unwrap();
    let lines: Vec<&str> = people.lines().collect();
    assert!(lines[0].ends_with("  send-version"), "{people}");
    assert!(lines[1].ends_with("  firmware 3.1 (began at 0.600000)"), "{people}");
    assert!(lines[2].contains("NOISE") && !people.contains('\x1b'), "{people}");
    let programs = decode(&["--json", "dgt", "--trace", "-"], trace);
    let objects = objects(&programs);
    assert_eq!(objects.len(), 4);
    assert_eq!((&objects[1]["version"], &objects[1]["from"]), (&"3.1".into(), &"board".into()));
    assert_eq!((&objects[1]["began_us"], &objects[1]["at_us"]), (&600_000.into(), &610_000.into()));
    assert_eq!((&objects[2]["event"], &objects[2]["offset"]), (&"noise".into(), &5.into()));
    assert_eq!(objects[3]["host"]["commands"], 1);
    let wrong = decode(&["dgt", "--trace", "-"], b"0.1 4d\n");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("standard input, line 1: "));
}

#[test]
fn a_millennium_board_and_its_host() {
    // Vectors 1 and 2.
    let output = decode(&["millennium", "--hex"], b"76 b0 31 b0 b3 37 34");
    assert!(output.status.success());
    assert_eq!(objects(&output)[0]["version"], "1.3");
    let output = decode(&["millennium", "--from", "host"], &[0xd6, 0xb5, 0xb6]);
    assert_eq!(objects(&output)[0]["command"], "version");
    let trace = b"0.5 > 54 b5 34\n0.6 < 76 b0 31\n0.61 < b0 b3 37 34\n";
    let output = decode(&["millennium", "--trace", "-"], trace);
    let people = String::from_utf8(output.stdout).unwrap();
    assert!(people.contains("HARMFUL COMMAND reset") && people.contains("version 1.3 (began"), "{people}");
    assert_eq!(decode(&["millennium", "--mode", "bus"], b"").status.code(), Some(2));
    assert_eq!(decode(&["millennium", "--hex"], b"7q").status.code(), Some(1));
}
