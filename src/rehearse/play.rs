// SPDX-License-Identifier: GPL-3.0-or-later
//! The observations of a case, fed to a table for each of its boards.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arbiterd_board::{
    Capabilities, ClockControl, ClockReading, ClockReport, ClockSide, Colour, Flag, Lever, LinkState, Mono,
    Occupant, Placement, ReportBody, Sensing, SideReading,
};

use super::Difference;
use super::case::{Action, Case, Claimant, Device, Kind, Observation, Who};
use super::compare;
use super::device::{Line, OPENING};
use super::venue::Venue;
use crate::laws::{Authority, Rulebook};
use crate::table::{
    Claim, Command, Input, Lights, Observer, Orientation, Saying, Speaker, Start, TableConfig,
};

/// The moment at which a case's own time begins.
pub const BEGIN: Mono = Mono::from_millis(1_000_000);
/// What a case allows a board to lag behind the clock.
const BOARD_LAG: Duration = Duration::from_millis(400);
/// What is let pass after the last observation.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// A case that was played.
pub struct Played {
    /// The table of each board; a case with one board does not name it.
    pub seats: BTreeMap<String, Venue>,
    /// What could not be told to a table.
    pub untold: Vec<String>,
}

/// A table, and how its board reaches it.
struct Seat {
    venue: Venue,
    line: Option<Line>,
    /// What the board showed last.
    board: Placement,
}

/// Plays a case and compares what came of it.
pub fn differences(case: &Case, rulebook: Arc<Rulebook>) -> Vec<Difference> {
    match play(case, rulebook) {
        Ok(played) => compare::differences(case, &played),
        Err(difference) => vec![difference],
    }
}

fn play(case: &Case, rulebook: Arc<Rulebook>) -> Result<Played, Difference> {
    let start = Start::from_fen(&case.setup.start_fen)
        .map_err(|e| Difference::new("start_fen", e.to_string(), "a position"))?;
    let config = TableConfig {
        id: case.id.clone(),
        rulebook,
        // An observation of the service counts as one of the arbiter: cases expect rulings unasked.
        observer: Observer::Arbiter,
        white_side: case.setup.white_clock_side.of_clock(),
        orientation: Orientation::Auto,
        start,
        increment: Duration::from_millis(case.setup.increment_ms),
        illegal_moves: [0; 2],
        lights: Lights::Off,
    };
    let observations: Vec<&Observation> = case.obs.iter().map(toml::Spanned::get_ref).collect();
    let mut devs: Vec<&str> = observations.iter().map(|o| o.dev.as_str()).collect();
    if devs.is_empty() {
        devs.push("");
    }
    let mut seats: BTreeMap<String, Seat> = BTreeMap::new();
    for dev in devs {
        if !seats.contains_key(dev) {
            let own: Vec<_> = observations.iter().copied().filter(|o| o.dev == dev).collect();
            seats.insert(dev.to_owned(), Seat::take(config.clone(), case.setup.device, &own));
        }
    }
    let mut untold: Vec<String> =
        case.setup.variations.iter().map(|v| format!("the variation {v:?}")).collect();
    for observation in &observations {
        let now = BEGIN.after(Duration::from_millis(observation.t_ms));
        for seat in seats.values_mut() {
            seat.pass(now);
        }
        if let Some(seat) = seats.get_mut(&observation.dev) {
            untold.extend(seat.observe(observation, case.setup.white_clock_side.of_clock()));
        }
    }
    let last = observations.last().map_or(0, |o| o.t_ms);
    let end = BEGIN.after(Duration::from_millis(last)).after(AFTERWARDS);
    for seat in seats.values_mut() {
        seat.pass(end);
        seat.venue.settle();
    }
    Ok(Played { seats: seats.into_iter().map(|(dev, seat)| (dev, seat.venue)).collect(), untold })
}

impl Seat {
    /// A table whose board is there. What stands on it is first told by the case, if it tells of the
    /// whole board before any hand moves; else by a report of the start position.
    fn take(config: TableConfig, device: Device, observations: &[&Observation]) -> Self {
        let board = config.start.standing().placement();
        let of_bytes = observations.iter().any(|o| o.kind == Kind::Raw);
        let line = Line::open(device, BEGIN.before(OPENING), board).filter(|_| of_bytes);
        let opens = if line.is_some() { BEGIN.before(OPENING) } else { BEGIN };
        let mut seat = Self { venue: Venue::new(config, opens, BOARD_LAG, Duration::ZERO), line, board };
        if let Some(line) = &mut seat.line {
            line.pass(&mut seat.venue, BEGIN);
            line.begin();
            return seat;
        }
        seat.venue.report(ReportBody::Capabilities(Capabilities {
            sensing: Sensing::Pieces,
            clock: ClockControl::ReadOnly,
            board_lag: BOARD_LAG,
            clock_lag: Duration::ZERO,
        }));
        let of_board = |o: &&&Observation| matches!(o.kind, Kind::Lift | Kind::Place | Kind::Board);
        if observations.iter().find(of_board).is_none_or(|o| o.kind != Kind::Board) {
            seat.show_board();
        }
        seat
    }

