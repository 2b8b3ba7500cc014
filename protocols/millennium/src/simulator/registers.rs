// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory that keeps its values without power (topic: registers).

use core::time::Duration;

use crate::wire::{EOneOptions, Register, ReportMode, SLOT_UNIT, ScanTime};

/// As the board leaves the factory, as far as that is described: scans of 40.96 ms, a status for
/// each. The report time and the brightness are not described; these are a second and full.
const FACTORY: [(Register, u8); 4] = [
    (Register::ScanTime, 0x14),
    (Register::Reports, 0x00),
    (Register::ReportTime, 0xf4),
    (Register::Brightness, 0x0f),
];

/// What the registers hold, and how often they were written.
#[derive(Clone, Debug)]
pub struct Registers {
    values: [u8; 256],
    writes: u64,
}

impl Registers {
    pub(super) fn new() -> Self {
        let mut registers = Self { values: [0; 256], writes: 0 };
        for (register, value) in FACTORY {
            registers.leave(register.address(), value);
        }
        registers
    }

    /// What one of them holds.
    #[must_use]
    pub fn value(&self, address: u8) -> u8 {
        self.values.get(usize::from(address)).copied().unwrap_or(0)
    }

    /// How often hosts have written, also what was there already: each time wears the memory.
    #[must_use]
    pub const fn writes(&self) -> u64 {
        self.writes
    }

    pub(super) fn write(&mut self, address: u8, value: u8) {
        self.writes += 1;
        self.leave(address, value);
    }

    /// A value that is there without having been written by this host.
    pub(super) fn leave(&mut self, address: u8, value: u8) {
        if let Some(register) = self.values.get_mut(usize::from(address)) {
            *register = value;
        }
    }

    pub(super) fn is_bare(&self) -> bool {
        self.value(Register::SerialSetup.address()) & 1 == 1
    }

    pub(super) fn scan_time(&self) -> Duration {
        ScanTime::of_register(self.value(Register::ScanTime.address())).duration()
    }

    pub(super) fn reports(&self) -> ReportMode {
        ReportMode::of_register(self.value(Register::Reports.address()))
    }

    /// The period of timed reports. Zero is not described; it is taken for one.
    pub(super) fn report_time(&self) -> Duration {
        SLOT_UNIT * u32::from(self.value(Register::ReportTime.address()).max(1))
    }

    pub(super) fn options(&self) -> EOneOptions {
        EOneOptions::of_register(self.value(Register::Options.address()))
    }
}
