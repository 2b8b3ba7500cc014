// SPDX-License-Identifier: GPL-3.0-or-later
//! Reading rulebooks.
use std::path::PathBuf;

/// The rulebooks that are known.
#[derive(Debug)]
pub struct Library;

/// Problems found in rulebook files.
#[derive(Clone, Debug, thiserror::Error)]
#[error("rulebooks")]
pub struct RulebookError(pub Vec<RulebookProblem>);

/// One problem.
#[derive(Clone, Debug)]
pub struct RulebookProblem {
    /// The file.
    pub file: PathBuf,
}
