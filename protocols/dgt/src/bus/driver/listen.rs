// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the boards answer, and what is told of it.

use core::time::Duration;

use arbiterd_board::{
    AckOutcome, ClockReport, ClockSide, LinkState, Mono, Noise, NoiseCause, Placement, ReportBody, Stamp,
    Version, Wanted,
};

use super::board::{Board, Held, Known, Stage};
use super::exchange::{Ask, Exchange};
use super::fetch::Taken;
use super::talk::{LINE, Talk};
use super::timing::{self, FIRST_LOOKS, SCAN, UNSURE};
use crate::bus::message::encode;
use crate::bus::{Answer, BusCommand, BusMessage};
use crate::clock::ClockMessage;
use crate::log::{Log, Record};
use crate::wire::SHORTEST_BUS_FRAME;

/// What an answer says was so then or later. Where nobody waits for it, it may belong to anything
/// that was asked before.
fn asked_since(now: Mono, board: &Board, ask: Ask, asked: Option<Exchange>) -> Mono {
    match asked {
        Some(exchange) => exchange.since,
        None => board.misses.open_since(now, ask).min(now.before(timing::limit(ask) + UNSURE)),
    }
}

impl Talk {
    pub(super) fn on_message(&mut self, now: Mono, message: BusMessage<'_>) {
        let known = self.boards.iter().position(|b| b.address == message.address);
        let Some(index) = known else { return self.on_stranger(now, &message) };
        let asked = self.exchange.filter(|e| e.board == index && e.ask.is_answered_by(&message.answer));
        match asked {
            Some(exchange) => self.answered_once(now, index, exchange.ask),
            None => self.answered_unasked(now, index, &message.answer),
        }
        match message.answer {
            Answer::Version(version) => self.on_version(now, index, asked, version),
            Answer::Board(placement) => self.on_board(now, index, asked, placement),
            Answer::Changes(log) => self.on_changes(now, index, asked, log),
            Answer::Clock(clock) => self.on_clock(now, index, asked, clock),
            Answer::Ping if asked.is_some() => self.answered(),
            Answer::Ping => self.found_again(index),
            Answer::Started | Answer::FromStart(_) => self.tell_strange(now, &message),
        }
        self.tell_twins(now, index);
    }

    fn on_stranger(&mut self, now: Mono, message: &BusMessage<'_>) {
        if message.answer == Answer::Ping && self.discovery.is_collecting() {
            self.found(message.address);
            let last = self.boards.len().saturating_sub(1);
            return self.answered_unasked(now, last, &message.answer);
        }
        self.tell_strange(now, message);
    }

    /// A valid answer to nothing that was asked, or of nobody who was asked.
    fn tell_strange(&mut self, now: Mono, message: &BusMessage<'_>) {
        let bytes = u32::try_from(encode(message).len()).unwrap_or(u32::MAX);
        self.tell_noise(now, LINE, Noise { bytes, cause: NoiseCause::OutOfRange });
    }

    /// Bytes were dropped. They may have been the answer of the board that was asked; and a
    /// board in the other mode was perhaps not observed.
    pub(super) fn on_noise(&mut self, now: Mono, noise: Noise) {
        self.tell_noise(now, LINE, noise);
        self.discovery.noise();
        if noise.cause == NoiseCause::UnknownKind {
            return;
        }
        let asked = self.exchange.map(|e| e.board);
        let everybody = noise.cause == NoiseCause::WrongMode;
        for (index, board) in self.boards.iter_mut().enumerate() {
            if everybody || asked == Some(index) {
                board.look.doubted(now);
            }
        }
    }

    // ----- link ---------------------------------------------------------------------------

    fn on_version(&mut self, now: Mono, index: usize, asked: Option<Exchange>, version: Option<Version>) {
        if asked.is_some() {
            self.answered();
        }
        let Some(board) = self.boards.get_mut(index) else { return };
        let is_new = board.firmware != version;
        board.firmware = version;
        if board.stage == Stage::Silent {
            self.rise(now, index);
        } else if is_new {
            self.tell_identity(now, index);
        }
    }

    /// The board answers: observation begins with what it noted until now.
    fn rise(&mut self, now: Mono, index: usize) {
        let Some(board) = self.boards.get_mut(index) else { return };
        board.restart(now, Stage::Draining);
        board.urgent = true;
        let channel = board.channel();
        self.tell(channel, Stamp::at(now), ReportBody::Link(LinkState::Up));
        self.tell_capabilities(now);
        self.tell_identity(now, index);
    }

