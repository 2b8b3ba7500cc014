// SPDX-License-Identifier: GPL-3.0-or-later
//! The position that stands in the record: a legal one, or what an illegal move left behind.

use arbiterd_board::Placement;
use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, Board, Castles, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Position,
    PositionError, Role, Setup, Square, attacks,
};

use crate::board::{board_of, placement_of};

/// A position in the record. Mate, repetition and the full rules of legality are asked of
/// [`Standing::Valid`] only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// A position that legal play can continue.
    Valid(Chess),
    /// What stands after an illegal move that was not corrected: a king that could be taken, a
    /// missing king and the like.
    Irregular(Box<Setup>),
}

impl Standing {
    /// The position of a setup. Oddities that do not hinder play (too many pieces, a check that
    /// cannot have arisen, stale castling rights) are forgiven.
    pub fn from_setup(setup: Setup, mode: CastlingMode) -> Self {
        let forgiven = Chess::from_setup(setup.clone(), mode)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check);
        match forgiven {
            Ok(position) => Self::Valid(position),
            Err(_) => Self::Irregular(Box::new(setup)),
        }
    }

    /// The legal position, if it is one.
    pub const fn valid(&self) -> Option<&Chess> {
        match self {
            Self::Valid(p) => Some(p),
            Self::Irregular(_) => None,
        }
    }

    /// The pieces.
    pub fn board(&self) -> &Board {
        match self {
            Self::Valid(p) => p.board(),
            Self::Irregular(s) => &s.board,
        }
    }

    /// The pieces, as a board reports them.
    pub fn placement(&self) -> Placement {
        placement_of(self.board())
    }

    /// Who has the move.
    pub fn turn(&self) -> Color {
        match self {
            Self::Valid(p) => p.turn(),
            Self::Irregular(s) => s.turn,
        }
    }

    /// As FEN; an en passant square only where a capture is legal (FIDE 9.2.3).
    pub fn fen(&self) -> String {
        // What a FEN cannot hold (pockets, promoted marks) no chess board has.
        Fen::try_from_setup(self.setup()).unwrap_or_else(shakmaty::fen::LossyFenError::ignore).to_string()
    }

    fn setup(&self) -> Setup {
        match self {
            Self::Valid(p) => p.to_setup(EnPassantMode::Legal),
            Self::Irregular(s) => (**s).clone(),
        }
    }

    /// The moves that Article 3 allows. In an irregular position these are the moves that obey
    /// the pieces' gaits and do not leave the mover's own king attacked; castling is not among
    /// them, since its conditions cannot be checked there.
    pub fn legal_moves(&self) -> Vec<Move> {
        match self {
            Self::Valid(p) => p.legal_moves().into_iter().collect(),
            Self::Irregular(s) => irregular_moves(s),
        }
    }

    /// The position after a move of [`Standing::legal_moves`].
    #[must_use]
    pub fn play(&self, m: Move, mode: CastlingMode) -> Self {
        match self {
            Self::Valid(p) => {
                let mut after = p.clone();
                after.play_unchecked(m);
                Self::Valid(after)
            }
            Self::Irregular(s) => {
                let mut after = passed(s, m.is_zeroing());
                move_pieces(&mut after.board, s.turn, m);
                Self::from_setup(after, mode)
            }
        }
    }

    /// What stands on the board as a position in which `turn` has the move.
    ///
    /// Whoever could castle in this position may, as long as his king and that rook still stand on their
    /// squares (FIDE 3.8.2 takes the right away with the first move): a right that was lost does not come
    /// back with the pieces. `castling` says otherwise. Nothing can be taken in passing, and the counts of
    /// moves go on from this position.
    #[must_use]
    pub fn accepting(
        &self,
        placement: &Placement,
        turn: Color,
        castling: Option<Bitboard>,
        mode: CastlingMode,
    ) -> Self {
        let before = self.setup();
        let board = board_of(placement);
        let mut after = before.clone();
        after.castling_rights = castling.unwrap_or_else(|| kept_rights(&before, &board));
        after.board = board;
        after.turn = turn;
        after.ep_square = None;
        Self::from_setup(after, mode)
    }

    /// The position after the player to move left the pieces standing as in `placement` by a
    /// move that is not legal, and the other has the move.
    #[must_use]
    pub fn after_irregular(&self, placement: &Placement, mode: CastlingMode) -> Self {
        let before = self.setup();
        let board = board_of(placement);
        let zeroing = board.occupied().count() != before.board.occupied().count()
            || board.pawns() != before.board.pawns();
        let mut after = passed(&before, zeroing);
        after.castling_rights = kept_rights(&before, &board);
        after.board = board;
        Self::from_setup(after, mode)
    }
}

/// The castling rights that a word of a FEN names, if king and rook of each stand on their squares.
pub fn castling_rights(word: &str, placement: &Placement, mode: CastlingMode) -> Option<Bitboard> {
    let board = board_of(placement);
    let fen = format!("{} w {word} - 0 1", board.board_fen());
    let setup = fen.parse::<Fen>().ok()?.into_setup();
    Castles::from_setup(&setup, mode).ok().map(|castles| castles.castling_rights())
}

/// Castling rights go with a king or rook that left its square (FIDE 3.8.2).
fn kept_rights(before: &Setup, board: &Board) -> Bitboard {
    [Color::White, Color::Black].into_iter().fold(Bitboard::EMPTY, |kept, c| {
        let rights = before.castling_rights & before.board.by_color(c);
        let kings = Role::King.of(c);
        if board.by_piece(kings) == before.board.by_piece(kings) {
            kept | (rights & board.by_piece(Role::Rook.of(c)))
        } else {
            kept
        }
    })
}

