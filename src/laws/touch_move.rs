// SPDX-License-Identifier: GPL-3.0-or-later
//! Touched pieces (FIDE 4.2 to 4.5, 4.8): which moves a touch leaves a player.
//!
//! A lift is a touch; a touch without a lift is invisible to a board and is never inferred.

use std::time::Duration;

use arbiterd_board::{Colour, Occupant, Order, Piece, Placement, Role, Square, Stamp};
use shakmaty::Move;

use super::{Matter, NotCovered};
use crate::board::{Change, chess_square, hardware_square};
use crate::table::Standing;

/// A piece that leaves its square and returns within this is a flicker of the sensor or an
/// adjustment, and no evidence of a touch.
pub const FLICKER: Duration = Duration::from_millis(500);

/// A piece that was touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Where it stood.
    pub square: Square,
    /// Which piece.
    pub piece: Piece,
    /// When it was lifted.
    pub at: Stamp,
}

/// What touched pieces leave a player to play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// The legal moves that satisfy it.
    pub allowed: Vec<Move>,
    /// Whether it leaves fewer than all legal moves.
    pub binds: bool,
    /// Touched squares that bind nobody: nothing on them can move or be taken.
    pub free: Vec<Square>,
    /// Which article it is.
    pub matter: Matter,
}

impl Obligation {
    /// The allowed moves in UCI notation, in alphabetical order.
    pub fn uci(&self, mode: shakmaty::CastlingMode) -> Vec<String> {
        let mut moves: Vec<_> = self.allowed.iter().map(|m| m.to_uci(mode).to_string()).collect();
        moves.sort_unstable();
        moves
    }
}

/// The touches in a run of changes that began at `base`: each piece that left the square on
/// which it stood then, once, in order of report.
pub fn touches(base: &Placement, changes: &[Change]) -> Vec<Touch> {
    let mut found: Vec<Touch> = Vec::new();
    let mut stirred: Vec<Square> = Vec::new();
    for (i, change) in changes.iter().enumerate() {
        let Some(piece) = change.before.piece() else {
            // A piece that came back to its own square leaves it as it was.
            if change.after != base[change.square] {
                stirred.push(change.square);
            }
            continue;
        };
        let in_place = base[change.square] == change.before && !stirred.contains(&change.square);
        if in_place && !flickers(change, changes.get(i + 1..).unwrap_or_default()) {
            if found.iter().any(|t| t.square == change.square) {
                continue;
            }
            found.push(Touch { square: change.square, piece, at: change.at });
        }
    }
    found
}

/// Whether a lift that seems to be a flicker may have been a touch: its reports came together, but what
/// they tell may have taken longer than a flicker does.
pub fn may_hide_a_touch(changes: &[Change], board_lag: Duration) -> bool {
    let late = |c: &Change| c.at.uncertainty() > board_lag;
    (0..changes.len()).any(|i| {
        let (lift, later) = (&changes[i], changes.get(i + 1..).unwrap_or_default());
        flickers(lift, later) && (late(lift) || later.first().is_some_and(late))
    })
}

/// Whether a lift is undone at once by the same piece on the same square, with nothing else
/// between.
fn flickers(lift: &Change, later: &[Change]) -> bool {
    lift.after == Occupant::Empty
        && later.first().is_some_and(|next| {
            next.square == lift.square
                && next.after == lift.before
                && next.received.since(lift.received) < FLICKER
        })
}

