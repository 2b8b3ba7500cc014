// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's side of the conversation with one board.

mod board_watch;
mod clock_lane;
mod clock_orders;
mod clock_watch;
mod hearing;
mod light_queue;
mod line_watch;
mod step;
mod telling;
mod timing;

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{
    AckOutcome, Capabilities, Channel, ClockControl, Driver, Identity, LineSettings, Mono, Report, Request,
    RequestError, RequestId, Requests, Sensing, Version, Wanted,
};

use self::board_watch::BoardWatch;
use self::clock_lane::ClockLane;
use self::clock_watch::ClockWatch;
use self::light_queue::LightQueue;
use self::line_watch::LineWatch;
use self::step::{Answer, Step};
pub use self::timing::Transport;
use crate::wire::{self, Command};
use crate::{Counters, Decoder};

/// The lag of a wired board: see [`Transport::board_lag`].
pub const BOARD_LAG: Duration = Transport::Wired.board_lag();

/// The lag of a wired board's clock: see [`Transport::clock_lag`].
pub const CLOCK_LAG: Duration = Transport::Wired.clock_lag();

/// Silence after which the board is asked for a sign of life (topic: start-up).
const KEEP_ALIVE: Duration = Duration::from_secs(3);
/// Silence after which the board is lost (topic: start-up).
const LOST: Duration = Duration::from_secs(5);
/// Bytes that never become a message are no sign of life either, but the longest message takes
/// 8.3 s on the line (topic: timing), so this is longer.
const DEAF: Duration = Duration::from_secs(10);
/// A pause too long to lie within a frame (topic: timing).
const BROKEN_FRAME: Duration = Duration::from_millis(500);
/// Time for an answer once the board is known to answer.
const ANSWER: Duration = Duration::from_secs(1);
/// Time for the answer to a request: three tries.
const REQUEST: Duration = Duration::from_secs(3);
/// Time after a command without answer, for a board whose input holds ten bytes.
const PAUSE: Duration = Duration::from_millis(100);

/// A link to one board carries one channel.
const ONLY: Channel = Channel(0);

/// The driver of one board in single-board mode.
///
/// It says one thing at a time and waits for the answer, because the board's input holds ten
/// bytes. Questions and commands for the clock have waits of their own, so a clock that does not
/// answer holds up no square. See [`Driver`] for the order of calls.
#[derive(Debug, Default)]
pub struct DgtDriver {
    transport: Transport,
    decoder: Decoder,
    step: Step,
    awaiting: Option<Awaiting>,
    link_up: bool,
    last_byte: Mono,
    last_frame: Mono,
    last_keep_alive: Mono,
    /// The battery is asked for then, if at all.
    battery_due: Option<Mono>,
    /// Automatic sending is to be switched on again: a change came to light that was not told.
    renew_updates: bool,
    known: Known,
    announced: Option<Capabilities>,
    line: LineWatch,
    board: BoardWatch,
    clock: ClockWatch,
    lane: ClockLane,
    /// The clock was asked for its times, and may answer until then. Nothing waits for it.
    clock_answer_due: Option<Mono>,
    requests: Requests,
    reports: VecDeque<(Channel, Report)>,
    lights: LightQueue,
    transmit: VecDeque<Vec<u8>>,
}

/// The one command that was said last and is not settled yet.
#[derive(Clone, Copy, Debug)]
struct Awaiting {
    answer: Answer,
    until: Mono,
}

/// What is known of the board.
#[derive(Clone, Debug, Default)]
struct Known {
    firmware: Option<Version>,
    short_serial: Option<String>,
    long_serial: Option<String>,
    clock: Option<Version>,
    /// The clock has let its times be set.
    settable: bool,
    told: Option<Identity>,
}

impl DgtDriver {
    /// A driver for a wired board, that waits for [`Driver::reset`], which says that the line is
    /// open.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same for a board that is reached in another way.
    #[must_use]
    pub fn over(transport: Transport) -> Self {
        Self { transport, ..Self::default() }
    }

