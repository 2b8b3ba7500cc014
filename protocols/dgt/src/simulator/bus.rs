// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board does in bus mode: it speaks only when it is asked by its address, keeps one
//! command while it answers another, and tells changes from its memory (topic: bus mode).

use core::time::Duration;

use arbiterd_board::{Mono, Version};

use super::{Mode, Pause, Simulator};
use crate::bus::{Answer, BusAddress, BusMessage};
use crate::host::BusRequest;
use crate::log::Log;

/// How soon a board answers.
const REACTION: Duration = Duration::from_millis(2);
/// Or later, if it has just written to its memory.
const WRITING: Duration = Duration::from_millis(20);
/// Marking the start of a game takes about so long.
const START_GAME: Duration = Duration::from_millis(70);
/// All answers to a ping of everybody lie within 1100 ms; the frame itself takes 6 ms.
const PING_SPREAD: Duration = Duration::from_millis(1090);
/// The power-up procedure takes some seconds.
pub(super) const POWER_UP: Duration = Duration::from_secs(3);

/// Up to this version the answer to the question for the version holds none.
const NAMELESS: Version = Version { main: 1, sub: 2 };

/// Addresses every board.
const ALL: u16 = 0;

mod command {
    pub(super) const SEND_CLOCK: u8 = 0x81;
    pub(super) const SEND_BOARD: u8 = 0x82;
    pub(super) const SEND_CHANGES: u8 = 0x83;
    pub(super) const REPEAT_CHANGES: u8 = 0x84;
    pub(super) const SET_START_GAME: u8 = 0x85;
    pub(super) const SEND_FROM_START: u8 = 0x86;
    pub(super) const PING: u8 = 0x87;
    pub(super) const END_BUS_MODE: u8 = 0x88;
    pub(super) const RESET: u8 = 0x89;
    pub(super) const IGNORE_NEXT_PING: u8 = 0x8a;
    pub(super) const SEND_VERSION: u8 = 0x8b;
    pub(super) const SEND_ALL: u8 = 0x8d;
}

/// A command that is about to be answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct BusTask {
    at: Mono,
    command: u8,
}

impl Simulator {
    pub(super) fn obey_bus(&mut self, frame: BusRequest) {
        let for_all = matches!(frame.command, command::PING | command::END_BUS_MODE | command::RESET);
        let addressed = frame.address == self.address() || (frame.address == ALL && for_all);
        if !frame.intact || !addressed {
            return;
        }
        if self.bus_task.is_none() && self.output.free_at() <= self.now {
            self.begin_bus(frame);
        } else {
            // Room for one; what comes while there is one already is lost.
            self.bus_waiting.get_or_insert(frame);
        }
    }

    fn begin_bus(&mut self, frame: BusRequest) {
        let wait = match frame.command {
            command::END_BUS_MODE => {
                self.leave_bus();
                self.mode = Mode::Idle;
                return;
            }
            command::RESET => {
                self.leave_bus();
                self.pause = Some((self.now.after(POWER_UP), Pause::Starting));
                return;
            }
            command::PING if frame.address == ALL => {
                if core::mem::take(&mut self.ignores_next_ping) {
                    return;
                }
                REACTION.saturating_add(self.chance.up_to(PING_SPREAD))
            }
            command::SET_START_GAME => START_GAME,
            command::SEND_CLOCK..=command::SEND_VERSION | command::SEND_ALL => REACTION,
            _ => return,
        };
        let written = self.memory.written_at().map_or(Mono::ZERO, |at| at.after(WRITING));
        let at = self.now.after(wait);
        // The memory was busy before this command came.
        let at = if written > self.now { at.max(written) } else { at };
        self.bus_task = Some(BusTask { at, command: frame.command });
    }

    /// When there is something to do on the bus.
    pub(super) fn next_bus_step(&self) -> Option<Mono> {
        let waiting = self.bus_waiting.map(|_| self.output.free_at().max(self.now));
        self.bus_task.map(|task| task.at).or(waiting)
    }

    pub(super) fn step_bus(&mut self) {
        let now = self.now;
        if let Some(task) = self.bus_task.take_if(|task| task.at <= now) {
            self.answer_bus(task.command);
        }
        if self.bus_task.is_none()
            && self.output.free_at() <= now
            && let Some(frame) = self.bus_waiting.take()
        {
            self.begin_bus(frame);
        }
    }

    /// Nothing is answered any more.
    pub(super) fn leave_bus(&mut self) {
        self.bus_task = None;
        self.bus_waiting = None;
    }

    fn answer_bus(&mut self, command: u8) {
        match command {
            command::SEND_CLOCK => self.answer_clock(),
            command::SEND_BOARD => self.answer_board(),
            command::SEND_CHANGES => self.answer_changes(),
            command::REPEAT_CHANGES => {
                let records = self.memory.repeated();
                self.answer(Answer::Changes(Log::new(&records)));
            }
            command::SET_START_GAME => {
                self.memory.start_game(self.now, &self.seen);
                self.answer(Answer::Started);
            }
            command::SEND_FROM_START => {
                let records = self.memory.since_start();
                self.answer(Answer::FromStart(Log::new(&records)));
            }
            command::PING => self.answer(Answer::Ping),
            command::IGNORE_NEXT_PING => {
                self.ignores_next_ping = true;
                self.answer(Answer::Ping);
            }
            command::SEND_VERSION => {
                let version = self.options.version;
                self.answer(Answer::Version((version > NAMELESS).then_some(version)));
            }
            command::SEND_ALL => {
                self.answer_changes();
                self.answer_clock();
                self.answer_board();
            }
            _ => {}
        }
    }

    fn answer_clock(&mut self) {
        self.answer(Answer::Clock(self.clock_heard));
    }

    fn answer_board(&mut self) {
        self.answer(Answer::Board(self.seen));
    }

    fn answer_changes(&mut self) {
        let records = self.memory.changes();
        self.answer(Answer::Changes(Log::new(&records)));
    }

    fn answer(&mut self, answer: Answer<'_>) {
        let Some(mut frame) = self.bus_frame(answer) else { return };
        if core::mem::take(&mut self.bad_checksum)
            && let Some(checksum) = frame.last_mut()
        {
            *checksum = (*checksum + 1) & 0x7f;
        }
        self.say(frame);
    }

    /// A frame of bus mode that nobody asked for.
    pub(super) fn say_stray_bus_frame(&mut self) {
        if let Some(frame) = self.bus_frame(Answer::Ping) {
            self.say(frame);
        }
    }

    /// A board whose serial number gives the address of all boards has none of its own.
    fn bus_frame(&self, answer: Answer<'_>) -> Option<Vec<u8>> {
        let address = BusAddress::new(self.address())?;
        Some(crate::bus::encode(&BusMessage { address, answer }))
    }
}
