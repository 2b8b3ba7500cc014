// SPDX-License-Identifier: GPL-3.0-or-later
//! Bytes that somebody wrote down: two hexadecimal digits each.

/// What is wrong in the text, and where; both are counted from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub(in crate::ctl) struct HexError {
    line: u64,
    column: u64,
    what: HexMistake,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
enum HexMistake {
    #[error("{:?} is no hexadecimal digit; write bytes like 8e 00 or 0x8e, and # before a remark", char::from(*.0))]
    NoDigit(u8),
    #[error("byte {0:02x} is no text; without --hex bytes are read as they are")]
    NoText(u8),
    #[error("half a byte; write both of its digits")]
    HalfByte,
    #[error("0x without digits")]
    OnlyPrefix,
}

/// How far a word of digits is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    /// Between words.
    Outside,
    /// After `0x`.
    Prefixed,
    /// Whole bytes so far.
    Whole,
    /// The first digit of a byte; it may open `0x` if it is the first of its word.
    Half { high: u8, first: bool },
}

/// Reads hexadecimal text in any portions.
#[derive(Clone, Debug)]
pub(super) struct HexReader {
    word: Word,
    remark: bool,
    line: u64,
    /// Of the character that comes next.
    column: u64,
}

impl HexReader {
    pub(super) const fn new() -> Self {
        Self::at(1, 1)
    }

    /// A reader whose text begins somewhere within a larger one.
    pub(super) const fn at(line: u64, column: u64) -> Self {
        Self { word: Word::Outside, remark: false, line, column }
    }

    /// Appends the bytes in `text` to `bytes`, up to the first mistake.
    pub(super) fn read(&mut self, text: &[u8], bytes: &mut Vec<u8>) -> Result<(), HexError> {
        for character in text {
            bytes.extend(self.push(*character)?);
            match character {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // The second and later bytes of a character in a remark.
                0x80..=0xbf => {}
                _ => self.column += 1,
            }
        }
        Ok(())
    }

    /// The text ends here.
    pub(super) fn finish(&mut self) -> Result<(), HexError> {
        self.end_word()
    }

    fn push(&mut self, character: u8) -> Result<Option<u8>, HexError> {
        if self.remark {
            self.remark = character != b'\n';
            return Ok(None);
        }
        match character {
            b'#' => {
                self.end_word()?;
                self.remark = true;
                Ok(None)
            }
            // The vertical tab too, which Rust does not count among ASCII's white space.
            b' ' | 0x09..=0x0d => self.end_word().map(|()| None),
            b'x' | b'X' if self.word == (Word::Half { high: 0, first: true }) => {
                self.word = Word::Prefixed;
                Ok(None)
            }
            _ => self.digit(character),
        }
    }

    fn digit(&mut self, character: u8) -> Result<Option<u8>, HexError> {
        let value = match character {
            b'0'..=b'9' => character - b'0',
            b'a'..=b'f' => character - b'a' + 10,
            b'A'..=b'F' => character - b'A' + 10,
            0x20..=0x7e => return Err(self.mistake(HexMistake::NoDigit(character), 0)),
            _ => return Err(self.mistake(HexMistake::NoText(character), 0)),
        };
        if let Word::Half { high, .. } = self.word {
            self.word = Word::Whole;
            return Ok(Some((high << 4) | value));
        }
        self.word = Word::Half { high: value, first: self.word == Word::Outside };
        Ok(None)
    }

    fn end_word(&mut self) -> Result<(), HexError> {
        match self.word {
            Word::Half { .. } => Err(self.mistake(HexMistake::HalfByte, 1)),
            Word::Prefixed => Err(self.mistake(HexMistake::OnlyPrefix, 2)),
            Word::Outside | Word::Whole => {
                self.word = Word::Outside;
                Ok(())
            }
        }
    }

    /// A mistake so many characters back.
    const fn mistake(&self, what: HexMistake, back: u64) -> HexError {
        HexError { line: self.line, column: self.column.saturating_sub(back), what }
    }
}

/// Bytes as they are written in this project's texts.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}
