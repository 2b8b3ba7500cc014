// SPDX-License-Identifier: GPL-3.0-or-later
//! The one task that speaks on the bus, in the order in which it is told.
//!
//! A bus that takes nothing must not stop those who tell: what they say is taken at once and waits
//! here. That is bounded: beyond [`MANY`] events, observations that were superseded are left out (a
//! placement or a clock that a later one of its table follows); nothing else ever is, and beyond
//! [`TOO_MANY`] the daemon ends in order. The journal has everything all the same.

use std::collections::{BTreeSet, VecDeque};

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::DaemonError;
use crate::dbus::{Bus, Event};
use crate::table::View;

/// From so many waiting events on, superseded observations are left out.
const MANY: usize = 1024;
/// So many events never wait: about 20 MB.
const TOO_MANY: usize = 65_536;

/// Publishes until nobody can send any more and everything is out.
///
/// # Errors
/// [`DaemonError::BusStalled`] if the bus takes nothing for so long that too much waits.
pub async fn run(bus: Bus, mut events: mpsc::UnboundedReceiver<Event>) -> Result<(), DaemonError> {
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
            event = events.recv(), if open => match event {
                Some(event) => waiting.push(event)?,
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
    many: usize,
    too_many: usize,
    /// At so many it is looked through for what was superseded.
    next_look: usize,
}

impl Waiting {
    fn new(many: usize, too_many: usize) -> Self {
        Self { events: VecDeque::new(), many, too_many, next_look: many }
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