    /// The board is observed no more, since `from` at the earliest.
    fn fall(&mut self, now: Mono, index: usize, from: Mono) {
        self.tell_held_unsure(now, index);
        let Some(board) = self.boards.get_mut(index) else { return };
        let channel = board.channel();
        let at = Stamp { earliest: from.min(now), latest: now };
        self.tell(channel, at, ReportBody::Link(LinkState::Down));
        let requests = self.requests.of(channel);
        self.acknowledge(now, requests, AckOutcome::NoAnswer);
    }

    /// The board does not answer any more.
    pub(super) fn lose(&mut self, now: Mono, index: usize) {
        let Some(board) = self.boards.get(index).filter(|b| b.is_up()) else { return };
        self.fall(now, index, board.heard);
        if self.exchange.is_some_and(|e| e.board == index) {
            self.break_off();
        }
        if let Some(board) = self.boards.get_mut(index) {
            board.restart(now, Stage::Silent);
            board.probe.failed(now);
        }
    }

    pub(super) fn tell_capabilities(&mut self, now: Mono) {
        let count = self.boards.len();
        for index in 0..count {
            let Some(board) = self.boards.get_mut(index).filter(|b| b.is_up()) else { continue };
            let capabilities = board.lags.capabilities(count);
            if board.announced.replace(capabilities) != Some(capabilities) {
                let channel = board.channel();
                self.tell(channel, Stamp::at(now), ReportBody::Capabilities(capabilities));
            }
        }
    }

    fn tell_identity(&mut self, now: Mono, index: usize) {
        let Some(board) = self.boards.get(index) else { return };
        let (channel, identity) = (board.channel(), board.identity());
        self.tell(channel, Stamp::at(now), ReportBody::Identity(identity));
    }

    // ----- squares ------------------------------------------------------------------------

    /// A dump is held until the changes are known that the board noted before it.
    fn on_board(&mut self, now: Mono, index: usize, asked: Option<Exchange>, placement: Placement) {
        if asked.is_some() {
            self.answered();
        }
        let Some(board) = self.boards.get_mut(index).filter(|b| b.stage >= Stage::Baseline) else { return };
        if board.stage == Stage::Baseline {
            board.hear(now);
            board.held = None;
        }
        self.tell_held_unsure(now, index);
        let Some(board) = self.boards.get_mut(index) else { return };
        let since = asked_since(now, board, Ask::Board, asked);
        board.held = Some(Held { placement, asked: since, received: now, counts: asked.is_some() });
        board.urgent = true;
    }

    /// Tells the dump that is held, if there is one. `quiet`: the board noted no change until it
    /// was made. `since`: the changes were fetched then, before it.
    ///
    /// It is confirmed if it shows what was told, or is the first. A change that nothing has told
    /// was lost, or the dump is wrong: only the next one can say which. It happened after the dump
    /// before, when else is not known.
    fn tell_held(&mut self, now: Mono, index: usize, since: Mono, quiet: bool) {
        let Some(board) = self.boards.get_mut(index) else { return };
        let Some(held) = board.held.take() else { return };
        let channel = board.channel();
        let at_rest = quiet && board.look.is_at_rest(now);
        let untold = board.known.filter(|known| known.placement != held.placement);
        let confirmed = at_rest && untold.is_none();
        if !confirmed {
            board.look.doubted(now);
        }
        board.stage = Stage::Running;
        board.known = Some(Known { placement: held.placement, asked: held.asked });
        let unfetched = (!at_rest).then_some(since);
        let stamp = held.stamp([unfetched, untold.map(|known| known.asked)].into_iter().flatten().min());
        if at_rest && untold.is_some() {
            board.lags.board(now, stamp);
            self.tell_capabilities(now);
        }
        self.tell(channel, stamp, ReportBody::Board { placement: held.placement, confirmed });
        if held.counts {
            let requests = self.requests.fulfilled(channel, Wanted::Board);
            self.acknowledge(now, requests, AckOutcome::Accepted);
        }
    }

    /// The same, where it is not known what the board noted.
    pub(super) fn tell_held_unsure(&mut self, now: Mono, index: usize) {
        if let Some(since) = self.boards.get(index).map(|b| b.fetch.since()) {
            self.tell_held(now, index, since, false);
        }
    }

