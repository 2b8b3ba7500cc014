// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of the board.

use arbiterd_board::{Capabilities, Identity, Sensing, Version};

use super::timing::{self, Pace, Transport};
use crate::message::Text;
use crate::wire::{Register, Setting};

/// From this version on there are boards that do not recognise pieces (topic: version).
const NEWER: u8 = 2;
/// Boards of these versions were seen not to answer when their lights were set or a register was
/// written (topic: quirks).
const MUTE: core::ops::Range<(u8, u8)> = (0x01, 0x10)..(0x02, 0x00);
/// So begins the text of a board that does not recognise pieces.
const E_ONE: &[u8] = b"e-one";

#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) version: Option<Version>,
    pub(super) information: Option<Text>,
    registers: [Option<u8>; 7],
    pub(super) told: Option<Identity>,
    pub(super) announced: Option<Capabilities>,
    stream: Stream,
}

/// Whether the board sends statuses all the time, by what it does and not by its register.
#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    seen: bool,
    /// Statuses in a row that nobody asked for and that told nothing new.
    idle: u8,
    /// Pauses in a row that ended only when the board was asked.
    stalls: u8,
}

/// A board that sends on change does not tell the same over and over; one status may answer a question
/// that was given up.
const IDLE: u8 = 3;
/// One pause may be a loss.
const STALLS: u8 = 2;

impl Known {
    /// Whether the board can be asked who it is.
    pub(super) fn has_information(&self) -> bool {
        self.version.is_some_and(|version| version.main >= NEWER)
    }

    /// Whether it does not acknowledge everything that it does.
    pub(super) fn is_mute(&self) -> bool {
        self.version.is_some_and(|version| MUTE.contains(&(version.main, version.sub)))
    }

    pub(super) fn is_e_one(&self) -> bool {
        self.has_information()
            && self.information.is_some_and(|text| {
                let start = text.as_str().as_bytes().get(..E_ONE.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(E_ONE))
            })
    }

    /// The letters of an eONE are guesses. A newer board that does not say what it is may be one.
    pub(super) fn sensing(&self) -> Sensing {
        if self.is_e_one() || (self.has_information() && self.information.is_none()) {
            Sensing::Occupancy
        } else {
            Sensing::Pieces
        }
    }

    pub(super) fn set(&mut self, address: u8, value: u8) {
        if let Some(register) = self.registers.get_mut(usize::from(address)) {
            *register = Some(value);
        }
    }

    fn get(&self, register: Register) -> Option<u8> {
        self.registers.get(usize::from(register.address())).copied().flatten()
    }

    pub(super) fn pace(&self, transport: Transport) -> Pace {
        let [scan, reports] = [Register::ScanTime, Register::Reports].map(|register| self.get(register));
        Pace::new(transport, scan, reports, self.stream.seen)
    }

    /// A status came that was not asked for.
    pub(super) fn unasked(&mut self, differs: bool) {
        self.stream.stalls = 0;
        if !differs {
            self.stream.idle = self.stream.idle.saturating_add(1);
            self.stream.seen |= self.stream.idle >= IDLE;
        }
    }

    /// The board was silent, and is asked why.
    pub(super) fn stalled(&mut self) {
        self.stream.idle = 0;
        self.stream.stalls = self.stream.stalls.saturating_add(1);
        self.stream.seen &= self.stream.stalls < STALLS;
    }

    /// The register to read after this one.
    pub(super) fn after(&self, register: Register) -> Option<Register> {
        let all = Register::ALL.into_iter().filter(|r| *r != Register::Options || self.is_e_one());
        all.filter(|next| next.address() > register.address()).min()
    }

    /// The next setting that has to be written.
    pub(super) fn wants(&self, transport: Transport, in_vain: &[Setting]) -> Option<Setting> {
        let registers = Register::ALL.into_iter().filter(|r| *r != Register::Options || self.is_e_one());
        let mut wanted = registers
            .filter_map(|register| timing::wanted(transport, register.address(), self.get(register)?));
        wanted.find(|setting| !in_vain.contains(setting))
    }
}
