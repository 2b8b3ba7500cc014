// SPDX-License-Identifier: GPL-3.0-or-later
//! A game of a PGN file, as hands play it on a board.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use arbiterd_board::{Colour, Placement};
use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, CastlingSide, Chess, EnPassantMode, Position};

use super::{Move, RookMove, pgn};
use crate::board::{colour, hardware_piece, hardware_square, placement_of};

/// More than a tournament of games, in bytes.
const LONGEST_FILE: u64 = 10_000_000;

/// Why a game cannot be played. Games are counted from one.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no file of games.
    #[error("{} is longer than {} MB: take the game out into a file of its own", path.display(), LONGEST_FILE / 1_000_000)]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// It has fewer games.
    #[error("{} has no game {wanted}, for it holds {found}: choose another game, or another file", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// How many games it has.
        found: usize,
        /// The one that was wanted.
        wanted: usize,
    },
    /// Something in the game is wrong.
    #[error("{}, game {game}, {place}: {what}; correct the file, or choose another game if this is not wanted", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The game.
        game: usize,
        /// The move, as `move 3 of Black`, or the tag.
        place: String,
        /// What is wrong with it.
        what: String,
    },
}

/// A move of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The number of the move, as players count.
    pub number: u32,
    /// Who moves.
    pub by: Colour,
    /// The move as the file writes it.
    pub san: String,
    /// The move in the chess library's words.
    pub chosen: shakmaty::Move,
    /// What hands do.
    pub hands: Move,
}

/// A legal game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// The position before the first move.
    pub position: Chess,
    /// What stands on the board before the first move.
    pub start: Placement,
    /// Who begins.
    pub begins: Colour,
    /// The moves of the main line.
    pub moves: Vec<Played>,
}

impl Game {
    /// A game that has not begun.
    pub fn at(position: &Chess) -> Self {
        Self {
            position: position.clone(),
            start: placement_of(position.board()),
            begins: colour(position.turn()),
            moves: Vec::new(),
        }
    }

    /// Plays `chosen`, which is legal in `position`, and writes it down as `san`.
    pub fn play(&mut self, position: &mut Chess, chosen: shakmaty::Move, san: String) {
        let (number, by) = (position.fullmoves().get(), colour(position.turn()));
        self.moves.push(Played { number, by, san, chosen, hands: Move::of(position, chosen) });
        position.play_unchecked(chosen);
    }

    /// Reads all games of a file: see [`Game::load`].
    ///
    /// # Errors
    /// [`GameError`] for the first that is wrong, or if there is none.
    pub fn load_all(path: &Path) -> Result<Vec<Self>, GameError> {
        let text = text_of(path)?;
        let count = pgn::games(&text).len().max(1);
        (1..=count).map(|number| Self::read(&text, path, number)).collect()
    }

    /// Reads the game with this number, counted from one, and holds that each move is legal.
    /// Variations and comments are passed over.
    ///
    /// # Errors
    /// [`GameError`]; a file of more than ten megabytes is refused.
    pub fn load(path: &Path, number: usize) -> Result<Self, GameError> {
        Self::read(&text_of(path)?, path, number)
    }

    fn read(text: &str, path: &Path, number: usize) -> Result<Self, GameError> {
        let games = pgn::games(text);
        let wanted = number.checked_sub(1).and_then(|index| games.get(index));
        let Some(written) = wanted else {
            return Err(GameError::Missing { path: path.to_owned(), found: games.len(), wanted: number });
        };
        legal(written).map_err(|Wrong { place, what }| GameError::Wrong {
            path: path.to_owned(),
            game: number,
            place,
            what,
        })
    }
}

