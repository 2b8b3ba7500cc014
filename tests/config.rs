// SPDX-License-Identifier: GPL-3.0-or-later
//! What a configuration may say, and what is said of wrong ones.
#![allow(clippy::expect_used, clippy::panic, reason = "a panic in a test's helper is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arbiterd::config::{
    BoardConfig, Config, ConfigError, Connection, DEFAULT_RULEBOOK_DIRS, Family, TableSettings, library,
};
use arbiterd::laws::rulebook::Library;
use arbiterd::table::{Lights, Observer, Orientation};
use arbiterd_board::ClockSide;
use arbiterd_dgt::bus::BusAddress;
use proptest::prelude::*;

fn embedded() -> Library {
    Library::embedded().unwrap_or_else(|e| panic!("{e}"))
}

/// Two boards, two tables: lines are counted from the line with `journal`.
const VALID: &str = r#"journal = "/srv/chess/journal.db"
rulebook_dirs = []
[[board]]
id = "hall-1"
port = "/dev/arbiterd/hall-1"
family = "dgt"
[[board]]
id = "hall-2"
port = "/dev/ttyUSB1"
family = "dgt"
[[table]]
id = "one"
board = "hall-1"
rulebook = "fide-2023-rapid"
observer = "witness"
white_side = "left"
start = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
increment_ms = 10_000
orientation = "turned"
[[table]]
id = "two"
board = "hall-2"
rulebook = "fide-2018-blitz"
white_side = "right"
"#;

fn parse(text: &str) -> Result<Config, Vec<String>> {
    Config::parse(Path::new("arbiterd.toml"), text, &embedded(), None)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

/// The boards of a configuration with these lines more in the first and in the second board.
fn boards_with(first: &str, second: &str) -> Result<Vec<BoardConfig>, Vec<String>> {
    let text = VALID
        .replace("port = \"/dev/arbiterd/hall-1\"", &format!("port = \"/dev/ttyS1\"\n{first}"))
        .replace("port = \"/dev/ttyUSB1\"", &format!("port = \"/dev/ttyS1\"\n{second}"));
    parse(&text).map(|config| config.boards)
}

#[test]
fn boards_on_a_bus_line_share_a_port_and_have_addresses() {
    let address = |serial| Connection::Bus(BusAddress::from_serial(serial).unwrap());
    let boards = boards_with("bus_serial = \"01025\"", "bus_serial = \"02050\"").unwrap();
    let connections: Vec<_> = boards.iter().map(|b| b.connection).collect();
    assert_eq!(connections, [address("01025"), address("02050")]);

    for (first, second, problem) in [
        ("bus_serial = \"01025\"", "bus_serial = \"01025\"", "the bus address 1025"),
        ("bus_serial = \"01025\"", "", "give the board its bus_serial"),
        ("bus_serial = \"01025\"", "bus_serial = \"99999\"", "1 to 16383"),
        ("bus_serial = \"01025\"", "bus_serial = \"00000\"", "1 to 16383"),
        (
            "bus_serial = \"01025\"",
            "bus_serial = \"02050\"\ntransport = \"bluetooth\"",
            "a board on a bus line is wired",
        ),
    ] {
        let problems = boards_with(first, second).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains(problem), "{problems:?}");
    }
}

#[test]
fn a_board_on_a_bus_line_without_an_address_is_the_one_that_is_named() {
    let third = "[[board]]\nid = \"hall-3\"\nport = \"/dev/ttyS1\"\nfamily = \"dgt\"\n[[board]]\n";
    let text = VALID
        .replacen("[[board]]\n", third, 1)
        .replace("port = \"/dev/arbiterd/hall-1\"", "port = \"/dev/ttyS1\"\nbus_serial = \"01025\"")
        .replace("port = \"/dev/ttyUSB1\"", "port = \"/dev/ttyS1\"\nbus_serial = \"01025\"");
    let problems = parse(&text).unwrap_err();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().any(|p| p.contains("the bus address 1025")), "{problems:?}");
    assert!(problems.iter().any(|p| p.contains("give the board its bus_serial")), "{problems:?}");
}

