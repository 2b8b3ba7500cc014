// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of the driver and is not answered yet.

use core::time::Duration;

use arbiterd_board::{Channel, Mono, RequestId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Board,
    Clock,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) id: RequestId,
    pub(super) channel: Channel,
    what: What,
    deadline: Mono,
    /// A command was said after the request was made: an answer to an earlier one may be older
    /// than the request and does not count.
    said: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    last: u32,
    pending: Vec<Pending>,
}

impl Requests {
    pub(super) fn add(&mut self, now: Mono, limit: Duration, channel: Channel, what: What) -> RequestId {
        self.last = self.last.wrapping_add(1);
        let id = RequestId(self.last);
        self.pending.push(Pending { id, channel, what, deadline: now.after(limit), said: false });
        id
    }

    /// Whether a command has still to be said for a request.
    pub(super) fn wait_for(&self, channel: Channel, what: What) -> bool {
        self.pending.iter().any(|p| p.channel == channel && p.what == what && !p.said)
    }

    pub(super) fn said(&mut self, channel: Channel, what: What, said: bool) {
        let of_this = |p: &&mut Pending| p.channel == channel && p.what == what;
        self.pending.iter_mut().filter(of_this).for_each(|p| p.said = said);
    }

    pub(super) fn fulfilled(&mut self, channel: Channel, what: What) -> Vec<Pending> {
        self.take(|p| p.channel == channel && p.what == what && p.said)
    }

    pub(super) fn expired(&mut self, now: Mono) -> Vec<Pending> {
        self.take(|p| p.deadline <= now)
    }

    pub(super) fn of(&mut self, channel: Channel) -> Vec<Pending> {
        self.take(|p| p.channel == channel)
    }

    pub(super) fn deadline(&self) -> Option<Mono> {
        self.pending.iter().map(|p| p.deadline).min()
    }

    fn take(&mut self, which: impl Fn(&Pending) -> bool) -> Vec<Pending> {
        let (taken, kept) = self.pending.drain(..).partition(which);
        self.pending = kept;
        taken
    }
}
