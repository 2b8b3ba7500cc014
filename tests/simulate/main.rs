// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl simulate` as a process, and a host of boards in Python that shares no code with it:
//! `tests/independent`, written from the description of the protocol alone. What one of them has
//! misunderstood, the other does not understand.
//!
//! Real time passes, because both are processes; each wait is for a line or an end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

mod millennium;
mod rig;
mod slow_hosts;

use rig::{Board, Host};

const ITALIAN: &str = "[Event \"test\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O *\n";
const ITALIAN_END: &str = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1";

/// A promotion with a capture, a capture in passing and castling to the queen's side.
const SPECIAL: &str =
    "[FEN \"r3k2r/8/8/8/4p3/8/1p1P4/N3K2R w Kq - 0 1\"]\n\n1. d4 exd3 2. Kf2 bxa1=Q 3. Kg3 O-O-O *\n";
const SPECIAL_END: &str = "2kr3r/8/8/8/8/3p2K1/8/q6R";

#[test]
fn the_independent_host_agrees_with_itself() {
    Host::run(&["--self-test"]).ends_well();
}

/// Several kinds of boards at once, for each takes most of a minute.
#[test]
fn all_commands_get_the_answers_that_the_description_promises() {
    let computer = Board::start(&["--option", "computer", "--serial", "01025"]);
    let normal = Board::start(&["--option", "normal"]);
    let bare = Board::start(&["--clock", "none", "--long-serial", "none"]);
    let bluetooth = Board::start(&["--bluetooth", "--option", "computer"]);
    let [computer_host, normal_host, bare_host, bluetooth_host] =
        [&computer, &normal, &bare, &bluetooth].map(|board| Host::on(board, &["--exercise"]));
    let refused = |said: &[serde_json::Value]| said.iter().any(|line| line["event"] == "refused");
    assert!(!refused(&computer_host.ends_well()));
    assert!(refused(&normal_host.ends_well()), "a clock in a normal option cannot be set");
    bare_host.ends_well();
    bluetooth_host.ends_well();
}

#[test]
fn three_boards_on_a_line_are_found_and_answer() {
    let board = Board::start(&["--mode", "bus", "--serials", "01025,02050,00007"]);
    let said = Host::on(&board, &["--mode", "bus", "--exercise"]).ends_well();
    let mut found: Vec<u64> = said
        .iter()
        .filter(|line| line["found"] == true)
        .filter_map(|line| line["address"].as_u64())
        .collect();
    found.sort_unstable();
    assert_eq!(found, [7, 1025, 2050]);
}

#[test]
fn a_line_that_echoes_is_understood_too() {
    let board = Board::start(&["--mode", "bus", "--echo", "--serial", "01025"]);
    Host::on(&board, &["--mode", "bus", "--echo", "--exercise"]).ends_well();
}

#[test]
fn a_game_is_followed_to_its_last_position() {
    let board = Board::play(ITALIAN, &[]);
    Host::on(&board, &["--seconds", "90", "--idle-dump", "2", "--until", ITALIAN_END]).ends_well();
}

#[test]
fn captures_in_passing_promotions_and_castling_are_followed() {
    let board = Board::play(SPECIAL, &["--clock", "none"]);
    Host::on(&board, &["--seconds", "90", "--until", SPECIAL_END]).ends_well();
}

#[test]
fn a_game_is_followed_on_a_line() {
    let board = Board::play(ITALIAN, &["--mode", "bus", "--boards", "2", "--serial", "01025"]);
    let args = ["--mode", "bus", "--addresses", "1025,1026", "--seconds", "90", "--until", ITALIAN_END];
    Host::on(&board, &args).ends_well();
}

