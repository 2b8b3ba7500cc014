// SPDX-License-Identifier: GPL-3.0-or-later
//! Strict reading of TOML files: every key must be known, every value must be of its type and
//! range, and every problem is found, not only the first, each with its file, line and key.
//!
//! A [`Section`] hands out its keys as [`Entry`] and remembers which were asked for; what is left
//! over when the section has been read is unknown. Pure: texts come in as arguments.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod entry;
mod problem;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use entry::{Entry, Found};
pub(crate) use problem::write_lines;
pub use problem::{Fault, Problem};

/// Where something stands in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The file, as it was named by whoever read it.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The key with the tables it stands in, such as `[[table]].rulebook`.
    pub key: String,
}

impl Place {
    /// A problem here.
    pub fn problem(&self, what: Fault) -> Problem {
        Problem { file: self.file.clone(), line: self.line, key: self.key.clone(), what }
    }
}

/// A well-formed TOML text.
#[derive(Debug)]
pub struct Document<'t> {
    file: &'t Path,
    line_starts: Vec<usize>,
    root: DeTable<'t>,
}

impl<'t> Document<'t> {
    /// Parses a text. `file` only names it in problems.
    ///
    /// # Errors
    /// Every place at which the text is not TOML.
    pub fn parse(file: &'t Path, text: &'t str) -> Result<Self, Vec<Problem>> {
        let line_starts = line_starts(text);
        let (root, errors) = DeTable::parse_recoverable(text);
        if errors.is_empty() {
            return Ok(Self { file, line_starts, root: root.into_inner() });
        }
        // One slip confuses the parser several times in the same line: its first complaint tells.
        let mut seen = BTreeSet::new();
        let problems = errors
            .iter()
            .map(|e| (line_of(&line_starts, e.span().map_or(0, |s| s.start)), e.message()))
            .filter(|(line, _)| seen.insert(*line))
            .map(|(line, message)| {
                let place = Place { file: file.to_owned(), line, key: String::new() };
                place.problem(Fault::Syntax(message.to_owned()))
            })
            .collect();
        Err(problems)
    }

    /// Reads the whole document with `read` and gives its result with every problem found, in
    /// the order of the lines.
    pub fn read<T>(&self, read: impl FnOnce(&Section<'_>) -> T) -> (T, Vec<Problem>) {
        let problems = RefCell::default();
        let context = Context { file: self.file, line_starts: &self.line_starts, problems: &problems };
        let root =
            Section { context, table: &self.root, line: 1, path: String::new(), asked: RefCell::default() };
        let value = root.read_through(read);
        let mut problems = problems.into_inner();
        problems.sort_by_key(|p| p.line);
        (value, problems)
    }
}

/// What all sections of a document share.
#[derive(Clone, Copy, Debug)]
struct Context<'d> {
    file: &'d Path,
    line_starts: &'d [usize],
    problems: &'d RefCell<Vec<Problem>>,
}

impl Context<'_> {
    fn line(&self, offset: usize) -> usize {
        line_of(self.line_starts, offset)
    }

    fn place(&self, line: usize, key: String) -> Place {
        Place { file: self.file.to_owned(), line, key }
    }
}

/// A table of a document while it is read.
#[derive(Debug)]
pub struct Section<'d> {
    context: Context<'d>,
    table: &'d DeTable<'d>,
    /// The line of its header.
    line: usize,
    path: String,
    asked: RefCell<BTreeSet<String>>,
}

impl<'d> Section<'d> {
    /// The key `name`, whether it is there or not.
    pub fn key(&self, name: &str) -> Entry<'d> {
        self.asked.borrow_mut().insert(name.to_owned());
        let found = self.table.get_key_value(name);
        let line = found.map_or(self.line, |(key, _)| self.context.line(key.span().start));
        Entry { context: self.context, value: found.map(|(_, v)| v), place: self.place_of(name, line) }
    }

    /// The table `name`, if it is there.
    pub fn section<T>(&self, name: &str, read: impl FnOnce(&Section<'_>) -> T) -> Option<T> {
        let entry = self.key(name);
        let value = entry.value?;
        let Some(table) = value.get_ref().as_table() else {
            entry.wrong_type("a table");
            return None;
        };
        Some(self.inner(table, entry.place.line, format!("[{name}]")).read_through(read))
    }

    /// The tables of the array `name`: none if it is not there, `None` if it is something else.
    pub fn sections<T>(&self, name: &str, mut read: impl FnMut(&Section<'_>) -> T) -> Option<Vec<T>> {
        let entry = self.key(name);
        let Some(value) = entry.value else { return Some(Vec::new()) };
        let tables: Option<Vec<(&DeTable<'_>, usize)>> =
            value.get_ref().as_array().and_then(|a| a.iter().map(|v| self.headed_table(v)).collect());
        let Some(tables) = tables else {
            entry.wrong_type("an array of tables");
            return None;
        };
        let read = |(table, line)| self.inner(table, line, format!("[[{name}]]")).read_through(&mut read);
        Some(tables.into_iter().map(read).collect())
    }

    /// The place of this table's header.
    pub fn place(&self) -> Place {
        self.context.place(self.line, self.path.clone())
    }

    /// Reports something wrong that was found out after the key was read.
    pub fn report(&self, problem: Problem) {
        self.context.problems.borrow_mut().push(problem);
    }

    fn headed_table<'v>(&self, value: &'v Spanned<DeValue<'d>>) -> Option<(&'v DeTable<'d>, usize)> {
        Some((value.get_ref().as_table()?, self.context.line(value.span().start)))
    }

    fn inner<'s>(&'s self, table: &'s DeTable<'d>, line: usize, name: String) -> Section<'s> {
        let path = if self.path.is_empty() { name } else { format!("{}.{name}", self.path) };
        Section { context: self.context, table, line, path, asked: RefCell::default() }
    }

    fn read_through<T>(&self, read: impl FnOnce(&Section<'_>) -> T) -> T {
        let value = read(self);
        self.report_unknown();
        value
    }

    fn report_unknown(&self) {
        let asked = self.asked.borrow();
        for key in self.table.keys().filter(|k| !asked.contains(k.get_ref().as_ref())) {
            let place = self.place_of(key.get_ref(), self.context.line(key.span().start));
            let nearest = nearest(key.get_ref(), asked.iter().map(String::as_str));
            self.report(place.problem(Fault::UnknownKey { nearest }));
        }
    }

    fn place_of(&self, name: &str, line: usize) -> Place {
        let bare = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        let name = if bare && !name.is_empty() { name.to_owned() } else { format!("{name:?}") };
        let key = if self.path.is_empty() { name } else { format!("{}.{name}", self.path) };
        self.context.place(line, key)
    }
}

/// The known word that a mistaken one was probably meant to be: at most a third of its letters,
/// and at least two, may be wrong.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<String> {
    let allowed = (word.chars().count() / 3).max(2);
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(word, k), k))
        .filter(|&(distance, k)| distance <= allowed && distance < k.chars().count())
        .min()
        .map(|(_, k)| k.to_owned())
}

/// The end of an error about a mistaken word, if [`nearest`] knows what was meant; nothing else.
pub fn did_you_mean<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> String {
    nearest(word, known).map(|n| format!("; did you mean {n:?}?")).unwrap_or_default()
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
        .collect()
}

fn line_of(line_starts: &[usize], offset: usize) -> usize {
    line_starts.partition_point(|&start| start <= offset).max(1)
}