    fn pass(&mut self, end: Mono) {
        match &mut self.line {
            Some(line) => line.pass(&mut self.venue, end),
            None => self.venue.pass(end),
        }
    }

    fn show_board(&mut self) {
        self.venue.hardware = Some(self.board);
        self.venue.report(ReportBody::Board { placement: self.board, confirmed: true });
    }

    /// Gives what cannot be told to a table.
    fn observe(&mut self, o: &Observation, white_side: ClockSide) -> Option<String> {
        match o.kind {
            Kind::Lift => self.square(o, Some(Occupant::Empty)),
            Kind::Place => self.square(o, o.piece),
            Kind::Board => {
                self.board = o.fen?;
                self.show_board();
            }
            Kind::Clock => {
                self.venue.clock(ClockReport::Reading(reading(o, white_side)?));
            }
            Kind::Raw => {
                let Some(line) = &mut self.line else {
                    return Some("bytes of a device that [setup] does not name".to_owned());
                };
                line.receive(&mut self.venue, o.hex.as_deref()?);
            }
            Kind::Unplug | Kind::Replug if self.line.is_some() => {
                return Some("a device of bytes that goes and comes back".to_owned());
            }
            Kind::Unplug => {
                self.venue.hardware = None;
                self.venue.report(ReportBody::Link(LinkState::Down));
            }
            Kind::Replug => {
                self.venue.hardware = Some(self.board);
                self.venue.report(ReportBody::Link(LinkState::Up));
            }
            Kind::Claim => return self.claim(o),
            Kind::Arbiter => return self.arbiter(o),
            Kind::System | Kind::Wait => {}
        }
        None
    }

    fn square(&mut self, o: &Observation, occupant: Option<Occupant>) {
        let (Some(square), Some(occupant)) = (o.square, occupant) else { return };
        self.board[square] = occupant;
        if let Some(hardware) = &mut self.venue.hardware {
            hardware[square] = occupant;
        }
        self.venue.report(ReportBody::Square { square, occupant });
    }

    fn claim(&mut self, o: &Observation) -> Option<String> {
        let what = o.what.as_deref()?;
        let by = match o.by? {
            Claimant::Arbiter => Speaker::Arbiter,
            Claimant::White => Speaker::Player(Colour::White),
            Claimant::Black => Speaker::Player(Colour::Black),
        };
        match what.parse::<Claim>() {
            Ok(claim) => {
                self.venue.input(Input::Said { by, what: Saying::Claim(claim) });
                None
            }
            Err(_) => Some(format!("the claim {what}")),
        }
    }

    /// To restore is to confirm what was proposed: what was ruled is being restored already. Play
    /// that goes on needs no word.
    fn arbiter(&mut self, o: &Observation) -> Option<String> {
        match o.action? {
            Action::Restore => {
                let proposed = self.venue.rulings.iter().rev().map(|r| &r.what);
                let waiting = proposed
                    .filter(|r| r.authority == Authority::Proposed)
                    .map(|r| Command::Confirm { ruling: r.seq })
                    .find(|c| self.venue.table.check(c).is_ok());
                if let Some(command) = waiting {
                    self.venue.input(Input::Command(command));
                }
                None
            }
            Action::SetMoves => self.set_moves(&o.moves),
            Action::Resume => None,
        }
    }

    /// The moves that are missing follow the record.
    fn set_moves(&mut self, moves: &[String]) -> Option<String> {
        let after = u32::try_from(self.venue.table.game().plies().len()).unwrap_or(u32::MAX);
        let command = Command::SetMoves { after, moves: moves.to_vec() };
        match self.venue.table.check(&command) {
            Ok(()) => {
                self.venue.input(Input::Command(command));
                None
            }
            Err(refused) => Some(format!("the missing moves {} ({refused})", moves.join(" "))),
        }
    }
}

fn reading(o: &Observation, white_side: ClockSide) -> Option<ClockReading> {
    let side = |colour: Colour| if colour == Colour::White { white_side } else { white_side.other() };
    let shown = |ms: u64, own: Colour| SideReading {
        remaining: Duration::from_millis(ms),
        flag: if o.flag.is_some_and(|fallen| fallen.has(own)) { Flag::Fallen } else { Flag::Up },
    };
    let (white, black) = (shown(o.white_ms?, Colour::White), shown(o.black_ms?, Colour::Black));
    let (left, right) = match white_side {
        ClockSide::Left => (white, black),
        ClockSide::Right => (black, white),
    };
    Some(ClockReading {
        left,
        right,
        counting: o.running != Some(Who::None),
        lever: Lever::Pressed(side(o.lever?.colour())),
        turn: o.running?.colour().map(side),
        battery_low: false,
    })
}
