// SPDX-License-Identifier: GPL-3.0-or-later
//! A table that is fed with reports as a driver tells them.

use std::collections::VecDeque;
use std::time::Duration;

use arbiterd_board::{Mono, Placement, ReportBody, Request};

use super::desk::{Desk, Heard, NoSuchGame};
use crate::laws::rulebook::Library;
use crate::sim::people::{Session, Told};
use crate::table::Lights;

/// Plays a session to its end.
pub(super) fn play(session: &Session, library: &Library, traced: bool) -> Result<Heard, NoSuchGame> {
    let desk = Desk::new(session, library, Lights::Off, traced)?;
    let mut seat = Seat { session, desk, hardware: Placement::EMPTY, asked: VecDeque::new() };
    for (at, told) in &session.told() {
        seat.wait(*at);
        seat.tell(*at, told);
    }
    seat.wait(session.end);
    Ok(seat.desk.finish())
}

struct Seat<'a> {
    session: &'a Session,
    desk: Desk,
    /// What the board shows whoever asks for all of it.
    hardware: Placement,
    /// When answers to such questions arrive.
    asked: VecDeque<Mono>,
}

impl Seat<'_> {
    /// Runs each deadline up to `until` at its own time, and lets the board answer.
    fn wait(&mut self, until: Mono) {
        loop {
            let (deadline, answer) = (self.desk.due(), self.asked.front().copied());
            let Some(next) = [deadline, answer].into_iter().flatten().min().filter(|next| *next <= until)
            else {
                return;
            };
            if answer == Some(next) {
                self.asked.pop_front();
                let report = self.session.senses.whole(next, &self.hardware);
                self.tell(next, &Told::Report(report));
            } else {
                self.desk.advance(next);
                self.ask(next);
            }
        }
    }

    fn tell(&mut self, at: Mono, told: &Told) {
        if let Told::Report(report) = told {
            match &report.body {
                ReportBody::Square { square, occupant } => self.hardware[*square] = *occupant,
                ReportBody::Board { placement, .. } => self.hardware = *placement,
                _ => {}
            }
        }
        self.desk.tell(at, told);
        self.ask(at);
    }

    fn ask(&mut self, now: Mono) {
        let questions = self.desk.wanted().into_iter().filter(|wanted| *wanted == Request::ReadBoard);
        let answer = now.after(self.session.senses.wire() + ASKING);
        self.asked.extend(questions.map(|_| answer));
    }
}

/// From the wish to see the whole board to its arrival there.
const ASKING: Duration = Duration::from_millis(20);
