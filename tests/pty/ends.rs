// SPDX-License-Identifier: GPL-3.0-or-later
//! How the daemon ends, and what does not end it.

use super::hall::{Hall, PATIENCE, Plan};
use super::play::in_step;
use super::witness::Witness;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_bus_the_daemon_ends_in_order_and_says_why() {
    let plan = Plan::default();
    let mut hall = Hall::open(&plan);
    let daemon = hall.start();
    hall.kill_bus();
    let (status, said) = daemon.ended();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("arbiterd: the connection to the message bus ended"), "{said}");
    // In order: the log is in the database, and nobody holds it.
    let log = hall.journal().with_file_name("journal.db-wal");
    assert!(std::fs::metadata(&log).map_or(0, |m| m.len()) == 0, "the journal was not closed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bus_that_never_answers_does_not_keep_it_from_stopping() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let socket = hall.journal().with_file_name("mute");
    let mute = tokio::net::UnixListener::bind(&socket).unwrap();
    let daemon = hall.start_on(&format!("unix:path={}", socket.display()));
    let (_connection, _) = tokio::time::timeout(PATIENCE, mute.accept()).await.unwrap().unwrap();
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bus_that_stands_still_does_not_keep_it_from_stopping() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    in_step(&mut witness).await;
    hall.freeze_bus();
    assert_eq!(daemon.terminate().code(), Some(0));
    drop(board);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_is_no_end() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let witness = Witness::listen(hall.address());
    let daemon = hall.start();
    daemon.signal("HUP");
    assert!(witness.rulings(0).is_empty(), "it answers");
    assert_eq!(daemon.terminate().code(), Some(0));
}
