// SPDX-License-Identifier: MIT OR Apache-2.0
//! Orders for the lights, which are set two at a time and never answered.

use std::collections::VecDeque;

use arbiterd_board::{Mono, RequestError, RequestId, Square};

use super::DgtDriver;
use super::clock_lane::ORDER_LIFE;
use crate::wire::Lights;

/// More commands for the lights than a board has squares are never needed.
const MOST_WAITING: usize = 64;

/// One command of an order.
#[derive(Clone, Copy, Debug)]
struct Part {
    lights: Lights,
    /// It is not sent from then on.
    until: Mono,
    request: RequestId,
    /// With it all of the order was sent.
    last: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct LightQueue {
    waiting: VecDeque<Part>,
}

impl LightQueue {
    fn has_room(&self, parts: usize) -> bool {
        self.waiting.len() + parts <= MOST_WAITING
    }

    fn order(&mut self, now: Mono, request: RequestId, parts: &[Lights]) {
        let until = now.after(ORDER_LIFE);
        let part = |(n, lights): (usize, &Lights)| Part {
            lights: *lights,
            until,
            request,
            last: n + 1 == parts.len(),
        };
        self.waiting.extend(parts.iter().enumerate().map(part));
    }

    /// The command to send now, and the order that is done with it.
    pub(super) fn next(&mut self) -> Option<(Lights, Option<RequestId>)> {
        let part = self.waiting.pop_front()?;
        Some((part.lights, part.last.then_some(part.request)))
    }

    /// When the first of those that wait makes no sense any more.
    pub(super) fn deadline(&self) -> Option<Mono> {
        self.waiting.front().map(|part| part.until)
    }

    /// Orders whose time is over before all of them was sent; the rest of them is not sent.
    pub(super) fn expired(&mut self, now: Mono) -> Vec<RequestId> {
        let late = self.waiting.partition_point(|part| part.until <= now);
        ended(self.waiting.drain(..late))
    }

    /// Gives everything up: nobody is there.
    pub(super) fn clear(&mut self) -> Vec<RequestId> {
        ended(self.waiting.drain(..))
    }
}

/// As long as an order waits, its last part does.
fn ended(parts: impl Iterator<Item = Part>) -> Vec<RequestId> {
    parts.filter(|part| part.last).map(|part| part.request).collect()
}

impl DgtDriver {
    /// Lights these squares and no others. The lights are set two at a time.
    pub(super) fn light(&mut self, now: Mono, squares: &[Square]) -> Result<RequestId, RequestError> {
        if !self.has_lights() {
            return Err(RequestError::NotSupported { what: "lights" });
        }
        let pairs = squares.chunks(2).filter_map(|pair| match *pair {
            [from, to] => Some(Lights::On { from, to }),
            [one] => Some(Lights::On { from: one, to: one }),
            _ => None,
        });
        let parts: Vec<Lights> = core::iter::once(Lights::AllOff).chain(pairs).collect();
        if !self.lights.has_room(parts.len()) {
            return Err(RequestError::Busy);
        }
        let id = self.requests.name();
        self.lights.order(now, id, &parts);
        Ok(id)
    }
}
