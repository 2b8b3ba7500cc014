// SPDX-License-Identifier: MIT OR Apache-2.0
//! When to look at the whole board, and whether it still tells its changes.

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{Mono, Occupant, Placement, Square};

/// A lost update shows in the next dump, so one is asked for even when nothing happens.
const IDLE_DUMP: Duration = Duration::from_secs(5);

/// A question that was not answered for so long was lost, or its answer was.
const LATE: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, Default)]
pub(super) struct BoardWatch {
    last_square: Option<Mono>,
    /// A look is due then, after a change or a doubt.
    look_at: Option<Mono>,
    asked: Mono,
    /// When the questions were put that have no answer yet. Answers come in their order, so the next
    /// dump may be as old as the first of them, however long ago it was given up.
    open: VecDeque<Mono>,
    /// A dump has come since the last question.
    answered: bool,
    /// What stands on the board by all that it told.
    told: Option<Placement>,
}

impl BoardWatch {
    pub(super) fn due(&self) -> Mono {
        let idle = self.asked.after(IDLE_DUMP);
        self.look_at.map_or(idle, |at| at.min(idle))
    }

    /// The board is asked. `quiet`: nothing has come for so long that nothing more is on its way; a
    /// question that is still open then, although one after it was answered, had its answer lost.
    pub(super) fn asked(&mut self, now: Mono, quiet: bool) {
        self.asked = now;
        self.look_at = None;
        if quiet && self.answered {
            self.open.clear();
        }
        self.answered = false;
        self.give_up_lost(now);
        self.open.push_back(now);
    }

    fn give_up_lost(&mut self, now: Mono) {
        while self.open.front().is_some_and(|asked| asked.after(LATE) < now) {
            self.open.pop_front();
        }
    }

    /// A dump did not come: it is asked for again at once, on behalf of whoever wanted to know.
    pub(super) fn missed(&mut self, now: Mono) {
        self.look_at = Some(now);
    }

    pub(super) fn changed(&mut self, now: Mono, settled: Duration, square: Square, occupant: Occupant) {
        self.last_square = Some(now);
        self.look_at = Some(now.after(settled));
        if let Some(told) = &mut self.told {
            told[square] = occupant;
        }
    }

    /// Something may have been lost: look soon, but do not put off a look that is due before.
    pub(super) fn doubted(&mut self, now: Mono, settled: Duration) {
        let at = now.after(settled);
        self.look_at = Some(self.look_at.map_or(at, |due| due.min(at)));
    }

    /// A dump arrived, behind which changes may wait in the board or not.
    ///
    /// What contradicts all that was told, and the first dump of all, may be caught in the middle
    /// of a hand like a change: only a second look that says the same confirms it.
    pub(super) fn dumped(
        &mut self,
        now: Mono,
        settled: Duration,
        placement: &Placement,
        behind: bool,
    ) -> Dump {
        self.give_up_lost(now);
        let since = self.open.pop_front();
        self.answered = true;
        let before = self.told.replace(*placement);
        let agrees = before.as_ref() == Some(placement);
        if !agrees {
            self.last_square = Some(now);
        }
        let rest = self.last_square.map(|at| at.after(settled)).filter(|rest| *rest > now);
        if rest.is_some() {
            self.look_at = rest;
        } else if behind {
            self.doubted(now, settled);
        }
        Dump { since, confirmed: rest.is_none() && !behind, untold: before.is_some() && !agrees }
    }
}

/// What a dump says beside what stands on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dump {
    /// When the question was put that it may belong to.
    pub(super) since: Option<Mono>,
    /// It shows a board at rest and says what was told before; if not, another look follows.
    pub(super) confirmed: bool,
    /// It shows a change that no update has told.
    pub(super) untold: bool,
}
