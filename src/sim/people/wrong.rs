// SPDX-License-Identifier: GPL-3.0-or-later
//! What people do that the Laws do not allow, or that somebody has to put right.

use arbiterd_board::simulator::Chance;
use arbiterd_board::{Colour, Occupant, Role, Square};
use shakmaty::{Chess, Move as Chosen, Position, attacks};

use super::habits::Span;
use super::hand::{Hand, beside, distance};
use crate::board::{chess_square, color, colour, hardware_square};
use crate::laws::RulingKind;
use crate::sim::Move;
use crate::table::Claim;

/// What an irregularity calls for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Due {
    /// A ruling against the one who did it.
    Ruling(RulingKind),
    /// A ruling once the move is completed, and until then a notice that the claim is open.
    Open(RulingKind),
    /// A notice that this is left to the arbiter.
    Left,
    /// A person has to look: a notice, and no ruling.
    Person,
    /// The same, but a witness tells nobody what was not claimed, as long as it may be a move.
    Unclaimed,
    /// Nothing.
    #[default]
    Nothing,
}

macro_rules! irregularities {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $due:expr;)*) => {
        /// What a player does wrong.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Irregularity { $($(#[$doc])* $name,)* }

        impl Irregularity {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word for it.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// What it calls for.
            pub const fn due(self) -> Due {
                match self { $(Self::$name => $due,)* }
            }
        }
    };
}

impl Irregularity {
    /// Whether it counts as an illegal move (7.5.1 to 7.5.3), of which a second one loses.
    pub const fn is_counted(self) -> bool {
        matches!(self, Self::IllegalMove | Self::PressWithoutMove | Self::PromotionNotReplaced)
    }
}

irregularities! {
    /// An illegal move is made and the clock pressed (7.5.1).
    IllegalMove = "illegal-move", Due::Ruling(RulingKind::IllegalMove);
    /// An illegal move stands for a moment and is corrected before the press: no fault (6.2.1).
    IllegalUnpressed = "illegal-unpressed", Due::Nothing;
    /// The clock is pressed and nothing was moved (7.5.3).
    PressWithoutMove = "press-without-move", Due::Ruling(RulingKind::PressWithoutMove);
    /// A pawn is left on the last rank and the clock pressed (7.5.2: an illegal move).
    PromotionNotReplaced = "promotion-not-replaced", Due::Ruling(RulingKind::IllegalMove);
    /// One piece is touched and another moved; the opponent claims it (4.3, 4.8).
    TouchMove = "touch-move", Due::Ruling(RulingKind::TouchMove);
    /// The rook is moved and then the king, to castle; the opponent claims it (4.4.2).
    RookFirst = "rook-first-castling", Due::Ruling(RulingKind::TouchMove);
    /// Beside a legal move another piece is knocked to the next square and left there (7.4).
    Displaced = "displaced-piece", Due::Person;
    /// Beside a legal move two pieces are knocked over and put back on each other's squares (7.4).
    WrongPieceBack = "wrong-piece-back", Due::Person;
}

/// What came of it.
pub(super) struct Wrong {
    /// Who did it.
    pub(super) by: Colour,
    /// Half-moves that are completed with it and stay.
    pub(super) moves: Vec<String>,
    /// What may stand in the record besides, until it is ruled on: a half-move that was made with
    /// the irregularity.
    pub(super) may_stand: Vec<String>,
    /// What the opponent claims, if nobody rules by himself.
    pub(super) claim: Option<Claim>,
    /// Whether he claims in any case.
    pub(super) claims_always: bool,
    /// What may be played instead when it was ruled on; empty where no position is put back.
    pub(super) instead: Vec<Chosen>,
}

impl Wrong {
    const fn by(by: Colour) -> Self {
        Self {
            by,
            moves: Vec::new(),
            may_stand: Vec::new(),
            claim: None,
            claims_always: false,
            instead: Vec::new(),
        }
    }
}

