// SPDX-License-Identifier: GPL-3.0-or-later
//! The vocabulary of boards and that of the chess library, one into the other.

use arbiterd_board::{Colour, Occupant, Piece, Placement, Role, Square};

/// The chess library's word for a colour.
pub const fn color(c: Colour) -> shakmaty::Color {
    match c {
        Colour::White => shakmaty::Color::White,
        Colour::Black => shakmaty::Color::Black,
    }
}

/// The boards' word for a colour.
pub const fn colour(c: shakmaty::Color) -> Colour {
    match c {
        shakmaty::Color::White => Colour::White,
        shakmaty::Color::Black => Colour::Black,
    }
}

/// The boards' word for a kind of piece.
pub const fn role(r: shakmaty::Role) -> Role {
    match r {
        shakmaty::Role::Pawn => Role::Pawn,
        shakmaty::Role::Knight => Role::Knight,
        shakmaty::Role::Bishop => Role::Bishop,
        shakmaty::Role::Rook => Role::Rook,
        shakmaty::Role::Queen => Role::Queen,
        shakmaty::Role::King => Role::King,
    }
}

/// The boards' word for a piece.
pub const fn hardware_piece(p: shakmaty::Piece) -> Piece {
    Piece { colour: colour(p.color), role: role(p.role) }
}

/// The boards' word for a square. Both count a1 = 0 to h8 = 63.
pub fn hardware_square(s: shakmaty::Square) -> Square {
    Square::from_coords(u8::from(s.file()), u8::from(s.rank())).unwrap_or(A1)
}

const A1: Square = match Square::new(0) {
    Some(s) => s,
    None => unreachable!(),
};

/// The chess library's word for a square.
pub fn chess_square(s: Square) -> shakmaty::Square {
    shakmaty::Square::new(u32::from(s.index()))
}

/// What stands on the squares of a chess position.
pub fn placement_of(board: &shakmaty::Board) -> Placement {
    let mut placement = Placement::EMPTY;
    for (s, p) in board.iter() {
        placement[hardware_square(s)] = Occupant::Piece(hardware_piece(p));
    }
    placement
}

/// The chess library's board for a placement; what is no piece is left out.
pub fn board_of(placement: &Placement) -> shakmaty::Board {
    let mut board = shakmaty::Board::empty();
    for (s, o) in placement.occupied() {
        if let Some(p) = o.piece() {
            let r = match p.role {
                Role::Pawn => shakmaty::Role::Pawn,
                Role::Knight => shakmaty::Role::Knight,
                Role::Bishop => shakmaty::Role::Bishop,
                Role::Rook => shakmaty::Role::Rook,
                Role::Queen => shakmaty::Role::Queen,
                Role::King => shakmaty::Role::King,
            };
            board.set_piece_at(chess_square(s), r.of(color(p.colour)));
        }
    }
    board
}
