// SPDX-License-Identifier: MIT OR Apache-2.0
//! The 81 lights, one at each corner of a square (topic: lights).

use core::time::Duration;

use arbiterd_board::Square;

use super::Cable;

/// How many lights a board has: nine columns of nine.
pub const LIGHTS: usize = 81;

/// The unit in which the time of a slot is told.
pub const SLOT_UNIT: Duration = Duration::from_micros(4096);

/// What a light does in eight slots, its highest bit first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pattern(pub u8);

impl Pattern {
    /// Always off.
    pub const OFF: Self = Self(0x00);
    /// Always on.
    pub const STEADY: Self = Self(0xff);
    /// Two slots on, two off.
    pub const FIRST_PHASE: Self = Self(0xcc);
    /// The same, on while the other is off.
    pub const SECOND_PHASE: Self = Self(0x33);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What all lights do. A command sets all of them; there is none for a single one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lights {
    slot: u8,
    patterns: [Pattern; LIGHTS],
}

impl Lights {
    /// 205 ms, seen in the maker's sample.
    const STEADY_SLOT: u8 = 0x32;
    /// 139 ms: the pattern repeats after 1.1 s.
    const BLINKING_SLOT: u8 = 0x22;

    /// All lights with the time of a slot, in units of [`SLOT_UNIT`]. Zero is not defined and
    /// becomes one.
    #[must_use]
    pub const fn new(slot: u8, patterns: [Pattern; LIGHTS]) -> Self {
        Self { slot: if slot == 0 { 1 } else { slot }, patterns }
    }

    /// The corners of these squares.
    ///
    /// Corners are shared, so two squares of a line with one between light all corners of that one
    /// too. Squares that can be mistaken in that way blink in turns: two squares in one line, the
    /// first named first, and among more than two those with just one between. Other squares are
    /// steady. A light that belongs to squares of both turns is on in both.
    #[must_use]
    pub fn squares(squares: &[Square], cable: Cable) -> Self {
        let phases = Phases::of(squares);
        let mut patterns = [Pattern::OFF; LIGHTS];
        for (number, square) in squares.iter().enumerate() {
            let pattern = phases.pattern(number, *square);
            for corner in cable.corners(*square) {
                if let Some(light) = patterns.get_mut(corner) {
                    *light = light.and(pattern);
                }
            }
        }
        let slot = if phases == Phases::Steady { Self::STEADY_SLOT } else { Self::BLINKING_SLOT };
        Self { slot, patterns }
    }

    /// Whether no light is on.
    #[must_use]
    pub fn are_dark(&self) -> bool {
        self.patterns.iter().all(|pattern| *pattern == Pattern::OFF)
    }

    /// The time of a slot, in units of [`SLOT_UNIT`].
    #[must_use]
    pub const fn slot(&self) -> u8 {
        self.slot
    }

    /// What each light does, in the board's order.
    #[must_use]
    pub const fn patterns(&self) -> &[Pattern; LIGHTS] {
        &self.patterns
    }

    /// The same picture on a board that is turned round.
    #[must_use]
    pub fn turned(&self) -> Self {
        let mut patterns = self.patterns;
        patterns.reverse();
        Self { slot: self.slot, patterns }
    }
}

/// Who blinks when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phases {
    Steady,
    /// By the order in which they were named.
    Named,
    /// By where they are, so that two with one between them never blink together.
    Placed,
}

impl Phases {
    fn of(squares: &[Square]) -> Self {
        match squares {
            [a, b] if a != b && (a.file() == b.file() || a.rank() == b.rank()) => Self::Named,
            [_, _] => Self::Steady,
            many if many.iter().any(|a| many.iter().any(|b| one_between(*a, *b))) => Self::Placed,
            _ => Self::Steady,
        }
    }

    const fn pattern(self, number: usize, square: Square) -> Pattern {
        let first = match self {
            Self::Steady => return Pattern::STEADY,
            Self::Named => number == 0,
            Self::Placed => (square.file() / 2 + square.rank() / 2).is_multiple_of(2),
        };
        if first { Pattern::FIRST_PHASE } else { Pattern::SECOND_PHASE }
    }
}

const fn one_between(a: Square, b: Square) -> bool {
    let (files, ranks) = (a.file().abs_diff(b.file()), a.rank().abs_diff(b.rank()));
    matches!((files, ranks), (0, 2) | (2, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(names: &[&str]) -> Vec<Square> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn lit(names: &[&str]) -> Lights {
        Lights::squares(&squares(names), Cable::Left)
    }

    fn at(lights: &Lights, name: &str) -> [u8; 4] {
        Cable::Left.corners(name.parse().unwrap()).map(|c| lights.patterns()[c].0)
    }

    #[test]
    fn squares_that_cannot_be_mistaken_are_steady() {
        for names in [&["e4"][..], &["e2", "f4"], &["a1", "b3", "c5"], &["e4", "e4"]] {
            let lights = lit(names);
            assert_eq!(lights.slot(), 0x32);
            assert!(names.iter().all(|name| at(&lights, name) == [0xff; 4]), "{names:?}");
        }
    }

    #[test]
    fn two_squares_in_one_line_blink_in_turns() {
        for [first, second] in [["e2", "e4"], ["a1", "h1"], ["d4", "b4"]] {
            let lights = lit(&[first, second]);
            assert_eq!(lights.slot(), 0x22);
            assert_eq!(at(&lights, first), [0xcc; 4]);
            assert_eq!(at(&lights, second), [0x33; 4]);
        }
    }

    #[test]
    fn a_light_of_two_neighbours_is_always_on() {
        let lights = lit(&["e4", "e5"]);
        let mut between = at(&lights, "e4");
        between.sort_unstable();
        assert_eq!(between, [0xcc, 0xcc, 0xff, 0xff]);
    }

    #[test]
    fn of_many_squares_none_is_mistaken_for_the_one_between() {
        let all: Vec<Square> = Square::all().collect();
        for a in &all {
            for b in all.iter().filter(|b| one_between(*a, **b)) {
                // A third far from both, so that they are many.
                let third =
                    all.iter().find(|c| c.file().abs_diff(a.file()) > 2 && c.file().abs_diff(b.file()) > 2);
                let lights = Lights::squares(&[*a, *b, *third.unwrap()], Cable::Left);
                let pattern = |s: Square| lights.patterns()[Cable::Left.corners(s)[0]].0;
                assert_eq!(pattern(*a) ^ pattern(*b), 0xff, "{a} {b}");
            }
        }
    }

    #[test]
    fn a_turned_board_shows_the_mirrored_picture() {
        let named = squares(&["e2", "e4", "a8"]);
        let left = Lights::squares(&named, Cable::Left);
        assert_eq!(left.turned(), Lights::squares(&named, Cable::Right));
        for light in 0..LIGHTS {
            assert_eq!(left.patterns()[light], left.turned().patterns()[80 - light]);
        }
        assert_eq!(left.turned().turned(), left);
    }

    #[test]
    fn no_square_is_dark_and_a_slot_is_never_zero() {
        assert!(lit(&[]).are_dark());
        assert!(!lit(&["h1"]).are_dark());
        assert_eq!(Lights::new(0, [Pattern::OFF; LIGHTS]).slot(), 1);
    }
}
