// SPDX-License-Identifier: GPL-3.0-or-later
//! The task of one table: inputs in, facts and rulings to the journal, the rest to whom it
//! concerns.

use arbiterd_board::{Mono, Report};
use tokio::sync::{mpsc, oneshot};

use super::publisher::{Decided, Publication};
use crate::dbus::{CallError, Event};
use crate::journal::{Batch, GameId, Journal};
use crate::laws::Directive;
use crate::laws::mate::{QuestionId, Verdict, can_mate};
use crate::table::{Input, Output, Saying, Speaker, Standing, Start, Table, View};
use crate::time;

/// Positions that the search for a mating line may look at: about a tenth of a second.
const MATE_BUDGET: u64 = 200_000;

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
    pub game: GameId,
    pub journal: Journal,
    pub publish: mpsc::UnboundedSender<Publication>,
    pub inbox: mpsc::Receiver<ToTable>,
    /// For answers computed elsewhere; weak, so that the inbox can end.
    pub itself: mpsc::WeakSender<ToTable>,
}

impl Actor {
    /// Runs until nobody can send to the inbox any more.
    pub async fn run(mut self) {
        let mut clock = Mono::ZERO;
        loop {
            let due = self.table.poll_timeout();
            let message = tokio::select! {
                message = self.inbox.recv() => match message {
                    Some(message) => Some(message),
                    None => break,
                },
                () = until(due) => None,
            };
            // Reports are stamped where they are read; the order in which they and claims
            // arrive here is the order of the facts.
            let (at, input, reply) = match message {
                None => (time::now(), None, None),
                Some(ToTable::Report { at, report }) => (at, Some(Input::Report(report)), None),
                Some(ToTable::Said { by, what, reply }) => {
                    (time::now(), Some(Input::Said { by, what }), Some(reply))
                }
                Some(ToTable::Verdict { question, verdict }) => {
                    (time::now(), Some(Input::MateVerdict { question, verdict }), None)
                }
            };
            clock = clock.max(at);
            let fact = match input {
                Some(input) => self.table.handle(clock, input),
                None => {
                    self.table.advance(clock);
                    0
                }
            };
            self.drain(reply.map(|r| (fact, r)));
        }
    }

    fn drain(&mut self, said: Option<(u64, oneshot::Sender<Result<u64, CallError>>)>) {
        let mut batch =
            Batch { game: self.game, facts: Vec::new(), rulings: Vec::new(), notices: Vec::new() };
        let mut decided = Vec::new();
        while let Some(output) = self.table.poll_output() {
            match output {
                Output::Fact(fact) => batch.facts.push(fact),
                Output::Ruling(ruling) => {
                    decided.push(Decided::Ruling(Box::new(ruling.clone())));
                    batch.rulings.push(ruling);
                }
                Output::Notice(notice) => {
                    decided.push(Decided::Notice(notice.clone()));
                    batch.notices.push(notice);
                }
                Output::View(view) if is_observation(&view) => {
                    self.publish(Publication::Now(self.observation(view)))
                }
                Output::View(view) => decided.push(Decided::View(view)),
                Output::Directive(directive) => self.direct(directive),
            }
        }
        if batch.facts.is_empty() && decided.is_empty() {
            return;
        }
        let pending = self.journal.append(batch);
        self.publish(Publication::Decided {
            table: self.table.config().id.clone(),
            revision: self.table.game().revision,
            pending,
            decided,
            said,
        });
    }

    fn observation(&self, view: View) -> Event {
        Event::View { table: self.table.config().id.clone(), revision: None, view }
    }

    fn publish(&self, publication: Publication) {
        // The publisher ends after all tables; if it is gone, the daemon is going down.
        if self.publish.send(publication).is_err() {
            tracing::error!("the publisher has ended; nothing more is published");
        }
    }

    fn direct(&self, directive: Directive) {
        match directive {
            Directive::AskMate { question, fen, side } => {
                let itself = self.itself.clone();
                tokio::task::spawn_blocking(move || {
                    let verdict = answer(&fen, side);
                    if let Some(inbox) = itself.upgrade()
                        && inbox.blocking_send(ToTable::Verdict { question, verdict }).is_err()
                    {
                        tracing::warn!("the table ended before its question was answered");
                    }
                });
            }
            // The laws of this version give no such directive; clock setting comes with them.
            Directive::ReadBoard | Directive::ReadClock | Directive::SetClock { .. } => {
                tracing::warn!(?directive, "this version does not set or poll devices on a ruling");
            }
        }
    }
}

/// Whether `side` can mate; a position that legal play cannot continue has no answer.
fn answer(fen: &str, side: arbiterd_board::Colour) -> Verdict {
    match Start::from_fen(fen) {
        Ok(start) => match start.standing() {
            Standing::Valid(position) => can_mate(position, side, MATE_BUDGET),
            Standing::Irregular(_) => Verdict::Undetermined { spent: 0 },
        },
        Err(_) => Verdict::Undetermined { spent: 0 },
    }
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

async fn until(due: Option<Mono>) {
    match due {
        Some(due) => tokio::time::sleep(due.since(time::now())).await,
        None => std::future::pending().await,
    }
}
