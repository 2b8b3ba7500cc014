// SPDX-License-Identifier: GPL-3.0-or-later
//! Turns a driver's placements and square reports into lifts and places, as the players see
//! them, and says what has come to rest.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Occupant, Piece, Placement, Square, Stamp};

/// A square that changed, as the players see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// Which.
    pub square: Square,
    /// What stood there before.
    pub before: Occupant,
    /// What stands there now.
    pub after: Occupant,
    /// When, as far as the board lets us know.
    pub at: Stamp,
    /// When it was received.
    pub received: Mono,
    /// The fact that reported it.
    pub fact: u64,
    /// Whether the square read to and fro then: it is no proof that a hand was there.
    pub disturbed: bool,
    /// Whether it was not told when it happened, and a report of the whole board showed it later.
    pub missed: bool,
}

/// A square that reads to and fro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Disturbance {
    hardware: Square,
    fact: u64,
}

/// A square is calm again when it has read the same for a second, so that almost every disturbance
/// passes within this time. What it says is waited for so long, and then a person has to look.
const DISTURBANCE_PATIENCE: Duration = Duration::from_secs(5);

/// What a report amounts to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SensorEvent {
    /// The piece left its square.
    Lifted {
        /// Which square.
        square: Square,
        /// Which piece.
        piece: Piece,
        /// When.
        at: Stamp,
    },
    /// The piece appeared on the square.
    Placed {
        /// Which square.
        square: Square,
        /// Which piece.
        piece: Piece,
        /// When.
        at: Stamp,
    },
}

/// A board's squares over time.
///
/// The history reaches back to the last completed position ([`Sensor::settle`]) and is what
/// the laws look at: which pieces were lifted, in which order, and what stood when.
#[derive(Clone, Debug)]
pub struct Sensor {
    turned: Option<bool>,
    now: Option<Placement>,
    base: Placement,
    /// Whether the base is what a board showed first that was not in sight before, and not what was expected then.
    came_unseen: bool,
    history: Vec<Change>,
    last_whole: Option<Mono>,
    last_change: Option<Mono>,
    disturbances: Vec<Disturbance>,
    /// Hardware squares for which a person was called, since no square was disturbed last.
    called: Vec<Square>,
    /// Since when without a break at least one of the others has been disturbed.
    unsettled: Option<Mono>,
    /// When bytes came last that were no valid frame.
    noise: Option<Mono>,
    /// A report of the whole board that is confirmed shows what stands.
    borne_out: bool,
    /// The last report of the whole board showed something else, and has to be confirmed.
    contradicted: bool,
    dwell: Duration,
    rested: bool,
}

/// A line that has told nonsense within this time may tell a false square as well: the frames of a single DGT
/// board carry no check.
const NOISY_FOR: Duration = Duration::from_secs(600);

/// Nonsense this long before a frame may be the beginning of what made that frame false.
const NOISE_AROUND: Duration = Duration::from_secs(5);

/// More changes than any hand makes between two presses: older ones are folded into the base,
/// so that a defective board cannot fill the memory.
const HISTORY_LIMIT: usize = 4096;

impl Sensor {
    /// A sensor that calls a placement rested after `dwell` without a change. `turned`: whether
    /// the hardware's a1 is h8, if known.
    pub const fn new(turned: Option<bool>, dwell: Duration) -> Self {
        Self {
            turned,
            now: None,
            base: Placement::EMPTY,
            came_unseen: false,
            history: Vec::new(),
            last_whole: None,
            last_change: None,
            disturbances: Vec::new(),
            called: Vec::new(),
            unsettled: None,
            noise: None,
            borne_out: false,
            contradicted: false,
            dwell,
            rested: true,
        }
    }

    /// Whether the board stands turned round, once known.
    pub const fn turned(&self) -> Option<bool> {
        self.turned
    }

    /// What stands now, as the players see it; `None` before the first whole report.
    pub const fn placement(&self) -> Option<&Placement> {
        self.now.as_ref()
    }

