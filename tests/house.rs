// SPDX-License-Identifier: GPL-3.0-or-later
//! The rules of the house, held by tests: each walks the files of the repository and names every
//! offender. tests/README.md says what the rules are for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const SPDX: &str = "SPDX-License-Identifier:";
const DAEMON: &str = "GPL-3.0-or-later";
const FAMILIES: &str = "MIT OR Apache-2.0";

/// Kinds of files that must name their licence. Generated files (Cargo.lock), licence texts and
/// prose (*.md) need not.
const LICENSED: [&str; 10] =
    ["conf", "policy", "py", "rs", "rules", "service", "sh", "socket", "toml", "xml"];

const LONGEST: usize = 600;
/// Where time and input are arguments: the file that switches the lints on, and all that it rules.
const PURE_ROOMS: [(&str, &str); 5] = [
    ("src/board/mod.rs", "src/board/"),
    ("src/clock/mod.rs", "src/clock/"),
    ("src/laws/mod.rs", "src/laws/"),
    ("src/rehearse/mod.rs", "src/rehearse/"),
    ("src/table/mod.rs", "src/table/"),
];
/// A package outside the workspace: the fuzzer's macro exports a function, which the workspace
/// forbids. It has no code of its own but what the ordinary tests build under all lints.
const FUZZER: &str = "tests/fuzz/Cargo.toml";
const PURE: &str = "#![deny(clippy::disallowed_methods, clippy::disallowed_types)]";

/// What a family's crate may depend on: no runtime, no port, no bus, no rule of chess.
const FAMILY_MAY_USE: [&str; 3] = ["arbiterd-board", "serde", "thiserror"];

// ----- the files ------------------------------------------------------------------------------

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Paths of all files of the repository, relative to its root, with forward slashes.
fn paths() -> Vec<String> {
    let paths = tracked().unwrap_or_else(|| {
        // An unpacked archive is no repository: all that is there came with it.
        let mut found = Vec::new();
        walk(root(), &mut found);
        found
    });
    assert!(paths.iter().any(|p| p == "src/lib.rs"), "the repository's files were not found");
    paths
}

/// What git tracks, or nothing if this is no clone or git is not installed.
fn tracked() -> Option<Vec<String>> {
    if !root().join(".git").exists() {
        return None;
    }
    let mut git = Command::new("git");
    // The clone may belong to another user than the one who tests it.
    git.args(["-c", "safe.directory=*", "ls-files", "-z"]).current_dir(root());
    let output = match git.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        other => other.expect("git can be run"),
    };
    assert!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(output.stdout).expect("paths are UTF-8");
    // A file that was deleted and not committed yet is still listed.
    Some(list.split_terminator('\0').filter(|p| root().join(p).is_file()).map(str::to_owned).collect())
}

fn walk(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root()).unwrap().to_str().expect("paths are UTF-8").to_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                walk(&path, found);
            }
        } else {
            found.push(name);
        }
    }
}

fn extension(path: &str) -> &str {
    Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or("")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The text files that pass `filter`, each with its path.
fn texts(filter: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let texts: Vec<_> = paths()
        .into_iter()
        .filter(|path| filter(path))
        // What is not UTF-8 is a fixture of bytes.
        .filter_map(|path| Some((fs::read_to_string(root().join(&path)).ok()?, path)))
        .map(|(text, path)| (path, text))
        .collect();
    assert!(!texts.is_empty(), "a rule for which there is no file holds nothing");
    texts
}

fn is_rust(path: &str) -> bool {
    extension(path) == "rs"
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// `path:line: text` of each line that breaks a rule.
fn lines_that(files: &[(String, String)], broken: impl Fn(&str) -> bool) -> Vec<String> {
    let mut offenders = Vec::new();
    for (path, text) in files {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| broken(line)) {
            offenders.push(format!("{path}:{}: {}", number + 1, line.trim()));
        }
    }
    offenders
}

#[track_caller]
fn assert_none(rule: &str, offenders: &[String]) {
    assert!(offenders.is_empty(), "{rule}\n  {}\n", offenders.join("\n  "));
}

/// Whether `word` stands in `line` with no letter, digit or underscore beside it.
fn has_word(line: &str, word: &str) -> bool {
    let part_of_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|s| s.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|s| s.chars().next());
        !part_of_name(before) && !part_of_name(after)
    })
}

// ----- licences -------------------------------------------------------------------------------

fn licence_of(path: &str) -> &'static str {
    let mut parts = path.split('/');
    // protocols/README.md and the like belong to no crate.
    match (parts.next(), parts.next(), parts.next()) {
        (Some("protocols"), Some(_), Some(_)) => FAMILIES,
        _ => DAEMON,
    }
}

