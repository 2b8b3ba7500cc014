// SPDX-License-Identifier: GPL-3.0-or-later
//! In step or out of step: whether what stands agrees with the record.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Occupant, Order, Square, Stamp};

use super::{Reading, Table, TableState, View};
use crate::laws::{Notice, NoticeKind};

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
        self.find_foundation(now);
        let differing = self.differing();
        let agrees = differing.is_empty();
        match &self.state {
            TableState::NoBoard | TableState::AwaitingPosition { .. } | TableState::BoardLost => {
                let begun = !self.game.plies().is_empty();
                if agrees {
                    self.back_in_step(now);
                } else if self.restoration_due && !self.replacement_stands() {
                    self.set_state(TableState::Restoring { differing });
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
                    self.back_in_step(now);
                } else {
                    self.replaced |= self.replacement_made();
                    if self.replaced {
                        self.unclear_since = None;
                    } else if self.both_have_moved() {
                        // The replacement was answered before anybody could see it stand alone: it is play.
                        self.unclear_since.get_or_insert(now);
                    }
                    self.set_state(TableState::Restoring { differing });
                }
            }
            TableState::OutOfStep { .. } => {
                if agrees {
                    self.back_in_step(now);
                } else if self.explained() {
                    self.unclear_since = None;
                    self.set_state(TableState::InStep);
                } else {
                    self.set_state(TableState::OutOfStep { differing });
                }
            }
            TableState::InStep => {
                if agrees {
                    self.stands_again(now);
                }
                self.watch(now);
            }
            TableState::Over => {}
        }
    }

    /// What stands is where play goes on from.
    pub(super) fn settle_all(&mut self) {
        let (all, record) = (self.sensor.history().len(), self.game.standing().placement());
        self.sensor.settle(all, &record);
    }

    /// The board shows the record's position: what was touched on the way there is no play.
    fn back_in_step(&mut self, now: Mono) {
        self.arbiter.undone();
        if matches!(self.state, TableState::OutOfStep { .. }) {
            self.sight.give_up(now);
            self.arbiter.doubt_until_a_move();
        } else if !self.in_play() {
            self.arbiter.doubt_presses();
        }
        self.settle_all();
        self.unclear_since = None;
        self.called = false;
        self.restoration_due = false;
        self.unfounded = false;
        self.set_state(TableState::InStep);
    }

    /// The player to move has put back what he had moved when the board came into sight: the record's position is
    /// where play goes on from. If the other has moved too, it may be another that looks the same.
    fn stands_again(&mut self, now: Mono) {
        if !self.sensor.came_unseen() {
            return;
        }
        let (record, mover) = (self.game.standing().placement(), self.game.turn());
        let base = self.sensor.base();
        let his = |o: Occupant| o == Occupant::Empty || o.is_of(mover);
        // What he had taken is put back by either.
        let moved = record.differences(base).all(|square| his(base[square]));
        let back = self.sensor.history().iter().all(|c| his(c.after) || c.after == record[c.square]);
        if moved && back {
            self.settle_all();
            self.sight.give_up(now);
            self.arbiter.doubt_until_a_move();
        }
    }

    /// The record's position is to be put back on the board. What is touched on the way there is no play.
    /// A board that is not in sight is told when it is.
    pub(super) fn begin_restoring(&mut self, now: Mono) {
        self.settle_all();
        self.unclear_since = None;
        self.called = false;
        self.replaced = false;
        self.unfounded = false;
        self.restoration_due = true;
        self.recognise_board(now);
        let out_of_sight = self.sensor.placement().is_none();
        let state = match self.state {
            TableState::NoBoard | TableState::BoardLost if out_of_sight => return,
            TableState::Over if out_of_sight => TableState::BoardLost,
            _ => TableState::Restoring { differing: self.differing() },
        };
        self.set_state(state);
        self.settle_state(now);
    }

    /// The record is another: a board of which nobody knew which way round it stands may show it now.
    pub(super) fn recognise_board(&mut self, now: Mono) {
        let expected = self.game.standing().placement();
        if self.sensor.recognise_standing(&expected) {
            self.notice(now, NoticeKind::OrientationRotated, Vec::new(), vec![self.facts]);
            self.show_placement();
        }
    }

    pub(super) fn show_placement(&mut self) {
        if let Some(placement) = self.sensor.placement().copied() {
            self.view(View::Placement(placement));
        }
    }

    /// What stands follows from the record at last: what was touched before is no play.
    fn find_foundation(&mut self, now: Mono) {
        if self.unfounded && self.follows() {
            self.settle_all();
            self.sight.give_up(now);
            self.unfounded = false;
            self.unclear_since = None;
        }
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
            let record = self.game.standing().placement();
            self.sensor.settle(meanwhile, &record);
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
        if !self.explained() {
            self.unclear_since.get_or_insert(now);
        } else if !self.unfounded {
            self.unclear_since = None;
        }
    }

    /// A press is not judged by what stands without a foundation: if it gets none, a person is called.
    /// Before the press nobody is, who would learn from it that his move is not legal.
    pub(super) fn press_without_foundation(&mut self, now: Mono) {
        if self.unfounded && self.state == TableState::InStep {
            self.unclear_since.get_or_insert(now);
        }
    }

    /// Whether what stands is the record's position or a move in progress from it.
    pub(super) fn follows(&self) -> bool {
        let reading = self.sensor.placement().map(|p| self.game.reader().read(p));
        !matches!(reading, Some(Reading::Unexplained { .. } | Reading::Foreign))
    }

    /// Whether what stands can be part of play. Whatever the player to move does with his own
    /// pieces can be, and pieces of his opponent may be off the board: before his press nobody
    /// learns from the state whether his move is legal.
    pub(super) fn explained(&self) -> bool {
        let Some(placement) = self.sensor.placement() else { return true };
        match self.game.reader().read(placement) {
            Reading::Unexplained { differing } => {
                let mover = self.game.turn();
                differing.iter().all(|&s| placement[s].piece().is_none_or(|p| p.colour == mover))
            }
            Reading::Foreign => false,
            // If it stays so, what they played could not be told.
            Reading::Legal { lines, .. } => !two_half_moves(&lines),
            Reading::AsSettled | Reading::InHand(_) | Reading::Pending(_) => true,
        }
    }

    /// Whether what stands is a move and the reply to it, which both have put down since the ruling.
    fn both_have_moved(&self) -> bool {
        let settled = self.game.standing().placement();
        if ![Colour::White, Colour::Black].iter().all(|by| self.sensor.has_put_down(*by, &settled)) {
            return false;
        }
        let reading = self.sensor.placement().map(|p| self.game.reader().read(p));
        matches!(reading, Some(Reading::Legal { lines, .. }) if two_half_moves(&lines))
    }

    /// Whether something was moved since the ruling, and what now rests is one of the moves that
    /// may be played.
    fn replacement_made(&self) -> bool {
        let moved = self.sensor.rested() && !self.sensor.history().is_empty();
        moved && self.replacement_stands()
    }

    /// Whether what stands is one of the moves that may be played, and not the one that was taken back.
    fn replacement_stands(&self) -> bool {
        let Some(placement) = self.sensor.placement().filter(|p| !self.shown.is_taken_back(p)) else {
            return false;
        };
        let single = self.game.reader().read(placement).single();
        single.is_some_and(|m| {
            self.replacement.is_empty() || self.replacement.contains(&m.to_uci(self.game.mode()).to_string())
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
        if !std::mem::replace(&mut self.called, true) {
            self.notice(now, NoticeKind::OutOfStep, differing, vec![self.facts]);
        }
    }

    /// Whether a notice of the laws says what a person has been called for: a press is not for what stands when
    /// nobody knows how it came to stand.
    pub(super) fn is_told(&self, notice: &Notice) -> bool {
        notice.kind == NoticeKind::UnfinishedMove && self.called
    }
}

fn two_half_moves(lines: &[Vec<shakmaty::Move>]) -> bool {
    lines.iter().any(|line| line.len() > 1)
}
