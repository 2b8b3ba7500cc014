// SPDX-License-Identifier: GPL-3.0-or-later
//! Claims: heard at once, decided when the evidence they need is complete.

use arbiterd_board::{Colour, Mono, Order, Stamp};

use super::arbiter::{Arbiter, accused, not_ruled};
use super::bench::{Bench, Decision};
use super::game_end::{articles, draft};
use super::rulebook::Window;
use super::touch_move::{Obligation, Touch, before_the_move, obligation, touches};
use super::{Certainty, Matter, NotObservable, Notice, NoticeKind, RulingKind, flag, illegal_move};
use crate::table::{Claim, Ply, PlyBody, Reading, Speaker, opponent};

/// A claim that is not decided yet.
#[derive(Clone, Debug)]
pub struct OpenClaim {
    /// Who made it.
    pub by: Speaker,
    /// What it says.
    pub claim: Claim,
    /// When.
    pub at: Stamp,
    /// The fact that records it.
    pub fact: u64,
    /// When its evidence is complete; `None` while it waits for something to happen.
    pub due: Option<Mono>,
}

impl OpenClaim {
    /// A claim made now.
    pub fn new(by: Speaker, claim: Claim, bench: &Bench<'_>, fact: u64) -> Self {
        // Where the order of board and claim decides (has the claimant touched, has he moved?),
        // what the board saw before the claim must have been reported.
        let board_decides = match claim {
            Claim::IllegalMove => bench.rulebook.illegal.window != Window::Game,
            Claim::TouchMove => true,
            Claim::Flag => false,
        };
        let wait = if board_decides { bench.board_lag } else { std::time::Duration::ZERO };
        Self { by, claim, at: Stamp::at(bench.now), fact, due: Some(bench.now.after(wait)) }
    }
}

/// The next claim whose evidence is complete.
pub fn decide(arbiter: &mut Arbiter, bench: &Bench<'_>) -> Option<Decision> {
    // Which moves are completed is part of every claim's evidence.
    if arbiter.has_pending_press() {
        return None;
    }
    let index = arbiter.claims.iter().position(|c| is_due(c, bench))?;
    let claim = arbiter.claims.get(index)?.clone();
    let against = accused(claim.by, bench);
    if already_answered(arbiter, &claim, against, bench) {
        arbiter.claims.remove(index);
        return decide(arbiter, bench);
    }
    let decision = match claim.claim {
        Claim::IllegalMove => Some(illegal_move::on_claim(arbiter, &claim, against, bench)),
        Claim::TouchMove => touch(&claim, against, bench),
        Claim::Flag => Some(flag::on_claim(arbiter, &claim, against, bench)),
    };
    let Some(decision) = decision else { return Some(hold(arbiter, index, against, bench)) };
    // A ruling on another claim may come first (a void touch); this one stays until its own.
    if !answers_another(&decision, &claim) {
        arbiter.claims.retain(|c| c.fact != claim.fact);
    }
    Some(decision)
}

/// While a position is being restored, its irregularity has been ruled on and nothing on the
/// board is play: such claims are on record and need no answer of their own. Nor does a claim
/// of the very fault that was ruled on last.
fn already_answered(arbiter: &Arbiter, claim: &OpenClaim, against: Colour, bench: &Bench<'_>) -> bool {
    match claim.claim {
        Claim::IllegalMove => bench.restoring || arbiter.charged == Some((bench.game.revision, against)),
        Claim::TouchMove => bench.restoring,
        Claim::Flag => false,
    }
}

fn is_due(claim: &OpenClaim, bench: &Bench<'_>) -> bool {
    match claim.due {
        Some(due) => due <= bench.now,
        // A touch claim that waits for the move: it is there when the player has completed one.
        None => bench.game.turn() != accused_of_touch(claim, bench),
    }
}

fn accused_of_touch(claim: &OpenClaim, bench: &Bench<'_>) -> Colour {
    match claim.by {
        Speaker::Player(claimant) => opponent(claimant),
        Speaker::Arbiter => bench.game.turn(),
    }
}

fn answers_another(decision: &Decision, claim: &OpenClaim) -> bool {
    matches!(decision, Decision::Rule { ruling, .. }
        if ruling.kind == RulingKind::ClaimRejected && !ruling.evidence.contains(&claim.fact))
}

