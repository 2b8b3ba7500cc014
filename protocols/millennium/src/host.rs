// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ear of a board: what a host says, read from its bytes in any portions.
//!
//! A board cannot choose its hosts, so everything is an item here: commands with right and with
//! wrong parities, values that nobody has described, bytes that begin nothing. Only letters that
//! are no hexadecimal digits begin a command and only digits follow, so a command that is broken
//! off swallows no other: the letter of the next one ends it, and so does a pause of more than
//! [`LONGEST_PAUSE`].

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::Mono;

use crate::wire::{
    CHECK, LIGHTS, Lights, Pattern, Register, ReportMode, ScanTime, check, command_length, command_letter,
    has_odd_parity, hex_value,
};

/// Two bytes of one command come no further apart than this. No description says how long a board
/// waits; a host over Bluetooth cuts the command for the lights into pieces that wait for each other.
pub const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Something that a host said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostItem {
    /// A command of the right length.
    Command(HostCommand),
    /// A byte that begins no command.
    Unknown(u8),
    /// A command that was broken off.
    Broken(Vec<u8>),
}

/// A whole command. Addresses and values are taken as they come, also where no host should send
/// them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostCommand {
    /// One of [`command_letter`].
    pub letter: u8,
    /// The values after it, two digits each.
    pub values: Vec<u8>,
    /// Every byte has odd parity.
    pub odd: bool,
    /// The block parity fits, or there is none because it is switched off.
    pub fits: bool,
}

/// What a command does that a board or a game suffers from (topic: registers).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Harm {
    /// The board restarts: it is silent for three seconds and has seen nothing meanwhile.
    Restart,
    /// Frames carry no block parity any more, so that damage is not noticed.
    NoBlockParity,
    /// Scans so slow, or reports so late, that a short touch is not seen.
    HidesTouches,
    /// A register that nobody has described.
    Undescribed,
}

/// From here on scans count as slow (topic: settings).
const SLOW_SCAN: u8 = 0x30;

impl HostCommand {
    /// What all lights are to do.
    #[must_use]
    pub fn lights(&self) -> Option<Lights> {
        let (slot, patterns) = self.values.split_first().filter(|_| self.letter == command_letter::LIGHTS)?;
        let patterns: [u8; LIGHTS] = patterns.try_into().ok()?;
        Some(Lights::new(*slot, patterns.map(Pattern)))
    }

    /// The address and the value that are to be written.
    #[must_use]
    pub fn write(&self) -> Option<(u8, u8)> {
        match (self.letter, self.values.as_slice()) {
            (command_letter::WRITE, &[address, value]) => Some((address, value)),
            _ => None,
        }
    }

    /// What harm it does, if any.
    #[must_use]
    pub fn harm(&self) -> Option<Harm> {
        if self.letter == command_letter::RESET {
            return Some(Harm::Restart);
        }
        let (address, value) = self.write()?;
        match Register::from_address(address) {
            // From 10 on they are free for hosts.
            None => (address < 0x10).then_some(Harm::Undescribed),
            Some(Register::SerialSetup) => (value & 1 == 1).then_some(Harm::NoBlockParity),
            Some(Register::ScanTime) => {
                (ScanTime::of_register(value).register() >= SLOW_SCAN).then_some(Harm::HidesTouches)
            }
            Some(Register::Reports) => {
                (ReportMode::of_register(value).scans() > 1).then_some(Harm::HidesTouches)
            }
            Some(_) => None,
        }
    }
}

/// Reads a host's bytes. After each portion ask [`HostDecoder::poll`] until it has nothing more.
#[derive(Clone, Debug, Default)]
pub struct HostDecoder {
    /// Block parity is switched off: commands end with their values.
    bare: bool,
    frame: Vec<u8>,
    last: Mono,
    items: VecDeque<HostItem>,
}

impl HostDecoder {
    /// Nothing heard yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether commands come without block parity from now on, as a board takes them whose register
    /// 00 says so.
    pub const fn expect_bare(&mut self, bare: bool) {
        self.bare = bare;
    }

    /// Bytes arrive. None at all are no sign of anything: the pause goes on.
    pub fn hear(&mut self, now: Mono, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if now.since(self.last) > LONGEST_PAUSE {
            self.break_off();
        }
        self.last = self.last.max(now);
        for byte in bytes {
            self.push(*byte);
        }
    }

    /// The next item.
    pub fn poll(&mut self) -> Option<HostItem> {
        self.items.pop_front()
    }

    /// Forgets half a command and all that was not asked for.
    pub fn reset(&mut self) {
        self.frame.clear();
        self.items.clear();
    }

    fn push(&mut self, byte: u8) {
        if !self.frame.is_empty() && !(byte & 0x7f).is_ascii_hexdigit() {
            self.break_off();
        }
        if self.frame.is_empty() && command_length(byte & 0x7f).is_none() {
            self.items.push_back(HostItem::Unknown(byte));
            return;
        }
        self.frame.push(byte);
        if self.length() == Some(self.frame.len()) {
            let frame = core::mem::take(&mut self.frame);
            let item = read(&frame, self.bare).map_or(HostItem::Broken(frame), HostItem::Command);
            self.items.push_back(item);
        }
    }

    /// How long the command is whose bytes come in.
    fn length(&self) -> Option<usize> {
        let whole = command_length(self.frame.first()? & 0x7f)?;
        Some(if self.bare { whole.saturating_sub(CHECK) } else { whole })
    }

    fn break_off(&mut self) {
        if !self.frame.is_empty() {
            self.items.push_back(HostItem::Broken(core::mem::take(&mut self.frame)));
        }
    }
}

fn read(frame: &[u8], bare: bool) -> Option<HostCommand> {
    let digits = if bare { 0 } else { CHECK };
    let (characters, told) = frame.split_at_checked(frame.len().checked_sub(digits)?)?;
    let fits = match *told {
        [high, low] => hex_value(high, low) == Some(check(characters)),
        _ => true,
    };
    let (letter, values) = characters.split_first()?;
    let values = values.chunks_exact(2).map(|pair| match *pair {
        [high, low] => hex_value(high, low),
        _ => None,
    });
    Some(HostCommand {
        letter: letter & 0x7f,
        values: values.collect::<Option<_>>()?,
        odd: frame.iter().all(|byte| has_odd_parity(*byte)),
        fits,
    })
}

#[cfg(test)]
mod tests;
