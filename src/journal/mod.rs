// SPDX-License-Identifier: GPL-3.0-or-later
//! The journal: one SQLite database in which every fact, and every ruling and notice made of
//! facts, is committed before anything decided is published.
//!
//! One thread writes, another one reads; tasks talk to them through channels, so no call here
//! blocks an async runtime (only dropping the last [`Journal`] waits, see there). What is handed
//! to [`Journal::append`] in one [`Batch`] is committed in one transaction or not at all; batches
//! that wait together share one. A committed batch survives a power cut.
//!
//! The process that writes holds an exclusive `flock` on `<journal>.lock`; a second one is told
//! so ([`JournalError::InUse`]). Readers such as the `sqlite3` shell are free to look at any
//! time: the views `fact_log`, `ruling_log` and `notice_log` are made for people.

pub mod encoding;
mod error;
mod open;
mod read;
mod schema;
pub(crate) mod summary;
mod worker;
mod writer;

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arbiterd_board::Mono;
use rusqlite::params;
use tokio::sync::{oneshot, watch};

use crate::laws::{Notice, Ruling};
use crate::table::{Fact, GameResult};
use crate::time;

use encoding::{EncodingError, encode_input, signed, to_json};
pub use error::{Entry, JournalError, Series};
use read::Reader;
use worker::Worker;
use writer::{
    Command, Counters, EncodedBatch, EncodedFact, EncodedGame, EncodedNotice, EncodedRuling, Work, Writer,
};

/// A game in the journal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameId(i64);

impl GameId {
    /// The game with this number. Whether there is one only the journal knows.
    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    /// Its number: 1, 2, 3 ... within the journal.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One run of the program: what relates its monotonic clock to the time of day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunInfo {
    /// The kernel's boot, within which monotonic moments can be compared.
    pub boot_id: String,
    /// Milliseconds since 1970 at the start.
    pub wall_millis: u64,
    /// The monotonic clock at the same moment.
    pub mono_at_start: Mono,
    /// The program's version.
    pub version: String,
}

/// The beginning of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameStart {
    /// The table's id.
    pub table: String,
    /// The rulebook's id.
    pub rulebook: String,
    /// The hash of the resolved rulebook.
    pub rulebook_hash: String,
    /// The position from which it begins, as FEN.
    pub start_fen: String,
    /// The word for who acts on irregularities, `arbiter` or `witness`.
    pub observer: String,
    /// The table's settings, as JSON.
    pub settings: String,
}

/// What belongs together: facts, and what was made of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    /// The game.
    pub game: GameId,
    /// Facts, numbered from 1 within the game, without a gap.
    pub facts: Vec<Fact>,
    /// Rulings, numbered from 1 within the game, without a gap.
    pub rulings: Vec<Ruling>,
    /// Notices.
    pub notices: Vec<Notice>,
}

/// A batch is durable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Committed {
    /// The rows of its rulings, in their order: a cursor over all tables that only ever grows.
    pub rulings: Vec<i64>,
    /// The rows of its notices, in their order: another such cursor.
    pub notices: Vec<i64>,
    /// When the commit had returned.
    pub at: Mono,
    /// 1, 2, 3 ... for the batches committed since the journal was opened, in the order of their
    /// rows: whoever publishes in this order shows rows that only grow.
    pub order: u64,
}

/// Which rulings to give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulingQuery {
    /// Only rows after this one; 0 for all.
    pub since: i64,
    /// Only those of this table.
    pub table: Option<String>,
    /// At most so many.
    pub limit: u32,
}

/// Which notices to give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoticeQuery {
    /// Only rows after this one; 0 for all.
    pub since: i64,
    /// Only those of this table.
    pub table: Option<String>,
    /// At most so many.
    pub limit: u32,
}

/// A ruling in the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulingRow {
    /// Its row.
    pub row: i64,
    /// The table's id.
    pub table: String,
    /// The game.
    pub game: GameId,
    /// The ruling.
    pub ruling: Ruling,
}

