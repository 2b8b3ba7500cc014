// SPDX-License-Identifier: GPL-3.0-or-later
//! Takes reports from each link, and calls from the bus, to the tables they concern.
//!
//! Each link has a channel and a task of its own: a table that is slow fills its own inbox, then
//! the channel of its own link, then that link's outbox, all of which are bounded, and costs no
//! table on another port anything. Boards on one bus line share the link, and wait for each other.

use std::collections::{BTreeMap, BTreeSet};

use arbiterd_board::{Capabilities, Channel, Identity, LinkState, ReportBody, Sensing, Trouble};
use tokio::sync::{mpsc, oneshot, watch};

use super::faults::{Faults, Kind, Place};
use super::publisher::Publication;
use super::table::ToTable;
use crate::dbus::{Call, CallError, Event, LedgerQuery, LedgerRow, NoticeRow};
use crate::journal::{Journal, NoticeQuery, RulingQuery};
use crate::link::LinkEvent;
use crate::table::Saying;

/// The one channel that a board on a port of its own has. On a bus line it is the line itself.
pub const ONLY_CHANNEL: Channel = Channel(0);

/// What comes from one link, and where it goes.
pub struct Line {
    /// The boards behind the port.
    pub boards: BTreeMap<Channel, LineBoard>,
    pub publish: mpsc::UnboundedSender<Publication>,
    pub faults: Faults,
    /// Channels that were heard and belong to nobody.
    pub strange: BTreeSet<Channel>,
}

/// One board behind a port.
pub struct LineBoard {
    pub id: String,
    /// The inbox of its table, if it has one.
    pub table: Option<mpsc::Sender<ToTable>>,
    /// What the board has said of itself so far.
    pub identity: Option<Identity>,
    /// The same.
    pub capabilities: Option<Capabilities>,
}

impl LineBoard {
    /// A board that has said nothing yet.
    pub const fn new(id: String, table: Option<mpsc::Sender<ToTable>>) -> Self {
        Self { id, table, identity: None, capabilities: None }
    }

    /// Says what a report tells of the board itself.
    fn hear(&mut self, body: &ReportBody) -> Option<Event> {
        match body {
            ReportBody::Identity(identity) => {
                self.identity = Some(identity.clone());
                self.introduction()
            }
            ReportBody::Capabilities(capabilities) => {
                self.capabilities = Some(*capabilities);
                self.introduction()
            }
            ReportBody::Link(state) => {
                Some(Event::Link { board: self.id.clone(), up: *state == LinkState::Up })
            }
            ReportBody::Noise(noise) => {
                tracing::warn!(board = self.id, bytes = noise.bytes, cause = ?noise.cause, "noise");
                None
            }
            _ => None,
        }
    }

