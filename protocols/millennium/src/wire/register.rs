// SPDX-License-Identifier: MIT OR Apache-2.0
//! The board's registers. They keep their values without power, each write wears them, and only
//! those that are described can be named here (topic: registers).

use core::time::Duration;

/// A register that is described.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Register {
    /// 00: whether frames carry block parity.
    SerialSetup,
    /// 01: how long a scan of the board takes.
    ScanTime,
    /// 02: when statuses are sent unasked.
    Reports,
    /// 03: how often, where [`ReportMode::Timed`] is chosen.
    ReportTime,
    /// 04: how bright the lights are.
    Brightness,
    /// 06: options of the eONE; others have no such register.
    Options,
}

impl Register {
    /// All of them, by address.
    pub const ALL: [Self; 6] =
        [Self::SerialSetup, Self::ScanTime, Self::Reports, Self::ReportTime, Self::Brightness, Self::Options];

    /// Its address.
    #[must_use]
    pub const fn address(self) -> u8 {
        match self {
            Self::SerialSetup => 0,
            Self::ScanTime => 1,
            Self::Reports => 2,
            Self::ReportTime => 3,
            Self::Brightness => 4,
            Self::Options => 6,
        }
    }

    /// The register with this address.
    #[must_use]
    pub fn from_address(address: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|register| register.address() == address)
    }
}

/// The time of one scan, in register 01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScanTime(u8);

impl ScanTime {
    /// 40.96 ms, as boards leave the factory.
    pub const FACTORY: Self = Self(0x14);
    /// 30.72 ms.
    pub const FASTEST: Self = Self(0x0f);
    /// 522.24 ms.
    pub const SLOWEST: Self = Self(0xff);

    /// The time that a board keeps with this value: below the fastest it takes that of the factory.
    #[must_use]
    pub const fn of_register(value: u8) -> Self {
        if value < Self::FASTEST.0 { Self::FACTORY } else { Self(value) }
    }

    /// What stands in the register.
    #[must_use]
    pub const fn register(self) -> u8 {
        self.0
    }

    /// The time.
    #[must_use]
    pub const fn duration(self) -> Duration {
        Duration::from_micros(2048 * self.0 as u64)
    }
}

/// When statuses are sent unasked, in register 02.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReportMode {
    /// After every scan, as boards leave the factory.
    EveryScan,
    /// Never.
    Off,
    /// In the period of register 03.
    Timed,
    /// On any change.
    OnChange,
    /// On a change that two scans agree on.
    TwoScans,
    /// On a change that three scans agree on.
    ThreeScans,
    /// On a change that four scans agree on.
    FourScans,
    /// On a change that five scans agree on.
    FiveScans,
}

impl ReportMode {
    const ALL: [Self; 8] = [
        Self::EveryScan,
        Self::Off,
        Self::Timed,
        Self::OnChange,
        Self::TwoScans,
        Self::ThreeScans,
        Self::FourScans,
        Self::FiveScans,
    ];

    /// The mode that a board keeps with this value; its three low bits count.
    #[must_use]
    pub const fn of_register(value: u8) -> Self {
        Self::ALL[(value & 7) as usize]
    }

    /// What stands in the register.
    #[must_use]
    pub const fn register(self) -> u8 {
        match self {
            Self::EveryScan => 0,
            Self::Off => 1,
            Self::Timed => 2,
            Self::OnChange => 3,
            Self::TwoScans => 4,
            Self::ThreeScans => 5,
            Self::FourScans => 6,
            Self::FiveScans => 7,
        }
    }

    /// How many scans agree before a change is told.
    #[must_use]
    pub const fn scans(self) -> u32 {
        match self {
            Self::EveryScan | Self::Off | Self::Timed | Self::OnChange => 1,
            Self::TwoScans => 2,
            Self::ThreeScans => 3,
            Self::FourScans => 4,
            Self::FiveScans => 5,
        }
    }
}

/// How bright the lights are, in register 04.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Brightness(u8);

impl Brightness {
    /// As bright as they can be.
    pub const FULL: Self = Self(0x0f);

    /// From 0, dim, to 15, full; more is full.
    #[must_use]
    pub const fn new(value: u8) -> Self {
        if value > Self::FULL.0 { Self::FULL } else { Self(value) }
    }

    /// What stands in the register.
    #[must_use]
    pub const fn register(self) -> u8 {
        self.0
    }
}

/// The options of an eONE, in register 06, as they were read: bits that are not described stay as
/// they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EOneOptions(u8);

impl EOneOptions {
    const REVERSED: u8 = 1;
    const ERROR_SHOWN: u8 = 1 << 1;
    const AUTO_REVERSE: u8 = 1 << 2;
    const RULES: u8 = 1 << 5;

    /// The options that were read.
    #[must_use]
    pub const fn of_register(value: u8) -> Self {
        Self(value)
    }

