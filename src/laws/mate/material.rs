// SPDX-License-Identifier: GPL-3.0-or-later
//! Material with which a side can never mate, even with its opponent's help.

use shakmaty::{Bitboard, Board, Color};

/// Whether the pieces on `board` rule out every mate by `side`.
///
/// Only cases that hold in every position are used: a mate needs the mating pieces to attack,
/// and the mated king's own men to take squares from it. Promotion is covered because a side
/// with a pawn is never in any of these cases, and an opponent's pawn may become a blocker.
pub fn cannot_mate(board: &Board, side: Color) -> bool {
    let own = board.by_color(side);
    let men = own & !board.kings();
    let other = board.by_color(!side) & !board.kings();
    if men.is_empty() {
        return true;
    }
    if (men & (board.pawns() | board.rooks() | board.queens())).any() {
        return false;
    }
    if (men & board.knights()) == men && men.count() == 1 {
        // A lone knight needs a blocker that does not itself guard the square: queens always do.
        return (other & !board.queens()).is_empty();
    }
    if (men & board.bishops()) == men {
        return bishops_of_one_shade(men) && no_helper_for_bishops(board, men, other);
    }
    false
}

fn bishops_of_one_shade(bishops: Bitboard) -> bool {
    bishops.is_disjoint(Bitboard::DARK_SQUARES) || bishops.is_disjoint(Bitboard::LIGHT_SQUARES)
}

/// Bishops on one shade need a man of the opponent that can block a square of the other shade
/// without guarding the mating square: a knight, a pawn (it may become one), or a bishop of the
/// other shade.
fn no_helper_for_bishops(board: &Board, bishops: Bitboard, other: Bitboard) -> bool {
    let shade = if bishops.is_disjoint(Bitboard::DARK_SQUARES) {
        Bitboard::LIGHT_SQUARES
    } else {
        Bitboard::DARK_SQUARES
    };
    let helpers = other & (board.knights() | board.pawns() | (board.bishops() & !shade));
    helpers.is_empty()
}
