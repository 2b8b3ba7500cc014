// SPDX-License-Identifier: GPL-3.0-or-later
//! How loudly it is said that a request was refused.

use std::collections::BTreeSet;

use arbiterd_board::{Channel, Request, RequestError};
use tracing::Level;

/// Refusals of one link.
///
/// Lights are ordered with every piece that is put back: a board without any is told of once, and
/// that one is away is told by its link.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    without_lights: BTreeSet<Channel>,
}

impl Refusals {
    /// Says that `request` was refused.
    pub(super) fn tell(&mut self, id: &str, channel: Channel, request: &Request, error: &RequestError) {
        let board = id;
        let channel_number = channel.0;
        match self.level(channel, request, error) {
            Level::WARN => {
                tracing::warn!(board, channel = channel_number, ?request, "a request was refused: {error}");
            }
            Level::INFO => tracing::info!(
                board,
                channel = channel_number,
                "no lights are shown on this board: {error}; this is said once"
            ),
            _ => tracing::debug!(board, channel = channel_number, ?request, "a request was refused: {error}"),
        }
    }

    fn level(&mut self, channel: Channel, request: &Request, error: &RequestError) -> Level {
        match (request, error) {
            (Request::Light(_), RequestError::LinkDown) => Level::DEBUG,
            (Request::Light(_), RequestError::NotSupported { .. }) => {
                if self.without_lights.insert(channel) {
                    Level::INFO
                } else {
                    Level::DEBUG
                }
            }
            _ => Level::WARN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_a_board_has_no_lights_is_said_once_and_everything_else_each_time() {
        let mut refusals = Refusals::default();
        let light = Request::Light(Vec::new());
        let none = RequestError::NotSupported { what: "lights on a bus line" };
        let levels =
            [(1, &light, &none), (1, &light, &none), (2, &light, &none), (1, &Request::ReadClock, &none)]
                .map(|(channel, request, error)| refusals.level(Channel(channel), request, error));
        assert_eq!(levels, [Level::INFO, Level::DEBUG, Level::INFO, Level::WARN]);
        assert_eq!(refusals.level(Channel(1), &light, &RequestError::LinkDown), Level::DEBUG);
        assert_eq!(refusals.level(Channel(1), &light, &RequestError::Busy), Level::WARN);
    }
}
