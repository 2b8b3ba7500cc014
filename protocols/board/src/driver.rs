// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sans-IO driver of a board family.

use core::time::Duration;

use crate::{Capabilities, Channel, ClockSide, Mono, Report, Square};

/// Parity of the serial line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Parity {
    None,
    Odd,
    Even,
}

/// How a serial port must be set for a family. No family here uses flow control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct LineSettings {
    pub baud: u32,
    pub data_bits: u8,
    pub parity: Parity,
    pub stop_bits: u8,
    /// What the line DTR (data terminal ready) is set to when the port is open; `None` leaves it as the
    /// system has it. A port that has no such line is no error.
    pub data_terminal_ready: Option<bool>,
}

impl LineSettings {
    /// How long `bytes` bytes take on the line, start bits included.
    pub fn duration(&self, bytes: usize) -> Duration {
        let bits = 1
            + u64::from(self.data_bits)
            + u64::from(self.parity != Parity::None)
            + u64::from(self.stop_bits);
        let total = bits.saturating_mul(u64::try_from(bytes).unwrap_or(u64::MAX));
        Duration::from_micros(total.saturating_mul(1_000_000) / u64::from(self.baud.max(1)))
    }
}

/// The name of a request, unique within a driver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RequestId(pub u32);

/// Which side a clock shall count down.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Run {
    /// Neither side.
    Stopped,
    /// This side.
    Side(ClockSide),
}

/// Something asked of a device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Request {
    /// Report the whole board now.
    ReadBoard,
    /// Report the clock now.
    ReadClock,
    /// Set both times and the side that runs.
    SetClock {
        /// The time of the left side.
        left: Duration,
        /// The time of the right side.
        right: Duration,
        /// Which side counts down afterwards. The lever then changes sides.
        run: Run,
    },
    /// Show a text on the clock instead of the times, until [`Request::ShowTimes`].
    ShowText {
        /// The text. Which characters and how many a clock can show depends on the clock.
        text: String,
        /// How long it beeps, as nearly as the clock can.
        beep: Duration,
    },
    /// Show the times on the clock again.
    ShowTimes,
    /// Let the clock beep for about so long.
    Beep(Duration),
    /// Light these hardware squares and no others; none puts all lights out. Where a device does not
    /// answer this, it is accepted once all of it was sent.
    Light(Vec<Square>),
}

/// Why a request was not taken.
#[derive(Clone, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum RequestError {
    /// The device has no such ability, or the driver does not offer it.
    #[error("this device does not support {what}")]
    NotSupported {
        /// What was asked.
        what: &'static str,
    },
    /// The board has not answered yet, or is lost.
    #[error("the board does not answer: wait until its link is up")]
    LinkDown,
    /// The clock is not there, so it can be told nothing.
    #[error("no clock is connected to this board: plug it in and switch it on")]
    NoClock,
    /// So many requests wait already that this one would come too late.
    #[error("too many requests wait for this device: wait for their answers")]
    Busy,
    /// The link carries no such channel.
    #[error("no channel {} on this link", .0.0)]
    NoSuchChannel(Channel),
    /// The value cannot be expressed on this device.
    #[error("{what} is out of range for this device: {limit}")]
    OutOfRange {
        /// The value.
        what: &'static str,
        /// The limit, in words.
        limit: &'static str,
    },
}

/// A board family's side of the conversation, without any input or output of its own.
///
/// See the crate's documentation for the order of calls.
pub trait Driver {
    /// How the port has to be set.
    fn line_settings(&self) -> LineSettings;

    /// The line was opened (again) at `now`: forget any half frame and start the conversation
    /// from the beginning.
    fn reset(&mut self, now: Mono);

    /// `bytes` arrived at `now`.
    fn receive(&mut self, now: Mono, bytes: &[u8]);

    /// The next report, oldest first.
    fn poll_report(&mut self) -> Option<(Channel, Report)>;

    /// The next bytes to send, to be written in one piece before the next is asked for.
    fn poll_transmit(&mut self) -> Option<Vec<u8>>;

    /// When [`Driver::handle_timeout`] wants to be called, if at all.
    fn poll_timeout(&self) -> Option<Mono>;

    /// The moment that [`Driver::poll_timeout`] named has come. Early or spurious calls do no
    /// harm.
    fn handle_timeout(&mut self, now: Mono);

    /// Ask something of a device. The answer comes as [`crate::ReportBody::Ack`].
    ///
    /// # Errors
    /// [`RequestError`] if it cannot be done now; nothing was sent then.
    fn request(&mut self, now: Mono, channel: Channel, request: Request) -> Result<RequestId, RequestError>;

    /// What a channel can do, as far as known.
    fn capabilities(&self, channel: Channel) -> Capabilities;
}
