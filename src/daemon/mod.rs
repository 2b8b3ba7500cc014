// SPDX-License-Identifier: GPL-3.0-or-later
//! The whole: links, tables, journal and bus, started, run and stopped in order.
//!
//! Tasks and what flows between them:
//!
//! ```text
//! link --LinkEvent--> line --ToTable--> table --Entry--> recorder --Batch--> journal
//! (one each for a port)                    ^ |               |  <--committed--
//!                 desk --ToTable----------+ |               v
//!                  ^                        +--Event--> publisher
//!                  | Call                                   |
//!                 bus <-------------------------------------+
//! ```
//!
//! The end of any of them is logged and ends the daemon in order; systemd starts it again.

mod assemble;
mod desk;
mod error;
mod faults;
mod lamp;
mod line;
mod publisher;
mod recorder;
mod silence;
mod table;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use arbiterd_board::{Channel, Mono, Request};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, timeout_at};

use crate::client::BusAddress;
use crate::config::{Config, TableSettings};
use crate::dbus::{self, Authorizer, Bus, Lifeline};
use crate::journal::{Journal, JournalError, RunInfo};
use crate::laws::rulebook::Library;
use crate::link::{self, LinkHandle, LinkSettings};
use crate::table::Table;
use crate::time;

pub use error::DaemonError;

use assemble::PortLine;
use faults::{Faults, Kind, Place};
use lamp::Lamp;
use line::{Line, LineBoard};
use publisher::Publication;
use recorder::{HELD_AT_MOST, Held, Recorder};
use table::ToTable;

/// How long an orderly end may take in all: systemd and the shell's user wait for it.
const ORDERLY_END: Duration = Duration::from_secs(4);

/// So much of it is left to the journal, however long the tasks take.
const JOURNAL_END: Duration = Duration::from_secs(1);

/// Messages that wait for one table, and events of one link, before the sender waits. A minute of
/// the fastest play is far less.
const INBOX: usize = 1024;

/// Calls from the bus that wait before the bus does.
const CALLS: usize = 256;

/// What a daemon is made of.
pub struct Setup {
    /// Boards, tables, journal.
    pub config: Config,
    /// The rulebooks.
    pub library: Library,
    /// The bus.
    pub bus: BusAddress,
    /// Who may claim.
    pub authorizer: Arc<dyn Authorizer>,
    /// Is given one line on how the daemon is doing, whenever that changes.
    pub status: fn(&str),
}

/// Runs until `stop` resolves, which may be at any time, also while it starts. `ready` is called
/// once the name on the bus is owned.
///
/// The end is in order and takes at most 4 s, whatever hangs: then what could not be ended is left
/// behind, and whoever called must not wait for the runtime's blocking threads either.
///
/// # Errors
/// [`DaemonError`]: what could not be started, or what ended the daemon.
pub async fn run(
    setup: Setup,
    ready: impl FnOnce(),
    stop: impl Future<Output = ()>,
) -> Result<(), DaemonError> {
    let mut stop = pin!(stop);
    let journal = tokio::select! {
        biased;
        () = &mut stop => return Ok(()),
        journal = open_journal(setup.config.journal.clone()) => journal?,
    };
    let mut daemon = Daemon::new(journal);
    let outcome = tokio::select! {
        biased;
        () = &mut stop => Ok(()),
        failed = daemon.start_and_serve(setup, ready) => Err(failed),
    };
    daemon.end(outcome).await
}

