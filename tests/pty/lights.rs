// SPDX-License-Identifier: GPL-3.0-or-later
//! Lights while a position is restored, from the ruling to the board.

use std::time::Duration;

use arbiterd::sim::{Device, PtyBoard};
use arbiterd_board::{Square, Version};
use arbiterd_dgt::simulator::Options;
use arbiterd_millennium::simulator::Model;
use arbiterd_millennium::wire::Cable;

use super::hall::{self, Hall, PATIENCE, Plan};
use super::witness::Witness;
use super::{millennium, play};

/// Waits until the board shows these squares and no others.
async fn lit<D: Device + Send + 'static>(board: &PtyBoard<D>, shown: fn(&D) -> Vec<Square>, names: &[&str]) {
    let mut expected: Vec<Square> = names.iter().map(|name| play::sq(name)).collect();
    expected.sort_unstable();
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    let mut last = Vec::new();
    let seen = async {
        loop {
            looks.tick().await;
            last = board.ask(move |device, _| shown(device)).await.unwrap();
            if last == expected {
                return;
            }
        }
    };
    let seen = tokio::time::timeout(PATIENCE, seen).await;
    assert!(seen.is_ok(), "{last:?} and not {expected:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_millennium_board_shows_what_is_to_be_put_back_whichever_way_it_stands() {
    for cable in [Cable::Left, Cable::Right] {
        let plan = Plan { family: "millennium", lights: "restoration", ..Plan::default() };
        let hall = Hall::open(&plan);
        let mut witness = Witness::listen(hall.address());
        let board = millennium::plug(&hall, &plan, Model::Exclusive, cable);
        let daemon = hall.start();
        play::state(&mut witness, "in-step").await;
        // White touches his pawn and straightens another, so that it is provably before he moves his
        // knight; Black's reply completes that.
        millennium::lift(&board, &mut witness, "d2").await;
        millennium::carry(&board, &mut witness, 'P', "c2", "c2").await;
        millennium::place(&board, &mut witness, "d2", 'P').await;
        millennium::carry(&board, &mut witness, 'N', "g1", "f3").await;
        millennium::carry(&board, &mut witness, 'p', "e7", "e5").await;
        millennium::moved(&mut witness, "g1f3").await;
        assert!(board.ask(|board, _| board.lights().is_none()).await.unwrap(), "a light in play");

        witness.claim("arbiter", "touch-move").unwrap();
        let ruled = witness.hear_member("Ruled").await;
        assert_eq!(ruled.text(2), "ruling.touch-move");
        let shown = |board: &arbiterd_millennium::simulator::Simulator| board.lit();
        lit(&board, shown, &["g1", "f3", "e7", "e5"]).await;
        millennium::carry(&board, &mut witness, 'p', "e5", "e7").await;
        lit(&board, shown, &["g1", "f3"]).await;
        millennium::lift(&board, &mut witness, "f3").await;
        lit(&board, shown, &["g1"]).await;
        if cable == Cable::Left {
            millennium::place(&board, &mut witness, "g1", 'N').await;
            play::state(&mut witness, "in-step").await;
            lit(&board, shown, &[]).await;
            assert_eq!(daemon.terminate().code(), Some(0));
        } else {
            // No light is left on when the daemon ends.
            assert_eq!(daemon.terminate().code(), Some(0));
            lit(&board, shown, &[]).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dgt_board_with_lights_shows_where_an_illegal_move_is_put_back() {
    let plan = Plan { lights: "restoration", ..Plan::default() };
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let options = Options { revelation: Some(Version { main: 3, sub: 25 }), ..hall::options(&plan) };
    let board = hall.replug(arbiterd_dgt::simulator::Simulator::new(arbiterd::time::now(), options));
    let daemon = hall.start();
    play::begin(&board, &mut witness).await;
    play::play(&board, &mut witness, 'P', "e2", "e5").await;
    assert_eq!(witness.hear_member("Ruled").await.text(2), "ruling.illegal-move");
    let shown =
        |board: &arbiterd_dgt::simulator::Simulator| board.lights().unwrap().on.iter().copied().collect();
    lit(&board, shown, &["e2", "e5"]).await;
    play::lift(&board, &mut witness, "e5").await;
    lit(&board, shown, &["e2"]).await;
    play::place(&board, &mut witness, "e2", 'P').await;
    play::in_step(&mut witness).await;
    lit(&board, shown, &[]).await;
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_without_lights_is_told_of_once_and_never_asked_to_light_anything() {
    let plan = Plan { lights: "restoration", ..Plan::default() };
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    play::begin(&board, &mut witness).await;
    play::play(&board, &mut witness, 'P', "e2", "e5").await;
    assert_eq!(witness.hear_member("Ruled").await.text(2), "ruling.illegal-move");
    play::lift(&board, &mut witness, "e5").await;
    play::place(&board, &mut witness, "e2", 'P').await;
    play::in_step(&mut witness).await;
    // A board without lights would have frozen: it plays on.
    play::lift(&board, &mut witness, "e2").await;
    play::place(&board, &mut witness, "e4", 'P').await;
    assert_eq!(daemon.said().matches("no lights are shown on this board").count(), 1, "{}", daemon.said());
    assert_eq!(daemon.terminate().code(), Some(0));
}
