// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boards with clocks, hands that move their pieces, and what can go wrong with them.
//!
//! [`Simulator`] is one board, in single-board or in bus mode; [`BusLine`] is up to 32 of them
//! on one line. They share the wire tables and the encoder with the rest of the crate, but
//! nothing with the drivers: so each checks the other. There is no input or output here. After
//! each call drain [`Device::poll_transmit`], then wait for bytes of the host or for
//! [`Device::poll_timeout`].
//!
//! What the hands do is noticed only at the next scan, and the changes of one scan are told in
//! the order of the raw square numbers, not in the order in which they were made (topic:
//! timing). Everything that is due before a call is done first, at its own time, so late calls
//! change nothing.
//!
//! A simulated board is no kinder than a real one: what loses a real board (the boot loader,
//! lights where there are none) loses this one until [`Simulator::power_cycle`], and a stored
//! scan for draughts blinds it for good.

mod bus;
mod bus_line;
mod clock;
mod faults;
mod hands;
mod inject;
mod memory;
mod obey;
mod options;

use core::time::Duration;
use std::collections::{BTreeSet, VecDeque};

use arbiterd_board::simulator::{Chance, Device, SimulatedLine};
use arbiterd_board::{LineSettings, Mono, Occupant, Placement, Square};

pub use self::bus_line::{BusLine, BusLineError, BusLineOptions, MOST_BOARDS};
pub use self::clock::{ClockDisplay, ClockOptions, ClockTimes, Control};
pub use self::faults::{Fault, LeverState, Port};
pub use self::options::{Mode, Options, PowerUp};
pub use arbiterd_board::simulator::{LineFault, ParseFaultError, Rate};

use self::bus::BusTask;
use self::clock::SimulatedClock;
use self::memory::Memory;
use crate::clock::{ClockAck, ClockMessage};
use crate::host::{BusRequest, ClockFrame, HostDecoder};
use crate::message::Message;
use crate::wire;

/// The full update mode sends the clock at least so often.
const CLOCK_PERIOD: Duration = Duration::from_secs(1);

/// A fault of a DGT board that happens by itself.
pub type TimedFault = arbiterd_board::simulator::TimedFault<Fault>;

/// Whether a board works at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// It works.
    Working,
    /// It is pulled off its port: the host's end of the line is gone.
    Unplugged,
    /// A host started the boot loader: the board is lost until it is switched off and on.
    BootLoader,
    /// A host sent lights to a board that has none: it hangs until it is switched off and on.
    Hung,
}

/// The squares that a board scans (topic: host commands). A host can store a scan for draughts,
/// which stays when the board is switched off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scan {
    All,
    Dark,
    Light,
}

/// The lights of a Revelation II.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LightsState {
    /// The squares whose lights are on.
    pub on: BTreeSet<Square>,
    /// A light goes out when its square changes.
    pub auto_off: bool,
    /// The board is to find out by itself that it was turned round.
    pub auto_turn: bool,
}

/// Why nothing happens until a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pause {
    Frozen,
    /// The power-up procedure that a command of bus mode asked for.
    Starting,
}

/// A simulated board.
#[derive(Clone, Debug)]
pub struct Simulator {
    options: Options,
    started: Mono,
    now: Mono,
    mode: Mode,
    condition: Condition,
    pause: Option<(Mono, Pause)>,
    chance: Chance,
    /// What really stands on the board.
    actual: Placement,
    /// What the last scan saw.
    seen: Placement,
    scans: Scan,
    /// Squares that the next scan reads as empty.
    flickers: Vec<Square>,
    /// A scan may see something that the last one did not.
    unseen: bool,
    clock: Option<SimulatedClock>,
    clock_is_out: bool,
    lever_is_stuck: bool,
    /// What the board last heard from the clock.
    clock_heard: ClockMessage,
    clock_sent: Mono,
    /// Commands on their way to the clock, with the moment at which it does them.
    clock_orders: VecDeque<(Mono, ClockFrame)>,
    /// The last answer of a clock that repeats it, and until when it does.
    last_answer: Option<(Mono, ClockAck)>,
    leftover_time: bool,
    lights: LightsState,
    memory: Memory,
    host: HostDecoder,
    /// Bytes of the host that wait while the board sends.
    input: VecDeque<u8>,
    lost_input: u64,
    harmful: Vec<u8>,
    bus_task: Option<BusTask>,
    bus_waiting: Option<BusRequest>,
    ignores_next_ping: bool,
    bad_checksum: bool,
    output: SimulatedLine,
    faults: VecDeque<(Mono, Fault)>,
}

impl Device for Simulator {
    fn line_settings(&self) -> LineSettings {
        wire::LINE
    }

