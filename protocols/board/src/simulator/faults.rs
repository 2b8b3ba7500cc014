// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults as text: those of the line, and what all faults have in common.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

/// What goes wrong with the bytes of a board on their way to the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineFault {
    /// From now on bytes are lost. Text: `drop=1/100`, `drop=every:100`, `drop=never`.
    Drop(Rate),
    /// From now on this byte is inserted before others. Text: `insert=1/100` for a zero,
    /// `insert=every:100,5a` for another byte.
    Insert(Rate, u8),
    /// From now on bytes come twice. Text: `double=1/100`.
    Double(Rate),
    /// From now on a bit of bytes is turned over. Text: `flip=1/100`.
    Flip(Rate),
    /// The next message ends after so many bytes. Text: `cut=4`.
    Cut(u16),
    /// From now on messages are late by this. Text: `late=300ms`, `late=0ms` to end it.
    Late(Duration),
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

/// A fault that happens by itself. Text: the fault, and after `@` the time after the start, as in
/// `freeze=5s@30s`; without it the fault is there from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimedFault<F> {
    /// The fault.
    pub fault: F,
    /// How long after the board was first switched on.
    pub after: Duration,
}

/// The text names no fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseFaultError {
    /// There is no fault of this name.
    #[error("no fault is called {name:?}; there are {known}")]
    Name {
        /// What was written.
        name: String,
        /// The names that there are.
        known: String,
    },
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

/// Reads `name` or `name=value`. `forms` are the names of all faults and what follows each;
/// `parse` makes the fault of a name that is among them.
///
/// # Errors
/// [`ParseFaultError`].
pub fn parse_fault<F>(
    text: &str,
    forms: &[(&'static str, &'static str)],
    parse: impl FnOnce(&str, Option<&str>) -> Option<F>,
) -> Result<F, ParseFaultError> {
    let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
    let Some((name, form)) = forms.iter().find(|(known, _)| *known == name) else {
        return Err(ParseFaultError::Name { name: name.to_owned(), known: listed(forms) });
    };
    parse(name, value).ok_or_else(|| ParseFaultError::Value {
        name,
        value: value.unwrap_or_default().to_owned(),
        form,
    })
}

fn listed(forms: &[(&'static str, &'static str)]) -> String {
    let names: Vec<&str> = forms.iter().map(|(name, _)| *name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "none".to_owned(),
    }
}

impl LineFault {
    /// The names and what follows each, for [`parse_fault`].
    pub const FORMS: [(&'static str, &'static str); 6] = [
        ("drop", "=1/100, =every:100 or =never"),
        ("insert", "=1/100, =every:100,5a or =never"),
        ("double", "=1/100, =every:100 or =never"),
        ("flip", "=1/100, =every:100 or =never"),
        ("cut", "=4"),
        ("late", "=300ms"),
    ];

    /// The fault of this name, if it is one of the line and the value fits.
    #[must_use]
    pub fn parse(name: &str, value: Option<&str>) -> Option<Self> {
        match (name, value?) {
            ("drop", rate) => Rate::read(rate).map(Self::Drop),
            ("insert", value) => {
                let (rate, byte) = value.split_once(',').unwrap_or((value, "0"));
                Some(Self::Insert(Rate::read(rate)?, u8::from_str_radix(byte, 16).ok()?))
            }
            ("double", rate) => Rate::read(rate).map(Self::Double),
            ("flip", rate) => Rate::read(rate).map(Self::Flip),
            ("cut", bytes) => bytes.parse().ok().map(Self::Cut),
            ("late", by) => Written::read(by).map(Self::Late),
            _ => None,
        }
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drop(rate) => write!(f, "drop={rate}"),
            Self::Insert(rate, 0) => write!(f, "insert={rate}"),
            Self::Insert(rate, byte) => write!(f, "insert={rate},{byte:02x}"),
            Self::Double(rate) => write!(f, "double={rate}"),
            Self::Flip(rate) => write!(f, "flip={rate}"),
            Self::Cut(bytes) => write!(f, "cut={bytes}"),
            Self::Late(by) => write!(f, "late={}", Written(*by)),
        }
    }
}

impl Rate {
    fn read(text: &str) -> Option<Self> {
        let (rate, number) = match (text, text.strip_prefix("1/"), text.strip_prefix("every:")) {
            ("never", ..) => return Some(Self::Never),
            (_, Some(number), _) => (Self::OneIn as fn(u32) -> Self, number),
            (_, _, Some(number)) => (Self::Every as fn(u32) -> Self, number),
            _ => return None,
        };
        number.parse().ok().filter(|number| *number > 0).map(rate)
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

/// A time as the text of a fault has it: whole milliseconds or seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written(pub Duration);

impl Written {
    /// Reads `300ms` or `5s`.
    #[must_use]
    pub fn read(text: &str) -> Option<Duration> {
        if let Some(millis) = text.strip_suffix("ms") {
            return millis.parse().ok().map(Duration::from_millis);
        }
        text.strip_suffix('s')?.parse().ok().map(Duration::from_secs)
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.subsec_nanos() == 0 {
            write!(f, "{}s", self.0.as_secs())
        } else {
            write!(f, "{}ms", self.0.as_millis())
        }
    }
}

impl<F: FromStr<Err = ParseFaultError>> FromStr for TimedFault<F> {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (fault, after) = match text.split_once('@') {
            None => (text, Duration::ZERO),
            Some((fault, after)) => {
                (fault, Written::read(after).ok_or_else(|| ParseFaultError::Time(after.to_owned()))?)
            }
        };
        Ok(Self { fault: fault.parse()?, after })
    }
}

impl<F: fmt::Display> fmt::Display for TimedFault<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fault)?;
        if self.after.is_zero() { Ok(()) } else { write!(f, "@{}", Written(self.after)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_as_people_do() {
        assert_eq!(listed(&[]), "none");
        assert_eq!(listed(&[("cut", "=4")]), "cut");
        assert_eq!(listed(&[("cut", "=4"), ("late", "=1s"), ("drop", "")]), "cut, late and drop");
    }
}
