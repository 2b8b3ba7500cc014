// SPDX-License-Identifier: GPL-3.0-or-later
//! The simulated Millennium board, as something to handle.

use arbiterd_board::Mono;
use arbiterd_millennium::simulator::Simulator;

use super::{Act, Hands};

impl Hands for Simulator {
    fn act(&mut self, now: Mono, act: Act) {
        match act {
            // What was lifted is in the hand; whoever set the act up knows what it is.
            Act::Lift(square) => _ = self.lift(now, square),
            Act::Place(square, piece) => self.place(now, square, piece),
            // Boards of this family have no clock.
            Act::Press(_) | Act::Stop | Act::Start | Act::SetTimes { .. } => {}
        }
    }
}
