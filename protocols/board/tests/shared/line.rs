// SPDX-License-Identifier: MIT OR Apache-2.0
//! A driver and a board on one line, without delay, in virtual time.

use std::collections::VecDeque;

use arbiterd_board::simulator::Device;
use arbiterd_board::{AckOutcome, Channel, Driver, LinkState, Mono, Report, ReportBody, RequestId, Stamp};

pub struct Line<D, B> {
    pub now: Mono,
    pub driver: D,
    pub board: B,
    /// What the driver told, oldest first.
    pub reports: Vec<Report>,
    /// What the driver said to the board, and when.
    pub said: Vec<(Mono, Vec<u8>)>,
    /// All that reached the driver, and when.
    pub arrived: Vec<(Mono, Vec<u8>)>,
    /// Nothing passes in either direction.
    pub cut: bool,
    /// No message of the board arrives that begins with this byte.
    pub mute: Option<u8>,
    /// Sizes of the portions in which bytes reach the driver, in turn; whole messages if empty.
    pub portions: VecDeque<usize>,
}

impl<D: Driver, B: Device> Line<D, B> {
    /// The port was opened at time zero.
    pub fn open(mut driver: D, board: B) -> Self {
        driver.reset(Mono::ZERO);
        Self {
            now: Mono::ZERO,
            driver,
            board,
            reports: Vec::new(),
            said: Vec::new(),
            arrived: Vec::new(),
            cut: false,
            mute: None,
            portions: VecDeque::new(),
        }
    }

    /// Lets time pass.
    pub fn run_until(&mut self, millis: u64) {
        let end = Mono::from_millis(millis);
        self.exchange();
        loop {
            let due = [self.driver.poll_timeout(), self.board.poll_timeout()].into_iter().flatten().min();
            let Some(due) = due.filter(|due| *due <= end) else { break };
            assert!(due >= self.now, "{due} lies before {}", self.now);
            self.now = due;
            self.board.handle_timeout(due);
            self.exchange();
            if self.driver.poll_timeout().is_some_and(|at| at <= due) {
                self.driver.handle_timeout(due);
                self.exchange();
                let next = self.driver.poll_timeout();
                assert!(next.is_none_or(|at| at > due), "the driver does not move on at {due}");
            }
        }
        self.now = self.now.max(end);
        self.exchange();
    }

    /// Bytes reach the driver.
    pub fn hear(&mut self, bytes: &[u8]) {
        self.arrived.push((self.now, bytes.to_vec()));
        let mut rest = bytes;
        while !rest.is_empty() {
            let size = self.portions.pop_front().unwrap_or(rest.len()).clamp(1, rest.len());
            let (portion, after) = rest.split_at(size);
            self.driver.receive(self.now, portion);
            rest = after;
        }
        self.collect();
    }

    /// Moves bytes and reports until nothing moves any more.
    pub fn exchange(&mut self) {
        loop {
            self.collect();
            if let Some(bytes) = self.driver.poll_transmit() {
                self.said.push((self.now, bytes.clone()));
                if !self.cut {
                    self.board.receive(self.now, &bytes);
                }
            } else if let Some(bytes) = self.board.poll_transmit() {
                let is_mute = self.mute.is_some() && self.mute == bytes.first().copied();
                if !self.cut && !is_mute {
                    self.hear(&bytes);
                }
            } else {
                return;
            }
        }
    }

    /// Takes what the driver tells.
    pub fn collect(&mut self) {
        while let Some((channel, report)) = self.driver.poll_report() {
            assert_eq!(channel, Channel(0));
            assert!(report.at.earliest <= report.at.latest && report.at.latest <= self.now, "{report:?}");
            self.reports.push(report);
        }
    }

    pub fn bodies(&self) -> Vec<ReportBody> {
        self.reports.iter().map(|r| r.body.clone()).collect()
    }

    pub fn links(&self) -> Vec<(LinkState, Stamp)> {
        let links = self.reports.iter().filter_map(|r| match r.body {
            ReportBody::Link(state) => Some((state, r.at)),
            _ => None,
        });
        links.collect()
    }

    pub fn acks(&self, wanted: RequestId) -> Vec<AckOutcome> {
        let acks = self.reports.iter().filter_map(|r| match r.body {
            ReportBody::Ack { request, outcome } if request == wanted => Some(outcome),
            _ => None,
        });
        acks.collect()
    }
}
