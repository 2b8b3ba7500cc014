// SPDX-License-Identifier: GPL-3.0-or-later
//! What can go wrong with a journal, in which file, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::ErrorCode;

use super::GameId;
use super::encoding::EncodingError;

/// Why the journal could not do what was asked. Cheap to clone: one failed transaction is told
/// to every batch that was in it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The directory that is to hold the journal does not exist.
    #[error("there is no directory {} for the journal {}: create it for the user that runs this program", .directory.display(), .file.display())]
    NoDirectory {
        /// The journal.
        file: PathBuf,
        /// The missing directory.
        directory: PathBuf,
    },
    /// The file system refused the journal or a file beside it.
    #[error("cannot open {}: {source}; the user that runs this program must be able to read and write it and its directory", .file.display())]
    CannotOpen {
        /// The journal or its lock file.
        file: PathBuf,
        /// Why.
        source: Arc<io::Error>,
    },
    /// Another process keeps this journal.
    #[error("the journal {} is kept by another process, which holds {}: stop that one, or give this one a journal of its own", .file.display(), .lock.display())]
    InUse {
        /// The journal.
        file: PathBuf,
        /// The lock file that the other process holds.
        lock: PathBuf,
    },
    /// The file is no SQLite database, or that of another program. It was not changed.
    #[error("{} is not a journal: {reason}; it was left as it is: name another file in the configuration, or move this one away", .file.display())]
    NotAJournal {
        /// The file.
        file: PathBuf,
        /// What it is instead.
        reason: &'static str,
    },
    /// The database is damaged. It was not changed.
    #[error("the journal {} is damaged ({detail}): copy it with its -wal file to a safe place before anything else, then begin a new one", .file.display())]
    Corrupt {
        /// The journal.
        file: PathBuf,
        /// What SQLite found.
        detail: String,
    },
    /// A newer program wrote the journal. It was not changed.
    #[error("the journal {} has shape {found}, this program knows shapes up to {known}: run the newer program that wrote it, or begin a new journal", .file.display())]
    NewerSchema {
        /// The journal.
        file: PathBuf,
        /// Its shape.
        found: i64,
        /// The newest shape known here.
        known: usize,
    },
    /// The journal cannot be written to.
    #[error("the journal {} is read-only: make it and its directory writable for the user that runs this program", .file.display())]
    ReadOnly {
        /// The journal.
        file: PathBuf,
    },
    /// The file system has no room; nothing of the transaction was kept.
    #[error("no room is left for the journal {}: free some space on its file system, then try again", .file.display())]
    DiskFull {
        /// The journal.
        file: PathBuf,
    },
    /// Another program held the database for too long; nothing of the transaction was kept.
    #[error("another program holds the journal {} locked: end its transaction (an open sqlite3 shell?), then try again", .file.display())]
    Busy {
        /// The journal.
        file: PathBuf,
    },
    /// The file system cannot carry a write-ahead log.
    #[error("the file system of {} gives journal mode {mode:?} instead of \"wal\": keep the journal on a local file system", .file.display())]
    NoWriteAheadLog {
        /// The journal.
        file: PathBuf,
        /// The mode that SQLite fell back to.
        mode: String,
    },
    /// An entry could not be encoded, or cannot be read back.
    #[error("{entry} in the journal {}: {source}", .file.display())]
    Encoding {
        /// The journal.
        file: PathBuf,
        /// The entry.
        entry: Entry,
        /// What is wrong with it.
        source: EncodingError,
    },
    /// A number was left out or came twice. Nothing of the batch was kept. After a batch failed,
    /// the later ones of its game end here until the failed one is appended again.
    #[error("game {game}: {series} {found} was to be recorded in {}, but the next number is {expected}: append what is missing first", .file.display())]
    OutOfOrder {
        /// The journal.
        file: PathBuf,
        /// The game.
        game: GameId,
        /// Which numbers.
        series: Series,
        /// The next number of the game.
        expected: u64,
        /// The number that came.
        found: u64,
    },
    /// The journal knows no such game.
    #[error("the journal {} knows no game {game}: begin the game first", .file.display())]
    NoSuchGame {
        /// The journal.
        file: PathBuf,
        /// The game.
        game: GameId,
    },
    /// A rule of the database refused an entry. Nothing of the batch was kept.
    #[error("the journal {} refuses an entry: {detail}", .file.display())]
    Refused {
        /// The journal.
        file: PathBuf,
        /// Which rule.
        detail: String,
    },
    /// The database failed in another way; nothing of the transaction was kept.
    #[error("the journal {} failed: {source}; see the system's log for trouble with its disk", .file.display())]
    Database {
        /// The journal.
        file: PathBuf,
        /// What SQLite says.
        source: Arc<rusqlite::Error>,
    },
    /// The journal could not be closed in the time there was.
    #[error("the journal {} was still being written when its time was up: what was not committed is lost; see the system's log for trouble with its disk", .file.display())]
    StillWriting {
        /// The journal.
        file: PathBuf,
    },
    /// The thread that writes has ended: the journal was closed, or the thread failed.
    #[error("nothing writes to the journal {} any more: it was closed, or its writer failed; restart this program", .file.display())]
    WriterGone {
        /// The journal.
        file: PathBuf,
    },
    /// The thread that reads has ended: the journal was closed, or the thread failed.
    #[error("nothing reads the journal {} any more: it was closed, or its reader failed; restart this program", .file.display())]
    ReaderGone {
        /// The journal.
        file: PathBuf,
    },
}

