// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host says on a bus: four bytes, `command, address high, address low, checksum`.

use core::fmt;

use crate::encoder::seven_bits;
use crate::wire::bus_checksum;

/// The address of one board on a bus: its five-digit serial number, in 14 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BusAddress(u16);

/// There is no such address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no address on a bus: give the board's serial number, a number from 1 to 16383")]
pub struct BusAddressError(pub String);

impl BusAddress {
    /// The highest address that fits into 14 bits.
    pub const HIGHEST: u16 = 0x3fff;

    /// The address with this number; `None` for 0, which means all boards, and above
    /// [`BusAddress::HIGHEST`].
    #[must_use]
    pub const fn new(number: u16) -> Option<Self> {
        if number >= 1 && number <= Self::HIGHEST { Some(Self(number)) } else { None }
    }

    /// The address of the board with this serial number: up to five digits, as printed.
    ///
    /// # Errors
    /// [`BusAddressError`] if it is no number, or none that a bus can address.
    pub fn from_serial(serial: &str) -> Result<Self, BusAddressError> {
        let digits = (1..=5).contains(&serial.len()) && serial.bytes().all(|b| b.is_ascii_digit());
        let number = if digits { serial.parse().ok() } else { None };
        number.and_then(Self::new).ok_or_else(|| BusAddressError(serial.to_owned()))
    }

    /// The number, 1 to [`BusAddress::HIGHEST`].
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The two bytes on the line, seven bits each.
    #[must_use]
    pub fn bytes(self) -> [u8; 2] {
        split(self.0)
    }

    /// The address in two bytes of a frame; `None` if it is that of all boards.
    #[must_use]
    pub fn from_bytes(high: u8, low: u8) -> Option<Self> {
        Self::new(join(high, low))
    }
}

impl fmt::Display for BusAddress {
    /// The serial number with its five digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:05}", self.0)
    }
}

fn split(number: u16) -> [u8; 2] {
    [number >> 7, number].map(seven_bits)
}

fn join(high: u8, low: u8) -> u16 {
    (u16::from(high & 0x7f) << 7) | u16::from(low & 0x7f)
}

/// What one board can be told on a bus (topic: bus mode). Draughts cannot be written down here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BusCommand {
    /// Ask for the clock.
    SendClock,
    /// Ask for the whole board.
    SendBoard,
    /// Ask for what changed since this was asked last. The answer is consumed by being sent.
    SendChanges,
    /// Ask for the last answer to [`BusCommand::SendChanges`] again.
    RepeatChanges,
    /// Mark the start of a game in the log. Takes about 70 ms.
    SetStartGame,
    /// Ask for everything since that mark, except what the next [`BusCommand::SendChanges`]
    /// would fetch.
    SendFromStart,
    /// Ask for a sign of life.
    Ping,
    /// Go to single-board mode. Never with several boards on the line.
    EndBusMode,
    /// Start as if switched on; takes some seconds.
    Reset,
    /// Ask for a sign of life, and ignore the next ping to all boards.
    IgnoreNextPing,
    /// Ask for the firmware version.
    SendVersion,
}

const COMMANDS: [(BusCommand, u8); 11] = [
    (BusCommand::SendClock, 0x81),
    (BusCommand::SendBoard, 0x82),
    (BusCommand::SendChanges, 0x83),
    (BusCommand::RepeatChanges, 0x84),
    (BusCommand::SetStartGame, 0x85),
    (BusCommand::SendFromStart, 0x86),
    (BusCommand::Ping, 0x87),
    (BusCommand::EndBusMode, 0x88),
    (BusCommand::Reset, 0x89),
    (BusCommand::IgnoreNextPing, 0x8a),
    (BusCommand::SendVersion, 0x8b),
];

impl BusCommand {
    /// The command byte.
    #[must_use]
    pub fn byte(self) -> u8 {
        COMMANDS.iter().find(|(command, _)| *command == self).map_or(0, |(_, byte)| *byte)
    }

