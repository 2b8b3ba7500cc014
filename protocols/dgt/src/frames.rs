// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames as their bytes come in, the same for both modes (topic: framing).

use arbiterd_board::{Dropped, Noise, NoiseCause};

use crate::Counters;
use crate::wire::{self, id};

/// The frame that is coming in, what was dropped before it, and what was counted.
///
/// Any byte with bit 7 set begins a frame, so noise costs no more than the frames it touches. `V` is
/// what the mode's judge says of a header.
#[derive(Clone, Debug)]
pub(crate) struct Frames<V> {
    /// The frame so far; empty while hunting for a start.
    pub(crate) bytes: Vec<u8>,
    /// How long it is, and what is said of its header; nothing until the header is complete.
    total: usize,
    verdict: Option<V>,
    pub(crate) dropped: Dropped,
    pub(crate) counters: Counters,
}

impl<V> Default for Frames<V> {
    fn default() -> Self {
        let (dropped, counters) = (Dropped::default(), Counters::default());
        Self { bytes: Vec::new(), total: 0, verdict: None, dropped, counters }
    }
}

impl<V: Copy> Frames<V> {
    /// Takes a byte. When a frame is whole with it: what was said of its header.
    #[inline]
    pub(crate) fn push(
        &mut self,
        byte: u8,
        judge: impl FnOnce(u8, usize, &mut Counters) -> Result<V, NoiseCause>,
    ) -> Option<V> {
        if byte >= 0x80 {
            self.abandon();
            self.bytes.push(byte);
            return None;
        }
        if self.bytes.is_empty() {
            self.drop_stray(byte);
            return None;
        }
        self.bytes.push(byte);
        if self.bytes.len() == wire::HEADER {
            self.read_header(judge);
        }
        if self.bytes.len() == self.total { self.verdict } else { None }
    }

    fn read_header(&mut self, judge: impl FnOnce(u8, usize, &mut Counters) -> Result<V, NoiseCause>) {
        if let [id, high, low] = self.bytes[..] {
            let total = (usize::from(high) << 7) | usize::from(low);
            match judge(id, total, &mut self.counters) {
                Ok(verdict) => (self.total, self.verdict) = (total, Some(verdict)),
                Err(cause) => self.drop_frame(cause),
            }
        }
    }

    /// Drops a frame that another one cuts short, or a pause.
    pub(crate) fn abandon(&mut self) {
        match self.bytes.first() {
            None => {}
            // A lone byte that emulators send; it is complete as it is.
            Some(&id::NONE) => self.drop_frame(NoiseCause::UnknownKind),
            Some(_) => self.drop_frame(NoiseCause::Unfinished),
        }
    }

    /// Drops the frame.
    pub(crate) fn drop_frame(&mut self, cause: NoiseCause) {
        self.count(self.bytes.len(), cause);
        self.clear();
    }

    /// Drops a byte outside any frame. Zeros go on behind an unknown message, as emulators send
    /// them; of whatever else was lost more would be left than zeros.
    fn drop_stray(&mut self, byte: u8) {
        let goes_on = byte == 0 && self.dropped.is_only_unknown();
        self.count(1, if goes_on { NoiseCause::UnknownKind } else { NoiseCause::Junk });
    }

    fn count(&mut self, bytes: usize, cause: NoiseCause) {
        self.counters.dropped_bytes += bytes as u64;
        self.dropped.add(bytes, cause);
    }

    /// Drops a frame of the other mode, which is told at once: no message may follow it. The noise
    /// before it stays.
    pub(crate) fn drop_of_wrong_mode(&mut self) -> Noise {
        let before = core::mem::take(&mut self.dropped);
        self.drop_frame(NoiseCause::WrongMode);
        let frame = core::mem::replace(&mut self.dropped, before).take();
        frame.unwrap_or(Noise { bytes: 0, cause: NoiseCause::WrongMode })
    }

    /// Whether the last byte is the checksum of those before it, as in bus mode.
    pub(crate) fn checksum_fits(&self) -> bool {
        self.bytes.split_last().is_some_and(|(sum, before)| wire::bus_checksum(before) == *sum)
    }

    /// Done with the frame.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        (self.total, self.verdict) = (0, None);
    }

    /// Forgets all that has not been told. What was counted stays.
    pub(crate) fn reset(&mut self) {
        self.clear();
        self.dropped = Dropped::default();
    }
}
