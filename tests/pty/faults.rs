// SPDX-License-Identifier: GPL-3.0-or-later
//! What is wrong with the daemon itself: told, and survived.

use arbiterd::sim::Act;
use serde_json::Value;

use super::hall::{Hall, Plan};
use super::play::{BLACK, WHITE, begin, in_step, lift, place, play, press, sq};
use super::witness::{Heard, Witness};

/// The faults that a change of the manager's property tells.
fn faults(heard: &Heard) -> Option<&Vec<Value>> {
    if heard.member != "PropertiesChanged" {
        return None;
    }
    heard.args.get(1)?["Faults"]["data"].as_array()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_journal_is_locked_observations_go_out_and_decisions_wait() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    let lock = hall.lock_journal();
    lift(&board, &mut witness, "e2").await;
    place(&board, &mut witness, "e4", 'P').await;
    press(&board, &mut witness, WHITE).await;
    press(&board, &mut witness, BLACK).await;
    let told = witness.hear("a fault", |h| faults(h).is_some_and(|f| !f.is_empty())).await;
    let fault = &faults(&told).unwrap()[0];
    assert_eq!((&fault["kind"]["data"], &fault["table"]["data"]), (&"fault.journal".into(), &"t1".into()));
    daemon.wait_for_line(|l| l.starts_with("STATUS=1 board, 1 table; fault.journal (table t1)"));
    assert_eq!(witness.property(true, "Faults").as_array().map(Vec::len), Some(1));
    assert!(witness.order(&["Moved", "Ruled"]).is_empty(), "published without its commit");
    assert!(witness.rulings(0).is_empty());

    drop(lock);
    assert_eq!(witness.hear_member("Moved").await.field("uci"), "e2e4");
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!(ruled.text(2), "ruling.press-without-move");
    let ledger = witness.rulings(0);
    assert_eq!((ledger.len(), &ledger[0]["row"]["data"]), (1, &ruled.args[0]));
    let over = |h: &Heard| faults(h).is_some_and(Vec::is_empty);
    if !witness.heard.iter().any(over) {
        witness.hear("the end of the fault", over).await;
    }
    assert!(daemon.said().contains("fault.journal"));
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_was_broken_off_is_named_at_the_next_start() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    play(&board, &mut witness, 'P', "e2", "e4").await;
    daemon.kill();
    let daemon = hall.start();
    let told = witness.hear("a fault", |h| faults(h).is_some_and(|f| !f.is_empty())).await;
    let fault = &faults(&told).unwrap()[0];
    assert_eq!(fault["kind"]["data"], "fault.game-not-resumed");
    assert_eq!(fault["table"]["data"], "t1");
    assert!(fault["detail"]["data"].as_str().unwrap().contains("game 1 "), "{fault}");
    assert!(daemon.said().contains("game 1 of this table has no result"), "{}", daemon.said());
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_observed_before_a_stop_is_recorded_in_it_and_a_second_signal_skips_nothing() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    in_step(&mut witness).await;
    let lock = hall.lock_journal();
    lift(&board, &mut witness, "e2").await;
    board.act(Act::Place(sq("e4"), arbiterd_board::Piece::from_letter('P').unwrap())).unwrap();
    witness.hear("e4 placed", |h| h.member == "Placed" && h.text(0) == "e4").await;
    let before = facts(&hall);
    daemon.signal("TERM");
    daemon.wait_for("STOPPING=1");
    daemon.signal("TERM");
    daemon.signal("INT");
    drop(lock);
    let (status, said) = daemon.ended();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(facts(&hall) >= before + 2, "{before} facts before, {} after", facts(&hall));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_that_cannot_record_ends_all_the_same_and_says_what_was_lost() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    in_step(&mut witness).await;
    let _lock = hall.lock_journal();
    lift(&board, &mut witness, "e2").await;
    daemon.signal("TERM");
    daemon.wait_for("STOPPING=1");
    let (status, said) = daemon.ended();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("could not be recorded before the end"), "{said}");
}

fn facts(hall: &Hall) -> i64 {
    let journal = rusqlite::Connection::open(hall.journal()).unwrap();
    journal.query_row("SELECT count(*) FROM fact", [], |r| r.get(0)).unwrap()
}
