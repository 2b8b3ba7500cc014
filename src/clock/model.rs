// SPDX-License-Identifier: GPL-3.0-or-later
//! What a clock's readings say happened.
//!
//! The clock's sides become players here: on which side White sits belongs to the table.

use std::time::Duration;

use arbiterd_board::{
    ClockReading, ClockReport, ClockSide, Colour, Flag, Lever, Mono, Order, SideReading, Stamp,
};

use super::lever::{LeverWatch, Moved};
use crate::table::ClockView;

/// Something that the clock witnessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockEvent {
    /// A player pressed: the lever changed while the clock counts. A lever moved on a stopped
    /// clock is no press.
    Pressed {
        /// Who.
        by: Colour,
        /// Between the last reading before and the first one after.
        at: Stamp,
        /// Whether the clock still counted after it. Where it stood already, it may have been
        /// stopped first and the lever moved then, which is no press.
        certain: bool,
    },
    /// A flag is shown: two readings agree, on a clock that was known to count.
    FlagDown {
        /// Whose.
        side: Colour,
        /// Between the last reading without it and the first with it.
        at: Stamp,
    },
    /// The clock is not connected any more.
    Lost,
}

/// A flag seen once, not yet believed.
#[derive(Clone, Copy, Debug)]
struct Sighting {
    at: Stamp,
    believed: bool,
}

/// The clock of a table.
#[derive(Clone, Debug)]
pub struct ClockModel {
    white_side: ClockSide,
    last: Option<(Stamp, ClockReading)>,
    connected: bool,
    /// Whether the last reading and the next one belong to one unbroken observation.
    continuous: bool,
    has_counted: bool,
    stopped: Option<Stamp>,
    lever: LeverWatch,
    /// A press that a reading showed which is not believed.
    glimpsed: Option<Moved>,
    flags: [Option<Sighting>; 2],
    shown: Option<ClockView>,
}

/// A counting clock that says nothing for longer has said something that was not heard.
const SILENCE: Duration = Duration::from_secs(2);
/// On a line that is merely slow a counting clock is heard again sooner.
const LONG_SILENCE: Duration = Duration::from_secs(30);

/// A displayed second may change between two readings; more than this is a jump worth telling.
const JUMP: Duration = Duration::from_millis(1500);

impl ClockModel {
    /// A clock of which nothing is known yet.
    pub fn new(white_side: ClockSide) -> Self {
        Self {
            white_side,
            last: None,
            connected: false,
            continuous: false,
            has_counted: false,
            stopped: None,
            lever: LeverWatch::default(),
            glimpsed: None,
            flags: [None; 2],
            shown: None,
        }
    }

    /// The player on a side.
    pub fn player(&self, side: ClockSide) -> Colour {
        if side == self.white_side { Colour::White } else { Colour::Black }
    }

    /// White's and Black's time, as last read.
    pub fn times(&self) -> Option<[Duration; 2]> {
        self.last.map(|(_, r)| self.by_player(&r))
    }

    fn by_player(&self, r: &ClockReading) -> [Duration; 2] {
        [r.side(self.white_side).remaining, r.side(self.white_side.other()).remaining]
    }

    /// Whether the clock is being heard: it is there, and a counting one was not silent for long.
    pub fn heard(&self, now: Mono) -> bool {
        self.connected && self.last.is_some() && !self.silent_for(now, SILENCE)
    }

    /// Whether nothing that a clock shows can have gone unheard: there never was one, or it is there and, if it
    /// counts, was not silent for so long that something is wrong.
    pub fn listens(&self, now: Mono) -> bool {
        self.last.is_none() || (self.connected && !self.silent_for(now, LONG_SILENCE))
    }

    fn silent_for(&self, now: Mono, long: Duration) -> bool {
        self.last.is_some_and(|(at, r)| r.counting && now.since(at.latest) > long)
    }

    /// Whether a clock was ever heard at this table.
    pub const fn was_heard(&self) -> bool {
        self.last.is_some()
    }

    /// Whose time counts, as last read. The lever decides: sources disagree on the turn bits.
    pub fn running(&self) -> Option<Colour> {
        let (_, r) = self.last.filter(|(_, r)| r.counting)?;
        match r.lever {
            Lever::Pressed(side) => Some(self.player(side.other())),
            Lever::Unknown => r.turn.map(|side| self.player(side)),
        }
    }