/// A notice in the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoticeRow {
    /// Its row.
    pub row: i64,
    /// The table's id.
    pub table: String,
    /// The game.
    pub game: GameId,
    /// The notice.
    pub notice: Notice,
}

/// A game that was begun.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRow {
    /// The game.
    pub game: GameId,
    /// How it began.
    pub start: GameStart,
    /// When it began, by the clock of `run`.
    pub started: Mono,
    /// The run in which it began.
    pub run: RunInfo,
}

/// The last game at a table of which anything was observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastGame {
    /// The game.
    pub game: GameId,
    /// How many facts there are of it.
    pub facts: u64,
    /// Its result, by the last final ruling that gave one.
    pub result: GameResult,
}

impl LastGame {
    /// Whether it was broken off without a result.
    pub fn is_open(&self) -> bool {
        self.result == GameResult::Open
    }
}

/// What the writer has done since it was opened, for diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Transactions that were committed.
    pub transactions: u64,
    /// Batches, and beginnings of games, that were committed.
    pub committed: u64,
    /// Batches, and beginnings of games, that the writer could not commit.
    pub failed: u64,
    /// The most batches that shared one transaction.
    pub largest_group: u64,
}

/// A handle on an open journal; clones share it.
///
/// Dropping the last one commits what is queued and closes the database, and waits for that. In
/// an async task use [`Journal::close`] instead.
#[derive(Clone)]
pub struct Journal {
    inner: Arc<Inner>,
}

/// Fields are dropped in this order: the reader's connection has to be gone before the writer
/// can bring the whole log into the database.
struct Inner {
    file: Arc<Path>,
    reader: Reader,
    writer: Worker<Command>,
    counters: Arc<Counters>,
    writer_alive: watch::Receiver<()>,
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("file", &self.inner.file).finish_non_exhaustive()
    }
}

impl Journal {
    /// Opens the journal at `path`, creating the file (never its directory) if it is not there,
    /// and records that `run` began. Blocks while an older journal is brought to the newest
    /// shape and while its pages are checked.
    ///
    /// # Errors
    /// [`JournalError`]; a file that is damaged, of another program, or of a newer version of
    /// this one is left as it is.
    pub fn open(path: &Path, run: RunInfo) -> Result<Self, JournalError> {
        let opened = open::for_writing(path)?;
        let run = record_run(&opened, &run)?;
        let file: Arc<Path> = Arc::from(opened.file.as_path());
        let reader = Reader::start(open::for_reading(&file)?, &file)?;
        let counters = Arc::new(Counters::default());
        let writer = Writer::new(opened, run, Arc::clone(&counters));
        let (alive, writer_alive) = watch::channel(());
        let writer = Worker::start("journal-writer", move |commands| {
            // Dropped with the thread's stack, however the thread ends.
            let _alive = alive;
            writer.run(&commands);
        })
        .map_err(|e| JournalError::from_io(&file, e))?;
        Ok(Self { inner: Arc::new(Inner { file, reader, writer, counters, writer_alive }) })
    }

    /// The journal's file, free of links.
    pub fn file(&self) -> &Path {
        &self.inner.file
    }

    /// Records that a game begins now. Its place among the batches is that of the call.
    ///
    /// # Errors
    /// [`JournalError`]; no game was begun then.
    pub async fn begin_game(&self, start: GameStart) -> Result<GameId, JournalError> {
        let (reply, answer) = oneshot::channel();
        match encode_game(start, time::now()) {
            Ok(game) => self.inner.writer.send(Command::Write(Work::Begin(game, reply))),
            Err((entry, source)) => return Err(self.unwritable(entry, source)),
        }
        answer.await.unwrap_or_else(|_| Err(self.writer_gone()))
    }

