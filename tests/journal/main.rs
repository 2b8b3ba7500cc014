// SPDX-License-Identifier: GPL-3.0-or-later
//! The journal on real files, looked at from a second connection as an appeals committee would.
#![allow(clippy::unwrap_used, reason = "a panic in a helper of a test is a failed test")]

mod games;
mod venue;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use arbiterd::journal::encoding::EncodingError;
use arbiterd::journal::{
    Batch, Entry, GameId, GameStart, Journal, JournalError, NoticeQuery, Pending, RulingQuery, RunInfo,
    Series,
};
use rusqlite::Connection;

use venue::{Venue, all, answers, count, fact, facts, notice, queued_together, ruling, rulings, run, start};

#[tokio::test]
async fn rows_grow_over_all_tables_in_the_order_of_calls() {
    let venue = Venue::new();
    let journal = venue.open();
    let one = journal.begin_game(start("one")).await.unwrap();
    let two = journal.begin_game(start("two")).await.unwrap();
    let batch = |game, seq: u64| Batch {
        game,
        facts: vec![fact(seq)],
        rulings: vec![ruling(2 * seq - 1), ruling(2 * seq)],
        notices: vec![notice()],
    };
    let pending =
        vec![journal.append(batch(one, 1)), journal.append(batch(two, 1)), journal.append(batch(one, 2))];
    let committed: Vec<_> = answers(pending).await.into_iter().map(|a| a.unwrap()).collect();
    assert_eq!(committed.iter().map(|c| c.order).collect::<Vec<_>>(), [1, 2, 3]);
    let rows: Vec<_> = committed.into_iter().map(|c| (c.rulings, c.notices)).collect();
    assert_eq!(rows, [(vec![1, 2], vec![1]), (vec![3, 4], vec![2]), (vec![5, 6], vec![3])]);

    let found = journal.rulings(all()).await.unwrap();
    let seen: Vec<(i64, &str, GameId, u64)> =
        found.iter().map(|r| (r.row, r.table.as_str(), r.game, r.ruling.seq)).collect();
    assert_eq!(
        seen,
        [
            (1, "one", one, 1),
            (2, "one", one, 2),
            (3, "two", two, 1),
            (4, "two", two, 2),
            (5, "one", one, 3),
            (6, "one", one, 4),
        ]
    );
    assert_eq!(found[0].ruling, ruling(1));
    assert_eq!(journal.facts(one).await.unwrap(), [fact(1), fact(2)]);
    assert_eq!(journal.facts(two).await.unwrap(), [fact(1)]);
}

#[tokio::test]
async fn queries_go_by_cursor_table_and_limit() {
    let venue = Venue::new();
    let journal = venue.open();
    let one = journal.begin_game(start("one")).await.unwrap();
    let two = journal.begin_game(start("two")).await.unwrap();
    for seq in 1..=3 {
        for game in [one, two] {
            let batch = Batch { notices: vec![notice()], ..rulings(game, [seq]) };
            journal.append(batch).await.unwrap();
        }
    }
    let rows = async |since, table: Option<&str>, limit| -> (Vec<i64>, Vec<i64>) {
        let table = table.map(str::to_owned);
        let r = journal.rulings(RulingQuery { since, table: table.clone(), limit }).await.unwrap();
        let n = journal.notices(NoticeQuery { since, table, limit }).await.unwrap();
        assert!(n.iter().all(|row| row.notice == notice()));
        (r.iter().map(|r| r.row).collect(), n.iter().map(|r| r.row).collect())
    };
    assert_eq!(rows(0, None, 100).await, (vec![1, 2, 3, 4, 5, 6], vec![1, 2, 3, 4, 5, 6]));
    assert_eq!(rows(4, None, 100).await, (vec![5, 6], vec![5, 6]));
    assert_eq!(rows(0, Some("two"), 2).await, (vec![2, 4], vec![2, 4]));
    assert_eq!(rows(2, Some("one"), 100).await, (vec![3, 5], vec![3, 5]));
    assert_eq!(rows(6, None, 100).await, (vec![], vec![]));
    assert_eq!(rows(0, Some("three"), 100).await, (vec![], vec![]));
    assert_eq!(rows(0, None, 0).await, (vec![], vec![]));
}

