// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl soak` as a process: careful people, in whose games nothing may be wrong; the same again
//! from the same seed; and somebody who does wrong, who is found.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

use std::process::{Command, Output};

use serde_json::Value;

/// Runs `arbiterctl soak` with these words to its end.
fn soak(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiterctl"));
    command.arg("--json").arg("soak").args(words.split_whitespace()).output().unwrap()
}

/// The objects that it wrote.
fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn end(output: &Output) -> Value {
    lines(output).pop().unwrap()
}

#[test]
fn nothing_goes_wrong_when_people_are_careful() {
    let output = soak("--games 6 --seed 3 --habits clean");
    let end = end(&output);
    assert_eq!((&end["wrong"], &end["missing"], &end["failed"]), (&0.into(), &0.into(), &0.into()), "{end}");
    assert!(end["false"].as_object().unwrap().is_empty(), "{end}");
    assert!(end["moves"].as_u64().unwrap() > 100, "{end}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_same_seed_is_the_same_game_and_another_is_not() {
    let trace = |seed: u64| {
        let output = soak(&format!("--seed {seed} --only 2 --trace --irregular 50"));
        lines(&output).into_iter().find(|line| line["event"] == "trace").unwrap()
    };
    assert_eq!(trace(11), trace(11));
    assert_ne!(trace(11)["trace"], trace(12)["trace"]);
}

#[test]
fn an_illegal_move_of_careful_people_is_ruled_on() {
    let output = soak("--games 24 --seed 5 --habits clean --irregular 100 --longest 24");
    let end = end(&output);
    let answers = &end["answers"]["illegal-move"];
    assert!(answers["ruled"]["count"].as_u64().unwrap() > 0, "{end}");
    assert_eq!(answers["missed"], Value::Null, "{end}");
    assert_eq!(end["answers"]["press-without-move"]["missed"], Value::Null, "{end}");
}

/// Games that are known, of which each move is made and pressed.
#[test]
fn games_of_a_file_are_played_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    std::fs::write(&file, "1. f3 e5 2. g4 Qh4# 0-1\n\n[Event \"second\"]\n\n1. e4 e5 2. Nf3 *\n").unwrap();
    let output = soak(&format!("--games 4 --habits clean --pgn {}", file.display()));
    let end = end(&output);
    // Twice four half-moves and twice three; the first game ends with mate.
    assert_eq!((&end["moves"], &end["failed"]), (&14.into(), &0.into()), "{end}");
    assert_eq!(end["answers"]["checkmate"]["ruled"]["count"], 2, "{end}");
}

#[test]
fn wrong_words_are_wrong_usage() {
    for words in ["--games 0", "--irregular 101", "--trace", "--level bytes", "--habits wild"] {
        assert_eq!(soak(words).status.code(), Some(2), "{words}");
    }
    assert_eq!(soak("--pgn no-such-file.pgn").status.code(), Some(1));
}
