// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults as they happen.

use arbiterd_board::{Mono, Parity};

use super::{Condition, Fault, Pause, Simulator};

impl Simulator {
    /// A fault happens now.
    pub fn inject(&mut self, now: Mono, fault: Fault) {
        self.advance(now);
        self.happen(fault);
    }

    pub(super) fn happen(&mut self, fault: Fault) {
        let ailments = &mut self.ailments;
        match fault {
            Fault::Line(fault) => self.output.suffer(fault),
            Fault::Slow(by) => ailments.slow = by,
            Fault::NoAnswer(count) => ailments.no_answer = count,
            Fault::Deaf(letter) => ailments.deaf = letter,
            Fault::StatusFirst(switch) => ailments.status_first = switch.is_on(),
            Fault::Splice(squares) => ailments.splice = Some(squares),
            Fault::BadCheck => ailments.bad_check = true,
            Fault::LowerCase(switch) => ailments.lower_case = switch.is_on(),
            Fault::Parity(switch) => {
                ailments.parity = if switch.is_on() { Parity::Odd } else { Parity::None };
            }
            Fault::Echo(switch) => ailments.echo = switch.is_on(),
            Fault::Flicker(square, letter) => {
                if self.is_occupied(square) {
                    self.flickers.push((square, letter));
                    self.reports.look_again();
                }
            }
            Fault::Read(square, letter) => {
                self.readings.insert(square, letter);
                self.reports.look_again();
            }
            Fault::Stuck(square) => _ = self.readings.insert(square, self.reports.seen(square)),
            Fault::Free(square) => {
                self.readings.remove(&square);
                self.reports.look_again();
            }
            Fault::Register(address, value) => {
                let mode = self.registers.reports();
                self.registers.leave(address, value);
                self.registers_changed(mode);
            }
            Fault::Freeze(long) => {
                let until = self.now.after(long);
                // A board that restarts does so all the same.
                self.pause.get_or_insert((until, Pause::Frozen));
            }
            Fault::Hang => self.condition = Condition::Hung,
            Fault::Unplug => self.condition = Condition::Unplugged,
        }
    }
}
