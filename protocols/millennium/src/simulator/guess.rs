// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board that only knows which squares are occupied takes for pieces (topic: eONE).
//!
//! How the real one guesses is not described, only that it follows the pieces from the initial
//! position and may go wrong. This one believes that what was lifted last is set down first, never
//! notices a promotion or a replacement, and begins anew at the occupancy of the initial position.
//!
//! Of its options it is described that they are there, not what they do. Both are imitated in the way
//! that would harm a host most, and neither was ever seen:
//!
//! * turning itself round (bit 2): White moves first, so if the first piece that leaves the initial
//!   position is one of those it takes for Black's, it takes the board for turned round;
//! * rules of chess (bit 5): a piece that stands where its kind cannot go is told where it came from,
//!   as if it had never left, and the lights of an error are on (bit 1). Only ways of pieces over an
//!   empty board are looked at, neither turn nor check.

use arbiterd_board::{Colour, Occupant, Placement, Role, Square};

use super::Letters;
use crate::wire::{EOneOptions, status_letter};

/// The position in which every game begins, which the board takes for granted.
const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// What was lifted, and from where.
#[derive(Clone, Copy, Debug)]
struct Lifted {
    from: Square,
    piece: Occupant,
}

/// A piece that stands where the rules do not let it.
#[derive(Clone, Copy, Debug)]
struct Astray {
    lifted: Lifted,
    stands: Square,
}

/// What the board believes.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    believed: Placement,
    /// Lifted and not set down, the last at the end.
    in_hand: Vec<Lifted>,
    astray: Vec<Astray>,
    /// It takes White for where it took Black to be when it was switched on.
    turned: bool,
    /// Nothing has left the initial position yet.
    at_start: bool,
}

impl Guess {
    pub(super) const fn new() -> Self {
        Self {
            believed: Placement::EMPTY,
            in_hand: Vec::new(),
            astray: Vec::new(),
            turned: false,
            at_start: false,
        }
    }

    /// A scan sees these squares occupied: what it then takes for pieces, and its options.
    pub(super) fn look(&mut self, seen: &Letters, options: EOneOptions) -> (Letters, EOneOptions) {
        let occupied = |square: Square| seen.at(square) != b'.';
        let mut options = options;
        if Square::all().all(|square| occupied(square) == matches!(square.rank(), 0 | 1 | 6 | 7)) {
            *self = Self::initial(self.turned);
        } else if core::mem::take(&mut self.at_start) && options.turns_itself() && self.black_leaves(occupied)
        {
            *self = Self::initial(!self.turned);
            self.at_start = false;
            options = options.turned_round();
        }
        self.forgive(occupied, options);
        self.lift(occupied);
        self.set_down(occupied, options);
        (Letters::of(|square| self.letter(square)), options.with_error(!self.astray.is_empty()))
    }

    /// What is gone was all Black's.
    fn black_leaves(&self, occupied: impl Fn(Square) -> bool) -> bool {
        self.believed
            .occupied()
            .filter(|(square, _)| !occupied(*square))
            .all(|(_, gone)| gone.is_of(Colour::Black))
    }

    /// What stood astray was lifted, or rules do not matter any more.
    fn forgive(&mut self, occupied: impl Fn(Square) -> bool, options: EOneOptions) {
        let rules = options.applies_rules();
        let (stays, goes) = self.astray.iter().partition(|astray| rules && occupied(astray.stands));
        self.astray = stays;
        let goes: Vec<Astray> = goes;
        self.in_hand.extend(goes.iter().map(|astray| astray.lifted));
    }

    fn lift(&mut self, occupied: impl Fn(Square) -> bool) {
        for square in Square::all().filter(|square| !occupied(*square)) {
            match core::mem::take(&mut self.believed[square]) {
                Occupant::Empty => {}
                piece => self.in_hand.push(Lifted { from: square, piece }),
            }
        }
    }

    fn set_down(&mut self, occupied: impl Fn(Square) -> bool, options: EOneOptions) {
        for square in Square::all().filter(|square| occupied(*square)) {
            let known = self.believed[square] != Occupant::Empty;
            if known || self.astray.iter().any(|astray| astray.stands == square) {
                continue;
            }
            match self.in_hand.pop() {
                Some(lifted) if options.applies_rules() && !self.may_go(lifted, square) => {
                    self.astray.push(Astray { lifted, stands: square });
                }
                lifted => {
                    self.believed[square] = lifted.map_or(Occupant::Unidentified, |lifted| lifted.piece);
                }
            }
        }
    }

    /// Whether the way from where it was lifted is one of its kind.
    fn may_go(&self, lifted: Lifted, to: Square) -> bool {
        let Some(piece) = lifted.piece.piece() else { return true };
        let by = |from: u8, to: u8| i16::from(to) - i16::from(from);
        let (files, ranks) = (by(lifted.from.file(), to.file()), by(lifted.from.rank(), to.rank()));
        let forward = if (piece.colour == Colour::White) == self.turned { -ranks } else { ranks };
        let (across, along) = (files.abs(), ranks.abs());
        let (straight, diagonal) = (across == 0 || along == 0, across == along);
        match piece.role {
            _ if (across, along) == (0, 0) => true,
            Role::Pawn => matches!((across, forward), (0 | 1, 1) | (0, 2)),
            Role::Knight => matches!((across, along), (1, 2) | (2, 1)),
            Role::Bishop => diagonal,
            Role::Rook => straight,
            Role::Queen => straight || diagonal,
            // Two squares to a side is castling.
            Role::King => across.max(along) == 1 || (across, along) == (2, 0),
        }
    }

    fn letter(&self, square: Square) -> u8 {
        let stayed = self.astray.iter().find(|astray| astray.lifted.from == square);
        let hidden = match self.believed[square] {
            Occupant::Empty => stayed.map_or(Occupant::Empty, |astray| astray.lifted.piece),
            believed => believed,
        };
        status_letter(hidden)
    }

    fn initial(turned: bool) -> Self {
        // The text is that of a position.
        let initial: Placement = INITIAL.parse().unwrap_or(Placement::EMPTY);
        let believed = if turned { initial.rotated() } else { initial };
        Self { believed, turned, at_start: true, ..Self::new() }
    }
}
