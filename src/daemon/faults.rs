// SPDX-License-Identifier: GPL-3.0-or-later
//! What is wrong with the daemon itself, told at once in every place where somebody may look: the
//! log, systemd's status line and the bus.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use super::publisher::Publication;
use crate::dbus::{Event, Fault};

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// What was observed cannot be recorded.
    Journal,
    /// A game without a result was not taken up again.
    GameNotResumed,
    /// A board reports on a channel that no board was configured for.
    UnknownChannel,
    /// Two boards on a bus line answer to one address.
    SharedAddress,
    /// A board that does not know which pieces stand on it.
    NotForArbitration,
    /// A port is open and its board does not answer.
    NoAnswer,
}

impl Kind {
    const fn bus_name(self) -> &'static str {
        match self {
            Self::Journal => "fault.journal",
            Self::GameNotResumed => "fault.game-not-resumed",
            Self::UnknownChannel => "fault.unknown-channel",
            Self::SharedAddress => "fault.shared-address",
            Self::NotForArbitration => "fault.not-for-arbitration",
            Self::NoAnswer => "fault.no-answer",
        }
    }
}

/// What a fault concerns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// A table.
    Table(String),
    /// A board.
    Board(String),
}

impl Place {
    fn words(&self) -> (&'static str, &str) {
        match self {
            Self::Table(id) => ("table", id),
            Self::Board(id) => ("board", id),
        }
    }
}

/// All faults that stand, one of a kind at a place. Clones share them.
#[derive(Clone)]
pub struct Faults {
    standing: Arc<Mutex<BTreeMap<(Kind, Place), String>>>,
    publish: mpsc::UnboundedSender<Publication>,
    status: fn(&str),
    /// What the status line begins with.
    inventory: Arc<str>,
}

impl Faults {
    /// No fault. `inventory` says what is served; `status` is given the status line.
    pub fn new(publish: mpsc::UnboundedSender<Publication>, status: fn(&str), inventory: &str) -> Self {
        Self { standing: Arc::default(), publish, status, inventory: Arc::from(inventory) }
    }

    /// Something is wrong, or wrong in another way than before.
    pub fn raise(&self, kind: Kind, place: Place, detail: String) {
        let (what, id) = place.words();
        tracing::error!(fault = kind.bus_name(), "{what} {id}: {detail}");
        self.change(|standing| {
            standing.insert((kind, place), detail);
        });
    }

    /// It is not wrong any more; nothing is told if it was not.
    pub fn clear(&self, kind: Kind, place: Place) {
        let key = (kind, place);
        if !self.with(|standing| standing.contains_key(&key)) {
            return;
        }
        let (what, id) = key.1.words();
        tracing::warn!(fault = kind.bus_name(), "{what} {id}: over");
        self.change(|standing| {
            standing.remove(&key);
        });
    }

    /// Gives the status line as it is now.
    pub fn tell_status(&self) {
        self.with(|standing| (self.status)(&status_line(&self.inventory, standing)));
    }

    /// Changes and tells under one lock, so that the last word told is the last change.
    fn change(&self, change: impl FnOnce(&mut BTreeMap<(Kind, Place), String>)) {
        self.with(|standing| {
            change(standing);
            (self.status)(&status_line(&self.inventory, standing));
            // Without a publisher the daemon is going down; the log has it.
            let _ = self.publish.send(Publication::Now(Event::Faults(standing.iter().map(fault).collect())));
        });
    }

    fn with<R>(&self, f: impl FnOnce(&mut BTreeMap<(Kind, Place), String>) -> R) -> R {
        // Each change is one insertion or removal: a map left by a panic is a whole one.
        f(&mut self.standing.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn fault(((kind, place), detail): (&(Kind, Place), &String)) -> Fault {
    let (table, board) = match place {
        Place::Table(id) => (Some(id.clone()), None),
        Place::Board(id) => (None, Some(id.clone())),
    };
    Fault { kind: kind.bus_name().to_owned(), table, board, detail: detail.clone() }
}

fn status_line(inventory: &str, standing: &BTreeMap<(Kind, Place), String>) -> String {
    let mut line = inventory.to_owned();
    for ((kind, place), detail) in standing {
        let (what, id) = place.words();
        line.push_str(&format!("; {} ({what} {id}): {detail}", kind.bus_name()));
    }
    // One line is the whole of what systemd shows.
    line.replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_one_line_with_every_fault() {
        let mut standing = BTreeMap::new();
        assert_eq!(status_line("1 board", &standing), "1 board");
        standing.insert((Kind::Journal, Place::Table("t1".to_owned())), "no\nroom".to_owned());
        standing.insert((Kind::UnknownChannel, Place::Board("b1".to_owned())), "channel 3".to_owned());
        assert_eq!(
            status_line("1 board", &standing),
            "1 board; fault.journal (table t1): no room; fault.unknown-channel (board b1): channel 3"
        );
    }

    #[test]
    fn a_fault_is_told_until_it_is_over_and_its_end_once() {
        let (publish, mut told) = mpsc::unbounded_channel();
        let faults = Faults::new(publish, |_| {}, "");
        let place = Place::Table("t1".to_owned());
        faults.raise(Kind::Journal, place.clone(), "first".to_owned());
        faults.raise(Kind::Journal, place.clone(), "second".to_owned());
        faults.clear(Kind::Journal, place.clone());
        faults.clear(Kind::Journal, place);
        drop(faults);
        let mut details = Vec::new();
        while let Ok(Publication::Now(Event::Faults(faults))) = told.try_recv() {
            details.push(faults.into_iter().map(|f| f.detail).collect::<Vec<_>>());
        }
        assert_eq!(details, [vec!["first".to_owned()], vec!["second".to_owned()], vec![]]);
    }
}
