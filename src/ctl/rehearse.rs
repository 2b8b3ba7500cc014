// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl rehearse`: cases and scenarios of the Laws, tried before a tournament. Needs no
//! service and no board.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::{fs, iter};

use serde::Serialize;

use super::{CtlError, Out};
use crate::laws::rulebook::{Library, RulebookError};
use crate::rehearse::{
    Books, Document, Due, Outcome, ReadError, Verdict, read, run_case, run_scenario, with_supervised,
};

/// What to try, and under what.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Case files, files of scenarios, and folders of them with all that is in these
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Play all under this rulebook, whatever they name
    #[arg(long, value_name = "FILE")]
    rulebook: Option<PathBuf>,
    /// Only cases that are due with these parts of the work can fail; differences of others are
    /// open
    #[arg(long, value_delimiter = ',', value_name = "PART", default_value = "sensing")]
    due: Vec<Due>,
}

const EXAMPLES: &str = "\
Each case is played to a table as the service has one, in virtual time, and what comes of it is
compared with what the file expects. One line for each: ok; FAILED, with every field that differs;
or open, for what is disputed, due later, about the running service or under a rulebook that is not
here. Open ones never fail.

Examples:
  arbiterctl rehearse cases/
      All cases of a folder.
  arbiterctl rehearse --rulebook club-standard.toml cases/ laws.toml
      Everything under the rulebook of a club, to see what its rules change.
  arbiterctl rehearse --due sensing,laws cases/
      What the Laws say of a move can fail too; times, restarts and several boards cannot.
  arbiterctl --json rehearse cases/
      One JSON object for each case, and one for the summary.

Exit codes: 0 nothing failed, 1 something failed or could not be read, 2 wrong usage.";

/// Why a rehearsal did not end well.
#[derive(Debug, thiserror::Error)]
pub(super) enum RehearseError {
    #[error("{failed} of {all} failed")]
    Failed { failed: usize, all: usize },
    #[error("{}", lines(.0))]
    Unreadable(Vec<ReadError>),
    #[error("{}: cannot be read: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: there is no file in this folder or below it that ends with .toml", .0.display())]
    NothingThere(PathBuf),
    #[error("{}: {id} is the id of one in {} too", file.display(), other.display())]
    SameId { id: String, file: PathBuf, other: PathBuf },
    #[error(transparent)]
    Rulebook(#[from] RulebookError),
    #[error("{}: the file name has to be the id of the rulebook and \".toml\"", .0.display())]
    RulebookName(PathBuf),
}

impl RehearseError {
    /// Whether the command line is at fault.
    pub(super) const fn is_usage(&self) -> bool {
        matches!(self, Self::RulebookName(_))
    }
}

fn lines(errors: &[ReadError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Runs `arbiterctl rehearse`. Nothing is played before everything could be read.
pub(super) fn run(args: &Args, out: &mut Out) -> Result<(), CtlError> {
    let books = books(args.rulebook.as_deref())?;
    let documents = documents(&args.paths)?;
    let mut count = Summary::default();
    for (file, document) in documents {
        for outcome in outcomes(&document, &books, &args.due) {
            count.add(&outcome);
            out.put(&InFile { file: &file, outcome: &outcome }, |_| Some(line(&outcome)))?;
        }
    }
    let summary = serde_json::json!({ "summary": count });
    out.put(&summary, |_| {
        Some(format!("{} passed, {} failed, {} open", count.passed, count.failed, count.open))
    })?;
    let Summary { passed, failed, open } = count;
    if failed == 0 {
        return Ok(());
    }
    Err(RehearseError::Failed { failed, all: passed + failed + open }.into())
}

fn outcomes<'a>(
    document: &'a Document,
    books: &'a Books,
    due: &'a [Due],
) -> Box<dyn Iterator<Item = Outcome> + 'a> {
    match document {
        Document::Case(case) => Box::new(iter::once_with(|| run_case(case, books, due))),
        Document::Scenarios(scenarios) => Box::new(scenarios.iter().map(|s| run_scenario(s, books))),
    }
}

/// An outcome with the file that it came from.
#[derive(Serialize)]
struct InFile<'a> {
    file: &'a Path,
    #[serde(flatten)]
    outcome: &'a Outcome,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Summary {
    passed: usize,
    failed: usize,
    open: usize,
}

