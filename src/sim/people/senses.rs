// SPDX-License-Identifier: GPL-3.0-or-later
//! What a board and a clock tell of what hands did: a board that scans, so that what is over
//! between two scans is not seen, and a clock that is read now and then.
//!
//! Lags are told truly: everything that is reported happened within its stamp.

use std::time::Duration;

use arbiterd_board::simulator::Chance;
use arbiterd_board::{
    Capabilities, ClockControl, ClockReading, ClockReport, ClockSide, Lever, Mono, Occupant, Placement,
    Report, ReportBody, Sensing, SideReading, Square, Stamp,
};

use super::habits::Habits;
use super::hand::Timed;
use crate::sim::Act;

/// One board with its clock.
#[derive(Clone, Debug)]
pub struct Senses {
    scan: Duration,
    wire: Duration,
    skipped: u8,
    shuffled: bool,
    blips: u8,
    readings: Duration,
    age: Duration,
    /// Whether the board stands turned round.
    pub turned: bool,
}

/// What the clock shows at the start.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// On each side.
    pub remaining: Duration,
    /// What a press adds.
    pub increment: Duration,
    /// Whose lever is down.
    pub down: ClockSide,
}

/// A report and when it is heard.
pub type Heard = (Mono, Report);

impl Senses {
    /// One of those that the ranges allow.
    pub fn pick(habits: &Habits, chance: &mut Chance) -> Self {
        let senses = &habits.senses;
        Self {
            scan: senses.scan.pick(chance),
            wire: senses.wire.pick(chance),
            skipped: senses.skipped,
            shuffled: senses.shuffled,
            blips: senses.blips,
            readings: senses.readings.pick(chance),
            age: senses.age.pick(chance),
            turned: chance.percent(senses.turned),
        }
    }

    /// The longest time from a change to its report: a scan that just missed it, one that was left
    /// out, and the line.
    fn board_lag(&self) -> Duration {
        let scans = if self.skipped > 0 { 2 } else { 1 };
        self.scan * scans + self.wire + Duration::from_millis(10)
    }

    fn clock_lag(&self) -> Duration {
        self.readings + self.age
    }

    /// What is told before the game: what the board can do, what stands on it, what the clock shows.
    pub fn introduce(&self, now: Mono, board: &Placement, times: Times) -> Vec<Heard> {
        let capabilities = Capabilities {
            sensing: Sensing::Pieces,
            clock: ClockControl::ReadOnly,
            board_lag: self.board_lag(),
            clock_lag: self.clock_lag(),
        };
        let clock = ClockReport::Reading(reading(times, [Duration::ZERO; 2], [0; 2], times.down));
        vec![
            (now, Report { at: Stamp::at(now), body: ReportBody::Capabilities(capabilities) }),
            (now, self.whole(now, &self.seen(board))),
            (now, Report { at: Stamp::received(now, self.clock_lag()), body: ReportBody::Clock(clock) }),
        ]
    }

    /// An answer to whoever asks for the whole board, in hardware squares.
    pub fn whole(&self, now: Mono, placement: &Placement) -> Report {
        let body = ReportBody::Board { placement: *placement, confirmed: true };
        Report { at: Stamp::received(now, self.board_lag()), body }
    }

    /// How long an answer is on its way.
    pub const fn wire(&self) -> Duration {
        self.wire
    }

    fn seen(&self, board: &Placement) -> Placement {
        if self.turned { board.rotated() } else { *board }
    }

    /// What the board tells of these acts, in the order in which it is heard.
    pub fn squares(&self, board: &Placement, acts: &[Timed], chance: &mut Chance) -> Vec<Heard> {
        let (mut stands, mut told) = (*board, *board);
        let mut heard = Vec::new();
        let mut rest = acts.iter().filter(|t| matches!(t.act, Act::Lift(_) | Act::Place(..))).peekable();
        let (mut skipped, mut blip) = (false, None);
        while let Some(next) = rest.peek() {
            if let Some((square, ends)) = blip.take().filter(|(_, ends)| *ends <= next.at) {
                self.tell(ends, &[square], &stands, &mut heard);
                told[square] = stands[square];
            }
            let mut tick = self.next_scan(next.at);
            skipped = !skipped && chance.percent(self.skipped);
            if skipped {
                tick = tick.after(self.scan);
            }
            while let Some(timed) = rest.next_if(|timed| timed.at <= tick) {
                apply(&mut stands, timed.act);
            }
            self.tell_news(tick, &stands, &mut told, chance, &mut heard);
            if chance.percent(self.blips) {
                blip = self.blip(tick, &stands, &mut told, chance, &mut heard);
            }
        }
        if let Some((square, ends)) = blip {
            self.tell(ends, &[square], &stands, &mut heard);
        }
        // What a later scan shows was heard later, whatever line it came over.
        heard.sort_by_key(|(at, _)| *at);
        heard
    }

