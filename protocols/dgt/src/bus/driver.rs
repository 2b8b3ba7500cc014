// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's side of the conversation with all boards on one line.

mod board;
mod discovery;
mod exchange;
mod fetch;
mod listen;
mod talk;
mod timing;
mod twins;

use std::collections::BTreeSet;

use arbiterd_board::{
    Capabilities, Channel, Driver, LineSettings, Mono, Report, Request, RequestError, RequestId, Wanted,
};

use self::board::{Board, Lags};
use self::exchange::{Exchange, Wait};
use self::talk::{LINE, Talk};
use super::{BusAddress, BusDecoder, BusItem};
use crate::Counters;
use crate::wire;

/// The driver of several boards on one line, in bus mode.
///
/// [`Channel`] `n` is the board with the address `n`, and channel 0 the line itself, on which
/// only noise is told. One command is on the line at a time, and only the boards' answers are:
/// they say nothing by themselves.
///
/// Boards are configured ([`DgtBusDriver::new`]) or found ([`DgtBusDriver::discovering`]). A
/// search halts all other talk for seconds, so it runs when the line is opened, when no board
/// answers, and when [`DgtBusDriver::discover`] asks for it, and at no other time.
#[derive(Debug, Default)]
pub struct DgtBusDriver {
    decoder: BusDecoder,
    talk: Talk,
    phase: Phase,
    /// The last call that brought the time.
    now: Mono,
    last_byte: Mono,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Phase {
    /// The line is not open.
    #[default]
    Closed,
    /// It was just opened: input until then is thrown away.
    Opening(Mono),
    Open,
}

impl DgtBusDriver {
    /// A driver for these boards and no others. It waits for [`Driver::reset`], which says that
    /// the line is open.
    #[must_use]
    pub fn new(boards: impl IntoIterator<Item = BusAddress>) -> Self {
        let addresses: BTreeSet<BusAddress> = boards.into_iter().collect();
        let boards = addresses.into_iter().map(Board::new).collect();
        Self { talk: Talk::new(boards, false), ..Self::default() }
    }

    /// A driver for whatever boards are found on the line. Each is told by its link going up.
    #[must_use]
    pub fn discovering() -> Self {
        Self { talk: Talk::new(Vec::new(), true), ..Self::default() }
    }

    /// Looks for boards as soon as the line is free, also with configured boards. All other talk
    /// is halted until two rounds of 1.2 s have brought no new board.
    pub fn discover(&mut self, now: Mono) {
        self.talk.wanted = true;
        self.pump(now);
    }

    /// The boards that are configured or were found so far.
    pub fn boards(&self) -> impl Iterator<Item = BusAddress> {
        self.talk.boards.iter().map(|b| b.address)
    }

    /// What the decoder counted besides noise, for diagnosis.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.decoder.counters()
    }

    /// Does all that is due at `now`.
    fn pump(&mut self, now: Mono) {
        self.now = now;
        match self.phase {
            Phase::Closed => return,
            Phase::Opening(until) if until > now => return,
            Phase::Opening(_) => self.phase = Phase::Open,
            Phase::Open => {}
        }
        if self.answer_by().is_some_and(|at| at <= now) {
            self.give_up_waiting(now);
        }
        // Garbage in a round of the search means that answers have met.
        if self.talk.discovery.due().is_some_and(|until| until <= now) {
            self.decoder.abandon();
            self.tell_noise(now);
        }
        self.talk.watch_line(now);
        self.talk.expire(now);
        self.talk.speak(now);
        self.talk.watch_line(now);
    }

    /// Until when an answer may come: the time-out, and longer while an answer is coming in.
    fn answer_by(&self) -> Option<Mono> {
        match self.talk.exchange {
            Some(Exchange { wait: Wait::Answer(until), .. }) if self.decoder.is_reading() => {
                Some(until.max(self.last_byte.after(timing::GAP)).min(until.after(timing::overtime())))
            }
            Some(Exchange { wait: Wait::Answer(until), .. }) => Some(until),
            _ => None,
        }
    }

