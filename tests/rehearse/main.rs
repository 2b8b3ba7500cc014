// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl rehearse` as a process: what an arbiter types before a tournament, and what he is told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

mod files;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs it where the cases are.
fn rehearse(args: &[&str]) -> Output {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    Command::new(env!("CARGO_BIN_EXE_arbiterctl")).args(args).current_dir(cases).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn complained(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn what_is_right_passes_a_line_for_each() {
    let output = rehearse(&["rehearse", "right"]);
    let names = [
        "bishop-through-pawn",
        "draw-by-the-kings",
        "english-opening",
        "in-passing",
        "one-report",
        "second-king",
        "sleeve",
        "two-games",
    ];
    let lines = names.map(|name| format!("ok      {name}\n")).concat() + "8 passed, 0 failed, 0 open\n";
    assert_eq!((said(&output).as_str(), output.status.code()), (lines.as_str(), Some(0)));
}

#[test]
fn what_is_wrong_fails_with_every_field_that_differs() {
    let output = rehearse(&["rehearse", "--due", "sensing,laws", "wrong", "right/english-opening.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    assert!(said.contains("FAILED  another-move: The record says another knight move than was made (wrong/another-move.toml:3)\n"), "{said}");
    assert!(said.contains("\n        moves is [c2c4 b8c6], should be [c2c4 b8a6]\n"), "{said}");
    assert!(
        said.contains("\n        ruling 1 (touch-move) is missing (there is nothing), should be there\n")
    );
    assert!(said.ends_with("\nok      english-opening\n1 passed, 2 failed, 0 open\n"), "{said}");
    assert_eq!(complained(&output), "arbiterctl: 2 of 3 failed\n");
}

#[test]
fn what_is_open_is_counted_apart_and_fails_nothing() {
    let output = rehearse(&["rehearse", "open"]);
    assert_eq!(output.status.code(), Some(0));
    let said = said(&output);
    assert!(
        said.contains("open    disputed: what is right is disputed (open/disputed.toml:3)\n        moves is"),
        "{said}"
    );
    assert!(
        said.contains("open    restart: it is about the running service (open/restart.toml:3)\n"),
        "{said}"
    );
    assert!(
        said.contains("open    another-federation: there is no rulebook uscf-7-standard here (open/another-federation.toml:3)\n"),
        "{said}"
    );
    assert!(said.ends_with("0 passed, 0 failed, 3 open\n"), "{said}");
}

#[test]
fn folders_are_read_with_what_is_in_them_and_no_id_stands_for_two() {
    let output = rehearse(&["rehearse", "."]);
    assert!(said(&output).ends_with("\n8 passed, 1 failed, 4 open\n"), "{}", said(&output));
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a").join("b");
    std::fs::create_dir_all(&inner).unwrap();
    let name = folder.path().to_str().unwrap();
    let empty = rehearse(&["rehearse", name]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(said(&empty).contains("no file in this folder or below it that ends with .toml"));
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/right/sleeve.toml");
    std::fs::copy(&case, inner.join("one.toml")).unwrap();
    let one = rehearse(&["rehearse", name, inner.to_str().unwrap()]);
    assert_eq!(
        (said(&one).as_str(), one.status.code()),
        ("ok      sleeve\n1 passed, 0 failed, 0 open\n", Some(0))
    );
    std::fs::copy(&case, folder.path().join("two.toml")).unwrap();
    let two = rehearse(&["rehearse", name]);
    assert_eq!(two.status.code(), Some(2));
    let told = said(&two);
    assert!(told.contains("two.toml:3: sleeve is the id of one in "), "{told}");
    assert!(told.contains("one.toml too: give it another\n"), "{told}");
    assert!(told.ends_with("\n1 passed, 0 failed, 0 open, 1 not read\n"), "{told}");
}

#[test]
fn a_name_in_capitals_is_a_case_too() {
    let folder = tempfile::tempdir().unwrap();
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/right/sleeve.toml");
    std::fs::copy(case, folder.path().join("SLEEVE.TOML")).unwrap();
    let output = rehearse(&["rehearse", folder.path().to_str().unwrap()]);
    assert_eq!(said(&output), "ok      sleeve\n1 passed, 0 failed, 0 open\n");
}

#[test]
fn what_is_due_later_fails_nothing() {
    for args in [&["rehearse"][..], &["rehearse", "--due", "sensing,clock"]] {
        let output = rehearse(&[args, &["wrong/nobody-saw-it.toml"]].concat());
        assert_eq!(output.status.code(), Some(0));
        assert!(
            said(&output).starts_with("open    nobody-saw-it: due with laws (wrong/nobody-saw-it.toml:3)\n"),
            "{}",
            said(&output)
        );
    }
    let output = rehearse(&["rehearse", "--due", "clock", "--due", "laws", "wrong/nobody-saw-it.toml"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn programs_get_an_object_for_each_and_one_for_the_summary() {
    let output = rehearse(&["--json", "rehearse", "wrong/another-move.toml", "open/disputed.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let objects: Vec<Value> = said(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [wrong, open, summary] = objects.as_slice() else { panic!("{objects:?}") };
    let difference = serde_json::json!({ "field": "moves", "found": "[c2c4 b8c6]", "wanted": "[c2c4 b8a6]" });
    assert_eq!(
        *wrong,
        serde_json::json!({
            "file": "wrong/another-move.toml",
            "line": 3,
            "id": "another-move",
            "title": "The record says another knight move than was made",
            "outcome": "failed",
            "open": null,
            "differences": [difference],
        })
    );
    assert_eq!((&open["outcome"], &open["open"]), (&"open".into(), &"what is right is disputed".into()));
    assert_eq!(
        *summary,
        serde_json::json!({ "summary": { "passed": 0, "failed": 1, "open": 1, "unreadable": 0 } })
    );
}

#[test]
fn scenarios_are_played_too() {
    let output = rehearse(&["rehearse", "../laws/scenarios.toml"]);
    let said = said(&output);
    assert!(said.lines().any(|line| line == "ok      A06"), "{said}");
    assert_eq!(said.lines().filter(|line| !line.starts_with(' ')).count(), 69, "one a scenario, and the sum");
}

#[test]
fn an_organisers_rulebook_is_tried() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("club.toml");
    let text = "id = \"club\"\ntitle = \"Club\"\ninherits = \"fide-2023-standard\"\n\
                edition = \"2024-01-01\"\nregime = \"competition\"\n[illegal]\nlose_at = 1\n\
                [cite]\n\"illegal.lose_at\" = \"Club 3\"\n";
    std::fs::write(&book, text).unwrap();
    let path = book.to_str().unwrap();
    let output =
        rehearse(&["rehearse", "--due", "laws", "--rulebook", path, "right/bishop-through-pawn.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("add_black_ms is 0, should be 120000"), "{}", said(&output));
    for (right, wrong, told) in [
        ("lose_at = 1", "lose_at = 0", "club.toml:7: [illegal].lose_at: 0 is not within 1 to 9"),
        (
            "regime = \"competition\"\n",
            "",
            "club.toml:1: regime: missing; \"competition\" or \"unsupervised\" is needed here",
        ),
        ("fide-2023-standard", "fide-2023-standart", "did you mean \"fide-2023-standard\"?"),
        ("inherits = \"fide-2023-standard\"\n", "", "club.toml:1: inherits: missing; the id of the rulebook"),
    ] {
        std::fs::write(&book, text.replace(right, wrong)).unwrap();
        let output = rehearse(&["rehearse", "--rulebook", path, "right"]);
        assert_eq!((output.status.code(), said(&output).as_str()), (Some(2), ""), "{wrong}");
        let complaint = complained(&output);
        assert!(complaint.contains(told), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "what is missing is told once: {complaint}");
    }
}

#[test]
fn a_rulebook_of_the_program_is_named_by_its_id() {
    let under = |id: &str| {
        rehearse(&["rehearse", "--due", "laws", "--rulebook", id, "right/bishop-through-pawn.toml"])
    };
    assert_eq!(under("fide-2023-standard").status.code(), Some(0));
    // No time is added: the first illegal move loses (FIDE Laws of 2017, A.4.2).
    let rapid = under("fide-2017-rapid");
    assert!(said(&rapid).contains("add_black_ms is 0, should be 120000"), "{}", said(&rapid));
    for slip in ["fide-2018-rapidd", "fide-2018-rapid.toml"] {
        let output = under(slip);
        assert_eq!(output.status.code(), Some(2));
        let complaint = complained(&output);
        assert!(complaint.contains("did you mean \"fide-2018-rapid\"?"), "{complaint}");
        assert!(complaint.contains("fide-2017-blitz, "), "{complaint}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told_with_its_lines_and_the_others_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case.toml");
    std::fs::write(&case, "schema = 1\nid = \"x\"\ntitle = \"x\"\nlevle = \"events\"\n[setup]\n").unwrap();
    let case = case.to_str().unwrap();
    let output = rehearse(&["rehearse", case, "right/sleeve.toml", "no-such-file.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let told = said(&output);
    assert!(told.contains(&format!("ERROR   {case}:1: a case lacks level\n")), "{told}");
    assert!(told.contains(&format!("ERROR   {case}:4: unknown field `levle`")), "{told}");
    assert!(told.contains("ERROR   no-such-file.toml: cannot be read: "), "{told}");
    assert!(told.contains("\nok      sleeve\n"), "{told}");
    assert!(told.ends_with("\n1 passed, 0 failed, 0 open, 2 not read\n"), "{told}");
    let complaint = complained(&output);
    assert_eq!(complaint, "arbiterctl: 2 of 3 files could not be read, see ERROR; of the others 0 failed\n");
    let output = rehearse(&["--json", "rehearse", case, "no-such-file.toml"]);
    let objects: Vec<Value> = said(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [wrong, missing, summary] = objects.as_slice() else { panic!("{objects:?}") };
    assert_eq!((&wrong["file"], &wrong["outcome"]), (&case.into(), &"unreadable".into()));
    assert_eq!(wrong["errors"][0], serde_json::json!({ "line": 1, "what": "a case lacks level" }));
    assert_eq!(missing["errors"][0]["line"], Value::Null);
    assert_eq!(summary["summary"]["unreadable"], 2);
}

#[test]
fn wrong_usage_has_a_code_of_its_own() {
    for args in [&["rehearse"][..], &["rehearse", "--due", "luck", "right"]] {
        let output = rehearse(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", complained(&output));
        assert_eq!(said(&output), "", "{args:?}");
    }
}

#[test]
fn help_has_examples_that_are_understood() {
    let output = rehearse(&["rehearse", "--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = said(&output);
    let examples: Vec<&str> = help.lines().filter_map(|l| l.strip_prefix("  arbiterctl ")).collect();
    assert!(examples.len() >= 4, "{help}");
    for example in examples {
        let args: Vec<&str> = example.split(' ').filter(|&word| word != "arbiterctl").collect();
        // The files of the examples are not here: everything before them was understood.
        let output = rehearse(&args);
        assert_eq!(output.status.code(), Some(2), "{example}: {}", complained(&output));
        let told = said(&output) + &complained(&output);
        assert!(told.contains("cannot be read") || told.contains("no such file"), "{example}: {told}");
    }
}
