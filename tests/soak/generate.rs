// SPDX-License-Identifier: GPL-3.0-or-later
//! The games of tests/data/games.pgn, made from a seed: two players who look one move ahead, with noise,
//! so that pieces are developed, pieces are lost and mates happen. Whole numbers only: the same games on
//! every machine.

use std::fmt::Write as _;

use arbiterd_board::simulator::Chance;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, KnownOutcome, Move, Outcome, Position, Role, Square,
};

/// How many games of each kind.
const FROM_THE_START: u64 = 130;
const CHESS960: u64 = 40;
/// Each of [`STARTS`] so often.
const FROM_A_START: u64 = 2;

/// No game is longer, in half-moves.
const LONGEST: usize = 220;

/// Where other games begin: endings, pawns about to promote, castling and en passant near at hand.
const STARTS: [&str; 20] = [
    "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
    "8/8/4k3/8/8/3QK3/8/8 w - - 0 1",
    "8/8/4k3/8/8/8/8/R3K3 w Q - 0 1",
    "4k2r/8/8/8/8/8/8/4K3 b k - 0 1",
    "2r1k3/1P4P1/8/8/8/8/1p4p1/2R1K3 w - - 0 1",
    "7k/5P2/6K1/8/8/8/8/8 w - - 0 1",
    "8/5p1k/8/8/8/8/2P5/K7 w - - 0 1",
    "k7/2P5/1K6/8/8/8/8/8 w - - 0 1",
    "8/1p1p1p2/8/2P1P1Pk/K1p1p1p1/8/1P1P1P2/8 w - - 0 1",
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "8/P7/8/3k4/8/3K4/7p/8 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "8/8/2k5/8/2BB4/2K5/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
    "3qk3/8/8/8/8/8/8/3QK3 w - - 0 1",
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "8/8/8/8/5k2/8/1p4PP/6K1 b - - 0 50",
];

/// All games, as one file.
pub fn games(seed: u64) -> String {
    let mut text =
        String::from("% Made by tests/soak/generate.rs from a seed; nobody played these games.\n\n");
    let mut number = 0;
    let mut add = |position: Chess, variant: Option<&str>| {
        number += 1;
        text.push_str(&game(number, &position, variant, &mut Chance::new(seed ^ (number << 32))));
    };
    for _ in 0..FROM_THE_START {
        add(Chess::default(), None);
    }
    for fen in STARTS {
        for _ in 0..FROM_A_START {
            add(position(fen, CastlingMode::Standard), None);
        }
    }
    let mut chance = Chance::new(seed);
    for _ in 0..CHESS960 {
        add(position(&chess960(&mut chance), CastlingMode::Chess960), Some("Chess960"));
    }
    text
}

fn position(fen: &str, mode: CastlingMode) -> Chess {
    fen.parse::<Fen>().unwrap().into_position(mode).unwrap()
}

/// One of the 960: bishops on both colours, the king between the rooks.
fn chess960(chance: &mut Chance) -> String {
    let mut rank = [' '; 8];
    rank[usize::try_from(chance.below(4) * 2).unwrap()] = 'b';
    rank[usize::try_from(chance.below(4) * 2 + 1).unwrap()] = 'b';
    let mut put = |piece: char, index: u64| {
        let free: Vec<usize> = (0..8).filter(|file| rank[*file] == ' ').collect();
        rank[free[usize::try_from(index).unwrap()]] = piece;
    };
    put('q', chance.below(6));
    put('n', chance.below(5));
    put('n', chance.below(4));
    for piece in ['r', 'k', 'r'] {
        put(piece, 0);
    }
    let rank: String = rank.iter().collect();
    format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", rank.to_uppercase())
}

fn game(number: u64, start: &Chess, variant: Option<&str>, chance: &mut Chance) -> String {
    let taste = Taste::pick(chance);
    let mut position = start.clone();
    let mut stood = vec![key(&position)];
    let mut moves = Vec::new();
    while moves.len() < LONGEST && !position.is_game_over() && !is_drawn(&position, &stood) {
        let chosen = choose(&position, &taste, chance);
        let (turn, count) = (position.turn(), position.fullmoves());
        let san = SanPlus::from_move_and_play_unchecked(&mut position, chosen);
        moves.push(match turn {
            Color::White => format!("{count}. {san}"),
            Color::Black if moves.is_empty() => format!("{count}... {san}"),
            Color::Black => san.to_string(),
        });
        stood.push(key(&position));
    }
    let result = result(&position, &stood);
    let mut text = format!(
        "[Event \"Made game {number}\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n\
         [White \"White\"]\n[Black \"Black\"]\n[Result \"{result}\"]\n"
    );
    if let Some(variant) = variant {
        writeln!(text, "[Variant \"{variant}\"]").unwrap();
    }
    if variant.is_some() || *start != Chess::default() {
        let fen = Fen::from_position(start, EnPassantMode::Legal);
        writeln!(text, "[SetUp \"1\"]\n[FEN \"{fen}\"]").unwrap();
    }
    text.push('\n');
    moves.push(result.to_owned());
    text.push_str(&wrapped(&moves));
    text.push('\n');
    text
}

