// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line of `arbiterctl decode`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

pub(super) const EXAMPLES: &str = "\
Examples:
  arbiterctl decode dgt < board.bin
      What a board said, one JSON object a line.
  arbiterctl decode dgt --hex notes.txt
      The same from bytes that were typed, such as `8e 00 05 34 00  # e2 is empty`.
  arbiterctl decode dgt --mode bus line.bin
      Answers of boards on a bus line.
  arbiterctl decode dgt --from host host.bin
      What the host said; what harms a board is named.
  arbiterctl decode dgt --trace line.txt
      Both sides with their times, for people.
  arbiterctl --json decode dgt --trace -
      The same from standard input, one JSON object a line.

A trace is text. Each line has the time in seconds, `<` from the board or `>` from the host, and
bytes in hexadecimal; # begins a remark. Times never run back. A message may go on in later lines:
  12.345 > 42          # the host asks for the board
  12.361 < 8e 00 05
  12.364 < 34 00
A message of a board is broken off by a pause of more than 0.5 s, one of a host by more than 0.1 s.
Without a trace there are no times: then only later bytes or the end break a message off.

JSON, on both sides and in all modes:
  event    what it is, such as square, times, noise, command or harmful
  offset   where its first byte lies among the bytes of its side, counted from 0
  length   how many bytes it has; the objects of a side follow each other without a gap
  bytes    the bytes, in hexadecimal; null for a Pegasus key, which is not shown
  ..._ms, ..._us, ..._minutes   numbers in milliseconds, microseconds, minutes
  time     hours:minutes:seconds as the clock shows them
  left, right   sides of the clock, seen from its front
  piece    a letter of a FEN; . empty; = + - the pieces that announce a draw, White's, Black's win
  address  a board on a bus line, five digits; all is every board
In a trace also:
  from     board or host
  began_us the time of its first byte
  at_us    the time at which it was complete, or was given up
Bytes that are no message are noise with a cause: junk, unfinished, malformed, unknown-kind,
out-of-range or wrong-mode (see --mode). The last object, end, holds what was counted of each side.

Exit codes: 0 the input was read to its end, 1 it could not be, 2 wrong usage.";

pub(super) const MILLENNIUM: &str = "\
Examples:
  arbiterctl decode millennium < board.bin
      What a board said, one JSON object a line.
  arbiterctl decode millennium --hex notes.txt
      The same from bytes that were typed, such as `76 b0 31 b0 b3 37 34  # version 1.3`.
  arbiterctl decode millennium --from host host.bin
      What the host said; what does harm is named.
  arbiterctl decode millennium --trace line.txt
      Both sides with their times, for people.
  arbiterctl --json decode millennium --trace -
      The same from standard input, one JSON object a line.

A trace is text. Each line has the time in seconds, `<` from the board or `>` from the host, and
bytes in hexadecimal; # begins a remark. Times never run back. A message may go on in later lines:
  12.345 > d6 b5 b6    # the host asks for the version
  12.361 < 76 b0 31
  12.364 < b0 b3 37 34
A message of either side is broken off by a pause of more than 0.5 s. Without a trace there are no
times: then only later bytes or the end break a message off.

JSON, on both sides:
  event    what it is, such as status, version, register, noise or command
  offset   where its first byte lies among the bytes of its side, counted from 0
  length   how many bytes it has; the objects of a side follow each other without a gap
  bytes    the bytes, in hexadecimal
  placement   what stands on the board, as a FEN, for a cable on the left of White; ? is unknown
  turned      the same for a cable on the right: the bytes do not tell on which side it is
  address, value   of a register, two hexadecimal digits
  odd, check  of a command: whether its parities are right; a board ignores it if not
  harm     what a command does that a board or a game suffers from
In a trace also:
  from     board or host
  began_us the time of its first byte
  at_us    the time at which it was complete, or was given up
Bytes that are no message are noise with a cause: junk, unfinished, malformed or unknown-kind, which
is a command of a host that came back. The last object, end, holds what was counted of each side,
and byte_parity, which is what the board puts in bit 7: odd, none, mixed or learning.

Exit codes: 0 the input was read to its end, 1 it could not be, 2 wrong usage.";

#[derive(Debug, Subcommand)]
pub(crate) enum Family {
    /// DGT boards and clocks
    #[command(after_help = EXAMPLES)]
    Dgt(DgtArgs),
    /// Millennium boards with the ChessLink protocol
    #[command(after_help = MILLENNIUM)]
    Millennium(MillenniumArgs),
}

/// How bytes are to be understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Protocol {
    Dgt(Mode),
    Millennium,
}

#[derive(Debug, Args)]
pub(crate) struct DgtArgs {
    /// A board on a port of its own, or boards on a bus line; a host is understood in both
    #[arg(long, value_enum, default_value_t = Mode::Single)]
    pub(super) mode: Mode,
    #[command(flatten)]
    pub(super) input: InputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MillenniumArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,
}

/// Where the bytes are, whatever the family.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The bytes; standard input without it, or with -
    #[arg(value_name = "FILE", conflicts_with = "trace")]
    pub(super) file: Option<PathBuf>,
    /// Input is hexadecimal text: two digits a byte, space and 0x as you like, # before a remark
    #[arg(long, conflicts_with = "trace")]
    pub(super) hex: bool,
    /// Whose bytes they are
    #[arg(long, value_enum, default_value_t = Side::Board, conflicts_with = "trace")]
    pub(super) from: Side,
    /// A file of both sides with times: "12.345 < 8e 00" from the board, ">" from the host; - is
    /// standard input
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Mode {
    Single,
    Bus,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Side {
    Board,
    Host,
}

impl Side {
    /// As the JSON names it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Host => "host",
        }
    }

    /// As traces name it.
    pub(super) const fn arrow(self) -> char {
        match self {
            Self::Board => '<',
            Self::Host => '>',
        }
    }
}
