// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's bytes as the board reads them.

use crate::wire::{CLOCK_COMMAND, Command};

/// Something the host said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HostWord {
    /// A command of one byte.
    Command(Command),
    /// A command for the clock, by its code.
    Clock(u8),
}

/// The longest clock command has a body of this size.
const LONGEST_BODY: usize = 0x0f;

/// Reads the host's bytes in any portions.
#[derive(Clone, Debug, Default)]
pub(super) struct HostParser {
    /// A clock command so far: its size byte and what follows.
    clock: Option<Vec<u8>>,
}

impl HostParser {
    pub(super) fn push(&mut self, byte: u8) -> Option<HostWord> {
        let Some(command) = &mut self.clock else {
            if byte == CLOCK_COMMAND {
                self.clock = Some(Vec::new());
            }
            return Command::from_byte(byte).map(HostWord::Command);
        };
        command.push(byte);
        let (&size, body) = command.split_first()?;
        let size = usize::from(size);
        if size == 0 || size > LONGEST_BODY {
            self.clock = None;
            return None;
        }
        if body.len() < size {
            return None;
        }
        let word = read_clock_command(body);
        self.clock = None;
        word
    }
}

/// The body is the start mark 3, the code, its arguments and a closing zero.
fn read_clock_command(body: &[u8]) -> Option<HostWord> {
    match body {
        [0x03, code, .., 0x00] => Some(HostWord::Clock(*code)),
        _ => None,
    }
}
