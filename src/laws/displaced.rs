// SPDX-License-Identifier: GPL-3.0-or-later
//! A legal move beside pieces that were knocked over (FIDE 7.4): the move is completed by its press
//! all the same, and its player has to put the others back in his own time.

use arbiterd_board::{Occupant, Placement, Role, Square};
use shakmaty::Move;

use super::bench::{Bench, Completed};
use super::completion::{After, Judgement, after, arrivals_seen, last_at, legal, one_hand, placements};
use super::press::Press;
use super::several::{self, LOOK_BACK};

/// More squares than a sleeve sweeps: whoever leaves so many out of place has done something else.
const MOST: usize = 8;

/// The move that a press completes although other pieces are missing or stand elsewhere: of what may have
/// stood at the press, the placement that leaves the fewest of them out of place.
pub fn at_press(press: &Press, bench: &Bench<'_>, first: usize) -> Option<Judgement> {
    let history = bench.sensor.history();
    // What the board shows falsely, or did not show, was not knocked over; nor what went in half-moves that others
    // have pressed for.
    if bench.phantoms || !arrivals_seen(bench) || !bench.is_seen() || press.turns > 1 {
        return None;
    }
    let explained: Vec<(usize, Explained)> = (first
        ..=last_at(press, bench).min(first.saturating_add(LOOK_BACK)))
        .filter(|&cut| one_hand(press.by, bench, cut) && after(press.by, &history[cut..]) == After::Opponents)
        .filter_map(|cut| Some((cut, placements(press, bench, cut).find_map(|p| explain(bench, &p))?)))
        .collect();
    let (cut, fewest) = explained.iter().min_by_key(|(_, explained)| explained.off.len())?;
    // What the opponent took since may have been the move, and what remains the accident.
    let [m] = fewest.moves[..] else { return None };
    if explained.iter().any(|(_, other)| other.moves != fewest.moves) {
        return None;
    }
    let (cut, displaced) = (*cut, fewest.off.clone());
    // What is missing went in half-moves of which nobody saw how they differ (what a pawn became before it
    // was taken).
    if (history.len().saturating_sub(LOOK_BACK)..=history.len()).any(|cut| several::were_played(bench, cut)) {
        return None;
    }
    let done = Completed { displaced, ..legal(m, press, bench, (cut, false)) };
    Some(Judgement::Completed(Box::new(done)))
}

/// The moves that leave the fewest pieces out of place, and the squares of those.
struct Explained {
    /// Where there are two, either may be the move and the other the accident.
    moves: Vec<Move>,
    /// Of the first of them.
    off: Vec<Square>,
}

/// The legal moves whose own squares are all as after them, with the fewest others that differ.
fn explain(bench: &Bench<'_>, placement: &Placement) -> Option<Explained> {
    let before = bench.game.standing().placement();
    let mut found: Vec<(Move, Vec<Square>)> = Vec::new();
    for (m, after) in bench.game.reader().moves() {
        if before.differences(after).any(|s| placement[s] != after[s]) {
            continue;
        }
        let off: Vec<Square> = after.differences(placement).collect();
        if (1..=MOST).contains(&off.len()) && only_displaced(after, placement, &off) {
            found.push((m, off));
        }
    }
    let fewest = found.iter().map(|(_, off)| off.len()).min()?;
    found.retain(|(_, off)| off.len() == fewest);
    // A king elsewhere is no accident: castling looks like that.
    let king_stands = |off: &[Square]| off.iter().all(|s| !is_king(placement[*s]));
    let off = found.first().map(|(_, off)| off.clone()).filter(|off| king_stands(off))?;
    Some(Explained { moves: found.into_iter().map(|(m, _)| m).collect(), off })
}

fn is_king(occupant: Occupant) -> bool {
    occupant.piece().is_some_and(|piece| piece.role == Role::King)
}

/// Whether on these squares nothing stands but pieces that belong to one of them.
fn only_displaced(after: &Placement, placement: &Placement, off: &[Square]) -> bool {
    let mut missing: Vec<Occupant> = off.iter().map(|&s| after[s]).collect();
    off.iter().map(|&s| placement[s]).filter(|&o| o != Occupant::Empty).all(|o| {
        let whence = missing.iter().position(|&m| m == o);
        whence.map(|i| missing.swap_remove(i)).is_some()
    })
}
