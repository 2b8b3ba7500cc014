// SPDX-License-Identifier: GPL-3.0-or-later
//! Queries, on a connection that cannot write and in a thread of its own: with a write-ahead log
//! a reader sees what was committed when its query began, and never holds up the writer.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

use arbiterd_board::Mono;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use tokio::sync::oneshot;

use super::encoding::{EncodingError, decode_fact, from_json, unsigned};
use super::error::{Entry, JournalError};
use super::worker::Worker;
use super::{GameId, GameRow, GameStart, LastGame, NoticeQuery, NoticeRow, RulingQuery, RulingRow, RunInfo};
use crate::laws::{Authority, Ruling};
use crate::table::{Fact, GameResult};

/// What the reader is told.
enum Command {
    Query(Box<dyn FnOnce(&Store) + Send>),
    /// Close the connection and end.
    Close(oneshot::Sender<()>),
}

/// The reading side of a journal.
pub(super) struct Reader {
    file: PathBuf,
    worker: Worker<Command>,
}

impl Reader {
    pub(super) fn start(conn: Connection, file: &Path) -> Result<Self, JournalError> {
        let store = Store { conn, file: file.to_path_buf() };
        let worker = Worker::start("journal-reader", move |commands| serve(store, &commands))
            .map_err(|e| JournalError::from_io(file, e))?;
        Ok(Self { file: file.to_path_buf(), worker })
    }

    /// Runs `query` in the reader's thread.
    pub(super) async fn ask<T, Q>(&self, query: Q) -> Result<T, JournalError>
    where
        T: Send + 'static,
        Q: FnOnce(&Store) -> Result<T, JournalError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.worker.send(Command::Query(Box::new(move |store| {
            if !reply.is_closed() {
                let _ = reply.send(query(store));
            }
        })));
        answer.await.unwrap_or_else(|_| Err(JournalError::ReaderGone { file: self.file.clone() }))
    }

    /// The thread is not waited for any more.
    pub(super) fn abandon(&self) {
        self.worker.abandon();
    }

    /// Returns when the connection is closed, or was.
    pub(super) async fn close(&self) {
        let (reply, answer) = oneshot::channel();
        self.worker.send(Command::Close(reply));
        let _ = answer.await;
    }
}

fn serve(store: Store, commands: &Receiver<Command>) {
    while let Ok(command) = commands.recv() {
        match command {
            Command::Query(query) => query(&store),
            Command::Close(reply) => {
                drop(store);
                let _ = reply.send(());
                return;
            }
        }
    }
}

/// The database as a reader sees it.
pub(super) struct Store {
    conn: Connection,
    file: PathBuf,
}

/// A row of rulings or notices before its text is decoded: row, table, game, body.
type TextRow = (i64, String, i64, String);

impl Store {
    pub(super) fn rulings(&self, q: &RulingQuery) -> Result<Vec<RulingRow>, JournalError> {
        let rows = self.rows(
            "SELECT l.row, g.table_id, l.game, l.body, l.seq FROM ruling l JOIN game g ON g.id = l.game
             WHERE l.row > ?1 AND (?2 IS NULL OR g.table_id = ?2) ORDER BY l.row LIMIT ?3",
            (q.since, &q.table, q.limit),
            |r| Ok((text_row(r)?, r.get::<_, i64>(4)?)),
        )?;
        rows.into_iter()
            .map(|((row, table, game, body), seq)| {
                let game = GameId::new(game);
                let ruling = from_json(&body)
                    .map_err(|e| self.unreadable(Entry::Ruling(game, seq.unsigned_abs()), e))?;
                Ok(RulingRow { row, table, game, ruling })
            })
            .collect()
    }

    pub(super) fn notices(&self, q: &NoticeQuery) -> Result<Vec<NoticeRow>, JournalError> {
        let rows = self.rows(
            "SELECT n.row, g.table_id, n.game, n.body FROM notice n JOIN game g ON g.id = n.game
             WHERE n.row > ?1 AND (?2 IS NULL OR g.table_id = ?2) ORDER BY n.row LIMIT ?3",
            (q.since, &q.table, q.limit),
            text_row,
        )?;
        rows.into_iter()
            .map(|(row, table, game, body)| {
                let game = GameId::new(game);
                let notice = from_json(&body).map_err(|e| self.unreadable(Entry::Notice(game), e))?;
                Ok(NoticeRow { row, table, game, notice })
            })
            .collect()
    }

