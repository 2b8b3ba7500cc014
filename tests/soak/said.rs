// SPDX-License-Identifier: GPL-3.0-or-later
//! What a soak says to people: games that can be played again, and words that are explained.

use std::process::Command;

use super::{end, soak};

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
