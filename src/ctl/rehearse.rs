// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl rehearse`: cases and scenarios of the Laws, tried before a tournament. Needs no
//! service and no board.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io, iter};

use serde::Serialize;

use super::{CtlError, Out};
use crate::laws::rulebook::{Library, RulebookError};
use crate::rehearse::{
    Books, Document, Due, Outcome, ReadError, Verdict, nearest_id, read, run_case, run_scenario,
    with_supervised,
};

/// What to try, and under what.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Case files, files of scenarios, and folders of them with all that is in these
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Play all under this rulebook, whatever they name: a file, or the id of one that is part of the
    /// program
    #[arg(long, value_name = "FILE|ID")]
    rulebook: Option<PathBuf>,
    /// Only cases that are due with these parts of the work can fail; differences of others are
    /// open
    #[arg(long, value_delimiter = ',', value_name = "PART", default_value = "sensing")]
    due: Vec<Due>,
}

const EXAMPLES: &str = "\
Each case is played to a table as the service has one, in virtual time, and what comes of it is
compared with what the file expects. One line for each: ok; FAILED, with its file and every field that
differs; or open, for what is disputed, due later, about the running service or under a rulebook that
is not here. Open ones never fail. A file that cannot be read has a line ERROR for each mistake in it,
with the line of the file, and the others are played all the same.

Examples:
  arbiterctl rehearse cases/
      All cases of a folder.
  arbiterctl rehearse --rulebook club-standard.toml cases/ laws.toml
      Everything under the rulebook of a club, to see what its rules change.
  arbiterctl rehearse --rulebook fide-2018-rapid cases/
      The same under a rulebook that is part of the program.
  arbiterctl rehearse --due sensing,laws cases/
      What the Laws say of a move can fail too; times, restarts and several boards cannot.
  arbiterctl --json rehearse cases/
      One JSON object for each case and each file that cannot be read, and one for the summary.

Exit codes: 0 nothing failed, 1 something failed, 2 a file could not be read, or wrong usage.";

/// Why a rehearsal did not end well.
#[derive(Debug, thiserror::Error)]
pub(super) enum RehearseError {
    #[error("{failed} of {all} failed")]
    Failed { failed: usize, all: usize },
    #[error("{unreadable} of {files} files could not be read, see ERROR; of the others {failed} failed")]
    Unreadable { unreadable: usize, files: usize, failed: usize },
    #[error("{}: {what}", path.display())]
    RulebookFile { path: PathBuf, what: String },
    #[error(transparent)]
    Rulebook(#[from] RulebookError),
    #[error("{}: the file name has to be the id of the rulebook and \".toml\"", .0.display())]
    RulebookName(PathBuf),
    #[error(
        "{}: there is no such file, and no rulebook of the program has this id: {known}{}",
        path.display(), nearest.as_ref().map(|id| format!("; did you mean {id:?}?")).unwrap_or_default()
    )]
    NoRulebook { path: PathBuf, known: String, nearest: Option<String> },
}

impl RehearseError {
    /// Whether what was given is at fault: it has an exit code apart from what was played and failed.
    pub(super) const fn is_usage(&self) -> bool {
        !matches!(self, Self::Failed { .. })
    }
}

/// Runs `arbiterctl rehearse`.
pub(super) fn run(args: &Args, out: &mut Out) -> Result<(), CtlError> {
    let books = books(args.rulebook.as_deref())?;
    let found = found(&args.paths, &books);
    let mut count = Summary::default();
    for Found { file, document } in &found {
        match document {
            Ok(document) => {
                for outcome in outcomes(document, &books, &args.due) {
                    count.add(&outcome);
                    let line_of_file = document.ids().find(|(id, _)| *id == outcome.id).map(|(_, line)| line);
                    let outcome = InFile { file, line: line_of_file, outcome: &outcome };
                    out.put(&outcome, |_| Some(outcome.line()))?;
                }
            }
            Err(errors) => {
                count.unreadable += 1;
                let unread = Unread { file, outcome: "unreadable", errors };
                out.put(&unread, |_| Some(unread.lines()))?;
            }
        }
    }
    let summary = serde_json::json!({ "summary": count });
    out.put(&summary, |_| Some(count.line()))?;
    Ok(count.verdict(found.len())?)
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
    line: Option<usize>,
    #[serde(flatten)]
    outcome: &'a Outcome,
}

