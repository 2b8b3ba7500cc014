// SPDX-License-Identifier: GPL-3.0-or-later
//! The kinds of rulings and notices: open sets, so strings on the bus.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident, $prefix:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// All kinds, in the order of this file.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word for it, as people and files use it.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The namespaced string for it on the bus.
            pub const fn bus_name(self) -> &'static str {
                match self { $(Self::$variant => concat!($prefix, $word),)* }
            }
        }
    };
}

kinds! {
    /// What a ruling is about.
    RulingKind, "ruling." {
        /// An illegal move was completed (FIDE 7.5.1).
        IllegalMove = "illegal-move",
        /// The clock was pressed without a move (FIDE 7.5.3).
        PressWithoutMove = "press-without-move",
        /// An illegal move is not corrected any more (FIDE A.5.2).
        IllegalMoveStands = "illegal-move-stands",
        /// A touched piece has to be moved or taken (FIDE 4.3).
        TouchMove = "touch-move",
        /// A claim has no ground, came too late, or has become void.
        ClaimRejected = "claim-rejected",
        /// A flag has fallen (FIDE 6.9).
        FlagFall = "flag-fall",
        /// Checkmate (FIDE 5.1.1).
        Checkmate = "checkmate",
        /// The game is drawn.
        Draw = "draw",
        /// The players showed a result with the pieces, as makers of boards have agreed: both kings in
        /// the centre, or a result token. The arbiter is asked, and nothing follows by itself.
        BoardSignal = "board-signal",
    }
}

kinds! {
    /// What a notice asks a person to look at. Nobody is punished by a notice.
    NoticeKind, "notice." {
        /// The start position is wrong.
        StartPositionWrong = "start-position-wrong",
        /// What stands cannot be explained.
        OutOfStep = "out-of-step",
        /// The board stands the other way round.
        OrientationRotated = "orientation-rotated",
        /// The board does not answer.
        DeviceLost = "device-lost",
        /// The board answers again.
        DeviceBack = "device-back",
        /// The clock is not connected any more.
        ClockLost = "clock-lost",
        /// Moves were not seen but follow from what stands.
        MovesInferred = "moves-inferred",
        /// The clock was pressed while a move is unfinished, or the position is unclear.
        UnfinishedMove = "unfinished-move",
        /// Something happened that this version does not rule on: the arbiter decides.
        NotRuled = "not-ruled",
        /// A claim was heard and waits for the evidence it needs.
        ClaimOpen = "claim-open",
        /// A claim needs no answer of its own: what it says was ruled on, or nothing is being
        /// played.
        ClaimAnswered = "claim-answered",
        /// A square reads to and fro and does not cease to: its piece stands badly, or something else
        /// does, and nothing that happens on it is ruled on.
        SquareDisturbed = "square-disturbed",
        /// A square shows a piece that cannot be there: all of its kind stand elsewhere. It is no part
        /// of play.
        PhantomPiece = "phantom-piece",
        /// A move was completed, and other pieces are missing or stand elsewhere: they were knocked
        /// over (FIDE 7.4).
        PiecesDisplaced = "pieces-displaced",
    }
}

impl NoticeKind {
    /// Whether a person should look: the others only tell that something is so.
    pub const fn asks(self) -> bool {
        !matches!(self, Self::OrientationRotated | Self::DeviceBack | Self::ClaimOpen | Self::ClaimAnswered)
    }
}

/// What others call a ruling: the collected cases, and the worked scenarios.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherWords {
    /// Our kind.
    pub kind: RulingKind,
    /// What the cases say.
    pub cases: &'static [&'static str],
    /// What the scenarios say.
    pub scenarios: &'static [&'static str],
    /// The reason that the cases give for a result that comes of it.
    pub reasons: &'static [&'static str],
    /// Whether it is a ruling for the cases too: to them an illegal move that stands is a notice.
    pub case_ruling: bool,
}

