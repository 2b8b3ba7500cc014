// SPDX-License-Identifier: GPL-3.0-or-later
//! Claims of touch-move (FIDE 4.3, 4.5, 4.8).

use arbiterd_board::{Colour, Order, Stamp};
use shakmaty::Move;

use super::arbiter::{Arbiter, not_ruled};
use super::bench::{Bench, Decision};
use super::claims::OpenClaim;
use super::game_end::{articles, draft};
use super::touch_move::{Obligation, Touch, before_the_move, may_hide_a_touch, obligation, touches};
use super::{
    Authority, Certainty, Matter, NotCovered, NotObservable, Ruling, RulingKind, completion, window,
};
use crate::board::{Change, chess_square};
use crate::table::{Claim, Ply, PlyBody, Reader, Reading, Standing, opponent};

/// Decides a touch-move claim; `None` while what the accused does with what he touched is still
/// to be seen.
pub fn decide(claim: &mut OpenClaim, bench: &Bench<'_>) -> Option<Decision> {
    let known = window::plies_made_at(opponent(claim.against), claim.at, bench);
    let on_move = match bench.game.plies().get(known) {
        Some(next) => next.by,
        None => bench.game.turn(),
    };
    // 1.3: a player has the move when his opponent's has been made, completed or not. What he has touched
    // since is what is meant.
    if on_move != claim.against && bench.game.plies().len() == known && touched_in_reply(claim, bench) {
        claim.plies = known + 2;
        return None;
    }
    claim.plies = known + 1;
    if on_move != claim.against {
        let Some(index) = known.checked_sub(1) else { return Some(without_ground(claim, bench)) };
        return Some(of_ply(index, claim, bench));
    }
    // He was on the move when it was claimed: the move he has completed since is what counts.
    match bench.game.plies().get(known) {
        Some(_) => Some(of_ply(known, claim, bench)),
        None => before_completion(claim, bench),
    }
}

/// Whether the accused had touched a piece of his, when it was claimed, after a move of his opponent that
/// was made and is not completed.
fn touched_in_reply(claim: &OpenClaim, bench: &Bench<'_>) -> bool {
    let history = bench.sensor.history();
    let Some((_, made)) = completion::made_by(claim.at, bench) else { return false };
    let before = |c: &&Change| Stamp::order(c.at, claim.at) != Order::After;
    let since: Vec<_> = history.iter().skip(made).take_while(before).copied().collect();
    touches(&bench.sensor.placement_after(made), &since).iter().any(|t| t.piece.colour == claim.against)
}

/// The move was completed: did it leave an obligation unfulfilled?
fn of_ply(index: usize, claim: &OpenClaim, bench: &Bench<'_>) -> Decision {
    let Some(ply) = bench.game.plies().get(index) else { return without_ground(claim, bench) };
    // Neither that he touched is known then, nor that the claimant has since.
    if bench.game.plies().iter().skip(index).any(Ply::is_disturbed) || bench.is_disturbed() {
        return not_ruled(NotCovered::Disturbed, Some(ply.by), evidence(ply, claim), bench);
    }
    // 4.8: the right to claim ends when the claimant touches a piece himself.
    if let Some(claimant) = claim.claimant()
        && let Some(lifted) = touched_after(index, claimant, bench)
        && Stamp::order(lifted.at, claim.at) == Order::Before
    {
        return too_late(claim, claimant, lifted, bench);
    }
    if may_hide_a_touch(&ply.changes, bench.board_lag) {
        return not_ruled(NotCovered::NotWatched, Some(ply.by), evidence(ply, claim), bench);
    }
    if ply.inferred {
        return not_ruled(NotCovered::InferredMove, Some(ply.by), evidence(ply, claim), bench);
    }
    // Which piece was touched first is not known then.
    if !ply.watched.board {
        return not_ruled(NotCovered::NotWatched, Some(ply.by), evidence(ply, claim), bench);
    }
    let all = touches(&ply.before.placement(), &ply.changes);
    let touched = before_the_move(&all, ply.from());
    let bound = match obligation(&ply.before, ply.by, touched) {
        Err(why) => return not_ruled(why, Some(ply.by), evidence(ply, claim), bench),
        Ok(bound) => bound,
    };
    if (!bound.binds || satisfied(ply, &bound)) && was_released(&ply.before, &ply.changes, ply.legal(), bench)
    {
        return not_ruled(NotCovered::ReleasedPiece, Some(ply.by), evidence(ply, claim), bench);
    }
    if !bound.binds || satisfied(ply, &bound) {
        return rejected(claim, evidence(ply, claim), bound, bench);
    }
    let mut ruling = upheld(ply.by, touched, bound, evidence(ply, claim), bench);
    ruling.articles =
        articles(ruling.articles.clone().into_iter().chain(bench.rulebook.articles(Matter::TouchClaimLost)));
    ruling.consequence.restore = Some(ply.before.fen());
    Decision::Rule { ruling: Box::new(ruling), take_back_to: Some(index) }
}

