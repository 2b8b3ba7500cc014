// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board says in single-board mode.

use arbiterd_board::{Battery, Occupant, Placement, Square, Version};

use crate::clock::ClockMessage;

/// Bytes of the log in a board's memory, a ring (topic: memory log).
pub const LOG_LENGTH: usize = 0x1f00;

/// A valid message of the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The whole board.
    Board(Placement),
    /// One square changed.
    Square {
        /// The hardware square.
        square: Square,
        /// What is on it now.
        occupant: Occupant,
    },
    /// The clock's times or its answer to a command.
    Clock(ClockMessage),
    /// The firmware version.
    Version(Version),
    /// The short serial number, five characters.
    Serial(String),
    /// The long serial number, ten characters.
    LongSerial(String),
    /// The board's battery.
    Battery(BatteryStatus),
    /// The address on a bus, 14 bits: the short serial number as a number.
    BusAddress(u16),
    /// The maker's text, in several lines. For logs only.
    TradeMark(String),
    /// The log in the board's memory: [`LOG_LENGTH`] bytes, oldest first.
    Log(Vec<u8>),
}

/// The board's battery (topic: battery). Times are hours and minutes; `None` where the board
/// cannot tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BatteryStatus {
    /// Percent, 0 to 100.
    pub percent: u8,
    /// Left to run, or to charge.
    pub left: Option<(u8, u8)>,
    /// Since it was switched on.
    pub on: (u8, u8),
    /// Days, hours and minutes in standby.
    pub standby: (u8, u8, u8),
    /// It is being charged.
    pub charging: bool,
    /// It is being discharged.
    pub discharging: bool,
}

const UNKNOWN_TIME: u8 = 0x7f;
const CHARGING: u8 = 0x01;
const DISCHARGING: u8 = 0x02;

impl BatteryStatus {
    /// Reads the nine payload bytes; `None` if the percentage is above 100.
    #[must_use]
    pub fn decode(payload: [u8; 9]) -> Option<Self> {
        let [percent, hours, minutes, on_hours, on_minutes, days, standby_hours, standby_minutes, status] =
            payload;
        let unknown = hours == UNKNOWN_TIME || minutes == UNKNOWN_TIME;
        (percent <= 100).then_some(Self {
            percent,
            left: if unknown { None } else { Some((hours, minutes)) },
            on: (on_hours, on_minutes),
            standby: (days, standby_hours, standby_minutes),
            charging: status & CHARGING != 0,
            discharging: status & DISCHARGING != 0,
        })
    }

    /// The nine payload bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; 9] {
        let (hours, minutes) = self.left.unwrap_or((UNKNOWN_TIME, UNKNOWN_TIME));
        let (days, standby_hours, standby_minutes) = self.standby;
        let charging = if self.charging { CHARGING } else { 0 };
        let discharging = if self.discharging { DISCHARGING } else { 0 };
        [
            self.percent,
            hours,
            minutes,
            self.on.0,
            self.on.1,
            days,
            standby_hours,
            standby_minutes,
            charging | discharging,
        ]
    }
}

impl From<BatteryStatus> for Battery {
    fn from(status: BatteryStatus) -> Self {
        Self { percent: status.percent, charging: status.charging }
    }
}
