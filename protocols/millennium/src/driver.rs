// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's side of the conversation with one board.

mod arrivals;
mod hearing;
mod known;
mod requests;
mod scans;
mod step;
mod telling;
mod timing;

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{
    AckOutcome, Capabilities, Channel, ClockControl, Driver, LineSettings, Mono, Placement, Report, Request,
    RequestError, RequestId,
};

use self::arrivals::Arrivals;
use self::known::Known;
use self::requests::Requests;
use self::scans::Scans;
use self::step::{Answer, Awaiting, REST, RETRIES, Step};
use self::timing::Pace;
pub use self::timing::Transport;
use crate::wire::{self, Cable, Command, Lights, Register, Setting};
use crate::{ByteParity, Counters, Decoder};

/// A link carries one board.
const ONLY: Channel = Channel(0);

/// A board at rest tells the same many times a second; it is reported once in this time.
const BOARD_PERIOD: Duration = Duration::from_secs(1);

/// So often a board is asked again who it is that has not said so.
const PAGE_PERIOD: Duration = Duration::from_secs(10);

/// So often a board that streams is asked after a loss.
const LOSS_PERIOD: Duration = Duration::from_millis(300);

/// In one of so many rounds a board is looked for that has block parity switched off.
const BARE_ROUNDS: u8 = 10;

/// So often a setting is written in all that the board does not take.
const WRITES: u8 = 2;

/// The driver of one board.
///
/// It says one thing at a time and waits for the answer. A status is reported as a scan when it
/// differs from the one before, and as squares and boards once another bears it out: see
/// `driver/scans.rs` for what that means. See [`Driver`] for the order of calls.
#[derive(Debug, Default)]
pub struct MillenniumDriver {
    transport: Transport,
    decoder: Decoder,
    arrivals: Arrivals,
    step: Step,
    awaiting: Option<Awaiting>,
    /// Lights that gave way to a question, with the tries that they have left.
    put_off: Option<(Command, Answer, u8)>,
    /// Nothing is said before: a board needs a moment after each command.
    quiet_until: Mono,
    link_up: bool,
    last_byte: Mono,
    last_frame: Mono,
    last_status: Mono,
    last_asked: Mono,
    /// When the board was asked for a status of which the answer may still be on its way.
    asked: VecDeque<Mono>,
    /// So many of those answers may be of the scan that is to be borne out.
    stale_answers: usize,
    /// Something may have been missed, or has to be borne out: the board is asked then.
    look_at: Option<Mono>,
    /// The last command was a question for a status, so something else has its turn.
    asked_last: bool,
    board_told: Option<Mono>,
    /// Something else was seen since then, so what is borne out now is news.
    board_doubted: bool,
    /// Rounds of questions for the version since the last one without block parity.
    rounds: u8,
    disturbed_told: Mono,
    /// What was seen last while it was not known yet whose board it is.
    stranger: Option<Placement>,
    /// When a newer board is asked again who it is, if it has not said so.
    page_due: Mono,
    /// How often settings were written that the board has not been seen to keep. Each write wears it, so
    /// this outlives a lost link.
    written: Vec<(Setting, u8)>,
    known: Known,
    scans: Scans,
    requests: Requests,
    reports: VecDeque<(Channel, Report)>,
    transmit: VecDeque<Vec<u8>>,
}

impl MillenniumDriver {
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

