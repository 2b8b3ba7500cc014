// SPDX-License-Identifier: GPL-3.0-or-later
//! What the arbiter can tell a table: the way out of every state.

use arbiterd_board::{Colour, Mono, Placement};

use super::standing::castling_rights;
use super::{Command, CommandError, Proposal, Table, TableState, View, Void, charges, side_index};
use crate::board::color;
use crate::laws::{Ruling, Status};

const OUT_OF_SIGHT: &str =
    "no board is in sight: `restore` and `set-moves` put the record right until there is one";
const FOREIGN: &str = "something that is no chess piece stands on it: take it off";
/// The wrong way round every honest move would be an illegal one.
const WHICH_WAY: &str = "nobody knows which way round it stands: say so (`--orientation normal` or `turned`), or \
                         let it show the expected position";

impl Table {
    /// Whether a command could be taken now.
    ///
    /// # Errors
    /// [`CommandError`]: why not.
    pub fn check(&self, command: &Command) -> Result<(), CommandError> {
        match command {
            Command::Confirm { ruling } | Command::Overrule { ruling } => {
                let waits = self.proposals.iter().any(|p| p.ruling.seq == *ruling);
                if !waits {
                    Err(CommandError::NoSuchProposal(*ruling))
                } else if matches!(command, Command::Overrule { .. }) {
                    Ok(())
                } else if self.game.over() {
                    Err(CommandError::GameOver)
                } else if self.arbiter.waits_for_an_answer() {
                    Err(CommandError::RulingPending)
                } else {
                    Ok(())
                }
            }
            Command::AcceptBoard { .. } => self.acceptable(None, None).map(drop),
            Command::AcceptBoardAs { turned, castling, .. } => {
                self.acceptable(*turned, castling.as_deref()).map(drop)
            }
            Command::Restore { plies } => self.plan_restoration(*plies).map(drop),
            Command::SetMoves { after, moves } => self.plan_moves(*after, moves).map(drop),
            Command::CorrectPly { ply, uci } => self.plan_correction(*ply, uci).map(drop),
        }
    }

    /// Takes a command; one that cannot be taken changes nothing.
    pub(super) fn obey(&mut self, now: Mono, command: &Command, fact: u64) {
        if self.check(command).is_err() {
            return;
        }
        match command {
            Command::Confirm { ruling } => self.decide_proposal(now, *ruling, Status::Confirmed),
            Command::Overrule { ruling } => self.decide_proposal(now, *ruling, Status::Overruled),
            Command::AcceptBoard { turn } => self.accept_board(now, *turn, None, None),
            Command::AcceptBoardAs { turn, turned, castling } => {
                self.accept_board(now, *turn, *turned, castling.as_deref());
            }
            Command::Restore { plies } => {
                if let Ok(remaining) = self.plan_restoration(*plies) {
                    self.restore(now, remaining);
                }
            }
            Command::SetMoves { after, moves } => {
                if let (Ok(after), Ok(line)) = (usize::try_from(*after), self.plan_moves(*after, moves)) {
                    self.set_moves(now, after, line, fact);
                }
            }
            Command::CorrectPly { ply, uci } => {
                if let (Ok(ply), Ok(line)) = (usize::try_from(*ply), self.plan_correction(*ply, uci)) {
                    self.correct_ply(now, ply.saturating_sub(1), line, fact);
                }
            }
        }
    }

    fn decide_proposal(&mut self, now: Mono, number: u64, status: Status) {
        let Some(index) = self.proposals.iter().position(|p| p.ruling.seq == number) else { return };
        let Proposal { ruling, take_back_to, .. } = self.proposals.remove(index);
        let confirmed = status == Status::Confirmed;
        self.arbiter.found.said(&ruling, take_back_to, confirmed);
        // What follows from it was said as it was then. Something else was counted meanwhile: it follows anew.
        if confirmed && charges(ruling.kind) && self.is_outdated(&ruling) {
            self.view(View::Decided { ruling: number, status: Status::Fallen });
            self.rule_anew(ruling, take_back_to);
            return;
        }
        self.view(View::Decided { ruling: number, status });
        if confirmed {
            self.take_effect(now, &ruling, take_back_to);
        }
    }

    /// Whether the faults of the players were counted otherwise when it was proposed.
    fn is_outdated(&self, proposal: &Ruling) -> bool {
        let mut counted = self.game.illegal;
        if let Some(offender) = proposal.offender {
            let count = &mut counted[side_index(offender)];
            *count = count.saturating_add(1);
        }
        counted != proposal.consequence.illegal_moves
    }

    /// It is ruled on anew, as the person said.
    fn rule_anew(&mut self, proposal: Ruling, take_back_to: Option<usize>) {
        if let Some(index) = take_back_to {
            self.game.confirm(index);
        }
        self.arbiter.found.rule_anew(proposal, take_back_to, true);
    }

    /// What stands as the players see it, if it can be accepted as the position.
    fn acceptable(&self, turned: Option<bool>, castling: Option<&str>) -> Result<Placement, CommandError> {
        if self.game.over() {
            return Err(CommandError::GameOver);
        }
        let Some(placement) = self.sensor.placement().map(|p| self.phantoms.with_all(*p)) else {
            return Err(CommandError::BoardUnusable(OUT_OF_SIGHT));
        };
        if placement.occupied().any(|(_, o)| o.piece().is_none()) {
            return Err(CommandError::BoardUnusable(FOREIGN));
        }
        let Some(stands) = turned.or(self.sensor.turned()) else {
            return Err(CommandError::BoardUnusable(WHICH_WAY));
        };
        let taken_for = self.sensor.turned() == Some(true);
        let placement = if stands == taken_for { placement } else { placement.rotated() };
        match castling {
            Some(word) if castling_rights(word, &placement, self.game.mode()).is_none() => {
                Err(CommandError::Castling(word.chars().take(12).collect()))
            }
            _ => Ok(placement),
        }
    }

    fn accept_board(&mut self, now: Mono, turn: Colour, turned: Option<bool>, castling: Option<&str>) {
        let Ok(placement) = self.acceptable(turned, castling) else { return };
        if turned.is_some_and(|turned| self.sensor.stand(turned)) {
            self.show_placement();
        }
        let mode = self.game.mode();
        let rights = castling.and_then(|word| castling_rights(word, &placement, mode));
        self.game.accept(self.game.standing().accepting(&placement, color(turn), rights, mode));
        self.fall(now, Void::Nothing);
        self.settle_all();
        self.sight.give_up(now);
        self.called = false;
        self.arbiter.restored(self.game.plies().len());
        self.unclear_since = None;
        self.restoration_due = false;
        self.unfounded = false;
        self.view(View::Accepted { fen: self.game.standing().fen() });
        self.set_state(TableState::InStep);
    }
}
