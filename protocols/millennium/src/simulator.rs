// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boards, hands that move their pieces, and what can go wrong with them.
//!
//! [`Simulator`] is one board. It shares the wire tables with the rest of the crate, but nothing
//! with the decoder or the driver: so each checks the other. There is no input or output here.
//! After each call drain [`Device::poll_transmit`], then wait for bytes of the host or for
//! [`Device::poll_timeout`].
//!
//! What the hands do is noticed only at the next scan. Everything that is due before a call is done
//! first, at its own time, so late calls change nothing.
//!
//! A simulated board is no kinder than a real one: it is silent upon a command whose parities are
//! wrong, loses what is said before it has answered, keeps in its registers whatever a host writes
//! there, and after a restart tells an empty board before it has scanned.

mod faults;
mod guess;
mod hands;
mod inject;
mod misuse;
mod obey;
mod options;
mod registers;
mod scan;

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use arbiterd_board::simulator::{Chance, Device, SimulatedLine};
use arbiterd_board::{LineSettings, Mono, Occupant, Parity, Placement, Sensing, Square};

pub use self::faults::{Fault, Switch};
pub use self::misuse::Misuse;
pub use self::options::{Model, Options, Quirks};
pub use self::registers::Registers;
pub use arbiterd_board::simulator::{LineFault, ParseFaultError, Rate};

use self::guess::Guess;
use self::scan::{Letters, Reports};
use crate::host::HostDecoder;
use crate::wire::{self, Cable, Lights};

/// A fault of a board of this family that happens by itself.
pub type TimedFault = arbiterd_board::simulator::TimedFault<Fault>;

/// How long a board is silent that restarts (topic: reset).
const RESTART: Duration = Duration::from_secs(3);

/// Whether a board works at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// It works.
    Working,
    /// It is pulled off its port: the host's end of the line is gone.
    Unplugged,
    /// It hangs until it is switched off and on.
    Hung,
}

/// Why nothing happens until a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pause {
    Frozen,
    Restarting,
}

/// An answer that is not given yet.
#[derive(Clone, Debug)]
struct Answer {
    at: Mono,
    frame: Vec<u8>,
}

/// What is wrong with the board's conversation besides its line.
#[derive(Clone, Copy, Debug)]
struct Ailments {
    slow: Duration,
    no_answer: u32,
    deaf: Option<u8>,
    status_first: bool,
    splice: Option<u8>,
    bad_check: bool,
    lower_case: bool,
    parity: Parity,
    echo: bool,
}

/// A simulated board.
#[derive(Clone, Debug)]
pub struct Simulator {
    options: Options,
    now: Mono,
    condition: Condition,
    pause: Option<(Mono, Pause)>,
    chance: Chance,
    /// What really stands on the board.
    actual: Placement,
    /// Squares that are read as a letter, whatever stands there.
    readings: BTreeMap<Square, u8>,
    /// Squares that the next scan reads as a letter.
    flickers: Vec<(Square, u8)>,
    guess: Option<Guess>,
    reports: Reports,
    registers: Registers,
    lights: Option<Lights>,
    host: HostDecoder,
    /// The command that is being done.
    answer: Option<Answer>,
    obeyed: u64,
    misuses: Vec<Misuse>,
    ailments: Ailments,
    output: SimulatedLine,
    faults: VecDeque<(Mono, Fault)>,
}

impl Device for Simulator {
    fn line_settings(&self) -> LineSettings {
        wire::LINE
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        self.advance(now);
        if self.ailments.echo && self.condition == Condition::Working {
            self.output.say(self.now, bytes.to_vec(), &mut self.chance);
        }
        for &byte in bytes {
            if self.is_awake() {
                self.hear(byte);
            }
        }
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        if self.is_unplugged() { None } else { self.output.take().map(|(_, bytes)| bytes) }
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
            self.answer.as_ref().map(|answer| answer.at),
            self.next_scan(),
            self.next_timed_report(),
            self.output.due(),
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
    pub fn new(now: Mono, options: Options) -> Self {
        let mut faults: Vec<_> = options.faults.iter().map(|f| (now.after(f.after), f.fault)).collect();
        faults.sort_by_key(|(at, _)| *at);
        let mut simulator = Self {
            now,
            condition: Condition::Working,
            pause: None,
            chance: Chance::new(options.seed),
            actual: options.placement,
            readings: BTreeMap::new(),
            flickers: Vec::new(),
            guess: None,
            reports: Reports::new(now),
            registers: Registers::new(),
            lights: None,
            host: HostDecoder::new(),
            answer: None,
            obeyed: 0,
            misuses: Vec::new(),
            ailments: Ailments {
                slow: Duration::ZERO,
                no_answer: 0,
                deaf: None,
                status_first: false,
                splice: None,
                bad_check: false,
                lower_case: options.quirks.lower_case,
                parity: options.parity,
                echo: false,
            },
            output: SimulatedLine::new(wire::LINE, options.paced),
            faults: faults.into(),
            options,
        };
        simulator.switch_on();
        simulator.scan();
        simulator.advance(now);
        simulator
    }

    /// Switches the board off and on, and plugs it in if it was not. The pieces stay, and what is
    /// in the registers.
    pub fn power_cycle(&mut self, now: Mono) {
        self.advance(now);
        self.output.clear(now);
        self.switch_on();
        self.scan();
    }

    /// It knows nothing of its squares then.
    fn switch_on(&mut self) {
        self.condition = Condition::Working;
        self.pause = None;
        self.guess = (self.options.sensing == Sensing::Occupancy).then(Guess::new);
        self.reports = Reports::new(self.now);
        self.lights = None;
        self.host.reset();
        self.answer = None;
    }

    // ----- the line -----------------------------------------------------------------------

    fn hear(&mut self, byte: u8) {
        self.host.expect_bare(self.registers.is_bare());
        self.host.hear(self.now, &[byte]);
        while let Some(item) = self.host.poll() {
            self.obey(item);
        }
    }

    const fn is_awake(&self) -> bool {
        matches!(self.condition, Condition::Working) && self.pause.is_none()
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
            self.now = self.now.max(due);
            self.end_pause();
            self.do_what_is_due();
        }
        self.now = self.now.max(now);
    }

