// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board does when a host speaks to it in single-board mode.

use core::time::Duration;

use arbiterd_board::Version;

use super::{Condition, Mode, Scan, Simulator};
use crate::clock::{ClockAck, ClockMessage};
use crate::host::{ClockFrame, HostItem, LightsFrame};
use crate::message::Message;
use crate::wire::{Command, Lights, clock_code};

/// So many harmful commands are remembered.
const MOST_REMEMBERED: usize = 64;

/// So many commands wait for a slow clock; a host that sends more without waiting loses them.
const MOST_ORDERS: usize = 16;

/// A clock that repeats its last answer does so for this long.
const REPEATS_FOR: Duration = Duration::from_secs(1);

/// The error of a DGT XL on an old board; it does not say which command failed.
const FLAKY: ClockAck = ClockAck { status: 0x20, subject: 0, value: 0, detail: 0 };

/// The payload of the time 12:08:08 that was seen after an answer to a text (topic: clock times).
const LEFTOVER: [u8; 7] = [0x0c, 0x08, 0x08, 0, 0, 0, 0];

/// From here on a Revelation II takes texts of eleven characters.
const LONG_TEXTS: Version = Version { main: 3, sub: 24 };
/// Up to here its lights can only be switched on.
const ONLY_LIGHTS_ON: Version = Version { main: 3, sub: 21 };

impl Simulator {
    pub(super) fn obey(&mut self, item: HostItem) {
        if self.condition != Condition::Working || self.pause.is_some() {
            return;
        }
        match item {
            HostItem::Bus(frame) if self.mode == Mode::Bus => self.obey_bus(frame),
            // The first command of bus mode only switches and is lost, whomever it addresses.
            HostItem::Bus(frame) if frame.intact && is_described(frame.command) => self.mode = Mode::Bus,
            HostItem::Command(command) => {
                self.leave_bus_for_single();
                self.obey_command(command);
            }
            HostItem::Clock(frame) => {
                self.leave_bus_for_single();
                self.order_clock(frame);
            }
            HostItem::Lights(frame) => {
                self.leave_bus_for_single();
                self.obey_lights(frame);
            }
            HostItem::Harmful(byte) => self.obey_harmful(byte),
            HostItem::Bus(_) | HostItem::PegasusKey | HostItem::Unknown(_) | HostItem::Broken(_) => {}
        }
    }

    /// A command of single-board mode is recognised in bus mode: the board is idle in single
    /// mode, and does it (topic: bus mode).
    fn leave_bus_for_single(&mut self) {
        if self.mode == Mode::Bus {
            self.mode = Mode::Idle;
            self.leave_bus();
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
            Command::ToBusMode => self.mode = Mode::Bus,
            Command::SendClock => self.send_clock(),
            Command::SendBoard => self.send(&Message::Board(self.seen)),
            Command::ReturnSerial => self.send(&Message::Serial(self.serial_digits())),
            Command::ReturnBusAddress => self.send(&Message::BusAddress(self.address())),
            Command::SendTradeMark => self.send(&Message::TradeMark(self.options.trade_mark.clone())),
            Command::SendLog => self.send_log(),
            Command::SendVersion => self.send(&Message::Version(self.options.version)),
            Command::SendBattery => {
                if let Some(status) = self.options.battery {
                    self.send(&Message::Battery(status));
                }
            }
            Command::ReturnLongSerial => {
                if let Some(serial) = self.long_serial() {
                    self.send(&Message::LongSerial(serial));
                }
            }
            // A chess board has no fifty squares; the decoder tells the others as items of their
            // own.
            Command::SendDraughtsBlack
            | Command::SendDraughtsWhite
            | Command::Lights(_)
            | Command::Clock(_) => {}
        }
    }

    pub(super) fn send_log(&mut self) {
        let log = self.memory.download(self.now);
        self.send(&Message::Log(log));
    }

