// SPDX-License-Identifier: GPL-3.0-or-later
//! The simulated DGT board, as something to handle.

use arbiterd_board::Mono;
use arbiterd_dgt::simulator::Simulator;

use super::{Act, Hands};

impl Hands for Simulator {
    fn act(&mut self, now: Mono, act: Act) {
        match act {
            // What was lifted is in the hand; whoever set the act up knows what it is.
            Act::Lift(square) => _ = self.lift(now, square),
            Act::Place(square, piece) => self.place(now, square, piece),
            Act::Press(side) => self.press(now, side),
            Act::Stop => self.stop(now),
            Act::Start => self.start(now),
            Act::SetTimes { left, right } => self.set_times(now, left, right),
        }
    }
}
