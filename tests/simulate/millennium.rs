// SPDX-License-Identifier: GPL-3.0-or-later
//! A Millennium board on its terminal, spoken to in bytes that are written out here: the worked
//! vectors of the protocol, and frames put together by hand.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};

use crate::rig::Board;

const START: &str = "srnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR73";
const E4: &str = "srnbqkbnrpppppppp....................P...........PPPP.PPPRNBQKBNR73";

/// Vectors 1, 3 and 10; register 02 := 01.
const VERSION: [u8; 3] = [0xd6, 0xb5, 0xb6];
const STATUS: [u8; 3] = [0xd3, 0xb5, 0xb3];
const RESET: [u8; 3] = [0x54, 0xb5, 0x34];
const NO_REPORTS: [u8; 7] = [0x57, 0xb0, 0x32, 0xb0, 0x31, 0xb5, 0x34];

fn port(board: &Board) -> File {
    OpenOptions::new().read(true).write(true).open(board.link()).unwrap()
}

/// Reads until this frame has come, without bit 7; other frames may come before it.
fn hear(port: &mut File, wanted: &str) {
    let mut heard = Vec::new();
    while !heard.ends_with(wanted.as_bytes()) {
        let mut byte = [0];
        port.read_exact(&mut byte).unwrap();
        heard.push(byte[0] & 0x7f);
        assert!(heard.len() < 1_000_000, "{wanted} never came");
    }
}

#[test]
fn it_answers_between_its_statuses() {
    let board = Board::millennium(&[]);
    let mut port = port(&board);
    hear(&mut port, START);
    port.write_all(&VERSION).unwrap();
    hear(&mut port, "v010374");
    hear(&mut port, START);
}

#[test]
fn hands_move_pieces_and_a_cable_on_the_right_turns_the_board() {
    let mut board = Board::millennium(&["--hands", "--cable", "right"]);
    let mut port = port(&board);
    // Vectors 18 and 21.
    hear(&mut port, "sRNBKQBNRPPPPPPPP................................pppppppprnbkqbnr73");
    for (line, answer) in [
        ("lift e2", "ok"),
        ("lift e2", "error: nothing stands on e2"),
        ("place e4 P", "ok"),
        ("press left", "error: the board has no clock"),
        ("button ok", "error: the board has no clock"),
        ("board 2", "error: there is one board, 1"),
        ("board 1", "ok"),
        ("fault gremlin", "error: no fault is called \"gremlin\"; there are drop"),
        ("fault lever=stuck", "error: no fault is called"),
        ("unplug", "ok"),
        ("unplug", "error: the port is closed already; write plug"),
        ("plug", "ok"),
    ] {
        let said = board.ask(line);
        assert!(said.starts_with(answer), "{line}: {said}");
    }
    let mut port = self::port(&board);
    hear(&mut port, "sRNBKQBNRPPP.PPPP...........P....................pppppppprnbkqbnr73");
    assert_eq!(board.ask("quit"), "ok");
    assert_eq!(board.ended(), Some(0));
}

#[test]
fn a_game_is_played_once_a_host_was_understood() {
    let mut board = Board::millennium_play("1. e4 *");
    let mut port = port(&board);
    hear(&mut port, START);
    port.write_all(&STATUS).unwrap();
    board.hear("board 1: a host asked what stands on it");
    board.hear("board 1: 1. e4");
    hear(&mut port, E4);
    board.hear("the game is over after 1 moves");
}

#[test]
fn what_hosts_do_wrong_is_told() {
    let mut board = Board::millennium_json(&[]);
    let mut port = port(&board);
    let told = |board: &mut Board, event: &str| -> serde_json::Value {
        serde_json::from_str(&board.hear(&format!("\"{event}\""))).unwrap()
    };
    port.write_all(b"V56").unwrap();
    assert_eq!(told(&mut board, "misuse")["misuse"], "bad-parity");
    port.write_all(b"?").unwrap();
    assert_eq!(told(&mut board, "misuse")["misuse"], "unknown");
    port.write_all(&NO_REPORTS).unwrap();
    hear(&mut port, "w020174");
    port.write_all(&RESET).unwrap();
    let said = told(&mut board, "harmful");
    assert_eq!((&said["command"], &said["board"]), (&"T".into(), &"1".into()));
    assert!(said["what"].as_str().unwrap().contains("three seconds"), "{said}");
}

#[test]
fn kinds_parities_and_faults_can_be_chosen() {
    let board =
        Board::millennium(&["--kind", "performance", "--parity", "none", "--fault", "register=02,01"]);
    let mut port = port(&board);
    port.write_all(&VERSION).unwrap();
    let mut answer = [0; 7];
    // Nothing is reported: the answer is all that comes.
    port.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"v011076");
}

#[test]
fn a_port_that_is_pulled_is_gone() {
    let mut board = Board::millennium(&["--fault", "unplug@1s"]);
    board.hear("the port is closed");
    assert!(!board.link().is_symlink());
}

#[test]
fn wrong_usage_has_a_code_of_its_own() {
    for args in [
        &["--kind", "pegasus"][..],
        &["--cable", "up"],
        &["--fault", "lever=stuck"],
        &["--position", "8/8"],
        &["--clock", "90+30"],
    ] {
        let (code, said, link) = Board::refused_of("millennium", "1. e4 *", args);
        assert_eq!(code, Some(2), "{args:?}: {said}");
        assert!(!link.is_symlink());
    }
    let (code, said, _) = Board::refused_of("millennium", "1. e4 e5 2. Ke3 *", &[]);
    assert_eq!(code, Some(1), "{said}");
}
