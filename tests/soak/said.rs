// SPDX-License-Identifier: GPL-3.0-or-later
//! What a soak says to people: games that can be played again, and words that are explained.

use std::process::Command;

use super::{end, lines, soak};

/// What people are shown for these words.
fn said(words: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiterctl"));
    let output = command.arg("soak").args(words.split_whitespace()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

const IRREGULAR: &str = "--games 24 --seed 5 --habits clean --irregular 100 --longest 24";

/// The words with one game in place of all.
fn only(words: &str, game: u64) -> String {
    format!("{} --only {game}", words.replacen("--games 24 ", "", 1))
}

#[test]
fn each_row_names_a_game_in_which_it_came_about() {
    let (text, end) = (said(IRREGULAR), end(&soak(IRREGULAR)));
    let answers = end["answers"].as_object().unwrap();
    assert!(answers.len() > 3, "{end}");
    for (what, answers) in answers {
        let row = text.lines().find(|line| line.trim_start().starts_with(&format!("{what} "))).unwrap();
        for (answer, tally) in answers.as_object().unwrap() {
            let game = tally["first"].as_u64().unwrap();
            assert!(row.contains(&format!("{answer} {game}")), "{row}");
            let alone = super::end(&soak(&only(IRREGULAR, game)));
            assert!(alone["answers"][what][answer]["count"].as_u64() >= Some(1), "{what} {answer}: {alone}");
        }
    }
    for (kind, game) in end["first_notices"].as_object().unwrap() {
        let alone = super::end(&soak(&only(IRREGULAR, game.as_u64().unwrap())));
        assert!(alone["notices"][kind].as_u64() >= Some(1), "{kind}: {alone}");
    }
}

#[test]
fn a_game_is_named_with_its_command_when_nothing_failed() {
    let text = said(IRREGULAR);
    let again = text.lines().find_map(|line| line.strip_prefix("to see one: arbiterctl soak ")).unwrap();
    for option in ["--seed 5", "--irregular 100", "--habits clean", "--longest 24", "--only ", "--trace"] {
        assert!(again.contains(option), "{again}");
    }
    assert!(said(again).contains("\nplayed    "), "{again}");
}

/// A pawn that is left on the last rank needs one that gets there, which no pawn does in two half-moves.
#[test]
fn games_without_an_occasion_are_told() {
    let words = "--games 12 --seed 5 --irregular 100 --longest 2";
    let (text, end) = (said(words), end(&soak(words)));
    assert_eq!((&end["planned"], &end["no_occasion"]), (&12.into(), &12.into()), "{end}");
    assert!(text.contains("nothing was done wrong in 12 of 12 games"), "{text}");
    let orderly = said("--games 3 --seed 5 --longest 9 --habits clean");
    assert!(!orderly.contains("nothing was done wrong"), "{orderly}");
}

#[test]
fn no_heading_stands_over_nothing() {
    for seed in 1..12 {
        let text = said(&format!("--games 1 --seed {seed} --habits clean --longest 6"));
        let after = text.lines().skip_while(|line| *line != "what was only told").nth(1);
        assert!(after.is_none_or(|line| line.starts_with("  ")), "{text}");
    }
}

#[test]
fn a_trace_has_a_key_and_marks_what_is_done_wrong_before_what_comes_of_it() {
    let all = end(&soak(IRREGULAR));
    let game = all["answers"]["illegal-move"]["ruled"]["first"].as_u64().unwrap();
    let text = said(&format!("{} --trace", only(IRREGULAR, game)));
    let at = |start: &str| text.lines().position(|line| line.starts_with(start)).unwrap();
    let is_mark = |line: &str| line.split(' ').nth(1) == Some("!");
    assert_eq!(text.lines().filter(|line| is_mark(line)).count(), 1, "{text}");
    let mark = text.lines().position(is_mark).unwrap();
    let ruling = text.lines().position(|line| line.contains("    ruling illegal-move")).unwrap();
    assert!(at("key: ") < at("1000.000 ") && at("1000.000 ") < mark && mark < ruling, "{text}");
    assert!(ruling < at("played    "), "{text}");
    let (done, told) = (text.lines().nth(mark).unwrap(), at("done wrong: "));
    let since = done.split(' ').next().unwrap();
    assert!(text.lines().nth(told).unwrap().contains(&format!(" at {since}")), "{text}");
    let empty = |line: &&str| line.ends_with(' ') || line.ends_with("with") || line.contains("Pressed(");
    assert_eq!(text.lines().find(empty), None);
}

/// Boards tell what stands all the time: people see what something came of, and programs all of it.
#[test]
fn bytes_of_which_nothing_came_are_left_out_for_people_and_counted() {
    let words = "--only 1 --trace --level bytes --family millennium --longest 6";
    let text = said(words);
    let line = lines(&soak(words)).into_iter().find(|line| line["event"] == "trace").unwrap();
    let whole = line["trace"].as_array().unwrap();
    let shown = text.lines().count();
    assert!(shown * 4 < whole.len(), "{shown} of {}: {text}", whole.len());
    assert!(text.contains(" bytes from the board, "), "{text}");
    let reports = |line: &&str| line.contains("    move ") || line.contains("    state ");
    let told: Vec<&str> = text.lines().filter(reports).collect();
    let all: Vec<&str> = whole.iter().map(|line| line.as_str().unwrap()).filter(reports).collect();
    assert!(!told.is_empty());
    assert_eq!(told, all);
}
