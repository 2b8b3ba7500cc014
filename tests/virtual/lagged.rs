// SPDX-License-Identifier: GPL-3.0-or-later
//! A table whose board lags 0.4 s and whose clock lags 1 s, fed report by report in virtual time.

use std::time::Duration;

use arbiterd::laws::mate;
use arbiterd::laws::rulebook::Library;
use arbiterd::laws::{Directive, Notice, NoticeKind, Ruling, RulingKind};
use arbiterd::table::{
    Claim, Command, CommandError, Fact, GameResult, Input, Lights, Observer, Orientation, Output, Saying,
    Speaker, Start, TableConfig, View,
};
use arbiterd_board::{
    AckOutcome, Capabilities, ClockControl, ClockReading, ClockReport, ClockSide, Colour, Flag, Lever,
    LinkState, Mono, Occupant, Placement, Report, ReportBody, RequestId, Sensing, SideReading, Stamp,
    Trouble,
};

use super::twins::Twins;

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

pub struct Lagged {
    pub table: Twins,
    now: u64,
    at: Option<Mono>,
    hardware: Placement,
    /// Whether the board answers when it is asked to show itself.
    pub shows_itself: bool,
    /// Whether whoever computes whether a mate is possible answers.
    pub answers_questions: bool,
    pub lever: ClockSide,
    pub counting: bool,
    pub seconds: [u64; 2],
    pub flags: [Flag; 2],
    pub rulings: Vec<Ruling>,
    pub notices: Vec<Notice>,
    pub views: Vec<View>,
    /// The results of the games before this one.
    pub before: Vec<GameResult>,
    /// The facts of this game.
    pub facts: Vec<Fact>,
}

impl Lagged {
    /// A table with its board set up and its clock running.
    pub fn begin(book: &str, observer: Observer, fen: &str) -> Self {
        let mut t = Self::unplugged(book, observer, fen, Orientation::Normal);
        t.capabilities();
        t.whole(fen.split(' ').next().unwrap());
        t.clock();
        t.go(2000);
        t
    }

    /// The same with a board that has no clock port.
    pub fn begin_without_clock(book: &str, observer: Observer, fen: &str) -> Self {
        let mut t = Self::unplugged(book, observer, fen, Orientation::Normal);
        t.capabilities_with(Sensing::Pieces, ClockControl::None);
        t.whole(fen.split(' ').next().unwrap());
        t.go(2000);
        t
    }

    /// A table that has seen nothing.
    pub fn unplugged(book: &str, observer: Observer, fen: &str, orientation: Orientation) -> Self {
        let start = Start::from_fen(fen).unwrap();
        let white = start.standing().turn() == shakmaty::Color::White;
        let config = TableConfig {
            id: "t".to_owned(),
            rulebook: Library::embedded().unwrap().get(book).unwrap(),
            observer,
            white_side: ClockSide::Left,
            orientation,
            start,
            increment: Duration::from_secs(2),
            illegal_moves: [0; 2],
            lights: Lights::Off,
        };
        Self {
            table: Twins::new(config, orientation == Orientation::Turned),
            now: 100_000,
            at: None,
            hardware: Placement::EMPTY,
            shows_itself: true,
            answers_questions: true,
            lever: if white { ClockSide::Right } else { ClockSide::Left },
            counting: true,
            seconds: [100, 100],
            flags: [Flag::Up; 2],
            rulings: Vec::new(),
            notices: Vec::new(),
            views: Vec::new(),
            before: Vec::new(),
            facts: Vec::new(),
        }
    }

    pub fn capabilities(&mut self) {
        self.capabilities_with(Sensing::Pieces, ClockControl::ReadOnly);
    }

    pub fn capabilities_with(&mut self, sensing: Sensing, clock: ClockControl) {
        self.report(
            0,
            ReportBody::Capabilities(Capabilities {
                sensing,
                clock,
                board_lag: Duration::from_millis(400),
                clock_lag: Duration::from_millis(1000),
            }),
        );
    }

    /// Runs the deadlines up to now, each at its own time, and answers what the table asks then.
    fn step(&mut self) {
        let end = Mono::from_millis(self.now);
        while let Some(due) = self.table.poll_timeout().filter(|&due| due < end) {
            self.at = Some(due);
            self.table.advance(due);
            self.drain();
        }
        self.at = None;
    }

    fn moment(&self) -> Mono {
        self.at.unwrap_or(Mono::from_millis(self.now))
    }

    fn input(&mut self, input: Input) {
        if self.at.is_none() {
            self.step();
        }
        self.table.handle(self.moment(), input);
        self.drain();
    }

    fn report(&mut self, lag: u64, body: ReportBody) {
        let at = Stamp::received(self.moment(), Duration::from_millis(lag));
        self.input(Input::Report(Report { at, body }));
    }

    /// The whole board, as the hardware sees it.
    pub fn whole(&mut self, placement: &str) {
        let placement: Placement = placement.parse().unwrap();
        self.step();
        self.hardware = placement;
        self.report(400, ReportBody::Board { placement, confirmed: true });
    }

    /// The whole board, caught once and not again.
    pub fn unconfirmed(&mut self, placement: &str) {
        let placement: Placement = placement.parse().unwrap();
        self.report(400, ReportBody::Board { placement, confirmed: false });
    }

    /// Anything that happens in a moment.
    pub fn tell(&mut self, body: ReportBody) {
        self.report(0, body);
    }

