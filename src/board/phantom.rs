// SPDX-License-Identifier: GPL-3.0-or-later
//! Pieces that a board shows and that cannot be there: a second king, a ninth pawn, a third knight
//! that no promotion explains, or whatever else appears while all of its kind still stand.
//!
//! A slow scan tells of a piece's new square before its old one is empty, so such a piece is held
//! back at first: it comes into force when one of its kind leaves its square. What stays is a fault
//! of the board or a piece from outside, and no part of play.

use std::time::Duration;

use arbiterd_board::{Mono, Occupant, Piece, Placement, Role, Square, Stamp};

/// So long a piece that cannot be there may stay before a person is called. The slowest board that is
/// known tells within half of it that the piece has left another square.
const PATIENCE: Duration = Duration::from_secs(3);

/// A piece that was reported and is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phantom {
    /// Where it is shown, as the players see it.
    pub square: Square,
    /// Which.
    pub piece: Piece,
    /// When it appeared.
    pub at: Stamp,
    /// The fact that showed it.
    pub fact: u64,
    /// When that arrived.
    pub since: Mono,
}

/// What is held back.
#[derive(Clone, Debug, Default)]
pub struct Phantoms {
    held: Vec<Phantom>,
    /// Squares of those for which a person was called: they stayed too long to be half a move.
    called: Vec<Square>,
}

impl Phantoms {
    /// Whether nothing is.
    pub const fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Holds a piece back.
    pub fn hold(&mut self, phantom: Phantom) {
        self.held.push(phantom);
    }

    /// Something else was reported for this square: what was held there is gone.
    pub fn gone(&mut self, square: Square) {
        self.held.retain(|p| p.square != square);
        self.called.retain(|s| *s != square);
    }

    /// The same for every square on which `placement` does not show it.
    pub fn gone_from(&mut self, placement: &Placement) {
        let gone: Vec<Square> = self
            .held
            .iter()
            .filter(|p| placement[p.square] != Occupant::Piece(p.piece))
            .map(|p| p.square)
            .collect();
        gone.into_iter().for_each(|square| self.gone(square));
    }

    /// The squares.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        self.held.iter().map(|p| p.square)
    }

    /// All that a board shows: what is believed to stand there, and what is held back.
    pub fn with_all(&self, mut stands: Placement) -> Placement {
        for phantom in &self.held {
            stands[phantom.square] = Occupant::Piece(phantom.piece);
        }
        stands
    }

    /// Takes out everything that is held back.
    pub fn release(&mut self) -> Vec<Phantom> {
        self.called.clear();
        std::mem::take(&mut self.held)
    }

    /// Takes out what can be there now that `stands`, and adds it there. What a person was called for
    /// stayed beside its whole kind: that one of them is lifted later does not explain it.
    pub fn explained(&mut self, stands: &mut Placement, settled: &Placement) -> Vec<Phantom> {
        let mut out = Vec::new();
        self.held.retain(|p| {
            let explained = !self.called.contains(&p.square) && can_stand(p.piece, p.square, stands, settled);
            if explained {
                stands[p.square] = Occupant::Piece(p.piece);
                out.push(*p);
            }
            !explained
        });
        out
    }

    /// When a person has to be called for one of them.
    pub fn due(&self) -> Option<Mono> {
        self.uncalled().map(|p| p.since.after(PATIENCE)).min()
    }

    /// Those for which a person has to be called now.
    pub fn call_for(&mut self, now: Mono) -> Vec<Phantom> {
        let due: Vec<Phantom> = self.uncalled().filter(|p| p.since.after(PATIENCE) <= now).copied().collect();
        self.called.extend(due.iter().map(|p| p.square));
        due
    }

    fn uncalled(&self) -> impl Iterator<Item = &Phantom> {
        self.held.iter().filter(|p| !self.called.contains(&p.square))
    }
}