#[tokio::test]
async fn nobody_ever_sees_half_a_batch() {
    const BATCHES: i64 = 60;
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    let other = venue.other();
    let seen = move || {
        let one_look = "SELECT (SELECT count(*) FROM fact), (SELECT count(*) FROM ruling), (SELECT count(*) FROM notice)";
        other.query_row(one_look, [], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).unwrap()
    };
    assert_eq!(seen(), (0, 0, 0));
    let watcher = std::thread::spawn(move || {
        loop {
            let (facts, rulings, notices): (i64, i64, i64) = seen();
            assert_eq!((facts, notices), (2 * rulings, rulings));
            if rulings == BATCHES {
                return;
            }
        }
    });
    for n in 1..=u64::try_from(BATCHES).unwrap() {
        let batch =
            Batch { rulings: vec![ruling(n)], notices: vec![notice()], ..facts(game, [2 * n - 1, 2 * n]) };
        journal.append(batch).await.unwrap();
    }
    watcher.join().unwrap();
}

#[tokio::test]
async fn batches_that_wait_together_share_one_transaction() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    let before = journal.stats();
    let pending =
        queued_together(&venue, || (1..=10).map(|seq| journal.append(facts(game, [seq]))).collect());
    for answer in answers(pending).await {
        answer.unwrap();
    }
    let after = journal.stats();
    assert_eq!(after.transactions - before.transactions, 1);
    assert_eq!((after.committed - before.committed, after.largest_group), (10, 10));
    assert_eq!(journal.facts(game).await.unwrap().len(), 10);
}

#[tokio::test]
async fn a_batch_at_fault_is_taken_back_alone() {
    let venue = Venue::new();
    let journal = venue.open();
    let one = journal.begin_game(start("one")).await.unwrap();
    let two = journal.begin_game(start("two")).await.unwrap();
    let pending = queued_together(&venue, || {
        vec![
            journal.append(Batch { rulings: vec![ruling(1)], ..facts(one, [1]) }),
            // Its facts are in order, but its ruling was given before.
            journal.append(Batch { rulings: vec![ruling(1)], ..facts(one, [2]) }),
            journal.append(Batch { rulings: vec![ruling(1)], ..facts(two, [1]) }),
        ]
    });
    let answers = answers(pending).await;
    assert_eq!(answers[0].as_ref().unwrap().rulings, [1]);
    assert!(matches!(
        answers[1],
        Err(JournalError::OutOfOrder { game, series: Series::Rulings, expected: 2, found: 1, .. }) if game == one
    ));
    assert_eq!(answers[2].as_ref().unwrap().rulings, [2]);
    assert_eq!(journal.stats().failed, 1);
    assert_eq!(journal.facts(one).await.unwrap(), [fact(1)]);
    assert_eq!(journal.facts(two).await.unwrap(), [fact(1)]);
}

#[tokio::test]
async fn a_refused_insert_takes_back_the_whole_batch_and_no_other() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    let other = venue.other();
    other
        .execute_batch(
            "CREATE TRIGGER t BEFORE INSERT ON ruling WHEN NEW.seq = 2 BEGIN SELECT RAISE(ABORT, 'not two'); END",
        )
        .unwrap();
    let batch = |seq: u64| Batch { rulings: vec![ruling(seq)], ..facts(game, [seq]) };
    journal.append(batch(1)).await.unwrap();
    let error = journal.append(batch(2)).await.unwrap_err();
    assert!(matches!(&error, JournalError::Refused { detail, .. } if detail.contains("not two")), "{error}");
    assert_eq!((count(&other, "fact"), count(&other, "ruling")), (1, 1));
    // Passing over what is missing is refused; once it is appended again, all is well.
    let error = journal.append(batch(3)).await.unwrap_err();
    assert!(
        matches!(error, JournalError::OutOfOrder { series: Series::Facts, expected: 2, found: 3, .. }),
        "{error}"
    );
    other.execute_batch("DROP TRIGGER t").unwrap();
    journal.append(batch(2)).await.unwrap();
    assert_eq!(journal.append(batch(3)).await.unwrap().rulings, [3]);
}

