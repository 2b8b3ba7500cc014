// SPDX-License-Identifier: GPL-3.0-or-later
//! The task of one table: inputs in, facts and what was made of them to its recorder, the rest to
//! whom it concerns.

use std::time::Duration;

use arbiterd_board::{Channel, Mono, Report, Request};
use tokio::sync::{mpsc, oneshot};

use super::lamp::Lamp;
use super::publisher::Publication;
use super::recorder::{Decided, Entry, Held, Said};
use crate::dbus::{CallError, Event};
use crate::journal::{Batch, GameId, GameStart};
use crate::laws::Directive;
use crate::laws::mate::{QuestionId, Verdict, answer};
use crate::link::LinkHandle;
use crate::table::{Command, Input, Output, Saying, Speaker, Table, View};
use crate::time;

/// A deadline that is run later than this, with reports waiting, means that the process stood
/// still: the machine slept or is overloaded.
const STALLED: Duration = Duration::from_secs(2);

/// Something for a table.
#[derive(Debug)]
pub enum ToTable {
    /// A driver's report.
    Report {
        /// When it was received.
        at: Mono,
        /// What.
        report: Report,
    },
    /// Someone said something.
    Said {
        /// Who.
        by: Speaker,
        /// What.
        what: Saying,
        /// Answered with the fact's number once it is committed.
        reply: oneshot::Sender<Result<u64, CallError>>,
    },
    /// The arbiter's command.
    Command {
        /// What.
        command: Command,
        /// Answered with the fact's number once it is committed.
        reply: oneshot::Sender<Result<u64, CallError>>,
    },
    /// The answer to a question about mate.
    Verdict {
        /// Which.
        question: QuestionId,
        /// The answer.
        verdict: Verdict,
    },
}

/// A table and what it talks to.
pub struct Actor {
    pub table: Table,
    /// The game with which the table begins; its recorder knows which is on now.
    pub game: GameId,
    /// How a game of this table begins: for the next one.
    pub start: GameStart,
    /// To the table's recorder, which takes at once; what waits there is counted in `held`.
    pub record: mpsc::UnboundedSender<Entry>,
    pub held: Held,
    /// To the publisher, which takes at once and bounds what waits.
    pub publish: mpsc::UnboundedSender<Publication>,
    pub inbox: mpsc::Receiver<ToTable>,
    /// For answers computed elsewhere; weak, so that the inbox can end.
    pub itself: mpsc::WeakSender<ToTable>,
    /// The link of the table's board.
    pub link: LinkHandle,
    /// The board's channel on it.
    pub channel: Channel,
    /// The board's lights.
    pub lamp: Lamp,
    /// The latest moment that the table has been told: its time never goes back.
    pub clock: Mono,
}

impl Actor {
    /// Runs until nobody can send to the inbox any more.
    pub async fn run(mut self) {
        loop {
            let due = self.table.poll_timeout();
            // The inbox first: a deadline never runs before a report that is already here.
            let message = tokio::select! {
                biased;
                message = self.inbox.recv() => match message {
                    Some(message) => Some(message),
                    None => return,
                },
                () = time::until(due) => None,
            };
            let waiting = message.is_some() || !self.inbox.is_empty();
            if let Some(late) = stall(due, time::now(), waiting) {
                let table = &self.table.config().id;
                tracing::warn!(
                    table,
                    late_ms = u64::try_from(late.as_millis()).unwrap_or(u64::MAX),
                    "this process stood still while reports came in; they are judged by when they were read"
                );
            }
            match message {
                Some(message) => self.take(message),
                None => self.deadline(due),
            }
        }
    }

    /// Runs the deadlines up to `due`, after everything that came before they are run. Up to `due`
    /// and not to this moment: what is due later has its own turn, after what comes until then.
    fn deadline(&mut self, due: Option<Mono>) {
        while let Ok(message) = self.inbox.try_recv() {
            self.take(message);
        }
        if let Some(due) = due {
            self.clock = self.clock.max(due);
            self.table.advance(due);
            self.drain(None);
        }
    }

    /// Reports are stamped where they are read; the order in which they and claims arrive here is
    /// the order of the facts.
    fn take(&mut self, message: ToTable) {
        let (at, input, reply) = match message {
            ToTable::Report { at, report } => {
                self.lamp.hear(&report.body);
                (at, Input::Report(report), None)
            }
            ToTable::Said { by, what, reply } => (time::now(), Input::Said { by, what }, Some(reply)),
            ToTable::Command { command, reply } => {
                if let Err(refused) = self.table.check(&command) {
                    // A caller who has gone away needs no answer.
                    let _ = reply.send(Err(CallError::Refused(refused.to_string())));
                    return;
                }
                (time::now(), Input::Command(command), Some(reply))
            }
            ToTable::Verdict { question, verdict } => {
                (time::now(), Input::MateVerdict { question, verdict }, None)
            }
        };
        self.clock = self.clock.max(at);
        let fact = self.table.handle(self.clock, input);
        self.drain(reply.map(|reply| Said { fact, reply }));
    }