#[test]
fn a_board_over_bluetooth_is_known_by_its_port_or_said_to_be() {
    let connection = |port: &str, more: &str| {
        let text = VALID.replace("port = \"/dev/ttyUSB1\"", &format!("port = {port:?}\n{more}"));
        parse(&text).unwrap().boards[1].connection
    };
    assert_eq!(connection("/dev/rfcomm0", ""), Connection::Bluetooth);
    assert_eq!(connection("/dev/rfcomm0", "transport = \"wired\""), Connection::Wired);
    assert_eq!(connection("/dev/board", "transport = \"bluetooth\""), Connection::Bluetooth);
}

#[test]
fn a_valid_configuration_is_read_as_it_stands() {
    let expected = Config {
        boards: vec![
            BoardConfig {
                id: "hall-1".into(),
                port: "/dev/arbiterd/hall-1".into(),
                family: Family::Dgt,
                connection: Connection::Wired,
            },
            BoardConfig {
                id: "hall-2".into(),
                port: "/dev/ttyUSB1".into(),
                family: Family::Dgt,
                connection: Connection::Wired,
            },
        ],
        tables: vec![
            TableSettings {
                id: "one".into(),
                board: "hall-1".into(),
                rulebook: "fide-2023-rapid".into(),
                observer: Observer::Witness,
                white_side: ClockSide::Left,
                start_fen: Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".into()),
                increment: Duration::from_secs(10),
                orientation: Orientation::Turned,
                lights: Lights::Off,
            },
            TableSettings {
                id: "two".into(),
                board: "hall-2".into(),
                rulebook: "fide-2018-blitz".into(),
                observer: Observer::Arbiter,
                white_side: ClockSide::Right,
                start_fen: None,
                increment: Duration::ZERO,
                orientation: Orientation::Auto,
                lights: Lights::Off,
            },
        ],
        journal: "/srv/chess/journal.db".into(),
        rulebook_dirs: vec![],
    };
    assert_eq!(parse(VALID), Ok(expected));
}

#[test]
fn lights_are_off_unless_all_tables_or_one_has_them() {
    let lights = |all: &str, one: &str| {
        let text = VALID.replace("rulebook_dirs = []", &format!("rulebook_dirs = []\n{all}"));
        let text = text.replace("orientation = \"turned\"", &format!("orientation = \"turned\"\n{one}"));
        parse(&text).map(|config| config.tables.iter().map(|table| table.lights).collect::<Vec<_>>())
    };
    let (off, on) = ("lights = \"off\"", "lights = \"restoration\"");
    assert_eq!(lights("", ""), Ok(vec![Lights::Off, Lights::Off]));
    assert_eq!(lights("", on), Ok(vec![Lights::Restoration, Lights::Off]));
    assert_eq!(lights(on, ""), Ok(vec![Lights::Restoration, Lights::Restoration]));
    assert_eq!(lights(on, off), Ok(vec![Lights::Off, Lights::Restoration]));

    let told = |place: &str| {
        vec![format!(
            "arbiterd.toml:{place}: \"restorations\" is not one of \"off\", \"restoration\"; did you mean \
             \"restoration\"?"
        )]
    };
    let wrong = "lights = \"restorations\"";
    assert_eq!(lights(wrong, ""), Err(told("3: lights")));
    assert_eq!(lights("", wrong), Err(told("21: [[table]].lights")));
}

#[test]
fn the_journal_is_in_the_state_directory_unless_it_is_named() {
    let text = VALID.replace("journal = \"/srv/chess/journal.db\"\n", "");
    let journal = |text: &str, state: Option<&str>| {
        let state = state.map(Path::new);
        Config::parse(Path::new("arbiterd.toml"), text, &embedded(), state).expect("valid").journal
    };
    assert_eq!(journal(&text, Some("/var/lib/venue")), Path::new("/var/lib/venue/journal.db"));
    assert_eq!(journal(&text, None), Path::new("/var/lib/arbiterd/journal.db"));
    assert_eq!(journal(VALID, Some("/var/lib/venue")), Path::new("/srv/chess/journal.db"));
}

