// SPDX-License-Identifier: MIT OR Apache-2.0
//! The changes that a board has handed out: each is told once, and none is lost.
//!
//! A board forgets changes when it has sent them. If the answer does not arrive, or arrives
//! damaged, the board may have sent it or may never have heard the question. So the question is
//! never put a second time; the packet that was sent last is asked for instead. Either it is the
//! lost one, or the one before it: then the question was not heard.
//!
//! The two are told apart by their bytes. Records that were told say what stands on their squares
//! now, so the same records can only follow themselves if they put everything back, which takes
//! two scans at least; and a packet with records is followed at once by another question, within
//! one scan. Where both do not help, because several tries failed in a row, the same records are
//! told again with an interval that covers the first time too: that is true in either case.

use core::time::Duration;

use arbiterd_board::{Mono, Occupant, Square};

use super::timing::UNSURE;
use crate::bus::BusCommand;
use crate::log::{Log, Record};

/// A square changes once in this time at most (topic: timing).
const SHORTEST_SCAN: Duration = Duration::from_millis(200);
/// A board has heard a question by then, or it never does.
const HEARD: Duration = Duration::from_millis(25);

#[derive(Clone, Debug, Default)]
pub(super) struct Fetch {
    /// When the board last handed out its changes, or earlier: what is told next happened since
    /// then, but for the scan.
    since: Mono,
    /// The changes were asked for then, and the answer is missing.
    owed: Option<Mono>,
    /// When they were asked for first since it was sure which answer belongs to which question.
    first: Option<Mono>,
    /// When a try failed last.
    missed: Option<Mono>,
    /// The last packet that arrived. No longer than an answer can be.
    last: Vec<u8>,
    /// It is also the last one that the board sent, unless an answer is missing now.
    is_last: bool,
    /// The changes in the last packet happened since then, but for the scan.
    last_since: Mono,
}

/// What an answer turned out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// Changes that were not told yet, or the news that there are none.
    New {
        /// They happened since then, but for the scan.
        since: Mono,
        /// Whether it is sure that the board has handed out its changes; otherwise this is
        /// perhaps what it sent before, and says nothing of what happened since.
        fetched: bool,
    },
    /// The packet before, once more.
    Again,
    /// The packet before once more, or the same changes a second time.
    Perhaps {
        /// In either case they happened since then, but for the scan.
        since: Mono,
    },
    /// Nothing that anybody asked for.
    Nothing,
}

impl Fetch {
    /// What happened before is not told any more, and nothing is owed.
    pub(super) const fn restart(&mut self) {
        self.is_last &= self.owed.is_none();
        self.owed = None;
        self.first = None;
    }

    pub(super) const fn since(&self) -> Mono {
        self.since
    }

    /// How the changes are asked for now.
    pub(super) fn command(&mut self, now: Mono) -> BusCommand {
        match self.owed {
            Some(_) => BusCommand::RepeatChanges,
            None => {
                self.owed = Some(now);
                self.first.get_or_insert(now);
                BusCommand::SendChanges
            }
        }
    }

    /// Whether an answer now belongs to the question that was put last.
    pub(super) fn is_sure(&self, now: Mono) -> bool {
        self.missed.is_none_or(|at| now.since(at) >= UNSURE)
    }

    pub(super) const fn missed(&mut self, now: Mono) {
        self.missed = Some(now);
    }

    /// Takes an answer to `asked`, or one that nobody waits for any more.
    pub(super) fn take(&mut self, now: Mono, log: Log<'_>, asked: Option<BusCommand>) -> Taken {
        let same = self.last == log.bytes();
        if same && !log.is_empty() {
            return self.take_same(now, log, asked);
        }
        if asked.is_none() && log.is_empty() {
            return Taken::Nothing;
        }
        let since = self.since;
        let fetched = asked == Some(BusCommand::SendChanges) || (self.is_last && !same);
        if self.owed.take().is_some() && fetched {
            self.since = self.first.unwrap_or(since);
            let sure = self.is_sure(now);
            self.first = self.first.filter(|_| !sure);
        }
        self.last.clear();
        self.last.extend_from_slice(log.bytes());
        self.is_last = true;
        self.last_since = since;
        Taken::New { since, fetched }
    }

    /// A direct question stays open then: this may be a late answer to an earlier one.
    fn take_same(&mut self, now: Mono, log: Log<'_>, asked: Option<BusCommand>) -> Taken {
        let handed_out = match (asked, self.owed) {
            (Some(BusCommand::RepeatChanges), Some(at)) => at.after(HEARD),
            _ => now,
        };
        if asked == Some(BusCommand::RepeatChanges) {
            self.owed = None;
        }
        if handed_out.since(self.since) < SHORTEST_SCAN || !can_follow_itself(log) {
            return Taken::Again;
        }
        Taken::Perhaps { since: self.last_since }
    }
}

/// Whether the same changes can happen a second time right after the first: not if they leave a
/// square as their first record of it says.
fn can_follow_itself(log: Log<'_>) -> bool {
    let mut first: [Option<Occupant>; Square::COUNT] = [None; Square::COUNT];
    let mut last = first;
    for record in log.records() {
        if let Record::Piece { square, occupant, .. } = record {
            let index = usize::from(square.index());
            if let (Some(first), Some(last)) = (first.get_mut(index), last.get_mut(index)) {
                first.get_or_insert(occupant);
                *last = Some(occupant);
            }
        }
    }
    first.iter().zip(&last).all(|(first, last)| first.is_none() || first != last)
}