/// Whether a legal move stood for so long that its piece may have been released, and is not the one that was played:
/// it may have been taken back then (4.7).
fn was_released(before: &Standing, changes: &[Change], played: Option<Move>, bench: &Bench<'_>) -> bool {
    let reader = Reader::new(before, bench.game.mode());
    let mut stands = before.placement();
    changes.windows(2).any(|pair| {
        stands[pair[0].square] = pair[0].after;
        let rested = pair[1].received.since(pair[0].received) >= bench.rulebook.release_dwell;
        rested && reader.read(&stands).single().is_some_and(|m| Some(m) != played)
    })
}

fn satisfied(ply: &Ply, bound: &Obligation) -> bool {
    match ply.body {
        PlyBody::Legal(m) => bound.allowed.contains(&m),
        PlyBody::Irregular { from, .. } => bound.allowed.iter().any(|m| m.from() == Some(chess_square(from))),
    }
}

/// While the player has not completed a move: with a piece in hand or a move on the board it is
/// still to be seen, and in a position that may be cancelled nothing binds yet.
fn before_completion(claim: &OpenClaim, bench: &Bench<'_>) -> Option<Decision> {
    let facts: Vec<u64> = bench.sensor.history().iter().map(|c| c.fact).chain([claim.fact]).collect();
    if bench.is_disturbed() {
        return Some(not_ruled(NotCovered::Disturbed, Some(claim.against), facts, bench));
    }
    if may_hide_a_touch(bench.sensor.history(), bench.board_lag) {
        return Some(not_ruled(NotCovered::NotWatched, Some(claim.against), facts, bench));
    }
    if !bench.watched.board {
        return Some(not_ruled(NotCovered::NotWatched, Some(claim.against), facts, bench));
    }
    let touched = touches(bench.sensor.base(), bench.sensor.history());
    if touched.is_empty() {
        return Some(without_ground(claim, bench));
    }
    if bench.reading() != Reading::AsSettled || bench.game.standing().valid().is_none() {
        return None;
    }
    if was_released(bench.game.standing(), bench.sensor.history(), None, bench) {
        return Some(not_ruled(NotCovered::ReleasedPiece, Some(claim.against), facts, bench));
    }
    Some(match obligation(bench.game.standing(), claim.against, &touched) {
        Err(why) => not_ruled(why, Some(claim.against), facts, bench),
        Ok(bound) if !bound.binds => rejected(claim, facts, bound, bench),
        Ok(bound) => rule(upheld(claim.against, &touched, bound, facts, bench)),
    })
}

fn upheld(by: Colour, touched: &[Touch], bound: Obligation, facts: Vec<u64>, bench: &Bench<'_>) -> Ruling {
    let mut ruling = draft(RulingKind::TouchMove, bench, facts);
    ruling.offender = Some(by);
    ruling.articles =
        articles(bench.rulebook.articles(bound.matter).chain(bench.rulebook.articles(Matter::TouchIntent)));
    ruling.consequence.required_moves = bound.uci(bench.game.mode());
    ruling.consequence.free_touch = bound.free;
    // 4.2.2: any touch counts but a clearly accidental one, and that is for a person to say.
    ruling.not_observable = vec![NotObservable::Intent];
    // Whose hand lifted an opponent's piece a board cannot see: his own may have straightened it.
    if touched.iter().any(|t| t.piece.colour != by) {
        ruling.certainty = Certainty::Likely;
        ruling.authority = Authority::Proposed;
        ruling.not_observable.push(NotObservable::Hand);
    }
    ruling
}