    /// What no board knows is ignored.
    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        self.advance(now);
        for &byte in bytes {
            self.take_in(byte);
        }
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.poll_transmission().map(|(_, bytes)| bytes)
    }

    fn poll_timeout(&self) -> Option<Mono> {
        if self.condition != Condition::Working {
            return None;
        }
        if let Some((until, _)) = self.pause {
            return Some(until);
        }
        let dues = [
            self.faults.front().map(|(at, _)| *at),
            self.next_scan(),
            self.next_tick(),
            self.next_look_at_clock(),
            self.next_period(),
            self.clock_orders.front().map(|(at, _)| *at),
            self.next_bus_step(),
            self.output.due(),
            (!self.input.is_empty()).then(|| self.output.free_at()),
        ];
        dues.into_iter().flatten().min()
    }

    fn handle_timeout(&mut self, now: Mono) {
        self.advance(now);
    }
}

impl Simulator {
    /// A board that is switched on at `now`.
    #[must_use]
    pub fn new(now: Mono, mut options: Options) -> Self {
        options.scan_period = options.scan_period.max(Duration::from_millis(1));
        let placement = options.placement;
        let mut faults: Vec<_> = options.faults.iter().map(|f| (now.after(f.after), f.fault)).collect();
        faults.sort_by_key(|(at, _)| *at);
        let mut simulator = Self {
            started: now,
            now,
            mode: options.power_up.into(),
            condition: Condition::Working,
            pause: None,
            chance: Chance::new(options.seed ^ (u64::from(options.serial) << 32)),
            actual: placement,
            seen: placement,
            scans: Scan::All,
            flickers: Vec::new(),
            unseen: false,
            clock: options.clock.map(|clock| SimulatedClock::new(now, clock)),
            clock_is_out: false,
            lever_is_stuck: false,
            clock_heard: ClockMessage::NoClock,
            clock_sent: now,
            clock_orders: VecDeque::new(),
            last_answer: None,
            leftover_time: false,
            lights: LightsState::default(),
            memory: Memory::new(),
            host: HostDecoder::new(),
            input: VecDeque::new(),
            lost_input: 0,
            harmful: Vec::new(),
            bus_task: None,
            bus_waiting: None,
            ignores_next_ping: false,
            bad_checksum: false,
            output: SimulatedLine::new(wire::LINE, options.paced),
            faults: faults.into(),
            options,
        };
        simulator.switch_on();
        simulator.advance(now);
        simulator
    }

    /// Switches the board off and on, and plugs it in if it was not. The pieces, the clock's
    /// times and what is stored in the memory stay.
    pub fn power_cycle(&mut self, now: Mono) {
        self.advance(now);
        self.switch_on();
    }

    fn switch_on(&mut self) {
        let now = self.now;
        self.condition = Condition::Working;
        self.pause = None;
        self.mode = self.options.power_up.into();
        self.started = now;
        self.seen = self.visible();
        self.unseen = !self.flickers.is_empty();
        self.clock_heard = self.clock_now();
        self.clock_orders.clear();
        self.last_answer = None;
        self.lights = LightsState::default();
        self.host.reset();
        self.input.clear();
        self.leave_bus();
        self.ignores_next_ping = false;
        self.output.clear(now);
        self.memory.power_up(now, &self.seen);
    }

    // ----- the line -----------------------------------------------------------------------

    fn take_in(&mut self, byte: u8) {
        if self.condition != Condition::Working || self.pause.is_some() {
            return;
        }
        if !self.is_busy() {
            return self.hear(byte);
        }
        if self.options.input_limit.is_some_and(|limit| self.input.len() >= limit) {
            self.lost_input += 1;
        } else {
            self.input.push_back(byte);
        }
    }

    /// A board in single-board mode reads no input while it sends, if its input is limited.
    fn is_busy(&self) -> bool {
        self.options.input_limit.is_some() && self.mode != Mode::Bus && self.output.free_at() > self.now
    }

    fn hear(&mut self, byte: u8) {
        self.host.hear(self.now, &[byte]);
        while let Some(item) = self.host.poll() {
            self.obey(item);
        }
    }

    /// The next message and the moment at which its first byte begins.
    fn poll_transmission(&mut self) -> Option<(Mono, Vec<u8>)> {
        if self.condition == Condition::Unplugged { None } else { self.output.take() }
    }

    fn has_transmission(&self) -> bool {
        self.condition != Condition::Unplugged && self.output.has_given()
    }

    /// The board was pulled off its port: whoever owns the line closes it.
    #[must_use]
    pub fn is_unplugged(&self) -> bool {
        self.condition == Condition::Unplugged
    }

    // ----- time ---------------------------------------------------------------------------

    /// Does everything that is due up to `now`, each at its own time.
    fn advance(&mut self, now: Mono) {
        while let Some(due) = self.poll_timeout().filter(|due| *due <= now) {
            self.move_to(due);
            self.end_pause();
            self.do_what_is_due();
        }
        self.move_to(now);
    }

