// SPDX-License-Identifier: GPL-3.0-or-later
//! The files behind a configuration: the only place of this module that opens any.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::{Config, ConfigError, DEFAULT_RULEBOOK_DIRS, read};
use crate::document::{Fault, Place, Problem};
use crate::laws::rulebook::Library;

/// See [`Config::load`].
pub(super) fn load(path: &Path, base: &Library) -> Result<Config, ConfigError> {
    let text = fs::read_to_string(path)
        .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    let mut problems = Vec::new();
    let dirs = dirs_of(path, &text);
    let library = with_dirs(base, &dirs).map_err(|found| problems.extend(found)).ok();
    // What the configuration says of rulebooks cannot be judged when they could not be read.
    match read::read(path, &text, library.as_ref(), state_dir().as_deref()) {
        Ok(config) if problems.is_empty() => Ok(config),
        Ok(_) => Err(ConfigError::Problems(problems)),
        Err(found) => Err(ConfigError::Problems(found.into_iter().chain(problems).collect())),
    }
}

/// The rulebooks of `base` and of directories. A file takes the place of an earlier one with
/// the same name.
///
/// # Errors
/// Everything that is wrong with the directories and files.
pub fn library(base: &Library, dirs: &[PathBuf]) -> Result<Library, ConfigError> {
    let dirs: Vec<_> = dirs.iter().map(|dir| (dir.clone(), place_of(dir))).collect();
    with_dirs(base, &dirs).map_err(ConfigError::Problems)
}

/// The directory that systemd made for the service (`StateDirectory=`); the first, if several.
fn state_dir() -> Option<PathBuf> {
    let dirs = env::var_os("STATE_DIRECTORY")?;
    env::split_paths(&dirs).find(|dir| dir.is_absolute())
}

/// The directories with the place that names each.
fn dirs_of(path: &Path, text: &str) -> Vec<(PathBuf, Place)> {
    match read::rulebook_dirs(path, text) {
        Some(dirs) => dirs.into_iter().map(|dir| (dir.value, dir.place)).collect(),
        None => {
            DEFAULT_RULEBOOK_DIRS.iter().map(|dir| (PathBuf::from(dir), place_of(Path::new(dir)))).collect()
        }
    }
}

fn with_dirs(base: &Library, dirs: &[(PathBuf, Place)]) -> Result<Library, Vec<Problem>> {
    let mut texts = Vec::new();
    let mut problems = Vec::new();
    for (dir, place) in dirs {
        match toml_files(dir) {
            Ok(files) => read_all(files, &mut texts, &mut problems),
            Err(e) if e.kind() == ErrorKind::NotFound && may_be_missing(dir) => {}
            Err(e) => {
                problems.push(place.problem(Fault::Unreadable { reason: format!("{}: {e}", dir.display()) }))
            }
        }
    }
    if problems.is_empty() { base.with_texts(texts).map_err(|e| e.0) } else { Err(problems) }
}

fn may_be_missing(dir: &Path) -> bool {
    DEFAULT_RULEBOOK_DIRS.iter().any(|default| dir == Path::new(default))
}

/// In the order of their names, so that problems are told in the same order each time.
fn toml_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let paths: io::Result<Vec<_>> = fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    Ok(paths)
}

fn read_all(files: Vec<PathBuf>, texts: &mut Vec<(PathBuf, String)>, problems: &mut Vec<Problem>) {
    for file in files {
        match fs::read_to_string(&file) {
            Ok(text) => texts.push((file, text)),
            Err(e) => problems.push(place_of(&file).problem(Fault::Unreadable { reason: e.to_string() })),
        }
    }
}

/// The whole of a file or directory.
fn place_of(path: &Path) -> Place {
    Place { file: path.to_owned(), line: 1, key: String::new() }
}
