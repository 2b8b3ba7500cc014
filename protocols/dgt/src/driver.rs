// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's side of the conversation with one board.

mod clock_watch;
mod requests;
mod step;

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{
    AckOutcome, Capabilities, Channel, ClockControl, ClockReport, Driver, Identity, LineSettings, LinkState,
    Mono, Noise, NoiseCause, Placement, Report, ReportBody, Request, RequestError, RequestId, Sensing, Stamp,
    Version,
};

use self::clock_watch::ClockWatch;
use self::requests::{Requests, What};
use self::step::{Answer, Step};
use crate::clock::{AckMeaning, ClockAck, ClockMessage};
use crate::wire::{self, ClockCommand, Command};
use crate::{Counters, Decoder, Item, Message};

/// The longest time from a change on the board to its report: a scan of all squares takes up to
/// 250 ms, a board dump that is being sent holds the line for 70 ms, and an adapter may hold
/// bytes for tens of milliseconds (topic: timing). Bluetooth boards are slower.
pub const BOARD_LAG: Duration = Duration::from_millis(400);

/// The longest time from a change of the clock to its report: the board asks the clock from
/// time to time, so up to a second passes (topic: clock errata).
pub const CLOCK_LAG: Duration = Duration::from_secs(1);

/// A board at rest has sent no update for longer than one scan (topic: timing).
const SETTLED: Duration = Duration::from_millis(300);
/// A lost update shows in the next dump, so one is asked for even when nothing happens.
const IDLE_DUMP: Duration = Duration::from_secs(5);
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
/// Time after a command without answer, for a board whose input holds ten bytes.
const PAUSE: Duration = Duration::from_millis(100);

/// A link to one board carries one channel.
const ONLY: Channel = Channel(0);

/// The driver of one board in single-board mode.
///
/// It says one thing at a time and waits for the answer, because the board's input holds ten
/// bytes. See [`Driver`] for the order of calls.
#[derive(Debug, Default)]
pub struct DgtDriver {
    decoder: Decoder,
    step: Step,
    awaiting: Option<Awaiting>,
    link_up: bool,
    last_byte: Mono,
    last_frame: Mono,
    last_keep_alive: Mono,
    known: Known,
    announced: Option<Capabilities>,
    board: BoardWatch,
    clock: ClockWatch,
    requests: Requests,
    reports: VecDeque<(Channel, Report)>,
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
    told: Option<Identity>,
}

/// When to look at the whole board.
#[derive(Clone, Copy, Debug, Default)]
struct BoardWatch {
    last_square: Option<Mono>,
    /// A look is due then, after a change or a doubt.
    look_at: Option<Mono>,
    asked: Mono,
}

impl BoardWatch {
    fn due(&self) -> Mono {
        let idle = self.asked.after(IDLE_DUMP);
        self.look_at.map_or(idle, |at| at.min(idle))
    }

    fn changed(&mut self, now: Mono) {
        self.last_square = Some(now);
        self.look_at = Some(now.after(SETTLED));
    }

    /// Something may have been lost: look soon, but do not put off a look that is due before.
    fn doubted(&mut self, now: Mono) {
        let at = now.after(SETTLED);
        self.look_at = Some(self.look_at.map_or(at, |due| due.min(at)));
    }

    /// Whether a dump that arrives now shows a board at rest; if not, another look follows.
    fn at_rest(&mut self, now: Mono) -> bool {
        let rest = self.last_square.map(|at| at.after(SETTLED));
        match rest {
            Some(rest) if rest > now => {
                self.look_at = Some(rest);
                false
            }
            _ => true,
        }
    }
}

