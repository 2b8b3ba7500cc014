// SPDX-License-Identifier: GPL-3.0-or-later
//! What is wrong with a start position, in words: which pieces are swapped, missing, too many or
//! elsewhere, and whether the board is turned round.

use std::fmt;

use arbiterd_board::{Colour, Mono, Occupant, Piece, Placement, Role, Square};
use serde::{Deserialize, Serialize};

use super::{Table, TableState};
use crate::laws::{Notice, NoticeKind};

/// One thing that is wrong with what was set up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SetUpFault {
    /// What.
    pub what: SetUpWord,
    /// The squares that it concerns, as the players see them.
    pub squares: Vec<Square>,
    /// The same for people.
    pub text: String,
}

/// The kinds of such faults.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetUpWord {
    /// No piece is on the board.
    NoPieces,
    /// The board stands turned round.
    TurnedRound,
    /// Two pieces stand on each other's squares.
    Swapped,
    /// A piece stands on another square than its own, which is empty.
    Displaced,
    /// Another piece stands on the square.
    WrongPiece,
    /// The square is empty.
    Missing,
    /// The square should be empty.
    Extra,
}

impl SetUpWord {
    /// The word on the bus.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoPieces => "no-pieces",
            Self::TurnedRound => "turned-round",
            Self::Swapped => "swapped",
            Self::Displaced => "displaced",
            Self::WrongPiece => "wrong-piece",
            Self::Missing => "missing",
            Self::Extra => "extra",
        }
    }
}

impl fmt::Display for SetUpFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What is wrong with `shown`, where `wanted` should stand.
pub fn faults(wanted: &Placement, shown: &Placement) -> Vec<SetUpFault> {
    if wanted == shown {
        return Vec::new();
    }
    if shown.occupied().next().is_none() {
        return vec![fault(SetUpWord::NoPieces, Vec::new(), "no piece is on the board")];
    }
    let rotated = shown.rotated();
    let turned = rotated.differences(wanted).count() * 2 < shown.differences(wanted).count();
    let mut found = Vec::new();
    if turned {
        found.push(fault(SetUpWord::TurnedRound, Vec::new(), "board turned round"));
    }
    let shown = if turned { rotated } else { *shown };
    found.extend(Comparison::of(wanted, &shown).faults());
    found
}

fn fault(what: SetUpWord, squares: Vec<Square>, text: impl Into<String>) -> SetUpFault {
    SetUpFault { what, squares, text: text.into() }
}

/// Two placements, and the squares on which they differ and that no fault has explained yet.
struct Comparison<'p> {
    wanted: &'p Placement,
    shown: &'p Placement,
    open: Vec<Square>,
}

impl<'p> Comparison<'p> {
    fn of(wanted: &'p Placement, shown: &'p Placement) -> Self {
        Self { wanted, shown, open: wanted.differences(shown).collect() }
    }

    fn faults(mut self) -> Vec<SetUpFault> {
        let mut found = Vec::new();
        while let Some((a, b)) = self.nearest(|c, a, b| c.are_swapped(a, b)) {
            found.push(fault(SetUpWord::Swapped, vec![a, b], self.swap_text(a, b)));
        }
        while let Some((from, to)) = self.nearest(|c, from, to| c.is_displaced(from, to)) {
            let text = format!("{} on {to}, not on {from}", name(self.wanted[from]));
            found.push(fault(SetUpWord::Displaced, vec![from, to], text));
        }
        for square in std::mem::take(&mut self.open) {
            found.push(self.single(square));
        }
        found
    }

    /// Takes out the pair of squares of which `are` holds that lie nearest to each other: of two knights
    /// and two rooks on each other's squares, those beside each other were swapped.
    fn nearest(&mut self, are: impl Fn(&Self, Square, Square) -> bool) -> Option<(Square, Square)> {
        let pairs = self.open.iter().flat_map(|&a| self.open.iter().map(move |&b| (a, b)));
        let (a, b) =
            pairs.filter(|&(a, b)| a != b && are(self, a, b)).min_by_key(|&(a, b)| distance(a, b))?;
        self.open.retain(|&s| s != a && s != b);
        Some((a, b))
    }

    fn are_swapped(&self, a: Square, b: Square) -> bool {
        let filled = self.wanted[a] != Occupant::Empty && self.wanted[b] != Occupant::Empty;
        filled && a < b && self.shown[a] == self.wanted[b] && self.shown[b] == self.wanted[a]
    }

    fn is_displaced(&self, from: Square, to: Square) -> bool {
        self.shown[from] == Occupant::Empty
            && self.wanted[to] == Occupant::Empty
            && self.shown[to] == self.wanted[from]
    }

    fn single(&self, square: Square) -> SetUpFault {
        match (self.wanted[square], self.shown[square]) {
            (_, Occupant::Empty) => {
                fault(SetUpWord::Missing, vec![square], format!("piece missing: {square}"))
            }
            (Occupant::Empty, _) => fault(SetUpWord::Extra, vec![square], format!("extra piece: {square}")),
            (wanted, shown) => {
                let text = format!("{} on {square} instead of {}", name(shown), name(wanted));
                fault(SetUpWord::WrongPiece, vec![square], text)
            }
        }
    }

