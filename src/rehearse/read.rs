// SPDX-License-Identifier: GPL-3.0-or-later
//! Texts into cases and scenarios; what is wrong with one is told with its file and line.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::case::Case;
use super::scenario::{File, Scenario};
use crate::laws::kinds::CASE_WORDS;
use crate::table::Start;

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

/// A file is neither a case nor scenarios.
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
/// The first thing that is wrong, with its line.
pub fn read(file: &Path, text: &str) -> Result<Document, ReadError> {
    let source = Source { file, text };
    let table: toml::Table = source.parse()?;
    if table.contains_key("scenario") {
        let File { scenario, .. } = source.parse()?;
        for scenario in &scenario {
            source.check_times(scenario.events.iter().map(|e| (e.span(), "t", e.get_ref().t)))?;
        }
        return Ok(Document::Scenarios(scenario.into_iter().map(Scenario::prepared).collect()));
    }
    if !table.contains_key("obs") && !table.contains_key("setup") {
        return Err(
            source.error(0..0, "neither a case ([setup], [[obs]], [expect]) nor scenarios ([[scenario]])")
        );
    }
    let case: Case = source.parse()?;
    source.check(&case)?;
    Ok(Document::Case(Box::new(case)))
}

struct Source<'t> {
    file: &'t Path,
    text: &'t str,
}

impl Source<'_> {
    fn parse<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        toml::from_str(self.text)
            .map_err(|e: toml::de::Error| self.error(e.span().unwrap_or(0..0), e.message()))
    }

    fn error(&self, span: Range<usize>, what: impl Into<String>) -> ReadError {
        let before = self.text.get(..span.start).unwrap_or_default();
        ReadError {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            what: what.into().replace('\n', "; "),
        }
    }

    /// What the types of the fields do not hold.
    fn check(&self, case: &Case) -> Result<(), ReadError> {
        if let Err(e) = Start::from_fen(&case.setup.start_fen) {
            let at = self.text.find("start_fen").unwrap_or(0);
            return Err(self.error(at..at, format!("start_fen: {e}")));
        }
        for spanned in &case.obs {
            if let Some(field) = spanned.get_ref().lacks() {
                return Err(self.error(spanned.span(), format!("this observation lacks {field}")));
            }
        }
        self.check_times(case.obs.iter().map(|o| (o.span(), "t_ms", o.get_ref().t_ms)))?;
        for spanned in &case.expect.ruling {
            let ruling = spanned.get_ref();
            for word in std::iter::once(&ruling.kind).chain(&ruling.alternatives) {
                let ruling = spanned.span().start;
                let within = self.text.get(ruling..).and_then(|text| text.find(&format!("{word:?}")));
                let at = ruling + within.unwrap_or(0);
                self.check_word(word, at..at)?;
            }
        }
        for word in case.expect.forbid.iter().chain(&case.expect.allow) {
            let at = self.text.find(&format!("{word:?}")).unwrap_or(0);
            self.check_word(word, at..at)?;
        }
        Ok(())
    }

    /// What is observed is in order, and ends within a day.
    fn check_times(
        &self,
        times: impl Iterator<Item = (Range<usize>, &'static str, u64)>,
    ) -> Result<(), ReadError> {
        let mut last = 0;
        for (span, field, ms) in times {
            if ms < last {
                let what = format!("{field} = {ms} comes after {last}: observations are in order");
                return Err(self.error(span, what));
            }
            if ms > LONGEST_MS {
                let what = format!("{field} = {ms} lies more than a day after the beginning");
                return Err(self.error(span, what));
            }
            last = ms;
        }
        Ok(())
    }

    /// A word that nobody has would never be found, and a mistaken `forbid` never hold.
    fn check_word(&self, word: &str, span: Range<usize>) -> Result<(), ReadError> {
        if CASE_WORDS.contains(&word) {
            return Ok(());
        }
        let nearest = crate::document::nearest(word, CASE_WORDS.iter().copied());
        let suggestion = nearest.map(|n| format!("; did you mean {n:?}?")).unwrap_or_default();
        Err(self.error(span, format!("no ruling or notice of the cases is called {word:?}{suggestion}")))
    }
}
