// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the scans that a board tells are borne out (topics: false frames, debouncing).
//!
//! One status alone says nothing: its check sees no order, so that the beginning of one scan and the
//! end of a later one, joined by lost bytes, can pass for one. So a change of a square is told when
//!
//! * the status is equal to the one before, as a whole, or
//! * somewhere a change has stood for three statuses (another square may read differently each time),
//!
//! and then all changes that the last two statuses agree on are told together, at one time. A joined
//! status is one of three at most, and of the two behind it each tells the truth; so what it shows is
//! told with all that the next true one adds, and never alone.

use core::time::Duration;

use arbiterd_board::{Mono, Occupant, Placement, Square, Stamp};

/// A square that reads otherwise and back three times within this time is disturbed, and one that
/// reads the same for so long is not any more (topic: disturbed reads).
pub(super) const DISTURBANCE: Duration = Duration::from_secs(1);

/// A set of squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Squares(u64);

impl Squares {
    const fn bit(square: Square) -> u64 {
        1 << square.index()
    }

    pub(super) fn add(&mut self, square: Square) {
        self.0 |= Self::bit(square);
    }

    fn remove(&mut self, square: Square) {
        self.0 &= !Self::bit(square);
    }

    pub(super) const fn has(self, square: Square) -> bool {
        self.0 & Self::bit(square) != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// a1 first.
    pub(super) fn iter(self) -> impl Iterator<Item = Square> {
        Square::all().filter(move |square| self.has(*square))
    }
}

/// What one square has read.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// How many statuses in a row agree.
    run: u32,
    /// When the first of them came.
    first: Mono,
    /// When the last one before them came.
    before: Mono,
    /// What was read before this, and before that, and before that.
    earlier: [Occupant; 3],
    /// When the changes to those came: `changed[0]` is the change to the second of them.
    changed: [Mono; 2],
}

impl Reading {
    /// It reads something else now.
    fn change(&mut self, now: Mono, last: Mono, was: Occupant) {
        self.earlier = [was, self.earlier[0], self.earlier[1]];
        self.changed = [self.first, self.changed[0]];
        self.run = 1;
        self.first = now;
        self.before = last;
    }

    /// It has changed there and back and there within the time of a disturbance.
    fn alternates(&self, reads: Occupant) -> bool {
        let [one, two, three] = self.earlier;
        reads == two && one == three && reads != one && self.first.since(self.changed[1]) <= DISTURBANCE
    }
}

/// What a status says beside what stands on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Heard {
    /// It is not what the status before it was.
    pub(super) differs: bool,
    /// Squares to tell, and the time in which they changed.
    pub(super) changes: Squares,
    pub(super) at: Stamp,
    /// What these squares held before, as it was told.
    pub(super) before: Placement,
    /// The whole board was borne out, and no square of it is disturbed.
    pub(super) confirmed: bool,
    pub(super) disturbed: Squares,
    pub(super) calmed: Squares,
}

#[derive(Clone, Debug)]
pub(super) struct Scans {
    readings: [Reading; 64],
    last: Option<(Mono, Placement)>,
    /// What stands on the board by all that was told.
    told: Option<Placement>,
    disturbed: Squares,
}

impl Default for Scans {
    fn default() -> Self {
        Self { readings: [Reading::default(); 64], last: None, told: None, disturbed: Squares::default() }
    }
}

impl Scans {
    /// A status arrived; what it tells is at most `age` old.
    pub(super) fn heard(&mut self, now: Mono, age: Duration, placement: &Placement) -> Heard {
        let differs = self.last.is_none_or(|(_, last)| last != *placement);
        let disturbed = self.read(now, placement);
        let calmed = self.calm(now);
        let before = self.told.unwrap_or(*placement);
        let changes = self.borne_out(&before, placement, differs);
        let at = self.when(changes, now, age);
        self.last = Some((now, *placement));
        if let Some(told) = &mut self.told {
            changes.iter().for_each(|square| told[square] = placement[square]);
        } else if !differs && self.disturbed.is_empty() {
            self.told = Some(*placement);
        }
        let confirmed = !differs && self.disturbed.is_empty() && self.told == Some(*placement);
        Heard { differs, changes, at, before, confirmed, disturbed, calmed }
    }

    /// When the last square that is disturbed may be calm, if none is read otherwise until then.
    pub(super) fn calm_due(&self) -> Option<Mono> {
        self.disturbed.iter().map(|square| self.reading(square).first.after(DISTURBANCE)).max()
    }

    /// Notes what each square reads, and returns those that have become disturbed.
    fn read(&mut self, now: Mono, placement: &Placement) -> Squares {
        let mut disturbed = Squares::default();
        let last = self.last;
        for square in Square::all() {
            let Some(reading) = self.readings.get_mut(usize::from(square.index())) else { continue };
            let reads = placement[square];
            match last {
                Some((_, last)) if last[square] == reads => reading.run = reading.run.saturating_add(1),
                Some((at, last)) => {
                    reading.change(now, at, last[square]);
                    if reading.alternates(reads) && !self.disturbed.has(square) {
                        disturbed.add(square);
                    }
                }
                None => {
                    let earlier = [reads; 3];
                    *reading = Reading { run: 1, first: now, before: now, earlier, changed: [now; 2] };
                }
            }
        }
        self.disturbed.0 |= disturbed.0;
        disturbed
    }

    fn calm(&mut self, now: Mono) -> Squares {
        let mut calmed = Squares::default();
        for square in self.disturbed.iter() {
            if now.since(self.reading(square).first) >= DISTURBANCE {
                calmed.add(square);
                self.disturbed.remove(square);
            }
        }
        calmed
    }

    fn borne_out(&self, before: &Placement, placement: &Placement, differs: bool) -> Squares {
        let mut changes = Squares::default();
        let mut settled = !differs;
        for square in before.differences(placement).filter(|square| !self.disturbed.has(*square)) {
            let run = self.reading(square).run;
            settled |= run >= 3;
            if run >= 2 {
                changes.add(square);
            }
        }
        if settled { changes } else { Squares::default() }
    }

    /// The time in which all of these have changed.
    fn when(&self, changes: Squares, now: Mono, age: Duration) -> Stamp {
        let readings = || changes.iter().map(|square| self.reading(square));
        let earliest = readings().map(|reading| reading.before).min().unwrap_or(now);
        let latest = readings().map(|reading| reading.first).max().unwrap_or(now);
        Stamp { earliest: earliest.before(age), latest }
    }

    fn reading(&self, square: Square) -> Reading {
        self.readings.get(usize::from(square.index())).copied().unwrap_or_default()
    }
}