    fn swap_text(&self, a: Square, b: Square) -> String {
        match (self.wanted[a].piece(), self.wanted[b].piece()) {
            (Some(one), Some(other)) if one.colour == other.colour => {
                let [first, second] = as_people_say(one.role, other.role);
                format!(
                    "{} {first} and {second} swapped{}",
                    colour(one),
                    self.place_of_swap(a, b, one.colour)
                )
            }
            _ => format!("{} and {} swapped ({a}, {b})", name(self.wanted[a]), name(self.wanted[b])),
        }
    }

    /// Which of several such pieces were swapped: those on one side of their king, or those of these squares.
    fn place_of_swap(&self, a: Square, b: Square, colour: Colour) -> String {
        if self.is_unique(a) && self.is_unique(b) {
            return String::new();
        }
        let king = Occupant::Piece(Piece { role: Role::King, colour });
        let king = self.wanted.occupied().find(|(_, o)| *o == king).map(|(s, _)| s);
        let king = king.filter(|king| a.rank() == king.rank() && b.rank() == king.rank());
        match king {
            Some(king) if a.file().min(b.file()) > king.file() => " on the king's side".to_owned(),
            Some(king) if a.file().max(b.file()) < king.file() => " on the queen's side".to_owned(),
            _ => format!(" ({a}, {b})"),
        }
    }

    fn is_unique(&self, square: Square) -> bool {
        self.wanted.occupied().filter(|(_, o)| *o == self.wanted[square]).count() == 1
    }
}

/// King and queen, else the lesser piece first.
fn as_people_say(one: Role, other: Role) -> [&'static str; 2] {
    let (lesser, greater) = (one.min(other), one.max(other));
    let king_first = (lesser, greater) == (Role::Queen, Role::King);
    if king_first { [role(greater), role(lesser)] } else { [role(lesser), role(greater)] }
}

const fn distance(a: Square, b: Square) -> (u8, u8) {
    let (files, ranks) = (a.file().abs_diff(b.file()), a.rank().abs_diff(b.rank()));
    (if files > ranks { files } else { ranks }, files + ranks)
}

const fn colour(piece: Piece) -> &'static str {
    match piece.colour {
        Colour::White => "white",
        Colour::Black => "black",
    }
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

fn name(occupant: Occupant) -> String {
    match occupant {
        Occupant::Piece(piece) => format!("{} {}", colour(piece), role(piece.role)),
        Occupant::Token(_) => "a result token".to_owned(),
        Occupant::Empty | Occupant::Unidentified => "something that is no known piece".to_owned(),
    }
}

impl Table {
    /// Says what is wrong while the game cannot begin, unless it was said.
    pub(super) fn call_for_set_up(&mut self, now: Mono) {
        let TableState::AwaitingPosition { differing } = &self.state else { return };
        let Some(shown) = self.sensor.placement() else { return };
        let set_up = faults(&self.game.standing().placement(), shown);
        if self.set_up_told == set_up {
            return;
        }
        let turned = set_up.iter().any(|f| f.what == SetUpWord::TurnedRound);
        // On a board that stands turned round only what is wrong besides is worth naming.
        let squares = if turned {
            set_up.iter().flat_map(|f| f.squares.iter().copied()).collect()
        } else {
            differing.clone()
        };
        self.set_up_told.clone_from(&set_up);
        self.outputs.push_back(super::Output::Notice(Notice {
            squares,
            evidence: vec![self.facts],
            set_up,
            ..Notice::new(NoticeKind::StartPositionWrong, now)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    fn said(wanted: &str, shown: &str) -> String {
        let found = faults(&wanted.parse().unwrap(), &shown.parse().unwrap());
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn pieces_on_each_others_squares_are_swapped() {
        for (shown, text) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR", "white king and queen swapped"),
            (
                "rnbqknbr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
                "black knight and bishop swapped on the king's side",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBRN",
                "white knight and rook swapped on the queen's side; white knight and rook swapped on the king's side",
            ),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNKQBBNR", "white bishop and king swapped (c1, e1)"),
        ] {
            assert_eq!(said(START, shown), text);
        }
    }

    #[test]
    fn what_is_missing_extra_elsewhere_or_another_piece_is_named_with_its_square() {
        for (shown, text) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR", "piece missing: e2"),
            ("rnbqkbnr/pppppppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR", "extra piece: d5"),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", "white pawn on e4, not on e2"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQR", "white queen on g1 instead of white knight"),
            ("8/8/8/8/8/8/8/8", "no piece is on the board"),
        ] {
            assert_eq!(said(START, shown), text);
        }
    }

    #[test]
    fn a_board_that_stands_turned_round_is_told_from_one_that_is_set_up_wrongly() {
        assert_eq!(said(START, "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr"), "board turned round");
        assert_eq!(
            said(START, "RNBKQBNR/PPPPPP1P/8/8/8/8/pppppppp/rnbkqbnr"),
            "board turned round; piece missing: b2"
        );
    }

    #[test]
    fn any_start_position_is_held_against_its_own_squares() {
        let wanted = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR";
        assert_eq!(said(wanted, wanted), "");
        assert_eq!(
            said(wanted, "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/QB1BNRKR"),
            "white bishop and queen swapped on the queen's side"
        );
    }
}
