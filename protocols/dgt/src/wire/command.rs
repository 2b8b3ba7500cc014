// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host may say to a board.

use super::{ClockCommand, Lights};

/// What the host may say in single-board mode (topic: host commands).
///
/// Commands that harm a board cannot be written down here: 0x4e starts the boot loader and
/// loses the board until it is flashed again, and 0x51, 0x53 and 0x54 store a draughts scan in
/// its memory that blinds it for chess.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// Stop all automatic sending. Not a power reset.
    Reset,
    /// Ask for one clock message.
    SendClock,
    /// Ask for one board dump.
    SendBoard,
    /// Send changes of squares, and the clock every second.
    Update,
    /// Send changes of squares only; clock commands are not answered then.
    UpdateBoard,
    /// Ask for the short serial number. Every board answers, so it serves as a keep-alive.
    ReturnSerial,
    /// Ask for the bus address.
    ReturnBusAddress,
    /// Ask for the trade mark text.
    SendTradeMark,
    /// Ask for the log in the board's memory. The answer holds the line for 8.3 s.
    SendLog,
    /// Leave single-board mode for bus mode; [`crate::bus`] goes on from there.
    ToBusMode,
    /// Send changes of squares, and the clock on change.
    UpdateNice,
    /// Ask for the battery; only boards that have one answer.
    SendBattery,
    /// Ask for the firmware version.
    SendVersion,
    /// Ask a 10x10 draughts board for one dump of Black's squares.
    SendDraughtsBlack,
    /// The same of White's.
    SendDraughtsWhite,
    /// Ask for the long serial number; old boards do not answer.
    ReturnLongSerial,
    /// Switch lights. Only for a board that is known to have them: others freeze.
    Lights(Lights),
    /// Tell the clock something.
    Clock(ClockCommand),
}

/// The commands of one byte.
const SINGLE_BYTES: [(Command, u8); 16] = [
    (Command::Reset, 0x40),
    (Command::SendClock, 0x41),
    (Command::SendBoard, 0x42),
    (Command::Update, 0x43),
    (Command::UpdateBoard, 0x44),
    (Command::ReturnSerial, 0x45),
    (Command::ReturnBusAddress, 0x46),
    (Command::SendTradeMark, 0x47),
    (Command::SendLog, 0x49),
    (Command::ToBusMode, 0x4a),
    (Command::UpdateNice, 0x4b),
    (Command::SendBattery, 0x4c),
    (Command::SendVersion, 0x4d),
    (Command::SendDraughtsBlack, 0x50),
    (Command::SendDraughtsWhite, 0x52),
    (Command::ReturnLongSerial, 0x55),
];

impl Command {
    /// The bytes, to be written in one piece.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Clock(command) => command.encode(),
            Self::Lights(lights) => lights.encode().to_vec(),
            single => SINGLE_BYTES.iter().filter(|(c, _)| c == single).map(|(_, b)| *b).collect(),
        }
    }

    /// The command of one byte that this byte stands for.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        SINGLE_BYTES.iter().find(|(_, b)| *b == byte).map(|(c, _)| *c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_of_one_byte_is_read_as_it_is_written() {
        for (command, byte) in SINGLE_BYTES {
            assert_eq!(command.encode(), [byte]);
            assert_eq!(Command::from_byte(byte), Some(command));
        }
    }

    #[test]
    fn no_byte_that_harms_stands_for_a_command() {
        for byte in [0x4e, 0x51, 0x53, 0x54] {
            assert_eq!(Command::from_byte(byte), None, "{byte:02x}");
        }
        // Not commands of one byte: lights and the clock.
        for byte in [0x60, 0x2b, 0x48, 0x4f] {
            assert_eq!(Command::from_byte(byte), None, "{byte:02x}");
        }
    }
}
