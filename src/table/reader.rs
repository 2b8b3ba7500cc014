// SPDX-License-Identifier: GPL-3.0-or-later
//! Explains what stands by what may be played. The Reader never says "illegal" and never says
//! "settled": it compares a placement with a position, nothing more.

use std::fmt;
use std::sync::{Arc, OnceLock};

use arbiterd_board::{Colour, Occupant, Piece, Placement, Square};
use shakmaty::{CastlingMode, Move};

use super::{Standing, opponent};
use crate::board::{chess_square, colour, hardware_square, role};

/// What a placement can be, seen from the last completed position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Exactly the last completed position.
    AsSettled,
    /// The last completed position, less the pieces of these squares.
    InHand(Vec<Square>),
    /// One or two legal plies, less the pieces of the squares in `in_hand`.
    Legal {
        /// Every way to play to it; all of one length.
        lines: Vec<Vec<Move>>,
        /// Squares whose piece is missing on top of it.
        in_hand: Vec<Square>,
    },
    /// A move that has begun and is not complete on the board.
    Pending(Pending),
    /// Nothing that may be played leads to it.
    Unexplained {
        /// Squares that differ from the last completed position.
        differing: Vec<Square>,
    },
    /// Something that is no chess piece stands on the board.
    Foreign,
}

/// Why a move is not complete on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pending {
    /// The king stands on its castling square, the rook not yet on its own.
    Castling,
    /// A pawn stands on the last rank.
    Promotion,
    /// The pawn taken in passing still stands.
    EnPassant,
}

impl Reading {
    /// The single ply that it must be, if it is exactly one legal ply in one way and complete.
    pub fn single(&self) -> Option<Move> {
        match self {
            Self::Legal { lines, in_hand } if in_hand.is_empty() => match lines.as_slice() {
                [line] => match line.as_slice() {
                    [m] => Some(*m),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// The single ply that it must be, whatever is missing on top of it on squares whose piece may be in a hand:
    /// to lift a piece takes no move back.
    pub fn single_less(&self, in_a_hand: impl Fn(Square) -> bool) -> Option<Move> {
        let Self::Legal { lines, in_hand } = self else { return None };
        let [line] = lines.as_slice() else { return None };
        let [m] = line.as_slice() else { return None };
        in_hand.iter().all(|square| in_a_hand(*square)).then_some(*m)
    }

    /// The first ply on which all explanations of two plies agree.
    pub fn first_of_two(&self) -> Option<Move> {
        let Self::Legal { lines, .. } = self else { return None };
        let first = lines.first().filter(|l| l.len() == 2)?.first().copied()?;
        lines.iter().all(|l| l.first() == Some(&first)).then_some(first)
    }
}

/// Explains placements from one position.
#[derive(Clone)]
pub struct Reader {
    standing: Standing,
    settled: Placement,
    mover: Colour,
    mode: CastlingMode,
    after: Vec<Successor>,
}

/// A legal move and what it leads to.
#[derive(Clone)]
struct Successor {
    m: Move,
    placement: Placement,
    /// Where the moved piece (in castling: the king) comes to stand.
    landing: Square,
    /// The squares that it changes.
    changed: Squares,
    /// What is played from there, once somebody asked.
    reader: OnceLock<Arc<Reader>>,
}

/// All that it knows follows from the position.
impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reader").field(&self.standing.fen()).finish()
    }
}

/// A set of squares, a bit for each.
type Squares = u64;

const fn bit(square: Square) -> Squares {
    1 << square.index()
}

/// The squares of a set.
fn squares(mut set: Squares) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        let index = u8::try_from(set.trailing_zeros()).ok()?;
        set &= set.wrapping_sub(1);
        Square::new(index)
    })
}

fn differing(one: &Placement, other: &Placement) -> Squares {
    one.differences(other).fold(0, |squares, square| squares | bit(square))
}

impl Reader {
    /// A reader of what is played from `standing`.
    pub fn new(standing: &Standing, mode: CastlingMode) -> Self {
        let settled = standing.placement();
        let mover = colour(standing.turn());
        let after = standing.legal_moves().into_iter().map(|m| Successor::new(m, mover, &settled)).collect();
        Self { standing: standing.clone(), settled, mover, mode, after }
    }

    /// Every legal move, with what stands after it.
    pub fn moves(&self) -> impl Iterator<Item = (Move, &Placement)> {
        self.after.iter().map(|s| (s.m, &s.placement))
    }

