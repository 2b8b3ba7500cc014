// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong with a board, its clock and its line; each has a form as text.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use arbiterd_board::{ResultToken, Square};

/// A fault. Those of the line concern what the board sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// From now on bytes are lost. Text: `drop=1/100`, `drop=every:100`, `drop=never`.
    Drop(Rate),
    /// From now on this byte is inserted before others. Text: `insert=1/100` for a zero,
    /// `insert=every:100,5a` for another byte.
    Insert(Rate, u8),
    /// From now on a bit of bytes is turned over. Text: `flip=1/100`.
    Flip(Rate),
    /// The next message ends after so many bytes. Text: `cut=4`.
    Cut(u16),
    /// From now on messages are late by this. Text: `late=300ms`, `late=0ms` to end it.
    Late(Duration),
    /// The checksum of the next answer in bus mode is wrong. Text: `bad-checksum`.
    BadChecksum,
    /// The board neither hears nor says nor scans anything for so long. Text: `freeze=5s`.
    Freeze(Duration),
    /// The lever does not move any more, or again does. Text: `lever=stuck`, `lever=free`.
    Lever(LeverState),
    /// The clock is pulled out of its port, or put back. Text: `clock=out`, `clock=in`.
    Clock(Port),
    /// The battery of the clock is low. Text: `clock-battery-low`.
    ClockBatteryLow,
    /// The board is pulled off its port or loses its radio: see [`super::Simulator::is_unplugged`].
    /// Text: `unplug`.
    Unplug,
    /// After the next answer to a text comes the time 12:08:08, which no clock can show. Text:
    /// `leftover-time`.
    LeftoverTime,
    /// A clock message of zeros. Text: `null-time`.
    NullTime,
    /// The log of the memory, though nobody asked for it. Text: `log-dump`.
    LogDump,
    /// A square is read as empty by one scan. Text: `flicker=e4`.
    Flicker(Square),
    /// A frame of bus mode, though nobody asked for it. Text: `bus-frame`.
    BusFrame,
    /// Somebody puts a piece that announces a result on a square. Text: `token=e4,draw`, or
    /// `white-wins` or `black-wins`.
    Token(Square, ResultToken),
}

/// How often a fault of the line happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rate {
    /// Not at all.
    #[default]
    Never,
    /// To one byte in so many, by chance.
    OneIn(u32),
    /// To every so-manieth byte, counted from the moment of the fault.
    Every(u32),
}

/// Whether the lever moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum LeverState {
    Stuck,
    Free,
}

/// Whether the clock is in its port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Port {
    Out,
    In,
}

/// A fault that happens by itself. Text: the fault, and after `@` the time after the start, as in
/// `freeze=5s@30s`; without it the fault is there from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimedFault {
    /// The fault.
    pub fault: Fault,
    /// How long after the board was first switched on.
    pub after: Duration,
}

/// The text names no fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseFaultError {
    /// There is no fault of this name.
    #[error(
        "no fault is called {0:?}; there are drop, insert, flip, cut, late, bad-checksum, freeze, lever, \
         clock, clock-battery-low, unplug, leftover-time, null-time, log-dump, flicker, bus-frame and token"
    )]
    Name(String),
    /// What follows the name does not fit it.
    #[error("{value:?} does not fit the fault {name}: write {name}{form}")]
    Value {
        /// The name of the fault.
        name: &'static str,
        /// What was written after it.
        value: String,
        /// What to write.
        form: &'static str,
    },
    /// The time after `@` is none.
    #[error("{0:?} is no time: write it in ms or s, such as 300ms or 5s")]
    Time(String),
}