/// The setup with the turn passed on; pieces are not moved yet.
fn passed(before: &Setup, zeroing: bool) -> Setup {
    let mut after = before.clone();
    after.turn = !before.turn;
    after.ep_square = None;
    after.halfmoves = if zeroing { 0 } else { before.halfmoves.saturating_add(1) };
    if before.turn == Color::Black {
        after.fullmoves = before.fullmoves.saturating_add(1);
    }
    after
}

fn move_pieces(board: &mut Board, mover: Color, m: Move) {
    match m {
        Move::Normal { role, from, to, promotion, .. } => {
            board.discard_piece_at(from);
            board.set_piece_at(to, promotion.unwrap_or(role).of(mover));
        }
        Move::EnPassant { from, to } => {
            board.discard_piece_at(from);
            board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
            board.set_piece_at(to, Role::Pawn.of(mover));
        }
        // Neither is generated for an irregular position.
        Move::Castle { .. } | Move::Put { .. } => {}
    }
}

fn irregular_moves(setup: &Setup) -> Vec<Move> {
    let mover = setup.turn;
    let mut moves = Vec::new();
    for from in setup.board.by_color(mover) {
        let Some(role) = setup.board.role_at(from) else { continue };
        for to in destinations(setup, from, role) {
            push_moves(setup, role, from, to, &mut moves);
        }
    }
    moves.retain(|&m| {
        let mut board = setup.board.clone();
        move_pieces(&mut board, mover, m);
        (board.kings() & board.by_color(mover))
            .into_iter()
            .all(|king| board.attacks_to(king, !mover, board.occupied()).is_empty())
    });
    moves
}

fn destinations(setup: &Setup, from: Square, role: Role) -> Bitboard {
    let (own, occupied) = (setup.board.by_color(setup.turn), setup.board.occupied());
    // 1.4.1: taking the king is not allowed.
    let kings = setup.board.kings();
    if role != Role::Pawn {
        return setup.board.attacks_from(from) & !own & !kings;
    }
    let mut to = attacks::pawn_attacks(setup.turn, from) & setup.board.by_color(!setup.turn) & !kings;
    let forward = setup.turn.fold_wb(8, -8);
    if let Some(one) = from.offset(forward).filter(|s| !occupied.contains(*s)) {
        to.add(one);
        if from.rank() == setup.turn.fold_wb(shakmaty::Rank::Second, shakmaty::Rank::Seventh)
            && let Some(two) = one.offset(forward).filter(|s| !occupied.contains(*s))
        {
            to.add(two);
        }
    }
    to
}

fn push_moves(setup: &Setup, role: Role, from: Square, to: Square, moves: &mut Vec<Move>) {
    let capture = setup.board.role_at(to);
    let last_rank = setup.turn.fold_wb(shakmaty::Rank::Eighth, shakmaty::Rank::First);
    if role == Role::Pawn && to.rank() == last_rank {
        for piece in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
            moves.push(Move::Normal { role, from, capture, to, promotion: Some(piece) });
        }
    } else {
        moves.push(Move::Normal { role, from, capture, to, promotion: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(fen: &str) -> Standing {
        let setup = fen.parse::<Fen>().unwrap().into_setup();
        Standing::from_setup(setup, CastlingMode::Standard)
    }

    #[test]
    fn a_king_left_in_check_is_irregular_and_the_other_may_move_on() {
        // Black pushed e5-e4 and uncovered the bishop's line to his own king.
        let before = standing("8/6k1/8/4p2p/7P/3r4/1B3K2/8 b - - 0 56");
        let after: Placement = "8/6k1/8/7p/4p2P/3r4/1B3K2/8".parse().unwrap();
        let left = before.after_irregular(&after, CastlingMode::Standard);
        assert!(matches!(left, Standing::Irregular(_)));
        assert_eq!(left.fen(), "8/6k1/8/7p/4p2P/3r4/1B3K2/8 w - - 0 57");
        let moves = left.legal_moves();
        let from_b2 = moves.iter().filter(|m| m.from() == Some(Square::B2)).count();
        // a1, c1, a3, c3, d4, e5, f6; not the king on g7 (1.4.1).
        assert_eq!(from_b2, 7);
    }

    #[test]
    fn in_a_legal_position_both_ways_to_find_moves_agree_but_for_castling() {
        for fen in [
            "r3k2r/pppq1ppp/2n2n2/3pp3/1b1PP3/2N2N2/PPPBQPPP/R3K2R w KQkq - 0 8",
            "8/P5k1/8/4p2p/7P/3r4/1B3K2/8 w - - 0 56",
            "4k3/8/8/8/4r3/8/3P4/N3K3 w - - 0 1",
        ] {
            let Standing::Valid(position) = standing(fen) else { panic!("{fen}") };
            let mut expected: Vec<Move> =
                position.legal_moves().into_iter().filter(|m| !m.is_castle()).collect();
            let mut found = irregular_moves(&position.to_setup(EnPassantMode::Legal));
            let key = |m: &Move| m.to_uci(CastlingMode::Standard).to_string();
            expected.sort_by_key(key);
            found.sort_by_key(key);
            assert_eq!(found, expected, "{fen}");
        }
    }

    #[test]
    fn castling_rights_go_with_the_piece_that_left() {
        let before = standing("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        let after: Placement = "r3k2r/8/8/3R4/8/8/8/4K2R".parse().unwrap();
        assert_eq!(
            before.after_irregular(&after, CastlingMode::Standard).fen(),
            "r3k2r/8/8/3R4/8/8/8/4K2R b Kkq - 1 1"
        );
    }
}