#[test]
fn the_example_is_valid_and_its_comments_show_the_defaults() {
    let text = include_str!("../data/config/config.toml");
    let example = parse(text).expect("valid");
    assert_eq!(example.boards.len(), 1);
    assert_eq!(example.rulebook_dirs, DEFAULT_RULEBOOK_DIRS.map(PathBuf::from));
    // Each "# key = value" line without its "# " says what holds without it.
    let spoken: String = text
        .lines()
        .map(|l| l.strip_prefix("# ").filter(|l| l.contains(" = ")).unwrap_or(l))
        .fold(String::new(), |text, line| text + line + "\n");
    assert_ne!(spoken, text);
    assert_eq!(parse(&spoken).expect("valid"), example);
}

#[test]
fn each_mistake_is_told_with_file_line_key_and_a_suggestion() {
    for (right, wrong, expected) in [
        ("journal", "jornal", "arbiterd.toml:1: jornal: unknown key; did you mean \"journal\"?"),
        (
            "/srv/chess",
            "srv/chess",
            "arbiterd.toml:1: journal: \"srv/chess/journal.db\": an absolute path is needed",
        ),
        ("[]", "\"/etc\"", "arbiterd.toml:2: rulebook_dirs: a list of strings is needed here, not a string"),
        (
            "[]",
            "[\n\"/etc\",\n\"etc\"]",
            "arbiterd.toml:4: rulebook_dirs: \"etc\": an absolute path is needed",
        ),
        ("id = \"hall-1\"\n", "", "arbiterd.toml:3: [[board]].id: missing; an id is needed here"),
        (
            "id = \"hall-2\"",
            "id = \"hall 2\"",
            "arbiterd.toml:8: [[board]].id: \"hall 2\": an id has 1 to 32 of the characters A-Z, a-z, 0-9, _ and -",
        ),
        (
            "id = \"one\"",
            "id = \"123456789012345678901234567890123\"",
            "arbiterd.toml:12: [[table]].id: \"123456789012345678901234567890123\": an id has 1 to 32 of the \
             characters A-Z, a-z, 0-9, _ and -",
        ),
        (
            "id = \"two\"",
            "id = \"one\"",
            "arbiterd.toml:21: [[table]].id: the id \"one\" is already taken in line 12",
        ),
        (
            "/dev/ttyUSB1",
            "/dev//arbiterd/hall-1",
            "arbiterd.toml:9: [[board]].port: the port \"/dev//arbiterd/hall-1\" is already taken in line 5",
        ),
        (
            "/dev/ttyUSB1",
            "ttyUSB1",
            "arbiterd.toml:9: [[board]].port: \"ttyUSB1\": an absolute path is needed",
        ),
        (
            "/dev/ttyUSB1\"\nfamily = \"dgt\"",
            "/dev/ttyUSB1\"\nfamily = \"millennium\"\nbus_serial = \"01025\"",
            "arbiterd.toml:11: [[board]].bus_serial: \"bus_serial\": boards of this family share no line; leave \
             the key out",
        ),
        (
            "/dev/ttyUSB1\"\nfamily = \"dgt\"",
            "/dev/ttyUSB1\"\nfamily = \"milenium\"",
            "arbiterd.toml:10: [[board]].family: \"milenium\" is not one of \"dgt\", \"millennium\"; did you mean \
             \"millennium\"?",
        ),
        (
            "board = \"hall-2\"",
            "board = \"hal-2\"",
            "arbiterd.toml:22: [[table]].board: there is no board \"hal-2\"; did you mean \"hall-2\"?",
        ),
        (
            "board = \"hall-2\"",
            "board = \"hall-1\"",
            "arbiterd.toml:22: [[table]].board: the board \"hall-1\" is already taken in line 13",
        ),
        ("rulebook = \"fide-2018", "rulebok = \"fide-2018", ""),
        (
            "fide-2018-blitz",
            "fide-2018-blizt",
            "arbiterd.toml:23: [[table]].rulebook: there is no rulebook \"fide-2018-blizt\"; did you mean \
             \"fide-2018-blitz\"?",
        ),
        (
            "white_side = \"right\"",
            "",
            "arbiterd.toml:20: [[table]].white_side: missing; \"left\" or \"right\" is needed here",
        ),
        (
            "\"witness\"",
            "\"wittness\"",
            "arbiterd.toml:15: [[table]].observer: \"wittness\" is not one of \"arbiter\", \"witness\"; did you mean \
             \"witness\"?",
        ),
        (
            "10_000",
            "\"10 s\"",
            "arbiterd.toml:18: [[table]].increment_ms: an integer is needed here, not a string",
        ),
        (
            "10_000",
            "99999999999999999999999",
            "arbiterd.toml:18: [[table]].increment_ms: 99999999999999999999999 is not within 0 to 3600000",
        ),
        (
            "\"turned\"",
            "\"upside-down\"",
            "arbiterd.toml:19: [[table]].orientation: \"upside-down\" is not one of \"auto\", \"normal\", \"turned\"",
        ),
    ] {
        // The one case with two problems: the wrong key, and that the right one is missing.
        let expected = if expected.is_empty() {
            vec![
                "arbiterd.toml:20: [[table]].rulebook: missing; the id of a rulebook is needed here",
                "arbiterd.toml:23: [[table]].rulebok: unknown key; did you mean \"rulebook\"?",
            ]
        } else {
            vec![expected]
        };
        let text = VALID.replacen(right, wrong, 1);
        assert_ne!(text, VALID, "{right}");
        assert_eq!(parse(&text).expect_err(wrong), expected, "{wrong}");
    }
}

