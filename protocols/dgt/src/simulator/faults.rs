// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong with a board, its clock and its line; each has a form as text.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use arbiterd_board::simulator::{LineFault, ParseFaultError, Written, parse_fault};
use arbiterd_board::{ResultToken, Square};

/// A fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Something is wrong with the line.
    Line(LineFault),
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

/// The names of all faults and what follows each.
const FORMS: [(&str, &str); 18] = {
    let [drop, insert, double, flip, cut, late] = LineFault::FORMS;
    [
        drop,
        insert,
        double,
        flip,
        cut,
        late,
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
    ]
};

const TOKENS: [(&str, ResultToken); 3] = [
    ("draw", ResultToken::Draw),
    ("white-wins", ResultToken::WhiteWins),
    ("black-wins", ResultToken::BlackWins),
];

impl FromStr for Fault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_fault(text, &FORMS, parse)
    }
}

fn parse(name: &str, value: Option<&str>) -> Option<Fault> {
    match (name, value) {
        ("bad-checksum", None) => Some(Fault::BadChecksum),
        ("freeze", Some(long)) => Written::read(long).map(Fault::Freeze),
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
        _ => LineFault::parse(name, value).map(Fault::Line),
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(fault) => fault.fmt(f),
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

#[cfg(test)]
mod tests {
    use super::super::TimedFault;
    use super::*;

    #[test]
    fn faults_are_written_as_they_are_read() {
        for text in [
            "drop=1/100",
            "drop=every:7",
            "drop=never",
            "insert=1/50",
            "double=1/50",
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
