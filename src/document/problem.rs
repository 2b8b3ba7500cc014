// SPDX-License-Identifier: GPL-3.0-or-later
//! What can be wrong with a file, and how it is told to a person.

use std::fmt;
use std::path::PathBuf;

/// Something wrong at one place of a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Problem {
    /// The file, as it was named by whoever read it.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The key with the tables it stands in, such as `[[table]].rulebook`; empty for the file.
    pub key: String,
    /// What is wrong.
    pub what: Fault,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file.display(), self.line)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}", self.what)
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The text is not TOML.
    Syntax(String),
    /// Nobody asks for this key.
    UnknownKey {
        /// The known key that it resembles.
        nearest: Option<String>,
    },
    /// A key, or the article of a value, has to be there.
    Missing {
        /// What should stand there: `"a string"`.
        expected: String,
    },
    /// The value is of another type.
    WrongType {
        /// `"a string"`.
        expected: &'static str,
        /// `"integer"`.
        found: &'static str,
    },
    /// The number is too small or too large.
    OutOfRange {
        /// As it stands in the file.
        found: String,
        /// The smallest that is allowed.
        min: u64,
        /// The largest that is allowed.
        max: u64,
    },
    /// The word is not one of a closed set.
    UnknownWord {
        /// As it stands in the file.
        found: String,
        /// The word of the set that it resembles.
        nearest: Option<String>,
        /// The set.
        allowed: Vec<&'static str>,
    },
    /// The text does not have the form it needs.
    Malformed {
        /// As it stands in the file.
        found: String,
        /// The form that is asked for, or what exactly is wrong.
        expected: String,
    },
    /// It names something that does not exist.
    NoSuch {
        /// `"board"`.
        kind: &'static str,
        /// As it stands in the file.
        name: String,
        /// The existing name that it resembles.
        nearest: Option<String>,
    },
    /// Something that may be there only once is there again.
    Again {
        /// What it is: `"the id "hall-1""`.
        what: String,
        /// The line in which it was first.
        first: usize,
    },
    /// A rulebook inherits from itself in the end.
    Loop {
        /// The ids on the way, the first again at the end.
        chain: Vec<String>,
    },
    /// An article is cited for a value that this file does not set.
    CitesNoValue,
    /// What it names could not be read.
    Unreadable {
        /// What the system said.
        reason: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => write!(f, "not TOML: {}", message.replace('\n', "; ")),
            Self::UnknownKey { nearest } => {
                f.write_str("unknown key")?;
                did_you_mean(f, nearest.as_deref())
            }
            Self::Missing { expected } => write!(f, "missing; {expected} is needed here"),
            Self::WrongType { expected, found } => {
                write!(f, "{expected} is needed here, not {}", article(found))
            }
            Self::OutOfRange { found, min, max } => write!(f, "{found} is not within {min} to {max}"),
            Self::UnknownWord { found, nearest, allowed } => {
                write!(f, "{found:?} is not one of {}", quoted(allowed))?;
                did_you_mean(f, nearest.as_deref())
            }
            Self::Malformed { found, expected } => write!(f, "{found:?}: {expected}"),
            Self::NoSuch { kind, name, nearest } => {
                write!(f, "there is no {kind} {name:?}")?;
                did_you_mean(f, nearest.as_deref())
            }
            Self::Again { what, first } => write!(f, "{what} is already taken in line {first}"),
            Self::Loop { chain } => write!(f, "rulebooks inherit in a loop: {}", chain.join(" -> ")),
            Self::CitesNoValue => f.write_str(
                "cites an article for a value that this file does not set; set the value here too",
            ),
            Self::Unreadable { reason } => write!(f, "cannot be read: {reason}"),
        }
    }
}

fn did_you_mean(f: &mut fmt::Formatter<'_>, nearest: Option<&str>) -> fmt::Result {
    nearest.map_or(Ok(()), |n| write!(f, "; did you mean {n:?}?"))
}

fn article(noun: &str) -> String {
    let an = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if an { "an" } else { "a" })
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", ")
}

/// Writes one problem a line.
pub(crate) fn write_lines(problems: &[Problem], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, problem) in problems.iter().enumerate() {
        if i > 0 {
            f.write_str("\n")?;
        }
        write!(f, "{problem}")?;
    }
    Ok(())
}