    /// Whether the clock counted when something happened, as far as that is known: a table without
    /// a clock, or one that was never heard, is taken to play all the time.
    pub fn counted_at(&self, at: Stamp) -> bool {
        match self.last {
            Some((_, reading)) if self.continuous && !reading.counting => {
                self.stopped.is_some_and(|stopped| Stamp::order(at, stopped) != Order::After)
            }
            _ => true,
        }
    }

    /// When the clock was stopped, if it counted before and stands now.
    pub fn stands_since(&self) -> Option<Stamp> {
        let stands = self.continuous && self.last.is_some_and(|(_, reading)| !reading.counting);
        self.stopped.filter(|_| stands)
    }

    /// Whether a player's flag is believed to be down.
    pub fn flag_down(&self, side: Colour) -> Option<Stamp> {
        self.flags[index(side)].filter(|s| s.believed).map(|s| s.at)
    }

    /// Takes a report of the clock.
    pub fn report(&mut self, at: Stamp, report: &ClockReport) -> Vec<ClockEvent> {
        match report {
            ClockReport::Absent => {
                let lost = self.connected;
                self.forget();
                if lost { vec![ClockEvent::Lost] } else { Vec::new() }
            }
            ClockReport::Reading(reading) => self.reading(at, *reading),
            // Whether it was a press depends on whether the clock counts: the next reading tells.
            ClockReport::SideStopped { side, .. } => {
                self.lever.log(*side, at);
                Vec::new()
            }
            ClockReport::Unsettled(reading) => {
                self.glimpse(at, reading);
                Vec::new()
            }
            // A button means what it does to the times, and a reading shows that.
            ClockReport::Button(_) => Vec::new(),
        }
    }

    /// Observation was interrupted: what the lever and the flags did meanwhile was not seen, so
    /// the next reading is a new beginning. The last known times stay.
    pub fn forget(&mut self) {
        self.connected = false;
        self.continuous = false;
        self.has_counted = false;
        self.lever.forget();
        self.glimpsed = None;
        self.flags = [None; 2];
    }

    /// Takes notice of a press in a reading that no other has borne out. It may be damage, and it may
    /// be true although the next reading shows the lever back: the opponent pressed at once.
    fn glimpse(&mut self, at: Stamp, reading: &ClockReading) {
        let Some((_, last)) = self.last.filter(|_| self.continuous) else { return };
        let (Some(before), Some(now)) = (presser(&last), presser(reading)) else { return };
        if before != now && last.counting && reading.counting {
            self.glimpsed.get_or_insert(Moved { side: now, at });
        }
    }

    /// The lever lies as it did, and another press was glimpsed meanwhile: two presses, or none. They
    /// may complete what stands on the board, and charge nobody.
    fn pressed_and_answered(&mut self, at: Stamp, lever: Lever) -> Vec<ClockEvent> {
        let back = |glimpsed: &Moved| lever == Lever::Pressed(glimpsed.side.other());
        let Some(glimpsed) = self.glimpsed.take().filter(back) else { return Vec::new() };
        let answer = Stamp { earliest: glimpsed.at.earliest, latest: at.latest };
        [(glimpsed.side, glimpsed.at), (glimpsed.side.other(), answer)]
            .map(|(side, at)| ClockEvent::Pressed { by: self.player(side), at, certain: false })
            .into()
    }

    fn reading(&mut self, at: Stamp, reading: ClockReading) -> Vec<ClockEvent> {
        let before = self.last.replace((at, reading)).filter(|_| self.continuous);
        self.connected = true;
        self.continuous = true;
        let mut events = Vec::new();
        let between = before.map_or(at, |(earlier, old)| Stamp {
            earliest: since(earlier, at, old.counting),
            latest: at.latest,
        });
        let moves = self.lever.reading(reading.lever, at, between);
        if let Some((_, old)) = before {
            events.extend(self.presses(&moves, &old, &reading));
            let answered = self.pressed_and_answered(at, reading.lever);
            if moves.is_empty() && old.counting && reading.counting {
                events.extend(answered);
            }
            if old.counting && !reading.counting {
                self.stopped = Some(between);
            }
            self.look_at_flags(between, &reading, &mut events);
        }
        self.has_counted |= reading.counting;
        events
    }

