// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl decode`: what the bytes of a line mean. Needs no service and no board.

mod args;
mod dgt;
mod ear;
mod hex;
mod millennium;
mod noise;
mod tell;
mod trace;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use arbiterd_board::Mono;
use serde_json::json;

pub(super) use self::args::Family;
use self::args::Protocol;
use self::ear::Ear;
use self::hex::{HexError, HexReader};
use self::tell::Count;
use self::trace::TraceError;

/// Why nothing more can be decoded. Bytes that are no message are no error.
#[derive(Debug, thiserror::Error)]
pub(super) enum DecodeError {
    #[error("cannot read {place}: {source}")]
    Unreadable { place: String, source: io::Error },
    #[error("{place}, {source}")]
    Hex { place: String, source: HexError },
    #[error("{place}, {source}")]
    Trace { place: String, source: TraceError },
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// Runs `arbiterctl decode`.
pub(super) fn run(family: &Family, json: bool, out: &mut impl Write) -> Result<(), DecodeError> {
    let (protocol, args) = match family {
        Family::Dgt(args) => (Protocol::Dgt(args.mode), &args.input),
        Family::Millennium(args) => (Protocol::Millennium, &args.input),
    };
    match &args.trace {
        Some(file) => trace::run(&mut open(file)?, protocol, json, out),
        None => {
            let mut input = open(args.file.as_deref().unwrap_or(Path::new("-")))?;
            let hex = args.hex.then(HexReader::new);
            stream(&mut input, hex, Ear::new(protocol, args.from), out)
        }
    }
}

/// The file, or standard input for `-`.
fn open(path: &Path) -> Result<Input, DecodeError> {
    let place = path.display().to_string();
    if path == Path::new("-") {
        return Ok(Input { place: "standard input".to_owned(), from: Box::new(io::stdin()) });
    }
    match File::open(path) {
        Ok(file) => Ok(Input { place, from: Box::new(file) }),
        Err(source) => Err(DecodeError::Unreadable { place, source }),
    }
}

/// Where bytes come from.
struct Input {
    place: String,
    from: Box<dyn Read>,
}

impl Input {
    /// Some more bytes; none at the end.
    fn read<'a>(&mut self, buffer: &'a mut [u8]) -> Result<&'a [u8], DecodeError> {
        loop {
            match self.from.read(buffer) {
                Ok(count) => return Ok(buffer.get(..count).unwrap_or_default()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.unreadable(source)),
            }
        }
    }

    fn unreadable(&self, source: io::Error) -> DecodeError {
        DecodeError::Unreadable { place: self.place.clone(), source }
    }
}

/// Decodes as the bytes come, so that it works at the end of a pipe too.
///
/// Bytes have no times here: only their order says what is broken off.
fn stream(
    input: &mut Input,
    mut hex: Option<HexReader>,
    mut ear: Ear,
    out: &mut impl Write,
) -> Result<(), DecodeError> {
    let (mut buffer, mut count) = ([0; 4096], Count::default());
    loop {
        let read = input.read(&mut buffer)?;
        let at_end = read.is_empty();
        let mut heard = Vec::new();
        let mistake = match &mut hex {
            Some(hex) if at_end => hex.finish().err(),
            Some(hex) => {
                let mut written = Vec::new();
                let mistake = hex.read(read, &mut written).err();
                ear.hear(Mono::ZERO, &written, &mut heard);
                mistake
            }
            None => {
                ear.hear(Mono::ZERO, read, &mut heard);
                None
            }
        };
        if at_end && mistake.is_none() {
            ear.finish(Mono::ZERO, &mut heard);
        }
        for one in &heard {
            count.add(one);
            writeln!(out, "{}", tell::object(one))?;
        }
        out.flush()?;
        if let Some(source) = mistake {
            return Err(DecodeError::Hex { place: input.place.clone(), source });
        }
        if at_end {
            writeln!(out, "{}", json!({ "event": "end", ear.side().word(): count.of(&ear) }))?;
            return Ok(out.flush()?);
        }
    }
}

#[cfg(test)]
mod tests;
