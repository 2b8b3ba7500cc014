// SPDX-License-Identifier: GPL-3.0-or-later
//! What the arbiter puts right in the record: a position that is put back, moves that were missed, a
//! move that was another.
//!
//! Every command is planned whole before anything changes, and the plan is what [`Table::check`] makes
//! of it too. Facts and rulings stay as they are in the journal: what is put right is one fact more.

use arbiterd_board::{Mono, Stamp};
use shakmaty::CastlingMode;

use super::named_move::MoveProblem;
use super::{
    CommandError, Completion, Game, GameResult, MoveView, Output, Ply, PlyBody, Proposal, Restored, Standing,
    Table, TableState, View, Watched,
};
use crate::laws::{NotCovered, Notice, NoticeKind, RulingKind, Status};

/// Half-moves in their order, each with what stands before it, and what stands after all.
pub(super) struct Line {
    steps: Vec<(Standing, PlyBody)>,
    standing: Standing,
}

/// A text that came from outside, so much of it as a message needs.
fn shortened(text: &str) -> String {
    text.chars().take(12).collect()
}

impl Table {
    /// How many half-moves a position to be put back has before it.
    pub(super) fn plan_restoration(&self, plies: u32) -> Result<usize, CommandError> {
        let waits = matches!(self.state, TableState::NoBoard | TableState::AwaitingPosition { .. });
        if waits && self.game.plies().is_empty() {
            return Err(CommandError::NotBegun);
        }
        self.up_to(plies)
    }

    fn up_to(&self, plies: u32) -> Result<usize, CommandError> {
        let completed = self.game.plies().len();
        let found = usize::try_from(plies).ok().filter(|&n| n <= completed);
        found.ok_or(CommandError::NoSuchPly { asked: plies, completed })
    }

    /// The half-moves that a list names, played after so many of the record.
    pub(super) fn plan_moves(&self, after: u32, moves: &[String]) -> Result<Line, CommandError> {
        if self.game.over() {
            return Err(CommandError::GameOver);
        }
        let after = self.up_to(after)?;
        if moves.is_empty() {
            return Err(CommandError::NoMoves);
        }
        let mode = self.game.mode();
        let mut standing = self.game.standing_after(after).unwrap_or(self.game.standing()).clone();
        let mut steps = Vec::new();
        for (i, uci) in moves.iter().enumerate() {
            let m = standing.named_move(uci, mode).map_err(|problem| CommandError::MoveRefused {
                number: i + 1,
                ply: after + i + 1,
                uci: shortened(uci),
                problem,
            })?;
            let next = standing.play(m, mode);
            steps.push((std::mem::replace(&mut standing, next), PlyBody::Legal(m)));
        }
        Ok(Line { steps, standing })
    }

    /// The half-moves from a corrected one on: itself as it was, and those after it as they are.
    pub(super) fn plan_correction(&self, ply: u32, uci: &str) -> Result<Line, CommandError> {
        if self.game.over() {
            return Err(CommandError::GameOver);
        }
        let (game, mode) = (&self.game, self.game.mode());
        let missing = CommandError::NoSuchPly { asked: ply, completed: game.plies().len() };
        let index = self.up_to(ply)?.checked_sub(1).ok_or(missing)?;
        let mut standing = game.standing_after(index).unwrap_or(game.standing()).clone();
        let m = standing.named_move(uci, mode).map_err(|problem| CommandError::MoveRefused {
            number: 1,
            ply: index + 1,
            uci: shortened(uci),
            problem,
        })?;
        let next = standing.play(m, mode);
        let mut steps = vec![(std::mem::replace(&mut standing, next), PlyBody::Legal(m))];
        for (i, later) in game.plies().iter().enumerate().skip(index + 1) {
            // A position that was accepted does not follow from what was before.
            if game.was_accepted(i) {
                standing = later.before.clone();
            }
            let (body, next) = again(game, i, &standing).map_err(|problem| CommandError::LaterMove {
                ply: i + 1,
                uci: later.uci(mode),
                problem,
            })?;
            steps.push((std::mem::replace(&mut standing, next), body));
        }
        if game.was_accepted(game.plies().len()) {
            standing = game.standing().clone();
        }
        Ok(Line { steps, standing })
    }

