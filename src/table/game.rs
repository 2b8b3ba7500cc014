// SPDX-License-Identifier: GPL-3.0-or-later
//! The record of a game: completed half-moves, what stands, and what has been counted.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arbiterd_board::{Colour, Mono, Square, Stamp};
use shakmaty::{CastlingMode, Move};

use super::{Completion, GameResult, Reader, Standing, Start};
use crate::board::{Change, colour};

/// What a completed half-move was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlyBody {
    /// A legal move.
    Legal(Move),
    /// A piece was moved from one square to another as the Laws do not allow.
    Irregular {
        /// From here.
        from: Square,
        /// To here.
        to: Square,
    },
}

/// A completed half-move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// What stood before it: what a ruling restores.
    pub before: Standing,
    /// The move.
    pub body: PlyBody,
    /// Who made it.
    pub by: Colour,
    /// How it was completed.
    pub completion: Completion,
    /// When it was completed.
    pub at: Stamp,
    /// White's and Black's time after it, where known.
    pub clock: Option<[Duration; 2]>,
    /// The changes on the board that it consisted of.
    pub changes: Vec<Change>,
    /// The facts that completed it.
    pub facts: Vec<u64>,
    /// Its order within the changes was not seen: nothing is ruled from it.
    pub inferred: bool,
    /// A second look at the whole board agreed, where it accuses somebody.
    pub confirmed: bool,
    /// Whether board and clock were in sight all the while since its player had the move: then what they did not show
    /// did not happen.
    pub watched: Watched,
}

/// Whether what was not shown is known not to have happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watched {
    /// On the board.
    pub board: bool,
    /// On the clock.
    pub clock: bool,
}

impl Watched {
    /// Both, all the while.
    pub const ALL: Self = Self { board: true, clock: true };
    /// Neither: somebody told what happened.
    pub const NOTHING: Self = Self { board: false, clock: false };

    /// All that both were.
    pub const fn and(self, other: Self) -> Self {
        Self { board: self.board && other.board, clock: self.clock && other.clock }
    }
}

impl Ply {
    /// When the board told that it was made; zero if that was not seen.
    pub fn made(&self) -> Mono {
        self.changes.last().map_or(Mono::ZERO, |last| last.received)
    }

    /// In UCI notation, castling by the king's squares.
    pub fn uci(&self, mode: CastlingMode) -> String {
        match self.body {
            PlyBody::Legal(m) => m.to_uci(mode).to_string(),
            PlyBody::Irregular { from, to } => format!("{from}{to}"),
        }
    }

    /// The square that the moved piece came from.
    pub fn from(&self) -> Option<Square> {
        match self.body {
            PlyBody::Legal(m) => m.from().map(crate::board::hardware_square),
            PlyBody::Irregular { from, .. } => Some(from),
        }
    }

    /// The move, if it was a legal one.
    pub const fn legal(&self) -> Option<Move> {
        match self.body {
            PlyBody::Legal(m) => Some(m),
            PlyBody::Irregular { .. } => None,
        }
    }

    /// Whether it was no legal move.
    pub const fn is_irregular(&self) -> bool {
        matches!(self.body, PlyBody::Irregular { .. })
    }

    /// Whether a square read to and fro on the way to it.
    pub fn is_disturbed(&self) -> bool {
        self.changes.iter().any(|c| c.disturbed)
    }

    /// Every fact that it rests on.
    pub fn evidence(&self) -> Vec<u64> {
        self.changes.iter().map(|c| c.fact).chain(self.facts.iter().copied()).collect()
    }
}

/// What follows from the position, and is kept only to be quick: whether it is there tells nothing.
#[derive(Clone, Default)]
struct Kept(OnceLock<Arc<Reader>>);

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kept")
    }
}