#[test]
fn a_start_position_has_to_be_a_legal_one() {
    for (start, told) in [
        ("from the beginning", "\"standard\" or a FEN is needed: "),
        // No black king.
        ("8/8/8/8/8/8/4P3/4K3 w - - 0 1", "not a legal position: "),
        // Black is in check and White has the move.
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "not a legal position: "),
    ] {
        let problems = parse(&VALID.replace("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", start)).expect_err(start);
        let expected = format!("arbiterd.toml:17: [[table]].start: {start:?}: {told}");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with(&expected), "{problems:?}");
    }
}

#[test]
fn at_least_one_board_is_needed() {
    let missing = ["arbiterd.toml:1: board: missing; at least one [[board]] is needed here"];
    assert_eq!(parse("").expect_err("no board"), missing);
    assert_eq!(parse("board = []\n").expect_err("no board"), missing);
    let single = VALID.replacen("[[board]]", "[board]", 1).replacen("[[board]]", "[other]", 1);
    let told = parse(&single).expect_err("no array");
    assert_eq!(told[0], "arbiterd.toml:3: board: an array of tables is needed here, not a table");
}

#[test]
fn all_mistakes_are_told_in_the_order_of_the_lines() {
    let text = VALID
        .replacen("family = \"dgt\"", "famly = \"dgt\"", 1)
        .replace("fide-2023-rapid", "fide-2024-rapid")
        .replace("10_000", "-1");
    let lines: Vec<_> = Config::parse(Path::new("arbiterd.toml"), &text, &embedded(), None)
        .expect_err("wrong")
        .iter()
        .map(|p| (p.line, p.key.clone()))
        .collect();
    let expected = [
        (3, "[[board]].family"),
        (6, "[[board]].famly"),
        (14, "[[table]].rulebook"),
        (18, "[[table]].increment_ms"),
    ];
    assert_eq!(lines, expected.map(|(line, key)| (line, key.to_owned())));
}

