// SPDX-License-Identifier: GPL-3.0-or-later
//! The whole: links, tables, journal and bus, started, run and stopped in order.
//!
//! Tasks and what flows between them:
//!
//! ```text
//! link (one a port) --LinkEvent--> router --ToTable--> table (one each) --Batch--> journal
//!                                   ^  |                  |                          |
//!                        Call ------+  +-Event----------> publisher <---- committed -+
//!                        (bus)                            |
//!                                                         v bus
//! ```
//!
//! The end of any of them is logged and ends the daemon in order; systemd starts it again.

mod publisher;
mod router;
mod table;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use crate::client::{BusAddress, ClientError};
use crate::config::{BoardConfig, Config, Family, TableSettings};
use crate::dbus::{self, Authorizer, Bus, BusError};
use crate::journal::{GameStart, Journal, JournalError, RunInfo};
use crate::laws::rulebook::Library;
use crate::link::{self, LinkHandle, LinkSettings};
use crate::table::{Start, StartError, Table, TableConfig};
use crate::time;
use arbiterd_board::ClockSide;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Why the daemon could not start, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The message bus cannot be reached.
    #[error(transparent)]
    BusUnreachable(#[from] ClientError),
    /// The bus could not be served.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A table's rulebook is not known.
    #[error(
        "table {table}: no rulebook is called {rulebook:?}; `arbiterd check-config` names the known ones"
    )]
    UnknownRulebook {
        /// The table.
        table: String,
        /// What it asks for.
        rulebook: String,
    },
    /// A table's start position cannot be used.
    #[error("table {table}: {source}")]
    Start {
        /// The table.
        table: String,
        /// Why.
        source: StartError,
    },
    /// A board of a family without a driver.
    #[error(
        "board {board}: boards of the family {family:?} are not supported by this version; see protocols/README.md"
    )]
    NoDriver {
        /// The board.
        board: String,
        /// Its family.
        family: &'static str,
    },
    /// A task that must not end has ended.
    #[error("the {task} task ended unexpectedly; the journal holds everything up to its end")]
    TaskEnded {
        /// Which.
        task: &'static str,
    },
}

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
}