fn hold(arbiter: &mut Arbiter, index: usize, against: Colour, bench: &Bench<'_>) -> Decision {
    let mut evidence = Vec::new();
    if let Some(claim) = arbiter.claims.get_mut(index) {
        claim.due = None;
        evidence.push(claim.fact);
    }
    Decision::Notice(Notice {
        kind: NoticeKind::ClaimOpen,
        at: bench.now,
        squares: Vec::new(),
        side: Some(against),
        not_covered: None,
        evidence,
    })
}

/// A touch-move claim (FIDE 4.3, 4.8); `None` while nothing has been moved yet.
fn touch(claim: &OpenClaim, against: Colour, bench: &Bench<'_>) -> Option<Decision> {
    if bench.game.turn() == against {
        return touch_before_completion(claim, against, bench);
    }
    // Before the accused has completed a move there is nothing to claim.
    let Some((index, ply)) = bench.game.plies().iter().enumerate().next_back() else {
        return Some(touch_without_ground(claim, against, bench));
    };
    // 4.8: the right to claim ends when the claimant touches a piece himself.
    if let Speaker::Player(claimant) = claim.by
        && let Some(lifted) = own_touch_before(claim, claimant, bench)
    {
        return Some(touch_too_late(claim, lifted, bench));
    }
    let all = touches(&ply.before.placement(), &ply.changes);
    let touched = before_the_move(&all, ply.from());
    let breach = breach(ply, against, touched);
    Some(match breach {
        Err(why) => not_ruled(why, Some(against), evidence(ply, claim), bench),
        Ok(None) => touch_rejected(evidence(ply, claim), touched, ply, bench),
        Ok(Some(bound)) => {
            let mut ruling = draft(RulingKind::TouchMove, bench, evidence(ply, claim));
            ruling.offender = Some(against);
            ruling.articles = articles(
                bench
                    .rulebook
                    .articles(bound.matter)
                    .chain(bench.rulebook.articles(Matter::TouchIntent))
                    .chain(bench.rulebook.articles(Matter::TouchClaimLost)),
            );
            ruling.consequence.restore = Some(ply.before.fen());
            ruling.consequence.required_moves = bound.uci(bench.game.mode());
            ruling.consequence.free_touch = bound.free;
            // 4.2.2: any touch counts but a clearly accidental one, and that is for a person to say.
            ruling.certainty = Certainty::Likely;
            ruling.not_observable = vec![NotObservable::Intent];
            Decision::Rule { ruling: Box::new(ruling), take_back_to: Some(index) }
        }
    })
}

/// Whether a completed move left an obligation unfulfilled, and what it would have been.
fn breach(ply: &Ply, by: Colour, touched: &[Touch]) -> Result<Option<Obligation>, super::NotCovered> {
    let bound = obligation(&ply.before, by, touched)?;
    let satisfied = match ply.body {
        PlyBody::Legal(m) => bound.allowed.contains(&m),
        PlyBody::Irregular { from, .. } => {
            bound.allowed.iter().any(|m| m.from() == Some(crate::board::chess_square(from)))
        }
    };
    if satisfied || !bound.binds {
        return Ok(None);
    }
    Ok(Some(bound))
}

/// While the player has not completed a move: a claim waits for it. What he is about to do is
/// not for us to say.
fn touch_before_completion(claim: &OpenClaim, against: Colour, bench: &Bench<'_>) -> Option<Decision> {
    let touched = touches(bench.sensor.base(), bench.sensor.history());
    if touched.is_empty() {
        return Some(touch_without_ground(claim, against, bench));
    }
    // With a piece in hand or a move on the board, what he does with it is still to be seen; and
    // in a position that may be cancelled nothing binds yet.
    if bench.reading() != Reading::AsSettled || bench.game.standing().valid().is_none() {
        return None;
    }
    let facts = bench.sensor.history().iter().map(|c| c.fact).chain([claim.fact]).collect();
    Some(match obligation(bench.game.standing(), against, &touched) {
        Err(why) => not_ruled(why, Some(against), facts, bench),
        Ok(bound) if !bound.binds => {
            let mut ruling = draft(RulingKind::ClaimRejected, bench, facts);
            ruling.offender = Some(opponent(against));
            ruling.articles = bench.rulebook.articles(Matter::TouchFree).collect();
            ruling.consequence.free_touch = bound.free;
            rule(ruling)
        }
        Ok(bound) => {
            let mut ruling = draft(RulingKind::TouchMove, bench, facts);
            ruling.offender = Some(against);
            ruling.articles = articles(
                bench.rulebook.articles(bound.matter).chain(bench.rulebook.articles(Matter::TouchIntent)),
            );
            ruling.consequence.required_moves = bound.uci(bench.game.mode());
            ruling.consequence.free_touch = bound.free;
            ruling.certainty = Certainty::Likely;
            ruling.not_observable = vec![NotObservable::Intent];
            rule(ruling)
        }
    })
}

