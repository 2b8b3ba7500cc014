// SPDX-License-Identifier: GPL-3.0-or-later
//! A ruling as a client reads it.

use serde::Serialize;

use super::fields::{Dict, number, numbers, read, some_text, text, texts, word};
use crate::dbus::codes::{AUTHORITY, CERTAINTY, STANDING};

/// A ruling, from the signal or from the ledger. Times are milliseconds, moments microseconds of
/// CLOCK_MONOTONIC.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RulingInfo {
    /// Its row in the ledger of all tables.
    pub row: u64,
    /// Its number at the table.
    pub seq: u64,
    /// The table.
    pub table: String,
    /// The revision of the game that it applies to.
    pub revision: u64,
    /// The rulebook in force.
    pub rulebook: String,
    /// Such as `ruling.illegal-move`.
    pub kind: String,
    /// The articles.
    pub articles: Vec<String>,
    /// `white` or `black`, if someone broke a rule.
    pub offender: Option<String>,
    /// `final`, `proposed` or `unknown`.
    pub authority: &'static str,
    /// `in-force`, `confirmed`, `overruled` or `unknown`.
    pub standing: &'static str,
    /// `proven`, `likely` or `unknown`.
    pub certainty: &'static str,
    /// The facts it rests on.
    pub evidence: Vec<u64>,
    /// What is left to a person.
    pub not_observable: Vec<String>,
    /// Time to add to White's clock.
    pub add_white_ms: u64,
    /// Time to add to Black's clock.
    pub add_black_ms: u64,
    /// Increment that is taken off the offender's clock.
    pub take_back_increment_ms: u64,
    /// As in a PGN.
    pub result: String,
    /// The position to restore, as FEN.
    pub restore: Option<String>,
    /// The move that was completed wrongly.
    pub irregular_move: Option<String>,
    /// The moves of which one must be played; empty for any.
    pub required_moves: Vec<String>,
    /// Squares whose touched piece binds nobody.
    pub free_touch: Vec<String>,
    /// White's illegal moves, with this one.
    pub illegal_white: u32,
    /// Black's illegal moves, with this one.
    pub illegal_black: u32,
    /// Times that the arbiter may set, if some are proposed.
    pub proposed_clock: Option<ProposedTimes>,
    /// When the evidence was complete.
    pub evidence_complete_us: u64,
    /// When it was committed, where known.
    pub committed_us: Option<u64>,
    /// When the signal was sent; only from the signal.
    pub published_us: Option<u64>,
}

/// Times for the arbiter to choose from, White and Black.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ProposedTimes {
    /// When the irregularity occurred.
    pub at_irregularity_ms: [u64; 2],
    /// Now.
    pub now_ms: [u64; 2],
}

impl RulingInfo {
    pub(super) fn from_dict(dict: &Dict) -> Self {
        Self {
            row: number(dict, "row"),
            seq: number(dict, "seq"),
            table: text(dict, "table"),
            revision: number(dict, "revision"),
            rulebook: text(dict, "rulebook"),
            kind: text(dict, "kind"),
            articles: texts(dict, "articles"),
            offender: some_text(dict, "offender"),
            authority: word(dict, "authority", AUTHORITY),
            standing: word(dict, "standing", STANDING),
            certainty: word(dict, "certainty", CERTAINTY),
            evidence: numbers(dict, "evidence"),
            not_observable: texts(dict, "not_observable"),
            add_white_ms: number(dict, "add_white_ms"),
            add_black_ms: number(dict, "add_black_ms"),
            take_back_increment_ms: number(dict, "take_back_increment_ms"),
            result: text(dict, "result"),
            restore: some_text(dict, "restore"),
            irregular_move: some_text(dict, "irregular_move"),
            required_moves: texts(dict, "required_moves"),
            free_touch: texts(dict, "free_touch"),
            illegal_white: read(dict, "illegal_white").unwrap_or_default(),
            illegal_black: read(dict, "illegal_black").unwrap_or_default(),
            proposed_clock: proposed(dict),
            evidence_complete_us: number(dict, "evidence_complete_us"),
            committed_us: read(dict, "committed_us"),
            published_us: read(dict, "published_us"),
        }
    }
}

fn proposed(dict: &Dict) -> Option<ProposedTimes> {
    Some(ProposedTimes {
        at_irregularity_ms: [
            read(dict, "proposed_white_at_irregularity_ms")?,
            read(dict, "proposed_black_at_irregularity_ms")?,
        ],
        now_ms: [read(dict, "proposed_white_now_ms")?, read(dict, "proposed_black_now_ms")?],
    })
}
