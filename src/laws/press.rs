// SPDX-License-Identifier: GPL-3.0-or-later
//! A press that is to be judged: when its evidence is complete, and what it is worth as a press.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Order, Placement, Stamp};

use super::bench::{Bench, Decision};
use super::completion::{self, Judgement};
use super::{NotCovered, Notice, NoticeKind, arbiter, several};
use crate::board::Change;
use crate::table::{Pending, Ply, PlyBody, Reading, one_move_shape};

/// On a line that tells nonsense the board is asked in vain now and then.
const PROOF_PATIENCE: Duration = Duration::from_secs(8);

/// A press that waits for its evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Press {
    /// Who pressed.
    pub by: Colour,
    /// When.
    pub at: Stamp,
    /// Whether it was certainly a press in play: the clock still counted after it, and no position was
    /// being put back.
    pub certain: bool,
    /// White's and Black's time in the reading that showed it.
    pub times: Option<[Duration; 2]>,
    /// The fact that showed it.
    pub fact: u64,
    /// When everything that stood at the press must have been reported.
    pub due: Mono,
    /// When the board was asked to show itself whole once more, before anybody is accused.
    pub asked: Option<Mono>,
    /// It is judged as soon as the board has proven what stands.
    pub awaits_proof: bool,
    /// How many half-moves were completed when it was judged last as the press of the player to move.
    pub plies_when_judged: Option<usize>,
    /// When it is weighed: which of the presses since the last one for a move it is, of those that did not come late
    /// for one before. No fewer half-moves have been made since.
    pub turns: usize,
}

impl Press {
    /// Whether the half-move for which it waited has been completed meanwhile: then it was for that one (6.2.2).
    pub fn is_spent(&self, bench: &Bench<'_>) -> bool {
        self.plies_when_judged.is_some_and(|plies| plies < bench.game.plies().len())
    }
}

/// Whether a press that may have come late for one move is for the next one.
pub(super) enum NewMove {
    Yes,
    No,
    /// Nothing was moved.
    Nothing,
    /// Not, unless it completed what stands there, which is no legal move.
    Unless(Placement),
    IfItStandsUntil(Mono),
}

/// For it if a legal move of the presser, who has the move, stood before the press, or may have and stays.
pub(super) fn for_a_new_move(press: &Press, bench: &Bench<'_>) -> NewMove {
    let made = match completion::judge(press, bench) {
        Judgement::Completed(done) if matches!(done.body, PlyBody::Legal(_)) => done.changes,
        Judgement::Wait(until) => return NewMove::IfItStandsUntil(until),
        Judgement::Answered(_) => return NewMove::Yes,
        Judgement::WithoutMove if follows_the_last_move(press, bench) => return NewMove::Nothing,
        Judgement::Completed(done) => return NewMove::Unless(done.after.placement()),
        _ => return NewMove::No,
    };
    let changes = bench.sensor.history().get(..made).unwrap_or_default();
    let order = |c: &Change| Stamp::order(c.at, press.at);
    if changes.iter().any(|c| order(c) == Order::After) {
        return NewMove::No;
    }
    let stood = changes.iter().all(|c| order(c) == Order::Before);
    let until = changes.last().map_or(bench.now, |last| last.received.after(several::on_its_way(bench)));
    if stood || until <= bench.now { NewMove::Yes } else { NewMove::IfItStandsUntil(until) }
}

/// Whether a press was heard of after the last completed half-move had been seen to be made: only then was it
/// the presser's turn to move something.
pub(super) fn follows_the_last_move(press: &Press, bench: &Bench<'_>) -> bool {
    let made = |ply: &Ply| ply.changes.last().map_or(ply.at.latest, |c| c.received);
    bench.game.plies().last().is_none_or(|ply| press.at.latest >= made(ply))
}

/// Why a press when nothing has been moved does not prove that it was one in play and for no move, if it does not: a
/// lever that moved when the clock may have stood already accuses nobody, nor does one of which a line tells that
/// tells nonsense as well.
pub(super) fn may_be_no_press_without_move(press: &Press, bench: &Bench<'_>) -> Option<NotCovered> {
    if !press.certain {
        return Some(NotCovered::UncertainPress);
    }
    if !follows_the_last_move(press, bench) {
        return Some(NotCovered::PressMayBeLate);
    }
    bench.sensor.heard_noise_since(press.at.earliest).then_some(NotCovered::FaultyLine)
}

/// Whether a player presses so that the other may begin: nothing was played and nothing touched before it.
pub(super) fn starts_the_clock(press: &Press, bench: &Bench<'_>) -> bool {
    let after = |c: &Change| Stamp::order(c.at, press.at) == Order::After;
    let begun = !bench.game.plies().is_empty() || !bench.sensor.history().iter().all(after);
    press.by != bench.game.turn() && !begun
}

/// Whether whoever pressed had put down none of his pieces elsewhere before it.
pub(super) fn has_put_nothing_down(press: &Press, bench: &Bench<'_>) -> bool {
    let settled = bench.game.standing().placement();
    let before = |c: &&Change| Stamp::order(c.at, press.at) != Order::After;
    let mut touched = bench.sensor.history().iter().take_while(before);
    touched.all(|c| !c.after.is_of(press.by) || settled[c.square] == c.after)
}

