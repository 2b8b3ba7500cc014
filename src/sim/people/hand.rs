// SPDX-License-Identifier: GPL-3.0-or-later
//! A hand over time: acts with their moments, and what stands on the board after them.

use std::time::Duration;

use arbiterd_board::simulator::Chance;
use arbiterd_board::{ClockSide, Colour, Mono, Occupant, Piece, Placement, Role, Square};

use super::habits::{Habits, Span, Tempo};
use crate::sim::{Act, Move, RookMove};

/// An act and its moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timed {
    /// When.
    pub at: Mono,
    /// What, in the players' squares.
    pub act: Act,
}

/// The hands at one board.
pub struct Hand<'a> {
    pub(super) chance: &'a mut Chance,
    pub(super) habits: &'a Habits,
    pub(super) tempo: Tempo,
    pub(super) now: Mono,
    pub(super) board: Placement,
    /// When a piece was last taken up.
    pub(super) lifted: Mono,
    done: Vec<Timed>,
}

const BRUSH: Span = Span(40, 190);
const TREMBLE: Span = Span(20, 150);

impl<'a> Hand<'a> {
    /// Hands at a board on which `board` stands.
    pub fn new(
        chance: &'a mut Chance,
        habits: &'a Habits,
        tempo: Tempo,
        board: Placement,
        now: Mono,
    ) -> Self {
        Self { chance, habits, tempo, now, board, lifted: now, done: Vec::new() }
    }

    /// What was done, in the order of time.
    pub fn done(mut self) -> Vec<Timed> {
        // Stable: acts of one moment stay in the order in which they were done.
        self.done.sort_by_key(|timed| timed.at);
        self.done
    }

    pub(super) fn pause(&mut self, span: Span) {
        let by = span.pick(self.chance);
        self.now = self.now.after(by);
    }

    /// From one act to the next of the same hand.
    pub(super) fn carry_on(&mut self) {
        self.pause(self.tempo.carry());
    }

    pub(super) fn lift(&mut self, square: Square) {
        self.board[square] = Occupant::Empty;
        self.lifted = self.now;
        self.done.push(Timed { at: self.now, act: Act::Lift(square) });
    }

    pub(super) fn place(&mut self, square: Square, piece: Piece) {
        self.board[square] = Occupant::Piece(piece);
        self.done.push(Timed { at: self.now, act: Act::Place(square, piece) });
    }

    /// Presses at a moment that need not be now. White sits on the left.
    pub(super) fn press_at(&mut self, by: Colour, at: Mono) {
        let side = if by == Colour::White { ClockSide::Left } else { ClockSide::Right };
        self.done.push(Timed { at, act: Act::Press(side) });
    }

    /// Does something with the clock.
    pub(super) fn handle_clock(&mut self, act: Act) {
        self.done.push(Timed { at: self.now, act });
    }

    /// Makes the move, with everything that these people do on the way, and leaves the clock alone.
    pub fn make(&mut self, m: &Move) {
        self.fidget(m);
        match (m.rook, m.captured) {
            (Some(rook), _) => self.castle(m, rook),
            (None, Some(victim)) => self.capture(m, victim),
            (None, None) => self.carry(m),
        }
        if self.chance.percent(self.habits.between) {
            self.stand_between(m.to);
        }
    }

    /// The move in the usual order and with nothing else.
    pub(super) fn make_plainly(&mut self, m: &Move) {
        for act in m.acts() {
            match act {
                Act::Lift(square) => self.lift(square),
                Act::Place(square, piece) => self.place(square, piece),
                _ => {}
            }
            self.carry_on();
        }
    }

    fn carry(&mut self, m: &Move) {
        let moved = self.board[m.from].piece().unwrap_or(m.piece);
        self.lift(m.from);
        self.travel(m, moved);
        self.set_down(m, moved);
    }

    fn capture(&mut self, m: &Move, victim: Square) {
        let moved = self.board[m.from].piece().unwrap_or(m.piece);
        let Habits { pushed_in, mover_first, at_once, .. } = *self.habits;
        let choice = self.chance.below(100);
        let [pushed, first, once] = [pushed_in, mover_first, at_once].map(u64::from);
        if choice < pushed {
            self.lift(m.from);
            self.travel(m, moved);
            self.set_down(m, moved);
            if victim != m.to {
                self.carry_on();
                self.lift(victim);
            }
        } else if choice < pushed + first {
            self.lift(m.from);
            self.carry_on();
            self.lift(victim);
            self.carry_on();
            self.set_down(m, moved);
        } else {
            self.lift(victim);
            if choice >= pushed + first + once {
                self.carry_on();
            }
            self.lift(m.from);
            self.travel(m, moved);
            self.set_down(m, moved);
        }
    }

