// SPDX-License-Identifier: GPL-3.0-or-later
//! When a move is completed (FIDE 6.2.1): by the press, by the opponent's released reply, or by
//! ending the game.
//!
//! A board lags behind the clock, so a press is judged only when everything that stood at it
//! must have been reported; and since the reports around it have no provable order, every
//! placement that may have stood at the press is considered. A legal move is preferred to
//! anything else, and what is no legal move accuses only when one hand can have done nothing
//! else: nobody is charged with what the evidence lets him escape.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Occupant, Order, Placement, Role, Square, Stamp};

use super::bench::{Bench, Completed};
use super::displaced;
use super::press::Press;
use super::several::{self, LOOK_BACK};
use crate::board::{Change, hardware_square};
use crate::table::{Completion, Pending, PlyBody, Reading, Standing, landing, one_move_shape, opponent};

/// A move that ends the game ends it without a press, so how long it must stand cannot be left to
/// the shortest rest: a piece that is put down on its way stands up to a second.
pub const END_DWELL: Duration = Duration::from_secs(2);

/// What a press completed.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// A half-move, legal or not.
    Completed(Box<Completed>),
    /// A half-move that was answered before the press, which is for a later one.
    Answered(Box<Completed>),
    /// Nothing was moved.
    WithoutMove,
    /// A move that has begun and is not complete on the board.
    Unfinished(Option<Pending>),
    /// What may not be played stands, or nothing, and what may be played stood before it: whose hand went on is not
    /// known.
    MovedOn,
    /// The board has not come to rest: ask again then.
    Wait(Mono),
}

/// Judges a press of the player to move.
pub fn judge(press: &Press, bench: &Bench<'_>) -> Judgement {
    let history = bench.sensor.history();
    let first =
        history.iter().position(|c| Stamp::order(c.at, press.at) != Order::Before).unwrap_or(history.len());
    let judgement = legal_at_press(press, bench, first)
        .or_else(|| illegal_at_press(press, bench, first))
        .or_else(|| nothing_at_press(press, bench, first))
        .unwrap_or_else(|| rest_due(bench).map_or(Judgement::Unfinished(None), Judgement::Wait));
    match judgement {
        Judgement::Unfinished(None) => match displaced::at_press(press, bench, first) {
            // The opponent begins to take one, or the hand goes on: what is put down next shows it.
            Some(_) if bench.now < in_the_air(press, bench) => Judgement::Wait(bench.now.after(LOOK_AGAIN)),
            knocked_over => knocked_over.unwrap_or(judgement),
        },
        judgement => judgement,
    }
}

fn legal_at_press(press: &Press, bench: &Bench<'_>, first: usize) -> Option<Judgement> {
    let history = bench.sensor.history();
    // What was missed and found later tells only what stands in the end.
    let first = if arrivals_seen(bench) { first } else { history.len() };
    for cut in (first..=last_at(press, bench)).rev() {
        if !one_hand(press.by, bench, cut) {
            continue;
        }
        let Some(m) = placements(press, bench, cut).find_map(|p| bench.stands(&p)) else { continue };
        if !several::parts(history, cut) {
            match taken_up_upon(press, bench, first..cut) {
                Some((stood, made)) if !lies_between(stood, m) => {
                    return Some(Judgement::Completed(Box::new(legal(stood, press, bench, (made, false)))));
                }
                _ => continue,
            }
        }
        match after(press.by, &history[cut..]) {
            After::Opponents if several::may_have_gone_on(m, bench, cut..=history.len()) => {}
            After::Opponents => {
                let cut = made_at(m, cut, bench);
                return Some(Judgement::Completed(Box::new(legal(m, press, bench, (cut, false)))));
            }
            // A piece of his is off the board: by his own hand, if it is the moved one and slides on, or by the
            // opponent's, who takes it. Which of them shows where the next piece is put down.
            After::Open => {
                let several = played_on(press, bench, first);
                return Some(several.unwrap_or_else(|| {
                    if bench.now < in_the_air(press, bench) {
                        Judgement::Wait(bench.now.after(LOOK_AGAIN))
                    } else {
                        let made = made_at(m, cut, bench);
                        let done = || Box::new(legal(m, press, bench, (made, false)));
                        let takes = opponent_takes(press.by, m, &history[made..]);
                        if takes { Judgement::Completed(done()) } else { Judgement::Unfinished(None) }
                    }
                }));
            }
            After::Own => {}
        }
    }
    played_on(press, bench, first)
}

