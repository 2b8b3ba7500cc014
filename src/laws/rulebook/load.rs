// SPDX-License-Identifier: GPL-3.0-or-later
//! Rulebooks out of their files: parse, inherit, resolve, validate. The files come in as texts.

mod draft;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{FlagRules, IllegalMoves, Matter, Rulebook, Touch};
use crate::document::{Document, Fault, Place, nearest, write_lines};
use draft::{Draft, Parameters};

pub use crate::document::Problem as RulebookProblem;

/// Problems found in rulebook files: every one, not only the first.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct RulebookError(pub Vec<RulebookProblem>);

impl fmt::Display for RulebookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_lines(&self.0, f)
    }
}

macro_rules! embedded {
    ($($id:literal)*) => {
        &[$((concat!($id, ".toml"), include_str!(concat!("../../../data/rulebooks/", $id, ".toml"))),)*]
    };
}

/// The rulebooks that are part of the program.
const EMBEDDED: &[(&str, &str)] = embedded! {
    "fide-2017-standard" "fide-2017-rapid" "fide-2017-blitz"
    "fide-2018-standard" "fide-2018-rapid" "fide-2018-blitz"
    "fide-2023-standard" "fide-2023-rapid" "fide-2023-blitz"
};

/// Somebody who writes a whole rulebook forgets less than this.
const MOST_LACKING: usize = 9;

/// All rulebooks that are known, each resolved and complete.
#[derive(Clone, Debug)]
pub struct Library {
    /// File and text by id. Kept so that a file added later may inherit from an earlier one, or
    /// take its place.
    texts: BTreeMap<String, (PathBuf, String)>,
    books: BTreeMap<String, Arc<Rulebook>>,
}

impl Library {
    /// The rulebooks that are part of the program.
    ///
    /// # Errors
    /// Never, as long as the tests pass: the files are checked as any others are.
    pub fn embedded() -> Result<Self, RulebookError> {
        Self::resolve(EMBEDDED.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect())
    }

    /// These rulebooks and those of more files. A file with the name of one that is known takes
    /// its place, for all that inherit from it too; of two new ones the later does.
    ///
    /// # Errors
    /// Everything that is wrong with the files.
    pub fn with_texts(
        &self,
        files: impl IntoIterator<Item = (PathBuf, String)>,
    ) -> Result<Self, RulebookError> {
        Self::resolve(self.texts.values().cloned().chain(files).collect())
    }

    /// The rulebook of this id.
    pub fn get(&self, id: &str) -> Option<Arc<Rulebook>> {
        self.books.get(id).cloned()
    }

    /// The ids that are known, in alphabetical order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.books.keys().map(String::as_str)
    }

    fn resolve(files: Vec<(PathBuf, String)>) -> Result<Self, RulebookError> {
        let mut texts = BTreeMap::new();
        let mut problems = Vec::new();
        for (path, text) in files {
            match file_id(&path) {
                Some(id) => drop(texts.insert(id, (path, text))),
                None => problems.push(unusable_name(&path)),
            }
        }
        let shelf = Shelf::read(&texts, &mut problems);
        let books: BTreeMap<_, _> = shelf
            .drafts
            .keys()
            .filter_map(|&id| Some((id.to_owned(), shelf.book(id, &mut problems)?)))
            .collect();
        if problems.is_empty() { Ok(Self { texts, books }) } else { Err(RulebookError(problems)) }
    }
}

/// A rulebook's id is its file name, so that nobody has to search for it.
fn file_id(path: &Path) -> Option<String> {
    Some(path.file_stem()?.to_str()?.to_owned())
}

fn unusable_name(path: &Path) -> RulebookProblem {
    let place = Place { file: path.to_owned(), line: 1, key: String::new() };
    let expected = "the file name has to be the id of the rulebook and \".toml\"".to_owned();
    place.problem(Fault::Malformed { found: path.display().to_string(), expected })
}

/// The rulebooks as they stand in their files, before they inherit.
struct Shelf<'t> {
    ids: BTreeSet<&'t str>,
    /// Without those that could not be read.
    drafts: BTreeMap<&'t str, Draft>,
}