    fn castle(&mut self, m: &Move, rook: RookMove) {
        let rook_piece = Piece { colour: m.piece.colour, role: Role::Rook };
        let king = (m.from, m.to, m.piece);
        let rook = (rook.from, rook.to, rook_piece);
        let rook_first = self.chance.percent(self.habits.rook_first);
        let (first, second) = if rook_first { (rook, king) } else { (king, rook) };
        // In Chess960 one of them may stay where it is, and one stand where the other goes.
        if first.0 == first.1 || second.0 == second.1 {
            let only = if first.0 == first.1 { second } else { first };
            self.lift(only.0);
            self.carry_on();
            self.place(only.1, only.2);
            return;
        }
        self.lift(first.0);
        self.carry_on();
        if first.1 == second.0 || self.chance.percent(self.habits.both_up) {
            self.lift(second.0);
            self.carry_on();
            let crossed = self.chance.percent(50);
            let (before, after) = if crossed { (second, first) } else { (first, second) };
            self.place(before.1, before.2);
            self.carry_on();
            self.place(after.1, after.2);
            return;
        }
        self.place(first.1, first.2);
        // The rook is not always taken up at once.
        let rest =
            if self.chance.percent(self.habits.slides) { self.habits.rest } else { self.tempo.carry() };
        self.pause(rest);
        self.lift(second.0);
        self.carry_on();
        self.place(second.1, second.2);
    }

    /// On the way from one square to the other.
    fn travel(&mut self, m: &Move, moved: Piece) {
        if self.chance.percent(self.habits.slides) {
            for square in between(m.from, m.to) {
                if self.board[square] != Occupant::Empty || !self.chance.percent(60) {
                    continue;
                }
                self.pause(TREMBLE);
                self.place(square, moved);
                self.pause(self.habits.rest);
                self.lift(square);
            }
        }
        self.carry_on();
        if self.chance.percent(self.habits.drops)
            && let Some(beside) = self.empty_beside(m.to)
        {
            self.place(beside, moved);
            self.pause(self.habits.rest);
            self.lift(beside);
            self.carry_on();
        }
    }

    /// Releases the piece; a promoted pawn becomes what it becomes in one of three ways.
    fn set_down(&mut self, m: &Move, moved: Piece) {
        let promotes = moved.role == Role::Pawn && m.piece.role != Role::Pawn;
        if promotes && self.chance.percent(self.habits.pawn_first) {
            self.place(m.to, moved);
            self.carry_on();
            if self.chance.percent(60) {
                self.lift(m.to);
                self.carry_on();
            }
        } else if promotes && self.chance.percent(self.habits.late_queen) {
            self.pause(Span(1000, 5000));
        }
        self.place(m.to, m.piece);
    }

    /// What may come before a move.
    fn fidget(&mut self, m: &Move) {
        if self.chance.percent(self.habits.adjusts) {
            self.adjust(m);
        }
        if self.chance.percent(self.habits.brushes)
            && let Some(square) = self.occupied_beside(m.from, m)
        {
            self.away_and_back(square, BRUSH);
        }
        if self.chance.percent(self.habits.hovers) {
            self.away_and_back(m.from, Span(300, 3000));
            self.carry_on();
        }
    }

    /// Straightens another piece of the mover, which is said aloud (4.2.1).
    fn adjust(&mut self, m: &Move) {
        let own = |square: &Square| self.board[*square].piece().is_some_and(|p| p.colour == m.piece.colour);
        let others: Vec<Square> = Square::all().filter(|s| *s != m.from && own(s)).collect();
        if let Some(square) = self.one_of(&others) {
            self.away_and_back(square, Span(300, 1200));
            self.carry_on();
        }
    }

    pub(super) fn away_and_back(&mut self, square: Square, span: Span) {
        let Some(piece) = self.board[square].piece() else { return };
        self.lift(square);
        self.pause(span);
        self.place(square, piece);
        self.pause(TREMBLE);
    }

    /// The piece stands on the edge of its square: it and the one beside read to and fro.
    fn stand_between(&mut self, square: Square) {
        let (Some(piece), Some(beside)) = (self.board[square].piece(), self.empty_beside(square)) else {
            return;
        };
        for _ in 0..=self.chance.below(3) {
            self.pause(TREMBLE);
            self.lift(square);
            self.place(beside, piece);
            self.pause(TREMBLE);
            self.lift(beside);
            self.place(square, piece);
        }
    }

