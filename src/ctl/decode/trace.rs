// SPDX-License-Identifier: GPL-3.0-or-later
//! A recorded conversation: both sides of a line with their times.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;

use arbiterd_board::Mono;
use serde_json::{Value, json};

use super::input::Hex;
use super::{DecodeError, Ear, Input, Mode, Side, form};

/// A longer line than this is no trace: the log of a board's memory has 24 000 characters.
const LONGEST_LINE: u64 = 1 << 20;

/// One line of a trace.
struct Line {
    at: Duration,
    from: Side,
    bytes: Vec<u8>,
}

/// Decodes a trace and prints each line with what it means.
pub(super) fn run(
    input: &mut Input,
    mode: Mode,
    json: bool,
    out: &mut impl Write,
) -> Result<(), DecodeError> {
    let name = input.name.clone();
    let mut reader = BufReader::new(&mut input.from);
    let mut board = Ear::new(mode, Side::Board);
    let mut host = Ear::new(mode, Side::Host);
    let mut before = None;
    for number in 1.. {
        let mut text = Vec::new();
        let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text);
        if read.map_err(|source| DecodeError::Unreadable { path: name.clone(), source })? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&text);
        let Some(line) = parse(number, &text)? else { continue };
        let ear = if line.from == Side::Board { &mut board } else { &mut host };
        let mut items = Vec::new();
        let now = Mono::ZERO.after(line.at);
        ear.hear(now, &line.bytes, |item| {
            items.push(item);
            Ok(())
        })?;
        print(&line, before, &items, json, out)?;
        before = Some(line.at);
    }
    for (side, ear) in [("<", &mut board), (">", &mut host)] {
        for item in ear.end() {
            print_end(side, &item, json, out)?;
        }
    }
    Ok(out.flush()?)
}

/// `seconds < bytes`; `None` for an empty line or a remark.
fn parse(number: usize, text: &str) -> Result<Option<Line>, DecodeError> {
    let text = text.split('#').next().unwrap_or("").trim();
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || DecodeError::Trace { line: number, found: text.chars().take(60).collect() };
    let (time, rest) = text.split_once(char::is_whitespace).ok_or_else(wrong)?;
    let rest = rest.trim_start();
    let (from, bytes) = match (rest.strip_prefix('<'), rest.strip_prefix('>')) {
        (Some(bytes), _) => (Side::Board, bytes),
        (_, Some(bytes)) => (Side::Host, bytes),
        _ => return Err(wrong()),
    };
    let seconds = time.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    let mut hex = Hex::default();
    let bytes =
        hex.read(bytes.as_bytes()).and_then(|bytes| hex.end().map(|()| bytes)).map_err(|_| wrong())?;
    Ok(Some(Line { at: seconds.ok_or_else(wrong)?, from, bytes }))
}

fn print(
    line: &Line,
    before: Option<Duration>,
    items: &[Value],
    json: bool,
    out: &mut impl Write,
) -> Result<(), DecodeError> {
    let since = before.map(|before| line.at.as_secs_f64() - before.as_secs_f64());
    let arrow = if line.from == Side::Board { "<" } else { ">" };
    if json {
        let object = json!({
            "at": line.at.as_secs_f64(),
            "since": since,
            "from": if line.from == Side::Board { "board" } else { "host" },
            "bytes": form::hex(&line.bytes),
            "items": items,
        });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    let since = since.map_or_else(String::new, |since| format!("{since:+.3}"));
    writeln!(out, "{:>10.3} {since:>8} {arrow} {}", line.at.as_secs_f64(), form::hex(&line.bytes))?;
    for item in items {
        writeln!(out, "{:>22}{}", "", words(item))?;
    }
    if items.is_empty() {
        writeln!(out, "{:>22}(not complete)", "")?;
    }
    Ok(())
}

fn print_end(side: &str, item: &Value, json: bool, out: &mut impl Write) -> Result<(), DecodeError> {
    if json {
        let from = if side == "<" { "board" } else { "host" };
        writeln!(out, "{}", json!({ "from": from, "items": [item] }))?;
    } else {
        writeln!(out, "{:>20}{side} {}", "", words(item))?;
    }
    Ok(())
}

/// An object in one line: its kind, then what it holds.
fn words(item: &Value) -> String {
    let mut line = item["kind"].as_str().unwrap_or("?").to_owned();
    for (key, value) in item.as_object().into_iter().flatten() {
        match value {
            _ if key == "kind" || key == "offset" => {}
            Value::Null => {}
            Value::String(text) => line += &format!(" {key}={text}"),
            other => line += &format!(" {key}={other}"),
        }
    }
    line
}
