// SPDX-License-Identifier: MIT OR Apache-2.0
//! The conversation on the line: who is asked what, and when.
//!
//! In a cycle each board is visited once: its changes, then its clock. One board in each cycle is
//! looked at besides, so that a dump, which is long, delays nobody much; and one board that does
//! not answer is asked whether it is there.

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::{
    AckOutcome, Channel, Mono, Noise, NoiseCause, Pending, Report, ReportBody, Requests, Stamp, Wanted,
};

use super::board::{Board, Stage};
use super::discovery::{Discovery, PINGS};
use super::exchange::{Ask, Echo, Exchange, Wait};
use super::timing::{self, DISCOVER_AGAIN, LONGEST_SEARCH_PAUSE, QUIET, SCAN, TRIES};
use crate::bus::{BusAddress, BusCommand, BusFrame, LineCommand};
use crate::wire::SHORTEST_BUS_FRAME;

/// The line itself: noise belongs to no board.
pub(super) const LINE: Channel = Channel(0);

#[derive(Debug, Default)]
pub(super) struct Talk {
    pub(super) boards: Vec<Board>,
    /// Boards are found, not configured.
    discovers: bool,
    pub(super) discovery: Discovery,
    /// A search was asked for.
    pub(super) wanted: bool,
    /// While nobody answers, there is no search before.
    search_at: Mono,
    /// The time between two such searches.
    search_pause: Duration,
    cycle: Cycle,
    pub(super) exchange: Option<Exchange>,
    /// Garbage was heard, and the line must be silent until then.
    noisy_until: Mono,
    /// It has not been silent since then.
    noisy_since: Mono,
    held_up: Option<HeldUp>,
    /// An answer to an earlier try may still come until then.
    rest_until: Mono,
    pub(super) echo: Echo,
    pub(super) requests: Requests,
    pub(super) reports: VecDeque<(Channel, Report)>,
    pub(super) transmit: VecDeque<Vec<u8>>,
}

/// The line is taken by something that the round of visits does not reckon with: by an answer that
/// goes on after the time for it, or by a search.
#[derive(Clone, Copy, Debug)]
struct HeldUp {
    since: Mono,
    /// The board that answers.
    by: Option<usize>,
}

/// Where the round of visits stands. Each board has two turns: changes, and clock.
#[derive(Clone, Copy, Debug, Default)]
struct Cycle {
    begun: Mono,
    /// The next turn; `None` while the line rests until the next cycle.
    turn: Option<usize>,
    next: Mono,
    /// The board that is looked at in this cycle.
    look: Option<usize>,
    /// A board that does not answer was asked in this cycle.
    probed: bool,
}

impl Talk {
    pub(super) fn new(boards: Vec<Board>, discovers: bool) -> Self {
        Self { boards, discovers, ..Self::default() }
    }

    /// The line was opened: nothing is left of what was said before.
    pub(super) fn begin(&mut self, now: Mono) {
        if self.discovers {
            self.boards.clear();
        }
        for board in &mut self.boards {
            *board = Board::new(board.address);
        }
        self.discovery = if self.discovers { Discovery::BEGIN } else { Discovery::Off };
        self.search_at = now;
        self.search_pause = Duration::ZERO;
        self.cycle = Cycle::default();
        self.exchange = None;
        self.noisy_until = now;
        self.noisy_since = now;
        self.held_up = None;
        self.rest_until = now;
        self.echo = Echo::default();
        self.transmit.clear();
    }

    pub(super) fn tell(&mut self, channel: Channel, at: Stamp, body: ReportBody) {
        self.reports.push_back((channel, Report { at, body }));
    }

    pub(super) fn tell_noise(&mut self, now: Mono, channel: Channel, noise: Noise) {
        self.tell(channel, Stamp::at(now), ReportBody::Noise(noise));
    }

    pub(super) fn acknowledge(&mut self, now: Mono, requests: Vec<Pending>, outcome: AckOutcome) {
        for request in requests {
            self.tell(request.channel, Stamp::at(now), ReportBody::Ack { request: request.id, outcome });
        }
    }

    // ----- what is due --------------------------------------------------------------------

    /// Garbage was heard, or anything at all right after it.
    pub(super) fn hear_after_noise(&mut self, now: Mono, is_noise: bool) {
        if self.noisy_until <= now {
            if !is_noise {
                return;
            }
            self.noisy_since = now;
        }
        self.noisy_until = now.after(QUIET);
    }

    /// Since when the line does not fall silent, so that nobody can be asked. While boards are
    /// searched for, garbage is to be expected.
    fn deaf_since(&self, now: Mono) -> Option<Mono> {
        (self.noisy_until > now && self.discovery == Discovery::Off).then_some(self.noisy_since)
    }

