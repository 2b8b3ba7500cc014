// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the clock is told on behalf of others, and what comes of it.

use core::time::Duration;

use arbiterd_board::{AckOutcome, Mono, Request, RequestError, RequestId, Version};

use super::clock_lane::{Finished, Purpose};
use super::clock_watch::Presence;
use super::step::Answer;
use super::{DgtDriver, PAUSE};
use crate::wire::{
    BeepAfter, ClockCommand, ClockText, ClockTextError, Command, Glyphs, LONGEST_BEEP, LongClockText,
    SetAndRun, clock_code,
};

/// Main version of a clock with six seven-segment digits.
const DGT_XL: u8 = 1;
/// Main version of a clock with letters.
const DGT_3000: u8 = 2;

impl DgtDriver {
    pub(super) fn say_to_clock(&mut self, now: Mono, command: ClockCommand) {
        if matches!(command, ClockCommand::SetAndRun(_)) {
            self.clock.setting_sent();
        }
        // The board passes it on and may be spoken to meanwhile; the lane waits for the answer.
        self.say(now, Command::Clock(command), Answer::Nothing, PAUSE);
    }

    /// Asks the clock for its version, which also tells whether it can be spoken to.
    pub(super) fn ask_clock_version(&mut self) {
        if self.lane.holds(clock_code::VERSION) {
            return;
        }
        self.lane.ask_version();
    }

    pub(super) fn clock_told_version(&mut self, now: Mono, version: Version) {
        self.known.clock = Some(version);
        self.set_pace();
        self.tell_identity(now);
    }

    /// Some boards recognise a clock only later: it has not heard the first question.
    pub(super) fn clock_appeared(&mut self) {
        if self.known.clock.is_none() {
            self.ask_clock_version();
        }
    }

    pub(super) fn clock_went(&mut self, now: Mono) {
        self.clock.absent();
        self.known.clock = None;
        self.known.settable = false;
        self.give_up_clock_commands(now);
        self.set_pace();
    }

    pub(super) fn give_up_clock_commands(&mut self, now: Mono) {
        for finished in self.lane.clear() {
            if let Purpose::Request(id) = finished.purpose {
                self.acknowledge(now, id, finished.outcome);
            }
        }
    }

    pub(super) fn clock_command_finished(&mut self, now: Mono, finished: Finished) {
        let Finished { command, purpose, outcome } = finished;
        if let ClockCommand::SetAndRun(_) = command {
            self.setting_finished(now, outcome);
        }
        if let Purpose::Request(id) = purpose {
            self.acknowledge(now, id, outcome);
        }
    }

    fn setting_finished(&mut self, now: Mono, outcome: AckOutcome) {
        match outcome {
            AckOutcome::Accepted => {
                self.known.settable = true;
                self.clock.setting_taken(now);
                // Some clocks go on showing something else until they hear this.
                self.lane.follow_up(ClockCommand::End);
            }
            AckOutcome::Refused => {
                self.known.settable = false;
                self.clock.setting_refused();
            }
            // The answer may be what was lost, so the clock may have been set.
            AckOutcome::NoAnswer => self.clock.setting_taken(now),
            // The clock never heard of it.
            AckOutcome::TooLate => {}
        }
        self.tell_capabilities(now);
    }

    /// A DGT 3000 on a wire hears commands in quick succession. Others lose them, and a board
    /// over Bluetooth may repeat an answer for a second (topic: clock errata).
    fn set_pace(&mut self) {
        let quick = self.known.clock.is_some_and(|v| v.main == DGT_3000);
        self.lane.set_quick(quick && self.transport == super::Transport::Wired);
    }

    // ----- orders -------------------------------------------------------------------------

