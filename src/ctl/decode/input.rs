// SPDX-License-Identifier: GPL-3.0-or-later
//! Hexadecimal text.

use super::DecodeError;

/// Reads hexadecimal text in any portions: two digits a byte, with or without space between them
/// and `0x` before them; `#` begins a remark that ends with the line.
#[derive(Debug, Default)]
pub(super) struct Hex {
    line: usize,
    column: usize,
    remark: bool,
    /// The first digit of a byte, as it was written.
    half: Option<char>,
}

impl Hex {
    /// The bytes that this text completes.
    pub(super) fn read(&mut self, text: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let mut bytes = Vec::new();
        for c in text.iter().copied().map(char::from) {
            self.column += 1;
            bytes.extend(self.take(c)?);
            if c == '\n' {
                (self.line, self.column, self.remark) = (self.line + 1, 0, false);
            }
        }
        Ok(bytes)
    }

    /// The text ends.
    pub(super) fn end(&self) -> Result<(), DecodeError> {
        self.half.map_or(Ok(()), |half| Err(self.wrong(half.to_string())))
    }

    fn take(&mut self, c: char) -> Result<Option<u8>, DecodeError> {
        if self.remark {
            return Ok(None);
        }
        match (self.half, c) {
            (None, '#') => self.remark = true,
            (None, c) if c.is_ascii_whitespace() => {}
            // The x of 0x: what looked like a first digit was none.
            (Some('0'), 'x' | 'X') => self.half = None,
            (None, c) if c.is_ascii_hexdigit() => self.half = Some(c),
            (Some(half), c) => {
                self.half = None;
                let digits = half.to_digit(16).zip(c.to_digit(16));
                let byte = digits.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
                return byte.map(Some).ok_or_else(|| self.wrong(format!("{half}{c}").trim().to_owned()));
            }
            (None, c) => return Err(self.wrong(c.to_string())),
        }
        Ok(None)
    }

    fn wrong(&self, found: String) -> DecodeError {
        DecodeError::Hex { line: self.line + 1, column: self.column, found }
    }
}