    /// Up to when everything is in the last report of the whole board, however late that came: a
    /// change that got lost on the way shows in it.
    pub const fn last_whole(&self) -> Option<Mono> {
        self.last_whole
    }

    /// What stood when the last position was settled.
    pub const fn base(&self) -> &Placement {
        &self.base
    }

    /// Whether it came to stand so before nobody's eyes: the board showed it first when it was in sight again, and
    /// something else had been expected.
    pub const fn came_unseen(&self) -> bool {
        self.came_unseen
    }

    /// The changes since then, oldest first.
    pub fn history(&self) -> &[Change] {
        &self.history
    }

    /// Whether one of a player's pieces was put down since then on a square on which it does not stand in `settled`.
    pub fn has_put_down(&self, by: Colour, settled: &Placement) -> bool {
        self.history.iter().any(|c| c.after.is_of(by) && settled[c.square] != c.after)
    }

    /// What stood after the first `count` changes of the history.
    pub fn placement_after(&self, count: usize) -> Placement {
        let mut placement = self.base;
        for change in self.history.iter().take(count) {
            placement[change.square] = change.after;
        }
        placement
    }

    /// A whole board in hardware squares. The first one after the start or after
    /// [`Sensor::forget`] invents no events, nor does the one that shows that the board stands
    /// turned round.
    pub fn whole(
        &mut self,
        received: Mono,
        at: Stamp,
        hardware: &Placement,
        expected: &Placement,
        fact: u64,
    ) -> Vec<SensorEvent> {
        let seen_whole = self.last_whole;
        self.last_whole = self.last_whole.max(Some(at.earliest));
        self.contradicted = false;
        let recognised = self.turned.is_none() && self.recognise(hardware, expected);
        let placement = if self.turned == Some(true) { hardware.rotated() } else { *hardware };
        let Some(before) = self.now.filter(|_| !recognised) else {
            self.now = Some(placement);
            self.base = placement;
            self.came_unseen = placement != *expected;
            self.history.clear();
            self.last_change = Some(received);
            self.rested = false;
            return Vec::new();
        };
        // What differs was missed: it happened at some time since the board was seen whole. The report of a
        // square says nothing of the others.
        let since = seen_whole.map_or(at.earliest, |last| last.min(at.earliest));
        let missed = Stamp { earliest: since, latest: at.latest };
        let mut events = Vec::new();
        for square in before.differences(&placement).collect::<Vec<_>>() {
            self.change(received, missed, square, placement[square], fact, &mut events);
            if let Some(change) = self.history.last_mut() {
                change.missed = true;
            }
        }
        events
    }

    /// Finds out how the board stands, once what stands on it is what is expected; true if it
    /// turns out to be turned. A board that shows something else says nothing about it.
    fn recognise(&mut self, hardware: &Placement, expected: &Placement) -> bool {
        if hardware == expected {
            self.turned = Some(false);
        } else if hardware.rotated() == *expected {
            self.turned = Some(true);
        }
        self.turned == Some(true)
    }

    /// Finds out how the board stands from what stands on it already, now that something else is expected;
    /// true if it turns out to be turned.
    pub fn recognise_standing(&mut self, expected: &Placement) -> bool {
        let Some(now) = self.now.filter(|_| self.turned.is_none()) else { return false };
        let turned = self.recognise(&now, expected);
        if turned {
            self.look_from(now.rotated());
        }
        turned
    }

    /// A person says how the board stands; true if it was taken to stand the other way round.
    pub fn stand(&mut self, turned: bool) -> bool {
        let other = (self.turned == Some(true)) != turned;
        self.turned = Some(turned);
        if let Some(now) = self.now.filter(|_| other) {
            self.look_from(now.rotated());
        }
        other
    }

    /// What was seen until now was seen from the wrong side.
    fn look_from(&mut self, placement: Placement) {
        self.now = Some(placement);
        self.base = placement;
        self.history.clear();
    }