fn text_of(path: &Path) -> Result<String, GameError> {
    let unreadable = |source| GameError::File { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    // A device can go on for ever.
    File::open(path)
        .and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LONGEST_FILE) {
        return Err(GameError::TooLong { path: path.to_owned() });
    }
    // Old files have names in Latin-1; moves and tags that count are ASCII.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What is wrong, and where.
struct Wrong {
    place: String,
    what: String,
}

fn legal(written: &pgn::Written) -> Result<Game, Wrong> {
    let mut position = start(&written.tags)?;
    let mut game = Game::at(&position);
    for word in &written.moves {
        let (number, by) = (position.fullmoves().get(), colour(position.turn()));
        let wrong = |what: &dyn Display| Wrong {
            place: format!("move {number} of {by:?}"),
            what: format!("{word}: {what}"),
        };
        let san: SanPlus = word.parse().map_err(|_| wrong(&unreadable(word)))?;
        let chosen = san.san.to_move(&position).map_err(|error| {
            wrong(&format!("{error} in {}", Fen::from_position(&position, EnPassantMode::Legal)))
        })?;
        game.play(&mut position, chosen, san.to_string());
    }
    Ok(game)
}

/// Zeros may be castling or a result by which both lose, so they are not guessed at.
fn unreadable(word: &str) -> &'static str {
    if word.starts_with("0-0") {
        "this cannot be read as a move; castling is written with the letter O"
    } else {
        "this cannot be read as a move"
    }
}

/// The position of the tags, or that in which every game begins.
fn start(tags: &[(String, String)]) -> Result<Chess, Wrong> {
    let tag = |name: &str| tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
    if let Some(variant) = tag("Variant").filter(|v| !KNOWN.iter().any(|s| v.eq_ignore_ascii_case(s))) {
        let what = format!("{variant} is not played on this board");
        return Err(Wrong { place: "tag Variant".to_owned(), what });
    }
    let Some(fen) = tag("FEN") else { return Ok(Chess::default()) };
    let wrong = |what: String| Wrong { place: "tag FEN".to_owned(), what };
    let fen: Fen = fen.parse().map_err(|e: ParseFenError| wrong(e.to_string()))?;
    // As a table does it, whatever the variant is called.
    let mode = CastlingMode::detect(fen.as_setup());
    fen.into_position(mode).map_err(|e| wrong(e.to_string()))
}

/// What is played with these pieces under these rules, as files call it; Chess960 begins at its FEN.
const KNOWN: [&str; 6] = ["Standard", "From Position", "Chess", "Chess960", "Fischerandom", "Fischer Random"];

