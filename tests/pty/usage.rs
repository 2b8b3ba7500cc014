// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line: what a mistake is answered with.

use super::hall::{Hall, Plan, arbiterd};
use super::witness::Witness;

#[test]
fn a_wrong_configuration_is_named_by_file_line_and_key_and_exits_78() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("club.toml");
    std::fs::write(
        &file,
        "[[board]]\nid = \"b1\"\nport = \"/dev/ttyUSB0\"\nfamily = \"dgt\"\n\n[[table]]\nid = \"t1\"\nboard = \"b1\"\n\
         rulebok = \"fide-2023-standard\"\nwhite_side = \"left\"\n",
    )
    .unwrap();
    let name = file.display().to_string();
    for command in [vec!["run", "--config", &name], vec!["check-config", &name]] {
        let (status, said) = arbiterd(&command);
        assert_eq!(status.code(), Some(78), "{said}");
        assert!(said.contains("club.toml:9:") && said.contains("rulebok"), "{said}");
        assert!(said.contains("did you mean \"rulebook\""), "{said}");
    }
    let (status, said) = arbiterd(&["run", "--config", "/nonexistent/arbiterd.toml"]);
    assert_eq!(status.code(), Some(78), "{said}");
    assert!(said.contains("/nonexistent/arbiterd.toml"), "{said}");
}

#[test]
fn a_board_of_no_known_family_is_named_by_file_line_and_key_and_exits_78() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("club.toml");
    let board = "[[board]]\nid = \"b1\"\nport = \"/dev/ttyUSB0\"\nfamily = \"milenium\"\n";
    std::fs::write(&file, format!("rulebook_dirs = []\n{board}")).unwrap();
    let name = file.display().to_string();
    for command in [vec!["run", "--config", &name], vec!["check-config", &name]] {
        let (status, said) = arbiterd(&command);
        assert_eq!(status.code(), Some(78), "{said}");
        assert!(said.contains("club.toml:5: [[board]].family: \"milenium\""), "{said}");
    }
}

#[test]
fn without_a_subcommand_help_is_printed() {
    let (status, said) = arbiterd(&[]);
    assert_eq!(status.code(), Some(2));
    assert!(said.contains("Usage: arbiterd"), "{said}");
}

#[test]
fn a_bus_that_is_not_there_is_named() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let config = hall.journal().with_file_name("arbiterd.toml").display().to_string();
    let (status, said) = arbiterd(&["run", "--config", &config, "--bus", "unix:path=/nonexistent/bus"]);
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("unix:path=/nonexistent/bus"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_daemon_on_one_journal_is_refused_and_the_first_goes_on() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let mut daemon = hall.start();
    let config = hall.journal().with_file_name("arbiterd.toml").display().to_string();
    let (status, said) = arbiterd(&["run", "--config", &config, "--bus", hall.address()]);
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("journal.db"), "{said}");
    assert!(daemon.runs());
    assert!(witness.rulings(0).is_empty());
    let board = hall.plug(&plan);
    super::play::in_step(&mut witness).await;
    drop(board);
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_runtime_serves_ports_and_bus() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    super::play::in_step(&mut witness).await;
    let known = ["arbiterd", "journal-reader", "journal-writer", "tokio-rt-worker"];
    let others: Vec<_> = daemon.threads().into_iter().filter(|t| !known.contains(&t.as_str())).collect();
    assert!(others.is_empty(), "threads of another runtime: {others:?}");
    drop(board);
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[test]
fn a_second_daemon_on_one_bus_is_refused_and_begins_no_game() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut daemon = hall.start();
    let other = Hall::open(&plan);
    let config = other.journal().with_file_name("arbiterd.toml").display().to_string();
    let (status, said) = arbiterd(&["run", "--config", &config, "--bus", hall.address()]);
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("another arbiterd runs here"), "{said}");
    let journal = rusqlite::Connection::open(other.journal()).unwrap();
    let games: i64 = journal.query_one("SELECT count(*) FROM game", [], |row| row.get(0)).unwrap();
    assert_eq!(games, 0);
    assert!(daemon.runs());
}
