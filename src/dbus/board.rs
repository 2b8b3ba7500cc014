// SPDX-License-Identifier: GPL-3.0-or-later
//! `org.arbiterd.Arbiter1.Board`.

use arbiterd_board::{Capabilities, Identity, Piece, Placement, Square, Stamp};
use zbus::interface;
use zbus::object_server::SignalEmitter;

use super::BoardInfo;
use super::codes;
use super::dict::micros;
use super::shown::{Changes, Shown};

/// What a board shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct BoardShown {
    port: String,
    family: String,
    state: String,
    link: u32,
    serial: String,
    firmware: String,
    board_lag: u64,
    clock_lag: u64,
    placement: String,
}

impl BoardShown {
    pub(super) fn new(info: &BoardInfo) -> Self {
        Self {
            port: info.port.clone(),
            family: info.family.clone(),
            state: "missing".to_owned(),
            placement: Placement::EMPTY.to_string(),
            ..Self::default()
        }
    }

    /// The port is in this state now.
    pub(super) fn set_port_state(&mut self, state: &str) -> Changes {
        let mut changes = Changes::default();
        changes.set("State", &mut self.state, state.to_owned());
        changes
    }

    /// The board answers, or does not any more.
    pub(super) fn set_link(&mut self, up: bool) -> Changes {
        let mut changes = Changes::default();
        changes.set("Link", &mut self.link, codes::link(up));
        changes
    }

    /// The board said who it is.
    pub(super) fn set_identity(&mut self, identity: &Identity, capabilities: &Capabilities) -> Changes {
        let mut changes = Changes::default();
        let firmware = identity.firmware.map(|v| v.to_string()).unwrap_or_default();
        changes.set("Serial", &mut self.serial, identity.serial.clone().unwrap_or_default());
        changes.set("Firmware", &mut self.firmware, firmware);
        changes.set("BoardLag", &mut self.board_lag, micros(capabilities.board_lag));
        changes.set("ClockLag", &mut self.clock_lag, micros(capabilities.clock_lag));
        changes
    }

    /// This stands on it.
    pub(super) fn set_placement(&mut self, placement: &Placement) -> Changes {
        let mut changes = Changes::default();
        changes.set("Placement", &mut self.placement, placement.to_string());
        changes
    }
}

pub(super) struct Board {
    pub(super) shown: Shown<BoardShown>,
}

impl Board {
    pub(super) async fn emit_lifted(
        place: &SignalEmitter<'_>,
        square: Square,
        piece: Piece,
        at: Stamp,
    ) -> zbus::Result<()> {
        let (square, piece) = (square.to_string(), piece.letter().to_string());
        Self::lifted(place, &square, &piece, at.earliest.as_micros(), at.latest.as_micros()).await
    }

    pub(super) async fn emit_placed(
        place: &SignalEmitter<'_>,
        square: Square,
        piece: Piece,
        at: Stamp,
    ) -> zbus::Result<()> {
        let (square, piece) = (square.to_string(), piece.letter().to_string());
        Self::placed(place, &square, &piece, at.earliest.as_micros(), at.latest.as_micros()).await
    }
}

/// An electronic board, as its hardware sees it.
#[interface(name = "org.arbiterd.Arbiter1.Board")]
impl Board {
    /// The port it is connected to, or expected at.
    #[zbus(property(emits_changed_signal = "const"))]
    fn port(&self) -> String {
        self.shown.with(|b| b.port.clone())
    }

    /// The family of boards it belongs to: `dgt`, `millennium`, or a word of a later version.
    #[zbus(property(emits_changed_signal = "const"))]
    fn family(&self) -> String {
        self.shown.with(|b| b.family.clone())
    }

    /// The state of its port: `missing`, `busy`, `not-permitted`, `unusable`, `open` or `lost`, or
    /// a word of a later version. Whether a board answers at an open port, `Link` says.
    #[zbus(property)]
    fn state(&self) -> String {
        self.shown.with(|b| b.state.clone())
    }

    /// Whether the board answers: 0 unknown (nothing was heard of it yet), 1 up, 2 down. A number
    /// that is not known here means the same as 0.
    #[zbus(property)]
    fn link(&self) -> u32 {
        self.shown.with(|b| b.link)
    }

    /// The serial number that the board reports; empty if it is not known.
    #[zbus(property)]
    fn serial(&self) -> String {
        self.shown.with(|b| b.serial.clone())
    }

    /// The version of the board's firmware; empty if it is not known.
    #[zbus(property)]
    fn firmware(&self) -> String {
        self.shown.with(|b| b.firmware.clone())
    }

    /// The longest time from a change on the board to its report, in microseconds; 0 if it is not
    /// known.
    #[zbus(property)]
    fn board_lag(&self) -> u64 {
        self.shown.with(|b| b.board_lag)
    }

    /// The longest time from a change of the clock to its report, in microseconds; 0 if it is not
    /// known.
    #[zbus(property)]
    fn clock_lag(&self) -> u64 {
        self.shown.with(|b| b.clock_lag)
    }

    /// What stands on it, as the hardware sees it, turned so that White sits at the first rank: the
    /// placement field of a FEN, with `?` for something that the board cannot identify and `=`, `+`
    /// and `-` for pieces that announce a result.
    #[zbus(property)]
    fn placement(&self) -> String {
        self.shown.with(|b| b.placement.clone())
    }

    /// A square became empty. `square` is its name, such as `e2`; `piece` the FEN letter of what
    /// stood there; it happened between `earliest` and `latest`, microseconds of CLOCK_MONOTONIC.
    #[zbus(signal)]
    async fn lifted(
        emitter: &SignalEmitter<'_>,
        square: &str,
        piece: &str,
        earliest: u64,
        latest: u64,
    ) -> zbus::Result<()>;

    /// A piece appeared on a square. The arguments are those of `Lifted`.
    #[zbus(signal)]
    async fn placed(
        emitter: &SignalEmitter<'_>,
        square: &str,
        piece: &str,
        earliest: u64,
        latest: u64,
    ) -> zbus::Result<()>;
}
