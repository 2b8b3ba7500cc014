// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log in the board's memory: a ring, written with every change that a scan sees and with
//! every turn of the clock's lever, whatever the mode (topic: EEPROM log). Bus mode tells its
//! changes from here.

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{ClockSide, Mono, Occupant, Placement, Square};

use crate::log::{LONGEST_LOG, Record};
use crate::wire;

/// What the ring holds beside the mark of its end.
const CAPACITY: usize = LONGEST_LOG - 1;
/// What the ring holds before anything was written, and what stands before a power-up.
const FILLER: u8 = 0x7f;

/// Two records of pieces that lie closer than this are marked.
const SOON: Duration = Duration::from_millis(250);
/// A piece that is off its square no longer than this flickers, and is not recorded again.
const FLICKER: Duration = Duration::from_millis(500);
/// Levers turned faster than this are not all recorded. The description has no number.
const FAST: Duration = Duration::from_millis(250);
/// So many pieces may be off the initial position before it counts as a new game.
const FEW: usize = 2;

/// The last record, if it is of a piece and no host has fetched it yet.
#[derive(Clone, Copy, Debug)]
struct LastPiece {
    at: Mono,
    square: Square,
    /// The piece that came or went.
    piece: Occupant,
    soon: bool,
}

/// The ring and what bus mode has fetched of it. Positions count all bytes ever written.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    ring: VecDeque<u8>,
    written: u64,
    fetched: u64,
    game: Option<u64>,
    last_packet: Vec<u8>,
    last: Option<LastPiece>,
    last_piece_at: Option<Mono>,
    last_clock_at: Option<Mono>,
    written_at: Option<Mono>,
    /// The tag of the initial position may be written again.
    armed: bool,
    was_empty: bool,
    had_four_rows: bool,
}

impl Memory {
    /// A new memory, full of filler.
    pub(super) fn new() -> Self {
        Self {
            ring: core::iter::repeat_n(FILLER, CAPACITY).collect(),
            written: 0,
            fetched: 0,
            game: None,
            last_packet: Vec::new(),
            last: None,
            last_piece_at: None,
            last_clock_at: None,
            written_at: None,
            armed: true,
            was_empty: false,
            had_four_rows: false,
        }
    }

    // ----- what is written ----------------------------------------------------------------

    /// The board was switched on: three fillers, a tag, each piece.
    pub(super) fn power_up(&mut self, now: Mono, placement: &Placement) {
        self.push(&[FILLER; 3]);
        self.write(now, Record::PowerUp);
        self.pieces(now, placement);
        self.armed = true;
        self.was_empty = false;
        self.had_four_rows = false;
        self.position(now, placement);
    }

    /// A host marks the start of a game.
    pub(super) fn start_game(&mut self, now: Mono, placement: &Placement) {
        self.game = Some(self.written);
        self.write(now, Record::StartTag);
        self.pieces(now, placement);
    }

    /// All pieces, written in one go and so marked as following each other soon.
    fn pieces(&mut self, now: Mono, placement: &Placement) {
        for square in wire::raw_order().filter(|square| placement[*square] != Occupant::Empty) {
            self.write(now, Record::Piece { square, occupant: placement[square], soon: true });
        }
        self.last_piece_at = Some(now);
    }

    /// A scan saw a change.
    pub(super) fn change(&mut self, now: Mono, square: Square, before: Occupant, after: Occupant) {
        let piece = if after == Occupant::Empty { before } else { after };
        let flickers = self.last.filter(|last| {
            let same = last.square == square && last.piece == piece;
            same && now.since(last.at) <= FLICKER && (before == Occupant::Empty || after == Occupant::Empty)
        });
        // The mark stays as it was: it tells of the record before.
        let soon = flickers
            .map_or_else(|| self.last_piece_at.is_some_and(|at| now.since(at) < SOON), |last| last.soon);
        if flickers.is_some() {
            self.take_back(2);
        }
        self.write(now, Record::Piece { square, occupant: after, soon });
        self.last_piece_at = Some(now);
        self.last = Some(LastPiece { at: now, square, piece, soon });
    }

