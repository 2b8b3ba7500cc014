// SPDX-License-Identifier: GPL-3.0-or-later
//! A table to which anything can be told, in virtual time, held to what must be true in every state.

use std::sync::Arc;
use std::time::Duration;

use arbiterd::laws::mate::{Proof, Verdict};
use arbiterd::laws::{Directive, Rulebook};
use arbiterd::table::{
    Command, CommandError, Fact, Input, Lights, Observer, Orientation, Output, PlyBody, Start, Table,
    TableConfig, TableState, View,
};
use arbiterd_board::{
    Battery, Capabilities, ClockControl, ClockReading, ClockReport, ClockSide, Colour, Flag, Lever,
    LinkState, Mono, Occupant, Placement, Report, ReportBody, Sensing, SideReading, Square, Stamp,
};

/// A board, a clock and the table that hears them.
#[derive(Clone)]
pub struct AnyTable {
    pub table: Table,
    start: Start,
    now: u64,
    pub hardware: Placement,
    pub link_up: bool,
    /// Whether the board shows itself when it is asked to.
    pub answers: bool,
    /// What the table says stands, as the players see it.
    shown: Option<Placement>,
    lever: ClockSide,
    flags: [Flag; 2],
    facts: Vec<Fact>,
    pub rulings: Vec<u64>,
}

impl AnyTable {
    pub fn new(fen: &str, rulebook: Arc<Rulebook>, observer: Observer, orientation: Orientation) -> Self {
        let start = Start::from_fen(fen).unwrap();
        let config = config(start.clone(), rulebook, observer, orientation);
        Self {
            table: Table::new(config),
            start,
            now: 100_000,
            hardware: Placement::EMPTY,
            link_up: true,
            answers: true,
            shown: None,
            lever: ClockSide::Right,
            flags: [Flag::Up; 2],
            facts: Vec::new(),
            rulings: Vec::new(),
        }
    }

    fn moment(&self) -> Mono {
        Mono::from_millis(self.now)
    }

    pub fn input(&mut self, input: Input) {
        self.table.handle(self.moment(), input);
        self.drain();
    }

    pub fn report(&mut self, body: ReportBody) {
        let lag = if matches!(body, ReportBody::Clock(_)) { 1000 } else { 400 };
        let at = Stamp::received(self.moment(), Duration::from_millis(lag));
        self.input(Input::Report(Report { at, body }));
    }

    pub fn capabilities(&mut self) {
        self.report(ReportBody::Capabilities(Capabilities {
            sensing: Sensing::Pieces,
            clock: ClockControl::ReadOnly,
            board_lag: Duration::from_millis(400),
            clock_lag: Duration::from_secs(1),
        }));
    }

    pub fn link(&mut self, up: bool) {
        self.link_up = up;
        self.shown = self.shown.filter(|_| up);
        self.report(ReportBody::Link(if up { LinkState::Up } else { LinkState::Down }));
    }

    pub fn gap(&mut self, ms: u64) {
        let from = self.moment();
        self.now += ms;
        self.shown = None;
        self.input(Input::Gap { from, to: self.moment() });
    }

    /// The hardware's squares.
    pub fn show(&mut self, placement: Placement) {
        self.hardware = placement;
        self.report(ReportBody::Board { placement, confirmed: true });
    }

    pub fn square(&mut self, square: Square, occupant: Occupant) {
        self.hardware[square] = occupant;
        self.report(ReportBody::Square { square, occupant });
    }

    pub fn go(&mut self, ms: u64) {
        let end = self.now + ms;
        while let Some(due) = self.table.poll_timeout().filter(|&due| due < Mono::from_millis(end)) {
            self.table.advance(due);
            self.now = self.now.max(due.as_micros().div_ceil(1000));
            self.drain();
        }
        self.now = end;
        self.table.advance(self.moment());
        self.drain();
    }

    pub fn clock(&mut self) {
        let side = |flag: Flag| {
            let remaining = Duration::from_secs(if flag == Flag::Up { 100 } else { 0 });
            SideReading { remaining, flag }
        };
        self.report(ReportBody::Clock(ClockReport::Reading(ClockReading {
            left: side(self.flags[0]),
            right: side(self.flags[1]),
            counting: true,
            lever: Lever::Pressed(self.lever),
            turn: None,
            battery_low: false,
        })));
    }

    pub fn press(&mut self, by: Colour) {
        self.lever = if by == Colour::White { ClockSide::Left } else { ClockSide::Right };
        self.clock();
    }

    pub fn flag(&mut self, side: Colour, flag: Flag) {
        self.flags[usize::from(side == Colour::Black)] = flag;
        self.clock();
        self.go(200);
        self.clock();
    }

