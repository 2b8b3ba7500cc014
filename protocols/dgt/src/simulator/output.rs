// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board sends: its order, the time it takes on the line, and what the line does to it.

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::Mono;

use super::chance::Chance;
use super::faults::Rate;
use crate::wire::LINE;

/// Something that happens to bytes at a rate.
#[derive(Clone, Copy, Debug, Default)]
struct Gremlin {
    rate: Rate,
    passed: u32,
}

impl Gremlin {
    const fn new(rate: Rate) -> Self {
        Self { rate, passed: 0 }
    }

    fn strikes(&mut self, chance: &mut Chance) -> bool {
        match self.rate {
            Rate::Never => false,
            Rate::OneIn(number) => chance.below(u64::from(number)) == 0,
            Rate::Every(number) => {
                self.passed += 1;
                let hit = self.passed >= number;
                if hit {
                    self.passed = 0;
                }
                hit
            }
        }
    }
}

/// The way of messages from the board to the host.
#[derive(Clone, Debug)]
pub(super) struct Output {
    paced: bool,
    /// Said, but not before its time: a message is given out at this moment.
    waiting: VecDeque<(Mono, Vec<u8>)>,
    /// Given out, with the moment at which its first byte begins.
    given: VecDeque<(Mono, Vec<u8>)>,
    /// When the line has carried everything that was said.
    free_at: Mono,
    /// No message overtakes another.
    last: Mono,
    lateness: Duration,
    cut: Option<u16>,
    dropped: Gremlin,
    inserted: Gremlin,
    junk: u8,
    flipped: Gremlin,
}

impl Output {
    pub(super) fn new(paced: bool) -> Self {
        Self {
            paced,
            waiting: VecDeque::new(),
            given: VecDeque::new(),
            free_at: Mono::ZERO,
            last: Mono::ZERO,
            lateness: Duration::ZERO,
            cut: None,
            dropped: Gremlin::default(),
            inserted: Gremlin::default(),
            junk: 0,
            flipped: Gremlin::default(),
        }
    }

    pub(super) fn drop_bytes(&mut self, rate: Rate) {
        self.dropped = Gremlin::new(rate);
    }

    pub(super) fn insert_bytes(&mut self, rate: Rate, byte: u8) {
        self.inserted = Gremlin::new(rate);
        self.junk = byte;
    }

    pub(super) fn flip_bits(&mut self, rate: Rate) {
        self.flipped = Gremlin::new(rate);
    }

    pub(super) fn cut_next(&mut self, bytes: u16) {
        self.cut = Some(bytes);
    }

    pub(super) fn be_late(&mut self, by: Duration) {
        self.lateness = by;
    }

    /// The board says something.
    pub(super) fn say(&mut self, now: Mono, mut bytes: Vec<u8>, chance: &mut Chance) {
        if let Some(length) = self.cut.take() {
            bytes.truncate(usize::from(length));
        }
        let ready = now.after(self.lateness).max(self.last);
        let start = ready.max(self.free_at);
        self.free_at = start.after(LINE.duration(bytes.len()));
        self.last = ready;
        self.waiting.push_back((if self.paced { start } else { ready }, bytes));
        self.release(now, chance);
    }

    /// Gives out what is due.
    pub(super) fn release(&mut self, now: Mono, chance: &mut Chance) {
        while let Some((at, bytes)) = self.waiting.pop_front_if(|(at, _)| *at <= now) {
            let bytes = self.disturb(&bytes, chance);
            if !bytes.is_empty() {
                self.given.push_back((at, bytes));
            }
        }
    }

    fn disturb(&mut self, bytes: &[u8], chance: &mut Chance) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            if self.inserted.strikes(chance) {
                out.push(self.junk);
            }
            let flip = if self.flipped.strikes(chance) { 1 << chance.below(8) } else { 0 };
            if !self.dropped.strikes(chance) {
                out.push(byte ^ flip);
            }
        }
        out
    }

    /// When something is to be given out.
    pub(super) fn due(&self) -> Option<Mono> {
        self.waiting.front().map(|(at, _)| *at)
    }

    /// When the line is free again.
    pub(super) const fn free_at(&self) -> Mono {
        self.free_at
    }

    /// What was given out, with the moment at which it begins.
    pub(super) fn take(&mut self) -> Option<(Mono, Vec<u8>)> {
        self.given.pop_front()
    }

    pub(super) fn has_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// The power is gone: what was not given out never will be.
    pub(super) fn clear(&mut self, now: Mono) {
        self.waiting.clear();
        self.free_at = now;
        self.last = now;
    }
}