    /// The tags that a position deserves after a scan that saw changes.
    pub(super) fn position(&mut self, now: Mono, placement: &Placement) {
        let start = initial_position();
        let away = start.occupied().filter(|(s, o)| placement[*s] != *o).count();
        let away_turned = start.rotated().occupied().filter(|(s, o)| placement[*s] != *o).count();
        self.armed |= away.min(away_turned) > FEW;
        for (position, record) in
            [(start, Record::BeginPosition), (start.rotated(), Record::BeginPositionTurned)]
        {
            if *placement == position && self.armed {
                self.write(now, record);
                self.armed = false;
            }
        }
        let empty = *placement == Placement::EMPTY;
        if empty && !self.was_empty {
            self.write(now, Record::EmptyBoard);
        }
        self.was_empty = empty;
        let four_rows = has_four_rows(placement);
        if four_rows && !self.had_four_rows {
            self.write(now, Record::FourRows);
        }
        self.had_four_rows = four_rows;
    }

    /// The lever was turned: the time of the side that stopped.
    pub(super) fn lever(&mut self, now: Mono, side: ClockSide, remaining: Duration) {
        if self.last_clock_at.is_some_and(|at| now.since(at) < FAST) {
            return;
        }
        self.last_clock_at = Some(now);
        self.write(now, Record::Time { side, remaining });
    }

    fn write(&mut self, now: Mono, record: Record) {
        let mut bytes = Vec::new();
        record.write(&mut bytes);
        self.push(&bytes);
        self.written_at = Some(now);
        self.last = None;
    }

    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.ring.pop_front();
            self.ring.push_back(*byte);
            self.written += 1;
        }
    }

    /// Bytes that were just written are written over next. What they pushed out of the ring does
    /// not come back.
    fn take_back(&mut self, bytes: u64) {
        for _ in 0..bytes {
            self.ring.pop_back();
            self.ring.push_front(FILLER);
        }
        self.written = self.written.saturating_sub(bytes);
    }

    // ----- what is read -------------------------------------------------------------------

    /// When something was last written.
    pub(super) const fn written_at(&self) -> Option<Mono> {
        self.written_at
    }

    /// The whole ring, closed by the mark of its end. That it was read is written down.
    pub(super) fn download(&mut self, now: Mono) -> Vec<u8> {
        let mut dump = self.ring.iter().copied().collect();
        Record::End.write(&mut dump);
        self.write(now, Record::Downloaded);
        dump
    }

    /// What was written since the last call.
    pub(super) fn changes(&mut self) -> Vec<u8> {
        self.last_packet = self.between(self.fetched, self.written);
        self.fetched = self.written;
        // What a host has is not written over.
        self.last = None;
        self.last_packet.clone()
    }

    /// What the last call of [`Memory::changes`] gave.
    pub(super) fn repeated(&self) -> Vec<u8> {
        self.last_packet.clone()
    }

    /// What was written from the start of the game up to what was fetched. Without a start there
    /// is nothing.
    pub(super) fn since_start(&self) -> Vec<u8> {
        self.game.map(|start| self.between(start, self.fetched)).unwrap_or_default()
    }

    /// Bytes by their positions; what the ring no longer holds is missing.
    fn between(&self, from: u64, to: u64) -> Vec<u8> {
        let capacity = u64::try_from(self.ring.len()).unwrap_or(u64::MAX);
        let held = |position: u64| {
            let back = self.written.saturating_sub(position).min(capacity);
            usize::try_from(capacity - back).unwrap_or(usize::MAX)
        };
        let (skipped, end) = (held(from), held(to));
        self.ring.iter().copied().take(end).skip(skipped).collect()
    }
}

fn initial_position() -> Placement {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR".parse().unwrap_or_default()
}

/// The rows A, B, G and H, counted along the connector's axis, are full (topic: EEPROM log). The
/// description is not sure of it.
fn has_four_rows(placement: &Placement) -> bool {
    let outer = |square: &Square| matches!(square.file(), 0 | 1 | 6 | 7);
    Square::all().filter(outer).all(|square| placement[square] != Occupant::Empty)
}