/// After how many changes at most what stood at a press stood: what he certainly put down after his press did not
/// stand at it.
pub(super) fn last_at(press: &Press, bench: &Bench<'_>) -> usize {
    let history = bench.sensor.history();
    let later = |c: &Change| c.after.is_of(press.by) && Stamp::order(c.at, press.at) == Order::After;
    history.iter().position(later).unwrap_or(history.len())
}

/// The last legal move among the placements of `cuts` upon which the opponent had taken up a piece of his:
/// whoever replies has seen the move released.
fn taken_up_upon(
    press: &Press,
    bench: &Bench<'_>,
    cuts: std::ops::Range<usize>,
) -> Option<(shakmaty::Move, usize)> {
    let history = bench.sensor.history();
    let seen = |cut: &usize| several::between_scans(history, *cut) && one_hand(press.by, bench, *cut);
    cuts.rev().filter(seen).find_map(|cut| {
        let m = bench.stands(&bench.sensor.placement_after(cut))?;
        let made = made_at(m, cut, bench);
        let stood = bench.reading_after(made).single() == Some(m);
        (stood && bench.reading_after(cut).single().is_none()).then_some((m, made))
    })
}

/// Whether a piece that is moved as in `m` comes over the square where it stands after `stood`: there it may have
/// rested, and the opponent have been early.
fn lies_between(stood: shakmaty::Move, m: shakmaty::Move) -> bool {
    let between = |from| shakmaty::attacks::between(from, m.to()).contains(stood.to());
    m.from() == stood.from() && m.from().is_some_and(between)
}

/// Whether the opponent has taken up a piece beside the one that is off the board, and that is not the moved one:
/// he takes it.
fn opponent_takes(presser: Colour, m: shakmaty::Move, since: &[Change]) -> bool {
    let his = |c: &Change| c.before.is_of(opponent(presser)) && c.after == Occupant::Empty;
    since.iter().any(his) && !several::lifted(since, landing(m))
}

/// Both have moved and what came first is certain all the same.
fn played_on(press: &Press, bench: &Bench<'_>, first: usize) -> Option<Judgement> {
    if let Some((m, cut)) = seen_answered(bench) {
        return Some(Judgement::Completed(Box::new(legal(m, press, bench, (cut, false)))));
    }
    if let Some(found) = several::first_of_two(bench, first).filter(|_| press.turns <= 2) {
        let done = Judgement::Completed(Box::new(legal(found.m, press, bench, (found.own, true))));
        return Some(unless_on_its_way(&found, done, bench));
    }
    // He has moved twice, and pressed for the second one.
    let found = several::first_of_three(bench).filter(|_| press.turns <= 3)?;
    let done = Judgement::Answered(Box::new(replied(found.m, bench, (found.own, true))));
    Some(unless_on_its_way(&found, done, bench))
}

/// What was taken unseen may be on its way yet: it is waited for so long.
fn unless_on_its_way(found: &several::First, done: Judgement, bench: &Bench<'_>) -> Judgement {
    found.settles(several::on_its_way(bench), bench.now).map_or(done, Judgement::Wait)
}

/// How long a press waits for what is in the air to be put down: longer than a hand carries a piece. What is
/// out of place then was knocked over.
const IN_THE_AIR: Duration = Duration::from_secs(2);

/// Until when it may be: the board tells late of what was put down.
fn in_the_air(press: &Press, bench: &Bench<'_>) -> Mono {
    press.at.latest.after(bench.board_lag).after(IN_THE_AIR)
}

