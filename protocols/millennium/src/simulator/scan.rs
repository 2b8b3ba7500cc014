// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board sees of its squares, and when it tells it (topic: registers).

use core::time::Duration;

use arbiterd_board::{Mono, Placement, Square};

use super::Simulator;
use crate::wire::{Cable, Register, ReportMode, answer, frame, status_letter};

/// A letter for each square of the players. Not a placement, for boards say `O` too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Letters([u8; 64]);

impl Letters {
    pub(super) const EMPTY: Self = Self([b'.'; 64]);

    /// The letter of each square.
    pub(super) fn of(letter: impl Fn(Square) -> u8) -> Self {
        let mut letters = Self::EMPTY;
        for (slot, square) in letters.0.iter_mut().zip(Square::all()) {
            *slot = letter(square);
        }
        letters
    }

    pub(super) fn at(&self, square: Square) -> u8 {
        self.0.get(usize::from(u8::from(square))).copied().unwrap_or(b'.')
    }

    fn set(&mut self, square: Square, letter: u8) {
        if let Some(slot) = self.0.get_mut(usize::from(u8::from(square))) {
            *slot = letter;
        }
    }

    /// In the order in which a board tells them.
    fn in_order(&self, cable: Cable) -> impl Iterator<Item = u8> + '_ {
        (0..64).filter_map(move |place| cable.square(place)).map(|square| self.at(square))
    }
}

/// What was seen and told.
#[derive(Clone, Debug)]
pub(super) struct Reports {
    /// Scans are counted from here.
    scans_since: Mono,
    /// Timed reports are counted from here.
    reports_since: Mono,
    /// What the last scan saw.
    seen: Letters,
    /// A scan may see something that the last one did not.
    unseen: bool,
    /// What the last report on change told.
    told: Letters,
    /// How many scans have seen the same, up to the last.
    equal: u32,
    /// What the last status said, in the board's order.
    said: Option<Vec<u8>>,
}

impl Reports {
    /// Nothing seen yet.
    pub(super) const fn new(now: Mono) -> Self {
        Self {
            scans_since: now,
            reports_since: now,
            seen: Letters::EMPTY,
            unseen: true,
            told: Letters::EMPTY,
            equal: 0,
            said: None,
        }
    }

    /// Times were changed; what was seen until now is not told as a change in another mode.
    pub(super) const fn retime(&mut self, now: Mono, other_mode: bool) {
        self.scans_since = now;
        self.reports_since = now;
        if other_mode {
            self.told = self.seen;
        }
    }

    pub(super) fn seen(&self, square: Square) -> u8 {
        self.seen.at(square)
    }

    pub(super) const fn look_again(&mut self) {
        self.unseen = true;
    }
}

impl Simulator {
    // ----- when ---------------------------------------------------------------------------

    /// An imitation that never reports every scan reports changes instead.
    fn mode(&self) -> ReportMode {
        match self.registers.reports() {
            ReportMode::EveryScan if self.options.quirks.only_on_change => ReportMode::OnChange,
            mode => mode,
        }
    }

    pub(super) fn reports_every_scan(&self) -> bool {
        self.mode() == ReportMode::EveryScan
    }

    fn reports_changes(&self) -> bool {
        !matches!(self.mode(), ReportMode::EveryScan | ReportMode::Off | ReportMode::Timed)
    }

    /// The next scan that may lead to something. Scans that do not are not made.
    pub(super) fn next_scan(&self) -> Option<Mono> {
        let untold = self.reports_changes() && self.reports.seen != self.reports.told;
        let wanted = self.reports.unseen || untold || self.reports_every_scan();
        wanted.then(|| next_multiple(self.now, self.reports.scans_since, self.registers.scan_time()))
    }

    pub(super) fn next_timed_report(&self) -> Option<Mono> {
        (self.mode() == ReportMode::Timed)
            .then(|| next_multiple(self.now, self.reports.reports_since, self.registers.report_time()))
    }

