// SPDX-License-Identifier: GPL-3.0-or-later
//! Several half-moves that were played before anybody could see what stood between them.
//!
//! What stands in the end may be reached in more than one way. A way is believed only if the board showed
//! its pieces leave and arrive in its order, and if there is no other that begins with another half-move.

use std::ops::RangeInclusive;
use std::time::Duration;

use arbiterd_board::{Colour, Mono, Occupant, Placement, Square};
use shakmaty::Move;

use super::bench::Bench;
use super::completion;
use crate::board::{Change, color, hardware_piece, hardware_square};
use crate::table::{Standing, landing, opponent, side_index, taken_in_passing};

/// The half-move with which everything that explains what stands begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct First {
    /// It.
    pub m: Move,
    /// How many changes certainly are its own.
    pub own: usize,
    /// When a piece came that took something where that was never seen to stand: it may as well be on its way.
    pub took_unseen: Option<Mono>,
}

impl First {
    /// If what took something unseen may still be on its way, until when: after `patience` it is not.
    pub fn settles(&self, patience: Duration, now: Mono) -> Option<Mono> {
        self.took_unseen.map(|came| came.after(patience)).filter(|at| *at > now)
    }
}

/// A piece that is slid to its square rests on its way no longer.
pub const ON_ITS_WAY: Duration = Duration::from_secs(2);

/// And if no press can tell that it has come to its square, for longer.
pub const STAYS_UNSEEN: Duration = Duration::from_secs(4);

/// More changes than hands make in a dozen half-moves. A square that reads to and fro makes thousands, and
/// each is held against each.
pub const LOOK_BACK: usize = 64;

/// How long a piece that is on its way can be seen to rest: the board may tell of its coming at once and of its
/// going late.
pub fn on_its_way(bench: &Bench<'_>) -> Duration {
    ON_ITS_WAY + bench.board_lag
}

/// The first of two half-moves that lead to what stands after some number of changes from `least` on. What is
/// in somebody's hand by then still counts as standing.
pub fn first_of_two(bench: &Bench<'_>, least: usize) -> Option<First> {
    let all = bench.sensor.history().len();
    let two = |cut| Some((cut, only_first(bench, cut, &|p| bench.game.reader().two_plies(p))?));
    let (cut, found) = (least..=all.min(least.saturating_add(LOOK_BACK))).rev().find_map(two)?;
    // A piece that rested on its way may have been moved twice instead.
    let three = seen_lines(bench, cut, &|p| bench.game.reader().three_plies(p));
    three.iter().all(|(m, _)| *m == found.m).then_some(found)
}

/// The same of three half-moves that lead to what stands now.
pub fn first_of_three(bench: &Bench<'_>) -> Option<First> {
    let all = bench.sensor.history().len();
    let found = only_first(bench, all, &|p| bench.game.reader().three_plies(p))?;
    let two = seen_lines(bench, all, &|p| bench.game.reader().two_plies(p));
    two.iter().all(|(m, _)| *m == found.m).then_some(found)
}

/// Whether the pawn of `m`, which was taken one square on, may have gone two squares instead and have been taken
/// in passing (3.7.3.1): what stands after one of `ends` changes is the same. The last of these may have a piece in
/// a hand already that goes elsewhere.
pub fn may_have_gone_on(m: Move, bench: &Bench<'_>, ends: RangeInclusive<usize>) -> bool {
    let one_square = m.from().is_some_and(|from| from.rank().distance(m.to().rank()) == 1);
    if !one_square || m.role() != shakmaty::Role::Pawn {
        return false;
    }
    let taker = opponent(bench.game.turn());
    let taken = |end: &usize| bench.sensor.placement_after(*end)[landing(m)].is_of(taker);
    let other = |(first, _): &(Move, Seen)| *first != m && first.from() == m.from();
    let two = |end| seen_lines(bench, end, &|p| bench.game.reader().two_plies(p));
    ends.rev().take(LOOK_BACK).filter(taken).any(|end| two(end).iter().any(other))
}

/// Whether two or three half-moves were seen that lead to what stood after `cut` changes, whichever they are.
pub fn were_played(bench: &Bench<'_>, cut: usize) -> bool {
    let reader = bench.game.reader();
    let seen = |lines: &dyn Fn(&Placement) -> Vec<Vec<Move>>| !seen_lines(bench, cut, lines).is_empty();
    seen(&|p| reader.two_plies(p)) || seen(&|p| reader.three_plies(p))
}

