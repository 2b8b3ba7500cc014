// SPDX-License-Identifier: GPL-3.0-or-later
//! Takes calls from the bus to the tables they concern, and to the journal.

use std::collections::BTreeMap;

use tokio::sync::{mpsc, oneshot, watch};

use super::table::ToTable;
use crate::dbus::{Call, CallError, LedgerQuery, LedgerRow, NoticeRow};
use crate::journal::{Journal, NoticeQuery, RulingQuery};
use crate::table::Saying;

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
    use arbiterd_board::Mono;

    use super::*;
    use crate::journal::RunInfo;
    use crate::table::{Claim, Speaker};

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
