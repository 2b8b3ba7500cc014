// SPDX-License-Identifier: GPL-3.0-or-later
//! Opening a journal without ever harming what is there.
//!
//! Two programs on one journal would number rulings twice, so the one that writes holds an
//! exclusive `flock` on a file beside the database, `<journal>.lock`, for as long as it lives.
//! The database itself is not used for that: closing any second descriptor of it would drop
//! SQLite's own locks. The lock file stays behind, because deleting it would let two programs
//! hold different files of the same name.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, MAIN_DB, OpenFlags};

use super::error::JournalError;
use super::schema;

/// How long another program's transaction is waited for. Short enough that a stop of the daemon
/// ends in time even then.
const PATIENCE: Duration = Duration::from_secs(2);

/// Evidence is nobody else's to read, unless an administrator says so.
const MODE: u32 = 0o600;

/// A journal opened for writing, brought to the newest shape.
pub(super) struct Opened {
    pub(super) conn: Connection,
    /// The journal's own name, free of links.
    pub(super) file: PathBuf,
    /// Held until the writer ends.
    pub(super) lock: File,
}

/// Opens the journal for writing, creating it if it is not there.
pub(super) fn for_writing(path: &Path) -> Result<Opened, JournalError> {
    let file = resolve(path)?;
    let lock = lock(&file)?;
    create(&file)?;
    let mut conn = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let version = inspect(&conn, &file)?;
    configure(&conn, &file)?;
    schema::migrate(&mut conn, version).map_err(|e| JournalError::from_sqlite(&file, e))?;
    Ok(Opened { conn, file, lock })
}

/// A second connection, which cannot write.
pub(super) fn for_reading(file: &Path) -> Result<Connection, JournalError> {
    connect(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// One name for one file: two names of one journal must lead to one lock.
fn resolve(path: &Path) -> Result<PathBuf, JournalError> {
    match path.canonicalize() {
        Ok(file) if file.is_file() => return Ok(file),
        Ok(file) => return Err(JournalError::NotAJournal { file, reason: "it is no regular file" }),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(JournalError::from_io(path, e)),
    }
    let Some(name) = path.file_name() else {
        return Err(JournalError::NotAJournal {
            file: path.to_path_buf(),
            reason: "it is no name of a file",
        });
    };
    let directory = match path.parent() {
        Some(d) if !d.as_os_str().is_empty() => d,
        _ => Path::new("."),
    };
    match directory.canonicalize() {
        Ok(d) => Ok(d.join(name)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            Err(JournalError::NoDirectory { file: path.to_path_buf(), directory: directory.to_path_buf() })
        }
        Err(e) => Err(JournalError::from_io(path, e)),
    }
}

fn lock(file: &Path) -> Result<File, JournalError> {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    let path = PathBuf::from(name);
    let lock = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(MODE)
        .open(&path)
        .map_err(|e| JournalError::from_io(&path, e))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse { file: file.to_path_buf(), lock: path }),
        Err(TryLockError::Error(e)) => Err(JournalError::from_io(&path, e)),
    }
}

/// Creates an empty file, which SQLite takes for a new database. Its -wal and -shm files get
/// the same mode from SQLite.
fn create(file: &Path) -> Result<(), JournalError> {
    match OpenOptions::new().write(true).create_new(true).mode(MODE).open(file) {
        Ok(_) => sync_directory(file).map_err(|e| JournalError::from_io(file, e)),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(JournalError::from_io(file, e)),
    }
}

/// SQLite makes the names of its log durable, not that of the database.
fn sync_directory(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

fn connect(file: &Path, access: OpenFlags) -> Result<Connection, JournalError> {
    let fail = |e| JournalError::from_sqlite(file, e);
    // Each connection belongs to one thread, so SQLite need not guard it with a mutex.
    let conn = Connection::open_with_flags(file, access | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(fail)?;
    conn.busy_timeout(PATIENCE).map_err(fail)?;
    Ok(conn)
}

/// The shape of the database. Only reads: what is not ours stays as it is.
fn inspect(conn: &Connection, file: &Path) -> Result<usize, JournalError> {
    let fail = |e| JournalError::from_sqlite(file, e);
    let number = |pragma| conn.pragma_query_value(None, pragma, |r| r.get::<_, i64>(0)).map_err(fail);
    let application = number("application_id")?;
    let version = number("user_version")?;
    let objects: i64 =
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0)).map_err(fail)?;
    let fresh = application == 0 && version == 0 && objects == 0;
    if !fresh && application != i64::from(schema::APPLICATION_ID) {
        return Err(JournalError::NotAJournal {
            file: file.to_path_buf(),
            reason: "it is the SQLite database of another program",
        });
    }
    let known = schema::newest();
    let version = usize::try_from(version)
        .ok()
        .filter(|v| *v <= known)
        .ok_or_else(|| JournalError::NewerSchema { file: file.to_path_buf(), found: version, known })?;
    // Damage has to come to light now, not in the middle of a game.
    let verdict: String = conn.query_row("PRAGMA quick_check(1)", [], |r| r.get(0)).map_err(fail)?;
    if verdict != "ok" {
        return Err(JournalError::Corrupt { file: file.to_path_buf(), detail: verdict });
    }
    // SQLite falls back to reading when it may not write.
    if conn.is_readonly(MAIN_DB).map_err(fail)? {
        return Err(JournalError::ReadOnly { file: file.to_path_buf() });
    }
    Ok(version)
}

/// What is committed must survive a power cut (`synchronous=FULL`), and who reads must not hold
/// up who writes (write-ahead log).
fn configure(conn: &Connection, file: &Path) -> Result<(), JournalError> {
    let fail = |e| JournalError::from_sqlite(file, e);
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "wal", |r| r.get(0)).map_err(fail)?;
    if mode != "wal" {
        return Err(JournalError::NoWriteAheadLog { file: file.to_path_buf(), mode });
    }
    conn.pragma_update(None, "synchronous", "full").map_err(fail)?;
    conn.pragma_update(None, "foreign_keys", true).map_err(fail)
}
