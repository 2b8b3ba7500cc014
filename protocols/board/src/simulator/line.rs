// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board sends: its order, the time it takes on the line, and what the line does to it.

use core::time::Duration;
use std::collections::VecDeque;

use super::{Chance, LineFault, Rate};
use crate::{LineSettings, Mono};

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
pub struct SimulatedLine {
    settings: LineSettings,
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
    doubled: Gremlin,
    flipped: Gremlin,
}

impl SimulatedLine {
    /// A line on which nothing was said yet. A message is given out when it is said, or, if it is
    /// `paced`, when the line is free for it.
    #[must_use]
    pub fn new(settings: LineSettings, paced: bool) -> Self {
        Self {
            settings,
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
            doubled: Gremlin::default(),
            flipped: Gremlin::default(),
        }
    }

    /// From now on this goes wrong.
    pub const fn suffer(&mut self, fault: LineFault) {
        match fault {
            LineFault::Drop(rate) => self.dropped = Gremlin::new(rate),
            LineFault::Insert(rate, byte) => {
                self.inserted = Gremlin::new(rate);
                self.junk = byte;
            }
            LineFault::Double(rate) => self.doubled = Gremlin::new(rate),
            LineFault::Flip(rate) => self.flipped = Gremlin::new(rate),
            LineFault::Cut(bytes) => self.cut = Some(bytes),
            LineFault::Late(by) => self.lateness = by,
        }
    }

    /// The board says something.
    pub fn say(&mut self, now: Mono, mut bytes: Vec<u8>, chance: &mut Chance) {
        if let Some(length) = self.cut.take() {
            bytes.truncate(usize::from(length));
        }
        let ready = now.after(self.lateness).max(self.last);
        let start = ready.max(self.free_at);
        self.free_at = start.after(self.settings.duration(bytes.len()));
        self.last = ready;
        self.waiting.push_back((if self.paced { start } else { ready }, bytes));
        self.release(now, chance);
    }

    /// Gives out what is due.
    pub fn release(&mut self, now: Mono, chance: &mut Chance) {
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
                if self.doubled.strikes(chance) {
                    out.push(byte ^ flip);
                }
            }
        }
        out
    }

    /// When something is to be given out.
    #[must_use]
    pub fn due(&self) -> Option<Mono> {
        self.waiting.front().map(|(at, _)| *at)
    }

    /// When the line is free again.
    #[must_use]
    pub const fn free_at(&self) -> Mono {
        self.free_at
    }

    /// What was given out, with the moment at which it begins.
    pub fn take(&mut self) -> Option<(Mono, Vec<u8>)> {
        self.given.pop_front()
    }

    /// Whether [`SimulatedLine::take`] has something.
    #[must_use]
    pub fn has_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// The power is gone: what was not given out never will be.
    pub fn clear(&mut self, now: Mono) {
        self.waiting.clear();
        self.free_at = now;
        self.last = now;
    }
}