/// Whether `piece` can be on `square` beside what else `stands`, when play goes on from `settled`: not
/// all of its kind stand elsewhere, or it can come of a promotion.
pub fn can_stand(piece: Piece, square: Square, stands: &Placement, settled: &Placement) -> bool {
    let itself = usize::from(stands[square] == Occupant::Piece(piece));
    number(stands, piece) - itself < number(settled, piece) || can_be_promoted(piece, square, stands, settled)
}

fn can_be_promoted(piece: Piece, square: Square, stands: &Placement, settled: &Placement) -> bool {
    if matches!(piece.role, Role::Pawn | Role::King) {
        return false;
    }
    let pawn = Piece { role: Role::Pawn, ..piece };
    let (last, before_last, two_before) = match piece.colour {
        arbiterd_board::Colour::White => (7, 6, 5),
        arbiterd_board::Colour::Black => (0, 1, 2),
    };
    let waits = |rank| settled.occupied().any(|(s, o)| o == Occupant::Piece(pawn) && s.rank() == rank);
    let (on_last, gone) = (square.rank() == last, number(stands, pawn) < number(settled, pawn));
    // The half-move that brought the pawn before the last rank may not be completed yet.
    (waits(before_last) && (on_last || gone)) || (waits(two_before) && on_last && gone)
}

fn number(placement: &Placement, piece: Piece) -> usize {
    placement.occupied().filter(|(_, o)| *o == Occupant::Piece(piece)).count()
}

/// The pieces that `seen` shows beyond those that can be there, where it is certain which they are:
/// so many of their kind have appeared since `before` as there are too many.
pub fn surplus(seen: &Placement, before: &Placement, settled: &Placement) -> Vec<(Square, Piece)> {
    let arrived: Vec<(Square, Piece)> =
        before.differences(seen).filter_map(|s| Some((s, seen[s].piece()?))).collect();
    let too_many = |piece: Piece| number(seen, piece).saturating_sub(number(settled, piece));
    let alike = |piece: Piece| arrived.iter().filter(|(_, p)| *p == piece).count();
    arrived
        .iter()
        .copied()
        .filter(|&(s, p)| !can_stand(p, s, seen, settled) && alike(p) == too_many(p))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(text: &str) -> Placement {
        text.parse().unwrap()
    }

    fn shown(settled: &str, seen: &str) -> String {
        let settled = placement(settled);
        let squares: Vec<String> = surplus(&placement(seen), &settled, &settled)
            .iter()
            .map(|(s, p)| format!("{}{s}", p.letter()))
            .collect();
        squares.join(" ")
    }

    #[test]
    fn more_than_there_are_cannot_be_there() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        assert_eq!(shown(start, "rnbqkbnr/pppppppp/8/8/8/3n4/PPPPPPPP/RNBQKBNR"), "nd3", "a third knight");
        assert_eq!(shown(start, "rnbqkbnr/pppppppp/8/4K3/8/8/PPPPPPPP/RNBQKBNR"), "Ke5", "a second king");
        assert_eq!(shown(start, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"), "", "a move");
        assert_eq!(
            shown(start, "rnbqkbnr/pppppppp/8/8/4P3/6P1/PPPP1PPP/RNBQKBNR"),
            "",
            "one of two, but which?"
        );
    }

    #[test]
    fn a_promotion_brings_a_piece_from_outside() {
        let before = "4k3/P7/8/8/8/8/8/Q3K3";
        assert_eq!(shown(before, "Q3k3/P7/8/8/8/8/8/Q3K3"), "", "the pawn is still there");
        assert_eq!(shown(before, "4k3/8/8/8/8/2Q5/8/Q3K3"), "", "not on its square yet");
        assert_eq!(shown(before, "4k3/P7/8/8/8/2Q5/8/Q3K3"), "Qc3");
        assert_eq!(shown("4k3/8/P7/8/8/8/8/Q3K3", "Q3k3/8/P7/8/8/8/8/Q3K3"), "Qa8", "no pawn is near");
    }
}
