// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log in the board's memory: a ring, written with every change that a scan sees and with
//! every turn of the clock's lever, whatever the mode (topic: EEPROM log). Bus mode tells its
//! changes from here.

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{ClockSide, Mono, Occupant, Placement, Square};

use crate::wire::{self, hours_minutes_seconds};

/// What the ring holds beside the mark of its end: 0x1f00 bytes in all.
const CAPACITY: usize = 0x1eff;

/// Two records of pieces that lie closer than this are marked.
const SOON: Duration = Duration::from_millis(250);
/// A piece that is off its square no longer than this flickers, and is not recorded again.
const FLICKER: Duration = Duration::from_millis(500);
/// Levers turned faster than this are not all recorded. The description has no number.
const FAST: Duration = Duration::from_millis(250);
/// So many pieces may be off the initial position before it counts as a new game.
const FEW: usize = 2;

mod tag {
    pub(super) const FILLER: u8 = 0x7f;
    pub(super) const PIECE: u8 = 0x40;
    pub(super) const SOON: u8 = 0x10;
    pub(super) const RIGHT_TIME: u8 = 0x60;
    pub(super) const LEFT_TIME: u8 = 0x70;
    pub(super) const POWER_UP: u8 = 0x6a;
    pub(super) const END: u8 = 0x6b;
    pub(super) const FOUR_ROWS: u8 = 0x6c;
    pub(super) const EMPTY_BOARD: u8 = 0x6d;
    pub(super) const DOWNLOADED: u8 = 0x6e;
    pub(super) const BEGIN: u8 = 0x6f;
    pub(super) const BEGIN_TURNED: u8 = 0x7a;
    pub(super) const START: u8 = 0x7b;
}

/// The last record, if it is of a piece and no host has fetched it yet.
#[derive(Clone, Copy, Debug)]
struct LastPiece {
    at: Mono,
    square: Square,
    /// The piece that came or went.
    piece: Occupant,
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
            ring: core::iter::repeat_n(tag::FILLER, CAPACITY).collect(),
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
        self.write(now, &[tag::FILLER, tag::FILLER, tag::FILLER, tag::POWER_UP]);
        self.pieces(now, placement);
        self.armed = true;
        self.was_empty = false;
        self.had_four_rows = false;
        self.position(now, placement);
    }

    /// A host marks the start of a game.
    pub(super) fn start_game(&mut self, now: Mono, placement: &Placement) {
        self.game = Some(self.written);
        self.write(now, &[tag::START]);
        self.pieces(now, placement);
    }

    /// All pieces, written in one go and so marked as following each other soon.
    fn pieces(&mut self, now: Mono, placement: &Placement) {
        for square in wire::raw_order().filter(|square| placement[*square] != Occupant::Empty) {
            let code = wire::piece_code(placement[square]);
            self.write(now, &[tag::PIECE | tag::SOON | code, wire::raw_square(square)]);
        }
        self.last_piece_at = Some(now);
    }

    /// A scan saw a change.
    pub(super) fn change(&mut self, now: Mono, square: Square, before: Occupant, after: Occupant) {
        let soon = self.last_piece_at.is_some_and(|at| now.since(at) < SOON);
        let piece = if after == Occupant::Empty { before } else { after };
        let overwrites = self.last.is_some_and(|last| {
            let same = last.square == square && last.piece == piece;
            same && now.since(last.at) <= FLICKER && (before == Occupant::Empty || after == Occupant::Empty)
        });
        let code = tag::PIECE | wire::piece_code(after);
        if overwrites {
            // The mark of the record stays as it was: it tells of the record before it.
            if let Some(first) = self.ring.iter_mut().rev().nth(1) {
                *first = code | (*first & tag::SOON);
            }
            self.written_at = Some(now);
        } else {
            let mark = if soon { tag::SOON } else { 0 };
            self.write(now, &[code | mark, wire::raw_square(square)]);
        }
        self.last_piece_at = Some(now);
        self.last = Some(LastPiece { at: now, square, piece });
    }

    /// The tags that a position deserves after a scan that saw changes.
    pub(super) fn position(&mut self, now: Mono, placement: &Placement) {
        let start = initial_position();
        let away = start.occupied().filter(|(s, o)| placement[*s] != *o).count();
        let away_turned = start.rotated().occupied().filter(|(s, o)| placement[*s] != *o).count();
        self.armed |= away.min(away_turned) > FEW;
        for (position, tag) in [(start, tag::BEGIN), (start.rotated(), tag::BEGIN_TURNED)] {
            if *placement == position && self.armed {
                self.write(now, &[tag]);
                self.armed = false;
            }
        }
        let empty = *placement == Placement::EMPTY;
        if empty && !self.was_empty {
            self.write(now, &[tag::EMPTY_BOARD]);
        }
        self.was_empty = empty;
        let four_rows = has_four_rows(placement);
        if four_rows && !self.had_four_rows {
            self.write(now, &[tag::FOUR_ROWS]);
        }
        self.had_four_rows = four_rows;
    }

    /// The lever was turned: the time of the side that stopped.
    pub(super) fn lever(&mut self, now: Mono, side: ClockSide, remaining: Duration) {
        if self.last_clock_at.is_some_and(|at| now.since(at) < FAST) {
            return;
        }
        self.last_clock_at = Some(now);
        let tag = match side {
            ClockSide::Left => tag::LEFT_TIME,
            ClockSide::Right => tag::RIGHT_TIME,
        };
        let [hours, minutes, seconds] = hours_minutes_seconds(remaining);
        let bcd = |value: u8| ((value / 10) << 4) | (value % 10);
        self.write(now, &[tag | hours, bcd(minutes), bcd(seconds)]);
    }

    fn write(&mut self, now: Mono, record: &[u8]) {
        for byte in record {
            self.ring.pop_front();
            self.ring.push_back(*byte);
            self.written += 1;
        }
        self.written_at = Some(now);
        self.last = None;
    }

    // ----- what is read -------------------------------------------------------------------

    /// When something was last written.
    pub(super) const fn written_at(&self) -> Option<Mono> {
        self.written_at
    }

    /// The whole ring, closed by the mark of its end. That it was read is written down.
    pub(super) fn download(&mut self, now: Mono) -> Vec<u8> {
        let dump = self.ring.iter().copied().chain([tag::END]).collect();
        self.write(now, &[tag::DOWNLOADED]);
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
