// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver makes of what the board says.

use arbiterd_board::{
    AckOutcome, LinkState, Mono, Noise, NoiseCause, Occupant, Placement, ReportBody, Sensing, Stamp, Version,
};

use super::step::{Answer, Step};
use super::{BOARD_PERIOD, MillenniumDriver};
use crate::{Item, Message};

impl MillenniumDriver {
    pub(super) fn on_item(&mut self, now: Mono, item: Item) {
        match item {
            Item::Message(message) => {
                self.last_frame = now;
                self.on_message(now, message);
            }
            Item::Noise(noise) => self.on_noise(now, noise),
        }
    }

    fn on_noise(&mut self, now: Mono, noise: Noise) {
        self.tell(Stamp::at(now), ReportBody::Noise(noise));
        // Of an echo nothing is missed; looking would only bring another one.
        // Nor is anything if the answer to a question that was asked since is still to come.
        if noise.cause != NoiseCause::UnknownKind && !self.awaits(Answer::Status) {
            self.look_at = Some(now);
        }
    }

    fn on_message(&mut self, now: Mono, message: Message) {
        match message {
            Message::Version(version) => self.on_version(now, version),
            Message::BareVersion(_) => self.on_bare_version(now),
            // Nothing is known of this board yet, not even that it is one.
            _ if !self.link_up => {}
            Message::Status(placement) => self.on_status(now, placement),
            Message::Information { text, .. } => {
                // What is known does not change in the middle of a game.
                if self.awaits(Answer::Information) {
                    self.known.information = Some(text);
                    self.settled(now);
                }
            }
            Message::Register { address, value } => {
                if self.awaits(Answer::Register(address)) {
                    self.known.set(address, value);
                    self.settled(now);
                }
            }
            Message::Written { address, .. } => self.answered(now, Answer::Written(address)),
            Message::LightsSet => self.answered(now, Answer::LightsSet),
            Message::LightsOff => self.answered(now, Answer::LightsOff),
            // It is silent for three seconds and starts from the beginning, and so do we (topic: reset).
            Message::Restarting => {
                self.lose(now);
                self.begin(now, Step::Version);
            }
            // Not asked for by this driver: no description confirms in what order its squares are.
            Message::Dump(_) => {}
        }
    }

    fn on_version(&mut self, now: Mono, version: Version) {
        if self.link_up {
            return;
        }
        self.known.version = Some(version);
        self.link_up = true;
        self.tell(Stamp::at(now), ReportBody::Link(LinkState::Up));
        self.tell_identity(now);
        self.step = Step::Version;
        self.settled(now);
    }

    fn on_bare_version(&mut self, now: Mono) {
        if self.step == Step::BareVersion {
            self.end_wait(now);
            self.step = Step::RestoreParity;
        }
    }

    fn on_status(&mut self, now: Mono, mut placement: Placement) {
        if !self.step.knows_the_board() {
            return;
        }
        if self.known.sensing() == Sensing::Occupancy {
            placement = occupancy(&placement);
        }
        let heard = self.scans.heard(now, self.pace().age(), &placement);
        self.tell_scan(now, &placement, &heard);
        self.last_status = now;
        // A stream bears it out by itself, unless it stalls; otherwise the board is asked again.
        let soon = (heard.differs && !self.pace().streams()).then_some(now);
        self.look_at = [soon, self.scans.calm_due(), self.look_at].into_iter().flatten().min();
        let asked = self.awaits(Answer::Status);
        self.board_doubted |= heard.differs;
        let due = self.board_told.is_none_or(|told| now.since(told) >= BOARD_PERIOD);
        if heard.confirmed && (due || asked || self.board_doubted || self.requests.await_the_board()) {
            self.tell_board(now, placement);
        }
        self.answered(now, Answer::Status);
    }

    pub(super) fn answered(&mut self, now: Mono, answer: Answer) {
        if self.awaits(answer) {
            self.settled(now);
        }
    }

    /// The lights that were sent were answered, or will not be.
    pub(super) fn lights_settled(&mut self, now: Mono, outcome: AckOutcome) {
        if let Some(request) = self.requests.lights_answered() {
            self.acknowledge(now, request, outcome);
        }
    }
}

/// Letters of a board that only knows which squares are occupied are its guesses.
fn occupancy(placement: &Placement) -> Placement {
    let mut occupied = Placement::EMPTY;
    for (square, _) in placement.occupied() {
        occupied[square] = Occupant::Unidentified;
    }
    occupied
}
