// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of one board on the line, and what is due to be asked of it.

use core::time::Duration;

use arbiterd_board::{
    Capabilities, Channel, ClockControl, ClockReading, Identity, Mono, Occupant, Placement, Sensing, Square,
    Stamp, Version,
};

use super::exchange::Ask;
use super::fetch::Fetch;
use super::timing::{
    self, FIRST_PROBE, FOLLOW_UPS, IDLE_LOOK, LATER, LONGEST_PROBE, SCAN, SETTLED, TRIES, UNSURE,
};
use super::twins::{DAMAGED, Twins};
use crate::CLOCK_LAG;
use crate::bus::BusAddress;
use crate::log::{Log, Record};

/// How far the conversation with a board has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Stage {
    /// It has not answered yet, or not for too long.
    #[default]
    Silent,
    /// It answers; what it noted before is thrown away.
    Draining,
    /// The first look is due.
    Baseline,
    Running,
}

#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) address: BusAddress,
    /// It is configured, or has answered a question to it alone. Two answers that meet on the
    /// line can look like that of a third board, with a good checksum.
    pub(super) believed: bool,
    /// So many pings to all it has answered while it was not believed.
    pub(super) pings: u8,
    pub(super) stage: Stage,
    pub(super) firmware: Option<Version>,
    /// When it last told what this stage asks for.
    pub(super) heard: Mono,
    /// So long since then the line was held up by others, and nobody could ask it.
    pub(super) excused: Duration,
    pub(super) misses: Misses,
    pub(super) twins: Twins,
    pub(super) probe: Probe,
    /// Its changes must be asked for before anything else is said on the line.
    pub(super) urgent: bool,
    /// So often that was done since its last turn.
    pub(super) follow_ups: u8,
    pub(super) fetch: Fetch,
    pub(super) look: Look,
    pub(super) held: Option<Held>,
    /// So often the first look was made amid changes.
    pub(super) amid_changes: u8,
    /// What was told to stand on it, by a dump and the changes after it.
    pub(super) known: Option<Known>,
    pub(super) clock: Clock,
    pub(super) lags: Lags,
    pub(super) announced: Option<Capabilities>,
}

/// Failed tries of each question.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Misses {
    version: Missed,
    board: Missed,
    changes: Missed,
    clock: Missed,
    ping: Missed,
}

/// Failed tries of one question.
#[derive(Clone, Copy, Debug, Default)]
struct Missed {
    /// In a row.
    count: u8,
    /// In a row, with an answer that was damaged.
    damaged: u8,
    last: Option<Last>,
}

/// The last try that failed, and since when the question was open.
#[derive(Clone, Copy, Debug)]
struct Last {
    failed: Mono,
    since: Mono,
}

impl Misses {
    /// Those of a board that was lost: it is asked once at a time whether it is there.
    fn lost() -> Self {
        Self { version: Missed { count: TRIES, ..Missed::default() }, ..Self::default() }
    }

    /// Another try failed of the question that is open since then. Whether it may be put again at
    /// once.
    pub(super) const fn missed(&mut self, now: Mono, ask: Ask, since: Mono, damaged: bool) -> bool {
        let missed = self.of_mut(ask);
        missed.damaged = if damaged { missed.damaged.saturating_add(1) } else { 0 };
        missed.last = Some(Last { failed: now, since });
        missed.count = missed.count.saturating_add(1);
        missed.count < TRIES
    }

    pub(super) const fn answered(&mut self, ask: Ask) {
        let missed = self.of_mut(ask);
        missed.count = 0;
        missed.damaged = 0;
    }

    /// Whether the answers to some question come again and again, and are always damaged.
    pub(super) fn are_damaged(&self) -> bool {
        let all = [self.version, self.board, self.changes, self.clock, self.ping];
        all.iter().any(|missed| missed.damaged >= DAMAGED)
    }

    /// The question may be put once only, and not again at once.
    pub(super) const fn are_many(&self, ask: Ask) -> bool {
        self.of(ask).count >= TRIES
    }

    /// Whether answers to earlier tries may still come.
    pub(super) const fn are_any(&self, ask: Ask) -> bool {
        self.of(ask).count > 0
    }

    /// When the first question was put to which an answer from now on may belong: now, if nothing
    /// was asked before whose answer may still come.
    pub(super) fn open_since(&self, now: Mono, ask: Ask) -> Mono {
        let last = self.of(ask).last.filter(|last| now.since(last.failed) < UNSURE);
        last.map_or(now, |last| last.since)
    }

    const fn of(&self, ask: Ask) -> &Missed {
        match ask {
            Ask::Version => &self.version,
            Ask::Board => &self.board,
            Ask::Changes => &self.changes,
            Ask::Clock => &self.clock,
            Ask::IgnorePing => &self.ping,
        }
    }

    const fn of_mut(&mut self, ask: Ask) -> &mut Missed {
        match ask {
            Ask::Version => &mut self.version,
            Ask::Board => &mut self.board,
            Ask::Changes => &mut self.changes,
            Ask::Clock => &mut self.clock,
            Ask::IgnorePing => &mut self.ping,
        }
    }
}

