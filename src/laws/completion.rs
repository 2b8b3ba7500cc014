// SPDX-License-Identifier: GPL-3.0-or-later
//! When a move is completed (FIDE 6.2.1): by the press, by the opponent's released reply, or by
//! ending the game.
//!
//! A board lags behind the clock, so a press is judged only when everything that stood at it
//! must have been reported; and since the reports around it have no provable order, every
//! placement that may have stood at the press is considered, the latest first. A legal move is
//! preferred to anything else: nobody is accused of what the evidence lets him escape.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Occupant, Order, Stamp};

use super::bench::{Bench, Completed};
use crate::table::{Completion, Pending, PlyBody, Reading, Standing, one_move_shape, opponent};

/// A press that waits for its evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Press {
    /// Who pressed.
    pub by: Colour,
    /// When.
    pub at: Stamp,
    /// White's and Black's time in the reading that showed it.
    pub times: Option<[Duration; 2]>,
    /// The fact that showed it.
    pub fact: u64,
    /// When everything that stood at the press must have been reported.
    pub due: Mono,
}

/// What a press completed.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// A half-move, legal or not.
    Completed(Box<Completed>),
    /// Nothing was moved.
    WithoutMove,
    /// A move that has begun and is not complete on the board.
    Unfinished(Option<Pending>),
    /// Not a legal move, but the board has not come to rest: ask again then.
    Wait(Mono),
}

/// Judges a press of the player to move.
pub fn judge(press: &Press, bench: &Bench<'_>) -> Judgement {
    let history = bench.sensor.history();
    let first =
        history.iter().position(|c| Stamp::order(c.at, press.at) != Order::Before).unwrap_or(history.len());
    let cuts = || (first..=history.len()).rev().filter(|&cut| rest_is_opponents(press.by, bench, cut));

    for cut in cuts() {
        if let Some(m) = bench.reading_after(cut).single() {
            return Judgement::Completed(Box::new(legal(m, press, bench, (cut, false))));
        }
    }
    // Both have moved and what came first is certain all the same.
    if let Some(m) = bench.reading_after(history.len()).first_of_two() {
        return Judgement::Completed(Box::new(legal(m, press, bench, cut_of(m, bench))));
    }
    // What is no legal move: the first placement that explains it, since what follows is the
    // opponent's hand.
    for cut in cuts().rev() {
        if matches!(bench.reading_after(cut), Reading::Unexplained { .. })
            && let Some(done) = irregular(press, bench, cut)
        {
            let judgement = Judgement::Completed(Box::new(done));
            return rested_by(bench, cut).map_or(judgement, Judgement::Wait);
        }
    }
    for cut in cuts() {
        let judgement = match bench.reading_after(cut) {
            Reading::AsSettled => Judgement::WithoutMove,
            Reading::Pending(p) => Judgement::Unfinished(Some(p)),
            _ => continue,
        };
        return rested_by(bench, cut).map_or(judgement, Judgement::Wait);
    }
    Judgement::Unfinished(None)
}

/// When what stood after `cut` changes will have rested, if that is still to come: a piece that
/// is caught on its way accuses nobody.
fn rested_by(bench: &Bench<'_>, cut: usize) -> Option<Mono> {
    let last = cut.checked_sub(1).and_then(|i| bench.sensor.history().get(i))?;
    let rested = last.received.after(bench.rulebook.release_dwell);
    (rested > bench.now).then_some(rested)
}

fn legal(m: shakmaty::Move, press: &Press, bench: &Bench<'_>, (cut, inferred): (usize, bool)) -> Completed {
    Completed {
        body: PlyBody::Legal(m),
        after: bench.game.standing().play(m, bench.game.mode()),
        completion: Completion::Press,
        at: press.at,
        facts: vec![press.fact],
        clock: press.times,
        changes: cut,
        inferred,
    }
}

/// A move that was complete on the board only after its press.
pub fn finished_late(m: shakmaty::Move, press: &Press, bench: &Bench<'_>) -> Completed {
    legal(m, press, bench, (bench.sensor.history().len(), false))
}

fn irregular(press: &Press, bench: &Bench<'_>, cut: usize) -> Option<Completed> {
    let placement = bench.sensor.placement_after(cut);
    let (from, to) = one_move_shape(bench.game.standing(), &placement)?;
    Some(Completed {
        body: PlyBody::Irregular { from, to },
        after: bench.game.standing().after_irregular(&placement, bench.game.mode()),
        completion: Completion::Press,
        at: press.at,
        facts: vec![press.fact],
        clock: press.times,
        changes: cut,
        inferred: false,
    })
}

/// Whether the changes from `cut` on can all be the opponent's hand: his own pieces lifted and
/// put, and a piece of the presser's taken by one of them.
fn rest_is_opponents(presser: Colour, bench: &Bench<'_>, cut: usize) -> bool {
    let rest = bench.sensor.history().get(cut..).unwrap_or_default();
    let theirs = |o: Occupant| o.piece().is_some_and(|p| p.colour == opponent(presser));
    let ours = |o: Occupant| o.piece().is_some_and(|p| p.colour == presser);
    let reply_begun = rest.iter().any(|c| theirs(c.before) || theirs(c.after));
    rest.iter().all(|c| {
        !ours(c.after) && c.after.piece().is_none_or(|_| theirs(c.after)) && (!ours(c.before) || reply_begun)
    })
}

/// How many changes belong to the first of two plies, and whether that had to be inferred: it is
/// seen only where its placement stood between two reports.
fn cut_of(m: shakmaty::Move, bench: &Bench<'_>) -> (usize, bool) {
    let after = bench.game.standing().play(m, bench.game.mode()).placement();
    let history = bench.sensor.history();
    let seen = (1..history.len()).rev().find(|&cut| {
        bench.sensor.placement_after(cut) == after && history[cut - 1].fact != history[cut].fact
    });
    seen.map_or((history.len(), true), |cut| (cut, false))
}

/// A move that what has come to rest completes without a press.
pub fn at_rest(bench: &Bench<'_>) -> Option<Completed> {
    let reading = bench.reading();
    if let Some(m) = reading.single() {
        let after = bench.game.standing().play(m, bench.game.mode());
        // 6.2.1.1: a move that ends the game needs no press.
        let ends = after.valid().is_some_and(|p| shakmaty::Position::legal_moves(p).is_empty());
        let all = bench.sensor.history().len();
        return ends.then(|| completed(m, after, Completion::GameEnd, bench, (all, false)));
    }
    // 6.2.1.2: a move is also completed by the next move.
    let m = reading.first_of_two()?;
    let after = bench.game.standing().play(m, bench.game.mode());
    Some(completed(m, after, Completion::Reply, bench, cut_of(m, bench)))
}

fn completed(
    m: shakmaty::Move,
    after: Standing,
    completion: Completion,
    bench: &Bench<'_>,
    (changes, inferred): (usize, bool),
) -> Completed {
    let at = bench.sensor.history().last().map_or(Stamp::at(bench.now), |c| c.at);
    let clock = bench.clock.times();
    Completed { body: PlyBody::Legal(m), after, completion, at, facts: Vec::new(), clock, changes, inferred }
}
