// SPDX-License-Identifier: GPL-3.0-or-later
//! `org.arbiterd.Arbiter1.Manager`.

use std::collections::{BTreeMap, HashMap};

use zbus::{OwnedVariant, Variant, interface};

use super::call::{Call, CallError, Desk, Failure, LedgerQuery, Options};
use super::dict::{Dict, notice_dict, ruling_dict};
use super::faults::Faults;
use super::shown::{Changes, Shown};

/// Rulings or notices in one answer, if the caller names no limit.
const LIMIT_DEFAULT: u32 = 1000;
/// Rulings or notices in one answer at most: a message must stay far below the bus's bounds.
const LIMIT_MAX: u32 = 10_000;

/// A port as the manager shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Port {
    pub(super) path: String,
    pub(super) state: String,
    pub(super) detail: String,
}

/// The ports by board.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ports(pub(super) BTreeMap<String, Port>);

impl From<Ports> for Variant<'static> {
    fn from(ports: Ports) -> Self {
        ports.list().into()
    }
}

impl Ports {
    fn list(&self) -> Vec<BTreeMap<String, Variant<'static>>> {
        let entry = |(board, port): (&String, &Port)| {
            BTreeMap::from([
                ("board".to_owned(), board.clone().into()),
                ("path".to_owned(), port.path.clone().into()),
                ("state".to_owned(), port.state.clone().into()),
                ("detail".to_owned(), port.detail.clone().into()),
            ])
        };
        self.0.iter().map(entry).collect()
    }

    /// A board's port is in this state now.
    pub(super) fn set_state(shown: &mut Self, board: &str, state: &str, detail: &str) -> Changes {
        let mut new = shown.clone();
        if let Some(port) = new.0.get_mut(board) {
            port.state = state.to_owned();
            port.detail = detail.to_owned();
        }
        let mut changes = Changes::default();
        changes.set("Ports", shown, new);
        changes
    }
}

pub(super) struct Manager {
    pub(super) ports: Shown<Ports>,
    pub(super) faults: Shown<Faults>,
    pub(super) tables: Vec<String>,
    pub(super) desk: Desk,
}

impl Manager {
    fn query(&self, since: u64, options: HashMap<String, OwnedVariant>) -> Result<LedgerQuery, Failure> {
        let mut options = Options::new(options);
        let table: Option<String> = options.take("table", "s")?;
        let limit = options.take("limit", "u")?.unwrap_or(LIMIT_DEFAULT);
        options.finish("table, limit")?;
        if limit > LIMIT_MAX {
            return Err(Failure::invalid_args(format!("option \"limit\" must be at most {LIMIT_MAX}")));
        }
        if let Some(table) = table.as_ref().filter(|t| !self.tables.contains(t)) {
            return Err(CallError::NoSuchTable(format!(
                "no table is called {table:?}; tables are: {}",
                self.tables.join(", ")
            ))
            .into());
        }
        // A row beyond the journal's range stands after every ruling.
        let since = i64::try_from(since).unwrap_or(i64::MAX);
        Ok(LedgerQuery { since, table, limit })
    }
}

/// The service as a whole.
#[interface(name = "org.arbiterd.Arbiter1.Manager")]
impl Manager {
    /// Rulings of the ledger whose row is greater than `since`, ascending by row. Signals reach
    /// only those who listen; whoever was away asks here with the last row he has seen, or 0.
    ///
    /// Options: `table` (s), the identifier of a table, for the rulings of this table only;
    /// `limit` (u), at most so many rulings, 1000 if absent, 10000 at most. An answer of `limit`
    /// rulings may not be the end: ask again.
    ///
    /// Each ruling is a dictionary with the keys that the signal `Ruled` of the table's interface
    /// describes, without `committed_us` and `published_us`: the ledger does not keep when a ruling
    /// was committed.
    ///
    /// Errors: `org.freedesktop.DBus.Error.InvalidArgs` for an option that is not known, has a
    /// wrong type or is out of range; `org.arbiterd.Arbiter1.Error.NoSuchTable`;
    /// `org.arbiterd.Arbiter1.Error.JournalUnavailable`; `org.arbiterd.Arbiter1.Error.ShuttingDown`.
    #[zbus(out_args("rulings"))]
    async fn get_rulings(
        &self,
        since: u64,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<Vec<Dict>, Failure> {
        let query = self.query(since, options)?;
        let rows = self.desk.ask(|reply| Call::Rulings { query, reply }).await?;
        Ok(rows.iter().map(|r| ruling_dict(r.row, &r.table, &r.ruling, None)).collect())
    }

    /// Notices whose row is greater than `since`, ascending by row; rows of notices are counted for
    /// themselves. Options, the number of notices in an answer and errors are those of
    /// `GetRulings`.
    ///
    /// Each notice is a dictionary with the keys that the signal `NoticeGiven` of the table's
    /// interface describes.
    #[zbus(out_args("notices"))]
    async fn get_notices(
        &self,
        since: u64,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<Vec<Dict>, Failure> {
        let query = self.query(since, options)?;
        let rows = self.desk.ask(|reply| Call::Notices { query, reply }).await?;
        Ok(rows.iter().map(|r| notice_dict(r.row, &r.table, &r.notice)).collect())
    }

    /// What is wrong with the service itself, empty if nothing is. Each is a dictionary: `kind` (s),
    /// `detail` (s) what happened and what to do, for people, and `table` (s) or `board` (s) where
    /// it concerns one of them.
    ///
    /// Kinds: `fault.journal`, what was observed cannot be recorded now, so nothing that follows
    /// from it is published until it can; `fault.game-not-resumed`, the table's last game in the
    /// journal has no result, and a new one was begun; `fault.unknown-channel`, a board reports as
    /// another one than was configured, and is not listened to; `fault.shared-address`, two boards
    /// on a bus line answer to this board's address, and neither is listened to until the board has
    /// been off the line; `fault.not-for-arbitration`, the board knows only which squares are
    /// occupied, and nothing is ruled from it; `fault.no-answer`, the port is open and the board
    /// does not answer; or a word of a later version.
    #[zbus(property)]
    fn faults(&self) -> Vec<BTreeMap<String, Variant<'static>>> {
        self.faults.with(|f| f.list())
    }

    /// The version of the service.
    #[zbus(property(emits_changed_signal = "const"))]
    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    /// The ports of all configured boards, whether something is connected or not. Each is a
    /// dictionary: `board` (s) the identifier of the board, `path` (s) the port, `state` (s) one of
    /// `missing`, `busy`, `not-permitted`, `unusable`, `open` and `lost`, or a word of a later
    /// version, `detail` (s) what the system said, for people.
    #[zbus(property)]
    fn ports(&self) -> Vec<BTreeMap<String, Variant<'static>>> {
        self.ports.with(|p| p.list())
    }
}