impl Hand<'_> {
    /// Does it in place of the move `planned`; nothing if this position does not lend itself to it.
    pub(super) fn do_wrong(
        &mut self,
        what: Irregularity,
        position: &Chess,
        planned: Chosen,
    ) -> Option<Wrong> {
        if ends(position, planned) {
            return None;
        }
        match what {
            Irregularity::IllegalMove => self.move_illegally(position),
            Irregularity::IllegalUnpressed => self.correct_an_illegal_move(position, planned),
            Irregularity::PressWithoutMove => Some(self.press_without_move(position)),
            Irregularity::PromotionNotReplaced => self.leave_the_pawn(position),
            Irregularity::TouchMove => self.touch_another(position, planned),
            Irregularity::RookFirst => self.castle_rook_first(position),
            Irregularity::Displaced => self.knock_aside(position, planned),
            Irregularity::WrongPieceBack => self.swap_two(position, planned),
        }
    }

    fn press_soon(&mut self, by: Colour) {
        self.pause(self.tempo.press());
        self.press_at(by, self.now);
    }

    fn move_illegally(&mut self, position: &Chess) -> Option<Wrong> {
        let by = colour(position.turn());
        let (from, to) = self.illegal(position, true)?;
        let touched = if self.board[to] == Occupant::Empty { vec![from] } else { vec![from, to] };
        self.carry_to(from, to);
        self.press_soon(by);
        let (may_stand, instead) = (vec![format!("{from}{to}")], bound(position, &touched));
        Some(Wrong { may_stand, claim: Some(Claim::IllegalMove), instead, ..Wrong::by(by) })
    }

    fn correct_an_illegal_move(&mut self, position: &Chess, planned: Chosen) -> Option<Wrong> {
        let by = colour(position.turn());
        let (from, to) = self.illegal(position, false)?;
        self.carry_to(from, to);
        self.pause(Span(500, 2500));
        self.carry_to(to, from);
        self.carry_on();
        // 4.3: what was touched is moved if it can be.
        let legal = position.legal_moves();
        let same: Vec<Chosen> = legal
            .iter()
            .copied()
            .filter(|m| m.from() == Some(chess_square(from)) && !m.is_castle() && !ends(position, *m))
            .collect();
        let chosen = self.one_of(&same).unwrap_or(planned);
        self.make_plainly(&Move::of(position, chosen));
        self.press_soon(by);
        Some(Wrong { moves: vec![uci(position, chosen)], ..Wrong::by(by) })
    }

    fn press_without_move(&mut self, position: &Chess) -> Wrong {
        let by = colour(position.turn());
        self.press_soon(by);
        let instead = position.legal_moves().to_vec();
        Wrong { claim: Some(Claim::IllegalMove), instead, ..Wrong::by(by) }
    }

    fn leave_the_pawn(&mut self, position: &Chess) -> Option<Wrong> {
        let by = colour(position.turn());
        let promotion = position.legal_moves().iter().copied().find(|m| m.is_promotion())?;
        let made = Move::of(position, promotion);
        let pawn = arbiterd_board::Piece { colour: by, role: Role::Pawn };
        self.make_plainly(&Move { piece: pawn, ..made });
        self.press_soon(by);
        let may_stand = vec![format!("{}{}", made.from, made.to)];
        Some(Wrong { may_stand, claim: Some(Claim::IllegalMove), ..Wrong::by(by) })
    }

    fn touch_another(&mut self, position: &Chess, planned: Chosen) -> Option<Wrong> {
        let by = colour(position.turn());
        if planned.is_castle() {
            return None;
        }
        let legal = position.legal_moves();
        let others: Vec<Square> = legal
            .iter()
            .filter(|m| m.from() != planned.from() && !m.is_castle())
            .filter_map(|m| m.from().map(hardware_square))
            .collect();
        let touched = self.one_of(&others)?;
        // Longer than the flicker of a sensor.
        self.away_and_back(touched, Span(1500, 4000));
        self.carry_on();
        self.make_plainly(&Move::of(position, planned));
        self.press_soon(by);
        let (may_stand, instead) = (vec![uci(position, planned)], bound(position, &[touched]));
        let claim = Some(Claim::TouchMove);
        Some(Wrong { may_stand, claim, claims_always: true, instead, ..Wrong::by(by) })
    }

    fn castle_rook_first(&mut self, position: &Chess) -> Option<Wrong> {
        let by = colour(position.turn());
        let castles =
            position.legal_moves().iter().copied().find(|m| m.is_castle() && !ends(position, *m))?;
        let king = Move::of(position, castles);
        // In Chess960 the rook may have no way of its own, or nowhere to go before the king has gone.
        let rook = king.rook.filter(|rook| self.board[rook.to] == Occupant::Empty && king.from != king.to)?;
        self.carry_to(rook.from, rook.to);
        self.pause(Span(600, 2000));
        self.carry_to(king.from, king.to);
        self.press_soon(by);
        let (may_stand, instead) = (vec![uci(position, castles)], bound(position, &[rook.from]));
        let claim = Some(Claim::TouchMove);
        Some(Wrong { may_stand, claim, claims_always: true, instead, ..Wrong::by(by) })
    }

    fn knock_aside(&mut self, position: &Chess, planned: Chosen) -> Option<Wrong> {
        let by = colour(position.turn());
        let mut after = position.clone();
        after.play_unchecked(planned);
        let replies = after.legal_moves();
        let m = Move::of(position, planned);
        let is_reply = |from: Square, to: Square| {
            replies.iter().any(|r| r.from() == Some(chess_square(from)) && r.to() == chess_square(to))
        };
        let stands = crate::board::placement_of(after.board());
        let mut knocks = Vec::new();
        for from in Square::all().filter(|s| stands[*s] != Occupant::Empty && *s != m.to) {
            let free = beside(from).filter(|to| stands[*to] == Occupant::Empty && !is_reply(from, *to));
            // Two changes that cannot be a move of their own: not the squares of the move itself.
            knocks.extend(free.filter(|to| *to != m.from).map(|to| (from, to)));
        }
        let (from, to) = self.one_of(&knocks)?;
        self.make_plainly(&m);
        self.carry_to(from, to);
        self.press_soon(by);
        let reply = self.play_on(&after, [from, to]);
        let may_stand = std::iter::once(uci(position, planned)).chain(reply).collect();
        Some(Wrong { may_stand, ..Wrong::by(by) })
    }

    fn swap_two(&mut self, position: &Chess, planned: Chosen) -> Option<Wrong> {
        let by = colour(position.turn());
        let mut after = position.clone();
        after.play_unchecked(planned);
        let stands = crate::board::placement_of(after.board());
        let m = Move::of(position, planned);
        let mut pairs = Vec::new();
        for (a, first) in stands.occupied().filter(|(a, _)| *a != m.to) {
            let others = beside(a).filter(|b| *b != m.to && b.index() > a.index());
            let differ = others.filter(|b| stands[*b] != Occupant::Empty && stands[*b] != first);
            pairs.extend(differ.map(|b| (a, b)));
        }
        let (a, b) = self.one_of(&pairs)?;
        self.make_plainly(&m);
        let (first, second) = (stands[a].piece()?, stands[b].piece()?);
        self.lift(a);
        self.carry_on();
        self.lift(b);
        self.carry_on();
        self.place(a, second);
        self.carry_on();
        self.place(b, first);
        self.press_soon(by);
        let reply = self.play_on(&after, [a, b]);
        let may_stand = std::iter::once(uci(position, planned)).chain(reply).collect();
        Some(Wrong { may_stand, ..Wrong::by(by) })
    }

    /// Nobody has noticed anything: the opponent plays on, with pieces that stand where they belong.
    fn play_on(&mut self, position: &Chess, displaced: [Square; 2]) -> Option<String> {
        let belongs = |m: &Chosen| {
            let made = Move::of(position, *m);
            let squares = [Some(made.from), Some(made.to), made.captured, made.rook.map(|r| r.from)];
            !squares.into_iter().flatten().any(|s| displaced.contains(&s))
        };
        let moves: Vec<Chosen> = position.legal_moves().iter().copied().filter(belongs).collect();
        let chosen = self.one_of(&moves)?;
        self.pause(self.tempo.think());
        self.make_plainly(&Move::of(position, chosen));
        self.press_soon(colour(position.turn()));
        Some(uci(position, chosen))
    }

    /// From one square to the other; what stands there is taken off first.
    fn carry_to(&mut self, from: Square, to: Square) {
        let Some(piece) = self.board[from].piece() else { return };
        if self.board[to] != Occupant::Empty {
            self.lift(to);
            self.carry_on();
        }
        self.lift(from);
        self.carry_on();
        self.place(to, piece);
    }

    /// An illegal move as people make them: the king left in check, a square beside a legal one, a
    /// piece that goes as it never does. A pawn does not reach the last rank by it.
    fn illegal(&mut self, position: &Chess, captures: bool) -> Option<(Square, Square)> {
        let all = illegal_moves(position, captures);
        let exposing: Vec<_> =
            all.iter().copied().filter(|(from, to)| reaches(position, *from, *to)).collect();
        let near: Vec<_> = all.iter().copied().filter(|(from, to)| distance(*from, *to) <= 3).collect();
        let wanted = match self.chance.below(10) {
            0..=4 if !exposing.is_empty() => exposing,
            0..=8 if !near.is_empty() => near,
            _ => all,
        };
        self.one_of(&wanted)
    }
}

