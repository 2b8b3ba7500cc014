// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl decode`: what the bytes of a line mean. Needs no service and no board.

mod form;
mod input;
mod trace;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use arbiterd_board::Mono;
use arbiterd_dgt::bus::{BusDecoder, BusItem};
use arbiterd_dgt::host::HostDecoder;
use arbiterd_dgt::{Counters, Decoder};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use self::input::Hex;

const EXAMPLES: &str = "\
Examples:
  arbiterctl decode dgt < bytes
      What a board said, one JSON object a line.
  echo '8e 00 05 34 00' | arbiterctl decode dgt --hex
      The same from hexadecimal text; # begins a remark.
  arbiterctl decode dgt --mode bus < bytes
      Answers of boards on a bus line.
  arbiterctl decode dgt --from host < bytes
      What the host said; what harms a board is named.
  arbiterctl decode dgt --trace conversation.txt
      Both sides with their times: each line is seconds, < from the board or > from the host, bytes.

\"offset\" is the number of bytes read when the message was complete. The last object holds what was
counted. A trace is printed for people, or with --json as objects.";

#[derive(Debug, Subcommand)]
pub(super) enum Family {
    /// DGT boards and clocks
    #[command(after_help = EXAMPLES)]
    Dgt(DgtArgs),
}

#[derive(Debug, Args)]
pub(super) struct DgtArgs {
    /// The bytes; standard input without it, or with -
    #[arg(value_name = "FILE", conflicts_with = "trace")]
    file: Option<PathBuf>,
    /// Input is hexadecimal text
    #[arg(long, conflicts_with = "trace")]
    hex: bool,
    /// A board on a port of its own, or boards on a bus line
    #[arg(long, value_enum, default_value_t = Mode::Single)]
    mode: Mode,
    /// Whose bytes they are
    #[arg(long, value_enum, default_value_t = Side::Board, conflicts_with = "trace")]
    from: Side,
    /// A file of both sides with times: "12.345 < 8e 00 05 34 00" from the board, ">" from the host;
    /// - is standard input
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Mode {
    Single,
    Bus,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Side {
    Board,
    Host,
}

/// Why nothing more can be decoded. Bytes that are no message are no error.
#[derive(Debug, thiserror::Error)]
pub(super) enum DecodeError {
    #[error("cannot read {path}: {source}")]
    Unreadable { path: String, source: io::Error },
    #[error("line {line}, column {column}: {found:?} is no hexadecimal byte; write two digits for each byte")]
    Hex { line: usize, column: usize, found: String },
    #[error("line {line}: {found:?} is not \"seconds < bytes\" (from the board) or \"seconds > bytes\"")]
    Trace { line: usize, found: String },
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// Runs `arbiterctl decode`.
pub(super) fn run(family: &Family, json: bool, out: &mut impl Write) -> Result<(), DecodeError> {
    let Family::Dgt(args) = family;
    match &args.trace {
        Some(file) => trace::run(&mut open(file)?, args.mode, json, out),
        None => {
            let mut input = open(args.file.as_deref().unwrap_or(Path::new("-")))?;
            let mut hex = args.hex.then(Hex::default);
            let ear = Ear::new(args.mode, args.from);
            stream(&mut input, hex.as_mut(), ear, out)
        }
    }
}

/// The file, or standard input for `-`.
fn open(path: &Path) -> Result<Input, DecodeError> {
    let name = path.display().to_string();
    if path == Path::new("-") {
        return Ok(Input { name: "standard input".to_owned(), from: Box::new(io::stdin()) });
    }
    match File::open(path) {
        Ok(file) => Ok(Input { name, from: Box::new(file) }),
        Err(source) => Err(DecodeError::Unreadable { path: name, source }),
    }
}

/// Where bytes come from.
struct Input {
    name: String,
    from: Box<dyn Read>,
}

impl Input {
    /// Some more bytes; none at the end.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, DecodeError> {
        loop {
            match self.from.read(buffer) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    return read
                        .map_err(|source| DecodeError::Unreadable { path: self.name.clone(), source });
                }
            }
        }
    }
}

