// SPDX-License-Identifier: MIT OR Apache-2.0
//! When to look at the whole board, and whether it still tells its changes.

use core::time::Duration;

use arbiterd_board::{Mono, Occupant, Placement, Square};

/// A lost update shows in the next dump, so one is asked for even when nothing happens.
const IDLE_DUMP: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, Default)]
pub(super) struct BoardWatch {
    last_square: Option<Mono>,
    /// A look is due then, after a change or a doubt.
    look_at: Option<Mono>,
    asked: Mono,
    /// What stands on the board by all that it told.
    told: Option<Placement>,
}

impl BoardWatch {
    pub(super) fn due(&self) -> Mono {
        let idle = self.asked.after(IDLE_DUMP);
        self.look_at.map_or(idle, |at| at.min(idle))
    }

    pub(super) fn asked(&mut self, now: Mono) {
        self.asked = now;
        self.look_at = None;
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
        Dump { confirmed: rest.is_none() && !behind, untold: before.is_some() && !agrees }
    }
}

/// What a dump says beside what stands on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dump {
    /// It shows a board at rest and says what was told before; if not, another look follows.
    pub(super) confirmed: bool,
    /// It shows a change that no update has told.
    pub(super) untold: bool,
}
