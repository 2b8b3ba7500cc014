// SPDX-License-Identifier: GPL-3.0-or-later
//! What the core made of a session, beside what was true.

use arbiterd_board::{Colour, Mono};

use super::desk::Heard;
use crate::laws::{Notice, NoticeKind, Ruling, RulingKind};
use crate::sim::people::{Due, Truth, Wronged};

/// What came of something that called for an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Answer {
    /// The ruling that was due.
    Ruled,
    /// A notice that this is left to the arbiter, in place of the ruling.
    Left,
    /// A person was called, and no more was due.
    Called,
    /// Nothing was due, and nothing came.
    Quiet,
    /// Something was due and did not come.
    Missed,
}

impl Answer {
    pub(super) const ALL: [Self; 5] = [Self::Ruled, Self::Left, Self::Called, Self::Quiet, Self::Missed];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Ruled => "ruled",
            Self::Left => "left",
            Self::Called => "called",
            Self::Quiet => "quiet",
            Self::Missed => "missed",
        }
    }
}

/// One game, judged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Judgement {
    /// Half-moves that were played.
    pub(super) played: usize,
    /// The first half-move that the record has otherwise, counted from one: what it has, and what
    /// was played.
    pub(super) wrong: Option<(usize, String, Option<String>)>,
    /// Half-moves that are not in a record which is right so far.
    pub(super) missing: usize,
    /// The first of them, counted from one, if there are any.
    pub(super) missing_from: usize,
    /// Rulings that nothing called for.
    pub(super) false_rulings: Vec<RulingKind>,
    /// What called for an answer, and which came.
    pub(super) answers: Vec<(&'static str, Answer)>,
    /// What a person was asked to look at.
    pub(super) notices: Vec<NoticeKind>,
    /// The line was faulty: what it took away is nobody's mistake.
    pub(super) faulty: bool,
}

impl Judgement {
    pub(super) fn failed(&self) -> bool {
        self.wrong.is_some() || !self.false_rulings.is_empty() || (!self.faulty && self.is_incomplete())
    }

    /// What a faulty line took away, if nothing worse happened.
    pub(super) fn broke_off(&self) -> bool {
        self.faulty && self.is_incomplete() && !self.failed()
    }

    fn is_incomplete(&self) -> bool {
        self.missing > 0 || self.answers.iter().any(|(_, answer)| *answer == Answer::Missed)
    }
}

pub(super) fn judge(truth: &Truth, heard: &Heard, faulty: bool) -> Judgement {
    let mut judgement = Judgement {
        played: truth.moves.len(),
        notices: heard.notices.iter().map(|n| n.kind).collect(),
        faulty,
        ..Judgement::default()
    };
    let mut rulings: Vec<&Ruling> = heard.rulings.iter().collect();
    let mut ends = truth.wrongs.iter().skip(1).map(|next| next.since);
    for wronged in &truth.wrongs {
        let ends = ends.next();
        let within = |at: Mono| at >= wronged.since && ends.is_none_or(|ends| at < ends);
        let called: Vec<NoticeKind> = heard.notices.iter().filter(|n| within(n.at)).map(|n| n.kind).collect();
        let answer = match answer(wronged, &called, &mut rulings) {
            Answer::Missed if broke_off(wronged.after, wronged.since, heard) => Answer::Called,
            answer => answer,
        };
        judgement.answers.push((wronged.what.word(), answer));
        if wronged.played_on && answer != Answer::Ruled {
            return as_far_as(wronged, truth, heard, &rulings, judgement);
        }
    }
    record(truth, &heard.moves, &mut judgement);
    if let Some(kind) = truth.ending {
        let found = take(kind, None, Mono::ZERO, &mut rulings);
        let answer = match found {
            true => Answer::Ruled,
            false if broke_off(truth.moves.len(), Mono::from_micros(u64::MAX), heard) => Answer::Called,
            false => Answer::Missed,
        };
        judgement.answers.push((kind.word(), answer));
    }
    judgement.false_rulings = rulings.iter().map(|r| r.kind).collect();
    judgement
}

/// The record had broken off before so many half-moves were played, and by then a person been called for that.
fn broke_off(played: usize, by: Mono, heard: &Heard) -> bool {
    let out_of_step = |n: &Notice| n.kind == NoticeKind::OutOfStep && n.at < by;
    heard.moves.len() < played && heard.notices.iter().any(out_of_step)
}

