// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock message: seven payload bytes that hold either the times or the clock's answer to a
//! command. The driver reads it and the simulator writes it with the same bits.

use core::time::Duration;

use arbiterd_board::{ClockButton, ClockReading, ClockSide, Flag, Lever, SideReading, Version};

use crate::wire::{clock_code, hours_minutes_seconds};

/// The payload of a clock message: three bytes of the right side, three of the left, status.
pub type Payload = [u8; 7];

/// Bits in a side's hours byte (topic: clock times).
mod side {
    pub(super) const HOURS: u8 = 0x0f;
    /// The flag has fallen and the clock is blocked at zero.
    pub(super) const FALLEN: u8 = 0x10;
    pub(super) const PER_MOVE: u8 = 0x20;
    /// A flag is shown; the clock may run on.
    pub(super) const SHOWN: u8 = 0x40;
}

/// Bits in the status byte (topic: clock times).
mod status {
    pub(super) const RUNNING: u8 = 0x01;
    /// The right side is high, so the left player pressed last.
    pub(super) const RIGHT_HIGH: u8 = 0x02;
    pub(super) const BATTERY_LOW: u8 = 0x04;
    pub(super) const RIGHT_TURN: u8 = 0x08;
    pub(super) const LEFT_TURN: u8 = 0x10;
    pub(super) const NO_CLOCK: u8 = 0x20;
}

/// Hours can never be ten: this nibble marks an answer (topic: clock answers).
const ACK_NIBBLE: u8 = 0x0a;

/// What a clock message says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockMessage {
    /// The times.
    Times(Times),
    /// An answer to a command, or an event of the clock in the same form.
    Ack(ClockAck),
    /// All bytes zero: says nothing. Sent by some boards after clock commands.
    Null,
    /// No clock is connected: the rest of the message is not valid.
    NoClock,
    /// Digits that no clock can show: no time is to be taken from it.
    Corrupt {
        /// All seven bytes, for diagnosis.
        payload: Payload,
        /// What its status byte says. A clock that shows a number in the middle of a command
        /// sent zeros for it, so nothing may be concluded from this alone.
        status: Status,
    },
}

/// What the status byte says. [`ClockMessage::NoClock`] has a bit of its own there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Status {
    /// Whether the clock counts (false: stopped by start/stop).
    pub counting: bool,
    /// Who pressed last.
    pub lever: Lever,
    /// Whose turn it is, where just one of the two bits is set.
    pub turn: Option<ClockSide>,
    /// The clock's battery is low.
    pub battery_low: bool,
}

/// The times of both sides and the state of the clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Times {
    /// What all clocks have in common.
    pub reading: ClockReading,
    /// The left side shows the sign of a time control with time per move.
    pub left_per_move: bool,
    /// The same of the right side.
    pub right_per_move: bool,
}

impl ClockMessage {
    /// Reads a payload. An answer goes before a null message, that before a missing clock, and
    /// only what is none of them is judged as times.
    #[must_use]
    pub fn decode(payload: Payload) -> Self {
        let [right_hours, .., left_hours, _, _, state] = payload;
        if [right_hours, left_hours].iter().any(|b| b & side::HOURS == ACK_NIBBLE) {
            return Self::Ack(ClockAck::decode(payload));
        }
        if payload == [0; 7] {
            return Self::Null;
        }
        if state & status::NO_CLOCK != 0 {
            return Self::NoClock;
        }
        let status = Status::decode(state);
        Times::decode(payload, status).map_or(Self::Corrupt { payload, status }, Self::Times)
    }

    /// Writes a payload. Fractions of a second are cut off and more than
    /// [`crate::wire::LONGEST_TIME`] is written as that.
    #[must_use]
    pub fn encode(&self) -> Payload {
        match self {
            Self::Times(times) => times.encode(),
            Self::Ack(ack) => ack.encode(),
            Self::Null => [0; 7],
            Self::NoClock => [0, 0, 0, 0, 0, 0, status::NO_CLOCK],
            Self::Corrupt { payload, .. } => *payload,
        }
    }
}

impl Status {
    fn decode(state: u8) -> Self {
        let high = if state & status::RIGHT_HIGH != 0 { ClockSide::Right } else { ClockSide::Left };
        let turn = match (state & status::LEFT_TURN != 0, state & status::RIGHT_TURN != 0) {
            (true, false) => Some(ClockSide::Left),
            (false, true) => Some(ClockSide::Right),
            _ => None,
        };
        Self {
            counting: state & status::RUNNING != 0,
            // Who pressed last is low, his opponent is high.
            lever: Lever::Pressed(high.other()),
            turn,
            battery_low: state & status::BATTERY_LOW != 0,
        }
    }
}