impl InFile<'_> {
    /// One line for people, and one for each thing that differs.
    fn line(&self) -> String {
        let Self { file, line, outcome } = self;
        let at = line.map_or_else(String::new, |line| format!(":{line}"));
        let head = match (outcome.outcome, &outcome.open) {
            (Verdict::Passed, _) => format!("ok      {}", outcome.id),
            (Verdict::Failed, _) => {
                format!("FAILED  {}: {} ({}{at})", outcome.id, outcome.title, file.display())
            }
            (Verdict::Open, Some(why)) => format!("open    {}: {why} ({}{at})", outcome.id, file.display()),
            (Verdict::Open, None) => format!("open    {}", outcome.id),
        };
        let differing = outcome.differences.iter().map(|d| format!("        {d}"));
        iter::once(head).chain(differing).collect::<Vec<_>>().join("\n")
    }
}

/// A file of which nothing was played.
#[derive(Serialize)]
struct Unread<'a> {
    file: &'a Path,
    outcome: &'static str,
    errors: &'a [FileError],
}

impl Unread<'_> {
    /// One line for each thing that is wrong.
    fn lines(&self) -> String {
        let line = |error: &FileError| {
            let at = error.line.map_or_else(String::new, |line| format!(":{line}"));
            format!("ERROR   {}{at}: {}", self.file.display(), error.what)
        };
        self.errors.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Something wrong with a file.
#[derive(Serialize)]
struct FileError {
    /// Counted from 1; none if the file is wrong as a whole.
    line: Option<usize>,
    what: String,
}

impl FileError {
    fn whole(what: impl Into<String>) -> Vec<Self> {
        vec![Self { line: None, what: what.into() }]
    }
}

impl From<ReadError> for FileError {
    fn from(ReadError { line, what, file: _ }: ReadError) -> Self {
        Self { line: Some(line), what }
    }
}

#[derive(Clone, Copy, Default, Serialize)]
struct Summary {
    passed: usize,
    failed: usize,
    open: usize,
    /// Files, of which nobody knows how many cases they hold.
    unreadable: usize,
}

impl Summary {
    fn add(&mut self, outcome: &Outcome) {
        match outcome.outcome {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed => self.failed += 1,
            Verdict::Open => self.open += 1,
        }
    }

    fn line(&self) -> String {
        let Self { passed, failed, open, unreadable } = self;
        let played = format!("{passed} passed, {failed} failed, {open} open");
        if *unreadable == 0 { played } else { format!("{played}, {unreadable} not read") }
    }

    const fn verdict(self, files: usize) -> Result<(), RehearseError> {
        let Self { passed, failed, open, unreadable } = self;
        if unreadable > 0 {
            Err(RehearseError::Unreadable { unreadable, files, failed })
        } else if failed > 0 {
            Err(RehearseError::Failed { failed, all: passed + failed + open })
        } else {
            Ok(())
        }
    }
}

/// An organiser's rulebook is read as the service reads it: it may inherit from those that are part
/// of the program. One of these is named by its id; a file of the same name goes before it.
fn books(rulebook: Option<&Path>) -> Result<Books, RehearseError> {
    let library = with_supervised(&Library::embedded()?)?;
    let Some(path) = rulebook else { return Ok(Books::Named(library)) };
    if !path.exists() {
        return built_in(&library, path);
    }
    let library = library.with_texts(with_ancestors(path)?)?;
    let id = path.file_stem().and_then(|stem| stem.to_str());
    let book = id.and_then(|id| library.get(id));
    book.map(Books::One).ok_or_else(|| RehearseError::RulebookName(path.to_owned()))
}

/// A rulebook, and those beside it from which it inherits: the service reads a whole folder of them.
fn with_ancestors(path: &Path) -> Result<Vec<(PathBuf, String)>, RehearseError> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let text = text_of(&path).map_err(|what| RehearseError::RulebookFile { path: path.clone(), what })?;
        let beside = inherits(&text).map(|id| path.with_file_name(format!("{id}.toml")));
        next = beside.filter(|p| p.is_file() && *p != path && files.iter().all(|(known, _)| known != p));
        files.push((path, text));
    }
    Ok(files)
}

/// The rulebook from which one inherits, if its name can be that of a file. What is wrong otherwise is
/// told when all is read.
fn inherits(text: &str) -> Option<String> {
    let root: toml::Table = toml::from_str(text).ok()?;
    let id = root.get("inherits")?.as_str()?;
    (Path::new(id).file_name()? == id).then(|| id.to_owned())
}

