// SPDX-License-Identifier: GPL-3.0-or-later
//! The message bus: `org.arbiterd.Arbiter1`.
//!
//! It knows no rules and decides nothing: it shows what it is told, in the order in which it is
//! told, and puts calls into the daemon's one queue. One file per interface; the interface files
//! under `data/dbus/interfaces` are its introspection.

mod authorize;
mod board;
mod call;
mod clock;
pub mod codes;
mod dict;
mod faults;
mod lifeline;
mod manager;
pub mod names;
mod publish;
mod shown;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use zbus::fdo::{ObjectManager, RequestNameFlags, RequestNameReply};
use zbus::object_server::SignalEmitter;
use zbus::{Connection, OwnedObjectPath};

use arbiterd_board::Mono;

use crate::table::View;

pub use authorize::{Action, AllowAll, Authorizer, Decision, DenyAll, Question};
pub use call::{Call, CallError, Caller, LedgerQuery, LedgerRow, NoticeRow};
pub use faults::Fault;
pub use lifeline::Lifeline;
pub use publish::Event;

use board::{Board, BoardShown};
use call::Desk;
use clock::{Clock, ClockShown};
use faults::Faults;
use manager::{Manager, Port, Ports};
use names::{ROOT, SERVICE, board_path, table_path};
use shown::{Shown, emitter};
use table::{Table, TableShown};

/// A table as it is put on the bus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// Its identifier.
    pub id: String,
    /// The identifier of its board.
    pub board: String,
    /// The identifier of the rulebook in force.
    pub rulebook: String,
    /// `arbiter` or `witness`.
    pub observer: String,
    /// The position before the first move, as FEN.
    pub start_fen: String,
    /// Where the game stands already, after a restart: shown from the beginning, without signals.
    pub present: Vec<View>,
}

/// A board as it is put on the bus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardInfo {
    /// Its identifier.
    pub id: String,
    /// The path of its port.
    pub port: String,
    /// `dgt` or `millennium`.
    pub family: String,
}

/// What is put on the bus, and where its calls go.
pub struct Setup {
    /// The boards.
    pub boards: Vec<BoardInfo>,
    /// The tables; each names one of the boards.
    pub tables: Vec<TableInfo>,
    /// The daemon's queue.
    pub calls: mpsc::Sender<Call>,
    /// Who decides on leave.
    pub authorizer: Arc<dyn Authorizer>,
    /// The time, for the moment at which a ruling is published.
    pub now: fn() -> Mono,
}

/// What can go wrong with the bus.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// The name has an owner.
    #[error(
        "the name org.arbiterd.Arbiter1 is taken on this bus: another arbiterd runs here; stop it, or \
         choose another bus with --bus"
    )]
    NameTaken,
    /// The bus does not let us have the name.
    #[error(
        "the bus does not allow this user to own org.arbiterd.Arbiter1: install the bus policy and run \
         as the service's user, or choose another bus with --bus ({0})"
    )]
    NotAllowed(String),
    /// An event names a table that was not set up.
    #[error("no table {0:?} on the bus: name it in the setup")]
    NoSuchTable(String),
    /// An event or a table names a board that was not set up.
    #[error("no board {0:?} on the bus: name it in the setup")]
    NoSuchBoard(String),
    /// Two tables, or two boards, have one identifier.
    #[error("{0:?} is the identifier of two objects: each needs its own")]
    Duplicate(String),
    /// The bus went away.
    #[error("the connection to the message bus ended: is the bus still running?")]
    Gone,
    /// The bus gave our name away, or took it back.
    #[error("the name org.arbiterd.Arbiter1 was lost on this bus: does another arbiterd run here?")]
    NameLost,
    /// The connection failed.
    #[error("the message bus: {0}; is it still running?")]
    Connection(#[from] zbus::Error),
}

/// One object of a table: its place and what it shows.
struct TablePlace {
    board: String,
    emitter: SignalEmitter<'static>,
    table: Shown<TableShown>,
    clock: Shown<ClockShown>,
}

/// One object of a board.
struct BoardPlace {
    emitter: SignalEmitter<'static>,
    board: Shown<BoardShown>,
}

/// The service on the bus.
///
/// [`Bus::publish`] is to be called from one task: the order of calls is the order on the wire.
pub struct Bus {
    connection: Connection,
    root: SignalEmitter<'static>,
    ports: Shown<Ports>,
    faults: Shown<Faults>,
    boards: BTreeMap<String, BoardPlace>,
    tables: BTreeMap<String, TablePlace>,
    now: fn() -> Mono,
}

