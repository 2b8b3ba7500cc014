// SPDX-License-Identifier: GPL-3.0-or-later
//! What a simulated board has to offer, of whatever family.

use arbiterd_board::{LineSettings, Mono};

use super::Act;

/// A simulated board without input or output of its own: the opposite of
/// [`arbiterd_board::Driver`].
///
/// After each call that takes the time, drain [`Device::poll_transmit`], then wait for bytes
/// or for [`Device::poll_timeout`].
pub trait Device: Send + 'static {
    /// How the board's serial line is set, which says how long a byte takes on it.
    fn line_settings(&self) -> LineSettings;

    /// `bytes` of the host arrived at `now`.
    fn receive(&mut self, now: Mono, bytes: &[u8]);

    /// The next message to the host.
    fn poll_transmit(&mut self) -> Option<Vec<u8>>;

    /// When [`Device::handle_timeout`] wants to be called, if at all.
    fn poll_timeout(&self) -> Option<Mono>;

    /// The moment that [`Device::poll_timeout`] named has come.
    fn handle_timeout(&mut self, now: Mono);

    /// A host that has the port open does not read fast enough, and bytes for it are lost. Said once
    /// for each host; a board does not notice, but whoever watches one may tell it.
    fn unread(&mut self) {}
}

/// A simulated board with pieces and a clock that hands can reach.
pub trait Hands {
    /// Does `act` at `now`. What is not there cannot be handled: lifting from an empty square
    /// and pressing a clock that is not connected do nothing.
    fn act(&mut self, now: Mono, act: Act);
}
