// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the bytes came of which a status is made (topic: stamps).
//!
//! Whoever reads the port may be late and hand over several statuses at once. Then none of them tells
//! when it came, except that it was after what was handed over before.

use std::collections::VecDeque;

use arbiterd_board::Mono;

use crate::wire;

/// Bytes that were handed over at one time.
#[derive(Clone, Copy, Debug)]
struct Portion {
    /// The place in the stream behind its last byte.
    end: u64,
    count: u64,
    at: Mono,
    /// When the portion before it was handed over, and when that cannot have come before.
    after: Mono,
    after_waiting: Mono,
}

/// Nobody who keeps up is given two statuses at once.
const LATE: u64 = 2 * wire::STATUS_LENGTH as u64;

impl Portion {
    /// The line cannot have brought it since the portion before: it had been waiting with that one.
    fn had_waited(&self) -> bool {
        wire::LINE.duration(usize::try_from(self.count).unwrap_or(usize::MAX)) > self.at.since(self.after)
    }

    /// None of its bytes came earlier.
    fn earliest(&self) -> Mono {
        let prompt = self.at.before(wire::LINE.duration(wire::STATUS_LENGTH));
        match (self.had_waited(), self.count >= LATE) {
            (true, _) => self.after_waiting,
            (false, true) => self.after,
            (false, false) => prompt.max(self.after),
        }
    }
}

/// The portions of which bytes are still undecided.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    portions: VecDeque<Portion>,
    last: Mono,
}

impl Arrivals {
    /// The line was opened.
    pub(super) fn begin(&mut self, now: Mono) {
        self.portions.clear();
        self.last = now;
    }

    /// The bytes from the place `from` on came at `now`.
    pub(super) fn received(&mut self, now: Mono, from: u64, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let end = from.saturating_add(count);
        match self.portions.back_mut().filter(|portion| portion.at == now) {
            Some(portion) => {
                portion.count = portion.count.saturating_add(count);
                portion.end = end;
            }
            None => {
                let after = self.last;
                let after_waiting = self.portions.back().map_or(after, Portion::earliest);
                self.portions.push_back(Portion { end, count, at: now, after, after_waiting });
            }
        }
        self.last = now;
    }

    /// The earliest moment at which the byte at `place` can have come.
    pub(super) fn earliest(&self, place: u64) -> Mono {
        let portion = self.portions.iter().find(|portion| place < portion.end);
        portion.map_or(self.last, Portion::earliest)
    }

    /// What lies before `place` was read. The newest portion may still grow.
    pub(super) fn settled(&mut self, place: u64) {
        while self.portions.len() > 1 && self.portions.front().is_some_and(|portion| portion.end <= place) {
            self.portions.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    fn ms(millis: u64) -> Mono {
        Mono::from_millis(millis)
    }

    #[test]
    fn the_first_byte_of_a_status_came_a_status_before_its_last_one() {
        let mut arrivals = Arrivals::default();
        arrivals.begin(ms(0));
        arrivals.received(ms(100), 0, 60);
        arrivals.received(ms(102), 60, 3);
        arrivals.received(ms(102), 63, 4);
        assert_eq!(arrivals.earliest(0), ms(100).before(Duration::from_micros(17_447)));
        assert_eq!(arrivals.earliest(60), ms(100));
        arrivals.settled(60);
        assert_eq!(arrivals.portions.len(), 1);
    }

    /// A reader takes so many bytes at a time, and has more to take at once.
    #[test]
    fn what_is_left_over_by_the_first_read_is_as_late_as_what_it_took() {
        let mut arrivals = Arrivals::default();
        arrivals.begin(ms(0));
        arrivals.received(ms(41), 0, 67);
        arrivals.received(ms(1000), 67, 1024);
        for (rest, place) in [(600, 1091), (40, 1691)] {
            arrivals.received(arrivals.last.after(Duration::from_micros(100)), place, rest);
            assert_eq!(arrivals.earliest(place), ms(41));
        }
    }

    #[test]
    fn what_is_handed_over_late_may_have_come_at_any_time_since_the_portion_before() {
        let mut arrivals = Arrivals::default();
        arrivals.begin(ms(0));
        arrivals.received(ms(41), 0, 67);
        arrivals.received(ms(400), 67, 8 * 67);
        for place in [67, 300, 602] {
            assert_eq!(arrivals.earliest(place), ms(41));
        }
        assert_eq!(arrivals.earliest(0), ms(41).before(Duration::from_micros(17_447)));
    }
}