/// Opening may wait for a disk, so it does not happen on a thread that serves signals.
async fn open_journal(path: PathBuf) -> Result<Journal, DaemonError> {
    let run = RunInfo {
        boot_id: time::boot_id(),
        wall_millis: time::wall_millis(),
        mono_at_start: time::now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    match tokio::task::spawn_blocking(move || Journal::open(&path, run)).await {
        Ok(opened) => Ok(opened?),
        Err(_) => Err(DaemonError::TaskEnded { task: "opening of the journal" }),
    }
}

/// How a task ended: its name, or why it had to.
type Ended = Result<&'static str, DaemonError>;

/// Everything that runs.
struct Daemon {
    journal: Journal,
    tasks: JoinSet<Ended>,
    stopping: watch::Sender<bool>,
    held: Held,
    lamps: Vec<Lamp>,
}

/// One table's ends of the channels.
struct Seat {
    inbox: mpsc::Sender<ToTable>,
    board: String,
}

impl Daemon {
    fn new(journal: Journal) -> Self {
        Self {
            journal,
            tasks: JoinSet::new(),
            stopping: watch::channel(false).0,
            held: Held::new(HELD_AT_MOST),
            lamps: Vec::new(),
        }
    }

    /// Starts everything and waits until something fails or ends that must not.
    async fn start_and_serve(&mut self, setup: Setup, ready: impl FnOnce()) -> DaemonError {
        if let Err(error) = self.start(setup, ready).await {
            return error;
        }
        match self.tasks.join_next().await {
            Some(ended) => why(ended),
            None => DaemonError::TaskEnded { task: "last" },
        }
    }

    async fn start(&mut self, setup: Setup, ready: impl FnOnce()) -> Result<(), DaemonError> {
        let Setup { config, library, bus: address, authorizer, status } = setup;
        let tables = assemble::tables(&config, &library)?;
        let lines = assemble::lines(&config);
        let (boards, infos) = assemble::describe(&config, &tables);
        let (publish, events) = mpsc::unbounded_channel();
        let faults = Faults::new(publish.clone(), status, &assemble::inventory(&config));

        status("connecting to the message bus");
        let connection = address.connect().await?;
        let lifeline = Lifeline::attach(&connection).await?;
        Bus::look_for_another(&connection).await?;
        let (calls_in, calls) = mpsc::channel(CALLS);
        let mut handles = BTreeMap::new();
        let mut requested = Vec::new();
        for line in lines {
            let (handle, requests) = LinkHandle::new();
            handles.extend(line.boards.iter().map(|(ch, id)| (id.clone(), (handle.clone(), *ch))));
            requested.push((line, requests));
        }
        let mut seats = BTreeMap::new();
        for (settings, table) in tables {
            let Some(link) = handles.get(&settings.board).cloned() else {
                continue; // Reading the configuration has held that each table has its board.
            };
            let id = settings.id.clone();
            seats.insert(id, self.start_table(settings, table, link, &publish, &faults).await?);
        }
        let setup = dbus::Setup { boards, tables: infos, calls: calls_in, authorizer, now: time::now };
        let bus = Bus::serve(connection, setup).await?;

        self.watch(lifeline);
        self.tasks.spawn(async move { publisher::run(bus, events).await.map(|()| "publisher") });
        let tables: BTreeMap<_, _> = seats.iter().map(|(id, s)| (id.clone(), s.inbox.clone())).collect();
        let desk = desk::Desk { tables, journal: self.journal.clone() };
        let stopping = self.stopping.subscribe();
        self.tasks.spawn(async move {
            desk.run(calls, stopping).await;
            Ok("desk")
        });
        for (line, requests) in requested {
            self.start_line(line, &seats, requests, &publish, &faults);
        }
        faults.tell_status();
        ready();
        Ok(())
    }

    /// Begins a game at a table and starts its task and its recorder's.
    async fn start_table(
        &mut self,
        settings: TableSettings,
        table: Table,
        link: (LinkHandle, Channel),
        publish: &mpsc::UnboundedSender<Publication>,
        faults: &Faults,
    ) -> Result<Seat, DaemonError> {
        self.look_back(&settings.id, faults).await?;
        let start = assemble::game_start(&settings, &table);
        let game = self.journal.begin_game(start.clone()).await?;
        tracing::info!(table = settings.id, game = game.get(), "a game was begun");
        let (record, entries) = mpsc::unbounded_channel();
        let (inbox_in, inbox) = mpsc::channel(INBOX);
        let lamp = Lamp::new(settings.id.clone(), link.0.clone(), link.1);
        self.lamps.push(lamp.clone());
        let actor = table::Actor {
            table,
            game,
            start,
            record,
            held: self.held.clone(),
            publish: publish.clone(),
            inbox,
            itself: inbox_in.downgrade(),
            link: link.0,
            channel: link.1,
            lamp: lamp.clone(),
            clock: Mono::ZERO,
        };
        let recorder = Recorder {
            table: settings.id,
            journal: self.journal.clone(),
            entries,
            publish: publish.clone(),
            faults: faults.clone(),
            held: self.held.clone(),
            lamp,
        };
        self.tasks.spawn(async move {
            actor.run().await;
            Ok("table")
        });
        self.tasks.spawn(async move { recorder.run().await.map(|()| "recorder") });
        Ok(Seat { inbox: inbox_in, board: settings.board })
    }

    /// A game that was broken off is not taken up again by this version: that must not go unnoticed.
    async fn look_back(&self, table: &str, faults: &Faults) -> Result<(), DaemonError> {
        if let Some(last) = self.journal.last_game(table).await?.filter(|last| last.is_open()) {
            let detail = format!(
                "game {} of this table has no result and is not taken up again: a new game was begun; its {} \
                 facts stay in the journal",
                last.game, last.facts
            );
            faults.raise(Kind::GameNotResumed, Place::Table(table.to_owned()), detail);
        }
        Ok(())
    }

    /// Starts a port's link and the task that listens to it.
    fn start_line(
        &mut self,
        line: PortLine,
        seats: &BTreeMap<String, Seat>,
        requests: mpsc::Receiver<(Channel, Request)>,
        publish: &mpsc::UnboundedSender<Publication>,
        faults: &Faults,
    ) {
        let (events_in, events) = mpsc::channel(INBOX);
        let table_of = |board: &str| seats.values().find(|s| s.board == board).map(|s| s.inbox.clone());
        let PortLine { id, port, boards, driver } = line;
        let boards = boards
            .into_iter()
            .map(|(channel, board)| {
                let table = table_of(&board);
                (channel, LineBoard::new(board, table))
            })
            .collect();
        let line = Line::new(boards, publish.clone(), faults.clone());
        let settings = LinkSettings { id, port, driver };
        let stopping = self.stopping.subscribe();
        self.tasks.spawn(async move {
            link::run(settings, events_in, requests, stopping).await;
            Ok("link")
        });
        self.tasks.spawn(async move {
            line.run(events).await;
            Ok("line")
        });
    }

    /// Watches what the daemon cannot do without: the bus, and the journal's writer.
    fn watch(&mut self, lifeline: Lifeline) {
        let mut stopping = self.stopping.subscribe();
        self.tasks.spawn(async move {
            tokio::select! {
                // An error says that whoever could say so is gone.
                _ = stopping.wait_for(|stop| *stop) => Ok("watch over the bus"),
                error = lifeline.ended() => Err(error.into()),
            }
        });
        let mut stopping = self.stopping.subscribe();
        let journal = self.journal.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                _ = stopping.wait_for(|stop| *stop) => Ok("watch over the journal"),
                () = journal.writer_ended() => {
                    Err(JournalError::WriterGone { file: journal.file().to_path_buf() }.into())
                }
            }
        });
    }

    /// In order: lights out, then no more bytes and calls, then what they led to, then what is to be published;
    /// last the journal, which holds all of it. What does not end in time is left behind.
    async fn end(mut self, outcome: Result<(), DaemonError>) -> Result<(), DaemonError> {
        if let Err(error) = &outcome {
            tracing::error!("ending: {error}");
        }
        let deadline = Instant::now() + ORDERLY_END;
        let mut lamps: JoinSet<()> = std::mem::take(&mut self.lamps)
            .into_iter()
            .map(|lamp| async move { lamp.put_out().await })
            .collect();
        while lamps.join_next().await.is_some() {}
        self.stopping.send_replace(true);
        let mut late = None;
        let all = async {
            while let Some(ended) = self.tasks.join_next().await {
                match ended {
                    Ok(Ok(task)) => tracing::debug!(task, "ended"),
                    failed => late = late.take().or(Some(why(failed))),
                }
            }
        };
        if timeout_at(deadline - JOURNAL_END, all).await.is_err() {
            tracing::error!(tasks = self.tasks.len(), "not everything ended in time; it is left behind");
            self.tasks.abort_all();
        }
        let held = self.held.count();
        let not_recorded = (held > 0).then_some(DaemonError::NotRecorded { held });
        let closed = match self.journal.close_by(deadline).await {
            // All is committed; the log is read again at the next start.
            Err(error @ JournalError::Busy { .. }) => {
                tracing::warn!("{error}");
                Ok(())
            }
            closed => closed.map_err(DaemonError::from),
        };
        outcome.and(late.map_or(Ok(()), Err)).and(not_recorded.map_or(Ok(()), Err)).and(closed)
    }
}

/// Why a task that should have gone on did not.
fn why(ended: Result<Ended, JoinError>) -> DaemonError {
    match ended {
        Ok(Ok(task)) => DaemonError::TaskEnded { task },
        Ok(Err(error)) => error,
        Err(_) => DaemonError::TaskEnded { task: "panicking" },
    }
}