/// How often it is looked for meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// What is no legal move: the first placement that explains it, since what follows is the
/// opponent's hand.
fn illegal_at_press(press: &Press, bench: &Bench<'_>, first: usize) -> Option<Judgement> {
    let history = bench.sensor.history();
    (first..=last_at(press, bench)).find_map(|cut| {
        let alone = after(press.by, &history[cut..]) == After::Opponents && one_hand(press.by, bench, cut);
        if !alone {
            return None;
        }
        let done = placements(press, bench, cut).find_map(|p| {
            matches!(bench.read(&p), Reading::Unexplained { .. })
                .then(|| irregular(press, bench, cut, &p))
                .flatten()
        });
        let played = |cut| three_led_to(press, bench, cut);
        let done = done.filter(|_| !(cut.saturating_sub(LOOK_BACK).max(first)..=cut).any(played))?;
        let judgement = if stood_at_press(press, bench, first..cut) {
            Judgement::MovedOn
        } else {
            Judgement::Completed(Box::new(done))
        };
        Some(rested_by(bench, cut).map_or(judgement, Judgement::Wait))
    })
}

/// Whether a legal move may have stood when it was pressed for, after one of `cuts`. If then something else came to
/// stand, or what stood before, the opponent may have moved it: a board does not tell whose hand that was.
fn stood_at_press(press: &Press, bench: &Bench<'_>, cuts: std::ops::Range<usize>) -> bool {
    let stood = |cut| placements(press, bench, cut).any(|p| bench.stands(&p).is_some());
    cuts.rev().take(LOOK_BACK).any(|cut| one_hand(press.by, bench, cut) && stood(cut))
}

/// What three half-moves led to, of which each is legal, is nobody's fault, whatever came after. A piece that never
/// left its square made none of them, if nothing was missed.
fn three_led_to(press: &Press, bench: &Bench<'_>, cut: usize) -> bool {
    let changes = bench.sensor.history().get(..cut).unwrap_or_default();
    let missed = !each_seen(bench, bench.sensor.history().len());
    let left =
        |m: &shakmaty::Move| m.from().is_some_and(|from| several::left(changes, hardware_square(from)));
    let played = |line: &Vec<shakmaty::Move>| missed || line.iter().all(left);
    placements(press, bench, cut).any(|p| bench.game.reader().three_plies(&p).iter().any(played))
}

fn nothing_at_press(press: &Press, bench: &Bench<'_>, first: usize) -> Option<Judgement> {
    let history = bench.sensor.history();
    (first..=history.len()).rev().find_map(|cut| {
        if after(press.by, &history[cut..]) != After::Opponents {
            return None;
        }
        let judgement = placements(press, bench, cut).find_map(|p| match bench.read(&p) {
            // He may have moved, taken back what took there, and stand where he stood.
            Reading::AsSettled if three_led_to(press, bench, cut) => Some(Judgement::Unfinished(None)),
            Reading::AsSettled if stood_at_press(press, bench, first..cut) => Some(Judgement::MovedOn),
            Reading::AsSettled => Some(Judgement::WithoutMove),
            Reading::Pending(p) => Some(Judgement::Unfinished(Some(p))),
            _ => None,
        })?;
        Some(rested_by(bench, cut).map_or(judgement, Judgement::Wait))
    })
}

/// What may have stood at the press after `cut` changes: what was reported, and the same with
/// those pieces of the opponent still on their squares that may have been lifted only after it (a
/// board reports two hands' work of one scan in the order of the squares).
pub(super) fn placements<'a>(
    press: &'a Press,
    bench: &'a Bench<'_>,
    cut: usize,
) -> impl Iterator<Item = Placement> + 'a {
    let reported = bench.sensor.placement_after(cut);
    let mut before_reply = reported;
    for change in bench.sensor.history().iter().take(cut) {
        let theirs = change.before.piece().is_some_and(|p| p.colour != press.by);
        let may_be_later = Stamp::order(change.at, press.at) != Order::Before;
        if theirs && may_be_later && reported[change.square] == Occupant::Empty {
            before_reply[change.square] = change.before;
        }
    }
    [reported].into_iter().chain((before_reply != reported).then_some(before_reply))
}

