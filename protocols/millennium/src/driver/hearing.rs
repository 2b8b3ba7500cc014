// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver makes of what the board says.

use arbiterd_board::{
    AckOutcome, LinkState, Mono, Noise, NoiseCause, Occupant, Placement, ReportBody, Sensing, Stamp, Version,
};

use super::known::{Belief, Told};
use super::scans::{Arrival, Scans};
use super::step::{Answer, Step};
use super::{BOARD_PERIOD, MillenniumDriver};
use crate::message::Text;
use crate::{Item, Message, wire};

/// Before the end of a status lies so much of it.
const STATUS_LENGTH: u64 = wire::STATUS_LENGTH as u64;

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
            self.look_after_loss(now);
        }
    }

    fn on_message(&mut self, now: Mono, message: Message) {
        match message {
            Message::Version(version) => self.on_version(now, version),
            Message::BareVersion(_) => self.on_bare_version(now),
            Message::Status(placement) => self.on_status(now, placement),
            // Nothing is known of this board yet, not even that it is one.
            _ if !self.link_up => {}
            Message::Information { text, .. } => {
                // What is known does not change in the middle of a game.
                if self.awaits(Answer::Information) {
                    self.on_page(now, text);
                }
            }
            Message::Register { address, value } => {
                if self.awaits(Answer::Register(address)) {
                    self.on_register(now, address, value);
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
        if !self.step.asks_for_the_version() {
            return;
        }
        if !self.link_up {
            self.link_up = true;
            self.tell(Stamp::at(now), ReportBody::Link(LinkState::Up));
        }
        self.step = Step::Version;
        match self.known.hear(Told::Version(version)) {
            Belief::AskAgain => self.end_wait(now),
            Belief::Agreed | Belief::Never => {
                self.tell_identity(now);
                self.settled(now);
            }
        }
    }

    /// A board says who it is.
    fn on_page(&mut self, now: Mono, text: Text) {
        let belief = self.known.hear(Told::Page(text));
        if self.step != Step::Running {
            match belief {
                Belief::AskAgain => self.end_wait(now),
                Belief::Agreed | Belief::Never => self.settled(now),
            }
            return;
        }
        self.end_wait(now);
        match belief {
            Belief::AskAgain => self.page_due = now,
            Belief::Never => {}
            Belief::Agreed => {
                // What its letters are worth is known now, so that all it said before counts for nothing.
                self.scans = Scans::default();
                self.board_told = None;
                self.tell_capabilities(now);
            }
        }
    }

    fn on_register(&mut self, now: Mono, address: u8, value: u8) {
        // What was just written is read once: it is what was wanted, or will be written again.
        let verifies = matches!(self.step, Step::Verifying(_));
        if verifies {
            self.known.set(address, value);
        }
        if verifies || self.known.hear(Told::Register { address, value }) != Belief::AskAgain {
            self.settled(now);
        } else {
            self.end_wait(now);
        }
    }

    fn on_bare_version(&mut self, now: Mono) {
        if self.step == Step::BareVersion {
            self.end_wait(now);
            self.step = Step::RestoreParity;
        }
    }

    fn on_status(&mut self, now: Mono, mut placement: Placement) {
        let arrival = self.arrival(now);
        if !self.step.knows_the_board() {
            self.see_stranger(arrival, placement);
            return;
        }
        if self.known.sensing() == Sensing::Occupancy {
            placement = occupancy(&placement);
        }
        let anew = self.is_of_another_scan(now);
        let heard = self.scans.heard(arrival, &placement, anew);
        self.last_status = now;
        self.forget_old_questions(now);
        if heard.differs {
            self.stale_answers = self.asked.len();
        } else if !self.pace().streams() {
            self.asked.pop_front();
        }
        self.note_stream(now, heard.differs);
        self.tell_scan(arrival, &placement, &heard);
        self.tell_lasting_disturbance(arrival);
        // A stream bears it out by itself, unless it stalls; otherwise the board is asked again when
        // the next scan is over.
        if self.scans.is_open() && !self.pace().streams() {
            self.bear_out(now, self.scans.scanned().after(self.pace().scan_time()));
        }
        let asked = self.awaits(Answer::Status);
        self.board_doubted |= heard.differs;
        let due = self.board_told.is_none_or(|told| now.since(told) >= BOARD_PERIOD);
        if heard.confirmed && (due || asked || self.board_doubted || self.requests.await_the_board()) {
            self.tell_board(arrival, placement);
        }
        self.answered(now, Answer::Status);
    }

    /// The answer to a question may tell the scan that was told already. In a stream it comes beside
    /// others; elsewhere a status counts when it answers a question that was asked after another scan.
    fn is_of_another_scan(&mut self, now: Mono) -> bool {
        if self.stale_answers > 0 {
            self.stale_answers -= 1;
            return false;
        }
        if self.pace().streams() {
            return !self.awaits(Answer::Status);
        }
        now.since(self.scans.scanned()) >= self.pace().scan_time()
    }

    /// Answers come within their time or not at all. A status that tells something new may have come
    /// unasked, with the answer behind it; only where statuses come on change one that tells nothing new
    /// is certainly an answer.
    pub(super) fn forget_old_questions(&mut self, now: Mono) {
        let streams = self.pace().streams();
        let patience = if streams { self.transport.way() * 2 } else { self.transport.answer() };
        self.asked.retain(|asked| now.since(*asked) < patience);
    }

    fn arrival(&self, now: Mono) -> Arrival {
        let start = self.decoder.position().saturating_sub(STATUS_LENGTH);
        Arrival { begun: self.arrivals.earliest(start).min(now), at: now }
    }

    /// Evidence of a board that has not said yet who it is; whether its letters are worth anything is
    /// not known.
    fn see_stranger(&mut self, arrival: Arrival, placement: Placement) {
        if self.stranger != Some(placement) {
            self.stranger = Some(placement);
            self.tell(self.seen(arrival), ReportBody::Scan { placement });
        }
    }

    fn note_stream(&mut self, now: Mono, differs: bool) {
        if self.awaits(Answer::Status) {
            return;
        }
        self.known.unasked(now, differs);
        if self.step == Step::Running {
            self.tell_capabilities(now);
        }
    }

    fn tell_lasting_disturbance(&mut self, arrival: Arrival) {
        if self.scans.disturbed().is_empty() {
            self.disturbed_told = arrival.at;
        } else if arrival.at.since(self.disturbed_told) >= BOARD_PERIOD {
            self.disturbed_told = arrival.at;
            self.tell_disturbed_again(arrival);
        }
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
