// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of the board.

use arbiterd_board::{Capabilities, Identity, Mono, Sensing, Version};

use super::timing::{self, Pace, Transport};
use crate::message::Text;
use crate::wire::{Register, ScanTime, Setting};

/// From this version on there are boards that do not recognise pieces (topic: version).
const NEWER: u8 = 2;
/// Boards of these versions were seen not to answer when their lights were set or a register was
/// written (topic: quirks).
const MUTE: core::ops::Range<(u8, u8)> = (0x01, 0x10)..(0x02, 0x00);
/// So begins the text of a board that does not recognise pieces.
const E_ONE: &[u8] = b"e-one";

/// Something that a board tells of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    Version(Version),
    Page(Text),
    Register { address: u8, value: u8 },
}

/// What becomes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Belief {
    /// The next answer has to say the same.
    AskAgain,
    /// Two answers in a row have said it.
    Agreed,
    /// The board says something else each time: it is not known.
    Never,
}

/// So many answers are waited for until two agree.
const ANSWERS: u8 = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) version: Option<Version>,
    information: Option<Text>,
    /// It was said once; that no piece is known is believed more easily than that all are.
    e_one: bool,
    doubted: Option<Told>,
    doubts: u8,
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
    /// When the first of so many statuses came that nobody asked for.
    measured: Option<(Mono, u32)>,
    /// How many times as long a scan takes as the register says; 0 until it was measured.
    slowness: u32,
}

/// A board that sends on change does not tell the same over and over; one status may answer a question
/// that was given up.
const IDLE: u8 = 3;
/// More would be no stream.
const SLOWEST: u32 = 8;
/// So many statuses in a stream show how long a scan takes.
const MEASURED: u32 = 16;
/// One pause may be a loss.
const STALLS: u8 = 2;

impl Known {
    /// Something was told of the board. The check of a frame sees no two faults that cancel each other,
    /// and what all else rests on must not hang on one frame: it is believed when two answers in a row
    /// say the same.
    pub(super) fn hear(&mut self, told: Told) -> Belief {
        if let Told::Page(text) = told
            && is_e_one(text)
        {
            self.e_one = true;
            return Belief::Agreed;
        }
        if self.doubted == Some(told) {
            self.doubt_nothing();
            match told {
                Told::Version(version) => self.version = Some(version),
                Told::Page(text) => self.information = Some(text),
                Told::Register { address, value } => self.set(address, value),
            }
            return Belief::Agreed;
        }
        self.doubted = Some(told);
        self.doubts += 1;
        if self.doubts < ANSWERS {
            return Belief::AskAgain;
        }
        self.doubt_nothing();
        Belief::Never
    }

    /// Another question is asked now.
    pub(super) const fn doubt_nothing(&mut self) {
        self.doubted = None;
        self.doubts = 0;
    }

    /// Whether the board can be asked who it is. One whose version is not certain may be a newer one.
    pub(super) fn has_information(&self) -> bool {
        self.version.is_none_or(|version| version.main >= NEWER)
    }

    /// Whether it has still to say so.
    pub(super) fn wants_page(&self) -> bool {
        self.has_information() && self.information.is_none() && !self.e_one
    }

    /// Whether it does not acknowledge everything that it does.
    pub(super) fn is_mute(&self) -> bool {
        self.version.is_some_and(|version| MUTE.contains(&(version.main, version.sub)))
    }

    pub(super) const fn is_e_one(&self) -> bool {
        self.e_one
    }

    /// The letters of an eONE are guesses. A newer board that does not say what it is may be one.
    pub(super) fn sensing(&self) -> Sensing {
        if self.e_one || self.wants_page() { Sensing::Occupancy } else { Sensing::Pieces }
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
        Pace {
            slowness: if self.stream.seen { self.stream.slowness.max(1) } else { 1 },
            ..Pace::new(transport, scan, reports, self.stream.seen)
        }
    }

    /// A status came that was not asked for.
    pub(super) fn unasked(&mut self, now: Mono, differs: bool) {
        self.stream.stalls = 0;
        if self.stream.seen {
            self.measure(now);
        }
        if !differs {
            self.stream.idle = self.stream.idle.saturating_add(1);
            self.stream.seen |= self.stream.idle >= IDLE;
        }
    }

    /// One imitation tells one time in its register, whatever it is written and however long its scans
    /// take (topic: quirks). Only a stream shows it: elsewhere statuses come when hands move. Lost statuses
    /// make a scan seem longer, which does no harm.
    fn measure(&mut self, now: Mono) {
        let Some(scan) = self.get(Register::ScanTime).map(|value| ScanTime::of_register(value).duration())
        else {
            return;
        };
        let (since, count) = self.stream.measured.unwrap_or((now, 0));
        self.stream.measured = Some((since, count + 1));
        if count < MEASURED {
            return;
        }
        // A quarter more is the way's doing, and now and then a lost status.
        let whole = (scan * MEASURED).as_micros().max(1);
        let took = now.since(since).as_micros().saturating_sub(whole / 4);
        self.stream.slowness = u32::try_from(took.div_ceil(whole)).unwrap_or(u32::MAX).clamp(1, SLOWEST);
        self.stream.measured = None;
    }

    /// The board was silent, and is asked why.
    pub(super) fn stalled(&mut self) {
        self.stream.measured = None;
        self.stream.idle = 0;
        self.stream.stalls = self.stream.stalls.saturating_add(1);
        if self.stream.stalls >= STALLS {
            self.stream = Stream { stalls: self.stream.stalls, ..Stream::default() };
        }
    }

    /// The register to read after this one.
    pub(super) fn after(&self, register: Register) -> Option<Register> {
        let all = Register::ALL.into_iter().filter(|r| *r != Register::Options || self.is_e_one());
        all.filter(|next| next.address() > register.address()).min()
    }

    /// Whether its register holds something else still.
    pub(super) fn still_wants(&self, transport: Transport, setting: Setting) -> bool {
        let register = setting.register();
        let holds = self.get(register);
        holds.and_then(|holds| timing::wanted(transport, register.address(), holds)) == Some(setting)
    }

    /// The next setting that has to be written.
    pub(super) fn wants(&self, transport: Transport, in_vain: &[Setting]) -> Option<Setting> {
        let registers = Register::ALL.into_iter().filter(|r| *r != Register::Options || self.is_e_one());
        let mut wanted = registers
            .filter_map(|register| timing::wanted(transport, register.address(), self.get(register)?));
        wanted.find(|setting| !in_vain.contains(setting))
    }
}

fn is_e_one(text: Text) -> bool {
    let start = text.as_str().as_bytes().get(..E_ONE.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(E_ONE))
}
