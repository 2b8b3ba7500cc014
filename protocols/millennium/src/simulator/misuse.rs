// SPDX-License-Identifier: MIT OR Apache-2.0
//! What hosts do that they should not.

use super::Simulator;
use crate::host::Harm;

/// So much of it is remembered.
const MOST_REMEMBERED: usize = 64;

/// Something that no host should do. The board bears it, as real ones do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misuse {
    /// A byte that begins no command.
    Unknown(u8),
    /// A command that was broken off.
    Broken(Vec<u8>),
    /// A command of this letter with a wrong byte parity: it was not obeyed.
    BadParity(u8),
    /// A command of this letter with a wrong block parity: it was not obeyed.
    BadCheck(u8),
    /// A command of this letter before the one before it was answered: it was not obeyed.
    Hasty(u8),
    /// A value was written into this register that was there already: it only wears it.
    NeedlessWrite(u8),
    /// A command of this letter that does harm, and with `W` the address and the value.
    Harmful {
        /// What it does.
        harm: Harm,
        /// The letter of the command.
        letter: u8,
        /// What follows it.
        values: Vec<u8>,
    },
}

impl Simulator {
    pub(super) fn note(&mut self, misuse: Misuse) {
        if self.misuses.len() < MOST_REMEMBERED {
            self.misuses.push(misuse);
        }
    }
}