/// Whose hand the changes after a placement can have been.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// All of them the opponent's.
    Opponents,
    /// The presser's piece was lifted, by one of the two.
    Open,
    /// Some of them the presser's.
    Own,
}

pub(super) fn after(presser: Colour, rest: &[Change]) -> After {
    let theirs = |o: Occupant| o.is_of(opponent(presser));
    let ours = |o: Occupant| o.is_of(presser);
    // What is brushed and stands where it stood is nobody's move.
    let stood = |square: Square| rest.iter().find(|c| c.square == square).map(|c| c.before);
    let back = |c: &Change| stood(c.square) == Some(c.after);
    if rest.iter().any(|c| !back(c) && (ours(c.after) || (c.after != Occupant::Empty && !theirs(c.after)))) {
        return After::Own;
    }
    let stands = |square: Square| rest.iter().rev().find(|c| c.square == square).map(|c| c.after);
    let gone = |c: &&Change| ours(c.before) && stands(c.square) != Some(c.before);
    let lifted: Vec<Square> = rest.iter().filter(gone).map(|c| c.square).collect();
    let taken =
        |s: &Square| rest.iter().any(|c| theirs(c.after) && (c.square == *s || passes(presser, *s, c)));
    if lifted.iter().all(taken) { After::Opponents } else { After::Open }
}

/// Whether `change` puts a pawn of the opponent's where it takes in passing what stood on `square`
/// (3.7.3.1): directly behind a pawn that came two squares.
fn passes(presser: Colour, square: Square, change: &Change) -> bool {
    let pawn = change.after.piece().is_some_and(|p| p.role == Role::Pawn);
    let (two_squares_on, behind) = match presser {
        Colour::White => (3, 2),
        Colour::Black => (4, 5),
    };
    let file = square.file() == change.square.file();
    pawn && file && square.rank() == two_squares_on && change.square.rank() == behind
}

/// When the board will have come to rest, if it has not.
fn rest_due(bench: &Bench<'_>) -> Option<Mono> {
    rested_by(bench, bench.sensor.history().len())
}

/// When what stood after `cut` changes will have rested, if that is still to come: a piece that
/// is caught on its way accuses nobody.
fn rested_by(bench: &Bench<'_>, cut: usize) -> Option<Mono> {
    let last = cut.checked_sub(1).and_then(|i| bench.sensor.history().get(i))?;
    let rested = last.received.after(bench.rulebook.release_dwell);
    (rested > bench.now).then_some(rested)
}

pub(super) fn legal(
    m: shakmaty::Move,
    press: &Press,
    bench: &Bench<'_>,
    (cut, inferred): (usize, bool),
) -> Completed {
    Completed {
        body: PlyBody::Legal(m),
        after: bench.game.standing().play(m, bench.game.mode()),
        completion: Completion::Press,
        at: press.at,
        facts: vec![press.fact],
        clock: press.times,
        changes: cut,
        inferred,
        confirmed: true,
        left_open: false,
        displaced: Vec::new(),
    }
}

fn irregular(press: &Press, bench: &Bench<'_>, cut: usize, placement: &Placement) -> Option<Completed> {
    let (from, to) = one_move_shape(bench.game.standing(), placement)?;
    if !each_seen(bench, cut) {
        return None;
    }
    Some(Completed {
        body: PlyBody::Irregular { from, to },
        after: bench.game.standing().after_irregular(placement, bench.game.mode()),
        completion: Completion::Press,
        at: press.at,
        facts: vec![press.fact],
        clock: press.times,
        changes: cut,
        inferred: false,
        confirmed: seen_whole_since(press, bench),
        left_open: false,
        displaced: Vec::new(),
    })
}