#[test]
fn a_game_that_is_not_legal_is_refused_before_anything_is_made() {
    let (code, said, link) = Board::refused("1. e4 e5 2. Ke3 *", &[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("game.pgn, game 1, move 2 of White: Ke3"), "{said}");
    assert!(!link.is_symlink());
    let (code, said, _) = Board::refused("1. e4 e5 2. Zf3 Nc6 *", &[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("move 2 of White: Zf3: this cannot be read"), "{said}");
}

#[test]
fn wrong_usage_has_a_code_of_its_own() {
    for args in [
        &["--boards", "2"][..],
        &["--mode", "bus", "--boards", "33"],
        &["--mode", "bus", "--bluetooth"],
        &["--fault", "gremlin"],
        &["--serial", "16384"],
        &["--position", "8/8"],
        &["--mode", "bus", "--serials", "01025,02050", "--fault-board", "01025"],
        &["--mode", "bus", "--boards", "2", "--same-address"],
        &["--clock", "none", "--option", "computer"],
    ] {
        let (code, said, link) = Board::refused(ITALIAN, args);
        assert_eq!(code, Some(2), "{args:?}: {said}");
        assert!(!link.is_symlink());
    }
}

#[test]
fn every_way_to_end_takes_the_link_away() {
    for signal in ["TERM", "INT", "HUP"] {
        let board = Board::start(&[]);
        assert!(board.link().is_symlink());
        assert_eq!(board.end(signal), Some(0), "{signal}");
    }
}

#[test]
fn hands_do_what_lines_say() {
    let mut board = Board::start(&["--hands", "--mode", "bus", "--boards", "2"]);
    for (line, answer) in [
        ("lift e2", "ok"),
        ("lift e2", "error: nothing stands on e2"),
        ("place e4 P", "ok"),
        ("press left", "ok"),
        ("board 01002", "ok"),
        ("lift e2", "ok"),
        ("board 01003", "error: no board has the serial number 01003"),
        ("fault clock=out", "ok"),
        ("times 1:00:00 0:59:59", "ok"),
        ("unplug", "ok"),
        ("unplug", "error: the port is closed already; write plug"),
        ("plug", "ok"),
        ("position 8/8/8/8/8/8/8/K6k", "ok"),
        ("jump", "error: \"jump\" is not known"),
        ("button back minus", "ok"),
        ("button run", "error: in the option normal this button starts and stops the clock"),
        ("quit", "ok"),
    ] {
        let said = board.ask(line);
        assert!(said.starts_with(answer), "{line}: {said}");
    }
    assert_eq!(board.ended(), Some(0));
}

#[test]
fn the_board_stays_when_the_hands_end() {
    let mut board = Board::start(&["--hands"]);
    for line in ["lift e2", "place e4 P", "press left"] {
        assert_eq!(board.ask(line), "ok");
    }
    board.end_of_hands();
    board.hear("the hands have ended");
    // It answers a host as the hands left it.
    Host::on(&board, &["--seconds", "60", "--until", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"])
        .ends_well();
    assert_eq!(board.end("INT"), Some(0));
}

#[test]
fn lines_that_are_no_text_are_answered_too() {
    let mut board = Board::start(&["--hands"]);
    let said = board.ask_bytes(b"\xff\xfe\0");
    assert!(said.starts_with("error: "), "{said}");
    let said = board.ask_bytes(&[b'x'; 1000]);
    assert!(said.starts_with("error: "), "{said}");
    assert_eq!(board.ask("lift e2"), "ok");
}

#[test]
fn buttons_of_the_clock_reach_the_host() {
    let mut board = Board::start(&["--hands", "--option", "computer"]);
    let host = Host::on(&board, &["--seconds", "60", "--until", "8/8/8/8/8/8/8/K6k"]);
    board.hear("asked what stands on it");
    for line in ["button ok", "button back minus", "button run", "position 8/8/8/8/8/8/8/K6k"] {
        assert_eq!(board.ask(line), "ok");
    }
    let said = host.ends_well();
    let heard: Vec<&str> = said.iter().filter_map(|line| line["button"].as_str()).collect();
    assert_eq!(heard, ["ok", "minus", "run"]);
}

#[test]
fn boards_of_one_address_are_a_mistake_unless_it_is_rehearsed() {
    for serials in ["01025,02050,01025", "01025,17409"] {
        let line = ["--mode", "bus", "--serials", serials];
        let (code, said, link) = Board::refused(ITALIAN, &line);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.contains("same address on the line, 01025") && said.contains("--same-address"),
            "{said}"
        );
        assert!(!link.is_symlink());
        let board = Board::start(&[&line[..], &["--same-address"]].concat());
        assert_eq!(board.end("TERM"), Some(0));
    }
}

#[test]
fn a_link_that_leads_somewhere_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("somebody's"), folder.path().join("link"));
    std::fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let first = Board::start(&[]);
    for taken in [&link, &first.link()] {
        let target = std::fs::read_link(taken).unwrap();
        let (code, said) = Board::refused_at(taken);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(&target.display().to_string()) && said.contains("name another path"), "{said}");
        assert_eq!(std::fs::read_link(taken).unwrap(), target);
    }
    assert_eq!(first.end("TERM"), Some(0));
}

#[test]
fn what_hands_do_reaches_the_host() {
    let mut board = Board::start(&["--hands"]);
    let host =
        Host::on(&board, &["--seconds", "60", "--until", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"]);
    board.hear("asked what stands on it");
    for line in ["lift e2", "place e4 P", "press left"] {
        assert_eq!(board.ask(line), "ok");
    }
    host.ends_well();
}

#[test]
fn a_harmful_command_is_told_loudly() {
    let mut board = Board::start(&["--hands"]);
    std::fs::write(board.link(), [0x4e]).unwrap();
    let said = board.hear("WARNING");
    assert!(said.contains("0x4e") && said.contains("boot loader"), "{said}");
    board.hear("waits in its boot loader");
    assert_eq!(board.ask("power"), "ok");
}

#[test]
fn for_programs_every_line_is_an_object() {
    let mut board = Board::start_json(&["--hands", "--fault", "unplug@1s"]);
    let said: serde_json::Value = serde_json::from_str(&board.hear("unplugged")).unwrap();
    assert_eq!(said["event"], "unplugged");
    assert!(!board.link().is_symlink());
    let said: serde_json::Value = serde_json::from_str(&board.ask("lift e5")).unwrap();
    assert_eq!((&said["event"], &said["error"]), (&"error".into(), &"nothing stands on e5".into()));
}
