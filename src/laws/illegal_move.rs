// SPDX-License-Identifier: GPL-3.0-or-later
//! Completed illegal moves (FIDE 7.5) and presses without a move (7.5.3), which count as one.

use arbiterd_board::{Colour, Mono, Stamp};

use super::arbiter::{Arbiter, not_ruled};
use super::bench::{Bench, Decision};
use super::claims::{self, OpenClaim};
use super::completion;
use super::found::{Anew, Answer, Fault};
use super::game_end::{articles, draft};
use super::press::Press;
use super::question::Cause;
use super::rulebook::{ArbiterActs, MateTest, PressTreatment, Window};
use super::touch_move::{Obligation, obligation, touches};
use super::window::{self, Open};
use super::{Authority, Certainty, Matter, NotCovered, NotObservable, ProposedClock, Ruling, RulingKind};
use crate::table::{Observer, Ply, Reading, one_move_shape, opponent, side_index};

/// An illegal move, or a press without one, that the daemon has seen in the arbiter's place (FIDE
/// 7.5.1, 7.5.3, 12.1).
pub fn decide_seen(arbiter: &mut Arbiter, bench: &Bench<'_>) -> Option<Decision> {
    if !acts(bench) {
        return None;
    }
    let now = Stamp::at(bench.now);
    if let Some(fault) = arbiter.found.faults.last().cloned()
        && fault.plies == bench.game.plies().len()
        && fault.answer.is_none()
    {
        return Some(press_without_move(arbiter, &fault, &[], Certainty::Proven, bench));
    }
    let last = bench.game.plies().len().checked_sub(1)?;
    bench.game.plies().last().filter(|p| p.is_irregular())?;
    if arbiter.found.said_of(last).is_some() {
        return None;
    }
    // An arbiter who comes too late leaves it: the opponent has made his next move (A.5.2).
    match window::of_ply(last, now, bench) {
        Open::Yes(certainty) => Some(restore(arbiter, last, &[], certainty, bench)),
        Open::No => None,
    }
}

/// Whether the daemon acts on illegal moves by itself.
fn acts(bench: &Bench<'_>) -> bool {
    bench.observer == Observer::Arbiter && bench.rulebook.illegal.arbiter_acts != ArbiterActs::OnClaim
}

/// A press without a move is a fault; the rulebook says what becomes of it.
pub fn note_press_without_move(arbiter: &mut Arbiter, press: &Press, bench: &Bench<'_>) -> Option<Decision> {
    let facts: Vec<u64> = bench.sensor.history().iter().map(|c| c.fact).chain([press.fact]).collect();
    match bench.rulebook.illegal.press_without_move {
        PressTreatment::Illegal => {
            let plies = bench.game.plies().len();
            let confirmed = completion::seen_whole_since(press, bench);
            arbiter.found.faults.push(Fault {
                by: press.by,
                plies,
                confirmed,
                answer: None,
                facts,
                evidence_complete: bench.now,
            });
            None
        }
        PressTreatment::Discretionary => {
            arbiter.leave_open(press.by, NotCovered::Discretionary);
            let tells = bench.observer == Observer::Arbiter;
            tells.then(|| not_ruled(NotCovered::Discretionary, Some(press.by), facts, bench))
        }
    }
}

/// What a claim that the opponent completed an illegal move can be about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Half-moves of both players.
    Both,
    /// A half-move, counted from 0.
    Ply(usize, Certainty),
    /// A press without a move.
    Press(Fault, Certainty),
    /// Something of which it is not known what it was.
    Left(NotCovered),
    /// Something that was ruled on, or is proposed.
    Answered,
    /// A half-move that can be corrected no more.
    Closed(usize),
    /// Nothing.
    Nothing,
}

/// Looks for what a claim of an illegal move is about: the earliest that can still be corrected, for everything after
/// it falls with it.
pub fn find(arbiter: &Arbiter, claim: &OpenClaim, bench: &Bench<'_>) -> Finding {
    let accused = claim.against;
    let known = window::plies_at(opponent(accused), claim.at, bench);
    let irregular = |by: Colour| {
        let plies = bench.game.plies().iter().enumerate().take(known);
        let irregular = plies.filter(move |(_, p)| p.is_irregular() && p.by == by);
        irregular.map(|(i, _)| i).filter(|i| arbiter.found.said_of(*i) != Some(Answer::Overruled))
    };
    let open = |by: Colour| {
        irregular(by).filter_map(|i| match window::of_ply(i, claim.at, bench) {
            Open::Yes(certainty) => Some((i, certainty)),
            Open::No => None,
        })
    };
    if let Some((index, certainty)) = open(accused).find(|(i, _)| arbiter.found.said_of(*i).is_none()) {
        // Open point "both players have unfound illegal moves": the arbiter decides.
        if open(opponent(accused)).next().is_some() {
            return Finding::Both;
        }
        return Finding::Ply(index, certainty);
    }
    if let Some((fault, certainty)) = open_fault(arbiter, claim, known, bench) {
        return Finding::Press(fault, certainty);
    }
    if let Some(why) = arbiter.left_open(accused).filter(|_| bench.game.turn() == accused) {
        return Finding::Left(why);
    }
    let last = bench.game.plies().len().checked_sub(1);
    let overruled = |i: usize| arbiter.found.said_of(i) == Some(Answer::Overruled);
    let last_was_overruled = last.is_some_and(overruled) && bench.game.turn() != accused;
    if open(accused).next().is_some()
        || last_was_overruled
        || arbiter.found.charged == Some(accused)
        || arbiter.found.faults.iter().any(|f| has_answer(f, claim, bench))
    {
        return Finding::Answered;
    }
    // It is not known whether the claimant's own half-move before it came before his claim.
    if arbiter.found.faults.iter().any(|f| f.by == accused && f.answer.is_none() && f.plies > known) {
        return Finding::Left(NotCovered::InferredMove);
    }
    irregular(accused).next_back().map_or(Finding::Nothing, Finding::Closed)
}

