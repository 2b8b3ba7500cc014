// SPDX-License-Identifier: GPL-3.0-or-later
//! What was found out about the players, and what became of it: it outlasts presses and calls, and the end of a game
//! that may go on.

use std::collections::VecDeque;

use arbiterd_board::{Colour, Mono};

use super::bench::Bench;
use super::{Authority, Ruling, RulingKind};
use crate::table::Void;

/// A press without a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Who pressed.
    pub by: Colour,
    /// How many half-moves were completed then.
    pub plies: usize,
    /// Whether a second look at the whole board agreed.
    pub confirmed: bool,
    /// What was ruled on it, if anything was.
    pub answer: Option<Answer>,
    /// The facts that show it.
    pub facts: Vec<u64>,
    /// When the evidence was complete.
    pub evidence_complete: Mono,
}

impl Fault {
    /// Whether a ruling is about it.
    pub(super) fn is_of(&self, ruling: &Ruling) -> bool {
        ruling.kind == RulingKind::PressWithoutMove
            && self.facts.iter().all(|fact| ruling.evidence.contains(fact))
    }
}

/// What became of something that was ruled on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The ruling was given.
    Given,
    /// It was proposed and waits for a person's word.
    Proposed,
    /// A person said that it is not so.
    Overruled,
}

impl Answer {
    const fn of(ruling: &Ruling) -> Self {
        match ruling.authority {
            Authority::Final => Self::Given,
            Authority::Proposed => Self::Proposed,
        }
    }
}

/// Presses without a move, and illegal moves that were ruled on; those that were not are in the record.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Presses without a move, oldest first.
    pub(super) faults: Vec<Fault>,
    /// Who was charged with an illegal move that was taken back, since which none was completed.
    pub(super) charged: Option<Colour>,
    /// The half-moves, counted from 0, of which it was proposed that they were illegal, and what became of that.
    proposed: Vec<(usize, Answer)>,
    /// What is ruled or proposed anew.
    anew: VecDeque<Anew>,
}

/// A ruling whose consequence is another than when it was proposed.
#[derive(Clone, Debug)]
pub(super) struct Anew {
    pub(super) proposal: Ruling,
    /// The half-move that is taken back, counted from 0.
    pub(super) ply: Option<usize>,
    /// A person said that it is so.
    pub(super) confirmed: bool,
}

impl Found {
    /// A proposal is ruled on anew: by the count as it is now, or from the position as it was corrected.
    pub(crate) fn rule_anew(&mut self, proposal: Ruling, ply: Option<usize>, confirmed: bool) {
        self.anew.push_back(Anew { proposal, ply, confirmed });
    }

    /// The next that is to be ruled on anew.
    pub(super) fn next_anew(&mut self) -> Option<Anew> {
        self.anew.pop_front()
    }

    /// How many half-moves were completed when what a ruling is about was done, if it is about a press without one.
    pub(crate) fn plies_of(&self, ruling: &Ruling) -> Option<usize> {
        self.faults.iter().find(|f| f.is_of(ruling)).map(|f| f.plies)
    }

    /// A ruling charged `offender` with an illegal move, and it was taken back.
    pub(crate) const fn charged(&mut self, offender: Colour) {
        self.charged = Some(offender);
    }

    /// A half-move was completed.
    pub(super) const fn completed(&mut self) {
        self.charged = None;
    }

    /// A position was restored in which `remaining` half-moves are completed.
    pub(super) fn restored(&mut self, remaining: usize) {
        self.charged = None;
        self.forget(Void::After(remaining));
    }

    /// What is void does not count any more.
    pub(super) fn forget(&mut self, void: Void) {
        self.faults.retain(|f| !void.covers_fault(f.plies));
        self.proposed.retain(|&(ply, _)| !void.covers_ply(ply));
        self.anew.retain(|a| !a.ply.is_some_and(|ply| void.covers_ply(ply)));
    }

    /// What a ruling was about that fell, and what is in the record still, may be ruled on anew.
    pub(crate) fn reopen(&mut self, fallen: &Ruling, fallen_ply: Option<usize>) {
        for fault in self.faults.iter_mut().filter(|f| f.is_of(fallen)) {
            fault.answer = None;
        }
        if fallen.kind == RulingKind::IllegalMove {
            self.proposed.retain(|(ply, _)| fallen_ply != Some(*ply));
        }
    }

    /// A person said what is so to a proposal.
    pub(crate) fn said(&mut self, proposal: &Ruling, take_back_to: Option<usize>, confirmed: bool) {
        let answer = if confirmed { Answer::Given } else { Answer::Overruled };
        for fault in self.faults.iter_mut().filter(|f| f.is_of(proposal)) {
            fault.answer = Some(answer);
        }
        let of_illegal = take_back_to.filter(|_| proposal.kind == RulingKind::IllegalMove);
        for (_, said) in self.proposed.iter_mut().filter(|(ply, _)| of_illegal == Some(*ply)) {
            *said = answer;
        }
    }

    /// The same is not ruled on twice, nor proposed twice, whatever a person says to it.
    pub(super) fn note(&mut self, ruling: &Ruling, take_back_to: Option<usize>) {
        for fault in self.faults.iter_mut().filter(|f| f.is_of(ruling)) {
            fault.answer = Some(Answer::of(ruling));
        }
        let proposed = ruling.authority == Authority::Proposed && ruling.kind == RulingKind::IllegalMove;
        self.proposed.extend(take_back_to.filter(|_| proposed).map(|ply| (ply, Answer::Proposed)));
    }

    /// What was said of a half-move that was proposed to be illegal.
    pub(super) fn said_of(&self, ply: usize) -> Option<Answer> {
        self.proposed.iter().rfind(|(proposed, _)| *proposed == ply).map(|(_, answer)| *answer)
    }

    /// Who did the newest of what no ruling is about, or what the last ruling was about, if nothing was completed since.
    pub(super) fn newest(&self, bench: &Bench<'_>) -> Option<Colour> {
        let plies = bench.game.plies().len();
        let answered = || self.faults.last().filter(|f| f.plies == plies).map(|f| f.by);
        self.unanswered(bench).or(self.charged).or_else(answered)
    }

    fn unanswered(&self, bench: &Bench<'_>) -> Option<Colour> {
        let fault = self.faults.iter().rev().find(|f| f.answer.is_none()).map(|f| (2 * f.plies + 1, f.by));
        let plies = bench.game.plies().iter().enumerate().rev();
        let irregular = plies.filter(|(i, p)| p.is_irregular() && self.said_of(*i).is_none());
        let irregular = irregular.map(|(i, p)| (2 * (i + 1), p.by)).next();
        [fault, irregular].into_iter().flatten().max_by_key(|(when, _)| *when).map(|(_, by)| by)
    }
}
