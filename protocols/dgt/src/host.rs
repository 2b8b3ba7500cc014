// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ear of a board: what a host says, read from its bytes in any portions.
//!
//! A board cannot choose its hosts, so everything is an item here: commands, what harms a board,
//! bytes that nobody knows, frames that never become whole. A frame that is broken off swallows
//! no command: a byte from 0x80 on ends it, and so does a pause of more than [`LONGEST_PAUSE`].
//! No description says how long a board waits; the pause lies well above the 10 ms that the
//! longest command takes on the line and well below the second after which hosts ask again.

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::Mono;

use crate::wire::{CLOCK_COMMAND, Command, LIGHTS_COMMAND, Lights, SetAndRun, bus_checksum, clock_code};

/// Two bytes of one frame come no further apart than this.
pub const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Bytes of one command that harm a board (topic: host commands): the boot loader, and the scans
/// for draughts that are stored in the board's memory.
pub const HARMFUL: [u8; 4] = [0x4e, 0x51, 0x53, 0x54];

/// Something that a host said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostItem {
    /// A command of one byte.
    Command(Command),
    /// One of [`HARMFUL`].
    Harmful(u8),
    /// A byte that is no command.
    Unknown(u8),
    /// A whole command for the clock.
    Clock(ClockFrame),
    /// A whole command for the lights.
    Lights(LightsFrame),
    /// The developer's key of a Pegasus, skipped by its length.
    PegasusKey,
    /// A whole command of bus mode.
    Bus(BusRequest),
    /// A frame that was broken off, or is not built as its kind.
    Broken(Vec<u8>),
}

/// A command for the clock: `2b size 03 code arguments 00` (topic: clock commands). Codes and
/// arguments are taken as they come, also where no host should send them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockFrame {
    /// What is to be done: one of [`clock_code`].
    pub code: u8,
    /// What lies between the code and the closing zero.
    pub arguments: Vec<u8>,
}

/// A text for the clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeardText {
    /// Eight or eleven characters; what is not ASCII is `?`.
    pub text: String,
    /// How long to beep.
    pub beep: Duration,
}

impl ClockFrame {
    /// The times and who runs.
    #[must_use]
    pub fn set_and_run(&self) -> Option<SetAndRun> {
        let arguments = self.arguments.as_slice().try_into().ok()?;
        (self.code == clock_code::SET_AND_RUN).then(|| SetAndRun::decode(arguments)).flatten()
    }

    /// A text of letters.
    #[must_use]
    pub fn text(&self) -> Option<HeardText> {
        let length = match self.code {
            clock_code::TEXT => 8,
            clock_code::LONG_TEXT => 11,
            _ => return None,
        };
        let (beep, text) = self.arguments.split_last().filter(|(_, text)| text.len() == length)?;
        let text = text.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '?' }).collect();
        Some(HeardText { text, beep: beep_after_text(*beep) })
    }

    /// How long a beep without a text lasts: steps of 64 ms.
    #[must_use]
    pub fn beep(&self) -> Option<Duration> {
        match (self.code, self.arguments.as_slice()) {
            (clock_code::BEEP, [steps]) => Some(Duration::from_millis(64) * u32::from(*steps)),
            _ => None,
        }
    }

    /// The six seven-segment digits from left to right, the dots, and whether to beep.
    #[must_use]
    pub fn segments(&self) -> Option<([u8; 6], u8, bool)> {
        match (self.code, self.arguments.as_slice()) {
            (clock_code::DISPLAY, &[c, b, a, f, e, d, dots, beep]) => {
                Some(([a, b, c, d, e, f], dots, beep == 0x03))
            }
            _ => None,
        }
    }

    /// The icons: left, right, their periods and flags, and what is said of all.
    #[must_use]
    pub fn icons(&self) -> Option<[u8; 5]> {
        match (self.code, self.arguments.as_slice()) {
            // Three of the zeros are arguments, the fourth closes the frame.
            (clock_code::ICONS, &[left, right, left_period, right_period, all, _, _, _]) => {
                Some([left, right, left_period, right_period, all])
            }
            _ => None,
        }
    }
}

/// 62.5 ms and n sixteenths of a second; nothing is no beep (topic: clock commands).
fn beep_after_text(steps: u8) -> Duration {
    if steps == 0 { Duration::ZERO } else { Duration::from_micros(62_500) * (u32::from(steps.min(15)) + 1) }
}

/// A command for the lights: `60 04 pattern from to 00`, or from an old host `60 02 pattern 00`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LightsFrame {
    /// 0 off, 1 on, 2 configure.
    pub pattern: u8,
    /// Two raw squares, or a setting and its value; the short form has none.
    pub values: Option<[u8; 2]>,
}

impl LightsFrame {
    /// What it says, if the lights know it. The short form can only switch all of them off.
    #[must_use]
    pub fn lights(&self) -> Option<Lights> {
        match (self.pattern, self.values) {
            (pattern, Some([from, to])) => Lights::decode([pattern, from, to]),
            (0, None) => Some(Lights::AllOff),
            (_, None) => None,
        }
    }
}

/// A command of bus mode as a host sent it: `command address address checksum` (topic: bus mode).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusRequest {
    /// The command, from 0x81 on.
    pub command: u8,
    /// The address, 14 bits; 0 is all boards.
    pub address: u16,
    /// The checksum fits.
    pub intact: bool,
}