    /// Queues a batch; the order of calls is the order of commits. The batch is written even if
    /// nobody waits for the answer, but an unawaited failure goes unnoticed.
    ///
    /// The queue has no bound, because nothing observed may be thrown away: await the answers.
    pub fn append(&self, batch: Batch) -> Pending {
        let (reply, answer) = oneshot::channel();
        match encode_batch(batch) {
            Ok(batch) => self.inner.writer.send(Command::Write(Work::Append(batch, reply))),
            Err((entry, source)) => drop(reply.send(Err(self.unwritable(entry, source)))),
        }
        Pending { file: Arc::clone(&self.inner.file), answer }
    }

    /// Rulings after a row, in ascending order of rows.
    ///
    /// # Errors
    /// [`JournalError`] if the database fails or a row is unreadable.
    pub async fn rulings(&self, query: RulingQuery) -> Result<Vec<RulingRow>, JournalError> {
        self.inner.reader.ask(move |store| store.rulings(&query)).await
    }

    /// Notices after a row, in ascending order of rows.
    ///
    /// # Errors
    /// [`JournalError`] if the database fails or a row is unreadable.
    pub async fn notices(&self, query: NoticeQuery) -> Result<Vec<NoticeRow>, JournalError> {
        self.inner.reader.ask(move |store| store.notices(&query)).await
    }

    /// All facts of a game, in their order.
    ///
    /// # Errors
    /// [`JournalError::NoSuchGame`], or as for [`Journal::rulings`].
    pub async fn facts(&self, game: GameId) -> Result<Vec<Fact>, JournalError> {
        self.inner.reader.ask(move |store| store.facts(game)).await
    }

    /// All games, in the order in which they began.
    ///
    /// # Errors
    /// As for [`Journal::rulings`].
    pub async fn games(&self) -> Result<Vec<GameRow>, JournalError> {
        self.inner.reader.ask(read::Store::games).await
    }

    /// The last game at a table of which anything was observed; `None` if there is none.
    ///
    /// # Errors
    /// As for [`Journal::rulings`].
    pub async fn last_game(&self, table: &str) -> Result<Option<LastGame>, JournalError> {
        let table = table.to_owned();
        self.inner.reader.ask(move |store| store.last_game(&table)).await
    }

    /// What the writer has done so far.
    pub fn stats(&self) -> Stats {
        self.inner.counters.read()
    }

    /// Returns when the writer has ended, by [`Journal::close`] or by a failure: without it
    /// nothing may be published any more.
    pub async fn writer_ended(&self) {
        let mut alive = self.inner.writer_alive.clone();
        // Nothing is ever sent; the channel ends with the thread.
        while alive.changed().await.is_ok() {}
    }

    /// Commits everything queued, brings the write-ahead log into the database and closes it.
    /// Other handles get [`JournalError::WriterGone`] or [`JournalError::ReaderGone`] afterwards.
    ///
    /// # Errors
    /// [`JournalError::Busy`] if another program's reading kept the log from being emptied (all
    /// is committed nevertheless, and the log is read again at the next opening),
    /// [`JournalError::WriterGone`] if the writer had ended before.
    pub async fn close(self) -> Result<(), JournalError> {
        self.inner.reader.close().await;
        let (reply, answer) = oneshot::channel();
        self.inner.writer.send(Command::Close(reply));
        answer.await.unwrap_or_else(|_| Err(self.writer_gone()))
    }

    /// As [`Journal::close`], but gives up at `deadline`: threads that then still work are left
    /// behind, and the last handle does not wait for them either. What they had not committed is
    /// lost as by a power cut, and nothing else.
    ///
    /// # Errors
    /// As for [`Journal::close`]; [`JournalError::StillWriting`] at the deadline.
    pub async fn close_by(self, deadline: tokio::time::Instant) -> Result<(), JournalError> {
        let inner = Arc::clone(&self.inner);
        let closed = tokio::time::timeout_at(deadline, self.close()).await;
        closed.unwrap_or_else(|_| {
            inner.reader.abandon();
            inner.writer.abandon();
            Err(JournalError::StillWriting { file: inner.file.to_path_buf() })
        })
    }

    fn writer_gone(&self) -> JournalError {
        JournalError::WriterGone { file: self.inner.file.to_path_buf() }
    }

