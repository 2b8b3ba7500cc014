// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board in single-board mode with a clock, and hands that move its pieces.
//!
//! It shares the wire tables and the encoder with the rest of the crate, but nothing with the
//! driver: so each checks the other. It has no input or output of its own. After each call
//! drain [`Simulator::poll_transmit`], then wait for bytes of the host or for
//! [`Simulator::poll_timeout`].
//!
//! What the hands do is noticed only at the next scan, and the changes of one scan are told in
//! the order of the raw square numbers, not in the order in which they were made (topic:
//! timing). Everything that is due before a call is done first, at its own time, so late calls
//! change nothing.

mod clock;
mod host;

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{ClockSide, Mono, Occupant, Piece, Placement, Square, Version};

pub use self::clock::{ClockOptions, ClockTimes};

use self::clock::SimulatedClock;
use self::host::{HostParser, HostWord};
use crate::clock::{ClockAck, ClockMessage};
use crate::message::{BatteryStatus, Message};
use crate::wire::{self, Command, clock_code};

/// What the simulated board is.
#[derive(Clone, Debug)]
pub struct Options {
    /// The text it gives for its trade mark: its own, never a maker's.
    pub trade_mark: String,
    /// The short serial number; its last five digits are used, and as a 14-bit number they are
    /// the bus address.
    pub serial: u32,
    /// The long serial number, its last ten digits; `None` for an old board, which does not
    /// answer the question.
    pub long_serial: Option<u64>,
    /// The firmware version.
    pub version: Version,
    /// The battery; `None` for a board that has none and does not answer the question.
    pub battery: Option<BatteryStatus>,
    /// From one scan of all squares to the next; at least a millisecond.
    pub scan_period: Duration,
    /// The clock in its port, if there is one.
    pub clock: Option<ClockOptions>,
    /// What stands on the board when it is switched on.
    pub placement: Placement,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            trade_mark: "arbiterd simulator".to_owned(),
            serial: 1,
            long_serial: Some(1),
            version: Version { main: 1, sub: 0 },
            battery: None,
            // A wired board; Bluetooth boards take twice as long (topic: timing).
            scan_period: Duration::from_millis(250),
            clock: Some(ClockOptions::default()),
            placement: Placement::EMPTY,
        }
    }
}

/// What the board sends by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Idle,
    Update,
    UpdateBoard,
    UpdateNice,
}

impl Mode {
    const fn sends_squares(self) -> bool {
        !matches!(self, Self::Idle)
    }

    /// Also whether the clock's answers get through.
    const fn sends_clock(self) -> bool {
        matches!(self, Self::Update | Self::UpdateNice)
    }
}

/// The full update mode sends the clock at least so often.
const CLOCK_PERIOD: Duration = Duration::from_secs(1);

/// A simulated board.
#[derive(Clone, Debug)]
pub struct Simulator {
    options: Options,
    started: Mono,
    now: Mono,
    mode: Mode,
    /// What really stands on the board.
    actual: Placement,
    /// What the last scan saw.
    seen: Placement,
    clock: Option<SimulatedClock>,
    clock_sent: Mono,
    host: HostParser,
    transmit: VecDeque<Vec<u8>>,
}

impl Simulator {
    /// A board that is switched on at `now`, idle in single-board mode.
    #[must_use]
    pub fn new(now: Mono, mut options: Options) -> Self {
        options.scan_period = options.scan_period.max(Duration::from_millis(1));
        let clock = options.clock.map(|clock| SimulatedClock::new(now, clock));
        let placement = options.placement;
        Self {
            options,
            started: now,
            now,
            mode: Mode::Idle,
            actual: placement,
            seen: placement,
            clock,
            clock_sent: now,
            host: HostParser::default(),
            transmit: VecDeque::new(),
        }
    }

    // ----- the line -----------------------------------------------------------------------

    /// Bytes of the host arrive. Unknown ones are ignored.
    pub fn receive(&mut self, now: Mono, bytes: &[u8]) {
        self.advance(now);
        for &byte in bytes {
            if let Some(word) = self.host.push(byte) {
                self.obey(word);
            }
        }
    }

