// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl soak` as a process: careful people, in whose games nothing may be wrong; the same again
//! from the same seed; somebody who does wrong, who is found; and a share of what is soaked before a
//! release, in which no move may be wrong and nobody falsely accused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

mod generate;
mod known;
mod said;
mod share;

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

/// The same at boards of both families, with all that lies between a hand and a report.
#[test]
fn nothing_goes_wrong_between_careful_hands_and_the_record() {
    let output = soak("--games 8 --seed 3 --habits clean --level bytes --longest 40");
    let end = end(&output);
    assert_eq!((&end["wrong"], &end["missing"], &end["failed"]), (&0.into(), &0.into(), &0.into()), "{end}");
    assert!(end["false"].as_object().unwrap().is_empty(), "{end}");
    let boards: Vec<&String> = end["boards"].as_object().unwrap().keys().collect();
    let families = ["dgt", "millennium"];
    assert!(families.iter().all(|family| boards.iter().any(|board| board.starts_with(family))), "{end}");
}

/// Black pressed early, White pressed after him, and the line shows a queen where none went: the press of White tells
/// that the early one is for nothing that has come to rest.
#[test]
fn an_early_press_that_was_pressed_after_makes_no_move_of_a_false_report() {
    let end = end(&soak("--level bytes --family dgt --faults 100 --seed 33 --only 815"));
    assert_eq!((&end["wrong"], &end["moves"]), (&0.into(), &80.into()), "{end}");
}

#[test]
fn the_same_seed_is_the_same_game_and_another_is_not() {
    for level in ["events", "bytes", "bytes --faults 100"] {
        let trace = |seed: u64| {
            let output =
                soak(&format!("--seed {seed} --only 2 --trace --irregular 50 --longest 12 --level {level}"));
            lines(&output).into_iter().find(|line| line["event"] == "trace").unwrap()
        };
        assert_eq!(trace(11), trace(11));
        assert_ne!(trace(11)["trace"], trace(12)["trace"]);
    }
}

/// What the driver and the board say to each other is in the trace of bytes.
#[test]
fn a_trace_shows_the_bytes_of_both_directions() {
    let output = soak("--only 0 --trace --level bytes --family dgt --longest 2");
    let line = lines(&output).into_iter().find(|line| line["event"] == "trace").unwrap();
    let trace: Vec<&str> = line["trace"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
    // The whole board is asked for (0x42), and its answer begins with 0x86 0x00 0x43.
    assert!(trace.iter().any(|line| line.ends_with("> 42")), "{trace:?}");
    assert!(trace.iter().any(|line| line.contains("< 86")), "{trace:?}");
}

#[test]
fn an_illegal_move_of_careful_people_is_ruled_on() {
    let output = soak("--games 24 --seed 5 --habits clean --irregular 100 --longest 24");
    let end = end(&output);
    let answers = &end["answers"]["illegal-move"];
    assert!(answers["ruled"]["count"].as_u64().unwrap() > 0, "{end}");
    assert_eq!(answers["missed"], Value::Null, "{end}");
    let without_move = &end["answers"]["press-without-move"];
    assert!(without_move["ruled"]["count"].as_u64().unwrap() > 0, "{end}");
    assert_eq!(without_move["missed"], Value::Null, "{end}");
}

/// After a ruling the position is put back, and the record goes on without the irregular move.
#[test]
fn a_game_goes_on_after_a_ruling() {
    let words = "--games 24 --seed 5 --habits clean --irregular 100 --longest 30";
    let (ended, played_on) = (end(&soak(words)), end(&soak(&format!("{words} --play-on"))));
    assert_eq!(played_on["wrong"], 0, "{played_on}");
    assert!(played_on["false"].as_object().unwrap().is_empty(), "{played_on}");
    let moves = |end: &Value| end["moves"].as_u64().unwrap();
    assert!(moves(&played_on) > moves(&ended), "{ended} {played_on}");
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
    for words in [
        "--games 0",
        "--irregular 101",
        "--trace",
        "--level bits",
        "--habits wild",
        "--faults 5",
        "--family dgt",
    ] {
        assert_eq!(soak(words).status.code(), Some(2), "{words}");
    }
    assert_eq!(soak("--pgn no-such-file.pgn").status.code(), Some(1));
}