    /// Notes whether the line is held up. Afterwards that time does not count against anybody but
    /// the board that took it.
    pub(super) fn watch_line(&mut self, now: Mono) {
        let holds = match self.exchange {
            Some(Exchange { board, wait: Wait::Answer(until), .. }) if until < now => {
                Some(HeldUp { since: until, by: Some(board) })
            }
            _ if self.discovery != Discovery::Off => Some(HeldUp { since: now, by: None }),
            _ => None,
        };
        if let (Some(before), Some(holds)) = (self.held_up, holds)
            && before.by == holds.by
        {
            return;
        }
        let Some(before) = core::mem::replace(&mut self.held_up, holds) else { return };
        for (index, board) in self.boards.iter_mut().enumerate() {
            if before.by != Some(index) {
                board.excuse(now, now.since(before.since));
            }
        }
        // Whatever was heard meanwhile, nobody was to be asked.
        self.noisy_since = now;
    }

    /// When a board is given up. Never while its answer may come, or while the line is held up.
    fn lost_at(&self, now: Mono, index: usize) -> Option<Mono> {
        if self.held_up.is_some() {
            return None;
        }
        let at = self.boards.get(index)?.lost_at(self.boards.len(), self.deaf_since(now))?;
        match self.exchange {
            Some(Exchange { board, wait: Wait::Answer(until), .. }) if board == index => Some(at.max(until)),
            _ => Some(at),
        }
    }

    fn free_at(&self) -> Mono {
        self.noisy_until.max(self.rest_until)
    }

    /// Gives up boards and requests that were not answered for too long.
    pub(super) fn expire(&mut self, now: Mono) {
        let expired = self.requests.expired(now);
        self.acknowledge(now, expired, AckOutcome::NoAnswer);
        for index in 0..self.boards.len() {
            if self.lost_at(now, index).is_some_and(|at| at <= now) {
                self.lose(now, index);
            }
        }
    }

    /// The next moment at which something is due. `answer_by`: until then an answer may come.
    pub(super) fn due(&self, answer_by: Option<Mono>, now: Mono) -> Option<Mono> {
        let word = match (self.exchange, self.discovery) {
            (Some(Exchange { wait: Wait::Answer(_), .. }), _) => answer_by,
            (Some(_), _) | (None, Discovery::Ignoring(..)) => Some(self.free_at()),
            (None, Discovery::Collecting(until, ..)) => Some(until.max(self.free_at())),
            (None, Discovery::Off) => self.next_turn().map(|at| at.max(self.free_at())),
        };
        let lost = (0..self.boards.len()).filter_map(|index| self.lost_at(now, index)).min();
        [word, lost, self.requests.deadline()].into_iter().flatten().min()
    }

    fn next_turn(&self) -> Option<Mono> {
        let search = (self.discovers && self.is_forsaken()).then_some(self.search_at);
        let turn = (!self.boards.is_empty()).then_some(self.cycle.next);
        [search, turn].into_iter().flatten().min()
    }

    fn is_forsaken(&self) -> bool {
        !self.boards.iter().any(Board::is_up)
    }

    /// Says the next thing, if the line is free and there is one.
    pub(super) fn speak(&mut self, now: Mono) {
        if self.free_at() > now {
            return;
        }
        match self.exchange {
            Some(Exchange { wait: Wait::Answer(_), .. }) => return,
            Some(again) => return self.say(now, again),
            None => {}
        }
        if self.discovery.due().is_some_and(|until| until > now) {
            return;
        }
        if let Some(index) = self.boards.iter().position(Board::is_urgent) {
            if let Some(board) = self.boards.get_mut(index) {
                board.follow_ups += 1;
            }
            return self.ask(now, index, Ask::Changes);
        }
        self.search(now);
        if self.discovery == Discovery::Off && self.exchange.is_none() {
            self.visit(now);
        }
    }

    // ----- the search ---------------------------------------------------------------------

    fn search(&mut self, now: Mono) {
        let forsaken = self.discovers && self.is_forsaken() && self.search_at <= now;
        if self.discovery == Discovery::Off && (forsaken || self.wanted) {
            self.discovery = Discovery::BEGIN;
        }
        self.wanted = false;
        if self.discovery.end_round(now) {
            self.end_search(now);
        }
        match self.discovery {
            Discovery::Ignoring(next, _) if next < self.boards.len() => self.ask(now, next, Ask::IgnorePing),
            Discovery::Ignoring(..) => {
                self.transmit(BusFrame::All(LineCommand::Ping));
                self.discovery.pinged(now);
            }
            Discovery::Collecting(..) | Discovery::Off => {}
        }
    }

