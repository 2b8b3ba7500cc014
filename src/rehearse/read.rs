// SPDX-License-Identifier: GPL-3.0-or-later
//! Texts into cases and scenarios; all that is wrong with one is told with its file and line.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use shakmaty::uci::UciMove;
use toml::de::DeTable;

use super::case::Case;
use super::scenario::{File, Scenario};
use super::{check_case, check_scenario, plain, shape};

/// No game lasts longer than a day, and a slip in a time must not keep anybody waiting.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Document {
    /// One case.
    Case(Box<Case>),
    /// Scenarios of the Laws.
    Scenarios(Vec<Scenario>),
}

impl Document {
    /// The ids of what it holds, with the lines in which they stand.
    pub fn ids(&self) -> impl Iterator<Item = (&str, usize)> {
        let (case, scenarios) = match self {
            Self::Case(case) => (Some((case.id.as_str(), case.line)), [].as_slice()),
            Self::Scenarios(scenarios) => (None, scenarios.as_slice()),
        };
        case.into_iter().chain(scenarios.iter().map(|s| (s.id.as_str(), s.line)))
    }
}

/// Something is wrong with a file of a case or of scenarios.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}:{line}: {what}", file.display())]
pub struct ReadError {
    /// As it was named by whoever read it.
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// Reads the text of a file; `file` only names it in errors.
///
/// # Errors
/// What is wrong, each with its line and in the order of the lines: all keys first, and when these
/// are right the values. Of values of a wrong type only the first is told.
pub fn read(file: &Path, text: &str) -> Result<Document, Vec<ReadError>> {
    let mut source = Source { file, text, errors: Vec::new() };
    let document = source.read();
    let mut errors = source.errors;
    errors.sort_by_key(|e| e.line);
    match document {
        Some(document) if errors.is_empty() => Ok(document),
        _ => Err(errors),
    }
}

/// What is said of what is no move.
pub fn no_move(uci: &str) -> Option<String> {
    let wrong = uci.parse::<UciMove>().is_err();
    wrong.then(|| format!("{uci:?} is no move, such as e2e4, e1g1 or e7e8q"))
}

/// The text of a file, and what was found to be wrong with it.
pub struct Source<'t> {
    file: &'t Path,
    text: &'t str,
    errors: Vec<ReadError>,
}

impl Source<'_> {
    /// Gives `None` when something is wrong; it has then been told.
    fn read(&mut self) -> Option<Document> {
        let text = self.text;
        let root = match DeTable::parse(text) {
            Ok(root) => root,
            Err(e) => {
                self.tell(e.span().unwrap_or(0..0), e.message());
                return None;
            }
        };
        let root = root.get_ref();
        if root.contains_key("scenario") {
            shape::check_scenarios(self, root);
            return self.scenarios(root);
        }
        if !root.contains_key("obs") && !root.contains_key("setup") {
            if let Some(key) = ["inherits", "regime"].iter().find_map(|key| root.get_key_value(*key)) {
                let named = self.file.display();
                let what =
                    format!("this is a rulebook and no case: to play cases under it, --rulebook {named}");
                self.tell(key.0.span(), what);
                return None;
            }
            self.tell(0..0, "neither a case ([setup], [[obs]], [expect]) nor scenarios ([[scenario]])");
            return None;
        }
        shape::check_case(self, root);
        self.case(root)
    }

    fn case(&mut self, root: &DeTable<'_>) -> Option<Document> {
        let mut case: Case = self.parse(root)?;
        case.book_line = self.line(case.setup.book.span().start);
        case.line = self.line(root.get_key_value("id").map_or(0, |(key, _)| key.span().start));
        check_case::check(self, &case);
        Some(Document::Case(Box::new(case)))
    }

    fn scenarios(&mut self, root: &DeTable<'_>) -> Option<Document> {
        let File { scenario, .. } = self.parse(root)?;
        let mut scenarios = Vec::new();
        for spanned in scenario {
            let begins = spanned.span().start;
            let mut scenario = spanned.into_inner().prepared(self.line(begins));
            let line_of = |id: &String| self.line(self.place_of(id, begins).start);
            scenario.lines.rulebooks = scenario.rulebooks.iter().map(line_of).collect();
            scenario.lines.before = self.line(scenario.place_of_before().start);
            check_scenario::check(self, &scenario);
            scenarios.push(scenario);
        }
        Some(Document::Scenarios(scenarios))
    }

    /// Values are looked at when all keys are right: what is missing would be told twice.
    fn parse<T: DeserializeOwned>(&mut self, root: &DeTable<'_>) -> Option<T> {
        if !self.errors.is_empty() {
            return None;
        }
        toml::from_str(self.text)
            .map_err(|e: toml::de::Error| {
                let span = e.span().unwrap_or(0..0);
                self.tell(span.clone(), plain::words(root, span, e.message()));
            })
            .ok()
    }

    fn line(&self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or_default();
        before.matches('\n').count() + 1
    }

    /// Something is wrong at this place.
    pub fn tell(&mut self, span: Range<usize>, what: impl Into<String>) {
        let (file, line) = (self.file.to_owned(), self.line(span.start));
        self.errors.push(ReadError { file, line, what: what.into().replace('\n', "; ") });
    }

    /// Where a text stands as a string for the first time from here on.
    pub fn place_of(&self, text: &str, from: usize) -> Range<usize> {
        let within = self.text.get(from..).and_then(|rest| rest.find(&format!("{text:?}")));
        let at = from + within.unwrap_or(0);
        at..at
    }

    pub fn check_move(&mut self, uci: &str, place: Range<usize>) {
        if let Some(what) = no_move(uci) {
            self.tell(place, what);
        }
    }

    pub fn check_times(&mut self, times: impl Iterator<Item = (Range<usize>, &'static str, u64)>) {
        let mut last = 0;
        for (span, field, ms) in times {
            if ms < last {
                let what = format!("{field} = {ms} comes after {last}: observations are in order");
                self.tell(span, what);
            } else if ms > LONGEST_MS {
                let what = format!("{field} = {ms} lies more than a day after the beginning");
                self.tell(span, what);
            }
            last = last.max(ms);
        }
    }
}
