// SPDX-License-Identifier: GPL-3.0-or-later
//! Takes reports from each link to the tables of the boards behind it, and says what is told of the
//! boards themselves.
//!
//! Each link has a channel and a task of its own: a table that is slow fills its own inbox, then
//! the channel of its own link, then that link's outbox, all of which are bounded, and costs no
//! table on another port anything. Boards on one bus line share the link, and wait for each other.

use std::collections::{BTreeMap, BTreeSet};

use arbiterd_board::{Capabilities, Channel, Identity, LinkState, Mono, ReportBody, Sensing, Trouble};
use tokio::sync::mpsc;

use super::faults::{Faults, Kind, Place};
use super::publisher::Publication;
use super::silence::Silence;
use super::table::ToTable;
use crate::dbus::Event;
use crate::link::{LinkEvent, PortState};
use crate::time;

/// The one channel that a board on a port of its own has. On a bus line it is the line itself.
pub const ONLY_CHANNEL: Channel = Channel(0);

/// What comes from one link, and where it goes.
pub struct Line {
    /// The boards behind the port.
    pub boards: BTreeMap<Channel, LineBoard>,
    pub publish: mpsc::UnboundedSender<Publication>,
    pub faults: Faults,
    /// Channels that were heard and belong to nobody.
    strange: BTreeSet<Channel>,
    silence: Silence,
}

/// One board behind a port.
pub struct LineBoard {
    pub id: String,
    /// The inbox of its table, if it has one.
    pub table: Option<mpsc::Sender<ToTable>>,
    /// What the board has said of itself so far.
    pub identity: Option<Identity>,
    /// The same.
    pub capabilities: Option<Capabilities>,
}

impl LineBoard {
    /// A board that has said nothing yet.
    pub const fn new(id: String, table: Option<mpsc::Sender<ToTable>>) -> Self {
        Self { id, table, identity: None, capabilities: None }
    }

    /// Says what a report tells of the board itself.
    fn hear(&mut self, body: &ReportBody) -> Option<Event> {
        match body {
            ReportBody::Identity(identity) => {
                self.identity = Some(identity.clone());
                self.introduction()
            }
            ReportBody::Capabilities(capabilities) => {
                self.capabilities = Some(*capabilities);
                self.introduction()
            }
            ReportBody::Link(state) => {
                Some(Event::Link { board: self.id.clone(), up: *state == LinkState::Up })
            }
            ReportBody::Noise(noise) => {
                tracing::warn!(board = self.id, bytes = noise.bytes, cause = ?noise.cause, "noise");
                None
            }
            _ => None,
        }
    }

    /// Says who a board is, once it has said both who it is and what it can do.
    fn introduction(&self) -> Option<Event> {
        let (identity, capabilities) = (self.identity.clone()?, self.capabilities?);
        Some(Event::Identity { board: self.id.clone(), identity, capabilities })
    }
}

impl Line {
    /// A line of which nothing was heard.
    pub fn new(
        boards: BTreeMap<Channel, LineBoard>,
        publish: mpsc::UnboundedSender<Publication>,
        faults: Faults,
    ) -> Self {
        Self { boards, publish, faults, strange: BTreeSet::new(), silence: Silence::default() }
    }

    /// Runs until the link has ended.
    pub async fn run(mut self, mut events: mpsc::Receiver<LinkEvent>) {
        loop {
            tokio::select! {
                biased;
                event = events.recv() => match event {
                    Some(event) => self.event(event, time::now()).await,
                    None => return,
                },
                () = time::until(self.silence.due()) => self.tell_silence(time::now()),
            }
        }
    }

    /// A port that is open looks healthy: that nobody answers there has to be said.
    fn tell_silence(&mut self, now: Mono) {
        for channel in self.silence.overdue(now) {
            let Some(board) = self.boards.get(&channel) else { continue };
            let detail = if channel == ONLY_CHANNEL {
                "the port is open and no board answers: is it switched on, is this its port, and is it of \
                 this family and, on a bus line, has each [[board]] its bus_serial?"
                    .to_owned()
            } else {
                let others: Vec<&str> =
                    self.silence.answering().filter_map(|c| self.boards.get(&c)).map(|b| &*b.id).collect();
                let others = if others.is_empty() {
                    "no other does".to_owned()
                } else {
                    format!("{} do", others.join(", "))
                };
                format!(
                    "no board with the bus_serial {:05} answers on the line ({others}): compare it with the \
                     number on the board, and look whether the board is switched on and connected",
                    channel.0
                )
            };
            self.faults.raise(Kind::NoAnswer, Place::Board(board.id.clone()), detail);
        }
    }

