// SPDX-License-Identifier: GPL-3.0-or-later
//! What the types of a case do not hold.

use std::collections::BTreeMap;
use std::ops::Range;

use arbiterd_board::{Occupant, Placement, Square};

use super::case::{Action, Case, Expect, ExpectedRuling, Kind};
use super::read::Source;
use crate::document::did_you_mean;
use crate::laws::kinds::{CASE_REASONS, CASE_WORDS, OTHER_WORDS};
use crate::table::Start;

/// What people claim, also where this version has no word for it.
pub const CLAIMS: &[&str] =
    &["illegal-move", "touch-move", "flag", "threefold", "fifty", "two-hands", "setup", "king-adjacent"];

const RESULTS: &[&str] = &["*", "1-0", "0-1", "1/2-1/2"];

/// Tells all that is wrong with the values of a case.
pub fn check(source: &mut Source<'_>, case: &Case) {
    let fen = &case.setup.start_fen;
    match Start::from_fen(fen) {
        Ok(start) => check_lifts(source, case, start.standing().placement()),
        Err(e) => source.tell(source.place_of(fen, 0), format!("start_fen: {e}")),
    }
    source.check_times(case.obs.iter().map(|o| (o.span(), "t_ms", o.get_ref().t_ms)));
    check_book(source, case);
    check_said(source, case);
    for spanned in &case.expect.ruling {
        check_ruling(source, spanned.get_ref(), spanned.span());
    }
    for word in case.expect.forbid.iter().chain(&case.expect.allow) {
        check_word(source, word, source.place_of(word, 0));
    }
    check_record(source, &case.expect);
}

/// The piece that is lifted is the one that the case has put there: of a slip in it nothing would be
/// seen. What bytes tell of a board is known to its driver alone.
fn check_lifts(source: &mut Source<'_>, case: &Case, start: Placement) {
    let mut boards: BTreeMap<&str, Option<Placement>> = BTreeMap::new();
    for spanned in &case.obs {
        let o = spanned.get_ref();
        let board = boards.entry(&o.dev).or_insert(Some(start));
        match (o.kind, board.as_mut(), o.square, o.piece) {
            (Kind::Board, ..) => *board = o.fen,
            (Kind::Raw, ..) => *board = None,
            (Kind::Lift, Some(board), Some(square), Some(piece)) => {
                check_lift(source, spanned.span(), board[square], square, piece);
                board[square] = Occupant::Empty;
            }
            (Kind::Place, Some(board), Some(square), Some(piece)) => board[square] = piece,
            _ => {}
        }
    }
}

/// A hand takes from a square what stands there.
pub fn check_lift(
    source: &mut Source<'_>,
    span: Range<usize>,
    stands: Occupant,
    square: Square,
    piece: Occupant,
) {
    if stands == piece {
        return;
    }
    let there = match stands {
        Occupant::Empty => "nothing".to_owned(),
        other => other.letter().to_string(),
    };
    source.tell(span, format!("{} is lifted from {square}, and {there} stands there", piece.letter()));
}

/// The mode is said apart.
fn check_book(source: &mut Source<'_>, case: &Case) {
    let book = case.setup.book.get_ref();
    let plain = book.strip_suffix("-sup").unwrap_or(book);
    for mode in ["standard", "rapid", "blitz"] {
        let Some(name) = plain.strip_suffix(mode).and_then(|name| name.strip_suffix('-')) else { continue };
        let what = format!("book = {book:?}: say book = {name:?}, and mode = {mode:?} apart from it");
        source.tell(case.setup.book.span(), what);
    }
}