fn built_in(library: &Library, path: &Path) -> Result<Books, RehearseError> {
    if let Some(book) = path.to_str().and_then(|id| library.get(id)) {
        return Ok(Books::One(book));
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let nearest = stem.and_then(|id| nearest_id(id, library.ids()));
    let known = library.ids().collect::<Vec<_>>().join(", ");
    Err(RehearseError::NoRulebook { path: path.to_owned(), known, nearest })
}

/// A file, with what it holds or what is wrong with it.
struct Found {
    file: PathBuf,
    document: Result<Document, Vec<FileError>>,
}

/// All files, those of folders among them, in the order in which they are named.
fn found(paths: &[PathBuf], books: &Books) -> Vec<Found> {
    let mut known = BTreeMap::new();
    let open = |(file, there): (PathBuf, Result<(), Vec<FileError>>)| {
        let document = there
            .and_then(|()| open(&file))
            .and_then(|d| with_books(books, d))
            .and_then(|d| every_id_once(&mut known, &file, d));
        Found { file, document }
    };
    files(paths).into_iter().map(open).collect()
}

fn open(file: &Path) -> Result<Document, Vec<FileError>> {
    let text = text_of(file).map_err(FileError::whole)?;
    read(file, &text).map_err(|errors| errors.into_iter().map(FileError::from).collect())
}

/// What stands in a file, or why that cannot be said.
fn text_of(file: &Path) -> Result<String, String> {
    let bytes = fs::read(file).map_err(|e| format!("cannot be read: {e}"))?;
    String::from_utf8(bytes).map_err(|e| {
        let upto = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes().iter().take(upto).filter(|&&b| b == b'\n').count();
        format!("what stands in line {line} is no text in UTF-8: save the file in this encoding")
    })
}

/// A rulebook whose name is misspelt would leave its cases open for good.
fn with_books(books: &Books, document: Document) -> Result<Document, Vec<FileError>> {
    let mistakes = books.mistakes(&document);
    if mistakes.is_empty() {
        return Ok(document);
    }
    Err(mistakes.into_iter().map(|(line, what)| FileError { line: Some(line), what }).collect())
}

/// A copy whose id was forgotten would be taken for the other: it is not played.
fn every_id_once(
    known: &mut BTreeMap<String, PathBuf>,
    file: &Path,
    document: Document,
) -> Result<Document, Vec<FileError>> {
    let mut again = Vec::new();
    for (id, line) in document.ids() {
        if let Some(other) = known.get(id) {
            let what = format!("{id} is the id of one in {} too: give it another", other.display());
            again.push(FileError { line: Some(line), what });
        } else {
            known.insert(id.to_owned(), file.to_owned());
        }
    }
    if again.is_empty() { Ok(document) } else { Err(again) }
}

type ToRead = (PathBuf, Result<(), Vec<FileError>>);

/// The files, and those of folders and the folders in these in the order of their names; each once, however
/// its name is spelt. A folder itself is there only if something is wrong with it.
fn files(paths: &[PathBuf]) -> Vec<ToRead> {
    let mut files: Vec<ToRead> = Vec::new();
    let mut known = BTreeSet::new();
    for path in paths {
        let mut more = Vec::new();
        if path.is_dir() {
            inside(path, &mut more);
            if more.is_empty() {
                let what = "there is no file in this folder or below it that ends with .toml";
                more.push((path.clone(), Err(FileError::whole(what))));
            }
        } else {
            more.push((path.clone(), Ok(())));
        }
        files.extend(more.into_iter().filter(|(path, _)| known.insert(whole_name(path))));
    }
    files
}

/// The one name of a file. A link that leads nowhere has that of itself.
fn whole_name(path: &Path) -> PathBuf {
    let of_itself = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(of_itself).unwrap_or_else(|| path.to_owned())
}

/// A folder that cannot be read is told, and what is beside it is read all the same.
fn inside(folder: &Path, files: &mut Vec<ToRead>) {
    let entries: io::Result<Vec<_>> = fs::read_dir(folder).and_then(Iterator::collect);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(e) => {
            files.push((folder.to_owned(), Err(FileError::whole(format!("cannot be read: {e}")))));
            return;
        }
    };
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => inside(&path, files),
            Ok(kind) if is_toml(&path) && may_be_file(&path, kind) => files.push((path, Ok(()))),
            Ok(_) => {}
            Err(e) => files.push((path, Err(FileError::whole(format!("cannot be read: {e}"))))),
        }
    }
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
}

/// A folder that is a link is not gone into: it may lead back. A pipe could be waited for without end.
/// A link that leads nowhere was meant to be a file.
fn may_be_file(path: &Path, kind: fs::FileType) -> bool {
    if kind.is_symlink() { fs::metadata(path).map_or(true, |there| there.is_file()) } else { kind.is_file() }
}
