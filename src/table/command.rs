// SPDX-License-Identifier: GPL-3.0-or-later
//! What the arbiter can tell a table: the way out of every state.

use arbiterd_board::Mono;

use super::{Command, CommandError, Table, TableState, View};
use crate::board::color;
use crate::laws::Status;

impl Table {
    /// Whether a command could be taken now.
    ///
    /// # Errors
    /// [`CommandError`]: why not.
    pub fn check(&self, command: Command) -> Result<(), CommandError> {
        match command {
            Command::Confirm { ruling } | Command::Overrule { ruling } => {
                let waits = self.proposals.iter().any(|(r, _)| r.seq == ruling);
                if waits { Ok(()) } else { Err(CommandError::NoSuchProposal(ruling)) }
            }
            Command::AcceptBoard { .. } if self.game.over() => Err(CommandError::GameOver),
            Command::AcceptBoard { .. } => match self.sensor.placement() {
                None => Err(CommandError::BoardUnusable("no board has been seen")),
                Some(p) if p.occupied().any(|(_, o)| o.piece().is_none()) => {
                    Err(CommandError::BoardUnusable("something that is no chess piece stands on it"))
                }
                // The wrong way round every honest move would be an illegal one.
                Some(_) if self.sensor.turned().is_none() => Err(CommandError::BoardUnusable(
                    "nobody knows which way round it stands: set up the expected position, or set \
                     `orientation` of this table to \"normal\" or \"turned\" in the settings and start again, which begins a new game",
                )),
                Some(_) => Ok(()),
            },
        }
    }

    /// Takes a command; one that cannot be taken changes nothing.
    pub(super) fn obey(&mut self, now: Mono, command: Command) {
        if self.check(command).is_err() {
            return;
        }
        match command {
            Command::Confirm { ruling } => self.decide_proposal(now, ruling, Status::Confirmed),
            Command::Overrule { ruling } => self.decide_proposal(now, ruling, Status::Overruled),
            Command::AcceptBoard { turn } => self.accept_board(turn),
        }
    }

    fn decide_proposal(&mut self, now: Mono, number: u64, status: Status) {
        let Some(index) = self.proposals.iter().position(|(r, _)| r.seq == number) else { return };
        let (ruling, take_back_to) = self.proposals.remove(index);
        self.view(View::Decided { ruling: number, status });
        if status == Status::Confirmed {
            // Half-moves may have been completed since: what it takes back falls with them.
            let take_back_to = take_back_to.filter(|&n| n <= self.game.plies().len());
            self.take_effect(now, &ruling, take_back_to);
        }
    }

    fn accept_board(&mut self, turn: arbiterd_board::Colour) {
        let Some(placement) = self.sensor.placement().copied() else { return };
        let standing = self.game.standing().accepting(&placement, color(turn), self.game.mode());
        self.game.accept(standing);
        self.sensor.settle(self.sensor.history().len());
        self.arbiter.restored(self.game.plies().len());
        self.unclear_since = None;
        self.view(View::Accepted { fen: self.game.standing().fen() });
        self.set_state(TableState::InStep);
    }
}