    /// What the decoder counted, for diagnosis.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.decoder.counters()
    }

    /// What the board puts in bit 7 of its bytes. [`ByteParity::Mixed`] is a reason for a look at the
    /// line.
    #[must_use]
    pub const fn byte_parity(&self) -> ByteParity {
        self.decoder.byte_parity()
    }

    fn pace(&self) -> Pace {
        self.known.pace(self.transport)
    }

    // ----- the conversation ---------------------------------------------------------------

    /// Starts the conversation at `step`, with nothing left of the one before.
    fn begin(&mut self, now: Mono, step: Step) {
        self.decoder.reset();
        self.arrivals.begin(now);
        self.transmit.clear();
        self.awaiting = None;
        self.put_off = None;
        self.quiet_until = now;
        self.step = step;
        self.last_byte = now;
        self.last_frame = now;
        self.last_status = now;
        self.last_asked = now;
        self.asked.clear();
        self.stale_answers = 0;
        self.look_at = None;
        self.asked_last = false;
        self.board_told = None;
        self.board_doubted = false;
        self.rounds = 0;
        self.disturbed_told = now;
        self.stranger = None;
        self.page_due = now.after(PAGE_PERIOD);
        self.known = Known::default();
        self.scans = Scans::default();
    }

    /// Does all that is due at `now`.
    fn pump(&mut self, now: Mono) {
        if self.step == Step::Detached {
            return;
        }
        if self.gap_at().is_some_and(|at| at <= now) {
            self.end_frame(now);
        }
        for request in self.requests.expired(now) {
            self.acknowledge(now, request, AckOutcome::NoAnswer);
        }
        if let Some(awaiting) = self.awaiting
            && awaiting.until <= now
        {
            self.unanswered(now, awaiting);
        }
        // After the steps, because the last of them ends the patience that the start needs.
        if self.lost_at().is_some_and(|at| at <= now) {
            self.lose(now);
            self.begin(now, Step::Version);
        }
        if self.awaiting.is_none() && self.quiet_until <= now {
            self.speak(now);
        }
    }

    /// A frame broke off. What it hid is heard now, and the board is asked what it said.
    fn end_frame(&mut self, now: Mono) {
        self.decoder.abandon();
        self.hear(now, &[]);
        self.look_after_loss(now);
    }

    fn hear(&mut self, now: Mono, bytes: &[u8]) {
        let dropped = self.decoder.counters().dropped_bytes;
        let mut rest = bytes;
        while let Some(item) = self.decoder.decode(&mut rest) {
            self.on_item(now, item);
            if self.step.discards() {
                return;
            }
        }
        // Noise is told with the next good frame, which may never come unless it is asked for.
        if self.decoder.counters().dropped_bytes != dropped && self.decoder.has_lost_something() {
            self.look_after_loss(now);
        }
        self.arrivals.settled(self.decoder.position());
    }

    /// Something may have been missed, so the board is asked. A stream shows it by itself soon, and
    /// questions after every noise would fill the line.
    fn look_after_loss(&mut self, now: Mono) {
        let at = if self.pace().streams() { self.last_asked.after(LOSS_PERIOD).max(now) } else { now };
        self.look_by(at);
    }

    /// The board is to be asked then, if it is not to be asked before.
    fn look_by(&mut self, at: Mono) {
        self.look_at = Some(self.look_at.map_or(at, |due| due.min(at)));
    }

    /// Says the next thing, if there is one.
    fn speak(&mut self, now: Mono) {
        match self.step {
            Step::Detached => {}
            Step::Opening => self.wait(now, Transport::OPENING),
            Step::Version => self.say(now, Command::Version, Answer::Version),
            Step::BareVersion => self.say_bare(now, Command::Version, Answer::Version),
            Step::RestoreParity => {
                self.say_bare(now, Command::Write(Setting::BlockParity), Answer::Written(0));
            }
            Step::Resting => self.wait(now, REST),
            Step::Information => self.say(now, Command::Information, Answer::Information),
            Step::Reading(register) => {
                self.say(now, Command::Read(register), Answer::Register(register.address()));
            }
            Step::Writing(setting) => {
                self.count_writes(setting, 1);
                let answer = Answer::Written(setting.register().address());
                self.say_once(now, Command::Write(setting), answer);
            }
            Step::Verifying(setting) => {
                let register = setting.register();
                self.say(now, Command::Read(register), Answer::Register(register.address()));
            }
            Step::FirstStatus => self.ask_board(now),
            Step::FirstDark => self.say_lights(now, Command::LightsOff, Answer::LightsOff),
            Step::Running => self.speak_when_due(now),
        }
    }

    fn speak_when_due(&mut self, now: Mono) {
        let look = self.look_due() <= now || self.requests.want_a_look();
        if look && !(self.asked_last && self.wants_lights()) {
            // Whoever asks for a look does not say that anything is missing.
            if self.look_due() <= now && self.look_at.is_none_or(|at| at > now) {
                self.stalled(now);
            }
            self.ask_board(now);
        } else if self.known.wants_page() && self.page_due <= now {
            self.page_due = now.after(PAGE_PERIOD);
            self.say_once(now, Command::Information, Answer::Information);
        } else {
            self.speak_of_lights(now);
        }
    }

    /// Nothing came for so long that the board is asked.
    fn stalled(&mut self, now: Mono) {
        self.known.stalled();
        self.tell_capabilities(now);
    }

    fn wants_lights(&self) -> bool {
        self.requests.want_lights() || self.put_off.is_some()
    }

    /// The newest picture, or again the one that gave way.
    fn speak_of_lights(&mut self, now: Mono) {
        let put_off = self.put_off.take();
        if put_off.is_some() && self.requests.want_lights() {
            self.lights_settled(now, AckOutcome::TooLate);
        }
        if let Some(lights) = self.requests.show() {
            self.asked_last = false;
            if lights.are_dark() {
                self.say_lights(now, Command::LightsOff, Answer::LightsOff);
            } else {
                self.say_lights(now, Command::Lights(lights), Answer::LightsSet);
            }
        } else if let Some((command, answer, left)) = put_off {
            self.asked_last = false;
            self.say_again(now, command, answer, left);
        }
    }

    fn ask_board(&mut self, now: Mono) {
        self.look_at = None;
        self.last_asked = now;
        self.asked_last = true;
        self.requests.asked(true);
        self.say(now, Command::Status, Answer::Status);
    }

    /// Boards that do not acknowledge their lights are not told twice.
    fn say_lights(&mut self, now: Mono, command: Command, answer: Answer) {
        if self.known.is_mute() {
            self.say_once(now, command, answer);
        } else {
            self.say(now, command, answer);
        }
    }

    fn say(&mut self, now: Mono, command: Command, answer: Answer) {
        self.say_again(now, command, answer, RETRIES);
    }

    fn say_again(&mut self, now: Mono, command: Command, answer: Answer, left: u8) {
        self.decoder.expect_information(answer == Answer::Information);
        if answer == Answer::Status {
            self.forget_old_questions(now);
            self.asked.push_back(now);
        }
        self.transmit.push_back(command.encode());
        self.await_answer(now, answer, left.checked_sub(1).map(|left| (command, left)));
    }

    fn say_once(&mut self, now: Mono, command: Command, answer: Answer) {
        self.say_again(now, command, answer, 0);
    }

    fn say_bare(&mut self, now: Mono, command: Command, answer: Answer) {
        self.decoder.expect_bare_version(true);
        self.transmit.push_back(command.encode_bare());
        self.await_answer(now, answer, None);
    }

    fn await_answer(&mut self, now: Mono, answer: Answer, again: Option<(Command, u8)>) {
        let until = now.after(self.transport.answer());
        self.awaiting = Some(Awaiting { answer, said: now, until, again });
    }

    fn wait(&mut self, now: Mono, time: Duration) {
        self.awaiting =
            Some(Awaiting { answer: Answer::Nothing, said: now, until: now.after(time), again: None });
    }

    /// What was seen has to be borne out: lights that are not answered give way to that (topic: pacing).
    fn bear_out(&mut self, now: Mono, at: Mono) {
        self.look_by(at);
        if let Some(awaiting) = self.awaiting.as_mut().filter(|awaiting| awaiting.answer.is_of_lights()) {
            let gives_way = awaiting.said.after(Transport::LIGHTS_GIVE_WAY).max(now);
            awaiting.until = awaiting.until.min(gives_way);
        }
    }

    fn awaits(&self, answer: Answer) -> bool {
        self.awaiting.is_some_and(|awaiting| awaiting.answer == answer)
    }

    /// The board has done with the command.
    fn settled(&mut self, now: Mono) {
        if self.awaiting.is_some_and(|awaiting| awaiting.answer.is_of_lights()) {
            self.lights_settled(now, AckOutcome::Accepted);
        }
        self.end_wait(now);
        self.go_on(now, true);
    }

    fn end_wait(&mut self, now: Mono) {
        self.awaiting = None;
        self.decoder.expect_information(false);
        self.quiet_until = now.after(self.transport.pause());
    }

    fn unanswered(&mut self, now: Mono, awaiting: Awaiting) {
        // The answer may have been held back by what looked like a page of information.
        self.decoder.expect_information(false);
        self.hear(now, &[]);
        if self.awaiting.is_none() {
            return;
        }
        self.end_wait(now);
        if let Some((command, left)) = awaiting.again {
            let looks = self.step == Step::Running && self.look_due() <= now;
            if awaiting.answer.is_of_lights() && looks {
                self.put_off = Some((command, awaiting.answer, left));
                return;
            }
            self.quiet_until = now;
            self.say_again(now, command, awaiting.answer, left);
            return;
        }
        if awaiting.answer.is_of_lights() {
            let outcome = if self.known.is_mute() { AckOutcome::Accepted } else { AckOutcome::NoAnswer };
            self.lights_settled(now, outcome);
        }
        if awaiting.answer == Answer::Status {
            // Whoever waits for it is asked for again.
            self.requests.asked(false);
            self.look_by(now);
        }
        self.go_on(now, false);
    }

    /// The next step.
    fn go_on(&mut self, now: Mono, answered: bool) {
        if self.step != Step::Running {
            self.known.doubt_nothing();
        }
        self.step = match self.step {
            Step::Opening | Step::Resting => Step::Version,
            Step::Version if answered => self.introduced(now),
            Step::Version => {
                let bare = self.rounds == 0;
                self.rounds = (self.rounds + 1) % BARE_ROUNDS;
                if bare { Step::BareVersion } else { Step::Resting }
            }
            Step::BareVersion => self.end_bare(Step::Resting),
            Step::RestoreParity => self.end_bare(Step::Version),
            Step::Information => self.registers(now),
            Step::Reading(register) => match self.known.after(register) {
                Some(next) => Step::Reading(next),
                None => self.set_up(now),
            },
            Step::Writing(setting) => Step::Verifying(setting),
            Step::Verifying(setting) => self.verified(now, setting, answered),
            Step::FirstStatus if answered => Step::FirstDark,
            Step::FirstDark => Step::Running,
            same => same,
        };
    }

    fn end_bare(&mut self, next: Step) -> Step {
        self.decoder.expect_bare_version(false);
        next
    }

    /// The board has told its version.
    fn introduced(&mut self, now: Mono) -> Step {
        self.decoder.expect_bare_version(false);
        if self.known.has_information() { Step::Information } else { self.registers(now) }
    }

    fn registers(&mut self, now: Mono) -> Step {
        self.tell_capabilities(now);
        Step::Reading(Register::SerialSetup)
    }

    /// All registers were read: what does not do is written.
    fn set_up(&mut self, now: Mono) -> Step {
        match self.known.wants(self.transport, &self.in_vain()) {
            Some(setting) => Step::Writing(setting),
            None => {
                self.tell_capabilities(now);
                Step::FirstStatus
            }
        }
    }

    /// What was written was read again, or could not be.
    fn verified(&mut self, now: Mono, setting: Setting, answered: bool) -> Step {
        if !answered {
            self.count_writes(setting, WRITES);
        } else if !self.known.still_wants(self.transport, setting) {
            self.written.retain(|(written, _)| *written != setting);
        }
        self.set_up(now)
    }

    fn count_writes(&mut self, setting: Setting, more: u8) {
        match self.written.iter_mut().find(|(written, _)| *written == setting) {
            Some((_, count)) => *count = count.saturating_add(more),
            None => self.written.push((setting, more)),
        }
    }

    /// Settings that the board was told often enough.
    fn in_vain(&self) -> Vec<Setting> {
        self.written.iter().filter(|(_, count)| *count >= WRITES).map(|(setting, _)| *setting).collect()
    }

    // ----- deadlines ----------------------------------------------------------------------

    fn lost_at(&self) -> Option<Mono> {
        self.link_up.then(|| {
            // A board that is being set up answers question after question, or is mute.
            let limit = if self.step == Step::Running { self.pace().lost() } else { SETTING_UP };
            self.last_frame.after(limit)
        })
    }

    fn gap_at(&self) -> Option<Mono> {
        self.decoder.is_waiting().then(|| self.last_byte.after(self.transport.gap()))
    }

    /// When the board is to be asked what stands on it.
    fn look_due(&self) -> Mono {
        let idle = self.last_status.max(self.last_asked).after(self.pace().poll());
        // A stream shows by itself that a square is calm.
        let calm = self.scans.calm_due().filter(|_| !self.pace().streams());
        [self.look_at, calm].into_iter().flatten().fold(idle, Mono::min)
    }

    /// When there is something to say, or the wait for an answer ends.
    fn next_word(&self) -> Option<Mono> {
        match (self.awaiting, self.step) {
            (Some(awaiting), _) => Some(awaiting.until),
            (None, Step::Detached) => None,
            (None, Step::Running) => {
                let waits = self.wants_lights() || self.requests.want_a_look();
                let page = self.known.wants_page().then_some(self.page_due);
                let due = page.into_iter().fold(self.look_due(), Mono::min);
                Some(if waits { self.quiet_until } else { due.max(self.quiet_until) })
            }
            (None, _) => Some(self.quiet_until),
        }
    }
}

