// SPDX-License-Identifier: GPL-3.0-or-later
//! Whether board and clock are in sight: only what was watched is known not to have happened.

use arbiterd_board::Mono;

use super::{Table, TableState, Watched};
use crate::board::Phantoms;

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

    /// Whether board and clock have been watched without a break since the last half-move was begun, and are.
    pub(super) fn watched(&self, now: Mono) -> Watched {
        let in_sight = matches!(self.state, TableState::InStep | TableState::Restoring { .. })
            && self.sensor.placement().is_some()
            && !self.unfounded;
        let now = Watched { board: in_sight, clock: self.clock.listens(now) };
        let last = self.game.plies().last().map_or(Watched::ALL, |ply| ply.watched);
        now.and(self.watched).and(last)
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
        self.watched = Watched::NOTHING;
        self.arbiter.interrupted();
        self.unclear_since = None;
    }
}
