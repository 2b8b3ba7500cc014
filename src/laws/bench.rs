// SPDX-License-Identifier: GPL-3.0-or-later
//! What the laws look at, and what they decide. They change nothing themselves: the table
//! applies each decision and asks again.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Occupant, Placement, Stamp};

use super::mate::QuestionId;
use super::{Notice, Rulebook, Ruling};
use crate::board::Sensor;
use crate::clock::ClockModel;
use crate::table::{Completion, Game, Observer, PlyBody, Reading, Standing, Watched, opponent};

/// Everything that a decision may rest on, as it stands at `now`.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    /// The moment of the decision.
    pub now: Mono,
    /// The rulebook in force.
    pub rulebook: &'a Rulebook,
    /// Whose eyes the daemon is.
    pub observer: Observer,
    /// What a press adds to the presser's clock.
    pub increment: Duration,
    /// The record.
    pub game: &'a Game,
    /// The board.
    pub sensor: &'a Sensor,
    /// The clock.
    pub clock: &'a ClockModel,
    /// Whether the board agrees with the record, as far as a move in progress allows: only then
    /// is a press part of play.
    pub in_play: bool,
    /// Whether board and clock are in its sight, and what stands is known.
    pub in_sight: Watched,
    /// Whether they have been without a break since the player to move had the move: only then is it known that he
    /// did not do something.
    pub watched: Watched,
    /// Whether a person was called because nothing leads from the record to what stands, and it has not stood since:
    /// nobody is accused by it.
    pub called: bool,
    /// Whether a position is being restored: what happens on the board is no play.
    pub restoring: bool,
    /// The longest time from a change on the board to its report.
    pub board_lag: Duration,
    /// The same of the clock.
    pub clock_lag: Duration,
    /// Whether the press that is judged was pressed back: both have moved since, and once.
    pub pressed_back: bool,
    /// Whether the board shows a piece that cannot be there: what else it shows may be false too, and
    /// nobody is accused by it.
    pub phantoms: bool,
}

impl Bench<'_> {
    /// What stands now, read from the last completed position.
    pub fn reading(&self) -> Reading {
        match self.sensor.placement() {
            Some(p) => self.game.reader().read(p),
            None => Reading::AsSettled,
        }
    }

    /// Whether a square read to and fro since the last completed position, or does so now: then nobody is
    /// accused of anything, and nothing is said not to have happened.
    pub fn is_disturbed(&self) -> bool {
        self.phantoms
            || self.sensor.disturbed().next().is_some()
            || self.sensor.history().iter().any(|c| c.disturbed)
    }

    /// Whether what stands came about before the eyes of the board since the record's position stood. What was played
    /// while it was away has been seen by nobody, unless it shows the record's position after all: once it is known
    /// which way round it stands, or by what was moved so long ago that it is kept no more.
    pub fn is_seen(&self) -> bool {
        !self.sensor.came_unseen() || self.game.standing().placement() == *self.sensor.base()
    }

    /// The same, and since nothing is out of place. What was in a hand then may be elsewhere now.
    pub fn is_founded(&self) -> bool {
        let (settled, base) = (self.game.standing().placement(), self.sensor.base());
        self.is_seen() && settled.differences(base).all(|square| base[square] == Occupant::Empty)
    }

    /// Whether what stands is less than certain: a square that reads to and fro now is one of those that
    /// differ from the last completed position.
    pub fn stands_doubtfully(&self) -> bool {
        let settled = self.game.standing().placement();
        self.sensor.placement().is_some_and(|p| self.sensor.disturbed().any(|s| settled[s] != p[s]))
    }

    /// The position on the board: with the move that was made and not completed, if what stands
    /// is one legal move (FIDE 6.9 and 7.5 speak of the position, not of the record).
    pub fn standing_on_board(&self) -> Standing {
        self.standing_after(self.sensor.history().len())
    }

    /// The same after the first `count` changes since the last completed position.
    pub fn standing_after(&self, count: usize) -> Standing {
        match self.reading_after(count).single() {
            Some(m) => self.game.standing().play(m, self.game.mode()),
            None => self.game.standing().clone(),
        }
    }

    /// What stood after the first `count` changes since the last completed position.
    pub fn reading_after(&self, count: usize) -> Reading {
        self.read(&self.sensor.placement_after(count))
    }

    /// The legal move of the player to move that stands in a placement, whatever of his opponent's is in
    /// a hand meanwhile: to lift a piece takes no move back.
    pub fn stands(&self, placement: &Placement) -> Option<shakmaty::Move> {
        let replier = opponent(self.game.turn());
        let settled = self.game.standing().placement();
        let m = self.read(placement).single_less(|square| settled[square].is_of(replier))?;
        self.goes_on_from_base(m).then_some(m)
    }

    /// Whether a legal move can have been made from what stood when the board was seen last: nobody saw it come about
    /// if its pieces stood elsewhere then.
    pub fn goes_on_from_base(&self, m: shakmaty::Move) -> bool {
        if self.is_seen() {
            return true;
        }
        let (settled, base) = (self.game.standing().placement(), self.sensor.base());
        let after = self.game.standing().play(m, self.game.mode()).placement();
        settled.differences(base).all(|s| base[s] == Occupant::Empty || base[s] == after[s])
    }

    /// A placement, read from the last completed position.
    pub fn read(&self, placement: &Placement) -> Reading {
        self.game.reader().read(placement)
    }
}

