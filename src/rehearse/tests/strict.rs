// SPDX-License-Identifier: GPL-3.0-or-later
//! Expectations that could never be met, or would be passed over, are refused, and what differs is told in
//! the words of the file.

use super::*;

/// A press without a move, after which any move may be played.
fn pressed(from: &str, to: &str) -> Outcome {
    assert!(SCENARIO.contains(from), "{from}");
    of_scenario(&SCENARIO.replacen(from, to, 1))
}

fn differing(outcome: &Outcome) -> Vec<String> {
    let line = |d: &Difference| d.to_string().replace("fide-2023-standard: ", "");
    outcome.differences.iter().map(line).collect()
}

#[test]
fn moves_and_squares_of_scenarios_are_sets() {
    let all = "allowed = [\"e1f2\", \"a2a3\", \"a2a4\", \"e1d1\", \"e1d2\", \"e1e2\", \"e1f1\", \"a2a3\"]";
    let right = pressed("add_b = 120000", &format!("add_b = 120000, free_touch = [], {all}"));
    assert_eq!((right.outcome, differing(&right)), (Verdict::Passed, Vec::new()));
    let wrong = pressed("add_b = 120000", "add_b = 120000, free_touch = [\"e4\", \"a2\", \"e4\"]");
    assert_eq!(differing(&wrong), ["free_touch is [], should be [a2 e4]"]);
}

#[test]
fn squares_are_asked_of_notices_only() {
    let wrong = ILLEGAL.replace("by = \"white\"", "by = \"white\"\nsquares = [\"d5\"]");
    let line = 1 + wrong.lines().position(|line| line.starts_with("squares")).unwrap();
    let expected = format!(
        "x.toml:{line}: squares: only notices name squares, and \"illegal-move\" is a ruling: leave it out, or \
         say required"
    );
    assert_eq!(told(&wrong), [expected]);
}

#[test]
fn what_is_cited_is_cited_under_its_rulebooks() {
    let cite = |id: &str| SCENARIO.replace("add_b", &format!("cite = {{ \"{id}\" = [\"7.5.3\"] }}, add_b"));
    let expected = "x.toml:12: cite: \"fide-2032-standard\" is none of its rulebooks, fide-2023-standard; did you \
                    mean \"fide-2023-standard\"?";
    assert_eq!(told(&cite("fide-2032-standard")), [expected]);
    assert!(told(&cite("fide-2018-standard"))[0].contains("is none of its rulebooks"));
    assert_eq!(of_scenario(&cite("fide-2023-standard")).outcome, Verdict::Passed);
}

fn mistakes(text: &str) -> Vec<(usize, String)> {
    books().mistakes(&read(Path::new("x.toml"), text).unwrap())
}

#[test]
fn a_slip_in_the_name_of_a_rulebook_is_a_mistake_and_another_edition_is_none() {
    let expected = "there is no rulebook \"fide-2032-standard\"; did you mean \"fide-2023-standard\"?";
    assert_eq!(mistakes(&MATE.replace("fide-2023", "fide-2032")), [(24, expected.to_owned())]);
    let scenario = |ids: &str| SCENARIO.replace("[\"fide-2023-standard\"]", ids);
    let two = scenario("[\"fide-2023-standard\",\n\"fide-2032-standard\"]");
    assert_eq!(mistakes(&two), [(5, expected.to_owned())]);
    for other in
        ["fide-2009-standard", "fide-2014-standard", "fide-2024-standard", "uscf-regular", "wbca-blitz"]
    {
        assert_eq!(mistakes(&scenario(&format!("[\"{other}\"]"))), [], "{other}");
    }
    for other in ["fide-2014", "uscf-7", "ecf-2023"] {
        assert_eq!(mistakes(&MATE.replace("fide-2023", other)), [], "{other}");
    }
    let one = Books::One(books().get("fide-2018-rapid").unwrap());
    let slip = read(Path::new("x.toml"), &MATE.replace("fide-2023", "fide-2032")).unwrap();
    assert_eq!(one.mistakes(&slip), [], "what it names does not matter");
}

#[test]
fn book_and_mode_are_said_apart() {
    let expected = "x.toml:24: book = \"fide-2023-standard\": say book = \"fide-2023\", and mode = \"standard\" \
                    apart from it";
    assert_eq!(told(&MATE.replace("fide-2023", "fide-2023-standard")), [expected]);
    assert!(told(&MATE.replace("fide-2023", "fide-2023-blitz-sup"))[0].contains("say book = \"fide-2023\""));
}