    /// One square in hardware numbering. Ignored before the first whole report.
    pub fn square(
        &mut self,
        received: Mono,
        at: Stamp,
        hardware: Square,
        occupant: Occupant,
        fact: u64,
    ) -> Vec<SensorEvent> {
        let mut events = Vec::new();
        if self.now.is_none() {
            return events;
        }
        let square = self.seen_by_players(hardware);
        self.change(received, at, square, occupant, fact, &mut events);
        events
    }

    fn change(
        &mut self,
        received: Mono,
        at: Stamp,
        square: Square,
        after: Occupant,
        fact: u64,
        events: &mut Vec<SensorEvent>,
    ) {
        let disturbed = self.disturbed().any(|disturbed| disturbed == square);
        let Some(now) = &mut self.now else { return };
        let before = now[square];
        if before == after {
            return;
        }
        now[square] = after;
        self.history.push(Change { square, before, after, at, received, fact, disturbed, missed: false });
        if self.history.len() > HISTORY_LIMIT {
            let oldest = self.history.remove(0);
            self.base[oldest.square] = oldest.after;
        }
        self.last_change = Some(received);
        self.rested = false;
        self.borne_out = false;
        // A piece that is replaced without an empty square between was lifted all the same.
        if let Some(piece) = before.piece() {
            events.push(SensorEvent::Lifted { square, piece, at });
        }
        if let Some(piece) = after.piece() {
            events.push(SensorEvent::Placed { square, piece, at });
        }
    }

    /// Bytes came that were no valid frame.
    pub const fn hear_noise(&mut self, received: Mono) {
        self.noise = Some(received);
    }

    /// Whether bytes that were no valid frame came after `since` or shortly before.
    pub fn heard_noise_since(&self, since: Mono) -> bool {
        self.noise.is_some_and(|heard| heard.after(NOISE_AROUND) >= since)
    }

    /// The last report of the whole board is confirmed.
    pub const fn bear_out(&mut self) {
        self.borne_out = true;
    }

    /// Whether it shows what stands.
    pub const fn is_borne_out(&self) -> bool {
        self.borne_out
    }

    /// A report of the whole board shows something else, and is not confirmed.
    pub const fn contradict(&mut self) {
        self.contradicted = true;
    }

    /// Whether the last report of the whole board shows something else, and is not confirmed.
    pub const fn is_contradicted(&self) -> bool {
        self.contradicted
    }

    /// Whether what stands may be a false report: a report of the whole board shows something else, or the line
    /// has told nonsense of late and no confirmed report of the whole board shows it.
    pub fn is_unproven(&self, now: Mono) -> bool {
        self.contradicted || (self.is_noisy(now) && !self.borne_out)
    }

    /// Whether the line has told nonsense of late.
    pub fn is_noisy(&self, now: Mono) -> bool {
        self.noise.is_some_and(|heard| now.since(heard) < NOISY_FOR)
    }

    /// When what stands now will have rested, unless something changes.
    pub fn rest_due(&self) -> Option<Mono> {
        if self.rested { None } else { self.last_change.map(|t| t.after(self.dwell)) }
    }

    /// Marks what stands as rested; true if that is news.
    pub fn rest(&mut self, now: Mono) -> bool {
        if self.rest_due().is_some_and(|due| due <= now) {
            self.rested = true;
            return true;
        }
        false
    }

    /// Whether what stands has rested.
    pub const fn rested(&self) -> bool {
        self.rested
    }

    /// The position after the first `count` changes is settled: the history begins anew there.
    /// Returns the changes that led to it. If it is that of the `record`, it does not matter how it came about.
    pub fn settle(&mut self, count: usize, record: &Placement) -> Vec<Change> {
        self.base = self.placement_after(count);
        self.came_unseen &= self.base != *record;
        let rest = self.history.split_off(count.min(self.history.len()));
        std::mem::replace(&mut self.history, rest)
    }