/// The licence that a file names on the first line that can be a comment.
fn named_licence(text: &str) -> Option<&str> {
    let first = text.lines().find(|line| {
        !(line.starts_with("#!/") || line.starts_with("<?xml") || line.starts_with("<!DOCTYPE"))
    })?;
    let (_, licence) = first.split_once(SPDX)?;
    Some(licence.trim_end_matches("-->").trim())
}

#[test]
fn every_file_names_its_licence_first() {
    let files = texts(|path| LICENSED.contains(&extension(path)) || path == ".ci/run");
    let offenders: Vec<String> = files
        .iter()
        .filter(|(path, text)| named_licence(text) != Some(licence_of(path)))
        .map(|(path, text)| match named_licence(text) {
            Some(other) => format!("{path}: {other:?} instead of {:?}", licence_of(path)),
            None => format!("{path}: no licence; its first line must say {:?}", licence_of(path)),
        })
        .collect();
    assert_none("files without their SPDX line, or with the wrong one:", &offenders);
}

#[test]
fn the_texts_of_all_licences_are_here() {
    for (licence, opening) in [
        ("GPL-3.0-or-later", "GNU GENERAL PUBLIC LICENSE"),
        ("MIT", "Permission is hereby granted"),
        ("Apache-2.0", "Apache License"),
    ] {
        let text = read(&format!("LICENSES/{licence}.txt"));
        assert!(text.contains(opening), "LICENSES/{licence}.txt is not the text of that licence");
    }
}

// ----- files ----------------------------------------------------------------------------------

#[test]
fn no_source_file_is_too_long() {
    let files = texts(is_rust);
    let offenders: Vec<String> = files
        .iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(path, lines)| format!("{path}: {lines} lines"))
        .collect();
    assert_none("files of more than 600 lines; split them by what they do:", &offenders);
}

#[test]
fn nothing_is_left_to_do_in_a_remark() {
    // Spelt in two parts, so that this file does not break its own rule.
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME")];
    let files = texts(|path| !path.starts_with("LICENSES/"));
    let offenders = lines_that(&files, |line| marks.iter().any(|mark| has_word(line, mark)));
    assert_none("remarks about work left to do; do it, or say in a README what is missing:", &offenders);
}

#[test]
fn no_file_names_a_place_outside_the_repository() {
    let places = [concat!("/wo", "rk/"), concat!("../sha", "red"), concat!("/ro", "ot/")];
    let offenders = lines_that(&texts(|_| true), |line| places.iter().any(|place| line.contains(place)));
    assert_none("paths of somebody's machine:", &offenders);
}

// ----- code -----------------------------------------------------------------------------------

/// The compiler forbids it wherever the workspace's lints apply; this holds that they apply
/// everywhere and that nothing is written to get round them.
#[test]
fn all_code_keeps_the_guarantees_of_the_language() {
    let word = concat!("un", "safe");
    let files = texts(is_rust);
    let offenders = lines_that(&files, |line| {
        let code = line.split("//").next().unwrap_or("");
        let opens_something = code.match_indices(word).any(|(at, _)| {
            let rest = code.get(at + word.len()..).unwrap_or("").trim_start();
            // In the text of a reason or a message the word is followed by others.
            rest.is_empty()
                || ["{", "(", "fn ", "impl", "trait ", "extern "].iter().any(|s| rest.starts_with(s))
        });
        opens_something || code.contains(concat!("un", "safe_code"))
    });
    assert_none("code that steps outside the guarantees of the language:", &offenders);

    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    let level = workspace["workspace"]["lints"]["rust"][concat!("un", "safe_code")].as_str();
    assert_eq!(level, Some("forbid"), "Cargo.toml [workspace.lints.rust]");
    let offenders: Vec<String> = manifests()
        .into_iter()
        .filter(|(path, _)| path != FUZZER)
        .filter(|(_, manifest)| {
            manifest.get("lints").and_then(|l| l.get("workspace")).and_then(toml::Value::as_bool)
                != Some(true)
        })
        .map(|(path, _)| path)
        .collect();
    assert_none("crates that do not take the workspace's lints:", &offenders);
}

/// A test that sleeps is slow on every machine and wrong on a busy one.
#[test]
fn no_test_sleeps() {
    let calls = ["sleep", "sleep_ms", "sleep_until"];
    // This file names them in order to forbid them.
    let files = texts(|path| is_rust(path) && is_test(path) && path != "tests/house.rs");
    let offenders = lines_that(&files, |line| {
        let code = line.split("//").next().unwrap_or("");
        calls.iter().any(|call| has_word(code, call))
    });
    assert_none("tests that let time pass; await the event itself, or use virtual time:", &offenders);
}

