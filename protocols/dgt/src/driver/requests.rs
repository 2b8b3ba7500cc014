// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of the driver and is not answered yet.

use core::time::Duration;

use arbiterd_board::{Mono, RequestId};

/// Time for three tries of a second each.
const LIMIT: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Board,
    Clock,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    id: RequestId,
    what: What,
    deadline: Mono,
    /// A command was sent after the request was made: an answer to an earlier one may be older
    /// than the request and does not count.
    sent: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    last: u32,
    pending: Vec<Pending>,
}

impl Requests {
    /// A name for a request that is kept elsewhere.
    pub(super) fn name(&mut self) -> RequestId {
        self.last = self.last.wrapping_add(1);
        RequestId(self.last)
    }

    pub(super) fn add(&mut self, now: Mono, what: What) -> RequestId {
        let id = self.name();
        self.pending.push(Pending { id, what, deadline: now.after(LIMIT), sent: false });
        id
    }

    /// Whether a command has still to be sent for a request.
    pub(super) fn wait_for(&self, what: What) -> bool {
        self.pending.iter().any(|p| p.what == what && !p.sent)
    }

    pub(super) fn sent(&mut self, what: What) {
        self.mark(what, true);
    }

    pub(super) fn unsent(&mut self, what: What) {
        self.mark(what, false);
    }

    pub(super) fn fulfilled(&mut self, what: What) -> Vec<RequestId> {
        self.take(|p| p.what == what && p.sent)
    }

    pub(super) fn expired(&mut self, now: Mono) -> Vec<RequestId> {
        self.take(|p| p.deadline <= now)
    }

    pub(super) fn all(&mut self) -> Vec<RequestId> {
        self.take(|_| true)
    }

    pub(super) fn deadline(&self) -> Option<Mono> {
        self.pending.iter().map(|p| p.deadline).min()
    }

    fn mark(&mut self, what: What, sent: bool) {
        self.pending.iter_mut().filter(|p| p.what == what).for_each(|p| p.sent = sent);
    }

    fn take(&mut self, which: impl Fn(&Pending) -> bool) -> Vec<RequestId> {
        let (taken, kept) = self.pending.drain(..).partition(which);
        self.pending = kept;
        let taken: Vec<Pending> = taken;
        taken.into_iter().map(|p| p.id).collect()
    }
}