/// Whether the whole board was reported as it stood after the press: a change that was lost on the
/// line shows there, and accuses nobody. An answer that came after the press and may be older than
/// it proves nothing.
pub fn seen_whole_since(press: &Press, bench: &Bench<'_>) -> bool {
    bench.sensor.last_whole().is_some_and(|t| t >= press.at.latest)
}

/// Whether the changes up to `cut` are one player's doing: of the opponent's pieces none stood
/// anywhere but on its own square meanwhile. Several plies can look like one odd move in the end.
pub(super) fn one_hand(mover: Colour, bench: &Bench<'_>, cut: usize) -> bool {
    let before = bench.game.standing().placement();
    let changes = bench.sensor.history().get(..cut).unwrap_or_default();
    changes.iter().all(|c| {
        let theirs = c.after.piece().is_some_and(|p| p.colour != mover);
        !theirs || before[c.square] == c.after
    })
}

/// More than one ply fits into a longer time than this, whatever lag a board tells.
const ONE_PLY: Duration = Duration::from_secs(3);

/// Whether each change was seen when it happened: what was missed and only found later in a whole
/// report may be more than one ply, and accuses nobody.
fn each_seen(bench: &Bench<'_>, cut: usize) -> bool {
    bench.sensor.history().iter().take(cut).all(|c| is_prompt(c, bench))
}

fn is_prompt(change: &Change, bench: &Bench<'_>) -> bool {
    change.at.uncertainty() <= (bench.board_lag * 2).min(ONE_PLY)
}

/// What was found later is as good as seen if no more fits into the time than both have pressed for.
fn seen(change: &Change, bench: &Bench<'_>) -> bool {
    let pressed_for = bench.pressed_back && change.at.uncertainty() <= ONE_PLY;
    !change.missed || is_prompt(change, bench) || pressed_for
}

/// Whether each piece that was put down was seen to be: one that was only found later may have gone there in any
/// number of half-moves. One that is found where it stood before was only brushed.
pub(super) fn arrivals_seen(bench: &Bench<'_>) -> bool {
    let settled = bench.game.standing().placement();
    let stays = |c: &Change| c.after == Occupant::Empty || c.after == settled[c.square];
    bench.sensor.history().iter().all(|c| stays(c) || seen(c, bench))
}

/// A move that was seen to stand and then to be answered. What stands in the end may hide it: after
/// a pawn has taken back where a pawn was taken, two pieces seem to be missing and nothing else; and the
/// answer may have been answered itself. With the number of changes that are its own.
fn seen_answered(bench: &Bench<'_>) -> Option<(shakmaty::Move, usize)> {
    if !arrivals_seen(bench) {
        return None;
    }
    let mover = bench.game.turn();
    let history = bench.sensor.history();
    let changes = history.len();
    (changes.saturating_sub(LOOK_BACK)..changes).rev().find_map(|cut| {
        let stands = || bench.stands(&bench.sensor.placement_after(cut));
        let m = several::parts(history, cut).then(stands)?.filter(|_| one_hand(mover, bench, cut))?;
        let next = bench.game.standing().play(m, bench.game.mode());
        let end = answer_stood(m, &next, cut, bench)?;
        (!several::may_have_gone_on(m, bench, cut..=end)).then(|| (m, made_at(m, cut, bench)))
    })
}

/// The first moment up to `cut` at which `m` stood and after which only the opponent touched: what he
/// lifts and puts back before he replies is his touch (1.3, 4.3), and no part of the move before.
fn made_at(m: shakmaty::Move, cut: usize, bench: &Bench<'_>) -> usize {
    let mover = bench.game.turn();
    let history = bench.sensor.history();
    let stood = |at: &usize| bench.reading_after(*at).single() == Some(m);
    (cut.saturating_sub(LOOK_BACK)..cut)
        .find(|at| stood(at) && after(mover, &history[*at..cut]) == After::Opponents)
        .unwrap_or(cut)
}

