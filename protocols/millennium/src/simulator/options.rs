// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a simulated board is, and how it differs from others of the family.

use core::time::Duration;

use arbiterd_board::{Parity, Placement, Sensing, Version};

use super::TimedFault;
use crate::wire::Cable;

/// The boards that are known, and the imitations that a venue may meet (topic: products, quirks).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Model {
    /// The Exclusive with its ChessLink module, to which the description belongs.
    #[default]
    Exclusive,
    /// The Performance: it does not answer `L`, `X` and `W`.
    Performance,
    /// The Supreme Tournament 55, with a page of text.
    Supreme,
    /// The eONE: it knows only which squares are occupied and guesses the letters.
    EOne,
    /// Elfacun, an imitation.
    Elfacun,
    /// CynusLink, an imitation.
    CynusLink,
    /// Chesstimation, an imitation, on a wire.
    Chesstimation,
    /// The emulators on another maker's board.
    Centaur,
}

impl Model {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Exclusive,
        Self::Performance,
        Self::Supreme,
        Self::EOne,
        Self::Elfacun,
        Self::CynusLink,
        Self::Chesstimation,
        Self::Centaur,
    ];
}

/// What the simulated board is.
#[derive(Clone, Debug)]
pub struct Options {
    /// The version it gives.
    pub version: Version,
    /// How it knows what stands on it.
    pub sensing: Sensing,
    /// On which side of White its cable leaves.
    pub cable: Cable,
    /// What it puts in bit 7: odd parity, or nothing for [`Parity::None`]. A board without parity
    /// does not look at that of the host either.
    pub parity: Parity,
    /// The text of its information page; `None` for a board that does not answer the question.
    pub information: Option<String>,
    /// What it does otherwise than described.
    pub quirks: Quirks,
    /// What stands on the board when it is switched on.
    pub placement: Placement,
    /// How long after a command its answer is given. A board does one command at a time: what comes
    /// before the answer is lost.
    pub answer_delay: Duration,
    /// Whether a message is given out only when the line is free for it, at 38400 baud. Not for a
    /// shell that keeps the pace of the line itself.
    pub paced: bool,
    /// Faults that happen by themselves, each at its time after the start.
    pub faults: Vec<TimedFault>,
    /// What chance begins with: the same seed gives the same accidents.
    pub seed: u64,
}

/// What boards do otherwise than described (topic: quirks).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quirks {
    /// `L`, `X` and `W` are obeyed and not answered.
    pub no_acks: bool,
    /// `X` is answered by a status where every scan is reported.
    pub status_for_lights_off: bool,
    /// `G` is answered.
    pub dumps: bool,
    /// `T` is answered.
    pub answers_reset: bool,
    /// The digits of the block parity are lower case.
    pub lower_case: bool,
    /// The page that is named in the answer to `I`, whatever was asked for.
    pub page: Option<u8>,
    /// Whatever is written into the register of the scan time, it reads as this.
    pub scan_reads: Option<u8>,
    /// `R` is answered with another address.
    pub wrong_addresses: bool,
    /// Registers from here on are not there, and questions for them are not answered.
    pub registers: Option<u8>,
    /// Where register 00 switches block parity off, answers do not carry it either, which no
    /// description says.
    pub bare_answers: bool,
    /// Statuses are sent on change and never for every scan.
    pub only_on_change: bool,
}

impl Options {
    /// A board as this one is known, empty, with its cable on the left.
    #[must_use]
    pub fn of(model: Model) -> Self {
        let plain = Self {
            version: Version { main: 1, sub: 3 },
            sensing: Sensing::Pieces,
            cable: Cable::Left,
            parity: Parity::Odd,
            information: None,
            quirks: Quirks::default(),
            placement: Placement::EMPTY,
            // No description has a number; the description's answers come "at once".
            answer_delay: Duration::from_millis(1),
            paced: false,
            faults: Vec::new(),
            seed: 0,
        };
        let with = |main, sub, quirks| Self { version: Version { main, sub }, quirks, ..plain.clone() };
        let quirks = Quirks::default();
        let text = |text: &str| Some(text.to_owned());
        match model {
            Model::Exclusive => plain,
            Model::Performance => with(1, 0x10, Quirks { no_acks: true, ..quirks }),
            Model::Supreme => Self { information: text("55mm simulated"), ..with(2, 0, quirks) },
            Model::EOne => Self {
                sensing: Sensing::Occupancy,
                parity: Parity::None,
                information: text("e-one simulated"),
                ..with(2, 0, Quirks { dumps: true, ..quirks })
            },
            Model::Elfacun => {
                with(1, 0, Quirks { status_for_lights_off: true, scan_reads: Some(0x1e), ..quirks })
            }
            Model::CynusLink => with(1, 0, quirks),
            Model::Chesstimation => Self {
                parity: Parity::None,
                information: text(""),
                ..with(
                    0,
                    0x17,
                    Quirks { page: Some(0xff), registers: Some(5), only_on_change: true, ..quirks },
                )
            },
            Model::Centaur => Self {
                parity: Parity::None,
                information: text("55mm"),
                ..with(
                    0x31,
                    0x30,
                    Quirks {
                        lower_case: true,
                        answers_reset: true,
                        wrong_addresses: true,
                        dumps: true,
                        ..quirks
                    },
                )
            },
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::of(Model::Exclusive)
    }
}
