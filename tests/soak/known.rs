// SPDX-License-Identifier: GPL-3.0-or-later
//! The games of tests/data/games.pgn: legal games, in which everything that is rare comes about.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arbiterd::sim::{Game, Played};
use shakmaty::{CastlingMode, CastlingSide, Chess, Move, Position, Role};

use super::generate::games;

/// Nothing depends on the number itself.
const SEED: u64 = 5;

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games.pgn")
}

/// Writes the file anew: `cargo test --test soak -- --ignored write_the_games`.
#[test]
#[ignore = "writes tests/data/games.pgn"]
fn write_the_games() {
    std::fs::write(file(), games(SEED)).unwrap();
}

#[test]
fn the_games_are_those_that_are_made() {
    // Not by assert_eq!, which would print both files.
    assert!(std::fs::read_to_string(file()).unwrap() == games(SEED), "write the games anew, see known.rs");
}

fn last(game: &Game) -> Chess {
    let mut position = game.position.clone();
    for played in &game.moves {
        position.play_unchecked(played.chosen);
    }
    position
}

/// What is rare about a move.
fn rare(played: &Played) -> Option<&'static str> {
    match played.chosen {
        Move::Castle { king, rook } => match CastlingSide::from_king_side(rook > king) {
            CastlingSide::KingSide => Some("castling king's side"),
            CastlingSide::QueenSide => Some("castling queen's side"),
        },
        Move::EnPassant { .. } => Some("en passant"),
        m => match m.promotion()? {
            Role::Queen => Some("a queen"),
            Role::Rook => Some("a rook"),
            Role::Bishop => Some("a bishop"),
            _ => Some("a knight"),
        },
    }
}

#[test]
fn what_is_rare_comes_about_in_the_games() {
    let games = Game::load_all(&file()).unwrap();
    assert!(games.len() >= 200);
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let mut note = |what| *found.entry(what).or_default() += 1;
    for game in &games {
        game.moves.iter().filter_map(rare).for_each(&mut note);
        let chess960 = game.position.castles().mode() == CastlingMode::Chess960;
        if chess960 && game.moves.iter().any(|played| played.chosen.is_castle()) {
            note("castling in Chess960");
        } else if game.position != Chess::default() {
            note("another start");
        }
        let last = last(game);
        if last.is_checkmate() {
            note("mate");
        } else if last.is_stalemate() {
            note("stalemate");
        }
        if game.moves.len() > 150 {
            note("a long game");
        }
    }
    let rare = [
        ("castling king's side", 50),
        ("castling queen's side", 20),
        ("en passant", 20),
        ("a queen", 20),
        ("a rook", 5),
        ("a bishop", 5),
        ("a knight", 5),
        ("castling in Chess960", 10),
        ("another start", 40),
        ("mate", 50),
        ("stalemate", 3),
        ("a long game", 10),
    ];
    for (what, least) in rare {
        assert!(found.get(what).is_some_and(|count| *count >= least), "{what}: {found:?}");
    }
}
