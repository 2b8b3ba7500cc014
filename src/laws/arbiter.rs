// SPDX-License-Identifier: GPL-3.0-or-later
//! The arbiter's mind: what has been pressed, claimed and seen, and which decision is due.
//!
//! [`Arbiter::occur`] takes notice of what happened; [`Arbiter::decide`] gives the next decision
//! whose evidence is complete. The table applies it and asks again until there is none.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

use arbiterd_board::{Colour, Mono, Order, Stamp};

use super::bench::{Bench, Completed, Decision, Occurrence};
use super::calls::{Call, Calls};
use super::claims::{Claims, OpenClaim};
use super::completion::{self, AtRest, Judgement};
use super::found::Found;
use super::mate::Verdict;
use super::owed::Owed;
use super::press::{self, NewMove, Press, Proof, accuses, may_complete};
use super::question::Waiting;
use super::{NotCovered, Notice, NoticeKind, claims, flag, game_end, illegal_move};
use crate::table::{Claim, Observer, Pending, side_index};

/// A board that was asked to show itself and does not within this will not.
const LOOK_PATIENCE: Duration = Duration::from_secs(2);

/// A flag that is down and not ruled on.
#[derive(Clone, Copy, Debug)]
pub struct DownFlag {
    /// When it was noticed (FIDE 6.8): not before it fell, not after it was believed.
    pub noticed: Stamp,
    /// The fact that showed it.
    pub fact: u64,
    /// When everything that stood on the board must have been reported.
    pub due: Mono,
}

/// What the laws keep in mind between decisions.
#[derive(Clone, Debug, Default)]
pub struct Arbiter {
    presses: VecDeque<Press>,
    unfinished: Option<Press>,
    /// Somebody has pressed since then: that press tells more of what stands.
    pressed_since: bool,
    /// Why it is not known what a press was for, of the player to move.
    open: Option<(Colour, NotCovered)>,
    calls: Calls,
    owed: Owed,
    /// The player to move has the move although his clock stands: the other may press to give it back.
    to_give_back: bool,
    look_at_board: bool,
    /// Before the next half-move is completed, a press without a move is none: the last change may have been the move.
    doubts: bool,
    /// When what stands is looked at again: then it ends the game, or nothing is on its way.
    look_due: Option<Mono>,
    /// The board was asked to show that it stands still.
    end_asked: bool,
    pub(super) claims: Vec<OpenClaim>,
    /// What was found out about the players.
    pub(crate) found: Found,
    pub(super) flags: [Option<DownFlag>; 2],
    pub(super) waiting: Option<Waiting>,
    pub(super) answered: Option<Verdict>,
    pub(super) next_question: u32,
}

impl Arbiter {
    /// Takes notice of something.
    pub fn occur(&mut self, occurrence: Occurrence, bench: &Bench<'_>) {
        let due = |at: Stamp| at.latest.after(bench.board_lag);
        match occurrence {
            Occurrence::Pressed { by, at, certain, times, fact } => {
                self.pressed_since = true;
                let waiting = |by| self.presses.iter().filter(|p| p.by == by).count();
                self.owed.heard(by, [waiting(Colour::White), waiting(Colour::Black)]);
                self.presses.push_back(Press {
                    by,
                    at,
                    certain: certain && !self.doubts,
                    times,
                    fact,
                    due: due(at),
                    asked: None,
                    awaits_proof: false,
                    plies_when_judged: None,
                    turns: 1,
                });
            }
            Occurrence::FlagDown { side, at, fact } => {
                // It is down since `at`, but was believed only now: what the board showed until
                // now must be reported too.
                let due = bench.now.after(bench.board_lag);
                let noticed = Stamp { earliest: at.earliest, latest: bench.now };
                self.flags[side_index(side)].get_or_insert(DownFlag { noticed, fact, due });
                // A claim that was early enough to wait for this has its evidence now.
                for claim in self.claims.iter_mut().filter(|c| c.claim == Claim::Flag && c.against == side) {
                    claim.due = Some(due);
                }
            }
            Occurrence::Claimed { by, claim, fact } => {
                let claim = OpenClaim::new(by, claim, self, bench, fact);
                self.claims.push(claim);
            }
            Occurrence::Rested => self.look_at_board = true,
        }
    }