    fn give_up_waiting(&mut self, now: Mono) {
        let released = self.talk.echo.release();
        self.decode(now, released.bytes());
        self.decoder.abandon();
        self.tell_noise(now);
        self.talk.try_failed(now);
    }

    fn tell_noise(&mut self, now: Mono) {
        if let Some(noise) = self.decoder.take_noise() {
            self.talk.on_noise(now, noise);
        }
    }

    fn decode(&mut self, now: Mono, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(item) = self.decoder.decode(&mut rest) {
            match item {
                BusItem::Message(message) => self.talk.on_message(now, message),
                BusItem::Noise(noise) => self.talk.on_noise(now, noise),
            }
        }
    }
}

impl Driver for DgtBusDriver {
    fn line_settings(&self) -> LineSettings {
        wire::LINE
    }

    fn reset(&mut self, now: Mono) {
        self.decoder.abandon();
        self.tell_noise(now);
        for index in 0..self.talk.boards.len() {
            self.talk.lose(now, index);
        }
        self.decoder.reset();
        self.talk.begin(now);
        self.phase = Phase::Opening(now.after(timing::OPENING));
        self.last_byte = now;
        self.pump(now);
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        if bytes.is_empty() || self.phase != Phase::Open {
            return;
        }
        // A pause too long to lie within a frame, where nobody was waiting for its end.
        if now.since(self.last_byte) > timing::GAP && self.answer_by().is_none() {
            self.decoder.abandon();
        }
        // Bytes go before what is due: an answer may have come in time and be handed in late.
        self.last_byte = now;
        self.talk.watch_line(now);
        let before = self.decoder.counters();
        let (released, rest) = self.talk.echo.strip(bytes);
        self.decode(now, released.bytes());
        self.decode(now, rest);
        let after = self.decoder.counters();
        self.talk.hear_after_noise(now, after.dropped_bytes != before.dropped_bytes);
        if after.bad_checksums != before.bad_checksums {
            self.talk.answer_is_damaged(now);
        }
        self.pump(now);
    }

    fn poll_report(&mut self) -> Option<(Channel, Report)> {
        self.talk.reports.pop_front()
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.talk.transmit.pop_front()
    }

    fn poll_timeout(&self) -> Option<Mono> {
        match self.phase {
            Phase::Closed => None,
            Phase::Opening(until) => Some(until),
            Phase::Open => self.talk.due(self.answer_by(), self.now),
        }
    }

    fn handle_timeout(&mut self, now: Mono) {
        self.pump(now);
    }

    fn request(&mut self, now: Mono, channel: Channel, request: Request) -> Result<RequestId, RequestError> {
        let what = match request {
            Request::ReadBoard => Wanted::Board,
            Request::ReadClock => Wanted::Clock,
            // How a clock is told something through a bus is not described (topic: bus mode).
            Request::SetClock { .. } | Request::ShowText { .. } | Request::ShowTimes | Request::Beep(_) => {
                return Err(RequestError::NotSupported {
                    what: "telling a clock anything through a bus line",
                });
            }
            Request::Light(_) => return Err(RequestError::NotSupported { what: "lights on a bus line" }),
        };
        if channel == LINE {
            return Err(RequestError::NotSupported { what: "reading all boards of a line at once" });
        }
        let limit = timing::request(self.talk.boards.len());
        let board = self.talk.boards.iter_mut().find(|b| b.channel() == channel);
        let board = board.ok_or(RequestError::NoSuchChannel(channel))?;
        if !board.is_up() {
            return Err(RequestError::LinkDown);
        }
        if what == Wanted::Clock {
            board.clock.wanted(now);
        }
        let id = self.talk.requests.add(now, limit, channel, what);
        self.pump(now);
        Ok(id)
    }

    fn capabilities(&self, channel: Channel) -> Capabilities {
        let boards = &self.talk.boards;
        let lags = boards.iter().find(|b| b.channel() == channel).map_or_else(Lags::default, |b| b.lags);
        lags.capabilities(boards.len())
    }
}