/// One vocabulary: each kind of ruling with the words that cases and scenarios use for it.
pub const OTHER_WORDS: &[OtherWords] = &[
    OtherWords {
        kind: RulingKind::IllegalMove,
        cases: &["illegal-move"],
        scenarios: &["illegal-move", "illegal-move-loss", "illegal-move-draw"],
        reasons: &["illegal-moves"],
        case_ruling: true,
    },
    OtherWords {
        kind: RulingKind::PressWithoutMove,
        cases: &["pressed-without-move"],
        scenarios: &["press-without-move", "press-without-move-loss"],
        reasons: &["illegal-moves"],
        case_ruling: true,
    },
    OtherWords {
        kind: RulingKind::IllegalMoveStands,
        cases: &["illegal-move-stands"],
        scenarios: &["illegal-move-stands"],
        reasons: &[],
        case_ruling: false,
    },
    OtherWords {
        kind: RulingKind::TouchMove,
        cases: &["touch-move"],
        scenarios: &["touch-upheld"],
        reasons: &[],
        case_ruling: true,
    },
    OtherWords {
        kind: RulingKind::ClaimRejected,
        cases: &["claim-rejected"],
        scenarios: &[
            "touch-claim-rejected",
            "touch-claim-too-late",
            "claim-rejected",
            "illegal-move-not-charged",
        ],
        reasons: &[],
        case_ruling: true,
    },
    OtherWords {
        kind: RulingKind::FlagFall,
        cases: &["flag-fall"],
        scenarios: &["flag-loss", "flag-draw"],
        reasons: &["flag-fall"],
        case_ruling: true,
    },
    OtherWords {
        kind: RulingKind::Checkmate,
        cases: &["game-over"],
        scenarios: &["mate"],
        reasons: &["checkmate"],
        case_ruling: true,
    },
    OtherWords {
        kind: RulingKind::Draw,
        cases: &["game-over"],
        scenarios: &["stalemate"],
        reasons: &["stalemate"],
        case_ruling: true,
    },
    OtherWords {
        kind: RulingKind::BoardSignal,
        cases: &["game-over"],
        scenarios: &[],
        reasons: &["board-signal"],
        case_ruling: true,
    },
];

/// What the cases call a notice, where they have a word for it. One of ours can be several of
/// theirs: a table that is out of step does not tell why.
pub const OTHER_NOTICE_WORDS: &[(NoticeKind, &[&str])] = &[
    (NoticeKind::StartPositionWrong, &["start-position-wrong"]),
    (NoticeKind::OutOfStep, &["desync", "position-altered"]),
    (NoticeKind::OrientationRotated, &["orientation-rotated"]),
    (NoticeKind::DeviceLost, &["device-lost"]),
    (NoticeKind::DeviceBack, &["device-back"]),
    (NoticeKind::ClockLost, &["clock-lost"]),
    (NoticeKind::MovesInferred, &["moves-inferred"]),
    (NoticeKind::UnfinishedMove, &["displaced-pieces"]),
    (NoticeKind::NotRuled, &[]),
    (NoticeKind::ClaimOpen, &[]),
    (NoticeKind::ClaimAnswered, &[]),
    (NoticeKind::SquareDisturbed, &["sensor-fault"]),
    (NoticeKind::PhantomPiece, &["sensor-fault"]),
    (NoticeKind::PiecesDisplaced, &["displaced-pieces"]),
];

/// Every word that the cases have for a ruling or a notice, also those for which there is no kind
/// here yet: a case that uses another is mistaken.
pub const CASE_WORDS: &[&str] = &[
    "illegal-move",
    "pressed-without-move",
    "promotion-not-replaced",
    "two-hands",
    "touch-move",
    "flag-fall",
    "claim-upheld",
    "claim-rejected",
    "game-over",
    "touch-suspected",
    "displaced-pieces",
    "position-altered",
    "illegal-move-stands",
    "start-position-wrong",
    "moves-inferred",
    "desync",
    "sensor-fault",
    "device-lost",
    "device-back",
    "clock-lost",
    "clock-anomaly",
    "clock-not-following",
    "clock-not-pressed",
    "orientation-rotated",
];

