// SPDX-License-Identifier: GPL-3.0-or-later
//! What was ruled outlives the daemon, however it ended.

use super::hall::{Hall, Plan};
use super::play::{BLACK, begin, play, press};
use super::witness::Witness;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ruling_that_was_published_is_in_the_ledger_after_kill_9() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    play(&board, &mut witness, 'P', "e2", "e4").await;
    press(&board, &mut witness, BLACK).await;
    let ruled = witness.hear_member("Ruled").await;
    // Ended in the same instant: what was published had been committed before.
    daemon.kill();
    let daemon = hall.start();
    let ledger = witness.rulings(0);
    assert_eq!(ledger.len(), 1);
    assert_eq!(ledger[0]["row"]["data"], ruled.args[0]);
    assert_eq!(ledger[0]["kind"]["data"], "ruling.press-without-move");
    assert_eq!(ledger[0]["evidence"]["data"], *ruled.field("evidence"));
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_of_the_ledger_go_on_over_a_restart() {
    let plan = Plan { observer: "witness", ..Plan::default() };
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let mut rows = Vec::new();
    for _ in 0..2 {
        let daemon = hall.start();
        // What nobody completed is known once the clock is heard.
        begin(&board, &mut witness).await;
        witness.claim("white", "illegal-move").unwrap();
        let ruled = witness.hear_member("Ruled").await;
        rows.push(ruled.args[0].as_u64().unwrap());
        assert_eq!(daemon.terminate().code(), Some(0));
    }
    assert!(rows[0] < rows[1], "{rows:?}");
    drop(board);
}
