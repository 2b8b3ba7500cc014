// SPDX-License-Identifier: GPL-3.0-or-later
//! The share of a long soak that is run with every change. A game that fails is told with its seed and
//! its number, which play it again: `arbiterctl soak --seed S ... --only K --trace`.
//!
//! A move that is missing is no false one: where both hands were within one scan there is nothing to see.
//! How many are missing is told by the soak and not judged here.

use serde_json::Value;

use super::{lines, soak};

/// Nothing in the record that was not played, and no ruling that nothing called for, in so many
/// half-moves at least.
fn nothing_false(words: &str, half_moves: u64) -> Value {
    let mut said = lines(&soak(words));
    let end = said.pop().unwrap();
    let failures: Vec<String> = said.iter().map(|f| format!("game {}: {}", f["game"], f["what"])).collect();
    let again = format!("arbiterctl soak {words} --only GAME --trace\n{}\n{end}", failures.join("\n"));
    assert!(end["moves"].as_u64().unwrap() >= half_moves, "too few half-moves: {end}");
    assert!(end["false"].as_object().unwrap().is_empty(), "false rulings: {again}");
    assert_eq!(end["wrong"], 0, "moves that were not played: {again}");
    end
}

#[test]
fn no_report_is_misread() {
    nothing_false("--seed 20231 --games 720 --irregular 30", 50_000);
}

#[test]
fn nothing_is_misread_after_a_ruling() {
    nothing_false("--seed 20236 --games 150 --irregular 100 --play-on", 5_000);
}

#[test]
fn no_byte_of_a_dgt_board_is_misread() {
    nothing_false("--seed 20232 --games 60 --irregular 30 --level bytes --family dgt", 3_000);
}

#[test]
fn no_byte_of_a_millennium_board_is_misread() {
    nothing_false("--seed 20233 --games 60 --irregular 30 --level bytes --family millennium", 3_000);
}

/// Bytes are lost, doubled or damaged: the record may stop, and no more.
#[test]
fn a_faulty_line_makes_no_move_and_accuses_nobody() {
    let end = nothing_false("--seed 20234 --games 40 --irregular 30 --level bytes --faults 100", 2_000);
    assert_eq!(end["faulty"], 40, "{end}");
}

#[test]
fn no_known_game_is_misread() {
    let games = format!("{}/tests/data/games.pgn", env!("CARGO_MANIFEST_DIR"));
    nothing_false(&format!("--seed 20235 --games 210 --pgn {games}"), 15_000);
}