// ----- crates ---------------------------------------------------------------------------------

fn manifests() -> Vec<(String, toml::Table)> {
    texts(|path| path == "Cargo.toml" || path.ends_with("/Cargo.toml"))
        .into_iter()
        .map(|(path, text)| {
            let manifest = text.parse().unwrap_or_else(|e| panic!("{path}: {e}"));
            (path, manifest)
        })
        .collect()
}

#[test]
fn every_crate_has_the_licence_of_its_folder() {
    let offenders: Vec<String> = manifests()
        .into_iter()
        .filter(|(path, manifest)| {
            let licence =
                manifest.get("package").and_then(|p| p.get("license")).and_then(toml::Value::as_str);
            licence != Some(licence_of(path))
        })
        .map(|(path, _)| format!("{path}: package.license must be {:?}", licence_of(&path)))
        .collect();
    assert_none("crates under the wrong licence:", &offenders);
}

#[test]
fn a_family_depends_on_nothing_that_does_input_or_output() {
    let mut offenders = Vec::new();
    for (path, manifest) in manifests().into_iter().filter(|(path, _)| path.starts_with("protocols/")) {
        let Some(used) = manifest.get("dependencies").and_then(toml::Value::as_table) else { continue };
        let foreign = used.keys().filter(|name| !FAMILY_MAY_USE.contains(&name.as_str()));
        offenders.extend(foreign.map(|name| format!("{path}: {name}")));
    }
    assert_none("dependencies that a board family must not have:", &offenders);
}

// ----- pure rooms -----------------------------------------------------------------------------

/// Each room's first file and the prefix of the paths that belong to it.
fn pure_rooms() -> Vec<(String, String)> {
    let mut rooms: Vec<_> =
        PURE_ROOMS.iter().map(|(first, all)| ((*first).to_owned(), (*all).to_owned())).collect();
    for path in paths() {
        if path.starts_with("protocols/") && path.ends_with("/src/lib.rs") {
            rooms.push((path.clone(), path.trim_end_matches("lib.rs").to_owned()));
        }
    }
    assert!(rooms.len() > PURE_ROOMS.len(), "no protocol crate was found");
    rooms
}

#[test]
fn pure_rooms_deny_clocks_files_and_chance() {
    let open: Vec<String> = pure_rooms()
        .into_iter()
        .filter(|(first, _)| !read(first).lines().any(|line| line == PURE))
        .map(|(first, _)| first)
        .collect();
    assert_none(&format!("pure rooms without {PURE}"), &open);

    let rooms = pure_rooms();
    let files = texts(|path| is_rust(path) && rooms.iter().any(|(_, all)| path.starts_with(all.as_str())));
    let windows = lines_that(&files, |line| line.contains("clippy::disallowed") && line != PURE);
    assert_none("lines that open a window in a pure room:", &windows);
}

/// One violation of each entry of clippy.toml, by its path. `[methods, types]`.
const VIOLATIONS: [&[(&str, &str)]; 2] = [
    &[
        ("std::time::Instant::now", "let _ = std::time::Instant::now();"),
        ("std::time::SystemTime::now", "let _ = std::time::SystemTime::now();"),
        ("std::thread::sleep", "std::thread::sleep(core::time::Duration::ZERO);"),
        ("std::thread::spawn", "let _ = std::thread::spawn(|| ());"),
        ("std::env::var", "let _ = std::env::var(\"A\");"),
        ("std::env::var_os", "let _ = std::env::var_os(\"A\");"),
        ("std::env::args", "let _ = std::env::args();"),
        ("std::fs::read", "let _ = std::fs::read(\"a\");"),
        ("std::fs::read_to_string", "let _ = std::fs::read_to_string(\"a\");"),
        ("std::fs::write", "let _ = std::fs::write(\"a\", \"b\");"),
        ("std::fs::read_dir", "let _ = std::fs::read_dir(\"a\");"),
        ("std::fs::remove_file", "let _ = std::fs::remove_file(\"a\");"),
        ("std::fs::create_dir_all", "let _ = std::fs::create_dir_all(\"a\");"),
        ("std::process::exit", "if true { std::process::exit(0); }"),
        ("tokio::time::sleep", "tokio::time::sleep();"),
        ("tokio::spawn", "tokio::spawn();"),
        ("rustix::time::clock_gettime", "rustix::time::clock_gettime();"),
    ],
    &[
        ("std::time::Instant", "let _: Option<std::time::Instant> = None;"),
        ("std::time::SystemTime", "let _: Option<std::time::SystemTime> = None;"),
        ("std::collections::HashMap", "let _: Option<std::collections::HashMap<u8, u8>> = None;"),
        ("std::collections::HashSet", "let _: Option<std::collections::HashSet<u8>> = None;"),
        ("std::hash::RandomState", "let _: Option<std::hash::RandomState> = None;"),
        ("std::fs::File", "let _: Option<std::fs::File> = None;"),
        ("std::fs::OpenOptions", "let _: Option<std::fs::OpenOptions> = None;"),
        ("std::net::TcpStream", "let _: Option<std::net::TcpStream> = None;"),
        ("std::net::UdpSocket", "let _: Option<std::net::UdpSocket> = None;"),
        ("std::os::unix::net::UnixStream", "let _: Option<std::os::unix::net::UnixStream> = None;"),
        ("std::process::Command", "let _: Option<std::process::Command> = None;"),
    ],
];

