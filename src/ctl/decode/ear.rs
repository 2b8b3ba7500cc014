// SPDX-License-Identifier: GPL-3.0-or-later
//! Listens to one side of a line and accounts for every byte.

use std::time::Duration;

use arbiterd_board::{Mono, Noise, NoiseCause};
use arbiterd_dgt::bus::{BusDecoder, BusItem};
use arbiterd_dgt::host::{HostDecoder, HostItem, LONGEST_PAUSE};
use arbiterd_dgt::{Counters, Decoder, Item};
use serde_json::Value;

use super::args::{Mode, Side};
use super::{form, words};

/// A board's message that has been silent for longer is not going on (topic: timing).
const LONGEST_GAP: Duration = Duration::from_millis(500);

/// So many bytes outside any message are told together at most, so that endless noise is told too.
const LONGEST_JUNK: usize = 32;

/// Something that was heard, and the bytes in which it was said.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Heard {
    /// Where its first byte lies among the bytes of its side.
    pub(super) offset: u64,
    /// When its first byte came.
    pub(super) began: Mono,
    /// When it was complete, or was given up.
    pub(super) at: Mono,
    pub(super) bytes: Vec<u8>,
    pub(super) said: Said,
}

/// What it says: for programs and for people.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Said {
    pub(super) kind: Kind,
    pub(super) json: Value,
    pub(super) words: String,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A message of a board, or a command of a host.
    Message,
    Harmful,
    Unknown,
    /// The developer's key of a Pegasus, whose bytes are not shown.
    Secret,
    Noise,
}

/// Bytes outside any message that follow each other.
struct Junk {
    offset: u64,
    began: Mono,
    at: Mono,
    bytes: Vec<u8>,
}

enum Reader {
    Single(Box<Decoder>),
    Bus(Box<BusDecoder>),
    Host(Box<HostDecoder>),
}

/// One side of the line.
///
/// The decoder is fed byte by byte. So the bytes of each item are known exactly: those that came
/// since the item before it. Its memory is bounded by the longest message.
pub(super) struct Ear {
    reader: Reader,
    /// Bytes that are part of nothing yet, and when the first came.
    open: Vec<u8>,
    open_since: Mono,
    /// Bytes outside any message that were not told yet.
    junk: Option<Junk>,
    /// How many bytes were before the open ones.
    settled: u64,
    last: Mono,
}

/// What a byte led to, and how many of the open bytes that takes.
struct Found {
    length: usize,
    what: What,
}

enum What {
    Said(Said),
    Noise(NoiseCause),
}

impl Ear {
    pub(super) fn new(mode: Mode, from: Side) -> Self {
        let reader = match (from, mode) {
            (Side::Host, _) => Reader::Host(Box::default()),
            (Side::Board, Mode::Single) => Reader::Single(Box::default()),
            (Side::Board, Mode::Bus) => Reader::Bus(Box::default()),
        };
        Self { reader, open: Vec::new(), open_since: Mono::ZERO, junk: None, settled: 0, last: Mono::ZERO }
    }

    pub(super) const fn side(&self) -> Side {
        match self.reader {
            Reader::Host(_) => Side::Host,
            Reader::Single(_) | Reader::Bus(_) => Side::Board,
        }
    }

    /// All bytes so far.
    pub(super) fn length(&self) -> u64 {
        self.settled + u64::try_from(self.open.len()).unwrap_or(u64::MAX)
    }

    /// What the decoder counted; nothing for a host.
    pub(super) const fn counters(&self) -> Option<Counters> {
        match &self.reader {
            Reader::Single(decoder) => Some(decoder.counters()),
            Reader::Bus(decoder) => Some(decoder.counters()),
            Reader::Host(_) => None,
        }
    }

    /// Bytes arrive; what they say is appended to `out`.
    pub(super) fn hear(&mut self, now: Mono, bytes: &[u8], out: &mut Vec<Heard>) {
        for byte in bytes {
            self.last = now;
            if self.open.is_empty() {
                self.open_since = now;
            }
            self.open.push(*byte);
            for found in self.reader.step(now, *byte, self.open.len()) {
                self.settle(found, now, out);
            }
            // Another message has begun: it is known that no more junk follows.
            if !self.open.is_empty() {
                self.tell_junk(out);
            }
        }
    }

    /// Time passes without a byte: what is unfinished for too long is given up.
    pub(super) fn wait(&mut self, now: Mono, out: &mut Vec<Heard>) {
        let longest = if self.side() == Side::Host { LONGEST_PAUSE } else { LONGEST_GAP };
        if now.since(self.last) > longest {
            self.give_up(self.last.after(longest), out);
        }
    }

    /// Nothing follows any more.
    pub(super) fn finish(&mut self, now: Mono, out: &mut Vec<Heard>) {
        self.give_up(now, out);
        self.tell_junk(out);
    }

