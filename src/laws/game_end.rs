// SPDX-License-Identifier: GPL-3.0-or-later
//! Ends that come by themselves (FIDE 5.1.1, 5.2.1), and losses that may be draws because the
//! opponent cannot mate (6.9, 7.5.5).

use arbiterd_board::Colour;
use shakmaty::Position;

use super::bench::{Bench, Decision};
use super::mate::Verdict;
use super::{Authority, Certainty, Consequence, Matter, NotObservable, Ruling, RulingKind, Status};
use crate::table::{GameResult, opponent};

/// Checkmate or stalemate in the position that stands.
pub fn decide(bench: &Bench<'_>) -> Option<Decision> {
    let position = bench.game.standing().valid()?;
    // 5.1.1, 5.2.1: only a move made in accordance with Article 3 ends the game. What the arbiter accepted
    // did not come from the last one.
    if bench.game.was_accepted(bench.game.plies().len()) {
        return None;
    }
    let last = bench.game.plies().last().filter(|p| !p.is_irregular())?;
    let (kind, matter, result) = if position.is_checkmate() {
        (RulingKind::Checkmate, Matter::Checkmate, GameResult::Won(last.by))
    } else if position.is_stalemate() {
        (RulingKind::Draw, Matter::Stalemate, GameResult::Drawn)
    } else {
        return None;
    };
    let mut ruling = draft(kind, bench, last.evidence());
    ruling.articles = bench.rulebook.articles(matter).collect();
    ruling.consequence.result = result;
    Some(Decision::Rule { ruling: Box::new(ruling), take_back_to: None })
}

/// A ruling to be filled in. The table numbers it when it is given.
pub fn draft(kind: RulingKind, bench: &Bench<'_>, evidence: Vec<u64>) -> Ruling {
    let mut evidence = evidence;
    evidence.sort_unstable();
    evidence.dedup();
    Ruling {
        seq: 0,
        revision: bench.game.revision,
        rulebook: bench.rulebook.id.clone(),
        kind,
        articles: Vec::new(),
        offender: None,
        consequence: Consequence { illegal_moves: bench.game.illegal, ..Consequence::default() },
        authority: Authority::Final,
        standing: Status::InForce,
        evidence,
        certainty: Certainty::Proven,
        not_observable: Vec::new(),
        evidence_complete: bench.now,
    }
}

/// The result of a loss, once it is known whether the opponent could have mated.
pub fn apply_verdict(ruling: &mut Ruling, loser: Colour, verdict: &Verdict) {
    ruling.consequence.result = match verdict {
        Verdict::Impossible { .. } => GameResult::Drawn,
        Verdict::Possible { .. } => GameResult::Won(opponent(loser)),
        Verdict::Undetermined { .. } => {
            // Never a silent win or draw: the arbiter decides.
            ruling.authority = Authority::Proposed;
            ruling.not_observable.push(NotObservable::MatePossible);
            GameResult::Won(opponent(loser))
        }
    };
}

/// Articles in their order, each once.
pub fn articles(parts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for article in parts {
        if !found.contains(&article) {
            found.push(article);
        }
    }
    found
}