impl Move {
    /// What hands do who play `chosen`, which is legal in `position`.
    pub fn of(position: &Chess, chosen: shakmaty::Move) -> Self {
        let turn = position.turn();
        let piece = |role: shakmaty::Role| hardware_piece(role.of(turn));
        let quiet = |role, from, to| Self::quiet(piece(role), hardware_square(from), hardware_square(to));
        match chosen {
            shakmaty::Move::Normal { role, from, capture, to, promotion } => Self {
                captured: capture.map(|_| hardware_square(to)),
                ..quiet(promotion.unwrap_or(role), from, to)
            },
            shakmaty::Move::EnPassant { from, to } => Self {
                captured: Some(hardware_square(shakmaty::Square::from_coords(to.file(), from.rank()))),
                ..quiet(shakmaty::Role::Pawn, from, to)
            },
            shakmaty::Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(rook > king);
                let (king_to, rook_to) = (side.king_to(turn), side.rook_to(turn));
                let rook = RookMove { from: hardware_square(rook), to: hardware_square(rook_to) };
                Self { rook: Some(rook), ..quiet(shakmaty::Role::King, king, king_to) }
            }
            // No piece is dropped in chess; the square is where it would be set down.
            shakmaty::Move::Put { role, to } => quiet(role, to, to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Act;

    fn read(text: &str, number: usize) -> Result<Game, String> {
        Game::read(text, Path::new("games.pgn"), number).map_err(|e| e.to_string())
    }

    fn acts(game: &Game, index: usize) -> Vec<String> {
        let act = |act| match act {
            Act::Lift(square) => format!("-{square}"),
            Act::Place(square, piece) => format!("{}{square}", piece.letter()),
            other => format!("{other:?}"),
        };
        game.moves[index].hands.acts().into_iter().map(act).collect()
    }

    #[test]
    fn a_file_without_end_is_refused() {
        let error = Game::load(Path::new("/dev/zero"), 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/dev/zero is longer than 10 MB: take the game out into a file of its own"
        );
    }

    #[test]
    fn every_kind_of_move_is_done_by_hands() {
        // 4. exd6 takes the pawn on d5 in passing.
        let text = "1. e4 Nf6 2. Bc4 Na6 3. e5 d5 4. exd6 Qxd6 5. Nf3 Bf5 6. O-O O-O-O *";
        let game = read(text, 1).unwrap();
        assert_eq!(acts(&game, 6), ["-d5", "-e5", "Pd6"]);
        assert_eq!(acts(&game, 7), ["-d6", "-d8", "qd6"]);
        assert_eq!(acts(&game, 10), ["-e1", "Kg1", "-h1", "Rf1"]);
        assert_eq!(acts(&game, 11), ["-e8", "kc8", "-a8", "rd8"]);
        assert_eq!((game.moves[11].number, game.moves[11].by), (6, Colour::Black));
    }

    #[test]
    fn the_position_of_the_file_is_the_start() {
        let text = "[FEN \"2b1k3/1P6/8/8/8/8/8/4K3 b - - 0 30\"]\n\n30... Ke7 31. bxc8=N+ {a fork} (31. b8=Q) 31... Kf6 *";
        let game = read(text, 1).unwrap();
        assert_eq!(game.start.to_string(), "2b1k3/1P6/8/8/8/8/8/4K3");
        assert_eq!(game.begins, Colour::Black);
        assert_eq!(acts(&game, 1), ["-c8", "-b7", "Nc8"]);
        assert_eq!(game.moves[1].number, 31);
        assert_eq!(game.moves.len(), 3);
    }

    #[test]
    fn castling_of_chess960_is_done_by_hands() {
        // The king goes where the rook stood; the other's rook goes round a king that stays.
        let text = "[Variant \"Chess960\"]\n[FEN \"6kr/6pp/8/8/8/8/8/5KR1 w Gh - 0 1\"]\n\n1. O-O *";
        let game = read(text, 1).unwrap();
        assert_eq!(acts(&game, 0), ["-f1", "-g1", "Kg1", "Rf1"]);
        let text = "[Variant \"Chess960\"]\n[FEN \"6kr/6pp/8/8/8/8/P7/4KR2 b h - 0 1\"]\n\n1... O-O *";
        let game = read(text, 1).unwrap();
        assert_eq!(acts(&game, 0), ["-h8", "rf8"]);
    }

    #[test]
    fn what_cannot_be_played_is_refused_with_its_place() {
        let two = "1. e4 e5 1-0\n\n[Event \"second\"]\n\n1. d4 d5 2. Bf4 Nd3 *\n";
        assert_eq!(read(two, 1).unwrap().moves.len(), 2);
        let said = read(two, 2).unwrap_err();
        assert!(said.contains("games.pgn, game 2, move 2 of Black: Nd3"), "{said}");
        assert!(read(two, 3).unwrap_err().contains("games.pgn has no game 3, for it holds 2"));
        assert!(read("", 1).unwrap_err().contains("games.pgn has no game 1, for it holds 0"));
        assert!(read(two, 0).is_err());
        let said = read("1. e4 e5 2. Nf3 Zc6 *", 1).unwrap_err();
        assert!(said.contains("move 2 of Black: Zc6: this cannot be read as a move"), "{said}");
        let said = read("[FEN \"8/8/8/8 w\"]\n\n1. e4 *", 1).unwrap_err();
        assert!(said.contains("tag FEN"), "{said}");
        let said = read("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 *", 1).unwrap_err();
        assert!(said.contains("move 4 of White: 0-0") && said.contains("with the letter O"), "{said}");
        assert!(read("[Variant \"Atomic\"]\n\n1. e4 *", 1).unwrap_err().contains("Atomic"));
    }
}