/// An entry of the journal, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The beginning of a run of the program.
    Run,
    /// The beginning of a game.
    Game,
    /// A fact, by its number.
    Fact(GameId, u64),
    /// A ruling, by its number.
    Ruling(GameId, u64),
    /// A notice.
    Notice(GameId),
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run => f.write_str("the beginning of a run"),
            Self::Game => f.write_str("the beginning of a game"),
            Self::Fact(game, seq) => write!(f, "fact {seq} of game {game}"),
            Self::Ruling(game, seq) => write!(f, "ruling {seq} of game {game}"),
            Self::Notice(game) => write!(f, "a notice of game {game}"),
        }
    }
}

/// The numbers within a game that may have no gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Series {
    /// [`crate::table::Fact::seq`].
    Facts,
    /// [`crate::laws::Ruling::seq`].
    Rulings,
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Facts => "fact",
            Self::Rulings => "ruling",
        })
    }
}

impl JournalError {
    /// What SQLite's error means for a journal.
    pub(super) fn from_sqlite(file: &Path, source: rusqlite::Error) -> Self {
        let file = file.to_path_buf();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotAJournal { file, reason: "it is no SQLite database" },
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt { file, detail: source.to_string() },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { file },
            Some(ErrorCode::DiskFull) => Self::DiskFull { file },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { file },
            Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig) => {
                Self::Refused { file, detail: source.to_string() }
            }
            _ => Self::Database { file, source: Arc::new(source) },
        }
    }

    /// What an error of the file system means for a journal.
    pub(super) fn from_io(file: &Path, source: io::Error) -> Self {
        let file = file.to_path_buf();
        match source.kind() {
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { file },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { file },
            _ => Self::CannotOpen { file, source: Arc::new(source) },
        }
    }

    /// Whether only the batch itself is at fault, so that others in its transaction may stand.
    pub(super) const fn is_of_one_batch(&self) -> bool {
        matches!(self, Self::OutOfOrder { .. } | Self::NoSuchGame { .. } | Self::Refused { .. })
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn trouble_that_has_a_remedy_has_a_name() {
        let file = Path::new("/var/lib/arbiterd/journal.db");
        let io = |kind: io::ErrorKind| JournalError::from_io(file, kind.into());
        assert!(matches!(io(io::ErrorKind::ReadOnlyFilesystem), JournalError::ReadOnly { .. }));
        assert!(matches!(io(io::ErrorKind::StorageFull), JournalError::DiskFull { .. }));
        assert!(matches!(io(io::ErrorKind::PermissionDenied), JournalError::CannotOpen { .. }));
        let sqlite = |code| {
            JournalError::from_sqlite(file, rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
        };
        assert!(matches!(sqlite(ffi::SQLITE_NOTADB), JournalError::NotAJournal { .. }));
        assert!(matches!(sqlite(ffi::SQLITE_CORRUPT_VTAB), JournalError::Corrupt { .. }));
        assert!(matches!(sqlite(ffi::SQLITE_READONLY_DBMOVED), JournalError::ReadOnly { .. }));
        assert!(matches!(sqlite(ffi::SQLITE_FULL), JournalError::DiskFull { .. }));
        assert!(matches!(sqlite(ffi::SQLITE_BUSY_SNAPSHOT), JournalError::Busy { .. }));
        assert!(matches!(sqlite(ffi::SQLITE_IOERR_FSYNC), JournalError::Database { .. }));
    }

    #[test]
    fn a_message_names_the_entry_and_the_file() {
        let file = Path::new("/var/lib/arbiterd/journal.db");
        let source = EncodingError::UnknownVersion { found: 9 };
        let entry = Entry::Fact(GameId::new(4), 17);
        let error = JournalError::Encoding { file: file.to_path_buf(), entry, source };
        let text = error.to_string();
        assert!(
            text.starts_with("fact 17 of game 4 in the journal /var/lib/arbiterd/journal.db: encoding 9"),
            "{text}"
        );
    }
}
