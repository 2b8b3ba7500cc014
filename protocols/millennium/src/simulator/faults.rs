// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong with a board and its line; each has a form as text.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use arbiterd_board::Square;
use arbiterd_board::simulator::{LineFault, ParseFaultError, Written, parse_fault};

use crate::wire::{command_length, occupant};

/// A fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Something is wrong with the line.
    Line(LineFault),
    /// From now on answers come so long after their commands, while statuses go on. Text:
    /// `slow=300ms`, `slow=0ms` to end it.
    Slow(Duration),
    /// So many of the next answers are never given. Text: `no-answer=2`.
    NoAnswer(u32),
    /// From now on this command is neither obeyed nor answered. Text: `deaf=V`, `deaf=none`.
    Deaf(Option<u8>),
    /// Whether a status comes between a command and its answer. Text: `status-first=on`.
    StatusFirst(Switch),
    /// The next status that tells something new has so many squares of the status before, and the
    /// rest of its own; its block parity fits. Text: `splice=32`.
    Splice(u8),
    /// The block parity of the next message is wrong. Text: `bad-check`.
    BadCheck,
    /// Whether the digits of the block parity are lower case. Text: `lower-case=on`.
    LowerCase(Switch),
    /// Whether bytes have odd parity. Text: `parity=off`.
    Parity(Switch),
    /// Whether the host hears its own bytes. Text: `echo=on`.
    Echo(Switch),
    /// A square is read as empty by one scan, or as another letter. Text: `flicker=e4`,
    /// `flicker=e4,Q`.
    Flicker(Square, u8),
    /// From now on a square is read as this letter, also `?` or `O`. Text: `read=e4,?`.
    Read(Square, u8),
    /// From now on a square is read as the last scan saw it. Text: `stuck=e4`.
    Stuck(Square),
    /// The square is read again as it is. Text: `free=e4`.
    Free(Square),
    /// Another program has left this value in a register. Text: `register=02,07`.
    Register(u8, u8),
    /// The board neither hears nor says nor scans anything for so long. Text: `freeze=5s`.
    Freeze(Duration),
    /// The board hangs until it is switched off and on. Text: `hang`.
    Hang,
    /// The board is pulled off its port or loses its radio: see [`super::Simulator::is_unplugged`].
    /// Text: `unplug`.
    Unplug,
}

/// Whether something happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Switch {
    Off,
    On,
}

/// The names of all faults and what follows each.
const FORMS: [(&str, &str); 23] = {
    let [drop, insert, double, flip, cut, late] = LineFault::FORMS;
    [
        drop,
        insert,
        double,
        flip,
        cut,
        late,
        ("slow", "=300ms"),
        ("no-answer", "=1"),
        ("deaf", "=V or another letter of a command, or =none"),
        ("status-first", "=on or =off"),
        ("splice", "=32, up to 64"),
        ("bad-check", " alone"),
        ("lower-case", "=on or =off"),
        ("parity", "=on or =off"),
        ("echo", "=on or =off"),
        ("flicker", "=e4 or =e4,Q"),
        ("read", "=e4,? or another letter of a status"),
        ("stuck", "=e4"),
        ("free", "=e4"),
        ("register", "=02,07, address and value in hexadecimal"),
        ("freeze", "=5s"),
        ("hang", " alone"),
        ("unplug", " alone"),
    ]
};

impl FromStr for Fault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_fault(text, &FORMS, parse)
    }
}

fn parse(name: &str, value: Option<&str>) -> Option<Fault> {
    match (name, value) {
        ("slow", Some(by)) => Written::read(by).map(Fault::Slow),
        ("no-answer", Some(count)) => count.parse().ok().map(Fault::NoAnswer),
        ("deaf", Some("none")) => Some(Fault::Deaf(None)),
        ("deaf", Some(letter)) => {
            single(letter).filter(|l| command_length(*l).is_some()).map(|l| Fault::Deaf(Some(l)))
        }
        ("status-first", Some(value)) => Switch::read(value).map(Fault::StatusFirst),
        ("splice", Some(squares)) => {
            squares.parse().ok().filter(|squares| (0..=64).contains(squares)).map(Fault::Splice)
        }
        ("bad-check", None) => Some(Fault::BadCheck),
        ("lower-case", Some(value)) => Switch::read(value).map(Fault::LowerCase),
        ("parity", Some(value)) => Switch::read(value).map(Fault::Parity),
        ("echo", Some(value)) => Switch::read(value).map(Fault::Echo),
        ("flicker", Some(value)) => {
            let (square, letter) = value.split_once(',').unwrap_or((value, "."));
            Some(Fault::Flicker(square.parse().ok()?, status_letter(letter)?))
        }
        ("read", Some(value)) => {
            let (square, letter) = value.split_once(',')?;
            Some(Fault::Read(square.parse().ok()?, status_letter(letter)?))
        }
        ("stuck", Some(square)) => square.parse().ok().map(Fault::Stuck),
        ("free", Some(square)) => square.parse().ok().map(Fault::Free),
        ("register", Some(value)) => {
            let (address, value) = value.split_once(',')?;
            let byte = |text| u8::from_str_radix(text, 16).ok();
            Some(Fault::Register(byte(address)?, byte(value)?))
        }
        ("freeze", Some(long)) => Written::read(long).map(Fault::Freeze),
        ("hang", None) => Some(Fault::Hang),
        ("unplug", None) => Some(Fault::Unplug),
        _ => LineFault::parse(name, value).map(Fault::Line),
    }
}