    fn end_pause(&mut self) {
        if let Some((_, Pause::Restarting)) = self.pause.take_if(|(until, _)| *until <= self.now) {
            self.switch_on();
            // The first statuses may be empty until the first scan (topic: reset).
            if self.reports_every_scan() {
                self.report();
            }
        }
    }

    /// In the order in which a board's loop does it; what was due during a pause is done now.
    fn do_what_is_due(&mut self) {
        let now = self.now;
        while let Some((_, fault)) = self.faults.pop_front_if(|(at, _)| *at <= now) {
            self.happen(fault);
        }
        // A fault may have stopped everything.
        if !self.is_awake() {
            return;
        }
        self.scan_if_due();
        if let Some(answer) = self.answer.take_if(|answer| answer.at <= now) {
            self.give(answer.frame);
        }
        self.output.release(now, &mut self.chance);
    }

    // ----- what is sent -------------------------------------------------------------------

    /// Sends a frame as this board does, with all that is wrong with it.
    fn say(&mut self, mut frame: Vec<u8>) {
        let characters = frame.len().saturating_sub(wire::CHECK);
        let digits = frame.iter_mut().skip(characters);
        if core::mem::take(&mut self.ailments.bad_check)
            && let Some(last) = digits.last()
        {
            *last = wire::with_parity(if *last & 0x7f == b'0' { b'1' } else { b'0' });
        }
        if self.ailments.lower_case {
            for digit in frame.iter_mut().skip(characters) {
                *digit = wire::with_parity((*digit & 0x7f).to_ascii_lowercase());
            }
        }
        if self.registers.is_bare() && self.options.quirks.bare_answers {
            frame.truncate(characters);
        }
        if self.ailments.parity == Parity::None {
            frame = wire::without_parity(&frame);
        }
        self.output.say(self.now, frame, &mut self.chance);
    }

    // ----- what is known of it ------------------------------------------------------------

    /// Whether it works at all.
    #[must_use]
    pub const fn condition(&self) -> Condition {
        self.condition
    }

    /// On which side of White its cable leaves.
    #[must_use]
    pub const fn cable(&self) -> Cable {
        self.options.cable
    }

    /// What its registers hold, and how often they were written.
    #[must_use]
    pub const fn registers(&self) -> &Registers {
        &self.registers
    }

    /// The lights as they were last set; `None` while all are off.
    #[must_use]
    pub const fn lights(&self) -> Option<&Lights> {
        self.lights.as_ref()
    }

    /// The squares of the players all of whose corners are on at one moment. Corners are shared, so
    /// these may be more than were meant (topic: lights).
    #[must_use]
    pub fn lit(&self) -> Vec<Square> {
        self.lights.as_ref().map_or_else(Vec::new, |lights| lights.seen(self.options.cable))
    }

    /// How many commands it has obeyed.
    #[must_use]
    pub const fn obeyed(&self) -> u64 {
        self.obeyed
    }

    /// What hosts did that they should not, oldest first; only the first 64 are kept.
    #[must_use]
    pub fn misuses(&self) -> &[Misuse] {
        &self.misuses
    }

    /// What really stands on the board, whether or not a scan has seen it.
    #[must_use]
    pub const fn placement(&self) -> &Placement {
        &self.actual
    }

    fn is_occupied(&self, square: Square) -> bool {
        self.actual[square] != Occupant::Empty
    }
}

#[cfg(test)]
mod tests;
