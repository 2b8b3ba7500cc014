// SPDX-License-Identifier: GPL-3.0-or-later
//! Bytes read as choices.

/// Takes choices from the front of the bytes; there are no more when they are used up.
pub struct Plan<'a>(pub &'a [u8]);

impl<'a> Plan<'a> {
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Up to so many of the bytes that follow.
    pub fn bytes(&mut self, most: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        taken
    }
}
