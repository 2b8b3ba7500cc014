// SPDX-License-Identifier: GPL-3.0-or-later
//! Games of random legal moves, in which what is rare in games is less rare.

use arbiterd_board::simulator::Chance;
use shakmaty::san::San;
use shakmaty::{Chess, Move, Position, Role};

use crate::sim::Game;

/// A game of at most so many half-moves, which ends with mate, stalemate or bare pieces if they
/// come first.
pub fn game(chance: &mut Chance, longest: usize) -> Game {
    let mut position = Chess::default();
    let mut game = Game::at(&position);
    go_on(&mut game, &mut position, chance, longest);
    game
}

/// Goes on with a game in which `position` was reached, until it has so many half-moves at most.
pub fn go_on(game: &mut Game, position: &mut Chess, chance: &mut Chance, longest: usize) {
    while game.moves.len() < longest && !position.is_game_over() {
        let Some(chosen) = choose(position, chance) else { return };
        let san = San::from_move(position, chosen).to_string();
        game.play(position, chosen, san);
    }
}

fn choose(position: &Chess, chance: &mut Chance) -> Option<Move> {
    let legal = position.legal_moves();
    let total: u64 = legal.iter().map(weight).sum();
    let mut left = chance.below(total);
    legal.iter().copied().find(|m| {
        let hit = left < weight(m);
        left = left.saturating_sub(weight(m));
        hit
    })
}

/// How likely a move is, beside a quiet one of a piece.
fn weight(m: &Move) -> u64 {
    match m {
        Move::Castle { .. } => 20,
        Move::EnPassant { .. } => 20,
        m if m.is_promotion() => 4,
        m if m.is_capture() => 3,
        m if m.role() == Role::Pawn => 2,
        // A king that walks about leaves castling to nobody.
        m if m.role() == Role::King => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_is_the_same_game_and_another_is_not() {
        let of = |seed| game(&mut Chance::new(seed), 60);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn what_is_rare_comes_about() {
        let games: Vec<Game> = (0..40).map(|seed| game(&mut Chance::new(seed), 120)).collect();
        let any = |wanted: fn(&Move) -> bool| games.iter().flat_map(|g| &g.moves).any(|m| wanted(&m.chosen));
        assert!(any(|m| m.is_castle()) && any(|m| m.is_en_passant()) && any(|m| m.is_promotion()));
    }
}
