// SPDX-License-Identifier: GPL-3.0-or-later
//! Several half-moves that were played before anybody could see what stood between them.
//!
//! What stands in the end may be reached in more than one way. A way is believed only if the board showed
//! its pieces leave and arrive in its order, and if there is no other that begins with another half-move.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Occupant, Placement, Square};
use shakmaty::Move;

use super::bench::Bench;
use crate::board::{Change, color, hardware_piece, hardware_square};
use crate::table::{Standing, landing, side_index, taken_in_passing};

/// The half-move with which everything that explains what stands begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct First {
    /// It.
    pub m: Move,
    /// How many changes certainly are its own.
    pub own: usize,
    /// Something was taken where it was never seen to stand: what stands may still be on its way until then.
    pub settles: Option<Mono>,
}

/// A piece that is slid to its square rests on its way no longer.
pub const ON_ITS_WAY: Duration = Duration::from_secs(2);

/// More changes than hands make in a dozen half-moves. A square that reads to and fro makes thousands, and
/// each is held against each.
pub const LOOK_BACK: usize = 64;

/// The first of two half-moves that lead to what stands after some number of changes from `least` on. What is
/// in somebody's hand by then still counts as standing.
pub fn first_of_two(bench: &Bench<'_>, least: usize) -> Option<First> {
    let all = bench.sensor.history().len();
    let two = |cut| only_first(bench, cut, &|p| bench.game.reader().two_plies(p));
    (least..=all.min(least.saturating_add(LOOK_BACK))).rev().find_map(two)
}

/// The same of three half-moves that lead to what stands now.
pub fn first_of_three(bench: &Bench<'_>) -> Option<First> {
    let all = bench.sensor.history().len();
    only_first(bench, all, &|p| bench.game.reader().three_plies(p))
}

/// The first half-move of all lines that lead to what stands after `cut` changes and that were seen to be
/// played.
fn only_first(bench: &Bench<'_>, cut: usize, lines: &dyn Fn(&Placement) -> Vec<Vec<Move>>) -> Option<First> {
    let history = bench.sensor.history();
    let changes = history.get(..cut)?;
    let mut found: Vec<(Move, Seen)> = Vec::new();
    let reported = bench.sensor.placement_after(cut);
    for placement in less_lifts(&reported, changes, &history[cut..]) {
        // A piece that has been taken up again was on its way.
        let rests = |m: &Move| placement[landing(*m)] == reported[landing(*m)];
        let seen = |line: Vec<Move>| Some((*line.first()?, was_seen(bench, &line, changes)?));
        let all = lines(&placement).into_iter().filter(|line| line.iter().all(rests));
        found.extend(all.filter_map(seen));
    }
    let (m, _) = *found.first()?;
    let own = found.iter().map(|(_, seen)| seen.own).min()?;
    let whole = found.iter().all(|(_, seen)| seen.whole);
    // What a disturbed square says moves nothing.
    let last = changes.iter().rfind(|c| !c.disturbed);
    let rests = last.map(|last| last.received.after(ON_ITS_WAY)).filter(|at| *at > bench.now);
    let settles = rests.filter(|_| !whole);
    found.iter().all(|(other, _)| *other == m).then_some(First { m, own, settles })
}

/// No more are in the hands of two players at once.
const LIFTED: usize = 3;

/// What stands, and the same with some of the pieces still on their squares that were lifted last; `since`: what
/// came after.
fn less_lifts(stands: &Placement, changes: &[Change], since: &[Change]) -> Vec<Placement> {
    let mut lifted: Vec<(Square, Occupant)> = Vec::new();
    // When both have put down a piece since, nobody's hand holds it.
    let put_down = |colour| since.iter().any(|c| c.after.is_of(colour));
    let mut put_down = [put_down(Colour::White), put_down(Colour::Black)];
    for change in changes.iter().rev() {
        if lifted.len() == LIFTED || put_down == [true; 2] {
            break;
        }
        let known = lifted.iter().any(|(square, _)| *square == change.square);
        if !known && change.after == Occupant::Empty && stands[change.square] == Occupant::Empty {
            lifted.push((change.square, change.before));
        }
        if let Some(piece) = change.after.piece() {
            put_down[side_index(piece.colour)] = true;
        }
    }
    let mut all = vec![*stands];
    for (square, occupant) in lifted {
        let put_back: Vec<_> = all.iter().map(|placement| with(placement, square, occupant)).collect();
        all.extend(put_back);
    }
    all
}

