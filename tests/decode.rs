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
    assert_eq!(objects[1]["kind"], "end");
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
fn a_file_and_a_mistake_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bytes.hex");
    std::fs::write(&file, "93 00 05 03 0a\n8e 0q").unwrap();
    let output = decode(&["dgt", "--hex", file.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("line 2, column 5") && said.contains("0q"), "{said}");
    let missing = decode(&["dgt", "/no/such/file"], b"");
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("/no/such/file"));
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
    let trace = b"0.5 > 4d\n0.6 < 93 00 05 03 01\n";
    let people = decode(&["dgt", "--trace", "-"], trace);
    assert!(String::from_utf8(people.stdout).unwrap().contains("version=3.1"));
    let programs = decode(&["--json", "dgt", "--trace", "-"], trace);
    assert_eq!(objects(&programs)[1]["items"][0]["version"], "3.1");
}
