// SPDX-License-Identifier: GPL-3.0-or-later
//! Claims: heard at once, decided when the evidence they need is complete, judged by the moment
//! at which they were made.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Stamp};

use super::arbiter::{Arbiter, not_ruled};
use super::bench::{Bench, Decision};
use super::illegal_move::Finding;
use super::question::Cause;
use super::rulebook::Window;
use super::touch_move::touches;
use super::{
    Certainty, NotCovered, Notice, NoticeKind, RulingKind, completion, flag, illegal_move, touch_claim,
};
use crate::board::hardware_square;
use crate::table::{Claim, Ply, Speaker, Watched, opponent};

/// A claim that is not decided yet.
#[derive(Clone, Debug)]
pub struct OpenClaim {
    /// Who made it.
    pub by: Speaker,
    /// Against whom.
    pub against: Colour,
    /// What it says.
    pub claim: Claim,
    /// When.
    pub at: Stamp,
    /// The fact that records it.
    pub fact: u64,
    /// When its evidence is complete; `None` while it waits for a move to be completed.
    pub due: Option<Mono>,
    /// How many half-moves have to be completed for that.
    pub plies: usize,
}

impl OpenClaim {
    /// A claim made now.
    pub fn new(by: Speaker, claim: Claim, arbiter: &Arbiter, bench: &Bench<'_>, fact: u64) -> Self {
        // Where the order of board and claim decides (has the claimant touched, has he moved, was
        // it mate?), what the board saw before the claim must have been reported.
        let board_decides = claim != Claim::IllegalMove || bench.rulebook.illegal.window != Window::Game;
        let wait = if board_decides { bench.board_lag } else { Duration::ZERO };
        let against = accused(by, claim, arbiter, bench);
        let due = Some(bench.now.after(wait));
        Self { by, against, claim, at: Stamp::at(bench.now), fact, due, plies: 0 }
    }

    /// Whether it is to be seen what the accused does with what he touched.
    pub const fn waits_for_a_move(&self) -> bool {
        matches!(self.claim, Claim::TouchMove) && self.due.is_none()
    }

    /// The player who claims, if it is one.
    pub const fn claimant(&self) -> Option<Colour> {
        match self.by {
            Speaker::Player(claimant) => Some(claimant),
            Speaker::Arbiter => None,
        }
    }
}

/// The player whom a claim is directed against. The arbiter speaks for whoever may claim: of a
/// flag, against the player whose flag is down; of an illegal move, against the one who committed or may
/// have committed the last one; of a touch, against the one who completed the last move, unless the other has touched
/// more than he has moved since.
fn accused(by: Speaker, claim: Claim, arbiter: &Arbiter, bench: &Bench<'_>) -> Colour {
    let last_mover = opponent(bench.game.turn());
    match (by, claim) {
        (Speaker::Player(claimant), _) => opponent(claimant),
        (Speaker::Arbiter, Claim::Flag) => [Colour::White, Colour::Black]
            .into_iter()
            .find(|&c| bench.clock.flag_down(c).is_some())
            .unwrap_or(bench.game.turn()),
        (Speaker::Arbiter, Claim::IllegalMove) => arbiter.suspect(bench).unwrap_or(last_mover),
        (Speaker::Arbiter, Claim::TouchMove) if touched_more_than_he_moved(bench) => bench.game.turn(),
        (Speaker::Arbiter, Claim::TouchMove) => last_mover,
    }
}

/// Whether the player to move has made a move that is not completed, and touched another piece of his
/// than the one that he moved: then the arbiter means him.
fn touched_more_than_he_moved(bench: &Bench<'_>) -> bool {
    let Some((m, _)) = completion::made_by(Stamp::at(bench.now), bench) else { return false };
    let rook = m.castling_side().map(|_| m.to());
    let moved: Vec<_> = m.from().into_iter().chain(rook).map(hardware_square).collect();
    let touched = touches(bench.sensor.base(), bench.sensor.history());
    touched.iter().any(|t| t.piece.colour == bench.game.turn() && !moved.contains(&t.square))
}

/// Which claims can be decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claims {
    /// Every one.
    All,
    /// Those that do not depend on what stands at this moment.
    OfFlags,
}

/// The next claim whose evidence is complete.
pub fn decide(arbiter: &mut Arbiter, bench: &Bench<'_>, which: Claims) -> Option<Decision> {
    let index = arbiter.claims.iter().position(|c| {
        let asked = which == Claims::All || c.claim == Claim::Flag;
        asked && is_due(c, bench) && !arbiter.waits_for_a_press(c)
    })?;
    let mut claim = arbiter.claims.remove(index);
    if already_answered(&claim, bench) {
        return Some(answered(&claim, bench));
    }
    let decision = match claim.claim {
        Claim::IllegalMove => return decide_illegal(arbiter, claim, bench),
        Claim::TouchMove => touch_claim::decide(&mut claim, bench),
        Claim::Flag => flag::on_claim(arbiter, &mut claim, bench),
    };
    if let Some(decision) = decision {
        arbiter.asked_because(&decision, Cause::Claim(claim.clone()));
        return Some(unless_unwatched(decision, &claim, bench));
    }
    if claim.claim == Claim::Flag {
        // It waits for the board to come to rest, and says nothing meanwhile.
        arbiter.claims.push(claim);
        return None;
    }
    claim.due = None;
    let open = notice(NoticeKind::ClaimOpen, &claim, bench);
    arbiter.claims.push(claim);
    Some(open)
}

