// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board does in bus mode: it speaks only when it is asked by its address, keeps one
//! command while it answers another, and tells changes from its memory (topic: bus mode).

use core::time::Duration;

use arbiterd_board::{Mono, Version};

use super::{Mode, Pause, Simulator};
use crate::host::BusFrame;
use crate::wire::{self, bus_checksum};

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

mod answer {
    pub(super) const BOARD: u8 = 0x83;
    pub(super) const CLOCK: u8 = 0x84;
    pub(super) const CHANGES: u8 = 0x85;
    pub(super) const FROM_START: u8 = 0x86;
    pub(super) const PING: u8 = 0x87;
    pub(super) const START_GAME: u8 = 0x88;
    pub(super) const VERSION: u8 = 0x89;
}

/// A command that is about to be answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct BusTask {
    at: Mono,
    command: u8,
}

impl Simulator {
    pub(super) fn obey_bus(&mut self, frame: BusFrame) {
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

    fn begin_bus(&mut self, frame: BusFrame) {
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
                let data = self.memory.repeated();
                self.answer(answer::CHANGES, &data);
            }
            command::SET_START_GAME => {
                self.memory.start_game(self.now, &self.seen);
                self.answer(answer::START_GAME, &[]);
            }
            command::SEND_FROM_START => {
                let data = self.memory.since_start();
                self.answer(answer::FROM_START, &data);
            }
            command::PING => self.answer(answer::PING, &[]),
            command::IGNORE_NEXT_PING => {
                self.ignores_next_ping = true;
                self.answer(answer::PING, &[]);
            }
            command::SEND_VERSION => {
                let Version { main, sub } = self.options.version;
                let version = [main, sub];
                let named = self.options.version > NAMELESS;
                self.answer(answer::VERSION, if named { &version } else { &[] });
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
        let data = self.clock_heard.encode();
        self.answer(answer::CLOCK, &data);
    }

    fn answer_board(&mut self) {
        let data: Vec<u8> = wire::raw_order().map(|square| wire::piece_code(self.seen[square])).collect();
        self.answer(answer::BOARD, &data);
    }

    fn answer_changes(&mut self) {
        let data = self.memory.changes();
        self.answer(answer::CHANGES, &data);
    }

    fn answer(&mut self, id: u8, data: &[u8]) {
        let mut frame = bus_frame(id, self.address(), data);
        if core::mem::take(&mut self.bad_checksum)
            && let Some(checksum) = frame.last_mut()
        {
            *checksum = (*checksum + 1) & 0x7f;
        }
        self.say(frame);
    }

    /// A frame of bus mode that nobody asked for.
    pub(super) fn say_stray_bus_frame(&mut self) {
        let frame = bus_frame(answer::PING, self.address(), &[]);
        self.say(frame);
    }
}

/// `id length length address address data.. checksum`; the length counts all of it.
fn bus_frame(id: u8, address: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 6).unwrap_or(u16::MAX);
    let mut frame = vec![id];
    for number in [length, address] {
        frame.extend([number >> 7, number].map(|part| u8::try_from(part & 0x7f).unwrap_or(0)));
    }
    frame.extend(data.iter().map(|byte| byte & 0x7f));
    frame.push(bus_checksum(&frame));
    frame
}
