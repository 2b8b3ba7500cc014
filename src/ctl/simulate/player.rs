// SPDX-License-Identifier: GPL-3.0-or-later
//! The hands of two players who play a game of a file.

use std::sync::Arc;
use std::time::Duration;

use arbiterd_board::{ClockSide, Colour};
use tokio::sync::{mpsc, oneshot};

use super::tell::Told;
use crate::sim::{Act, Game, Played};

/// What a player wants done or told at a board.
#[derive(Clone, Debug)]
pub(super) enum Order {
    Act(usize, Act),
    Tell(Told),
}

/// How long things take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tempo {
    /// Before a piece is touched.
    pub(super) think: Duration,
    /// From one act of the hand to the next.
    pub(super) hand: Duration,
}

/// One board, and what is known of its clock.
pub(super) struct Player {
    pub(super) board: usize,
    pub(super) name: String,
    pub(super) game: Arc<Game>,
    pub(super) tempo: Tempo,
    /// The clock is there and is started and stopped by its button.
    pub(super) starts_clock: bool,
    pub(super) has_clock: bool,
    pub(super) orders: mpsc::UnboundedSender<Order>,
}

/// Nobody takes the orders any more.
struct Ending;

impl Player {
    /// Plays the game, once a host has asked.
    pub(super) async fn play(self, asked: oneshot::Receiver<()>) {
        if asked.await.is_ok() {
            // It ends early only with the program.
            _ = self.moves().await;
        }
    }

    async fn moves(&self) -> Result<(), Ending> {
        if self.starts_clock {
            tokio::time::sleep(self.tempo.hand).await;
            self.act(Act::Start)?;
        }
        for played in &self.game.moves {
            tokio::time::sleep(self.tempo.think).await;
            self.tell(self.announce(played))?;
            for act in played.hands.acts() {
                self.act(act)?;
                tokio::time::sleep(self.tempo.hand).await;
            }
            if self.has_clock {
                self.act(Act::Press(side(played.by)))?;
                tokio::time::sleep(self.tempo.hand).await;
            }
        }
        if self.starts_clock {
            self.act(Act::Stop)?;
        }
        self.tell(Told::Played { board: self.name.clone(), moves: self.game.moves.len() })
    }

    fn announce(&self, played: &Played) -> Told {
        let by = match played.by {
            Colour::White => "white",
            Colour::Black => "black",
        };
        Told::Move { board: self.name.clone(), number: played.number, by, san: played.san.clone() }
    }

    fn act(&self, act: Act) -> Result<(), Ending> {
        self.tell(Told::Hand { board: self.name.clone(), act: words(act) })?;
        self.orders.send(Order::Act(self.board, act)).map_err(|_| Ending)
    }

    fn tell(&self, told: Told) -> Result<(), Ending> {
        self.orders.send(Order::Tell(told)).map_err(|_| Ending)
    }
}

/// White sits at the left of the clock.
const fn side(player: Colour) -> ClockSide {
    match player {
        Colour::White => ClockSide::Left,
        Colour::Black => ClockSide::Right,
    }
}

/// An act as the hands' lines name it.
fn words(act: Act) -> String {
    match act {
        Act::Lift(square) => format!("lift {square}"),
        Act::Place(square, piece) => format!("place {square} {}", piece.letter()),
        Act::Press(ClockSide::Left) => "press left".to_owned(),
        Act::Press(ClockSide::Right) => "press right".to_owned(),
        Act::Stop => "stop".to_owned(),
        Act::Start => "start".to_owned(),
        Act::SetTimes { .. } => "times".to_owned(),
    }
}
