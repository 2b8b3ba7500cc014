// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to messages, in whatever portions they arrive.

use arbiterd_board::{Noise, NoiseCause, Placement, Version};

use crate::clock::ClockMessage;
use crate::frames::Frames;
use crate::message::{BatteryStatus, Message};
use crate::wire::{self, Verdict, id};

/// What the decoder found. A frame of bus mode is told at once, in an item of its own, because no
/// message may follow it.
pub type Item = arbiterd_board::Item<Message>;

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
    frames: Frames<Verdict>,
    /// Held back while the noise before it is told.
    ready: Option<Item>,
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
            if let Some(verdict) = self.frames.push(byte, judge)
                && let Some(item) = self.complete(verdict)
            {
                return Some(self.frames.dropped.first(item, &mut self.ready));
            }
        }
        None
    }

    /// Gives up an unfinished frame, after a pause that is too long to lie within one. Its
    /// bytes are noise.
    pub fn abandon(&mut self) {
        self.frames.abandon();
    }

    /// The noise that no message has followed yet.
    pub const fn take_noise(&mut self) -> Option<Noise> {
        self.frames.dropped.take()
    }

    /// Forgets all that has not been told, at the start of a new stream. Counters stay.
    pub fn reset(&mut self) {
        self.frames.reset();
        self.ready = None;
    }

    /// What was counted.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.frames.counters
    }

    fn complete(&mut self, verdict: Verdict) -> Option<Item> {
        let frames = &mut self.frames;
        let cause = match verdict {
            Verdict::Read => match read_message(&frames.bytes, &mut frames.counters) {
                Ok(message) => {
                    frames.clear();
                    return Some(Item::Message(message));
                }
                Err(cause) => cause,
            },
            Verdict::Bus if frames.checksum_fits() => return Some(Item::Noise(frames.drop_of_wrong_mode())),
            Verdict::Bus => NoiseCause::Malformed,
            Verdict::Skip => NoiseCause::UnknownKind,
        };
        frames.drop_frame(cause);
        None
    }
}

fn judge(id: u8, total: usize, counters: &mut Counters) -> Result<Verdict, NoiseCause> {
    if id == id::BOARD_DUMP && total == wire::DRAUGHTS_DUMP_LENGTH {
        counters.draughts_dumps += 1;
    }
    wire::judge(id, total)
}

fn read_message(frame: &[u8], counters: &mut Counters) -> Result<Message, NoiseCause> {
    let (&id, payload) = match frame.split_at_checked(wire::HEADER) {
        Some(([id, ..], payload)) => (id, payload),
        _ => return Err(NoiseCause::Malformed),
    };
    match (id, payload) {
        (id::BOARD_DUMP, codes) => Ok(Message::Board(read_board(codes, counters))),
        (id::FIELD_UPDATE, &[square, piece]) => read_square(square, piece, counters),
        (id::CLOCK, payload) => read_clock(payload, counters).map(Message::Clock),
        (id::VERSION, &[main, sub]) => Ok(Message::Version(Version { main, sub })),
        // Only the first five are the number; what old boards add is not used.
        (id::SERIAL, payload) => Ok(Message::Serial(printable(payload.get(..5).unwrap_or(payload))?)),
        (id::LONG_SERIAL, payload) => Ok(Message::LongSerial(printable(payload)?)),
        (id::BUS_ADDRESS, &[high, low]) => Ok(Message::BusAddress((u16::from(high) << 7) | u16::from(low))),
        (id::TRADE_MARK, text) => Ok(Message::TradeMark(text.iter().copied().map(char::from).collect())),
        (id::BATTERY, payload) => read_battery(payload),
        (id::EE_MOVES, log) => Ok(Message::Log(log.to_vec())),
        _ => Err(NoiseCause::Malformed),
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