/// Rules on a claim that the opponent completed an illegal move.
pub fn on_claim(arbiter: &mut Arbiter, finding: &Finding, claim: &OpenClaim, bench: &Bench<'_>) -> Decision {
    let accused = claim.against;
    match finding {
        Finding::Both => not_ruled(NotCovered::IllegalMovesOfBoth, None, vec![claim.fact], bench),
        Finding::Ply(index, certainty) => restore(arbiter, *index, &[claim.fact], *certainty, bench),
        Finding::Press(fault, certainty) => {
            press_without_move(arbiter, fault, &[claim.fact], *certainty, bench)
        }
        Finding::Left(why) => not_ruled(*why, Some(accused), vec![claim.fact], bench),
        Finding::Answered => claims::answered(claim, bench),
        Finding::Closed(index) => stands(*index, claim, bench),
        Finding::Nothing => reject(claim, accused, bench),
    }
}

/// What follows now from a proposal: a person confirmed it and meanwhile something else was counted, or the position
/// from which it was drawn was corrected.
pub fn decide_anew(arbiter: &mut Arbiter, bench: &Bench<'_>) -> Option<Decision> {
    while let Some(anew) = arbiter.found.next_anew() {
        if let Some(decision) = rule_anew(arbiter, anew, bench) {
            return Some(decision);
        }
    }
    None
}

fn rule_anew(arbiter: &mut Arbiter, anew: Anew, bench: &Bench<'_>) -> Option<Decision> {
    let Anew { proposal, ply, confirmed } = anew;
    let doubted = !confirmed && proposal.not_observable.contains(&NotObservable::Release);
    let certainty = if doubted { Certainty::Likely } else { Certainty::Proven };
    let evidence = proposal.evidence.clone();
    let decision = match ply {
        Some(index) => {
            bench.game.plies().get(index).filter(|ply| ply.is_irregular())?;
            restore(arbiter, index, &evidence, certainty, bench)
        }
        None => {
            let fault = arbiter.found.faults.iter_mut().rev().find(|f| f.is_of(&proposal))?;
            fault.confirmed |= confirmed;
            let fault = fault.clone();
            press_without_move(arbiter, &fault, &evidence, certainty, bench)
        }
    };
    if confirmed {
        arbiter.asked_because(&decision, Cause::Confirmed);
    }
    Some(decision)
}

/// The last press without a move of the accused that can still be ruled on.
fn open_fault(
    arbiter: &Arbiter,
    claim: &OpenClaim,
    known: usize,
    bench: &Bench<'_>,
) -> Option<(Fault, Certainty)> {
    let unanswered = |f: &&Fault| f.by == claim.against && f.plies <= known && f.answer.is_none();
    arbiter.found.faults.iter().rev().filter(unanswered).find_map(|f| {
        match window::of_fault(f.by, f.plies, claim.at, bench) {
            Open::Yes(certainty) => Some((f.clone(), certainty)),
            Open::No => None,
        }
    })
}

/// Whether a press without a move has the answer that a claim of it would get: a ruling or a person's word since
/// which nothing was completed, or a proposal, to which a person says what is so.
fn has_answer(fault: &Fault, claim: &OpenClaim, bench: &Bench<'_>) -> bool {
    let open = || window::of_fault(fault.by, fault.plies, claim.at, bench) != Open::No;
    fault.by == claim.against
        && match fault.answer {
            None => false,
            Some(Answer::Proposed) => open(),
            Some(Answer::Given | Answer::Overruled) => fault.plies == bench.game.plies().len(),
        }
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
            .chain(penalty_articles(Matter::IllegalPenalty, loses, bench))
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
    doubt(&mut ruling, certainty, ply.confirmed);
    if !loses {
        ruling.not_observable.push(NotObservable::ClockTimes);
    }
    let fen = ply.before.fen();
    finish(arbiter, ruling, Some(index), loses, fen, bench)
}

