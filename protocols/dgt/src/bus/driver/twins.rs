// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signs that two boards on the line have one address (topic: bus mode). Both answer whatever one
//! of them is asked, so nobody can tell them apart, and what is told of one board is of both.
//!
//! Their answers follow each other, and then one question has two answers; or they meet, and then
//! one kind of answer is damaged again and again, while others, in which both boards say the same,
//! are good.

use core::time::Duration;

use arbiterd_board::{Mono, ReportBody, Stamp, Trouble};

use super::exchange::Ask;
use super::talk::Talk;
use crate::bus::Answer;

/// So many second answers are no accident.
const SIGNS: u8 = 3;
/// If they come within this time.
const WITHIN: Duration = Duration::from_secs(10);
/// A second answer to a question comes so soon after the first.
const SOON: Duration = Duration::from_millis(150);
/// So many damaged answers in a row to one kind of question are no accident.
pub(super) const DAMAGED: u8 = 9;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Twins {
    /// What was answered last, at the first try, and when.
    answered: Option<(Ask, Mono)>,
    /// The round of the search in which the last answer to its ping came, by its end.
    pinged: Option<Mono>,
    signs: u8,
    /// When the first of them was seen.
    since: Mono,
    told: bool,
    /// When it was told last; a lost link does not make it untrue.
    last_told: Option<Mono>,
}

impl Twins {
    /// The board was lost or is found: old signs have to be seen again, and what was told a moment
    /// ago is told again.
    pub(super) fn restart(&mut self, now: Mono) {
        self.told = false;
        self.answered = None;
        if now.since(self.since) > WITHIN {
            self.signs = 0;
        }
    }

    fn told_lately(&self, now: Mono) -> bool {
        self.last_told.is_some_and(|at| now.since(at) < WITHIN)
    }

    fn sign(&mut self, now: Mono, weight: u8) {
        if now.since(self.since) > WITHIN {
            self.signs = 0;
        }
        if self.signs == 0 {
            self.since = now;
        }
        self.signs = self.signs.saturating_add(weight);
    }
}

impl Talk {
    /// A board answered the question that was put to it.
    pub(super) fn answered_once(&mut self, now: Mono, index: usize, ask: Ask) {
        if let Some(board) = self.boards.get_mut(index) {
            board.twins.answered = (!board.misses.are_any(ask)).then_some((ask, now));
        }
    }

    /// A board says something that it was not asked, or was asked before. If no question was left
    /// without an answer of late, it may be the second answer to the last one.
    pub(super) fn answered_unasked(&mut self, now: Mono, index: usize, answer: &Answer<'_>) {
        let round = self.discovery.due();
        let Some(board) = self.boards.get_mut(index) else { return };
        if *answer == Answer::Ping && round.is_some() {
            let is_sure = board.misses.open_since(now, Ask::IgnorePing) == now;
            // One ping to all has one answer of each board.
            if board.twins.pinged == round && is_sure {
                board.twins.sign(now, SIGNS);
            }
            board.twins.pinged = round;
            return;
        }
        let Some((ask, at)) = board.twins.answered else { return };
        let is_sure = board.misses.open_since(now, ask) == now;
        if ask.is_answered_by(answer) && is_sure && now.since(at) <= SOON {
            board.twins.answered = None;
            board.twins.sign(now, 1);
        }
    }

    /// Tells once for each time that the board is up that two boards have one address, when there is no doubt any more. An address at
    /// which nobody has answered a question yet may be two answers that met.
    pub(super) fn tell_twins(&mut self, now: Mono, index: usize) {
        let Some(board) = self.boards.get_mut(index).filter(|b| b.is_up() && !b.twins.told) else { return };
        let needed = if board.believed { SIGNS } else { 2 * SIGNS };
        let seen = board.twins.signs >= needed || board.misses.are_damaged();
        if !seen && !board.twins.told_lately(now) {
            return;
        }
        board.twins.told = true;
        board.twins.last_told = Some(now);
        let channel = board.channel();
        self.tell(channel, Stamp::at(now), ReportBody::Trouble(Trouble::SharedAddress));
    }
}