    /// A scan and a timed report, if this is their time. Nothing happens at the start of a period.
    pub(super) fn scan_if_due(&mut self) {
        if is_multiple(self.now, self.reports.scans_since, self.registers.scan_time()) {
            self.scan();
            self.tell_scan();
        }
        if self.mode() == ReportMode::Timed
            && is_multiple(self.now, self.reports.reports_since, self.registers.report_time())
        {
            self.report();
        }
    }

    // ----- what ---------------------------------------------------------------------------

    /// What a scan would see.
    fn visible(&mut self) -> Letters {
        let mut letters = Letters::of(|square| status_letter(self.actual[square]));
        for (square, letter) in &self.readings {
            letters.set(*square, *letter);
        }
        for (square, letter) in &self.flickers {
            letters.set(*square, *letter);
        }
        match &mut self.guess {
            Some(guess) => {
                let (guessed, options) = guess.look(&letters, self.registers.options());
                self.registers.leave(Register::Options.address(), options.register());
                guessed
            }
            None => letters,
        }
    }

    pub(super) fn scan(&mut self) {
        let visible = self.visible();
        // What flickered for this scan is back for the next one.
        self.reports.unseen = !self.flickers.is_empty();
        self.flickers.clear();
        let same = visible == self.reports.seen;
        self.reports.equal = if same { self.reports.equal.saturating_add(1) } else { 1 };
        self.reports.seen = visible;
    }

    fn tell_scan(&mut self) {
        if self.reports_every_scan() {
            return self.report();
        }
        let agreed = self.reports.equal >= self.mode().scans();
        if self.reports_changes() && self.reports.seen != self.reports.told && agreed {
            self.reports.told = self.reports.seen;
            self.report();
        }
    }

    // ----- how ----------------------------------------------------------------------------

    /// Sends a status of what the last scan saw.
    pub(super) fn report(&mut self) {
        let letters: Vec<u8> = self.reports.seen.in_order(self.order()).collect();
        let spliced = self.spliced(&letters);
        self.reports.said = Some(letters);
        self.say(frame(core::iter::once(answer::STATUS).chain(spliced)));
    }

    /// The letters, or a mixture with those of the status before (topic: what the checks miss).
    fn spliced(&mut self, letters: &[u8]) -> Vec<u8> {
        let before = self.reports.said.as_deref().filter(|said| *said != letters);
        let (Some(squares), Some(before)) = (self.ailments.splice, before) else { return letters.to_vec() };
        self.ailments.splice = None;
        let squares = usize::from(squares);
        before.iter().take(squares).chain(letters.iter().skip(squares)).copied().collect()
    }

    /// A dump has the order of a FEN, whatever the cable.
    pub(super) fn dump(&self) -> Vec<u8> {
        frame(core::iter::once(answer::DUMP).chain(self.reports.seen.in_order(Cable::Left)))
    }

    /// An eONE may have been told that it is turned round.
    fn order(&self) -> Cable {
        let turned = self.guess.is_some() && self.registers.options().is_reversed();
        match (self.options.cable, turned) {
            (cable, false) => cable,
            (Cable::Left, true) => Cable::Right,
            (Cable::Right, true) => Cable::Left,
        }
    }

    /// The placement as far as a host can see it.
    #[must_use]
    pub fn seen(&self) -> Placement {
        let mut placement = Placement::EMPTY;
        for square in Square::all() {
            placement[square] = crate::wire::occupant(self.reports.seen(square)).unwrap_or_default();
        }
        placement
    }
}

/// The next whole multiple of a period since a moment, later than now.
fn next_multiple(now: Mono, since: Mono, period: Duration) -> Mono {
    let period = micros(period).max(1);
    let done = micros(now.since(since)) / period;
    since.after(Duration::from_micros(done.saturating_add(1).saturating_mul(period)))
}

/// Whether this is a whole multiple of the period since then, but not the moment itself.
fn is_multiple(now: Mono, since: Mono, period: Duration) -> bool {
    let passed = micros(now.since(since));
    passed > 0 && passed.is_multiple_of(micros(period).max(1))
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