/// The legal move of the player to move that certainly had been made on the board at `at` and is not
/// completed, and the number of changes after which it stood.
pub fn made_by(at: Stamp, bench: &Bench<'_>) -> Option<(shakmaty::Move, usize)> {
    let history = bench.sensor.history();
    let mover = bench.game.turn();
    let before = history.iter().take_while(|c| Stamp::order(c.at, at) == Order::Before).count();
    (before.saturating_sub(LOOK_BACK)..=before).find_map(|cut| {
        let alone = one_hand(mover, bench, cut) && after(mover, &history[cut..before]) == After::Opponents;
        bench.reading_after(cut).single().filter(|m| alone && bench.goes_on_from_base(*m)).map(|m| (m, cut))
    })
}

/// If after `cut` changes the opponent alone played to a legal move, and either that stands in the end or the mover
/// has put down a piece since (then the answer was released): the number of changes after which it did. It still
/// stands when the mover has taken up a piece upon it, his own or one that he is going to take; the piece of the
/// move only if that had come to rest, for else it was on its way.
fn answer_stood(m: shakmaty::Move, next: &Standing, cut: usize, bench: &Bench<'_>) -> Option<usize> {
    let mover = bench.game.turn();
    let history = bench.sensor.history();
    let answer_to = bench.game.reader().after(m)?;
    let moved = next.placement()[landing(m)];
    (cut + 1..=history.len()).rev().find(|&end| {
        let (reply, rest) = (&history[cut..end], &history[end..]);
        let stands = bench.sensor.placement_after(end);
        let played_on = rest.iter().any(|c| c.after.is_of(mover) && stands[c.square] != c.after);
        let released = several::released(reply, opponent(mover));
        let came_to_rest = || several::stays(bench, &history[..end], landing(m), moved);
        let in_a_hand = |s| several::lifted(released, s) && (s != landing(m) || came_to_rest());
        // The move's own piece is seen to stand until then: in whatever order one scan tells, and none was missed.
        let goes = |c: &&Change| c.square == landing(m);
        let goes_later = several::parts(history, end) && rest.iter().filter(goes).all(|c| seen(c, bench));
        let stood = (rest.is_empty() || played_on) && (goes_later || !rest.iter().any(|c| goes(&c)));
        let answer = || answer_to.read(&stands).single_less(in_a_hand);
        stood && after(mover, reply) != After::Own && answer().is_some()
    })
}

/// Whether the move that was pressed for too early stands by now. It is not completed by that press, for the
/// piece may go on, and the opponent may press back.
pub fn released_since(press: &Press, bench: &Bench<'_>) -> bool {
    let all = bench.sensor.history().len();
    let stands = bench.stands(&bench.sensor.placement_after(all)).is_some();
    press.by == bench.game.turn() && stands && one_hand(press.by, bench, all)
}

/// The move that a released reply completes (6.2.1.2).
pub fn answered(bench: &Bench<'_>) -> Option<Completed> {
    seen_answered(bench).map(|(m, cut)| replied(m, bench, (cut, false)))
}

fn replied(m: shakmaty::Move, bench: &Bench<'_>, cut: (usize, bool)) -> Completed {
    let after = bench.game.standing().play(m, bench.game.mode());
    completed(m, after, Completion::Reply, bench, cut)
}

/// The same, as the press of the player who replied tells: he has replied. Nothing, if he has not. `turns`: as of
/// [`Press::turns`].
pub fn answered_and_pressed(turns: usize, bench: &Bench<'_>) -> Option<Judgement> {
    let completed = |done| Judgement::Completed(Box::new(done));
    if let Some(done) = answered(bench) {
        return Some(completed(done));
    }
    let found = first_of_several(turns, bench)?;
    let done = completed(replied(found.m, bench, (found.own, true)));
    Some(unless_on_its_way(&found, done, bench))
}