fn rejected(claim: &OpenClaim, facts: Vec<u64>, bound: Obligation, bench: &Bench<'_>) -> Decision {
    let mut ruling = draft(RulingKind::ClaimRejected, bench, facts);
    ruling.offender = claim.claimant();
    // 4.5 where something touched could not move; otherwise he moved what he had to (4.3).
    let nothing_could = !bound.free.is_empty() || bound.matter == Matter::TouchFree;
    let matter = if nothing_could { Matter::TouchFree } else { Matter::TouchOwn };
    ruling.articles = bench.rulebook.articles(matter).collect();
    ruling.consequence.free_touch = bound.free;
    rule(ruling)
}

fn without_ground(claim: &OpenClaim, bench: &Bench<'_>) -> Decision {
    let mut ruling = draft(RulingKind::ClaimRejected, bench, vec![claim.fact]);
    ruling.offender = claim.claimant();
    ruling.articles = bench.rulebook.articles(Matter::TouchOwn).collect();
    rule(ruling)
}

/// The first own piece that the claimant touched after the half-move `index`.
fn touched_after(index: usize, claimant: Colour, bench: &Bench<'_>) -> Option<Touch> {
    let first_own = |touched: Vec<Touch>| touched.into_iter().find(|t| t.piece.colour == claimant);
    let completed = bench.game.plies().iter().skip(index + 1);
    completed
        .filter_map(|p| first_own(touches(&p.before.placement(), &p.changes)))
        .chain(first_own(touches(bench.sensor.base(), bench.sensor.history())))
        .next()
}

fn too_late(claim: &OpenClaim, claimant: Colour, lifted: Touch, bench: &Bench<'_>) -> Decision {
    let of_lift = bench.sensor.history().iter().filter(|c| c.square == lifted.square).map(|c| c.fact);
    let mut ruling = draft(RulingKind::ClaimRejected, bench, of_lift.chain([claim.fact]).collect());
    ruling.offender = Some(claimant);
    ruling.articles = bench.rulebook.articles(Matter::TouchClaimLost).collect();
    // The touch that closed the window binds the claimant himself (4.3).
    if bench.game.turn() == claimant
        && let Ok(bound) =
            obligation(bench.game.standing(), claimant, &touches(bench.sensor.base(), bench.sensor.history()))
        && bound.binds
    {
        ruling.consequence.required_moves = bound.uci(bench.game.mode());
    }
    rule(ruling)
}

fn evidence(ply: &Ply, claim: &OpenClaim) -> Vec<u64> {
    ply.evidence().into_iter().chain([claim.fact]).collect()
}

fn rule(ruling: Ruling) -> Decision {
    Decision::Rule { ruling: Box::new(ruling), take_back_to: None }
}

/// A touch claim that waits, by the player whose illegal half-move `index` is being taken back: the touch happened in
/// a position that is cancelled with it.
pub fn void_by(
    arbiter: &mut Arbiter,
    illegal: &OpenClaim,
    index: usize,
    bench: &Bench<'_>,
) -> Option<Decision> {
    let completed = bench.game.plies().get(index)?.at;
    let void = |c: &OpenClaim| {
        c.claim == Claim::TouchMove
            && c.against != illegal.against
            && Stamp::order(completed, c.at) == Order::Before
    };
    let claim = arbiter.claims.iter().position(void).map(|index| arbiter.claims.remove(index))?;
    let facts = bench.sensor.history().iter().map(|c| c.fact).chain([claim.fact]).collect();
    let mut ruling = draft(RulingKind::ClaimRejected, bench, facts);
    ruling.offender = claim.claimant();
    ruling.articles = articles(
        bench.rulebook.articles(Matter::RestoreIllegal).chain(bench.rulebook.articles(Matter::TouchOwn)),
    );
    Some(rule(ruling))
}