/// Silence after which a board is lost that is being set up: as long as it takes until three
/// questions are given up.
const SETTING_UP: Duration = Duration::from_secs(10);

impl Driver for MillenniumDriver {
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
        if self.gap_at().is_some_and(|at| at <= now) {
            self.end_frame(now);
        }
        self.last_byte = now;
        self.arrivals.received(now, self.decoder.counters().bytes, bytes.len());
        self.hear(now, bytes);
        self.pump(now);
    }

    fn poll_report(&mut self) -> Option<(Channel, Report)> {
        self.reports.pop_front()
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.transmit.pop_front()
    }

    fn poll_timeout(&self) -> Option<Mono> {
        [self.next_word(), self.requests.deadline(), self.lost_at(), self.gap_at()]
            .into_iter()
            .flatten()
            .min()
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
            Request::ReadBoard => self.requests.look(now)?,
            Request::Light(squares) => {
                let (id, old) = self.requests.light(Lights::squares(&squares, Cable::Left));
                if let Some(old) = old {
                    self.acknowledge(now, old, AckOutcome::TooLate);
                }
                id
            }
            Request::ReadClock
            | Request::SetClock { .. }
            | Request::ShowText { .. }
            | Request::ShowTimes
            | Request::Beep(_) => return Err(RequestError::NotSupported { what: "a clock" }),
        };
        self.pump(now);
        Ok(id)
    }

    fn capabilities(&self, _channel: Channel) -> Capabilities {
        Capabilities {
            sensing: self.known.sensing(),
            clock: ClockControl::None,
            board_lag: self.pace().lag(),
            clock_lag: Duration::ZERO,
        }
    }
}