    /// Puts the position after so many half-moves back. A game that was over goes on: what ended it does
    /// not stand any more, and if it was the count of somebody's illegal moves, neither does its last.
    pub(super) fn restore(&mut self, now: Mono, remaining: usize) {
        let reopened = self.reopen();
        let mode = self.game.mode();
        let taken_back: Vec<String> =
            self.game.plies().iter().skip(remaining).map(|ply| ply.uci(mode)).collect();
        // What a claim may be about, and is not judged any more.
        let given_up = !self.sensor.history().is_empty() || self.arbiter.unjudged().is_some();
        let stood = self.game.standing().placement();
        self.shown.taken_back(self.game.plies(), remaining, &stood);
        self.game.take_back(remaining);
        self.fall(now, Void::After(remaining));
        self.arbiter.restored(remaining);
        self.replacement.clear();
        if !taken_back.is_empty() {
            self.view(View::TakenBack { remaining });
        }
        self.view(View::Restored(Restored {
            remaining,
            taken_back,
            fen: self.game.standing().fen(),
            clock: self.game.plies().last().and_then(|last| last.clock),
            reopened,
        }));
        self.begin_restoring(now);
        if given_up {
            self.sight.give_up(now);
        }
    }

    fn reopen(&mut self) -> bool {
        if !self.game.over() {
            return false;
        }
        self.game.result = GameResult::Open;
        self.game.revision += 1;
        if let Some((ruling, counted_before)) = self.ended_by.take() {
            self.game.illegal = counted_before;
            self.view(View::Decided { ruling, status: Status::Overruled });
        }
        self.view(View::Result(GameResult::Open));
        true
    }

    /// Puts other half-moves in the place of those after `after`. They were not seen: nothing is ruled
    /// from who touched what in them.
    pub(super) fn set_moves(&mut self, now: Mono, after: usize, line: Line, fact: u64) {
        let earliest = after.checked_sub(1).and_then(|last| self.game.plies().get(last));
        let at = Stamp { earliest: earliest.map_or(Mono::ZERO, |last| last.at.earliest), latest: now };
        let told = self.game.plies().len() > after;
        let before = self.game.standing().clone();
        let plies = line.steps.into_iter().map(|(before, body)| Ply {
            by: crate::board::colour(before.turn()),
            before,
            body,
            completion: Completion::Arbiter,
            at,
            clock: None,
            changes: Vec::new(),
            facts: vec![fact],
            inferred: true,
            confirmed: true,
            watched: Watched::NOTHING,
        });
        let plies = plies.collect();
        self.game.take_back(after);
        self.game.amend(after, plies, line.standing);
        self.fall(now, Void::OtherMovesAfter(after));
        self.retell(after, told);
        self.take_up(now, &before);
    }

    /// Puts another half-move in the place of one. When it was completed and what the clock showed stays.
    pub(super) fn correct_ply(&mut self, now: Mono, index: usize, line: Line, fact: u64) {
        let before = self.game.standing().clone();
        let mut plies = self.game.plies().get(index..).unwrap_or_default().to_vec();
        for (ply, (before, body)) in plies.iter_mut().zip(line.steps) {
            ply.before = before;
            ply.body = body;
        }
        if let Some(corrected) = plies.first_mut() {
            corrected.completion = Completion::Arbiter;
            corrected.changes.clear();
            corrected.facts.push(fact);
            corrected.inferred = true;
            corrected.confirmed = true;
            corrected.watched = Watched::NOTHING;
        }
        self.game.amend(index, plies, line.standing);
        self.fall(now, Void::Ply(index));
        self.propose_anew(now, index);
        self.retell(index, true);
        self.take_up(now, &before);
    }