/// 7.5.1 with 4.3 and 4.7: which moves may replace the illegal one. `None` where king and rook
/// were touched and castling is possible, and where a square read to and fro or the board was out of sight: the
/// arbiter decides.
fn replacement(ply: &Ply) -> Option<Obligation> {
    if ply.is_disturbed() || !ply.watched.board {
        return None;
    }
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

/// The articles of the penalty. The amount is that of an illegal move; where an edition gives the
/// fault a penalty article of its own (2017: 7.8.2), that stands in place of the illegal move's.
fn penalty_articles(penalty: Matter, loses: bool, bench: &Bench<'_>) -> Vec<String> {
    let book = bench.rulebook;
    let of_illegal: Vec<String> = book.articles(Matter::IllegalPenalty).collect();
    let own: Vec<String> = book.articles(penalty).collect();
    let replaces = own.iter().any(|a| !of_illegal.contains(a));
    let parameter = if loses { "illegal.lose_at" } else { "illegal.penalty_ms" };
    let amount = book.cite(parameter).filter(|a| !replaces || !of_illegal.contains(a));
    amount.chain(own.into_iter().filter(|_| !loses || replaces)).collect()
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
        arbiter.found.note(&ruling, take_back_to);
        return Decision::Rule { ruling: Box::new(ruling), take_back_to };
    };
    match bench.rulebook.illegal.draw_exception {
        MateTest::AnySeries => {
            let plies = arbiter.found.plies_of(&ruling).unwrap_or(bench.game.plies().len());
            arbiter.ask(Box::new(ruling), take_back_to, loser, fen, plies)
        }
        MateTest::None => {
            ruling.consequence.result = crate::table::GameResult::Won(opponent(loser));
            arbiter.found.note(&ruling, take_back_to);
            Decision::Rule { ruling: Box::new(ruling), take_back_to }
        }
    }
}

/// What is only likely is proposed, never given.
/// `window`: whether it certainly can still be ruled on. `confirmed`: whether a second look at the
/// whole board agreed.
fn doubt(ruling: &mut Ruling, window: Certainty, confirmed: bool) {
    if window == Certainty::Likely {
        ruling.not_observable.push(NotObservable::Release);
    }
    if !confirmed {
        ruling.not_observable.push(NotObservable::SecondLook);
    }
    if window == Certainty::Likely || !confirmed {
        ruling.certainty = Certainty::Likely;
        ruling.authority = Authority::Proposed;
    }
}

/// 7.5.3: it counts as an illegal move; nothing has to be restored.
fn press_without_move(
    arbiter: &mut Arbiter,
    fault: &Fault,
    claim: &[u64],
    certainty: Certainty,
    bench: &Bench<'_>,
) -> Decision {
    let evidence = fault.facts.iter().chain(claim).copied().collect();
    let mut ruling = draft(RulingKind::PressWithoutMove, bench, evidence);
    doubt(&mut ruling, certainty, fault.confirmed);
    let loses = charge(&mut ruling, fault.by, bench);
    ruling.evidence_complete = evidence_complete(fault.evidence_complete, claim, bench);
    // He still has the move, and what he touched binds him (4.3).
    let standing = bench.game.standing_after(fault.plies).unwrap_or(bench.game.standing());
    let touched = touches(bench.sensor.base(), bench.sensor.history());
    let to_move = fault.plies == bench.game.plies().len();
    let bound = obligation(standing, fault.by, &touched).ok().filter(|o| o.binds && to_move);
    ruling.articles = articles(
        bench
            .rulebook
            .articles(Matter::PressWithoutMove)
            .chain(penalty_articles(Matter::PressPenalty, loses, bench))
            .chain(bound.iter().flat_map(|o| bench.rulebook.articles(o.matter))),
    );
    ruling.consequence.required_moves = bound.map(|o| o.uci(bench.game.mode())).unwrap_or_default();
    finish(arbiter, ruling, None, loses, standing.fen(), bench)
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

/// No illegal move was completed. What stands on the board and was not pressed is none yet (6.2.1),
/// and whether it is legal is not said: its player may still correct it. Only where the opponent
/// has replied to an illegal one already is the position restored, without a count (open point:
/// whether a penalty is due is for a person).
fn reject(claim: &OpenClaim, accused: Colour, bench: &Bench<'_>) -> Decision {
    let mut ruling = draft(RulingKind::ClaimRejected, bench, vec![claim.fact]);
    ruling.offender = claim.claimant();
    let uncompleted = bench.game.turn() == accused && !bench.sensor.history().is_empty();
    let completion = bench.rulebook.articles(Matter::MoveCompleted).filter(|_| uncompleted);
    ruling.articles = articles(bench.rulebook.articles(Matter::RestoreIllegal).chain(completion));
    let answered = uncompleted
        && bench.rulebook.illegal.window == Window::Game
        && made_irregular(bench)
        && bench.sensor.placement().is_some_and(|p| one_move_shape(bench.game.standing(), p).is_none());
    if !answered {
        return Decision::Rule { ruling: Box::new(ruling), take_back_to: None };
    }
    let touched: Vec<_> = touches(bench.sensor.base(), bench.sensor.history())
        .into_iter()
        .filter(|t| t.piece.colour == accused)
        .collect();
    ruling.consequence.free_touch =
        obligation(bench.game.standing(), accused, &touched).map(|o| o.free).unwrap_or_default();
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