/// Whether what stands has the shape of a move that may not be played.
pub(super) fn may_be_for_an_illegal_move(bench: &Bench<'_>) -> bool {
    bench.sensor.placement().is_some_and(|stands| {
        let unexplained = matches!(bench.read(stands), Reading::Unexplained { .. });
        unexplained && one_move_shape(bench.game.standing(), stands).is_some()
    })
}

/// A press is judged when its evidence is complete, or when the second look has come.
pub(super) fn is_due(press: &Press, bench: &Bench<'_>) -> bool {
    let proven = press.awaits_proof && !lacks_proof(bench);
    press.due <= bench.now || proven || (press.asked.is_some() && completion::seen_whole_since(press, bench))
}

pub(super) fn may_complete(bench: &Bench<'_>) -> bool {
    bench.in_play && !bench.stands_doubtfully()
}

/// Whether a judgement rests on a square that cannot be relied on.
pub(super) fn is_doubtful(judgement: &Judgement, bench: &Bench<'_>) -> bool {
    (accuses(judgement) && bench.is_disturbed()) || (completes(judgement) && bench.stands_doubtfully())
}

/// Whether somebody is accused by what nobody saw come about.
pub(super) fn accuses_unseen(judgement: &Judgement, bench: &Bench<'_>) -> bool {
    accuses(judgement) && (bench.called || !bench.is_founded())
}

/// Whether what stands may be a false report: then the board has to show it. Of two pieces of which one cannot be
/// there, the other may be the false one.
fn lacks_proof(bench: &Bench<'_>) -> bool {
    bench.sensor.is_unproven(bench.now) || (bench.phantoms && !bench.sensor.is_borne_out())
}

/// Whether what a press is said to complete is borne out.
pub(super) enum Proof {
    Given,
    Awaited(Mono),
    StandsUntil(Mono),
    None,
}

/// On a line that tells nonsense the board has to show what stands before it is believed; and as the press itself
/// may be nonsense, the piece must be on its way no longer.
pub(super) fn proof_of(press: &Press, judgement: &Judgement, bench: &Bench<'_>) -> Proof {
    let patience = press.at.latest.after(PROOF_PATIENCE);
    let awaited = if patience > bench.now { Proof::Awaited(patience) } else { Proof::None };
    match judgement {
        Judgement::Wait(_) => return Proof::Given,
        // What stands is in question: so is that nothing was moved.
        _ if bench.sensor.is_contradicted() => return awaited,
        Judgement::Completed(_) | Judgement::Answered(_) if lacks_proof(bench) => return awaited,
        _ => {}
    }
    let (Judgement::Completed(done) | Judgement::Answered(done)) = judgement else { return Proof::Given };
    let last = done.changes.checked_sub(1).and_then(|last| bench.sensor.history().get(last));
    let stands = last.map_or(bench.now, |last| last.received.after(several::on_its_way(bench)));
    let doubted = bench.sensor.heard_noise_since(press.at.earliest) && stands > bench.now;
    if doubted { Proof::StandsUntil(stands) } else { Proof::Given }
}

const fn completes(judgement: &Judgement) -> bool {
    matches!(judgement, Judgement::Completed(_) | Judgement::Answered(_))
}

pub(super) fn accuses(judgement: &Judgement) -> bool {
    match judgement {
        Judgement::WithoutMove => true,
        Judgement::Completed(done) => matches!(done.body, PlyBody::Irregular { .. }),
        Judgement::Answered(_) | Judgement::Unfinished(_) | Judgement::MovedOn | Judgement::Wait(_) => false,
    }
}

/// Whether a move stands that needs one piece of the player to have turned into another without leaving
/// its square empty: hands do that between two scans, or one false report does.
pub(super) fn rests_on_a_swap(judgement: &Judgement, bench: &Bench<'_>) -> bool {
    let Judgement::Completed(done) = judgement else { return false };
    let mover = bench.game.turn();
    let changes = bench.sensor.history().get(..done.changes).unwrap_or_default();
    changes.iter().any(|c| c.before.is_of(mover) && c.after.is_of(mover))
}

/// While pieces are put back, a press waits for the replacement to come to rest; what then stands
/// may be play.
pub(super) fn wait_for_play(bench: &Bench<'_>) -> Option<Mono> {
    let waits = bench.restoring && bench.reading().single().is_some();
    bench.sensor.rest_due().filter(|&due| waits && due > bench.now)
}

/// What a press was for is not known.
pub(super) fn left(why: NotCovered, press: &Press, bench: &Bench<'_>) -> Decision {
    arbiter::not_ruled(why, Some(press.by), vec![press.fact], bench)
}

pub(super) fn unfinished(press: &Press, pending: Option<Pending>, bench: &Bench<'_>) -> Notice {
    let not_covered = (pending == Some(Pending::Promotion)).then_some(NotCovered::PromotionNotReplaced);
    let kind = if not_covered.is_some() { NoticeKind::NotRuled } else { NoticeKind::UnfinishedMove };
    let settled = bench.game.standing().placement();
    let differing = bench.sensor.placement().map(|stands| settled.differences(stands).collect());
    Notice {
        squares: differing.unwrap_or_default(),
        side: Some(press.by),
        not_covered,
        evidence: vec![press.fact],
        ..Notice::new(kind, bench.now)
    }
}
