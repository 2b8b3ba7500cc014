// SPDX-License-Identifier: GPL-3.0-or-later
//! Rulings, notices and moves as dictionaries. Unknown keys must be tolerated by readers: keys
//! are added, never removed or given another meaning.

use std::collections::BTreeMap;
use std::time::Duration;

use arbiterd_board::{Colour, Mono, Square};
use zbus::Variant;

use super::codes;
use crate::laws::{Consequence, Notice, Ruling};
use crate::table::{MoveView, Restored, Speaker};

/// A dictionary on the bus, `a{sv}`.
pub(super) type Dict = BTreeMap<&'static str, Variant<'static>>;

/// A ruling as it appears in the `Ruled` signal and in the ledger alike.
///
/// `row` is its row in the journal, `committed_at` when it was committed, where known.
pub(super) fn ruling_dict(row: i64, table: &str, ruling: &Ruling, committed_at: Option<Mono>) -> Dict {
    let mut dict = Dict::from([
        ("row", row_number(row).into()),
        ("seq", ruling.seq.into()),
        ("table", table.to_owned().into()),
        ("revision", ruling.revision.into()),
        ("rulebook", ruling.rulebook.clone().into()),
        ("kind", ruling.kind.bus_name().into()),
        ("articles", ruling.articles.clone().into()),
        ("offender", side(ruling.offender).into()),
        ("authority", codes::authority(ruling.authority).into()),
        ("standing", codes::standing(ruling.standing).into()),
        ("certainty", codes::certainty(ruling.certainty).into()),
        ("evidence", ruling.evidence.clone().into()),
        ("not_observable", words(ruling.not_observable.iter().map(|n| n.word().to_owned())).into()),
        ("evidence_complete_us", ruling.evidence_complete.as_micros().into()),
    ]);
    if let Some(at) = committed_at {
        dict.insert("committed_us", at.as_micros().into());
    }
    add_consequence(&mut dict, &ruling.consequence);
    dict
}

fn add_consequence(dict: &mut Dict, c: &Consequence) {
    let [illegal_white, illegal_black] = c.illegal_moves;
    dict.extend([
        ("add_white_ms", millis(c.add_white).into()),
        ("add_black_ms", millis(c.add_black).into()),
        ("take_back_increment_ms", millis(c.take_back_increment).into()),
        ("result", c.result.pgn().into()),
        ("restore", c.restore.clone().unwrap_or_default().into()),
        ("irregular_move", c.irregular_move.clone().unwrap_or_default().into()),
        ("required_moves", c.required_moves.clone().into()),
        ("free_touch", squares(&c.free_touch).into()),
        ("illegal_white", u32::from(illegal_white).into()),
        ("illegal_black", u32::from(illegal_black).into()),
    ]);
    if let Some(proposed) = c.proposed_clock {
        let [white_then, black_then] = proposed.at_irregularity;
        let [white_now, black_now] = proposed.now;
        dict.extend([
            ("proposed_white_at_irregularity_ms", millis(white_then).into()),
            ("proposed_black_at_irregularity_ms", millis(black_then).into()),
            ("proposed_white_now_ms", millis(white_now).into()),
            ("proposed_black_now_ms", millis(black_now).into()),
        ]);
    }
}

/// A notice as it appears in the `NoticeGiven` signal.
pub(super) fn notice_dict(row: i64, table: &str, notice: &Notice) -> Dict {
    Dict::from([
        ("row", row_number(row).into()),
        ("table", table.to_owned().into()),
        ("kind", notice.kind.bus_name().into()),
        ("at_us", notice.at.as_micros().into()),
        ("squares", squares(&notice.squares).into()),
        ("side", side(notice.side).into()),
        ("not_covered", notice.not_covered.map_or("", |n| n.word()).into()),
        ("evidence", notice.evidence.clone().into()),
        ("set_up", words(notice.set_up.iter().map(|f| f.text.clone())).into()),
        ("set_up_words", words(notice.set_up.iter().map(|f| f.what.word().to_owned())).into()),
        ("set_up_squares", words(notice.set_up.iter().map(|f| squares(&f.squares).join(" "))).into()),
    ])
}

/// A completed move as it appears in the `Moved` signal.
pub(super) fn move_dict(m: &MoveView) -> Dict {
    let mut dict = Dict::from([
        ("by", colour(m.by).into()),
        ("uci", m.uci.clone().into()),
        ("completion", codes::completion(m.completion).into()),
        ("fen", m.fen.clone().into()),
    ]);
    if let Some([white, black]) = m.clock {
        dict.insert("white_ms", millis(white).into());
        dict.insert("black_ms", millis(black).into());
    }
    dict
}

/// A position that was put back, as it appears in the `Restored` signal.
pub(super) fn restored_dict(restored: &Restored) -> Dict {
    let mut dict = Dict::from([
        ("taken_back", restored.taken_back.clone().into()),
        ("fen", restored.fen.clone().into()),
        ("reopened", restored.reopened.into()),
    ]);
    if let Some([white, black]) = restored.clock {
        dict.insert("white_ms", millis(white).into());
        dict.insert("black_ms", millis(black).into());
    }
    dict
}

/// A colour's word.
pub(super) const fn colour(c: Colour) -> &'static str {
    match c {
        Colour::White => "white",
        Colour::Black => "black",
    }
}

/// A colour's word, empty for none.
pub(super) const fn side(c: Option<Colour>) -> &'static str {
    match c {
        Some(c) => colour(c),
        None => "",
    }
}

/// A speaker's word.
pub(super) const fn speaker(s: Speaker) -> &'static str {
    match s {
        Speaker::Player(c) => colour(c),
        Speaker::Arbiter => "arbiter",
    }
}

/// Squares by name.
pub(super) fn squares(squares: &[Square]) -> Vec<String> {
    words(squares.iter().map(Square::to_string))
}

fn words(words: impl Iterator<Item = String>) -> Vec<String> {
    words.collect()
}

/// A duration in milliseconds.
pub(super) fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap_or(u64::MAX)
}

/// A duration in microseconds.
pub(super) fn micros(d: Duration) -> u64 {
    u64::try_from(d.as_micros()).unwrap_or(u64::MAX)
}

/// A journal row as a number on the bus. Rows begin at 1; 0 stands before all of them.
pub(super) fn row_number(row: i64) -> u64 {
    u64::try_from(row).unwrap_or(0)
}