/// When a board that does not answer is asked again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub(super) due: Mono,
    wait: Duration,
}

impl Probe {
    pub(super) const fn at(due: Mono) -> Self {
        Self { due, wait: FIRST_PROBE }
    }

    pub(super) fn failed(&mut self, now: Mono) {
        self.due = now.after(self.wait);
        self.wait = (2 * self.wait).min(LONGEST_PROBE);
    }
}

/// When to look at the whole board.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    last_change: Option<Mono>,
    /// A look is due then, after a change or a doubt.
    soon: Option<Mono>,
    pub(super) asked: Mono,
}

impl Look {
    /// What is due before what: a look after a change goes before one at a board at rest.
    pub(super) fn due(&self, now: Mono) -> Option<(u8, Mono)> {
        let soon = self.soon.filter(|at| *at <= now).map(|at| (1, at));
        let idle = Some(self.asked.after(IDLE_LOOK)).filter(|at| *at <= now).map(|at| (2, at));
        soon.or(idle)
    }

    pub(super) const fn asked(&mut self, now: Mono) {
        self.asked = now;
        self.soon = None;
    }

    pub(super) fn changed(&mut self, now: Mono) {
        self.last_change = Some(now);
        self.soon = Some(now.after(SETTLED));
    }

    /// Something may have been lost: look soon, but do not put off a look that is due before.
    pub(super) fn doubted(&mut self, now: Mono) {
        self.by(now.after(SETTLED));
    }

    pub(super) fn failed(&mut self, now: Mono) {
        self.by(now.after(LATER));
    }

    pub(super) fn is_at_rest(&self, now: Mono) -> bool {
        self.last_change.is_none_or(|at| at.after(SETTLED) <= now)
    }

    fn by(&mut self, at: Mono) {
        self.soon = Some(self.soon.map_or(at, |due| due.min(at)));
    }
}

/// A dump that is not told before the changes are known which the board noted until then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) placement: Placement,
    pub(super) asked: Mono,
    pub(super) received: Mono,
    /// It answers a question that is still open, so requests are answered by it.
    pub(super) counts: bool,
}

impl Held {
    /// When what it shows was so. What it shows of changes that are not told happened since that
    /// moment.
    pub(super) fn stamp(&self, untold_since: Option<Mono>) -> Stamp {
        let earliest = untold_since.map_or(self.asked, |since| self.asked.min(since));
        Stamp { earliest: earliest.before(SCAN), latest: self.received }
    }

    /// The same dump as it was after these records, which the board noted around it: they say what
    /// stands on their squares now.
    pub(super) fn overlay(&mut self, now: Mono, log: Log<'_>) {
        for record in log.records() {
            if let Record::Piece { square, occupant, .. } = record {
                self.placement[square] = occupant;
            }
        }
        self.received = now;
    }
}

/// What was told to stand on a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) placement: Placement,
    /// When the dump was asked for that said so, or the one before all changes that were told.
    pub(super) asked: Mono,
}

/// What is known of the clock in the board's port.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// It is not asked before.
    due: Mono,
    /// When that was asked for which was answered last, and the reading; `None` if there was no
    /// clock then.
    last: Option<(Mono, Option<ClockReading>)>,
}

impl Clock {
    pub(super) fn is_due(&self, now: Mono) -> bool {
        self.due <= now
    }

    pub(super) const fn wanted(&mut self, now: Mono) {
        self.due = now;
    }

    pub(super) const fn failed(&mut self, now: Mono) {
        self.due = now.after(LATER);
    }

    /// When it became so that there is no clock: if there was one, right after the answer before
    /// at the earliest.
    pub(super) fn absent(&mut self, now: Mono, asked: Mono) -> Stamp {
        let since = match self.last.replace((asked, None)) {
            Some((before, Some(_))) => before.min(asked),
            _ => asked,
        };
        Stamp { earliest: since.before(CLOCK_LAG), latest: now }
    }

    /// When what a reading shows became so. A reading that only counted on is as old as the
    /// clock's lag. What changed besides may have changed right after the answer before: nobody
    /// looked in between. That the clock is there at all is such a change.
    pub(super) fn read(&mut self, now: Mono, asked: Mono, reading: ClockReading) -> Stamp {
        let since = match self.last.replace((asked, Some(reading))) {
            Some((_, Some(old))) if has_only_counted(&old, &reading) => asked,
            Some((before, _)) => before.min(asked),
            None => asked,
        };
        Stamp { earliest: since.before(CLOCK_LAG), latest: now }
    }
}

fn has_only_counted(old: &ClockReading, new: &ClockReading) -> bool {
    let fell = new.left.remaining <= old.left.remaining && new.right.remaining <= old.right.remaining;
    let mut counted = *new;
    counted.left.remaining = old.left.remaining;
    counted.right.remaining = old.right.remaining;
    counted.battery_low = old.battery_low;
    fell && counted == *old
}