    /// The next message to the host.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.transmit.pop_front()
    }

    /// When [`Simulator::handle_timeout`] wants to be called, if at all.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Mono> {
        [self.next_scan(), self.next_tick(), self.next_period()].into_iter().flatten().min()
    }

    /// The moment that [`Simulator::poll_timeout`] named has come.
    pub fn handle_timeout(&mut self, now: Mono) {
        self.advance(now);
    }

    // ----- hands --------------------------------------------------------------------------

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
        core::mem::replace(&mut self.actual[square], occupant)
    }

    // ----- the clock ----------------------------------------------------------------------

    /// The player on this side presses.
    pub fn press(&mut self, now: Mono, side: ClockSide) {
        self.handle_clock(now, |clock| clock.press(side));
    }

    /// The clock is stopped by its start/stop button.
    pub fn stop(&mut self, now: Mono) {
        self.handle_clock(now, SimulatedClock::stop);
    }

    /// The clock is started by its start/stop button; the side that is high runs.
    pub fn start(&mut self, now: Mono) {
        self.handle_clock(now, SimulatedClock::start);
    }

    /// Somebody sets both times by hand, which also clears a flag where there is time again.
    pub fn set_times(&mut self, now: Mono, left: Duration, right: Duration) {
        self.handle_clock(now, |clock| clock.set_times(left, right));
    }

    /// Both times as exactly as the clock knows them; `None` without a clock.
    pub fn times(&mut self, now: Mono) -> Option<ClockTimes> {
        self.advance(now);
        self.clock.as_ref().map(SimulatedClock::times)
    }

    fn handle_clock(&mut self, now: Mono, action: impl FnOnce(&mut SimulatedClock)) {
        self.advance(now);
        let before = self.clock_message();
        if let Some(clock) = &mut self.clock {
            action(clock);
        }
        if self.clock_message() != before {
            self.clock_changed();
        }
    }

    // ----- time ---------------------------------------------------------------------------

    /// Does everything that is due up to `now`, each at its own time.
    fn advance(&mut self, now: Mono) {
        while let Some(due) = self.poll_timeout().filter(|due| *due <= now) {
            self.move_to(due);
            if self.is_scan_time() {
                self.scan();
            }
            if self.next_period().is_some_and(|at| at <= due) {
                self.send_clock();
            }
        }
        self.move_to(now);
    }

    /// Lets time pass up to `at`, which is no later than the next thing that is due.
    fn move_to(&mut self, at: Mono) {
        self.now = self.now.max(at);
        let before = self.clock_message();
        if let Some(clock) = &mut self.clock {
            clock.run_to(self.now);
        }
        if self.clock_message() != before {
            self.clock_changed();
        }
    }

    /// The next scan that will notice something. Scans that see no change tell nothing.
    fn next_scan(&self) -> Option<Mono> {
        if self.actual == self.seen {
            return None;
        }
        let period = self.scan_micros();
        let done = micros(self.now.since(self.started)) / period;
        let next = Duration::from_micros(done.saturating_add(1).saturating_mul(period));
        Some(self.started.after(next))
    }

    fn is_scan_time(&self) -> bool {
        micros(self.now.since(self.started)).is_multiple_of(self.scan_micros())
    }

    fn scan_micros(&self) -> u64 {
        micros(self.options.scan_period).max(1)
    }

    fn scan(&mut self) {
        for square in wire::raw_order() {
            let occupant = self.actual[square];
            if self.seen[square] != occupant {
                self.seen[square] = occupant;
                if self.mode.sends_squares() {
                    self.send(&Message::Square { square, occupant });
                }
            }
        }
    }

    fn next_tick(&self) -> Option<Mono> {
        self.clock.as_ref().and_then(SimulatedClock::next_change)
    }

    fn next_period(&self) -> Option<Mono> {
        (self.mode == Mode::Update).then(|| self.clock_sent.after(CLOCK_PERIOD))
    }

    // ----- what is said -------------------------------------------------------------------

    fn obey(&mut self, word: HostWord) {
        match word {
            HostWord::Command(command) => self.obey_command(command),
            HostWord::Clock(code) => self.obey_clock(code),
        }
    }

    fn obey_command(&mut self, command: Command) {
        match command {
            Command::Reset => self.mode = Mode::Idle,
            Command::Update => {
                self.mode = Mode::Update;
                self.send_clock();
            }
            Command::UpdateBoard => self.mode = Mode::UpdateBoard,
            Command::UpdateNice => self.mode = Mode::UpdateNice,
            Command::SendClock => self.send_clock(),
            Command::SendBoard => self.send(&Message::Board(self.seen)),
            Command::ReturnSerial => self.send(&Message::Serial(self.serial_digits())),
            Command::ReturnBusAddress => self.send(&Message::BusAddress(self.bus_address())),
            Command::SendTradeMark => self.send(&Message::TradeMark(self.options.trade_mark.clone())),
            Command::SendVersion => self.send(&Message::Version(self.options.version)),
            Command::SendBattery => {
                if let Some(status) = self.options.battery {
                    self.send(&Message::Battery(status));
                }
            }
            Command::ReturnLongSerial => {
                if let Some(serial) = self.options.long_serial {
                    self.send(&Message::LongSerial(format!("{serial:010}")));
                }
            }
            // A board of another kind, or a word of its own.
            Command::Clock(_)
            | Command::Lights(_)
            | Command::SendLog
            | Command::ToBusMode
            | Command::SendDraughtsBlack
            | Command::SendDraughtsWhite => {}
        }
    }

    /// The clock hears every command, but its answer gets through only in a mode that sends the
    /// clock (topic: clock answers).
    fn obey_clock(&mut self, code: u8) {
        let Some(clock) = &self.clock else { return };
        let answer = match code {
            clock_code::VERSION => ClockAck::version(clock.version()),
            // A normal option of the tournament: the clock runs itself and may not be set.
            clock_code::SET_AND_RUN => ClockAck::refused(code),
            clock_code::DISPLAY
            | clock_code::ICONS
            | clock_code::END
            | clock_code::BUTTON
            | clock_code::BEEP
            | clock_code::TEXT => ClockAck::good(code),
            _ => return,
        };
        if self.mode.sends_clock() {
            self.send(&Message::Clock(ClockMessage::Ack(answer)));
        }
    }

    fn clock_changed(&mut self) {
        if self.mode.sends_clock() {
            self.send_clock();
        }
    }

    fn send_clock(&mut self) {
        self.clock_sent = self.now;
        self.send(&Message::Clock(self.clock_message()));
    }

    fn clock_message(&self) -> ClockMessage {
        self.clock.as_ref().map_or(ClockMessage::NoClock, |c| ClockMessage::Times(c.shown()))
    }

    fn send(&mut self, message: &Message) {
        self.transmit.push_back(crate::encode(message));
    }

    fn serial_digits(&self) -> String {
        format!("{:05}", self.options.serial % 100_000)
    }

    fn bus_address(&self) -> u16 {
        u16::try_from((self.options.serial % 100_000) & 0x3fff).unwrap_or(0)
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
