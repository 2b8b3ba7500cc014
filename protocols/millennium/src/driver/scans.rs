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
//!
//! Nothing that is borne out is held back, on a disturbed square neither: what came late would seem to
//! have happened late. That the square reads to and fro is told beside it.

use core::time::Duration;

use arbiterd_board::{Mono, Occupant, Placement, Square};

/// Signs of a disturbed square lie within this time, and a square that reads the same for so long is
/// not disturbed any more (topic: disturbed reads).
pub(super) const DISTURBANCE: Duration = Duration::from_secs(1);

/// So many readings that differ from the one before, within that time, are no hand's work: on a square
/// where two pieces are taken in a second there are four.
const FLICKERS: usize = 6;

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

/// When a status came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arrival {
    /// Its first byte did not come before this. A status that was joined of two scans began when the
    /// older of them did.
    pub(super) begun: Mono,
    /// When it was whole.
    pub(super) at: Mono,
}

/// What one square has read.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// How many statuses in a row agree.
    run: u32,
    /// When the first of them came.
    first: Mono,
    /// When the last status began that another one after it agreed with, on what is told: the square has
    /// changed since then. Of the newest status alone that cannot be said, because the part of it that
    /// tells of this square may belong to an older scan.
    steady: Mono,
    /// When it last read something else than before, newest first.
    flickers: [Option<Mono>; FLICKERS],
    /// What was told before, and before that, newest first, and when the square ceased to read so.
    told: [Option<(Occupant, Mono)>; 2],
}

impl Reading {
    /// It reads something else now.
    fn change(&mut self, now: Mono) {
        self.flickers.rotate_right(1);
        self.flickers[0] = Some(now);
        self.run = 1;
        self.first = now;
    }

    /// It is told that it does not hold `was` any more. True if it is told there and back and there
    /// within the time of a disturbance.
    fn tell(&mut self, was: Occupant, reads: Occupant) -> bool {
        let [back, there] = self.told;
        self.told = [Some((was, self.first)), back];
        matches!((back, there), (Some((back, _)), Some((there, since)))
            if there == was && back == reads && self.first.since(since) <= DISTURBANCE)
    }

    fn flickers(&self, now: Mono) -> bool {
        self.flickers[FLICKERS - 1].is_some_and(|oldest| now.since(oldest) <= DISTURBANCE)
    }
}

/// What a status says beside what stands on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Heard {
    /// It is not what the status before it was.
    pub(super) differs: bool,
    /// Squares to tell.
    pub(super) changes: Squares,
    /// The time in which they changed, but for the age of what a status tells at its beginning.
    pub(super) since: Mono,
    pub(super) until: Mono,
    /// The whole board was borne out.
    pub(super) confirmed: bool,
    pub(super) disturbed: Squares,
    pub(super) calmed: Squares,
}

#[derive(Clone, Debug)]
pub(super) struct Scans {
    readings: [Reading; 64],
    last: Option<(Arrival, Placement)>,
    /// When the last status came that is of a scan of its own.
    scanned: Mono,
    /// What stands on the board by all that was told.
    told: Option<Placement>,
    disturbed: Squares,
}

impl Default for Scans {
    fn default() -> Self {
        let (readings, disturbed) = ([Reading::default(); 64], Squares::default());
        Self { readings, last: None, scanned: Mono::ZERO, told: None, disturbed }
    }
}

impl Scans {
    /// A status arrived. `anew`: whether it is certainly of another scan than the one before; if not,
    /// it cannot bear that out, because both have been misread together then.
    pub(super) fn heard(&mut self, arrival: Arrival, placement: &Placement, anew: bool) -> Heard {
        let now = arrival.at;
        let differs = self.last.is_none_or(|(_, last)| last != *placement);
        if differs || anew {
            self.scanned = now;
            self.read(now, placement);
        }
        let calmed = self.calm(now);
        let agrees = anew && !differs;
        let changes = self.borne_out(placement, agrees);
        let (since, until) = self.when(changes, arrival);
        let disturbed = self.tell(now, changes, placement, agrees);
        if anew {
            self.keep_steady(placement);
        }
        self.last = Some((arrival, *placement));
        let confirmed = !differs && self.told == Some(*placement);
        Heard { differs, changes, since, until, confirmed, disturbed, calmed }
    }

    /// When the last status came that is of a scan of its own.
    pub(super) const fn scanned(&self) -> Mono {
        self.scanned
    }

    /// Whether something that was seen is not borne out.
    pub(super) fn is_open(&self) -> bool {
        self.last.is_some_and(|(_, last)| self.told != Some(last))
    }

    /// The squares that are disturbed.
    pub(super) const fn disturbed(&self) -> Squares {
        self.disturbed
    }

    /// When the last square that is disturbed may be calm, if none is read otherwise until then.
    pub(super) fn calm_due(&self) -> Option<Mono> {
        self.disturbed.iter().map(|square| self.reading(square).first.after(DISTURBANCE)).max()
    }

    /// Notes what each square reads.
    fn read(&mut self, now: Mono, placement: &Placement) {
        for (square, reading) in Square::all().zip(&mut self.readings) {
            match self.last {
                Some((_, last)) if last[square] == placement[square] => {
                    reading.run = reading.run.saturating_add(1)
                }
                Some(_) => reading.change(now),
                None => *reading = Reading { run: 1, first: now, ..Reading::default() },
            }
        }
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

    fn borne_out(&self, placement: &Placement, agrees: bool) -> Squares {
        let mut changes = Squares::default();
        let mut settled = agrees;
        for square in self.told.iter().flat_map(|told| told.differences(placement)) {
            let run = self.reading(square).run;
            settled |= run >= 3;
            if run >= 2 {
                changes.add(square);
            }
        }
        if settled { changes } else { Squares::default() }
    }

    /// Changes what was told, and returns the squares that have become disturbed.
    fn tell(&mut self, now: Mono, changes: Squares, placement: &Placement, agrees: bool) -> Squares {
        let mut disturbed = Squares::default();
        for (square, reading) in Square::all().zip(&mut self.readings) {
            let reads = placement[square];
            let to_and_fro = match &mut self.told {
                Some(told) if changes.has(square) => {
                    reading.tell(core::mem::replace(&mut told[square], reads), reads)
                }
                _ => false,
            };
            if (to_and_fro || reading.flickers(now)) && !self.disturbed.has(square) {
                disturbed.add(square);
            }
        }
        if self.told.is_none() && agrees {
            self.told = Some(*placement);
        }
        self.disturbed.0 |= disturbed.0;
        disturbed
    }

    /// Squares that read what is told, for the second time in a row or longer, have not changed before
    /// the status before this one began.
    fn keep_steady(&mut self, placement: &Placement) {
        let (Some(told), Some((Arrival { begun, .. }, _))) = (self.told, self.last) else { return };
        for (square, reading) in Square::all().zip(&mut self.readings) {
            if reading.run >= 2 && told[square] == placement[square] {
                reading.steady = begun;
            }
        }
    }

    /// The time in which all of these have changed.
    fn when(&self, changes: Squares, arrival: Arrival) -> (Mono, Mono) {
        let readings = || changes.iter().map(|square| self.reading(square));
        let since = readings().map(|reading| reading.steady).min().unwrap_or(arrival.begun);
        let until = readings().map(|reading| reading.first).max().unwrap_or(arrival.at);
        (since, until)
    }

    fn reading(&self, square: Square) -> Reading {
        self.readings.get(usize::from(square.index())).copied().unwrap_or_default()
    }
}