    fn unwritable(&self, entry: Entry, source: EncodingError) -> JournalError {
        JournalError::Encoding { file: self.inner.file.to_path_buf(), entry, source }
    }
}

/// The answer to [`Journal::append`], once the batch is durable or has failed.
#[must_use = "nothing may be published before the answer is there"]
#[derive(Debug)]
pub struct Pending {
    file: Arc<Path>,
    answer: oneshot::Receiver<Result<Committed, JournalError>>,
}

impl Future for Pending {
    type Output = Result<Committed, JournalError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer).poll(cx).map(|answer| {
            answer.unwrap_or_else(|_| Err(JournalError::WriterGone { file: self.file.to_path_buf() }))
        })
    }
}

fn record_run(opened: &open::Opened, run: &RunInfo) -> Result<i64, JournalError> {
    let unwritable = |source| JournalError::Encoding { file: opened.file.clone(), entry: Entry::Run, source };
    let wall_ms = signed("wall time", run.wall_millis).map_err(unwritable)?;
    let mono_us = signed("moment", run.mono_at_start.as_micros()).map_err(unwritable)?;
    opened
        .conn
        .execute(
            "INSERT INTO run (boot_id, wall_ms, mono_us, version) VALUES (?1, ?2, ?3, ?4)",
            params![run.boot_id, wall_ms, mono_us, run.version],
        )
        .map_err(|e| JournalError::from_sqlite(&opened.file, e))?;
    Ok(opened.conn.last_insert_rowid())
}

fn encode_game(start: GameStart, at: Mono) -> Result<EncodedGame, (Entry, EncodingError)> {
    let moment = signed("moment", at.as_micros());
    let json = serde_json::from_str::<serde::de::IgnoredAny>(&start.settings);
    Ok(EncodedGame {
        at_us: moment.map_err(|e| (Entry::Game, e))?,
        table: start.table,
        rulebook: start.rulebook,
        rulebook_hash: start.rulebook_hash,
        start_fen: start.start_fen,
        observer: start.observer,
        settings: json.map(|_| start.settings).map_err(|e| {
            (Entry::Game, EncodingError::Unwritable { reason: format!("its settings are no JSON: {e}") })
        })?,
    })
}

/// Done by the caller, so that the writer only writes, and a batch that cannot be written down
/// never gets near those of others.
fn encode_batch(batch: Batch) -> Result<EncodedBatch, (Entry, EncodingError)> {
    let game = batch.game;
    let fact = |f: &Fact| encode_fact(f).map_err(|e| (Entry::Fact(game, f.seq), e));
    let ruling = |r: &Ruling| encode_ruling(r).map_err(|e| (Entry::Ruling(game, r.seq), e));
    let notice = |n: &Notice| encode_notice(n).map_err(|e| (Entry::Notice(game), e));
    Ok(EncodedBatch {
        game,
        facts: batch.facts.iter().map(fact).collect::<Result<_, _>>()?,
        rulings: batch.rulings.iter().map(ruling).collect::<Result<_, _>>()?,
        notices: batch.notices.iter().map(notice).collect::<Result<_, _>>()?,
    })
}

fn encode_fact(f: &Fact) -> Result<EncodedFact, EncodingError> {
    Ok(EncodedFact {
        seq: signed("number", f.seq)?,
        at_us: signed("moment", f.at.as_micros())?,
        kind: summary::kind(&f.input),
        summary: summary::summary(&f.input),
        body: encode_input(&f.input)?,
    })
}

fn encode_ruling(r: &Ruling) -> Result<EncodedRuling, EncodingError> {
    Ok(EncodedRuling {
        seq: signed("number", r.seq)?,
        at_us: signed("moment", r.evidence_complete.as_micros())?,
        kind: r.kind.word(),
        body: to_json(r)?,
    })
}

fn encode_notice(n: &Notice) -> Result<EncodedNotice, EncodingError> {
    Ok(EncodedNotice { at_us: signed("moment", n.at.as_micros())?, kind: n.kind.word(), body: to_json(n)? })
}
