// SPDX-License-Identifier: GPL-3.0-or-later
//! The tables of the journal, and the way from an older shape to the newest.
//!
//! The shape is numbered by `PRAGMA user_version`; `PRAGMA application_id` tells a journal from
//! any other SQLite database. Moments are microseconds of the monotonic clock *of the row's
//! run*; the views `fact_log`, `ruling_log` and `notice_log` give them as wall time and are what
//! a person with the `sqlite3` shell should read.

use rusqlite::{Connection, TransactionBehavior};

/// `Arbt`: what `PRAGMA application_id` says of a journal.
pub(super) const APPLICATION_ID: i32 = 0x4172_6274;

/// One step per version of the shape: step `n` leads from version `n` to `n + 1`. Steps that
/// were released are never changed, only followed by others.
const STEPS: &[&str] = &[FIRST];

/// The newest shape that this program knows.
pub(super) const fn newest() -> usize {
    STEPS.len()
}

/// Facts and rulings are evidence: what was written once is neither changed nor taken out, not
/// even by a hand-written query.
const FIRST: &str = "
CREATE TABLE run (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    boot_id    TEXT    NOT NULL,
    wall_ms    INTEGER NOT NULL CHECK (wall_ms >= 0),
    mono_us    INTEGER NOT NULL CHECK (mono_us >= 0),
    version    TEXT    NOT NULL
) STRICT;

CREATE TABLE game (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    run           INTEGER NOT NULL REFERENCES run (id),
    at_us         INTEGER NOT NULL CHECK (at_us >= 0),
    table_id      TEXT    NOT NULL,
    rulebook      TEXT    NOT NULL,
    rulebook_hash TEXT    NOT NULL,
    start_fen     TEXT    NOT NULL,
    observer      TEXT    NOT NULL,
    settings      TEXT    NOT NULL CHECK (json_valid(settings))
) STRICT;
CREATE INDEX game_by_table ON game (table_id);

