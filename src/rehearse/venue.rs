// SPDX-License-Identifier: GPL-3.0-or-later
//! A table in virtual time that is told things, and whose questions are answered as a board and the
//! service would.

use std::time::Duration;

use arbiterd_board::{ClockReport, Mono, Placement, Report, ReportBody, Stamp};

use crate::laws::{Directive, Notice, Ruling, mate};
use crate::table::{Input, Output, Table, TableConfig, View};

/// Something that a table said, and when.
#[derive(Clone, Debug)]
pub struct Said<T> {
    /// When it went out.
    pub at: Mono,
    /// Which of all things said it was.
    pub number: usize,
    /// What.
    pub what: T,
}

/// A table, what stands on its board, and what it said.
pub struct Venue {
    pub table: Table,
    /// What the board shows, in hardware squares; nothing while it is away.
    pub hardware: Option<Placement>,
    board_lag: Duration,
    clock_lag: Duration,
    pub now: Mono,
    said: usize,
    /// Whether the table asks to see the board, and whoever has the board shall answer.
    pub wants_board: bool,
    pub rulings: Vec<Said<Ruling>>,
    pub notices: Vec<Said<Notice>>,
    pub views: Vec<Said<View>>,
}

impl Venue {
    /// A table that has seen nothing. The stamps of its board and clock reach back so far.
    pub fn new(config: TableConfig, now: Mono, board_lag: Duration, clock_lag: Duration) -> Self {
        Self {
            table: Table::new(config),
            hardware: None,
            board_lag,
            clock_lag,
            now,
            said: 0,
            wants_board: false,
            rulings: Vec::new(),
            notices: Vec::new(),
            views: Vec::new(),
        }
    }

    /// Runs the deadlines before `end`, each at its own time; then it is `end`.
    pub fn pass(&mut self, end: Mono) {
        // A deadline that stays due has been run, and time goes on all the same.
        let mut run = None;
        while let Some(due) = self.table.poll_timeout().filter(|&due| due < end && Some(due) > run) {
            run = Some(due);
            self.now = self.now.max(due);
            self.table.advance(due);
            self.drain();
        }
        self.now = end;
    }

    /// Runs the deadlines up to this very moment.
    pub fn settle(&mut self) {
        self.table.advance(self.now);
        self.drain();
    }

    /// Tells the table something now, and gives the number of the fact it became.
    pub fn input(&mut self, input: Input) -> u64 {
        let fact = self.table.handle(self.now, input);
        self.drain();
        fact
    }

    /// Reports something that was received now.
    pub fn report(&mut self, body: ReportBody) -> u64 {
        let lag = if matches!(body, ReportBody::Clock(_)) { self.clock_lag } else { self.board_lag };
        self.input(Input::Report(Report { at: Stamp::received(self.now, lag), body }))
    }

    /// Reports the clock.
    pub fn clock(&mut self, clock: ClockReport) -> u64 {
        self.report(ReportBody::Clock(clock))
    }

    fn drain(&mut self) {
        while let Some(output) = self.table.poll_output() {
            match output {
                Output::Ruling(r) => push(&mut self.rulings, &mut self.said, self.now, r),
                Output::Notice(n) => push(&mut self.notices, &mut self.said, self.now, n),
                Output::View(v) => push(&mut self.views, &mut self.said, self.now, v),
                Output::Directive(Directive::ReadBoard) => match self.hardware {
                    Some(placement) => {
                        self.report(ReportBody::Board { placement, confirmed: true });
                    }
                    None => self.wants_board = true,
                },
                Output::Directive(Directive::AskMate { question, fen, side }) => {
                    let verdict = mate::answer(&fen, side);
                    self.input(Input::MateVerdict { question, verdict });
                }
                Output::Fact(_) | Output::Directive(_) => {}
            }
        }
    }
}

fn push<T>(to: &mut Vec<Said<T>>, said: &mut usize, at: Mono, what: T) {
    *said += 1;
    to.push(Said { at, number: *said, what });
}
