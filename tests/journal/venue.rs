// SPDX-License-Identifier: GPL-3.0-or-later
//! A folder for a journal, and what is put into it.

use std::path::PathBuf;

use arbiterd::journal::{
    Batch, Committed, GameId, GameStart, Journal, JournalError, Pending, RulingQuery, RunInfo,
};
use arbiterd::laws::{Authority, Certainty, Consequence, Notice, NoticeKind, Ruling, RulingKind, Status};
use arbiterd::table::{Claim, Fact, Input, Saying, Speaker};
use arbiterd_board::{Colour, Mono};
use rusqlite::Connection;
use tempfile::TempDir;

pub fn run(version: &str) -> RunInfo {
    RunInfo {
        boot_id: "8f0f5c0e".to_owned(),
        // 2026-01-02 03:04:05 UTC at 10 s of the monotonic clock.
        wall_millis: 1_767_323_045_000,
        mono_at_start: Mono::from_millis(10_000),
        version: version.to_owned(),
    }
}

pub fn start(table: &str) -> GameStart {
    GameStart {
        table: table.to_owned(),
        rulebook: "fide-2023-standard".to_owned(),
        rulebook_hash: "0123456789abcdef".to_owned(),
        start_fen: "4k3/8/8/8/8/8/8/4K3 w - - 0 1".to_owned(),
        observer: "arbiter".to_owned(),
        settings: r#"{"board":"b1"}"#.to_owned(),
    }
}

pub fn fact(seq: u64) -> Fact {
    let input = Input::Said { by: Speaker::Player(Colour::White), what: Saying::Claim(Claim::Flag) };
    Fact { seq, at: Mono::from_millis(10_000 + seq), input }
}

pub fn ruling(seq: u64) -> Ruling {
    Ruling {
        seq,
        revision: 1,
        rulebook: "fide-2023-standard".to_owned(),
        kind: RulingKind::FlagFall,
        articles: vec!["6.9".to_owned()],
        offender: Some(Colour::Black),
        consequence: Consequence::default(),
        authority: Authority::Final,
        standing: Status::InForce,
        evidence: vec![1],
        certainty: Certainty::Proven,
        not_observable: Vec::new(),
        evidence_complete: Mono::from_millis(11_500),
    }
}

pub fn notice() -> Notice {
    Notice {
        kind: NoticeKind::OutOfStep,
        at: Mono::from_millis(11_000),
        squares: Vec::new(),
        side: Some(Colour::Black),
        not_covered: None,
        evidence: vec![1],
        set_up: Vec::new(),
    }
}

pub fn facts(game: GameId, seqs: impl IntoIterator<Item = u64>) -> Batch {
    Batch { game, facts: seqs.into_iter().map(fact).collect(), rulings: Vec::new(), notices: Vec::new() }
}

pub fn rulings(game: GameId, seqs: impl IntoIterator<Item = u64>) -> Batch {
    Batch { game, facts: Vec::new(), rulings: seqs.into_iter().map(ruling).collect(), notices: Vec::new() }
}

pub fn all() -> RulingQuery {
    RulingQuery { since: 0, table: None, limit: 1000 }
}

pub struct Venue {
    pub dir: TempDir,
}

impl Venue {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("journal.db")
    }

    pub fn open(&self) -> Journal {
        Journal::open(&self.path(), run("0.1.0")).unwrap()
    }

    /// A connection of somebody else.
    pub fn other(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    pub fn refusal(&self) -> JournalError {
        Journal::open(&self.path(), run("0.1.0")).unwrap_err()
    }
}

pub fn count(conn: &Connection, table: &str) -> i64 {
    conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |r| r.get(0)).unwrap()
}

/// Queues batches while another program holds the database, so that all of them wait together.
pub fn queued_together(venue: &Venue, queue: impl FnOnce() -> Vec<Pending>) -> Vec<Pending> {
    let other = venue.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let pending = queue();
    other.execute_batch("COMMIT").unwrap();
    pending
}

pub async fn answers(pending: Vec<Pending>) -> Vec<Result<Committed, JournalError>> {
    let mut answers = Vec::new();
    for p in pending {
        answers.push(p.await);
    }
    answers
}
