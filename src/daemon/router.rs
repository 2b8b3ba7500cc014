// SPDX-License-Identifier: GPL-3.0-or-later
//! Takes reports from each link, and calls from the bus, to the tables they concern.
//!
//! Each link has a channel and a task of its own: a table that is slow fills its own inbox, then
//! the channel of its own link, then that link's outbox, all of which are bounded, and costs no
//! other table anything.

use std::collections::{BTreeMap, BTreeSet};

use arbiterd_board::{Capabilities, Channel, Identity, LinkState, ReportBody};
use tokio::sync::{mpsc, oneshot, watch};

use super::faults::{Faults, Kind, Place};
use super::publisher::Publication;
use super::table::ToTable;
use crate::dbus::{Call, CallError, Event, LedgerQuery, LedgerRow, NoticeRow};
use crate::journal::{Journal, NoticeQuery, RulingQuery};
use crate::link::LinkEvent;
use crate::table::Saying;

/// The one channel that a board on a port of its own has. Boards on a bus line have others; until
/// they can be configured, what another channel reports belongs to no table.
pub const ONLY_CHANNEL: Channel = Channel(0);

/// What comes from one link, and where it goes.
pub struct Line {
    /// The board.
    pub board: String,
    /// The inbox of its table, if it has one.
    pub table: Option<mpsc::Sender<ToTable>>,
    pub publish: mpsc::UnboundedSender<Publication>,
    pub faults: Faults,
    /// What the board has said of itself so far.
    pub identity: Option<Identity>,
    /// The same.
    pub capabilities: Option<Capabilities>,
    /// Channels that were heard and belong to nobody.
    pub strange: BTreeSet<Channel>,
}

impl Line {
    /// Runs until the link has ended.
    pub async fn run(mut self, mut events: mpsc::Receiver<LinkEvent>) {
        while let Some(event) = events.recv().await {
            self.event(event).await;
        }
    }

    async fn event(&mut self, event: LinkEvent) {
        match event {
            // The link itself has logged it.
            LinkEvent::Port { state, .. } => self.publish(Event::Port {
                board: self.board.clone(),
                state: state.word().to_owned(),
                detail: state.to_string(),
            }),
            LinkEvent::Report { channel, .. } if channel != ONLY_CHANNEL => self.refuse(channel),
            LinkEvent::Report { at, report, .. } => {
                self.about_the_board(&report.body);
                if let Some(table) = &self.table
                    && table.send(ToTable::Report { at, report }).await.is_err()
                {
                    tracing::error!(board = self.board, "the table's task has ended; a report is lost");
                }
            }
        }
    }

    /// Two boards must never be read as one, so what another one reports is not listened to.
    fn refuse(&mut self, channel: Channel) {
        if self.strange.insert(channel) {
            let channels: Vec<String> = self.strange.iter().map(|c| c.0.to_string()).collect();
            let detail = format!(
                "something reports on channel {} of this board's line, which this version does not serve: \
                 connect one board to one port",
                channels.join(", ")
            );
            self.faults.raise(Kind::UnknownChannel, Place::Board(self.board.clone()), detail);
        }
    }

    fn about_the_board(&mut self, body: &ReportBody) {
        let board = self.board.clone();
        match body {
            ReportBody::Identity(identity) => {
                self.identity = Some(identity.clone());
                self.introduce();
            }
            ReportBody::Capabilities(capabilities) => {
                self.capabilities = Some(*capabilities);
                self.introduce();
            }
            ReportBody::Link(state) => self.publish(Event::Link { board, up: *state == LinkState::Up }),
            ReportBody::Noise(noise) => {
                tracing::warn!(board, bytes = noise.bytes, cause = ?noise.cause, "noise");
            }
            _ => {}
        }
    }

    /// Says who a board is, once it has said both who it is and what it can do.
    fn introduce(&self) {
        if let (Some(identity), Some(capabilities)) = (&self.identity, self.capabilities) {
            let (board, identity) = (self.board.clone(), identity.clone());
            self.publish(Event::Identity { board, identity, capabilities });
        }
    }

    fn publish(&self, event: Event) {
        if self.publish.send(Publication::Now(event)).is_err() {
            tracing::error!("the publisher has ended; nothing more is published");
        }
    }
}

/// Takes calls from the bus to tables and journal.
pub struct Desk {
    /// The inboxes of the tables.
    pub tables: BTreeMap<String, mpsc::Sender<ToTable>>,
    pub journal: Journal,
}

impl Desk {
    /// Runs until the daemon is to stop. Calls that come later are told so.
    pub async fn run(self, mut calls: mpsc::Receiver<Call>, mut stopping: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                // An error says that whoever could say so is gone.
                _ = stopping.wait_for(|stop| *stop) => return,
                call = calls.recv() => match call {
                    Some(call) => self.call(call),
                    None => return,
                },
            }
        }
    }

    fn call(&self, call: Call) {
        match call {
            Call::Claim { table, by, claim, sender, reply } => {
                tracing::info!(table, ?by, claim = claim.word(), sender = sender.unique_name, uid = ?sender.uid, "claim");
                let Some(inbox) = self.tables.get(&table) else {
                    let _ = reply.send(Err(CallError::NoSuchTable(format!("no table is called {table:?}"))));
                    return;
                };
                put(inbox, ToTable::Said { by, what: Saying::Claim(claim), reply }, &table);
            }
            Call::Command { table, command, sender, reply } => {
                tracing::info!(table, ?command, sender = sender.unique_name, uid = ?sender.uid, "command");
                let Some(inbox) = self.tables.get(&table) else {
                    let _ = reply.send(Err(CallError::NoSuchTable(format!("no table is called {table:?}"))));
                    return;
                };
                put(inbox, ToTable::Command { command, reply }, &table);
            }
            // The ledger may be long: it must not hold up claims. Readers wait for the reader's one
            // thread, at most as many as the bus allows calls without an answer.
            Call::Rulings { query, reply } => {
                tokio::spawn(read_rulings(self.journal.clone(), query, reply));
            }
            Call::Notices { query, reply } => {
                tokio::spawn(read_notices(self.journal.clone(), query, reply));
            }
        }
    }
}

