// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of a driver and is not answered yet, for one board or for several.

use core::time::Duration;

use crate::{Channel, Mono, RequestId};

/// What a reading of the board answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// What stands on the board.
    Board,
    /// What the clock shows.
    Clock,
}

/// A request that is not answered yet.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// Its name.
    pub id: RequestId,
    /// The board that it is for.
    pub channel: Channel,
    wanted: Wanted,
    deadline: Mono,
    /// A command was said after the request was made: an answer to an earlier one may be older
    /// than the request and does not count.
    said: bool,
}

/// The requests of a driver that a reading answers, and the names of all.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    last: u32,
    pending: Vec<Pending>,
}

impl Requests {
    /// A name for a request that is kept elsewhere.
    pub fn name(&mut self) -> RequestId {
        self.last = self.last.wrapping_add(1);
        RequestId(self.last)
    }

    /// Somebody wants to know this, and waits for so long.
    pub fn add(&mut self, now: Mono, limit: Duration, channel: Channel, wanted: Wanted) -> RequestId {
        let id = self.name();
        self.pending.push(Pending { id, channel, wanted, deadline: now.after(limit), said: false });
        id
    }

    /// How many wait.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pending.len()
    }

    /// Whether a command has still to be said for a request.
    #[must_use]
    pub fn wait_for(&self, channel: Channel, wanted: Wanted) -> bool {
        self.pending.iter().any(|p| p.is(channel, wanted) && !p.said)
    }

    /// Whether a request waits for the answer to a command that was said.
    #[must_use]
    pub fn await_answer(&self, channel: Channel, wanted: Wanted) -> bool {
        self.pending.iter().any(|p| p.is(channel, wanted) && p.said)
    }

    /// The command was said, or what was said will not be answered.
    pub fn said(&mut self, channel: Channel, wanted: Wanted, said: bool) {
        self.pending.iter_mut().filter(|p| p.is(channel, wanted)).for_each(|p| p.said = said);
    }

    /// A reading came: takes the requests that it answers.
    pub fn fulfilled(&mut self, channel: Channel, wanted: Wanted) -> Vec<Pending> {
        self.take(|p| p.is(channel, wanted) && p.said)
    }

    /// Takes those that have waited too long.
    pub fn expired(&mut self, now: Mono) -> Vec<Pending> {
        self.take(|p| p.deadline <= now)
    }

    /// Takes all for this board.
    pub fn of(&mut self, channel: Channel) -> Vec<Pending> {
        self.take(|p| p.channel == channel)
    }

    /// When the first of them has waited too long.
    #[must_use]
    pub fn deadline(&self) -> Option<Mono> {
        self.pending.iter().map(|p| p.deadline).min()
    }

    fn take(&mut self, which: impl Fn(&Pending) -> bool) -> Vec<Pending> {
        // Asked with every reading: nothing is allocated for an answer that nobody waits for.
        if !self.pending.iter().any(&which) {
            return Vec::new();
        }
        self.pending.extract_if(.., |p| which(p)).collect()
    }
}

impl Pending {
    fn is(&self, channel: Channel, wanted: Wanted) -> bool {
        self.channel == channel && self.wanted == wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Channel = Channel(1);

    fn ids(pending: Vec<Pending>) -> Vec<u32> {
        pending.into_iter().map(|p| p.id.0).collect()
    }

    #[test]
    fn only_what_was_asked_after_the_request_answers_it() {
        let mut requests = Requests::default();
        let limit = Duration::from_secs(4);
        requests.add(Mono::ZERO, limit, ONE, Wanted::Board);
        assert!(requests.wait_for(ONE, Wanted::Board) && !requests.await_answer(ONE, Wanted::Board));
        assert_eq!(ids(requests.fulfilled(ONE, Wanted::Board)), [] as [u32; 0]);
        requests.said(ONE, Wanted::Board, true);
        requests.add(Mono::from_millis(1), limit, ONE, Wanted::Board);
        requests.add(Mono::from_millis(2), limit, ONE, Wanted::Clock);
        requests.add(Mono::from_millis(3), limit, Channel(2), Wanted::Board);
        assert!(requests.wait_for(ONE, Wanted::Board) && requests.await_answer(ONE, Wanted::Board));
        assert_eq!(ids(requests.fulfilled(ONE, Wanted::Board)), [1]);
        assert_eq!(requests.deadline(), Some(Mono::from_millis(4001)));
        assert_eq!(ids(requests.expired(Mono::from_millis(4001))), [2]);
        assert_eq!(ids(requests.of(ONE)), [3]);
        assert_eq!(requests.count(), 1);
    }
}