    /// A reader of what is played after a legal move.
    pub fn after(&self, m: Move) -> Option<&Arc<Self>> {
        self.after.iter().find(|s| s.m == m).map(|s| self.read_on(s))
    }

    fn read_on<'a>(&self, s: &'a Successor) -> &'a Arc<Self> {
        s.reader.get_or_init(|| Arc::new(Self::new(&self.standing.play(s.m, self.mode), self.mode)))
    }

    /// What `placement` can be.
    pub fn read(&self, placement: &Placement) -> Reading {
        let differs = differing(&self.settled, placement);
        if differs == 0 {
            return Reading::AsSettled;
        }
        if placement.occupied().any(|(_, o)| o.piece().is_none()) {
            return Reading::Foreign;
        }
        let one: Vec<_> = self.one_ply(placement, differs).map(|m| vec![m]).collect();
        if !one.is_empty() {
            return Reading::Legal { lines: one, in_hand: Vec::new() };
        }
        if let Some(missing) = missing_from(&self.settled, placement) {
            return Reading::InHand(missing);
        }
        if let Some(pending) = self.pending(placement) {
            return Reading::Pending(pending);
        }
        if let Some(reading) = self.one_ply_with_pieces_in_hand(placement) {
            return reading;
        }
        let two = self.two_plies(placement);
        if !two.is_empty() {
            return Reading::Legal { lines: two, in_hand: Vec::new() };
        }
        Reading::Unexplained { differing: self.settled.differences(placement).collect() }
    }

    fn one_ply(&self, placement: &Placement, differs: Squares) -> impl Iterator<Item = Move> {
        let fits = move |s: &&Successor| s.changed == differs && s.placement == *placement;
        self.after.iter().filter(fits).map(|s| s.m)
    }

    /// Every way to play to a placement in two half-moves, whatever pieces they take from each other.
    pub fn two_plies(&self, placement: &Placement) -> Vec<Vec<Move>> {
        let differs = differing(&self.settled, placement);
        // A piece of each has left its square.
        let left = |player| squares(differs).any(|s| self.settled[s].is_of(player));
        if !left(self.mover) || !left(opponent(self.mover)) {
            return Vec::new();
        }
        let mut lines = Vec::new();
        for first in &self.after {
            let rest = first.differing(placement, differs);
            if self.may_be_a_reply(first, placement, rest) {
                lines
                    .extend(self.read_on(first).one_ply(placement, rest).map(|second| vec![first.m, second]));
            }
        }
        lines
    }

    /// Every way to play to a placement in three half-moves.
    pub fn three_plies(&self, placement: &Placement) -> Vec<Vec<Move>> {
        let differs = differing(&self.settled, placement);
        let mut lines = Vec::new();
        // Two half-moves change at most eight squares.
        for first in self.after.iter().filter(|s| s.differing(placement, differs).count_ones() <= 8) {
            for rest in self.read_on(first).two_plies(placement) {
                lines.push(std::iter::once(first.m).chain(rest).collect());
            }
        }
        lines
    }

    /// Whether one half-move of the opponent's can lead from after `first` to a placement that differs on
    /// these squares: it changes at most four, and his piece is gone from one and stands on another.
    fn may_be_a_reply(&self, first: &Successor, placement: &Placement, differs: Squares) -> bool {
        let replier = opponent(self.mover);
        (1..=4).contains(&differs.count_ones())
            && squares(differs).any(|s| first.placement[s].is_of(replier))
            && squares(differs).any(|s| placement[s].is_of(replier))
    }

    /// A legal move whose piece has arrived, with other pieces missing. The move that leaves the
    /// fewest missing is meant; several with as few are several explanations.
    fn one_ply_with_pieces_in_hand(&self, placement: &Placement) -> Option<Reading> {
        let mut best: Option<(Vec<Square>, Vec<Vec<Move>>)> = None;
        for s in self.after.iter().filter(|s| placement[s.landing] == s.placement[s.landing]) {
            let Some(missing) = missing_from(&s.placement, placement) else { continue };
            match &mut best {
                Some((fewest, lines)) if fewest.len() == missing.len() => lines.push(vec![s.m]),
                Some((fewest, _)) if fewest.len() < missing.len() => {}
                _ => best = Some((missing, vec![vec![s.m]])),
            }
        }
        best.map(|(in_hand, lines)| Reading::Legal { lines, in_hand })
    }

    fn pending(&self, placement: &Placement) -> Option<Pending> {
        self.after.iter().find_map(|s| {
            let what = match s.m {
                Move::Castle { .. } => Pending::Castling,
                Move::EnPassant { .. } => Pending::EnPassant,
                Move::Normal { promotion: Some(_), .. } => Pending::Promotion,
                _ => return None,
            };
            let from = hardware_square(s.m.from()?);
            (moved(&self.settled, from, s.landing) == *placement).then_some(what)
        })
    }
}

