// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver tells.

use arbiterd_board::Driver as _;
use arbiterd_board::{AckOutcome, Identity, LinkState, Mono, Report, ReportBody, RequestId, Stamp, Wanted};

use super::{DgtDriver, ONLY};

impl DgtDriver {
    pub(super) fn tell(&mut self, at: Stamp, body: ReportBody) {
        self.reports.push_back((ONLY, Report { at, body }));
    }

    pub(super) fn tell_identity(&mut self, now: Mono) {
        let identity = Identity {
            family: "dgt".to_owned(),
            // The long number is unique, the short one is shared by board and bus. A board with
            // lights puts its firmware there, which is no number of its own.
            serial: self
                .known
                .long_serial
                .clone()
                .filter(|_| !self.has_lights())
                .or_else(|| self.known.short_serial.clone()),
            firmware: self.known.firmware,
            clock: self.known.clock,
        };
        if self.known.told.as_ref() != Some(&identity) {
            self.known.told = Some(identity.clone());
            self.tell(Stamp::at(now), ReportBody::Identity(identity));
        }
    }

    pub(super) fn tell_capabilities(&mut self, now: Mono) {
        let capabilities = self.capabilities(ONLY);
        if self.announced != Some(capabilities) {
            self.announced = Some(capabilities);
            self.tell(Stamp::at(now), ReportBody::Capabilities(capabilities));
        }
    }

    pub(super) fn acknowledge(&mut self, now: Mono, request: RequestId, outcome: AckOutcome) {
        self.tell(Stamp::at(now), ReportBody::Ack { request, outcome });
    }

    pub(super) fn fulfil(&mut self, now: Mono, what: Wanted) {
        for request in self.requests.fulfilled(ONLY, what) {
            self.acknowledge(now, request.id, AckOutcome::Accepted);
        }
    }

    /// The link is lost, if there was one: tells what is still untold and gives up requests.
    pub(super) fn lose(&mut self, now: Mono) {
        self.decoder.abandon();
        if let Some(noise) = self.decoder.take_noise() {
            self.tell(Stamp::at(now), ReportBody::Noise(noise));
        }
        if self.link_up {
            self.link_up = false;
            // It went away at some time since it was last heard.
            let at = Stamp { earliest: self.last_frame.min(now), latest: now };
            self.tell(at, ReportBody::Link(LinkState::Down));
        }
        self.give_up_clock_commands(now);
        for request in self.lights.clear() {
            self.acknowledge(now, request, AckOutcome::NoAnswer);
        }
        for request in self.requests.of(ONLY) {
            self.acknowledge(now, request.id, AckOutcome::NoAnswer);
        }
    }
}