impl Times {
    fn decode(payload: Payload, status: Status) -> Option<Self> {
        // Right comes first. Two descriptions of the message disagree here; the vendor's own
        // sample and the corrected text read it so (README, decisions).
        let [r0, r1, r2, l0, l1, l2, _] = payload;
        let Status { counting, lever, turn, battery_low } = status;
        Some(Self {
            reading: ClockReading {
                left: read_side(l0, l1, l2)?,
                right: read_side(r0, r1, r2)?,
                counting,
                lever,
                turn,
                battery_low,
            },
            left_per_move: l0 & side::PER_MOVE != 0,
            right_per_move: r0 & side::PER_MOVE != 0,
        })
    }

    fn encode(&self) -> Payload {
        let reading = &self.reading;
        let [r0, r1, r2] = write_side(reading.right, self.right_per_move);
        let [l0, l1, l2] = write_side(reading.left, self.left_per_move);
        let bits = [
            (reading.counting, status::RUNNING),
            (reading.lever == Lever::Pressed(ClockSide::Left), status::RIGHT_HIGH),
            (reading.battery_low, status::BATTERY_LOW),
            (reading.turn == Some(ClockSide::Right), status::RIGHT_TURN),
            (reading.turn == Some(ClockSide::Left), status::LEFT_TURN),
        ];
        let state = bits.iter().filter(|(on, _)| *on).fold(0, |sum, (_, bit)| sum | bit);
        [r0, r1, r2, l0, l1, l2, state]
    }
}

fn read_side(first: u8, minutes: u8, seconds: u8) -> Option<SideReading> {
    let hours = first & side::HOURS;
    if hours > 9 {
        return None;
    }
    let remaining = u64::from(hours) * 3600 + sixtieths(minutes)? * 60 + sixtieths(seconds)?;
    let flag = if first & side::FALLEN != 0 {
        Flag::Fallen
    } else if first & side::SHOWN != 0 {
        Flag::Shown
    } else {
        Flag::Up
    };
    Some(SideReading { remaining: Duration::from_secs(remaining), flag })
}

/// Two decimal digits below sixty, a nibble each.
pub(crate) fn sixtieths(byte: u8) -> Option<u64> {
    let (tens, ones) = (byte >> 4, byte & 0x0f);
    (tens < 6 && ones < 10).then(|| u64::from(tens) * 10 + u64::from(ones))
}

fn write_side(reading: SideReading, per_move: bool) -> [u8; 3] {
    let [hours, minutes, seconds] = hours_minutes_seconds(reading.remaining);
    let flag = match reading.flag {
        Flag::Up => 0,
        Flag::Shown => side::SHOWN,
        // A fallen flag is also shown.
        Flag::Fallen => side::FALLEN | side::SHOWN,
    };
    let indicator = if per_move { side::PER_MOVE } else { 0 };
    [hours | flag | indicator, two_digits(minutes), two_digits(seconds)]
}

pub(crate) const fn two_digits(value: u8) -> u8 {
    ((value / 10) << 4) | (value % 10)
}

/// The four bytes of an answer, put together from their parts (topic: clock answers).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockAck {
    /// How it went: [`ClockAck::GOOD`], or an error.
    pub status: u8,
    /// The command that is answered; from 0x80 on an event that nobody asked for.
    pub subject: u8,
    /// First value.
    pub value: u8,
    /// Second value.
    pub detail: u8,
}

/// What an answer means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AckMeaning {
    /// The command with this code was accepted.
    Accepted(u8),
    /// The command with this code failed; the status tells how.
    Failed(u8),
    /// The version of the clock.
    Version(Version),
    /// The clock is ready again.
    Ready,
    /// A button was pressed.
    Button(ClockButton),
    /// The clock is not in the option that the command needs. The maker's text has a question
    /// mark here.
    NotInMode,
    /// Another event, by its code.
    Event(u8),
}

/// The last byte of a button's event, and the byte before it, which has a bit for each button
/// that is held (topic: clock answers).
const BUTTONS: [(u8, u8, ClockButton); 5] = [
    (0x31, 0x05, ClockButton::Back),
    (0x34, 0x21, ClockButton::Minus),
    (0x33, 0x11, ClockButton::Run),
    (0x32, 0x09, ClockButton::Plus),
    (0x35, 0x41, ClockButton::Ok),
];

