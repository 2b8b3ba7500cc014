// SPDX-License-Identifier: GPL-3.0-or-later
//! How people handle pieces and clocks, and how well a board sees it: every knob, with its mix.

use std::time::Duration;

use arbiterd_board::simulator::Chance;

/// A time between two bounds, in milliseconds; each of them is as likely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span(pub u64, pub u64);

impl Span {
    /// A time within it.
    pub fn pick(self, chance: &mut Chance) -> Duration {
        Duration::from_millis(self.0 + chance.below(self.1.saturating_sub(self.0) + 1))
    }
}

/// How much time the game has, and with that how fast hands are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tempo {
    /// An hour and more.
    Standard,
    /// More than ten minutes, less than an hour.
    Rapid,
    /// Ten minutes or less.
    Blitz,
}

impl Tempo {
    /// Each as often as the others.
    pub fn pick(chance: &mut Chance) -> Self {
        match chance.below(3) {
            0 => Self::Standard,
            1 => Self::Rapid,
            _ => Self::Blitz,
        }
    }

    /// The rulebook under which such a game is played here.
    pub const fn rulebook(self) -> &'static str {
        match self {
            Self::Standard => "fide-2023-standard",
            Self::Rapid => "fide-2023-rapid",
            Self::Blitz => "fide-2023-blitz",
        }
    }

    /// From the press to the next touch.
    pub const fn think(self) -> Span {
        match self {
            Self::Standard => Span(2000, 40_000),
            Self::Rapid => Span(1200, 15_000),
            Self::Blitz => Span(600, 5000),
        }
    }

    /// From one act of a hand to the next.
    pub const fn carry(self) -> Span {
        match self {
            Self::Standard => Span(250, 1500),
            Self::Rapid => Span(180, 900),
            Self::Blitz => Span(100, 450),
        }
    }

    /// From the released piece to the press.
    pub const fn press(self) -> Span {
        match self {
            Self::Standard => Span(200, 2500),
            Self::Rapid => Span(150, 1200),
            Self::Blitz => Span(80, 500),
        }
    }

    /// What a press adds.
    pub const fn increment(self) -> Duration {
        Duration::from_secs(match self {
            Self::Standard => 30,
            Self::Rapid => 10,
            Self::Blitz => 2,
        })
    }
}

/// Shares in percent: of all moves, or of those of which it says so.
#[derive(Clone, Debug)]
pub struct Habits {
    /// The piece is slid and rests on squares between (everyday: 10).
    pub slides: u8,
    /// How long it rests there (50 to 2,000 ms).
    pub rest: Span,
    /// The piece is lifted, put back, and lifted again (4).
    pub hovers: u8,
    /// Another own piece is straightened, and that is said aloud (2): no claim comes of it.
    pub adjusts: u8,
    /// A piece beside the way leaves its square for 40 to 190 ms (4).
    pub brushes: u8,
    /// The piece stands between two squares before it is pushed right: both read to and fro (3).
    pub between: u8,
    /// The piece falls out of the hand and stands beside its square for a moment (1).
    pub drops: u8,
    /// Of captures: the mover is lifted before the victim (25).
    pub mover_first: u8,
    /// Of captures: both are lifted at the same moment (10).
    pub at_once: u8,
    /// Of captures: the mover is set down on, or before, the victim leaves (15).
    pub pushed_in: u8,
    /// Of castling: the hand takes the rook first, and nobody claims anything (10).
    pub rook_first: u8,
    /// Of castling: both are lifted before one is set down (25).
    pub both_up: u8,
    /// Of promotions: the pawn is set down and replaced (30).
    pub pawn_first: u8,
    /// Of promotions: the new piece is not at hand for 1 to 5 s (25).
    pub late_queen: u8,
    /// The clock is pressed by the other hand while the piece is in the air, up to 400 ms before it is
    /// released (2).
    pub press_early: u8,
    /// The clock is pressed when the opponent has begun to reply (4).
    pub press_with_reply: u8,
    /// The clock is pressed after the opponent's reply and before his press (2).
    pub press_after_reply: u8,
    /// The clock is not pressed at all (1).
    pub press_forgotten: u8,
    /// The board.
    pub senses: SenseHabits,
}

/// What boards and clocks are like. Each game has one of each, from these ranges.
#[derive(Clone, Debug)]
pub struct SenseHabits {
    /// From one scan to the next (0 to 500 ms); what changes and changes back between is not seen.
    pub scan: Span,
    /// From a scan to its report (5 to 60 ms).
    pub wire: Span,
    /// Of scans with something new: it is left out, and the next is not (5).
    pub skipped: u8,
    /// Whether the squares of one scan come in any order, or from a1 to h8.
    pub shuffled: bool,
    /// Of games: the board tells of each square when its scan comes to it, in the order of the squares, so that what
    /// is told later may have happened before (30).
    pub sweeping: u8,
    /// Of scans with something new: one occupied square reads empty for that scan (1).
    pub blips: u8,
    /// From one reading of the clock to the next (100 to 600 ms).
    pub readings: Span,
    /// How old what a reading shows is (0 to 400 ms): with the above the clock lags by up to a second.
    pub age: Span,
    /// Of games: the board stands turned round (20).
    pub turned: u8,
}

impl Habits {
    /// Careful people at a fast board: nothing may go wrong here.
    pub const fn clean() -> Self {
        Self {
            slides: 0,
            rest: Span(50, 2000),
            hovers: 0,
            adjusts: 0,
            brushes: 0,
            between: 0,
            drops: 0,
            mover_first: 0,
            at_once: 0,
            pushed_in: 0,
            rook_first: 0,
            both_up: 0,
            pawn_first: 0,
            late_queen: 0,
            press_early: 0,
            press_with_reply: 0,
            press_after_reply: 0,
            press_forgotten: 0,
            senses: SenseHabits {
                scan: Span(60, 100),
                wire: Span(5, 20),
                skipped: 0,
                shuffled: false,
                sweeping: 0,
                blips: 0,
                readings: Span(100, 300),
                age: Span(0, 100),
                turned: 0,
            },
        }
    }

    /// People as they are, at boards as they are sold.
    pub const fn everyday() -> Self {
        Self {
            slides: 10,
            rest: Span(50, 2000),
            hovers: 4,
            adjusts: 2,
            brushes: 4,
            between: 3,
            drops: 1,
            mover_first: 25,
            at_once: 10,
            pushed_in: 15,
            rook_first: 10,
            both_up: 25,
            pawn_first: 30,
            late_queen: 25,
            press_early: 2,
            press_with_reply: 4,
            press_after_reply: 2,
            press_forgotten: 1,
            senses: SenseHabits {
                scan: Span(0, 500),
                wire: Span(5, 60),
                skipped: 5,
                shuffled: true,
                sweeping: 30,
                blips: 1,
                readings: Span(100, 600),
                age: Span(0, 400),
                turned: 20,
            },
        }
    }
}
