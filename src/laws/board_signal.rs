// SPDX-License-Identifier: GPL-3.0-or-later
//! A result that the players show with the pieces: both kings on squares of the centre, or a result
//! token (dgt: orientation and results). Both kings on light squares say that White has won, on dark
//! ones Black, on one of each a draw.
//!
//! No article knows this sign, so it decides nothing: the arbiter is asked. It is a sign only if it
//! was set while the clock stood. Kings never stand beside each other in play (1.4.1), but an illegal
//! move can put them there, and then the clock is stopped to claim it.

use std::time::Duration;

use arbiterd_board::{Colour, Mono, Occupant, Order, Piece, Placement, ResultToken, Role, Square, Stamp};

use super::bench::Bench;
use super::game_end::draft;
use super::{Authority, Certainty, NotObservable, Ruling, RulingKind};
use crate::table::GameResult;

/// So long the sign has to stand: kings that are carried past the centre rest there less long.
pub const DWELL: Duration = Duration::from_secs(2);

/// A result that is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Which.
    pub result: GameResult,
    /// Since when.
    pub since: Mono,
    /// The facts that show it.
    facts: Vec<u64>,
}

/// The result that is shown on the board now, if one is.
pub fn shown(bench: &Bench<'_>) -> Option<Shown> {
    let stopped = bench.clock.stands_since()?;
    let placement = bench.sensor.placement()?;
    let (result, squares) = sign(placement)?;
    let last = bench.sensor.history().iter().rfind(|c| squares.contains(&c.square))?;
    if bench.game.over() || bench.is_disturbed() || Stamp::order(last.at, stopped) != Order::After {
        return None;
    }
    let of_sign = bench.sensor.history().iter().filter(|c| squares.contains(&c.square));
    Some(Shown { result, since: last.received, facts: of_sign.map(|c| c.fact).collect() })
}

/// What the arbiter is asked to confirm.
pub fn proposal(shown: &Shown, bench: &Bench<'_>) -> Ruling {
    let mut ruling = draft(RulingKind::BoardSignal, bench, shown.facts.clone());
    ruling.authority = Authority::Proposed;
    ruling.certainty = Certainty::Likely;
    ruling.not_observable.push(NotObservable::Intent);
    ruling.consequence.result = shown.result;
    ruling
}

/// A sign and the squares on which it stands.
fn sign(placement: &Placement) -> Option<(GameResult, Vec<Square>)> {
    let tokens: Vec<(Square, ResultToken)> = placement
        .occupied()
        .filter_map(|(s, o)| if let Occupant::Token(token) = o { Some((s, token)) } else { None })
        .collect();
    if let Some((_, token)) = tokens.first() {
        let agree = tokens.iter().all(|(_, other)| other == token);
        return agree.then(|| (result_of(*token), tokens.iter().map(|(s, _)| *s).collect()));
    }
    let white = only_king(placement, Colour::White)?;
    let black = only_king(placement, Colour::Black)?;
    let result = match (is_light(white), is_light(black)) {
        (true, true) => GameResult::Won(Colour::White),
        (false, false) => GameResult::Won(Colour::Black),
        _ => GameResult::Drawn,
    };
    (is_centre(white) && is_centre(black)).then(|| (result, vec![white, black]))
}

const fn result_of(token: ResultToken) -> GameResult {
    match token {
        ResultToken::Draw => GameResult::Drawn,
        ResultToken::WhiteWins => GameResult::Won(Colour::White),
        ResultToken::BlackWins => GameResult::Won(Colour::Black),
    }
}

fn only_king(placement: &Placement, colour: Colour) -> Option<Square> {
    let king = Occupant::Piece(Piece { colour, role: Role::King });
    let mut squares = placement.occupied().filter(|(_, o)| *o == king).map(|(s, _)| s);
    squares.next().filter(|_| squares.next().is_none())
}

const fn is_centre(square: Square) -> bool {
    matches!((square.file(), square.rank()), (3 | 4, 3 | 4))
}

/// a1 is dark.
const fn is_light(square: Square) -> bool {
    (square.file() + square.rank()) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(placement: &str) -> Option<&'static str> {
        sign(&placement.parse().unwrap()).map(|(result, _)| result.pgn())
    }

    #[test]
    fn the_colour_of_the_squares_tells_the_result() {
        assert_eq!(read("8/8/8/3k4/4K3/8/8/8"), Some("1-0"));
        assert_eq!(read("8/8/8/3K4/4k3/8/8/8"), Some("1-0"));
        assert_eq!(read("8/8/8/4k3/3K4/8/8/8"), Some("0-1"));
        for drawn in
            ["8/8/8/3kK3/8/8/8/8", "8/8/8/8/3Kk3/8/8/8", "8/8/8/3k4/3K4/8/8/8", "8/8/8/4K3/4k3/8/8/8"]
        {
            assert_eq!(read(drawn), Some("1/2-1/2"), "{drawn}");
        }
    }

    #[test]
    fn kings_elsewhere_and_odd_numbers_of_them_say_nothing() {
        for nothing in
            ["8/8/3k4/8/4K3/8/8/8", "8/8/8/3k4/4K3/8/8/4K3", "8/8/8/3k4/8/8/8/8", "8/8/8/8/8/8/8/8"]
        {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }
}