    /// Whoever answered pings and nothing else is no board: two answers that met on the line, or a
    /// device that is broken. Its answers were noise; and if nothing else was found, it is searched
    /// for ever less often.
    fn end_search(&mut self, now: Mono) {
        let pings = self.boards.iter().filter(|b| !b.believed).map(|b| u32::from(b.pings)).sum::<u32>();
        self.boards.retain(|b| b.believed);
        self.cycle = Cycle::default();
        if pings == 0 {
            self.search_pause = DISCOVER_AGAIN;
        } else {
            let bytes = pings * u32::try_from(SHORTEST_BUS_FRAME).unwrap_or(u32::MAX);
            self.tell_noise(now, LINE, Noise { bytes, cause: NoiseCause::OutOfRange });
            self.search_pause = (2 * self.search_pause).clamp(DISCOVER_AGAIN, LONGEST_SEARCH_PAUSE);
        }
        self.search_at = now.after(self.search_pause);
    }

    pub(super) fn found(&mut self, address: BusAddress) {
        self.boards.push(Board { believed: false, pings: 1, ..Board::new(address) });
        self.discovery.found();
    }

    /// A known board answers a ping that it should have ignored. One that is not believed yet has
    /// to be told once more.
    pub(super) fn found_again(&mut self, index: usize) {
        let Some(board) = self.boards.get_mut(index).filter(|b| !b.believed) else { return };
        board.pings = board.pings.saturating_add(1);
        if board.pings <= PINGS {
            self.discovery.found();
        }
    }

    // ----- the round of visits ------------------------------------------------------------

    fn visit(&mut self, now: Mono) {
        // A cycle in which nobody has to be asked anything ends at once, so a second one begins
        // at the same moment at most.
        for _ in 0..2 {
            if self.cycle.turn.is_none() {
                if self.cycle.next > now {
                    return;
                }
                self.cycle =
                    Cycle { begun: now, turn: Some(0), next: now, look: self.most_due(now), probed: false };
            }
            while let Some(turn) = self.cycle.turn.filter(|turn| turn / 2 < self.boards.len()) {
                self.cycle.turn = Some(turn + 1);
                if let Some(ask) = self.wanted_at(now, turn) {
                    return self.ask(now, turn / 2, ask);
                }
            }
            self.cycle.turn = None;
            self.cycle.next = self.next_cycle(now);
        }
    }

    fn next_cycle(&self, now: Mono) -> Mono {
        let starting = |b: &Board| matches!(b.stage, Stage::Draining | Stage::Baseline);
        if self.boards.iter().any(starting) && self.cycle.begun < now {
            return now;
        }
        let rest = self.cycle.begun.after(SCAN);
        if self.is_forsaken() {
            return self.boards.iter().map(|b| b.probe.due).min().unwrap_or(rest).max(rest);
        }
        rest
    }

    /// What is asked in this turn, if anything.
    fn wanted_at(&mut self, now: Mono, turn: usize) -> Option<Ask> {
        let (index, is_first) = (turn / 2, turn.is_multiple_of(2));
        let board = self.boards.get_mut(index)?;
        if is_first {
            board.follow_ups = 0;
        }
        let look = self.cycle.look == Some(index);
        match board.stage {
            Stage::Silent if is_first && board.probe.due <= now => {
                // The first tries are not rationed: they find the boards when the line opens.
                let known_silent = board.misses.are_many(Ask::Version);
                if known_silent && core::mem::replace(&mut self.cycle.probed, true) {
                    return None;
                }
                Some(Ask::Version)
            }
            Stage::Draining if is_first => Some(Ask::Changes),
            Stage::Baseline | Stage::Running if is_first && look => Some(Ask::Board),
            Stage::Running if is_first => Some(Ask::Changes),
            Stage::Running if board.clock.is_due(now) => Some(Ask::Clock),
            _ => None,
        }
    }

    /// The board at which a look is due before all others.
    fn most_due(&self, now: Mono) -> Option<usize> {
        let due = |board: &Board| match board.stage {
            Stage::Baseline => Some((0, board.look.asked)),
            Stage::Running if self.requests.wait_for(board.channel(), Wanted::Board) => Some((0, Mono::ZERO)),
            Stage::Running => board.look.due(now),
            Stage::Silent | Stage::Draining => None,
        };
        let all = self.boards.iter().enumerate();
        all.filter_map(|(index, board)| Some((due(board)?, index))).min().map(|(_, index)| index)
    }

    // ----- questions ----------------------------------------------------------------------