    pub(super) fn facts(&self, game: GameId) -> Result<Vec<Fact>, JournalError> {
        let known = self
            .conn
            .query_row("SELECT 1 FROM game WHERE id = ?1", [game.get()], |_| Ok(()))
            .optional()
            .map_err(|e| self.failed(e))?;
        if known.is_none() {
            return Err(JournalError::NoSuchGame { file: self.file.clone(), game });
        }
        let rows = self.rows(
            "SELECT seq, at_us, encoding, body FROM fact WHERE game = ?1 ORDER BY seq",
            [game.get()],
            |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)),
        )?;
        rows.into_iter()
            .map(|(seq, at_us, encoding, body): (i64, i64, i64, Vec<u8>)| {
                decode_fact(seq, at_us, encoding, &body)
                    .map_err(|e| self.unreadable(Entry::Fact(game, seq.unsigned_abs()), e))
            })
            .collect()
    }

    pub(super) fn games(&self) -> Result<Vec<GameRow>, JournalError> {
        let rows = self.rows(
            "SELECT g.id, g.table_id, g.rulebook, g.rulebook_hash, g.start_fen, g.observer, g.settings,
                    g.at_us, r.boot_id, r.wall_ms, r.mono_us, r.version
             FROM game g JOIN run r ON r.id = g.run ORDER BY g.id",
            [],
            |r| Ok(game_row(r)?.map_err(|e| self.unreadable(Entry::Game, e))),
        )?;
        rows.into_iter().collect()
    }

    pub(super) fn last_game(&self, table: &str) -> Result<Option<LastGame>, JournalError> {
        let found = self
            .conn
            .query_row(
                "SELECT g.id, (SELECT max(seq) FROM fact WHERE game = g.id) FROM game g
                 WHERE g.table_id = ?1 AND EXISTS (SELECT 1 FROM fact WHERE game = g.id)
                 ORDER BY g.id DESC LIMIT 1",
                [table],
                |r| Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?)),
            )
            .optional()
            .map_err(|e| self.failed(e))?;
        let Some((game, facts)) = found else { return Ok(None) };
        let rulings =
            self.rows("SELECT body, seq FROM ruling WHERE game = ?1 ORDER BY seq DESC", [game], |r| {
                Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)?))
            })?;
        let game = GameId::new(game);
        let mut result = GameResult::Open;
        for (body, seq) in rulings {
            let ruling: Ruling =
                from_json(&body).map_err(|e| self.unreadable(Entry::Ruling(game, seq.unsigned_abs()), e))?;
            if ruling.authority == Authority::Final && ruling.consequence.result != GameResult::Open {
                result = ruling.consequence.result;
                break;
            }
        }
        Ok(Some(LastGame { game, facts: facts.unsigned_abs(), result }))
    }

    fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, JournalError> {
        let rows = || self.conn.prepare_cached(sql)?.query_map(params, row)?.collect::<Result<_, _>>();
        rows().map_err(|e| self.failed(e))
    }

    fn failed(&self, e: rusqlite::Error) -> JournalError {
        JournalError::from_sqlite(&self.file, e)
    }

    fn unreadable(&self, entry: Entry, source: EncodingError) -> JournalError {
        JournalError::Encoding { file: self.file.clone(), entry, source }
    }
}

fn text_row(r: &Row<'_>) -> rusqlite::Result<TextRow> {
    Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?))
}

/// The outer error is the database's, the inner one that of numbers it must not hold.
fn game_row(r: &Row<'_>) -> rusqlite::Result<Result<GameRow, EncodingError>> {
    let (started, wall_ms, mono_us): (i64, i64, i64) = (r.get(7)?, r.get(9)?, r.get(10)?);
    let moments = || -> Result<(Mono, u64, Mono), EncodingError> {
        Ok((
            Mono::from_micros(unsigned("moment", started)?),
            unsigned("wall time", wall_ms)?,
            Mono::from_micros(unsigned("moment", mono_us)?),
        ))
    };
    let (started, wall_millis, mono_at_start) = match moments() {
        Ok(moments) => moments,
        Err(e) => return Ok(Err(e)),
    };
    Ok(Ok(GameRow {
        game: GameId::new(r.get(0)?),
        start: GameStart {
            table: r.get(1)?,
            rulebook: r.get(2)?,
            rulebook_hash: r.get(3)?,
            start_fen: r.get(4)?,
            observer: r.get(5)?,
            settings: r.get(6)?,
        },
        started,
        run: RunInfo { boot_id: r.get(8)?, wall_millis, mono_at_start, version: r.get(11)? },
    }))
}
