// SPDX-License-Identifier: GPL-3.0-or-later
//! What every driver owes, whatever it hears.

use std::collections::BTreeSet;

use arbiterd_board::{Driver, Mono, Report, ReportBody, RequestId};

/// The most wake-ups in a second of virtual time: a driver that asks for more spins.
const MOST_WAKES: u32 = 200;

/// What one driver owes.
#[derive(Default)]
pub struct Duty {
    /// The second for which wake-ups are counted, and how many the driver has asked for in it.
    wakes: (u64, u32),
    /// What was asked of the driver and not answered yet.
    open: BTreeSet<RequestId>,
}

impl Duty {
    pub fn open(&self) -> usize {
        self.open.len()
    }

    pub fn assert_all_answered(&self, why: &str) {
        assert!(self.open.is_empty(), "{why}: {:?}", self.open);
    }

    pub fn asked(&mut self, id: RequestId) {
        assert!(self.open.insert(id), "one name for two requests: {id:?}");
    }

    /// Each request is answered once, and nothing is stamped with the future.
    pub fn told(&mut self, now: Mono, report: &Report) {
        assert!(report.at.earliest <= report.at.latest, "{report:?}");
        assert!(report.at.latest <= now, "from the future: {report:?}");
        if let ReportBody::Ack { request, .. } = report.body {
            assert!(self.open.remove(&request), "nobody waits for it: {report:?}");
        }
    }

    /// The driver has asked to be woken now.
    pub fn wakes(&mut self, now: Mono) {
        let second = now.as_micros() / 1_000_000;
        if self.wakes.0 != second {
            self.wakes = (second, 0);
        }
        self.wakes.1 += 1;
        assert!(self.wakes.1 < MOST_WAKES, "wakes without end at {now}");
    }

    /// It always has a next deadline.
    pub fn assert_goes_on(now: Mono, driver: &impl Driver) {
        let next = driver.poll_timeout();
        assert!(next.is_some_and(|at| at > now), "woken at {now} for {next:?}");
    }
}