    /// When a decision can next become due by the passing of time.
    ///
    /// `settles`: until when all but flags waits for a board that reads to and fro.
    pub fn poll_timeout(&self, settles: Option<Mono>) -> Option<Mono> {
        // A ruling that waits for an answer is woken by the answer, not by time.
        if self.waiting.is_some() {
            return None;
        }
        let presses = self.presses.front().map(|p| p.due);
        let of_claims = |flags: bool| {
            let waiting = self.claims.iter().filter(|c| (c.claim == Claim::Flag) == flags);
            waiting.filter(|c| !self.waits_for_a_press(c)).filter_map(|c| c.due).min()
        };
        let flags = self.flags.iter().flatten().map(|f| f.due).min();
        let call = self.calls.due();
        let waiting = [presses, of_claims(false), self.look_due, call].into_iter().flatten().min();
        let waiting = waiting.map(|due| settles.map_or(due, |settles| due.max(settles)));
        [waiting, of_claims(true), flags].into_iter().flatten().min()
    }

    /// Observation was interrupted: what was pending on the board will not be judged. Whoever was to be called is
    /// called.
    pub fn interrupted(&mut self) {
        self.presses.clear();
        self.unfinished = None;
        self.open = None;
        self.look_at_board = false;
        self.owed = Owed::default();
        self.look_due = None;
        self.end_asked = false;
    }

    /// Play goes on from here. A press that waits for its evidence came while there was none, or overtook
    /// the board: it may complete a move, and is no press without one.
    pub fn doubt_presses(&mut self) {
        for press in &mut self.presses {
            press.certain = false;
        }
    }

    /// The board shows the record's position again: what was pressed for meanwhile is not there any more.
    pub const fn undone(&mut self) {
        self.owed.undone();
    }

    /// The board shows the record's position again, and by whose doing is not known: it may have been by a move.
    pub fn doubt_until_a_move(&mut self) {
        self.doubt_presses();
        self.doubts = true;
    }

    /// A position was restored in which `remaining` half-moves are completed.
    pub fn restored(&mut self, remaining: usize) {
        self.interrupted();
        self.calls.clear();
        self.to_give_back = true;
        self.doubts = false;
        self.found.restored(remaining);
    }

    /// The next decision, if one is due.
    pub fn decide(&mut self, bench: &Bench<'_>) -> Option<Decision> {
        if bench.game.over() {
            let claim = self.claims.pop();
            // A game that was over may go on: what was found out about it stays.
            let open = self.unjudged();
            let Self { next_question, claims, found, .. } = std::mem::take(self);
            *self = Self { next_question, claims, found, open, ..Self::default() };
            return claim.map(|c| claims::answered(&c, bench));
        }
        if self.waiting.is_some() {
            return self.decide_answered();
        }
        // What stands will be known in a moment. A flag does not wait: what is played after it must not
        // come before it.
        if bench.sensor.settles_by().is_some_and(|settles| bench.now < settles) {
            return claims::decide(self, bench, Claims::OfFlags).or_else(|| flag::decide_seen(self, bench));
        }
        illegal_move::decide_anew(self, bench)
            .or_else(|| game_end::decide(bench))
            .or_else(|| illegal_move::decide_seen(self, bench))
            .or_else(|| self.decide_press(bench))
            .or_else(|| self.decide_at_rest(bench))
            .or_else(|| self.calls.decide(bench))
            .or_else(|| claims::decide(self, bench, Claims::All))
            .or_else(|| flag::decide_seen(self, bench))
    }

    fn decide_press(&mut self, bench: &Bench<'_>) -> Option<Decision> {
        while let Some(front) = self.presses.front().copied().filter(|p| press::is_due(p, bench)) {
            let press = Press { turns: self.owed.turns() + 1, ..front };
            let pressed_back = press.turns == 1 && self.is_pressed_back(bench);
            let decision = self.weigh_press(&press, &Bench { pressed_back, ..*bench });
            if decision.is_some() {
                return decision;
            }
        }
        None
    }

