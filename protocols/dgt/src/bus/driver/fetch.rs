// SPDX-License-Identifier: MIT OR Apache-2.0
//! The changes that a board has handed out: each is told once, and none is lost.
//!
//! A board forgets changes when it has sent them. If the answer does not arrive, or arrives
//! damaged, the board may have sent it or may never have heard the question. So the question is
//! never put a second time; the packet that was sent last is asked for instead. Either it is the
//! lost one, or the one before it: then the question was not heard.
//!
//! The two are told apart by their bytes, and that is safe because a packet with records is
//! followed at once by another question, within one scan. In one scan a square changes once at
//! most, so what follows cannot be the same records again.

use arbiterd_board::Mono;

use crate::bus::BusCommand;
use crate::log::Log;

#[derive(Clone, Debug, Default)]
pub(super) struct Fetch {
    /// When the board last handed out its changes, or earlier: what is told next happened since
    /// then, but for the scan.
    since: Mono,
    /// The changes were asked for then, and the answer is missing.
    owed: Option<Mono>,
    /// The last packet. No longer than an answer can be.
    last: Vec<u8>,
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
    /// Nothing that anybody asked for.
    Nothing,
}

impl Fetch {
    /// What happened before is not told any more, and nothing is owed.
    pub(super) const fn restart(&mut self) {
        self.owed = None;
    }

    pub(super) const fn since(&self) -> Mono {
        self.since
    }

    /// How the changes are asked for now.
    pub(super) const fn command(&mut self, now: Mono) -> BusCommand {
        match self.owed {
            Some(_) => BusCommand::RepeatChanges,
            None => {
                self.owed = Some(now);
                BusCommand::SendChanges
            }
        }
    }

    /// Takes an answer to `asked`, or one that nobody waits for any more.
    pub(super) fn take(&mut self, log: Log<'_>, asked: Option<BusCommand>) -> Taken {
        let same = self.last == log.bytes();
        if same && !log.is_empty() {
            if asked == Some(BusCommand::RepeatChanges) {
                self.owed = None;
            }
            return Taken::Again;
        }
        if asked.is_none() && log.is_empty() {
            return Taken::Nothing;
        }
        let since = self.since;
        let fetched = asked == Some(BusCommand::SendChanges) || !same;
        if let Some(at) = self.owed.take()
            && fetched
        {
            self.since = at;
        }
        self.last.clear();
        self.last.extend_from_slice(log.bytes());
        Taken::New { since, fetched }
    }
}
