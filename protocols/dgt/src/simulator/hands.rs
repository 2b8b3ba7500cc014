// SPDX-License-Identifier: MIT OR Apache-2.0
//! What people do at the board and at its clock, and how the board hears of the clock.

use core::time::Duration;

use arbiterd_board::{ClockButton as Button, ClockSide, Lever, Mono, Occupant, Piece, Placement, Square};

use super::clock::SimulatedClock;
use super::{ClockDisplay, ClockTimes, Control, Simulator};
use crate::clock::{ClockAck, ClockMessage};
use crate::message::Message;

/// The buttons from left to right: their bits among those that are held, and their codes (topic:
/// clock answers).
const BUTTONS: [(Button, u8, u8); 5] = [
    (Button::Back, 0x04, 0x31),
    (Button::Minus, 0x20, 0x34),
    (Button::Run, 0x10, 0x33),
    (Button::Plus, 0x08, 0x32),
    (Button::Ok, 0x40, 0x35),
];

/// The event of a button, and the bit that is always set among those that are held.
const EVENT_BUTTON: u8 = 0x88;
const HELD: u8 = 0x01;

impl Simulator {
    // ----- pieces -------------------------------------------------------------------------

    /// Takes what stands on a square into the hand.
    pub fn lift(&mut self, now: Mono, square: Square) -> Occupant {
        self.put(now, square, Occupant::Empty)
    }

    /// Puts a piece on a square. What stood there is gone, without the square ever having been
    /// empty: a capture by replacement.
    pub fn place(&mut self, now: Mono, square: Square, piece: Piece) {
        self.put(now, square, Occupant::Piece(piece));
    }

    /// Takes a piece off the board for good; to the board the same as [`Simulator::lift`].
    pub fn remove(&mut self, now: Mono, square: Square) {
        self.put(now, square, Occupant::Empty);
    }

    /// Exchanges what stands on a square, such as a pawn for a queen or a result token, and
    /// returns what stood there.
    pub fn replace(&mut self, now: Mono, square: Square, occupant: Occupant) -> Occupant {
        self.put(now, square, occupant)
    }

    /// What really stands on the board, whether or not a scan has seen it.
    #[must_use]
    pub const fn placement(&self) -> &Placement {
        &self.actual
    }

    fn put(&mut self, now: Mono, square: Square, occupant: Occupant) -> Occupant {
        self.advance(now);
        self.unseen = true;
        core::mem::replace(&mut self.actual[square], occupant)
    }

    // ----- the clock ----------------------------------------------------------------------

    /// The player on this side presses.
    pub fn press(&mut self, now: Mono, side: ClockSide) {
        self.handle_clock(now, |clock, stuck| {
            if !stuck {
                clock.press(side);
            }
        });
    }

    /// The clock is stopped by its start/stop button. In the option for control by a computer
    /// the button stops nothing, and the host is told of it.
    pub fn stop(&mut self, now: Mono) {
        self.press_start_stop(now, SimulatedClock::stop);
    }

    /// The clock is started by its start/stop button; the side that is high runs. In the option
    /// for control by a computer the button starts nothing, and the host is told of it.
    pub fn start(&mut self, now: Mono) {
        self.press_start_stop(now, SimulatedClock::start);
    }

    fn press_start_stop(&mut self, now: Mono, action: impl FnOnce(&mut SimulatedClock)) {
        let control = self.clock.as_ref().map(|clock| clock.options().control);
        match control {
            Some(Control::Computer) => self.press_buttons(now, &[Button::Run]),
            _ => self.handle_clock(now, |clock, _| action(clock)),
        }
    }

    /// Somebody holds these buttons of the clock. The host is told, in a mode that passes the
    /// clock's answers on.
    pub fn press_buttons(&mut self, now: Mono, buttons: &[Button]) {
        self.advance(now);
        let held = || BUTTONS.iter().filter(|(button, ..)| buttons.contains(button));
        let Some((.., detail)) = held().next_back() else { return };
        let value = held().fold(HELD, |sum, (_, bit, _)| sum | bit);
        if self.clock_can_talk() {
            self.tell(ClockAck { status: ClockAck::GOOD, subject: EVENT_BUTTON, value, detail: *detail });
        }
    }

