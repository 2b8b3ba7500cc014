// SPDX-License-Identifier: GPL-3.0-or-later
//! Presses that may still come for moves that are complete already (FIDE 6.2.2), and presses that came for nothing
//! that could be told.
//!
//! Nobody tells a clock for which move he presses. But the levers go down by turns, and so do the moves.

use std::time::Duration;

use arbiterd_board::{Colour, Mono};

use crate::table::{Completion, opponent, side_index};

/// What is owed by each player.
#[derive(Clone, Debug, Default)]
pub(super) struct Owed {
    late: [Late; 2],
    /// How many presses since the last press for a move completed nothing and came late for none.
    unplaced: [usize; 2],
}

/// Presses of one player that may still come, for moves that were completed by the reply.
#[derive(Clone, Copy, Debug, Default)]
struct Late {
    most: u8,
    /// Whether one that came was for the first or for a later one: then they may be fewer.
    doubtful: bool,
    /// When the last of these moves was completed.
    since: Mono,
}

/// Whoever has not pressed for a move so long after the reply, and then presses when he has moved again, presses for
/// that: he has noticed, or never will.
const FORGOTTEN: Duration = Duration::from_secs(10);

impl Late {
    /// A press was taken for one for a new move.
    fn after_a_new_move(self, now: Mono) -> Self {
        if now.since(self.since) >= FORGOTTEN { Self::default() } else { Self { doubtful: true, ..self } }
    }
}

impl Owed {
    /// Whether a press may come late.
    pub(super) const fn may_be_late(&self, by: Colour) -> bool {
        self.late[side_index(by)].most > 0
    }

    /// Whether a press may as well not be late.
    pub(super) const fn is_doubtful(&self, by: Colour) -> bool {
        self.late[side_index(by)].doubtful
    }

    /// What stood before the presses that completed nothing stands again.
    pub(super) const fn undone(&mut self) {
        self.unplaced = [0; 2];
    }

    /// How many half-moves were pressed for that are not completed.
    pub(super) fn turns(&self) -> usize {
        self.unplaced.iter().sum()
    }

    /// A player pressed; `waiting`: White's and Black's presses before it that are not judged yet. For what was played
    /// before the move for which he presses the other has pressed, seen or not. That may be the first of those for
    /// which he has not yet.
    pub(super) fn heard(&mut self, by: Colour, waiting: [usize; 2]) {
        let (his, other) = (side_index(by), side_index(opponent(by)));
        let owed = usize::from(self.late[his].most).saturating_sub(waiting[his]);
        let most = u8::try_from(waiting[other] + owed).unwrap_or(u8::MAX);
        self.late[other].most = self.late[other].most.min(most);
    }

    /// A press was for a move that is complete already, or nobody knows for what.
    pub(super) fn dropped(&mut self, by: Colour) {
        let late = &mut self.late[side_index(by)];
        if late.most == 0 {
            return self.unplaced(by);
        }
        // It was for one of them: if not for the first, then there are fewer.
        *late = Late { most: late.most - 1, doubtful: late.most > 1, ..*late };
    }

    /// A press completed nothing yet.
    pub(super) fn unplaced(&mut self, by: Colour) {
        self.unplaced[side_index(by)] += 1;
    }

    /// A half-move of `mover` was completed.
    pub(super) fn completed(&mut self, mover: Colour, completion: Completion, now: Mono) {
        let pressed = &mut self.unplaced[side_index(mover)];
        let late = &mut self.late[side_index(mover)];
        if completion != Completion::Reply {
            *late = late.after_a_new_move(now);
            self.unplaced = [0; 2];
            return;
        }
        // A press that came for nothing was for this one, if it was not for the one before.
        let came = *pressed > 0;
        *pressed = pressed.saturating_sub(1);
        let doubtful = came || (late.doubtful && late.most > 0);
        *late = Late { most: late.most.saturating_add(1), doubtful, since: now };
    }
}
