// SPDX-License-Identifier: GPL-3.0-or-later
//! What a watch sees.

use serde::Serialize;

use super::fields::{Dict, number, path, read, text, texts, word};
use super::notice::NoticeInfo;
use super::ruling::RulingInfo;
use crate::dbus::codes::{CONNECTED, LINK};
use crate::dbus::names::board_id;

/// Something that was published, in the order on the wire.
///
/// Moments are microseconds of CLOCK_MONOTONIC, times milliseconds. Tables and boards are named by
/// their identifiers. As JSON: one object with the member `event`; members are added, never
/// renamed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Seen {
    /// The ports of all boards: at the beginning and after each change.
    Ports {
        /// By board.
        ports: Vec<PortSeen>,
    },
    /// What is wrong with the service itself: at the beginning if anything is, and after each
    /// change. Empty if nothing is wrong any more.
    Faults {
        /// All that is wrong now.
        faults: Vec<FaultSeen>,
    },
    /// A board: at the beginning and after each change but that of the placement.
    Board(BoardSeen),
    /// What stands on a board changed.
    Placement {
        /// The board.
        board: String,
        /// The placement field of a FEN.
        placement: String,
    },
    /// A table as it is at the beginning.
    Table(TableSeen),
    /// A table's state changed.
    State {
        /// The table.
        table: String,
        /// Such as `in-step`.
        state: String,
        /// Squares that differ.
        differing: Vec<String>,
    },
    /// The position or the revision of the game changed.
    Position {
        /// The table.
        table: String,
        /// The position after the last completed move.
        fen: String,
        /// The revision of the game.
        revision: u64,
    },
    /// The result changed.
    Result {
        /// The table.
        table: String,
        /// As in a PGN.
        result: String,
    },
    /// A clock: at the beginning and after each change that cannot be foreseen.
    Clock(ClockSeen),
    /// A square became empty.
    Lifted {
        /// The board.
        board: String,
        /// The square.
        square: String,
        /// The FEN letter of what stood there.
        piece: String,
        /// Not before.
        earliest: u64,
        /// Not after.
        latest: u64,
    },
    /// A piece appeared.
    Placed {
        /// The board.
        board: String,
        /// The square.
        square: String,
        /// The FEN letter of what stands there.
        piece: String,
        /// Not before.
        earliest: u64,
        /// Not after.
        latest: u64,
    },
    /// A player pressed his clock.
    Pressed {
        /// The table.
        table: String,
        /// `white` or `black`.
        by: String,
        /// Not before.
        earliest: u64,
        /// Not after.
        latest: u64,
    },
    /// A claim was made.
    Claimed {
        /// The table.
        table: String,
        /// `white`, `black` or `arbiter`.
        by: String,
        /// Such as `illegal-move`.
        what: String,
        /// The fact that records it.
        fact: u64,
    },
    /// A move was completed.
    Moved {
        /// The table.
        table: String,
        /// Half-moves with this one.
        ply: u64,
        /// `white` or `black`.
        by: String,
        /// In UCI notation.
        uci: String,
        /// `press`, `reply`, `game-end`, `arbiter` or `unknown`.
        completion: &'static str,
        /// The position after it.
        fen: String,
        /// White's time, where known.
        white_ms: Option<u64>,
        /// Black's time, where known.
        black_ms: Option<u64>,
    },
    /// A person decided on a ruling, or what it was about is not in the record any more.
    RulingDecided {
        /// The table.
        table: String,
        /// The ruling's number at the table.
        ruling: u64,
        /// `confirmed`, `overruled`, `fallen`, `in-force` or `unknown`.
        standing: &'static str,
    },
    /// The arbiter took what stands on the board as the position.
    BoardAccepted {
        /// The table.
        table: String,
        /// The position, as FEN.
        fen: String,
    },
    /// Moves were taken back.
    TakenBack {
        /// The table.
        table: String,
        /// Half-moves that remain.
        remaining: u64,
    },
    /// The arbiter had a position put back.
    Restored {
        /// The table.
        table: String,
        /// Half-moves that remain.
        remaining: u64,
        /// The half-moves that fell, in UCI notation.
        taken_back: Vec<String>,
        /// The position, as FEN.
        fen: String,
        /// White's time then, where known.
        white_ms: Option<u64>,
        /// Black's time then, where known.
        black_ms: Option<u64>,
        /// Whether the game was over and goes on.
        reopened: bool,
    },
    /// A ruling was given.
    Ruled(Box<RulingInfo>),
    /// A person should look.
    Notice(NoticeInfo),
    /// The service left the bus.
    Gone,
    /// The service is on the bus again; its present state follows.
    Back,
}

/// The port of a board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PortSeen {
    /// The board.
    pub board: String,
    /// The port.
    pub path: String,
    /// Its state, such as `open`.
    pub state: String,
    /// What the system said.
    pub detail: String,
}

impl PortSeen {
    pub(super) fn from_dict(dict: &Dict) -> Self {
        Self {
            board: text(dict, "board"),
            path: text(dict, "path"),
            state: text(dict, "state"),
            detail: text(dict, "detail"),
        }
    }
}

