// SPDX-License-Identifier: GPL-3.0-or-later
//! Flags (FIDE 6.8, 6.9): noticed by the arbiter or claimed by a player, never "fallen" by
//! themselves.

use arbiterd_board::Colour;

use super::arbiter::{Arbiter, DownFlag, not_ruled};
use super::bench::{Bench, Decision};
use super::claims::OpenClaim;
use super::game_end::{articles, draft};
use super::rulebook::{FlagCaller, MateTest};
use super::{Authority, Matter, NotCovered, NotObservable, RulingKind};
use crate::table::{GameResult, Observer, opponent, side_index};

/// A flag that the daemon has seen in the arbiter's place.
pub fn decide_seen(arbiter: &mut Arbiter, bench: &Bench<'_>) -> Option<Decision> {
    let side = [Colour::White, Colour::Black]
        .into_iter()
        .find(|&s| arbiter.flags[side_index(s)].is_some_and(|f| f.due <= bench.now))?;
    let calls =
        bench.observer == Observer::Arbiter && bench.rulebook.flag.called_by == FlagCaller::ArbiterOrPlayer;
    let flag = arbiter.flags[side_index(side)]?;
    if !calls {
        // A witness waits for the claim, however long it takes.
        arbiter.flags[side_index(side)] = None;
        return None;
    }
    arbiter.flags[side_index(side)] = None;
    Some(fall(arbiter, side, &flag, &[], bench))
}

/// A claim that the opponent's flag has fallen.
pub fn on_claim(arbiter: &mut Arbiter, claim: &OpenClaim, accused: Colour, bench: &Bench<'_>) -> Decision {
    let Some(at) = bench.clock.flag_down(accused) else { return reject(claim, accused, bench) };
    let own_time_needed = bench.rulebook.flag.claim_needs_own_time;
    if own_time_needed && bench.clock.flag_down(opponent(accused)).is_some() {
        return reject(claim, accused, bench);
    }
    let flag = DownFlag { at, fact: claim.fact, due: bench.now };
    fall(arbiter, accused, &flag, &[claim.fact], bench)
}

/// 6.9: lost, or drawn if the opponent cannot mate by any series of legal moves.
fn fall(arbiter: &mut Arbiter, side: Colour, flag: &DownFlag, claim: &[u64], bench: &Bench<'_>) -> Decision {
    let facts: Vec<u64> = [flag.fact].into_iter().chain(claim.iter().copied()).collect();
    if let Some(other) = bench.clock.flag_down(opponent(side))
        && arbitrary_order(flag, other)
    {
        return not_ruled(NotCovered::BothFlags, None, facts, bench);
    }
    let mut ruling = draft(RulingKind::FlagFall, bench, facts);
    ruling.offender = Some(side);
    ruling.articles = articles(
        bench.rulebook.articles(Matter::FlagNoticed).chain(bench.rulebook.articles(Matter::FlagFall)),
    );
    let standing = bench.standing_on_board();
    if standing.valid().is_none() {
        ruling.authority = Authority::Proposed;
        ruling.not_observable.push(NotObservable::MatePossible);
    }
    match bench.rulebook.flag.draw_test {
        MateTest::AnySeries => arbiter.ask(Box::new(ruling), None, side, standing.fen()),
        MateTest::None => {
            ruling.consequence.result = GameResult::Won(opponent(side));
            Decision::Rule { ruling: Box::new(ruling), take_back_to: None }
        }
    }
}

fn arbitrary_order(flag: &DownFlag, other: arbiterd_board::Stamp) -> bool {
    arbiterd_board::Stamp::order(flag.at, other) != arbiterd_board::Order::Before
}

fn reject(claim: &OpenClaim, accused: Colour, bench: &Bench<'_>) -> Decision {
    let mut ruling = draft(RulingKind::ClaimRejected, bench, vec![claim.fact]);
    ruling.offender = Some(opponent(accused));
    ruling.articles = bench.rulebook.articles(Matter::FlagNoticed).collect();
    Decision::Rule { ruling: Box::new(ruling), take_back_to: None }
}