    /// Whether both have pressed, and once, of those whose presses are not judged. On a line that tells nonsense a press
    /// may be nonsense too.
    fn is_pressed_back(&self, bench: &Bench<'_>) -> bool {
        let both = self.presses.len() == 2 && self.presses[0].by != self.presses[1].by;
        both && !bench.sensor.is_noisy(bench.now)
    }

    fn weigh_press(&mut self, press: &Press, bench: &Bench<'_>) -> Option<Decision> {
        if let Some(until) = press::wait_for_play(bench) {
            self.put_off(until);
            return None;
        }
        // Such a press is for nothing that is played.
        if !bench.in_play || press::starts_the_clock(press, bench) {
            self.presses.pop_front();
            return None;
        }
        if press.is_spent(bench) {
            self.drop_late_press(press.by);
            return None;
        }
        if press.by != bench.game.turn() {
            return self.decide_press_of_replier(press, bench);
        }
        if let Some(front) = self.presses.front_mut() {
            front.plies_when_judged = Some(bench.game.plies().len());
        }
        if let ControlFlow::Break(decision) = self.place_late_press(press, bench) {
            return decision;
        }
        let judgement = completion::judge(press, bench);
        if press::is_doubtful(&judgement, bench) {
            self.leave_unfinished(press);
            let told = bench.observer == Observer::Arbiter;
            let doubt = || not_ruled(NotCovered::Disturbed, Some(press.by), vec![press.fact], bench);
            return told.then(doubt);
        }
        if press::accuses_unseen(&judgement, bench) {
            self.leave_unfinished(press);
            self.calls.later(Call::Unfinished, press, bench);
            return None;
        }
        match press::proof_of(press, &judgement, bench) {
            Proof::Given => self.decide_judged(press, judgement, bench),
            Proof::Awaited(until) => self.await_proof(until).then_some(Decision::Look),
            Proof::StandsUntil(until) => {
                self.put_off(until);
                None
            }
            Proof::None => {
                self.leave_unfinished(press);
                let told = bench.observer == Observer::Arbiter;
                told.then(|| Decision::Notice(press::unfinished(press, None, bench)))
            }
        }
    }

    /// 6.2.2: a player may press for his move also after the opponent has replied. Such a press completes nothing
    /// and is no fault. It goes on with a press that is for a new move.
    fn place_late_press(&mut self, press: &Press, bench: &Bench<'_>) -> ControlFlow<Option<Decision>> {
        if !self.owed.may_be_late(press.by) {
            return ControlFlow::Continue(());
        }
        let new = press::for_a_new_move(press, bench);
        match new {
            NewMove::Yes => return ControlFlow::Continue(()),
            NewMove::IfItStandsUntil(until) => {
                self.put_off(until);
                return ControlFlow::Break(None);
            }
            NewMove::No | NewMove::Unless(_) | NewMove::Nothing => {}
        }
        let doubtful = self.owed.is_doubtful(press.by);
        self.drop_late_press(press.by);
        let why = NotCovered::PressMayBeLate;
        let pressed_for_nothing = matches!(new, NewMove::Nothing) && doubtful && press.certain;
        if doubtful || matches!(new, NewMove::Unless(_)) {
            self.open = Some((press.by, why));
        }
        match new {
            NewMove::Unless(irregular) => self.calls.later(Call::Left(why, irregular), press, bench),
            NewMove::No if doubtful => self.calls.later(Call::Unfinished, press, bench),
            _ => {}
        }
        let told = pressed_for_nothing && bench.observer == Observer::Arbiter;
        ControlFlow::Break(told.then(|| press::left(why, press, bench)))
    }