fn rule(ruling: super::Ruling) -> Decision {
    Decision::Rule { ruling: Box::new(ruling), take_back_to: None }
}

fn touch_without_ground(claim: &OpenClaim, against: Colour, bench: &Bench<'_>) -> Decision {
    let mut ruling = draft(RulingKind::ClaimRejected, bench, vec![claim.fact]);
    ruling.offender = Some(opponent(against));
    ruling.articles = bench.rulebook.articles(Matter::TouchOwn).collect();
    rule(ruling)
}

fn own_touch_before(claim: &OpenClaim, claimant: Colour, bench: &Bench<'_>) -> Option<Touch> {
    touches(bench.sensor.base(), bench.sensor.history())
        .into_iter()
        .find(|t| t.piece.colour == claimant && Stamp::order(t.at, claim.at) == Order::Before)
}

fn touch_too_late(claim: &OpenClaim, lifted: Touch, bench: &Bench<'_>) -> Decision {
    let facts = bench
        .sensor
        .history()
        .iter()
        .filter(|c| c.square == lifted.square)
        .map(|c| c.fact)
        .chain([claim.fact])
        .collect();
    let mut ruling = draft(RulingKind::ClaimRejected, bench, facts);
    if let Speaker::Player(claimant) = claim.by {
        ruling.offender = Some(claimant);
    }
    ruling.articles = bench.rulebook.articles(Matter::TouchClaimLost).collect();
    // The touch that closed the window binds the claimant himself (4.3).
    if let Speaker::Player(claimant) = claim.by
        && bench.game.turn() == claimant
        && let Ok(bound) =
            obligation(bench.game.standing(), claimant, &touches(bench.sensor.base(), bench.sensor.history()))
        && bound.binds
    {
        ruling.consequence.required_moves = bound.uci(bench.game.mode());
    }
    rule(ruling)
}

fn touch_rejected(facts: Vec<u64>, touched: &[Touch], ply: &Ply, bench: &Bench<'_>) -> Decision {
    let mut ruling = draft(RulingKind::ClaimRejected, bench, facts);
    ruling.offender = Some(opponent(ply.by));
    let bound = obligation(&ply.before, ply.by, touched).ok();
    let free = bound.as_ref().filter(|o| !o.free.is_empty() || o.matter == Matter::TouchFree);
    let matter = if free.is_some() { Matter::TouchFree } else { Matter::TouchOwn };
    ruling.articles = bench.rulebook.articles(matter).collect();
    ruling.consequence.free_touch = bound.map(|o| o.free).unwrap_or_default();
    rule(ruling)
}

fn evidence(ply: &Ply, claim: &OpenClaim) -> Vec<u64> {
    ply.evidence().into_iter().chain([claim.fact]).collect()
}

/// A touch claim that a restoration leaves without an object: the touch happened in a position
/// that is cancelled.
pub fn void_touch_claim(arbiter: &mut Arbiter, bench: &Bench<'_>) -> Option<Decision> {
    let index = arbiter.claims.iter().position(|c| c.claim == Claim::TouchMove)?;
    let claim = arbiter.claims.remove(index);
    let facts = bench.sensor.history().iter().map(|c| c.fact).chain([claim.fact]).collect();
    let mut ruling = draft(RulingKind::ClaimRejected, bench, facts);
    if let Speaker::Player(claimant) = claim.by {
        ruling.offender = Some(claimant);
    }
    ruling.articles = articles(
        bench.rulebook.articles(Matter::RestoreIllegal).chain(bench.rulebook.articles(Matter::TouchOwn)),
    );
    Some(rule(ruling))
}