fn with(placement: &Placement, square: Square, occupant: Occupant) -> Placement {
    let mut placement = *placement;
    placement[square] = occupant;
    placement
}

/// How a line was seen to be played.
struct Seen {
    /// How many of the changes certainly are of its first half-move.
    own: usize,
    /// Each piece was seen where it went.
    whole: bool,
}

/// If the changes show each piece of the line leave its square, and arrive where it goes in the order of
/// the line, and no other piece arrive anywhere. A piece that is taken where it arrived may never have been
/// seen there.
fn was_seen(bench: &Bench<'_>, line: &[Move], changes: &[Change]) -> Option<Seen> {
    let mut standing = bench.game.standing().clone();
    let mut belongs = vec![standing.placement()];
    let (mut pieces, mut since, mut own, mut whole) = (Vec::new(), 0, None, true);
    for (index, m) in line.iter().enumerate() {
        let ply = Carried::of(&standing, *m)?;
        let left = changes.iter().position(|c| c.square == ply.from && c.before == ply.before)?;
        since = since.max(began_with(changes, left));
        let arrives = |i: &usize| changes[*i].square == ply.to && changes[*i].after == ply.after;
        match (since..changes.len()).find(arrives) {
            Some(at) => since = began_with(changes, at),
            // One that was seen to stand elsewhere since did not go on unseen.
            None if changes[left..].iter().any(|c| c.after == ply.after && c.square != ply.from) => {
                return None;
            }
            None if line.get(index + 1).is_some_and(|next| takes(*next, ply.to)) => whole = false,
            None => return None,
        }
        own.get_or_insert(since);
        pieces.extend([ply.before, ply.after]);
        standing = standing.play(*m, bench.game.mode());
        belongs.push(standing.placement());
    }
    let explained = |c: &Change| {
        c.after == Occupant::Empty
            || pieces.contains(&c.after)
            || belongs.iter().any(|p| p[c.square] == c.after)
    };
    let own = own.filter(|_| changes.iter().all(explained))?;
    Some(Seen { own, whole })
}

/// Whether a half-move takes what stands on a square.
fn takes(m: Move, square: Square) -> bool {
    match m {
        Move::EnPassant { from, to } => taken_in_passing(from, to) == square,
        m => landing(m) == square,
    }
}

/// What a half-move does with its piece.
struct Carried {
    from: Square,
    to: Square,
    before: Occupant,
    after: Occupant,
}

impl Carried {
    fn of(standing: &Standing, m: Move) -> Option<Self> {
        let from = hardware_square(m.from()?);
        let before = standing.placement()[from];
        let mover = before.piece()?.colour;
        let after =
            m.promotion().map_or(before, |role| Occupant::Piece(hardware_piece(role.of(color(mover)))));
        Some(Self { from, to: landing(m), before, after })
    }
}

/// The changes from the report on in which a player's last piece was put down.
pub fn released(changes: &[Change], by: Colour) -> &[Change] {
    let last = changes.iter().rposition(|c| c.after.is_of(by));
    last.map_or(&[], |last| &changes[began_with(changes, last)..])
}

/// Whether these changes show the piece of a square being lifted.
pub fn lifted(changes: &[Change], square: Square) -> bool {
    changes.iter().any(|c| c.square == square && c.after == Occupant::Empty)
}

/// A scan tells its squares within this time, in an order of its own.
const ONE_SCAN: Duration = Duration::from_millis(50);

/// The first change that may be of the same scan as that of `index`.
fn began_with(changes: &[Change], index: usize) -> usize {
    let before = |c: &Change| changes[index].received.since(c.received) >= ONE_SCAN;
    changes[..index].iter().rposition(before).map_or(0, |last| last + 1)
}