    fn on_changes(&mut self, now: Mono, index: usize, asked: Option<Exchange>, log: Log<'_>) {
        let Some(board) = self.boards.get_mut(index) else { return };
        let command = asked.map(|e| e.command);
        let stage = board.stage;
        let direct = command == Some(BusCommand::SendChanges) && board.fetch.is_sure(now);
        let quiet = log.is_empty() && direct;
        match board.fetch.take(now, log, command) {
            Taken::Nothing => {}
            Taken::Again => {
                // If it was asked for directly, this is a late answer, and the true one follows.
                if command == Some(BusCommand::RepeatChanges) {
                    self.answered_again();
                }
            }
            Taken::Perhaps { since } => {
                if command == Some(BusCommand::RepeatChanges) {
                    self.answered_again();
                }
                self.tell_again(now, index, since, log);
            }
            Taken::New { since, fetched } => {
                // In the first look the board is awaited, not its changes.
                if fetched && stage != Stage::Baseline {
                    board.hear(now);
                }
                board.urgent = !log.is_empty() && board.is_up();
                match asked {
                    Some(_) if fetched => self.answered(),
                    Some(_) => self.answered_again(),
                    None => {}
                }
                match stage {
                    Stage::Silent => {}
                    Stage::Draining => self.drained(index, log.is_empty() && fetched),
                    Stage::Baseline | Stage::Running => self.on_news(now, index, since, log, quiet),
                }
            }
        }
    }

    fn drained(&mut self, index: usize, empty: bool) {
        if let Some(board) = self.boards.get_mut(index)
            && empty
        {
            board.stage = Stage::Baseline;
        }
    }

    fn on_news(&mut self, now: Mono, index: usize, since: Mono, log: Log<'_>, quiet: bool) {
        let Some(board) = self.boards.get_mut(index) else { return };
        match (board.stage, log.is_empty()) {
            (Stage::Running, true) => self.tell_held(now, index, since, quiet),
            (Stage::Running, false) => self.set_aside_held(now, index),
            (_, true) if quiet => return self.tell_held(now, index, since, quiet),
            _ => return self.first_look_amid_changes(now, index, since, log),
        }
        let Some(board) = self.boards.get_mut(index) else { return };
        // Before the first look there is nothing that could change.
        if board.stage != Stage::Running {
            return;
        }
        let stamp = Stamp { earliest: since.before(SCAN), latest: now };
        board.lags.board(now, stamp);
        self.tell_capabilities(now);
        self.tell_records(now, index, stamp, log);
    }

    /// Changes around the first look, or perhaps some: it may show them, so they must not be told
    /// after it. They are thrown away as those before it were, and the look is made anew. A board on which
    /// there is always a hand is begun with what the records make of the look.
    fn first_look_amid_changes(&mut self, now: Mono, index: usize, since: Mono, log: Log<'_>) {
        let Some(board) = self.boards.get_mut(index) else { return };
        board.amid_changes = board.amid_changes.saturating_add(1);
        let restarted = log.records().any(|r| matches!(r, Record::PowerUp | Record::Watchdog));
        if board.amid_changes < FIRST_LOOKS || restarted {
            board.held = None;
        }
        match &mut board.held {
            Some(held) => {
                held.overlay(now, log);
                board.look.changed(now);
                self.tell_held(now, index, since, false);
            }
            None => board.stage = Stage::Draining,
        }
    }

    /// A dump that was made amid changes is not told: it shows some of them, all at once, before
    /// the records tell them one after the other in their order. Another look follows.
    fn set_aside_held(&mut self, now: Mono, index: usize) {
        if let Some(board) = self.boards.get_mut(index)
            && board.held.take().is_some()
        {
            board.look.doubted(now);
        }
    }

    /// The same records once more, which perhaps are the old ones. The squares are told with an
    /// interval that is true in either case. A lever is not: a second press must not be made of
    /// one, and the reading that is asked for next shows what is so.
    fn tell_again(&mut self, now: Mono, index: usize, since: Mono, log: Log<'_>) {
        self.set_aside_held(now, index);
        let Some(board) = self.boards.get_mut(index).filter(|b| b.stage == Stage::Running) else { return };
        board.clock.wanted(now);
        board.look.doubted(now);
        let (channel, stamp) = (board.channel(), Stamp { earliest: since.before(SCAN), latest: now });
        for record in log.records() {
            if let Record::Piece { square, occupant, .. } = record {
                if let Some(board) = self.boards.get_mut(index) {
                    board.stands(square, occupant);
                }
                self.tell(channel, stamp, ReportBody::Square { square, occupant });
            }
        }
    }

