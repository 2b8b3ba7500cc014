// SPDX-License-Identifier: MIT OR Apache-2.0
//! A text on the six seven-segment digits of a DGT XL.

use super::{ClockTextError, is_harmless};

/// Six glyphs, from left to right, in bytes that no board takes for a command.
///
/// Segment bits: 01 top, 02 upper right, 04 lower right, 08 bottom, 10 lower left, 20 upper left,
/// 40 middle (topic: clock commands). The sum of some letters is a command, of `n` even one that
/// blinds the board for chess, so those letters are refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Glyphs {
    digits: [u8; 6],
    beep: bool,
}

/// The glyphs in common use. Those that are a command are left out: `c` (58), `m` (55),
/// `n` (54), `r` (50), `-` (40) and `=` (48).
const ALPHABET: [(char, u8); 34] = [
    ('0', 0x3f),
    ('1', 0x06),
    ('2', 0x5b),
    ('3', 0x4f),
    ('4', 0x66),
    ('5', 0x6d),
    ('6', 0x7d),
    ('7', 0x07),
    ('8', 0x7f),
    ('9', 0x6f),
    ('a', 0x5f),
    ('b', 0x7c),
    ('d', 0x5e),
    ('e', 0x7b),
    ('f', 0x71),
    ('g', 0x3d),
    ('h', 0x74),
    ('i', 0x10),
    ('j', 0x1e),
    ('k', 0x75),
    ('l', 0x38),
    ('o', 0x5c),
    ('p', 0x73),
    ('q', 0x67),
    ('s', 0x6d),
    ('t', 0x78),
    ('u', 0x3e),
    ('v', 0x2a),
    ('w', 0x7e),
    ('x', 0x64),
    ('y', 0x6e),
    ('z', 0x5b),
    (' ', 0x00),
    ('_', 0x08),
];

const BEEP: u8 = 0x03;
const NO_BEEP: u8 = 0x01;
/// No dot, no colon, no leading 1.
const NO_DOTS: u8 = 0x00;

impl Glyphs {
    /// A text of at most six characters, upper and lower case alike, with or without a beep.
    ///
    /// # Errors
    /// [`ClockTextError`] if it is too long or holds a character without a harmless glyph.
    pub fn new(text: &str, beep: bool) -> Result<Self, ClockTextError> {
        let mut digits = [0; 6];
        let length = text.chars().count();
        if length > digits.len() {
            return Err(ClockTextError::TooLong { length, limit: digits.len() });
        }
        for (slot, c) in digits.iter_mut().zip(text.chars()) {
            *slot = glyph(c).ok_or(ClockTextError::NoGlyph(c))?;
        }
        Ok(Self { digits, beep })
    }

    /// The digits are sent in the order of the clock's wiring: C B A F E D.
    pub(super) const fn arguments(&self) -> [u8; 8] {
        let [a, b, c, d, e, f] = self.digits;
        [c, b, a, f, e, d, NO_DOTS, if self.beep { BEEP } else { NO_BEEP }]
    }
}

fn glyph(c: char) -> Option<u8> {
    let c = c.to_ascii_lowercase();
    let (_, glyph) = ALPHABET.iter().find(|(letter, _)| *letter == c)?;
    is_harmless(*glyph).then_some(*glyph)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glyph_that_is_a_command_is_refused() {
        // 3 is 4f, which no description names; 4e beside it is the boot loader.
        for c in ['3', 'c', 'm', 'n', 'r', '-', '=', '+', '\u{e9}'] {
            assert_eq!(Glyphs::new(&c.to_string(), false), Err(ClockTextError::NoGlyph(c)));
        }
        assert_eq!(Glyphs::new("illegal", false), Err(ClockTextError::TooLong { length: 7, limit: 6 }));
    }
}