/// Something that happened at the table, derived from facts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occurrence {
    /// A player pressed his clock.
    Pressed {
        /// Who.
        by: Colour,
        /// When.
        at: Stamp,
        /// Whether it was certainly a press.
        certain: bool,
        /// White's and Black's time in the reading that showed it.
        times: Option<[Duration; 2]>,
        /// The fact that showed it.
        fact: u64,
    },
    /// A flag is down, as two readings agree.
    FlagDown {
        /// Whose.
        side: Colour,
        /// When.
        at: Stamp,
        /// The fact that showed it.
        fact: u64,
    },
    /// A claim.
    Claimed {
        /// Who.
        by: crate::table::Speaker,
        /// What.
        claim: crate::table::Claim,
        /// The fact that records it.
        fact: u64,
    },
    /// What stands has rested.
    Rested,
}

/// What the laws decide. The table applies it, then asks for the next.
#[derive(Clone, Debug)]
pub enum Decision {
    /// A half-move is completed.
    Complete(Box<Completed>),
    /// A ruling is given.
    Rule {
        /// The ruling; the table numbers it.
        ruling: Box<Ruling>,
        /// Half-moves that remain in the record, if some are taken back.
        take_back_to: Option<usize>,
    },
    /// A person should look.
    Notice(Notice),
    /// The board shall show itself whole once more: before somebody is accused, or something is believed that may
    /// be a false report.
    Look,
    /// A ruling waits for the answer to this.
    Ask {
        /// The name of the question.
        question: QuestionId,
        /// The position.
        fen: String,
        /// Who would have to mate.
        side: Colour,
    },
}

/// A half-move that is completed.
#[derive(Clone, Debug)]
pub struct Completed {
    /// The move.
    pub body: PlyBody,
    /// What stands after it.
    pub after: Standing,
    /// How it was completed.
    pub completion: Completion,
    /// When it was completed.
    pub at: Stamp,
    /// The facts that completed it.
    pub facts: Vec<u64>,
    /// White's and Black's time after it, where known.
    pub clock: Option<[Duration; 2]>,
    /// How many of the changes since the last completed position belong to it.
    pub changes: usize,
    /// Which of them were its own could not be seen.
    pub inferred: bool,
    /// A second look at the whole board agreed, where it accuses somebody.
    pub confirmed: bool,
    /// What its player pressed for before was left to the arbiter.
    pub left_open: bool,
    /// Squares of other pieces that are missing or stand elsewhere.
    pub displaced: Vec<arbiterd_board::Square>,
}