    fn hear_port(&mut self, state: &PortState, now: Mono) {
        self.silence.port(*state == PortState::Open, self.boards.keys().copied(), now);
        for board in self.boards.values() {
            self.faults.clear(Kind::NoAnswer, Place::Board(board.id.clone()));
        }
    }

    async fn event(&mut self, event: LinkEvent, now: Mono) {
        match event {
            // The link itself has logged it.
            LinkEvent::Port { state, .. } => {
                self.hear_port(&state, now);
                for board in self.boards.values() {
                    self.publish(Event::Port {
                        board: board.id.clone(),
                        state: state.word().to_owned(),
                        detail: state.to_string(),
                    });
                }
            }
            LinkEvent::Report { id, channel, at, report } => {
                let Some(board) = self.boards.get_mut(&channel) else {
                    return self.belongs_to_nobody(&id, channel, &report.body);
                };
                let told = board.hear(&report.body);
                let (board, table) = (board.id.clone(), board.table.clone());
                self.silence.hear(channel, &report.body);
                self.look_for_trouble(board, &report.body);
                if let Some(event) = told {
                    self.publish(event);
                }
                if let Some(table) = table
                    && table.send(ToTable::Report { at, report }).await.is_err()
                {
                    tracing::error!(line = id, "the table's task has ended; a report is lost");
                }
            }
        }
    }

    /// What a person has to put right stands as a fault until the board was off the line.
    fn look_for_trouble(&self, board: String, body: &ReportBody) {
        match body {
            ReportBody::Trouble(Trouble::SharedAddress) => {
                let detail = "two boards on the line answer to this board's bus_serial, and what they report \
                              is not listened to: take one of them off the line and switch the other off and on";
                self.faults.raise(Kind::SharedAddress, Place::Board(board), detail.to_owned());
            }
            ReportBody::Link(LinkState::Up) => self.faults.clear(Kind::NoAnswer, Place::Board(board)),
            ReportBody::Link(LinkState::Down) => self.faults.clear(Kind::SharedAddress, Place::Board(board)),
            ReportBody::Capabilities(Capabilities { sensing: Sensing::Occupancy, .. }) => {
                let detail = "this board knows only which squares are occupied, not by which pieces, so \
                              nothing is ruled from it: use a board that recognises its pieces";
                self.faults.raise(Kind::NotForArbitration, Place::Board(board), detail.to_owned());
            }
            ReportBody::Capabilities(_) => self.faults.clear(Kind::NotForArbitration, Place::Board(board)),
            _ => {}
        }
    }

    /// Noise on a bus line cannot be laid to one board. Anything else is another board's, and two
    /// boards must never be read as one, so what it reports is not listened to.
    fn belongs_to_nobody(&mut self, line: &str, channel: Channel, body: &ReportBody) {
        if let (ONLY_CHANNEL, ReportBody::Noise(noise)) = (channel, body) {
            tracing::warn!(line, bytes = noise.bytes, cause = ?noise.cause, "noise");
            return;
        }
        if !self.strange.insert(channel) {
            return;
        }
        let channels: Vec<String> = self.strange.iter().map(|c| c.0.to_string()).collect();
        let detail = format!(
            "something reports on channel {} of this line, which no [[board]] of the configuration names: \
             add it with its bus_serial, or take it off the line",
            channels.join(", ")
        );
        for board in self.boards.values() {
            self.faults.raise(Kind::UnknownChannel, Place::Board(board.id.clone()), detail.clone());
        }
    }

    fn publish(&self, event: Event) {
        if self.publish.send(Publication::Now(event)).is_err() {
            tracing::error!("the publisher has ended; nothing more is published");
        }
    }
}

#[cfg(test)]
mod tests {
    use arbiterd_board::{Report, Stamp};

    use super::*;

    fn report(channel: u16) -> LinkEvent {
        report_of(channel, ReportBody::Link(LinkState::Up))
    }

    fn report_of(channel: u16, body: ReportBody) -> LinkEvent {
        let report = Report { at: Stamp::at(Mono::ZERO), body };
        LinkEvent::Report { id: "b1".to_owned(), channel: Channel(channel), at: Mono::ZERO, report }
    }

