// SPDX-License-Identifier: GPL-3.0-or-later
//! Listens to one side of a line and accounts for every byte.

use std::time::Duration;

use arbiterd_board::{Item, Mono, Noise, NoiseCause};
use serde_json::{Map, Value};

use super::args::{Protocol, Side};
use super::{dgt, millennium, noise};

/// So many bytes outside any message are told together at most, so that endless noise is told too.
const LONGEST_JUNK: usize = 32;

/// A board's message that has been silent for longer is not going on, of whatever family and also over
/// Bluetooth (topics: timing, gap limit).
pub(super) const LONGEST_GAP: Duration = Duration::from_millis(500);

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

/// What a family's decoder finds, fed byte by byte.
pub(super) trait Reader {
    /// Takes one byte, the last of `open` ones.
    fn step(&mut self, now: Mono, byte: u8, open: usize) -> Vec<Found>;

    /// Forgets what is unfinished, which are `open` bytes, and says what they were.
    fn give_up(&mut self, open: usize) -> Vec<Found>;

    /// Two bytes of one message come no further apart than this.
    fn longest_pause(&self) -> Duration;

    /// What the decoder counted; nothing for a host.
    fn counters(&self) -> Option<Counters>;
}

/// What a decoder counted.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Counters {
    pub(super) dropped_bytes: u64,
    /// What else there is, for programs.
    pub(super) more: Map<String, Value>,
    /// What else people should know of the messages, in brackets.
    pub(super) remark: String,
}

/// One side of the line.
///
/// The decoder is fed byte by byte. So the bytes of each item are known exactly: those that came
/// since the item before it. Its memory is bounded by the longest message.
pub(super) struct Ear {
    reader: Box<dyn Reader>,
    from: Side,
    /// Bytes that are part of nothing yet, and when each came.
    open: Vec<(Mono, u8)>,
    /// Bytes outside any message that were not told yet.
    junk: Option<Junk>,
    /// How many bytes were before the open ones.
    settled: u64,
    last: Mono,
}

/// What a byte led to, and how many of the open bytes that takes.
pub(super) struct Found {
    pub(super) length: usize,
    pub(super) what: What,
}

pub(super) enum What {
    Said(Said),
    Noise(NoiseCause),
}

impl Ear {
    pub(super) fn new(protocol: Protocol, from: Side) -> Self {
        let reader: Box<dyn Reader> = match protocol {
            Protocol::Dgt(mode) => Box::new(dgt::DgtReader::new(mode, from)),
            Protocol::Millennium => Box::new(millennium::MillenniumReader::new(from)),
        };
        Self { reader, from, open: Vec::new(), junk: None, settled: 0, last: Mono::ZERO }
    }

    pub(super) const fn side(&self) -> Side {
        self.from
    }

    /// All bytes so far.
    pub(super) fn length(&self) -> u64 {
        self.settled + u64::try_from(self.open.len()).unwrap_or(u64::MAX)
    }

    /// What the decoder counted; nothing for a host.
    pub(super) fn counters(&self) -> Option<Counters> {
        self.reader.counters()
    }

    /// Bytes arrive; what they say is appended to `out`.
    pub(super) fn hear(&mut self, now: Mono, bytes: &[u8], out: &mut Vec<Heard>) {
        for byte in bytes {
            self.last = now;
            self.open.push((now, *byte));
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
        let longest = self.reader.longest_pause();
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
            out.push(Heard { offset, began, at, bytes, said: dropped_for(NoiseCause::Junk) });
        }
    }

    fn give_up(&mut self, now: Mono, out: &mut Vec<Heard>) {
        if self.open.is_empty() {
            return;
        }
        for found in self.reader.give_up(self.open.len()) {
            self.settle(found, now, out);
        }
        // What was given up is told with its time, before anything that comes later.
        self.tell_junk(out);
    }

    fn settle(&mut self, found: Found, now: Mono, out: &mut Vec<Heard>) {
        let length = found.length.min(self.open.len());
        let began = self.open.first().map_or(now, |(at, _)| *at);
        let bytes: Vec<u8> = self.open.drain(..length).map(|(_, byte)| byte).collect();
        let offset = self.settled;
        self.settled += u64::try_from(length).unwrap_or(u64::MAX);
        let said = match found.what {
            What::Noise(NoiseCause::Junk) => {
                return self.add_junk(Junk { offset, began, at: now, bytes }, out);
            }
            What::Noise(cause) => dropped_for(cause),
            What::Said(said) => said,
        };
        self.tell_junk(out);
        out.push(Heard { offset, began, at: now, bytes, said });
    }

    fn add_junk(&mut self, more: Junk, out: &mut Vec<Heard>) {
        let junk = match &mut self.junk {
            Some(junk) => {
                junk.bytes.extend(more.bytes);
                junk.at = more.at;
                junk
            }
            none => none.insert(more),
        };
        if junk.bytes.len() >= LONGEST_JUNK {
            self.tell_junk(out);
        }
    }
}

pub(super) fn said(length: usize, kind: Kind, json: Value, words: String) -> Found {
    Found { length, what: What::Said(Said { kind, json, words }) }
}

/// What a board's decoder found: `tell` tells what a message says.
pub(super) fn found<M>(item: Item<M>, tell: impl FnOnce(M) -> Found) -> Found {
    match item {
        Item::Message(message) => tell(message),
        Item::Noise(noise) => dropped(noise),
    }
}

pub(super) fn dropped(noise: Noise) -> Found {
    let length = usize::try_from(noise.bytes).unwrap_or(usize::MAX);
    Found { length, what: What::Noise(noise.cause) }
}

fn dropped_for(cause: NoiseCause) -> Said {
    Said { kind: Kind::Noise, json: noise::form(cause), words: noise::words(cause) }
}
