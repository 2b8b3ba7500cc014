// SPDX-License-Identifier: GPL-3.0-or-later
//! Rulings that wait until it is known whether a player can mate (FIDE 6.9, 7.5.5).

use arbiterd_board::Colour;

use super::arbiter::{Arbiter, DownFlag};
use super::bench::Decision;
use super::claims::OpenClaim;
use super::mate::{QuestionId, Verdict};
use super::{RulingKind, game_end};
use crate::table::{Void, opponent, side_index};

/// A ruling that waits for the answer to a question.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    question: QuestionId,
    ruling: Box<super::Ruling>,
    take_back_to: Option<usize>,
    /// Who is to lose.
    loser: Colour,
    /// Half-moves in the record when it was to be given.
    plies: usize,
    cause: Cause,
}

/// What led to a ruling that waits.
#[derive(Clone, Debug)]
pub(super) enum Cause {
    /// The daemon has seen it.
    Seen,
    /// A person has confirmed it.
    Confirmed,
    /// A flag.
    Flag(Colour, DownFlag),
    /// A claim.
    Claim(OpenClaim),
}

impl Arbiter {
    /// The answer to a question; ignored if nothing waits for it.
    pub fn answer(&mut self, question: QuestionId, verdict: Verdict) {
        if self.waiting.as_ref().is_some_and(|w| w.question == question) {
            self.answered = Some(verdict);
        }
    }

    /// The record is another. What waits for an answer will not be given: what it is about is void, or is looked at
    /// anew. Gives the facts that record the claims of what is void.
    pub(crate) fn fall(&mut self, void: Void) -> Vec<u64> {
        self.found.forget(void);
        let touches =
            self.claims.extract_if(.., |c| c.waits_for_a_move() && void.covers_move_to_come(c.plies));
        let touches: Vec<u64> = touches.map(|claim| claim.fact).collect();
        touches.into_iter().chain(self.withdraw_question(void)).collect()
    }

    /// The game is at its end, or another begins: the facts that record the claims that wait.
    pub(crate) fn withdraw_claims(&mut self) -> Vec<u64> {
        let asked = self.waiting.take().and_then(|waiting| match waiting.cause {
            Cause::Claim(claim) => Some(claim.fact),
            Cause::Seen | Cause::Confirmed | Cause::Flag(..) => None,
        });
        self.claims.drain(..).map(|claim| claim.fact).chain(asked).collect()
    }

    fn withdraw_question(&mut self, void: Void) -> Option<u64> {
        let Waiting { ruling, take_back_to, plies, cause, .. } = self.waiting.take()?;
        self.answered = None;
        self.found.reopen(&ruling, take_back_to);
        match (void.covers(ruling.kind, take_back_to, plies), cause) {
            (true, Cause::Claim(claim)) => return Some(claim.fact),
            (false, Cause::Claim(claim)) => self.claims.push(claim),
            (_, Cause::Flag(side, flag)) => self.flags[side_index(side)] = Some(flag),
            // What was seen before the last half-move is looked for no more.
            (false, Cause::Seen) => self.found.rule_anew(*ruling, take_back_to, false),
            (false, Cause::Confirmed) => self.found.rule_anew(*ruling, take_back_to, true),
            (true, Cause::Seen | Cause::Confirmed) => {}
        }
        None
    }

    /// Holds a ruling back until it is known whether the opponent of `loser` can mate.
    pub(super) fn ask(
        &mut self,
        ruling: Box<super::Ruling>,
        take_back_to: Option<usize>,
        loser: Colour,
        fen: String,
        plies: usize,
    ) -> Decision {
        self.next_question += 1;
        let question = QuestionId(self.next_question);
        let cause = Cause::Seen;
        self.waiting = Some(Waiting { question, ruling, take_back_to, loser, plies, cause });
        Decision::Ask { question, fen, side: opponent(loser) }
    }

    /// What led to a decision: if that is to ask, the ruling that waits is made of it again should the record change.
    pub(super) fn asked_because(&mut self, decision: &Decision, cause: Cause) {
        if let (Some(waiting), Decision::Ask { .. }) = (&mut self.waiting, decision) {
            waiting.cause = cause;
        }
    }

    /// Whether a ruling waits for the answer to a question.
    pub(crate) const fn waits_for_an_answer(&self) -> bool {
        self.waiting.is_some()
    }

    /// The ruling whose question was answered.
    pub(super) fn decide_answered(&mut self) -> Option<Decision> {
        let verdict = self.answered.take()?;
        let Waiting { mut ruling, take_back_to, loser, .. } = self.waiting.take()?;
        game_end::apply_verdict(&mut ruling, loser, &verdict);
        if ruling.kind == RulingKind::FlagFall {
            self.flags = [None; 2];
        }
        self.found.note(&ruling, take_back_to);
        Some(Decision::Rule { ruling, take_back_to })
    }
}