/// The names of all faults and what follows each.
const FORMS: [(&str, &str); 17] = [
    ("drop", "=1/100, =every:100 or =never"),
    ("insert", "=1/100, =every:100,5a or =never"),
    ("flip", "=1/100, =every:100 or =never"),
    ("cut", "=4"),
    ("late", "=300ms"),
    ("bad-checksum", " alone"),
    ("freeze", "=5s"),
    ("lever", "=stuck or =free"),
    ("clock", "=out or =in"),
    ("clock-battery-low", " alone"),
    ("unplug", " alone"),
    ("leftover-time", " alone"),
    ("null-time", " alone"),
    ("log-dump", " alone"),
    ("flicker", "=e4"),
    ("bus-frame", " alone"),
    ("token", "=e4,draw, =e4,white-wins or =e4,black-wins"),
];

const TOKENS: [(&str, ResultToken); 3] = [
    ("draw", ResultToken::Draw),
    ("white-wins", ResultToken::WhiteWins),
    ("black-wins", ResultToken::BlackWins),
];

impl FromStr for Fault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
        let (name, form) = FORMS
            .into_iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| ParseFaultError::Name(name.to_owned()))?;
        parse(name, value).ok_or_else(|| ParseFaultError::Value {
            name,
            value: value.unwrap_or_default().to_owned(),
            form,
        })
    }
}

fn parse(name: &str, value: Option<&str>) -> Option<Fault> {
    match (name, value) {
        ("drop", Some(rate)) => rate_from(rate).map(Fault::Drop),
        ("insert", Some(value)) => {
            let (rate, byte) = value.split_once(',').unwrap_or((value, "0"));
            Some(Fault::Insert(rate_from(rate)?, u8::from_str_radix(byte, 16).ok()?))
        }
        ("flip", Some(rate)) => rate_from(rate).map(Fault::Flip),
        ("cut", Some(bytes)) => bytes.parse().ok().map(Fault::Cut),
        ("late", Some(by)) => duration_from(by).map(Fault::Late),
        ("bad-checksum", None) => Some(Fault::BadChecksum),
        ("freeze", Some(long)) => duration_from(long).map(Fault::Freeze),
        ("lever", Some("stuck")) => Some(Fault::Lever(LeverState::Stuck)),
        ("lever", Some("free")) => Some(Fault::Lever(LeverState::Free)),
        ("clock", Some("out")) => Some(Fault::Clock(Port::Out)),
        ("clock", Some("in")) => Some(Fault::Clock(Port::In)),
        ("clock-battery-low", None) => Some(Fault::ClockBatteryLow),
        ("unplug", None) => Some(Fault::Unplug),
        ("leftover-time", None) => Some(Fault::LeftoverTime),
        ("null-time", None) => Some(Fault::NullTime),
        ("log-dump", None) => Some(Fault::LogDump),
        ("flicker", Some(square)) => square.parse().ok().map(Fault::Flicker),
        ("bus-frame", None) => Some(Fault::BusFrame),
        ("token", Some(value)) => {
            let (square, token) = value.split_once(',')?;
            let (_, token) = TOKENS.into_iter().find(|(word, _)| *word == token)?;
            Some(Fault::Token(square.parse().ok()?, token))
        }
        _ => None,
    }
}

fn rate_from(text: &str) -> Option<Rate> {
    let (rate, number) = match (text, text.strip_prefix("1/"), text.strip_prefix("every:")) {
        ("never", ..) => return Some(Rate::Never),
        (_, Some(number), _) => (Rate::OneIn as fn(u32) -> Rate, number),
        (_, _, Some(number)) => (Rate::Every as fn(u32) -> Rate, number),
        _ => return None,
    };
    number.parse().ok().filter(|number| *number > 0).map(rate)
}

/// Whole milliseconds or seconds.
fn duration_from(text: &str) -> Option<Duration> {
    if let Some(millis) = text.strip_suffix("ms") {
        return millis.parse().ok().map(Duration::from_millis);
    }
    text.strip_suffix('s')?.parse().ok().map(Duration::from_secs)
}

