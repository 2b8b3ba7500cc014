// SPDX-License-Identifier: GPL-3.0-or-later
//! A table in virtual time, and what it makes of what it is told.

use std::collections::VecDeque;
use std::time::Duration;

use arbiterd_board::{ClockSide, Mono, Request};

use super::trace::{Entry, Trace};
use crate::laws::mate::answer;
use crate::laws::rulebook::Library;
use crate::laws::{Authority, Directive, Notice, Ruling};
use crate::sim::people::{Session, Told};
use crate::table::{Command, Input, Lights, Orientation, Output, Saying, Speaker, Start, Table, TableConfig};

/// The session cannot be played: its rulebook or its position is not known here.
#[derive(Debug, thiserror::Error)]
#[error("the game cannot be set up: {0}")]
pub(in crate::ctl) struct NoSuchGame(String);

/// What the core made of a session.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) moves: Vec<String>,
    pub(super) rulings: Vec<Ruling>,
    pub(super) notices: Vec<Notice>,
    /// Everything in its order, if it was wanted.
    pub(super) trace: Vec<Entry>,
}

/// The table.
pub(super) struct Desk {
    table: Table,
    /// The deadline that was run last: one that stays due has been run, and time goes on all the same.
    run: Option<Mono>,
    heard: Heard,
    /// What is wanted of the board.
    wanted: Vec<Request>,
    /// An arbiter is there, and confirms what is proposed to him: when, and which ruling.
    confirms: bool,
    proposed: VecDeque<(Mono, u64)>,
    pub(super) trace: Option<Trace>,
}

impl Desk {
    pub(super) fn new(
        session: &Session,
        library: &Library,
        lights: Lights,
        traced: bool,
    ) -> Result<Self, NoSuchGame> {
        Ok(Self {
            table: Table::new(config(session, library, lights)?),
            run: None,
            heard: Heard::default(),
            wanted: Vec::new(),
            confirms: session.truth.wrongs.iter().any(|wronged| wronged.played_on),
            proposed: VecDeque::new(),
            trace: traced.then(|| Trace::of(&session.truth.wrongs)),
        })
    }

    /// When [`Desk::advance`] wants to be called, if at all.
    pub(super) fn due(&self) -> Option<Mono> {
        let deadline = self.table.poll_timeout().filter(|due| self.run.is_none_or(|run| *due > run));
        let word = self.proposed.front().map(|(at, _)| *at);
        [deadline, word].into_iter().flatten().min()
    }

    pub(super) fn advance(&mut self, now: Mono) {
        self.run = Some(now);
        self.table.advance(now);
        self.drain(now);
        while let Some((_, ruling)) = self.proposed.pop_front_if(|(at, _)| *at <= now) {
            let command = Command::Confirm { ruling };
            // A proposal that was overtaken waits for nobody.
            if self.table.check(&command).is_ok() {
                self.table.handle(now, Input::Command(command));
                self.drain(now);
            }
        }
    }

    pub(super) fn tell(&mut self, at: Mono, told: &Told) {
        if let Some(trace) = &mut self.trace {
            trace.told(at, told);
        }
        let input = match told {
            Told::Report(report) => Input::Report(report.clone()),
            Told::Claim(by, claim) => Input::Said { by: Speaker::Player(*by), what: Saying::Claim(*claim) },
        };
        self.table.handle(at, input);
        self.drain(at);
    }

    /// What the board is asked for, oldest first.
    pub(super) fn wanted(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.wanted)
    }

    fn drain(&mut self, now: Mono) {
        while let Some(output) = self.table.poll_output() {
            if let Some(trace) = &mut self.trace {
                trace.output(now, &output);
            }
            match output {
                Output::Ruling(ruling) => self.rule(now, ruling),
                Output::Notice(notice) => self.heard.notices.push(notice),
                Output::Directive(Directive::ReadBoard) => self.wanted.push(Request::ReadBoard),
                Output::Directive(Directive::ReadClock) => self.wanted.push(Request::ReadClock),
                Output::Directive(Directive::Light(squares)) => self.wanted.push(Request::Light(squares)),
                Output::Directive(Directive::AskMate { question, fen, side }) => {
                    let verdict = answer(&fen, side);
                    self.table.handle(now, Input::MateVerdict { question, verdict });
                }
                // Clocks of tournaments are set by people; what is left is for others to read.
                Output::Directive(Directive::SetClock { .. }) | Output::Fact(_) | Output::View(_) => {}
            }
        }
    }

    /// A ruling that is told again, with what has become of it, is the same ruling.
    fn rule(&mut self, now: Mono, ruling: Ruling) {
        if let Some(known) = self.heard.rulings.iter_mut().find(|known| known.seq == ruling.seq) {
            *known = ruling;
            return;
        }
        if self.confirms && ruling.authority == Authority::Proposed {
            self.proposed.push_back((now.after(CONFIRMING), ruling.seq));
        }
        self.heard.rulings.push(ruling);
    }

    pub(super) fn finish(mut self) -> Heard {
        let mode = self.table.game().mode();
        self.heard.moves = self.table.game().plies().iter().map(|ply| ply.uci(mode)).collect();
        self.heard.trace = self.trace.map(Trace::entries).unwrap_or_default();
        self.heard
    }
}

/// From a proposal to the arbiter's word on it.
const CONFIRMING: Duration = Duration::from_secs(2);

fn config(session: &Session, library: &Library, lights: Lights) -> Result<TableConfig, NoSuchGame> {
    let book = session.tempo.rulebook();
    Ok(TableConfig {
        id: "soak".to_owned(),
        rulebook: library.get(book).ok_or_else(|| NoSuchGame(format!("no rulebook {book}")))?,
        observer: session.observer,
        white_side: ClockSide::Left,
        orientation: Orientation::Auto,
        start: Start::from_fen(&session.fen).map_err(|e| NoSuchGame(e.to_string()))?,
        increment: session.tempo.increment(),
        illegal_moves: [0; 2],
        lights,
    })
}
