// SPDX-License-Identifier: GPL-3.0-or-later
//! Flags (FIDE 6.8, 6.9): noticed by the arbiter or claimed by a player, never "fallen" by
//! themselves. A result that was reached on the board before stands.

use std::time::Duration;

use arbiterd_board::{Colour, Order, Stamp};

use super::arbiter::{Arbiter, DownFlag, not_ruled};
use super::bench::{Bench, Decision};
use super::claims::OpenClaim;
use super::completion::END_DWELL;
use super::game_end::{articles, draft};
use super::question::Cause;
use super::rulebook::{FlagCaller, MateTest};
use super::{Authority, Certainty, Matter, NotCovered, NotObservable, RulingKind};
use crate::table::{GameResult, Observer, Standing, opponent, side_index};

/// A clock's report lags up to a second, and a second one has to agree with it.
const CLOCK_PATIENCE: Duration = Duration::from_secs(3);

/// So soon it is looked again whether a mate stands that would come before a flag.
const MATE_LOOK: Duration = Duration::from_millis(100);
/// So long a board has time to show that it does.
const MATE_PATIENCE: Duration = Duration::from_secs(3);

/// A flag that the daemon has seen in the arbiter's place.
pub fn decide_seen(arbiter: &mut Arbiter, bench: &Bench<'_>) -> Option<Decision> {
    let side = [Colour::White, Colour::Black]
        .into_iter()
        .find(|&s| arbiter.flags[side_index(s)].is_some_and(|f| f.due <= bench.now))?;
    let calls =
        bench.observer == Observer::Arbiter && bench.rulebook.flag.called_by == FlagCaller::ArbiterOrPlayer;
    let flag = arbiter.flags[side_index(side)].take()?;
    // A witness waits for the claim, however long it takes.
    if !calls {
        return None;
    }
    match position_when_noticed(flag.noticed, bench) {
        When::Then(position) => {
            let decision = fall(arbiter, side, &flag, &position, &[], bench);
            arbiter.asked_because(&decision, Cause::Flag(side, flag));
            Some(decision)
        }
        When::At(due) => {
            arbiter.flags[side_index(side)] = Some(DownFlag { due, ..flag });
            None
        }
    }
}

/// A claim that the opponent's flag has fallen; `None` and a later due where the board has to come
/// to rest first.
pub fn on_claim(arbiter: &mut Arbiter, claim: &mut OpenClaim, bench: &Bench<'_>) -> Option<Decision> {
    let accused = claim.against;
    if bench.clock.flag_down(accused).is_none() {
        // The clock lags too, and no flag is believed on one reading.
        let patience = claim.at.latest.after(CLOCK_PATIENCE);
        if patience > bench.now {
            claim.due = Some(patience);
            return None;
        }
        return Some(reject(claim, bench));
    }
    let own_time_needed = bench.rulebook.flag.claim_needs_own_time;
    if own_time_needed && bench.clock.flag_down(opponent(accused)).is_some() {
        return Some(reject(claim, bench));
    }
    // 6.8: it has fallen when it is validly claimed.
    match position_when_noticed(claim.at, bench) {
        When::Then(position) => {
            let flag = DownFlag { noticed: claim.at, fact: claim.fact, due: bench.now };
            Some(fall(arbiter, accused, &flag, &position, &[claim.fact], bench))
        }
        When::At(due) => {
            claim.due = Some(due);
            None
        }
    }
}

/// What stood when a flag was noticed.
struct Stood {
    standing: Standing,
    /// Whether a mate stood then that was not shown to have stood long enough.
    perhaps_mate: bool,
}

enum When {
    Then(Stood),
    /// It is still to be seen.
    At(arbiterd_board::Mono),
}

/// The position on the board when the flag was noticed: every change that was not certainly
/// later belongs to it. A move among them that ends the game ends it, once it has rested: then
/// there is no flag any more.
fn position_when_noticed(noticed: Stamp, bench: &Bench<'_>) -> When {
    let history = bench.sensor.history();
    let cut = history.iter().take_while(|c| Stamp::order(c.at, noticed) != Order::After).count();
    let standing = bench.standing_after(cut);
    let ends = standing.valid().is_some_and(|p| shakmaty::Position::legal_moves(p).is_empty());
    let Some(mate) = cut.checked_sub(1).and_then(|i| history.get(i)).filter(|_| ends) else {
        return When::Then(Stood { standing, perhaps_mate: false });
    };
    let rested = mate.received.after(END_DWELL);
    let still_there = history.len() == cut;
    if still_there && bench.now < rested.after(bench.board_lag).after(MATE_PATIENCE) {
        return When::At(rested.max(bench.now).after(MATE_LOOK));
    }
    When::Then(Stood { standing: bench.game.standing().clone(), perhaps_mate: true })
}

/// 6.9: lost, or drawn if the opponent cannot mate by any series of legal moves.
fn fall(
    arbiter: &mut Arbiter,
    side: Colour,
    flag: &DownFlag,
    stood: &Stood,
    claim: &[u64],
    bench: &Bench<'_>,
) -> Decision {
    let facts: Vec<u64> = [flag.fact].into_iter().chain(claim.iter().copied()).collect();
    if let Some(other) = bench.clock.flag_down(opponent(side))
        && Stamp::order(flag.noticed, other) != Order::Before
    {
        return not_ruled(NotCovered::BothFlags, None, facts, bench);
    }
    let mut ruling = draft(RulingKind::FlagFall, bench, facts);
    ruling.offender = Some(side);
    ruling.articles = articles(
        bench.rulebook.articles(Matter::FlagNoticed).chain(bench.rulebook.articles(Matter::FlagFall)),
    );
    let standing = &stood.standing;
    if stood.perhaps_mate {
        ruling.certainty = Certainty::Likely;
        ruling.authority = Authority::Proposed;
        ruling.not_observable.push(NotObservable::Release);
    }
    if standing.valid().is_none() {
        ruling.authority = Authority::Proposed;
        ruling.not_observable.push(NotObservable::MatePossible);
    }
    if bench.stands_doubtfully() || (bench.is_disturbed() && arbiter.has_pending_press()) {
        ruling.certainty = Certainty::Likely;
        ruling.authority = Authority::Proposed;
        ruling.not_observable.push(NotObservable::DisturbedSquare);
    }
    match bench.rulebook.flag.draw_test {
        MateTest::AnySeries => {
            arbiter.ask(Box::new(ruling), None, side, standing.fen(), bench.game.plies().len())
        }
        MateTest::None => {
            ruling.consequence.result = GameResult::Won(opponent(side));
            Decision::Rule { ruling: Box::new(ruling), take_back_to: None }
        }
    }
}

fn reject(claim: &OpenClaim, bench: &Bench<'_>) -> Decision {
    let mut ruling = draft(RulingKind::ClaimRejected, bench, vec![claim.fact]);
    ruling.offender = claim.claimant();
    ruling.articles = bench.rulebook.articles(Matter::FlagNoticed).collect();
    Decision::Rule { ruling: Box::new(ruling), take_back_to: None }
}
