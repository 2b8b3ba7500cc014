// SPDX-License-Identifier: GPL-3.0-or-later
//! For what a person is called when it has not been put right in a moment: a move that was not complete at its press,
//! or what stands there as it may not be played while nobody knows what the press was for.

use std::time::Duration;

use arbiterd_board::{Mono, Placement};

use super::bench::{Bench, Decision};
use super::press::Press;
use super::{NotCovered, completion, press};
use crate::table::Observer;

/// What seems unfinished may be complete in a moment: of a slow board, or of a hand that pressed early.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why a person is to look at what stands after a press.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    /// The move was not complete.
    Unfinished,
    /// What it was for is not known, unless this does not stand any more.
    Left(NotCovered, Placement),
}

impl Call {
    const fn tells_what_for(self) -> bool {
        matches!(self, Self::Left(..))
    }
}

/// When a person is called, and why.
#[derive(Clone, Copy, Debug)]
struct CallDue {
    due: Mono,
    why: Call,
    press: Press,
}

impl CallDue {
    /// What he is told, if it is still so.
    fn told(&self, bench: &Bench<'_>) -> Option<Decision> {
        match self.why {
            // Whoever was called because nothing leads to what stands knows it already.
            Call::Unfinished if bench.called => None,
            Call::Unfinished => {
                let released = completion::released_since(&self.press, bench);
                (!released).then(|| Decision::Notice(press::unfinished(&self.press, None, bench)))
            }
            Call::Left(why, irregular) => {
                // What is out of sight may stand there still.
                let stands = bench.sensor.placement().is_none_or(|stands| *stands == irregular);
                stands.then(|| press::left(why, &self.press, bench))
            }
        }
    }
}

/// The calls that are to come.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Vec<CallDue>);

impl Calls {
    /// A person is called for a press, unless what it is about is put right soon. A witness tells nobody what he has
    /// not claimed (12.6). Whoever presses on does not put off that he is called for.
    pub(super) fn later(&mut self, why: Call, press: &Press, bench: &Bench<'_>) {
        if bench.observer != Observer::Arbiter {
            return;
        }
        let same =
            |c: &&mut CallDue| c.press.by == press.by && c.why.tells_what_for() == why.tells_what_for();
        match self.0.iter_mut().find(same) {
            Some(call) => *call = CallDue { due: call.due, why, press: *press },
            None => self.0.push(CallDue { due: bench.now.after(PATIENCE), why, press: *press }),
        }
    }

    /// When the next is due.
    pub(super) fn due(&self) -> Option<Mono> {
        self.0.iter().map(|call| call.due).min()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The notice that is due: one, whatever there is to look at, and what for if it is known.
    pub(super) fn decide(&mut self, bench: &Bench<'_>) -> Option<Decision> {
        let (mut due, later): (Vec<_>, Vec<_>) = self.0.drain(..).partition(|call| call.due <= bench.now);
        self.0 = later;
        due.sort_by_key(|call| !call.why.tells_what_for());
        let told = due.iter().find_map(|call| call.told(bench))?;
        self.clear();
        Some(told)
    }
}