    fn decide_judged(&mut self, press: &Press, judgement: Judgement, bench: &Bench<'_>) -> Option<Decision> {
        let doubted = accuses(&judgement) || press::rests_on_a_swap(&judgement, bench);
        if doubted && press.asked.is_none() && !completion::seen_whole_since(press, bench) {
            return Some(self.look_again(bench));
        }
        match judgement {
            Judgement::Wait(until) => {
                self.put_off(until);
                None
            }
            Judgement::Completed(done) => {
                self.presses.pop_front();
                Some(self.complete(done, bench))
            }
            Judgement::Answered(done) => {
                // The press may be for this one and have come late, or be for the next.
                if let Some(front) = self.presses.front_mut() {
                    front.plies_when_judged = None;
                }
                Some(self.complete(done, bench))
            }
            Judgement::WithoutMove => {
                self.presses.pop_front();
                self.without_move(press, bench)
            }
            Judgement::MovedOn => {
                self.leave_unfinished(press);
                self.open = Some((press.by, NotCovered::MovedOn));
                if let Some(stands) = bench.sensor.placement() {
                    self.calls.later(Call::Left(NotCovered::MovedOn, *stands), press, bench);
                }
                None
            }
            Judgement::Unfinished(pending) => {
                self.leave_unfinished(press);
                if press::may_be_for_an_illegal_move(bench) {
                    self.open = Some((press.by, NotCovered::InferredMove));
                }
                if pending == Some(Pending::Promotion) && bench.observer == Observer::Arbiter {
                    return Some(Decision::Notice(press::unfinished(press, pending, bench)));
                }
                self.calls.later(Call::Unfinished, press, bench);
                None
            }
        }
    }

    /// Only the player to move completes a move by his press; but the other's may tell that he has replied, and
    /// with that the move before is complete (6.2.1.2). Else it came late, for a move that is complete (6.2.2).
    fn decide_press_of_replier(&mut self, press: &Press, bench: &Bench<'_>) -> Option<Decision> {
        let told = completion::answered_and_pressed(press.turns, bench).filter(|_| may_complete(bench));
        let proof = told.as_ref().map_or(Proof::None, |told| press::proof_of(press, told, bench));
        match (told, proof) {
            (Some(Judgement::Wait(until)), _) | (_, Proof::StandsUntil(until)) => self.put_off(until),
            (Some(Judgement::Completed(done)), Proof::Given) => return Some(self.complete(done, bench)),
            (_, Proof::Awaited(until)) => return self.await_proof(until).then_some(Decision::Look),
            _ => {
                let late = self.owed.may_be_late(press.by);
                if !late
                    && press::has_put_nothing_down(press, bench)
                    && std::mem::take(&mut self.to_give_back)
                {
                    self.presses.pop_front();
                    return None;
                }
                self.drop_late_press(press.by);
                if !late && self.calls.is_empty() {
                    self.calls.later(Call::Unfinished, press, bench);
                }
            }
        }
        None
    }

    fn drop_late_press(&mut self, by: Colour) {
        self.owed.dropped(by);
        self.presses.pop_front();
    }

    /// The move for which it was pressed is not complete.
    fn leave_unfinished(&mut self, press: &Press) {
        self.presses.pop_front();
        self.owed.unplaced(press.by);
        self.unfinished = Some(*press);
        self.pressed_since = !self.presses.is_empty();
    }

    /// Asks the board to show itself whole before somebody is accused, or before a move is believed that
    /// no hand makes; if it does not, what is ruled then is only proposed.
    fn look_again(&mut self, bench: &Bench<'_>) -> Decision {
        if let Some(front) = self.presses.front_mut() {
            front.asked = Some(bench.now);
            front.awaits_proof = false;
            front.due = bench.now.after(LOOK_PATIENCE);
        }
        Decision::Look
    }

    /// The board has to show what stands before it is believed; true if it was not asked to do so yet.
    fn await_proof(&mut self, until: Mono) -> bool {
        let Some(front) = self.presses.front_mut() else { return false };
        front.due = until;
        front.asked = None;
        !std::mem::replace(&mut front.awaits_proof, true)
    }

    fn put_off(&mut self, until: Mono) {
        if let Some(front) = self.presses.front_mut() {
            front.due = until;
            // Something changed since: the look that came is no second one any more.
            front.asked = None;
            front.awaits_proof = false;
        }
    }

    /// A press for nothing: a fault (7.5.3), or one of which that is not known.
    fn without_move(&mut self, press: &Press, bench: &Bench<'_>) -> Option<Decision> {
        if let Some(why) = press::may_be_no_press_without_move(press, bench) {
            self.open = Some((press.by, why));
            let told = why == NotCovered::FaultyLine && bench.observer == Observer::Arbiter;
            return told.then(|| press::left(why, press, bench));
        }
        self.unfinished = None;
        self.open = None;
        self.to_give_back = true;
        illegal_move::note_press_without_move(self, press, bench)
            .or_else(|| illegal_move::decide_seen(self, bench))
    }

