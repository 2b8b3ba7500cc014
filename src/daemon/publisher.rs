// SPDX-License-Identifier: GPL-3.0-or-later
//! The one task that speaks on the bus: observations in the order in which it is told them, what
//! was decided in the order of the commits. Recorders of several tables may tell it of their
//! commits in another order; published so, a client that has seen the higher row and asks for what
//! comes after it would never hear of the lower one.
//!
//! A bus that takes nothing must not stop those who tell: what they say is taken at once and waits
//! here. That is bounded: beyond [`MANY`] events, observations that were superseded are left out (a
//! placement or a clock that a later one of its table follows); nothing else ever is, and beyond
//! [`TOO_MANY`] the daemon ends in order. The journal has everything all the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::DaemonError;
use crate::dbus::{Bus, Event};
use crate::table::View;

/// Something to publish.
#[derive(Debug)]
pub enum Publication {
    /// At once.
    Now(Event),
    /// After all that was committed before.
    Committed {
        /// As the journal counts commits: 1, 2, 3 ... each of them comes here.
        order: u64,
        /// What follows from it; it may be nothing.
        events: Vec<Event>,
    },
}

/// From so many waiting events on, superseded observations are left out.
const MANY: usize = 1024;
/// So many events never wait: about 20 MB.
const TOO_MANY: usize = 65_536;

/// Publishes until nobody can send any more and everything is out.
///
/// # Errors
/// [`DaemonError::BusStalled`] if the bus takes nothing for so long that too much waits.
pub async fn run(bus: Bus, mut told: mpsc::UnboundedReceiver<Publication>) -> Result<(), DaemonError> {
    let mut waiting = Waiting::new(MANY, TOO_MANY);
    let mut sending: Option<BoxFuture<'_, ()>> = None;
    let mut open = true;
    loop {
        if sending.is_none() {
            match waiting.events.pop_front() {
                Some(event) => sending = Some(Box::pin(publish(&bus, event))),
                None if !open => return Ok(()),
                None => {}
            }
        }
        tokio::select! {
            publication = told.recv(), if open => match publication {
                Some(Publication::Now(event)) => waiting.push(event)?,
                Some(Publication::Committed { order, events }) => waiting.committed(order, events)?,
                None => open = false,
            },
            () = sent(&mut sending) => sending = None,
        }
    }
}

/// Waits for the end of the sending; for ever if nothing is being sent.
async fn sent(sending: &mut Option<BoxFuture<'_, ()>>) {
    match sending {
        Some(sending) => sending.await,
        None => std::future::pending().await,
    }
}

/// A bus that cannot be spoken to is logged; the journal has everything all the same.
async fn publish(bus: &Bus, event: Event) {
    if let Err(error) = bus.publish(event).await {
        tracing::error!(%error, "not published");
    }
}

/// What waits for the bus, oldest first.
struct Waiting {
    events: VecDeque<Event>,
    /// Commits that others come before: no more than there are tables.
    early: BTreeMap<u64, Vec<Event>>,
    /// The next commit to publish.
    next_commit: u64,
    many: usize,
    too_many: usize,
    /// At so many it is looked through for what was superseded.
    next_look: usize,
}

impl Waiting {
    fn new(many: usize, too_many: usize) -> Self {
        let (events, early) = (VecDeque::new(), BTreeMap::new());
        Self { events, early, next_commit: 1, many, too_many, next_look: many }
    }

    fn committed(&mut self, order: u64, events: Vec<Event>) -> Result<(), DaemonError> {
        self.early.insert(order, events);
        while let Some(events) = self.early.remove(&self.next_commit) {
            self.next_commit += 1;
            events.into_iter().try_for_each(|event| self.push(event))?;
        }
        Ok(())
    }

    fn push(&mut self, event: Event) -> Result<(), DaemonError> {
        self.events.push_back(event);
        if self.events.len() >= self.next_look {
            self.leave_out_superseded();
            // Twice as many before the next look: looking costs no more than taking.
            self.next_look = self.events.len().saturating_mul(2).clamp(self.many, self.too_many);
        }
        if self.events.len() >= self.too_many {
            return Err(DaemonError::BusStalled { waiting: self.events.len() });
        }
        Ok(())
    }

