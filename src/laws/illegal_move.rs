// SPDX-License-Identifier: GPL-3.0-or-later
//! Completed illegal moves (FIDE 7.5) and presses without a move (7.5.3), which count as one.

use arbiterd_board::{Colour, Mono, Order, Stamp};

use super::arbiter::{Arbiter, Fault, not_ruled};
use super::bench::{Bench, Decision};
use super::claims::{self, OpenClaim};
use super::completion::Press;
use super::game_end::{articles, draft};
use super::rulebook::{ArbiterActs, MateTest, PressTreatment, Window};
use super::touch_move::{Obligation, obligation, touches};
use super::{Certainty, Matter, NotCovered, NotObservable, ProposedClock, Ruling, RulingKind};
use crate::table::{Observer, Ply, Reading, one_move_shape, opponent, side_index};

/// An illegal move that the daemon has seen in the arbiter's place (FIDE 7.5.1, 7.5.3, 12.1).
pub fn decide_seen(arbiter: &mut Arbiter, bench: &Bench<'_>) -> Option<Decision> {
    let acts =
        bench.observer == Observer::Arbiter && bench.rulebook.illegal.arbiter_acts != ArbiterActs::OnClaim;
    if !acts || arbiter.proposed == Some(bench.game.revision) {
        return None;
    }
    if let Some(fault) = arbiter.fault.clone() {
        return Some(press_without_move(arbiter, &fault, &[], bench));
    }
    let last = bench.game.plies().len().checked_sub(1)?;
    bench.game.plies().last().filter(|p| p.is_irregular())?;
    Some(restore(arbiter, last, &[], Certainty::Proven, bench))
}

/// A press without a move is a fault; the rulebook says what becomes of it.
pub fn note_press_without_move(arbiter: &mut Arbiter, press: &Press, bench: &Bench<'_>) -> Option<Decision> {
    let facts: Vec<u64> = bench.sensor.history().iter().map(|c| c.fact).chain([press.fact]).collect();
    match bench.rulebook.illegal.press_without_move {
        PressTreatment::Illegal => {
            arbiter.fault = Some(Fault { by: press.by, facts, evidence_complete: bench.now });
            let acts = bench.observer == Observer::Arbiter
                && bench.rulebook.illegal.arbiter_acts != ArbiterActs::OnClaim;
            let fault = arbiter.fault.clone().filter(|_| acts)?;
            Some(press_without_move(arbiter, &fault, &[], bench))
        }
        PressTreatment::Discretionary => {
            Some(not_ruled(NotCovered::Discretionary, Some(press.by), facts, bench))
        }
    }
}

/// Rules on a claim that the opponent completed an illegal move.
pub fn on_claim(arbiter: &mut Arbiter, claim: &OpenClaim, accused: Colour, bench: &Bench<'_>) -> Decision {
    if arbiter.has_unfinished_press() {
        return not_ruled(NotCovered::UnfinishedMove, Some(accused), vec![claim.fact], bench);
    }
    if let Some(fault) = arbiter.fault.clone().filter(|f| f.by == accused) {
        return press_without_move(arbiter, &fault, &[claim.fact], bench);
    }
    let plies = bench.game.plies();
    // Open point "both players have unfound illegal moves": the arbiter decides.
    let both = plies.iter().any(|p| p.is_irregular() && p.by != accused);
    let Some(index) = plies.iter().position(|p| p.is_irregular() && p.by == accused) else {
        return reject(claim, accused, bench);
    };
    if both {
        return not_ruled(NotCovered::IllegalMovesOfBoth, None, vec![claim.fact], bench);
    }
    match window(index, claim, bench) {
        Open::Yes(certainty) => restore(arbiter, index, &[claim.fact], certainty, bench),
        Open::No => stands(index, claim, bench),
    }
}

/// Whether an illegal move can still be ruled on.
enum Open {
    Yes(Certainty),
    No,
}

fn window(index: usize, claim: &OpenClaim, bench: &Bench<'_>) -> Open {
    match bench.rulebook.illegal.window {
        Window::Game => Open::Yes(Certainty::Proven),
        Window::UntilOpponentMade => {
            if index + 1 < bench.game.plies().len() {
                return Open::No;
            }
            next_move_made(claim.at, bench)
        }
    }
}

/// "Made" means released on the board, not pressed and not lifted: a legal move that stood and
/// had rested before the claim closes the window. What rested too short, or has no provable
/// order, does not: certainty says so.
fn next_move_made(claim: Stamp, bench: &Bench<'_>) -> Open {
    let history = bench.sensor.history();
    let before = history.iter().take_while(|c| Stamp::order(c.at, claim) == Order::Before).count();
    let rested = |cut: usize| {
        let last = cut.checked_sub(1).and_then(|i| history.get(i));
        last.is_some_and(|c| c.at.latest.after(bench.rulebook.release_dwell) <= claim.earliest)
    };
    let made = |cut: usize| bench.reading_after(cut).single().is_some();
    if made(before) && rested(before) {
        return Open::No;
    }
    let doubtful = (0..=history.len()).any(|cut| cut > 0 && made(cut));
    Open::Yes(if doubtful { Certainty::Likely } else { Certainty::Proven })
}

