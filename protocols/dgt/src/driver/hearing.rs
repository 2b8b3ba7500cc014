// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver makes of what the board says.

use arbiterd_board::{
    ClockReading, ClockReport, LinkState, Mono, Noise, NoiseCause, Placement, ReportBody, Stamp, Version,
    Wanted,
};

use super::clock_watch::{Belief, Seen};
use super::step::{Answer, Step};
use super::{DgtDriver, ONLY};
use crate::clock::{AckMeaning, ClockAck, ClockMessage};
use crate::{Item, Message, wire};

/// The length of a message of the clock.
const CLOCK_MESSAGE: u32 = 10;

impl DgtDriver {
    pub(super) fn on_item(&mut self, now: Mono, item: Item) {
        self.weigh(now, &item);
        match item {
            Item::Message(message) => {
                self.last_frame = now;
                self.on_message(now, message);
            }
            Item::Noise(noise) => self.on_noise(now, noise),
        }
    }

    /// What arrives behind something long may have waited for it, and its lag is told first. A
    /// look shows what it hid, and when nothing waits any more. After a frame of bus mode the
    /// conversation starts again, and with it the count.
    fn weigh(&mut self, now: Mono, item: &Item) {
        if matches!(item, Item::Noise(Noise { cause: NoiseCause::WrongMode, .. })) {
            return;
        }
        if self.line.carried(item) {
            self.board.doubted(now, self.transport.settled());
        }
        if self.link_up {
            self.tell_capabilities(now);
        }
    }

    fn on_noise(&mut self, now: Mono, noise: Noise) {
        self.tell(Stamp::at(now), ReportBody::Noise(noise));
        match noise.cause {
            // The board has left single-board mode and tells no changes there, so from here
            // on nothing is observed: that is a lost link, and the conversation starts again.
            NoiseCause::WrongMode => {
                self.lose(now);
                self.begin(now, Step::Quieting);
            }
            NoiseCause::UnknownKind => {}
            // The dropped bytes may have been an update.
            _ => self.board.doubted(now, self.transport.settled()),
        }
    }

    fn on_message(&mut self, now: Mono, message: Message) {
        match message {
            Message::Version(version) => self.on_version(now, version),
            // Left over from an earlier conversation: nothing is known of this board yet.
            _ if !self.link_up => {}
            Message::Board(placement) => self.on_board(now, placement),
            Message::Square { square, occupant } => {
                self.board.changed(now, self.transport.settled(), square, occupant);
                if self.step.has_baseline() {
                    let at = Stamp::received(now, self.board_lag());
                    self.tell(at, ReportBody::Square { square, occupant });
                }
            }
            Message::Clock(message) => self.on_clock(now, message),
            Message::Serial(text) => {
                self.known.short_serial = Some(text);
                self.tell_identity(now);
                self.answered(now, Answer::Serial);
            }
            Message::LongSerial(text) => {
                self.known.long_serial = Some(text);
                self.tell_identity(now);
                self.tell_capabilities(now);
                self.answered(now, Answer::LongSerial);
            }
            Message::Battery(status) => {
                self.tell(Stamp::at(now), ReportBody::Battery(status.into()));
                self.answered(now, Answer::Battery);
            }
            // Not asked for by this driver, and no part of a report. How long they held the line
            // was weighed before (topic: host commands, hazard).
            Message::Log(_) | Message::BusAddress(_) | Message::TradeMark(_) => {}
        }
    }

    fn on_version(&mut self, now: Mono, version: Version) {
        self.known.firmware = Some(version);
        if !self.link_up {
            self.link_up = true;
            self.tell(Stamp::at(now), ReportBody::Link(LinkState::Up));
        }
        self.tell_capabilities(now);
        self.tell_identity(now);
        self.answered(now, Answer::Version);
    }

