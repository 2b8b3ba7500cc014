// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to messages, in whatever portions they arrive (topic: framing).
//!
//! There is no start byte, no length and no escape, so the decoder holds the bytes since the last
//! thing that was certain. It asks what the first of them can begin; when that fails, only the first
//! is dropped and the others are asked again. So a frame that was swallowed by a false start is
//! found all the same.

mod shape;

use arbiterd_board::{Noise, NoiseCause, Occupant, Placement, Square, Version};

use self::shape::{Progress, Shape};
use crate::message::{Message, Text};
use crate::noise;
use crate::parity::{ByteParity, Learner};
use crate::wire::{self, answer};

/// What the decoder found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// A valid message.
    Message(Message),
    /// Bytes that were dropped before it.
    Noise(Noise),
}

/// Findings that are no noise, or are hidden in it, counted since the decoder was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// All bytes that came.
    pub bytes: u64,
    /// Valid messages.
    pub frames: u64,
    /// Bytes dropped, for whatever cause.
    pub dropped_bytes: u64,
    /// Bytes whose bit 7 is not what this board sends, in frames that were complete.
    pub parity_errors: u64,
    /// Complete frames whose block parity does not fit.
    pub checksum_errors: u64,
    /// Frames that were begun and broke off, so that a new start was looked for.
    pub resyncs: u64,
    /// Frames that were given up after a pause.
    pub timeouts: u64,
    /// Commands of a host that came back: a loop-back plug, or an adapter that echoes.
    pub echoes: u64,
    /// Letters on squares that no description explains.
    pub unknown_letters: u64,
}

/// Finds messages in a stream of bytes. It never fails, holds at most [`wire::LONGEST_COMMAND`]
/// bytes and allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    held: Held,
    /// What the first byte that is held begins; `None` until it is asked.
    shape: Option<Shape>,
    /// What was held before a pause: no more of it will come.
    given_up: usize,
    /// How many bytes at the front were part of a frame that failed.
    swallowed: usize,
    parity: Learner,
    information: bool,
    bare_version: bool,
    noise: Option<Noise>,
    /// Held back while the noise before it is told.
    ready: Option<Item>,
    counters: Counters,
}

/// What became of the first byte that is held.
enum Finding {
    /// More bytes are needed to know.
    Open,
    /// So many bytes are a message.
    Message(Message, usize),
    /// So many bytes are none.
    Nothing(usize, NoiseCause),
}

impl Decoder {
    /// A decoder at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes from the front of `input` until an item is found; `None` once all are taken.
    /// Call it again until then.
    pub fn decode(&mut self, input: &mut &[u8]) -> Option<Item> {
        if let Some(item) = self.ready.take() {
            return Some(item);
        }
        loop {
            match self.examine() {
                Finding::Message(message, length) => {
                    self.take(length);
                    self.counters.frames += 1;
                    let unknown = unknown_letters(&message);
                    self.counters.unknown_letters += u64::try_from(unknown).unwrap_or(u64::MAX);
                    return Some(self.after_noise(Item::Message(message)));
                }
                Finding::Nothing(length, cause) => {
                    if let Some(shape) = self.shape {
                        self.swallowed = self.swallowed.max(shape.seen);
                    }
                    self.take(length);
                    // A frame is no longer than the longest command.
                    let bytes = u32::try_from(length).unwrap_or(u32::MAX);
                    self.counters.dropped_bytes += u64::from(bytes);
                    noise::add(&mut self.noise, bytes, cause);
                }
                Finding::Open => {
                    let (&byte, rest) = input.split_first()?;
                    *input = rest;
                    self.counters.bytes += 1;
                    self.held.push(byte);
                }
            }
        }
    }

    /// Gives up an unfinished frame, after a pause that is too long to lie within one. What it
    /// swallowed is looked at again by the next call of [`Decoder::decode`], also without input.
    pub fn abandon(&mut self) {
        if !self.held.bytes().is_empty() {
            self.counters.timeouts += 1;
            self.given_up = self.held.bytes().len();
        }
    }