    fn leave_out_superseded(&mut self) {
        let mut later = BTreeSet::new();
        let mut kept: VecDeque<Event> = VecDeque::with_capacity(self.events.len());
        while let Some(event) = self.events.pop_back() {
            let superseded = match &event {
                // What follows from a commit has a revision and is never left out.
                Event::View { table, revision: None, view } => {
                    observed_state(view).is_some_and(|what| !later.insert((table.clone(), what)))
                }
                _ => false,
            };
            if !superseded {
                kept.push_front(event);
            }
        }
        self.events = kept;
    }
}

/// Which state of the hardware an observation shows, if it is a state and no happening.
const fn observed_state(view: &View) -> Option<&'static str> {
    match view {
        View::Placement(_) => Some("placement"),
        View::Clock(_) => Some("clock"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use arbiterd_board::{Placement, Stamp};

    use super::*;
    use crate::table::GameResult;
    use arbiterd_board::{Colour, Mono};

    fn view(table: &str, view: View) -> Event {
        Event::View { table: table.to_owned(), revision: None, view }
    }

    fn pressed(millis: u64) -> View {
        View::Pressed { by: Colour::White, at: Stamp::at(Mono::from_millis(millis)) }
    }

    fn placement(rank: &str) -> View {
        View::Placement(format!("{rank}/8/8/8/8/8/8/8").parse::<Placement>().unwrap())
    }

    fn shown(waiting: &Waiting) -> Vec<String> {
        waiting.events.iter().map(|e| format!("{e:?}")).collect()
    }

    #[test]
    fn what_was_superseded_is_left_out_and_nothing_else() {
        let mut waiting = Waiting::new(6, 100);
        let decided =
            Event::View { table: "a".to_owned(), revision: Some(1), view: View::Result(GameResult::Drawn) };
        let events = [
            view("a", placement("K7")),
            decided.clone(),
            view("b", placement("K7")),
            view("a", pressed(1)),
            view("a", pressed(2)),
            view("a", placement("k7")),
        ];
        for event in events {
            waiting.push(event).unwrap();
        }
        let expected: Vec<String> = [
            decided,
            view("b", placement("K7")),
            view("a", pressed(1)),
            view("a", pressed(2)),
            view("a", placement("k7")),
        ]
        .iter()
        .map(|e| format!("{e:?}"))
        .collect();
        assert_eq!(shown(&waiting), expected);
    }

    #[test]
    fn commits_are_published_in_their_own_order_and_observations_do_not_wait_for_them() {
        let mut waiting = Waiting::new(100, 100);
        let result = |table: &str| Event::View {
            table: table.to_owned(),
            revision: Some(1),
            view: View::Result(GameResult::Drawn),
        };
        waiting.committed(2, vec![result("b")]).unwrap();
        waiting.push(view("b", pressed(1))).unwrap();
        waiting.committed(3, Vec::new()).unwrap();
        waiting.committed(1, vec![result("a")]).unwrap();
        waiting.committed(4, vec![result("c")]).unwrap();
        let expected: Vec<String> = [view("b", pressed(1)), result("a"), result("b"), result("c")]
            .iter()
            .map(|e| format!("{e:?}"))
            .collect();
        assert_eq!(shown(&waiting), expected);
    }

    #[test]
    fn a_state_of_the_hardware_never_fills_the_queue() {
        let mut waiting = Waiting::new(4, 8);
        for _ in 0..1000 {
            waiting.push(view("a", placement("K7"))).unwrap();
        }
        assert!(waiting.events.len() < 8);
    }

    #[test]
    fn what_may_not_be_left_out_ends_the_daemon_at_the_bound() {
        let mut waiting = Waiting::new(4, 8);
        let outcome: Result<(), DaemonError> = (0..8).try_for_each(|n| waiting.push(view("a", pressed(n))));
        assert!(matches!(outcome, Err(DaemonError::BusStalled { waiting: 8 })), "{outcome:?}");
        assert_eq!(waiting.events.len(), 8, "none was dropped before");
    }
}