/// People went on as if it had been ruled, and it was not: what came after it is not judged.
fn as_far_as(
    wronged: &Wronged,
    truth: &Truth,
    heard: &Heard,
    rulings: &[&Ruling],
    mut judgement: Judgement,
) -> Judgement {
    let moves: Vec<String> = truth.moves.iter().take(wronged.after).cloned().collect();
    judgement.played = moves.len();
    let recorded: Vec<String> = heard.moves.iter().take(moves.len()).cloned().collect();
    record(&Truth { moves, ..Truth::default() }, &recorded, &mut judgement);
    let before = rulings.iter().filter(|ruling| ruling.evidence_complete < wronged.since);
    judgement.false_rulings = before.map(|ruling| ruling.kind).collect();
    judgement
}

fn record(truth: &Truth, recorded: &[String], judgement: &mut Judgement) {
    let right = truth.moves.iter().zip(recorded).take_while(|(played, has)| played == has).count();
    let last = truth.wrongs.last().filter(|wronged| !wronged.played_on);
    let may_stand = last.map_or(&[][..], |wronged| wronged.may_stand.as_slice());
    match (truth.moves.get(right), recorded.get(right)) {
        (_, None) => {
            judgement.missing = (truth.moves.len() - right).saturating_sub(truth.unseen);
            judgement.missing_from = right + 1;
        }
        (None, Some(_)) if may_stand.starts_with(&recorded[right..]) => {}
        (played, Some(has)) => judgement.wrong = Some((right + 1, has.clone(), played.cloned())),
    }
}

fn answer(wronged: &Wronged, called: &[NoticeKind], rulings: &mut Vec<&Ruling>) -> Answer {
    let &Wronged { due, by, since, .. } = wronged;
    match due {
        Due::Ruling(kind) | Due::Open(kind) if take(kind, Some(by), since, rulings) => Answer::Ruled,
        Due::Ruling(_) | Due::Open(_) | Due::Left if called.contains(&NoticeKind::NotRuled) => Answer::Left,
        Due::Open(_) if called.contains(&NoticeKind::ClaimOpen) => Answer::Called,
        Due::Person | Due::Unclaimed if !called.is_empty() => Answer::Called,
        Due::Person => Answer::Missed,
        Due::Ruling(_) | Due::Open(_) | Due::Left => Answer::Missed,
        Due::Unclaimed | Due::Nothing => Answer::Quiet,
    }
}

