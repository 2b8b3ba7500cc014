// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of the driver and is not answered yet.

use core::time::Duration;

use arbiterd_board::{Mono, RequestError, RequestId};

use crate::wire::Lights;

/// Three tries of a question and the way of each.
const PATIENCE: Duration = Duration::from_secs(4);
/// More than these wait for nothing sensible.
const MOST: usize = 32;

/// Somebody wants to know what stands on the board.
#[derive(Clone, Copy, Debug)]
struct Look {
    id: RequestId,
    deadline: Mono,
    /// The board was asked after the request was made: what it said before may be older.
    asked: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    last: u32,
    looks: Vec<Look>,
    /// The newest picture that was not sent.
    waiting: Option<(RequestId, Lights)>,
    /// The one that was sent and is not answered.
    shown: Option<RequestId>,
}

impl Requests {
    fn name(&mut self) -> RequestId {
        self.last = self.last.wrapping_add(1);
        RequestId(self.last)
    }

    pub(super) fn look(&mut self, now: Mono) -> Result<RequestId, RequestError> {
        if self.looks.len() >= MOST {
            return Err(RequestError::Busy);
        }
        let id = self.name();
        self.looks.push(Look { id, deadline: now.after(PATIENCE), asked: false });
        Ok(id)
    }

    /// A picture waits for its turn. A frame sets all lights, so one that still waits is out of date
    /// and is given back, never to be sent.
    pub(super) fn light(&mut self, lights: Lights) -> (RequestId, Option<RequestId>) {
        let id = self.name();
        let old = self.waiting.replace((id, lights));
        (id, old.map(|(id, _)| id))
    }

    /// Whether the board has still to be asked for somebody.
    pub(super) fn want_a_look(&self) -> bool {
        self.looks.iter().any(|look| !look.asked)
    }

    pub(super) fn asked(&mut self, asked: bool) {
        self.looks.iter_mut().for_each(|look| look.asked = asked);
    }

    /// Whether somebody waits for what the board says now.
    pub(super) fn await_the_board(&self) -> bool {
        self.looks.iter().any(|look| look.asked)
    }

    pub(super) const fn want_lights(&self) -> bool {
        self.waiting.is_some()
    }

    /// The picture to send now.
    pub(super) fn show(&mut self) -> Option<Lights> {
        let (id, lights) = self.waiting.take()?;
        self.shown = Some(id);
        Some(lights)
    }

    pub(super) fn lights_answered(&mut self) -> Option<RequestId> {
        self.shown.take()
    }

    pub(super) fn looked(&mut self) -> Vec<RequestId> {
        self.take(|look| look.asked)
    }

    pub(super) fn expired(&mut self, now: Mono) -> Vec<RequestId> {
        self.take(|look| look.deadline <= now)
    }

    pub(super) fn all(&mut self) -> Vec<RequestId> {
        let lights = self.shown.take().into_iter().chain(self.waiting.take().map(|(id, _)| id));
        let lights: Vec<RequestId> = lights.collect();
        let mut all = self.take(|_| true);
        all.extend(lights);
        all
    }

    pub(super) fn deadline(&self) -> Option<Mono> {
        self.looks.iter().map(|look| look.deadline).min()
    }

    fn take(&mut self, which: impl Fn(&Look) -> bool) -> Vec<RequestId> {
        if !self.looks.iter().any(&which) {
            return Vec::new();
        }
        let (taken, kept) = self.looks.drain(..).partition(which);
        self.looks = kept;
        let taken: Vec<Look> = taken;
        taken.iter().map(|look| look.id).collect()
    }
}