/// The first half-move of all lines that lead to what stands after `cut` changes and that were seen to be
/// played.
fn only_first(bench: &Bench<'_>, cut: usize, lines: &dyn Fn(&Placement) -> Vec<Vec<Move>>) -> Option<First> {
    let found = seen_lines(bench, cut, lines);
    let (m, _) = *found.first()?;
    let own = found.iter().map(|(_, seen)| seen.own).min()?;
    let took_unseen = found.iter().filter_map(|(_, seen)| seen.took_unseen).max();
    let certain = found.iter().all(|(other, seen)| *other == m && !seen.hasty);
    certain.then_some(First { m, own, took_unseen })
}

/// The first half-moves of the lines that lead to what stands after `cut` changes and that were seen to be
/// played.
fn seen_lines(
    bench: &Bench<'_>,
    cut: usize,
    lines: &dyn Fn(&Placement) -> Vec<Vec<Move>>,
) -> Vec<(Move, Seen)> {
    let history = bench.sensor.history();
    let changes = history.get(..cut).unwrap_or_default();
    let mut found: Vec<(Move, Seen)> = Vec::new();
    if bench.phantoms || !completion::arrivals_seen(bench) {
        return found;
    }
    let reported = bench.sensor.placement_after(cut);
    for placement in less_lifts(&reported, changes, &history[cut..]) {
        // A piece that has been taken up again was on its way.
        let rests = |m: &Move| placement[landing(*m)] == reported[landing(*m)];
        let seen = |line: Vec<Move>| Some((*line.first()?, was_seen(bench, &line, changes)?));
        let all = lines(&placement).into_iter().filter(|line| line.iter().all(rests));
        found.extend(all.filter_map(seen));
    }
    found
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
    /// When a piece came that took what was never seen where it went.
    took_unseen: Option<Mono>,
    /// Whether a piece of a reply was put down on its way before that came to which it replies: then both may have
    /// been moved twice.
    hasty: bool,
}

/// If the changes show each piece of the line leave its square, and arrive where it goes in the order of
/// the line, and no other piece arrive anywhere. A piece that is taken where it arrived may never have been
/// seen there.
fn was_seen(bench: &Bench<'_>, line: &[Move], changes: &[Change]) -> Option<Seen> {
    let mut watch = Watch::new(bench, changes, line);
    for m in line {
        watch.follow(*m)?;
    }
    let Watch { took_unseen, hasty, .. } = watch;
    watch.all_explained().then_some(Seen { own: watch.own?, took_unseen, hasty })
}

/// Follows a line through the changes.
struct Watch<'a> {
    bench: &'a Bench<'a>,
    changes: &'a [Change],
    line: &'a [Move],
    /// The positions of the line, the first of them the last completed one.
    positions: Vec<Standing>,
    /// What the pieces of the line are.
    pieces: Vec<Occupant>,
    /// With which change the last piece arrived, if it was seen to.
    arrived: Option<usize>,
    /// From which change on the next may be made.
    since: usize,
    own: Option<usize>,
    /// Whether the last piece was not seen where it went.
    unseen: bool,
    took_unseen: Option<Mono>,
    hasty: bool,
}

impl<'a> Watch<'a> {
    fn new(bench: &'a Bench<'a>, changes: &'a [Change], line: &'a [Move]) -> Self {
        let positions = vec![bench.game.standing().clone()];
        Self {
            bench,
            changes,
            line,
            positions,
            pieces: Vec::new(),
            arrived: None,
            since: 0,
            own: None,
            unseen: false,
            took_unseen: None,
            hasty: false,
        }
    }

