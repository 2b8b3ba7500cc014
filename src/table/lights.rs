// SPDX-License-Identifier: GPL-3.0-or-later
//! The lights of a board: which squares are to be put right after a ruling or the arbiter restored a
//! position.
//!
//! That no player is helped goes before all guidance. Lights show only what everyone has been told,
//! the squares that differ from a position that was restored, and only while that is being put right: never in play, never for a ruling that is proposed, never a move that may be played
//! instead. And they go out as soon as what stands could be such a move, legal or not: else they
//! would tell, by going out or by staying on, whether the arbiter accepts it.

use std::time::Duration;

use arbiterd_board::{
    AckOutcome, Colour, LinkState, Mono, Occupant, Piece, Placement, ReportBody, Role, Square,
};
use serde::{Deserialize, Serialize};

use super::{Output, Ply, Table, TableState};
use crate::laws::Directive;

/// What the lights of a board are used for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lights {
    /// Nothing: no board is told anything about lights.
    #[default]
    Off,
    /// The squares that differ while a position is restored.
    Restoration,
}

impl Lights {
    /// Every value with its word in the configuration.
    pub const WORDS: &[(&str, Self)] = &[("off", Self::Off), ("restoration", Self::Restoration)];

    /// The word in the configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Restoration => "restoration",
        }
    }
}

/// A picture that a board did not take is ordered again, but no sooner.
const ORDER_AGAIN: Duration = Duration::from_secs(1);
/// And after so many in a row, for some boards never say that they took it, only darkness, and rarely:
/// no light may stay on in play.
const ORDERS: u8 = 5;
const DARK_AGAIN: Duration = Duration::from_secs(10);

/// What was ordered of a board's lights.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// The hardware squares that were ordered last; `None` where the board may show anything.
    picture: Option<Vec<Square>>,
    ordered: Mono,
    /// The board did not answer something since: lights, or whatever else was asked of it.
    unanswered: bool,
    /// How often the same was ordered in a row.
    orders: u8,
    /// What stood when the move that was taken back had been made.
    taken_back: Option<Placement>,
}

impl Default for Shown {
    fn default() -> Self {
        let picture = Some(Vec::new());
        Self { picture, ordered: Mono::ZERO, unanswered: false, orders: 0, taken_back: None }
    }
}

impl Shown {
    /// A board that was away may have any light on, and so may one that did not take what was ordered.
    /// A picture that a newer one overtook is too late, and no reason to order one more.
    pub(super) fn hear(&mut self, body: &ReportBody) {
        match body {
            ReportBody::Link(LinkState::Up) => {
                self.picture = None;
                self.orders = 0;
            }
            ReportBody::Ack { outcome: AckOutcome::NoAnswer, .. } => self.unanswered = true,
            _ => {}
        }
    }

    /// What it is for the next game on the same board: a dark one is as if it had never been lit.
    pub(super) fn of_a_new_game(self) -> Self {
        let dark = self.picture.as_ref().is_some_and(Vec::is_empty) && !self.unanswered;
        if dark { Self::default() } else { Self { taken_back: None, ..self } }
    }

    /// When the same is ordered again.
    fn due_again(&self) -> Option<Mono> {
        let picture = self.picture.as_ref().filter(|_| self.unanswered)?;
        if self.orders < ORDERS {
            return Some(self.ordered.after(ORDER_AGAIN));
        }
        picture.is_empty().then(|| self.ordered.after(DARK_AGAIN))
    }

    /// A ruling takes back the half-moves from `remaining` on; `standing` is what stands after all.
    pub(super) fn taken_back(&mut self, plies: &[Ply], remaining: usize, standing: &Placement) {
        self.taken_back = (remaining < plies.len())
            .then(|| plies.get(remaining + 1).map_or(*standing, |next| next.before.placement()));
    }

    /// Whether this stood when the move that was taken back had been made.
    pub(super) fn is_taken_back(&self, placement: &Placement) -> bool {
        self.taken_back.as_ref() == Some(placement)
    }
}

impl Table {
    /// When lights are ordered again that the board did not take.
    pub(super) fn lights_due(&self) -> Option<Mono> {
        self.shown.due_again().filter(|_| self.config.lights != Lights::Off)
    }

    /// Orders the lights that belong to where the table stands, if others were ordered last.
    pub(super) fn tend_lights(&mut self, now: Mono) {
        if self.config.lights == Lights::Off {
            return;
        }
        // A board that is back can say what lights it has when it has shown what stands on it.
        if self.shown.picture.is_none() && self.sensor.placement().is_none() {
            return;
        }
        let picture = self.lights_wanted();
        let news = self.shown.picture.as_ref() != Some(&picture);
        if news || self.shown.due_again().is_some_and(|due| due <= now) {
            self.shown.orders = if news { 1 } else { self.shown.orders.saturating_add(1) };
            self.shown.picture = Some(picture.clone());
            self.shown.ordered = now;
            self.shown.unanswered = false;
            self.outputs.push_back(Output::Directive(Directive::Light(picture)));
        }
    }

