// SPDX-License-Identifier: GPL-3.0-or-later
//! A client of `org.arbiterd.Arbiter1`: calls, and a watch over everything that is published.

mod fields;
mod notice;
mod ruling;
mod seen;
mod watch;

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use zbus::proxy::CacheProperties;
use zbus::{Connection, DBusError, OwnedVariant, Variant, connection, fdo};

use crate::dbus::names::table_path;
use crate::table::{Claim, Command, Speaker};
use arbiterd_board::Colour;

pub use notice::NoticeInfo;
pub use ruling::RulingInfo;
pub use seen::{BoardSeen, ClockSeen, FaultSeen, PortSeen, Seen, TableSeen};
pub use watch::Watch;

/// Which message bus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BusAddress {
    /// The system's bus.
    System,
    /// The bus of the login session.
    Session,
    /// A bus by its address, such as `unix:path=/run/arbiter/bus`.
    Address(String),
}

impl FromStr for BusAddress {
    type Err = ClientError;

    fn from_str(text: &str) -> Result<Self, ClientError> {
        match text {
            "system" => Ok(Self::System),
            "session" => Ok(Self::Session),
            // Every address begins with its transport.
            _ if text.contains(':') => Ok(Self::Address(text.to_owned())),
            _ => Err(ClientError::Address(text.to_owned())),
        }
    }
}

impl fmt::Display for BusAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "system",
            Self::Session => "session",
            Self::Address(address) => address,
        })
    }
}

impl BusAddress {
    /// Connects to this bus.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`].
    pub async fn connect(&self) -> Result<Connection, ClientError> {
        self.build(self.builder()).await
    }

    fn builder(&self) -> connection::Builder<'_> {
        match self {
            Self::System => connection::Builder::system(),
            Self::Session => connection::Builder::session(),
            Self::Address(address) => connection::Builder::address(address.as_str()),
        }
    }

    async fn build(&self, builder: connection::Builder<'_>) -> Result<Connection, ClientError> {
        builder
            .build()
            .await
            .map_err(|source| ClientError::Unreachable { bus: self.clone(), source: Box::new(source) })
    }
}

/// What can go wrong for a client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The text names no bus.
    #[error("{0:?} names no bus: give system, session or an address such as unix:path=/run/bus")]
    Address(String),
    /// The bus cannot be reached.
    #[error("the bus {bus} cannot be reached: {source}; choose another with --bus")]
    Unreachable {
        /// The bus.
        bus: BusAddress,
        /// Why not.
        source: Box<zbus::Error>,
    },
    /// The service is not on this bus.
    #[error(
        "arbiterd is not running on the bus {bus}: start it (arbiterd run --config FILE --bus BUS), or name the bus it \
         runs on with --bus"
    )]
    NotRunning {
        /// The bus.
        bus: BusAddress,
    },
    /// No table has this identifier.
    #[error("there is no table {table:?}; arbiterctl monitor names the tables")]
    NoSuchTable {
        /// The identifier.
        table: String,
    },
    /// The service answered with an error.
    #[error("{message} ({name})")]
    Refused {
        /// The error's name.
        name: String,
        /// What the service said.
        message: String,
    },
    /// The connection to the bus ended.
    #[error("the connection to the bus {bus} ended: is the bus still running?")]
    Closed {
        /// The bus.
        bus: BusAddress,
    },
    /// Something that is not as the interface says.
    #[error("the message bus: {0}")]
    Bus(#[source] Box<zbus::Error>),
}

#[zbus::proxy(
    interface = "org.arbiterd.Arbiter1.Manager",
    default_service = "org.arbiterd.Arbiter1",
    default_path = "/org/arbiterd/Arbiter1"
)]
trait Manager {
    fn get_rulings(
        &self,
        since: u64,
        options: HashMap<&str, Variant<'_>>,
    ) -> zbus::Result<Vec<HashMap<String, OwnedVariant>>>;

    fn get_notices(
        &self,
        since: u64,
        options: HashMap<&str, Variant<'_>>,
    ) -> zbus::Result<Vec<HashMap<String, OwnedVariant>>>;
}