    fn next_scan(&self, at: Mono) -> Mono {
        let period = u64::try_from(self.scan.as_micros()).unwrap_or(u64::MAX);
        match at.as_micros().checked_rem(period) {
            None | Some(0) => at,
            Some(over) => Mono::from_micros(at.as_micros().saturating_add(period - over)),
        }
    }

    fn tell_news(
        &self,
        tick: Mono,
        stands: &Placement,
        told: &mut Placement,
        chance: &mut Chance,
        heard: &mut Vec<Heard>,
    ) {
        let mut news: Vec<Square> = told.differences(stands).collect();
        if self.shuffled {
            shuffle(&mut news, chance);
        }
        self.tell(tick, &news, stands, heard);
        *told = *stands;
    }

    fn tell(&self, tick: Mono, squares: &[Square], stands: &Placement, heard: &mut Vec<Heard>) {
        let now = tick.after(self.wire);
        for square in squares {
            let hardware = if self.turned { square.rotated() } else { *square };
            let body = ReportBody::Square { square: hardware, occupant: stands[*square] };
            heard.push((now, Report { at: Stamp::received(now, self.board_lag()), body }));
        }
    }

    /// An occupied square reads empty until the next scan: which, and until when.
    fn blip(
        &self,
        tick: Mono,
        stands: &Placement,
        told: &mut Placement,
        chance: &mut Chance,
        heard: &mut Vec<Heard>,
    ) -> Option<(Square, Mono)> {
        let occupied: Vec<Square> = stands.occupied().map(|(square, _)| square).collect();
        let index = usize::try_from(chance.below(u64::try_from(occupied.len()).ok()?)).ok()?;
        let square = *occupied.get(index)?;
        told[square] = Occupant::Empty;
        self.tell(tick, &[square], told, heard);
        Some((square, tick.after(self.scan.max(Duration::from_millis(20)))))
    }

    /// What the clock tells until `end`.
    pub fn clock(&self, times: Times, acts: &[Timed], begins: Mono, end: Mono) -> Vec<Heard> {
        let mut deeds = acts.iter().filter(|t| !matches!(t.act, Act::Lift(_) | Act::Place(..))).peekable();
        let (mut down, mut used, mut pressed) = (times.down, [Duration::ZERO; 2], [0; 2]);
        let (mut counted, mut tick, mut counting) = (begins, begins, true);
        let mut heard = Vec::new();
        while tick < end {
            tick = tick.after(self.readings.max(Duration::from_millis(50)));
            let shown = tick.before(self.age).max(begins);
            while let Some(deed) = deeds.next_if(|deed| deed.at <= shown) {
                if counting {
                    used[index(down.other())] += deed.at.since(counted);
                }
                counted = deed.at;
                match deed.act {
                    Act::Stop => counting = false,
                    Act::Start => counting = true,
                    Act::Press(side) if side != down => {
                        down = side;
                        // A lever that is turned while the clock stands is no press.
                        pressed[index(side)] += u32::from(counting);
                    }
                    _ => {}
                }
            }
            let mut now = used;
            if counting {
                now[index(down.other())] += shown.since(counted);
            }
            let reading = ClockReading { counting, ..reading(times, now, pressed, down) };
            let body = ReportBody::Clock(ClockReport::Reading(reading));
            heard.push((tick, Report { at: Stamp::received(tick, self.clock_lag()), body }));
        }
        heard
    }
}

fn apply(board: &mut Placement, act: Act) {
    match act {
        Act::Lift(square) => board[square] = Occupant::Empty,
        Act::Place(square, piece) => board[square] = Occupant::Piece(piece),
        _ => {}
    }
}

/// Fisher and Yates.
fn shuffle(squares: &mut [Square], chance: &mut Chance) {
    for last in (1..squares.len()).rev() {
        let other = usize::try_from(chance.below(u64::try_from(last + 1).unwrap_or(1))).unwrap_or(0);
        squares.swap(last, other);
    }
}

const fn index(side: ClockSide) -> usize {
    match side {
        ClockSide::Left => 0,
        ClockSide::Right => 1,
    }
}

/// Whole seconds, rounded up, as DGT clocks show them.
fn reading(times: Times, used: [Duration; 2], pressed: [u32; 2], down: ClockSide) -> ClockReading {
    let side = |side| {
        let left =
            (times.remaining + times.increment * pressed[index(side)]).saturating_sub(used[index(side)]);
        let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        SideReading { remaining: Duration::from_secs(seconds), ..SideReading::default() }
    };
    ClockReading {
        left: side(ClockSide::Left),
        right: side(ClockSide::Right),
        counting: true,
        lever: Lever::Pressed(down),
        turn: Some(down.other()),
        battery_low: false,
    }
}