#[test]
fn nobody_begins_with_the_count_that_ends_the_game() {
    let before = |counts: &str| SCENARIO.replace("clock =", &format!("before = {counts}\nclock ="));
    assert_eq!(mistakes(&before("[1, 1]")), []);
    let expected = "before: no game goes on after 2 illegal moves of a player, for under fide-2023-standard the \
                    count of 2 ends it";
    assert_eq!(mistakes(&before("[0, 2]")), [(7, expected.to_owned())]);
}

/// The press of Black's, who was not to move, is in no evidence; that of White's completes it.
#[test]
fn a_ruling_is_at_the_event_that_completes_its_evidence() {
    assert_eq!(
        differing(&pressed("rule_at = 0", "rule_at = 1")),
        ["rule_at is 0 (press), should be 1 (press)"]
    );
    // The claim is the newest of the evidence: that the press is in it too is not enough.
    let claimed = SCENARIO.replace("observer = \"arbiter\"", "observer = \"witness\"").replace(
        "{ t = 2000, ev = \"press\", by = \"b\" }",
        "{ t = 2000, ev = \"claim\", by = \"b\", kind = \"illegal\" }",
    );
    assert_eq!(differing(&of_scenario(&claimed)), ["rule_at is 1 (claim), should be 0 (press)"]);
    assert_eq!(differing(&of_scenario(&claimed.replace("rule_at = 0", "rule_at = 1"))), [""; 0]);
}

/// White mates, and presses.
const MATED: &str = r#"schema = 1
[[scenario]]
id = "mated"
rulebooks = ["fide-2023-standard"]
observer = "arbiter"
fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
clock = { w = 60000, b = 60000, inc = 0, running = "w" }
events = [
  { t = 1000, ev = "lift", sq = "a1", pc = "R" },
  { t = 1300, ev = "place", sq = "a8", pc = "R" },
  { t = 1900, ev = "press", by = "w" },
]
expect = { ruling = "mate", rule_at = 1, result = "1-0", fen = "R5k1/5ppp/8/8/8/8/8/6K1 b - -" }
"#;

#[test]
fn a_mate_is_at_the_move_or_at_its_press() {
    assert_eq!(differing(&of_scenario(MATED)), [""; 0]);
    assert_eq!(differing(&of_scenario(&MATED.replace("rule_at = 1", "rule_at = 2"))), [""; 0]);
    let wrong = of_scenario(&MATED.replace("rule_at = 1", "rule_at = 0"));
    assert_eq!(differing(&wrong), ["rule_at is 1 (place) or 2 (press), should be 0 (lift)"]);
}

#[test]
fn positions_are_compared_and_not_their_spelling() {
    let fen = |fen: &str| {
        pressed("fen = \"4k3/p7/8/8/8/8/P7/4K3 w - - 0 1\", add_b", &format!("fen = \"{fen}\", add_b"))
    };
    for right in ["4k3/p7/8/8/8/8/P7/4K3 w - -", "4k3/p7/8/8/8/8/P7/4K3 w - - 0 1", "4k3/p7/8/8/8/8/P7/4K3 w"]
    {
        assert_eq!(differing(&fen(right)), [""; 0], "{right}");
    }
    for wrong in [
        "4k3/p7/8/8/8/8/P7/4K3 b - -",
        "4k3/p7/8/8/8/8/P7/4K3 w - - 1 1",
        "4k3/p7/8/8/8/8/P7/4K3 w - - 0 2",
        "4k3/p7/8/8/8/8/P7/5K2 w - -",
    ] {
        let expected = format!("fen is 4k3/p7/8/8/8/8/P7/4K3 w - - 0 1, should be {wrong}");
        assert_eq!(differing(&fen(wrong)), [expected]);
    }
    // Nobody can capture in passing: the program writes no square for it.
    let passed = SCENARIO.replace("clock =", "moves = [\"a2a4\", \"a7a6\"]\nclock =");
    let passed = passed.replace(
        "fen = \"4k3/p7/8/8/8/8/P7/4K3 w - - 0 1\", add_b",
        "fen = \"4k3/8/p7/8/P7/8/8/4K3 w - -\", add_b",
    );
    assert_eq!(differing(&of_scenario(&passed)), [""; 0]);
}

