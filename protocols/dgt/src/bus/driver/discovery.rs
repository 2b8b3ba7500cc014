// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding the boards on a line (topic: bus mode).
//!
//! All boards answer a ping to all of them, each at a random moment, so answers may destroy each
//! other. Whoever was heard is told to ignore the next ping, until nobody is left who answers.

use arbiterd_board::Mono;

use super::timing::COLLECT;

/// So many rounds in a row without a new board end the search.
const EMPTY_ROUNDS: u8 = 2;
/// A round with garbage is not counted as empty, because answers may have met on the line; but
/// a line that is never clean must not hold up the boards that are known.
const NOISY_ROUNDS: u8 = 6;
/// A device that answers pings and is not believed makes so many rounds count, and no more: it
/// does not answer when it is told to ignore the next one, and would answer for ever.
pub(super) const PINGS: u8 = 3;
/// No search has more rounds, whatever answers.
const MOST_ROUNDS: u8 = 24;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Discovery {
    #[default]
    Off,
    /// The board with this number is told next to ignore the ping; after the last one, the ping.
    Ignoring(usize, Rounds),
    /// Answers to the ping are awaited until then.
    Collecting(Mono, Rounds, Round),
}

/// The rounds without a new board so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Rounds {
    all: u8,
    empty: u8,
    noisy: u8,
}

/// What this round brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Round {
    found: bool,
    noise: bool,
}

impl Discovery {
    pub(super) const BEGIN: Self = Self::Ignoring(0, Rounds { all: 0, empty: 0, noisy: 0 });

    pub(super) fn pinged(&mut self, now: Mono) {
        if let Self::Ignoring(_, rounds) = *self {
            *self = Self::Collecting(now.after(COLLECT), rounds, Round::default());
        }
    }

    /// The next board has been told, or does not answer.
    pub(super) const fn told(&mut self) {
        if let Self::Ignoring(next, _) = self {
            *next = next.saturating_add(1);
        }
    }

    pub(super) const fn found(&mut self) {
        if let Self::Collecting(_, _, round) = self {
            round.found = true;
        }
    }

    pub(super) const fn noise(&mut self) {
        if let Self::Collecting(_, _, round) = self {
            round.noise = true;
        }
    }

    pub(super) const fn is_collecting(&self) -> bool {
        matches!(self, Self::Collecting(..))
    }

    pub(super) const fn due(&self) -> Option<Mono> {
        match self {
            Self::Collecting(until, ..) => Some(*until),
            _ => None,
        }
    }

    /// Ends the round if its time is over. Another one follows, or the search is over too: then
    /// it says so.
    pub(super) fn end_round(&mut self, now: Mono) -> bool {
        let Self::Collecting(until, mut rounds, round) = *self else { return false };
        if until > now {
            return false;
        }
        if round.found {
            rounds = Rounds { all: rounds.all, ..Rounds::default() };
        } else if round.noise && rounds.noisy < NOISY_ROUNDS {
            rounds = Rounds { empty: 0, noisy: rounds.noisy + 1, ..rounds };
        } else {
            rounds.empty += 1;
        }
        rounds.all += 1;
        let goes_on = rounds.empty < EMPTY_ROUNDS && rounds.all < MOST_ROUNDS;
        *self = if goes_on { Self::Ignoring(0, rounds) } else { Self::Off };
        *self == Self::Off
    }
}
