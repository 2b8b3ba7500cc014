// SPDX-License-Identifier: GPL-3.0-or-later
//! From events to properties and signals.

use arbiterd_board::{Capabilities, Identity, Mono};
use zbus::object_server::SignalEmitter;

use super::board::Board;
use super::codes;
use super::dict::{colour, move_dict, notice_dict, restored_dict, row_number, ruling_dict, speaker};
use super::faults::{Fault, Faults};
use super::manager::Ports;
use super::names::{BOARD, CLOCK, MANAGER, TABLE};
use super::shown::Changes;
use super::table::Table;
use super::{BoardPlace, Bus, BusError, TablePlace};
use crate::laws::{Notice, Ruling};
use crate::table::{GameResult, View};

/// Something to publish.
#[derive(Clone, Debug)]
pub enum Event {
    /// A table has something to show.
    View {
        /// The table.
        table: String,
        /// The revision of the game with it, where it changed.
        revision: Option<u64>,
        /// What.
        view: View,
    },
    /// A ruling was committed.
    Ruling {
        /// The table.
        table: String,
        /// Its row in the journal.
        row: i64,
        /// The ruling.
        ruling: Box<Ruling>,
        /// When the commit returned.
        committed_at: Mono,
    },
    /// A notice was committed.
    Notice {
        /// The table.
        table: String,
        /// Its row in the journal.
        row: i64,
        /// The notice.
        notice: Notice,
    },
    /// Something is wrong with the service itself, or is not any more.
    Faults(
        /// All that is wrong now.
        Vec<Fault>,
    ),
    /// A port changed its state.
    Port {
        /// The board.
        board: String,
        /// The word for the state.
        state: String,
        /// What the system said.
        detail: String,
    },
    /// A board said who it is.
    Identity {
        /// The board.
        board: String,
        /// Who it is.
        identity: Identity,
        /// What it can do.
        capabilities: Capabilities,
    },
    /// A board answers, or does not any more.
    Link {
        /// The board.
        board: String,
        /// Whether it answers.
        up: bool,
    },
}

/// The properties that a view changed, and where.
pub(super) enum Change {
    Board(Changes),
    Table(Changes),
    Clock(Changes),
}

impl Bus {
    /// Publishes one event: the properties it changes in one `PropertiesChanged`, then the signal
    /// that explains the change.
    ///
    /// # Errors
    /// [`BusError::NoSuchTable`], [`BusError::NoSuchBoard`], [`BusError::Connection`].
    pub async fn publish(&self, event: Event) -> Result<(), BusError> {
        match event {
            Event::View { table, revision, view } => self.publish_view(&table, revision, &view).await,
            Event::Ruling { table, row, ruling, committed_at } => {
                self.publish_ruling(&table, row, &ruling, committed_at).await
            }
            Event::Notice { table, row, notice } => self.publish_notice(&table, row, &notice).await,
            Event::Faults(faults) => {
                let changes = self.faults.with(|f| Faults::set(f, faults));
                Ok(changes.emit(&self.root, MANAGER).await?)
            }
            Event::Port { board, state, detail } => self.publish_port(&board, &state, &detail).await,
            Event::Identity { board, identity, capabilities } => {
                let place = self.board(&board)?;
                let changes = place.board.with(|b| b.set_identity(&identity, &capabilities));
                Ok(changes.emit(&place.emitter, BOARD).await?)
            }
            Event::Link { board, up } => {
                let place = self.board(&board)?;
                let changes = place.board.with(|b| b.set_link(up));
                Ok(changes.emit(&place.emitter, BOARD).await?)
            }
        }
    }

    async fn publish_view(&self, table: &str, revision: Option<u64>, view: &View) -> Result<(), BusError> {
        let place = self.table(table)?;
        let board = &self.board(&place.board)?.emitter;
        match self.show(place, revision, view)? {
            Change::Board(changes) => changes.emit(board, BOARD).await?,
            Change::Table(changes) => changes.emit(&place.emitter, TABLE).await?,
            Change::Clock(changes) => changes.emit(&place.emitter, CLOCK).await?,
        }
        Ok(explain(view, board, &place.emitter).await?)
    }

