// SPDX-License-Identifier: GPL-3.0-or-later
//! The one task that speaks on the bus. What the hardware shows goes out at once; what was
//! decided goes out after its commit, in the order of its decision.

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, StreamExt};
use tokio::sync::{mpsc, oneshot};

use crate::dbus::{Bus, CallError, Event};
use crate::journal::{Committed, JournalError, Pending};
use crate::laws::{Notice, Ruling};
use crate::table::View;

/// Something to publish.
pub enum Publication {
    /// At once.
    Now(Event),
    /// After its commit.
    Decided {
        /// The table.
        table: String,
        /// The revision of its game with all of it.
        revision: u64,
        /// The commit.
        pending: Pending,
        /// What was decided, in order.
        decided: Vec<Decided>,
        /// A caller who waits for his fact's number.
        said: Option<(u64, oneshot::Sender<Result<u64, CallError>>)>,
    },
}

/// Something that was decided.
#[derive(Debug)]
pub enum Decided {
    /// A view of what was derived.
    View(View),
    /// A ruling.
    Ruling(Box<Ruling>),
    /// A notice.
    Notice(Notice),
}

/// Publishes until nobody can send any more and everything is out.
pub async fn run(bus: Bus, mut publications: mpsc::UnboundedReceiver<Publication>) {
    let mut commits: FuturesOrdered<BoxFuture<'static, Vec<Event>>> = FuturesOrdered::new();
    let mut open = true;
    while open || !commits.is_empty() {
        tokio::select! {
            biased;
            publication = publications.recv(), if open => match publication {
                Some(Publication::Now(event)) => publish(&bus, event).await,
                Some(Publication::Decided { table, revision, pending, decided, said }) => {
                    commits.push_back(Box::pin(committed(table, revision, pending, decided, said)));
                }
                None => open = false,
            },
            Some(events) = commits.next(), if !commits.is_empty() => {
                for event in events {
                    publish(&bus, event).await;
                }
            }
        }
    }
}

/// A bus that cannot be spoken to is logged; the journal has everything all the same.
async fn publish(bus: &Bus, event: Event) {
    if let Err(error) = bus.publish(event).await {
        tracing::error!(%error, "not published");
    }
}

async fn committed(
    table: String,
    revision: u64,
    pending: Pending,
    decided: Vec<Decided>,
    said: Option<(u64, oneshot::Sender<Result<u64, CallError>>)>,
) -> Vec<Event> {
    let outcome = pending.await;
    if let Err(error) = &outcome {
        // The daemon goes on ruling; row 0 says that a ruling is not in the journal.
        tracing::error!(table, %error, "facts could not be recorded");
    }
    if let Some((fact, reply)) = said {
        let answer = outcome.as_ref().map(|_| fact).map_err(|e| CallError::JournalUnavailable(e.to_string()));
        // A caller who has gone away needs no answer.
        let _ = reply.send(answer);
    }
    rows(&table, revision, outcome, decided)
}

fn rows(
    table: &str,
    revision: u64,
    outcome: Result<Committed, JournalError>,
    decided: Vec<Decided>,
) -> Vec<Event> {
    let at = outcome.as_ref().map_or_else(|_| crate::time::now(), |c| c.at);
    let (rulings, notices) = outcome.map(|c| (c.rulings, c.notices)).unwrap_or_default();
    let (mut rulings, mut notices) = (rulings.into_iter(), notices.into_iter());
    decided
        .into_iter()
        .map(|d| match d {
            Decided::View(view) => Event::View { table: table.to_owned(), revision: Some(revision), view },
            Decided::Ruling(ruling) => Event::Ruling {
                table: table.to_owned(),
                row: rulings.next().unwrap_or(0),
                ruling,
                committed_at: at,
            },
            Decided::Notice(notice) => {
                Event::Notice { table: table.to_owned(), row: notices.next().unwrap_or(0), notice }
            }
        })
        .collect()
}