    /// Observation was interrupted: the next whole report is taken as it is.
    pub fn forget(&mut self) {
        self.now = None;
        self.history.clear();
        self.last_whole = None;
        self.borne_out = false;
        self.contradicted = false;
        self.disturbances.clear();
        self.called.clear();
        self.unsettled = None;
    }

    /// A hardware square reads to and fro since a moment in `at`: what it has told since then proves
    /// nothing either.
    pub fn disturb(&mut self, received: Mono, at: Stamp, hardware: Square, fact: u64) {
        if self.disturbances.iter().any(|d| d.hardware == hardware) {
            return;
        }
        self.disturbances.push(Disturbance { hardware, fact });
        if !self.called.contains(&hardware) {
            self.unsettled.get_or_insert(received);
        }
        let square = self.seen_by_players(hardware);
        for change in self.history.iter_mut().filter(|c| c.square == square && c.at.latest >= at.earliest) {
            change.disturbed = true;
        }
    }

    /// A hardware square reads steadily again; true if it did not.
    pub fn calm(&mut self, hardware: Square) -> bool {
        let before = self.disturbances.len();
        self.disturbances.retain(|d| d.hardware != hardware);
        if self.disturbances.is_empty() {
            self.called.clear();
        }
        self.unsettled = self.unsettled.filter(|_| self.uncalled().next().is_some());
        self.disturbances.len() < before
    }

