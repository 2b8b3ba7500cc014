// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands for the clock, one at a time, each with a time limit and a number of tries (topic:
//! clock commands, rules of use).
//!
//! An answer is matched to the command that waits for one; nothing else ends the wait. The board
//! is spoken to meanwhile: a clock that has fallen silent never holds up the squares.

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{AckOutcome, Mono, RequestId};

use crate::clock::{AckMeaning, ClockAck};
use crate::wire::ClockCommand;

/// How long a clock may take to answer.
const ANSWER: Duration = Duration::from_millis(2500);
/// How long it may take to tell its version; a clock that cannot be spoken to never does.
const VERSION_ANSWER: Duration = Duration::from_secs(2);
const TRIES: u8 = 3;
/// From one command to the next for clocks and boards that lose commands which follow each other
/// faster, and for boards that repeat the last answer for so long (topic: clock errata).
const SLOW_PACE: Duration = Duration::from_secs(1);
/// After an answer that says that the command went wrong on its way.
const AFTER_ERROR: Duration = Duration::from_secs(1);
/// More than these few would not be sent within the time in which they make sense.
const MOST_WAITING: usize = 8;
/// What is shown, or set while both sides stand, makes sense for so long after it was asked for.
pub(super) const ORDER_LIFE: Duration = Duration::from_secs(10);
/// A beep means what happened just now.
const BEEP_LIFE: Duration = Duration::from_secs(3);
/// Times that run are whole seconds, and are set back by as long as they wait.
const RUNNING_LIFE: Duration = Duration::from_secs(1);

/// What a command is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// Somebody asked for it.
    Request(RequestId),
    /// The driver wants to know the clock's version.
    Version,
    /// The driver tidies up after another command.
    FollowUp,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    command: ClockCommand,
    purpose: Purpose,
    /// It is not sent from then on. What nobody asked for makes sense at any time.
    until: Option<Mono>,
}

/// For how long an order makes sense.
fn life(command: ClockCommand) -> Duration {
    match command {
        ClockCommand::Beep(_) => BEEP_LIFE,
        ClockCommand::SetAndRun(set) if !set.is_pause() => RUNNING_LIFE,
        _ => ORDER_LIFE,
    }
}

impl Job {
    fn is_too_late(&self, now: Mono) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    const fn finished(self, outcome: AckOutcome) -> Finished {
        Finished { command: self.command, purpose: self.purpose, outcome }
    }

    const fn limit(&self) -> Duration {
        match self.purpose {
            Purpose::Version => VERSION_ANSWER,
            _ => ANSWER,
        }
    }

