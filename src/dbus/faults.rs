// SPDX-License-Identifier: GPL-3.0-or-later
//! What is wrong with the service itself, as the manager shows it.

use std::collections::BTreeMap;

use zbus::Variant;

use super::shown::Changes;

/// Something that is wrong with the service itself, for as long as it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fault {
    /// What kind, such as `fault.journal`: an open set.
    pub kind: String,
    /// The table it concerns, if it is one table's.
    pub table: Option<String>,
    /// The board it concerns, if it is one board's.
    pub board: Option<String>,
    /// What happened and what to do, for people.
    pub detail: String,
}

/// All that is wrong now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Faults(Vec<Fault>);

impl From<Faults> for Variant<'static> {
    fn from(faults: Faults) -> Self {
        faults.list().into()
    }
}

impl Faults {
    pub(super) fn list(&self) -> Vec<BTreeMap<String, Variant<'static>>> {
        self.0.iter().map(entry).collect()
    }

    /// These are all that are wrong now.
    pub(super) fn set(shown: &mut Self, faults: Vec<Fault>) -> Changes {
        let mut changes = Changes::default();
        changes.set("Faults", shown, Self(faults));
        changes
    }
}

fn entry(fault: &Fault) -> BTreeMap<String, Variant<'static>> {
    let keys = [
        ("kind", Some(&fault.kind)),
        ("table", fault.table.as_ref()),
        ("board", fault.board.as_ref()),
        ("detail", Some(&fault.detail)),
    ];
    keys.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.clone().into()))).collect()
}
