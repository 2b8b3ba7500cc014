// SPDX-License-Identifier: GPL-3.0-or-later
//! In step or out of step: whether what stands agrees with the record.

use std::time::Duration;

use arbiterd_board::{Mono, Order, Square, Stamp};

use super::{Reading, Table, TableState, View, read};
use crate::laws::NoticeKind;

/// How long an unexplained placement must stand before a person is called. It is much longer
/// than any move takes, and a placement in the shape of a move is never reported before its
/// press: nobody learns from the state whether his move is legal.
const DISORDER: Duration = Duration::from_secs(5);

impl Table {
    /// Squares on which the board differs from the record.
    pub(super) fn differing(&self) -> Vec<Square> {
        let settled = self.game.standing().placement();
        self.sensor.placement().map(|p| settled.differences(p).collect()).unwrap_or_default()
    }

    /// A game that is over stays over, whatever becomes of the board.
    pub(super) fn set_state(&mut self, state: TableState) {
        if self.state != state && (self.state != TableState::Over || !self.game.over()) {
            self.replaced &= matches!(state, TableState::Restoring { .. });
            self.state = state.clone();
            self.view(View::State(state));
        }
    }

    /// Moves between the states after the board, or the record, changed.
    pub(super) fn settle_state(&mut self, now: Mono) {
        if self.sensor.placement().is_none() || self.state == TableState::Over {
            return;
        }
        let differing = self.differing();
        let agrees = differing.is_empty();
        match &self.state {
            TableState::NoBoard | TableState::AwaitingPosition { .. } | TableState::BoardLost => {
                let begun = !self.game.plies().is_empty();
                if agrees {
                    self.back_in_step();
                } else if begun || matches!(self.state, TableState::BoardLost) {
                    self.after_interruption(now, differing);
                } else {
                    self.set_state(TableState::AwaitingPosition { differing });
                }
            }
            TableState::Restoring { .. } => {
                // A replacement that was played straight from where the piece stood leads back in step
                // when it is completed: the state tells nobody before whether it is legal.
                if agrees {
                    self.back_in_step();
                } else {
                    self.replaced |= self.replacement_made();
                    self.set_state(TableState::Restoring { differing });
                }
            }
            TableState::OutOfStep { .. } => {
                if agrees {
                    self.back_in_step();
                } else if self.explained() {
                    self.unclear_since = None;
                    self.set_state(TableState::InStep);
                } else {
                    self.set_state(TableState::OutOfStep { differing });
                }
            }
            TableState::InStep => self.watch(now),
            TableState::Over => {}
        }
    }

    /// The board shows the record's position: what was touched on the way there is no play.
    fn back_in_step(&mut self) {
        let all = self.sensor.history().len();
        self.sensor.settle(all);
        self.unclear_since = None;
        self.set_state(TableState::InStep);
    }

    /// The clock counts again. What was moved since it was stopped, and is back, is no play: hands of both may
    /// have been in it. What was touched before is evidence still.
    pub(super) fn goes_on(&mut self, now: Mono, stopped: Stamp, started: Stamp) {
        self.unclear_since = self.unclear_since.map(|_| now);
        let history = self.sensor.history();
        let meanwhile = history.iter().take_while(|c| Stamp::order(c.at, started) == Order::Before).count();
        let touched = history.first().is_some_and(|c| Stamp::order(c.at, stopped) != Order::After);
        let back = self.sensor.placement_after(meanwhile) == self.game.standing().placement();
        if self.in_play() && back && !touched {
            self.sensor.settle(meanwhile);
        }
    }

    /// The board is heard again in mid-game and shows something else than the record: a move, or
    /// disorder. Nobody is called before it has stood for a while.
    fn after_interruption(&mut self, now: Mono, differing: Vec<Square>) {
        let state = if self.explained() { TableState::InStep } else { TableState::OutOfStep { differing } };
        self.set_state(state);
        self.watch(now);
    }

    fn watch(&mut self, now: Mono) {
        if self.explained() {
            self.unclear_since = None;
        } else {
            self.unclear_since.get_or_insert(now);
        }
    }

    /// Whether what stands can be part of play. Whatever the player to move does with his own
    /// pieces can be, and pieces of his opponent may be off the board: before his press nobody
    /// learns from the state whether his move is legal.
    fn explained(&self) -> bool {
        let Some(placement) = self.sensor.placement() else { return true };
        match read(self.game.standing(), placement, self.game.mode()) {
            Reading::Unexplained { differing } => {
                let mover = self.game.turn();
                differing.iter().all(|&s| placement[s].piece().is_none_or(|p| p.colour == mover))
            }
            Reading::Foreign => false,
            Reading::AsSettled | Reading::InHand(_) | Reading::Legal { .. } | Reading::Pending(_) => true,
        }
    }

    /// Whether something was moved since the ruling, and what now rests is one of the moves that
    /// may be played.
    fn replacement_made(&self) -> bool {
        let Some(placement) = self.sensor.placement() else { return false };
        let moved = self.sensor.rested() && !self.sensor.history().is_empty();
        let single = read(self.game.standing(), placement, self.game.mode()).single();
        moved
            && single.is_some_and(|m| {
                self.replacement.is_empty()
                    || self.replacement.contains(&m.to_uci(self.game.mode()).to_string())
            })
    }

    /// When an unexplained placement will have stood too long.
    ///
    /// While the clock stands nothing is played, and pieces are moved for many reasons: it is waited until
    /// it counts again.
    pub(super) fn unclear_due(&self) -> Option<Mono> {
        let waits = self.clock.stands_since().is_some();
        self.unclear_since.filter(|_| !waits).map(|since| since.after(DISORDER))
    }

    pub(super) fn look_for_disorder(&mut self, now: Mono) {
        if self.unclear_due().is_none_or(|due| due > now) {
            return;
        }
        self.unclear_since = None;
        if self.begins_without_clock() {
            self.begin_again(now);
            return;
        }
        self.show_phantoms(now);
        let differing = self.differing();
        self.set_state(TableState::OutOfStep { differing: differing.clone() });
        self.notice(now, NoticeKind::OutOfStep, differing, vec![self.facts]);
    }
}
