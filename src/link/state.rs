// SPDX-License-Identifier: GPL-3.0-or-later
//! How a port is doing.

use std::fmt;

/// How a port is doing. The text of [`fmt::Display`] says what to do about it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PortState {
    /// Its path does not exist (yet, or any more).
    Missing {
        /// The serial ports that do exist, in the order of their names.
        others: Vec<String>,
    },
    /// Another program holds it.
    Busy,
    /// This process may not open it.
    NotPermitted,
    /// It cannot be opened as the serial port of a board.
    Unusable {
        /// Why, in words.
        reason: String,
    },
    /// It is open: bytes can come and go. Whether the board answers is another matter, see
    /// [`arbiterd_board::LinkState`].
    Open,
    /// It was open and went away.
    Lost,
}

impl PortState {
    /// The word for it on the bus.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "missing",
            Self::Busy => "busy",
            Self::NotPermitted => "not-permitted",
            Self::Unusable { .. } => "unusable",
            Self::Open => "open",
            Self::Lost => "lost",
        }
    }
}

impl fmt::Display for PortState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing { others } => {
                f.write_str(
                    "the port does not exist: plug the board in, or correct the path in the settings",
                )?;
                return if others.is_empty() {
                    f.write_str("; no serial port exists")
                } else {
                    write!(f, "; ports that exist: {}", others.join(", "))
                };
            }
            Self::Busy => "another program holds the port: close that program (fuser -v names it)",
            Self::NotPermitted => {
                "no permission to open the port: add the user of this service to the group dialout"
            }
            Self::Unusable { reason } => return write!(f, "the port cannot be used: {reason}"),
            Self::Open => "the port is open",
            Self::Lost => "the port went away: plug the board in again",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_misses_a_port_is_told_those_that_exist() {
        let missing = |others: &[&str]| {
            PortState::Missing { others: others.iter().map(|o| (*o).to_owned()).collect() }.to_string()
        };
        assert!(
            missing(&["/dev/ttyS0", "/dev/ttyUSB1"]).ends_with("ports that exist: /dev/ttyS0, /dev/ttyUSB1")
        );
        assert!(missing(&[]).ends_with("no serial port exists"));
    }

    #[test]
    fn who_is_refused_is_told_the_group() {
        assert!(PortState::NotPermitted.to_string().contains("group dialout"));
    }
}