#[tokio::test]
async fn a_ruling_that_cannot_be_encoded_does_not_lose_the_facts_of_others() {
    let venue = Venue::new();
    let journal = venue.open();
    let one = journal.begin_game(start("one")).await.unwrap();
    let two = journal.begin_game(start("two")).await.unwrap();
    let pending = queued_together(&venue, || {
        vec![
            journal.append(facts(one, [1])),
            journal.append(Batch { rulings: vec![ruling(u64::MAX)], ..facts(one, [2]) }),
            journal.append(facts(two, [1, 2])),
        ]
    });
    let answers = answers(pending).await;
    assert!(answers[0].is_ok() && answers[2].is_ok());
    let expected = Entry::Ruling(one, u64::MAX);
    assert!(matches!(
        &answers[1],
        Err(JournalError::Encoding { entry, source: EncodingError::TooLarge { value: u64::MAX, .. }, .. })
            if *entry == expected
    ));
    assert_eq!(journal.facts(one).await.unwrap(), [fact(1)]);
    assert_eq!(journal.facts(two).await.unwrap(), [fact(1), fact(2)]);
}

#[tokio::test]
async fn numbers_begin_with_one_and_have_no_gap() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    for (seqs, wrong) in [(vec![0], 0), (vec![2], 2), (vec![1, 3], 3), (vec![1, 1], 1)] {
        let error = journal.append(facts(game, seqs)).await.unwrap_err();
        assert!(matches!(error, JournalError::OutOfOrder { found, .. } if found == wrong), "{error}");
    }
    assert_eq!(journal.facts(game).await.unwrap(), []);
    journal.append(facts(game, [1, 2, 3])).await.unwrap();
}

#[tokio::test]
async fn an_unknown_game_is_named() {
    let venue = Venue::new();
    let journal = venue.open();
    let nobody = GameId::new(7);
    let error = journal.append(facts(nobody, [1])).await.unwrap_err();
    assert!(matches!(error, JournalError::NoSuchGame { game, .. } if game == nobody), "{error}");
    let error = journal.facts(nobody).await.unwrap_err();
    assert!(matches!(error, JournalError::NoSuchGame { game, .. } if game == nobody), "{error}");
}

#[tokio::test]
async fn settings_that_are_no_json_begin_no_game() {
    let venue = Venue::new();
    let journal = venue.open();
    let error = journal
        .begin_game(GameStart { settings: "board = b1".to_owned(), ..start("one") })
        .await
        .unwrap_err();
    assert!(matches!(error, JournalError::Encoding { entry: Entry::Game, .. }), "{error}");
    assert_eq!(journal.games().await.unwrap(), []);
}

#[tokio::test]
async fn reopening_goes_on_where_the_journal_ended() {
    let venue = Venue::new();
    let journal = venue.open();
    let one = journal.begin_game(start("one")).await.unwrap();
    journal.append(Batch { notices: vec![notice()], ..rulings(one, [1, 2]) }).await.unwrap();
    journal.append(facts(one, [1])).await.unwrap();
    journal.close().await.unwrap();

    let later = RunInfo { boot_id: "another".to_owned(), ..run("0.2.0") };
    let journal = Journal::open(&venue.path(), later.clone()).unwrap();
    let two = journal.begin_game(start("two")).await.unwrap();
    assert!(two > one);
    let committed = journal.append(Batch { notices: vec![notice()], ..rulings(two, [1]) }).await.unwrap();
    assert_eq!((committed.rulings, committed.notices), (vec![3], vec![2]));
    // The first game may go on too.
    journal.append(facts(one, [2])).await.unwrap();
    assert_eq!(journal.facts(one).await.unwrap(), [fact(1), fact(2)]);
    let games = journal.games().await.unwrap();
    assert_eq!(games.iter().map(|g| g.game).collect::<Vec<_>>(), [one, two]);
    assert_eq!((&games[0].start, &games[1].start), (&start("one"), &start("two")));
    assert_eq!((&games[0].run, &games[1].run), (&run("0.1.0"), &later));
}