    fn on_board(&mut self, now: Mono, placement: Placement) {
        if self.step < Step::Baseline {
            return;
        }
        if self.awaiting.is_some_and(|a| a.answer == Answer::Board) {
            self.line.look_answered();
            self.tell_capabilities(now);
        }
        let dump = self.board.dumped(now, self.transport.settled(), &placement, self.line.is_held());
        if dump.untold && self.step.has_baseline() {
            self.renew_updates = true;
        }
        let Stamp { earliest, latest } = Stamp::received(now, self.board_lag());
        let at = Stamp { earliest: dump.since.map_or(earliest, |since| earliest.min(since)), latest };
        self.tell(at, ReportBody::Board { placement, confirmed: dump.confirmed });
        if self.awaiting.is_some_and(|a| a.answer == Answer::Board) {
            self.fulfil(now, Wanted::Board);
        }
        self.answered(now, Answer::Board);
    }

    fn on_clock(&mut self, now: Mono, message: ClockMessage) {
        let stamp = Stamp::received(now, self.clock_lag());
        match message {
            ClockMessage::Times(times) => {
                let reading = times.reading;
                let unsettled = self.clock.is_unsettled(now);
                // A running clock that has to be asked although it changes is not told of by
                // itself any more.
                if self.clock_answer_due.is_some()
                    && reading.counting
                    && !unsettled
                    && !self.clock.is_in_doubt()
                    && self.clock.is_news(&reading)
                {
                    self.renew_updates = true;
                }
                let new = self.clock.heard(now, &reading);
                let believed = !unsettled && self.tell_reading(stamp, reading);
                if unsettled {
                    self.tell(stamp, ReportBody::Clock(ClockReport::Unsettled(reading)));
                }
                if new {
                    self.clock_appeared();
                }
                self.clock_answered(now, believed);
            }
            ClockMessage::NoClock => {
                let Some(stamp) = self.clock.weigh_absence(stamp) else {
                    let noise = Noise { bytes: CLOCK_MESSAGE, cause: NoiseCause::OutOfRange };
                    self.tell(Stamp::at(now), ReportBody::Noise(noise));
                    self.clock_answered(now, false);
                    return;
                };
                self.clock_went(now);
                self.tell(stamp, ReportBody::Clock(ClockReport::Absent));
                self.tell_identity(now);
                self.tell_capabilities(now);
                self.clock_answered(now, true);
            }
            ClockMessage::Ack(ack) => self.on_clock_ack(now, ack),
            ClockMessage::Null => {}
            ClockMessage::Corrupt { payload, .. } => {
                let bytes = u32::try_from(wire::HEADER + payload.len()).unwrap_or(u32::MAX);
                let noise = Noise { bytes, cause: NoiseCause::OutOfRange };
                self.tell(Stamp::at(now), ReportBody::Noise(noise));
            }
        }
    }

    /// Tells a reading as what it is worth, and whether that is something.
    fn tell_reading(&mut self, at: Stamp, reading: ClockReading) -> bool {
        match self.clock.weigh(at, reading) {
            Belief::Believed { borne_out } => {
                if let Some(Seen { at, reading }) = borne_out {
                    self.tell(at, ReportBody::Clock(ClockReport::Reading(reading)));
                }
                self.tell(at, ReportBody::Clock(ClockReport::Reading(reading)));
                true
            }
            Belief::Doubted => {
                self.tell(at, ReportBody::Clock(ClockReport::Unsettled(reading)));
                false
            }
        }
    }

    /// A reading, or the absence of a clock, ends the wait for one. It also answers those who
    /// asked, if it can be believed.
    fn clock_answered(&mut self, now: Mono, believed: bool) {
        if self.clock_answer_due.take().is_some() {
            if believed {
                self.fulfil(now, Wanted::Clock);
            } else {
                self.requests.said(ONLY, Wanted::Clock, false);
            }
        }
        self.answered(now, Answer::Clock);
    }

    fn on_clock_ack(&mut self, now: Mono, ack: ClockAck) {
        match ack.meaning() {
            AckMeaning::Version(version) => self.clock_told_version(now, version),
            AckMeaning::Button(button) => {
                let at = Stamp::received(now, self.clock_lag());
                self.tell(at, ReportBody::Clock(ClockReport::Button(button)));
            }
            _ => {}
        }
        if let Some(finished) = self.lane.heard(now, ack) {
            self.clock_command_finished(now, finished);
        }
    }
}
