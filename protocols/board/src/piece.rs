// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can stand on a square, and a whole board of it.

use core::fmt;
use core::ops::{Index, IndexMut};
use core::str::FromStr;

use crate::Square;

/// The colour of a piece or player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[allow(missing_docs, reason = "the names say it")]
pub enum Colour {
    White,
    Black,
}

/// The kind of a piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "the names say it")]
pub enum Role {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

/// A chess piece as the board identifies it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "the names say it")]
pub struct Piece {
    pub colour: Colour,
    pub role: Role,
}

impl Piece {
    /// The FEN letter: upper case for White, lower case for Black.
    pub const fn letter(self) -> char {
        let c = match self.role {
            Role::Pawn => 'p',
            Role::Knight => 'n',
            Role::Bishop => 'b',
            Role::Rook => 'r',
            Role::Queen => 'q',
            Role::King => 'k',
        };
        match self.colour {
            Colour::White => c.to_ascii_uppercase(),
            Colour::Black => c,
        }
    }

    /// The piece with this FEN letter.
    pub const fn from_letter(letter: char) -> Option<Self> {
        let role = match letter.to_ascii_lowercase() {
            'p' => Role::Pawn,
            'n' => Role::Knight,
            'b' => Role::Bishop,
            'r' => Role::Rook,
            'q' => Role::Queen,
            'k' => Role::King,
            _ => return None,
        };
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        Some(Self { colour, role })
    }
}

/// A piece that is no chess piece but announces a result (DGT sells such pieces).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "the names say it")]
pub enum ResultToken {
    Draw,
    WhiteWins,
    BlackWins,
}

/// What the board reports for one square.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Occupant {
    /// Nothing, or nothing that the sensors detect.
    #[default]
    Empty,
    /// A chess piece that the board identifies.
    Piece(Piece),
    /// Something stands here, but the board cannot say what (boards with occupancy sensors).
    Unidentified,
    /// A result token, to be treated as a foreign object on its square.
    Token(ResultToken),
}

impl Occupant {
    /// The identified piece, if it is one.
    pub const fn piece(self) -> Option<Piece> {
        match self {
            Self::Piece(p) => Some(p),
            _ => None,
        }
    }

    /// Whether it is an identified piece of this player.
    pub fn is_of(self, colour: Colour) -> bool {
        self.piece().is_some_and(|piece| piece.colour == colour)
    }

    /// One character: a FEN letter, `.` empty, `?` unidentified, `=` `+` `-` for tokens.
    pub const fn letter(self) -> char {
        match self {
            Self::Empty => '.',
            Self::Piece(p) => p.letter(),
            Self::Unidentified => '?',
            Self::Token(ResultToken::Draw) => '=',
            Self::Token(ResultToken::WhiteWins) => '+',
            Self::Token(ResultToken::BlackWins) => '-',
        }
    }

    /// The inverse of [`Occupant::letter`].
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            '.' => Some(Self::Empty),
            '?' => Some(Self::Unidentified),
            '=' => Some(Self::Token(ResultToken::Draw)),
            '+' => Some(Self::Token(ResultToken::WhiteWins)),
            '-' => Some(Self::Token(ResultToken::BlackWins)),
            _ => match Piece::from_letter(letter) {
                Some(p) => Some(Self::Piece(p)),
                None => None,
            },
        }
    }
}

/// What stands on all 64 squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placement([Occupant; 64]);

impl Default for Placement {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Placement {
    /// A board with nothing on it.
    pub const EMPTY: Self = Self([Occupant::Empty; 64]);

    /// A placement from its squares, a1 first.
    pub const fn from_squares(squares: [Occupant; 64]) -> Self {
        Self(squares)
    }

    /// The same board seen from the other side.
    #[must_use]
    pub fn rotated(&self) -> Self {
        let mut squares = self.0;
        squares.reverse();
        Self(squares)
    }

    /// The squares on which two placements differ, a1 first.
    pub fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = Square> + 'a {
        Square::all().zip(self.0.iter().zip(&other.0)).filter(|(_, (one, two))| one != two).map(|(s, _)| s)
    }

    /// Squares with something on them, a1 first.
    pub fn occupied(&self) -> impl Iterator<Item = (Square, Occupant)> + '_ {
        Square::all().map(|s| (s, self[s])).filter(|(_, o)| *o != Occupant::Empty)
    }
}

impl Index<Square> for Placement {
    type Output = Occupant;

    #[inline]
    fn index(&self, s: Square) -> &Occupant {
        &self.0[usize::from(s.index())]
    }
}

impl IndexMut<Square> for Placement {
    #[inline]
    fn index_mut(&mut self, s: Square) -> &mut Occupant {
        &mut self.0[usize::from(s.index())]
    }
}

impl fmt::Display for Placement {
    /// The placement field of a FEN; what is no piece is written as [`Occupant::letter`] says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for s in (0..8).filter_map(|file| Square::from_coords(file, rank)) {
                match self[s] {
                    Occupant::Empty => empty += 1,
                    o => {
                        if empty > 0 {
                            write!(f, "{empty}")?;
                            empty = 0;
                        }
                        write!(f, "{}", o.letter())?;
                    }
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Placement({self})")
    }
}

/// The text is not a FEN piece placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a piece placement: expected eight ranks of eight squares separated by '/', as in a FEN")]
pub struct ParsePlacementError;

impl FromStr for Placement {
    type Err = ParsePlacementError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut placement = Self::EMPTY;
        let mut ranks = 0u8;
        for row in text.split('/') {
            let rank = 7u8.checked_sub(ranks).ok_or(ParsePlacementError)?;
            let mut file = 0u8;
            for c in row.chars() {
                if let Some(n @ 1..=8) = c.to_digit(10) {
                    file = file.saturating_add(u8::try_from(n).map_err(|_| ParsePlacementError)?);
                } else {
                    let s = Square::from_coords(file, rank).ok_or(ParsePlacementError)?;
                    placement[s] = Occupant::from_letter(c).ok_or(ParsePlacementError)?;
                    file += 1;
                }
            }
            if file != 8 {
                return Err(ParsePlacementError);
            }
            ranks += 1;
        }
        if ranks == 8 { Ok(placement) } else { Err(ParsePlacementError) }
    }
}

#[cfg(feature = "serde")]
mod as_text {
    //! A placement is recorded as its FEN field: readable in a recording, about 30 bytes.
    use super::Placement;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    impl Serialize for Placement {
        fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            s.collect_str(self)
        }
    }

    impl<'de> Deserialize<'de> for Placement {
        fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
            String::deserialize(d)?.parse().map_err(D::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    #[test]
    fn placements_round_trip_as_text() {
        for text in [START, "8/8/8/8/8/8/8/8", "7k/8/?=+-4/8/8/8/8/K7"] {
            let p: Placement = text.parse().unwrap();
            assert_eq!(p.to_string(), text);
            assert_eq!(p.rotated().rotated(), p);
        }
    }

    #[test]
    fn bad_placements_are_refused() {
        for bad in [
            "",
            "8",
            "8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8/8",
            "9/8/8/8/8/8/8/8",
            "x7/8/8/8/8/8/8/8",
            "44p/8/8/8/8/8/8/8",
        ] {
            assert_eq!(bad.parse::<Placement>(), Err(ParsePlacementError), "{bad}");
        }
    }

    #[test]
    fn a_turned_start_position_has_the_kings_on_d() {
        let p: Placement = START.parse().unwrap();
        assert_eq!(p.rotated().to_string(), "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr");
    }
}
