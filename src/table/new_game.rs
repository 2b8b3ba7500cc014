// SPDX-License-Identifier: GPL-3.0-or-later
//! A new game on the same table: the pieces are set up again.
//!
//! A game can return to its start position by play (knights go out and back), so the pieces alone say
//! nothing. A new game begins when they are set up after a game that is over; or while the clock
//! stands, and the clock is set to a beginning too. A table that never heard a clock has only the
//! pieces: they must have stood as nothing in the record explains.

use std::time::Duration;

use arbiterd_board::{ClockReport, Mono, Order, Report, ReportBody, Stamp};

use super::{Input, Table, TableConfig, View};

/// White's and Black's time.
type Times = [Duration; 2];

/// What the clock says of a new beginning.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beginning {
    /// The times when the clock was first read in this game.
    opening: Option<Times>,
    /// The times at which it was stopped last; none while it counts.
    stopped: Option<Times>,
    last: Option<Times>,
    counts: bool,
    /// Since it was stopped, it was set to a beginning.
    set: bool,
    /// While it stood, the pieces were set up.
    set_up: bool,
}

impl Beginning {
    /// Takes a report of the clock.
    pub(super) fn hear_clock(&mut self, report: &ClockReport, times: Option<Times>) {
        match report {
            ClockReport::Absent => {
                self.stopped = self.stopped.or(self.last);
                self.counts = false;
            }
            ClockReport::Reading(reading) => {
                let Some(times) = times else { return };
                let goes_on = reading.counting && self.counts;
                self.counts = reading.counting;
                if goes_on {
                    *self = Self { stopped: None, set: false, set_up: false, ..*self };
                }
                self.opening.get_or_insert(times);
                self.last = Some(times);
                // A clock that is started in the moment it is set shows its beginning when it counts.
                self.set |= self.is_beginning(times);
                if !reading.counting {
                    self.stopped.get_or_insert(times);
                }
            }
            ClockReport::Unsettled(_) | ClockReport::SideStopped { .. } | ClockReport::Button(_) => {}
        }
    }

    /// Whether the clock was set to these times since it was stopped, and they are those of a beginning: the
    /// same as in this game, or others that are equal. Penalties are on top of what was left, and give
    /// the players different times.
    fn is_beginning(&self, times: Times) -> bool {
        let (Some(opening), Some(stopped)) = (self.opening, self.stopped) else { return false };
        let [white, black] = times;
        let more = white > stopped[0] || black > stopped[1];
        let as_before = opening == times;
        let equal = white == black && white > opening[0].max(opening[1]);
        more && (as_before || equal)
    }
}

/// The last reports that still hold when a new game begins.
#[derive(Clone, Debug, Default)]
pub(super) struct StillTrue {
    capabilities: Option<Report>,
    clock: Option<Report>,
    /// The line told nonsense.
    noise: Option<Report>,
}

impl StillTrue {
    /// Keeps what may have to be told to the next game.
    pub(super) fn hear(&mut self, report: &Report) {
        match &report.body {
            ReportBody::Capabilities(_) => self.capabilities = Some(report.clone()),
            ReportBody::Clock(ClockReport::Reading(_) | ClockReport::Absent) => {
                self.clock = Some(report.clone());
            }
            ReportBody::Noise(_) => self.noise = Some(report.clone()),
            _ => {}
        }
    }
}

impl Table {
    /// Begins a new game if the pieces were set up for one.
    pub(super) fn look_for_new_game(&mut self, now: Mono) {
        if let Some(stopped) = self.clock.stands_since() {
            let last = self.sensor.history().last();
            let since = last.is_some_and(|c| Stamp::order(c.at, stopped) == Order::After);
            self.beginning.set_up = since && self.start_stands();
        }
        let over = self.game.over() && self.start_stands() && !self.sensor.history().is_empty();
        let again = self.beginning.set && self.beginning.set_up && self.is_begun();
        if over || again {
            self.begin_again(now);
        }
    }

    /// Whether the pieces stand, at rest, as at the beginning of a game and not as in the record.
    fn start_stands(&self) -> bool {
        let start = self.config.start.standing().placement();
        self.link_up
            && self.sensor.placement() == Some(&start)
            && self.sensor.rested()
            && self.sensor.disturbed().next().is_none()
            && (self.game.over() || self.game.standing().placement() != start)
    }

    fn is_begun(&self) -> bool {
        !self.game.plies().is_empty() && !self.game.over()
    }

    /// Without a clock: what nothing in the record explains has stood for long, and is the start position.
    pub(super) fn begins_without_clock(&self) -> bool {
        !self.clock.was_heard() && self.is_begun() && self.start_stands()
    }

    /// The game that was is left as it is; the facts of the new one begin with what still holds.
    pub(super) fn begin_again(&mut self, now: Mono) {
        let before = self.game.result;
        self.withdraw_all(now);
        let reports = self.what_still_holds(now);
        let config = TableConfig { illegal_moves: [0; 2], ..self.config.clone() };
        let (outputs, shown) = (std::mem::take(&mut self.outputs), std::mem::take(&mut self.shown));
        *self = Self { outputs, shown: shown.of_a_new_game(), ..Self::new(config) };
        self.view(View::Begun { fen: self.game.standing().fen(), before });
        for report in reports {
            self.handle(now, Input::Report(report));
        }
    }

    /// Nothing of it is newer than it was: what stands was last seen as a whole when it was.
    fn what_still_holds(&self, now: Mono) -> Vec<Report> {
        let start = self.config.start.standing().placement();
        let placement = if self.sensor.turned() == Some(true) { start.rotated() } else { start };
        let at = Stamp { earliest: self.sensor.last_whole().unwrap_or(Mono::ZERO), latest: now };
        let board = Report { at, body: ReportBody::Board { placement, confirmed: true } };
        let StillTrue { capabilities, clock, noise } = self.still_true.clone();
        let noise = noise.filter(|_| self.sensor.is_noisy(now));
        [capabilities, noise, Some(board), clock].into_iter().flatten().collect()
    }
}