    fn serial_digits(&self) -> String {
        format!("{:05}", self.options.serial % 100_000)
    }

    /// That of a Revelation II begins with its firmware.
    fn long_serial(&self) -> Option<String> {
        let serial = self.options.long_serial?;
        Some(match self.options.revelation {
            Some(firmware) => format!("{}.{:02}{:06}", firmware.main, firmware.sub, serial % 1_000_000),
            None => format!("{serial:010}"),
        })
    }

    fn obey_harmful(&mut self, byte: u8) {
        if self.harmful.len() < MOST_REMEMBERED {
            self.harmful.push(byte);
        }
        self.unseen = true;
        match byte {
            0x51 => self.scans = Scan::Dark,
            0x53 => self.scans = Scan::Light,
            0x54 => self.scans = Scan::All,
            _ => self.condition = Condition::BootLoader,
        }
    }

    // ----- lights -------------------------------------------------------------------------

    fn obey_lights(&mut self, frame: LightsFrame) {
        let Some(firmware) = self.options.revelation else {
            self.condition = Condition::Hung;
            return;
        };
        let Some(lights) = frame.lights() else { return };
        match lights {
            Lights::On { from, to } => self.lights.on.extend([from, to]),
            _ if firmware <= ONLY_LIGHTS_ON => {}
            Lights::Off { from, to } => self.lights.on.retain(|square| ![from, to].contains(square)),
            Lights::AllOff => self.lights.on.clear(),
            Lights::AutoOff(on) => self.lights.auto_off = on,
            Lights::AutoTurn(on) => self.lights.auto_turn = on,
        }
    }

    // ----- the clock ----------------------------------------------------------------------

    /// The clock hears every command, whatever the mode, and does it after a while.
    fn order_clock(&mut self, frame: ClockFrame) {
        let Some(clock) = self.clock.as_ref().filter(|_| self.clock_orders.len() < MOST_ORDERS) else {
            return;
        };
        let options = *clock.options();
        let delay = options.ack_delay.saturating_add(self.chance.up_to(options.ack_spread));
        let last = self.clock_orders.back().map_or(self.now, |(at, _)| *at);
        let at = self.now.after(delay).max(last);
        if at <= self.now {
            self.do_clock_order(&frame);
        } else {
            self.clock_orders.push_back((at, frame));
        }
    }

    pub(super) fn do_clock_order(&mut self, frame: &ClockFrame) {
        if !self.clock_can_talk() {
            return;
        }
        let Some(answer) = self.answer_of_clock(frame) else { return };
        self.tell(answer);
        self.answer_afterwards(frame.code, answer);
        self.clock_moved();
    }

    fn answer_of_clock(&mut self, frame: &ClockFrame) -> Option<ClockAck> {
        let long_texts = self.options.revelation.is_some_and(|firmware| firmware >= LONG_TEXTS);
        let clock = self.clock.as_mut()?;
        if self.chance.percent(clock.options().flaky_percent) {
            return Some(FLAKY);
        }
        clock.obey(frame, long_texts)
    }

    /// What some boards send after an answer.
    fn answer_afterwards(&mut self, code: u8, answer: ClockAck) {
        let repeats = self.clock.as_ref().is_some_and(|clock| clock.options().repeats_answers);
        if repeats {
            self.last_answer = Some((self.now.after(REPEATS_FOR), answer));
        }
        if !self.mode.sends_clock() {
            return;
        }
        let is_text = matches!(code, clock_code::DISPLAY | clock_code::TEXT | clock_code::LONG_TEXT);
        if is_text && core::mem::take(&mut self.leftover_time) {
            self.send(&Message::Clock(ClockMessage::decode(LEFTOVER)));
        }
        if repeats {
            self.send(&Message::Clock(ClockMessage::Null));
        }
    }
}

/// The commands of bus mode that are described; others were only seen.
const fn is_described(command: u8) -> bool {
    matches!(command, 0x81..=0x8d)
}
