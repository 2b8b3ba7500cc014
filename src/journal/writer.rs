// SPDX-License-Identifier: GPL-3.0-or-later
//! The thread that writes. A disk takes milliseconds to make a commit durable, however much is
//! in it; so whatever has queued up meanwhile shares the next transaction (group commit).

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

use rusqlite::{Connection, Savepoint, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::encoding::FACT_ENCODING;
use super::error::{JournalError, Series};
use super::open::Opened;
use super::{Committed, GameId, Stats};
use crate::time;

/// Entries more than this wait for the next transaction, so that no answer waits too long.
const LARGEST_GROUP: usize = 512;

/// An answer to one who waits.
type Reply<T> = oneshot::Sender<Result<T, JournalError>>;

/// What the writer is told.
pub(super) enum Command {
    Write(Work),
    /// Write what came before, tidy up and end.
    Close(Reply<()>),
}

/// Something to be written, and who waits for it.
pub(super) enum Work {
    Begin(EncodedGame, Reply<GameId>),
    Append(EncodedBatch, Reply<Committed>),
}

/// The beginning of a game in the columns' own types.
pub(super) struct EncodedGame {
    pub(super) at_us: i64,
    pub(super) table: String,
    pub(super) rulebook: String,
    pub(super) rulebook_hash: String,
    pub(super) start_fen: String,
    pub(super) observer: String,
    pub(super) settings: String,
}

/// A batch in the columns' own types.
pub(super) struct EncodedBatch {
    pub(super) game: GameId,
    pub(super) facts: Vec<EncodedFact>,
    pub(super) rulings: Vec<EncodedRuling>,
    pub(super) notices: Vec<EncodedNotice>,
}

pub(super) struct EncodedFact {
    pub(super) seq: i64,
    pub(super) at_us: i64,
    pub(super) kind: &'static str,
    pub(super) summary: String,
    pub(super) body: Vec<u8>,
}

pub(super) struct EncodedRuling {
    pub(super) seq: i64,
    pub(super) at_us: i64,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

pub(super) struct EncodedNotice {
    pub(super) at_us: i64,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

/// What the writer has done since it began, counted for diagnostics.
#[derive(Default)]
pub(super) struct Counters {
    transactions: AtomicU64,
    committed: AtomicU64,
    failed: AtomicU64,
    largest_group: AtomicU64,
}

impl Counters {
    pub(super) fn read(&self) -> Stats {
        Stats {
            transactions: self.transactions.load(Ordering::Relaxed),
            committed: self.committed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            largest_group: self.largest_group.load(Ordering::Relaxed),
        }
    }

    fn count_commit(&self, group: usize) {
        self.transactions.fetch_add(1, Ordering::Relaxed);
        self.largest_group.fetch_max(u64::try_from(group).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn count_answer(&self, committed: bool) {
        let counter = if committed { &self.committed } else { &self.failed };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// What became of one piece of work within a transaction.
enum Written {
    Game(GameId),
    Batch { rulings: Vec<i64>, notices: Vec<i64> },
}

pub(super) struct Writer {
    conn: Connection,
    file: PathBuf,
    run: i64,
    counters: Arc<Counters>,
    /// How many batches were committed.
    order: u64,
    /// Released last, so that nobody else writes while this writer still does.
    lock: File,
}

impl Writer {
    pub(super) fn new(opened: Opened, run: i64, counters: Arc<Counters>) -> Self {
        Self { conn: opened.conn, file: opened.file, run, counters, order: 0, lock: opened.lock }
    }

    /// Writes until it is told to close, or until nobody is left who could tell.
    pub(super) fn run(mut self, commands: &Receiver<Command>) {
        let closer = loop {
            match commands.recv() {
                Ok(Command::Write(work)) => {
                    if let Some(closer) = self.write_group(work, commands) {
                        break Some(closer);
                    }
                }
                Ok(Command::Close(closer)) => break Some(closer),
                Err(_) => break None,
            }
        };
        let result = self.finish();
        if let Some(closer) = closer {
            // Whoever closed may have stopped waiting.
            let _ = closer.send(result);
        }
    }

    /// Writes `first` and what is queued behind it in one transaction, and answers all of them.
    /// Gives the one who wants to close, if that came next in the queue.
    fn write_group(&mut self, first: Work, commands: &Receiver<Command>) -> Option<Reply<()>> {
        // The queue is read after the transaction could begin: what came while another program
        // held the database belongs in it too.
        let begun = self.conn.transaction_with_behavior(TransactionBehavior::Immediate);
        let (group, closer) = take_queued(first, commands);
        let written = begun
            .map_err(|e| JournalError::from_sqlite(&self.file, e))
            .and_then(|tx| write_all(tx, &self.file, self.run, &group));
        match written {
            Ok(results) => {
                self.counters.count_commit(group.len());
                for (work, result) in group.into_iter().zip(results) {
                    self.answer(work, result);
                }
            }
            Err(e) => {
                tracing::error!(journal = %self.file.display(), entries = group.len(), "{e}");
                for work in group {
                    self.answer(work, Err(e.clone()));
                }
            }
        }
        closer
    }

    /// Tells one who waits; it does no harm if he has gone.
    fn answer(&mut self, work: Work, result: Result<Written, JournalError>) {
        self.counters.count_answer(result.is_ok());
        match (work, result) {
            (Work::Begin(_, reply), Ok(Written::Game(game))) => drop(reply.send(Ok(game))),
            (Work::Append(_, reply), Ok(Written::Batch { rulings, notices })) => {
                self.order += 1;
                let (at, order) = (time::now(), self.order);
                drop(reply.send(Ok(Committed { rulings, notices, at, order })));
            }
            (Work::Begin(_, reply), Err(e)) => drop(reply.send(Err(e))),
            (Work::Append(_, reply), Err(e)) => drop(reply.send(Err(e))),
            // `write` gives a game for a beginning and a batch for a batch; if it ever did not,
            // the dropped reply would be reported as a writer that is gone.
            (Work::Begin(..), Ok(Written::Batch { .. })) | (Work::Append(..), Ok(Written::Game(_))) => {}
        }
    }

    /// Brings the log into the database and closes both. Everything was committed before.
    fn finish(self) -> Result<(), JournalError> {
        let Self { conn, file, lock, .. } = self;
        let fail = |e| JournalError::from_sqlite(&file, e);
        let busy: i64 = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |r| r.get(0)).map_err(fail)?;
        conn.close().map_err(|(_, e)| fail(e))?;
        drop(lock);
        if busy == 0 { Ok(()) } else { Err(JournalError::Busy { file }) }
    }
}

fn take_queued(first: Work, commands: &Receiver<Command>) -> (Vec<Work>, Option<Reply<()>>) {
    let mut group = vec![first];
    while group.len() < LARGEST_GROUP {
        match commands.try_recv() {
            Ok(Command::Write(work)) => group.push(work),
            Ok(Command::Close(closer)) => return (group, Some(closer)),
            Err(_) => break,
        }
    }
    (group, None)
}

/// Writes a group and commits it. A batch that is itself at fault is taken back alone; any other
/// failure takes back the group.
fn write_all(
    mut tx: Transaction<'_>,
    file: &Path,
    run: i64,
    group: &[Work],
) -> Result<Vec<Result<Written, JournalError>>, JournalError> {
    let fail = |e| JournalError::from_sqlite(file, e);
    let mut results = Vec::with_capacity(group.len());
    for work in group {
        let mut savepoint = tx.savepoint().map_err(fail)?;
        let result = Transcript { tx: &savepoint, file, run }.write(work);
        match &result {
            Ok(_) => savepoint.commit().map_err(fail)?,
            Err(e) if e.is_of_one_batch() => {
                savepoint.rollback().map_err(fail)?;
                savepoint.commit().map_err(fail)?;
            }
            Err(e) => return Err(e.clone()),
        }
        results.push(result);
    }
    tx.commit().map_err(fail)?;
    Ok(results)
}

/// Writes one piece of work into an open transaction.
struct Transcript<'a> {
    tx: &'a Savepoint<'a>,
    file: &'a Path,
    run: i64,
}

impl Transcript<'_> {
    fn write(&self, work: &Work) -> Result<Written, JournalError> {
        match work {
            Work::Begin(game, _) => self.begin(game).map(Written::Game),
            Work::Append(batch, _) => self.append(batch),
        }
    }

    fn begin(&self, g: &EncodedGame) -> Result<GameId, JournalError> {
        self.insert(
            "INSERT INTO game (run, at_us, table_id, rulebook, rulebook_hash, start_fen, observer, settings)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                self.run,
                g.at_us,
                g.table,
                g.rulebook,
                g.rulebook_hash,
                g.start_fen,
                g.observer,
                g.settings
            ],
        )
        .map(GameId::new)
    }

    fn append(&self, batch: &EncodedBatch) -> Result<Written, JournalError> {
        self.require_game(batch.game)?;
        self.require_order(batch.game, Series::Facts, batch.facts.iter().map(|f| f.seq))?;
        self.require_order(batch.game, Series::Rulings, batch.rulings.iter().map(|r| r.seq))?;
        let game = batch.game.get();
        for f in &batch.facts {
            self.insert(
                "INSERT INTO fact (game, seq, run, at_us, kind, summary, encoding, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![game, f.seq, self.run, f.at_us, f.kind, f.summary, FACT_ENCODING, f.body],
            )?;
        }
        let ruling = |r: &EncodedRuling| {
            self.insert(
                "INSERT INTO ruling (game, seq, run, at_us, kind, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![game, r.seq, self.run, r.at_us, r.kind, r.body],
            )
        };
        let notice = |n: &EncodedNotice| {
            self.insert(
                "INSERT INTO notice (game, run, at_us, kind, body) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![game, self.run, n.at_us, n.kind, n.body],
            )
        };
        Ok(Written::Batch {
            rulings: batch.rulings.iter().map(ruling).collect::<Result<_, _>>()?,
            notices: batch.notices.iter().map(notice).collect::<Result<_, _>>()?,
        })
    }

    /// Gives the new row's number.
    fn insert(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<i64, JournalError> {
        let insert = || self.tx.prepare_cached(sql)?.execute(values);
        insert().map_err(|e| JournalError::from_sqlite(self.file, e))?;
        Ok(self.tx.last_insert_rowid())
    }

    fn number(&self, sql: &str, game: GameId) -> Result<i64, JournalError> {
        let number = || self.tx.prepare_cached(sql)?.query_row([game.get()], |r| r.get(0));
        number().map_err(|e| JournalError::from_sqlite(self.file, e))
    }

    fn require_game(&self, game: GameId) -> Result<(), JournalError> {
        match self.number("SELECT count(*) FROM game WHERE id = ?1", game)? {
            0 => Err(JournalError::NoSuchGame { file: self.file.to_path_buf(), game }),
            _ => Ok(()),
        }
    }

    /// Numbers have no gap, so that a batch that failed cannot be passed over unnoticed.
    fn require_order(
        &self,
        game: GameId,
        series: Series,
        numbers: impl Iterator<Item = i64>,
    ) -> Result<(), JournalError> {
        let mut numbers = numbers.peekable();
        if numbers.peek().is_none() {
            return Ok(());
        }
        let last = match series {
            Series::Facts => self.number("SELECT coalesce(max(seq), 0) FROM fact WHERE game = ?1", game)?,
            Series::Rulings => {
                self.number("SELECT coalesce(max(seq), 0) FROM ruling WHERE game = ?1", game)?
            }
        };
        match (last.saturating_add(1)..).zip(numbers).find(|(expected, found)| expected != found) {
            None => Ok(()),
            Some((expected, found)) => Err(JournalError::OutOfOrder {
                file: self.file.to_path_buf(),
                game,
                series,
                // Neither is negative: the one was unsigned, the other counts up from zero.
                expected: expected.unsigned_abs(),
                found: found.unsigned_abs(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;
    use crate::journal::open;

    /// A writer without its thread, so that its connection can be put into trouble.
    fn writer(dir: &TempDir) -> Writer {
        let opened = open::for_writing(&dir.path().join("journal.db")).unwrap();
        opened
            .conn
            .execute_batch(
                "INSERT INTO run VALUES (1, 'b', 0, 0, '0');
                 INSERT INTO game VALUES (1, 1, 0, 't', 'r', 'h', 'f', 'arbiter', '{}');
                 INSERT INTO game VALUES (2, 1, 0, 'u', 'r', 'h', 'f', 'arbiter', '{}');",
            )
            .unwrap();
        Writer::new(opened, 1, Arc::default())
    }

    fn work(game: i64, seq: i64, bytes: usize) -> (Work, oneshot::Receiver<Result<Committed, JournalError>>) {
        let fact = EncodedFact { seq, at_us: 0, kind: "said", summary: String::new(), body: vec![0; bytes] };
        let batch = EncodedBatch {
            game: GameId::new(game),
            facts: vec![fact],
            rulings: Vec::new(),
            notices: Vec::new(),
        };
        let (reply, answer) = oneshot::channel();
        (Work::Append(batch, reply), answer)
    }

    /// Writes both games' next fact as one group and gives both answers.
    fn write_both(writer: &mut Writer, bytes: usize) -> [Result<Committed, JournalError>; 2] {
        let (first, mut first_answer) = work(1, 1, 10);
        let (second, mut second_answer) = work(2, 1, bytes);
        let (queue, commands) = mpsc::channel();
        queue.send(Command::Write(second)).unwrap();
        assert!(writer.write_group(first, &commands).is_none());
        [first_answer.try_recv().unwrap(), second_answer.try_recv().unwrap()]
    }

    fn facts(writer: &Writer) -> i64 {
        writer.conn.query_row("SELECT count(*) FROM fact", [], |r| r.get(0)).unwrap()
    }

    #[test]
    fn a_full_disk_is_told_to_the_whole_group_and_survived() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = writer(&dir);
        let limit = |w: &Writer, pages: i64| {
            w.conn.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).unwrap();
        };
        // As many pages as there are already: a large fact finds no room.
        limit(&writer, 1);
        for answer in write_both(&mut writer, 50_000) {
            assert!(matches!(answer, Err(JournalError::DiskFull { .. })), "{answer:?}");
        }
        assert_eq!(facts(&writer), 0);
        assert_eq!(writer.counters.read(), Stats { failed: 2, ..Stats::default() });
        limit(&writer, 1_000_000);
        for answer in write_both(&mut writer, 50_000) {
            answer.unwrap();
        }
        assert_eq!(facts(&writer), 2);
    }

    #[test]
    fn a_foreign_lock_is_told_to_the_whole_group_and_survived() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = writer(&dir);
        writer.conn.busy_timeout(Duration::ZERO).unwrap();
        let other = Connection::open(&writer.file).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        for answer in write_both(&mut writer, 10) {
            assert!(matches!(answer, Err(JournalError::Busy { .. })), "{answer:?}");
        }
        other.execute_batch("COMMIT").unwrap();
        for answer in write_both(&mut writer, 10) {
            answer.unwrap();
        }
        assert_eq!(facts(&writer), 2);
    }

    #[test]
    fn a_journal_that_became_read_only_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = writer(&dir);
        writer.conn.pragma_update(None, "query_only", true).unwrap();
        for answer in write_both(&mut writer, 10) {
            assert!(matches!(answer, Err(JournalError::ReadOnly { .. })), "{answer:?}");
        }
        writer.conn.pragma_update(None, "query_only", false).unwrap();
        for answer in write_both(&mut writer, 10) {
            answer.unwrap();
        }
    }

    #[test]
    fn what_is_committed_is_made_durable_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let writer = writer(&dir);
        let pragma = |name| writer.conn.pragma_query_value(None, name, |r| r.get::<_, i64>(0)).unwrap();
        // 2 is FULL: the log is synced at each commit.
        assert_eq!((pragma("synchronous"), pragma("foreign_keys")), (2, 1));
    }

    #[test]
    fn closing_comes_after_what_was_queued_before_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = writer(&dir);
        let (first, mut first_answer) = work(1, 1, 10);
        let (second, mut second_answer) = work(1, 2, 10);
        let (late, mut late_answer) = work(1, 3, 10);
        let (closer, _closed) = oneshot::channel();
        let (queue, commands) = mpsc::channel();
        for command in [Command::Write(second), Command::Close(closer), Command::Write(late)] {
            queue.send(command).unwrap();
        }
        assert!(writer.write_group(first, &commands).is_some());
        first_answer.try_recv().unwrap().unwrap();
        second_answer.try_recv().unwrap().unwrap();
        assert!(late_answer.try_recv().is_err());
        assert_eq!(facts(&writer), 2);
    }
}
