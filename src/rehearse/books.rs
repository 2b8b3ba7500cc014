// SPDX-License-Identifier: GPL-3.0-or-later
//! The rulebooks under which cases and scenarios are played.

use std::path::PathBuf;
use std::sync::Arc;

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