    #[tokio::test]
    async fn another_boards_reports_reach_no_table_and_are_told_as_a_fault() {
        let (publish, mut published) = mpsc::unbounded_channel();
        let (table, mut inbox) = mpsc::channel(8);
        let boards = BTreeMap::from([(ONLY_CHANNEL, LineBoard::new("b1".to_owned(), Some(table)))]);
        let faults = Faults::new(publish.clone(), |_| {}, "");
        let line = Line::new(boards, publish, faults);
        let (events_in, events) = mpsc::channel(8);
        for channel in [3, 0, 3, 7] {
            events_in.try_send(report(channel)).unwrap();
        }
        drop(events_in);
        line.run(events).await;
        assert!(matches!(inbox.try_recv(), Ok(ToTable::Report { .. })));
        assert!(inbox.try_recv().is_err(), "one report was of the table's own board");
        let mut told = Vec::new();
        while let Ok(Publication::Now(event)) = published.try_recv() {
            told.push(match event {
                Event::Faults(faults) => format!("{} {:?}", faults[0].kind, faults[0].board),
                Event::Link { up, .. } => format!("link {up}"),
                other => panic!("{other:?}"),
            });
        }
        let fault = "fault.unknown-channel Some(\"b1\")";
        assert_eq!(told, [fault, "link true", fault], "once for each channel");
    }

    #[tokio::test]
    async fn a_board_that_does_not_know_its_pieces_is_a_fault() {
        let capabilities = |sensing| {
            let lag = std::time::Duration::from_millis(100);
            let clock = arbiterd_board::ClockControl::None;
            ReportBody::Capabilities(Capabilities { sensing, clock, board_lag: lag, clock_lag: lag })
        };
        let bodies = [capabilities(Sensing::Occupancy), capabilities(Sensing::Pieces)];
        assert_eq!(faults_after(bodies).await, [vec!["fault.not-for-arbitration".to_owned()], Vec::new()]);
    }

    #[tokio::test]
    async fn a_shared_address_is_a_fault_until_the_board_was_off_the_line() {
        let bodies = [ReportBody::Trouble(Trouble::SharedAddress), ReportBody::Link(LinkState::Down)];
        assert_eq!(faults_after(bodies).await, [vec!["fault.shared-address".to_owned()], Vec::new()]);
    }

    /// The kinds of the faults that stood, each time they changed.
    async fn faults_after(bodies: [ReportBody; 2]) -> Vec<Vec<String>> {
        let (publish, mut published) = mpsc::unbounded_channel();
        let boards = BTreeMap::from([(Channel(1025), LineBoard::new("b1".to_owned(), None))]);
        let faults = Faults::new(publish.clone(), |_| {}, "");
        let line = Line::new(boards, publish, faults);
        let (events_in, events) = mpsc::channel(8);
        for body in bodies {
            events_in.try_send(report_of(1025, body)).unwrap();
        }
        drop(events_in);
        line.run(events).await;
        let mut standing = Vec::new();
        while let Ok(Publication::Now(event)) = published.try_recv() {
            if let Event::Faults(faults) = event {
                standing.push(faults.iter().map(|f| f.kind.clone()).collect::<Vec<_>>());
            }
        }
        standing
    }

    #[tokio::test]
    async fn each_board_on_a_bus_line_reaches_its_own_table() {
        let (publish, _published) = mpsc::unbounded_channel();
        let (first, mut first_inbox) = mpsc::channel(8);
        let (second, mut second_inbox) = mpsc::channel(8);
        let boards = [(1025, "b1", first), (2050, "b2", second)];
        let boards = boards
            .into_iter()
            .map(|(channel, id, table)| (Channel(channel), LineBoard::new(id.to_owned(), Some(table))))
            .collect();
        let faults = Faults::new(publish.clone(), |_| {}, "");
        let line = Line::new(boards, publish, faults);
        let (events_in, events) = mpsc::channel(8);
        for channel in [2050, 0, 2050, 1025, 7] {
            events_in.try_send(report(channel)).unwrap();
        }
        drop(events_in);
        line.run(events).await;
        let count =
            |inbox: &mut mpsc::Receiver<ToTable>| core::iter::from_fn(|| inbox.try_recv().ok()).count();
        assert_eq!((count(&mut first_inbox), count(&mut second_inbox)), (1, 2));
    }
}