    /// One square: a FEN letter, or `.` for empty.
    pub fn square(&mut self, square: &str, letter: char) {
        let (square, occupant) = (square.parse().unwrap(), Occupant::from_letter(letter).unwrap());
        self.step();
        self.hardware[square] = occupant;
        self.report(400, ReportBody::Square { square, occupant });
    }

    /// Carries a piece, a tenth of a second a hand.
    pub fn carry(&mut self, from: &str, to: &str, letter: char) {
        self.square(from, '.');
        self.wait(100);
        self.square(to, letter);
        self.wait(100);
    }

    /// Carries a piece, presses, and lets three seconds pass.
    pub fn play(&mut self, from: &str, to: &str, letter: char) {
        self.carry(from, to, letter);
        self.press(if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black });
        self.go(3000);
    }

    pub fn clock(&mut self) {
        let side =
            |i: usize| SideReading { remaining: Duration::from_secs(self.seconds[i]), flag: self.flags[i] };
        let reading = ClockReading {
            left: side(0),
            right: side(1),
            counting: self.counting,
            lever: Lever::Pressed(self.lever),
            turn: None,
            battery_low: false,
        };
        self.report(1000, ReportBody::Clock(ClockReport::Reading(reading)));
    }

    /// The clock is stopped.
    pub fn stop(&mut self) {
        self.counting = false;
        self.clock();
    }

    /// The clock is started.
    pub fn start(&mut self) {
        self.counting = true;
        self.clock();
    }

    pub fn press(&mut self, by: Colour) {
        self.lever = if by == Colour::White { ClockSide::Left } else { ClockSide::Right };
        self.clock();
    }

    /// White presses, and what stands on the board was not reported square by square.
    pub fn press_with_board_showing(&mut self, placement: &str) {
        self.hardware = placement.parse().unwrap();
        self.press(Colour::White);
    }

    /// White's flag is shown in two readings.
    pub fn flag(&mut self, side: Colour, between: u64) {
        let i = usize::from(side == Colour::Black);
        self.flags[i] = Flag::Fallen;
        self.seconds[i] = 0;
        self.clock();
        self.go(between);
        self.clock();
    }

    pub fn link(&mut self, state: LinkState) {
        self.report(0, ReportBody::Link(state));
    }

    /// The board said what became of something it was told.
    pub fn acknowledge(&mut self, outcome: AckOutcome) {
        self.report(0, ReportBody::Ack { request: RequestId(1), outcome });
    }

    /// The board names a hardware square that reads to and fro, or does so no longer.
    pub fn disturbed(&mut self, square: &str, disturbed: bool) {
        self.step();
        self.report(1400, ReportBody::Disturbed { square: square.parse().unwrap(), disturbed });
    }

    /// A square that reads to and fro three times within a second, and is named.
    pub fn flicker(&mut self, square: &str, letters: [char; 3]) {
        for letter in letters {
            self.square(square, letter);
            self.wait(250);
        }
        self.disturbed(square, true);
    }

    pub fn shared_address(&mut self) {
        self.report(0, ReportBody::Trouble(Trouble::SharedAddress));
    }

    pub fn claim(&mut self, by: Speaker, claim: Claim) {
        self.input(Input::Said { by, what: Saying::Claim(claim) });
    }

    /// The daemon observed nothing for a second.
    pub fn interrupt(&mut self) {
        self.step();
        let from = self.moment();
        self.now += 1000;
        self.input(Input::Gap { from, to: Mono::from_millis(self.now) });
    }

    /// Why a command is not taken.
    pub fn refused(&self, command: &Command) -> CommandError {
        self.table.check(command).unwrap_err()
    }

    pub fn command(&mut self, command: Command) {
        self.table.check(&command).unwrap();
        self.input(Input::Command(command));
    }

    /// Later, with nothing run yet.
    pub fn wait(&mut self, ms: u64) {
        self.now += ms;
    }

    /// Later, with every deadline run.
    pub fn go(&mut self, ms: u64) {
        self.now += ms;
        self.step();
        self.table.advance(Mono::from_millis(self.now));
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.table.poll_output() {
            match output {
                Output::Ruling(r) => self.rulings.push(r),
                Output::Notice(n) => self.notices.push(n),
                Output::Fact(fact) => self.facts.push(fact),
                Output::View(view) => {
                    if let View::Begun { before, .. } = &view {
                        self.before.push(*before);
                        self.facts.clear();
                    }
                    self.views.push(view);
                }
                Output::Directive(Directive::ReadBoard) if self.shows_itself => {
                    let placement = self.hardware;
                    self.report(400, ReportBody::Board { placement, confirmed: true });
                }
                Output::Directive(Directive::AskMate { question, fen, side }) if self.answers_questions => {
                    let verdict = mate::answer(&fen, side);
                    self.input(Input::MateVerdict { question, verdict });
                }
                _ => {}
            }
        }
    }

    /// The kinds of all rulings so far.
    pub fn kinds(&self) -> Vec<RulingKind> {
        self.rulings.iter().map(|r| r.kind).collect()
    }

    pub fn noticed(&self, kind: NoticeKind) -> bool {
        self.notices.iter().any(|n| n.kind == kind)
    }

    /// The recorded moves, separated by blanks.
    pub fn record(&self) -> String {
        self.moves().join(" ")
    }

    pub fn moves(&self) -> Vec<String> {
        self.table.game().plies().iter().map(|p| p.uci(self.table.game().mode())).collect()
    }

    pub fn state(&self) -> &'static str {
        self.table.state().word()
    }

    pub fn result(&self) -> &'static str {
        self.table.game().result.pgn()
    }
}