    /// The lever's moves that were presses. On a clock that stood before, all but the last may
    /// have been made before it was started, and then they changed nothing.
    fn presses(&self, moves: &[Moved], old: &ClockReading, new: &ClockReading) -> Vec<ClockEvent> {
        let presses = match (old.counting, new.counting) {
            (true, _) => moves,
            (false, true) => &moves[moves.len() - moves.len() % 2..],
            (false, false) => &[],
        };
        let press = |moved: &Moved| ClockEvent::Pressed {
            by: self.player(moved.side),
            at: moved.at,
            certain: new.counting,
        };
        presses.iter().map(press).collect()
    }

    /// No flag comes of one damaged reading: a second one has to show it too, and the clock has
    /// to have counted before.
    fn look_at_flags(&mut self, at: Stamp, reading: &ClockReading, events: &mut Vec<ClockEvent>) {
        for side in [ClockSide::Left, ClockSide::Right] {
            let player = self.player(side);
            let sighting = &mut self.flags[index(player)];
            if !is_down(reading.side(side)) || !self.has_counted {
                *sighting = None;
                continue;
            }
            match sighting {
                None => *sighting = Some(Sighting { at, believed: false }),
                Some(s) if !s.believed => {
                    s.believed = true;
                    events.push(ClockEvent::FlagDown { side: player, at: s.at });
                }
                Some(_) => {}
            }
        }
    }

    /// What to show, if it cannot be foreseen from what was shown last: never a tick.
    pub fn changed_view(&mut self) -> Option<ClockView> {
        let view = self.view()?;
        let news = self.shown.is_none_or(|old| !foreseen(&old, &view));
        news.then(|| {
            self.shown = Some(view);
            view
        })
    }

    /// The clock as last read.
    pub fn view(&self) -> Option<ClockView> {
        let (at, reading) = self.last?;
        let [white, black] = self.by_player(&reading);
        let flag = |side| reading.side(side).flag != Flag::Up;
        Some(ClockView {
            white,
            black,
            running: self.running().filter(|_| self.connected),
            as_of: at.latest,
            uncertainty: at.uncertainty(),
            white_side: self.white_side,
            flags: [flag(self.white_side), flag(self.white_side.other())],
            connected: self.connected,
        })
    }
}

/// Who pressed last, where lever and turn bits say the same: one flipped bit makes no press.
fn presser(reading: &ClockReading) -> Option<ClockSide> {
    match (reading.lever, reading.turn) {
        (Lever::Pressed(side), Some(turn)) if turn == side.other() => Some(side),
        _ => None,
    }
}

/// A flag on a side with time left is none: the next period may have begun, or the reading
/// contradicts itself (dgt: flag bits).
fn is_down(side: SideReading) -> bool {
    side.flag != Flag::Up && side.remaining.is_zero()
}

/// From when on a change that this reading shows can have happened. A counting clock reports at
/// least each second; a longer silence means that reports were missed, and with them perhaps the
/// change.
fn since(earlier: Stamp, at: Stamp, counting: bool) -> Mono {
    let missed = counting && at.earliest.since(earlier.latest) > SILENCE;
    if missed { earlier.earliest } else { earlier.earliest.max(at.earliest) }
}

const fn index(c: Colour) -> usize {
    match c {
        Colour::White => 0,
        Colour::Black => 1,
    }
}

/// Whether `new` is what a watcher of `old` would compute for its moment.
fn foreseen(old: &ClockView, new: &ClockView) -> bool {
    let same = old.running == new.running && old.flags == new.flags && old.connected == new.connected;
    let passed = new.as_of.since(old.as_of);
    let expect = |time: Duration, side| {
        if old.running == Some(side) { time.saturating_sub(passed) } else { time }
    };
    same && expect(old.white, Colour::White).abs_diff(new.white) < JUMP
        && expect(old.black, Colour::Black).abs_diff(new.black) < JUMP
}

