// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a simulated board has to offer, of whatever family.

use crate::{LineSettings, Mono};

/// A simulated board, or several on one line, without input or output of its own: the opposite of
/// [`crate::Driver`].
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