#[test]
fn what_is_ruled_instead_is_told() {
    let outcome = pressed("\"press-without-move\"", "\"ok\"");
    let told = differing(&outcome);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("ruling is press-without-move against white (7.5.3"), "{told:?}");
    assert!(told[0].ends_with("), should be ok"), "{told:?}");
    let told = differing(&pressed("\"press-without-move\"", "\"touch-upheld\""));
    assert!(told.contains(&"ruling is press-without-move, should be touch-upheld".to_owned()), "{told:?}");
    let (expected, _) = ILLEGAL.split_at(ILLEGAL.find("[[expect.ruling]]").unwrap());
    let told = differing(&outcome_of(expected));
    assert!(told[0].starts_with("ruling is illegal-move against white (7.5.1"), "{told:?}");
    assert!(told[0].ends_with(" ms, should be no other"), "{told:?}");
}

fn outcome_of(text: &str) -> Outcome {
    outcome(text, &[])
}

#[test]
fn values_of_a_wrong_type_are_told_with_their_key_in_plain_words() {
    for (text, from, to, expected) in [
        (
            MATE,
            "t_ms = 1000",
            "t_ms = \"soon\"",
            "9: t_ms: a whole number, 0 or more, is needed here, not a string",
        ),
        (MATE, "t_ms = 1000", "t_ms = 99999999999999999999", "9: t_ms: 99999999999999999999 is too large"),
        (MATE, "t_ms = 1000", "t_ms = -1", "9: t_ms: a whole number, 0 or more, is needed here, not -1"),
        (
            MATE,
            "completed = 4",
            "completed = 4.5",
            "31: completed: a whole number, 0 or more, is needed here, not a float",
        ),
        (
            MATE,
            "kind = \"game-over\"",
            "kind = [\"game-over\"]",
            "44: kind: a string is needed here, not an array",
        ),
        (
            MATE,
            "board_matches = true",
            "board_matches = \"yes\"",
            "37: board_matches: true or false is needed here, not a string",
        ),
        (MATE, "never = [\"e2e4\"]", "never = \"e2e4\"", "30: never: a list is needed here, not a string"),
        (MATE, "never = [\"e2e4\"]", "never = [1]", "30: never: a string is needed here, not 1"),
        (MATE, "mode = \"standard\"", "mode = 3", "25: mode: a string is needed here, not 3"),
        (
            SCENARIO,
            "illegal_w = 1",
            "illegal_w = 256",
            "12: illegal_w: a whole number from 0 to 255 is needed here, not 256",
        ),
        (
            SCENARIO,
            "add_b = 120000",
            "add_b = true",
            "12: add_b: a whole number is needed here, not a boolean",
        ),
        (
            SCENARIO,
            "clock =",
            "before = 1\nclock =",
            "7: before: a list of two numbers is needed here, not 1",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        assert_eq!(told(&text.replacen(from, to, 1)), [format!("x.toml:{expected}")], "{to}");
    }
}

#[test]
fn what_no_table_can_be_told_is_said_in_the_words_of_the_file() {
    let claim = "ev = \"claim\", by = \"b\", kind = \"two-hands\"";
    let outcome = pressed("ev = \"press\", by = \"b\"", claim);
    let expected = "telling a table claim two-hands at 2000 ms is not possible, should be possible";
    assert_eq!(differing(&outcome), [expected]);
}

#[test]
fn a_name_is_there_and_has_no_control_characters() {
    assert_eq!(
        told(&MATE.replace("\"mate\"", "\" \"")),
        ["x.toml:3: id: a name is needed here, and it is empty"]
    );
    let told_of = told(&SCENARIO.replace("\"press\"\nrule", "\"a\\u001B[2K\"\nrule"));
    assert_eq!(told_of, ["x.toml:3: id: a name has no control characters, as \"a\\u{1b}[2K\" has"]);
}

/// A king is left in check, and another is put where it may not be: nothing is legal there, and they play on.
#[test]
fn positions_that_no_legal_move_leads_to_are_read() {
    const FEN: &str = "fen = \"4k3/p7/8/8/8/8/P7/4K3 w - - 0 1\"\n";
    let with = |lines: &str| {
        let text = SCENARIO.replacen(FEN, lines, 1);
        assert_ne!(text, SCENARIO);
        read(Path::new("x.toml"), &text).map(drop)
    };
    let stands = "fen = \"4k3/8/8/8/8/8/P7/r3K3 w - - 0 1\"\nmoves = [\"!a2a4\", \"e8e7\", \"!a4a5\"]\n";
    assert_eq!(with(stands), Ok(()));
    let both_in_check = "fen = \"4k2R/8/8/8/8/8/8/r3K3 w - - 0 50\"\n";
    assert!(with(both_in_check).is_err());
    assert_eq!(with(&format!("odd = true\n{both_in_check}")), Ok(()));
}