/// The scratch crate has stand-ins of these crates; here the compiler holds that the real ones
/// have the functions that clippy.toml names.
#[test]
fn what_clippy_toml_names_in_other_crates_exists() {
    let named: BTreeSet<String> =
        listed("disallowed-methods").into_iter().filter(|path| !path.starts_with("std::")).collect();
    let _ = tokio::time::sleep;
    let _ = tokio::spawn::<std::future::Ready<()>>;
    let _ = rustix::time::clock_gettime;
    let known = ["rustix::time::clock_gettime", "tokio::spawn", "tokio::time::sleep"];
    assert_eq!(named, known.map(str::to_owned).into(), "name the new functions above");
}

/// The paths of one list in clippy.toml.
fn listed(list: &str) -> BTreeSet<String> {
    let config: toml::Table = read("clippy.toml").parse().unwrap();
    let entries = config[list].as_array().expect("a list");
    entries.iter().map(|entry| entry["path"].as_str().expect("a path").to_owned()).collect()
}

/// A misspelt path in clippy.toml would forbid nothing, silently: so a crate that breaks each
/// entry once must be refused for each.
#[test]
fn every_entry_of_clippy_toml_bites() {
    let wanted = [listed("disallowed-methods"), listed("disallowed-types")];
    for (list, violations) in wanted.iter().zip(VIOLATIONS) {
        let tried: BTreeSet<String> = violations.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(*list, tried, "clippy.toml and VIOLATIONS in tests/house.rs must name the same");
    }
    let (accepted, said) = clippy_on_violations();
    assert!(!accepted, "clippy accepted a crate that breaks every entry:\n{said}");
    for (kind, list) in ["method", "type"].iter().zip(wanted) {
        let missed: Vec<String> = list
            .into_iter()
            .filter(|path| !said.contains(&format!("error: use of a disallowed {kind} `{path}`")))
            .collect();
        assert_none(&format!("{kind}s that clippy.toml names to no effect; clippy said\n{said}"), &missed);
    }
    assert!(!said.contains("does not refer to"), "{said}");
}

/// Whether clippy accepted the scratch crate, and what it said.
fn clippy_on_violations() -> (bool, String) {
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("disallowed");
    // What an earlier run left would be taken for the answer.
    if scratch.exists() {
        fs::remove_dir_all(&scratch).unwrap();
    }
    let mut files = BTreeMap::new();
    let manifest = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n{more}")
    };
    files.insert(
        "Cargo.toml",
        manifest(
            "scratch",
            "[dependencies]\ntokio.path = \"tokio\"\nrustix.path = \"rustix\"\n[workspace]\n",
        ),
    );
    files.insert("tokio/Cargo.toml", manifest("tokio", ""));
    files.insert("tokio/src/lib.rs", "pub mod time { pub fn sleep() {} }\npub fn spawn() {}\n".to_owned());
    files.insert("rustix/Cargo.toml", manifest("rustix", ""));
    files.insert("rustix/src/lib.rs", "pub mod time { pub fn clock_gettime() {} }\n".to_owned());
    let body: Vec<&str> = VIOLATIONS.concat().into_iter().map(|(_, statement)| statement).collect();
    files.insert("src/lib.rs", format!("{PURE}\npub fn violate() {{\n    {}\n}}\n", body.join("\n    ")));
    for (name, text) in files {
        let path = scratch.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["clippy", "--offline", "--color", "never", "--target-dir"])
        .arg(scratch.join("target"))
        .current_dir(&scratch)
        .env("CLIPPY_CONF_DIR", root())
        .output()
        .expect("cargo can be run");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}
