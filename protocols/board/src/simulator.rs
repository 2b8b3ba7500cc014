// SPDX-License-Identifier: MIT OR Apache-2.0
//! What simulated boards of all families share: how they are driven, chance that can be repeated, a line on which
//! bytes go wrong, and faults as text with the time at which they happen.

mod chance;
mod device;
mod faults;
mod line;

pub use self::chance::Chance;
pub use self::device::Device;
pub use self::faults::{LineFault, ParseFaultError, Rate, TimedFault, Written, parse_fault};
pub use self::line::SimulatedLine;