    fn ask(&mut self, now: Mono, index: usize, ask: Ask) {
        let Some(board) = self.boards.get_mut(index) else { return };
        let channel = board.channel();
        let since = board.misses.open_since(now, ask);
        match ask {
            Ask::Board => {
                board.look.asked(now);
                // An answer to an earlier question may be older than the request.
                self.requests.said(channel, Wanted::Board, since == now);
            }
            Ask::Clock => self.requests.said(channel, Wanted::Clock, since == now),
            Ask::Changes => board.urgent = false,
            Ask::Version | Ask::IgnorePing => {}
        }
        let command = BusCommand::Ping;
        self.say(
            now,
            Exchange { board: index, ask, command, tries: 0, since, wait: Wait::Line, damaged: false },
        );
    }

    fn say(&mut self, now: Mono, exchange: Exchange) {
        let Some(board) = self.boards.get_mut(exchange.board) else { return };
        let command = match exchange.ask {
            Ask::Version => BusCommand::SendVersion,
            Ask::Board => BusCommand::SendBoard,
            Ask::Changes => board.fetch.command(now),
            Ask::Clock => BusCommand::SendClock,
            Ask::IgnorePing => BusCommand::IgnoreNextPing,
        };
        let frame = BusFrame::to(board.address, command);
        let wait = Wait::Answer(now.after(timing::limit(exchange.ask)));
        let tries = exchange.tries.saturating_add(1);
        self.exchange = Some(Exchange { command, tries, wait, damaged: false, ..exchange });
        self.transmit(frame);
    }

    fn transmit(&mut self, frame: BusFrame) {
        let bytes = frame.encode();
        self.echo.said(bytes);
        self.transmit.push_back(bytes.to_vec());
    }

    /// The question is answered.
    pub(super) fn answered(&mut self) {
        let Some(exchange) = self.exchange else { return };
        self.settle();
        if let Some(board) = self.boards.get_mut(exchange.board) {
            board.misses.answered(exchange.ask);
            board.believed = true;
        }
    }

    /// The answer was perhaps a packet that is known: the question for changes was not heard then,
    /// so the try has failed, and it is put anew.
    pub(super) fn answered_again(&mut self) {
        let Some(exchange) = self.exchange else { return };
        self.settle();
        if let Some(board) = self.boards.get_mut(exchange.board) {
            board.urgent = !board.misses.are_many(Ask::Changes);
        }
    }

    /// After failed tries this may be the answer to any of them, and those to the others may
    /// still be on their way. They must not be taken for answers to what is said next, so the
    /// line rests until the wait for this one would have ended.
    fn settle(&mut self) {
        let Some(exchange) = self.exchange.take() else { return };
        if exchange.ask == Ask::IgnorePing {
            self.discovery.told();
        }
        if self.boards.get(exchange.board).is_some_and(|b| b.misses.are_any(exchange.ask)) {
            self.rest_after(exchange);
        }
    }

    /// Nobody waits for the answer any more; but while it may come, the line is not free.
    pub(super) fn break_off(&mut self) {
        if let Some(exchange) = self.exchange.take() {
            self.rest_after(exchange);
        }
    }

    fn rest_after(&mut self, exchange: Exchange) {
        if let Wait::Answer(until) = exchange.wait {
            self.rest_until = self.rest_until.max(until);
        }
    }

    /// The answer is damaged, so it will not come any more.
    pub(super) fn answer_is_damaged(&mut self, now: Mono) {
        if let Some(Exchange { wait: Wait::Answer(until), damaged, .. }) = &mut self.exchange {
            *damaged = true;
            *until = (*until).min(now.after(QUIET));
        }
    }

    /// A try was not answered in time.
    pub(super) fn try_failed(&mut self, now: Mono) {
        let Some(exchange) = self.exchange.take() else { return };
        let Some(board) = self.boards.get_mut(exchange.board) else { return };
        if exchange.ask == Ask::Changes {
            board.fetch.missed(now);
        }
        let again = board.misses.missed(now, exchange.ask, exchange.since, exchange.damaged)
            && exchange.tries < TRIES;
        self.tell_twins(now, exchange.board);
        if again {
            self.exchange = Some(Exchange { wait: Wait::Line, ..exchange });
            return;
        }
        let Some(board) = self.boards.get_mut(exchange.board) else { return };
        let channel = board.channel();
        match exchange.ask {
            Ask::Version => board.probe.failed(now),
            Ask::Board => {
                board.look.failed(now);
                // The look was made instead of asking for changes.
                board.urgent = board.stage == Stage::Running;
                self.requests.said(channel, Wanted::Board, false);
            }
            // Of the first look nobody knows then which changes it shows.
            Ask::Changes if board.stage == Stage::Baseline => {
                board.held = None;
                board.stage = Stage::Draining;
            }
            Ask::Changes => self.tell_held_unsure(now, exchange.board),
            Ask::Clock => {
                board.clock.failed(now);
                self.requests.said(channel, Wanted::Clock, false);
            }
            Ask::IgnorePing => self.discovery.told(),
        }
    }
}
