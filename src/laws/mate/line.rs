// SPDX-License-Identifier: GPL-3.0-or-later
//! Looking for a mating line with both sides helping: proof that a mate is possible.
//!
//! Both sides play together, pulled toward what brings a mate about (promotions, checks, the
//! loser's king at the edge) by a fixed pseudo-random sequence, so that the same budget always
//! gives the same answer. Finding nothing proves nothing.

use arbiterd_board::Colour;
use shakmaty::{CastlingMode, Chess, Color, Move, Position, Role};

use super::Verdict;
use crate::board::colour;

/// Plies after which a playout starts over.
const LINE_LIMIT: usize = 120;

/// Looks for a line that ends in mate by `side`, at most `budget` positions long in all.
pub fn search(position: &Chess, side: Color, budget: u64) -> Verdict {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut spent = 0;
    while spent < budget {
        let mut line = Vec::new();
        let mut now = position.clone();
        while line.len() < LINE_LIMIT && spent < budget {
            let Some(m) = choose(&now, side, &mut dice) else { break };
            now.play_unchecked(m);
            line.push(m);
            spent += 1;
            if now.is_checkmate() {
                if now.turn() != side {
                    return replay(position, colour(side), &line).unwrap_or(Verdict::Undetermined { spent });
                }
                break;
            }
        }
        // A playout that ends at once (stalemate next) must not spin for free.
        spent += 1;
    }
    Verdict::Undetermined { spent }
}

/// Plays the line again from the start, checking each move: what is returned is proven.
fn replay(position: &Chess, side: Colour, line: &[Move]) -> Option<Verdict> {
    let mut now = position.clone();
    let mut uci = Vec::with_capacity(line.len());
    for &m in line {
        uci.push(m.to_uci(CastlingMode::Standard).to_string());
        now = now.play(m).ok()?;
    }
    (now.is_checkmate() && colour(now.turn()) != side).then_some(Verdict::Possible { line: uci })
}

/// A mating move if there is one, else one of the more useful ones.
fn choose(position: &Chess, side: Color, dice: &mut Dice) -> Option<Move> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return None;
    }
    let mating = position.turn() == side;
    if mating && let Some(&m) = moves.iter().find(|&&m| mates(position, m)) {
        return Some(m);
    }
    // Tournament of three: the most useful of three random moves.
    let mut best: Option<(i32, Move)> = None;
    for _ in 0..3 {
        let m = moves[dice.below(moves.len())];
        let worth = if mating { worth_to_mating(m) } else { worth_to_mated(position, m, side) };
        if best.is_none_or(|(w, _)| worth > w) {
            best = Some((worth, m));
        }
    }
    best.map(|(_, m)| m)
}

fn mates(position: &Chess, m: Move) -> bool {
    let mut after = position.clone();
    after.play_unchecked(m);
    after.is_checkmate()
}

/// The side that shall mate promotes, takes and keeps its men.
fn worth_to_mating(m: Move) -> i32 {
    let promotion = match m.promotion() {
        Some(Role::Queen) => 40,
        Some(_) => 20,
        None => 0,
    };
    let capture = if m.is_capture() { 4 } else { 0 };
    let pawn = if m.role() == Role::Pawn { 6 } else { 0 };
    promotion + capture + pawn
}

/// The side that shall be mated spares the other's men and walks to the edge.
fn worth_to_mated(position: &Chess, m: Move, side: Color) -> i32 {
    let capture = if m.is_capture() && position.board().by_color(side).count() < 5 { -30 } else { 0 };
    let edge = if m.role() == Role::King {
        let (f, r) = (i32::from(u8::from(m.to().file())), i32::from(u8::from(m.to().rank())));
        (2 * f - 7).abs().max((2 * r - 7).abs())
    } else {
        2
    };
    capture + edge
}

/// A fixed sequence (xorshift64*): the same position and budget always give the same answer.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap_or(0) % n
    }
}