/// The widest stamps of late, where they are wider than what the line's cycle explains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lags {
    board: Widest,
    clock: Widest,
}

#[derive(Clone, Copy, Debug, Default)]
struct Widest {
    width: Duration,
    at: Mono,
}

/// A line that was held up once is not slow for ever.
const FORGOTTEN: Duration = Duration::from_secs(60);
/// Lags are told in steps, so that they are not told all the time.
const STEP: Duration = Duration::from_millis(100);

impl Widest {
    fn saw(&mut self, now: Mono, width: Duration) {
        if width >= self.width || now.since(self.at) > FORGOTTEN {
            *self = Self { width, at: now };
        }
    }

    fn or(&self, bound: Duration) -> Duration {
        if self.width <= bound {
            return bound;
        }
        let steps = self.width.as_micros().div_ceil(STEP.as_micros());
        STEP.saturating_mul(u32::try_from(steps).unwrap_or(u32::MAX))
    }
}

impl Lags {
    pub(super) fn board(&mut self, now: Mono, stamp: Stamp) {
        self.board.saw(now, stamp.uncertainty());
    }

    pub(super) fn clock(&mut self, now: Mono, stamp: Stamp) {
        self.clock.saw(now, stamp.uncertainty());
    }

    /// What a board on a line with so many can do.
    pub(super) fn capabilities(&self, boards: usize) -> Capabilities {
        let polling = timing::cycle(boards) + timing::retries();
        Capabilities {
            sensing: Sensing::Pieces,
            // No description says how a clock is set over a bus.
            clock: ClockControl::ReadOnly,
            board_lag: self.board.or(SCAN + polling),
            clock_lag: self.clock.or(CLOCK_LAG + polling),
        }
    }
}

impl Board {
    pub(super) fn new(address: BusAddress) -> Self {
        Self {
            address,
            believed: true,
            pings: 0,
            stage: Stage::Silent,
            firmware: None,
            heard: Mono::ZERO,
            excused: Duration::ZERO,
            misses: Misses::default(),
            twins: Twins::default(),
            probe: Probe::at(Mono::ZERO),
            urgent: false,
            follow_ups: 0,
            fetch: Fetch::default(),
            look: Look::default(),
            held: None,
            amid_changes: 0,
            known: None,
            clock: Clock::default(),
            lags: Lags::default(),
            announced: None,
        }
    }

    /// Observation begins again at `stage`. The last packet is kept: it may be sent once more.
    pub(super) fn restart(&mut self, now: Mono, stage: Stage) {
        self.stage = stage;
        self.hear(now);
        self.misses = if stage == Stage::Silent { Misses::lost() } else { Misses::default() };
        self.probe = Probe::at(now);
        self.urgent = false;
        self.fetch.restart();
        self.look = Look::default();
        self.held = None;
        self.amid_changes = 0;
        self.known = None;
        self.clock = Clock::default();
        self.lags = Lags::default();
        self.announced = None;
        self.twins.restart(now);
    }

    /// It was told what stands on a square.
    pub(super) fn stands(&mut self, square: Square, occupant: Occupant) {
        if let Some(known) = &mut self.known {
            known.placement[square] = occupant;
        }
    }

    /// It has told what its stage asks for.
    pub(super) const fn hear(&mut self, now: Mono) {
        self.heard = now;
        self.excused = Duration::ZERO;
    }

    /// The line was held up by another for so long until now.
    pub(super) fn excuse(&mut self, now: Mono, by: Duration) {
        self.excused = (self.excused + by).min(now.since(self.heard));
    }

    pub(super) const fn channel(&self) -> Channel {
        Channel(self.address.number())
    }

    /// Whether it goes before all others. Not again and again: then its next turn will do, so that
    /// a board which always has something to tell does not keep the others from being heard.
    pub(super) const fn is_urgent(&self) -> bool {
        self.urgent && self.follow_ups < FOLLOW_UPS
    }

    /// Whether it is observed, or about to be.
    pub(super) fn is_up(&self) -> bool {
        self.stage != Stage::Silent
    }

    pub(super) fn identity(&self) -> Identity {
        Identity {
            family: "dgt".to_owned(),
            serial: Some(self.address.to_string()),
            firmware: self.firmware,
            clock: None,
        }
    }

    /// When it is given up, if it does not answer what its stage asks for. Time in which the line
    /// was held up by others does not count. `deaf_since`: the line is never free since then, so
    /// nobody can be asked at all.
    pub(super) fn lost_at(&self, boards: usize, deaf_since: Option<Mono>) -> Option<Mono> {
        let ask = match self.stage {
            Stage::Silent => return None,
            Stage::Baseline => Ask::Board,
            Stage::Draining | Stage::Running => Ask::Changes,
        };
        let silent_since = self.heard.after(self.excused);
        let unanswered = self.misses.are_many(ask).then_some(silent_since);
        let unasked = deaf_since.map(|since| since.max(silent_since));
        let since = [unanswered, unasked].into_iter().flatten().min();
        since.map(|since| since.after(timing::lost(boards)))
    }
}
