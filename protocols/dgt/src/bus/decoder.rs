// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to answers of boards on a bus, in whatever portions they arrive.

use arbiterd_board::{Noise, NoiseCause, Version};

use super::frame::BusAddress;
use super::message::{Answer, BusMessage};
use crate::Counters;
use crate::decoder::{read_board, read_clock};
use crate::log::Log;
use crate::noise;
use crate::wire::{self, BusVerdict, bus_id};

/// What the decoder found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BusItem<'a> {
    /// A valid answer.
    Message(BusMessage<'a>),
    /// Bytes that were dropped before it. A message of single-board mode is told at once, in an
    /// item of its own, because no answer may follow it.
    Noise(Noise),
}

/// Finds answers in a stream of bytes.
///
/// It never fails, and any byte with bit 7 set puts it in step again. Checksum, length and
/// address are verified (topic: bus mode). Its memory is bounded by [`wire::LONGEST_FRAME`], and
/// it is taken only once: records are lent from it, so nothing is allocated for an answer.
#[derive(Clone, Debug, Default)]
pub struct BusDecoder {
    /// The frame so far; empty while hunting for a start. An answer that was told stays here
    /// until the next call, because its records were lent.
    frame: Vec<u8>,
    /// Valid once the header is complete.
    total: usize,
    reading: Option<BusVerdict>,
    /// The frame is a valid answer.
    complete: Option<Complete>,
    noise: Option<Noise>,
    counters: Counters,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Complete {
    /// Held back while the noise before it is told.
    Untold,
    Told,
}

/// What a byte led to.
enum Outcome {
    Nothing,
    Complete,
    WrongMode(Noise),
}

impl BusDecoder {
    /// A decoder at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes from the front of `input` until an item is found; `None` once all are taken.
    /// Call it again until then.
    pub fn decode(&mut self, input: &mut &[u8]) -> Option<BusItem<'_>> {
        if self.complete == Some(Complete::Untold) {
            return self.tell();
        }
        while let Some((&byte, rest)) = input.split_first() {
            *input = rest;
            match self.step(byte) {
                Outcome::Nothing => {}
                Outcome::WrongMode(noise) => return Some(BusItem::Noise(noise)),
                Outcome::Complete => return self.tell(),
            }
        }
        None
    }

    /// Gives up an unfinished frame, after a pause that is too long to lie within one. Its
    /// bytes are noise.
    pub fn abandon(&mut self) {
        self.forget_told();
        if !self.frame.is_empty() && self.complete.is_none() {
            let cause = noise::breaking_off(&self.frame);
            self.drop_frame(cause);
        }
    }

    /// The noise that no answer has followed yet.
    pub const fn take_noise(&mut self) -> Option<Noise> {
        self.noise.take()
    }