#[test]
fn text_that_is_not_toml_is_told_with_its_line() {
    let told = parse(&VALID.replace("id = \"two\"", "id = two\"")).expect_err("not TOML");
    assert!(told[0].starts_with("arbiterd.toml:21: not TOML: "), "{told:?}");
    let twice = parse(&VALID.replace("id = \"two\"", "id = \"two\"\nid = \"two\"")).expect_err("twice");
    assert!(twice[0].starts_with("arbiterd.toml:22: not TOML: "), "{twice:?}");
}

const CLUB: &str = r#"id = "club"
title = "Club rules"
inherits = "fide-2023-blitz"
edition = "2024-01-01"
regime = "unsupervised"
"#;

/// A configuration file whose second table is played under a rulebook beside it.
fn venue(club: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let rulebooks = dir.path().join("rulebooks");
    fs::create_dir(&rulebooks).expect("a directory");
    fs::write(rulebooks.join("club.toml"), club).expect("written");
    fs::write(rulebooks.join("README"), "no rulebook").expect("written");
    let text = VALID.replace("[]", &format!("[{rulebooks:?}]")).replace("fide-2018-blitz", "club");
    let config = dir.path().join("arbiterd.toml");
    fs::write(&config, text).expect("written");
    (dir, config)
}

#[test]
fn rulebooks_of_the_directories_are_known_to_the_tables() {
    let (_dir, path) = venue(CLUB);
    let config = Config::load(&path, &embedded()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(config.tables[1].rulebook, "club");
    let library = library(&embedded(), &config.rulebook_dirs).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(library.get("club").expect("it").illegal.penalty, Duration::from_secs(60));
    assert!(library.get("fide-2023-blitz").is_some());
    assert!(Config::check(&path, &embedded()).is_ok());
}

#[test]
fn a_wrong_rulebook_is_told_with_its_own_file_and_nothing_that_only_follows_from_it() {
    let (dir, path) = venue(&CLUB.replace("blitz", "blizt"));
    let error = Config::check(&path, &embedded()).expect_err("wrong");
    let file = dir.path().join("rulebooks/club.toml");
    assert_eq!(
        error.to_string(),
        format!(
            "{}:3: inherits: there is no rulebook \"fide-2023-blizt\"; did you mean \"fide-2023-blitz\"?",
            file.display()
        )
    );
}

#[test]
fn a_named_directory_has_to_exist() {
    let (dir, path) = venue(CLUB);
    fs::remove_dir_all(dir.path().join("rulebooks")).expect("removed");
    let Err(ConfigError::Problems(problems)) = Config::load(&path, &embedded()) else {
        panic!("a problem is expected")
    };
    let places: Vec<_> = problems.iter().map(|p| (p.file.as_path(), p.line, p.key.as_str())).collect();
    assert_eq!(places, [(path.as_path(), 2, "rulebook_dirs")]);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let error = Config::load(Path::new("/nonexistent/arbiterd.toml"), &embedded()).expect_err("no file");
    assert!(
        matches!(&error, ConfigError::Unreadable { path, .. } if path == Path::new("/nonexistent/arbiterd.toml"))
    );
    assert!(error.to_string().contains("/nonexistent/arbiterd.toml"), "{error}");
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        // Random text names no board.
        prop_assert!(parse(&String::from_utf8_lossy(&bytes)).is_err());
    }

    #[test]
    fn no_change_of_a_configuration_makes_it_panic(
        at in any::<prop::sample::Index>(),
        cut in 0usize..40,
        put in "[\\[\\]\"=.,#{}a-z0-9/\n -]{0,12}",
    ) {
        let mut chars: Vec<char> = VALID.chars().collect();
        let from = at.index(chars.len());
        let to = (from + cut).min(chars.len());
        chars.splice(from..to, put.chars());
        let text: String = chars.into_iter().collect();
        let lines = text.lines().count() + 1;
        match Config::parse(Path::new("arbiterd.toml"), &text, &embedded(), None) {
            Ok(config) => prop_assert!(!config.boards.is_empty()),
            Err(problems) => for p in problems {
                prop_assert!((1..=lines).contains(&p.line), "{p}");
            },
        }
    }
}
