// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts for clocks with letters.

use core::time::Duration;

use super::CLOCK_COMMAND;

/// Eight characters that are safe to send.
///
/// A board that loses the start of a clock command takes the text for commands: upper-case
/// letters are commands (among them the boot loader), `+` opens a clock command and the grave
/// accent addresses lights. So letters are sent in lower case, and only with digits, space and
/// the punctuation below the letters (topic: host commands, hazard).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockText([u8; 8]);

/// Eleven characters, as safe to send as those of [`ClockText`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LongClockText([u8; 11]);

/// The text cannot be shown safely.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ClockTextError {
    /// More characters than the clock shows.
    #[error("this clock shows {limit} characters, not {length}: shorten the text")]
    TooLong {
        /// The characters of the text.
        length: usize,
        /// The characters that the clock shows.
        limit: usize,
    },
    /// A character that a board could take for a command.
    #[error("the character {0:?} is not safe to send: use letters, digits, space or . , - ? ! :")]
    Unsafe(char),
    /// A character that seven segments cannot show, or only with a glyph that a board could take
    /// for a command.
    #[error("the character {0:?} cannot be shown on seven segments: choose another word")]
    NoGlyph(char),
}

impl ClockText {
    /// A text of at most eight characters; upper case becomes lower case.
    ///
    /// # Errors
    /// [`ClockTextError`] if it is too long or holds an unsafe character.
    pub fn new(text: &str) -> Result<Self, ClockTextError> {
        safe_text(text).map(Self)
    }

    pub(super) const fn bytes(&self) -> [u8; 8] {
        self.0
    }
}

impl LongClockText {
    /// A text of at most eleven characters; upper case becomes lower case.
    ///
    /// # Errors
    /// [`ClockTextError`] if it is too long or holds an unsafe character.
    pub fn new(text: &str) -> Result<Self, ClockTextError> {
        safe_text(text).map(Self)
    }

    pub(super) const fn bytes(&self) -> [u8; 11] {
        self.0
    }
}

fn safe_text<const N: usize>(text: &str) -> Result<[u8; N], ClockTextError> {
    let mut bytes = [b' '; N];
    let length = text.chars().count();
    if length > N {
        return Err(ClockTextError::TooLong { length, limit: N });
    }
    for (slot, c) in bytes.iter_mut().zip(text.chars()) {
        *slot = safe_character(c)?;
    }
    Ok(bytes)
}

fn safe_character(c: char) -> Result<u8, ClockTextError> {
    match u8::try_from(c.to_ascii_lowercase()) {
        // Lower case is no command but on a Pegasus, which this crate does not serve.
        Ok(b) if matches!(b, b' '..=b'?' | b'a'..=b'z') && b != CLOCK_COMMAND => Ok(b),
        _ => Err(ClockTextError::Unsafe(c)),
    }
}

/// How long the clock beeps when it shows a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BeepAfter(u8);

impl BeepAfter {
    /// No beep.
    pub const NONE: Self = Self(0);

    /// The beep nearest to a length: 62.5 ms and steps of as much, from 125 ms up to a second.
    /// Nothing is no beep.
    #[must_use]
    pub fn nearest(length: Duration) -> Self {
        if length.is_zero() {
            return Self::NONE;
        }
        // 62.5 ms and n sixteenths of a second, n from 1 to 15.
        let steps = (length.as_millis() * 2 + 62) / 125;
        Self(u8::try_from(steps.saturating_sub(1).clamp(1, 15)).unwrap_or(15))
    }

    pub(super) const fn byte(self) -> u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_hold_a_command() {
        for text in ["+", "`", "[", "\u{e9}", "\n", "{"] {
            assert!(matches!(ClockText::new(text), Err(ClockTextError::Unsafe(_))), "{text:?}");
        }
        assert_eq!(ClockText::new("NINE CHARS"), Err(ClockTextError::TooLong { length: 10, limit: 8 }));
        assert_eq!(ClockText::new("NJ@").err(), Some(ClockTextError::Unsafe('@')));
        assert_eq!(ClockText::new("NIL").map(|t| t.0), Ok(*b"nil     "));
        assert_eq!(LongClockText::new("ILLEGAL MOV").map(|t| t.0), Ok(*b"illegal mov"));
        assert!(LongClockText::new("illegal move").is_err());
    }

    #[test]
    fn a_beep_lasts_as_long_as_a_clock_can_do_it() {
        for (millis, byte) in [(0, 0), (1, 1), (125, 1), (188, 2), (500, 7), (1000, 15), (60_000, 15)] {
            assert_eq!(BeepAfter::nearest(Duration::from_millis(millis)).byte(), byte, "{millis} ms");
        }
    }
}