    /// Whether an unfinished frame is held.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.held.bytes().is_empty()
    }

    /// The noise that no message has followed yet.
    pub fn take_noise(&mut self) -> Option<Noise> {
        self.noise.take()
    }

    /// Whether there is such noise and something of the board may be missing with it: an echo is
    /// dropped too, and nothing is missed.
    #[must_use]
    pub fn has_lost_something(&self) -> bool {
        self.noise.is_some_and(|noise| noise.cause != NoiseCause::UnknownKind)
    }

    /// Whether a page of information was asked for and has not come: only then does `i` begin a
    /// frame. Its free text can hold any letter, so that otherwise a byte of noise could hold
    /// frames.
    pub fn expect_information(&mut self, expected: bool) {
        if self.information != expected {
            self.information = expected;
            self.shape = None;
        }
    }

    /// Whether a version without block parity is believed: only after the host has asked for one,
    /// because nothing guards it against damage.
    pub fn expect_bare_version(&mut self, expected: bool) {
        self.bare_version = expected;
    }

    /// Forgets all that has not been told and what it learned, at the start of a new stream.
    /// Counters stay.
    pub fn reset(&mut self) {
        *self = Self { counters: self.counters, ..Self::default() };
    }

    /// The place in the stream of which all before it was told or dropped: behind a message, when it
    /// has just been told.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.counters.bytes - self.held.length()
    }

    /// What was counted.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// What the board puts in bit 7, as far as it was learned.
    #[must_use]
    pub const fn byte_parity(&self) -> ByteParity {
        self.parity.mode()
    }

    fn examine(&mut self) -> Finding {
        let Some(&first) = self.held.bytes().first() else { return Finding::Open };
        let shape = match self.shape {
            Some(shape) => shape,
            None => match self.begins(first) {
                Some(shape) => shape,
                None => return Finding::Nothing(1, NoiseCause::Junk),
            },
        };
        let (shape, progress) = shape.follow(self.held.bytes());
        self.shape = Some(shape);
        match progress {
            Progress::Open if self.given_up > 0 => self.broken(shape, None),
            Progress::Open => Finding::Open,
            Progress::Broken(byte) => self.broken(shape, Some(byte)),
            Progress::Complete => self.complete(shape),
        }
    }

    /// What a byte begins. Upper-case letters begin commands of a host, which come back from some
    /// lines; they are told apart from damage and never read.
    fn begins(&self, byte: u8) -> Option<Shape> {
        let letter = byte & 0x7f;
        if !self.parity.fits(byte) && letter.is_ascii_lowercase() {
            return None;
        }
        if letter == answer::INFORMATION && self.information {
            return Some(Shape::information());
        }
        // What a status swallowed are pieces: a white rook before the block parity is no command.
        Shape::of_answer(letter).or_else(|| Shape::of_echo(letter).filter(|_| self.swallowed == 0))
    }

    /// The first byte began no frame after all.
    fn broken(&mut self, shape: Shape, by: Option<u8>) -> Finding {
        let bytes = self.held.bytes();
        // Letter and four digits; the block parity never comes.
        if self.bare_version && shape.letter == answer::VERSION && shape.seen == BARE_VERSION {
            let is_all = by.is_some() || bytes.len() == BARE_VERSION;
            let digits = bytes.get(1..BARE_VERSION).and_then(two_values);
            if let (true, Some((main, sub))) = (is_all, digits) {
                return Finding::Message(Message::BareVersion(Version { main, sub }), BARE_VERSION);
            }
        }
        // The black rook and the letters of White's pieces begin most of them by chance.
        if shape.is_doubtful() {
            return Finding::Nothing(1, NoiseCause::Junk);
        }
        self.counters.resyncs += 1;
        let cut_short = by.is_none_or(|byte| self.begins(byte).is_some_and(|next| !next.is_doubtful()));
        let cause = if cut_short { NoiseCause::Unfinished } else { NoiseCause::Malformed };
        Finding::Nothing(1, cause)
    }

    fn complete(&mut self, shape: Shape) -> Finding {
        let Some((frame, characters, sum)) = self.frame(shape.seen) else {
            return Finding::Nothing(1, NoiseCause::Malformed);
        };
        if sum != Some(wire::check(characters)) {
            if shape.is_doubtful() {
                return Finding::Nothing(1, NoiseCause::Junk);
            }
            self.counters.checksum_errors += 1;
            return Finding::Nothing(1, NoiseCause::Malformed);
        }
        if shape.is_echo() {
            self.counters.echoes += 1;
            return Finding::Nothing(shape.seen, NoiseCause::UnknownKind);
        }
        let wrong = frame.iter().filter(|byte| !self.parity.fits(**byte)).count();
        let odd = frame.iter().all(|byte| wire::has_odd_parity(*byte));
        let clear = frame.iter().all(|byte| *byte < 0x80);
        let message = read(characters);
        if !self.parity.judge(odd, clear) {
            // It is whole, so it was looked at to its end: nothing else begins in it.
            self.counters.parity_errors += u64::try_from(wrong).unwrap_or(u64::MAX);
            return Finding::Nothing(shape.seen, NoiseCause::Malformed);
        }
        match message {
            Some(message) => Finding::Message(message, shape.seen),
            None => Finding::Nothing(1, NoiseCause::Malformed),
        }
    }

    /// The first bytes that are held, those of them that the block parity is made of, and the block
    /// parity that they tell.
    fn frame(&self, length: usize) -> Option<(&[u8], &[u8], Option<u8>)> {
        let frame = self.held.bytes().get(..length)?;
        let (characters, digits) = frame.split_at_checked(length.checked_sub(wire::CHECK)?)?;
        match *digits {
            [high, low] => Some((frame, characters, wire::hex_value(high, low))),
            _ => None,
        }
    }

    fn take(&mut self, length: usize) {
        self.held.take(length);
        self.given_up = self.given_up.saturating_sub(length);
        self.swallowed = self.swallowed.saturating_sub(length);
        self.shape = None;
    }

    fn after_noise(&mut self, item: Item) -> Item {
        match self.noise.take() {
            Some(noise) => {
                self.ready = Some(item);
                Item::Noise(noise)
            }
            None => item,
        }
    }
}

