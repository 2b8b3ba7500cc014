// SPDX-License-Identifier: MIT OR Apache-2.0
//! On which side of White the cable leaves: the board's numbers are fixed to its hardware.

use arbiterd_board::Square;

/// The side of White's on which the cable leaves the board (topic: squares).
///
/// Everything in this crate speaks of hardware squares, which are those of [`Cable::Left`]; the
/// other side is here for whoever looks at one board with its own eyes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Cable {
    #[default]
    Left,
    Right,
}

impl Cable {
    /// The players' square that a status tells at this place, counted from 0 after its letter.
    #[must_use]
    pub const fn square(self, place: u8) -> Option<Square> {
        let place = match self {
            Self::Left => place,
            Self::Right if place < 64 => 63 - place,
            Self::Right => return None,
        };
        match 7u8.checked_sub(place / 8) {
            Some(rank) => Square::from_coords(place % 8, rank),
            None => None,
        }
    }

    /// The place at which a status tells this square of the players.
    #[must_use]
    pub const fn place(self, square: Square) -> u8 {
        let place = (7 - square.rank()) * 8 + square.file();
        match self {
            Self::Left => place,
            Self::Right => 63 - place,
        }
    }

    /// The lights at the four corners of a square, counted from 0. Statuses go row by row and
    /// lights column by column (topic: lights).
    #[must_use]
    pub const fn corners(self, square: Square) -> [usize; 4] {
        let (column, row) = match self {
            Self::Left => (square.file(), 7 - square.rank()),
            Self::Right => (7 - square.file(), square.rank()),
        };
        let first = 9 * column as usize + row as usize;
        [first, first + 1, first + 9, first + 10]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sq(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn places_are_those_of_the_description() {
        for (place, left, right) in [(0, "a8", "h1"), (7, "h8", "a1"), (56, "a1", "h8"), (63, "h1", "a8")] {
            assert_eq!(Cable::Left.square(place), Some(sq(left)));
            assert_eq!(Cable::Right.square(place), Some(sq(right)));
        }
        // e2 and e4 in the vectors of both orientations.
        assert_eq!([sq("e2"), sq("e4")].map(|s| Cable::Left.place(s)), [52, 36]);
        assert_eq!([sq("e2"), sq("e4")].map(|s| Cable::Right.place(s)), [11, 27]);
        assert_eq!([Cable::Left, Cable::Right].map(|c| c.square(64)), [None, None]);
        assert_eq!([Cable::Left, Cable::Right].map(|c| c.square(255)), [None, None]);
    }

    #[test]
    fn places_and_lights_are_mirrored_when_the_board_is_turned() {
        for square in Square::all() {
            for cable in [Cable::Left, Cable::Right] {
                assert_eq!(cable.square(cable.place(square)), Some(square));
            }
            assert_eq!(Cable::Left.place(square), 63 - Cable::Right.place(square));
            let mut turned = Cable::Right.corners(square).map(|light| 80 - light);
            turned.reverse();
            assert_eq!(Cable::Left.corners(square), turned);
            assert_eq!(Cable::Left.corners(square.rotated()), Cable::Right.corners(square));
        }
    }

    #[test]
    fn the_lights_at_the_edges_are_those_of_the_description() {
        // LED 1 is the outer corner of a8, LED 9 of a1, LED 73 of h8, LED 81 of h1.
        for (square, led) in [("a8", 1), ("a1", 9), ("h8", 73), ("h1", 81)] {
            assert!(Cable::Left.corners(sq(square)).contains(&(led - 1)), "{square}");
        }
        let leds = |cable: Cable, name| cable.corners(sq(name)).map(|light| light + 1);
        assert_eq!(leds(Cable::Left, "e2"), [43, 44, 52, 53]);
        assert_eq!(leds(Cable::Left, "e4"), [41, 42, 50, 51]);
        assert_eq!(leds(Cable::Right, "e2"), [29, 30, 38, 39]);
        assert_eq!(leds(Cable::Right, "e4"), [31, 32, 40, 41]);
    }
}