/// The moves that touching these pieces, in this order, leaves (4.3, 4.4.2, 4.5): the own piece takes the
/// other's if it can, else it goes elsewhere, else the other's is taken by any piece, else anything is
/// played. Castling is not among what a touched king or rook leaves here.
fn bound(position: &Chess, touched: &[Square]) -> Vec<Chosen> {
    let legal = position.legal_moves();
    let (from, taken) = (touched.first(), touched.get(1));
    let moves = |m: &&Chosen| !m.is_castle() && m.from().map(hardware_square).as_ref() == from;
    let takes =
        |m: &&Chosen| m.is_capture() && taken.is_some_and(|s| Move::of(position, **m).captured == Some(*s));
    let both: Vec<Chosen> = legal.iter().filter(|m| moves(m) && takes(m)).copied().collect();
    let own: Vec<Chosen> = legal.iter().filter(moves).copied().collect();
    let any: Vec<Chosen> = legal.iter().filter(takes).copied().collect();
    [both, own, any].into_iter().find(|some| !some.is_empty()).unwrap_or_else(|| legal.to_vec())
}

/// Whether the move ends the game, which would call for more than the irregularity does.
fn ends(position: &Chess, chosen: Chosen) -> bool {
    let mut after = position.clone();
    after.play_unchecked(chosen);
    after.is_game_over()
}