fn decide_illegal(arbiter: &mut Arbiter, mut claim: OpenClaim, bench: &Bench<'_>) -> Option<Decision> {
    if claim.by == Speaker::Arbiter {
        claim.against = arbiter.suspect(bench).unwrap_or(claim.against);
    }
    let finding = illegal_move::find(arbiter, &claim, bench);
    // That nothing was pressed since is not known before the clock would have told of it.
    let told = claim.at.latest.after(bench.clock_lag.max(bench.board_lag));
    let found = matches!(finding, Finding::Both | Finding::Ply(..) | Finding::Press(..));
    if !found && bench.clock.was_heard() && bench.now < told {
        claim.due = Some(told);
        arbiter.claims.push(claim);
        return None;
    }
    // A touch in a position that is cancelled binds nobody: such claims are answered before the illegal move is.
    if let Finding::Ply(index, Certainty::Proven) = finding
        && bench.game.plies().get(index).is_some_and(|ply| ply.confirmed)
        && let Some(void) = touch_claim::void_by(arbiter, &claim, index, bench)
    {
        arbiter.claims.push(claim);
        return Some(void);
    }
    let decision = illegal_move::on_claim(arbiter, &finding, &claim, bench);
    arbiter.asked_because(&decision, Cause::Claim(claim.clone()));
    Some(unless_unwatched(decision, &claim, bench))
}

/// What was seen can be ruled on at any time, but that something did not happen is known only to
/// whoever watched. Such a claim is left to the arbiter.
fn unless_unwatched(decision: Decision, claim: &OpenClaim, bench: &Bench<'_>) -> Decision {
    let denies = match &decision {
        Decision::Rule { ruling, .. } => {
            matches!(ruling.kind, RulingKind::ClaimRejected | RulingKind::IllegalMoveStands)
        }
        Decision::Notice(notice) => notice.kind == NoticeKind::ClaimAnswered,
        _ => false,
    };
    match not_watched(claim, bench).filter(|_| denies) {
        Some(why) => not_ruled(why, Some(claim.against), vec![claim.fact], bench),
        None => decision,
    }
}

/// What was missing to know that a claim is wrong. Without a clock nothing shows that an illegal
/// move was completed (7.5.1), nor a flag.
fn not_watched(claim: &OpenClaim, bench: &Bench<'_>) -> Option<NotCovered> {
    let board_alone = bench.sensor.placement().is_some() && !bench.clock.was_heard();
    let watched = match claim.claim {
        Claim::Flag => bench.clock.heard(bench.now),
        // An arbiter does not say against whom he claims.
        Claim::IllegalMove if claim.by == Speaker::Arbiter => {
            was_watched(Colour::White, bench) && was_watched(Colour::Black, bench)
        }
        Claim::IllegalMove => was_watched(claim.against, bench),
        // Whether the half-move that it is about was watched is asked where that is known.
        Claim::TouchMove => bench.in_sight.board,
    };
    if board_alone && claim.claim != Claim::TouchMove {
        Some(NotCovered::NoClock)
    } else if watched && claim.claim != Claim::Flag && bench.is_disturbed() {
        Some(NotCovered::Disturbed)
    } else {
        (!watched).then_some(NotCovered::NotWatched)
    }
}

/// Whether a player was watched for as long as an illegal move of his could be ruled on.
fn was_watched(accused: Colour, bench: &Bench<'_>) -> bool {
    let mut his = bench.game.plies().iter().rev().filter(|p| p.by == accused);
    let watched = |ply: &Ply| ply.watched == Watched::ALL;
    let before = match bench.rulebook.illegal.window {
        Window::Game => his.all(watched),
        Window::UntilOpponentMade => his.next().is_none_or(watched),
    };
    let to_move = bench.game.turn() == accused;
    before && bench.in_sight == Watched::ALL && (!to_move || bench.watched == Watched::ALL)
}

/// A claim that needs no answer of its own, because what it says was ruled on, or nothing is
/// being played.
pub fn answered(claim: &OpenClaim, bench: &Bench<'_>) -> Decision {
    notice(NoticeKind::ClaimAnswered, claim, bench)
}

/// While a position is being restored, its irregularity has been ruled on and nothing on the
/// board is play.
const fn already_answered(claim: &OpenClaim, bench: &Bench<'_>) -> bool {
    match claim.claim {
        Claim::IllegalMove | Claim::TouchMove => bench.restoring,
        Claim::Flag => false,
    }
}

fn is_due(claim: &OpenClaim, bench: &Bench<'_>) -> bool {
    match claim.due {
        Some(due) => due <= bench.now,
        // A touch claim that waits for the move: it is there when the player has completed one.
        None => bench.game.plies().len() >= claim.plies || bench.restoring,
    }
}

fn notice(kind: NoticeKind, claim: &OpenClaim, bench: &Bench<'_>) -> Decision {
    let (side, evidence) = (Some(claim.against), vec![claim.fact]);
    Decision::Notice(Notice { side, evidence, ..Notice::new(kind, bench.now) })
}