    /// Bytes outside any message so far are told by themselves.
    pub(super) fn tell_junk(&mut self, out: &mut Vec<Heard>) {
        if let Some(Junk { offset, began, at, bytes }) = self.junk.take() {
            out.push(Heard { offset, began, at, bytes, said: noise(NoiseCause::Junk) });
        }
    }

    fn give_up(&mut self, now: Mono, out: &mut Vec<Heard>) {
        if !self.open.is_empty() {
            let cause = self.reader.give_up();
            self.settle(Found { length: self.open.len(), what: What::Noise(cause) }, now, out);
        }
    }

    fn settle(&mut self, found: Found, now: Mono, out: &mut Vec<Heard>) {
        let length = found.length.min(self.open.len());
        let bytes: Vec<u8> = self.open.drain(..length).collect();
        let (offset, began) = (self.settled, self.open_since);
        self.settled += u64::try_from(length).unwrap_or(u64::MAX);
        // At most the byte that has just come is left.
        self.open_since = now;
        let said = match found.what {
            What::Noise(NoiseCause::Junk) => return self.add_junk(offset, began, bytes, out),
            What::Noise(cause) => noise(cause),
            What::Said(said) => said,
        };
        self.tell_junk(out);
        out.push(Heard { offset, began, at: now, bytes, said });
    }

    fn add_junk(&mut self, offset: u64, at: Mono, bytes: Vec<u8>, out: &mut Vec<Heard>) {
        let junk = self.junk.get_or_insert(Junk { offset, began: at, at, bytes: Vec::new() });
        junk.bytes.extend(bytes);
        junk.at = at;
        if junk.bytes.len() >= LONGEST_JUNK {
            self.tell_junk(out);
        }
    }
}

impl Reader {
    /// Takes one byte, the last of `open` ones.
    fn step(&mut self, now: Mono, byte: u8, open: usize) -> Vec<Found> {
        let mut found = Vec::new();
        let input = &mut &[byte][..];
        match self {
            Self::Single(decoder) => {
                while let Some(item) = decoder.decode(input) {
                    found.push(match item {
                        Item::Message(message) => {
                            said(open, Kind::Message, form::message(&message), words::message(&message))
                        }
                        Item::Noise(noise) => dropped(noise),
                    });
                }
                found.extend(decoder.take_noise().map(dropped));
            }
            Self::Bus(decoder) => {
                while let Some(item) = decoder.decode(input) {
                    found.push(match item {
                        BusItem::Message(message) => {
                            said(open, Kind::Message, form::bus(&message), words::bus(&message))
                        }
                        BusItem::Noise(noise) => dropped(noise),
                    });
                }
                found.extend(decoder.take_noise().map(dropped));
            }
            Self::Host(decoder) => {
                decoder.hear(now, &[byte]);
                found.extend(std::iter::from_fn(|| decoder.poll()).map(|item| heard(&item, open)));
            }
        }
        found
    }

    /// Forgets what is unfinished, and says why it is dropped.
    fn give_up(&mut self) -> NoiseCause {
        let noise = match self {
            Self::Single(decoder) => {
                decoder.abandon();
                decoder.take_noise()
            }
            Self::Bus(decoder) => {
                decoder.abandon();
                decoder.take_noise()
            }
            Self::Host(decoder) => {
                decoder.reset();
                None
            }
        };
        noise.map_or(NoiseCause::Unfinished, |noise| noise.cause)
    }
}

fn said(length: usize, kind: Kind, json: Value, words: String) -> Found {
    Found { length, what: What::Said(Said { kind, json, words }) }
}

fn noise(cause: NoiseCause) -> Said {
    Said { kind: Kind::Noise, json: form::noise(cause), words: words::noise(cause) }
}

fn dropped(noise: Noise) -> Found {
    let length = usize::try_from(noise.bytes).unwrap_or(usize::MAX);
    Found { length, what: What::Noise(noise.cause) }
}

fn heard(item: &HostItem, open: usize) -> Found {
    let (length, kind) = match item {
        HostItem::Command(_) => (1, Kind::Message),
        HostItem::Harmful(_) => (1, Kind::Harmful),
        HostItem::Unknown(_) => (1, Kind::Unknown),
        // It is told with its last byte if it is whole but wrong, and else with one that is not
        // its own.
        HostItem::Broken(bytes) => {
            let whole = bytes.len() == open;
            let cause = if whole { NoiseCause::Malformed } else { NoiseCause::Unfinished };
            return Found { length: bytes.len(), what: What::Noise(cause) };
        }
        HostItem::PegasusKey => (open, Kind::Secret),
        // A whole frame takes all that is open.
        HostItem::Clock(_) | HostItem::Lights(_) | HostItem::Bus(_) => (open, Kind::Message),
    };
    said(length, kind, form::host(item), words::host(item))
}
