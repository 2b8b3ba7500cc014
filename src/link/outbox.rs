// SPDX-License-Identifier: GPL-3.0-or-later
//! What a link has to tell and has not been taken yet.

use std::collections::{BTreeSet, VecDeque};

use arbiterd_board::{Channel, Driver, LinkState, Mono, Report, ReportBody, Stamp};
use tokio::sync::mpsc;

use super::{LinkEvent, PortState};

/// So many events wait at most (and what one read brings): about 10 MB, and many minutes of play.
const FULL: usize = 32_768;

/// The events of a link in their order, oldest first.
///
/// They wait here and not in a full channel: whoever listens may be slow, but the port is read
/// all the same, so that every byte is stamped when it comes. Nothing that was observed is dropped
/// and nothing is stamped late, so a link whose outbox is full stops observing: it says that the
/// port is lost, and opens it again when half of the events were taken.
#[derive(Debug)]
pub(super) struct Outbox {
    id: String,
    waiting: VecDeque<LinkEvent>,
    told: Option<PortState>,
    up: BTreeSet<Channel>,
}

impl Outbox {
    pub(super) fn new(id: String) -> Self {
        Self { id, waiting: VecDeque::new(), told: None, up: BTreeSet::new() }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The port is in `state`; told only if it was in another.
    pub(super) fn port(&mut self, state: PortState) {
        if self.told.as_ref() == Some(&state) {
            return;
        }
        tracing::info!(board = %self.id, state = state.word(), "{state}");
        self.told = Some(state.clone());
        self.waiting.push_back(LinkEvent::Port { id: self.id.clone(), state });
    }

    /// Takes over all reports that `driver` has, as told at `at`.
    pub(super) fn collect(&mut self, driver: &mut dyn Driver, at: Mono) {
        while let Some((channel, report)) = driver.poll_report() {
            match report.body {
                ReportBody::Link(LinkState::Up) => _ = self.up.insert(channel),
                ReportBody::Link(LinkState::Down) => _ = self.up.remove(&channel),
                _ => {}
            }
            self.report(channel, at, report);
        }
    }

    /// The port was lost at `at`. A driver learns of it only when the line is opened again,
    /// which may be never, so each board it thought to answer is declared down here.
    pub(super) fn lost(&mut self, at: Mono) {
        self.port(PortState::Lost);
        for channel in std::mem::take(&mut self.up) {
            let down = Report { at: Stamp::at(at), body: ReportBody::Link(LinkState::Down) };
            self.report(channel, at, down);
        }
    }

    fn report(&mut self, channel: Channel, at: Mono, report: Report) {
        self.waiting.push_back(LinkEvent::Report { id: self.id.clone(), channel, at, report });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether nothing more may be observed until some of it is taken.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= FULL
    }

    /// Whether, after it was full, the port may be opened again.
    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() <= FULL / 2
    }

    /// Hands the oldest event over.
    pub(super) fn hand_over(&mut self, permit: mpsc::Permit<'_, LinkEvent>) {
        if let Some(event) = self.waiting.pop_front() {
            permit.send(event);
        }
    }

    /// At the end of the link: hands over what fits without waiting.
    pub(super) fn hand_over_rest(&mut self, events: &mpsc::Sender<LinkEvent>) {
        while let Some(event) = self.waiting.pop_front() {
            if let Err(e) = events.try_send(event) {
                let left = self.waiting.len() + 1;
                tracing::warn!(board = %self.id, left, "the last events of the link found no listener: {e}");
                return;
            }
        }
    }
}