    /// Somebody sets both times by hand, which also clears a flag where there is time again.
    pub fn set_times(&mut self, now: Mono, left: Duration, right: Duration) {
        self.handle_clock(now, |clock, _| clock.set_times(left, right));
    }

    /// Both times as exactly as the clock knows them; `None` without a clock.
    pub fn times(&mut self, now: Mono) -> Option<ClockTimes> {
        self.advance(now);
        self.clock.as_ref().map(SimulatedClock::times)
    }

    /// What the clock shows besides its times, and how often it has beeped.
    #[must_use]
    pub fn display(&self) -> Option<&ClockDisplay> {
        self.clock.as_ref().map(SimulatedClock::display)
    }

    pub(super) fn handle_clock(&mut self, now: Mono, action: impl FnOnce(&mut SimulatedClock, bool)) {
        self.advance(now);
        let stuck = self.lever_is_stuck;
        if let Some(clock) = &mut self.clock {
            action(clock, stuck);
        }
        self.clock_moved();
    }

    // ----- how the board hears of the clock -----------------------------------------------

    /// What the clock would tell if it were asked now.
    pub(super) fn clock_now(&self) -> ClockMessage {
        let clock = self.clock.as_ref().filter(|_| !self.clock_is_out);
        clock.map_or(ClockMessage::NoClock, |clock| ClockMessage::Times(clock.shown()))
    }

    pub(super) fn next_tick(&self) -> Option<Mono> {
        self.clock.as_ref().and_then(SimulatedClock::next_change)
    }

    /// The next look that will notice something; a board that notices at once needs none.
    pub(super) fn next_look_at_clock(&self) -> Option<Mono> {
        let period = self.options.clock_poll;
        let waits = !period.is_zero() && self.clock_now() != self.clock_heard;
        waits.then(|| self.next_multiple(period))
    }

    pub(super) fn is_time_to_look_at_clock(&self) -> bool {
        let period = self.options.clock_poll;
        !period.is_zero() && self.is_multiple(period)
    }

    /// Something may have changed at the clock.
    pub(super) fn clock_moved(&mut self) {
        if self.options.clock_poll.is_zero() {
            self.look_at_clock();
        }
    }

    pub(super) fn look_at_clock(&mut self) {
        let news = self.clock_now();
        if self.is_paused() || news == self.clock_heard {
            return;
        }
        let before = core::mem::replace(&mut self.clock_heard, news);
        self.note_lever(&before);
        if self.mode.sends_clock() {
            self.send_clock();
        }
    }

    fn is_paused(&self) -> bool {
        self.condition != super::Condition::Working || self.pause.is_some()
    }

    /// A turn of the lever is written down with the time of the side that stopped.
    fn note_lever(&mut self, before: &ClockMessage) {
        let (ClockMessage::Times(before), ClockMessage::Times(after)) = (before, &self.clock_heard) else {
            return;
        };
        let reading = after.reading;
        if let Lever::Pressed(side) = reading.lever
            && before.reading.lever != reading.lever
        {
            let stopped = match side {
                ClockSide::Left => reading.left,
                ClockSide::Right => reading.right,
            };
            self.memory.lever(self.now, side, stopped.remaining);
        }
    }

    pub(super) fn send_clock(&mut self) {
        self.clock_sent = self.now;
        let message = match self.last_answer {
            Some((until, answer)) if self.now < until => ClockMessage::Ack(answer),
            _ => self.clock_heard,
        };
        self.send(&Message::Clock(message));
    }

    pub(super) fn clock_can_talk(&self) -> bool {
        !self.clock_is_out && !self.is_paused() && self.clock.as_ref().is_some_and(|c| c.options().answers)
    }

    /// An answer or an event of the clock gets through only in a mode that sends the clock
    /// (topic: clock answers).
    pub(super) fn tell(&mut self, answer: ClockAck) {
        if self.mode.sends_clock() {
            self.send(&Message::Clock(ClockMessage::Ack(answer)));
        }
    }
}