fn single(text: &str) -> Option<u8> {
    match *text.as_bytes() {
        [letter] => Some(letter),
        _ => None,
    }
}

fn status_letter(text: &str) -> Option<u8> {
    single(text).filter(|letter| occupant(*letter).is_some())
}

impl Switch {
    fn read(text: &str) -> Option<Self> {
        match text {
            "on" => Some(Self::On),
            "off" => Some(Self::Off),
            _ => None,
        }
    }

    pub(super) const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_on() { "on" } else { "off" })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Line(fault) => fault.fmt(f),
            Self::Slow(by) => write!(f, "slow={}", Written(by)),
            Self::NoAnswer(count) => write!(f, "no-answer={count}"),
            Self::Deaf(Some(letter)) => write!(f, "deaf={}", char::from(letter)),
            Self::Deaf(None) => f.write_str("deaf=none"),
            Self::StatusFirst(switch) => write!(f, "status-first={switch}"),
            Self::Splice(squares) => write!(f, "splice={squares}"),
            Self::BadCheck => f.write_str("bad-check"),
            Self::LowerCase(switch) => write!(f, "lower-case={switch}"),
            Self::Parity(switch) => write!(f, "parity={switch}"),
            Self::Echo(switch) => write!(f, "echo={switch}"),
            Self::Flicker(square, b'.') => write!(f, "flicker={square}"),
            Self::Flicker(square, letter) => write!(f, "flicker={square},{}", char::from(letter)),
            Self::Read(square, letter) => write!(f, "read={square},{}", char::from(letter)),
            Self::Stuck(square) => write!(f, "stuck={square}"),
            Self::Free(square) => write!(f, "free={square}"),
            Self::Register(address, value) => write!(f, "register={address:02x},{value:02x}"),
            Self::Freeze(long) => write!(f, "freeze={}", Written(long)),
            Self::Hang => f.write_str("hang"),
            Self::Unplug => f.write_str("unplug"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TimedFault;
    use super::*;

    #[test]
    fn faults_are_written_as_they_are_read() {
        for text in [
            "drop=1/100",
            "insert=every:3,5a",
            "flip=never",
            "double=every:9",
            "cut=40",
            "late=300ms",
            "slow=2s",
            "no-answer=1",
            "deaf=V",
            "deaf=none",
            "status-first=on",
            "splice=32",
            "bad-check",
            "lower-case=off",
            "parity=off",
            "echo=on",
            "flicker=e4",
            "flicker=e4,Q",
            "read=e4,?",
            "read=a1,O",
            "stuck=e4",
            "free=e4",
            "register=02,07",
            "freeze=1500ms@30s",
            "hang@2500ms",
            "unplug",
        ] {
            assert_eq!(text.parse::<TimedFault>().map(|f| f.to_string()).as_deref(), Ok(text));
        }
        let said = "gremlin".parse::<Fault>().unwrap_err().to_string();
        assert!(FORMS.iter().all(|(name, _)| said.contains(name)), "{said}");
    }

    #[test]
    fn what_is_no_fault_is_refused_with_what_to_write() {
        let said = |text: &str| text.parse::<TimedFault>().unwrap_err().to_string();
        assert_eq!(
            said("deaf=Z"),
            "\"Z\" does not fit the fault deaf: write deaf=V or another letter of a command, or =none"
        );
        for text in [
            "",
            "drop",
            "slow=5",
            "no-answer=-1",
            "splice=65",
            "echo=yes",
            "flicker=i9",
            "read=e4",
            "read=e4,x",
            "register=2",
            "register=02,100",
            "unplug=now",
        ] {
            assert!(text.parse::<TimedFault>().is_err(), "{text}");
        }
    }
}