fn illegal_moves(position: &Chess, captures: bool) -> Vec<(Square, Square)> {
    let by = position.turn();
    let stands = crate::board::placement_of(position.board());
    let legal = position.legal_moves();
    let is_legal = |from: Square, to: Square| {
        legal.iter().any(|m| {
            let hands = Move::of(position, *m);
            hands.from == from && hands.to == to
        })
    };
    let own = |square: Square| stands[square].piece().filter(|p| color(p.colour) == by);
    let target = |square: Square| match stands[square].piece() {
        None => true,
        Some(piece) => captures && color(piece.colour) != by && piece.role != Role::King,
    };
    let mut all = Vec::new();
    for from in Square::all() {
        let Some(piece) = own(from) else { continue };
        let ends = |to: &Square| piece.role == Role::Pawn && matches!(to.rank(), 0 | 7);
        let to = Square::all().filter(|to| target(*to) && !ends(to) && !is_legal(from, *to));
        all.extend(to.map(|to| (from, to)));
    }
    all
}

/// Whether the piece goes there by its own way of moving.
fn reaches(position: &Chess, from: Square, to: Square) -> bool {
    let (from, to) = (chess_square(from), chess_square(to));
    let board = position.board();
    let takes_nothing = board.piece_at(to).is_none();
    board.piece_at(from).is_some_and(|piece| {
        let pawn = piece.role == shakmaty::Role::Pawn;
        !(pawn && takes_nothing) && attacks::attacks(from, piece, board.occupied()).contains(to)
    })
}

/// `chosen` as a record has it that began in the mode of `position`.
pub(super) fn uci(position: &Chess, chosen: Chosen) -> String {
    chosen.to_uci(position.castles().mode()).to_string()
}

/// One of all kinds.
pub(super) fn pick(chance: &mut Chance) -> Irregularity {
    let count = u64::try_from(Irregularity::ALL.len()).unwrap_or(1);
    let index = usize::try_from(chance.below(count)).unwrap_or(0);
    Irregularity::ALL.get(index).copied().unwrap_or(Irregularity::IllegalMove)
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    #[test]
    fn an_illegal_move_is_none_of_the_legal_ones() {
        let position = Chess::default();
        let all = illegal_moves(&position, true);
        let square = |name: &str| -> Square { name.parse().unwrap() };
        assert!(all.contains(&(square("e2"), square("e5"))));
        assert!(all.contains(&(square("g1"), square("g3"))));
        assert!(!all.contains(&(square("e2"), square("e4"))));
        assert!(!all.contains(&(square("g1"), square("e2"))), "his own piece stands there");
        assert!(!all.contains(&(square("d1"), square("e8"))), "no king is taken");
    }

    #[test]
    fn a_pinned_piece_reaches_where_it_may_not_go() {
        let pinned = "4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1".parse::<shakmaty::fen::Fen>().unwrap();
        let position: Chess = pinned.into_position(CastlingMode::Standard).unwrap();
        let square = |name: &str| -> Square { name.parse().unwrap() };
        assert!(reaches(&position, square("e2"), square("g4")));
        assert!(illegal_moves(&position, true).contains(&(square("e2"), square("g4"))));
    }
}