    fn drain(&mut self, said: Option<Said>) {
        let mut gathered = Gathered::new(self.game);
        while let Some(output) = self.table.poll_output() {
            if matches!(output, Output::View(View::Begun { .. })) {
                let before = std::mem::replace(&mut gathered, Gathered::new(self.game));
                self.hand_over(before, None);
                gathered.begins = Some(self.start.clone());
            }
            self.gather(output, &mut gathered);
        }
        self.hand_over(gathered, said);
    }

    fn gather(&self, output: Output, to: &mut Gathered) {
        match output {
            Output::Fact(fact) => to.batch.facts.push(fact),
            Output::Ruling(ruling) => {
                to.decided.push(Decided::Ruling(Box::new(ruling.clone())));
                to.batch.rulings.push(ruling);
            }
            Output::Notice(notice) => {
                to.decided.push(Decided::Notice(notice.clone()));
                to.batch.notices.push(notice);
            }
            Output::View(view) if is_observation(&view) => self.publish(view),
            Output::View(view) => to.decided.push(Decided::View(view)),
            Output::Directive(directive) => to.decided.extend(self.direct(directive)),
        }
    }

    fn hand_over(&self, gathered: Gathered, said: Option<Said>) {
        let Gathered { begins, batch, decided } = gathered;
        if batch.facts.is_empty() && decided.is_empty() {
            return;
        }
        self.held.add(&batch);
        let entry = Entry { begins, batch, revision: self.table.game().revision, decided, said };
        // The recorder ends after its table, or ends the daemon.
        if self.record.send(entry).is_err() {
            tracing::error!(
                table = self.table.config().id,
                "the recorder has ended; nothing more is recorded"
            );
        }
    }

    fn publish(&self, view: View) {
        let event = Event::View { table: self.table.config().id.clone(), revision: None, view };
        // The publisher ends after all tables; if it is gone, the daemon is going down.
        if self.publish.send(Publication::Now(event)).is_err() {
            tracing::error!("the publisher has ended; nothing more is published");
        }
    }

    /// Does what can be done at once, and gives back what has to wait for its commit.
    fn direct(&self, directive: Directive) -> Option<Decided> {
        match directive {
            Directive::AskMate { question, fen, side } => {
                let itself = self.itself.clone();
                tokio::spawn(async move {
                    let verdict = searched(move || answer(&fen, side)).await;
                    if let Some(inbox) = itself.upgrade()
                        && inbox.send(ToTable::Verdict { question, verdict }).await.is_err()
                    {
                        tracing::warn!("the table ended before its question was answered");
                    }
                });
            }
            Directive::Light(squares) => return self.lamp.decide(squares).map(Decided::Lights),
            Directive::ReadBoard => self.ask(Request::ReadBoard),
            Directive::ReadClock => self.ask(Request::ReadClock),
            Directive::SetClock { white, black, run } => {
                let table = &self.table.config().id;
                tracing::error!(
                    table,
                    ?white,
                    ?black,
                    ?run,
                    "this version sets no clock: set these times by hand"
                );
            }
        }
        None
    }

    /// Asks the board's link. What comes of it comes as reports; a board that is away is read anew
    /// when it is back.
    fn ask(&self, request: Request) {
        match self.link.request(self.channel, request.clone()) {
            Ok(()) => self.lamp.count_another(),
            Err(error) => tracing::warn!(table = self.table.config().id, ?request, %error, "not asked"),
        }
    }
}

/// What one game's outputs amount to.
struct Gathered {
    begins: Option<GameStart>,
    batch: Batch,
    decided: Vec<Decided>,
}

impl Gathered {
    const fn new(game: GameId) -> Self {
        let batch = Batch { game, facts: Vec::new(), rulings: Vec::new(), notices: Vec::new() };
        Self { begins: None, batch, decided: Vec::new() }
    }
}

/// By how much a deadline is late, if that shows that the process stood still.
fn stall(due: Option<Mono>, woke: Mono, reports_wait: bool) -> Option<Duration> {
    due.map(|due| woke.since(due)).filter(|late| reports_wait && *late > STALLED)
}

/// The verdict of a search that runs on a thread of its own. A search that fails finds nothing,
/// and says so: a table must not wait for it for ever.
async fn searched(search: impl FnOnce() -> Verdict + Send + 'static) -> Verdict {
    tokio::task::spawn_blocking(search).await.unwrap_or_else(|error| {
        tracing::error!(%error, "the search for a mate failed; the question stays undecided");
        Verdict::Undetermined { spent: 0 }
    })
}

/// What the hardware itself shows may go out before it is committed; what was derived from it
/// may not.
const fn is_observation(view: &View) -> bool {
    matches!(
        view,
        View::Lifted { .. }
            | View::Placed { .. }
            | View::Placement(_)
            | View::Pressed { .. }
            | View::Clock(_)
    )
}

#[cfg(test)]
mod tests;
