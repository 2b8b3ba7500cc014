// SPDX-License-Identifier: GPL-3.0-or-later
//! Playing on the simulated board, each hand's act confirmed by the witness before the next.

use arbiterd::sim::{Act, PtyBoard};
use arbiterd_board::{ClockSide, Piece, Square};
use arbiterd_dgt::simulator::Simulator;

use super::witness::{Heard, Witness};

pub type Board = PtyBoard<Simulator>;

pub const WHITE: ClockSide = ClockSide::Left;
pub const BLACK: ClockSide = ClockSide::Right;

pub fn sq(name: &str) -> Square {
    name.parse().unwrap()
}

pub async fn lift(board: &Board, witness: &mut Witness, square: &str) {
    board.act(Act::Lift(sq(square))).unwrap();
    witness.hear(&format!("{square} lifted"), |h| h.member == "Lifted" && h.text(0) == square).await;
}

pub async fn place(board: &Board, witness: &mut Witness, square: &str, piece: char) {
    board.act(Act::Place(sq(square), Piece::from_letter(piece).unwrap())).unwrap();
    witness.hear(&format!("{square} placed"), |h| h.member == "Placed" && h.text(0) == square).await;
}

pub async fn press(board: &Board, witness: &mut Witness, side: ClockSide) {
    board.act(Act::Press(side)).unwrap();
    witness.hear_member("Pressed").await;
}

/// Carries a piece and presses; returns when the daemon has completed the move.
pub async fn play(board: &Board, witness: &mut Witness, piece: char, from: &str, to: &str) -> Heard {
    lift(board, witness, from).await;
    place(board, witness, to, piece).await;
    let side = if piece.is_ascii_uppercase() { WHITE } else { BLACK };
    press(board, witness, side).await;
    let moved = witness.hear_member("Moved").await;
    assert_eq!(moved.field("uci"), &format!("{from}{to}"));
    moved
}

/// Waits until the board agrees with the record and starts the clock.
pub async fn begin(board: &Board, witness: &mut Witness) {
    in_step(witness).await;
    board.act(Act::Start).unwrap();
    witness
        .hear("a running clock", |h| {
            h.member == "PropertiesChanged"
                && h.args.get(1).is_some_and(|p| p["Running"]["data"].as_str().is_some_and(|r| !r.is_empty()))
        })
        .await;
}

pub async fn in_step(witness: &mut Witness) {
    state(witness, "in-step").await;
}

pub async fn state(witness: &mut Witness, word: &str) {
    witness
        .hear(word, |h| {
            h.member == "PropertiesChanged" && h.args.get(1).is_some_and(|p| p["State"]["data"] == word)
        })
        .await;
}

/// Waits until the running clock has counted a second more: what is done after it is provably
/// later than what was done before, for a board that lags 0.4 s.
pub async fn a_second_is_counted(board: &Board) {
    let total = |t: arbiterd_dgt::simulator::ClockTimes| t.left + t.right;
    let before = board.ask(|d, now| d.times(now)).await.unwrap().map(total).unwrap();
    let mut looks = tokio::time::interval(std::time::Duration::from_millis(20));
    let counted = async {
        loop {
            looks.tick().await;
            let now = board.ask(|d, now| d.times(now)).await.unwrap().map(total).unwrap();
            if before.saturating_sub(now) >= std::time::Duration::from_secs(1) {
                return;
            }
        }
    };
    tokio::time::timeout(super::hall::PATIENCE, counted).await.expect("the clock does not count");
}