impl<'t> Shelf<'t> {
    fn read(texts: &'t BTreeMap<String, (PathBuf, String)>, problems: &mut Vec<RulebookProblem>) -> Self {
        let mut drafts = BTreeMap::new();
        for (id, (path, text)) in texts {
            match Document::parse(path, text) {
                Ok(document) => {
                    let (draft, found) = document.read(|root| Draft::read(root, id));
                    problems.extend(found);
                    drafts.extend(draft.map(|d| (id.as_str(), d)));
                }
                Err(found) => problems.extend(found),
            }
        }
        Self { ids: texts.keys().map(String::as_str).collect(), drafts }
    }

    /// Gives `None` when something is missing; it has then been told of in the file that is
    /// to blame, once.
    fn book(&self, id: &str, problems: &mut Vec<RulebookProblem>) -> Option<Arc<Rulebook>> {
        let line = self.line_of_descent(id, problems)?;
        let draft = *line.first()?;
        let mut parameters = draft.parameters.clone();
        let mut articles = draft.articles.clone();
        for ancestor in line.iter().skip(1) {
            parameters.inherit(&ancestor.parameters);
            for (matter, cited) in &ancestor.articles {
                articles.entry(*matter).or_insert_with(|| cited.clone());
            }
        }
        // What a descendant lacks, the first of its line lacks too, and is told of there.
        if draft.parent.is_none() {
            problems.extend(lacking(draft, &parameters, &articles));
        }
        complete(draft, &parameters, articles).map(Arc::new)
    }

    /// The draft, its parent, that one's parent, up to one that inherits from none.
    fn line_of_descent(&self, id: &str, problems: &mut Vec<RulebookProblem>) -> Option<Vec<&Draft>> {
        let mut line: Vec<&Draft> = Vec::new();
        let mut ids = vec![id.to_owned()];
        let mut draft = self.drafts.get(id)?;
        while let Some(parent) = &draft.parent {
            line.push(draft);
            let name = &parent.value;
            if !self.ids.contains(name.as_str()) {
                if line.len() == 1 {
                    let nearest = nearest(name, self.ids.iter().copied());
                    let (kind, name) = ("rulebook", name.clone());
                    problems.push(parent.place.problem(Fault::NoSuch { kind, name, nearest }));
                }
                return None;
            }
            let looped = ids.contains(name);
            ids.push(name.clone());
            if looped {
                // Only those within the loop are to blame, not those that lead into it.
                if name == id {
                    let place = line.first()?.parent.as_ref()?.place.clone();
                    problems.push(place.problem(Fault::Loop { chain: ids }));
                }
                return None;
            }
            draft = self.drafts.get(name.as_str())?;
        }
        line.push(draft);
        Some(line)
    }
}

/// What a rulebook without parent lacks. One that lacks the most of it was meant to inherit: that is one
/// mistake, and the only one that is told.
fn lacking(
    draft: &Draft,
    parameters: &Parameters,
    articles: &BTreeMap<Matter, Vec<String>>,
) -> Vec<RulebookProblem> {
    let missing = |key: String, expected: &str| {
        let place = Place { key, ..draft.head.clone() };
        place.problem(Fault::Missing { expected: expected.to_owned() })
    };
    let values = parameters.missing().into_iter().map(|key| missing(key, "a value"));
    let matters = Matter::WORDS.iter().filter(|(_, m)| !articles.contains_key(m));
    let lacking: Vec<_> =
        values.chain(matters.map(|(word, _)| missing(format!("[articles].{word}"), "an article"))).collect();
    if lacking.len() <= MOST_LACKING {
        return lacking;
    }
    let what = format!(
        "the id of the rulebook that all else is taken from, such as \"fide-2023-standard\", or each of \
         the {} values and articles that are not set,",
        lacking.len()
    );
    vec![missing("inherits".to_owned(), &what)]
}

