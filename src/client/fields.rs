// SPDX-License-Identifier: GPL-3.0-or-later
//! Reading dictionaries from the bus. A key that is absent or of another type is read as if it
//! were empty: a client tolerates older and newer services.

use std::collections::HashMap;

use zbus::{OwnedObjectPath, OwnedVariant};

/// A dictionary from the bus.
pub(super) type Dict = HashMap<String, OwnedVariant>;

pub(super) fn read<T: TryFrom<OwnedVariant>>(dict: &Dict, key: &str) -> Option<T> {
    T::try_from(dict.get(key)?.clone()).ok()
}

pub(super) fn text(dict: &Dict, key: &str) -> String {
    read(dict, key).unwrap_or_default()
}

/// A text where the empty one means that there is none.
pub(super) fn some_text(dict: &Dict, key: &str) -> Option<String> {
    read(dict, key).filter(|t: &String| !t.is_empty())
}

pub(super) fn texts(dict: &Dict, key: &str) -> Vec<String> {
    read(dict, key).unwrap_or_default()
}

pub(super) fn number(dict: &Dict, key: &str) -> u64 {
    read(dict, key).unwrap_or_default()
}

pub(super) fn numbers(dict: &Dict, key: &str) -> Vec<u64> {
    read(dict, key).unwrap_or_default()
}

/// The word for a number of a closed set.
pub(super) fn word(dict: &Dict, key: &str, set: &[&'static str]) -> &'static str {
    crate::dbus::codes::word(set, read(dict, key).unwrap_or_default())
}

pub(super) fn path(dict: &Dict, key: &str) -> Option<OwnedObjectPath> {
    read(dict, key)
}