    /// What was proposed, or was about to be ruled, of what is not in the record any more falls.
    pub(super) fn fall(&mut self, now: Mono, void: Void) {
        self.let_fall(|p| void.covers(p.ruling.kind, p.take_back_to, p.plies));
        let claims = self.arbiter.fall(void);
        self.answer_claims(now, claims);
    }

    /// Takes out the proposals that fall, and tells it.
    fn let_fall(&mut self, falls: impl Fn(&Proposal) -> bool) -> Vec<Proposal> {
        let (fallen, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.proposals).into_iter().partition(falls);
        self.proposals = kept;
        for Proposal { ruling, take_back_to, .. } in &fallen {
            self.arbiter.found.reopen(ruling, *take_back_to);
            self.view(View::Decided { ruling: ruling.seq, status: Status::Fallen });
        }
        fallen
    }

    /// Nobody was told of a ruling; whoever claimed one is not left without an answer.
    fn answer_claims(&mut self, now: Mono, claims: Vec<u64>) {
        for claim in claims {
            self.notice(now, NoticeKind::ClaimAnswered, Vec::new(), vec![claim]);
        }
    }

    /// Another game begins: what waits is about none that is played.
    pub(super) fn withdraw_all(&mut self, now: Mono) {
        self.let_fall(|_| true);
        let claims = self.arbiter.withdraw_claims();
        self.answer_claims(now, claims);
    }

    /// What was proposed of half-moves after a corrected one speaks of positions that never stood. An illegal move is
    /// proposed anew; what else was claimed a person has to look at.
    fn propose_anew(&mut self, now: Mono, corrected: usize) {
        let outdated = self.let_fall(|p| p.take_back_to.is_some_and(|ply| ply > corrected));
        for Proposal { ruling, take_back_to, .. } in outdated {
            if ruling.kind == RulingKind::IllegalMove {
                self.arbiter.found.rule_anew(ruling, take_back_to, false);
            } else {
                let (side, not_covered) = (ruling.offender, Some(NotCovered::InferredMove));
                let notice = Notice::new(NoticeKind::NotRuled, now);
                let evidence = ruling.evidence;
                self.outputs.push_back(Output::Notice(Notice { side, not_covered, evidence, ..notice }));
            }
        }
    }

    /// Tells the half-moves from `from` on, anew if they had been told.
    fn retell(&mut self, from: usize, told: bool) {
        if told {
            self.view(View::TakenBack { remaining: from });
        }
        let completed = self.game.plies().len();
        for index in from..completed {
            if let Some(view) = self.move_view(index) {
                self.view(View::Moved(view));
            }
            if self.game.was_accepted(index + 1)
                && let Some(fen) = self.game.standing_after(index + 1).map(Standing::fen)
            {
                self.view(View::Accepted { fen });
            }
        }
    }

    /// A half-move of the record, as it is published.
    pub(super) fn move_view(&self, index: usize) -> Option<MoveView> {
        let (ply, mode) = (self.game.plies().get(index)?, self.game.mode());
        let after = match ply.body {
            PlyBody::Legal(m) => ply.before.play(m, mode),
            PlyBody::Irregular { .. } => self.game.standing_after(index + 1)?.clone(),
        };
        Some(MoveView {
            ply: index + 1,
            by: ply.by,
            uci: ply.uci(mode),
            completion: ply.completion,
            clock: ply.clock,
            fen: after.fen(),
        })
    }