    /// A command is only sent again if the clock may hear it twice: a second beep would be one
    /// too many, and times that run would be set back by what has passed since.
    fn tries(&self) -> u8 {
        match self.command {
            ClockCommand::Beep(_) => 1,
            ClockCommand::SetAndRun(set) if !set.is_pause() => 1,
            _ => TRIES,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Current {
    job: Job,
    /// How often it was sent.
    sent: u8,
    /// The end of the wait for an answer, or the moment to send it again.
    due: Mono,
}

impl Current {
    fn may_be_sent_again(&self, now: Mono) -> bool {
        self.sent < self.job.tries() && !self.job.is_too_late(now)
    }
}

/// A command whose wait is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Finished {
    pub(super) command: ClockCommand,
    pub(super) purpose: Purpose,
    pub(super) outcome: AckOutcome,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ClockLane {
    waiting: VecDeque<Job>,
    current: Option<Current>,
    /// Not before this is the next one sent.
    free_at: Mono,
    /// Whether clock and board bear commands in quick succession.
    quick: bool,
}

impl ClockLane {
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= MOST_WAITING
    }

    /// Whether a command would be sent at once.
    pub(super) fn is_idle(&self, now: Mono) -> bool {
        self.current.is_none() && self.waiting.is_empty() && self.free_at <= now
    }

    /// Whether such a command waits or was sent and is not answered.
    pub(super) fn holds(&self, code: u8) -> bool {
        let current = self.current.map(|current| current.job);
        current.iter().chain(&self.waiting).any(|job| job.command.code() == code)
    }

    /// What somebody asked for at `now`.
    pub(super) fn order(&mut self, now: Mono, command: ClockCommand, request: RequestId) {
        let until = Some(now.after(life(command)));
        self.waiting.push_back(Job { command, purpose: Purpose::Request(request), until });
    }

    pub(super) fn ask_version(&mut self) {
        self.waiting.push_back(Job {
            command: ClockCommand::Version,
            purpose: Purpose::Version,
            until: None,
        });
    }

    /// Before all that waits.
    pub(super) fn follow_up(&mut self, command: ClockCommand) {
        self.waiting.push_front(Job { command, purpose: Purpose::FollowUp, until: None });
    }

    pub(super) fn set_quick(&mut self, quick: bool) {
        self.quick = quick;
    }

    pub(super) fn due(&self) -> Option<Mono> {
        match self.current {
            Some(current) => Some(current.due),
            None => self.waiting.front().map(|_| self.free_at),
        }
    }

    /// The command to send now, if there is one.
    pub(super) fn next(&mut self, now: Mono) -> Option<ClockCommand> {
        let current = match self.current {
            Some(current) if current.due <= now && current.may_be_sent_again(now) => {
                Current { sent: current.sent.saturating_add(1), ..current }
            }
            Some(_) => return None,
            None if self.free_at <= now => {
                let job = self.waiting.pop_front()?;
                Current { job, sent: 1, due: now }
            }
            None => return None,
        };
        self.current = Some(Current { due: now.after(current.job.limit()), ..current });
        Some(current.job.command)
    }

    /// When the first of those that wait makes no sense any more.
    pub(super) fn deadline(&self) -> Option<Mono> {
        self.waiting.iter().filter_map(|job| job.until).min()
    }

    /// A command that is given up now: after its last try, or before its first because its time
    /// is over.
    pub(super) fn expired(&mut self, now: Mono) -> Option<Finished> {
        if let Some(current) = self.current.filter(|c| c.due <= now && !c.may_be_sent_again(now)) {
            return Some(self.finish(now, current, AckOutcome::NoAnswer));
        }
        let late = self.waiting.iter().position(|job| job.is_too_late(now))?;
        self.waiting.remove(late).map(|job| job.finished(AckOutcome::TooLate))
    }

    /// Takes an answer of the clock; it may end the wait.
    pub(super) fn heard(&mut self, now: Mono, ack: ClockAck) -> Option<Finished> {
        let current = self.current?;
        // A command that failed on its way is answered without its code (topic: clock answers).
        let failed_on_the_way = ack.subject == 0 && !ack.is_good();
        let not_in_mode = ack.meaning() == AckMeaning::NotInMode
            && matches!(current.job.command, ClockCommand::SetAndRun(_));
        if not_in_mode {
            return Some(self.finish(now, current, AckOutcome::Refused));
        }
        if !failed_on_the_way && !ack.answers(current.job.command.code()) {
            return None;
        }
        if ack.is_good() {
            return Some(self.finish(now, current, AckOutcome::Accepted));
        }
        if ack.status == ClockAck::REFUSED {
            return Some(self.finish(now, current, AckOutcome::Refused));
        }
        // What failed on its way was not refused; whether it arrived is not known.
        if current.sent >= current.job.tries() {
            return Some(self.finish(now, current, AckOutcome::NoAnswer));
        }
        self.current = Some(Current { due: now.after(AFTER_ERROR), ..current });
        None
    }

    /// Gives everything up: nobody is there to answer.
    pub(super) fn clear(&mut self) -> Vec<Finished> {
        let current = self.current.take().map(|c| c.job);
        current
            .into_iter()
            .chain(self.waiting.drain(..))
            .map(|job| job.finished(AckOutcome::NoAnswer))
            .collect()
    }

    fn finish(&mut self, now: Mono, current: Current, outcome: AckOutcome) -> Finished {
        self.current = None;
        self.free_at = if self.quick { now } else { now.after(SLOW_PACE) };
        current.job.finished(outcome)
    }
}

#[cfg(test)]
mod tests {
    use arbiterd_board::Run;

    use super::*;
    use crate::wire::{ClockText, SetAndRun, clock_code};

    const END: ClockCommand = ClockCommand::End;

    fn ms(millis: u64) -> Mono {
        Mono::from_millis(millis)
    }

    fn lane(commands: impl IntoIterator<Item = ClockCommand>) -> ClockLane {
        let mut lane = ClockLane::default();
        for (n, command) in (0..).zip(commands) {
            lane.order(ms(0), command, RequestId(n));
        }
        lane
    }

    fn text() -> ClockCommand {
        ClockCommand::Text(ClockText::new("x").unwrap(), crate::wire::BeepAfter::NONE)
    }

    fn set(run: Run) -> ClockCommand {
        ClockCommand::SetAndRun(SetAndRun::new(Duration::ZERO, Duration::ZERO, run, false).unwrap())
    }

    #[test]
    fn the_next_command_waits_for_the_answer_to_the_one_before() {
        let mut lane = lane([text(), END]);
        assert_eq!(lane.next(ms(0)), Some(text()));
        assert_eq!(lane.next(ms(100)), None);
        assert_eq!(lane.heard(ms(200), ClockAck::good(clock_code::END)), None, "the answer to another");
        let done = lane.heard(ms(300), ClockAck::good(clock_code::TEXT)).unwrap();
        assert_eq!((done.command, done.outcome), (text(), AckOutcome::Accepted));
        assert_eq!(lane.due(), Some(ms(1300)), "a pause for a slow clock");
        assert_eq!(lane.next(ms(1299)), None);
        assert_eq!(lane.next(ms(1300)), Some(END));
    }

    #[test]
    fn a_command_without_answer_is_sent_three_times() {
        let mut lane = lane([text()]);
        for at in [0, 2500, 5000] {
            assert_eq!(lane.expired(ms(at)), None);
            assert_eq!(lane.next(ms(at)), Some(text()), "{at}");
        }
        assert_eq!(lane.next(ms(7500)), None);
        assert_eq!(lane.expired(ms(7500)).map(|d| d.outcome), Some(AckOutcome::NoAnswer));
        assert_eq!(lane.due(), None);
    }

    #[test]
    fn what_waits_longer_than_it_makes_sense_is_not_sent() {
        let mut lane = lane([text(), ClockCommand::Beep(1), text(), text()]);
        assert!(lane.next(ms(0)).is_some() && lane.next(ms(2500)).is_some());
        assert_eq!(lane.deadline(), Some(ms(3000)));
        assert_eq!(lane.expired(ms(2999)), None);
        let beep = lane.expired(ms(3000)).unwrap();
        assert_eq!((beep.command, beep.outcome), (ClockCommand::Beep(1), AckOutcome::TooLate));
        assert_eq!(lane.deadline(), Some(ms(10_000)));
        assert!(lane.next(ms(5000)).is_some());
        assert_eq!(lane.expired(ms(7500)).map(|d| d.outcome), Some(AckOutcome::NoAnswer));
        // Sent in time, but its second try would come too late.
        assert_eq!(lane.next(ms(8500)), Some(text()));
        assert_eq!(lane.expired(ms(10_000)).map(|d| d.outcome), Some(AckOutcome::TooLate));
        assert_eq!(lane.next(ms(11_000)), None);
        assert_eq!(lane.expired(ms(11_000)).map(|d| d.outcome), Some(AckOutcome::NoAnswer));
        assert_eq!((lane.due(), lane.deadline()), (None, None));
    }

    #[test]
    fn what_may_not_happen_twice_is_sent_once() {
        for command in [ClockCommand::Beep(1), set(Run::Side(arbiterd_board::ClockSide::Left))] {
            let mut lane = lane([command]);
            assert_eq!(lane.next(ms(0)), Some(command));
            assert_eq!(lane.next(ms(2500)), None);
            assert_eq!(lane.expired(ms(2500)).map(|d| d.outcome), Some(AckOutcome::NoAnswer));
        }
        let mut paused = lane([set(Run::Stopped)]);
        assert!(paused.next(ms(0)).is_some() && paused.next(ms(2500)).is_some());
    }

    #[test]
    fn an_error_on_the_way_sends_the_command_again_after_a_second() {
        let error = ClockAck { status: 0x20, subject: 0, value: 0, detail: 0 };
        let mut lane = lane([text()]);
        assert_eq!(lane.next(ms(0)), Some(text()));
        assert_eq!(lane.heard(ms(100), error), None);
        assert_eq!(lane.next(ms(1099)), None);
        assert_eq!(lane.next(ms(1100)), Some(text()));
        assert_eq!(lane.heard(ms(1200), error), None);
        assert_eq!(lane.next(ms(2200)), Some(text()));
        assert_eq!(lane.heard(ms(2300), error).map(|d| d.outcome), Some(AckOutcome::NoAnswer));
    }

    #[test]
    fn a_refusal_is_final() {
        for refusal in [
            ClockAck::refused(clock_code::SET_AND_RUN),
            ClockAck { status: ClockAck::GOOD, subject: 0x90, value: 0, detail: 0 },
        ] {
            let mut lane = lane([set(Run::Stopped)]);
            assert!(lane.next(ms(0)).is_some());
            assert_eq!(lane.heard(ms(100), refusal).map(|d| d.outcome), Some(AckOutcome::Refused));
            assert_eq!(lane.due(), None);
        }
    }

    #[test]
    fn a_late_answer_counts_for_nothing_else() {
        let mut lane = lane([ClockCommand::Beep(1)]);
        assert!(lane.next(ms(0)).is_some());
        assert!(lane.expired(ms(2500)).is_some());
        assert_eq!(lane.heard(ms(2600), ClockAck::good(clock_code::BEEP)), None);
    }
}