    /// The command with this byte.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        COMMANDS.iter().find(|(_, b)| *b == byte).map(|(command, _)| *command)
    }
}

/// What all boards can be told at once. No other command is defined for all of them: their
/// answers would destroy each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LineCommand {
    /// Ask for a sign of life: each board answers at random within 1100 ms.
    Ping,
    /// Go to single-board mode. Never with several boards on the line.
    EndBusMode,
    /// Start as if switched on; takes some seconds.
    Reset,
}

impl From<LineCommand> for BusCommand {
    fn from(command: LineCommand) -> Self {
        match command {
            LineCommand::Ping => Self::Ping,
            LineCommand::EndBusMode => Self::EndBusMode,
            LineCommand::Reset => Self::Reset,
        }
    }
}

/// A command and whom it is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BusFrame {
    /// For one board.
    One {
        /// What it is told.
        command: BusCommand,
        /// Which board.
        address: BusAddress,
    },
    /// For all boards on the line.
    All(LineCommand),
}

/// Four bytes are no frame of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BusFrameError {
    /// The frame broke off: another one began, or an address or checksum byte has bit 7 set.
    #[error("the frame broke off")]
    Unfinished,
    /// The checksum does not fit.
    #[error("the checksum is {found:02x} and should be {expected:02x}")]
    Checksum {
        /// What it should be.
        expected: u8,
        /// What it is.
        found: u8,
    },
    /// Nobody has described this command, or it is one of those that do not belong to chess.
    #[error("{0:02x} is no command of a bus")]
    UnknownCommand(u8),
    /// The command is not defined for all boards at once.
    #[error("{0:?} cannot be told to all boards")]
    NotForAll(BusCommand),
}

impl BusFrame {
    /// The length of a frame in bytes.
    pub const LENGTH: usize = 4;

    /// A command for one board.
    #[must_use]
    pub const fn to(address: BusAddress, command: BusCommand) -> Self {
        Self::One { command, address }
    }

    /// The command, whomever it is for.
    #[must_use]
    pub fn command(&self) -> BusCommand {
        match *self {
            Self::One { command, .. } => command,
            Self::All(command) => command.into(),
        }
    }

    /// The board it is for; `None` for all boards.
    #[must_use]
    pub const fn address(&self) -> Option<BusAddress> {
        match *self {
            Self::One { address, .. } => Some(address),
            Self::All(_) => None,
        }
    }

    /// The bytes, to be written in one piece.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let command = self.command().byte();
        let [high, low] = self.address().map_or([0, 0], BusAddress::bytes);
        [command, high, low, bus_checksum(&[command, high, low])]
    }

    /// Reads the four bytes of a frame.
    ///
    /// # Errors
    /// [`BusFrameError`] if they are none. The checksum is judged first.
    pub fn parse(bytes: [u8; Self::LENGTH]) -> Result<Self, BusFrameError> {
        let [byte, high, low, found] = bytes;
        if byte < 0x80 || [high, low, found].iter().any(|b| *b >= 0x80) {
            return Err(BusFrameError::Unfinished);
        }
        let expected = bus_checksum(&[byte, high, low]);
        if found != expected {
            return Err(BusFrameError::Checksum { expected, found });
        }
        let command = BusCommand::from_byte(byte).ok_or(BusFrameError::UnknownCommand(byte))?;
        match (BusAddress::from_bytes(high, low), command) {
            (Some(address), command) => Ok(Self::One { command, address }),
            (None, BusCommand::Ping) => Ok(Self::All(LineCommand::Ping)),
            (None, BusCommand::EndBusMode) => Ok(Self::All(LineCommand::EndBusMode)),
            (None, BusCommand::Reset) => Ok(Self::All(LineCommand::Reset)),
            (None, command) => Err(BusFrameError::NotForAll(command)),
        }
    }
}
