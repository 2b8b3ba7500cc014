// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lights of the Revelation II. An ordinary board froze when it was sent one of these
//! (topic: host commands), so only a board that is known to have lights may hear them.

use arbiterd_board::Square;

use super::raw_square;

/// The byte that opens a command for the lights.
pub const LIGHTS_COMMAND: u8 = 0x60;

/// What the lights can be told.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lights {
    /// The lights of two squares, such as those of a move.
    On {
        /// One square.
        from: Square,
        /// The other; the same square lights one only.
        to: Square,
    },
    /// The lights of two squares go out.
    Off {
        /// One square.
        from: Square,
        /// The other.
        to: Square,
    },
    /// All lights go out (firmware above 3.21).
    AllOff,
    /// Whether a light goes out by itself when its square changes.
    AutoOff(bool),
    /// Whether the board finds out by itself that it was turned round.
    AutoTurn(bool),
}

const PATTERN_OFF: u8 = 0x00;
const PATTERN_ON: u8 = 0x01;
const PATTERN_CONFIGURE: u8 = 0x02;
/// Stands for every square in a pattern that switches off.
const ALL_SQUARES: u8 = 0x40;
const AUTO_OFF: u8 = 0x01;
const AUTO_TURN: u8 = 0x02;

impl Lights {
    /// The bytes: `60 04 pattern from to 00`.
    #[must_use]
    pub fn encode(&self) -> [u8; 6] {
        let (pattern, from, to) = match *self {
            Self::On { from, to } => (PATTERN_ON, raw_square(from), raw_square(to)),
            Self::Off { from, to } => (PATTERN_OFF, raw_square(from), raw_square(to)),
            Self::AllOff => (PATTERN_OFF, ALL_SQUARES, ALL_SQUARES),
            Self::AutoOff(on) => (PATTERN_CONFIGURE, AUTO_OFF, u8::from(on)),
            Self::AutoTurn(on) => (PATTERN_CONFIGURE, AUTO_TURN, u8::from(on)),
        };
        [LIGHTS_COMMAND, 0x04, pattern, from, to, 0x00]
    }

    /// Reads what follows the opening byte and the size, without the closing zero: pattern and
    /// two values.
    #[must_use]
    pub fn decode(body: [u8; 3]) -> Option<Self> {
        let on = |value: u8| match value {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        match body {
            [PATTERN_OFF, ALL_SQUARES, _] => Some(Self::AllOff),
            [PATTERN_OFF, from, to] => Some(Self::Off { from: super::square(from)?, to: super::square(to)? }),
            [PATTERN_ON, from, to] => Some(Self::On { from: super::square(from)?, to: super::square(to)? }),
            [PATTERN_CONFIGURE, AUTO_OFF, value] => on(value).map(Self::AutoOff),
            [PATTERN_CONFIGURE, AUTO_TURN, value] => on(value).map(Self::AutoTurn),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lights_are_read_as_they_are_written() {
        let [from, to] = ["e2", "e4"].map(|name| name.parse().unwrap());
        for lights in [
            Lights::On { from, to },
            Lights::Off { from, to },
            Lights::AllOff,
            Lights::AutoOff(true),
            Lights::AutoTurn(false),
        ] {
            let [_, _, pattern, a, b, _] = lights.encode();
            assert_eq!(Lights::decode([pattern, a, b]), Some(lights));
        }
        assert_eq!(Lights::decode([1, 0x40, 0]), None);
    }
}