/// Decodes as the bytes come, so that it works at the end of a pipe too.
fn stream(
    input: &mut Input,
    mut hex: Option<&mut Hex>,
    mut ear: Ear,
    out: &mut impl Write,
) -> Result<(), DecodeError> {
    let mut buffer = [0; 4096];
    loop {
        let count = input.read(&mut buffer)?;
        let portion = buffer.get(..count).unwrap_or_default();
        let bytes = match &mut hex {
            Some(hex) if count == 0 => hex.end().map(|()| Vec::new())?,
            Some(hex) => hex.read(portion)?,
            None => portion.to_vec(),
        };
        ear.hear(Mono::ZERO, &bytes, |item| line(out, &item))?;
        out.flush()?;
        if count == 0 {
            break;
        }
    }
    let last = ear.end();
    last.iter().try_for_each(|item| line(out, item))?;
    Ok(out.flush()?)
}

fn line(out: &mut impl Write, item: &Value) -> io::Result<()> {
    writeln!(out, "{item}")
}

/// What listens to one side of the line.
struct Ear {
    decoder: SideDecoder,
    /// Bytes heard so far.
    heard: u64,
}

enum SideDecoder {
    Single(Box<Decoder>),
    Bus(Box<BusDecoder>),
    Host(Box<HostDecoder>),
}

impl Ear {
    fn new(mode: Mode, from: Side) -> Self {
        let decoder = match (from, mode) {
            (Side::Host, _) => SideDecoder::Host(Box::default()),
            (Side::Board, Mode::Single) => SideDecoder::Single(Box::default()),
            (Side::Board, Mode::Bus) => SideDecoder::Bus(Box::default()),
        };
        Self { decoder, heard: 0 }
    }

    /// Hands on everything that these bytes complete.
    fn hear(
        &mut self,
        now: Mono,
        bytes: &[u8],
        mut tell: impl FnMut(Value) -> io::Result<()>,
    ) -> io::Result<()> {
        let before = self.heard;
        let at = |rest: &[u8]| before + (bytes.len() - rest.len()) as u64;
        let mut rest = bytes;
        match &mut self.decoder {
            SideDecoder::Single(decoder) => {
                while let Some(item) = decoder.decode(&mut rest) {
                    tell(form::at(at(rest), form::item(&item)))?;
                }
            }
            SideDecoder::Bus(decoder) => {
                while let Some(item) = decoder.decode(&mut rest) {
                    let value = match &item {
                        BusItem::Message(message) => form::bus(message),
                        BusItem::Noise(noise) => form::noise(*noise),
                    };
                    tell(form::at(at(rest), value))?;
                }
            }
            // One byte after the other, so that offsets are exact.
            SideDecoder::Host(decoder) => {
                while let Some((first, after)) = rest.split_first() {
                    decoder.hear(now, &[*first]);
                    rest = after;
                    while let Some(item) = decoder.poll() {
                        tell(form::at(at(rest), form::host(&item)))?;
                    }
                }
            }
        }
        self.heard = before + bytes.len() as u64;
        Ok(())
    }

    /// What is left when no more bytes come, and what was counted.
    fn end(&mut self) -> Vec<Value> {
        let heard = self.heard;
        let (noise, counters) = match &mut self.decoder {
            SideDecoder::Single(decoder) => {
                decoder.abandon();
                (decoder.take_noise(), decoder.counters())
            }
            SideDecoder::Bus(decoder) => {
                decoder.abandon();
                (decoder.take_noise(), decoder.counters())
            }
            SideDecoder::Host(_) => return vec![json!({ "kind": "end", "bytes": heard })],
        };
        let left = noise.map(|noise| form::at(heard, form::noise(noise)));
        left.into_iter().chain([counted(heard, counters)]).collect()
    }
}

fn counted(bytes: u64, counters: Counters) -> Value {
    json!({
        "kind": "end",
        "bytes": bytes,
        "dropped": counters.dropped_bytes,
        "masked_pieces": counters.masked_pieces,
        "squares_out_of_range": counters.squares_out_of_range,
        "draughts_dumps": counters.draughts_dumps,
        "corrupt_clocks": counters.corrupt_clocks,
    })
}

#[cfg(test)]
mod tests;
