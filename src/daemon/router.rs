// SPDX-License-Identifier: GPL-3.0-or-later
//! Takes reports from links and calls from the bus to the tables they concern.

use std::collections::BTreeMap;

use arbiterd_board::{Capabilities, Identity, LinkState, ReportBody};
use tokio::sync::{mpsc, oneshot};

use super::publisher::Publication;
use super::table::ToTable;
use crate::dbus::{Call, CallError, Event, LedgerQuery, LedgerRow};
use crate::journal::{Journal, RulingQuery};
use crate::link::LinkEvent;
use crate::table::Saying;

/// A table's place: the board it has, and its inbox.
pub struct Seat {
    pub board: String,
    pub inbox: mpsc::Sender<ToTable>,
}

/// Who sits where.
pub struct Router {
    pub seats: BTreeMap<String, Seat>,
    pub publish: mpsc::UnboundedSender<Publication>,
    pub journal: Journal,
    /// What each board has said of itself so far.
    pub known: BTreeMap<String, (Option<Identity>, Option<Capabilities>)>,
}

impl Router {
    /// Runs until all links have ended.
    pub async fn run(mut self, mut events: mpsc::Receiver<LinkEvent>, mut calls: mpsc::Receiver<Call>) {
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.link_event(event).await,
                    None => break,
                },
                Some(call) = calls.recv() => self.call(call).await,
            }
        }
    }

    async fn link_event(&mut self, event: LinkEvent) {
        match event {
            LinkEvent::Port { id, state } => {
                tracing::info!(board = id, state = state.word(), "port");
                self.publish(Event::Port {
                    board: id,
                    state: state.word().to_owned(),
                    detail: state.to_string(),
                });
            }
            LinkEvent::Report { id, channel: _, at, report } => {
                self.about_the_board(&id, &report.body);
                for seat in self.seats.values().filter(|s| s.board == id) {
                    if seat.inbox.send(ToTable::Report { at, report: report.clone() }).await.is_err() {
                        tracing::error!(board = id, "the table's task has ended; a report is lost");
                    }
                }
            }
        }
    }

    fn about_the_board(&mut self, board: &str, body: &ReportBody) {
        let board = board.to_owned();
        match body {
            ReportBody::Identity(identity) => {
                self.known.entry(board.clone()).or_default().0 = Some(identity.clone());
                self.introduce(board);
            }
            ReportBody::Capabilities(capabilities) => {
                self.known.entry(board.clone()).or_default().1 = Some(*capabilities);
                self.introduce(board);
            }
            ReportBody::Link(state) => self.publish(Event::Link { board, up: *state == LinkState::Up }),
            ReportBody::Noise(noise) => {
                tracing::warn!(board, bytes = noise.bytes, cause = ?noise.cause, "noise")
            }
            _ => {}
        }
    }

    /// Says who a board is, once it has said both who it is and what it can do.
    fn introduce(&self, board: String) {
        if let Some((Some(identity), Some(capabilities))) = self.known.get(&board) {
            let (identity, capabilities) = (identity.clone(), *capabilities);
            self.publish(Event::Identity { board, identity, capabilities });
        }
    }

    async fn call(&self, call: Call) {
        match call {
            Call::Claim { table, by, claim, sender, reply } => {
                tracing::info!(table, ?by, claim = claim.word(), sender = sender.unique_name, uid = ?sender.uid, "claim");
                let Some(seat) = self.seats.get(&table) else {
                    let _ = reply.send(Err(CallError::NoSuchTable(format!("no table is called {table:?}"))));
                    return;
                };
                let said = ToTable::Said { by, what: Saying::Claim(claim), reply };
                if seat.inbox.send(said).await.is_err() {
                    tracing::error!(table, "the table's task has ended; a claim is refused");
                }
            }
            Call::Rulings { query, reply } => {
                // The ledger may be long: it must not hold up reports.
                tokio::spawn(read_ledger(self.journal.clone(), query, reply));
            }
        }
    }

    fn publish(&self, event: Event) {
        if self.publish.send(Publication::Now(event)).is_err() {
            tracing::error!("the publisher has ended; nothing more is published");
        }
    }
}

async fn read_ledger(
    journal: Journal,
    query: LedgerQuery,
    reply: oneshot::Sender<Result<Vec<LedgerRow>, CallError>>,
) {
    let LedgerQuery { since, table, limit } = query;
    let rows = journal.rulings(RulingQuery { since, table, limit }).await;
    let answer = rows.map_err(|e| CallError::JournalUnavailable(e.to_string())).map(|rows| {
        rows.into_iter()
            .map(|r| LedgerRow { row: r.row, table: r.table, ruling: r.ruling, committed_at: None })
            .collect()
    });
    let _ = reply.send(answer);
}