    /// Puts what somebody wants of the clock into its lane.
    pub(super) fn order_clock(&mut self, now: Mono, order: &Request) -> Result<RequestId, RequestError> {
        if self.clock.presence() == Presence::Absent {
            return Err(RequestError::NoClock);
        }
        let command = self.clock_command(order)?;
        // Times that run would be set back by as long as they wait for their turn.
        let hurries = matches!(command, ClockCommand::SetAndRun(set) if !set.is_pause());
        if self.lane.is_full() || (hurries && !self.lane.is_idle(now)) {
            return Err(RequestError::Busy);
        }
        let id = self.requests.name();
        self.lane.order(now, command, id);
        Ok(id)
    }

    fn clock_command(&self, order: &Request) -> Result<ClockCommand, RequestError> {
        match order {
            Request::SetClock { left, right, run } => {
                // While a side runs, its player's press has to change sides.
                let toggles = *run != arbiterd_board::Run::Stopped;
                SetAndRun::new(*left, *right, *run, toggles).map(ClockCommand::SetAndRun).map_err(|_| {
                    RequestError::OutOfRange { what: "a time", limit: "a DGT clock holds at most 9:59:59" }
                })
            }
            Request::ShowText { text, beep } => self.text_command(text, *beep),
            Request::ShowTimes => Ok(ClockCommand::End),
            Request::Beep(length) => Ok(ClockCommand::Beep(beep_units(*length))),
            // What concerns the board does not come here.
            Request::ReadBoard | Request::ReadClock | Request::Light(_) => {
                Err(RequestError::NotSupported { what: "this as an order to the clock" })
            }
        }
    }

    /// A text in the form that this clock can show.
    fn text_command(&self, text: &str, beep: Duration) -> Result<ClockCommand, RequestError> {
        let after = BeepAfter::nearest(beep);
        let made = match self.known.clock {
            Some(Version { main: DGT_XL, .. }) => {
                Glyphs::new(text, !beep.is_zero()).map(ClockCommand::Glyphs)
            }
            Some(Version { main: DGT_3000, .. }) => match ClockText::new(text) {
                Err(ClockTextError::TooLong { .. }) if self.takes_long_texts() => {
                    LongClockText::new(text).map(|text| ClockCommand::LongText(text, after))
                }
                short => short.map(|text| ClockCommand::Text(text, after)),
            },
            _ => return Err(RequestError::NotSupported { what: "texts on a clock that tells no version" }),
        };
        made.map_err(|error| RequestError::OutOfRange { what: "the text", limit: limit_of_text(error) })
    }

    // ----- kinds of boards ----------------------------------------------------------------

    /// A Revelation II puts its firmware version where others have a number. Any other board
    /// may freeze when it is sent a command for lights (topic: host commands).
    pub(super) fn has_lights(&self) -> bool {
        self.revelation_firmware().is_some()
    }

    /// From firmware 3.25 on; some say 3.24, and what is doubtful is not sent.
    fn takes_long_texts(&self) -> bool {
        self.revelation_firmware() >= Some((3, 25))
    }

    fn revelation_firmware(&self) -> Option<(u8, u8)> {
        let text = self.known.long_serial.as_deref()?;
        let (main, sub) = text.get(..4)?.split_once('.')?;
        Some((main.parse().ok()?, sub.parse().ok()?))
    }

    /// A Pegasus knows which squares are occupied and not by what (topic: boards).
    pub(super) fn is_pegasus(&self) -> bool {
        self.known.long_serial.as_deref().is_some_and(|number| number.starts_with('P'))
    }
}

fn beep_units(length: Duration) -> u8 {
    let units = (length.as_millis() + 32) / 64;
    u8::try_from(units).unwrap_or(LONGEST_BEEP).clamp(1, LONGEST_BEEP)
}

const fn limit_of_text(error: ClockTextError) -> &'static str {
    match error {
        ClockTextError::TooLong { limit: 6, .. } => "this clock shows 6 characters",
        ClockTextError::TooLong { limit: 8, .. } => "this clock shows 8 characters",
        ClockTextError::TooLong { .. } => "this clock shows 11 characters",
        ClockTextError::Unsafe(_) => "letters, digits, space and . , - ? ! : are safe to send",
        ClockTextError::NoGlyph(_) => "a DGT XL cannot be sent c, m, n, r and most signs",
    }
}
