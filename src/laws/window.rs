// SPDX-License-Identifier: GPL-3.0-or-later
//! What had happened when something was claimed, and whether it can still be ruled on.
//!
//! A claim is judged by the moment at which it was made, however late its evidence is complete:
//! what the claimant did after it, or may have done after it, does not count against him.

use arbiterd_board::{Colour, Order, Stamp};

use super::Certainty;
use super::bench::Bench;
use super::rulebook::Window;
use crate::table::{Ply, PlyBody, opponent};

/// Whether an irregularity can still be ruled on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Open {
    /// It can.
    Yes(Certainty),
    /// The window has closed.
    No,
}

/// How many half-moves were completed when `claimant` claimed at `at`. One of his own counts only
/// if it was certainly completed before, one of his opponent's unless it certainly was not.
pub fn plies_at(claimant: Colour, at: Stamp, bench: &Bench<'_>) -> usize {
    bench
        .game
        .plies()
        .iter()
        .take_while(|p| {
            let order = Stamp::order(p.at, at);
            if p.by == claimant { order == Order::Before } else { order != Order::After }
        })
        .count()
}

/// The same by when they were made on the board (FIDE 1.3, 4.7), which is what touching depends on.
pub fn plies_made_at(claimant: Colour, at: Stamp, bench: &Bench<'_>) -> usize {
    let made = |p: &Ply| p.changes.last().map_or(p.at, |change| change.at);
    bench
        .game
        .plies()
        .iter()
        .take_while(|p| {
            let order = Stamp::order(made(p), at);
            if p.by == claimant { order == Order::Before } else { order != Order::After }
        })
        .count()
}

/// After how many changes a legal move of the player to move stood that had certainly been made at `at`
/// and was not completed: the first of them.
pub fn made_at(at: Stamp, bench: &Bench<'_>) -> Option<usize> {
    let history = bench.sensor.history();
    let before = history.iter().take_while(|c| Stamp::order(c.at, at) == Order::Before).count();
    (0..=before).find(|cut| bench.reading_after(*cut).single().is_some())
}

/// Whether a completed half-move can be ruled on, as of `at`.
pub fn of_ply(index: usize, at: Stamp, bench: &Bench<'_>) -> Open {
    let Some(ply) = bench.game.plies().get(index) else { return Open::No };
    match bench.rulebook.illegal.window {
        Window::Game => Open::Yes(Certainty::Proven),
        Window::UntilOpponentMade => until_reply(index + 1, opponent(ply.by), at, bench),
    }
}

/// Whether a fault that `by` committed when `plies` half-moves were completed can be ruled on, as
/// of `at`. He still has the move then, so his opponent's next move is the second from there.
pub fn of_fault(by: Colour, plies: usize, at: Stamp, bench: &Bench<'_>) -> Open {
    match bench.rulebook.illegal.window {
        Window::Game => Open::Yes(Certainty::Proven),
        Window::UntilOpponentMade if bench.game.plies().len() <= plies => Open::Yes(Certainty::Proven),
        Window::UntilOpponentMade => until_reply(plies + 1, opponent(by), at, bench),
    }
}

/// "Made" means released on the board, not pressed and not lifted: a legal move that stood and
/// had rested before closes the window. What rested too short, or has no provable order, does
/// not; the certainty says so.
fn until_reply(index: usize, replier: Colour, at: Stamp, bench: &Bench<'_>) -> Open {
    let plies = bench.game.plies();
    match plies.get(index) {
        Some(reply) if reply.by != replier || plies.len() > index + 1 => closed_by(reply, at),
        Some(reply) => of_reply(reply, at, bench),
        None => on_the_board(replier, at, bench),
    }
}

fn closed_by(ply: &Ply, at: Stamp) -> Open {
    match Stamp::order(ply.at, at) {
        Order::Before => Open::No,
        Order::Undecided => Open::Yes(Certainty::Likely),
        Order::After => Open::Yes(Certainty::Proven),
    }
}

/// The reply has been completed since: it counts from when it stood.
fn of_reply(reply: &Ply, at: Stamp, bench: &Bench<'_>) -> Open {
    if Stamp::order(reply.at, at) == Order::Before {
        return Open::No;
    }
    let released = reply.changes.last().map(|c| c.at.latest.after(bench.rulebook.release_dwell));
    if matches!(reply.body, PlyBody::Legal(_)) && released.is_some_and(|t| t <= at.earliest) {
        return Open::No;
    }
    let before = reply.changes.first().is_some_and(|c| Stamp::order(c.at, at) != Order::After);
    Open::Yes(if before { Certainty::Likely } else { Certainty::Proven })
}

/// The reply, if there is one, is still on the board only.
fn on_the_board(replier: Colour, at: Stamp, bench: &Bench<'_>) -> Open {
    if bench.game.turn() != replier {
        return Open::Yes(Certainty::Proven);
    }
    let history = bench.sensor.history();
    let before = history.iter().take_while(|c| Stamp::order(c.at, at) == Order::Before).count();
    let rested = |cut: usize| {
        let last = cut.checked_sub(1).and_then(|i| history.get(i));
        last.is_some_and(|c| c.at.latest.after(bench.rulebook.release_dwell) <= at.earliest)
    };
    let made = |cut: usize| bench.reading_after(cut).single().is_some();
    if made(before) && rested(before) {
        return Open::No;
    }
    let till = history.iter().take_while(|c| Stamp::order(c.at, at) != Order::After).count();
    let doubtful = (1..=till).any(made);
    Open::Yes(if doubtful { Certainty::Likely } else { Certainty::Proven })
}