    /// What the decoder counted besides noise, for diagnosis.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.decoder.counters()
    }

    // ----- the conversation ---------------------------------------------------------------

    /// Starts the conversation at `step`, with nothing left of the one before.
    fn begin(&mut self, now: Mono, step: Step) {
        self.decoder.reset();
        self.transmit.clear();
        self.lights = LightQueue::default();
        self.awaiting = None;
        self.step = step;
        self.last_byte = now;
        self.last_frame = now;
        self.last_keep_alive = now;
        self.battery_due = None;
        self.renew_updates = false;
        self.known = Known::default();
        self.announced = None;
        self.line = LineWatch::default();
        self.board = BoardWatch::default();
        self.clock = ClockWatch::default();
        self.lane = ClockLane::default();
        self.clock_answer_due = None;
    }

    /// Does all that is due at `now`.
    fn pump(&mut self, now: Mono) {
        if self.step == Step::Detached {
            return;
        }
        if self.lost_at().is_some_and(|at| at <= now) {
            self.lose(now);
            self.begin(now, Step::Quieting);
        }
        for request in self.requests.expired(now) {
            self.acknowledge(now, request.id, AckOutcome::NoAnswer);
        }
        while let Some(finished) = self.lane.expired(now) {
            self.clock_command_finished(now, finished);
        }
        for request in self.lights.expired(now) {
            self.acknowledge(now, request, AckOutcome::TooLate);
        }
        if self.clock_answer_due.is_some_and(|due| due <= now) {
            self.clock_answer_due = None;
            self.requests.said(ONLY, Wanted::Clock, false);
        }
        if let Some(awaiting) = self.awaiting
            && awaiting.until <= now
        {
            self.awaiting = None;
            self.unanswered(now, awaiting.answer);
        }
        if self.awaiting.is_none() {
            self.speak(now);
        }
    }

    /// Says the next thing, if there is one.
    fn speak(&mut self, now: Mono) {
        match self.step {
            Step::Detached => {}
            Step::Opening => self.wait(now, Answer::Nothing, step::OPENING),
            Step::Quieting => self.say(now, Command::Reset, Answer::Nothing, PAUSE),
            Step::Version => self.say(now, Command::SendVersion, Answer::Version, step::VERSION_RETRY),
            Step::Serial => self.say(now, Command::ReturnSerial, Answer::Serial, ANSWER),
            Step::LongSerial => self.say(now, Command::ReturnLongSerial, Answer::LongSerial, ANSWER),
            Step::StartUpdates => self.start_updates(now),
            Step::Baseline => self.ask_board(now),
            Step::Running => self.speak_when_due(now),
        }
    }

    fn speak_when_due(&mut self, now: Mono) {
        let is_due = |at: Option<Mono>| at.is_some_and(|at| at <= now);
        if self.renew_updates {
            self.start_updates(now);
        } else if self.board.due() <= now || self.requests.wait_for(ONLY, Wanted::Board) {
            self.ask_board(now);
        } else if is_due(self.lane.due())
            && let Some(command) = self.lane.next(now)
        {
            self.say_to_clock(now, command);
        } else if is_due(self.clock_poll_due()) || self.wants_clock(now) {
            self.ask_clock(now);
        } else if let Some((lights, done)) = self.lights.next() {
            self.say(now, Command::Lights(lights), Answer::Nothing, PAUSE);
            // There is no answer to wait for (topic: host commands).
            if let Some(request) = done {
                self.acknowledge(now, request, AckOutcome::Accepted);
            }
        } else if is_due(self.battery_due) {
            self.battery_due = self.transport.battery_period().map(|period| now.after(period));
            self.say(now, Command::SendBattery, Answer::Battery, PAUSE);
        } else if self.keep_alive_due() <= now {
            self.last_keep_alive = now;
            self.say(now, Command::ReturnSerial, Answer::Serial, PAUSE);
        }
    }

    /// Saying it twice does no harm, and a board that was without power for a moment answers
    /// every question and tells nothing by itself.
    fn start_updates(&mut self, now: Mono) {
        self.renew_updates = false;
        self.say(now, Command::UpdateNice, Answer::Nothing, PAUSE);
    }

    fn ask_board(&mut self, now: Mono) {
        let quiet = now.since(self.last_byte) >= self.transport.settled();
        self.board.asked(now, quiet);
        self.line.look_asked(quiet);
        self.requests.said(ONLY, Wanted::Board, true);
        self.say(now, Command::SendBoard, Answer::Board, ANSWER);
    }

    /// A clock may have stopped answering, so the next word waits for it no longer than for what
    /// is not answered at all.
    fn ask_clock(&mut self, now: Mono) {
        self.clock.polled(now);
        self.requests.said(ONLY, Wanted::Clock, true);
        self.clock_answer_due = Some(now.after(ANSWER));
        self.say(now, Command::SendClock, Answer::Clock, PAUSE);
    }

    fn say(&mut self, now: Mono, command: Command, answer: Answer, limit: Duration) {
        self.transmit.push_back(command.encode());
        self.wait(now, answer, limit);
    }

    fn wait(&mut self, now: Mono, answer: Answer, limit: Duration) {
        self.awaiting = Some(Awaiting { answer, until: now.after(limit) });
    }

    fn answered(&mut self, now: Mono, answer: Answer) {
        if self.awaiting.is_some_and(|a| a.answer == answer) {
            self.awaiting = None;
            self.go_on(now);
        }
    }

    fn unanswered(&mut self, now: Mono, answer: Answer) {
        match answer {
            Answer::Nothing | Answer::Serial | Answer::LongSerial => self.go_on(now),
            Answer::Version | Answer::Battery | Answer::Clock => {}
            Answer::Board => {
                self.line.look_missed();
                self.board.missed(now);
            }
        }
    }

    /// The next step. Nothing waits for the clock: it is asked who it is once the board runs.
    fn go_on(&mut self, now: Mono) {
        let before = self.step;
        self.step = before.next();
        if before != Step::Running && self.step == Step::Running {
            self.ask_clock_version();
            self.battery_due = self.transport.battery_period().map(|_| now);
        }
    }

    // ----- lags ---------------------------------------------------------------------------

    fn board_lag(&self) -> Duration {
        self.transport.board_lag().saturating_add(self.line.delay())
    }

    fn clock_lag(&self) -> Duration {
        self.transport.clock_lag().saturating_add(self.line.delay())
    }

    // ----- deadlines ----------------------------------------------------------------------

    fn lost_at(&self) -> Option<Mono> {
        self.link_up.then(|| self.last_byte.after(LOST).min(self.last_frame.after(DEAF)))
    }

    fn keep_alive_due(&self) -> Mono {
        self.last_byte.max(self.last_keep_alive).after(KEEP_ALIVE)
    }

    /// When to ask for the clock. It is not asked again while it may answer.
    fn clock_poll_due(&self) -> Option<Mono> {
        self.clock.poll_due().filter(|_| self.clock_answer_due.is_none())
    }

    /// Whether somebody asked for the clock and a reading would answer him.
    fn wants_clock(&self, now: Mono) -> bool {
        self.clock_answer_due.is_none()
            && self.requests.wait_for(ONLY, Wanted::Clock)
            && !self.clock.is_unsettled(now)
    }

    /// When there is something to say, or the wait for an answer ends.
    fn next_word(&self) -> Option<Mono> {
        match (self.awaiting, self.step) {
            (Some(awaiting), _) => Some(awaiting.until),
            (None, Step::Running) => {
                let fixed = [self.board.due(), self.keep_alive_due()].into_iter();
                let other = [self.clock_poll_due(), self.lane.due(), self.battery_due];
                fixed.chain(other.into_iter().flatten()).min()
            }
            (None, _) => None,
        }
    }
}