    /// Whether a frame has begun and is not complete yet.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        !self.frame.is_empty() && self.complete.is_none()
    }

    /// Forgets all that has not been told, at the start of a new stream. Counters stay.
    pub fn reset(&mut self) {
        self.forget_frame();
        self.noise = None;
    }

    /// What was counted.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// The noise first, then the answer.
    fn tell(&mut self) -> Option<BusItem<'_>> {
        if let Some(noise) = self.noise.take() {
            self.complete = Some(Complete::Untold);
            return Some(BusItem::Noise(noise));
        }
        self.complete = Some(Complete::Told);
        read_message(&self.frame, &mut self.counters).ok().map(BusItem::Message)
    }

    fn step(&mut self, byte: u8) -> Outcome {
        self.forget_told();
        if byte >= 0x80 {
            self.abandon();
            self.frame.push(byte);
            return Outcome::Nothing;
        }
        if self.frame.is_empty() {
            self.drop_bytes(1, NoiseCause::Junk);
            return Outcome::Nothing;
        }
        self.frame.push(byte);
        if self.frame.len() == wire::HEADER {
            self.read_header();
        }
        match self.reading {
            Some(verdict) if self.frame.len() == self.total => self.judge(verdict),
            _ => Outcome::Nothing,
        }
    }

    fn read_header(&mut self) {
        if let [id, high, low] = self.frame[..] {
            self.total = (usize::from(high) << 7) | usize::from(low);
            match wire::judge_bus(id, self.total) {
                BusVerdict::Reject(cause) => self.drop_frame(cause),
                verdict => self.reading = Some(verdict),
            }
        }
    }

    /// Judges a frame that has all its bytes.
    fn judge(&mut self, verdict: BusVerdict) -> Outcome {
        let fits = self.checksum_fits();
        let cause = match verdict {
            // One length of one id belongs to both modes: the checksum tells them apart.
            BusVerdict::Read if !fits && self.is_single() => NoiseCause::WrongMode,
            BusVerdict::Single => NoiseCause::WrongMode,
            BusVerdict::Read | BusVerdict::Skip if !fits => {
                self.counters.bad_checksums += 1;
                NoiseCause::Malformed
            }
            BusVerdict::Skip => NoiseCause::UnknownKind,
            BusVerdict::Reject(cause) => cause,
            BusVerdict::Read => match check(&self.frame) {
                Ok(()) => return Outcome::Complete,
                Err(cause) => cause,
            },
        };
        if cause == NoiseCause::WrongMode {
            return Outcome::WrongMode(self.wrong_mode());
        }
        self.drop_frame(cause);
        Outcome::Nothing
    }

    fn is_single(&self) -> bool {
        let id = self.frame.first();
        wire::FORMS.iter().any(|f| Some(&f.id) == id && (f.shortest..=f.longest).contains(&self.total))
    }

    fn wrong_mode(&mut self) -> Noise {
        let before = self.noise.take();
        self.drop_frame(NoiseCause::WrongMode);
        let frame = core::mem::replace(&mut self.noise, before);
        frame.unwrap_or(Noise { bytes: 0, cause: NoiseCause::WrongMode })
    }

    fn checksum_fits(&self) -> bool {
        self.frame.split_last().is_some_and(|(sum, before)| wire::bus_checksum(before) == *sum)
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

    fn forget_told(&mut self) {
        if self.complete == Some(Complete::Told) {
            self.forget_frame();
        }
    }

    fn forget_frame(&mut self) {
        self.frame.clear();
        self.reading = None;
        self.complete = None;
    }
}

/// Whether a frame with a good checksum is an answer, without counting anything.
fn check(frame: &[u8]) -> Result<(), NoiseCause> {
    read_message(frame, &mut Counters::default()).map(drop)
}

fn read_message<'a>(frame: &'a [u8], counters: &mut Counters) -> Result<BusMessage<'a>, NoiseCause> {
    let [id, _, _, high, low, rest @ ..] = frame else { return Err(NoiseCause::Malformed) };
    let Some((_, data)) = rest.split_last() else { return Err(NoiseCause::Malformed) };
    // Only the host speaks to all boards; no board has that address.
    let address = BusAddress::from_bytes(*high, *low).ok_or(NoiseCause::OutOfRange)?;
    let answer = match (*id, data) {
        (bus_id::BOARD, codes) => Answer::Board(read_board(codes, counters)),
        (bus_id::CLOCK, payload) => Answer::Clock(read_clock(payload, counters)?),
        (bus_id::CHANGES, log) => Answer::Changes(Log::new(log)),
        (bus_id::FROM_START, log) => Answer::FromStart(Log::new(log)),
        (bus_id::PING, []) => Answer::Ping,
        (bus_id::STARTED, []) => Answer::Started,
        (bus_id::VERSION, []) => Answer::Version(None),
        (bus_id::VERSION, &[main, sub]) => Answer::Version(Some(Version { main, sub })),
        _ => return Err(NoiseCause::Malformed),
    };
    Ok(BusMessage { address, answer })
}
