// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to answers of boards on a bus, in whatever portions they arrive.

use arbiterd_board::{Noise, NoiseCause, Version};

use super::frame::BusAddress;
use super::message::{Answer, BusMessage};
use crate::Counters;
use crate::decoder::{read_board, read_clock};
use crate::frames::Frames;
use crate::log::Log;
use crate::wire::{self, BusVerdict, bus_id};

/// What the decoder found. A message of single-board mode is told at once, in an item of its own,
/// because no answer may follow it.
pub type BusItem<'a> = arbiterd_board::Item<BusMessage<'a>>;

/// Finds answers in a stream of bytes.
///
/// It never fails, and any byte with bit 7 set puts it in step again. Checksum, length and
/// address are verified (topic: bus mode). Its memory is bounded by [`wire::LONGEST_FRAME`], and
/// it is taken only once: records are lent from it, so nothing is allocated for an answer.
#[derive(Clone, Debug, Default)]
pub struct BusDecoder {
    /// An answer that was told stays here until the next call, because its records were lent.
    frames: Frames<BusVerdict>,
    /// The frame is a valid answer.
    complete: Option<Complete>,
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
        if self.complete.is_none() {
            self.frames.abandon();
        }
    }

    /// The noise that no answer has followed yet.
    pub const fn take_noise(&mut self) -> Option<Noise> {
        self.frames.dropped.take()
    }

    /// Whether a frame has begun and is not complete yet.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        !self.frames.bytes.is_empty() && self.complete.is_none()
    }

    /// Forgets all that has not been told, at the start of a new stream. Counters stay.
    pub fn reset(&mut self) {
        self.frames.reset();
        self.complete = None;
    }

    /// What was counted.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.frames.counters
    }

    /// The noise first, then the answer.
    fn tell(&mut self) -> Option<BusItem<'_>> {
        if let Some(noise) = self.frames.dropped.take() {
            self.complete = Some(Complete::Untold);
            return Some(BusItem::Noise(noise));
        }
        self.complete = Some(Complete::Told);
        read_message(&self.frames.bytes, &mut self.frames.counters).ok().map(BusItem::Message)
    }

    fn step(&mut self, byte: u8) -> Outcome {
        self.forget_told();
        match self.frames.push(byte, |id, total, _| wire::judge_bus(id, total)) {
            Some(verdict) => self.judge(verdict),
            None => Outcome::Nothing,
        }
    }

    /// Judges a frame that has all its bytes.
    fn judge(&mut self, verdict: BusVerdict) -> Outcome {
        let fits = self.frames.checksum_fits();
        let cause = match verdict {
            // One length of one id belongs to both modes: the checksum tells them apart.
            BusVerdict::Read if !fits && self.is_single() => NoiseCause::WrongMode,
            BusVerdict::Single => NoiseCause::WrongMode,
            BusVerdict::Read | BusVerdict::Skip if !fits => {
                self.frames.counters.bad_checksums += 1;
                NoiseCause::Malformed
            }
            BusVerdict::Skip => NoiseCause::UnknownKind,
            BusVerdict::Read => match check(&self.frames.bytes) {
                Ok(()) => return Outcome::Complete,
                Err(cause) => cause,
            },
        };
        if cause == NoiseCause::WrongMode {
            return Outcome::WrongMode(self.frames.drop_of_wrong_mode());
        }
        self.frames.drop_frame(cause);
        Outcome::Nothing
    }

    fn is_single(&self) -> bool {
        let frame = &self.frames.bytes;
        let is_it =
            |f: &wire::Form| Some(&f.id) == frame.first() && (f.shortest..=f.longest).contains(&frame.len());
        wire::FORMS.iter().any(is_it)
    }

    fn forget_told(&mut self) {
        if self.complete.take_if(|complete| *complete == Complete::Told).is_some() {
            self.frames.clear();
        }
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