    /// Changes what is shown, without a signal.
    pub(super) fn show(
        &self,
        place: &TablePlace,
        revision: Option<u64>,
        view: &View,
    ) -> Result<Change, BusError> {
        Ok(match view {
            View::Placement(placement) => {
                Change::Board(self.board(&place.board)?.board.with(|b| b.set_placement(placement)))
            }
            View::Clock(clock) => Change::Clock(place.clock.with(|c| c.set(clock))),
            _ => Change::Table(place.table.with(|t| {
                let mut changes = Changes::default();
                t.set_revision(&mut changes, revision);
                match view {
                    View::Moved(m) => t.add_move(&mut changes, m),
                    View::TakenBack { remaining } => t.take_back(&mut changes, *remaining),
                    View::Accepted { fen } => t.accept(&mut changes, fen),
                    View::Begun { fen, .. } => {
                        t.take_back(&mut changes, 0);
                        t.accept(&mut changes, fen);
                        t.set_result(&mut changes, GameResult::Open);
                    }
                    View::State(state) => t.set_state(&mut changes, state),
                    View::Result(result) => t.set_result(&mut changes, *result),
                    _ => {}
                }
                changes
            })),
        })
    }

    async fn publish_ruling(
        &self,
        table: &str,
        row: i64,
        ruling: &Ruling,
        committed_at: Mono,
    ) -> Result<(), BusError> {
        let place = &self.table(table)?.emitter;
        let mut details = ruling_dict(row, table, ruling, Some(committed_at));
        details.insert("published_us", (self.now)().as_micros().into());
        Ok(Table::ruled(place, row_number(row), ruling.seq, ruling.kind.bus_name(), details).await?)
    }

    async fn publish_notice(&self, table: &str, row: i64, notice: &Notice) -> Result<(), BusError> {
        let place = &self.table(table)?.emitter;
        let details = notice_dict(row, table, notice);
        Ok(Table::notice_given(place, row_number(row), notice.kind.bus_name(), details).await?)
    }

    async fn publish_port(&self, board: &str, state: &str, detail: &str) -> Result<(), BusError> {
        let place = self.board(board)?;
        let ports = self.ports.with(|p| Ports::set_state(p, board, state, detail));
        ports.emit(&self.root, MANAGER).await?;
        let changes = place.board.with(|b| b.set_port_state(state));
        Ok(changes.emit(&place.emitter, BOARD).await?)
    }

    pub(super) fn table(&self, id: &str) -> Result<&TablePlace, BusError> {
        self.tables.get(id).ok_or_else(|| BusError::NoSuchTable(id.to_owned()))
    }

    fn board(&self, id: &str) -> Result<&BoardPlace, BusError> {
        self.boards.get(id).ok_or_else(|| BusError::NoSuchBoard(id.to_owned()))
    }
}

/// The signal that explains a view; a view that is a state only has none.
async fn explain(view: &View, board: &SignalEmitter<'_>, table: &SignalEmitter<'_>) -> zbus::Result<()> {
    match view {
        View::Lifted { square, piece, at } => Board::emit_lifted(board, *square, *piece, *at).await,
        View::Placed { square, piece, at } => Board::emit_placed(board, *square, *piece, *at).await,
        View::Pressed { by, at } => {
            Table::pressed(table, colour(*by), at.earliest.as_micros(), at.latest.as_micros()).await
        }
        View::Claimed { by, claim, fact } => Table::claimed(table, speaker(*by), claim.word(), *fact).await,
        View::Moved(m) => Table::moved(table, count(m.ply), move_dict(m)).await,
        View::TakenBack { remaining } => Table::taken_back(table, count(*remaining)).await,
        View::Placement(_) | View::Clock(_) | View::State(_) | View::Result(_) | View::Begun { .. } => Ok(()),
        View::Decided { ruling, status } => {
            Table::ruling_decided(table, *ruling, codes::standing(*status)).await
        }
        View::Accepted { fen } => Table::board_accepted(table, fen).await,
        View::Restored(restored) => {
            Table::restored(table, count(restored.remaining), restored_dict(restored)).await
        }
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