    /// What has come to rest may complete a move without a press.
    fn decide_at_rest(&mut self, bench: &Bench<'_>) -> Option<Decision> {
        let ends = self.look_due.is_some_and(|due| due <= bench.now);
        let shown = self.end_asked && completion::end_was_seen(bench);
        if !ends && !shown && !std::mem::take(&mut self.look_at_board) {
            return None;
        }
        self.look_due = None;
        let asked = std::mem::take(&mut self.end_asked);
        let pressed = self.unfinished.is_some() && !self.pressed_since;
        match completion::at_rest(bench, pressed, self.owed.turns()) {
            AtRest::Completed(done) => {
                // The second of two plies may end the game itself: look again.
                self.look_at_board = true;
                Some(self.complete(done, bench))
            }
            AtRest::EndsAt(due) => {
                self.look_due = Some(due);
                self.end_asked = asked;
                None
            }
            AtRest::LooksAt(due) => {
                self.look_due = Some(due);
                None
            }
            AtRest::NotShown => {
                self.look_due = Some(bench.now.after(LOOK_PATIENCE));
                self.end_asked = true;
                Some(Decision::Look)
            }
            AtRest::Nothing => None,
        }
    }

    fn complete(&mut self, mut done: Box<Completed>, bench: &Bench<'_>) -> Decision {
        done.left_open = self.open.is_some();
        self.owed.completed(bench.game.turn(), done.completion, bench.now);
        self.doubts = false;
        self.unfinished = None;
        self.open = None;
        self.to_give_back = false;
        self.calls.clear();
        self.found.completed();
        // What stands may complete more than one half-move.
        self.look_at_board |= bench.sensor.rested();
        Decision::Complete(done)
    }

    /// Whether a press came before the move was complete on the board.
    pub(super) const fn has_unfinished_press(&self) -> bool {
        self.unfinished.is_some()
    }

    /// Why it is not known what a player pressed for, if something is not known or will not be judged.
    pub(crate) fn unjudged(&self) -> Option<(Colour, NotCovered)> {
        let unfinished = self.unfinished.map(|press| (press.by, NotCovered::UnfinishedMove));
        let pending = self.presses.front().map(|press| (press.by, NotCovered::UncertainPress));
        self.open.or(unfinished).or(pending)
    }

    /// A press is left to the arbiter.
    pub(super) const fn leave_open(&mut self, by: Colour, why: NotCovered) {
        self.open = Some((by, why));
    }

    /// Why a claim that the player to move completed an illegal move is the arbiter's to answer, if it is.
    pub(super) fn left_open(&self, accused: Colour) -> Option<NotCovered> {
        let open = self.open.filter(|(by, _)| *by == accused).map(|(_, why)| why);
        open.or_else(|| self.has_unfinished_press().then_some(NotCovered::UnfinishedMove))
    }

    /// Which moves are completed is part of a claim's evidence; of a flag's (6.8) only those that may have
    /// been completed before it.
    pub(super) fn waits_for_a_press(&self, claim: &OpenClaim) -> bool {
        let matters = |p: &Press| claim.claim != Claim::Flag || Stamp::order(p.at, claim.at) != Order::After;
        self.presses.iter().any(matters)
    }

    /// Whether presses wait for their evidence.
    pub(super) fn has_pending_press(&self) -> bool {
        !self.presses.is_empty()
    }

    /// Whom an arbiter who claims an illegal move can mean: against whom there is something, the newest.
    pub(super) fn suspect(&self, bench: &Bench<'_>) -> Option<Colour> {
        if self.unfinished.is_some() || self.open.is_some() {
            return Some(bench.game.turn());
        }
        self.found.newest(bench)
    }
}

/// A notice that something is left to the arbiter.
pub(super) fn not_ruled(
    why: NotCovered,
    side: Option<Colour>,
    evidence: Vec<u64>,
    bench: &Bench<'_>,
) -> Decision {
    let notice = Notice::new(NoticeKind::NotRuled, bench.now);
    Decision::Notice(Notice { side, not_covered: Some(why), evidence, ..notice })
}
