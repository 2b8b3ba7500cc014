// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver tells.

use arbiterd_board::{
    AckOutcome, Driver as _, Identity, LinkState, Mono, Occupant, Placement, Report, ReportBody, RequestId,
    Stamp,
};

use super::scans::{Heard, Squares};
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
    pub(super) fn tell_scan(&mut self, now: Mono, placement: &Placement, heard: &Heard) {
        let seen = Stamp::received(now, self.pace().age());
        if heard.differs {
            self.tell(seen, ReportBody::Scan { placement: *placement });
        }
        self.tell_disturbed(seen, heard.disturbed, true);
        self.tell_disturbed(seen, heard.calmed, false);
        for lifts in [true, false] {
            for square in heard.changes.iter() {
                let occupant = placement[square];
                if (occupant == Occupant::Empty) == lifts {
                    self.tell(heard.at, ReportBody::Square { square, occupant });
                }
            }
        }
    }

    fn tell_disturbed(&mut self, at: Stamp, squares: Squares, disturbed: bool) {
        for square in squares.iter() {
            self.tell(at, ReportBody::Disturbed { square, disturbed });
        }
    }

    pub(super) fn tell_board(&mut self, now: Mono, placement: Placement) {
        let at = Stamp::received(now, self.pace().age());
        self.tell(at, ReportBody::Board { placement, confirmed: true });
        self.board_told = Some(now);
        self.board_doubted = false;
        for request in self.requests.looked() {
            self.acknowledge(now, request, AckOutcome::Accepted);
        }
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