    /// Says who a board is, once it has said both who it is and what it can do.
    fn introduction(&self) -> Option<Event> {
        let (identity, capabilities) = (self.identity.clone()?, self.capabilities?);
        Some(Event::Identity { board: self.id.clone(), identity, capabilities })
    }
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
            LinkEvent::Port { state, .. } => {
                for board in self.boards.values() {
                    self.publish(Event::Port {
                        board: board.id.clone(),
                        state: state.word().to_owned(),
                        detail: state.to_string(),
                    });
                }
            }
            LinkEvent::Report { id, channel, at, report } => {
                let Some(board) = self.boards.get_mut(&channel) else {
                    return self.belongs_to_nobody(&id, channel, &report.body);
                };
                let told = board.hear(&report.body);
                let (board, table) = (board.id.clone(), board.table.clone());
                self.look_for_trouble(board, &report.body);
                if let Some(event) = told {
                    self.publish(event);
                }
                if let Some(table) = table
                    && table.send(ToTable::Report { at, report }).await.is_err()
                {
                    tracing::error!(line = id, "the table's task has ended; a report is lost");
                }
            }
        }
    }

    /// What a person has to put right stands as a fault until the board was off the line.
    fn look_for_trouble(&self, board: String, body: &ReportBody) {
        match body {
            ReportBody::Trouble(Trouble::SharedAddress) => {
                let detail = "two boards on the line answer to this board's bus_serial, and what they report \
                              is not listened to: take one of them off the line and switch the other off and on";
                self.faults.raise(Kind::SharedAddress, Place::Board(board), detail.to_owned());
            }
            ReportBody::Link(LinkState::Down) => self.faults.clear(Kind::SharedAddress, Place::Board(board)),
            ReportBody::Capabilities(Capabilities { sensing: Sensing::Occupancy, .. }) => {
                let detail = "this board knows only which squares are occupied, not by which pieces, so \
                              nothing is ruled from it: use a board that recognises its pieces";
                self.faults.raise(Kind::NotForArbitration, Place::Board(board), detail.to_owned());
            }
            ReportBody::Capabilities(_) => self.faults.clear(Kind::NotForArbitration, Place::Board(board)),
            _ => {}
        }
    }

    /// Noise on a bus line cannot be laid to one board. Anything else is another board's, and two
    /// boards must never be read as one, so what it reports is not listened to.
    fn belongs_to_nobody(&mut self, line: &str, channel: Channel, body: &ReportBody) {
        if let (ONLY_CHANNEL, ReportBody::Noise(noise)) = (channel, body) {
            tracing::warn!(line, bytes = noise.bytes, cause = ?noise.cause, "noise");
            return;
        }
        if !self.strange.insert(channel) {
            return;
        }
        let channels: Vec<String> = self.strange.iter().map(|c| c.0.to_string()).collect();
        let detail = format!(
            "something reports on channel {} of this line, which no [[board]] of the configuration names: \
             add it with its bus_serial, or take it off the line",
            channels.join(", ")
        );
        for board in self.boards.values() {
            self.faults.raise(Kind::UnknownChannel, Place::Board(board.id.clone()), detail.clone());
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
        report_of(channel, ReportBody::Link(LinkState::Up))
    }

    fn report_of(channel: u16, body: ReportBody) -> LinkEvent {
        let report = Report { at: Stamp::at(Mono::ZERO), body };
        LinkEvent::Report { id: "b1".to_owned(), channel: Channel(channel), at: Mono::ZERO, report }
    }

    #[tokio::test]
    async fn another_boards_reports_reach_no_table_and_are_told_as_a_fault() {
        let (publish, mut published) = mpsc::unbounded_channel();
        let (table, mut inbox) = mpsc::channel(8);
        let line = Line {
            boards: BTreeMap::from([(ONLY_CHANNEL, LineBoard::new("b1".to_owned(), Some(table)))]),
            faults: Faults::new(publish.clone(), |_| {}, ""),
            publish,
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
    async fn a_board_that_does_not_know_its_pieces_is_a_fault() {
        let capabilities = |sensing| {
            let lag = std::time::Duration::from_millis(100);
            let clock = arbiterd_board::ClockControl::None;
            ReportBody::Capabilities(Capabilities { sensing, clock, board_lag: lag, clock_lag: lag })
        };
        let bodies = [capabilities(Sensing::Occupancy), capabilities(Sensing::Pieces)];
        assert_eq!(faults_after(bodies).await, [vec!["fault.not-for-arbitration".to_owned()], Vec::new()]);
    }

    #[tokio::test]
    async fn a_shared_address_is_a_fault_until_the_board_was_off_the_line() {
        let bodies = [ReportBody::Trouble(Trouble::SharedAddress), ReportBody::Link(LinkState::Down)];
        assert_eq!(faults_after(bodies).await, [vec!["fault.shared-address".to_owned()], Vec::new()]);
    }

    /// The kinds of the faults that stood, each time they changed.
    async fn faults_after(bodies: [ReportBody; 2]) -> Vec<Vec<String>> {
        let (publish, mut published) = mpsc::unbounded_channel();
        let line = Line {
            boards: BTreeMap::from([(Channel(1025), LineBoard::new("b1".to_owned(), None))]),
            faults: Faults::new(publish.clone(), |_| {}, ""),
            publish,
            strange: BTreeSet::new(),
        };
        let (events_in, events) = mpsc::channel(8);
        for body in bodies {
            events_in.try_send(report_of(1025, body)).unwrap();
        }
        drop(events_in);
        line.run(events).await;
        let mut standing = Vec::new();
        while let Ok(Publication::Now(event)) = published.try_recv() {
            if let Event::Faults(faults) = event {
                standing.push(faults.iter().map(|f| f.kind.clone()).collect::<Vec<_>>());
            }
        }
        standing
    }

    #[tokio::test]
    async fn each_board_on_a_bus_line_reaches_its_own_table() {
        let (publish, _published) = mpsc::unbounded_channel();
        let (first, mut first_inbox) = mpsc::channel(8);
        let (second, mut second_inbox) = mpsc::channel(8);
        let boards = [(1025, "b1", first), (2050, "b2", second)];
        let line = Line {
            boards: boards
                .into_iter()
                .map(|(channel, id, table)| (Channel(channel), LineBoard::new(id.to_owned(), Some(table))))
                .collect(),
            faults: Faults::new(publish.clone(), |_| {}, ""),
            publish,
            strange: BTreeSet::new(),
        };
        let (events_in, events) = mpsc::channel(8);
        for channel in [2050, 0, 2050, 1025, 7] {
            events_in.try_send(report(channel)).unwrap();
        }
        drop(events_in);
        line.run(events).await;
        let count =
            |inbox: &mut mpsc::Receiver<ToTable>| core::iter::from_fn(|| inbox.try_recv().ok()).count();
        assert_eq!((count(&mut first_inbox), count(&mut second_inbox)), (1, 2));
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