/// What a placement at rest completes without a press.
pub enum AtRest {
    /// A half-move.
    Completed(Box<Completed>),
    /// A move that ends the game, if it still stands then.
    EndsAt(Mono),
    /// Perhaps a half-move, if it still stands then.
    LooksAt(Mono),
    /// A move that ends the game, if the board shows that it has stood long enough: that nothing was
    /// heard may as well mean that nothing was heard of.
    NotShown,
    /// Nothing.
    Nothing,
}

/// Looks at what has come to rest, while a game is being played. `pressed`: a press has come that completed
/// nothing yet. `turns`: as of [`Press::turns`].
pub fn at_rest(bench: &Bench<'_>, pressed: bool, turns: usize) -> AtRest {
    let history = bench.sensor.history();
    // Pieces that are shown while the clock stands are no play.
    let play = bench.in_play && !bench.stands_doubtfully() && !bench.sensor.is_unproven(bench.now);
    let Some(last) = history.last().filter(|c| play && bench.clock.counted_at(c.at)) else {
        return AtRest::Nothing;
    };
    if let Some(m) =
        bench.reading().single().filter(|m| bench.goes_on_from_base(*m) && seen_answered(bench).is_none())
    {
        let after = bench.game.standing().play(m, bench.game.mode());
        // 6.2.1.1: a move that ends the game needs no press.
        if !after.valid().is_some_and(|p| shakmaty::Position::legal_moves(p).is_empty()) {
            return AtRest::Nothing;
        }
        let ends = last.received.after(END_DWELL);
        if !end_was_seen(bench) {
            // Asked so late, one answer does.
            let shows = ends.after(bench.board_lag);
            return if shows > bench.now { AtRest::EndsAt(shows) } else { AtRest::NotShown };
        }
        let all = history.len();
        return AtRest::Completed(Box::new(completed(m, after, Completion::GameEnd, bench, (all, false))));
    }
    if let Some(done) = answered(bench) {
        return AtRest::Completed(Box::new(done));
    }
    let replied = bench.sensor.has_put_down(opponent(bench.game.turn()), &bench.game.standing().placement());
    match bench.reading() {
        Reading::Legal { .. } | Reading::Unexplained { .. } if replied => {
            several_at_rest(bench, last.received, (pressed, turns))
        }
        _ => AtRest::Nothing,
    }
}

/// Several half-moves that no press tells of: it is certain only after a while that nothing is on its way.
fn several_at_rest(bench: &Bench<'_>, last: Mono, (pressed, turns): (bool, usize)) -> AtRest {
    let Some(found) = first_of_several(turns, bench) else { return AtRest::Nothing };
    if found.took_unseen.is_some() && bench.clock.was_heard() && !pressed {
        // The press will tell.
        return AtRest::Nothing;
    }
    let rests = last.after(several::ON_ITS_WAY);
    let stays = several::STAYS_UNSEEN.max(several::on_its_way(bench));
    let settles = found.took_unseen.map_or(rests, |came| came.after(stays));
    if settles > bench.now {
        return AtRest::LooksAt(settles);
    }
    AtRest::Completed(Box::new(replied(found.m, bench, (found.own, true))))
}

/// The first of two or of three half-moves that lead to what stands now, `turns` of which were pressed for.
fn first_of_several(turns: usize, bench: &Bench<'_>) -> Option<several::First> {
    let all = bench.sensor.history().len();
    let two = several::first_of_two(bench, all).filter(|_| turns <= 2);
    two.or_else(|| several::first_of_three(bench).filter(|_| turns <= 3))
}

/// Whether the board has shown itself since what stands has stood long enough to end the game.
pub fn end_was_seen(bench: &Bench<'_>) -> bool {
    let last = bench.sensor.history().last();
    last.is_none_or(|last| bench.sensor.last_whole() >= Some(last.received.after(END_DWELL)))
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
    Completed {
        body: PlyBody::Legal(m),
        after,
        completion,
        at,
        facts: Vec::new(),
        clock,
        changes,
        inferred,
        confirmed: true,
        left_open: false,
        displaced: Vec::new(),
    }
}