/// Runs until `stop` resolves. `ready` is called once the name on the bus is owned.
///
/// # Errors
/// [`DaemonError`]: what could not be started, or which task ended.
pub async fn run(
    setup: Setup,
    ready: impl FnOnce(),
    stop: impl Future<Output = ()>,
) -> Result<(), DaemonError> {
    let Setup { config, library, bus: address, authorizer } = setup;
    let journal = Journal::open(
        &config.journal,
        RunInfo {
            boot_id: time::boot_id(),
            wall_millis: time::wall_millis(),
            mono_at_start: time::now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    )?;
    let tables = build_tables(&config, &library)?;
    let drivers =
        config.boards.iter().map(|b| Ok((b.clone(), driver(b)?))).collect::<Result<Vec<_>, DaemonError>>()?;

    let (calls_in, calls) = mpsc::channel(256);
    let connection = address.connect().await?;
    let (boards, infos) = describe(&config, &tables);
    let (publish, publications) = mpsc::unbounded_channel();
    let (events_in, events) = mpsc::channel(1024);
    let (stop_links, stopping) = watch::channel(false);

    let mut tasks: JoinSet<&'static str> = JoinSet::new();
    let mut inboxes = BTreeMap::new();
    for (settings, table) in tables {
        let game = journal.begin_game(game_start(&settings, &table)).await?;
        let (inbox_in, inbox) = mpsc::channel(1024);
        let actor = table::Actor {
            table,
            game,
            journal: journal.clone(),
            publish: publish.clone(),
            inbox,
            itself: inbox_in.downgrade(),
        };
        inboxes.insert(settings.id.clone(), router::Seat { board: settings.board.clone(), inbox: inbox_in });
        tasks.spawn(async move {
            actor.run().await;
            "table"
        });
    }
    let bus = Bus::serve(
        connection,
        dbus::Setup { boards, tables: infos, calls: calls_in, authorizer, now: time::now },
    )
    .await?;
    tasks.spawn(async move {
        publisher::run(bus, publications).await;
        "publisher"
    });
    for (board, driver) in drivers {
        let (_handle, requests) = LinkHandle::new();
        let settings = LinkSettings { id: board.id.clone(), port: board.port.clone(), driver };
        let (events, stopping) = (events_in.clone(), stopping.clone());
        tasks.spawn(async move {
            link::run(settings, events, requests, stopping).await;
            "link"
        });
    }
    drop(events_in);
    let router = router::Router { seats: inboxes, publish, journal: journal.clone(), known: BTreeMap::new() };
    tasks.spawn(async move {
        router.run(events, calls).await;
        "router"
    });
    ready();

    let ended = tokio::select! {
        () = stop => None,
        Some(ended) = tasks.join_next() => Some(ended.unwrap_or("panicked")),
    };
    // In order: no more bytes, then what they led to, then what is to be published; last the
    // journal, which holds all of it.
    stop_links.send_replace(true);
    while let Some(task) = tasks.join_next().await {
        tracing::debug!(task = task.unwrap_or("panicked"), "ended");
    }
    journal.close().await?;
    ended.map_or(Ok(()), |task| Err(DaemonError::TaskEnded { task }))
}

fn driver(board: &BoardConfig) -> Result<Box<dyn arbiterd_board::Driver + Send>, DaemonError> {
    match board.family {
        Family::Dgt => Ok(Box::new(arbiterd_dgt::DgtDriver::new())),
        Family::Millennium => {
            Err(DaemonError::NoDriver { board: board.id.clone(), family: arbiterd_millennium::FAMILY })
        }
    }
}

fn build_tables(config: &Config, library: &Library) -> Result<Vec<(TableSettings, Table)>, DaemonError> {
    config.tables.iter().map(|settings| Ok((settings.clone(), build_table(settings, library)?))).collect()
}

fn build_table(settings: &TableSettings, library: &Library) -> Result<Table, DaemonError> {
    let rulebook = library.get(&settings.rulebook).ok_or_else(|| DaemonError::UnknownRulebook {
        table: settings.id.clone(),
        rulebook: settings.rulebook.clone(),
    })?;
    let start = match &settings.start_fen {
        None => Start::default(),
        Some(fen) => Start::from_fen(fen)
            .map_err(|source| DaemonError::Start { table: settings.id.clone(), source })?,
    };
    Ok(Table::new(TableConfig {
        id: settings.id.clone(),
        rulebook,
        observer: settings.observer,
        white_side: settings.white_side,
        orientation: settings.orientation,
        start,
        increment: settings.increment,
        illegal_moves: [0; 2],
    }))
}

fn game_start(settings: &TableSettings, table: &Table) -> GameStart {
    let config = table.config();
    GameStart {
        table: settings.id.clone(),
        rulebook: config.rulebook.id.clone(),
        rulebook_hash: config.rulebook.hash.clone(),
        start_fen: config.start.standing().fen(),
        observer: config.observer.word().to_owned(),
        // What a replay needs beside the facts.
        settings: serde_json::json!({
            "board": settings.board,
            "white_side": match settings.white_side {
                ClockSide::Left => "left",
                ClockSide::Right => "right",
            },
            "increment_ms": u64::try_from(settings.increment.as_millis()).unwrap_or(u64::MAX),
            "orientation": settings.orientation.word(),
        })
        .to_string(),
    }
}

fn describe(
    config: &Config,
    tables: &[(TableSettings, Table)],
) -> (Vec<dbus::BoardInfo>, Vec<dbus::TableInfo>) {
    let boards = config
        .boards
        .iter()
        .map(|b| dbus::BoardInfo {
            id: b.id.clone(),
            port: b.port.display().to_string(),
            family: b.family.word().to_owned(),
        })
        .collect();
    let infos = tables
        .iter()
        .map(|(settings, table)| dbus::TableInfo {
            id: settings.id.clone(),
            board: settings.board.clone(),
            rulebook: settings.rulebook.clone(),
            observer: settings.observer.word().to_owned(),
            start_fen: table.game().standing().fen(),
            present: Vec::new(),
        })
        .collect();
    (boards, infos)
}