struct Written(Duration);

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.subsec_nanos() == 0 {
            write!(f, "{}s", self.0.as_secs())
        } else {
            write!(f, "{}ms", self.0.as_millis())
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("never"),
            Self::OneIn(number) => write!(f, "1/{number}"),
            Self::Every(number) => write!(f, "every:{number}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drop(rate) => write!(f, "drop={rate}"),
            Self::Insert(rate, 0) => write!(f, "insert={rate}"),
            Self::Insert(rate, byte) => write!(f, "insert={rate},{byte:02x}"),
            Self::Flip(rate) => write!(f, "flip={rate}"),
            Self::Cut(bytes) => write!(f, "cut={bytes}"),
            Self::Late(by) => write!(f, "late={}", Written(*by)),
            Self::BadChecksum => f.write_str("bad-checksum"),
            Self::Freeze(long) => write!(f, "freeze={}", Written(*long)),
            Self::Lever(LeverState::Stuck) => f.write_str("lever=stuck"),
            Self::Lever(LeverState::Free) => f.write_str("lever=free"),
            Self::Clock(Port::Out) => f.write_str("clock=out"),
            Self::Clock(Port::In) => f.write_str("clock=in"),
            Self::ClockBatteryLow => f.write_str("clock-battery-low"),
            Self::Unplug => f.write_str("unplug"),
            Self::LeftoverTime => f.write_str("leftover-time"),
            Self::NullTime => f.write_str("null-time"),
            Self::LogDump => f.write_str("log-dump"),
            Self::Flicker(square) => write!(f, "flicker={square}"),
            Self::BusFrame => f.write_str("bus-frame"),
            Self::Token(square, token) => {
                let word = TOKENS.iter().find(|(_, t)| t == token).map_or("", |(word, _)| word);
                write!(f, "token={square},{word}")
            }
        }
    }
}

impl FromStr for TimedFault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (fault, after) = match text.split_once('@') {
            None => (text, Duration::ZERO),
            Some((fault, after)) => {
                (fault, duration_from(after).ok_or_else(|| ParseFaultError::Time(after.to_owned()))?)
            }
        };
        Ok(Self { fault: fault.parse()?, after })
    }
}

impl fmt::Display for TimedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fault)?;
        if self.after.is_zero() { Ok(()) } else { write!(f, "@{}", Written(self.after)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_written_as_they_are_read() {
        for text in [
            "drop=1/100",
            "drop=every:7",
            "drop=never",
            "insert=1/50",
            "insert=every:3,5a",
            "flip=1/9",
            "cut=4",
            "late=300ms",
            "bad-checksum",
            "freeze=5s",
            "lever=stuck",
            "lever=free",
            "clock=out",
            "clock=in",
            "clock-battery-low",
            "unplug",
            "leftover-time",
            "null-time",
            "log-dump",
            "flicker=e4",
            "bus-frame",
            "token=e4,draw",
            "token=a8,white-wins",
            "freeze=1500ms@30s",
            "unplug@2500ms",
        ] {
            assert_eq!(text.parse::<TimedFault>().map(|f| f.to_string()).as_deref(), Ok(text));
        }
        let names: Vec<&str> = FORMS.iter().map(|(name, _)| *name).collect();
        let said = "gremlin".parse::<Fault>().unwrap_err().to_string();
        assert!(names.iter().all(|name| said.contains(name)), "{said}");
    }

    #[test]
    fn what_is_no_fault_is_refused_with_what_to_write() {
        let said = |text: &str| text.parse::<TimedFault>().unwrap_err().to_string();
        assert_eq!(
            said("drop=often"),
            "\"often\" does not fit the fault drop: write drop=1/100, =every:100 or =never"
        );
        assert!(said("unplug=now").contains("write unplug alone"));
        assert!(said("freeze=5s@soon").contains("\"soon\" is no time"));
        for text in
            ["", "drop", "drop=1/0", "cut=-1", "flicker=i9", "token=e4,loss", "late=5", "insert=1/5,1ff"]
        {
            assert!(text.parse::<TimedFault>().is_err(), "{text}");
        }
    }
}
