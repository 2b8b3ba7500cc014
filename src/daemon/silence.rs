// SPDX-License-Identifier: GPL-3.0-or-later
//! Boards that do not answer although their port is open: switched off, on another port, or with
//! another number on the bus than was configured.

use std::collections::BTreeSet;
use std::time::Duration;

use arbiterd_board::{Channel, LinkState, Mono, ReportBody};

/// Longer than the first conversation with a full bus line takes.
const PATIENCE: Duration = Duration::from_secs(15);

/// Who has not answered since the port was opened.
#[derive(Clone, Debug, Default)]
pub struct Silence {
    due: Option<Mono>,
    silent: BTreeSet<Channel>,
    answering: BTreeSet<Channel>,
}

impl Silence {
    /// The port was opened, or is not open.
    pub fn port(&mut self, open: bool, boards: impl Iterator<Item = Channel>, now: Mono) {
        *self = Self::default();
        if open {
            self.due = Some(now.after(PATIENCE));
            self.silent = boards.collect();
        }
    }

    /// A board reports something.
    pub fn hear(&mut self, channel: Channel, body: &ReportBody) {
        match body {
            ReportBody::Link(LinkState::Up) => {
                self.silent.remove(&channel);
                self.answering.insert(channel);
            }
            ReportBody::Link(LinkState::Down) => _ = self.answering.remove(&channel),
            _ => {}
        }
    }

    /// When to ask for [`Silence::overdue`].
    pub const fn due(&self) -> Option<Mono> {
        self.due
    }

    /// The boards that should have answered by now, once each time the port was opened.
    pub fn overdue(&mut self, now: Mono) -> BTreeSet<Channel> {
        match self.due {
            Some(due) if due <= now => {
                self.due = None;
                std::mem::take(&mut self.silent)
            }
            _ => BTreeSet::new(),
        }
    }

    /// The boards that answer.
    pub fn answering(&self) -> impl Iterator<Item = Channel> + '_ {
        self.answering.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: ReportBody = ReportBody::Link(LinkState::Up);

    fn at(seconds: u64) -> Mono {
        Mono::from_millis(seconds * 1000)
    }

    #[test]
    fn who_has_not_answered_on_an_open_port_is_named_once() {
        let mut silence = Silence::default();
        assert_eq!((silence.due(), silence.overdue(at(100)).len()), (None, 0));
        silence.port(true, [Channel(1025), Channel(2050)].into_iter(), at(100));
        silence.hear(Channel(1025), &UP);
        assert_eq!(silence.due(), Some(at(115)));
        assert!(silence.overdue(at(114)).is_empty());
        assert_eq!(silence.overdue(at(115)), BTreeSet::from([Channel(2050)]));
        assert_eq!(silence.answering().collect::<Vec<_>>(), [Channel(1025)]);
        assert_eq!((silence.due(), silence.overdue(at(200)).len()), (None, 0));
    }

    #[test]
    fn a_port_that_is_gone_has_no_silent_boards() {
        let mut silence = Silence::default();
        silence.port(true, [Channel(0)].into_iter(), at(100));
        silence.port(false, [Channel(0)].into_iter(), at(105));
        assert_eq!(silence.due(), None);
        silence.port(true, [Channel(0)].into_iter(), at(110));
        assert_eq!(silence.due(), Some(at(125)));
    }
}