    fn end_pause(&mut self) {
        match self.pause.take_if(|(until, _)| *until <= self.now) {
            Some((_, Pause::Starting)) => self.switch_on(),
            Some((_, Pause::Frozen)) => self.clock_moved(),
            None => {}
        }
    }

    /// In the order in which a board's loop does it; what was due during a pause is done now.
    fn do_what_is_due(&mut self) {
        let now = self.now;
        while let Some((_, fault)) = self.faults.pop_front_if(|(at, _)| *at <= now) {
            self.happen(fault);
        }
        // A fault may have stopped everything.
        if self.condition != Condition::Working || self.pause.is_some() {
            return;
        }
        if self.is_scan_time() {
            self.scan();
        }
        if self.is_time_to_look_at_clock() {
            self.look_at_clock();
        }
        while let Some((_, order)) = self.clock_orders.pop_front_if(|(at, _)| *at <= now) {
            self.do_clock_order(&order);
        }
        if self.next_period().is_some_and(|at| at <= now) {
            self.send_clock();
        }
        self.step_bus();
        self.output.release(now, &mut self.chance);
        while !self.is_busy() {
            let Some(byte) = self.input.pop_front() else { break };
            self.hear(byte);
        }
    }

    /// Lets time pass up to `at`, which is no later than the next thing that is due.
    fn move_to(&mut self, at: Mono) {
        self.now = self.now.max(at);
        if let Some(clock) = &mut self.clock {
            clock.run_to(self.now);
        }
        self.clock_moved();
    }

    // ----- squares ------------------------------------------------------------------------

    /// What a scan would see.
    fn visible(&self) -> Placement {
        let mut visible = self.actual;
        for square in Square::all().filter(|s| !self.scans.sees(*s) || self.flickers.contains(s)) {
            visible[square] = Occupant::Empty;
        }
        visible
    }

    /// The next scan that may notice something. Scans that see no change tell nothing.
    fn next_scan(&self) -> Option<Mono> {
        self.unseen.then(|| self.next_multiple(self.options.scan_period))
    }

    /// The next whole multiple of a period since the start, later than now.
    fn next_multiple(&self, period: Duration) -> Mono {
        let period = micros(period).max(1);
        let done = micros(self.now.since(self.started)) / period;
        self.started.after(Duration::from_micros(done.saturating_add(1).saturating_mul(period)))
    }

    fn is_multiple(&self, period: Duration) -> bool {
        micros(self.now.since(self.started)).is_multiple_of(micros(period).max(1))
    }

    fn is_scan_time(&self) -> bool {
        self.is_multiple(self.options.scan_period)
    }

    fn scan(&mut self) {
        let visible = self.visible();
        // What flickered for this scan is back for the next one.
        self.unseen = !self.flickers.is_empty();
        self.flickers.clear();
        let before = core::mem::replace(&mut self.seen, visible);
        if before == visible {
            return;
        }
        for square in wire::raw_order().filter(|square| before[*square] != visible[*square]) {
            let occupant = visible[square];
            self.memory.change(self.now, square, before[square], occupant);
            if self.lights.auto_off {
                self.lights.on.remove(&square);
            }
            if self.mode.sends_squares() {
                self.send(&Message::Square { square, occupant });
            }
        }
        self.memory.position(self.now, &visible);
    }

    // ----- what is sent -------------------------------------------------------------------

    fn next_period(&self) -> Option<Mono> {
        (self.mode == Mode::Update).then(|| self.clock_sent.after(CLOCK_PERIOD))
    }

    fn send(&mut self, message: &Message) {
        self.say(crate::encode(message));
    }

    fn say(&mut self, bytes: Vec<u8>) {
        self.output.say(self.now, bytes, &mut self.chance);
    }

    // ----- what is known of it ------------------------------------------------------------

    /// What it is doing.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether it works at all.
    #[must_use]
    pub const fn condition(&self) -> Condition {
        self.condition
    }

    /// The address in bus mode, which is the serial number in 14 bits.
    #[must_use]
    pub fn address(&self) -> u16 {
        u16::try_from((self.options.serial % 100_000) & 0x3fff).unwrap_or(0)
    }

    /// The harmful commands that hosts have sent, oldest first; only the first 64 are kept.
    #[must_use]
    pub fn harmful(&self) -> &[u8] {
        &self.harmful
    }

    /// How many bytes of hosts were lost because the input was full.
    #[must_use]
    pub const fn lost_input(&self) -> u64 {
        self.lost_input
    }

    /// The lights, if the board has any.
    #[must_use]
    pub fn lights(&self) -> Option<&LightsState> {
        self.options.revelation.map(|_| &self.lights)
    }
}

impl Scan {
    const fn sees(self, square: Square) -> bool {
        let dark = (square.file() + square.rank()).is_multiple_of(2);
        match self {
            Self::All => true,
            Self::Dark => dark,
            Self::Light => !dark,
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