impl ClockView {
    /// A player's time at `now`, counted down from this view.
    pub fn remaining(&self, side: Colour, now: Mono) -> Duration {
        let time = match side {
            Colour::White => self.white,
            Colour::Black => self.black,
        };
        if self.running == Some(side) { time.saturating_sub(now.since(self.as_of)) } else { time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(left: u64, right: u64, pressed: ClockSide, counting: bool) -> ClockReport {
        let side = |s| SideReading { remaining: Duration::from_secs(s), flag: Flag::Up };
        ClockReport::Reading(ClockReading {
            left: side(left),
            right: side(right),
            counting,
            lever: Lever::Pressed(pressed),
            turn: None,
            battery_low: false,
        })
    }

    fn flagged(report: ClockReport) -> ClockReport {
        let ClockReport::Reading(mut r) = report else { return report };
        r.left = SideReading { remaining: Duration::ZERO, flag: Flag::Fallen };
        ClockReport::Reading(r)
    }

    fn at(t: u64) -> Stamp {
        Stamp::received(Mono::from_millis(t), Duration::from_millis(1000))
    }

    use ClockSide::{Left, Right};

    #[test]
    fn the_lever_tells_the_press_and_who_made_it() {
        let mut clock = ClockModel::new(Left);
        assert!(clock.report(at(1000), &reading(60, 60, Right, true)).is_empty());
        assert_eq!(clock.running(), Some(Colour::White));
        let events = clock.report(at(1800), &reading(59, 60, Left, true));
        let expected = Stamp { earliest: Mono::from_millis(800), latest: Mono::from_millis(1800) };
        assert_eq!(events, [ClockEvent::Pressed { by: Colour::White, at: expected, certain: true }]);
        assert_eq!(clock.running(), Some(Colour::Black));
    }

    #[test]
    fn a_lever_moved_on_a_stopped_clock_is_no_press() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &reading(60, 60, Right, false));
        assert!(clock.report(at(2000), &reading(60, 60, Left, false)).is_empty());
    }

