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
    /// Whether it tells of each square when it comes to it, and not of all when it has been at each.
    sweeps: bool,
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

/// A square that reads empty for one scan does so for this long at least.
const BLIP: Duration = Duration::from_millis(20);

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
            sweeps: chance.percent(senses.sweeping),
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
        let mut scan = Scan { stands: *board, told: *board, heard: Vec::new() };
        let mut rest = acts.iter().filter(|t| matches!(t.act, Act::Lift(_) | Act::Place(..))).peekable();
        let (mut skipped, mut last) = (false, None);
        while let Some(due) = self.scan_due(rest.peek().map(|t| t.at), last, &scan) {
            skipped = !skipped && chance.percent(self.skipped);
            let tick = if skipped { due.after(self.scan) } else { due };
            last = Some(tick);
            for (at, squares) in self.looks(tick, chance) {
                while let Some(timed) = rest.next_if(|timed| timed.at <= at) {
                    apply(&mut scan.stands, timed.act);
                }
                let news: Vec<Square> =
                    squares.into_iter().filter(|s| scan.told[*s] != scan.stands[*s]).collect();
                self.tell(at, &news, &mut scan);
            }
            if chance.percent(self.blips) {
                self.blip(tick, &mut scan, chance);
            }
        }
        // What a later scan shows was heard later, whatever line it came over.
        scan.heard.sort_by_key(|(at, _)| *at);
        scan.heard
    }

    /// When the scan ends that can show something new: what is done next, or what the last one had passed already.
    fn scan_due(&self, next: Option<Mono>, last: Option<Mono>, scan: &Scan) -> Option<Mono> {
        let passed = last.filter(|_| scan.told != scan.stands).map(|last| last.after(self.scan.max(BLIP)));
        [next.map(|at| self.next_scan(at)), passed].into_iter().flatten().min()
    }

    /// At which squares the scan that ends at `tick` looks, and when, in its order.
    fn looks(&self, tick: Mono, chance: &mut Chance) -> Vec<(Mono, Vec<Square>)> {
        let mut squares: Vec<Square> = Square::all().collect();
        if !self.sweeps {
            if self.shuffled {
                shuffle(&mut squares, chance);
            }
            return vec![(tick, squares)];
        }
        let begins = tick.before(self.scan);
        let looks = (1..=64).zip(squares);
        looks.map(|(n, square)| (begins.after(self.scan * n / 64), vec![square])).collect()
    }

    fn next_scan(&self, at: Mono) -> Mono {
        let period = u64::try_from(self.scan.as_micros()).unwrap_or(u64::MAX);
        match at.as_micros().checked_rem(period) {
            None | Some(0) => at,
            Some(over) => Mono::from_micros(at.as_micros().saturating_add(period - over)),
        }
    }

    fn tell(&self, tick: Mono, squares: &[Square], scan: &mut Scan) {
        let now = tick.after(self.wire);
        for square in squares {
            scan.told[*square] = scan.stands[*square];
            scan.hear(now, self, *square);
        }
    }

    /// An occupied square reads empty until the next scan.
    fn blip(&self, tick: Mono, scan: &mut Scan, chance: &mut Chance) {
        let occupied: Vec<Square> = scan.stands.occupied().map(|(square, _)| square).collect();
        let index = usize::try_from(chance.below(u64::try_from(occupied.len()).unwrap_or(1))).ok();
        if let Some(square) = index.and_then(|index| occupied.get(index)) {
            scan.told[*square] = Occupant::Empty;
            scan.hear(tick.after(self.wire), self, *square);
        }
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

/// What stands on the board, what it has told of that, and when that is heard.
struct Scan {
    stands: Placement,
    told: Placement,
    heard: Vec<Heard>,
}

impl Scan {
    fn hear(&mut self, now: Mono, senses: &Senses, square: Square) {
        let hardware = if senses.turned { square.rotated() } else { square };
        let body = ReportBody::Square { square: hardware, occupant: self.told[square] };
        self.heard.push((now, Report { at: Stamp::received(now, senses.board_lag()), body }));
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

#[cfg(test)]
mod tests {
    use arbiterd_board::{Colour, Piece, Role};

    use super::*;

    /// Two pieces are put down 80 ms apart, on the last square that a sweep comes to and on the first.
    #[test]
    fn a_sweep_tells_later_of_what_happened_before() {
        let told = |sweeps| {
            let habits = Habits::clean();
            let mut chance = Chance::new(1);
            let picked = Senses::pick(&habits, &mut chance);
            let scan = Duration::from_millis(200);
            let senses = Senses { scan, wire: Duration::ZERO, sweeps, ..picked };
            let squares: Vec<Square> = Square::all().collect();
            let pawn = Piece { colour: Colour::White, role: Role::Pawn };
            let put = |ms, square| Timed { at: Mono::from_millis(ms), act: Act::Place(square, pawn) };
            let acts = [put(1010, squares[0]), put(1090, squares[63])];
            let heard = senses.squares(&Placement::EMPTY, &acts, &mut chance);
            let lags = acts.iter().zip(heard.iter().rev()).all(|(act, (at, _))| at.since(act.at) <= scan);
            let square = |(at, report): &Heard| match report.body {
                ReportBody::Square { square, .. } => (at.as_micros() / 1000, square == squares[0]),
                _ => panic!("{report:?}"),
            };
            (heard.iter().map(square).collect::<Vec<_>>(), lags)
        };
        assert_eq!(told(false).0, [(1200, true), (1200, false)]);
        assert_eq!(told(true), (vec![(1200, false), (1203, true)], true));
    }
}
