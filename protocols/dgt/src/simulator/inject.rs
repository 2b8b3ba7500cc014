// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults as they happen.

use arbiterd_board::{Mono, Occupant};

use super::clock::SimulatedClock;
use super::{Condition, Fault, LeverState, Pause, Port, Simulator};
use crate::clock::ClockMessage;
use crate::message::Message;

impl Simulator {
    /// A fault happens now.
    pub fn inject(&mut self, now: Mono, fault: Fault) {
        self.advance(now);
        self.happen(fault);
    }

    pub(super) fn happen(&mut self, fault: Fault) {
        match fault {
            Fault::Line(fault) => self.output.suffer(fault),
            Fault::BadChecksum => self.bad_checksum = true,
            Fault::Freeze(long) => {
                let until = self.now.after(long);
                // A board that is starting does so all the same.
                self.pause.get_or_insert((until, Pause::Frozen));
            }
            Fault::Lever(state) => self.lever_is_stuck = state == LeverState::Stuck,
            Fault::Clock(port) => {
                self.clock_is_out = port == Port::Out;
                self.clock_moved();
            }
            Fault::ClockBatteryLow => {
                if let Some(clock) = &mut self.clock {
                    SimulatedClock::battery_is_low(clock);
                }
                self.clock_moved();
            }
            Fault::Unplug => self.condition = Condition::Unplugged,
            Fault::LeftoverTime => self.leftover_time = true,
            Fault::NullTime => self.send(&Message::Clock(ClockMessage::Null)),
            Fault::LogDump => self.send_log(),
            Fault::Flicker(square) => {
                if self.actual[square] != Occupant::Empty {
                    self.flickers.push(square);
                    self.unseen = true;
                }
            }
            Fault::BusFrame => self.say_stray_bus_frame(),
            Fault::Token(square, token) => {
                self.actual[square] = Occupant::Token(token);
                self.unseen = true;
            }
        }
    }
}
