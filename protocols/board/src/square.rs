// SPDX-License-Identifier: MIT OR Apache-2.0
//! Squares of the hardware.

use core::fmt;
use core::str::FromStr;

/// A square of the *hardware*, named as if the board stood the normal way (its a1 corner at
/// White's left hand). Whether the board was turned round is decided by the arbiter's side,
/// never by a driver. Index 0 is a1, 7 is h1, 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "u8", into = "u8"))]
pub struct Square(u8);

impl Square {
    /// How many squares a board has.
    pub const COUNT: usize = 64;

    /// The square with this index (a1 = 0, h8 = 63); `None` above 63.
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square on `file` (a = 0) and `rank` (first = 0); `None` outside 0..8.
    pub const fn from_coords(file: u8, rank: u8) -> Option<Self> {
        if file < 8 && rank < 8 { Some(Self(rank * 8 + file)) } else { None }
    }

    /// a1 = 0 to h8 = 63.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// a = 0 to h = 7.
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// First rank = 0 to eighth rank = 7.
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The same square seen from the other side of the board: a1 becomes h8.
    #[must_use]
    pub const fn rotated(self) -> Self {
        Self(63 - self.0)
    }

    /// All squares, a1 first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..64).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), char::from(b'1' + self.rank()))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not the name of a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a square: expected a letter a to h and a digit 1 to 8")]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        match s.as_bytes() {
            [f @ b'a'..=b'h', r @ b'1'..=b'8'] => Ok(Self((r - b'1') * 8 + (f - b'a'))),
            _ => Err(ParseSquareError),
        }
    }
}

impl TryFrom<u8> for Square {
    type Error = ParseSquareError;

    fn try_from(index: u8) -> Result<Self, Self::Error> {
        Self::new(index).ok_or(ParseSquareError)
    }
}

impl From<Square> for u8 {
    fn from(s: Square) -> Self {
        s.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_rotate() {
        for s in Square::all() {
            assert_eq!(s.to_string().parse(), Ok(s));
            assert_eq!(s.rotated().rotated(), s);
        }
        assert_eq!("e2".parse::<Square>().map(Square::rotated), "d7".parse());
        for bad in ["", "e", "e9", "i1", "E2", "e22"] {
            assert_eq!(bad.parse::<Square>(), Err(ParseSquareError), "{bad}");
        }
    }
}
