// SPDX-License-Identifier: GPL-3.0-or-later
//! The rulebooks under which cases and scenarios are played.

use std::path::PathBuf;
use std::sync::Arc;

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

    /// The rulebooks for what names these: those of them that are known.
    pub fn of<'a>(&'a self, ids: &'a [String]) -> impl Iterator<Item = Arc<Rulebook>> + 'a {
        let how_many = match self {
            Self::Named(_) => ids.len(),
            Self::One(_) => 1,
        };
        ids.iter().take(how_many).filter_map(|id| self.get(id))
    }
}