impl DgtDriver {
    /// A driver that waits for [`Driver::reset`], which says that the line is open.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
        self.awaiting = None;
        self.step = step;
        self.last_byte = now;
        self.last_frame = now;
        self.last_keep_alive = now;
        self.known = Known::default();
        self.announced = None;
        self.board = BoardWatch::default();
        self.clock = ClockWatch::default();
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
            self.acknowledge(now, request, AckOutcome::NoAnswer);
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
            Step::StartUpdates => self.say(now, Command::UpdateNice, Answer::Nothing, PAUSE),
            Step::Baseline => self.ask_board(now),
            // Not waited for: clocks that never answer must not hold up the board.
            Step::ClockVersion => self.ask_clock_version(now),
            Step::Running => self.speak_when_due(now),
        }
    }

    fn speak_when_due(&mut self, now: Mono) {
        if self.board.due() <= now || self.requests.wait_for(What::Board) {
            self.ask_board(now);
        } else if self.clock.poll_due().is_some_and(|at| at <= now) || self.requests.wait_for(What::Clock) {
            self.ask_clock(now);
        } else if self.clock.version_due().is_some_and(|at| at <= now) {
            self.ask_clock_version(now);
        } else if self.keep_alive_due() <= now {
            self.last_keep_alive = now;
            self.say(now, Command::ReturnSerial, Answer::Serial, ANSWER);
        }
    }

    fn ask_board(&mut self, now: Mono) {
        self.board.asked = now;
        self.board.look_at = None;
        self.requests.sent(What::Board);
        self.say(now, Command::SendBoard, Answer::Board, ANSWER);
    }

    fn ask_clock(&mut self, now: Mono) {
        self.clock.polled(now);
        self.requests.sent(What::Clock);
        self.say(now, Command::SendClock, Answer::Clock, ANSWER);
    }

    fn ask_clock_version(&mut self, now: Mono) {
        self.clock.asked_version(now);
        self.say(now, Command::Clock(ClockCommand::Version), Answer::Nothing, PAUSE);
    }

    fn say(&mut self, now: Mono, command: Command, answer: Answer, limit: Duration) {
        self.transmit.push_back(command.encode());
        self.wait(now, answer, limit);
    }

    fn wait(&mut self, now: Mono, answer: Answer, limit: Duration) {
        self.awaiting = Some(Awaiting { answer, until: now.after(limit) });
    }

    fn answered(&mut self, answer: Answer) {
        if self.awaiting.is_some_and(|a| a.answer == answer) {
            self.awaiting = None;
            self.step = self.step.next();
        }
    }

    fn unanswered(&mut self, now: Mono, answer: Answer) {
        match answer {
            Answer::Nothing | Answer::Serial | Answer::LongSerial => self.step = self.step.next(),
            Answer::Version => {}
            // Asked again at once, on behalf of whoever wanted to know.
            Answer::Board => self.board.look_at = Some(now),
            Answer::Clock => self.requests.unsent(What::Clock),
        }
    }

    // ----- what the board says ------------------------------------------------------------

    fn on_item(&mut self, now: Mono, item: Item) {
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
        match noise.cause {
            // The board has left single-board mode and tells no changes there, so from here
            // on nothing is observed: that is a lost link, and the conversation starts again.
            NoiseCause::WrongMode => {
                self.lose(now);
                self.begin(now, Step::Quieting);
            }
            NoiseCause::UnknownKind => {}
            // The dropped bytes may have been an update.
            _ => self.board.doubted(now),
        }
    }

    fn on_message(&mut self, now: Mono, message: Message) {
        match message {
            Message::Version(version) => self.on_version(now, version),
            // Left over from an earlier conversation: nothing is known of this board yet.
            _ if !self.link_up => {}
            Message::Board(placement) => self.on_board(now, placement),
            Message::Square { square, occupant } => {
                self.board.changed(now);
                if self.step.has_baseline() {
                    self.tell(Stamp::received(now, BOARD_LAG), ReportBody::Square { square, occupant });
                }
            }
            Message::Clock(message) => self.on_clock(now, message),
            Message::Serial(text) => {
                self.known.short_serial = Some(text);
                self.tell_identity(now);
                self.answered(Answer::Serial);
            }
            Message::LongSerial(text) => {
                self.known.long_serial = Some(text);
                self.tell_identity(now);
                self.answered(Answer::LongSerial);
            }
            Message::Battery(status) => self.tell(Stamp::at(now), ReportBody::Battery(status.into())),
            // Not asked for by this driver, and no part of a report.
            Message::BusAddress(_) | Message::TradeMark(_) | Message::Log(_) => {}
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
        self.answered(Answer::Version);
    }

    fn on_board(&mut self, now: Mono, placement: Placement) {
        if self.step < Step::Baseline {
            return;
        }
        let confirmed = self.board.at_rest(now);
        self.tell(Stamp::received(now, BOARD_LAG), ReportBody::Board { placement, confirmed });
        if self.awaiting.is_some_and(|a| a.answer == Answer::Board) {
            self.fulfil(now, What::Board);
        }
        self.answered(Answer::Board);
    }

    fn on_clock(&mut self, now: Mono, message: ClockMessage) {
        let stamp = Stamp::received(now, CLOCK_LAG);
        match message {
            ClockMessage::Times(times) => {
                self.clock.heard(now, &times.reading);
                self.tell(stamp, ReportBody::Clock(ClockReport::Reading(times.reading)));
                self.clock_answered(now);
            }
            ClockMessage::NoClock => {
                self.clock.absent();
                self.known.clock = None;
                self.tell(stamp, ReportBody::Clock(ClockReport::Absent));
                self.tell_identity(now);
                self.clock_answered(now);
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

    fn clock_answered(&mut self, now: Mono) {
        if self.awaiting.is_some_and(|a| a.answer == Answer::Clock) {
            self.fulfil(now, What::Clock);
        }
        self.answered(Answer::Clock);
    }

    fn on_clock_ack(&mut self, now: Mono, ack: ClockAck) {
        // A refused or failed question is asked again by its time limit.
        if let AckMeaning::Version(version) = ack.meaning() {
            self.clock.version_known();
            self.known.clock = Some(version);
            self.tell_identity(now);
            self.tell_capabilities(now);
        }
    }

    // ----- what is told -------------------------------------------------------------------

    fn tell(&mut self, at: Stamp, body: ReportBody) {
        self.reports.push_back((ONLY, Report { at, body }));
    }

    fn tell_identity(&mut self, now: Mono) {
        let identity = Identity {
            family: "dgt".to_owned(),
            // The long number is unique, the short one is shared by board and bus.
            serial: self.known.long_serial.clone().or_else(|| self.known.short_serial.clone()),
            firmware: self.known.firmware,
            clock: self.known.clock,
        };
        if self.known.told.as_ref() != Some(&identity) {
            self.known.told = Some(identity.clone());
            self.tell(Stamp::at(now), ReportBody::Identity(identity));
        }
    }

    fn tell_capabilities(&mut self, now: Mono) {
        let capabilities = self.capabilities(ONLY);
        if self.announced != Some(capabilities) {
            self.announced = Some(capabilities);
            self.tell(Stamp::at(now), ReportBody::Capabilities(capabilities));
        }
    }

    fn acknowledge(&mut self, now: Mono, request: RequestId, outcome: AckOutcome) {
        self.tell(Stamp::at(now), ReportBody::Ack { request, outcome });
    }

    fn fulfil(&mut self, now: Mono, what: What) {
        for request in self.requests.fulfilled(what) {
            self.acknowledge(now, request, AckOutcome::Accepted);
        }
    }

    /// The link is lost, if there was one: tells what is still untold and gives up requests.
    fn lose(&mut self, now: Mono) {
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
        for request in self.requests.all() {
            self.acknowledge(now, request, AckOutcome::NoAnswer);
        }
    }

    // ----- deadlines ----------------------------------------------------------------------

    fn lost_at(&self) -> Option<Mono> {
        self.link_up.then(|| self.last_byte.after(LOST).min(self.last_frame.after(DEAF)))
    }

    fn keep_alive_due(&self) -> Mono {
        self.last_byte.max(self.last_keep_alive).after(KEEP_ALIVE)
    }

    /// When there is something to say, or the wait for an answer ends.
    fn next_word(&self) -> Option<Mono> {
        match (self.awaiting, self.step) {
            (Some(awaiting), _) => Some(awaiting.until),
            (None, Step::Running) => {
                let fixed = [self.board.due(), self.keep_alive_due()].into_iter();
                let clock = [self.clock.poll_due(), self.clock.version_due()].into_iter().flatten();
                fixed.chain(clock).min()
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
        [self.next_word(), self.requests.deadline(), self.lost_at()].into_iter().flatten().min()
    }

    fn handle_timeout(&mut self, now: Mono) {
        self.pump(now);
    }

    fn request(&mut self, now: Mono, channel: Channel, request: Request) -> Result<RequestId, RequestError> {
        if channel != ONLY {
            return Err(RequestError::NoSuchChannel(channel));
        }
        let what = match request {
            Request::ReadBoard => What::Board,
            Request::ReadClock => What::Clock,
            Request::SetClock { .. } => return Err(RequestError::NotSupported { what: "setting the clock" }),
        };
        if !self.link_up {
            return Err(RequestError::LinkDown);
        }
        let id = self.requests.add(now, what);
        self.pump(now);
        Ok(id)
    }

    fn capabilities(&self, _channel: Channel) -> Capabilities {
        Capabilities {
            sensing: Sensing::Pieces,
            clock: ClockControl::ReadOnly,
            board_lag: BOARD_LAG,
            clock_lag: CLOCK_LAG,
        }
    }
}
