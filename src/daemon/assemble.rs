// SPDX-License-Identifier: GPL-3.0-or-later
//! From a configuration to tables, drivers and what is said of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arbiterd_board::{Channel, ClockSide, Driver};
use arbiterd_dgt::DgtDriver;
use arbiterd_dgt::bus::{BusAddress, DgtBusDriver};
use arbiterd_millennium::MillenniumDriver;

use super::DaemonError;
use super::line::ONLY_CHANNEL;
use crate::config::{BoardConfig, Config, Connection, Family, TableSettings};
use crate::dbus::{BoardInfo, TableInfo};
use crate::journal::GameStart;
use crate::laws::rulebook::Library;
use crate::table::{Start, Table, TableConfig};

/// A line's driver.
pub type BoxedDriver = Box<dyn Driver + Send>;

/// One port with the boards behind it.
pub struct PortLine {
    /// What the line is called in the log.
    pub id: String,
    pub port: PathBuf,
    /// The channel of each board.
    pub boards: BTreeMap<Channel, String>,
    pub driver: BoxedDriver,
}

/// Each port with its driver: one for each board, but for boards on a bus line, which share one.
pub fn lines(config: &Config) -> Vec<PortLine> {
    let mut lines = Vec::new();
    let mut buses: BTreeMap<PathBuf, BTreeMap<BusAddress, String>> = BTreeMap::new();
    for board in &config.boards {
        match board.connection {
            Connection::Bus(address) => {
                buses.entry(board.port.clone()).or_default().insert(address, board.id.clone());
            }
            Connection::Wired => lines.push(alone(board, wired(board.family))),
            Connection::Bluetooth => lines.push(alone(board, over_bluetooth(board.family))),
        }
    }
    lines.extend(buses.into_iter().map(|(port, boards)| bus(port, boards)));
    lines
}

fn alone(board: &BoardConfig, driver: BoxedDriver) -> PortLine {
    let boards = BTreeMap::from([(channel(board), board.id.clone())]);
    PortLine { id: board.id.clone(), port: board.port.clone(), boards, driver }
}

fn bus(port: PathBuf, boards: BTreeMap<BusAddress, String>) -> PortLine {
    let driver = Box::new(DgtBusDriver::new(boards.keys().copied()));
    let id = boards.values().cloned().collect::<Vec<_>>().join("+");
    let boards = boards.into_iter().map(|(address, id)| (Channel(address.number()), id)).collect();
    PortLine { id, port, boards, driver }
}

/// The channel of a board on its line.
pub const fn channel(board: &BoardConfig) -> Channel {
    match board.connection {
        Connection::Bus(address) => Channel(address.number()),
        Connection::Wired | Connection::Bluetooth => ONLY_CHANNEL,
    }
}

fn wired(family: Family) -> BoxedDriver {
    match family {
        Family::Dgt => Box::new(DgtDriver::new()),
        Family::Millennium => Box::new(MillenniumDriver::new()),
    }
}

fn over_bluetooth(family: Family) -> BoxedDriver {
    match family {
        Family::Dgt => Box::new(DgtDriver::over(arbiterd_dgt::Transport::Bluetooth)),
        Family::Millennium => Box::new(MillenniumDriver::over(arbiterd_millennium::Transport::Bluetooth)),
    }
}

/// The tables, before anything was seen of them.
pub fn tables(config: &Config, library: &Library) -> Result<Vec<(TableSettings, Table)>, DaemonError> {
    config.tables.iter().map(|settings| Ok((settings.clone(), table(settings, library)?))).collect()
}

fn table(settings: &TableSettings, library: &Library) -> Result<Table, DaemonError> {
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
        lights: settings.lights,
    }))
}

/// What the journal keeps of a game's beginning.
pub fn game_start(settings: &TableSettings, table: &Table) -> GameStart {
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
            // No ruling depends on it; whoever looks into a game may ask what its players were shown.
            "lights": settings.lights.word(),
        })
        .to_string(),
    }
}

/// What the bus shows from the beginning.
pub fn describe(config: &Config, tables: &[(TableSettings, Table)]) -> (Vec<BoardInfo>, Vec<TableInfo>) {
    let boards = config
        .boards
        .iter()
        .map(|b| BoardInfo {
            id: b.id.clone(),
            port: b.port.display().to_string(),
            family: b.family.word().to_owned(),
        })
        .collect();
    let infos = tables
        .iter()
        .map(|(settings, table)| TableInfo {
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

/// What the status line begins with.
pub fn inventory(config: &Config) -> String {
    let counted = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    format!("{}, {}", counted(config.boards.len(), "board"), counted(config.tables.len(), "table"))
}