/// 7.5.1 and 7.5.5: the position before it is restored, the opponent gets time, and the game is
/// lost when the count is full.
fn restore(
    arbiter: &mut Arbiter,
    index: usize,
    claim: &[u64],
    certainty: Certainty,
    bench: &Bench<'_>,
) -> Decision {
    // A touch in a position that is cancelled binds nobody: such claims are answered first.
    if let Some(void) = claims::void_touch_claim(arbiter, bench) {
        return void;
    }
    let Some(ply) = bench.game.plies().get(index) else {
        return not_ruled(NotCovered::IllegalMovesOfBoth, None, claim.to_vec(), bench);
    };
    let evidence = bench.game.plies()[index..].iter().flat_map(Ply::evidence).chain(claim.iter().copied());
    let mut ruling = draft(RulingKind::IllegalMove, bench, evidence.collect());
    let bound = replacement(ply);
    let binding = bound.as_ref().filter(|o| o.binds);
    let loses = charge(&mut ruling, ply.by, bench);
    let window_cited = bench.rulebook.illegal.window != Window::Game;
    ruling.articles = articles(
        bench
            .rulebook
            .cite("illegal.window")
            .filter(|_| window_cited)
            .chain(bench.rulebook.articles(Matter::RestoreIllegal))
            .chain(penalty_articles(loses, bench))
            .chain(binding.into_iter().flat_map(|o| bench.rulebook.articles(o.matter)))
            .chain(
                bound
                    .iter()
                    .filter(|o| !o.free.is_empty())
                    .flat_map(|_| bench.rulebook.articles(Matter::TouchFree)),
            )
            .chain(bench.rulebook.articles(Matter::RestoreTimes)),
    );
    ruling.consequence.restore = Some(ply.before.fen());
    ruling.consequence.irregular_move = Some(ply.uci(bench.game.mode()));
    ruling.consequence.proposed_clock = proposed_clock(ply, bench);
    if let Some(bound) = &bound {
        ruling.consequence.free_touch.clone_from(&bound.free);
    }
    if let Some(binding) = binding {
        ruling.consequence.required_moves = binding.uci(bench.game.mode());
    }
    ruling.certainty = certainty;
    if certainty == Certainty::Likely {
        ruling.not_observable.push(NotObservable::Release);
    }
    if !loses {
        ruling.not_observable.push(NotObservable::ClockTimes);
    }
    let fen = ply.before.fen();
    finish(arbiter, ruling, Some(index), loses, fen, bench)
}

/// 7.5.1 with 4.3 and 4.7: which moves may replace the illegal one. `None` where king and rook
/// were touched and castling is possible: the arbiter decides.
fn replacement(ply: &Ply) -> Option<Obligation> {
    let touched = touches(&ply.before.placement(), &ply.changes);
    obligation(&ply.before, ply.by, &touched).ok()
}

/// 7.1: the arbiter sets the times by his judgement; these are what he can choose from.
fn proposed_clock(ply: &Ply, bench: &Bench<'_>) -> Option<ProposedClock> {
    Some(ProposedClock { at_irregularity: ply.clock?, now: bench.clock.times()? })
}

/// Counts the fault and gives the opponent his time; true if the game is lost by it.
fn charge(ruling: &mut Ruling, offender: Colour, bench: &Bench<'_>) -> bool {
    let rules = &bench.rulebook.illegal;
    let count = &mut ruling.consequence.illegal_moves[side_index(offender)];
    *count = count.saturating_add(1);
    let loses = *count >= rules.lose_at;
    ruling.offender = Some(offender);
    if !loses {
        match opponent(offender) {
            Colour::White => ruling.consequence.add_white = rules.penalty,
            Colour::Black => ruling.consequence.add_black = rules.penalty,
        }
        if rules.reverse_increment {
            ruling.consequence.take_back_increment = bench.increment;
        }
    }
    loses
}

fn penalty_articles(loses: bool, bench: &Bench<'_>) -> Vec<String> {
    let book = bench.rulebook;
    if loses {
        book.cite("illegal.lose_at").collect()
    } else {
        book.cite("illegal.penalty_ms").chain(book.articles(Matter::IllegalPenalty)).collect()
    }
}

