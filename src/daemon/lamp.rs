// SPDX-License-Identifier: GPL-3.0-or-later
//! The lights of one table's board: what was decided of them, and what the board is told.
//!
//! Lights say what was ruled, so they come on after its commit like all that is published. They go
//! out at once: no disk keeps a light on while the game goes on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arbiterd_board::{Channel, ReportBody, Request, Square};
use tokio::sync::Notify;

use crate::link::LinkHandle;

/// So long the end of the daemon waits for lights to go out. A board that is there takes a tenth.
const LAST_WORD: Duration = Duration::from_millis(800);

/// What was decided to be lit, until it is committed.
#[derive(Debug)]
pub struct Picture {
    number: u64,
    squares: Vec<Square>,
}

/// The lights of a board, for its table and the table's recorder. Clones are the same lights.
#[derive(Clone, Debug)]
pub struct Lamp {
    table: String,
    link: LinkHandle,
    channel: Channel,
    state: Arc<Mutex<State>>,
    dark: Arc<Notify>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the picture that was decided last: what was decided before is out of date.
    latest: u64,
    /// Whether the board was last asked for some light.
    lit: bool,
    /// Requests of the table, whatever they asked for, that the board has not answered: answers do
    /// not tell which of them they are to.
    unanswered: u32,
    /// The daemon ends: nothing is lit any more.
    ending: bool,
}

impl Lamp {
    /// The lights of the board on `channel`.
    pub fn new(table: String, link: LinkHandle, channel: Channel) -> Self {
        Self { table, link, channel, state: Arc::default(), dark: Arc::default() }
    }

    /// These squares and no others shall be lit. Darkness is asked for at once; anything else is
    /// given back, for [`Lamp::show`] after its commit.
    pub fn decide(&self, squares: Vec<Square>) -> Option<Picture> {
        let mut state = self.state();
        state.latest += 1;
        if squares.is_empty() {
            self.ask(&mut state, squares);
            return None;
        }
        Some(Picture { number: state.latest, squares })
    }

    /// Lights what was decided, unless something else was since.
    pub fn show(&self, picture: Picture) {
        let mut state = self.state();
        if picture.number == state.latest && !state.ending {
            self.ask(&mut state, picture.squares);
        }
    }

    /// Something else was asked of the board.
    pub fn count_another(&self) {
        self.state().unanswered += 1;
    }

    /// The table's board said something: perhaps that it has taken the last word.
    pub fn hear(&self, body: &ReportBody) {
        let mut state = self.state();
        match body {
            ReportBody::Ack { .. } => state.unanswered = state.unanswered.saturating_sub(1),
            // What was asked before is answered or forgotten.
            ReportBody::Link(_) => state.unanswered = 0,
            _ => return,
        }
        if state.ending && state.unanswered == 0 {
            self.dark.notify_one();
        }
    }

    /// The daemon ends: no light is left on, as far as that can be done in a moment.
    pub async fn put_out(&self) {
        {
            let mut state = self.state();
            state.ending = true;
            if !state.lit {
                return;
            }
            self.ask(&mut state, Vec::new());
        }
        if tokio::time::timeout(LAST_WORD, self.dark.notified()).await.is_err() {
            tracing::debug!(table = self.table, "nothing was heard of lights that were put out");
        }
    }

    fn ask(&self, state: &mut State, squares: Vec<Square>) {
        let lit = !squares.is_empty();
        match self.link.request(self.channel, Request::Light(squares)) {
            Ok(()) => {
                state.lit = lit;
                state.unanswered += 1;
            }
            Err(error) => tracing::warn!(table = self.table, lit, %error, "lights were not asked for"),
        }
    }

    /// Nothing is left half done where this is held, whoever panicked meanwhile.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use arbiterd_board::{AckOutcome, RequestId};
    use tokio::sync::mpsc;

    use super::*;

    fn lamp() -> (Lamp, mpsc::Receiver<(Channel, Request)>) {
        let (link, requested) = LinkHandle::new();
        (Lamp::new("t1".to_owned(), link, Channel(3)), requested)
    }

    fn squares(names: &[&str]) -> Vec<Square> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn asked(requested: &mut mpsc::Receiver<(Channel, Request)>) -> Option<Vec<Square>> {
        match requested.try_recv() {
            Ok((Channel(3), Request::Light(squares))) => Some(squares),
            Ok(other) => panic!("{other:?}"),
            Err(_) => None,
        }
    }

    #[test]
    fn lights_wait_for_the_commit_and_darkness_for_nothing() {
        let (lamp, mut requested) = lamp();
        let picture = lamp.decide(squares(&["e2", "e5"])).unwrap();
        assert_eq!(asked(&mut requested), None, "not committed");
        lamp.show(picture);
        assert_eq!(asked(&mut requested), Some(squares(&["e2", "e5"])));
        assert!(lamp.decide(Vec::new()).is_none());
        assert_eq!(asked(&mut requested), Some(Vec::new()));
    }

    #[test]
    fn what_was_committed_too_late_is_not_lit_any_more() {
        let (lamp, mut requested) = lamp();
        let first = lamp.decide(squares(&["e2", "e5"])).unwrap();
        let second = lamp.decide(squares(&["e2"])).unwrap();
        lamp.show(first);
        assert_eq!(asked(&mut requested), None, "another picture was decided since");
        lamp.decide(Vec::new());
        assert_eq!(asked(&mut requested), Some(Vec::new()));
        lamp.show(second);
        assert_eq!(asked(&mut requested), None, "the game goes on");
    }

    #[tokio::test]
    async fn at_the_end_lights_that_are_on_are_put_out_and_none_comes_on() {
        let (lamp, mut requested) = lamp();
        let picture = lamp.decide(squares(&["e2"])).unwrap();
        lamp.show(picture);
        asked(&mut requested);
        let next = lamp.decide(squares(&["e5"])).unwrap();
        let answer = |n| ReportBody::Ack { request: RequestId(n), outcome: AckOutcome::Accepted };
        let end = tokio::spawn({
            let lamp = lamp.clone();
            async move { lamp.put_out().await }
        });
        assert_eq!(requested.recv().await, Some((Channel(3), Request::Light(Vec::new()))));
        lamp.hear(&answer(1));
        assert_eq!(lamp.state().unanswered, 1, "that was the answer to what was lit");
        lamp.hear(&answer(2));
        end.await.unwrap();
        lamp.show(next);
        assert_eq!(asked(&mut requested), None);
    }

    #[tokio::test]
    async fn at_the_end_a_dark_board_is_told_nothing() {
        let (lamp, mut requested) = lamp();
        lamp.put_out().await;
        assert_eq!(asked(&mut requested), None);
    }
}