/// Letter and two values.
const BARE_VERSION: usize = 5;

/// The two values that four digits are.
fn two_values(digits: &[u8]) -> Option<(u8, u8)> {
    match digits {
        [a, b, c, d] => Some((wire::hex_value(*a, *b)?, wire::hex_value(*c, *d)?)),
        _ => None,
    }
}

/// What the characters of a whole frame say, its block parity left out.
fn read(characters: &[u8]) -> Option<Message> {
    let (letter, payload) = characters.split_first()?;
    match (letter & 0x7f, payload) {
        (answer::STATUS, letters) => Some(Message::Status(placement(letters))),
        (answer::DUMP, letters) => Some(Message::Dump(placement(letters))),
        (answer::VERSION, _) => {
            two_values(payload).map(|(main, sub)| Message::Version(Version { main, sub }))
        }
        (answer::READ, _) => two_values(payload).map(|(address, value)| Message::Register { address, value }),
        (answer::WRITE, _) => two_values(payload).map(|(address, value)| Message::Written { address, value }),
        (answer::LIGHTS, []) => Some(Message::LightsSet),
        (answer::LIGHTS_OFF, []) => Some(Message::LightsOff),
        (answer::RESET, []) => Some(Message::Restarting),
        (answer::INFORMATION, [high, low, text @ .., _line_feed]) => {
            Some(Message::Information { page: wire::hex_value(*high, *low)?, text: Text::from_wire(text) })
        }
        _ => None,
    }
}

fn placement(letters: &[u8]) -> Placement {
    let mut placement = Placement::EMPTY;
    for (square, letter) in wire::status_order().zip(letters) {
        placement[square] = wire::occupant(letter & 0x7f).unwrap_or(Occupant::Unidentified);
    }
    placement
}

fn unknown_letters(message: &Message) -> usize {
    match message {
        Message::Status(placement) | Message::Dump(placement) => {
            Square::all().filter(|square| placement[*square] == Occupant::Unidentified).count()
        }
        _ => 0,
    }
}

/// The bytes that are held, in place.
#[derive(Clone, Debug)]
struct Held {
    bytes: [u8; wire::LONGEST_COMMAND],
    from: usize,
    to: usize,
}

impl Default for Held {
    fn default() -> Self {
        Self { bytes: [0; wire::LONGEST_COMMAND], from: 0, to: 0 }
    }
}

impl Held {
    fn bytes(&self) -> &[u8] {
        self.bytes.get(self.from..self.to).unwrap_or_default()
    }

    const fn length(&self) -> u64 {
        (self.to - self.from) as u64
    }

    /// No frame is longer than the place for it, so there is always room for the next byte of one.
    fn push(&mut self, byte: u8) {
        if self.to == self.bytes.len() {
            self.bytes.copy_within(self.from..self.to, 0);
            self.to -= self.from;
            self.from = 0;
        }
        if let Some(slot) = self.bytes.get_mut(self.to) {
            *slot = byte;
            self.to += 1;
        }
    }

    fn take(&mut self, length: usize) {
        self.from = (self.from + length).min(self.to);
        if self.from == self.to {
            (self.from, self.to) = (0, 0);
        }
    }
}