/// Gives the ruling, or asks first whether the opponent could mate at all.
fn finish(
    arbiter: &mut Arbiter,
    mut ruling: Ruling,
    take_back_to: Option<usize>,
    loses: bool,
    fen: String,
    bench: &Bench<'_>,
) -> Decision {
    let Some(loser) = ruling.offender.filter(|_| loses) else {
        return Decision::Rule { ruling: Box::new(ruling), take_back_to };
    };
    match bench.rulebook.illegal.draw_exception {
        MateTest::AnySeries => arbiter.ask(Box::new(ruling), take_back_to, loser, fen),
        MateTest::None => {
            ruling.consequence.result = crate::table::GameResult::Won(opponent(loser));
            Decision::Rule { ruling: Box::new(ruling), take_back_to }
        }
    }
}

/// 7.5.3: it counts as an illegal move; nothing has to be restored.
fn press_without_move(arbiter: &mut Arbiter, fault: &Fault, claim: &[u64], bench: &Bench<'_>) -> Decision {
    arbiter.fault = None;
    let evidence = fault.facts.iter().chain(claim).copied().collect();
    let mut ruling = draft(RulingKind::PressWithoutMove, bench, evidence);
    let loses = charge(&mut ruling, fault.by, bench);
    ruling.evidence_complete = evidence_complete(fault.evidence_complete, claim, bench);
    // He still has the move, and what he touched binds him (4.3).
    let touched = touches(bench.sensor.base(), bench.sensor.history());
    let bound = obligation(bench.game.standing(), fault.by, &touched).ok().filter(|o| o.binds);
    ruling.articles = articles(
        bench
            .rulebook
            .articles(Matter::PressWithoutMove)
            .chain(penalty_articles(loses, bench))
            .chain(bound.iter().flat_map(|o| bench.rulebook.articles(o.matter))),
    );
    ruling.consequence.required_moves = bound.map(|o| o.uci(bench.game.mode())).unwrap_or_default();
    let fen = bench.game.standing().fen();
    finish(arbiter, ruling, None, loses, fen, bench)
}

/// With a claim the claim completes the evidence.
const fn evidence_complete(of_fault: Mono, claim: &[u64], bench: &Bench<'_>) -> Mono {
    if claim.is_empty() { of_fault } else { bench.now }
}

fn stands(index: usize, claim: &OpenClaim, bench: &Bench<'_>) -> Decision {
    let ply = bench.game.plies().get(index);
    let evidence = ply.map(Ply::evidence).unwrap_or_default().into_iter().chain([claim.fact]);
    let mut ruling = draft(RulingKind::IllegalMoveStands, bench, evidence.collect());
    ruling.offender = ply.map(|p| p.by);
    ruling.consequence.irregular_move = ply.map(|p| p.uci(bench.game.mode()));
    ruling.articles = bench.rulebook.cite("illegal.window").collect();
    Decision::Rule { ruling: Box::new(ruling), take_back_to: None }
}

/// No illegal move was completed. One that stands on the board and was not pressed is none yet
/// (6.2.1): its player may still correct it. Where the opponent has replied to it already, the
/// position is restored without a count (open point: whether a penalty is due is for a person).
fn reject(claim: &OpenClaim, accused: Colour, bench: &Bench<'_>) -> Decision {
    let mut ruling = draft(RulingKind::ClaimRejected, bench, vec![claim.fact]);
    ruling.offender = Some(opponent(accused));
    ruling.articles = bench.rulebook.articles(Matter::RestoreIllegal).collect();
    if bench.game.turn() != accused || !made_irregular(bench) {
        return Decision::Rule { ruling: Box::new(ruling), take_back_to: None };
    }
    let touched: Vec<_> = touches(bench.sensor.base(), bench.sensor.history())
        .into_iter()
        .filter(|t| t.piece.colour == accused)
        .collect();
    ruling.articles =
        articles(ruling.articles.into_iter().chain(bench.rulebook.articles(Matter::MoveCompleted)));
    ruling.consequence.free_touch =
        obligation(bench.game.standing(), accused, &touched).map(|o| o.free).unwrap_or_default();
    let still_alone =
        bench.sensor.placement().is_some_and(|p| one_move_shape(bench.game.standing(), p).is_some());
    if still_alone || bench.rulebook.illegal.window != Window::Game {
        return Decision::Rule { ruling: Box::new(ruling), take_back_to: None };
    }
    ruling.consequence.restore = Some(bench.game.standing().fen());
    Decision::Rule { ruling: Box::new(ruling), take_back_to: Some(bench.game.plies().len()) }
}

/// Whether a move that is not legal stood on the board since the last completed one.
fn made_irregular(bench: &Bench<'_>) -> bool {
    (1..=bench.sensor.history().len()).any(|cut| {
        matches!(bench.reading_after(cut), Reading::Unexplained { .. })
            && one_move_shape(bench.game.standing(), &bench.sensor.placement_after(cut)).is_some()
    })
}
