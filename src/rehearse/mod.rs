// SPDX-License-Identifier: GPL-3.0-or-later
//! Rehearsals: cases (what a board, a clock and people did, and what must come of it) and worked
//! scenarios of the Laws, run against the table of the service itself in virtual time.
//!
//! Texts come in, outcomes go out; `arbiterctl rehearse` reads the files and prints. A case is
//! compared field by field with what it expects, and no expectation is weakened: what cannot be
//! told to a table, or is not given by one, is a difference.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod books;
mod case;
mod check_case;
mod check_scenario;
mod compare;
mod device;
mod keys;
mod plain;
mod play;
mod read;
#[cfg(test)]
mod readme;
mod scenario;
mod shape;
mod stage;
#[cfg(test)]
mod tests;
mod venue;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::laws::Rulebook;

pub use books::{Books, UnknownBook, nearest_id, with_supervised};
pub use case::{Case, Due};
pub use read::{Document, ReadError, read};
pub use scenario::{Scenario, differences};
pub use stage::{Lags, Stage, Untold};

/// One thing in which the outcome differs from what was expected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// The field of the expectation.
    pub field: String,
    /// What came of it.
    pub found: String,
    /// What should have.
    pub wanted: String,
}

impl Difference {
    fn new(field: impl Into<String>, found: impl Into<String>, wanted: impl Into<String>) -> Self {
        Self { field: field.into(), found: found.into(), wanted: wanted.into() }
    }

    /// Nothing was played under this rulebook, so nothing is known of what would come of it.
    fn untried(book: &UnknownBook) -> Self {
        Self::new(format!("rulebook {}", book.id), format!("not here{}", book.hint()), "tried too")
    }

    /// Something happened that this version has no word for.
    fn untold(what: &str) -> Self {
        Self::new(format!("telling a table {what}"), "not possible", "possible")
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, should be {}", self.field, self.found, self.wanted)
    }
}

/// Why an outcome is counted apart: it fails nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Open {
    /// The sources disagree on what is right.
    Disputed,
    /// It is due with a part of the work that was not chosen.
    NotDue(Due),
    /// It is about the running service, which is not here.
    NeedsTheService,
    /// These of its rulebooks are not known here; under the others it is right.
    NoRulebook(Vec<UnknownBook>),
}

impl fmt::Display for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disputed => f.write_str("what is right is disputed"),
            Self::NotDue(due) => write!(f, "due with {}", due.word()),
            Self::NeedsTheService => f.write_str("it is about the running service"),
            Self::NoRulebook(books) => {
                let books: Vec<_> = books.iter().map(|b| format!("{} here{}", b.id, b.hint())).collect();
                write!(f, "there is no rulebook {}", books.join(", nor "))
            }
        }
    }
}

/// In words for people.
impl Serialize for Open {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How a case or a scenario ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All is as expected.
    Passed,
    /// Something differs.
    Failed,
    /// Counted apart.
    Open,
}

/// What came of one case or scenario.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Outcome {
    /// The name in its file.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// How it ended.
    pub outcome: Verdict,
    /// Why it is open.
    pub open: Option<Open>,
    /// In what it differs from its expectation.
    pub differences: Vec<Difference>,
}

impl Outcome {
    fn of(id: &str, title: &str, open: Option<Open>, differences: Vec<Difference>) -> Self {
        let outcome = match (&open, differences.is_empty()) {
            // What is due later and is right already is right.
            (Some(Open::NotDue(_)) | None, true) => Verdict::Passed,
            (Some(_), _) => Verdict::Open,
            (None, false) => Verdict::Failed,
        };
        let open = open.filter(|_| outcome == Verdict::Open);
        Self { id: id.to_owned(), title: title.to_owned(), outcome, open, differences }
    }
}

/// Runs a case. `due` chooses the parts of the work whose cases can fail; none chooses all.
pub fn run_case(case: &Case, books: &Books, due: &[Due]) -> Outcome {
    let open = |why, differences| Outcome::of(&case.id, &case.title, Some(why), differences);
    if case.needs_the_service() {
        return open(Open::NeedsTheService, Vec::new());
    }
    let id = case.setup.rulebook();
    let Some(rulebook) = books.get(&id) else {
        return open(Open::NoRulebook(vec![books.unknown(&id)]), Vec::new());
    };
    let differences = play::differences(case, rulebook);
    let why = if case.disputed {
        Some(Open::Disputed)
    } else {
        case.due.filter(|d| !due.is_empty() && !due.contains(d)).map(Open::NotDue)
    };
    Outcome::of(&case.id, &case.title, why, differences)
}

/// Runs a scenario under each of its rulebooks. It passes only if it could be tried under all of
/// them, and fails if it is wrong under one.
pub fn run_scenario(scenario: &Scenario, books: &Books) -> Outcome {
    let mut all = Vec::new();
    let mut unknown = Vec::new();
    for book in books.of(&scenario.rulebooks) {
        match book {
            Ok(rulebook) => all.extend(under(scenario, rulebook)),
            Err(book) => unknown.push(book),
        }
    }
    let why = if scenario.is_open() {
        Some(Open::Disputed)
    } else if !unknown.is_empty() && all.is_empty() {
        Some(Open::NoRulebook(unknown.clone()))
    } else {
        None
    };
    all.extend(unknown.iter().map(Difference::untried));
    Outcome::of(&scenario.id, &scenario.title, why, all)
}

/// In what a scenario differs under one rulebook, which each difference names.
fn under(scenario: &Scenario, rulebook: Arc<Rulebook>) -> Vec<Difference> {
    let id = rulebook.id.clone();
    let found = match Stage::new(scenario, rulebook, Lags::NONE) {
        Ok(mut stage) => match stage.play(scenario) {
            Ok(()) => differences(&stage, scenario, &id),
            Err(untold) => vec![untold.difference()],
        },
        Err(untold) => vec![untold.difference()],
    };
    found.into_iter().map(|d| Difference { field: format!("{id}: {}", d.field), ..d }).collect()
}