/// Nobody goes on until an arbiter has to end it (9.6): three times the same, or fifty moves.
fn is_drawn(position: &Chess, stood: &[String]) -> bool {
    let now = key(position);
    position.halfmoves() >= 100 || stood.iter().filter(|before| **before == now).count() >= 3
}

/// What makes two positions the same (9.2.3): everything but the counters.
fn key(position: &Chess) -> String {
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

fn result(position: &Chess, stood: &[String]) -> &'static str {
    match position.outcome() {
        Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => "1-0",
        Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => "0-1",
        Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
        Outcome::Unknown if is_drawn(position, stood) => "1/2-1/2",
        Outcome::Unknown => "*",
    }
}

/// In lines of at most eighty characters.
fn wrapped(words: &[String]) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in words {
        if width > 0 && width + 1 + word.len() > 80 {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.len();
    }
    text.push('\n');
    text
}

/// What the players of one game like, in hundredths of a pawn.
struct Taste {
    noise: u64,
    castles: i64,
    en_passant: i64,
    /// For a promotion to something else than a queen.
    modest: i64,
    stalemate: i64,
}

impl Taste {
    fn pick(chance: &mut Chance) -> Self {
        let mut sometimes = |percent, worth: i64| if chance.percent(percent) { worth } else { 0 };
        Self {
            castles: 60 + sometimes(40, 150),
            en_passant: sometimes(50, 200),
            modest: sometimes(35, 1000),
            stalemate: sometimes(10, 2000) - 300,
            noise: 40 + chance.below(160),
        }
    }
}

fn choose(position: &Chess, taste: &Taste, chance: &mut Chance) -> Move {
    let legal = position.legal_moves();
    let scored = legal.iter().map(|m| {
        let noise = i64::try_from(chance.below(taste.noise)).unwrap();
        (score(position, *m, taste) + noise, *m)
    });
    scored.max_by_key(|(score, _)| *score).expect("the game is not over").1
}

const fn worth(role: Role) -> i64 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 310,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 10_000,
    }
}

/// What the mover gains, minus what the opponent can take next.
fn score(position: &Chess, m: Move, taste: &Taste) -> i64 {
    let mut after = position.clone();
    after.play_unchecked(m);
    if after.is_checkmate() {
        return 100_000;
    }
    if after.is_stalemate() {
        return taste.stalemate;
    }
    let gained = m.capture().map_or(0, worth);
    let promoted = m.promotion().map_or(0, |role| {
        worth(role) - worth(Role::Pawn) + if role == Role::Queen { 0 } else { taste.modest }
    });
    let special = match m {
        Move::Castle { .. } => taste.castles,
        Move::EnPassant { .. } => taste.en_passant,
        _ => 0,
    };
    let check = if after.is_check() { 25 } else { 0 };
    gained + promoted + special + check + placed(position, m) - lost(&after)
}

/// How much better the piece stands: nearer to the middle, off its first rank, a pawn further on.
fn placed(position: &Chess, m: Move) -> i64 {
    let (Some(from), false) = (m.from(), m.is_castle()) else { return 0 };
    let middle = |square: Square| {
        let off = |index: i64| (2 * index - 7).abs();
        -off(i64::from(u32::from(square.file()))) - off(i64::from(u32::from(square.rank())))
    };
    let forward = |square: Square| {
        let rank = i64::from(u32::from(square.rank()));
        if position.turn() == Color::White { rank } else { 7 - rank }
    };
    let few = position.board().occupied().count() < 12;
    match m.role() {
        Role::Pawn if few => 25 * (forward(m.to()) - forward(from)),
        Role::Pawn => 4 * (middle(m.to()) - middle(from)) + 5 * (forward(m.to()) - forward(from)),
        Role::King if !few => -30,
        Role::Knight | Role::Bishop if forward(from) == 0 => 25 + 4 * (middle(m.to()) - middle(from)),
        Role::Queen | Role::Rook if !few => middle(m.to()) - middle(from),
        _ => 4 * (middle(m.to()) - middle(from)),
    }
}

/// The most that the player to move can win by one capture, if what is defended is taken back.
fn lost(after: &Chess) -> i64 {
    let captures = after.legal_moves();
    let won = captures.iter().filter(|m| m.is_capture() || m.is_promotion()).map(|m| {
        let defended =
            !(after.board().attacks_to(m.to(), !after.turn(), after.board().occupied())).is_empty();
        let won = m.capture().map_or(0, worth) + m.promotion().map_or(0, |role| worth(role) - 100);
        if defended { won - worth(m.role()) } else { won }
    });
    won.max().unwrap_or(0).max(0)
}