/// Something that is wrong with the service itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FaultSeen {
    /// Such as `fault.journal`.
    pub kind: String,
    /// The table it concerns, or empty.
    pub table: String,
    /// The board it concerns, or empty.
    pub board: String,
    /// What happened and what to do.
    pub detail: String,
}

impl FaultSeen {
    pub(super) fn from_dict(dict: &Dict) -> Self {
        Self {
            kind: text(dict, "kind"),
            table: text(dict, "table"),
            board: text(dict, "board"),
            detail: text(dict, "detail"),
        }
    }
}

/// A board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BoardSeen {
    /// Its identifier.
    pub board: String,
    /// Its port.
    pub port: String,
    /// Its family, such as `dgt`.
    pub family: String,
    /// The state of its port, such as `open`.
    pub state: String,
    /// Whether it answers: `up`, `down` or `unknown`.
    pub link: &'static str,
    /// Its serial number, or empty.
    pub serial: String,
    /// Its firmware, or empty.
    pub firmware: String,
    /// From a change of the board to its report at most, in microseconds.
    pub board_lag: u64,
    /// From a change of the clock to its report at most, in microseconds.
    pub clock_lag: u64,
    /// The placement field of a FEN.
    pub placement: String,
}

impl BoardSeen {
    pub(super) fn from_properties(board: &str, dict: &Dict) -> Self {
        Self {
            board: board.to_owned(),
            port: text(dict, "Port"),
            family: text(dict, "Family"),
            state: text(dict, "State"),
            link: word(dict, "Link", LINK),
            serial: text(dict, "Serial"),
            firmware: text(dict, "Firmware"),
            board_lag: number(dict, "BoardLag"),
            clock_lag: number(dict, "ClockLag"),
            placement: text(dict, "Placement"),
        }
    }
}

/// A table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TableSeen {
    /// Its identifier.
    pub table: String,
    /// The identifier of its board.
    pub board: String,
    /// The rulebook in force.
    pub rulebook: String,
    /// `arbiter` or `witness`.
    pub observer: String,
    /// Such as `in-step`.
    pub state: String,
    /// Squares that differ.
    pub differing: Vec<String>,
    /// The position after the last completed move.
    pub fen: String,
    /// The completed moves.
    pub moves: Vec<String>,
    /// As in a PGN.
    pub result: String,
    /// The revision of the game.
    pub revision: u64,
}

impl TableSeen {
    pub(super) fn from_properties(table: &str, dict: &Dict) -> Self {
        Self {
            table: table.to_owned(),
            board: path(dict, "Board").and_then(|p| board_id(p.as_str())).unwrap_or_default(),
            rulebook: text(dict, "Rulebook"),
            observer: text(dict, "Observer"),
            state: text(dict, "State"),
            differing: texts(dict, "Differing"),
            fen: text(dict, "Fen"),
            moves: texts(dict, "Moves"),
            result: text(dict, "Result"),
            revision: number(dict, "Revision"),
        }
    }
}

/// A clock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClockSeen {
    /// The table.
    pub table: String,
    /// White's time at `as_of`.
    pub white_ms: u64,
    /// Black's time at `as_of`.
    pub black_ms: u64,
    /// Whose time runs: `white`, `black` or empty.
    pub running: String,
    /// The moment to which the times belong.
    pub as_of: u64,
    /// How much older they may be, in microseconds.
    pub uncertainty: u64,
    /// The side of the clock on which White sits: `left`, `right` or empty.
    pub white_side: String,
    /// `connected`, `absent` or `unknown`.
    pub connected: &'static str,
    /// Sides whose flag is down.
    pub flags: Vec<String>,
}

impl ClockSeen {
    pub(super) fn from_properties(table: &str, dict: &Dict) -> Self {
        Self {
            table: table.to_owned(),
            white_ms: number(dict, "White"),
            black_ms: number(dict, "Black"),
            running: text(dict, "Running"),
            as_of: number(dict, "AsOf"),
            uncertainty: number(dict, "Uncertainty"),
            white_side: text(dict, "WhiteSide"),
            connected: word(dict, "Connected", CONNECTED),
            flags: texts(dict, "Flags"),
        }
    }
}

impl Seen {
    pub(super) fn moved(table: String, ply: u64, dict: &Dict) -> Self {
        Self::Moved {
            table,
            ply,
            by: text(dict, "by"),
            uci: text(dict, "uci"),
            completion: word(dict, "completion", crate::dbus::codes::COMPLETION),
            fen: text(dict, "fen"),
            white_ms: read(dict, "white_ms"),
            black_ms: read(dict, "black_ms"),
        }
    }

    pub(super) fn restored(table: String, remaining: u64, dict: &Dict) -> Self {
        Self::Restored {
            table,
            remaining,
            taken_back: texts(dict, "taken_back"),
            fen: text(dict, "fen"),
            white_ms: read(dict, "white_ms"),
            black_ms: read(dict, "black_ms"),
            reopened: read(dict, "reopened").unwrap_or_default(),
        }
    }
}
