// SPDX-License-Identifier: GPL-3.0-or-later
//! Whether board and clock are in sight: only what was watched is known not to have happened.

use arbiterd_board::Mono;

use super::{Ply, Table, TableState, Watched};
use crate::board::Phantoms;

/// Since when board and clock have been in sight without a break, and nothing that the board told was given up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    board: Option<Mono>,
    clock: Option<Mono>,
    /// What was played before was taken back by a ruling.
    resumed: Mono,
}

impl Sight {
    /// From the beginning.
    pub(super) const UNBROKEN: Self =
        Self { board: Some(Mono::ZERO), clock: Some(Mono::ZERO), resumed: Mono::ZERO };

    /// The board is in sight.
    pub(super) fn see_board(&mut self, now: Mono) {
        self.board.get_or_insert(now);
    }

    /// What was touched and pressed until now is not judged any more.
    pub(super) fn give_up(&mut self, now: Mono) {
        self.board = self.board.map(|_| now);
        self.clock = self.clock.map(|_| now);
    }

    /// A clock is heard, or is not.
    pub(super) fn hear_clock(&mut self, now: Mono, heard: bool) {
        if heard {
            self.clock.get_or_insert(now);
        } else {
            self.clock = None;
        }
    }

    /// A ruling took back what was played.
    pub(super) const fn resume(&mut self, now: Mono) {
        self.resumed = now;
    }
}

impl Table {
    /// Presses are part of play only while the board agrees with the record, or what stands is the
    /// replacement of a move that was taken back.
    pub(super) fn in_play(&self) -> bool {
        self.sensor.placement().is_some() && self.state_is_play()
    }

    const fn state_is_play(&self) -> bool {
        match self.state {
            TableState::InStep | TableState::OutOfStep { .. } => !self.unfounded,
            TableState::Restoring { .. } => self.replaced,
            _ => false,
        }
    }

    /// Whether board and clock are in sight, and what stands is known.
    pub(super) fn in_sight(&self, now: Mono) -> Watched {
        let known =
            matches!(self.state, TableState::InStep | TableState::Restoring { .. }) && !self.unfounded;
        let board = known && self.sensor.placement().is_some();
        Watched { board, clock: self.clock.listens(now) }
    }

    /// Whether they have been without a break since the player to move had the move.
    pub(super) fn watched(&self) -> Watched {
        let made = self.game.plies().last().map(Ply::made).unwrap_or_default();
        let began = made.max(self.sight.resumed);
        let since = |in_sight: Option<Mono>| in_sight.is_some_and(|since| since <= began);
        Watched { board: since(self.sight.board), clock: since(self.sight.clock) }
    }

    /// Nothing was observed for a while: what stands now has been seen by nobody.
    pub(super) fn unobserved(&mut self) {
        self.interrupted();
        match self.state {
            TableState::InStep | TableState::OutOfStep { .. } | TableState::Restoring { .. } => {
                self.set_state(TableState::BoardLost);
            }
            TableState::AwaitingPosition { .. } => self.set_state(TableState::NoBoard),
            TableState::NoBoard | TableState::BoardLost | TableState::Over => {}
        }
    }

    pub(super) fn interrupted(&mut self) {
        self.phantoms = Phantoms::default();
        self.sensor.forget();
        self.clock.forget();
        self.sight.board = None;
        self.arbiter.interrupted();
        self.unclear_since = None;
    }
}
