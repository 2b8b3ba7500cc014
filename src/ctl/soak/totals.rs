// SPDX-License-Identifier: GPL-3.0-or-later
//! What many games came to.

use std::collections::BTreeMap;

use super::judge::{Answer, Judgement};
use crate::laws::NoticeKind;

/// A game in which something was wrong.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) game: u64,
    /// Where, for people: how fast they played, and at which board.
    pub(super) place: String,
    /// What, for people.
    pub(super) what: Vec<String>,
}

/// How often, and in which game first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tally {
    pub(super) count: usize,
    pub(super) first: u64,
}

/// A part of the games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Share {
    pub(super) games: usize,
    pub(super) played: usize,
    pub(super) failed: usize,
}

#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) games: usize,
    pub(super) played: usize,
    pub(super) wrong: usize,
    pub(super) missing: usize,
    pub(super) false_rulings: BTreeMap<&'static str, Tally>,
    pub(super) answers: BTreeMap<&'static str, BTreeMap<Answer, Tally>>,
    /// Games in which something was to be done wrong, and in how many of them no occasion came for it.
    pub(super) planned: usize,
    pub(super) no_occasion: usize,
    pub(super) notices: BTreeMap<NoticeKind, Tally>,
    /// Games, and half-moves in them, of each kind of board.
    pub(super) boards: BTreeMap<&'static str, Share>,
    /// Games on a faulty line, and how many of them broke off with nothing worse.
    pub(super) faulty: usize,
    pub(super) broken_off: usize,
    pub(super) failures: Vec<Failure>,
}

impl Totals {
    /// How many notices ask a person to look.
    pub(super) fn asking(&self) -> usize {
        self.notices.iter().filter(|(kind, _)| kind.asks()).map(|(_, t)| t.count).sum()
    }

    /// Notes a game in which something was to be done wrong.
    pub(super) fn planned(&mut self, was_done: bool) {
        self.planned += 1;
        self.no_occasion += usize::from(!was_done);
    }

    /// Adds a game, played at this kind of board if it was played at one. `place` is for people.
    pub(super) fn add(
        &mut self,
        game: u64,
        board: Option<&'static str>,
        place: impl FnOnce() -> String,
        judgement: &Judgement,
    ) {
        self.games += 1;
        self.played += judgement.played;
        self.wrong += usize::from(judgement.wrong.is_some());
        self.faulty += usize::from(judgement.faulty);
        self.broken_off += usize::from(judgement.broke_off());
        if let Some(board) = board {
            let share = self.boards.entry(board).or_default();
            share.games += 1;
            share.played += judgement.played;
            share.failed += usize::from(judgement.failed());
        }
        if !judgement.faulty {
            self.missing += judgement.missing;
        }
        for kind in &judgement.false_rulings {
            count(&mut self.false_rulings, kind.word(), game);
        }
        // What a faulty line took away says nothing of the answers.
        for (what, answer) in judgement.answers.iter().filter(|_| !judgement.faulty) {
            count(self.answers.entry(what).or_default(), *answer, game);
        }
        for kind in &judgement.notices {
            count(&mut self.notices, *kind, game);
        }
        if judgement.failed() {
            self.failures.push(Failure { game, place: place(), what: reasons(judgement) });
        }
    }
}

fn count<K: Ord>(tallies: &mut BTreeMap<K, Tally>, key: K, game: u64) {
    tallies.entry(key).or_insert(Tally { count: 0, first: game }).count += 1;
}

fn reasons(judgement: &Judgement) -> Vec<String> {
    let mut what = Vec::new();
    if let Some((number, has, played)) = &judgement.wrong {
        let played = played.as_deref().unwrap_or("nothing");
        what.push(format!("half-move {number} is {has} in the record, and {played} was played"));
    }
    if judgement.missing > 0 && !judgement.faulty {
        let Judgement { missing, missing_from, .. } = judgement;
        what.push(format!("{missing} half-moves are missing from {missing_from} on"));
    }
    what.extend(judgement.false_rulings.iter().map(|kind| format!("false ruling {}", kind.word())));
    let missed =
        judgement.answers.iter().filter(|(_, answer)| *answer == Answer::Missed && !judgement.faulty);
    what.extend(missed.map(|(due, _)| format!("missed {due}")));
    what
}
