// SPDX-License-Identifier: GPL-3.0-or-later
//! A notice as a client reads it.

use serde::Serialize;

use super::fields::{Dict, number, numbers, text, texts};

/// A notice, from the signal or from the ledger: a person should look.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NoticeInfo {
    /// The table.
    pub table: String,
    /// Its row in the journal.
    pub row: u64,
    /// Such as `notice.out-of-step`.
    pub kind: String,
    /// When, in microseconds of CLOCK_MONOTONIC.
    pub at: u64,
    /// Squares it concerns.
    pub squares: Vec<String>,
    /// Whom it concerns, or empty.
    pub side: String,
    /// What is not ruled on, or empty.
    pub not_covered: String,
    /// The facts it rests on.
    pub evidence: Vec<u64>,
    /// What is wrong with the start position, in words.
    pub set_up: Vec<String>,
    /// The kind of each of these faults, such as `swapped`.
    pub set_up_words: Vec<String>,
    /// The squares of each of them, such as `d1 e1`.
    pub set_up_squares: Vec<String>,
}

impl NoticeInfo {
    pub(super) fn from_dict(dict: &Dict) -> Self {
        Self {
            table: text(dict, "table"),
            row: number(dict, "row"),
            kind: text(dict, "kind"),
            at: number(dict, "at_us"),
            squares: texts(dict, "squares"),
            side: text(dict, "side"),
            not_covered: text(dict, "not_covered"),
            evidence: numbers(dict, "evidence"),
            set_up: texts(dict, "set_up"),
            set_up_words: texts(dict, "set_up_words"),
            set_up_squares: texts(dict, "set_up_squares"),
        }
    }
}
