// SPDX-License-Identifier: GPL-3.0-or-later
//! Texts into cases and scenarios; what is wrong with one is told with its file and line.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use shakmaty::uci::UciMove;

use super::case::{Case, Expect, Kind};
use super::scenario::{File, Scenario};
use crate::document::did_you_mean;
use crate::laws::kinds::{CASE_REASONS, CASE_WORDS};
use crate::table::Start;

/// No game lasts longer than a day, and a slip in a time must not keep anybody waiting.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// What people claim, also where this version has no word for it.
const CLAIMS: &[&str] =
    &["illegal-move", "touch-move", "flag", "threefold", "fifty", "two-hands", "setup", "king-adjacent"];

const RESULTS: &[&str] = &["*", "1-0", "0-1", "1/2-1/2"];

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Document {
    /// One case.
    Case(Box<Case>),
    /// Scenarios of the Laws.
    Scenarios(Vec<Scenario>),
}

impl Document {
    /// The ids of what it holds.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let (case, scenarios) = match self {
            Self::Case(case) => (Some(case.id.as_str()), [].as_slice()),
            Self::Scenarios(scenarios) => (None, scenarios.as_slice()),
        };
        case.into_iter().chain(scenarios.iter().map(|s| s.id.as_str()))
    }
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
            self.check_word(word, self.place_of(word))?;
        }
        self.check_expected_words(&case.expect)?;
        self.check_said(case)
    }

    /// Where a text stands for the first time.
    fn place_of(&self, text: &str) -> Range<usize> {
        let at = self.text.find(&format!("{text:?}")).unwrap_or(0);
        at..at
    }

    /// What is expected of the record: moves, results, reasons and their order.
    fn check_expected_words(&self, expect: &Expect) -> Result<(), ReadError> {
        let moves =
            [&expect.moves, &expect.optional_tail, &expect.never, &expect.irregular, &expect.inferred];
        for text in moves.into_iter().flatten() {
            self.check_move(text, text)?;
        }
        for text in expect.results.iter().flatten().chain(&expect.result) {
            self.check_result(text, text)?;
        }
        let unknown = |reason: &&String| !CASE_REASONS.contains(&reason.as_str());
        if let Some(reason) = expect.reason.as_ref().filter(unknown) {
            let meant = did_you_mean(reason, CASE_REASONS.iter().copied());
            let what = format!("no result has the reason {reason:?}{meant}");
            return Err(self.error(self.place_of(reason), what));
        }
        for text in &expect.order {
            match text.split_once(':') {
                Some(("move", uci)) => self.check_move(uci, text)?,
                Some(("result", result)) => self.check_result(result, text)?,
                _ => {
                    let what =
                        format!("{text:?} is neither \"move:\" and a move nor \"result:\" and a result");
                    return Err(self.error(self.place_of(text), what));
                }
            }
        }
        for text in expect.dev_moves.iter().flatten() {
            let Some((_, uci)) = text.split_once(':') else {
                let what = format!("{text:?} is not the name of a board, a colon and a move");
                return Err(self.error(self.place_of(text), what));
            };
            self.check_move(uci, text)?;
        }
        Ok(())
    }

    /// What people say: claims by their names, and the moves of an arbiter.
    fn check_said(&self, case: &Case) -> Result<(), ReadError> {
        for spanned in &case.obs {
            let said = spanned.get_ref();
            for text in &said.moves {
                self.check_move(text, text)?;
            }
            let what = said.what.as_deref().filter(|what| said.kind == Kind::Claim && !CLAIMS.contains(what));
            if let Some(what) = what {
                let meant = did_you_mean(what, CLAIMS.iter().copied());
                return Err(self.error(spanned.span(), format!("nobody claims {what:?}{meant}")));
            }
        }
        Ok(())
    }

    fn check_move(&self, uci: &str, text: &str) -> Result<(), ReadError> {
        let what = || format!("{uci:?} is no move, such as e2e4, e1g1 or e7e8q");
        uci.parse::<UciMove>().map(drop).map_err(|_| self.error(self.place_of(text), what()))
    }

    fn check_result(&self, result: &str, text: &str) -> Result<(), ReadError> {
        if RESULTS.contains(&result) {
            return Ok(());
        }
        let what = format!("{result:?} is no result: {}", RESULTS.join(", "));
        Err(self.error(self.place_of(text), what))
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
        let meant = did_you_mean(word, CASE_WORDS.iter().copied());
        Err(self.error(span, format!("no ruling or notice of the cases is called {word:?}{meant}")))
    }
}