#[tokio::test]
async fn closing_commits_what_is_queued_and_empties_the_log() {
    let venue = Venue::new();
    let journal = venue.open();
    let clone = journal.clone();
    let game = journal.begin_game(start("one")).await.unwrap();
    let pending: Vec<Pending> = (1..=100).map(|seq| journal.append(facts(game, [seq]))).collect();
    journal.close().await.unwrap();
    for answer in answers(pending).await {
        answer.unwrap();
    }
    // Everything is in the database file itself, which can be copied alone.
    assert!(!venue.dir.path().join("journal.db-wal").exists());
    let copy = venue.dir.path().join("copy.db");
    fs::copy(venue.path(), &copy).unwrap();
    assert_eq!(count(&Connection::open(copy).unwrap(), "fact"), 100);

    clone.writer_ended().await;
    let error = clone.append(facts(game, [101])).await.unwrap_err();
    assert!(matches!(error, JournalError::WriterGone { .. }), "{error}");
    let error = clone.begin_game(start("two")).await.unwrap_err();
    assert!(matches!(error, JournalError::WriterGone { .. }), "{error}");
    let error = clone.games().await.unwrap_err();
    assert!(matches!(error, JournalError::ReaderGone { .. }), "{error}");
    let error = clone.close().await.unwrap_err();
    assert!(matches!(error, JournalError::WriterGone { .. }), "{error}");
}

#[tokio::test]
async fn dropping_the_last_handle_commits_what_nobody_waits_for() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    for seq in 1..=100 {
        drop(journal.append(facts(game, [seq])));
    }
    drop(journal);
    assert!(!venue.dir.path().join("journal.db-wal").exists());
    assert_eq!(count(&venue.other(), "fact"), 100);
    assert_eq!(venue.open().facts(game).await.unwrap().len(), 100);
}

#[tokio::test]
async fn a_second_writer_is_refused_under_whatever_name() {
    let venue = Venue::new();
    let journal = venue.open();
    let alias = venue.dir.path().join("alias.db");
    symlink(venue.path(), &alias).unwrap();
    for path in [venue.path(), alias, venue.dir.path().join(".").join("journal.db")] {
        let error = Journal::open(&path, run("0.1.0")).unwrap_err();
        assert!(
            matches!(&error, JournalError::InUse { lock, .. } if lock.ends_with("journal.db.lock")),
            "{error}"
        );
    }
    assert_eq!(count(&venue.other(), "run"), 1);
    journal.close().await.unwrap();
    venue.open();
}

#[test]
fn files_are_for_their_owner_only() {
    let venue = Venue::new();
    let _journal = venue.open();
    for name in ["journal.db", "journal.db-wal", "journal.db-shm", "journal.db.lock"] {
        let mode = fs::metadata(venue.dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o177, 0, "{name} {mode:o}");
    }
}

#[test]
fn a_missing_directory_is_named_and_not_made() {
    let venue = Venue::new();
    let directory = venue.dir.path().join("nowhere");
    let error = Journal::open(&directory.join("journal.db"), run("0.1.0")).unwrap_err();
    assert!(matches!(&error, JournalError::NoDirectory { directory: d, .. } if *d == directory), "{error}");
    assert!(error.to_string().contains("nowhere"));
    assert!(!directory.exists());
}

#[test]
fn a_directory_is_no_journal() {
    let venue = Venue::new();
    let error = Journal::open(venue.dir.path(), run("0.1.0")).unwrap_err();
    assert!(matches!(error, JournalError::NotAJournal { .. }), "{error}");
}

#[test]
fn an_empty_file_becomes_a_journal() {
    // A power cut may come between the creation of the file and that of its tables.
    let venue = Venue::new();
    fs::write(venue.path(), b"").unwrap();
    venue.open();
    assert_eq!(count(&venue.other(), "run"), 1);
}

