// SPDX-License-Identifier: GPL-3.0-or-later
//! The text of PGN files, cut into games, tags and the moves of the main lines. What is written
//! where a move should stand is kept as it is: readers that pass over what they cannot read would
//! play another game.

use std::iter::Peekable;
use std::str::Chars;

/// A game as it is written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// Names and values.
    pub tags: Vec<(String, String)>,
    /// The words of the main line that should be moves, without `!` and `?`.
    pub moves: Vec<String>,
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// All games of a file.
pub fn games(text: &str) -> Vec<Written> {
    let mut reading = Reading::default();
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut line_begins = true;
    while let Some(c) = rest.next() {
        match c {
            '%' if line_begins => skip_past(&mut rest, '\n'),
            ';' => skip_past(&mut rest, '\n'),
            '{' => skip_past(&mut rest, '}'),
            '(' => reading.depth += 1,
            ')' => reading.depth = reading.depth.saturating_sub(1),
            '[' if reading.depth == 0 => reading.tag(&mut rest),
            c if c.is_whitespace() => {}
            c => {
                let word = word(c, &mut rest);
                reading.word(&word);
            }
        }
        line_begins = c == '\n' || c == ';';
    }
    reading.end_game();
    reading.games
}

fn skip_past(rest: &mut Peekable<Chars<'_>>, end: char) {
    _ = rest.find(|c| *c == end);
}

/// Up to a space or what stands for itself.
fn word(first: char, rest: &mut Peekable<Chars<'_>>) -> String {
    let mut word = String::from(first);
    while let Some(c) = rest.next_if(|c| !c.is_whitespace() && !"{}();[]".contains(*c)) {
        word.push(c);
    }
    word
}

#[derive(Default)]
struct Reading {
    games: Vec<Written>,
    game: Written,
    /// Something of the present game was read.
    begun: bool,
    /// How many variations are open.
    depth: usize,
}

impl Reading {
    /// `[Name "value"]`, of which the bracket is read; in the value `\` takes the next as it is.
    fn tag(&mut self, rest: &mut Peekable<Chars<'_>>) {
        if !self.game.moves.is_empty() {
            self.end_game();
        }
        self.begun = true;
        let mut name = String::new();
        while let Some(c) = rest.next_if(|c| *c != '"' && *c != ']') {
            name.push(c);
        }
        let mut value = String::new();
        if rest.next_if_eq(&'"').is_some() {
            while let Some(c) = rest.next_if(|c| *c != '"') {
                value.extend(if c == '\\' { rest.next() } else { Some(c) });
            }
        }
        skip_past(rest, ']');
        self.game.tags.push((name.trim().to_owned(), value));
    }

    fn word(&mut self, word: &str) {
        if self.depth > 0 {
            return;
        }
        if RESULTS.contains(&word) {
            self.begun = true;
            self.end_game();
            return;
        }
        let word = without_number(word).trim_end_matches(['!', '?']);
        if !word.is_empty() && !word.starts_with('$') {
            self.begun = true;
            self.game.moves.push(word.to_owned());
        }
    }

    fn end_game(&mut self) {
        self.depth = 0;
        if std::mem::take(&mut self.begun) {
            self.games.push(std::mem::take(&mut self.game));
        }
    }
}

/// `12.`, `12...` and `...` say nothing of the move; `12.Nf3` has it behind. `0-0` is castling in
/// the writing of some programs, and no number.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.trim_start_matches('.') {
        "" => "",
        after if after.len() < rest.len() => after,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<Vec<String>> {
        games(text).into_iter().map(|game| game.moves).collect()
    }

    #[test]
    fn the_main_line_is_found_among_everything_else() {
        let text = "\u{feff}[White \"A \\\"B\\\"\"]\n% not PGN\n\n1.e4! {1. d4 [x]} e5 $1 (1... c5 2. Nf3 (2. c3)) 2. Nf3!? ; 2. f4\n2... Nc6 3.Bb5 1-0";
        assert_eq!(moves(text), [["e4", "e5", "Nf3", "Nc6", "Bb5"]]);
        assert_eq!(games(text)[0].tags, [("White".to_owned(), "A \"B\"".to_owned())]);
    }

    #[test]
    fn games_end_at_their_result_or_at_the_next_tag() {
        assert_eq!(
            moves("1. e4 * 1. d4 d5\n[Event \"x\"]\n1. c4 1/2-1/2"),
            [vec!["e4"], vec!["d4", "d5"], vec!["c4"]]
        );
        assert_eq!(moves("[Event \"no move\"]\n\n*\n\n[Event \"x\"]\n\n0-1"), [vec![""; 0], vec![]]);
        assert!(games(" \n").is_empty());
    }

    #[test]
    fn what_is_no_move_is_kept() {
        assert_eq!(moves("1. e4 Zz9 2. O-O 0-0 -- 12"), [["e4", "Zz9", "O-O", "0-0", "--"]]);
    }

    #[test]
    fn what_is_never_closed_ends_with_the_file() {
        for text in ["{", "[", "[A \"", "1. e4 (", "1. e4 {x", "[A \"\\", ";", "%"] {
            assert!(games(text).len() <= 1, "{text}");
        }
    }
}
