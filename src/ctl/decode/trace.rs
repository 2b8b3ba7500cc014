// SPDX-License-Identifier: GPL-3.0-or-later
//! A trace: what went over the line, with the times, as people write it down.
//!
//! One line for each portion of bytes: the time in seconds, `<` from the board or `>` from the
//! host, the bytes. `#` opens a remark; what is not finished in one line goes on in the next of
//! the same direction, unless the pause between them is too long for one message.

use std::io::{BufRead, BufReader, Read, Write};

use arbiterd_board::Mono;
use serde_json::json;

use super::args::{Protocol, Side};
use super::ear::{Ear, Heard};
use super::hex::{HexError, HexReader};
use super::tell::{self, Count};
use super::{DecodeError, Input};

/// A longer line than this is no trace: the log of a board's memory has 8 063 bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// A hundred thousand years; the number of microseconds must fit.
const LATEST: u64 = 3_000_000_000_000;

/// A line of the trace that cannot be read.
#[derive(Debug, thiserror::Error)]
pub(in crate::ctl) enum TraceError {
    #[error("line {0}: a line begins with its time in seconds, as in `12.345 < 8e 00 05 34 00`")]
    Time(u64),
    #[error("line {0}: after the time comes < (from the board) or > (from the host)")]
    Direction(u64),
    #[error("line {0}: the time runs back; sort the lines by their times")]
    RunsBack(u64),
    #[error("line {0}: it has more than {LONGEST_LINE} characters")]
    TooLong(u64),
    #[error(transparent)]
    Hex(#[from] HexError),
}

/// Bytes that were read together.
struct Portion {
    at: Mono,
    from: Side,
    bytes: Vec<u8>,
}

/// Decodes a trace, line by line.
pub(super) fn run(
    input: &mut Input,
    protocol: Protocol,
    json: bool,
    out: &mut impl Write,
) -> Result<(), DecodeError> {
    let place = input.place.clone();
    let mut reader = BufReader::new(&mut input.from);
    let mut sides = [Ear::new(protocol, Side::Board), Ear::new(protocol, Side::Host)].map(Listener::new);
    let mut teller = Teller { json, before: None };
    let mut now = Mono::ZERO;
    for number in 1.. {
        let mut text = Vec::new();
        let read = reader.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut text);
        if read.map_err(|source| DecodeError::Unreadable { place: place.clone(), source })? == 0 {
            break;
        }
        let portion = parse(number, &text, now);
        let portion = portion.map_err(|source| DecodeError::Trace { place: place.clone(), source })?;
        let Some(portion) = portion else { continue };
        now = portion.at;
        for (from, heard) in hear(&mut sides, &portion) {
            teller.tell(&heard, from, out)?;
        }
        out.flush()?;
    }
    for (from, heard) in finish(&mut sides, now) {
        teller.tell(&heard, from, out)?;
    }
    teller.end(&sides, out)?;
    Ok(out.flush()?)
}

/// One side, and what was told of it.
struct Listener {
    ear: Ear,
    count: Count,
}

impl Listener {
    fn new(ear: Ear) -> Self {
        Self { ear, count: Count::default() }
    }

    fn collect(&mut self, all: &mut Vec<(Side, Heard)>, action: impl FnOnce(&mut Ear, &mut Vec<Heard>)) {
        let mut heard = Vec::new();
        action(&mut self.ear, &mut heard);
        heard.iter().for_each(|one| self.count.add(one));
        let from = self.ear.side();
        all.extend(heard.into_iter().map(|one| (from, one)));
    }
}

fn hear(sides: &mut [Listener], portion: &Portion) -> Vec<(Side, Heard)> {
    let mut all = Vec::new();
    for side in sides.iter_mut() {
        side.collect(&mut all, |ear, heard| ear.wait(portion.at, heard));
    }
    // What was given up meanwhile comes before what is said now, in the order of its times.
    all.sort_by_key(|(_, heard)| heard.at);
    for side in sides.iter_mut().filter(|side| side.ear.side() == portion.from) {
        side.collect(&mut all, |ear, heard| {
            ear.hear(portion.at, &portion.bytes, heard);
            // Its time is that of this line.
            ear.tell_junk(heard);
        });
    }
    all
}

/// The trace ends at `now`: what is unfinished stays so.
fn finish(sides: &mut [Listener], now: Mono) -> Vec<(Side, Heard)> {
    let mut all = Vec::new();
    for side in sides {
        side.collect(&mut all, |ear, heard| ear.finish(now, heard));
    }
    all
}

struct Teller {
    json: bool,
    /// When the line before was.
    before: Option<Mono>,
}

impl Teller {
    fn tell(&mut self, heard: &Heard, from: Side, out: &mut impl Write) -> Result<(), DecodeError> {
        if self.json {
            writeln!(out, "{}", tell::traced(heard, from))?;
        } else {
            writeln!(out, "{}", tell::line(heard, from, self.before))?;
        }
        self.before = Some(heard.at);
        Ok(())
    }

    fn end(&self, sides: &[Listener], out: &mut impl Write) -> Result<(), DecodeError> {
        let mut end = json!({ "event": "end" });
        for Listener { ear, count } in sides {
            if self.json {
                end[ear.side().word()] = count.of(ear);
            } else {
                writeln!(out, "{}", count.words(ear))?;
            }
        }
        if self.json {
            writeln!(out, "{end}")?;
        }
        Ok(())
    }
}

/// `seconds < bytes`; `None` for an empty line or a remark.
fn parse(line: u64, text: &[u8], before: Mono) -> Result<Option<Portion>, TraceError> {
    if u64::try_from(text.len()).is_ok_and(|length| length > LONGEST_LINE) {
        return Err(TraceError::TooLong(line));
    }
    let said = text.split(|b| *b == b'#').next().unwrap_or_default();
    let Some(start) = said.iter().position(|b| !b.is_ascii_whitespace()) else { return Ok(None) };
    let is_time = |b: &u8| b.is_ascii_digit() || *b == b'.';
    let after_time = start + said.iter().skip(start).take_while(|b| is_time(b)).count();
    let at = said.get(start..after_time).and_then(seconds).ok_or(TraceError::Time(line))?;
    let rest = said.get(after_time..).unwrap_or_default();
    let blank = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let from = match rest.get(blank) {
        Some(b'<') => Side::Board,
        Some(b'>') => Side::Host,
        _ => return Err(TraceError::Direction(line)),
    };
    let digits = after_time + blank + 1;
    // Up to here all is ASCII, so columns are bytes.
    let column = u64::try_from(digits + 1).unwrap_or(u64::MAX);
    let mut reader = HexReader::at(line, column);
    let mut bytes = Vec::new();
    reader.read(said.get(digits..).unwrap_or_default().trim_ascii_end(), &mut bytes)?;
    reader.finish()?;
    if at < before {
        return Err(TraceError::RunsBack(line));
    }
    Ok(Some(Portion { at, from, bytes }))
}

/// A time in seconds; what is finer than a microsecond is cut off.
fn seconds(text: &[u8]) -> Option<Mono> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|b| b.is_ascii_digit()) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(6);
    let micros = digits.fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    (whole <= LATEST).then(|| Mono::from_micros(whole * 1_000_000 + micros))
}