impl Bus {
    /// Puts everything on the bus and then takes the name: whoever sees the name sees all objects.
    ///
    /// # Errors
    /// [`BusError`]; the name is not held then.
    pub async fn serve(connection: Connection, setup: Setup) -> Result<Self, BusError> {
        let desk = Desk::new(setup.calls, setup.authorizer);
        let bus = Self {
            root: emitter(&connection, &root_path()),
            ports: Shown::new(ports(&setup.boards)),
            faults: Shown::new(Faults::default()),
            boards: board_places(&connection, &setup.boards)?,
            tables: table_places(&connection, &setup.tables)?,
            connection,
            now: setup.now,
        };
        bus.show_present(&setup.tables)?;
        bus.register(&desk).await?;
        bus.take_name().await?;
        Ok(bus)
    }

    /// Whether another daemon is on this bus already, before anything is begun that leaves a trace.
    /// Only taking the name decides.
    ///
    /// # Errors
    /// [`BusError::NameTaken`], or what the bus says.
    pub async fn look_for_another(connection: &Connection) -> Result<(), BusError> {
        let bus = zbus::fdo::DBusProxy::new(connection).await?;
        let name = zbus::names::BusName::from_static_str(SERVICE)?;
        match bus.name_has_owner(name).await {
            Ok(false) => Ok(()),
            Ok(true) => Err(BusError::NameTaken),
            Err(error) => Err(zbus::Error::from(error).into()),
        }
    }

    /// The connection, for those who watch whether it lives.
    pub const fn connection(&self) -> &Connection {
        &self.connection
    }

    fn show_present(&self, tables: &[TableInfo]) -> Result<(), BusError> {
        for info in tables {
            let place = self.table(&info.id)?;
            for view in &info.present {
                self.show(place, None, view)?;
            }
        }
        Ok(())
    }

    async fn register(&self, desk: &Desk) -> Result<(), BusError> {
        let server = self.connection.object_server();
        // First, so that all that follows is announced.
        server.at(ROOT, ObjectManager).await?;
        let tables = self.tables.keys().cloned().collect();
        let (ports, faults) = (self.ports.clone(), self.faults.clone());
        server.at(ROOT, Manager { ports, faults, tables, desk: desk.clone() }).await?;
        for place in self.boards.values() {
            server.at(place.emitter.path(), Board { shown: place.board.clone() }).await?;
        }
        for (id, place) in &self.tables {
            let table = Table { id: id.clone(), shown: place.table.clone(), desk: desk.clone() };
            server.at(place.emitter.path(), table).await?;
            server.at(place.emitter.path(), Clock { shown: place.clock.clone() }).await?;
        }
        Ok(())
    }

    async fn take_name(&self) -> Result<(), BusError> {
        // Neither queue for the name nor take it from another nor give it away: two arbiters at
        // one board would be worse than none.
        match self.connection.request_name_with_flags(SERVICE, RequestNameFlags::DO_NOT_QUEUE).await {
            Ok(RequestNameReply::PrimaryOwner | RequestNameReply::AlreadyOwner) => Ok(()),
            Ok(RequestNameReply::Exists | RequestNameReply::InQueue) | Err(zbus::Error::NameTaken) => {
                Err(BusError::NameTaken)
            }
            Err(zbus::Error::FDO(e)) if matches!(*e, zbus::fdo::Error::AccessDenied(_)) => {
                Err(BusError::NotAllowed(e.to_string()))
            }
            Err(e) => Err(e.into()),
        }
    }
}

fn root_path() -> OwnedObjectPath {
    zbus::ObjectPath::from_static_str_unchecked(ROOT).into()
}

fn ports(boards: &[BoardInfo]) -> Ports {
    let missing =
        |b: &BoardInfo| Port { path: b.port.clone(), state: "missing".to_owned(), detail: String::new() };
    Ports(boards.iter().map(|b| (b.id.clone(), missing(b))).collect())
}

fn board_places(
    connection: &Connection,
    boards: &[BoardInfo],
) -> Result<BTreeMap<String, BoardPlace>, BusError> {
    let mut places = BTreeMap::new();
    for info in boards {
        let place = BoardPlace {
            emitter: emitter(connection, &board_path(&info.id)),
            board: Shown::new(BoardShown::new(info)),
        };
        if places.insert(info.id.clone(), place).is_some() {
            return Err(BusError::Duplicate(info.id.clone()));
        }
    }
    Ok(places)
}

fn table_places(
    connection: &Connection,
    tables: &[TableInfo],
) -> Result<BTreeMap<String, TablePlace>, BusError> {
    let mut places = BTreeMap::new();
    for info in tables {
        let place = TablePlace {
            board: info.board.clone(),
            emitter: emitter(connection, &table_path(&info.id)),
            table: Shown::new(TableShown::new(info)),
            clock: Shown::new(ClockShown::default()),
        };
        if places.insert(info.id.clone(), place).is_some() {
            return Err(BusError::Duplicate(info.id.clone()));
        }
    }
    Ok(places)
}