/// Takes the first ruling of this kind, against this player, on what happened since, out of those that are
/// not explained yet.
fn take(kind: RulingKind, against: Option<Colour>, since: Mono, rulings: &mut Vec<&Ruling>) -> bool {
    let fits = |r: &&Ruling| {
        r.kind == kind && (against.is_none() || r.offender == against) && r.evidence_complete >= since
    };
    let found = rulings.iter().position(fits);
    found.map(|index| rulings.remove(index)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::people::Irregularity;

    fn truth(moves: &[&str]) -> Truth {
        Truth { moves: moves.iter().map(ToString::to_string).collect(), ..Truth::default() }
    }

    fn heard(moves: &[&str]) -> Heard {
        Heard { moves: moves.iter().map(ToString::to_string).collect(), ..Heard::default() }
    }

    #[test]
    fn a_record_that_breaks_off_misses_and_one_that_differs_is_wrong() {
        let played = truth(&["e2e4", "e7e5", "g1f3"]);
        let missing = judge(&played, &heard(&["e2e4"]), false);
        assert_eq!((missing.missing, missing.wrong.is_some(), missing.failed()), (2, false, true));
        let wrong = judge(&played, &heard(&["e2e4", "e7e6", "g1f3"]), false);
        assert_eq!(wrong.wrong, Some((2, "e7e6".to_owned(), Some("e7e5".to_owned()))));
        let added = judge(&played, &heard(&["e2e4", "e7e5", "g1f3", "b8c6"]), false);
        assert_eq!(added.wrong, Some((4, "b8c6".to_owned(), None)));
        assert!(!judge(&played, &heard(&["e2e4", "e7e5", "g1f3"]), false).failed());
    }

    #[test]
    fn what_was_made_with_an_irregularity_may_stand_and_nothing_else_may() {
        let wronged = wronged(Due::Nothing, false);
        let played = Truth { wrongs: vec![wronged], ..truth(&["e2e4"]) };
        assert!(!judge(&played, &heard(&["e2e4"]), false).failed());
        assert!(!judge(&played, &heard(&["e2e4", "e7e4"]), false).failed());
        assert!(judge(&played, &heard(&["e2e4", "e7e5"]), false).failed());
        assert!(judge(&played, &heard(&["e2e4", "e7e4", "a2a3"]), false).failed());
    }

    /// Black moves a pawn of his as no pawn moves, after White's first move.
    fn wronged(due: Due, played_on: bool) -> Wronged {
        let (what, since) = (Irregularity::IllegalMove, Mono::from_millis(10));
        let may_stand = vec!["e7e4".to_owned()];
        Wronged { what, by: Colour::Black, due, since, after: 1, may_stand, claimed: false, played_on }
    }

    fn ruling(kind: RulingKind, at: u64) -> Ruling {
        Ruling {
            seq: 1,
            revision: 1,
            rulebook: String::new(),
            kind,
            articles: Vec::new(),
            offender: Some(Colour::Black),
            consequence: crate::laws::Consequence::default(),
            authority: crate::laws::Authority::Final,
            standing: crate::laws::Status::InForce,
            evidence: Vec::new(),
            certainty: crate::laws::Certainty::Proven,
            not_observable: Vec::new(),
            evidence_complete: Mono::from_millis(at),
        }
    }

    #[test]
    fn a_ruling_before_the_irregularity_that_calls_for_it_is_false() {
        let wrong = wronged(Due::Ruling(RulingKind::IllegalMove), false);
        let played = Truth { wrongs: vec![wrong], ..truth(&["e2e4"]) };
        for (at, answer, false_rulings) in [(5, Answer::Missed, 1), (10, Answer::Ruled, 0)] {
            let heard = Heard { rulings: vec![ruling(RulingKind::IllegalMove, at)], ..heard(&["e2e4"]) };
            let judged = judge(&played, &heard, false);
            assert_eq!((judged.answers[0].1, judged.false_rulings.len()), (answer, false_rulings), "{at}");
        }
    }

    #[test]
    fn what_was_played_on_without_its_ruling_is_not_judged() {
        let due = Due::Ruling(RulingKind::IllegalMove);
        let played = Truth { wrongs: vec![wronged(due, true)], ..truth(&["e2e4", "e7e5"]) };
        let judged = judge(&played, &heard(&["e2e4", "e7e4", "a2a3"]), false);
        assert_eq!((judged.wrong.is_some(), judged.played, judged.missing), (false, 1, 0));
        assert_eq!(judged.answers, [("illegal-move", Answer::Missed)]);
        let judged = judge(&played, &heard(&["d2d4"]), false);
        assert!(judged.wrong.is_some(), "what came before is");
    }

    #[test]
    fn what_nothing_completed_may_be_absent_and_no_more() {
        let played = Truth { unseen: 1, ..truth(&["e2e4", "e7e5"]) };
        assert!(!judge(&played, &heard(&["e2e4", "e7e5"]), false).failed());
        assert!(!judge(&played, &heard(&["e2e4"]), false).failed());
        let none = judge(&played, &heard(&[]), false);
        assert_eq!((none.missing, none.missing_from), (1, 1));
    }

    #[test]
    fn a_faulty_line_excuses_what_is_absent_and_nothing_that_is_false() {
        let played = Truth { ending: Some(RulingKind::Checkmate), ..truth(&["e2e4", "e7e5"]) };
        let absent = judge(&played, &heard(&["e2e4"]), true);
        assert!(absent.broke_off() && !absent.failed());
        let wrong = judge(&played, &heard(&["e2e3"]), true);
        assert!(wrong.failed() && !wrong.broke_off());
    }

    #[test]
    fn an_end_without_its_ruling_is_missed() {
        let mate = Truth { ending: Some(RulingKind::Checkmate), ..truth(&[]) };
        let judged = judge(&mate, &heard(&[]), false);
        assert_eq!(judged.answers, [("checkmate", Answer::Missed)]);
        assert!(judged.failed());
    }
}
