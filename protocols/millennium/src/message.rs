// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board says.

use core::fmt;

use arbiterd_board::{Placement, Version};

use crate::wire::INFORMATION_TEXT;

/// A valid answer or report of a board, in hardware squares: those of a board whose cable leaves
/// on the left side of White (topic: squares).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// `v`: the version of the board.
    Version(Version),
    /// `v` without block parity, which a board sends whose register 00 switches it off. Told only
    /// after [`crate::Decoder::expect_bare_version`].
    BareVersion(Version),
    /// `s`: what stands on the board, asked for or not. Letters that no description explains are
    /// [`arbiterd_board::Occupant::Unidentified`].
    Status(Placement),
    /// `g`: the same from a board that does not recognise pieces.
    Dump(Placement),
    /// `l`: the lights were set.
    LightsSet,
    /// `x`: all lights are off.
    LightsOff,
    /// `t`: the board restarts. Real boards do not say it.
    Restarting,
    /// `r`: what a register holds.
    Register {
        /// Its address, as the board repeats it.
        address: u8,
        /// What it holds.
        value: u8,
    },
    /// `w`: a register was written.
    Written {
        /// Its address, as the board repeats it.
        address: u8,
        /// What was written.
        value: u8,
    },
    /// `i`: a page of free text.
    Information {
        /// The number of the page.
        page: u8,
        /// What stands on it.
        text: Text,
    },
}

/// The text of an information page, kept in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text {
    bytes: [u8; INFORMATION_TEXT],
    length: u8,
}

impl Text {
    /// A text of printable ASCII characters; other characters become `?`, and what is longer than
    /// a board may send is cut.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut bytes = [0; INFORMATION_TEXT];
        let mut length = 0;
        for (slot, c) in bytes.iter_mut().zip(text.chars()) {
            *slot = u8::try_from(c).ok().filter(|b| (0x20..0x7f).contains(b)).unwrap_or(b'?');
            length += 1;
        }
        Self { bytes, length }
    }

    /// The characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        // Only ASCII is ever put in.
        core::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Of characters that were checked one by one.
    pub(crate) fn from_wire(wire: &[u8]) -> Self {
        let mut bytes = [0; INFORMATION_TEXT];
        let mut length = 0;
        for (slot, byte) in bytes.iter_mut().zip(wire) {
            *slot = byte & 0x7f;
            length += 1;
        }
        Self { bytes, length }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