fn complete(
    draft: &Draft,
    parameters: &Parameters,
    articles: BTreeMap<Matter, Vec<String>>,
) -> Option<Rulebook> {
    let Parameters { illegal, touch, flag, release_dwell } = parameters;
    if Matter::WORDS.iter().any(|(_, m)| !articles.contains_key(m)) {
        return None;
    }
    let mut book = Rulebook {
        id: draft.id.clone(),
        title: draft.title.clone(),
        edition: draft.edition.clone(),
        regime: draft.regime,
        illegal: IllegalMoves {
            penalty: illegal.penalty_ms.as_ref()?.value,
            lose_at: illegal.lose_at.as_ref()?.value,
            draw_exception: illegal.draw_exception.as_ref()?.value,
            window: illegal.window.as_ref()?.value,
            arbiter_acts: illegal.arbiter_acts.as_ref()?.value,
            reverse_increment: illegal.reverse_increment.as_ref()?.value,
            press_without_move: illegal.press_without_move.as_ref()?.value,
        },
        touch: Touch {
            claim_until: touch.claim_until.as_ref()?.value,
            arbiter_acts: touch.arbiter_acts.as_ref()?.value,
        },
        flag: FlagRules {
            called_by: flag.called_by.as_ref()?.value,
            claim_needs_own_time: flag.claim_needs_own_time.as_ref()?.value,
            draw_test: flag.draw_test.as_ref()?.value,
        },
        release_dwell: (*release_dwell)?,
        articles,
        cite: parameters.cites(),
        hash: String::new(),
    };
    book.hash = hash(&book);
    Some(book)
}

/// A quarter of the digest tells apart all rulebooks there will be, and can still be read out
/// over a telephone.
fn hash(book: &Rulebook) -> String {
    let mut hex = blake3::hash(canonical(book).as_bytes()).to_hex().to_string();
    hex.truncate(16);
    hex
}

/// One line for each value and article. No text of a rulebook holds a line break, so two
/// rulebooks with the same lines are the same. The structures are taken apart by name so that
/// a field added later cannot be forgotten here.
fn canonical(book: &Rulebook) -> String {
    let Rulebook { id, title, edition, regime, illegal, touch, flag, release_dwell, articles, cite, hash: _ } =
        book;
    let IllegalMoves {
        penalty,
        lose_at,
        draw_exception,
        window,
        arbiter_acts,
        reverse_increment,
        press_without_move,
    } = illegal;
    let Touch { claim_until, arbiter_acts: touch_arbiter_acts } = touch;
    let FlagRules { called_by, claim_needs_own_time, draw_test } = flag;
    let values: [(&str, String); 17] = [
        ("id", id.clone()),
        ("title", title.clone()),
        ("edition", edition.clone()),
        ("regime", regime.word().to_owned()),
        ("illegal.penalty_ms", penalty.as_millis().to_string()),
        ("illegal.lose_at", lose_at.to_string()),
        ("illegal.draw_exception", draw_exception.word().to_owned()),
        ("illegal.window", window.word().to_owned()),
        ("illegal.arbiter_acts", arbiter_acts.word().to_owned()),
        ("illegal.reverse_increment", reverse_increment.to_string()),
        ("illegal.press_without_move", press_without_move.word().to_owned()),
        ("touch.claim_until", claim_until.word().to_owned()),
        ("touch.arbiter_acts", touch_arbiter_acts.to_string()),
        ("flag.called_by", called_by.word().to_owned()),
        ("flag.claim_needs_own_time", claim_needs_own_time.to_string()),
        ("flag.draw_test", draw_test.word().to_owned()),
        ("observation.release_dwell_ms", release_dwell.as_millis().to_string()),
    ];
    let articles = articles.iter().map(|(matter, cited)| (matter.word(), cited));
    let cites = cite.iter().map(|(parameter, cited)| (parameter.as_str(), cited));
    let mut text = String::new();
    for (name, value) in values {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name} = {value}");
    }
    for (kind, (name, cited)) in articles.map(|a| ("article", a)).chain(cites.map(|c| ("cite", c))) {
        for article in cited {
            let _ = writeln!(text, "{kind} {name} = {article}");
        }
    }
    text
}