    /// The squares to light, in hardware numbering.
    fn lights_wanted(&self) -> Vec<Square> {
        let TableState::Restoring { differing } = &self.state else { return Vec::new() };
        // Where a1 is is not known before the board was recognised.
        let (Some(turned), Some(placement)) = (self.sensor.turned(), self.sensor.placement()) else {
            return Vec::new();
        };
        if self.may_be_a_replacement(placement) {
            return Vec::new();
        }
        differing.iter().map(|s| if turned { s.rotated() } else { *s }).collect()
    }

    /// Whether what stands could have been played instead of the move that was taken back, whatever his
    /// opponent has done since. That move itself is none, whatever of his opponent's has been put back,
    /// and nothing is while he has touched none of his pieces since the ruling.
    fn may_be_a_replacement(&self, placement: &Placement) -> bool {
        let (restored, mover) = (self.game.standing().placement(), self.game.turn());
        let history = self.sensor.history();
        let Some(touched) = history.iter().rposition(|c| c.before.is_of(mover) || c.after.is_of(mover))
        else {
            return false;
        };
        let mut stood = *placement;
        for change in history[touched..].iter().rev() {
            let taken_back = self.shown.taken_back.is_some_and(|then| stand_alike(mover, &then, &stood));
            if !taken_back && could_be_a_move(&restored, &stood, mover) {
                return true;
            }
            stood[change.square] = change.before;
        }
        false
    }
}

/// Whether all pieces of a player stand on the same squares.
fn stand_alike(player: Colour, one: &Placement, other: &Placement) -> bool {
    one.differences(other).all(|square| !one[square].is_of(player) && !other[square].is_of(player))
}

/// Whether something stands on another square as after any one move of `mover`, legal or not: all
/// his pieces are on the board, and of his opponent's at most one is missing.
///
/// It asks for less than the laws do, so that nothing legal is left out and nothing is told apart.
fn could_be_a_move(restored: &Placement, placement: &Placement, mover: Colour) -> bool {
    let count = |of: &Placement| of.occupied().filter(|(_, occupant)| occupant.is_of(mover)).count();
    let (mut arrived, mut gone) = (false, Vec::new());
    for square in restored.differences(placement) {
        match placement[square] {
            here if here.is_of(mover) => arrived = true,
            Occupant::Empty => gone.extend(restored[square].piece().filter(|piece| piece.colour != mover)),
            // His opponent does not move with him.
            _ => return false,
        }
    }
    // Only a pawn is ever taken on another square than the one where the taker arrives.
    let taken_in_passing = matches!(gone.as_slice(), [] | [Piece { role: Role::Pawn, .. }]);
    arrived && taken_in_passing && count(restored) == count(placement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Start;

    #[test]
    fn every_legal_move_could_be_one() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/pppq1ppp/2n2n2/3pp3/1b1PP3/2N2N2/PPPBQPPP/R3K2R b KQkq - 0 8",
            "1n2k3/P6P/8/3pP3/8/8/p6p/4K1N1 w - d6 0 1",
            "1n2k3/P6P/8/8/3pP3/8/p6p/4K1N1 b - e3 0 1",
            // Castling of Chess960, in which the king goes one square or none.
            "1k6/8/8/8/8/8/8/5KR1 w G - 0 1",
            "1k6/8/8/8/8/8/8/R1K5 w A - 0 1",
        ] {
            let start = Start::from_fen(fen).unwrap();
            let (restored, mover) =
                (start.standing().placement(), crate::board::colour(start.standing().turn()));
            let moves = start.standing().legal_moves();
            assert!(!moves.is_empty());
            for m in moves {
                let after = start.standing().play(m, start.mode()).placement();
                assert!(could_be_a_move(&restored, &after, mover), "{m} in {fen}");
            }
            assert!(!could_be_a_move(&restored, &restored, mover));
        }
    }

    #[test]
    fn what_is_being_put_back_is_no_move() {
        let restored: Placement = "4k3/8/8/3p4/4P3/8/8/4K3".parse().unwrap();
        let could = |stands: &str| could_be_a_move(&restored, &stands.parse().unwrap(), Colour::White);
        // A pawn in the hand; a taken one that is not back yet; his opponent's king elsewhere.
        assert!(!could("4k3/8/8/3p4/8/8/8/4K3"));
        assert!(!could("4k3/8/8/8/4P3/8/8/4K3"));
        assert!(!could("3k4/8/8/3p4/8/4P3/8/4K3"));
        // Illegal, and no less a move for it.
        assert!(could("4k3/8/4P3/3p4/8/8/8/4K3"));
        assert!(could("4k3/8/8/3P4/8/8/8/4K3"));
    }
}
