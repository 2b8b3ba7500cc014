// SPDX-License-Identifier: GPL-3.0-or-later
//! What people do when something was ruled: the arbiter stops the clock, hands put the position back, and
//! the one who did wrong plays another move.

use arbiterd_board::{ClockSide, Colour, Occupant, Placement};
use shakmaty::{Chess, Move};

use super::habits::Span;
use super::hand::Hand;
use super::random;
use crate::sim::{Act, Game};

/// From the irregularity, or the claim, to the arbiter's hand on the clock: he has heard what is ruled.
const ARBITER_COMES: Span = Span(8000, 15_000);
/// From one of his acts to the next.
const UNHURRIED: Span = Span(800, 3000);

impl Hand<'_> {
    /// The arbiter stops the clock, `before` is put back, the lever is turned so that the time of `turn`
    /// runs, and the clock is started again.
    pub(super) fn restore(&mut self, before: &Placement, turn: Colour) {
        self.pause(ARBITER_COMES);
        self.handle_clock(Act::Stop);
        let differing: Vec<_> = self.board.differences(before).collect();
        for square in &differing {
            if self.board[*square] != Occupant::Empty {
                self.pause(UNHURRIED);
                self.lift(*square);
            }
        }
        for square in &differing {
            if let Some(piece) = before[*square].piece() {
                self.pause(UNHURRIED);
                self.place(*square, piece);
            }
        }
        self.pause(UNHURRIED);
        // While the clock stands this is no press. If it lies so already nothing changes.
        let side = if turn == Colour::White { ClockSide::Right } else { ClockSide::Left };
        self.handle_clock(Act::Press(side));
        self.pause(UNHURRIED);
        self.handle_clock(Act::Start);
    }
}

/// The game from `position` on, where `instead` is played first, for at most so many half-moves.
pub(super) fn go_on(position: &Chess, instead: Move, hand: &mut Hand<'_>, longest: usize) -> Game {
    let mut game = Game::at(position);
    let mut position = position.clone();
    let san = shakmaty::san::San::from_move(&position, instead).to_string();
    game.play(&mut position, instead, san);
    random::go_on(&mut game, &mut position, hand.chance, longest);
    game
}