/// What `touched` obliges the player to move to.
///
/// # Errors
/// [`NotCovered::CastlingTouch`] where the player touched king and rook and could castle with
/// them (FIDE 4.4).
pub fn obligation(standing: &Standing, mover: Colour, touched: &[Touch]) -> Result<Obligation, NotCovered> {
    let legal = standing.legal_moves();
    let own: Vec<_> = touched.iter().filter(|t| t.piece.colour == mover).collect();
    let enemy: Vec<_> = touched.iter().filter(|t| t.piece.colour != mover).collect();
    if castling_is_at_stake(&legal, &own) {
        return Err(NotCovered::CastlingTouch);
    }
    let free = touched.iter().filter(|t| options(&legal, mover, t).is_empty()).map(|t| t.square).collect();
    let (allowed, matter) = match (own.first(), enemy.first()) {
        // 4.3.3: the first enemy piece with the first own piece; where that cannot be, the
        // first touched piece that can be moved or taken.
        (Some(first_own), Some(first_enemy)) => {
            let both: Vec<_> = options(&legal, mover, first_own)
                .into_iter()
                .filter(|m| takes(*m, first_enemy.square))
                .collect();
            let chosen = if both.is_empty() { first_possible(&legal, mover, touched) } else { both };
            (chosen, Matter::TouchBoth)
        }
        (Some(_), None) => (first_possible(&legal, mover, touched), Matter::TouchOwn),
        (None, Some(_)) => (first_possible(&legal, mover, touched), Matter::TouchEnemy),
        (None, None) => (Vec::new(), Matter::TouchFree),
    };
    // 4.5: where nothing touched can move or be taken, any legal move may be played.
    if allowed.is_empty() {
        return Ok(Obligation { allowed: legal, binds: false, free, matter: Matter::TouchFree });
    }
    Ok(Obligation { binds: allowed.len() < legal.len(), allowed, free, matter })
}

/// The moves with the first touched piece that has any. Where the order of touches is not
/// proven, an own piece counts as first (4.3.3), and of several own ones each: nobody is bound by
/// an order that was not seen.
fn first_possible(legal: &[Move], mover: Colour, touched: &[Touch]) -> Vec<Move> {
    let possible: Vec<_> =
        touched.iter().map(|t| (t, options(legal, mover, t))).filter(|(_, o)| !o.is_empty()).collect();
    let Some((first, _)) = possible.first() else { return Vec::new() };
    let firsts = possible
        .iter()
        .filter(|(t, _)| t.square == first.square || Stamp::order(first.at, t.at) == Order::Undecided);
    let own_first = firsts.clone().any(|(t, _)| t.piece.colour == mover);
    let mut allowed: Vec<Move> = Vec::new();
    for (_, options) in firsts.filter(|(t, _)| !own_first || t.piece.colour == mover) {
        for m in options {
            if !allowed.contains(m) {
                allowed.push(*m);
            }
        }
    }
    allowed
}

/// The touches that came before the move that was played: its own piece, taken up last, is the
/// move and no touch that could bind to something else. Where it is not proven that it was taken
/// up last, it stays among the touches: nobody is bound by an order that was not seen.
pub fn before_the_move(touched: &[Touch], from: Option<Square>) -> &[Touch] {
    match touched.split_last() {
        Some((last, earlier))
            if Some(last.square) == from
                && earlier.iter().all(|t| Stamp::order(t.at, last.at) == Order::Before) =>
        {
            earlier
        }
        _ => touched,
    }
}

/// Legal moves with an own piece, or captures of an enemy piece.
fn options(legal: &[Move], mover: Colour, touch: &Touch) -> Vec<Move> {
    let own = touch.piece.colour == mover;
    legal
        .iter()
        .copied()
        .filter(|&m| if own { moves(m, touch.square) } else { takes(m, touch.square) })
        .collect()
}

fn moves(m: Move, square: Square) -> bool {
    m.from() == Some(chess_square(square))
}

fn takes(m: Move, square: Square) -> bool {
    match m {
        Move::EnPassant { from, to } => {
            hardware_square(shakmaty::Square::from_coords(to.file(), from.rank())) == square
        }
        _ => m.is_capture() && m.to() == chess_square(square),
    }
}

fn castling_is_at_stake(legal: &[Move], own: &[&Touch]) -> bool {
    let touched =
        |r, s: shakmaty::Square| own.iter().any(|t| t.piece.role == r && t.square == hardware_square(s));
    legal.iter().any(|m| match *m {
        Move::Castle { king, rook } => touched(Role::King, king) && touched(Role::Rook, rook),
        _ => false,
    })
}