    /// The squares that read to and fro, as the players see them.
    pub fn disturbed(&self) -> impl Iterator<Item = Square> + '_ {
        self.disturbances.iter().map(|d| self.seen_by_players(d.hardware))
    }

    fn uncalled(&self) -> impl Iterator<Item = &Disturbance> {
        self.disturbances.iter().filter(|d| !self.called.contains(&d.hardware))
    }

    /// Until when what disturbed squares say is waited for, if one is disturbed. Then a person is called,
    /// and those squares are not waited for again: however many there are and take turns, it ends.
    pub fn settles_by(&self) -> Option<Mono> {
        self.unsettled.map(|since| since.after(DISTURBANCE_PATIENCE))
    }

    /// The disturbed squares for which a person has to be called, with the facts that show it.
    pub fn call_for(&mut self, now: Mono) -> Vec<(Square, u64)> {
        if self.settles_by().is_none_or(|due| due > now) {
            return Vec::new();
        }
        self.unsettled = None;
        let found: Vec<_> = self.uncalled().copied().collect();
        self.called.extend(found.iter().map(|d| d.hardware));
        found.iter().map(|d| (self.seen_by_players(d.hardware), d.fact)).collect()
    }

    /// A hardware square as the players see it, and the other way round.
    pub const fn seen_by_players(&self, hardware: Square) -> Square {
        if matches!(self.turned, Some(true)) { hardware.rotated() } else { hardware }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    fn ms(t: u64) -> Mono {
        Mono::from_millis(t)
    }

    fn at(t: u64) -> Stamp {
        Stamp::received(ms(t), Duration::from_millis(400))
    }

    fn sq(name: &str) -> Square {
        name.parse().unwrap()
    }

    fn occupant(c: char) -> Occupant {
        Occupant::from_letter(c).unwrap()
    }

    fn started() -> Sensor {
        let start: Placement = START.parse().unwrap();
        let mut sensor = Sensor::new(None, Duration::from_millis(400));
        assert!(sensor.whole(ms(0), at(0), &start, &start, 1).is_empty());
        sensor
    }

    #[test]
    fn a_move_is_a_lift_and_a_place_and_rests_after_the_dwell() {
        let mut sensor = started();
        let lift = sensor.square(ms(1000), at(1000), sq("e2"), Occupant::Empty, 2);
        assert!(matches!(lift.as_slice(), [SensorEvent::Lifted { .. }]));
        let place = sensor.square(ms(1300), at(1300), sq("e4"), occupant('P'), 3);
        assert!(matches!(place.as_slice(), [SensorEvent::Placed { .. }]));
        assert_eq!(sensor.rest_due(), Some(ms(1700)));
        assert!(!sensor.rest(ms(1699)));
        assert!(sensor.rest(ms(1700)));
        assert!(!sensor.rest(ms(1800)), "only once");
    }

    #[test]
    fn a_capture_by_replacement_lifts_the_victim() {
        let mut sensor = started();
        let events = sensor.square(ms(10), at(10), sq("e7"), occupant('Q'), 2);
        assert!(matches!(
            events.as_slice(),
            [
                SensorEvent::Lifted { piece: Piece { colour: arbiterd_board::Colour::Black, .. }, .. },
                SensorEvent::Placed { .. }
            ]
        ));
    }

    #[test]
    fn equal_reports_are_no_change() {
        let mut sensor = started();
        assert!(sensor.square(ms(10), at(10), sq("e2"), occupant('P'), 2).is_empty());
        assert!(sensor.history().is_empty());
    }

    #[test]
    fn a_missed_change_may_have_happened_at_any_time_since_the_last_report() {
        let mut sensor = started();
        let now: Placement = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR".parse().unwrap();
        let events = sensor.whole(ms(9000), at(9000), &now, &now, 2);
        let [SensorEvent::Lifted { at: lifted, .. }, SensorEvent::Placed { .. }] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(*lifted, Stamp { earliest: Mono::ZERO, latest: ms(9000) });
    }

    #[test]
    fn a_turned_board_is_recognised_by_the_expected_placement() {
        let start: Placement = START.parse().unwrap();
        let mut sensor = Sensor::new(None, Duration::from_millis(400));
        sensor.whole(ms(0), at(0), &start.rotated(), &start, 1);
        assert_eq!(sensor.turned(), Some(true));
        assert_eq!(sensor.placement(), Some(&start));
        sensor.square(ms(10), at(10), sq("d7"), Occupant::Empty, 2);
        assert_eq!(sensor.placement().unwrap()[sq("e2")], Occupant::Empty);
    }

    #[test]
    fn a_turned_board_is_recognised_also_when_it_was_set_up_later() {
        let start: Placement = START.parse().unwrap();
        let mut sensor = Sensor::new(None, Duration::from_millis(400));
        sensor.whole(ms(0), at(0), &Placement::EMPTY, &start, 1);
        assert_eq!(sensor.turned(), None);
        assert!(sensor.whole(ms(9000), at(9000), &start.rotated(), &start, 2).is_empty());
        assert_eq!(sensor.turned(), Some(true));
        assert_eq!(sensor.placement(), Some(&start));
    }

    #[test]
    fn settling_splits_the_history() {
        let mut sensor = started();
        sensor.square(ms(10), at(10), sq("e2"), Occupant::Empty, 2);
        sensor.square(ms(20), at(20), sq("e4"), occupant('P'), 3);
        sensor.square(ms(30), at(30), sq("b8"), Occupant::Empty, 4);
        let done = sensor.settle(2, &Placement::EMPTY);
        assert_eq!(done.iter().map(|c| c.fact).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(sensor.history().iter().map(|c| c.fact).collect::<Vec<_>>(), [4]);
        assert_eq!(sensor.base()[sq("e4")], occupant('P'));
        assert_eq!(sensor.placement_after(1)[sq("b8")], Occupant::Empty);
    }

    #[test]
    fn a_chattering_square_cannot_fill_the_memory() {
        let mut sensor = started();
        for t in 0..10_000 {
            let o = if t % 2 == 0 { Occupant::Empty } else { occupant('P') };
            sensor.square(ms(t), at(t), sq("e2"), o, t);
        }
        assert_eq!(sensor.history().len(), HISTORY_LIMIT);
        let end = sensor.placement_after(usize::MAX);
        assert_eq!(Some(&end), sensor.placement());
    }
}
