// SPDX-License-Identifier: GPL-3.0-or-later
//! The rulebooks under which cases and scenarios are played.

use std::path::PathBuf;
use std::sync::Arc;

use super::read::Document;
use super::scenario::Scenario;
use crate::document::nearest;
use crate::laws::Rulebook;
use crate::laws::rulebook::{Library, RulebookError};

/// Fast chess under adequate supervision, which cases name and the service does not ship.
const SUPERVISED: [(&str, &str); 2] = [
    ("fide-2023-rapid-sup.toml", include_str!("books/fide-2023-rapid-sup.toml")),
    ("fide-2023-blitz-sup.toml", include_str!("books/fide-2023-blitz-sup.toml")),
];

/// A library with the rulebooks for fast chess under adequate supervision too.
///
/// # Errors
/// What is wrong with them together with the rest.
pub fn with_supervised(library: &Library) -> Result<Library, RulebookError> {
    library.with_texts(SUPERVISED.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())))
}

/// What a rehearsal is played under.
#[derive(Clone, Debug)]
pub enum Books {
    /// What each case and scenario names.
    Named(Library),
    /// One rulebook for all, whatever they name.
    One(Arc<Rulebook>),
}

impl Books {
    /// The rulebook for what names this one.
    pub fn get(&self, id: &str) -> Option<Arc<Rulebook>> {
        match self {
            Self::Named(library) => library.get(id),
            Self::One(rulebook) => Some(Arc::clone(rulebook)),
        }
    }

    /// The rulebooks for what names these, or why there is none: one for all stands for them once.
    pub fn of(&self, ids: &[String]) -> Vec<Result<Arc<Rulebook>, UnknownBook>> {
        match self {
            Self::Named(_) => ids.iter().map(|id| self.get(id).ok_or_else(|| self.unknown(id))).collect(),
            Self::One(rulebook) => ids.iter().take(1).map(|_| Ok(Arc::clone(rulebook))).collect(),
        }
    }

    /// What is wrong with a file under these rulebooks, with the lines. Where one stands for all, nothing is:
    /// what the file names does not matter.
    pub fn mistakes(&self, document: &Document) -> Vec<(usize, String)> {
        match (self, document) {
            (Self::One(_), _) => Vec::new(),
            (_, Document::Case(case)) => {
                self.slip(&case.setup.rulebook()).map(|told| (case.book_line, told)).into_iter().collect()
            }
            (_, Document::Scenarios(all)) => all.iter().flat_map(|s| self.mistakes_of(s)).collect(),
        }
    }

    fn mistakes_of(&self, scenario: &Scenario) -> Vec<(usize, String)> {
        let lines = &scenario.lines;
        let named = scenario.rulebooks.iter().zip(&lines.rulebooks);
        let slips = named.filter_map(|(id, line)| Some((*line, self.slip(id)?)));
        let most = scenario.before().into_iter().max().unwrap_or_default();
        let over =
            scenario.rulebooks.iter().filter_map(|id| self.get(id)).find(|b| b.illegal.lose_at <= most);
        let over = over.map(|book| {
            let told = format!(
                "before: no game goes on after {most} illegal moves of a player, for under {} the count of {} \
                 ends it",
                book.id, book.illegal.lose_at
            );
            (lines.before, told)
        });
        slips.chain(over).collect()
    }

    /// What is said of an id that is misspelt.
    fn slip(&self, id: &str) -> Option<String> {
        if self.get(id).is_some() {
            return None;
        }
        let unknown = self.unknown(id);
        unknown.is_slip().then(|| format!("there is no rulebook {id:?}{}", unknown.hint()))
    }

    /// What can be said of an id that no rulebook has.
    pub(super) fn unknown(&self, id: &str) -> UnknownBook {
        let nearest = match self {
            Self::Named(library) => nearest_id(id, library.ids()),
            Self::One(_) => None,
        };
        UnknownBook { id: id.to_owned(), nearest }
    }
}

/// An id that no rulebook has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownBook {
    /// As it is named.
    pub id: String,
    /// The known id that it resembles.
    pub nearest: Option<String>,
}

impl UnknownBook {
    /// Whether it was misspelt: one that is only not here resembles none so much.
    pub(super) fn is_slip(&self) -> bool {
        self.nearest.as_ref().is_some_and(|id| strsim::damerau_levenshtein(id, &self.id) <= MOST_WRONG)
    }

    /// What else can be said of it, to follow its name.
    pub(super) fn hint(&self) -> String {
        let supervised = if self.id.ends_with(SUPERVISED_END) {
            " (-sup: fast chess under adequate supervision, which a case takes unless it says supervised = false)"
        } else {
            ""
        };
        let meant = self.nearest.as_ref().map(|id| format!("; did you mean {id:?}?")).unwrap_or_default();
        format!("{supervised}{meant}")
    }
}

/// As many letters of an id are wrong by a slip.
const MOST_WRONG: usize = 2;

/// How the ids end of rulebooks under adequate supervision.
const SUPERVISED_END: &str = "-sup";

/// The id that was probably meant. Another year is another edition and no slip, unless its digits only
/// stand in another order; and nobody forgets by a slip that a game is supervised.
pub fn nearest_id<'i>(id: &str, known: impl Iterator<Item = &'i str>) -> Option<String> {
    let digits = |id: &str| {
        let mut digits: Vec<char> = id.chars().filter(char::is_ascii_digit).collect();
        digits.sort_unstable();
        digits
    };
    let alike = |other: &&str| {
        digits(other) == digits(id) && other.ends_with(SUPERVISED_END) == id.ends_with(SUPERVISED_END)
    };
    nearest(id, known.filter(alike))
}
