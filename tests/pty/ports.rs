// SPDX-License-Identifier: GPL-3.0-or-later
//! A port that is missing, busy or gone is a state on the bus, never an exit.

use arbiterd::sim::Act;

use super::hall::{Hall, Plan};
use super::play::{begin, in_step, play, sq};
use super::witness::{Heard, Witness};

fn port_state(heard: &Heard, word: &str) -> bool {
    heard.member == "PropertiesChanged"
        && heard.args.get(1).is_some_and(|p| p["Ports"]["data"][0]["state"]["data"] == word)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_port_is_shown_and_used_when_it_appears() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let mut daemon = hall.start();
    witness.hear("missing", |h| port_state(h, "missing")).await;
    assert!(daemon.runs());
    let _board = hall.plug(&plan);
    witness.hear("open", |h| port_state(h, "open")).await;
    in_step(&mut witness).await;
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_port_is_shown_and_used_when_it_is_free() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let _board = hall.plug(&plan);
    // Another program holds it, as vendor software does.
    let holder = serialport::new(hall.port().display().to_string(), 9600).open().unwrap();
    let mut daemon = hall.start();
    witness.hear("busy", |h| port_state(h, "busy")).await;
    assert!(daemon.runs());
    drop(holder);
    witness.hear("open", |h| port_state(h, "open")).await;
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_is_pulled_out_comes_back_in_step() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    play(&board, &mut witness, 'P', "e2", "e4").await;
    let device = board.unplug().await.unwrap();
    witness.hear("device-lost", |h| h.member == "NoticeGiven" && h.text(1) == "notice.device-lost").await;
    let board = hall.replug(device);
    witness.hear("device-back", |h| h.member == "NoticeGiven" && h.text(1) == "notice.device-back").await;
    in_step(&mut witness).await;
    play(&board, &mut witness, 'p', "e7", "e5").await;
    assert!(witness.order(&["Ruled"]).is_empty(), "an interruption accuses nobody");
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_start_position_is_named_and_awaited() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    board.act(Act::Lift(sq("d1"))).unwrap();
    let daemon = hall.start();
    let notice = witness.hear_member("NoticeGiven").await;
    assert_eq!(notice.text(1), "notice.start-position-wrong");
    board.act(Act::Place(sq("d1"), arbiterd_board::Piece::from_letter('Q').unwrap())).unwrap();
    in_step(&mut witness).await;
    assert_eq!(daemon.terminate().code(), Some(0));
}