impl Successor {
    fn new(m: Move, mover: Colour, settled: &Placement) -> Self {
        let placement = moved_by(m, mover, settled);
        let squares = touched(m);
        let differ = squares.into_iter().flatten().filter(|square| placement[*square] != settled[*square]);
        let changed = differ.fold(0, |squares, square| squares | bit(square));
        Self { m, placement, landing: landing(m), changed, reader: OnceLock::new() }
    }

    /// Where `placement` differs from what stands after it, if it differs from before on `settled`.
    fn differing(&self, placement: &Placement, settled: Squares) -> Squares {
        let differs = |s: &Square| self.placement[*s] != placement[*s];
        squares(settled | self.changed).filter(differs).fold(0, |set, s| set | bit(s))
    }
}

/// The squares of a move: where its pieces come from and go, and what it takes.
fn touched(m: Move) -> [Option<Square>; 4] {
    let [from, to] = [m.from(), Some(m.to())].map(|s| s.map(hardware_square));
    match m {
        Move::Castle { king, rook } => {
            let [king_to, rook_to] = castled(king, rook);
            [from, to, Some(king_to), Some(rook_to)]
        }
        Move::EnPassant { from: pawn, to: passed } => [from, to, Some(taken_in_passing(pawn, passed)), None],
        Move::Normal { .. } | Move::Put { .. } => [from, to, None, None],
    }
}

/// What stands after a legal move.
fn moved_by(m: Move, mover: Colour, settled: &Placement) -> Placement {
    let mut after = *settled;
    let piece = |r| Occupant::Piece(Piece { colour: mover, role: role(r) });
    if let Some(from) = m.from() {
        after[hardware_square(from)] = Occupant::Empty;
    }
    match m {
        Move::Castle { king, rook } => {
            let [king_to, rook_to] = castled(king, rook);
            after[hardware_square(rook)] = Occupant::Empty;
            after[king_to] = piece(shakmaty::Role::King);
            after[rook_to] = piece(shakmaty::Role::Rook);
        }
        Move::EnPassant { from, to } => {
            after[taken_in_passing(from, to)] = Occupant::Empty;
            after[hardware_square(to)] = piece(shakmaty::Role::Pawn);
        }
        Move::Normal { role, to, promotion, .. } => {
            after[hardware_square(to)] = piece(promotion.unwrap_or(role))
        }
        Move::Put { role, to } => after[hardware_square(to)] = piece(role),
    }
    after
}

/// Where king and rook come to stand (3.8.2).
fn castled(king: shakmaty::Square, rook: shakmaty::Square) -> [Square; 2] {
    let side = shakmaty::CastlingSide::from_king_side(king < rook);
    [side.king_to_file(), side.rook_to_file()]
        .map(|file| hardware_square(shakmaty::Square::from_coords(file, king.rank())))
}

/// Where the pawn stands that is taken in passing (3.7.3.1).
pub fn taken_in_passing(from: shakmaty::Square, to: shakmaty::Square) -> Square {
    hardware_square(shakmaty::Square::from_coords(to.file(), from.rank()))
}

/// The squares whose piece is missing, if that is all that differs.
fn missing_from(settled: &Placement, placement: &Placement) -> Option<Vec<Square>> {
    let mut missing = Vec::new();
    for square in settled.differences(placement) {
        if placement[square] != Occupant::Empty {
            return None;
        }
        missing.push(square);
    }
    Some(missing)
}

/// Where the moved piece (in castling: the king) comes to stand.
pub fn landing(m: Move) -> Square {
    hardware_square(match (m.castling_side(), m.from()) {
        (Some(side), Some(king)) => shakmaty::Square::from_coords(side.king_to_file(), king.rank()),
        _ => m.to(),
    })
}

