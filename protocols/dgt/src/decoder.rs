// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to messages, in whatever portions they arrive.

use arbiterd_board::{Noise, NoiseCause, Placement, Version};

use crate::clock::ClockMessage;
use crate::message::{BatteryStatus, Message};
use crate::noise;
use crate::wire::{self, Verdict, id};

/// What the decoder found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A valid message.
    Message(Message),
    /// Bytes that were dropped before it. A frame of bus mode is told at once, in an item of
    /// its own, because no message may follow it.
    Noise(Noise),
}

/// Findings that are no noise, or are hidden in it, counted since the decoder was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Bytes dropped, for whatever cause.
    pub dropped_bytes: u64,
    /// Piece bytes with bits that no description explains; they were masked.
    pub masked_pieces: u64,
    /// Square numbers above 63. A board that always sets a high bit would show here.
    pub squares_out_of_range: u64,
    /// Dumps of the size of a 10x10 board: is it a draughts board?
    pub draughts_dumps: u64,
    /// Clock messages with digits that no clock shows.
    pub corrupt_clocks: u64,
    /// Frames of bus mode whose checksum does not fit.
    pub bad_checksums: u64,
}

/// Finds messages in a stream of bytes.
///
/// It never fails, and any byte with bit 7 set puts it in step again, so noise costs no more
/// than the frames it touches (topic: framing). Its memory is bounded by
/// [`wire::LONGEST_FRAME`].
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// The frame so far; empty while hunting for a start.
    frame: Vec<u8>,
    /// Valid once the header is complete.
    total: usize,
    reading: Option<Verdict>,
    noise: Option<Noise>,
    /// Held back while the noise before it is told.
    ready: Option<Item>,
    counters: Counters,
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
        while let Some((&byte, rest)) = input.split_first() {
            *input = rest;
            if let Some(item) = self.step(byte) {
                return Some(self.after_noise(item));
            }
        }
        None
    }

    /// Gives up an unfinished frame, after a pause that is too long to lie within one. Its
    /// bytes are noise.
    pub fn abandon(&mut self) {
        if !self.frame.is_empty() {
            let cause = noise::breaking_off(&self.frame);
            self.drop_frame(cause);
        }
    }

    /// The noise that no message has followed yet.
    pub fn take_noise(&mut self) -> Option<Noise> {
        self.noise.take()
    }

    /// Forgets all that has not been told, at the start of a new stream. Counters stay.
    pub fn reset(&mut self) {
        *self = Self { counters: self.counters, ..Self::default() };
    }

    /// What was counted.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    fn step(&mut self, byte: u8) -> Option<Item> {
        if byte >= 0x80 {
            self.abandon();
            self.frame.push(byte);
            return None;
        }
        if self.frame.is_empty() {
            self.drop_bytes(1, NoiseCause::Junk);
            return None;
        }
        self.frame.push(byte);
        if self.frame.len() == wire::HEADER {
            self.read_header();
        }
        match self.reading {
            Some(verdict) if self.frame.len() == self.total => self.complete(verdict),
            _ => None,
        }
    }

    fn read_header(&mut self) {
        if let [id, high, low] = self.frame[..] {
            self.total = (usize::from(high) << 7) | usize::from(low);
            if id == id::BOARD_DUMP && self.total == wire::DRAUGHTS_DUMP_LENGTH {
                self.counters.draughts_dumps += 1;
            }
            match wire::judge(id, self.total) {
                Verdict::Reject(cause) => self.drop_frame(cause),
                verdict => self.reading = Some(verdict),
            }
        }
    }

    fn complete(&mut self, verdict: Verdict) -> Option<Item> {
        let outcome = match verdict {
            Verdict::Read => self.read_message(),
            Verdict::Bus if self.bus_checksum_fits() => Err(NoiseCause::WrongMode),
            Verdict::Bus => Err(NoiseCause::Malformed),
            Verdict::Skip => Err(NoiseCause::UnknownKind),
            Verdict::Reject(cause) => Err(cause),
        };
        match outcome {
            Ok(message) => {
                self.forget_frame();
                Some(Item::Message(message))
            }
            Err(NoiseCause::WrongMode) => Some(self.wrong_mode()),
            Err(cause) => {
                self.drop_frame(cause);
                None
            }
        }
    }

    fn wrong_mode(&mut self) -> Item {
        let before = self.noise.take();
        self.drop_frame(NoiseCause::WrongMode);
        let frame = core::mem::replace(&mut self.noise, before);
        let none = Noise { bytes: 0, cause: NoiseCause::WrongMode };
        Item::Noise(frame.unwrap_or(none))
    }

    fn bus_checksum_fits(&self) -> bool {
        self.frame.split_last().is_some_and(|(sum, before)| wire::bus_checksum(before) == *sum)
    }

    fn read_message(&mut self) -> Result<Message, NoiseCause> {
        let (&id, payload) = match self.frame.split_at_checked(wire::HEADER) {
            Some(([id, ..], payload)) => (id, payload),
            _ => return Err(NoiseCause::Malformed),
        };
        match (id, payload) {
            (id::BOARD_DUMP, codes) => Ok(Message::Board(read_board(codes, &mut self.counters))),
            (id::FIELD_UPDATE, &[square, piece]) => read_square(square, piece, &mut self.counters),
            (id::CLOCK, payload) => read_clock(payload, &mut self.counters).map(Message::Clock),
            (id::VERSION, &[main, sub]) => Ok(Message::Version(Version { main, sub })),
            // Only the first five are the number; what old boards add is not used.
            (id::SERIAL, payload) => Ok(Message::Serial(printable(payload.get(..5).unwrap_or(payload))?)),
            (id::LONG_SERIAL, payload) => Ok(Message::LongSerial(printable(payload)?)),
            (id::BUS_ADDRESS, &[high, low]) => {
                Ok(Message::BusAddress((u16::from(high) << 7) | u16::from(low)))
            }
            (id::TRADE_MARK, text) => Ok(Message::TradeMark(text.iter().copied().map(char::from).collect())),
            (id::BATTERY, payload) => read_battery(payload),
            (id::EE_MOVES, log) => Ok(Message::Log(log.to_vec())),
            _ => Err(NoiseCause::Malformed),
        }
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

    fn drop_frame(&mut self, cause: NoiseCause) {
        // A frame is no longer than LONGEST_FRAME.
        let bytes = u32::try_from(self.frame.len()).unwrap_or(u32::MAX);
        self.drop_bytes(bytes, cause);
        self.forget_frame();
    }

    fn drop_bytes(&mut self, bytes: u32, cause: NoiseCause) {
        self.counters.dropped_bytes += u64::from(bytes);
        noise::add(&mut self.noise, bytes, cause);
    }

    fn forget_frame(&mut self) {
        self.frame.clear();
        self.reading = None;
    }
}

