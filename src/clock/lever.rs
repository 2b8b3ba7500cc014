// SPDX-License-Identifier: GPL-3.0-or-later
//! Which way the lever went, from two witnesses: readings of the clock, which show how it lies, and
//! a board's log, where the board has one, which holds each move of it.
//!
//! Neither is enough. Between two readings the lever can go over and back. A log entry may come
//! before or after the reading that shows the same move, and boards leave some out when moves
//! come fast (dgt: memory log). So each move is told once, by the first witness; an entry that only
//! repeats what a reading showed is taken as that.

use std::collections::VecDeque;

use arbiterd_board::{ClockSide, Lever, Mono, Order, Stamp};

/// The lever went down on this side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moved {
    pub(super) side: ClockSide,
    pub(super) at: Stamp,
}

/// More moves of a lever than this between two readings no hands can do.
const MOST: usize = 64;

/// What is believed of the lever.
#[derive(Clone, Debug, Default)]
pub(super) struct LeverWatch {
    down: Option<ClockSide>,
    /// From when on the log counts. What may have happened before the first reading is past.
    begun: Mono,
    /// When the log told of `down`, while no reading has agreed yet.
    alone: Option<Stamp>,
    /// Moves from the log since the last reading. They wait for it: only a clock that counts
    /// makes a press of them.
    logged: Vec<Moved>,
    /// Moves that a reading has shown and whose log entries may still come.
    owed: VecDeque<Moved>,
    /// Sides of entries since the last reading that count for nothing: what that reading shows of
    /// them is owed no entry any more.
    spent: Vec<ClockSide>,
}

impl LeverWatch {
    /// Nothing is known until the next reading.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The log has an entry: the lever went down on this side.
    pub(super) fn log(&mut self, side: ClockSide, at: Stamp) {
        let Some(down) = self.logged.last().map(|moved| moved.side).or(self.down) else { return };
        if at.earliest < self.begun {
            // It says nothing new, but a move that it repeats has its entry now.
            if self.owed.pop_front_if(|owed| owed.side == side).is_none() {
                self.spend(side);
            }
            return;
        }
        while self.owed.front().is_some_and(|owed| Stamp::order(owed.at, at) == Order::Before) {
            self.owed.pop_front();
        }
        match self.owed.pop_front() {
            Some(owed) if owed.side == side => {}
            None if down != side && self.logged.len() < MOST => self.logged.push(Moved { side, at }),
            _ => {
                self.lose_track(at);
                self.spend(side);
            }
        }
    }

    fn spend(&mut self, side: ClockSide) {
        if self.spent.len() < MOST {
            self.spent.push(side);
        }
    }

    /// The entries do not follow one another: some were left out, and which ones cannot be told.
    /// Those that may be of the same time say nothing; the readings decide.
    fn lose_track(&mut self, at: Stamp) {
        self.owed.clear();
        self.logged.clear();
        self.begun = at.latest;
    }

    /// A reading shows how the lever lies: the moves that led there, in their order. `since` goes
    /// from the first moment at which a change that this reading is the first to show can have
    /// happened.
    pub(super) fn reading(&mut self, lever: Lever, at: Stamp, since: Stamp) -> Vec<Moved> {
        let mut moves = Vec::new();
        let Lever::Pressed(shown) = lever else {
            self.forget();
            return moves;
        };
        if self.down.is_some() {
            self.take_logged(&mut moves);
            self.take_shown(shown, at, since, &mut moves);
        } else {
            self.down = Some(shown);
            self.begun = at.latest;
        }
        if self.down == Some(shown) {
            self.alone = None;
        }
        self.spent.clear();
        moves
    }

    fn take_logged(&mut self, moves: &mut Vec<Moved>) {
        for moved in std::mem::take(&mut self.logged) {
            self.down = Some(moved.side);
            self.alone = Some(moved.at);
            moves.push(moved);
        }
    }