    pub(super) fn empty_beside(&mut self, square: Square) -> Option<Square> {
        let empty: Vec<Square> = beside(square).filter(|s| self.board[*s] == Occupant::Empty).collect();
        self.one_of(&empty)
    }

    /// A piece beside a square that has no part in the move.
    fn occupied_beside(&mut self, square: Square, m: &Move) -> Option<Square> {
        let idle = |s: &Square| {
            let rook = m.rook.is_some_and(|r| r.from == *s || r.to == *s);
            *s != m.from && *s != m.to && m.captured != Some(*s) && !rook
        };
        let occupied: Vec<Square> =
            beside(square).filter(|s| idle(s) && self.board[*s] != Occupant::Empty).collect();
        self.one_of(&occupied)
    }

    pub(super) fn one_of<T: Copy>(&mut self, things: &[T]) -> Option<T> {
        let count = u64::try_from(things.len()).unwrap_or(u64::MAX);
        let index = usize::try_from(self.chance.below(count)).ok()?;
        things.get(index).copied()
    }

    pub(super) fn moment(&mut self, span: Span) -> Duration {
        span.pick(self.chance)
    }
}

/// The up to eight squares around one.
pub(super) fn beside(square: Square) -> impl Iterator<Item = Square> {
    Square::all().filter(move |s| *s != square && distance(*s, square) == 1)
}

/// How many steps of a king lie between two squares.
pub(super) fn distance(a: Square, b: Square) -> u8 {
    a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank()))
}

/// The squares between two on a line, in the order of the way; none for a knight's move.
fn between(from: Square, to: Square) -> Vec<Square> {
    let (files, ranks) = (from.file().abs_diff(to.file()), from.rank().abs_diff(to.rank()));
    if files != 0 && ranks != 0 && files != ranks {
        return Vec::new();
    }
    let step = |a: u8, b: u8, n: u8| match a.cmp(&b) {
        std::cmp::Ordering::Less => a + n,
        std::cmp::Ordering::Equal => a,
        std::cmp::Ordering::Greater => a - n,
    };
    (1..files.max(ranks))
        .filter_map(|n| Square::from_coords(step(from.file(), to.file(), n), step(from.rank(), to.rank(), n)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    fn way(from: &str, to: &str) -> Vec<String> {
        between(square(from), square(to)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_way_of_a_piece() {
        assert_eq!(way("a1", "d4"), ["b2", "c3"]);
        assert_eq!(way("h7", "h5"), ["h6"]);
        assert_eq!(way("g1", "f3"), [""; 0]);
        assert_eq!(way("e1", "e2"), [""; 0]);
    }

    #[test]
    fn whatever_hands_do_on_the_way_the_move_stands_in_the_end() {
        let board: Placement = "4k3/1P6/8/3pP3/8/8/8/R3K2R".parse().unwrap();
        let piece = |letter| Piece::from_letter(letter).unwrap();
        let castles = Move {
            rook: Some(RookMove { from: square("h1"), to: square("f1") }),
            ..Move::quiet(piece('K'), square("e1"), square("g1"))
        };
        let passing =
            Move { captured: Some(square("d5")), ..Move::quiet(piece('P'), square("e5"), square("d6")) };
        let promotes = Move::quiet(piece('Q'), square("b7"), square("b8"));
        // The king goes where the rook stands, the rook where the king stood.
        let swap = Move {
            rook: Some(RookMove { from: square("h1"), to: square("e1") }),
            ..Move::quiet(piece('K'), square("e1"), square("h1"))
        };
        // The rook goes round a king that stays.
        let stays = Move {
            rook: Some(RookMove { from: square("h1"), to: square("d1") }),
            ..Move::quiet(piece('K'), square("e1"), square("e1"))
        };
        let ends = [
            (swap, "4k3/1P6/8/3pP3/8/8/8/R3R2K"),
            (stays, "4k3/1P6/8/3pP3/8/8/8/R2RK3"),
            (castles, "4k3/1P6/8/3pP3/8/8/8/R4RK1"),
            (passing, "4k3/1P6/3P4/8/8/8/8/R3K2R"),
            (promotes, "1Q2k3/8/8/3pP3/8/8/8/R3K2R"),
        ];
        for seed in 0..300 {
            for (m, end) in &ends {
                let mut chance = Chance::new(seed);
                let habits = Habits::everyday();
                let mut hand = Hand::new(&mut chance, &habits, Tempo::Rapid, board, Mono::ZERO);
                hand.make(m);
                assert_eq!(hand.board, end.parse().unwrap(), "seed {seed}, {m:?}");
            }
        }
    }
}
