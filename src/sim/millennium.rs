// SPDX-License-Identifier: GPL-3.0-or-later
//! The simulated Millennium board, as something to plug in and to handle.

use arbiterd_board::{LineSettings, Mono};
use arbiterd_millennium::simulator::Simulator;
use arbiterd_millennium::wire::LINE;

use super::{Act, Device, Hands};

impl Device for Simulator {
    fn line_settings(&self) -> LineSettings {
        LINE
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        Self::receive(self, now, bytes);
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        Self::poll_transmit(self)
    }

    fn poll_timeout(&self) -> Option<Mono> {
        Self::poll_timeout(self)
    }

    fn handle_timeout(&mut self, now: Mono) {
        Self::handle_timeout(self, now);
    }
}

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