#[zbus::proxy(interface = "org.arbiterd.Arbiter1.Table", default_service = "org.arbiterd.Arbiter1")]
trait Table {
    fn claim(&self, by: &str, what: &str, options: HashMap<&str, Variant<'_>>) -> zbus::Result<u64>;

    fn confirm(&self, ruling: u64, options: HashMap<&str, Variant<'_>>) -> zbus::Result<u64>;

    fn overrule(&self, ruling: u64, options: HashMap<&str, Variant<'_>>) -> zbus::Result<u64>;

    fn accept_board(&self, turn: &str, options: HashMap<&str, Variant<'_>>) -> zbus::Result<u64>;

    fn restore(&self, plies: u32, options: HashMap<&str, Variant<'_>>) -> zbus::Result<u64>;

    fn set_moves(
        &self,
        after: u32,
        moves: &[String],
        options: HashMap<&str, Variant<'_>>,
    ) -> zbus::Result<u64>;

    fn correct_ply(&self, ply: u32, uci: &str, options: HashMap<&str, Variant<'_>>) -> zbus::Result<u64>;
}

/// Calls to the service.
#[derive(Debug)]
pub struct Client {
    bus: BusAddress,
    connection: Connection,
}

impl Client {
    /// Connects to a bus. Whether the service runs there shows with the first call.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`].
    pub async fn connect(bus: BusAddress) -> Result<Self, ClientError> {
        let connection = bus.connect().await?;
        Ok(Self { bus, connection })
    }

    /// Rulings whose row is greater than `since`, ascending; of one table if it is named; at most
    /// `limit`, or as many as the service gives at once.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn rulings(
        &self,
        since: u64,
        table: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Vec<RulingInfo>, ClientError> {
        let manager = self.manager().await?;
        let rulings = manager.get_rulings(since, options(table, limit)).await.map_err(|e| self.error(e))?;
        Ok(rulings.iter().map(RulingInfo::from_dict).collect())
    }

    /// Notices whose row is greater than `since`, ascending, as [`Client::rulings`] gives rulings.
    /// Rows of notices are counted for themselves.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn notices(
        &self,
        since: u64,
        table: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Vec<NoticeInfo>, ClientError> {
        let manager = self.manager().await?;
        let notices = manager.get_notices(since, options(table, limit)).await.map_err(|e| self.error(e))?;
        Ok(notices.iter().map(NoticeInfo::from_dict).collect())
    }

    /// Brings a claim forward and gives the number of the fact that records it.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn claim(&self, table: &str, by: Speaker, claim: Claim) -> Result<u64, ClientError> {
        let proxy = self.table(table).await?;
        self.fact(table, proxy.claim(speaker_word(by), claim.word(), HashMap::new()).await)
    }

    /// Tells a table something in the arbiter's name and gives the number of the fact that records
    /// it.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn command(&self, table: &str, command: Command) -> Result<u64, ClientError> {
        let proxy = self.table(table).await?;
        let none = HashMap::new();
        let answer = match &command {
            Command::Confirm { ruling } => proxy.confirm(*ruling, none).await,
            Command::Overrule { ruling } => proxy.overrule(*ruling, none).await,
            Command::AcceptBoard { turn } => {
                proxy.accept_board(speaker_word(Speaker::Player(*turn)), none).await
            }
            Command::AcceptBoardAs { turn, turned, castling } => {
                let options = how_it_stands(*turned, castling.as_deref());
                proxy.accept_board(speaker_word(Speaker::Player(*turn)), options).await
            }
            Command::Restore { plies } => proxy.restore(*plies, none).await,
            Command::SetMoves { after, moves } => proxy.set_moves(*after, moves, none).await,
            Command::CorrectPly { ply, uci } => proxy.correct_ply(*ply, uci, none).await,
        };
        self.fact(table, answer)
    }

    async fn table(&self, table: &str) -> Result<TableProxy<'_>, ClientError> {
        let proxy = TableProxy::builder(&self.connection)
            .path(table_path(table))
            .cache_properties(CacheProperties::No);
        proxy.build().await.map_err(|e| self.error(e))
    }

    fn fact(&self, table: &str, answer: zbus::Result<u64>) -> Result<u64, ClientError> {
        match answer {
            Ok(fact) => Ok(fact),
            Err(zbus::Error::FDO(e)) if matches!(*e, fdo::Error::UnknownObject(_)) => {
                Err(ClientError::NoSuchTable { table: table.to_owned() })
            }
            Err(e) => Err(self.error(e)),
        }
    }

    async fn manager(&self) -> Result<ManagerProxy<'_>, ClientError> {
        let proxy = ManagerProxy::builder(&self.connection).cache_properties(CacheProperties::No);
        proxy.build().await.map_err(|e| self.error(e))
    }

    fn error(&self, e: zbus::Error) -> ClientError {
        call_error(&self.bus, e)
    }
}

/// The options with which the ledger is read.
fn options(table: Option<&str>, limit: Option<u32>) -> HashMap<&'static str, Variant<'_>> {
    let mut options = HashMap::new();
    options.extend(table.map(|t| ("table", Variant::from(t))));
    options.extend(limit.map(|l| ("limit", Variant::from(l))));
    options
}

/// The options with which a board is accepted.
fn how_it_stands(turned: Option<bool>, castling: Option<&str>) -> HashMap<&'static str, Variant<'_>> {
    let mut options = HashMap::new();
    let word = |turned| if turned { "turned" } else { "normal" };
    options.extend(turned.map(|turned| ("orientation", Variant::from(word(turned)))));
    options.extend(castling.map(|castling| ("castling", Variant::from(castling))));
    options
}

/// A speaker's word on the bus.
pub const fn speaker_word(by: Speaker) -> &'static str {
    match by {
        Speaker::Player(Colour::White) => "white",
        Speaker::Player(Colour::Black) => "black",
        Speaker::Arbiter => "arbiter",
    }
}

/// What a failed call means for a client.
fn call_error(bus: &BusAddress, e: zbus::Error) -> ClientError {
    match e {
        zbus::Error::MethodError(name, message, _) => ClientError::Refused {
            name: name.to_string(),
            message: message.unwrap_or_else(|| "the service refused".to_owned()),
        },
        zbus::Error::FDO(e) => match *e {
            fdo::Error::ServiceUnknown(_) | fdo::Error::NameHasNoOwner(_) => {
                ClientError::NotRunning { bus: bus.clone() }
            }
            ref e => ClientError::Refused {
                name: e.name().to_string(),
                message: e.description().unwrap_or("the service refused").to_owned(),
            },
        },
        e => ClientError::Bus(Box::new(e)),
    }
}