CREATE TABLE fact (
    game     INTEGER NOT NULL REFERENCES game (id),
    seq      INTEGER NOT NULL CHECK (seq >= 1),
    run      INTEGER NOT NULL REFERENCES run (id),
    at_us    INTEGER NOT NULL CHECK (at_us >= 0),
    kind     TEXT    NOT NULL,
    summary  TEXT    NOT NULL,
    encoding INTEGER NOT NULL,
    body     BLOB    NOT NULL,
    PRIMARY KEY (game, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE ruling (
    row   INTEGER PRIMARY KEY AUTOINCREMENT,
    game  INTEGER NOT NULL REFERENCES game (id),
    seq   INTEGER NOT NULL CHECK (seq >= 1),
    run   INTEGER NOT NULL REFERENCES run (id),
    at_us INTEGER NOT NULL CHECK (at_us >= 0),
    kind  TEXT    NOT NULL,
    body  TEXT    NOT NULL CHECK (json_valid(body)),
    UNIQUE (game, seq)
) STRICT;

CREATE TABLE notice (
    row   INTEGER PRIMARY KEY AUTOINCREMENT,
    game  INTEGER NOT NULL REFERENCES game (id),
    run   INTEGER NOT NULL REFERENCES run (id),
    at_us INTEGER NOT NULL CHECK (at_us >= 0),
    kind  TEXT    NOT NULL,
    body  TEXT    NOT NULL CHECK (json_valid(body))
) STRICT;
CREATE INDEX notice_by_game ON notice (game);

CREATE TRIGGER fact_stays     BEFORE UPDATE ON fact   BEGIN SELECT RAISE(ABORT, 'a fact is never changed'); END;
CREATE TRIGGER fact_remains   BEFORE DELETE ON fact   BEGIN SELECT RAISE(ABORT, 'a fact is never deleted'); END;
CREATE TRIGGER ruling_stays   BEFORE UPDATE ON ruling BEGIN SELECT RAISE(ABORT, 'a ruling is never changed'); END;
CREATE TRIGGER ruling_remains BEFORE DELETE ON ruling BEGIN SELECT RAISE(ABORT, 'a ruling is never deleted'); END;
CREATE TRIGGER notice_stays   BEFORE UPDATE ON notice BEGIN SELECT RAISE(ABORT, 'a notice is never changed'); END;
CREATE TRIGGER notice_remains BEFORE DELETE ON notice BEGIN SELECT RAISE(ABORT, 'a notice is never deleted'); END;

CREATE VIEW fact_log AS
SELECT g.table_id AS table_id, f.game AS game, f.seq AS seq,
       strftime('%Y-%m-%d %H:%M:%f', (r.wall_ms + (f.at_us - r.mono_us) / 1000) / 1000.0, 'unixepoch') AS utc,
       f.kind AS kind, f.summary AS summary
FROM fact f JOIN game g ON g.id = f.game JOIN run r ON r.id = f.run;

CREATE VIEW ruling_log AS
SELECT l.row AS row, g.table_id AS table_id, l.game AS game, l.seq AS seq,
       strftime('%Y-%m-%d %H:%M:%f', (r.wall_ms + (l.at_us - r.mono_us) / 1000) / 1000.0, 'unixepoch') AS utc,
       l.kind AS kind,
       l.body ->> '$.rulebook'  AS rulebook,
       l.body ->> '$.articles'  AS articles,
       l.body ->> '$.offender'  AS offender,
       l.body ->> '$.consequence.result' AS result,
       l.body ->> '$.authority' AS authority,
       l.body ->> '$.certainty' AS certainty,
       l.body ->> '$.standing'  AS standing,
       l.body ->> '$.evidence'  AS evidence
FROM ruling l JOIN game g ON g.id = l.game JOIN run r ON r.id = l.run;

CREATE VIEW notice_log AS
SELECT n.row AS row, g.table_id AS table_id, n.game AS game,
       strftime('%Y-%m-%d %H:%M:%f', (r.wall_ms + (n.at_us - r.mono_us) / 1000) / 1000.0, 'unixepoch') AS utc,
       n.kind AS kind,
       n.body ->> '$.squares'     AS squares,
       n.body ->> '$.side'        AS side,
       n.body ->> '$.not_covered' AS not_covered,
       n.body ->> '$.evidence'    AS evidence
FROM notice n JOIN game g ON g.id = n.game JOIN run r ON r.id = n.run;
";

/// Leads the database from `version` to the newest shape, each step in a transaction of its own
/// together with its number: a step is there wholly or not at all.
pub(super) fn migrate(conn: &mut Connection, version: usize) -> rusqlite::Result<()> {
    for (step, number) in STEPS.iter().zip(1_i64..).skip(version) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(step)?;
        tx.pragma_update(None, "application_id", APPLICATION_ID)?;
        tx.pragma_update(None, "user_version", number)?;
        tx.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(conn: &Connection) -> usize {
        let v: i64 = conn.pragma_query_value(None, "user_version", |r| r.get(0)).unwrap();
        usize::try_from(v).unwrap()
    }

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(&mut conn, 0).unwrap();
        assert_eq!(version(&conn), newest());
        migrate(&mut conn, newest()).unwrap();
        assert_eq!(version(&conn), newest());
    }

    #[test]
    fn a_view_gives_wall_time_of_its_run() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(&mut conn, 0).unwrap();
        // The run began on 2026-01-02 03:04:05.000 UTC at 10 s of its clock; the fact came 1.5 s later.
        conn.execute_batch(
            "INSERT INTO run VALUES (1, 'b', 1767323045000, 10000000, '0');
             INSERT INTO game VALUES (1, 1, 10000000, 't', 'r', 'h', 'f', 'arbiter', '{}');
             INSERT INTO fact VALUES (1, 1, 1, 11500000, 'gap', '', 1, x'00');",
        )
        .unwrap();
        let utc: String = conn.query_row("SELECT utc FROM fact_log", [], |r| r.get(0)).unwrap();
        assert_eq!(utc, "2026-01-02 03:04:06.500");
    }

    #[test]
    fn evidence_is_neither_changed_nor_deleted() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(&mut conn, 0).unwrap();
        conn.execute_batch(
            "INSERT INTO run VALUES (1, 'b', 0, 0, '0');
             INSERT INTO game VALUES (1, 1, 0, 't', 'r', 'h', 'f', 'arbiter', '{}');
             INSERT INTO fact VALUES (1, 1, 1, 0, 'gap', '', 1, x'00');
             INSERT INTO ruling VALUES (1, 1, 1, 1, 0, 'draw', '{}');
             INSERT INTO notice VALUES (1, 1, 1, 0, 'not-ruled', '{}');",
        )
        .unwrap();
        for table in ["fact", "ruling", "notice"] {
            assert!(conn.execute(&format!("UPDATE {table} SET at_us = 5"), []).is_err(), "{table}");
            assert!(conn.execute(&format!("DELETE FROM {table}"), []).is_err(), "{table}");
        }
    }
}