    fn drain(&mut self) {
        while let Some(output) = self.table.poll_output() {
            match output {
                Output::Fact(fact) => self.facts.push(fact),
                // A new game is told with facts of its own.
                Output::View(View::Begun { .. }) => self.facts.clear(),
                Output::Ruling(ruling) => self.rulings.push(ruling.seq),
                Output::View(View::Placement(placement)) => self.shown = Some(placement),
                Output::Directive(Directive::ReadBoard) if self.link_up && self.answers => {
                    self.show(self.hardware)
                }
                Output::Directive(Directive::AskMate { question, .. }) => {
                    let verdict = match question.0 % 3 {
                        0 => Verdict::Possible { line: Vec::new() },
                        1 => Verdict::Impossible { proof: Proof::Material },
                        _ => Verdict::Undetermined { spent: 1 },
                    };
                    self.input(Input::MateVerdict { question, verdict });
                }
                _ => {}
            }
        }
    }

    /// Gives a command whether or not it can be taken. One that is refused changes nothing but that it was
    /// given.
    pub fn command(&mut self, command: &Command) -> Result<(), CommandError> {
        let checked = self.table.check(command);
        if checked.is_err() {
            let mut other = self.table.clone();
            let mut told = self.table.clone();
            let inert = ReportBody::Battery(Battery { percent: 50, charging: false });
            other.handle(self.moment(), Input::Report(Report { at: Stamp::at(self.moment()), body: inert }));
            told.handle(self.moment(), Input::Command(command.clone()));
            let outputs = |table: &mut Table| {
                let all = std::iter::from_fn(|| table.poll_output());
                all.filter(|o| !matches!(o, Output::Fact(_))).collect::<Vec<_>>()
            };
            assert_eq!(outputs(&mut told), outputs(&mut other), "{command:?}");
            assert_eq!(format!("{told:?}"), format!("{other:?}"), "{command:?}");
        }
        self.input(Input::Command(command.clone()));
        checked
    }

    /// What must be true in every state.
    pub fn hold(&self) {
        self.hold_record();
        let game = self.table.game();
        assert_eq!(*self.table.state() == TableState::Over, game.over());
        let told = matches!(
            self.table.state(),
            TableState::AwaitingPosition { .. } | TableState::Restoring { .. } | TableState::OutOfStep { .. }
        );
        if let Some(shown) = self.shown.filter(|_| told) {
            let differing: Vec<Square> = game.standing().placement().differences(&shown).collect();
            assert_eq!(self.table.state().differing(), differing, "{:?}", self.table.state());
        }
    }

    /// Each half-move follows from the one before and is legal or said not to be; what stands is what they
    /// lead to.
    fn hold_record(&self) {
        let (game, mode) = (self.table.game(), self.table.game().mode());
        let mut standing = self.start.standing().clone();
        for (i, ply) in game.plies().iter().enumerate() {
            if game.was_accepted(i) {
                standing = ply.before.clone();
            }
            // Its counts of moves too, which do not make two positions different.
            assert_eq!(ply.before.fen(), standing.fen(), "half-move {}", i + 1);
            assert_eq!(ply.before, standing, "half-move {}", i + 1);
            assert_eq!(ply.by, colour(standing.turn()));
            let next = game.standing_after(i + 1).unwrap();
            standing = match ply.body {
                PlyBody::Legal(m) => {
                    assert!(standing.legal_moves().contains(&m), "half-move {}: {m}", i + 1);
                    standing.play(m, mode)
                }
                PlyBody::Irregular { from, .. } => {
                    assert!(standing.placement()[from].is_of(ply.by));
                    let after = standing.after_irregular(&next.placement(), mode);
                    assert!(game.was_accepted(i + 1) || after == *next, "half-move {}", i + 1);
                    next.clone()
                }
            };
        }
        if !game.was_accepted(game.plies().len()) {
            assert_eq!(standing.fen(), game.standing().fen());
            assert_eq!(standing, *game.standing());
        }
    }

    /// A table that is told the same facts says and is the same, with lights and without.
    pub fn hold_replay(&self) {
        let mut again = Table::new(self.table.config().clone());
        let dark = TableConfig { lights: Lights::Off, ..self.table.config().clone() };
        let mut dark = Table::new(dark);
        for fact in &self.facts {
            let told = |table: &mut Table| {
                table.handle(fact.at, fact.input.clone());
                let all = std::iter::from_fn(|| table.poll_output());
                all.filter(|o| !matches!(o, Output::Directive(Directive::Light(_)))).collect::<Vec<_>>()
            };
            assert_eq!(told(&mut again), told(&mut dark));
        }
        again.advance(self.moment());
        while again.poll_output().is_some() {}
        assert_eq!(format!("{again:?}"), format!("{:?}", self.table));
    }
}

fn config(
    start: Start,
    rulebook: Arc<Rulebook>,
    observer: Observer,
    orientation: Orientation,
) -> TableConfig {
    TableConfig {
        id: "t".to_owned(),
        rulebook,
        observer,
        white_side: ClockSide::Left,
        orientation,
        start,
        increment: Duration::from_secs(2),
        illegal_moves: [0; 2],
        lights: Lights::Restoration,
    }
}

pub const fn colour(c: shakmaty::Color) -> Colour {
    match c {
        shakmaty::Color::White => Colour::White,
        shakmaty::Color::Black => Colour::Black,
    }
}
