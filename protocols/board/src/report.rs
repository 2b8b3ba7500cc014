// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a driver tells.

use crate::{Capabilities, ClockReport, Identity, Occupant, Placement, RequestId, Square, Stamp};

/// One board (with the clock plugged into it) on a link; 0 where a link carries just one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Channel(pub u16);

/// Something a driver tells about one channel.
///
/// The stamp is the interval in which it *happened*: bounded by the board's lag for a square or
/// a placement and by the clock's lag for a reading, which are not the same. A driver drops no
/// valid frame for the sake of debouncing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// When it happened, as far as the hardware lets us know.
    pub at: Stamp,
    /// What happened.
    pub body: ReportBody,
}

/// The content of a [`Report`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ReportBody {
    /// The whole board, in hardware squares.
    Board {
        /// What stands on it.
        placement: Placement,
        /// Whether a second look agreed with it (a full report after a period of quiet, two
        /// equal reports); an unconfirmed placement may be caught in the middle of a hand.
        confirmed: bool,
    },
    /// One square changed.
    Square {
        /// The hardware square.
        square: Square,
        /// What it reports now.
        occupant: Occupant,
    },
    /// The clock.
    Clock(ClockReport),
    /// More is known of who the board is.
    Identity(Identity),
    /// What the channel can do, and its lags, became known or changed.
    Capabilities(Capabilities),
    /// The board's own battery.
    Battery(Battery),
    /// A request was answered or given up.
    Ack {
        /// The request, as [`crate::Driver::request`] named it.
        request: RequestId,
        /// How it ended.
        outcome: AckOutcome,
    },
    /// The conversation with the board began or ended.
    Link(LinkState),
    /// Bytes that were no valid frame; the stream goes on all the same.
    Noise(Noise),
    /// Something that only a person can put right. The driver goes on as well as it can.
    Trouble(Trouble),
    /// One scan of the whole board, in hardware squares, that no second has borne out yet.
    ///
    /// It is evidence and no more: a hand may be caught in it, or two scans be joined by lost bytes.
    /// What a second scan bears out follows as squares and boards; nothing may be concluded from
    /// this one alone. Told by boards whose frames do not guard against it.
    Scan {
        /// What it shows.
        placement: Placement,
    },
    /// What is read on a square changes to and fro, or does so no longer.
    Disturbed {
        /// The hardware square.
        square: Square,
        /// While it is, what is told of it is what was read, and proves nothing that a hand did. True is
        /// told again now and then while it lasts. The stamp reaches back to when it can have begun: what
        /// was told of the square since then is meant too.
        disturbed: bool,
    },
}

/// What a person has to put right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Trouble {
    /// Two boards on the line answer to the address of this channel. Nobody can tell them apart,
    /// so what is reported of the board may be either's.
    SharedAddress,
}

/// Charge of a board's battery.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Battery {
    /// Percent, 0 to 100.
    pub percent: u8,
    /// Whether it is being charged.
    pub charging: bool,
}

/// How a request ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AckOutcome {
    /// The device accepted it. Only a later reading proves that it did it.
    Accepted,
    /// The device refused it.
    Refused,
    /// The device did not answer in time, in all tries.
    NoAnswer,
    /// Its turn did not come while it still made sense: it was not sent.
    TooLate,
}

/// Whether a board answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LinkState {
    /// The board answered.
    Up,
    /// The board has been silent for too long, or its port went away.
    Down,
}

/// Bytes that were dropped since the last good frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Noise {
    /// How many bytes.
    pub bytes: u32,
    /// What was wrong with (the first of) them.
    pub cause: NoiseCause,
}

/// Why bytes were dropped. A family maps its own findings to these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NoiseCause {
    /// Bytes outside any frame.
    Junk,
    /// A frame that broke off.
    Unfinished,
    /// A frame whose length or check does not fit.
    Malformed,
    /// A well-formed frame of an unknown kind.
    UnknownKind,
    /// A well-formed frame with a value out of its range.
    OutOfRange,
    /// A frame of another mode of the protocol.
    WrongMode,
}