    /// What stands in the register.
    #[must_use]
    pub const fn register(self) -> u8 {
        self.0
    }

    /// The same without rules of chess, which may hide an illegal move, and without turning itself
    /// round (bits 5 and 2).
    #[must_use]
    pub const fn for_arbitration(self) -> Self {
        Self(self.0 & !(Self::AUTO_REVERSE | Self::RULES))
    }

    /// The board takes itself for turned round (bit 0).
    #[must_use]
    pub const fn is_reversed(self) -> bool {
        self.0 & Self::REVERSED != 0
    }

    /// The board may turn itself round (bit 2).
    #[must_use]
    pub const fn turns_itself(self) -> bool {
        self.0 & Self::AUTO_REVERSE != 0
    }

    /// The board applies rules of chess (bit 5).
    #[must_use]
    pub const fn applies_rules(self) -> bool {
        self.0 & Self::RULES != 0
    }

    /// The board takes itself for the other way round.
    pub(crate) const fn turned_round(self) -> Self {
        Self(self.0 ^ Self::REVERSED)
    }

    /// Whether the lights of an error are on (bit 1).
    pub(crate) const fn with_error(self, shown: bool) -> Self {
        Self(if shown { self.0 | Self::ERROR_SHOWN } else { self.0 & !Self::ERROR_SHOWN })
    }
}

/// A register and what to write into it. What is not described cannot be written down.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Setting {
    /// Register 00 as it left the factory: frames carry block parity. The other value is a test for
    /// terminals that makes damage invisible, so it has no name.
    BlockParity,
    /// Register 01.
    ScanTime(ScanTime),
    /// Register 02.
    Reports(ReportMode),
    /// Register 03, in units of 4.096 ms.
    ReportTime(u8),
    /// Register 04.
    Brightness(Brightness),
    /// Register 06, of an eONE only.
    Options(EOneOptions),
}

impl Setting {
    /// Which register is written.
    #[must_use]
    pub const fn register(self) -> Register {
        match self {
            Self::BlockParity => Register::SerialSetup,
            Self::ScanTime(_) => Register::ScanTime,
            Self::Reports(_) => Register::Reports,
            Self::ReportTime(_) => Register::ReportTime,
            Self::Brightness(_) => Register::Brightness,
            Self::Options(_) => Register::Options,
        }
    }

    /// What is written into it.
    #[must_use]
    pub const fn value(self) -> u8 {
        match self {
            Self::BlockParity => 0,
            Self::ScanTime(time) => time.register(),
            Self::Reports(mode) => mode.register(),
            Self::ReportTime(time) => time,
            Self::Brightness(brightness) => brightness.register(),
            Self::Options(options) => options.register(),
        }
    }

    /// The setting that these two values stand for, if there is one.
    #[must_use]
    pub fn from_values(address: u8, value: u8) -> Option<Self> {
        let setting = match Register::from_address(address)? {
            Register::SerialSetup => Self::BlockParity,
            Register::ScanTime => Self::ScanTime(ScanTime::of_register(value)),
            Register::Reports => Self::Reports(ReportMode::of_register(value)),
            Register::ReportTime => Self::ReportTime(value),
            Register::Brightness => Self::Brightness(Brightness::new(value)),
            Register::Options => Self::Options(EOneOptions::of_register(value)),
        };
        (setting.value() == value).then_some(setting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_described_registers_can_be_written() {
        for address in 0..=255 {
            let described = [0, 1, 2, 3, 4, 6].contains(&address);
            assert_eq!(Register::from_address(address).is_some(), described, "{address:02x}");
            for value in 0..=255 {
                if let Some(setting) = Setting::from_values(address, value) {
                    assert!(described);
                    assert_eq!((setting.register().address(), setting.value()), (address, value));
                }
            }
        }
        // Block parity is never switched off, a scan is never faster than the fastest.
        assert_eq!(Setting::from_values(0, 1), None);
        assert_eq!(Setting::from_values(1, 0x0e), None);
        assert_eq!(Setting::from_values(2, 8), None);
        assert_eq!(Setting::from_values(4, 0x10), None);
    }

    #[test]
    fn scans_take_the_time_that_is_described() {
        assert_eq!(ScanTime::FASTEST.duration(), Duration::from_micros(30_720));
        assert_eq!(ScanTime::FACTORY.duration(), Duration::from_micros(40_960));
        assert_eq!(ScanTime::SLOWEST.duration(), Duration::from_micros(522_240));
        assert_eq!(ScanTime::of_register(0x0e), ScanTime::FACTORY);
    }

    #[test]
    fn an_eone_keeps_its_other_options() {
        assert_eq!(EOneOptions::of_register(0xff).for_arbitration().register(), 0xdb);
        assert_eq!(EOneOptions::of_register(0x02).for_arbitration().register(), 0x02);
    }
}