    /// The reading shows a move of its own, unless it may be older than the log entry which it
    /// contradicts.
    fn take_shown(&mut self, shown: ClockSide, at: Stamp, since: Stamp, moves: &mut Vec<Moved>) {
        if self.down == Some(shown) {
            return;
        }
        let since = match self.alone {
            Some(entry) if at.earliest < entry.latest => return,
            Some(entry) => Stamp { earliest: entry.earliest, ..since },
            None => since,
        };
        let moved = Moved { side: shown, at: since };
        self.down = Some(shown);
        moves.push(moved);
        if !self.spent.contains(&shown) {
            self.owed.push_back(moved);
        }
        if self.owed.len() > MOST {
            self.owed.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arbiterd_board::ClockSide::{Left, Right};
    use proptest::prelude::*;

    use super::*;

    const LAG: Duration = Duration::from_secs(1);

    fn ms(t: u64) -> Mono {
        Mono::from_millis(t)
    }

    fn stamp(earliest: u64, latest: u64) -> Stamp {
        Stamp { earliest: ms(earliest), latest: ms(latest) }
    }

    /// A watch with the two witnesses, and the moves it told.
    struct Witnessed {
        watch: LeverWatch,
        last_reading: Option<u64>,
        last_log: u64,
        told: Vec<Moved>,
    }

    impl Witnessed {
        fn new(down: ClockSide) -> Self {
            let mut new =
                Self { watch: LeverWatch::default(), last_reading: None, last_log: 0, told: Vec::new() };
            new.read(1000, down);
            new
        }

        /// A clock that is asked: a change that its answer shows can have happened since the last
        /// answer, which may have been as old as the lag.
        fn read(&mut self, t: u64, down: ClockSide) {
            let last = self.last_reading.replace(t).unwrap_or(t);
            let at = Stamp { earliest: ms(last).before(LAG), latest: ms(t) };
            self.told.extend(self.watch.reading(Lever::Pressed(down), at, at));
        }

        fn log(&mut self, t: u64, entries: &[ClockSide]) {
            let at = Stamp { earliest: ms(self.last_log).before(LAG), latest: ms(t) };
            for side in entries {
                self.watch.log(*side, at);
            }
            self.last_log = t;
        }

        fn sides(&self) -> Vec<ClockSide> {
            self.told.iter().map(|moved| moved.side).collect()
        }
    }

    #[test]
    fn two_moves_between_two_readings_are_both_told() {
        let mut lever = Witnessed::new(Right);
        lever.log(2500, &[]);
        lever.log(3500, &[Left, Right]);
        lever.read(3600, Right);
        assert_eq!(
            lever.told,
            [Moved { side: Left, at: stamp(1500, 3500) }, Moved { side: Right, at: stamp(1500, 3500) }]
        );
    }

    #[test]
    fn an_entry_that_repeats_a_reading_is_no_second_move() {
        let mut lever = Witnessed::new(Right);
        lever.log(2500, &[]);
        lever.read(3000, Left);
        lever.read(4000, Right);
        lever.log(4100, &[Left, Right]);
        lever.read(5000, Right);
        assert_eq!(lever.sides(), [Left, Right]);
    }

    #[test]
    fn a_reading_that_may_be_older_than_the_entry_is_not_taken_for_an_answer_to_it() {
        let mut lever = Witnessed::new(Right);
        lever.log(2500, &[]);
        lever.log(3000, &[Left]);
        lever.read(3100, Right);
        lever.read(3900, Right);
        lever.read(4300, Right);
        assert_eq!(lever.sides(), [Left]);
        lever.read(4500, Right);
        assert_eq!(lever.told.last(), Some(&Moved { side: Right, at: stamp(1500, 4500) }));
        lever.log(4600, &[Right]);
        lever.read(5500, Right);
        assert_eq!(lever.sides(), [Left, Right]);
    }

    #[test]
    fn what_may_lie_before_the_first_reading_is_not_told() {
        let mut lever = Witnessed::new(Right);
        lever.log(1400, &[Left, Right]);
        lever.read(2000, Right);
        assert_eq!(lever.told, []);
    }

    /// What the host asks for, and how long after the last question.
    #[derive(Clone, Copy, Debug)]
    enum Look {
        Log,
        Reading,
    }

    fn looks() -> impl Strategy<Value = Vec<(u64, Look)>> {
        let look = prop_oneof![Just(Look::Log), Just(Look::Reading)];
        prop::collection::vec((1u64..700, look), 1..100)
    }

    /// When the board asks the clock and finds the lever moved. It asks two or three times a second
    /// and answers the host with what it found last, so that is when both witnesses learn of it.
    fn presses() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(300u64..2500, 0..25).prop_map(|steps| {
            let mut t = 4000;
            let step = |step| {
                t += step;
                t
            };
            steps.into_iter().map(step).collect()
        })
    }

    /// The side that goes down with the press of this number: Right lies down at the start.
    const fn side(press: usize) -> ClockSide {
        if press.is_multiple_of(2) { Left } else { Right }
    }

    /// Plays both witnesses over the presses; the board leaves out the entries in `skipped`.
    fn witness(presses: &[u64], looks: &[(u64, Look)], skipped: &[usize]) -> Vec<Moved> {
        let mut lever = Witnessed::new(Right);
        lever.log(3000, &[]);
        let (mut t, mut fetched) = (3000, 0);
        let end = presses.last().copied().unwrap_or(t);
        let rest = [(end.saturating_sub(t), Look::Log), (500, Look::Reading), (2000, Look::Reading)];
        for &(step, look) in looks.iter().chain(&rest) {
            t += step;
            let count = presses.iter().filter(|press| **press <= t).count();
            match look {
                Look::Log => {
                    let new = (fetched..count).filter(|n| !skipped.contains(n));
                    lever.log(t, &new.map(side).collect::<Vec<_>>());
                    fetched = count;
                }
                Look::Reading => lever.read(t, count.checked_sub(1).map_or(Right, side)),
            }
        }
        lever.told
    }

    /// Each told move stands for a press of its own that happened within its stamp, and the lever
    /// never goes the same way twice.
    fn all_true(told: &[Moved], presses: &[u64]) -> bool {
        let alternate = told.windows(2).all(|pair| pair[0].side != pair[1].side);
        let mut stands_for = vec![None; presses.len()];
        alternate && (0..told.len()).all(|n| finds_press(n, told, presses, &mut stands_for, &mut Vec::new()))
    }

    /// Finds a press for the told move of this number; another one may have to take another press.
    fn finds_press(
        n: usize,
        told: &[Moved],
        presses: &[u64],
        stands_for: &mut Vec<Option<usize>>,
        tried: &mut Vec<usize>,
    ) -> bool {
        for (press, &t) in presses.iter().enumerate() {
            let within = told[n].at.earliest <= ms(t) && ms(t) <= told[n].at.latest;
            if side(press) != told[n].side || !within || tried.contains(&press) {
                continue;
            }
            tried.push(press);
            let free =
                stands_for[press].is_none_or(|other| finds_press(other, told, presses, stands_for, tried));
            if free {
                stands_for[press] = Some(n);
                return true;
            }
        }
        false
    }

    #[test]
    fn after_a_gap_in_the_log_two_presses_between_readings_are_told_again() {
        let mut presses: Vec<u64> = (0..11).map(|n| 4100 + 1000 * n).collect();
        presses.extend([15_100, 15_200]);
        let looks: Vec<_> = (0..30).flat_map(|_| [(250, Look::Log), (250, Look::Reading)]).collect();
        let told = witness(&presses, &looks, &[2]);
        assert!(all_true(&told, &presses), "{told:?}");
        assert_eq!(told.len(), presses.len(), "{told:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_press_is_told_once_whichever_witness_is_first(presses in presses(), looks in looks()) {
            let told = witness(&presses, &looks, &[]);
            prop_assert!(all_true(&told, &presses), "{told:?}");
            prop_assert_eq!(told.len(), presses.len(), "{:?}", told);
        }

        #[test]
        fn a_log_with_gaps_makes_no_press_that_was_none(
            presses in presses(),
            looks in looks(),
            skipped in prop::collection::vec(0usize..25, 0..12),
        ) {
            let told = witness(&presses, &looks, &skipped);
            prop_assert!(all_true(&told, &presses), "{told:?}");
        }
    }
}