/// `settled` with the piece of `from` on `to`, and nothing else changed.
fn moved(settled: &Placement, from: Square, to: Square) -> Placement {
    let mut half = *settled;
    half[to] = half[from];
    half[from] = Occupant::Empty;
    half
}

/// A placement that is one move in shape, made by the player to move, whatever its legality:
/// which squares it went from and to.
pub fn one_move_shape(standing: &Standing, placement: &Placement) -> Option<(Square, Square)> {
    let settled = standing.placement();
    let mover = colour(standing.turn());
    let differing: Vec<_> = settled.differences(placement).collect();
    let own = |o: Occupant| o.is_of(mover);
    let left: Vec<_> = differing.iter().copied().filter(|&s| own(settled[s]) && !own(placement[s])).collect();
    let arrived: Vec<_> =
        differing.iter().copied().filter(|&s| own(placement[s]) && placement[s] != settled[s]).collect();
    let others: Vec<_> =
        differing.iter().copied().filter(|s| !left.contains(s) && !arrived.contains(s)).collect();
    match (left.as_slice(), arrived.as_slice(), others.as_slice()) {
        ([from], [to], []) => one_piece(standing, placement, *from, *to).then_some((*from, *to)),
        // In the shape of taking in passing: the enemy pawn beside the mover goes off.
        ([from], [to], [gone]) if passed_by(&settled, placement, *from, *to, *gone) => {
            one_piece(standing, placement, *from, *to).then_some((*from, *to))
        }
        // In the shape of castling: king and rook of the mover.
        ([a, b], [c, d], []) => castling_shape(standing, placement, [*a, *b], [*c, *d]),
        _ => None,
    }
}

/// The same piece went from one square to the other, or a pawn to the last rank and another
/// piece stands there.
fn one_piece(standing: &Standing, placement: &Placement, from: Square, to: Square) -> bool {
    let settled = standing.placement();
    // A pawn left on the last rank is an unfinished promotion (7.5.2).
    let same =
        settled[from] == placement[to] && !(is_pawn(placement[to]) && is_last_rank(to, standing.turn()));
    let promoted = is_pawn(settled[from]) && is_last_rank(to, standing.turn()) && !is_pawn(placement[to]);
    placement[from] == Occupant::Empty && (same || promoted)
}

fn passed_by(settled: &Placement, placement: &Placement, from: Square, to: Square, gone: Square) -> bool {
    is_pawn(settled[from])
        && is_pawn(settled[gone])
        && placement[gone] == Occupant::Empty
        && from.file() != to.file()
        && (gone.file(), gone.rank()) == (to.file(), from.rank())
}

/// King and rook of the mover in the shape of castling: the king from its first rank to a castling
/// square there, at least two files on, and the rook somewhere else on that rank.
fn castling_shape(
    standing: &Standing,
    placement: &Placement,
    left: [Square; 2],
    arrived: [Square; 2],
) -> Option<(Square, Square)> {
    let settled = standing.placement();
    if arrived.iter().any(|s| settled[*s] != Occupant::Empty && !left.contains(s)) {
        return None;
    }
    let role = |p: &Placement, s: Square| p[s].piece().map(|p| p.role);
    let find = |p: &Placement, squares: [Square; 2], r| squares.into_iter().find(|&s| role(p, s) == Some(r));
    let king = find(&settled, left, arbiterd_board::Role::King)?;
    let rook = find(&settled, left, arbiterd_board::Role::Rook)?;
    let king_to = find(placement, arrived, arbiterd_board::Role::King)?;
    let rook_to = find(placement, arrived, arbiterd_board::Role::Rook)?;
    let home = standing.turn().fold_wb(0, 7);
    let on_home = [king, rook, king_to, rook_to].iter().all(|s| s.rank() == home);
    let castling_square = matches!(king_to.file(), 2 | 6) && king.file().abs_diff(king_to.file()) >= 2;
    (on_home && castling_square).then_some((king, king_to))
}

fn is_pawn(o: Occupant) -> bool {
    o.piece().is_some_and(|p| p.role == arbiterd_board::Role::Pawn)
}