/// The kinds of frames, by the byte that opens them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Clock,
    Lights,
    PegasusKey,
    Bus,
}

const PEGASUS_KEY: u8 = 0x63;
const LONGEST_CLOCK_BODY: u8 = 0x0f;
/// Below the printable characters, so that no text holds this size. The key in use has seven bytes.
const LONGEST_KEY: u8 = 0x1f;
const BUS_FRAME: usize = 4;
/// The size byte of the command for the icons.
const LONG_ICONS: u8 = 0x0c;

impl Kind {
    const fn opened_by(byte: u8) -> Option<Self> {
        match byte {
            CLOCK_COMMAND => Some(Self::Clock),
            LIGHTS_COMMAND => Some(Self::Lights),
            PEGASUS_KEY => Some(Self::PegasusKey),
            // Those that are described, and three that drivers were seen to send.
            0x81..=0x8d | 0x92 | 0x97 | 0xdf => Some(Self::Bus),
            _ => None,
        }
    }

    /// Whether a frame of this kind can have this size byte. If not, its first byte was none:
    /// a lower-case `c` that is left of a text opens no key.
    const fn has_size(self, size: u8) -> bool {
        match self {
            Self::Clock => matches!(size, 2..=LONGEST_CLOCK_BODY),
            Self::Lights => matches!(size, 2 | 4),
            Self::PegasusKey => matches!(size, 1..=LONGEST_KEY),
            Self::Bus => true,
        }
    }
}

/// Reads a host's bytes. After each portion ask [`HostDecoder::poll`] until it has nothing more.
#[derive(Clone, Debug, Default)]
pub struct HostDecoder {
    frame: Option<(Kind, Vec<u8>)>,
    last: Mono,
    items: VecDeque<HostItem>,
}

impl HostDecoder {
    /// Nothing heard yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes arrive. None at all are no sign of anything: the pause goes on.
    pub fn hear(&mut self, now: Mono, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if now.since(self.last) > LONGEST_PAUSE {
            self.break_off();
        }
        self.last = self.last.max(now);
        for byte in bytes {
            self.push(*byte);
        }
    }

    /// The next item.
    pub fn poll(&mut self) -> Option<HostItem> {
        self.items.pop_front()
    }

    /// Forgets half a frame and all that was not asked for.
    pub fn reset(&mut self) {
        self.frame = None;
        self.items.clear();
    }

    fn push(&mut self, byte: u8) {
        let Some((kind, frame)) = &mut self.frame else { return self.begin(byte) };
        let kind = *kind;
        // The bytes of a key are any bytes; all others have seven bits.
        if byte >= 0x80 && kind != Kind::PegasusKey {
            self.break_off();
            return self.begin(byte);
        }
        if frame.len() == 1 && !kind.has_size(byte) {
            let opened = frame.first().copied().unwrap_or(byte);
            self.frame = None;
            self.items.push_back(HostItem::Unknown(opened));
            return self.begin(byte);
        }
        frame.push(byte);
        if frame.len() == whole_length(kind, frame) {
            let item = read(kind, frame);
            self.frame = None;
            self.items.push_back(item);
        }
    }

    fn begin(&mut self, byte: u8) {
        if let Some(kind) = Kind::opened_by(byte) {
            self.frame = Some((kind, vec![byte]));
            return;
        }
        let item = match Command::from_byte(byte) {
            Some(command) => HostItem::Command(command),
            None if HARMFUL.contains(&byte) => HostItem::Harmful(byte),
            None => HostItem::Unknown(byte),
        };
        self.items.push_back(item);
    }

    fn break_off(&mut self) {
        if let Some((_, frame)) = self.frame.take() {
            self.items.push_back(HostItem::Broken(frame));
        }
    }
}

/// How long a frame is, as far as its bytes tell yet.
fn whole_length(kind: Kind, frame: &[u8]) -> usize {
    match (kind, frame) {
        (Kind::Bus, _) => BUS_FRAME,
        // The description of the icons lists a byte less than it counts. So hosts send either,
        // and a zero that follows is no command.
        (Kind::Clock, [_, LONG_ICONS, _, clock_code::ICONS, ..]) => 1 + usize::from(LONG_ICONS),
        (_, [_, size, ..]) => 2 + usize::from(*size),
        _ => usize::MAX,
    }
}

fn read(kind: Kind, frame: &[u8]) -> HostItem {
    match (kind, frame) {
        (Kind::Clock, &[_, _, 0x03, code, ref arguments @ .., 0x00]) => {
            HostItem::Clock(ClockFrame { code, arguments: arguments.to_vec() })
        }
        (Kind::Lights, &[_, _, pattern, from, to, 0x00]) => {
            HostItem::Lights(LightsFrame { pattern, values: Some([from, to]) })
        }
        (Kind::Lights, &[_, _, pattern, 0x00]) => HostItem::Lights(LightsFrame { pattern, values: None }),
        (Kind::PegasusKey, _) => HostItem::PegasusKey,
        (Kind::Bus, &[command, high, low, checksum]) => HostItem::Bus(BusRequest {
            command,
            address: (u16::from(high) << 7) | u16::from(low),
            intact: checksum == bus_checksum(&[command, high, low]),
        }),
        _ => HostItem::Broken(frame.to_vec()),
    }
}

#[cfg(test)]
mod tests;
