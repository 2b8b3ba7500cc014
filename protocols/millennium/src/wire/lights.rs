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
    /// Two slots of eight each, no two at once.
    const QUARTERS: [Self; 4] = [Self(0xc0), Self(0x30), Self(0x0c), Self(0x03)];

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
    /// Corners are shared, so squares can light all corners of one that is not asked for: two in one
    /// line with one between, or three or four around it. Squares that could be mistaken in that way
    /// blink in turns, so that at no moment all corners of any other square are on: two squares of one
    /// line, the first named first; more in two turns if that is enough, else in four, which always
    /// are. Other squares are steady. A light of squares of several turns is on in all of them.
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

    /// The squares all of whose corners are on at one moment: those that somebody sees.
    #[must_use]
    pub fn seen(&self, cable: Cable) -> Vec<Square> {
        let together = |square| {
            cable.corners(square).iter().fold(Pattern::STEADY.0, |together, corner| {
                together & self.patterns.get(*corner).map_or(0, |pattern| pattern.0)
            })
        };
        Square::all().filter(|square| together(*square) != 0).collect()
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
    /// In two turns, by the block of two by two squares in which they are: as on a chess board.
    Chequered,
    /// The same, two files after two files.
    Files,
    /// The same, two ranks after two ranks.
    Ranks,
    /// In four turns, by their block.
    ///
    /// Around a square at most four blocks meet, each with a turn of its own. That of the square itself
    /// reaches three of its corners without it, another at most two. So no turn lights all four.
    Blocks,
}

impl Phases {
    fn of(squares: &[Square]) -> Self {
        match squares {
            [a, b] if a != b && (a.file() == b.file() || a.rank() == b.rank()) => Self::Named,
            _ => [Self::Steady, Self::Chequered, Self::Files, Self::Ranks]
                .into_iter()
                .find(|phases| phases.light_nothing_else(squares))
                .unwrap_or(Self::Blocks),
        }
    }

    /// Whether no turn lights all corners of a square that was not asked for.
    fn light_nothing_else(self, squares: &[Square]) -> bool {
        let mut lit: [u128; 2] = [0; 2];
        for (number, square) in squares.iter().enumerate() {
            let second = self.pattern(number, *square) == Pattern::SECOND_PHASE;
            lit[usize::from(second)] |= corners(*square);
        }
        Square::all()
            .filter(|square| !squares.contains(square))
            .all(|square| lit.iter().all(|lit| lit & corners(square) != corners(square)))
    }

    fn pattern(self, number: usize, square: Square) -> Pattern {
        let (file, rank) = (square.file() / 2 % 2, square.rank() / 2 % 2);
        let first = match self {
            Self::Steady => return Pattern::STEADY,
            Self::Blocks => return Pattern::QUARTERS[usize::from(2 * rank + file)],
            Self::Named => number == 0,
            Self::Chequered => file == rank,
            Self::Files => file == 0,
            Self::Ranks => rank == 0,
        };
        if first { Pattern::FIRST_PHASE } else { Pattern::SECOND_PHASE }
    }
}

/// The corners of a square, a bit for each; which way round does not matter here.
fn corners(square: Square) -> u128 {
    Cable::Left.corners(square).iter().fold(0, |all, corner| all | (1 << corner))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn one_between(a: Square, b: Square) -> bool {
        let (files, ranks) = (a.file().abs_diff(b.file()), a.rank().abs_diff(b.rank()));
        matches!((files, ranks), (0, 2) | (2, 0))
    }

    /// Squares of which all corners are on together in some slot, and in how many.
    fn seen(lights: &Lights) -> Vec<(Square, u32)> {
        let together = |square| {
            let corners = Cable::Left.corners(square).map(|corner| lights.patterns()[corner].0);
            corners.iter().fold(0xff, |together, pattern| together & pattern)
        };
        Square::all().map(|s| (s, u8::count_ones(together(s)))).filter(|(_, slots)| *slots > 0).collect()
    }

    /// That only these squares are seen, each in a quarter of all slots at least.
    fn only_these_are_seen(asked: &[Square]) {
        let seen = seen(&Lights::squares(asked, Cable::Left));
        let mut expected = asked.to_vec();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(seen.iter().map(|(square, _)| *square).collect::<Vec<_>>(), expected, "{asked:?}");
        assert!(seen.iter().all(|(_, slots)| *slots >= 2), "{asked:?}: {seen:?}");
    }

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
    fn of_up_to_three_squares_exactly_these_are_seen() {
        let all: Vec<Square> = Square::all().collect();
        for a in &all {
            only_these_are_seen(&[*a]);
            for b in &all {
                only_these_are_seen(&[*a, *b]);
                for c in all.iter().filter(|c| a < b && b < *c) {
                    only_these_are_seen(&[*a, *b, *c]);
                }
            }
        }
    }

    #[test]
    fn three_and_four_squares_around_one_blink_in_turns() {
        // Around d4: above and both below at its sides; above, left, and below right; its diagonals.
        for names in [&["d5", "c3", "e3"][..], &["d5", "c4", "e3"], &["c3", "c5", "e3", "e5"]] {
            let lights = lit(names);
            assert_eq!(lights.slot(), 0x22, "{names:?}");
            assert!(!seen(&lights).iter().any(|(square, _)| square.to_string() == "d4"), "{names:?}");
        }
    }

    proptest! {
        #[test]
        fn of_any_squares_exactly_these_are_seen(
            numbers in prop_oneof![
                prop::collection::vec(0u8..64, 0..9),
                prop::collection::vec(0u8..64, 9..200),
                // Close together.
                prop::collection::vec((0u8..5, 0u8..5).prop_map(|(file, rank)| file + 8 * rank), 0..25),
            ],
        ) {
            let asked: Vec<Square> = numbers.into_iter().filter_map(Square::new).collect();
            only_these_are_seen(&asked);
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