    /// Takes the next half-move of the line; nothing if it was not seen to be made.
    fn follow(&mut self, m: Move) -> Option<()> {
        let next = self.line.get(self.positions.len()).copied();
        let standing = self.positions.last()?.clone();
        let ply = Carried::of(&standing, m)?;
        let left = self.changes.iter().position(|c| c.square == ply.from && c.before == ply.before)?;
        if self.went_on_before(left, &ply) || self.takes_too_early(&ply, &standing) {
            return None;
        }
        self.hasty |= self.arrived.is_some_and(|arrived| self.rested_before(arrived, left, &ply));
        self.since = self.since.max(began_with(self.changes, left));
        match self.arrival(&ply) {
            Some(at) => {
                self.since = began_with(self.changes, at);
                self.arrived = Some(at);
                if std::mem::take(&mut self.unseen) {
                    // It may be on its way itself, whatever it seems to have taken; and what stands somewhere
                    // later was not taken.
                    if self.stands_later(at)
                        || !stays(self.bench, self.bench.sensor.history(), ply.to, ply.after)
                    {
                        return None;
                    }
                    self.took_unseen = Some(self.changes[at].received);
                }
            }
            None if next.is_some_and(|next| takes(next, ply.to)) && !self.stays_elsewhere(&ply, left) => {
                self.unseen = true;
                self.arrived = None;
            }
            None => return None,
        }
        self.own.get_or_insert(self.since);
        self.pieces.extend([ply.before, ply.after]);
        self.positions.push(standing.play(m, self.bench.game.mode()));
        Some(())
    }

    /// The half-moves that the player whose turn it is still makes in the line.
    fn his_later_moves(&self) -> impl Iterator<Item = &Move> {
        self.line.iter().skip(self.positions.len() - 1).step_by(2).skip(1)
    }

    /// The change with which a piece arrives. The last such changes are those of his pieces of its kind that come to
    /// the same square later in the line.
    fn arrival(&self, ply: &Carried) -> Option<usize> {
        let arrives = |i: &usize| self.changes[*i].square == ply.to && self.changes[*i].after == ply.after;
        let seen: Vec<usize> = (self.since..self.changes.len()).filter(arrives).collect();
        let later = self.his_later_moves().filter(|m| landing(**m) == ply.to).count();
        seen.first().copied().filter(|_| seen.len() > later)
    }

    /// The piece that arrived last was on its way: it was gone from there when the next was taken up, and is not
    /// what that takes.
    fn went_on_before(&self, left: usize, ply: &Carried) -> bool {
        let left = began_with(self.changes, left);
        let Some(at) = self.arrived.filter(|at| *at < left) else { return false };
        let Change { square, after: piece, .. } = self.changes[at];
        let gone = shown(&self.changes[at..left], square) != Some(piece);
        gone && ply.takes != Some(square) && !stays(self.bench, &self.changes[..left], square, piece)
    }

    /// The piece was put down on its way before another arrived, or when it did.
    fn rested_before(&self, arrived: usize, left: usize, ply: &Carried) -> bool {
        let on_its_way = |c: &Change| c.after == ply.after && ![ply.from, ply.to].contains(&c.square);
        // What one scan tells has no order.
        let same_scan = |at: &usize| began_with(self.changes, *at) <= arrived;
        (left..self.changes.len()).take_while(same_scan).any(|at| on_its_way(&self.changes[at]))
    }

    /// More of the kind of the piece that was taken unseen stand after that than could.
    fn stands_later(&self, at: usize) -> bool {
        let (Some(taken), Some(before)) = (self.pieces.last(), self.positions.last()) else { return false };
        let number = |p: &Placement| p.occupied().filter(|(_, o)| o == taken).count();
        let sensor = &self.bench.sensor;
        let left = number(&before.placement()).saturating_sub(1);
        let history = sensor.history();
        (at + 1..=history.len())
            .filter(|count| between_scans(history, *count))
            .any(|count| number(&sensor.placement_after(count)) > left)
    }

    /// What is taken was up already when it was not the taker's turn yet.
    fn takes_too_early(&self, ply: &Carried, standing: &Standing) -> bool {
        let stood = |square| self.positions[0].placement()[square] == standing.placement()[square];
        let up = |square| shown(&self.changes[..self.since], square) == Some(Occupant::Empty);
        ply.takes.is_some_and(|square| stood(square) && up(square))
    }

    /// The piece was seen to stand elsewhere since, so that it did not go on unseen.
    fn stays_elsewhere(&self, ply: &Carried, left: usize) -> bool {
        // Where another of his pieces comes to stand in the line, one of its kind is that one.
        let of_another = |square| self.his_later_moves().any(|m| landing(*m) == square);
        let elsewhere = |c: &&Change| {
            c.after == ply.after && ![ply.from, ply.to].contains(&c.square) && !of_another(c.square)
        };
        let since = began_with(self.changes, left);
        self.changes[since..]
            .iter()
            .filter(elsewhere)
            .any(|c| stays(self.bench, self.changes, c.square, c.after))
    }

