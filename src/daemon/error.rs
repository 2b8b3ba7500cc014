// SPDX-License-Identifier: GPL-3.0-or-later
//! Why the daemon could not start, or had to end.

use crate::client::ClientError;
use crate::dbus::BusError;
use crate::journal::JournalError;
use crate::table::StartError;

/// Why the daemon could not start, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The message bus cannot be reached.
    #[error(transparent)]
    BusUnreachable(#[from] ClientError),
    /// The bus could not be served, or went away.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The bus has taken nothing for so long that too much waits for it.
    #[error(
        "the message bus takes nothing: {waiting} events wait for it; everything is in the journal; see \
         whether the bus, or one who listens on it, hangs"
    )]
    BusStalled {
        /// How many events wait.
        waiting: usize,
    },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal could not be written for so long that too much waits for it.
    #[error(
        "the journal could not be written and {held} facts and decisions wait for it, more than are kept in \
         memory: they are lost; mend the journal's file system, then start again"
    )]
    HeldTooMuch {
        /// How many wait.
        held: usize,
    },
    /// The daemon ended while the journal could not be written.
    #[error(
        "{held} facts and decisions could not be recorded before the end and are lost; none of the decisions \
         was published; mend the journal's file system, then start again"
    )]
    NotRecorded {
        /// How many.
        held: usize,
    },
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
    /// A task that must not end has ended.
    #[error("the {task} task ended unexpectedly; the journal holds everything up to its end")]
    TaskEnded {
        /// Which.
        task: &'static str,
    },
}
