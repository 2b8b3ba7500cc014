// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which characters may stand where in a frame.

use crate::wire::{self, answer};

/// A frame that was begun, and how far its characters were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) letter: u8,
    /// How many bytes are known to belong to it.
    pub(super) seen: usize,
    /// How many it has; of an information page it is known once its line feed was seen.
    total: Option<usize>,
    /// What may stand between the letter and the block parity.
    inside: u8,
}

pub(super) enum Progress {
    /// All that came so far fits.
    Open,
    /// This byte does not belong to it.
    Broken(u8),
    /// It is whole.
    Complete,
}

/// Kinds of characters, as bits.
mod kind {
    pub(super) const SQUARE: u8 = 1;
    pub(super) const UPPER_HEX: u8 = 2;
    pub(super) const ANY_HEX: u8 = 4;
    pub(super) const TEXT: u8 = 8;
    pub(super) const LINE_FEED: u8 = 16;
}

const KINDS: [u8; 128] = kinds();

const fn kinds() -> [u8; 128] {
    let mut kinds = [0; 128];
    let mut character: u8 = 0;
    while character < 128 {
        let mut of_this = 0;
        if wire::occupant(character).is_some() {
            of_this |= kind::SQUARE;
        }
        if character.is_ascii_hexdigit() {
            of_this |= kind::ANY_HEX;
            if !character.is_ascii_lowercase() {
                of_this |= kind::UPPER_HEX;
            }
        }
        if character.is_ascii_graphic() || character == b' ' || character == b'\r' {
            of_this |= kind::TEXT;
        }
        if character == b'\n' {
            of_this |= kind::LINE_FEED;
        }
        kinds[character as usize] = of_this;
        character += 1;
    }
    kinds
}

const fn is(byte: u8, kinds: u8) -> bool {
    KINDS[(byte & 0x7f) as usize] & kinds != 0
}

impl Shape {
    pub(super) fn of_answer(letter: u8) -> Option<Self> {
        let inside = match letter {
            answer::STATUS | answer::DUMP => kind::SQUARE,
            // A black rook too: only upper case is taken, as boards send it.
            answer::READ => kind::UPPER_HEX,
            _ => kind::ANY_HEX,
        };
        let total = Some(wire::answer_length(letter)?);
        Some(Self { letter, seen: 1, total, inside })
    }

    pub(super) const fn information() -> Self {
        Self { letter: answer::INFORMATION, seen: 1, total: None, inside: kind::TEXT }
    }

    pub(super) fn of_echo(letter: u8) -> Option<Self> {
        let total = Some(wire::command_length(letter)?);
        Some(Self { letter, seen: 1, total, inside: kind::UPPER_HEX })
    }

    /// A command of a host that came back.
    pub(super) const fn is_echo(&self) -> bool {
        self.letter.is_ascii_uppercase()
    }

    /// Its letter also stands for a piece, so that nothing is amiss if it begins no frame.
    pub(super) const fn is_doubtful(&self) -> bool {
        self.is_echo() || self.letter == answer::READ
    }

    /// Looks at the bytes that were not looked at.
    pub(super) fn follow(mut self, bytes: &[u8]) -> (Self, Progress) {
        while let Some(&byte) = bytes.get(self.seen) {
            if self.total.is_some_and(|total| self.seen == total) {
                break;
            }
            if !self.admits(byte) {
                return (self, Progress::Broken(byte));
            }
            if self.total.is_none() && self.seen > 2 && is(byte, kind::LINE_FEED) {
                self.total = Some(self.seen + 1 + wire::CHECK);
            }
            self.seen += 1;
        }
        let progress = if self.total == Some(self.seen) { Progress::Complete } else { Progress::Open };
        (self, progress)
    }

    fn admits(&self, byte: u8) -> bool {
        match self.total {
            Some(total) if self.seen + wire::CHECK >= total => is(byte, kind::ANY_HEX),
            Some(_) => is(byte, self.inside),
            // The number of the page, then text that ends with a line feed.
            None if self.seen <= 2 => is(byte, kind::ANY_HEX),
            None if self.seen < 3 + wire::INFORMATION_TEXT => is(byte, kind::TEXT | kind::LINE_FEED),
            None => is(byte, kind::LINE_FEED),
        }
    }
}
