// SPDX-License-Identifier: GPL-3.0-or-later
//! Each field of an expectation is compared: a case that is wrong in just this field fails, and in
//! this field only.

mod strict;

use std::path::Path;

use super::*;
use crate::laws::rulebook::Library;

/// The shortest mate, each move pressed.
const MATE: &str = r#"
schema = 1
id = "mate"
title = "The shortest mate"
due = "laws"
level = "events"
obs = [
  { t_ms = 0, kind = "clock", white_ms = 300000, black_ms = 300000, lever = "black", running = "white" },
  { t_ms = 1000, kind = "lift", square = "f2", piece = "P" },
  { t_ms = 1300, kind = "place", square = "f3", piece = "P" },
  { t_ms = 1900, kind = "clock", white_ms = 298000, black_ms = 300000, lever = "white", running = "black" },
  { t_ms = 3000, kind = "lift", square = "e7", piece = "p" },
  { t_ms = 3300, kind = "place", square = "e5", piece = "p" },
  { t_ms = 3800, kind = "clock", white_ms = 298000, black_ms = 298000, lever = "black", running = "white" },
  { t_ms = 5000, kind = "lift", square = "g2", piece = "P" },
  { t_ms = 5300, kind = "place", square = "g4", piece = "P" },
  { t_ms = 5700, kind = "clock", white_ms = 296000, black_ms = 298000, lever = "white", running = "black" },
  { t_ms = 6500, kind = "lift", square = "d8", piece = "q" },
  { t_ms = 6900, kind = "place", square = "h4", piece = "q" },
  { t_ms = 7600, kind = "clock", white_ms = 296000, black_ms = 296000, lever = "black", running = "white" },
]
[setup]
start_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
book = "fide-2023"
mode = "standard"
[expect]
moves = ["f2f3", "e7e5", "g2g4", "d8h4"]
irregular = []
inferred = []
never = ["e2e4"]
completed = 4
games = 1
results = ["0-1"]
result = "0-1"
reason = "checkmate"
order = ["move:f2f3", "result:0-1"]
board_matches = true
forbid = ["illegal-move"]
[expect.clock]
white_ms = 296000
black_ms = 296000
running = "white"
[[expect.ruling]]
kind = "game-over"
after_ms = 6900
before_ms = 12600
"#;

/// An illegal move of White's is pressed, and nobody has put it back yet.
const ILLEGAL: &str = r#"
schema = 1
id = "illegal"
title = "A pawn goes three squares"
level = "events"
obs = [
  { t_ms = 0, kind = "clock", white_ms = 300000, black_ms = 300000, lever = "black", running = "white" },
  { t_ms = 1000, kind = "lift", square = "d2", piece = "P" },
  { t_ms = 1300, kind = "place", square = "d5", piece = "P" },
  { t_ms = 1900, kind = "clock", white_ms = 298000, black_ms = 300000, lever = "white", running = "black" },
]
[setup]
start_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
book = "fide-2023"
mode = "standard"
[expect]
moves = []
allow = []
board_matches = false
[[expect.ruling]]
kind = "illegal-move"
alternatives = []
by = "white"
add_white_ms = 0
add_black_ms = 120000
required = ["d2d4", "d2d3"]
dev = ""
after_ms = 1900
before_ms = 4900
"#;

