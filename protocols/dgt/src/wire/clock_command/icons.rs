// SPDX-License-Identifier: MIT OR Apache-2.0
//! The icons beside the digits of a clock.

use super::is_harmless;

/// The icons of one side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a sign on the display, lit or not")]
pub struct SideIcons {
    /// TIME.
    pub time: bool,
    /// FISCH.
    pub fischer: bool,
    /// DELAY.
    pub delay: bool,
    /// HGLASS.
    pub hourglass: bool,
    /// UPCNT.
    pub up_count: bool,
    /// BYO.
    pub byo_yomi: bool,
    /// The number of the period, 1 to 5.
    pub period: Option<u8>,
    /// The flag.
    pub flag: bool,
}

/// Icons of both sides and those in the middle (topic: clock commands).
///
/// The bits of END and of "keep the icons after a change of the times" are 40, which is a
/// board's own command; they are not offered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Icons([u8; 5]);

/// The icons cannot be shown together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IconsError {
    /// Their bits add up to a byte that a board could take for a command.
    #[error("these icons together are not safe to send: leave one of them out")]
    Unsafe,
    /// There are five periods.
    #[error("a clock has icons for periods 1 to 5, not {0}")]
    Period(u8),
}

const FLAG: u8 = 0x20;
const CLEAR_ALL: u8 = 0x01;
const NOTHING: u8 = 0x00;

impl Icons {
    /// No icon at all.
    pub const CLEAR: Self = Self([NOTHING, NOTHING, NOTHING, NOTHING, CLEAR_ALL]);

    /// The icons of both sides.
    ///
    /// # Errors
    /// [`IconsError`].
    pub fn new(left: SideIcons, right: SideIcons) -> Result<Self, IconsError> {
        let bytes = [kind(left), kind(right), period(left)?, period(right)?, NOTHING];
        if bytes.iter().all(|b| is_harmless(*b)) { Ok(Self(bytes)) } else { Err(IconsError::Unsafe) }
    }

    pub(super) const fn arguments(&self) -> [u8; 9] {
        let [left, right, left_period, right_period, special] = self.0;
        [left, right, left_period, right_period, special, 0, 0, 0, 0]
    }
}

fn kind(icons: SideIcons) -> u8 {
    let bits = [
        (icons.time, 0x01),
        (icons.fischer, 0x02),
        (icons.delay, 0x04),
        (icons.hourglass, 0x08),
        (icons.up_count, 0x10),
        (icons.byo_yomi, 0x20),
    ];
    bits.iter().filter(|(lit, _)| *lit).fold(0, |sum, (_, bit)| sum | bit)
}

fn period(icons: SideIcons) -> Result<u8, IconsError> {
    let flag = if icons.flag { FLAG } else { 0 };
    match icons.period {
        None => Ok(flag),
        Some(number @ 1..=5) => Ok(flag | (1 << (number - 1))),
        Some(other) => Err(IconsError::Period(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ClockCommand, Command};

    #[test]
    fn icons_are_written_left_before_right_and_kinds_before_periods() {
        let left = SideIcons { fischer: true, period: Some(2), ..SideIcons::default() };
        let right = SideIcons { time: true, flag: true, ..SideIcons::default() };
        let icons = Command::Clock(ClockCommand::Icons(Icons::new(left, right).unwrap()));
        assert_eq!(icons.encode(), [0x2b, 0x0c, 3, 2, 0x02, 0x01, 0x02, 0x20, 0, 0, 0, 0, 0, 0]);
        let clear = Command::Clock(ClockCommand::Icons(Icons::CLEAR));
        assert_eq!(clear.encode(), [0x2b, 0x0c, 3, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn icons_that_add_up_to_a_command_are_refused() {
        let four =
            SideIcons { time: true, fischer: true, hourglass: true, byo_yomi: true, ..SideIcons::default() };
        assert_eq!(Icons::new(four, SideIcons::default()), Err(IconsError::Unsafe));
        let sixth = SideIcons { period: Some(6), ..SideIcons::default() };
        assert_eq!(Icons::new(SideIcons::default(), sixth), Err(IconsError::Period(6)));
    }
}
