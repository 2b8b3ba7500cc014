// SPDX-License-Identifier: GPL-3.0-or-later
//! A rulebook: the parameters of the laws, each with its article in one edition's numbering.
//! Rulebooks are data (`data/rulebooks/*.toml`); nothing in the engine asks for an edition.

mod load;

use std::collections::BTreeMap;
use std::time::Duration;

pub use load::{Library, RulebookError, RulebookProblem};

/// A resolved rulebook: every parameter has a value and an article.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rulebook {
    /// `fide-2023-standard`.
    pub id: String,
    /// For people: `FIDE Laws of Chess 2023, Competition Rules`.
    pub title: String,
    /// The day the edition came into force, `2023-01-01`.
    pub edition: String,
    /// Whether the competition rules or the short rules of fast chess apply.
    pub regime: Regime,
    /// Completed illegal moves and what counts as one.
    pub illegal: IllegalMoves,
    /// Touched pieces.
    pub touch: Touch,
    /// Flags.
    pub flag: FlagRules,
    /// A shorter rest on the way is a slide; a longer one counts as released, but only likely.
    pub release_dwell: Duration,
    /// Articles for what has no parameter of its own.
    pub articles: BTreeMap<Matter, Vec<String>>,
    /// Articles of the parameters, by `section.key`.
    pub cite: BTreeMap<String, Vec<String>>,
    /// BLAKE3 of the resolved rulebook, 16 hexadecimal digits: kept with each game.
    pub hash: String,
}

impl Rulebook {
    /// The articles for a matter; every matter has at least one in a resolved rulebook.
    pub fn articles(&self, matter: Matter) -> impl Iterator<Item = String> + '_ {
        self.articles.get(&matter).into_iter().flatten().cloned()
    }

    /// The articles for a parameter, such as `illegal.penalty_ms`.
    pub fn cite(&self, parameter: &str) -> impl Iterator<Item = String> + '_ {
        self.cite.get(parameter).into_iter().flatten().cloned()
    }
}

/// A closed set of words in a rulebook file.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every value with its word in the file.
            pub const WORDS: &[(&str, Self)] = &[$(($word, Self::$variant)),*];

            /// The word in the file.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// Which set of rules a fast game is played under.
    Regime {
        /// The Competition Rules apply (standard chess, or fast chess under adequate supervision).
        Competition = "competition",
        /// The short rules for fast chess without adequate supervision.
        Unsupervised = "unsupervised",
    }
}

words! {
    /// Until when an illegal move can be ruled on.
    Window {
        /// During the whole game.
        Game = "game",
        /// Until the opponent has made (released) his next move.
        UntilOpponentMade = "until-opponent-made-move",
    }
}

words! {
    /// Whether an arbiter who sees an illegal move acts by himself.
    ArbiterActs {
        /// Always.
        Always = "always",
        /// While the window is open.
        InsideWindow = "inside-window",
        /// Only on a claim.
        OnClaim = "on-claim",
    }
}

words! {
    /// How a test for "cannot mate" is made.
    MateTest {
        /// By any possible series of legal moves.
        AnySeries = "any-series",
        /// No such test.
        None = "none",
    }
}

words! {
    /// What a press without a move is.
    PressTreatment {
        /// It counts as an illegal move.
        Illegal = "illegal",
        /// The arbiter decides.
        Discretionary = "discretionary",
    }
}

words! {
    /// Who may call a flag.
    FlagCaller {
        /// The arbiter and the players.
        ArbiterOrPlayer = "arbiter-or-player",
        /// Only a player.
        Player = "player",
    }
}

words! {
    /// Until when a touch-move claim is heard.
    TouchWindow {
        /// Until the claimant touches a piece himself.
        ClaimantTouches = "claimant-touches",
    }
}

words! {
    /// What a ruling may rest on without a parameter: each names an article of the edition.
    Matter {
        /// A move is completed by the press.
        MoveCompleted = "move-completed",
        /// Checkmate.
        Checkmate = "checkmate",
        /// Stalemate.
        Stalemate = "stalemate",
        /// An illegal move is restored.
        RestoreIllegal = "restore-illegal",
        /// The penalty for it.
        IllegalPenalty = "illegal-penalty",
        /// A press without a move.
        PressWithoutMove = "press-without-move",
        /// The penalty for it.
        PressPenalty = "press-penalty",
        /// Times after a restoration.
        RestoreTimes = "restore-times",
        /// Which contact counts as a touch.
        TouchIntent = "touch-intent",
        /// The first touched own piece that can move.
        TouchOwn = "touch-own",
        /// The first touched enemy piece that can be taken.
        TouchEnemy = "touch-enemy",
        /// Pieces of both colours touched.
        TouchBoth = "touch-both",
        /// Nothing touched can move.
        TouchFree = "touch-free",
        /// The right to claim a touch is lost.
        TouchClaimLost = "touch-claim-lost",
        /// A flag is noticed.
        FlagNoticed = "flag-noticed",
        /// A flag loses or draws.
        FlagFall = "flag-fall",
    }
}

/// Parameters of illegal moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IllegalMoves {
    /// Time for the opponent.
    pub penalty: Duration,
    /// The count at which the game is lost.
    pub lose_at: u8,
    /// When the loss is a draw instead.
    pub draw_exception: MateTest,
    /// Until when it can be ruled on.
    pub window: Window,
    /// Whether the arbiter acts by himself.
    pub arbiter_acts: ArbiterActs,
    /// Whether an increment gained by the illegal press is taken off again.
    pub reverse_increment: bool,
    /// What a press without a move is.
    pub press_without_move: PressTreatment,
}

/// Parameters of touched pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Until when a claim is heard.
    pub claim_until: TouchWindow,
    /// Whether the arbiter acts by himself.
    pub arbiter_acts: bool,
}

/// Parameters of flags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlagRules {
    /// Who may call a flag.
    pub called_by: FlagCaller,
    /// Whether the claimant must have time left himself.
    pub claim_needs_own_time: bool,
    /// When the loss is a draw instead.
    pub draw_test: MateTest,
}
