// SPDX-License-Identifier: GPL-3.0-or-later
//! Which files are read, and what is told of those that cannot be.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{complained, rehearse, said};

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/right").join(name)
}

#[test]
fn a_pipe_in_a_folder_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(case("sleeve.toml"), folder.path().join("sleeve.toml")).unwrap();
    let pipe = folder.path().join("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let ctl = env!("CARGO_BIN_EXE_arbiterctl");
    let output = Command::new("timeout").args(["20", ctl, "rehearse"]).arg(folder.path()).output().unwrap();
    assert_eq!(
        (said(&output).as_str(), output.status.code()),
        ("ok      sleeve\n1 passed, 0 failed, 0 open\n", Some(0))
    );
    // One that was named is read: somebody writes to it.
    let mut write = Command::new("cp").arg(case("sleeve.toml")).arg(&pipe).spawn().unwrap();
    let output = Command::new("timeout").args(["20", ctl, "rehearse"]).arg(&pipe).output().unwrap();
    assert_eq!(said(&output), "ok      sleeve\n1 passed, 0 failed, 0 open\n");
    write.wait().unwrap();
}

#[test]
fn a_folder_that_may_not_be_read_stops_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (locked, open) = (folder.path().join("a"), folder.path().join("b"));
    for inner in [&locked, &open] {
        fs::create_dir(inner).unwrap();
    }
    fs::copy(case("sleeve.toml"), open.join("sleeve.toml")).unwrap();
    // Root may read everything, so it is tried as nobody, who has to reach the program.
    let ctl = folder.path().join("arbiterctl");
    fs::copy(env!("CARGO_BIN_EXE_arbiterctl"), &ctl).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
    let mut command = Command::new(&ctl);
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(65534).gid(65534);
    }
    let output = command.args(["rehearse", "."]).current_dir(folder.path()).output().unwrap();
    fs::set_permissions(&locked, Permissions::from_mode(0o755)).unwrap();
    let told = said(&output);
    assert!(told.starts_with("ERROR   ./a: cannot be read: "), "{told}");
    assert!(told.ends_with("\nok      sleeve\n1 passed, 0 failed, 0 open, 1 not read\n"), "{told}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_file_is_one_however_its_name_is_spelt() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sleeve.toml");
    fs::copy(case("sleeve.toml"), &file).unwrap();
    let link = folder.path().join("z.toml");
    symlink(&file, &link).unwrap();
    let name = folder.path().to_str().unwrap();
    let output = rehearse(&["rehearse", name, &format!("{name}/./sleeve.toml"), link.to_str().unwrap()]);
    assert_eq!(said(&output), "ok      sleeve\n1 passed, 0 failed, 0 open\n");
}

#[test]
fn a_link_that_leads_nowhere_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    symlink("nowhere", folder.path().join("n.toml")).unwrap();
    let name = folder.path().to_str().unwrap();
    let told = said(&rehearse(&["rehearse", name, &format!("{name}/./n.toml")]));
    assert_eq!(told.matches("n.toml: cannot be read: ").count(), 1, "{told}");
}

#[test]
fn what_is_no_text_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("latin.toml");
    fs::write(&file, b"schema = 1\ntitle = \"Caf\xe9\"\n").unwrap();
    let name = file.to_str().unwrap();
    let told = "what stands in line 2 is no text in UTF-8: save the file in this encoding";
    let output = rehearse(&["rehearse", name]);
    assert!(said(&output).starts_with(&format!("ERROR   {name}: {told}\n")), "{}", said(&output));
    let output = rehearse(&["rehearse", "--rulebook", name, "right"]);
    assert_eq!(complained(&output), format!("arbiterctl: {name}: {told}\n"));
}

const CLUB: &str = "title = \"Club\"\nedition = \"2026-09-01\"\nregime = \"competition\"\n";

#[test]
fn a_rulebook_inherits_from_one_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let book = |id: &str, parent: &str, more: &str| {
        let file = folder.path().join(format!("{id}.toml"));
        fs::write(&file, format!("id = \"{id}\"\ninherits = \"{parent}\"\n{CLUB}{more}")).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let penalty = "[illegal]\npenalty_ms = 60000\n[cite]\n\"illegal.penalty_ms\" = \"Club 4\"\n";
    let standard = book("club-standard", "fide-2023-standard", penalty);
    let rapid = book("club-rapid", "club-standard", "");
    let play = |book: &str| {
        rehearse(&["rehearse", "--due", "laws", "--rulebook", book, "right/bishop-through-pawn.toml"])
    };
    let output = play(&rapid);
    let told = said(&output);
    assert!(told.contains("add_black_ms is 60000, should be 120000"), "{told}{}", complained(&output));
    // Two that inherit from each other are told, and nobody waits.
    book("club-standard", "club-rapid", "");
    let complaint = complained(&play(&rapid));
    assert!(complaint.contains("rulebooks inherit in a loop"), "{complaint}");
    let output = rehearse(&["rehearse", &standard]);
    let hint = format!("this is a rulebook and no case: to play cases under it, --rulebook {standard}");
    assert!(said(&output).starts_with(&format!("ERROR   {standard}:2: {hint}\n")), "{}", said(&output));
}

#[test]
fn a_slip_in_the_name_of_a_rulebook_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("slip.toml");
    let text = fs::read_to_string(case("sleeve.toml")).unwrap();
    fs::write(&file, text.replace("\"fide-2023\"", "\"fide-2032\"")).unwrap();
    let line = 1 + text.lines().position(|line| line.starts_with("book = ")).unwrap();
    let name = file.to_str().unwrap();
    let output = rehearse(&["rehearse", name]);
    let told = said(&output);
    let expected = format!(
        "ERROR   {name}:{line}: there is no rulebook \"fide-2032-standard\"; did you mean \"fide-2023-standard\"?\n"
    );
    assert!(told.starts_with(&expected), "{told}");
    assert_eq!(output.status.code(), Some(2));
}