fn read_occupant(byte: u8, counters: &mut Counters) -> arbiterd_board::Occupant {
    if byte & !wire::PIECE_MASK != 0 {
        counters.masked_pieces += 1;
    }
    wire::occupant(byte)
}

pub(crate) fn read_board(codes: &[u8], counters: &mut Counters) -> Placement {
    let mut placement = Placement::EMPTY;
    for (square, &code) in wire::raw_order().zip(codes) {
        placement[square] = read_occupant(code, counters);
    }
    placement
}

fn read_square(square: u8, piece: u8, counters: &mut Counters) -> Result<Message, NoiseCause> {
    let Some(square) = wire::square(square) else {
        counters.squares_out_of_range += 1;
        return Err(NoiseCause::OutOfRange);
    };
    Ok(Message::Square { square, occupant: read_occupant(piece, counters) })
}

pub(crate) fn read_clock(payload: &[u8], counters: &mut Counters) -> Result<ClockMessage, NoiseCause> {
    let payload = payload.try_into().map_err(|_| NoiseCause::Malformed)?;
    let message = ClockMessage::decode(payload);
    if matches!(message, ClockMessage::Corrupt { .. }) {
        counters.corrupt_clocks += 1;
    }
    Ok(message)
}

fn read_battery(payload: &[u8]) -> Result<Message, NoiseCause> {
    let payload = payload.try_into().map_err(|_| NoiseCause::Malformed)?;
    BatteryStatus::decode(payload).map(Message::Battery).ok_or(NoiseCause::OutOfRange)
}

/// A serial number goes into the identity of the board, so control characters in it mean that
/// the frame is damaged.
fn printable(bytes: &[u8]) -> Result<String, NoiseCause> {
    if bytes.iter().any(u8::is_ascii_control) {
        return Err(NoiseCause::OutOfRange);
    }
    Ok(bytes.iter().copied().map(char::from).collect())
}