/// Every word that the cases have for why a game ended.
pub const CASE_REASONS: &[&str] = &[
    "board-signal",
    "checkmate",
    "stalemate",
    "illegal-moves",
    "flag-fall",
    "threefold",
    "fivefold",
    "fifty-moves",
    "seventy-five-moves",
    "dead-position",
    "agreement",
    "resignation",
];

/// The same for the rulings of scenarios. Those that are charged against a player have a form for each way in which
/// they end the game, see [`is_scenario_word`].
pub const SCENARIO_WORDS: &[&str] = &[
    "illegal-move",
    "illegal-promotion",
    "press-without-move",
    "two-hands",
    "illegal-move-stands",
    "illegal-move-not-charged",
    "not-completed",
    "no-ruling",
    "press-back",
    "discretionary",
    "claim-rejected",
    "touch-upheld",
    "touch-claim-rejected",
    "touch-claim-too-late",
    "touch-violation-seen",
    "refer-to-arbiter",
    "ok",
    "out-of-turn",
    "no-effect",
    "displaced",
    "clock-corrected",
    "continue",
    "transfer-position",
    "setup-stands",
    "new-game",
    "illegal-position-draw",
    "time-control-met",
    "mate",
    "stalemate",
    "dead-position",
    "flag-loss",
    "flag-draw",
    "both-flags-draw",
    "resignation",
    "resignation-draw",
    "draw-agreed",
    "draw-agreement-invalid",
    "draw-offer-rejected",
    "draw-automatic",
    "game-over",
    "draw-claim-upheld",
    "draw-claim-wrong",
    "draw-claim-lost",
    "draw-claim-out-of-order",
];

/// What is charged against a player, and may end the game with it.
const CHARGED: &[&str] = &["illegal-move", "illegal-promotion", "press-without-move", "two-hands"];

/// Whether scenarios call a ruling so.
pub fn is_scenario_word(word: &str) -> bool {
    let charged = word.strip_suffix("-loss").or_else(|| word.strip_suffix("-draw"));
    SCENARIO_WORDS.contains(&word) || charged.is_some_and(|word| CHARGED.contains(&word))
}

impl RulingKind {
    /// What others call it.
    pub fn other_words(self) -> Option<&'static OtherWords> {
        OTHER_WORDS.iter().find(|w| w.kind == self)
    }
}

impl NoticeKind {
    /// What the cases call it.
    pub fn case_words(self) -> &'static [&'static str] {
        OTHER_NOTICE_WORDS.iter().find(|(kind, _)| *kind == self).map_or(&[], |(_, words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_other_words() {
        for k in RulingKind::ALL {
            assert_eq!(OTHER_WORDS.iter().filter(|w| w.kind == *k).count(), 1, "{k:?}");
        }
        for k in NoticeKind::ALL {
            assert_eq!(OTHER_NOTICE_WORDS.iter().filter(|(n, _)| n == k).count(), 1, "{k:?}");
        }
    }

    #[test]
    fn what_others_call_ours_are_words_of_theirs() {
        let rulings = OTHER_WORDS.iter().flat_map(|w| w.cases);
        for word in OTHER_WORDS.iter().flat_map(|w| w.reasons) {
            assert!(CASE_REASONS.contains(word), "{word}");
        }
        for word in OTHER_WORDS.iter().flat_map(|w| w.scenarios) {
            assert!(is_scenario_word(word), "{word}");
        }
        for word in rulings.chain(OTHER_NOTICE_WORDS.iter().flat_map(|(_, words)| *words)) {
            assert!(CASE_WORDS.contains(word), "{word}");
        }
    }

    #[test]
    fn bus_names_are_the_namespaced_words() {
        for k in RulingKind::ALL {
            assert_eq!(k.bus_name(), format!("ruling.{}", k.word()));
        }
        for k in NoticeKind::ALL {
            assert_eq!(k.bus_name(), format!("notice.{}", k.word()));
        }
    }
}
