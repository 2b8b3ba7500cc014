// SPDX-License-Identifier: GPL-3.0-or-later
//! What the types of a scenario do not hold.

use arbiterd_board::{Occupant, Placement, Square};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Setup};

use super::check_case::check_lift;
use super::read::Source;
use super::scenario::{Scenario, What};
use crate::document::did_you_mean;
use crate::table::{Standing, Start};

/// Tells all that is wrong with the values of a scenario.
pub fn check(source: &mut Source<'_>, scenario: &Scenario) {
    source.check_times(scenario.events.iter().map(|e| (e.span(), "t", e.get_ref().t)));
    match Start::from_fen(scenario.fen.get_ref()) {
        Ok(start) => {
            if let Some(standing) = check_moves(source, scenario, start.standing().clone()) {
                check_lifts(source, scenario, standing.placement());
            }
        }
        // What is meant to be no position that play leads to is told when it is played.
        Err(_) if scenario.odd && scenario.fen.get_ref().parse::<Fen>().is_ok() => {}
        Err(e) => source.tell(scenario.fen.span(), format!("fen: {e}")),
    }
    let rule_at = scenario.rule_at();
    let events = scenario.events.len();
    if *rule_at.get_ref() >= events {
        let last = events.saturating_sub(1);
        let what = format!(
            "rule_at = {}: events are counted from 0, and there are {events}, so the last is {last}",
            rule_at.get_ref()
        );
        source.tell(rule_at.span(), what);
    }
    for id in scenario.cited().filter(|id| !scenario.rulebooks.contains(id.get_ref())) {
        let meant = did_you_mean(id.get_ref(), scenario.rulebooks.iter().map(String::as_str));
        let named = scenario.rulebooks.join(", ");
        let what = format!("cite: {:?} is none of its rulebooks, {named}{meant}", id.get_ref());
        source.tell(id.span(), what);
    }
    let fen = scenario.expected_fen();
    if let Err(e) = fen.get_ref().parse::<Fen>() {
        source.tell(fen.span(), format!("fen: {e}"));
    }
}

/// The moves before the scenario can be played. What stands after them.
fn check_moves(source: &mut Source<'_>, scenario: &Scenario, start: Standing) -> Option<Standing> {
    let mut standing = start;
    for spanned in &scenario.moves {
        let text = spanned.get_ref();
        let played = match text.strip_prefix('!') {
            Some(illegal) => carried(&standing, illegal),
            None => played(&standing, text),
        };
        let Some(after) = played else {
            let what = match text.strip_prefix('!') {
                Some(illegal) => format!("{illegal:?} carries no piece from one square to another"),
                None => format!(
                    "{text:?} is no legal move in {}; one that is illegal and stands begins with \"!\"",
                    standing.fen()
                ),
            };
            source.tell(spanned.span(), what);
            return None;
        };
        standing = after;
    }
    Some(standing)
}

fn played(standing: &Standing, text: &str) -> Option<Standing> {
    // After an illegal move that stands, such as a king left in check, play goes on where nothing is legal.
    let Some(position) = standing.valid() else { return carried(standing, text) };
    let uci: UciMove = text.parse().ok()?;
    let m = uci.to_move(position).ok()?;
    Some(standing.play(m, CastlingMode::Standard))
}

/// An illegal move is a piece that is carried to another square; then the other has the move.
fn carried(standing: &Standing, text: &str) -> Option<Standing> {
    let square = |at: std::ops::Range<usize>| text.get(at)?.parse::<shakmaty::Square>().ok();
    let (from, to) = (square(0..2)?, square(2..4)?);
    let mut setup: Setup = standing.fen().parse::<Fen>().ok()?.into_setup();
    let piece = setup.board.remove_piece_at(from)?;
    setup.board.set_piece_at(to, piece);
    setup.swap_turn();
    Some(Standing::from_setup(setup, CastlingMode::Standard))
}

/// The same as of a case.
fn check_lifts(source: &mut Source<'_>, scenario: &Scenario, start: Placement) {
    let mut board = start;
    for spanned in &scenario.events {
        let event = spanned.get_ref();
        let Some(square): Option<Square> = event.sq else { continue };
        match (event.ev, event.pc) {
            (What::Lift, Some(piece)) => {
                check_lift(source, spanned.span(), board[square], square, piece);
                board[square] = Occupant::Empty;
            }
            (What::Lift, None) => board[square] = Occupant::Empty,
            (What::Place, Some(piece)) => board[square] = piece,
            _ => {}
        }
    }
}
