// SPDX-License-Identifier: GPL-3.0-or-later
//! A Millennium board, which has no clock: the daemon as a process, a simulated board on a real pty,
//! a bus and `busctl`.

use arbiterd::sim::{Act, Pace, PtyBoard};
use arbiterd_board::Piece;
use arbiterd_millennium::simulator::{Model, Options, Simulator};
use arbiterd_millennium::wire::Cable;

use super::hall::{Hall, Plan};
use super::play::{sq, state};
use super::witness::Witness;

pub type Board = PtyBoard<Simulator>;

fn plan() -> Plan {
    Plan { family: "millennium", ..Plan::default() }
}

pub fn plug(hall: &Hall, plan: &Plan, model: Model, cable: Cable) -> Board {
    let placement = plan.fen.split(' ').next().unwrap().parse().unwrap();
    let options = Options { cable, placement, ..Options::of(model) };
    let device = Simulator::new(arbiterd::time::now(), options);
    PtyBoard::plug(device, Pace::Line, Some(&hall.port())).unwrap()
}

/// Carries a piece; returns when the daemon has seen it stand.
pub async fn carry(board: &Board, witness: &mut Witness, piece: char, from: &str, to: &str) {
    lift(board, witness, from).await;
    place(board, witness, to, piece).await;
}

pub async fn lift(board: &Board, witness: &mut Witness, square: &str) {
    board.act(Act::Lift(sq(square))).unwrap();
    witness.hear(&format!("{square} lifted"), |h| h.member == "Lifted" && h.text(0) == square).await;
}

pub async fn place(board: &Board, witness: &mut Witness, square: &str, piece: char) {
    board.act(Act::Place(sq(square), Piece::from_letter(piece).unwrap())).unwrap();
    witness.hear(&format!("{square} placed"), |h| h.member == "Placed" && h.text(0) == square).await;
}

pub async fn moved(witness: &mut Witness, uci: &str) {
    let moved = witness.hear_member("Moved").await;
    assert_eq!(moved.field("uci"), uci);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_without_a_clock_is_completed_reply_by_reply_whichever_way_the_board_stands() {
    for cable in [Cable::Left, Cable::Right] {
        let plan = plan();
        let hall = Hall::open(&plan);
        let mut witness = Witness::listen(hall.address());
        let board = plug(&hall, &plan, Model::Exclusive, cable);
        let daemon = hall.start();
        state(&mut witness, "in-step").await;
        carry(&board, &mut witness, 'P', "e2", "e4").await;
        carry(&board, &mut witness, 'p', "e7", "e5").await;
        moved(&mut witness, "e2e4").await;
        carry(&board, &mut witness, 'N', "g1", "f3").await;
        moved(&mut witness, "e7e5").await;

        // What only a press would show is left to the arbiter, and not rejected.
        witness.claim("white", "illegal-move").unwrap();
        let notice = witness.hear_member("NoticeGiven").await;
        assert_eq!((notice.text(1), notice.field("not_covered")), ("notice.not-ruled", &"no-clock".into()));
        assert!(witness.rulings(0).is_empty());
        assert!(witness.property(true, "Faults").as_array().unwrap().is_empty());
        assert_eq!(daemon.terminate().code(), Some(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_only_knows_which_squares_are_occupied_is_refused_by_name() {
    let plan = plan();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let _board = plug(&hall, &plan, Model::EOne, Cable::Left);
    let daemon = hall.start();
    witness
        .hear("a fault", |h| {
            h.member == "PropertiesChanged" && format!("{:?}", h.args).contains("fault.not-for-arbitration")
        })
        .await;
    assert_eq!(witness.property(false, "State"), "no-board");
    assert_eq!(daemon.terminate().code(), Some(0));
}
