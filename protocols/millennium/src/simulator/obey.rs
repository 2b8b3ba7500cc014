// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board does when a host speaks to it (topic: commands).

use arbiterd_board::Parity;

use super::{Answer, Misuse, Pause, RESTART, Simulator};
use crate::host::{HostCommand, HostItem};
use crate::wire::{Register, ReportMode, answer, command_letter, frame, hex_digits};

impl Simulator {
    pub(super) fn obey(&mut self, item: HostItem) {
        match item {
            HostItem::Command(command) => self.obey_command(&command),
            HostItem::Unknown(byte) => self.note(Misuse::Unknown(byte)),
            HostItem::Broken(bytes) => self.note(Misuse::Broken(bytes)),
        }
    }

    /// A wrong command gives silence, and so does one that comes too early.
    fn obey_command(&mut self, command: &HostCommand) {
        let letter = command.letter;
        // A board that knows no parity does not look at the host's.
        if !command.odd && self.options.parity != Parity::None {
            return self.note(Misuse::BadParity(letter));
        }
        if !command.fits {
            return self.note(Misuse::BadCheck(letter));
        }
        if self.answer.is_some() {
            return self.note(Misuse::Hasty(letter));
        }
        if self.ailments.deaf == Some(letter) {
            return;
        }
        if let Some(harm) = command.harm() {
            self.note(Misuse::Harmful { harm, letter, values: command.values.clone() });
        }
        self.obeyed += 1;
        if letter == command_letter::RESET {
            return self.restart();
        }
        let delay = self.options.answer_delay.saturating_add(self.ailments.slow);
        let frame = self.answer_to(command);
        // Where nothing is answered the next command may come at once.
        if let Some(frame) = frame {
            self.answer = Some(Answer { at: self.now.after(delay), frame });
        }
    }

    fn restart(&mut self) {
        if self.options.quirks.answers_reset {
            self.say(frame([answer::RESET]));
        }
        self.pause = Some((self.now.after(RESTART), Pause::Restarting));
    }

    /// Does it and gives the answer, if there is one. A status is made when it is sent.
    fn answer_to(&mut self, command: &HostCommand) -> Option<Vec<u8>> {
        let quirks = self.options.quirks;
        match (command.letter, command.values.as_slice()) {
            (command_letter::VERSION, []) => {
                let version = self.options.version;
                Some(framed(answer::VERSION, &[version.main, version.sub]))
            }
            (command_letter::STATUS, []) => Some(vec![answer::STATUS]),
            (command_letter::DUMP, []) => quirks.dumps.then(|| vec![answer::DUMP]),
            (command_letter::LIGHTS, _) => {
                self.lights = command.lights().filter(|lights| !lights.are_dark());
                (!quirks.no_acks).then(|| framed(answer::LIGHTS, &[]))
            }
            (command_letter::LIGHTS_OFF, []) => {
                self.lights = None;
                if quirks.status_for_lights_off && self.reports_every_scan() {
                    return Some(vec![answer::STATUS]);
                }
                (!quirks.no_acks).then(|| framed(answer::LIGHTS_OFF, &[]))
            }
            (command_letter::WRITE, &[address, value]) if self.has_register(address) => {
                self.write(address, value);
                (!quirks.no_acks).then(|| framed(answer::WRITE, &[address, value]))
            }
            (command_letter::READ, &[address]) if self.has_register(address) => {
                let value = match quirks.scan_reads {
                    Some(always) if address == Register::ScanTime.address() => always,
                    _ => self.registers.value(address),
                };
                let named = if quirks.wrong_addresses { address.wrapping_add(1) } else { address };
                Some(framed(answer::READ, &[named, value]))
            }
            (command_letter::INFORMATION, &[page]) => self.information(page),
            _ => None,
        }
    }

    fn has_register(&self, address: u8) -> bool {
        self.options.quirks.registers.is_none_or(|limit| address < limit)
    }

    fn write(&mut self, address: u8, value: u8) {
        if self.registers.value(address) == value {
            self.note(Misuse::NeedlessWrite(address));
        }
        let mode = self.registers.reports();
        self.registers.write(address, value);
        self.registers_changed(mode);
    }

    /// Registers hold something else; `before` is how reports were made.
    pub(super) fn registers_changed(&mut self, before: ReportMode) {
        let mode = self.registers.reports();
        self.reports.retime(self.now, mode != before);
    }

    fn information(&self, page: u8) -> Option<Vec<u8>> {
        let text = self.options.information.as_ref()?;
        let page = self.options.quirks.page.unwrap_or(page);
        let mut characters = vec![answer::INFORMATION];
        characters.extend(hex_digits(page));
        characters.extend(text.bytes());
        characters.push(b'\n');
        Some(frame(characters))
    }

    /// Gives an answer that is due.
    pub(super) fn give(&mut self, frame: Vec<u8>) {
        if self.ailments.status_first {
            self.report();
        }
        if self.ailments.no_answer > 0 {
            self.ailments.no_answer -= 1;
            return;
        }
        match frame.as_slice() {
            [answer::STATUS] => self.report(),
            [answer::DUMP] => self.say(self.dump()),
            _ => self.say(frame),
        }
    }
}

fn framed(letter: u8, values: &[u8]) -> Vec<u8> {
    frame(core::iter::once(letter).chain(values.iter().flat_map(|value| hex_digits(*value))))
}