    #[test]
    fn a_flag_needs_two_readings_and_a_clock_that_has_counted() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &reading(1, 60, Right, true));
        assert!(clock.report(at(2000), &flagged(reading(0, 60, Right, true))).is_empty());
        assert_eq!(clock.flag_down(Colour::White), None);
        let events = clock.report(at(3000), &flagged(reading(0, 60, Right, false)));
        assert!(events.iter().any(|e| matches!(e, ClockEvent::FlagDown { side: Colour::White, .. })));

        let mut fresh = ClockModel::new(Left);
        for t in 1..5 {
            assert!(fresh.report(at(t * 1000), &flagged(reading(0, 60, Right, false))).is_empty());
        }
    }

    #[test]
    fn a_flag_that_is_only_shown_may_belong_to_the_period_before() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &reading(1, 60, Right, true));
        for t in 2..5u64 {
            let ClockReport::Reading(mut r) = reading(1800, 60, Right, true) else { unreachable!() };
            r.left.flag = if t.is_multiple_of(2) { Flag::Shown } else { Flag::Fallen };
            assert!(clock.report(at(t * 1000), &ClockReport::Reading(r)).is_empty());
        }
    }

    #[test]
    fn a_press_that_is_seen_with_a_stop_is_not_certain() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &reading(60, 60, Right, true));
        let events = clock.report(at(1500), &reading(60, 60, Left, false));
        assert!(matches!(events.as_slice(), [ClockEvent::Pressed { certain: false, .. }]), "{events:?}");
        assert!(clock.counted_at(at(1400)) && !clock.counted_at(at(9000)));
    }

    #[test]
    fn one_damaged_reading_makes_no_flag() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &reading(30, 60, Right, true));
        clock.report(at(2000), &flagged(reading(29, 60, Right, true)));
        let after = clock.report(at(3000), &reading(28, 60, Right, true));
        assert!(after.is_empty());
        assert!(clock.report(at(4000), &flagged(reading(27, 60, Right, true))).is_empty(), "counted anew");
    }

    #[test]
    fn a_clock_that_just_counts_is_not_news() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &reading(60, 60, Right, true));
        assert!(clock.changed_view().is_some());
        for t in 2..30 {
            clock.report(at(t * 1000), &reading(61 - t, 60, Right, true));
            assert!(clock.changed_view().is_none(), "{t}");
        }
        clock.report(at(31_000), &reading(150, 60, Right, true));
        assert!(clock.changed_view().is_some(), "somebody set it");
    }

    #[test]
    fn nothing_is_concluded_across_an_interruption() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &reading(60, 60, Right, true));
        clock.forget();
        assert!(clock.report(at(61_000), &reading(60, 50, Left, true)).is_empty(), "no press was seen");
        clock.report(at(62_000), &ClockReport::Absent);
        assert!(clock.report(at(63_000), &reading(60, 48, Right, true)).is_empty());
    }

    #[test]
    fn after_missed_readings_a_press_may_be_older() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &reading(60, 60, Right, true));
        let events = clock.report(at(31_000), &reading(60, 50, Left, true));
        let expected = Stamp { earliest: Mono::ZERO, latest: Mono::from_millis(31_000) };
        assert_eq!(events, [ClockEvent::Pressed { by: Colour::White, at: expected, certain: true }]);
    }

    #[test]
    fn presses_that_only_the_boards_log_has_are_told_when_the_clock_is_seen_to_count() {
        let stopped = |side| ClockReport::SideStopped { side, remaining: Duration::from_secs(60) };
        for (counting, presses) in [(true, 2), (false, 0)] {
            let mut clock = ClockModel::new(Left);
            clock.report(at(1000), &reading(60, 60, Right, counting));
            assert!(clock.report(at(3000), &stopped(Left)).is_empty(), "whether it counts is not known yet");
            assert!(clock.report(at(3100), &stopped(Right)).is_empty());
            let events = clock.report(at(3200), &reading(59, 59, Right, counting));
            let by = |event: &ClockEvent| match event {
                ClockEvent::Pressed { by, certain: true, .. } => *by,
                other => panic!("{other:?}"),
            };
            let by: Vec<_> = events.iter().map(by).collect();
            assert_eq!(by, &[Colour::White, Colour::Black][..presses]);
        }
    }

    fn with_turn(report: ClockReport) -> ClockReading {
        let ClockReport::Reading(r) = report else { unreachable!() };
        let Lever::Pressed(side) = r.lever else { unreachable!() };
        ClockReading { turn: Some(side.other()), ..r }
    }

    #[test]
    fn a_press_and_its_answer_before_it_was_borne_out_complete_and_charge_nobody() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &ClockReport::Reading(with_turn(reading(60, 60, Right, true))));
        let seen = with_turn(reading(60, 60, Left, true));
        assert!(clock.report(at(1500), &ClockReport::Unsettled(seen)).is_empty());
        let back = with_turn(reading(59, 60, Right, true));
        let events = clock.report(at(1600), &ClockReport::Reading(back));
        let pressed = |by, at| ClockEvent::Pressed { by, at, certain: false };
        let answer = Stamp { earliest: at(1500).earliest, latest: at(1600).latest };
        assert_eq!(events, [pressed(Colour::White, at(1500)), pressed(Colour::Black, answer)]);
        assert!(clock.report(at(2600), &ClockReport::Reading(back)).is_empty(), "told once");
    }

    #[test]
    fn a_press_that_is_borne_out_is_certain_and_told_once() {
        let mut clock = ClockModel::new(Left);
        clock.report(at(1000), &ClockReport::Reading(with_turn(reading(60, 60, Right, true))));
        let seen = with_turn(reading(60, 60, Left, true));
        clock.report(at(1500), &ClockReport::Unsettled(seen));
        let events = clock.report(at(1500), &ClockReport::Reading(seen));
        assert!(matches!(events.as_slice(), [ClockEvent::Pressed { by: Colour::White, certain: true, .. }]));
        assert!(clock.report(at(1530), &ClockReport::Reading(seen)).is_empty());
    }

    #[test]
    fn a_lever_bit_alone_is_not_even_a_glimpse_of_a_press() {
        let mut clock = ClockModel::new(Left);
        let whole = with_turn(reading(60, 60, Right, true));
        clock.report(at(1000), &ClockReport::Reading(whole));
        let damaged = ClockReading { lever: Lever::Pressed(Left), ..whole };
        clock.report(at(1500), &ClockReport::Unsettled(damaged));
        assert!(clock.report(at(1600), &ClockReport::Reading(whole)).is_empty());
    }

    #[test]
    fn of_a_lever_moved_about_before_the_start_only_what_the_start_finds_may_be_a_press() {
        let stopped = |side| ClockReport::SideStopped { side, remaining: Duration::from_secs(60) };
        for (moves, presses) in [(&[Left, Right][..], 0), (&[Left, Right, Left], 1)] {
            let mut clock = ClockModel::new(Left);
            clock.report(at(1000), &reading(60, 60, Right, false));
            for side in moves {
                clock.report(at(3000), &stopped(*side));
            }
            let lever = *moves.last().unwrap();
            assert_eq!(clock.report(at(3200), &reading(60, 60, lever, true)).len(), presses);
        }
    }

    #[test]
    fn white_on_the_right_swaps_everything() {
        let mut clock = ClockModel::new(Right);
        clock.report(at(1000), &reading(50, 60, Right, true));
        assert_eq!(clock.times(), Some([Duration::from_secs(60), Duration::from_secs(50)]));
        assert_eq!(clock.running(), Some(Colour::Black));
    }
}
