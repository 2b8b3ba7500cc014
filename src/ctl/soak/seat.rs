// SPDX-License-Identifier: GPL-3.0-or-later
//! A table in virtual time, fed with what a session tells.

use std::collections::VecDeque;
use std::time::Duration;

use arbiterd_board::{ClockSide, Mono, Placement, ReportBody};

use super::trace::Trace;
use crate::laws::mate::answer;
use crate::laws::rulebook::Library;
use crate::laws::{Directive, Notice, Ruling};
use crate::sim::people::{Session, Told};
use crate::table::{Input, Lights, Orientation, Output, Saying, Speaker, Start, Table, TableConfig};

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
    pub(super) trace: Vec<String>,
}

/// Plays a session to its end.
pub(super) fn play(session: &Session, library: &Library, traced: bool) -> Result<Heard, NoSuchGame> {
    let mut seat = Seat {
        session,
        table: Table::new(config(session, library)?),
        hardware: Placement::EMPTY,
        asked: VecDeque::new(),
        heard: Heard::default(),
        trace: traced.then(Trace::default),
    };
    for (at, told) in &session.told {
        seat.wait(*at);
        seat.tell(*at, told);
    }
    seat.wait(session.end);
    Ok(seat.finish())
}

fn config(session: &Session, library: &Library) -> Result<TableConfig, NoSuchGame> {
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
        lights: Lights::Off,
    })
}

struct Seat<'a> {
    session: &'a Session,
    table: Table,
    /// What the board shows whoever asks for all of it.
    hardware: Placement,
    /// When answers to such questions arrive.
    asked: VecDeque<Mono>,
    heard: Heard,
    trace: Option<Trace>,
}

impl Seat<'_> {
    /// Runs each deadline up to `until` at its own time, and lets the board answer.
    fn wait(&mut self, until: Mono) {
        let mut last = None;
        loop {
            // A deadline that stays due has been run; time goes on all the same.
            let deadline = self.table.poll_timeout().filter(|due| last.is_none_or(|last| *due > last));
            let answer = self.asked.front().copied();
            let Some(next) = [deadline, answer].into_iter().flatten().min().filter(|next| *next <= until)
            else {
                return;
            };
            if answer == Some(next) {
                self.asked.pop_front();
                let report = self.session.senses.whole(next, &self.hardware);
                self.tell(next, &Told::Report(report));
            } else {
                last = Some(next);
                self.table.advance(next);
                self.drain(next);
            }
        }
    }

    fn tell(&mut self, at: Mono, told: &Told) {
        if let Some(trace) = &mut self.trace {
            trace.told(at, told);
        }
        let input = match told {
            Told::Report(report) => {
                match &report.body {
                    ReportBody::Square { square, occupant } => self.hardware[*square] = *occupant,
                    ReportBody::Board { placement, .. } => self.hardware = *placement,
                    _ => {}
                }
                Input::Report(report.clone())
            }
            Told::Claim(by, claim) => Input::Said { by: Speaker::Player(*by), what: Saying::Claim(*claim) },
        };
        self.table.handle(at, input);
        self.drain(at);
    }

    fn drain(&mut self, now: Mono) {
        while let Some(output) = self.table.poll_output() {
            if let Some(trace) = &mut self.trace {
                trace.output(now, &output);
            }
            match output {
                Output::Ruling(ruling) => self.heard.rulings.push(ruling),
                Output::Notice(notice) => self.heard.notices.push(notice),
                Output::Directive(Directive::ReadBoard) => {
                    self.asked.push_back(now.after(self.session.senses.wire() + ASKING));
                }
                Output::Directive(Directive::AskMate { question, fen, side }) => {
                    let verdict = answer(&fen, side);
                    self.table.handle(now, Input::MateVerdict { question, verdict });
                }
                _ => {}
            }
        }
    }

    fn finish(mut self) -> Heard {
        let mode = self.table.game().mode();
        self.heard.moves = self.table.game().plies().iter().map(|ply| ply.uci(mode)).collect();
        self.heard.trace = self.trace.map(Trace::lines).unwrap_or_default();
        self.heard
    }
}

/// From the wish to see the whole board to its arrival there.
const ASKING: Duration = Duration::from_millis(20);