    fn tell_records(&mut self, now: Mono, index: usize, stamp: Stamp, log: Log<'_>) {
        let mut records = log.records();
        for record in records.by_ref() {
            match record {
                Record::Piece { square, occupant, .. } => {
                    let Some(board) = self.boards.get_mut(index) else { return };
                    board.look.changed(now);
                    board.stands(square, occupant);
                    let channel = board.channel();
                    self.tell(channel, stamp, ReportBody::Square { square, occupant });
                }
                Record::Time { side, remaining } => self.lever_moved(now, index, stamp, side, remaining),
                // The rest of the packet says what stands on the board, not what changed; and
                // what happened while it started was not observed.
                Record::PowerUp | Record::Watchdog => return self.restarted(now, index, stamp.earliest),
                // Marks that say nothing of a change.
                _ => {}
            }
        }
        if records.skipped() > 0 {
            self.log_is_damaged(now, index, records.skipped());
        }
    }

    /// The lever was moved, and `side` has stopped with `remaining` on it. The board notes it when
    /// it has asked the clock, up to a second late, so its place among the records proves no order
    /// (topic: clock errata). The reading that is asked for next shows both sides.
    fn lever_moved(&mut self, now: Mono, index: usize, stamp: Stamp, side: ClockSide, remaining: Duration) {
        let Some(board) = self.boards.get_mut(index) else { return };
        board.clock.wanted(now);
        let channel = board.channel();
        let stamp = Stamp { earliest: stamp.earliest.before(crate::CLOCK_LAG), latest: stamp.latest };
        board.lags.clock(now, stamp);
        self.tell(channel, stamp, ReportBody::Clock(ClockReport::SideStopped { side, remaining }));
    }

    /// The board was switched off and on, or started by itself: that is a lost link, and
    /// observation begins again.
    fn restarted(&mut self, now: Mono, index: usize, from: Mono) {
        self.fall(now, index, from);
        self.rise(now, index);
    }

    /// The checksum fits and the records do not: a change may be among what was skipped.
    fn log_is_damaged(&mut self, now: Mono, index: usize, bytes: u32) {
        let Some(board) = self.boards.get_mut(index) else { return };
        board.look.doubted(now);
        let channel = board.channel();
        self.tell_noise(now, channel, Noise { bytes, cause: NoiseCause::OutOfRange });
    }

    // ----- the clock ----------------------------------------------------------------------

    fn on_clock(&mut self, now: Mono, index: usize, asked: Option<Exchange>, message: ClockMessage) {
        if asked.is_some() {
            self.answered();
        }
        let Some(board) = self.boards.get_mut(index).filter(|b| b.stage == Stage::Running) else { return };
        let channel = board.channel();
        let since = asked_since(now, board, Ask::Clock, asked);
        match message {
            ClockMessage::Times(times) => {
                let stamp = board.clock.read(now, since, times.reading);
                board.lags.clock(now, stamp);
                self.tell_capabilities(now);
                self.tell(channel, stamp, ReportBody::Clock(ClockReport::Reading(times.reading)));
            }
            ClockMessage::NoClock => {
                let stamp = board.clock.absent(now, since);
                self.tell(channel, stamp, ReportBody::Clock(ClockReport::Absent));
            }
            ClockMessage::Corrupt { payload, .. } => {
                let bytes = u32::try_from(SHORTEST_BUS_FRAME + payload.len()).unwrap_or(u32::MAX);
                self.tell_noise(now, channel, Noise { bytes, cause: NoiseCause::OutOfRange });
                return;
            }
            // Nothing is said to the clock here, so nothing of it is an answer.
            ClockMessage::Ack(_) | ClockMessage::Null => return,
        }
        if asked.is_some_and(|e| e.ask == Ask::Clock) {
            let requests = self.requests.fulfilled(channel, Wanted::Clock);
            self.acknowledge(now, requests, AckOutcome::Accepted);
        }
    }
}