/// Opening is refused as `expected` says, by the file's name, and leaves every byte as it was.
fn assert_left_alone(venue: &Venue, expected: impl Fn(&JournalError) -> bool) {
    let before = fs::read(venue.path()).unwrap();
    let error = venue.refusal();
    assert!(expected(&error), "{error}");
    assert!(error.to_string().contains("journal.db"), "{error}");
    assert!(fs::read(venue.path()).unwrap() == before, "the file was changed");
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    for content in [b"1. e4 e5 2. Nf3".to_vec(), vec![0xA5; 20_000]] {
        let venue = Venue::new();
        fs::write(venue.path(), content).unwrap();
        assert_left_alone(&venue, |e| matches!(e, JournalError::NotAJournal { .. }));
    }
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let venue = Venue::new();
    venue.other().execute_batch("CREATE TABLE member (name TEXT)").unwrap();
    assert_left_alone(&venue, |e| matches!(e, JournalError::NotAJournal { .. }));
}

#[tokio::test]
async fn a_newer_shape_is_left_alone() {
    let venue = Venue::new();
    venue.open().close().await.unwrap();
    venue.other().pragma_update(None, "user_version", 99).unwrap();
    // The journal's log mode outlives its connections, so empty the log before comparing.
    venue.other().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    assert_left_alone(&venue, |e| matches!(e, JournalError::NewerSchema { found: 99, known: 1, .. }));
}

#[tokio::test]
async fn a_damaged_journal_is_named_and_left_alone() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    journal.append(facts(game, 1..=2000)).await.unwrap();
    journal.close().await.unwrap();
    let mut bytes = fs::read(venue.path()).unwrap();
    let root: i64 = venue
        .other()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'fact'", [], |r| r.get(0))
        .unwrap();
    let page = 4096 * usize::try_from(root - 1).unwrap();
    bytes[page..page + 512].fill(0xA5);
    fs::write(venue.path(), bytes).unwrap();
    assert_left_alone(&venue, |e| matches!(e, JournalError::Corrupt { .. }));
}

#[tokio::test]
async fn a_fact_of_an_unknown_encoding_is_named() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    journal.append(facts(game, [1])).await.unwrap();
    venue
        .other()
        .execute("INSERT INTO fact VALUES (?1, 2, 1, 0, 'said', '', 9, x'01010002')", [game.get()])
        .unwrap();
    let error = journal.facts(game).await.unwrap_err();
    let expected = Entry::Fact(game, 2);
    assert!(
        matches!(
            &error,
            JournalError::Encoding { entry, source: EncodingError::UnknownVersion { found: 9 }, .. }
                if *entry == expected
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_reader_with_an_old_view_does_not_hold_up_the_writer() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    let other = venue.other();
    other.execute_batch("BEGIN").unwrap();
    assert_eq!(count(&other, "fact"), 0);
    journal.append(facts(game, [1])).await.unwrap();
    assert_eq!(count(&other, "fact"), 0);
    assert_eq!(journal.facts(game).await.unwrap(), [fact(1)]);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(count(&other, "fact"), 1);
}

#[tokio::test]
async fn a_committee_can_read_it_with_a_query() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    let batch = Batch { rulings: vec![ruling(1)], notices: vec![notice()], ..facts(game, [1]) };
    journal.append(batch).await.unwrap();
    let line = |sql: &str| -> String { venue.other().query_row(sql, [], |r| r.get(0)).unwrap() };
    assert_eq!(
        line("SELECT table_id || ', ' || utc || ', ' || kind || ', ' || summary FROM fact_log"),
        "one, 2026-01-02 03:04:05.001, said, White claims flag"
    );
    assert_eq!(
        line(
            "SELECT utc || ', ' || kind || ', ' || articles || ', ' || offender || ', ' || result || ', ' || evidence FROM ruling_log"
        ),
        r#"2026-01-02 03:04:06.500, flag-fall, ["6.9"], black, *, [1]"#
    );
    assert_eq!(
        line("SELECT utc || ', ' || kind || ', ' || side FROM notice_log"),
        "2026-01-02 03:04:06.000, out-of-step, black"
    );
}

#[test]
fn handles_may_be_shared_between_tasks() {
    fn shared<T: Clone + Send + Sync + 'static>(_: &T) {}
    fn sent<T: Send + 'static>(_: &T) {}
    let venue = Venue::new();
    let journal = venue.open();
    shared(&journal);
    sent(&journal.append(facts(GameId::new(1), [])));
    assert_eq!(journal.file(), Path::new(&venue.path().canonicalize().unwrap()));
}