    /// Whether no piece was put down but those of the line, and such as stand there in it; and none stayed where it
    /// does not come to stand.
    fn all_explained(&self) -> bool {
        let placements: Vec<_> = self.positions.iter().map(Standing::placement).collect();
        let belongs = |c: &Change| placements.iter().any(|p| p[c.square] == c.after);
        let of_line = |c: &Change| self.pieces.contains(&c.after);
        let put_down = self.changes.iter().enumerate().filter(|(_, c)| c.after != Occupant::Empty);
        put_down.into_iter().all(|(at, c)| belongs(c) || (of_line(c) && !self.stayed(at)))
    }

    /// Whether what a change put down was still there when it was on its way no longer.
    fn stayed(&self, at: usize) -> bool {
        let Change { square, received, .. } = self.changes[at];
        let gone = self.bench.sensor.history()[at + 1..].iter().find(|c| c.square == square);
        gone.is_some_and(|c| c.received.since(received) >= on_its_way(self.bench))
    }
}

/// What the changes show last of a square.
fn shown(changes: &[Change], square: Square) -> Option<Occupant> {
    changes.iter().rfind(|c| c.square == square).map(|c| c.after)
}

/// Whether a piece that was put down on a square stays there, and does not go on ([`on_its_way`]).
pub fn stays(bench: &Bench<'_>, changes: &[Change], square: Square, piece: Occupant) -> bool {
    let of_square = |c: &&Change| c.square == square;
    let Some(came) = changes.iter().rposition(|c| of_square(&c) && c.after == piece) else { return false };
    let gone = changes[came + 1..].iter().find(of_square);
    gone.is_none_or(|c| c.received.since(changes[came].received) >= on_its_way(bench))
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
    /// Where the piece stands that it takes.
    takes: Option<Square>,
}

impl Carried {
    fn of(standing: &Standing, m: Move) -> Option<Self> {
        let from = hardware_square(m.from()?);
        let before = standing.placement()[from];
        let mover = before.piece()?.colour;
        let after =
            m.promotion().map_or(before, |role| Occupant::Piece(hardware_piece(role.of(color(mover)))));
        let takes = match m {
            Move::EnPassant { from, to } => Some(taken_in_passing(from, to)),
            m => m.capture().map(|_| landing(m)),
        };
        Some(Self { from, to: landing(m), before, after, takes })
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

/// Whether these changes show that what stood on a square left it.
pub fn left(changes: &[Change], square: Square) -> bool {
    changes.iter().any(|c| c.square == square)
}

/// A scan of a DGT board takes up to this long (topic: timing), and what it tells has no order: it may tell of all
/// squares at its end, or of each when it comes to it. Over Bluetooth one takes twice as long; but who replies later
/// than this has mostly seen the move, and is believed.
const ONE_SCAN: Duration = Duration::from_millis(250);

/// How long before a change others may have been told of by the same scan. Of the lag that a DGT board is given the
/// scan is five parts of eight, the rest is its line; boards with less lag scan faster.
fn one_scan(told: &Change) -> Duration {
    ONE_SCAN.min(told.at.uncertainty() * 5 / 8)
}

/// Whether what the first `cut` changes tell was over before what the next one tells. One scan may tell what
/// both players put down in any order.
pub fn parts(changes: &[Change], cut: usize) -> bool {
    let Some(next) = changes.get(cut) else { return true };
    let same_scan = |c: &&Change| c.received.since(next.received) < one_scan(c);
    let (before, after) = changes.split_at(cut);
    let before = &before[began_with(changes, cut)..];
    let put_down = |changes: &[Change], by| changes.iter().take_while(same_scan).any(|c| c.after.is_of(by));
    let straddles = |by| put_down(before, by) && put_down(after, opponent(by));
    !straddles(Colour::White) && !straddles(Colour::Black)
}

/// Whether one scan ended with the first `cut` changes, and the next one tells another.
pub fn between_scans(changes: &[Change], cut: usize) -> bool {
    let last = cut.checked_sub(1).and_then(|last| changes.get(last));
    let next = changes.get(cut);
    last.zip(next).is_none_or(|(last, next)| next.received.since(last.received) >= one_scan(next))
}

/// The first change that may be of the same scan as that of `index`.
fn began_with(changes: &[Change], index: usize) -> usize {
    let told = &changes[index];
    let before = |c: &Change| told.received.since(c.received) >= one_scan(told);
    changes[..index].iter().rposition(before).map_or(0, |last| last + 1)
}