/// From this subject on, an answer is an event (topic: clock answers).
const FIRST_EVENT: u8 = 0x80;
const EVENT_READY: u8 = 0x81;
const EVENT_BUTTON: u8 = 0x88;
const EVENT_NOT_IN_MODE: u8 = 0x90;

impl ClockAck {
    /// The only status that is not an error.
    pub const GOOD: u8 = 0x10;
    /// Refused, for instance because the clock is in an option that it runs by itself.
    pub const REFUSED: u8 = 0x40;

    /// A good answer to the command with this code.
    #[must_use]
    pub const fn good(code: u8) -> Self {
        Self { status: Self::GOOD, subject: code, value: 0, detail: 0 }
    }

    /// A refusal of the command with this code.
    #[must_use]
    pub const fn refused(code: u8) -> Self {
        Self { status: Self::REFUSED, subject: code, value: 0, detail: 0 }
    }

    /// The answer to a question for the version. Each number has four bits.
    #[must_use]
    pub const fn version(version: Version) -> Self {
        let value = (version.main << 4) | (version.sub & 0x0f);
        Self { status: Self::GOOD, subject: clock_code::VERSION, value, detail: 0 }
    }

    /// Whether this is about the command with this code: the clock's answer to it, good or not.
    ///
    /// A display command is also answered in the name of another one: the simplest display code
    /// stands for icons, END and both texts, the text's for the long text, and one board answers
    /// END and the long text with "ready" (topic: clock answers).
    #[must_use]
    pub const fn answers(&self, code: u8) -> bool {
        use clock_code::{DISPLAY, END, ICONS, LONG_TEXT, TEXT};
        matches!(
            (code, self.subject),
            (ICONS | END | TEXT | LONG_TEXT, DISPLAY) | (LONG_TEXT, TEXT) | (END | LONG_TEXT, EVENT_READY)
        ) || (self.subject == code)
    }

    /// Whether it is an event that nobody asked for, or the answer to a command.
    #[must_use]
    pub const fn is_event(&self) -> bool {
        self.subject >= FIRST_EVENT
    }

    /// Whether it went well.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.status == Self::GOOD
    }

    /// What it means.
    #[must_use]
    pub fn meaning(&self) -> AckMeaning {
        if self.is_event() {
            return self.event();
        }
        match (self.status, self.subject) {
            (Self::GOOD, clock_code::VERSION) => {
                AckMeaning::Version(Version { main: self.value >> 4, sub: self.value & 0x0f })
            }
            (Self::GOOD, code) => AckMeaning::Accepted(code),
            (_, code) => AckMeaning::Failed(code),
        }
    }

    fn event(&self) -> AckMeaning {
        let named = |(detail, held, _): &&(u8, u8, ClockButton)| {
            // One driver knows its buttons by the other byte alone, so either will do.
            *detail == self.detail || (self.detail == 0 && *held == self.value)
        };
        match (self.subject, BUTTONS.iter().find(named)) {
            (EVENT_READY, _) => AckMeaning::Ready,
            (EVENT_NOT_IN_MODE, _) => AckMeaning::NotInMode,
            (EVENT_BUTTON, Some((.., button))) => AckMeaning::Button(*button),
            (code, _) => AckMeaning::Event(code),
        }
    }

    /// The line carries seven bits a byte; the eighth bits travel in bits 4 and 5 of the two
    /// hours bytes.
    fn decode(payload: Payload) -> Self {
        let [b3, b4, b5, b6, b7, b8, _] = payload;
        Self {
            status: b4 | ((b6 & 0x10) << 3),
            subject: b5 | ((b6 & 0x20) << 2),
            value: b7 | ((b3 & 0x10) << 3),
            detail: b8 | ((b3 & 0x20) << 2),
        }
    }

    /// Marks both hours bytes as an answer; what real boards do is not known, and readers
    /// accept either.
    fn encode(&self) -> Payload {
        let eighth = |byte: u8, bit: u8| if byte & 0x80 != 0 { bit } else { 0 };
        [
            ACK_NIBBLE | eighth(self.value, 0x10) | eighth(self.detail, 0x20),
            self.status & 0x7f,
            self.subject & 0x7f,
            ACK_NIBBLE | eighth(self.status, 0x10) | eighth(self.subject, 0x20),
            self.value & 0x7f,
            self.detail & 0x7f,
            0,
        ]
    }
}
