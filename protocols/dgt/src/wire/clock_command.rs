// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host may tell the clock, and how it is written so that a board which loses the start
//! of a command cannot take the rest for something that harms.
//!
//! A board's input holds ten bytes; after a lost byte it reads the middle of a clock command as
//! commands of its own (topic: host commands, hazard). So each type here keeps to bytes that are
//! no command, and the whole command is written in one piece.

mod glyphs;
mod icons;
mod set_and_run;
mod text;

pub use self::glyphs::Glyphs;
pub use self::icons::{Icons, IconsError, SideIcons};
pub use self::set_and_run::{Counting, SetAndRun, TimeTooLong};
pub use self::text::{BeepAfter, ClockText, ClockTextError, LongClockText};

/// The byte that opens a command for the clock (topic: clock commands).
pub const CLOCK_COMMAND: u8 = 0x2b;

/// The first byte of every clock command's body.
const BODY_START: u8 = 0x03;
/// The last byte of it.
const BODY_END: u8 = 0x00;

/// Codes of the clock commands, which are also what the clock's answer names.
pub mod clock_code {
    /// Six seven-segment digits (older clocks).
    pub const DISPLAY: u8 = 0x01;
    /// Icons.
    pub const ICONS: u8 = 0x02;
    /// Back to the times.
    pub const END: u8 = 0x03;
    /// Ask for a button.
    pub const BUTTON: u8 = 0x08;
    /// Ask for the clock's version.
    pub const VERSION: u8 = 0x09;
    /// Set both times and run.
    pub const SET_AND_RUN: u8 = 0x0a;
    /// Beep.
    pub const BEEP: u8 = 0x0b;
    /// A text of eight characters.
    pub const TEXT: u8 = 0x0c;
    /// A text of eleven characters.
    pub const LONG_TEXT: u8 = 0x0d;
}

/// What the clock can be told (topic: clock commands).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockCommand {
    /// Show a text on six seven-segment digits (DGT XL).
    Glyphs(Glyphs),
    /// Show icons.
    Icons(Icons),
    /// Show the times again.
    End,
    /// Ask for a button. The answer carries none; buttons are told unasked.
    Button,
    /// Ask for its version.
    Version,
    /// Set both times and say who runs; needs the clock's option for control by a computer.
    SetAndRun(SetAndRun),
    /// Beep for this many times 64 ms; more than [`LONGEST_BEEP`] is shortened to it.
    Beep(u8),
    /// Show a text of eight characters (DGT 3000, Revelation II) and beep.
    Text(ClockText, BeepAfter),
    /// Show a text of eleven characters (Revelation II from firmware 3.25 on) and beep.
    LongText(LongClockText, BeepAfter),
}

/// One second. A longer beep would put bytes on the line that a board which lost the start of
/// the frame may take for commands.
pub const LONGEST_BEEP: u8 = 0x10;

impl ClockCommand {
    /// The command's code, which the clock's answer names.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Self::Glyphs(_) => clock_code::DISPLAY,
            Self::Icons(_) => clock_code::ICONS,
            Self::End => clock_code::END,
            Self::Button => clock_code::BUTTON,
            Self::Version => clock_code::VERSION,
            Self::SetAndRun(_) => clock_code::SET_AND_RUN,
            Self::Beep(_) => clock_code::BEEP,
            Self::Text(..) => clock_code::TEXT,
            Self::LongText(..) => clock_code::LONG_TEXT,
        }
    }

    /// The bytes: `2b size 03 code arguments 00`.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = vec![BODY_START, self.code()];
        match self {
            Self::End | Self::Button | Self::Version => {}
            Self::Glyphs(glyphs) => body.extend(glyphs.arguments()),
            Self::Icons(icons) => body.extend(icons.arguments()),
            Self::SetAndRun(set) => body.extend(set.arguments()),
            Self::Beep(units) => body.push((*units).min(LONGEST_BEEP)),
            Self::Text(text, beep) => {
                body.extend(text.bytes());
                body.push(beep.byte());
            }
            Self::LongText(text, beep) => {
                body.extend(text.bytes());
                body.push(beep.byte());
            }
        }
        body.push(BODY_END);
        // Size counts all that follows it; the longest body has fifteen bytes.
        let size = u8::try_from(body.len()).unwrap_or(u8::MAX);
        [CLOCK_COMMAND, size].into_iter().chain(body).collect()
    }
}

/// Whether a board that reads this byte as a command of its own does nothing. Everything that
/// any description or driver calls a command is counted as harmful here, the Centaur's and the
/// Pegasus's too; the rest is ignored by boards (topic: host commands).
const fn is_harmless(byte: u8) -> bool {
    !matches!(byte, CLOCK_COMMAND | 0x40..=0x58 | 0x60 | 0x63 | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Command;

    #[test]
    fn a_beep_is_at_most_a_second() {
        assert_eq!(Command::Clock(ClockCommand::Beep(0x4e)).encode(), [0x2b, 4, 3, 0x0b, 0x10, 0]);
    }

    #[test]
    fn commands_without_arguments() {
        for (command, code) in
            [(ClockCommand::End, 0x03), (ClockCommand::Button, 0x08), (ClockCommand::Version, 0x09)]
        {
            assert_eq!(command.encode(), [0x2b, 0x03, 0x03, code, 0x00]);
        }
    }
}
