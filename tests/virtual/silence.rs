// SPDX-License-Identifier: GPL-3.0-or-later
//! No player is helped: until a move is completed, what everyone can see is the same for a legal
//! and for an illegal one; and a witness stays silent after it, too.

use std::time::Duration;

use arbiterd::laws::rulebook::Library;
use arbiterd::table::{Observer, View};
use arbiterd_board::{Colour, Occupant, Square};

use super::venue::{Plan, Venue};

/// Carries one piece and lets it stand for `rest`; what everyone saw, squares named by role.
fn seen(
    fen: &str,
    observer: Observer,
    from: &str,
    to: &str,
    press: bool,
    rest: u64,
) -> (Vec<String>, Vec<String>) {
    let library = Library::embedded().unwrap();
    let plan = Plan {
        fen: fen.to_owned(),
        rulebook: library.get("fide-2023-standard").unwrap(),
        observer,
        turned: false,
        times: Duration::from_secs(9000),
        increment: Duration::ZERO,
    };
    let mut venue = Venue::open(&plan);
    venue.views.clear();
    let (from, to): (Square, Square) = (from.parse().unwrap(), to.parse().unwrap());
    let piece = venue.table.game().standing().placement()[from];
    venue.lift(&plan, from);
    venue.millis(500);
    venue.put(&plan, to, piece);
    venue.millis(rest);
    if press {
        venue.press(Colour::White);
        venue.millis(20_000);
    }
    let name = |s: Square| {
        if s == from {
            "from"
        } else if s == to {
            "to"
        } else {
            "other"
        }
    };
    let views = venue
        .views
        .iter()
        .map(|v| match v {
            View::Lifted { square, piece, .. } => format!("lifted {} {}", name(*square), piece.letter()),
            View::Placed { square, piece, .. } => format!("placed {} {}", name(*square), piece.letter()),
            View::Placement(p) => {
                let occupied = p.occupied().filter(|(_, o)| *o != Occupant::Empty).count();
                format!("placement of {occupied}")
            }
            View::Moved(m) => format!("moved by {:?}, {:?}", m.by, m.completion),
            View::State(s) => format!("state {}", s.word()),
            View::Clock(_) => "clock".to_owned(),
            View::Pressed { by, .. } => format!("pressed by {by:?}"),
            other => format!("{other:?}"),
        })
        .collect();
    let notices = venue.notices.iter().map(|n| n.kind.word().to_owned()).collect();
    assert!(venue.rulings.is_empty() || observer == Observer::Arbiter, "{:?}", venue.rulings);
    (views, notices)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const PINNED: &str = "4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1";

#[test]
fn an_uncompleted_move_looks_the_same_whether_it_is_legal_or_not() {
    for observer in [Observer::Arbiter, Observer::Witness] {
        // Long rests too: an illegal move that stands for a minute is not told.
        for rest in [100, 3000, 60_000] {
            let legal = seen(START, observer, "g1", "f3", false, rest);
            assert_eq!(
                seen(START, observer, "g1", "g3", false, rest),
                legal,
                "a knight's odd jump, {rest} ms"
            );
            assert_eq!(seen(START, observer, "g1", "g5", false, rest), legal);
            let pinned = seen(PINNED, observer, "e2", "e5", false, rest);
            assert_eq!(seen(PINNED, observer, "e2", "a2", false, rest), pinned, "a pinned rook, {rest} ms");
        }
    }
}

#[test]
fn a_witness_does_not_tell_that_a_completed_move_was_illegal() {
    let legal = seen(START, Observer::Witness, "g1", "f3", true, 800);
    assert_eq!(seen(START, Observer::Witness, "g1", "g3", true, 800), legal);
    let pinned = seen(PINNED, Observer::Witness, "e2", "e5", true, 800);
    assert_eq!(seen(PINNED, Observer::Witness, "e2", "a2", true, 800), pinned);
}