/// Puts a claim into an inbox. One that finds it full waits beside it, that the claims at other
/// tables need not; so many wait at most as the bus allows calls without an answer (128 a
/// connection).
fn put(inbox: &mpsc::Sender<ToTable>, said: ToTable, table: &str) {
    match inbox.try_send(said) {
        Ok(()) => {}
        Err(mpsc::error::TrySendError::Full(said)) => {
            let inbox = inbox.clone();
            // If the table ends meanwhile, the dropped reply says that the service is stopping.
            tokio::spawn(async move { drop(inbox.send(said).await) });
        }
        Err(mpsc::error::TrySendError::Closed(_)) => {
            tracing::error!(table, "the table's task has ended; a claim is refused");
        }
    }
}

async fn read_rulings(
    journal: Journal,
    query: LedgerQuery,
    reply: oneshot::Sender<Result<Vec<LedgerRow>, CallError>>,
) {
    let LedgerQuery { since, table, limit } = query;
    let rows = journal.rulings(RulingQuery { since, table, limit }).await;
    let answer = rows.map_err(|e| CallError::JournalUnavailable(e.to_string())).map(|rows| {
        rows.into_iter().map(|r| LedgerRow { row: r.row, table: r.table, ruling: r.ruling }).collect()
    });
    let _ = reply.send(answer);
}

async fn read_notices(
    journal: Journal,
    query: LedgerQuery,
    reply: oneshot::Sender<Result<Vec<NoticeRow>, CallError>>,
) {
    let LedgerQuery { since, table, limit } = query;
    let rows = journal.notices(NoticeQuery { since, table, limit }).await;
    let answer = rows.map_err(|e| CallError::JournalUnavailable(e.to_string())).map(|rows| {
        rows.into_iter().map(|r| NoticeRow { row: r.row, table: r.table, notice: r.notice }).collect()
    });
    let _ = reply.send(answer);
}

#[cfg(test)]
mod tests {
    use arbiterd_board::{Mono, Report, Stamp};

    use super::*;
    use crate::journal::RunInfo;
    use crate::table::{Claim, Speaker};

    fn report(channel: u16) -> LinkEvent {
        let body = ReportBody::Link(LinkState::Up);
        let report = Report { at: Stamp::at(Mono::ZERO), body };
        LinkEvent::Report { id: "b1".to_owned(), channel: Channel(channel), at: Mono::ZERO, report }
    }

    #[tokio::test]
    async fn another_boards_reports_reach_no_table_and_are_told_as_a_fault() {
        let (publish, mut published) = mpsc::unbounded_channel();
        let (table, mut inbox) = mpsc::channel(8);
        let line = Line {
            board: "b1".to_owned(),
            table: Some(table),
            faults: Faults::new(publish.clone(), |_| {}, ""),
            publish,
            identity: None,
            capabilities: None,
            strange: BTreeSet::new(),
        };
        let (events_in, events) = mpsc::channel(8);
        for channel in [3, 0, 3, 7] {
            events_in.try_send(report(channel)).unwrap();
        }
        drop(events_in);
        line.run(events).await;
        assert!(matches!(inbox.try_recv(), Ok(ToTable::Report { .. })));
        assert!(inbox.try_recv().is_err(), "one report was of the table's own board");
        let mut told = Vec::new();
        while let Ok(Publication::Now(event)) = published.try_recv() {
            told.push(match event {
                Event::Faults(faults) => format!("{} {:?}", faults[0].kind, faults[0].board),
                Event::Link { up, .. } => format!("link {up}"),
                other => panic!("{other:?}"),
            });
        }
        let fault = "fault.unknown-channel Some(\"b1\")";
        assert_eq!(told, [fault, "link true", fault], "once for each channel");
    }

    #[tokio::test]
    async fn a_table_whose_inbox_is_full_holds_up_no_claim_at_another() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunInfo {
            boot_id: "b".to_owned(),
            wall_millis: 0,
            mono_at_start: Mono::ZERO,
            version: "0".to_owned(),
        };
        let journal = Journal::open(&dir.path().join("journal.db"), run).unwrap();
        let (slow, mut slow_inbox) = mpsc::channel(1);
        let (quick, mut quick_inbox) = mpsc::channel(1);
        let tables = BTreeMap::from([("slow".to_owned(), slow), ("quick".to_owned(), quick)]);
        let (calls_in, calls) = mpsc::channel(8);
        let (stop, stopping) = watch::channel(false);
        let desk = tokio::spawn(Desk { tables, journal }.run(calls, stopping));
        for table in ["slow", "slow", "slow", "quick"] {
            let (reply, _) = oneshot::channel();
            let sender =
                crate::dbus::Caller { unique_name: ":1.1".to_owned(), uid: None, interactive: false };
            let (table, by) = (table.to_owned(), Speaker::Arbiter);
            calls_in.try_send(Call::Claim { table, by, claim: Claim::Flag, sender, reply }).unwrap();
        }
        assert!(matches!(quick_inbox.recv().await, Some(ToTable::Said { .. })));
        for _ in 0..3 {
            assert!(matches!(slow_inbox.recv().await, Some(ToTable::Said { .. })), "none is lost");
        }
        stop.send_replace(true);
        desk.await.unwrap();
        assert!(calls_in.is_closed(), "calls are taken after the stop");
    }
}