impl Driver for DgtDriver {
    fn line_settings(&self) -> LineSettings {
        wire::LINE
    }

    fn reset(&mut self, now: Mono) {
        self.lose(now);
        self.begin(now, Step::Opening);
        self.pump(now);
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        if bytes.is_empty() || self.step.discards() {
            return;
        }
        if now.since(self.last_byte) > BROKEN_FRAME {
            self.decoder.abandon();
        }
        // Bytes are a sign of life before silence is judged, even if the timer was due.
        self.last_byte = now;
        let mut rest = bytes;
        while let Some(item) = self.decoder.decode(&mut rest) {
            self.on_item(now, item);
            self.pump(now);
            if self.step.discards() {
                return;
            }
        }
        self.pump(now);
    }

    fn poll_report(&mut self) -> Option<(Channel, Report)> {
        self.reports.pop_front()
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.transmit.pop_front()
    }

    fn poll_timeout(&self) -> Option<Mono> {
        let orders = [self.requests.deadline(), self.lane.deadline(), self.lights.deadline()];
        let waits = [self.next_word(), self.clock_answer_due, self.lost_at()];
        orders.into_iter().chain(waits).flatten().min()
    }

    fn handle_timeout(&mut self, now: Mono) {
        self.pump(now);
    }

    fn request(&mut self, now: Mono, channel: Channel, request: Request) -> Result<RequestId, RequestError> {
        if channel != ONLY {
            return Err(RequestError::NoSuchChannel(channel));
        }
        if !self.link_up {
            return Err(RequestError::LinkDown);
        }
        let id = match request {
            Request::ReadBoard => self.requests.add(now, REQUEST, ONLY, Wanted::Board),
            Request::ReadClock => self.requests.add(now, REQUEST, ONLY, Wanted::Clock),
            Request::Light(squares) => self.light(now, &squares)?,
            order => self.order_clock(now, &order)?,
        };
        self.pump(now);
        Ok(id)
    }

    fn capabilities(&self, _channel: Channel) -> Capabilities {
        Capabilities {
            sensing: if self.is_pegasus() { Sensing::Occupancy } else { Sensing::Pieces },
            clock: if self.known.settable { ClockControl::Settable } else { ClockControl::ReadOnly },
            board_lag: self.board_lag(),
            clock_lag: self.clock_lag(),
        }
    }
}