impl Summary {
    fn add(&mut self, outcome: &Outcome) {
        match outcome.outcome {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed => self.failed += 1,
            Verdict::Open => self.open += 1,
        }
    }
}

/// One line for people, and one for each thing that differs.
fn line(outcome: &Outcome) -> String {
    let head = match (outcome.outcome, &outcome.open) {
        (Verdict::Passed, _) => format!("ok      {}", outcome.id),
        (Verdict::Failed, _) => format!("FAILED  {}: {}", outcome.id, outcome.title),
        (Verdict::Open, Some(why)) => format!("open    {}: {why}", outcome.id),
        (Verdict::Open, None) => format!("open    {}", outcome.id),
    };
    let differing = outcome.differences.iter().map(|d| format!("        {d}"));
    iter::once(head).chain(differing).collect::<Vec<_>>().join("\n")
}

/// An organiser's rulebook is read as the service reads it: it may inherit from those that are part
/// of the program.
fn books(rulebook: Option<&Path>) -> Result<Books, RehearseError> {
    let library = with_supervised(&Library::embedded()?)?;
    let Some(path) = rulebook else { return Ok(Books::Named(library)) };
    let text = text_of(path)?;
    let library = library.with_texts([(path.to_owned(), text)])?;
    let id = path.file_stem().and_then(|stem| stem.to_str());
    let book = id.and_then(|id| library.get(id));
    book.map(Books::One).ok_or_else(|| RehearseError::RulebookName(path.to_owned()))
}

fn documents(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Document)>, RehearseError> {
    let mut documents = Vec::new();
    let mut wrong = Vec::new();
    for file in files(paths)? {
        let text = text_of(&file)?;
        match read(&file, &text) {
            Ok(document) => documents.push((file, document)),
            Err(error) => wrong.push(error),
        }
    }
    if !wrong.is_empty() {
        return Err(RehearseError::Unreadable(wrong));
    }
    every_id_once(&documents)?;
    Ok(documents)
}

/// A copy whose id was forgotten would be taken for the other.
fn every_id_once(documents: &[(PathBuf, Document)]) -> Result<(), RehearseError> {
    let mut known: BTreeMap<&str, &Path> = BTreeMap::new();
    for (file, document) in documents {
        for id in document.ids() {
            if let Some(other) = known.insert(id, file) {
                let (id, file, other) = (id.to_owned(), file.clone(), other.to_owned());
                return Err(RehearseError::SameId { id, file, other });
            }
        }
    }
    Ok(())
}

/// The files, and those of folders and the folders in these in the order of their names; each once.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, RehearseError> {
    let mut files = Vec::new();
    for path in paths {
        let inside = if path.is_dir() { inside(path)? } else { vec![path.clone()] };
        if inside.is_empty() {
            return Err(RehearseError::NothingThere(path.clone()));
        }
        files.extend(inside.into_iter().filter(|file| !files.contains(file)).collect::<Vec<_>>());
    }
    Ok(files)
}

/// A folder that is a link is not gone into: it may lead back.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, RehearseError> {
    let entries: io::Result<Vec<_>> =
        fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut entries = entries.map_err(|source| RehearseError::File { path: folder.to_owned(), source })?;
    entries.sort();
    let mut files = Vec::new();
    for entry in entries {
        if entry.is_dir() && !entry.is_symlink() {
            files.extend(inside(&entry)?);
        } else if entry.extension().is_some_and(|e| e == "toml") && !entry.is_dir() {
            files.push(entry);
        }
    }
    Ok(files)
}

fn text_of(path: &Path) -> Result<String, RehearseError> {
    fs::read_to_string(path).map_err(|source| RehearseError::File { path: path.to_owned(), source })
}
