// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver tells.

use arbiterd_board::{
    AckOutcome, Driver as _, Identity, LinkState, Mono, Occupant, Placement, Report, ReportBody, RequestId,
    Stamp,
};

use super::scans::{Arrival, DISTURBANCE, Heard, Squares};
use super::{MillenniumDriver, ONLY};
use crate::{FAMILY, Item, Message};

impl MillenniumDriver {
    pub(super) fn tell(&mut self, at: Stamp, body: ReportBody) {
        self.reports.push_back((ONLY, Report { at, body }));
    }

    pub(super) fn tell_identity(&mut self, now: Mono) {
        let identity =
            Identity { family: FAMILY.to_owned(), serial: None, firmware: self.known.version, clock: None };
        if self.known.told.as_ref() != Some(&identity) {
            self.known.told = Some(identity.clone());
            self.tell(Stamp::at(now), ReportBody::Identity(identity));
        }
    }

    pub(super) fn tell_capabilities(&mut self, now: Mono) {
        let capabilities = self.capabilities(ONLY);
        if self.known.announced != Some(capabilities) {
            self.known.announced = Some(capabilities);
            self.tell(Stamp::at(now), ReportBody::Capabilities(capabilities));
        }
    }

    pub(super) fn acknowledge(&mut self, now: Mono, request: RequestId, outcome: AckOutcome) {
        self.tell(Stamp::at(now), ReportBody::Ack { request, outcome });
    }

    /// What a status says: first what was seen, then what is borne out, lifts before places.
    pub(super) fn tell_scan(&mut self, arrival: Arrival, placement: &Placement, heard: &Heard) {
        let seen = self.seen(arrival);
        if heard.differs {
            self.tell(seen, ReportBody::Scan { placement: *placement });
        }
        // It has begun, or ended, at some time within the one that makes it so.
        let lately = Stamp { earliest: seen.earliest.before(DISTURBANCE), latest: seen.latest };
        self.tell_disturbed(lately, heard.disturbed, true);
        let changed = Stamp { earliest: heard.since.before(self.pace().age_of_start()), latest: heard.until };
        for lifts in [true, false] {
            for square in heard.changes.iter() {
                let occupant = placement[square];
                if (occupant == Occupant::Empty) == lifts {
                    self.tell(changed, ReportBody::Square { square, occupant });
                }
            }
        }
        self.tell_disturbed(lately, heard.calmed, false);
    }

    /// Whoever missed that they are may not rely on these squares either.
    pub(super) fn tell_disturbed_again(&mut self, arrival: Arrival) {
        self.tell_disturbed(self.seen(arrival), self.scans.disturbed(), true);
    }

    fn tell_disturbed(&mut self, at: Stamp, squares: Squares, disturbed: bool) {
        for square in squares.iter() {
            self.tell(at, ReportBody::Disturbed { square, disturbed });
        }
    }

    pub(super) fn tell_board(&mut self, arrival: Arrival, placement: Placement) {
        self.tell(self.seen(arrival), ReportBody::Board { placement, confirmed: true });
        self.board_told = Some(arrival.at);
        self.board_doubted = false;
        for request in self.requests.looked() {
            self.acknowledge(arrival.at, request, AckOutcome::Accepted);
        }
    }

    /// When what a status shows stood on the board.
    pub(super) fn seen(&self, arrival: Arrival) -> Stamp {
        Stamp { earliest: arrival.begun.before(self.pace().age_of_start()), latest: arrival.at }
    }

    /// The link is lost, if there was one: tells what is still untold and gives up requests.
    pub(super) fn lose(&mut self, now: Mono) {
        self.decoder.abandon();
        while let Some(item) = self.decoder.decode(&mut &[][..]) {
            // What it answered in the end matters no more, only what was observed.
            if matches!(item, Item::Noise(_) | Item::Message(Message::Status(_))) {
                self.on_item(now, item);
            }
        }
        if let Some(noise) = self.decoder.take_noise() {
            self.tell(Stamp::at(now), ReportBody::Noise(noise));
        }
        if self.link_up {
            self.link_up = false;
            // It went away at some time since it was last heard.
            let at = Stamp { earliest: self.last_frame.min(now), latest: now };
            self.tell(at, ReportBody::Link(LinkState::Down));
        }
        for request in self.requests.all() {
            self.acknowledge(now, request, AckOutcome::NoAnswer);
        }
    }
}