    /// The record is another, and the table takes up from it what stands: the position, a move in
    /// progress, or disorder.
    fn take_up(&mut self, now: Mono, before: &Standing) {
        // What was touched before the arbiter said what was played is not held against anybody.
        self.sight.give_up(now);
        if self.game.standing() == before {
            self.settle_state(now);
            return;
        }
        self.arbiter.restored(self.game.plies().len());
        self.restoration_due = false;
        self.unclear_since = None;
        self.called = false;
        self.recognise_board(now);
        let Some(placement) = self.sensor.placement().copied() else { return };
        let standing = self.game.standing().placement();
        // What was moved since this position stood is a move in progress; what led to it is not.
        let changes = self.sensor.history().len();
        let since = (0..=changes).rev().find(|&cut| self.sensor.placement_after(cut) == standing);
        self.sensor.settle(since.unwrap_or(changes), &standing);
        self.unfounded = !self.follows();
        let differing: Vec<_> = standing.differences(&placement).collect();
        let state = if differing.is_empty() || self.explained() {
            TableState::InStep
        } else {
            TableState::OutOfStep { differing }
        };
        self.set_state(state);
    }
}

/// What is not in the record any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Void {
    /// What came after so many half-moves.
    After(usize),
    /// The same, and other half-moves were played: what seemed to be a press without one was for the first of them.
    OtherMovesAfter(usize),
    /// A half-move, counted from 0, was another.
    Ply(usize),
    /// Only the position is another.
    Nothing,
}

impl Void {
    /// Whether a half-move, counted from 0, is none of the record any more.
    pub(crate) const fn covers_ply(self, ply: usize) -> bool {
        match self {
            Self::After(remaining) | Self::OtherMovesAfter(remaining) => ply >= remaining,
            Self::Ply(other) => ply == other,
            Self::Nothing => false,
        }
    }

    /// Whether what was pressed or shown when so many half-moves were completed does not count any more.
    pub(crate) const fn covers_fault(self, plies: usize) -> bool {
        match self {
            Self::After(remaining) => plies > remaining,
            Self::OtherMovesAfter(remaining) => plies >= remaining,
            Self::Ply(_) | Self::Nothing => false,
        }
    }

    /// Whether a claim is about it that waits for the record to have so many half-moves.
    pub(crate) const fn covers_move_to_come(self, plies: usize) -> bool {
        match self {
            Self::After(remaining) => plies > remaining + 1,
            Self::OtherMovesAfter(remaining) => plies > remaining,
            Self::Ply(_) => false,
            Self::Nothing => true,
        }
    }

    /// Whether a ruling is about it, which was drafted when `plies` half-moves were in the record. A flag that fell
    /// has fallen.
    pub(crate) fn covers(self, kind: RulingKind, take_back_to: Option<usize>, plies: usize) -> bool {
        match take_back_to {
            Some(taken) => self.covers_ply(taken),
            None => kind != RulingKind::FlagFall && self.covers_fault(plies),
        }
    }
}

/// A half-move of the record, played in another position.
fn again(game: &Game, index: usize, standing: &Standing) -> Result<(PlyBody, Standing), MoveProblem> {
    let Some(ply) = game.plies().get(index) else { return Err(MoveProblem::OtherPieces) };
    match ply.body {
        PlyBody::Legal(_) => {
            let m = standing.named_move(&ply.uci(game.mode()), game.mode())?;
            Ok((PlyBody::Legal(m), standing.play(m, game.mode())))
        }
        PlyBody::Irregular { .. } => {
            let after = game.standing_after(index + 1).filter(|_| !game.was_accepted(index + 1));
            Ok((ply.body, done_again(ply, after, standing, game.mode())?))
        }
    }
}

/// What an illegal move did to the board, done in another position. Where it is not known any more what
/// stood after it, the piece has to be there.
fn done_again(
    ply: &Ply,
    after: Option<&Standing>,
    standing: &Standing,
    mode: CastlingMode,
) -> Result<Standing, MoveProblem> {
    let (before, mut placement) = (ply.before.placement(), standing.placement());
    let moved: Vec<_> = match after {
        Some(after) => before.differences(&after.placement()).collect(),
        None => ply.from().into_iter().collect(),
    };
    if moved.iter().any(|&square| placement[square] != before[square]) {
        return Err(MoveProblem::OtherPieces);
    }
    if let Some(after) = after.map(Standing::placement) {
        for square in moved {
            placement[square] = after[square];
        }
    }
    Ok(standing.after_irregular(&placement, mode))
}