const SQUARES: &str = r#"
schema = 1
id = "squares"
title = "A rook and a knight stand on each other's squares"
level = "snapshots"
obs = [
  { t_ms = 0, kind = "board", fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBNR" },
]
[setup]
start_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
book = "fide-2023"
mode = "standard"
[expect]
board_matches = false
[[expect.ruling]]
kind = "start-position-wrong"
squares = ["b1", "a1"]
"#;

const TWO_BOARDS: &str = r#"
schema = 1
id = "two-boards"
title = "Two boards, a move on each"
level = "events"
obs = [
  { t_ms = 0, kind = "clock", dev = "b1", white_ms = 9000, black_ms = 9000, lever = "black", running = "white" },
  { t_ms = 0, kind = "clock", dev = "b2", white_ms = 9000, black_ms = 9000, lever = "black", running = "white" },
  { t_ms = 900, kind = "lift", dev = "b1", square = "a2", piece = "P" },
  { t_ms = 1000, kind = "lift", dev = "b2", square = "h2", piece = "P" },
  { t_ms = 1200, kind = "place", dev = "b1", square = "a3", piece = "P" },
  { t_ms = 1300, kind = "place", dev = "b2", square = "h3", piece = "P" },
  { t_ms = 1800, kind = "clock", dev = "b1", white_ms = 7200, black_ms = 9000, lever = "white", running = "black" },
  { t_ms = 1900, kind = "clock", dev = "b2", white_ms = 7100, black_ms = 9000, lever = "white", running = "black" },
]
[setup]
start_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
book = "fide-2023"
mode = "standard"
[expect]
dev_moves = ["b1:a2a3", "b2:h2h3"]
"#;

fn books() -> Books {
    Books::Named(with_supervised(&Library::embedded().unwrap()).unwrap())
}

fn outcome(text: &str, due: &[Due]) -> Outcome {
    match read(Path::new("case.toml"), text) {
        Ok(Document::Case(case)) => run_case(&case, &books(), due),
        other => panic!("{other:?}"),
    }
}

/// The fields that differ when `from` is replaced in a case that passes.
fn fields(case: &str, from: &str, to: &str) -> Vec<String> {
    assert!(case.contains(from), "{from}");
    let outcome = outcome(&case.replacen(from, to, 1), &[]);
    outcome.differences.into_iter().map(|d| d.field).collect()
}

#[test]
fn the_cases_that_are_right_pass() {
    for case in [MATE, ILLEGAL, SQUARES, TWO_BOARDS] {
        let outcome = outcome(case, &[]);
        assert_eq!((outcome.outcome, outcome.differences), (Verdict::Passed, Vec::new()), "{}", outcome.id);
    }
}

#[test]
fn each_field_is_compared() {
    for (case, from, to, field) in [
        (MATE, "moves = [\"f2f3\"", "moves = [\"f2f4\"", "moves"),
        (MATE, ", \"d8h4\"]", ", \"d8h4\", \"e1f2\"]", "moves"),
        (MATE, "irregular = []", "irregular = [\"f2f3\"]", "irregular"),
        (MATE, "inferred = []", "inferred = [\"f2f3\"]", "inferred"),
        (MATE, "never = [\"e2e4\"]", "never = [\"e2e4\", \"g2g4\"]", "never"),
        (MATE, "completed = 4", "completed = 3", "completed"),
        (MATE, "games = 1", "games = 2", "games"),
        (MATE, "results = [\"0-1\"]", "results = [\"*\", \"0-1\"]", "results"),
        (MATE, "\nresult = \"0-1\"", "\nresult = \"1-0\"", "result"),
        (MATE, "reason = \"checkmate\"", "reason = \"flag-fall\"", "reason"),
        (MATE, "[\"move:f2f3\", \"result:0-1\"]", "[\"result:0-1\", \"move:f2f3\"]", "order"),
        (MATE, "order = [\"move:f2f3\"", "order = [\"move:e2e4\"", "order"),
        (MATE, "board_matches = true", "board_matches = false", "board_matches"),
        (MATE, "board_matches = true", "orientation = \"rotated\"", "orientation"),
        (MATE, "forbid = [\"illegal-move\"]", "forbid = [\"game-over\"]", "forbid"),
        (MATE, "[expect.clock]\nwhite_ms = 296000", "[expect.clock]\nwhite_ms = 297001", "clock.white_ms"),
        (MATE, "black_ms = 296000\nrunning", "black_ms = 294999\nrunning", "clock.black_ms"),
        (MATE, "running = \"white\"\n[[", "running = \"black\"\n[[", "clock.running"),
        (MATE, "running = \"white\"\n[[", "running = \"none\"\n[[", "clock.running"),
        (MATE, "kind = \"game-over\"", "kind = \"claim-rejected\"", "ruling 1 (claim-rejected)"),
        (MATE, "after_ms = 6900", "after_ms = 12500", "ruling 1 (game-over).after_ms"),
        (MATE, "before_ms = 12600", "before_ms = 6901", "ruling 1 (game-over).before_ms"),
        (ILLEGAL, "board_matches = false\n", "", "board_matches"),
        (ILLEGAL, "by = \"white\"", "by = \"black\"", "ruling 1 (illegal-move).by"),
        (ILLEGAL, "add_white_ms = 0", "add_white_ms = 1", "ruling 1 (illegal-move).add_white_ms"),
        (ILLEGAL, "= 120000", "= 60000", "ruling 1 (illegal-move).add_black_ms"),
        (ILLEGAL, "\"d2d4\", \"d2d3\"", "\"d2d4\"", "ruling 1 (illegal-move).required"),
        (ILLEGAL, "dev = \"\"", "dev = \"b2\"", "ruling 1 (illegal-move).dev"),
        (SQUARES, "\"b1\", \"a1\"", "\"b1\"", "ruling 1 (start-position-wrong).squares"),
        (TWO_BOARDS, "b1:a2a3", "b1:a2a4", "dev_moves of \"b1\""),
        (TWO_BOARDS, ", \"b2:h2h3\"", "", "dev_moves of \"b2\""),
    ] {
        assert_eq!(fields(case, from, to), [field], "{from} to {to}");
    }
}

#[test]
fn a_clock_may_be_a_second_off() {
    let nearly = fields(MATE, "[expect.clock]\nwhite_ms = 296000", "[expect.clock]\nwhite_ms = 297000");
    assert_eq!(nearly, [""; 0]);
}

#[test]
fn an_optional_move_may_follow_and_no_other() {
    let cut = MATE.replacen("completed = 4", "completed = 3", 1);
    assert_eq!(fields(&cut, ", \"d8h4\"]", "]\noptional_tail = [\"d8h4\"]"), [""; 0]);
    assert_eq!(fields(&cut, ", \"d8h4\"]", "]\noptional_tail = [\"d8g5\"]"), ["moves"]);
    let longer = ", \"d8h4\"]\noptional_tail = [\"e1f2\"]";
    assert_eq!(fields(MATE, ", \"d8h4\"]", longer), [""; 0], "it may be missing");
}

#[test]
fn a_ruling_that_nobody_expects_fails_unless_it_is_allowed() {
    let (rulings, _) = ILLEGAL.split_at(ILLEGAL.find("[[expect.ruling]]").unwrap());
    assert_eq!(fields(rulings, "allow = []", "allow = []"), ["ruling"]);
    assert_eq!(fields(rulings, "allow = []", "allow = [\"illegal-move\"]"), [""; 0]);
    assert_eq!(fields(rulings, "allow = []", "forbid = [\"illegal-move\"]"), ["forbid"]);
}

#[test]
fn an_alternative_is_as_good_and_twice_is_twice() {
    let other = "kind = \"touch-move\"\nalternatives = [\"illegal-move\"]";
    assert_eq!(fields(ILLEGAL, "kind = \"illegal-move\"\nalternatives = []", other), [""; 0]);
    let twice = "board_matches = false\n[[expect.ruling]]\nkind = \"illegal-move\"";
    let missing = fields(ILLEGAL, "board_matches = false", twice);
    assert_eq!(missing, ["ruling 2 (illegal-move)"]);
}

#[test]
fn what_cannot_be_told_is_a_difference() {
    let claim = "lever = \"white\", running = \"black\" },\n  \
                 { t_ms = 2000, kind = \"claim\", by = \"black\", what = \"two-hands\" },\n]";
    let told = fields(ILLEGAL, "lever = \"white\", running = \"black\" },\n]", claim);
    assert_eq!(told, ["telling a table the claim two-hands"]);
}

#[test]
fn what_is_disputed_or_due_later_or_unknown_fails_nothing() {
    let wrong = MATE.replace("completed = 4", "completed = 1");
    let open = |text: &str, due: &[Due]| {
        let outcome = outcome(text, due);
        (outcome.outcome, outcome.open, outcome.differences.len())
    };
    assert_eq!(open(&wrong, &[Due::Laws]), (Verdict::Failed, None, 1));
    assert_eq!(open(&wrong, &[]), (Verdict::Failed, None, 1));
    let later = Some(Open::NotDue(Due::Laws));
    assert_eq!(open(&wrong, &[Due::Sensing, Due::Clock]), (Verdict::Open, later, 1));
    assert_eq!(open(MATE, &[Due::Sensing]), (Verdict::Passed, None, 0));
    let disputed = wrong.replace("due =", "disputed = true\ndue =");
    assert_eq!(open(&disputed, &[]), (Verdict::Open, Some(Open::Disputed), 1));
    let unknown = wrong.replace("fide-2023", "fide-1924");
    let book = UnknownBook { id: "fide-1924-standard".to_owned(), nearest: None };
    assert_eq!(open(&unknown, &[]), (Verdict::Open, Some(Open::NoRulebook(vec![book])), 0));
    let restart = wrong.replace("obs = [", "obs = [\n { t_ms = 0, kind = \"system\", event = \"x\" },");
    assert_eq!(open(&restart, &[]), (Verdict::Open, Some(Open::NeedsTheService), 0));
}

#[test]
fn a_rulebook_of_ones_own_changes_what_comes_of_it() {
    let text = "id = \"club\"\ntitle = \"Club\"\ninherits = \"fide-2023-standard\"\nedition = \"2024-01-01\"\n\
                regime = \"competition\"\n[illegal]\npenalty_ms = 5000\n[cite]\n\"illegal.penalty_ms\" = \"Club 3\"\n";
    let library = Library::embedded().unwrap().with_texts([("club.toml".into(), text.to_owned())]).unwrap();
    let Ok(Document::Case(case)) = read(Path::new("case.toml"), ILLEGAL) else { panic!("it is a case") };
    let outcome = run_case(&case, &Books::One(library.get("club").unwrap()), &[]);
    let found: Vec<_> = outcome.differences.iter().map(|d| (d.field.as_str(), d.found.as_str())).collect();
    assert_eq!(found, [("ruling 1 (illegal-move).add_black_ms", "5000")]);
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (from, to, line, told) in [
        ("schema = 1", "schema = 2", 2, "schema 2 is not known"),
        ("level = \"events\"", "level = \"vibes\"", 6, "unknown variant"),
        ("games = 1", "gamse = 1", 32, "unknown field `gamse`: [expect] has moves, "),
        ("games = 1", "gamse = 1", 32, "did you mean \"games\"?"),
        ("square = \"f2\"", "square = \"f9\"", 9, "\"f9\" is no square"),
        ("square = \"f2\", ", "", 9, "lacks square"),
        ("kind = \"lift\"", "kind = \"lfit\"", 9, "did you mean \"lift\"?"),
        ("kind = \"lift\", ", "", 9, "this observation lacks kind"),
        (
            "square = \"f2\"",
            "square = \"f2\", white_ms = 1",
            9,
            "unknown field `white_ms`: an observation of the kind \"lift\" has t_ms, kind, dev, square, piece",
        ),
        (
            "square = \"f2\", piece = \"P\"",
            "square = \"f2\", piece = \"N\"",
            9,
            "N is lifted from f2, and P stands there",
        ),
        (
            "square = \"f2\", piece = \"P\"",
            "square = \"f4\", piece = \"P\"",
            9,
            "P is lifted from f4, and nothing stands there",
        ),
        ("lever = \"black\"", "lever = \"arbiter\"", 8, "expected `white` or `black`"),
        ("lever = \"black\"", "lever = \"none\"", 8, "expected `white` or `black`"),
        ("kind = \"game-over\"", "kind = \"game-over\"\nby = \"both\"", 45, "unknown variant `both`"),
        ("after_ms = 6900", "after_ms = 12601", 43, "no time is after 12601 ms and before 12600 ms"),
        ("t_ms = 1300", "t_ms = 900", 10, "observations are in order"),
        ("t_ms = 7600", "t_ms = 86400001", 20, "more than a day"),
        ("PPPPPPPP/RNBQKBNR", "PPPPPPPP/RNBQQBNR", 23, "start_fen"),
        ("[\"illegal-move\"]", "[\"ilegal-move\"]", 38, "did you mean \"illegal-move\"?"),
        ("kind = \"game-over\"", "kind = \"game-ovr\"", 44, "did you mean \"game-over\"?"),
        ("kind = \"game-over\"", "kind = \"x\"", 44, "it is one of illegal-move, pressed-without-move, "),
        ("\"d8h4\"]", "\"d8h9\"]", 27, "\"d8h9\" is no move"),
        ("result = \"0-1\"", "result = \"0:1\"", 34, "\"0:1\" is no result"),
        ("reason = \"checkmate\"", "reason = \"chekmate\"", 35, "did you mean \"checkmate\"?"),
    ] {
        assert!(MATE.contains(from), "{from}");
        let errors = read(Path::new("case.toml"), &MATE.replacen(from, to, 1)).expect_err(to);
        let [error] = errors.as_slice() else { panic!("{to}: {errors:?}") };
        assert!(error.what.contains(told), "{error}");
        assert_eq!(error.line, line, "{error}");
    }
    let errors = read(Path::new("x.toml"), "[package]\nname = 1\n").expect_err("no case");
    assert!(errors[0].to_string().starts_with("x.toml:1: neither a case"), "{errors:?}");
}

/// All that is told of a text.
fn told(text: &str) -> Vec<String> {
    read(Path::new("x.toml"), text).expect_err("wrong").iter().map(ToString::to_string).collect()
}

#[test]
fn all_that_a_file_lacks_is_told_at_once() {
    let lacking = told("[setup]\nmode = \"rapid\"\n[[obs]]\nkind = \"place\"\n[expect.clock]\nwhite_m = 1\n");
    let expected = [
        "x.toml:1: a case lacks schema",
        "x.toml:1: a case lacks id",
        "x.toml:1: a case lacks title",
        "x.toml:1: a case lacks level",
        "x.toml:1: [setup] lacks start_fen",
        "x.toml:1: [setup] lacks book",
        "x.toml:3: an observation of the kind \"place\" lacks t_ms",
        "x.toml:3: an observation of the kind \"place\" lacks square",
        "x.toml:3: an observation of the kind \"place\" lacks piece",
        "x.toml:6: unknown field `white_m`: [expect.clock] has white_ms, black_ms, running; did you mean \"white_ms\"?",
    ];
    assert_eq!(lacking, expected);
    let two = SCENARIO.replace("id = \"press\"\n", "").replace(", by = \"b\"", "");
    let expected = ["x.toml:2: [[scenario]] lacks id", "x.toml:9: an event of the ev \"press\" lacks by"];
    assert_eq!(told(&two), expected);
    // Wrong values too: each with its line.
    let two = MATE.replace("\"d8h4\"]", "\"d8h9\"]").replace("\"game-over\"", "\"game-ovr\"");
    assert_eq!(told(&two).len(), 2, "{:?}", told(&two));
}

#[test]
fn claims_and_what_arbiters_do_are_checked() {
    let said = |said: &str| {
        let end = "running = \"black\" },\n]";
        let more = format!("running = \"black\" }},\n  {{ t_ms = 2000, {said} }},\n]");
        read(Path::new("x.toml"), &ILLEGAL.replacen(end, &more, 1)).map_err(|e| e[0].to_string())
    };
    assert!(said("kind = \"claim\", by = \"arbiter\", what = \"flag\"").is_ok());
    assert!(said("kind = \"arbiter\", action = \"restore\"").is_ok());
    for (wrong, told) in [
        ("kind = \"claim\", by = \"none\", what = \"flag\"", "expected one of `white`, `black`, `arbiter`"),
        (
            "kind = \"claim\", by = \"white\", what = \"flga\"",
            "it is one of illegal-move, touch-move, flag, threefold, fifty, two-hands, setup, king-adjacent; did you mean \"flag\"?",
        ),
        ("kind = \"arbiter\", action = \"set-moves\"", "moves has to be there"),
        (
            "kind = \"arbiter\", action = \"resume\", moves = [\"e2e4\"]",
            "only the action set-moves has moves",
        ),
    ] {
        let error = said(wrong).expect_err(wrong);
        assert!(error.starts_with("x.toml:11: ") && error.contains(told), "{error}");
    }
}

const SCENARIO: &str = r#"schema = 1
[[scenario]]
id = "press"
rulebooks = ["fide-2023-standard"]
observer = "arbiter"
fen = "4k3/p7/8/8/8/8/P7/4K3 w - - 0 1"
clock = { w = 60000, b = 60000, inc = 0, running = "w" }
events = [
  { t = 1000, ev = "press", by = "w" },
  { t = 2000, ev = "press", by = "b" },
]
expect = { ruling = "press-without-move", rule_at = 0, result = "*", fen = "4k3/p7/8/8/8/8/P7/4K3 w - - 0 1", add_b = 120000, illegal_w = 1 }
"#;

#[test]
fn mistakes_in_scenarios_are_told_with_their_line() {
    assert!(matches!(read(Path::new("x.toml"), SCENARIO), Ok(Document::Scenarios(all)) if all.len() == 1));
    for (from, to, line, told) in [
        ("schema = 1", "schema = 2", 1, "schema 2 is not known"),
        ("\"arbiter\"", "\"arbitre\"", 5, "unknown variant"),
        ("[\"fide-2023-standard\"]", "[]", 4, "rulebooks is empty"),
        ("running = \"w\"", "running = \"white\"", 7, "unknown variant"),
        ("t = 2000", "t = 999", 10, "observations are in order"),
        ("ev = \"press\"", "ev = \"pres\"", 9, "did you mean \"press\"?"),
        ("by = \"w\"", "by = \"w\", sq = \"e4\"", 9, "unknown field `sq`: an event of the ev \"press\" has "),
        ("by = \"w\"", "by = \"arbiter\"", 9, "unknown variant `arbiter`"),
        (
            "ev = \"press\", by = \"w\"",
            "ev = \"lift\", sq = \"a2\", pc = \"R\"",
            9,
            "R is lifted from a2, and P stands there",
        ),
        ("\"press-without-move\"", "\"press-without-moves\"", 12, "did you mean \"press-without-move\"?"),
        ("\"press-without-move\"", "\"x\"", 12, "it is one of illegal-move, illegal-promotion, "),
        ("result = \"*\"", "result = \"?\"", 12, "\"?\" is no result"),
        ("rule_at = 0", "rule_at = 2", 12, "events are counted from 0, and there are 2, so the last is 1"),
        ("fen = \"4k3/p7/8/8/8/8/P7/4K3 w - - 0 1\", add_b", "fen = \"x\", add_b", 12, "fen: "),
        ("add_b = 120000", "allowed = [\"a2\"]", 12, "\"a2\" is no move"),
        ("add_b = 120000", "free_touch = [\"a9\"]", 12, "\"a9\" is no square"),
        ("fen = \"4k3/p7", "fen = \"4k3/p6", 6, "fen: "),
        (
            "clock",
            "moves = [\n\"a2a3\", \"!e8e5\", \"e1e3\"]\nclock",
            8,
            "\"e1e3\" is no legal move in 8/p7/8/4k3/",
        ),
        ("clock", "moves = [\n\"a2a3\", \"!e7e5\"]\nclock", 8, "\"e7e5\" carries no piece"),
        ("t = 2000", "t = 86400001", 10, "more than a day"),
    ] {
        assert!(SCENARIO.contains(from), "{from}");
        let errors = read(Path::new("x.toml"), &SCENARIO.replacen(from, to, 1)).expect_err(to);
        let [error] = errors.as_slice() else { panic!("{to}: {errors:?}") };
        assert!(error.what.contains(told), "{error}");
        assert_eq!(error.line, line, "{error}");
    }
}

#[test]
fn a_file_of_no_scenario_is_a_mistake() {
    let expected = ["x.toml:2: there is no scenario: add one as [[scenario]]"];
    assert_eq!(told("schema = 1\nscenario = []\n"), expected);
    assert_eq!(
        told("schema = 1\nscenario = 3\n"),
        ["x.toml:2: scenario has to be tables, [[scenario]], not integer"]
    );
    let expected = "x.toml:22: setup has to be a table, not string";
    assert_eq!(told(&MATE.replace("[setup]\n", "setup = \"x\"\n[steup]\n"))[0], expected);
}

/// What comes of the only scenario of a file.
fn of_scenario(text: &str) -> Outcome {
    match read(Path::new("x.toml"), text) {
        Ok(Document::Scenarios(all)) => run_scenario(&all[0], &books()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_ruling_that_rests_on_another_event_is_a_difference() {
    let right = of_scenario(SCENARIO);
    assert_eq!((right.outcome, right.differences), (Verdict::Passed, Vec::new()));
    let wrong = of_scenario(&SCENARIO.replace("rule_at = 0", "rule_at = 1"));
    let fields: Vec<_> = wrong.differences.iter().map(|d| d.field.as_str()).collect();
    assert_eq!(fields, ["fide-2023-standard: rule_at"]);
}

#[test]
fn times_and_counts_that_a_scenario_leaves_out_are_none() {
    let wrong = of_scenario(&SCENARIO.replace(", add_b = 120000, illegal_w = 1", ""));
    let fields: Vec<_> = wrong.differences.iter().map(|d| d.field.as_str()).collect();
    assert_eq!(fields, ["fide-2023-standard: add_b", "fide-2023-standard: illegal_w"]);
}

#[test]
fn a_rulebook_that_is_not_here_is_never_passed_over() {
    let two = |other: &str| SCENARIO.replace("[\"fide-2023", &format!("[\"{other}\", \"fide-2023"));
    let open = of_scenario(&two("fide-2014-standard"));
    assert_eq!(open.outcome, Verdict::Open);
    assert_eq!(open.open.unwrap().to_string(), "there is no rulebook fide-2014-standard here");
    let difference = open.differences[0].to_string();
    assert_eq!(difference, "rulebook fide-2014-standard is not here, should be tried too");
    let slip = of_scenario(&two("fide-2032-standard"));
    let difference = slip.differences[0].to_string();
    assert!(difference.contains("did you mean \"fide-2023-standard\"?"), "{difference}");
    // What is wrong under another fails all the same.
    let failed = of_scenario(&two("fide-2014-standard").replace("rule_at = 0", "rule_at = 1"));
    assert_eq!((failed.outcome, failed.differences.len()), (Verdict::Failed, 2));
    let none = of_scenario(&SCENARIO.replace("[\"fide-2023", "[\"uscf"));
    assert_eq!((none.outcome, none.differences.len()), (Verdict::Open, 1));
}

#[test]
fn a_case_that_names_no_rulebook_says_which_was_meant() {
    let why = |from: &str, to: &str| outcome(&MATE.replace(from, to), &[]).open.unwrap().to_string();
    let slip = why("fide-2023", "fdie-2023");
    assert_eq!(slip, "there is no rulebook fdie-2023-standard here; did you mean \"fide-2023-standard\"?");
    let other = why("book = \"fide-2023\"\nmode = \"standard\"", "book = \"fide-2018\"\nmode = \"blitz\"");
    assert!(
        other.contains("fide-2018-blitz-sup here (-sup: fast chess under adequate supervision"),
        "{other}"
    );
    assert!(!other.contains("did you mean"), "{other}");
}
