// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of a driver and is not answered yet, for one board or for several.

use core::time::Duration;

use arbiterd_board::{Channel, Mono, RequestId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Board,
    Clock,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) id: RequestId,
    pub(crate) channel: Channel,
    what: What,
    deadline: Mono,
    /// A command was said after the request was made: an answer to an earlier one may be older
    /// than the request and does not count.
    said: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    last: u32,
    pending: Vec<Pending>,
}

impl Requests {
    /// A name for a request that is kept elsewhere.
    pub(crate) fn name(&mut self) -> RequestId {
        self.last = self.last.wrapping_add(1);
        RequestId(self.last)
    }

    pub(crate) fn add(&mut self, now: Mono, limit: Duration, channel: Channel, what: What) -> RequestId {
        let id = self.name();
        self.pending.push(Pending { id, channel, what, deadline: now.after(limit), said: false });
        id
    }

    /// Whether a command has still to be said for a request.
    pub(crate) fn wait_for(&self, channel: Channel, what: What) -> bool {
        self.pending.iter().any(|p| p.channel == channel && p.what == what && !p.said)
    }

    pub(crate) fn said(&mut self, channel: Channel, what: What, said: bool) {
        let of_this = |p: &&mut Pending| p.channel == channel && p.what == what;
        self.pending.iter_mut().filter(of_this).for_each(|p| p.said = said);
    }

    pub(crate) fn fulfilled(&mut self, channel: Channel, what: What) -> Vec<Pending> {
        self.take(|p| p.channel == channel && p.what == what && p.said)
    }

    pub(crate) fn expired(&mut self, now: Mono) -> Vec<Pending> {
        self.take(|p| p.deadline <= now)
    }

    pub(crate) fn of(&mut self, channel: Channel) -> Vec<Pending> {
        self.take(|p| p.channel == channel)
    }

    pub(crate) fn deadline(&self) -> Option<Mono> {
        self.pending.iter().map(|p| p.deadline).min()
    }

    fn take(&mut self, which: impl Fn(&Pending) -> bool) -> Vec<Pending> {
        let (taken, kept) = self.pending.drain(..).partition(which);
        self.pending = kept;
        taken
    }
}