/// A ruling or a notice that is waited for.
fn check_ruling(source: &mut Source<'_>, ruling: &ExpectedRuling, span: Range<usize>) {
    for word in std::iter::once(&ruling.kind).chain(&ruling.alternatives) {
        check_word(source, word, source.place_of(word, span.start));
    }
    let rulings = |word: &&String| OTHER_WORDS.iter().any(|w| w.cases.contains(&word.as_str()));
    let ruled = std::iter::once(&ruling.kind).chain(&ruling.alternatives).find(rulings);
    if let (Some(word), Some(squares)) = (ruled, &ruling.squares) {
        let what = format!(
            "squares: only notices name squares, and {word:?} is a ruling: leave it out, or say required"
        );
        source.tell(squares.span(), what);
    }
    for uci in ruling.required.iter().flatten() {
        source.check_move(uci, source.place_of(uci, span.start));
    }
    if let (Some(after), Some(before)) = (ruling.after_ms, ruling.before_ms)
        && after > before
    {
        let what =
            format!("no time is after {after} ms and before {before} ms: after_ms has to be the smaller");
        source.tell(span, what);
    }
}

/// What is expected of the record: moves, results, reasons and their order.
fn check_record(source: &mut Source<'_>, expect: &Expect) {
    let moves = [&expect.moves, &expect.optional_tail, &expect.never, &expect.irregular, &expect.inferred];
    for text in moves.into_iter().flatten() {
        source.check_move(text, source.place_of(text, 0));
    }
    for text in expect.results.iter().flatten().chain(&expect.result) {
        check_result(source, text, source.place_of(text, 0));
    }
    let unknown = |reason: &&String| !CASE_REASONS.contains(&reason.as_str());
    if let Some(reason) = expect.reason.as_ref().filter(unknown) {
        let known = one_of(reason, CASE_REASONS);
        source.tell(source.place_of(reason, 0), format!("no result has the reason {reason:?}: {known}"));
    }
    for text in &expect.order {
        let place = source.place_of(text, 0);
        match text.split_once(':') {
            Some(("move", uci)) => source.check_move(uci, place),
            Some(("result", result)) => check_result(source, result, place),
            _ => {
                let what = format!("{text:?} is neither \"move:\" and a move nor \"result:\" and a result");
                source.tell(place, what);
            }
        }
    }
    for text in expect.dev_moves.iter().flatten() {
        let place = source.place_of(text, 0);
        match text.split_once(':') {
            Some((_, uci)) => source.check_move(uci, place),
            None => source.tell(place, format!("{text:?} is not the name of a board, a colon and a move")),
        }
    }
}

/// What people say: claims by their names, and the moves of an arbiter.
fn check_said(source: &mut Source<'_>, case: &Case) {
    for spanned in &case.obs {
        let said = spanned.get_ref();
        for text in &said.moves {
            source.check_move(text, source.place_of(text, spanned.span().start));
        }
        match (said.action, said.moves.is_empty()) {
            (Some(Action::SetMoves), true) => {
                source.tell(spanned.span(), "to set moves is to name them: moves has to be there");
            }
            (Some(Action::Restore | Action::Resume), false) => {
                source.tell(spanned.span(), "only the action set-moves has moves");
            }
            _ => {}
        }
        if let Some(what) = said.what.as_deref().filter(|what| !CLAIMS.contains(what)) {
            let known = one_of(what, CLAIMS);
            source.tell(spanned.span(), format!("nobody claims {what:?}: {known}"));
        }
    }
}

fn check_result(source: &mut Source<'_>, result: &str, place: Range<usize>) {
    if !RESULTS.contains(&result) {
        source.tell(place, format!("{result:?} is no result: {}", RESULTS.join(", ")));
    }
}

/// A word that nobody has would never be found, and a mistaken `forbid` never hold.
fn check_word(source: &mut Source<'_>, word: &str, place: Range<usize>) {
    if !CASE_WORDS.contains(&word) {
        let known = one_of(word, CASE_WORDS);
        source.tell(place, format!("no ruling or notice of the cases is called {word:?}: {known}"));
    }
}

/// The words of a set, and the one that was probably meant.
pub fn one_of(word: &str, known: &[&str]) -> String {
    format!("it is one of {}{}", known.join(", "), did_you_mean(word, known.iter().copied()))
}