/// A game.
#[derive(Clone, Debug)]
pub struct Game {
    mode: CastlingMode,
    standing: Standing,
    /// Made when it is first asked: what may be played from `standing`.
    reader: Kept,
    plies: Vec<Ply>,
    /// After how many half-moves the arbiter accepted a position that did not follow from them, ascending.
    accepted: Vec<usize>,
    /// Illegal moves counted, White's and Black's.
    pub illegal: [u8; 2],
    /// The result.
    pub result: GameResult,
    /// Goes up with everything that changes the record.
    pub revision: u64,
}

impl Game {
    /// A game that begins at `start`.
    pub fn new(start: &Start, illegal: [u8; 2]) -> Self {
        Self {
            mode: start.mode(),
            standing: start.standing().clone(),
            reader: Kept::default(),
            plies: Vec::new(),
            accepted: Vec::new(),
            illegal,
            result: GameResult::Open,
            revision: 0,
        }
    }

    /// How castling is written and found.
    pub const fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// What stands after the last completed half-move.
    pub const fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Explains what stands from there.
    pub fn reader(&self) -> &Reader {
        self.reader.0.get_or_init(|| Arc::new(Reader::new(&self.standing, self.mode)))
    }

    fn stand(&mut self, standing: Standing) {
        self.standing = standing;
        self.reader = Kept::default();
        self.revision += 1;
    }

    /// Who has the move.
    pub fn turn(&self) -> Colour {
        colour(self.standing.turn())
    }

    /// The completed half-moves.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Whether a result stands.
    pub fn over(&self) -> bool {
        self.result != GameResult::Open
    }

    /// Adds a half-move, after which `after` stands.
    pub fn push(&mut self, ply: Ply, after: Standing) {
        let reader = match ply.body {
            PlyBody::Legal(m) => self.reader().after(m).cloned(),
            PlyBody::Irregular { .. } => None,
        };
        self.stand(after);
        if let Some(reader) = reader {
            self.reader.0.get_or_init(|| reader);
        }
        self.plies.push(ply);
    }

    /// What stood after so many half-moves, as far as the record reaches.
    pub fn standing_after(&self, plies: usize) -> Option<&Standing> {
        match self.plies.get(plies) {
            Some(next) => Some(&next.before),
            None => (plies == self.plies.len()).then_some(&self.standing),
        }
    }

    /// Whether what stood after so many half-moves was accepted by the arbiter and does not follow from
    /// them.
    pub fn was_accepted(&self, plies: usize) -> bool {
        self.accepted.contains(&plies)
    }

    /// Plays on from `standing`, whatever led to it. Half-moves before stay in the record with what
    /// stood before each of them.
    pub fn accept(&mut self, standing: Standing) {
        self.stand(standing);
        if !self.was_accepted(self.plies.len()) {
            self.accepted.push(self.plies.len());
        }
    }

    /// A person says that a half-move was made as it was seen.
    pub fn confirm(&mut self, index: usize) {
        if let Some(ply) = self.plies.get_mut(index) {
            ply.confirmed = true;
        }
    }

    /// Takes half-moves back until `remaining` are left.
    pub fn take_back(&mut self, remaining: usize) {
        if let Some(first) = self.plies.get(remaining) {
            let before = first.before.clone();
            self.plies.truncate(remaining);
            self.accepted.retain(|&at| at <= remaining);
            self.stand(before);
        }
    }

    /// Puts others in the place of the half-moves from `from` on; what was accepted there stays so.
    pub fn amend(&mut self, from: usize, plies: Vec<Ply>, standing: Standing) {
        self.plies.truncate(from);
        self.plies.extend(plies);
        self.stand(standing);
    }
}

/// Where a player's entry stands in a pair: White first.
pub const fn side_index(c: Colour) -> usize {
    match c {
        Colour::White => 0,
        Colour::Black => 1,
    }
}

/// The other player.
pub const fn opponent(c: Colour) -> Colour {
    match c {
        Colour::White => Colour::Black,
        Colour::Black => Colour::White,
    }
}
