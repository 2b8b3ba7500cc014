// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host may say to a board.

use super::{CHECK, LIGHTS, check, command_length, frame, has_odd_parity, with_parity};
use super::{Lights, Pattern, Register, Setting, command_letter, hex_digits, hex_value};

/// What the host may say (topic: commands).
///
/// Commands that only imitations know, and addresses and values that are not described, cannot be
/// written down here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// `V`: ask for the version.
    Version,
    /// `S`: ask for a status.
    Status,
    /// `L`: set all lights.
    Lights(Lights),
    /// `X`: all lights off.
    LightsOff,
    /// `T`: restart the board, which is silent for three seconds then. Not during a game.
    Reset,
    /// `R`: ask what a register holds.
    Read(Register),
    /// `W`: write a register, which wears it.
    Write(Setting),
    /// `I`: ask for the first page of text.
    Information,
    /// `G`: ask a board that does not recognise pieces for a status. Not confirmed by any
    /// description.
    Dump,
}

/// The page that is asked for.
const PAGE: u8 = 0;

impl Command {
    /// The bytes, to be written in one piece: upper-case digits, block parity, odd parity.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        frame(self.characters())
    }

    /// The bytes without block parity, for a board that has it switched off in its register 00.
    #[must_use]
    pub fn encode_bare(&self) -> Vec<u8> {
        self.characters().into_iter().map(with_parity).collect()
    }

    fn characters(&self) -> Vec<u8> {
        let mut out = vec![self.letter()];
        match self {
            Self::Version | Self::Status | Self::LightsOff | Self::Reset | Self::Dump => {}
            Self::Lights(lights) => {
                out.extend(hex_digits(lights.slot()));
                out.extend(lights.patterns().iter().flat_map(|p| hex_digits(p.0)));
            }
            Self::Read(register) => out.extend(hex_digits(register.address())),
            Self::Write(setting) => {
                out.extend(hex_digits(setting.register().address()));
                out.extend(hex_digits(setting.value()));
            }
            Self::Information => out.extend(hex_digits(PAGE)),
        }
        out
    }

    /// The letter with which it begins.
    #[must_use]
    pub const fn letter(&self) -> u8 {
        match self {
            Self::Version => command_letter::VERSION,
            Self::Status => command_letter::STATUS,
            Self::Lights(_) => command_letter::LIGHTS,
            Self::LightsOff => command_letter::LIGHTS_OFF,
            Self::Reset => command_letter::RESET,
            Self::Read(_) => command_letter::READ,
            Self::Write(_) => command_letter::WRITE,
            Self::Information => command_letter::INFORMATION,
            Self::Dump => command_letter::DUMP,
        }
    }

    /// The command that one whole frame stands for; `None` if its length, its block parity or the
    /// parity of a byte is wrong, or if it says what cannot be written down here.
    #[must_use]
    pub fn from_frame(bytes: &[u8]) -> Option<Self> {
        let letter = *bytes.first()? & 0x7f;
        if command_length(letter) != Some(bytes.len()) || !bytes.iter().all(|b| has_odd_parity(*b)) {
            return None;
        }
        let (characters, digits) = bytes.split_at_checked(bytes.len().checked_sub(CHECK)?)?;
        let [high, low] = *digits else { return None };
        if hex_value(high, low)? != check(characters) {
            return None;
        }
        let values = characters.get(1..)?.chunks_exact(2).map(|pair| match *pair {
            [high, low] => hex_value(high, low),
            _ => None,
        });
        Self::from_values(letter, &values.collect::<Option<Vec<u8>>>()?)
    }

    fn from_values(letter: u8, values: &[u8]) -> Option<Self> {
        match (letter, values) {
            (command_letter::VERSION, []) => Some(Self::Version),
            (command_letter::STATUS, []) => Some(Self::Status),
            (command_letter::LIGHTS_OFF, []) => Some(Self::LightsOff),
            (command_letter::RESET, []) => Some(Self::Reset),
            (command_letter::DUMP, []) => Some(Self::Dump),
            (command_letter::INFORMATION, [PAGE]) => Some(Self::Information),
            (command_letter::READ, [address]) => Register::from_address(*address).map(Self::Read),
            (command_letter::WRITE, [address, value]) => {
                Setting::from_values(*address, *value).map(Self::Write)
            }
            (command_letter::LIGHTS, [slot, patterns @ ..]) if *slot > 0 => {
                let patterns: [u8; LIGHTS] = patterns.try_into().ok()?;
                Some(Self::Lights(Lights::new(*slot, patterns.map(Pattern))))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cable, EOneOptions, ReportMode, ScanTime};

    fn all() -> Vec<Command> {
        let squares = ["e2", "e4"].map(|name| name.parse().unwrap());
        let mut all = vec![
            Command::Version,
            Command::Status,
            Command::Lights(Lights::squares(&squares, Cable::Left)),
            Command::LightsOff,
            Command::Reset,
            Command::Write(Setting::BlockParity),
            Command::Write(Setting::ScanTime(ScanTime::FACTORY)),
            Command::Write(Setting::Reports(ReportMode::OnChange)),
            Command::Write(Setting::ReportTime(0xf0)),
            Command::Write(Setting::Options(EOneOptions::of_register(0xc2))),
            Command::Information,
            Command::Dump,
        ];
        all.extend(Register::ALL.map(Command::Read));
        all
    }

    #[test]
    fn each_command_is_read_as_it_is_written_and_has_its_length() {
        for command in all() {
            let bytes = command.encode();
            assert_eq!(command_length(command.letter()), Some(bytes.len()), "{command:?}");
            assert_eq!(Command::from_frame(&bytes), Some(command));
            assert_eq!(command.encode_bare(), bytes[..bytes.len() - CHECK]);
        }
    }

    #[test]
    fn a_command_that_a_board_ignores_is_no_command() {
        for command in all() {
            let bytes = command.encode();
            for at in 0..bytes.len() {
                for bit in 0..8 {
                    let mut wrong = bytes.clone();
                    wrong[at] ^= 1 << bit;
                    assert_eq!(Command::from_frame(&wrong), None, "{command:?}");
                }
            }
            assert_eq!(Command::from_frame(&bytes[1..]), None);
            assert_eq!(Command::from_frame(&bytes[..bytes.len() - 1]), None);
        }
        // Extensions of imitations, an undocumented register, block parity off.
        for text in ["0", "1", "3", "5", "M", "W0500", "W0700", "W1000", "W0001", "R05", "I01"] {
            assert_eq!(Command::from_frame(&frame(text.bytes())), None, "{text}");
        }
    }
}
