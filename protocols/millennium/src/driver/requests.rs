// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of the driver and is not answered yet.

use core::time::Duration;

use arbiterd_board::{Mono, Pending, RequestError, RequestId, Wanted};

use super::ONLY;
use crate::wire::Lights;

/// Three tries of a question and the way of each.
const PATIENCE: Duration = Duration::from_secs(4);
/// More than these wait for nothing sensible.
const MOST: usize = 32;

#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    /// For what stands on the board.
    looks: arbiterd_board::Requests,
    /// The newest picture that was not sent.
    waiting: Option<(RequestId, Lights)>,
    /// The one that was sent and is not answered.
    shown: Option<RequestId>,
}

impl Requests {
    pub(super) fn look(&mut self, now: Mono) -> Result<RequestId, RequestError> {
        if self.looks.count() >= MOST {
            return Err(RequestError::Busy);
        }
        Ok(self.looks.add(now, PATIENCE, ONLY, Wanted::Board))
    }

    /// A picture waits for its turn. A frame sets all lights, so one that still waits is out of date
    /// and is given back, never to be sent.
    pub(super) fn light(&mut self, lights: Lights) -> (RequestId, Option<RequestId>) {
        let id = self.looks.name();
        let old = self.waiting.replace((id, lights));
        (id, old.map(|(id, _)| id))
    }

    /// Whether the board has still to be asked for somebody.
    pub(super) fn want_a_look(&self) -> bool {
        self.looks.wait_for(ONLY, Wanted::Board)
    }

    pub(super) fn asked(&mut self, asked: bool) {
        self.looks.said(ONLY, Wanted::Board, asked);
    }

    /// Whether somebody waits for what the board says now.
    pub(super) fn await_the_board(&self) -> bool {
        self.looks.await_answer(ONLY, Wanted::Board)
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
        ids(self.looks.fulfilled(ONLY, Wanted::Board))
    }

    pub(super) fn expired(&mut self, now: Mono) -> Vec<RequestId> {
        ids(self.looks.expired(now))
    }

    pub(super) fn all(&mut self) -> Vec<RequestId> {
        let lights = self.shown.take().into_iter().chain(self.waiting.take().map(|(id, _)| id));
        ids(self.looks.of(ONLY)).into_iter().chain(lights).collect()
    }

    pub(super) fn deadline(&self) -> Option<Mono> {
        self.looks.deadline()
    }
}

fn ids(pending: Vec<Pending>) -> Vec<RequestId> {
    pending.into_iter().map(|pending| pending.id).collect()
}