fn is_last_rank(s: Square, mover: shakmaty::Color) -> bool {
    chess_square(s).rank() == mover.fold_wb(shakmaty::Rank::Eighth, shakmaty::Rank::First)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Start;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn reading(fen: &str, placement: &str) -> Reading {
        let start = Start::from_fen(fen).unwrap();
        Reader::new(start.standing(), start.mode()).read(&placement.parse().unwrap())
    }

    fn words(r: &Reading) -> Vec<String> {
        let Reading::Legal { lines, .. } = r else { panic!("{r:?}") };
        lines
            .iter()
            .map(|l| {
                l.iter().map(|m| m.to_uci(CastlingMode::Standard).to_string()).collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    #[test]
    fn one_ply_is_recognised_in_every_form() {
        assert_eq!(reading(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"), Reading::AsSettled);
        assert_eq!(words(&reading(START, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")), ["e2e4"]);
        let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        assert_eq!(words(&reading(castling, "4k3/8/8/8/8/8/8/5RK1")), ["e1g1"]);
        let passing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(words(&reading(passing, "4k3/8/3P4/8/8/8/8/4K3")), ["e5d6"]);
        let promotion = "8/P3k3/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(words(&reading(promotion, "N7/4k3/8/8/8/8/8/4K3")), ["a7a8n"]);
    }

    #[test]
    fn two_plies_are_found_with_all_their_explanations() {
        let two = reading(START, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
        assert_eq!(words(&two), ["e2e4 e7e5"]);
        assert!(two.first_of_two().is_some());
        assert_eq!(two.single(), None);
    }

    #[test]
    fn moves_in_progress_are_not_moves() {
        let hand = |p| reading(START, p);
        assert_eq!(
            hand("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"),
            Reading::InHand(vec!["e2".parse().unwrap()])
        );
        assert_eq!(
            reading("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/6KR"),
            Reading::Pending(Pending::Castling)
        );
        assert_eq!(
            reading("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/3P4/3p4/8/8/8/4K3"),
            Reading::Pending(Pending::EnPassant)
        );
        assert_eq!(
            reading("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "P7/4k3/8/8/8/8/8/4K3"),
            Reading::Pending(Pending::Promotion)
        );
        // e4 is made and Black has lifted his knight.
        let reply = hand("r1bqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        assert_eq!(words(&reply), ["e2e4"]);
        assert_eq!(reply.single(), None);
    }

    #[test]
    fn what_may_not_be_played_is_unexplained_but_has_the_shape_of_a_move() {
        let fen = "8/6k1/8/4p2p/7P/3r4/1B3K2/8 b - - 0 56";
        let placement: Placement = "8/6k1/8/7p/4p2P/3r4/1B3K2/8".parse().unwrap();
        assert!(matches!(reading(fen, "8/6k1/8/7p/4p2P/3r4/1B3K2/8"), Reading::Unexplained { .. }));
        let start = Start::from_fen(fen).unwrap();
        let shape = one_move_shape(start.standing(), &placement);
        assert_eq!(shape, Some(("e5".parse().unwrap(), "e4".parse().unwrap())));
    }

    #[test]
    fn shapes_are_those_of_the_player_to_move_only() {
        let start = Start::from_fen(START).unwrap();
        let shape = |p: &str| one_move_shape(start.standing(), &p.parse().unwrap());
        assert_eq!(shape("rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR"), None, "Black's pawn");
        assert_eq!(shape("rnbqkbnr/pppppppp/8/8/4P3/3P4/PPP2PPP/RNBQKBNR"), None, "two pawns");
        assert_eq!(shape("rnbqkbnr/pppppppp/8/8/4N3/8/PPPP1PPP/RNBQKBNR"), None, "another piece");
        assert!(shape("rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR").is_some(), "e2 to e5");
        assert!(
            shape("r1bqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR").is_none(),
            "and Black's knight in his hand"
        );
        assert!(
            shape("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1RK1").is_none(),
            "castling over a bishop that is gone"
        );
        let castling = Start::from_fen("4kr2/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        let castled = one_move_shape(castling.standing(), &"4kr2/8/8/8/8/8/8/5RK1".parse().unwrap());
        assert_eq!(
            castled,
            Some(("e1".parse().unwrap(), "g1".parse().unwrap())),
            "through an attacked square"
        );
    }

    #[test]
    fn tokens_and_unidentified_things_are_foreign() {
        assert_eq!(reading(START, "rnbqkbnr/pppppppp/8/8/3?4/8/PPPPPPPP/RNBQKBNR"), Reading::Foreign);
    }
}
