// SPDX-License-Identifier: GPL-3.0-or-later
//! The shipped rulebooks against the editions they stand for, and what is said of wrong ones.
#![allow(clippy::expect_used, clippy::panic, reason = "a panic in a test's helper is a failed test")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use arbiterd::laws::Matter;
use arbiterd::laws::rulebook::{
    ArbiterActs, FlagCaller, Library, MateTest, PressTreatment, Regime, Rulebook, RulebookError, TouchWindow,
    Window,
};
use proptest::prelude::*;

fn embedded() -> Library {
    Library::embedded().unwrap_or_else(|e| panic!("{e}"))
}

fn with(files: &[(&str, &str)]) -> Result<Library, RulebookError> {
    embedded().with_texts(files.iter().map(|(name, text)| (PathBuf::from(name), (*text).to_owned())))
}

/// The problems with one file, each as it is told.
fn told(file: &str, text: &str) -> Vec<String> {
    with(&[(file, text)]).expect_err("the file is wrong").0.iter().map(ToString::to_string).collect()
}

/// A rulebook that needs nothing more.
const HEAD: &str = r#"id = "club"
title = "Club rules"
inherits = "fide-2023-standard"
edition = "2024-01-01"
regime = "competition"
"#;

struct Expected {
    id: &'static str,
    edition: &'static str,
    penalty_ms: u64,
    penalty: &'static [&'static str],
    lose_at: u8,
    lose: &'static [&'static str],
    window: &'static [&'static str],
    reverse_increment: bool,
    press: &'static [&'static str],
    called_by: &'static [&'static str],
    own_time: bool,
    own_time_by: &'static [&'static str],
    flag_fall: &'static [&'static str],
}

/// By hand from the three editions. Fast books: without adequate supervision.
const EXPECTED: [Expected; 9] = [
    Expected {
        id: "fide-2017-standard",
        edition: "2017-07-01",
        penalty_ms: 120_000,
        penalty: &["7.5.3"],
        lose_at: 2,
        lose: &["7.5.3"],
        window: &["7.5.1"],
        reverse_increment: false,
        press: &["7.8.1"],
        called_by: &["6.8"],
        own_time: false,
        own_time_by: &["6.8"],
        flag_fall: &["6.9"],
    },
    Expected {
        id: "fide-2017-rapid",
        edition: "2017-07-01",
        penalty_ms: 0,
        penalty: &["A.4.2"],
        lose_at: 1,
        lose: &["A.4.2"],
        window: &["A.4.2"],
        reverse_increment: false,
        press: &["7.8.1"],
        called_by: &["A.4.5"],
        own_time: true,
        own_time_by: &["A.4.3"],
        flag_fall: &["6.9", "A.4.3"],
    },
    Expected {
        id: "fide-2017-blitz",
        edition: "2017-07-01",
        penalty_ms: 0,
        penalty: &["A.4.2", "B.4"],
        lose_at: 1,
        lose: &["A.4.2", "B.4"],
        window: &["A.4.2", "B.4"],
        reverse_increment: false,
        press: &["7.8.1"],
        called_by: &["A.4.5", "B.4"],
        own_time: true,
        own_time_by: &["A.4.3", "B.4"],
        flag_fall: &["6.9", "A.4.3", "B.4"],
    },
    Expected {
        id: "fide-2018-standard",
        edition: "2018-01-01",
        penalty_ms: 120_000,
        penalty: &["7.5.5"],
        lose_at: 2,
        lose: &["7.5.5"],
        window: &["7.5.1"],
        reverse_increment: true,
        press: &["7.5.3"],
        called_by: &["6.8"],
        own_time: false,
        own_time_by: &["6.8"],
        flag_fall: &["6.9"],
    },
    Expected {
        id: "fide-2018-rapid",
        edition: "2018-01-01",
        penalty_ms: 120_000,
        penalty: &["A.4.2", "7.5.5"],
        lose_at: 2,
        lose: &["7.5.5"],
        window: &["A.4.2"],
        reverse_increment: true,
        press: &["7.5.3"],
        called_by: &["A.4.5"],
        own_time: false,
        own_time_by: &["6.8"],
        flag_fall: &["6.9", "A.4.3"],
    },
    Expected {
        id: "fide-2018-blitz",
        edition: "2018-01-01",
        penalty_ms: 60_000,
        penalty: &["B.2"],
        lose_at: 2,
        lose: &["7.5.5"],
        window: &["A.4.2", "B.4"],
        reverse_increment: true,
        press: &["7.5.3"],
        called_by: &["A.4.5", "B.4"],
        own_time: false,
        own_time_by: &["6.8"],
        flag_fall: &["6.9", "A.4.3", "B.4"],
    },
    Expected {
        id: "fide-2023-standard",
        edition: "2023-01-01",
        penalty_ms: 120_000,
        penalty: &["7.5.5"],
        lose_at: 2,
        lose: &["7.5.5"],
        window: &["7.5.1"],
        reverse_increment: true,
        press: &["7.5.3"],
        called_by: &["6.8"],
        own_time: false,
        own_time_by: &["6.8"],
        flag_fall: &["6.9"],
    },
    Expected {
        id: "fide-2023-rapid",
        edition: "2023-01-01",
        penalty_ms: 60_000,
        penalty: &["A.3"],
        lose_at: 2,
        lose: &["7.5.5"],
        window: &["A.5.2"],
        reverse_increment: true,
        press: &["7.5.3"],
        called_by: &["A.5.5"],
        own_time: false,
        own_time_by: &["6.8"],
        flag_fall: &["6.9", "A.5.3"],
    },
    Expected {
        id: "fide-2023-blitz",
        edition: "2023-01-01",
        penalty_ms: 60_000,
        penalty: &["A.3", "B.3"],
        lose_at: 2,
        lose: &["7.5.5"],
        window: &["A.5.2", "B.3"],
        reverse_increment: true,
        press: &["7.5.3"],
        called_by: &["A.5.5", "B.3"],
        own_time: false,
        own_time_by: &["6.8"],
        flag_fall: &["6.9", "A.5.3", "B.3"],
    },
];

#[test]
fn exactly_the_expected_rulebooks_are_part_of_the_program() {
    let library = embedded();
    let expected: BTreeSet<_> = EXPECTED.iter().map(|e| e.id).collect();
    assert_eq!(library.ids().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn each_rulebook_says_what_its_edition_says() {
    let library = embedded();
    for e in &EXPECTED {
        let book = library.get(e.id).expect(e.id);
        let fast = !e.id.ends_with("standard");
        assert_eq!(book.id, e.id);
        assert_eq!(book.edition, e.edition, "{}", e.id);
        assert!(book.title.contains(&e.edition[..4]), "{}", book.title);
        assert_eq!(book.regime, if fast { Regime::Unsupervised } else { Regime::Competition }, "{}", e.id);

        let illegal = &book.illegal;
        assert_eq!(illegal.penalty, Duration::from_millis(e.penalty_ms), "{}", e.id);
        assert_eq!(illegal.lose_at, e.lose_at, "{}", e.id);
        assert_eq!(illegal.draw_exception, MateTest::AnySeries, "{}", e.id);
        assert_eq!(illegal.window, if fast { Window::UntilOpponentMade } else { Window::Game }, "{}", e.id);
        let acts = if fast { ArbiterActs::InsideWindow } else { ArbiterActs::Always };
        assert_eq!(illegal.arbiter_acts, acts, "{}", e.id);
        assert_eq!(illegal.reverse_increment, e.reverse_increment, "{}", e.id);
        assert_eq!(illegal.press_without_move, PressTreatment::Illegal, "{}", e.id);

        assert_eq!(book.touch.claim_until, TouchWindow::ClaimantTouches, "{}", e.id);
        assert!(book.touch.arbiter_acts, "{}", e.id);
        assert_eq!(book.flag.called_by, FlagCaller::ArbiterOrPlayer, "{}", e.id);
        assert_eq!(book.flag.claim_needs_own_time, e.own_time, "{}", e.id);
        assert_eq!(book.flag.draw_test, MateTest::AnySeries, "{}", e.id);
        assert_eq!(book.release_dwell, Duration::from_millis(400), "{}", e.id);
    }
}

#[test]
fn each_rulebook_cites_in_the_numbering_of_its_edition() {
    let library = embedded();
    for e in &EXPECTED {
        let book = library.get(e.id).expect(e.id);
        let cite = |parameter| book.cite(parameter).collect::<Vec<_>>();
        assert_eq!(cite("illegal.penalty_ms"), e.penalty, "{}", e.id);
        assert_eq!(cite("illegal.lose_at"), e.lose, "{}", e.id);
        assert_eq!(cite("illegal.draw_exception"), e.lose, "{}", e.id);
        assert_eq!(cite("illegal.window"), e.window, "{}", e.id);
        assert_eq!(cite("illegal.press_without_move"), e.press, "{}", e.id);
        assert_eq!(cite("touch.claim_until"), ["4.8"], "{}", e.id);
        assert_eq!(cite("flag.called_by"), e.called_by, "{}", e.id);
        assert_eq!(cite("flag.claim_needs_own_time"), e.own_time_by, "{}", e.id);
        assert_eq!(cite("flag.draw_test"), e.flag_fall, "{}", e.id);

        let articles = |matter| book.articles(matter).collect::<Vec<_>>();
        assert_eq!(articles(Matter::FlagFall), e.flag_fall, "{}", e.id);
        assert_eq!(articles(Matter::PressWithoutMove)[0], e.press[0], "{}", e.id);
        for (matter, article) in [
            (Matter::MoveCompleted, "6.2.1"),
            (Matter::Checkmate, "5.1.1"),
            (Matter::Stalemate, "5.2.1"),
            (Matter::RestoreTimes, "7.1"),
            (Matter::TouchOwn, "4.3.1"),
            (Matter::TouchEnemy, "4.3.2"),
            (Matter::TouchBoth, "4.3.3"),
            (Matter::TouchFree, "4.5"),
            (Matter::TouchClaimLost, "4.8"),
        ] {
            assert_eq!(articles(matter), [article], "{}", e.id);
        }
        assert!(articles(Matter::FlagNoticed).contains(&"6.8".to_owned()), "{}", e.id);
    }
}

/// What a ruling on an illegal move has to cite in each edition: the restoration and the penalty.
#[test]
fn a_ruling_on_an_illegal_move_finds_its_articles() {
    let library = embedded();
    for (id, needed) in [
        ("fide-2017-standard", &["7.5.1", "7.5.3"][..]),
        ("fide-2017-rapid", &["A.4.2"]),
        ("fide-2017-blitz", &["A.4.2"]),
        ("fide-2018-standard", &["7.5.1", "7.5.5"]),
        ("fide-2018-rapid", &["A.4.2", "7.5.1", "7.5.5"]),
        ("fide-2018-blitz", &["B.2", "B.4", "A.4.2", "7.5.5"]),
        ("fide-2023-standard", &["7.5.1", "7.5.5"]),
        ("fide-2023-rapid", &["A.3", "A.5.2", "7.5.5"]),
        ("fide-2023-blitz", &["A.3", "A.5.2", "7.5.5"]),
    ] {
        let book = library.get(id).expect(id);
        let cited: Vec<_> =
            book.articles(Matter::RestoreIllegal).chain(book.articles(Matter::IllegalPenalty)).collect();
        for article in needed {
            assert!(cited.iter().any(|c| c == article), "{id}: {article} is not in {cited:?}");
        }
    }
}

#[test]
fn an_empty_child_is_its_parent_under_another_name() {
    let library = with(&[("club.toml", HEAD)]).expect("right");
    let (club, parent) = (library.get("club").expect("it"), library.get("fide-2023-standard").expect("it"));
    let renamed = Rulebook {
        id: parent.id.clone(),
        title: parent.title.clone(),
        edition: parent.edition.clone(),
        hash: parent.hash.clone(),
        ..Rulebook::clone(&club)
    };
    assert_eq!(renamed, *parent);
    assert_ne!(club.hash, parent.hash);
}

#[test]
fn a_child_overrides_a_value_with_its_article() {
    let text =
        format!("{HEAD}[illegal]\npenalty_ms = 30000\n[cite]\n\"illegal.penalty_ms\" = [\"C.1\", \"C.2\"]\n");
    let book = with(&[("club.toml", &text)]).expect("right").get("club").expect("it");
    assert_eq!(book.illegal.penalty, Duration::from_secs(30));
    assert_eq!(book.cite("illegal.penalty_ms").collect::<Vec<_>>(), ["C.1", "C.2"]);
    assert_eq!(book.illegal.lose_at, 2);
    assert_eq!(book.cite("illegal.lose_at").collect::<Vec<_>>(), ["7.5.5"]);
}

#[test]
fn a_file_takes_the_place_of_one_with_its_name_for_its_heirs_too() {
    let text =
        include_str!("../data/rulebooks/fide-2023-standard.toml").replace("lose_at = 2", "lose_at = 3");
    let library = with(&[("/etc/fide-2023-standard.toml", &text)]).expect("right");
    assert_eq!(library.get("fide-2023-standard").expect("it").illegal.lose_at, 3);
    assert_eq!(library.get("fide-2023-blitz").expect("it").illegal.lose_at, 3);
    assert_ne!(
        library.get("fide-2023-blitz").expect("it").hash,
        embedded().get("fide-2023-blitz").expect("it").hash
    );
}

#[test]
fn the_hash_is_of_the_content_and_not_of_the_file() {
    let plain = format!("{HEAD}[illegal]\nlose_at = 3\n[cite]\n\"illegal.lose_at\" = \"C.1\"\n");
    let dressed = format!(
        "# A comment.\n{HEAD}\n[cite]\n\"illegal.lose_at\" = [\"C.1\"]\n\n[illegal]\nlose_at = 0x3\n"
    );
    let recited = plain.replace("C.1", "C.2");
    let hash =
        |text: &str| with(&[("club.toml", text)]).expect("right").get("club").expect("it").hash.clone();
    assert_eq!(hash(&plain), hash(&dressed));
    assert_ne!(hash(&plain), hash(&recited));
    assert_eq!(hash(&plain).len(), 16);
    assert!(hash(&plain).bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
    let all: BTreeSet<_> = EXPECTED.iter().map(|e| embedded().get(e.id).expect(e.id).hash.clone()).collect();
    assert_eq!(all.len(), EXPECTED.len());
}

#[test]
fn each_mistake_is_told_with_file_line_key_and_a_suggestion() {
    for (more, expected) in [
        ("[ilegal]\nlose_at = 2\n", "club.toml:6: ilegal: unknown key; did you mean \"illegal\"?"),
        (
            "[illegal]\nlose_att = 2\n",
            "club.toml:7: [illegal].lose_att: unknown key; did you mean \"lose_at\"?",
        ),
        ("[illegal]\nzzzzzzz = 2\n", "club.toml:7: [illegal].zzzzzzz: unknown key"),
        (
            "[illegal]\nlose_at = \"two\"\n[cite]\n\"illegal.lose_at\" = \"C.1\"\n",
            "club.toml:7: [illegal].lose_at: an integer is needed here, not a string",
        ),
        (
            "[illegal]\nlose_at = 0\n[cite]\n\"illegal.lose_at\" = \"C.1\"\n",
            "club.toml:7: [illegal].lose_at: 0 is not within 1 to 9",
        ),
        (
            "[illegal]\npenalty_ms = -1\n[cite]\n\"illegal.penalty_ms\" = \"C.1\"\n",
            "club.toml:7: [illegal].penalty_ms: -1 is not within 0 to 3600000",
        ),
        (
            "[illegal]\nwindow = \"until-opponent-made\"\n[cite]\n\"illegal.window\" = \"C.1\"\n",
            "club.toml:7: [illegal].window: \"until-opponent-made\" is not one of \"game\", \
             \"until-opponent-made-move\"; did you mean \"until-opponent-made-move\"?",
        ),
        (
            "[flag]\nclaim_needs_own_time = 1\n[cite]\n\"flag.claim_needs_own_time\" = \"C.1\"\n",
            "club.toml:7: [flag].claim_needs_own_time: true or false is needed here, not an integer",
        ),
        (
            "[illegal]\nlose_at = 3\n",
            "club.toml:7: [illegal].lose_at: missing; an article for it, [cite].\"illegal.lose_at\", is needed here",
        ),
        (
            "[cite]\n\"illegal.lose_at\" = \"C.1\"\n",
            "club.toml:7: [cite].\"illegal.lose_at\": cites an article for a value that this file does not set; \
             set the value here too",
        ),
        (
            "[cite]\n\"illegal.loose_at\" = \"C.1\"\n",
            "club.toml:7: [cite].\"illegal.loose_at\": unknown key; did you mean \"illegal.lose_at\"?",
        ),
        // The engine's own setting has no article.
        (
            "[observation]\nrelease_dwell_ms = 100\n[cite]\n\"observation.release_dwell_ms\" = \"C.1\"\n",
            "club.toml:9: [cite].\"observation.release_dwell_ms\": unknown key",
        ),
        (
            "[articles]\nstale-mate = \"5.2.1\"\n",
            "club.toml:7: [articles].stale-mate: unknown key; did you mean \"stalemate\"?",
        ),
        (
            "[articles]\nstalemate = []\n",
            "club.toml:7: [articles].stalemate: missing; at least one article is needed here",
        ),
        (
            "[articles]\nstalemate = [\n  \"5.2.1\",\n  \"\",\n]\n",
            "club.toml:9: [articles].stalemate: \"\": one line of text is needed, without blanks around it",
        ),
        (
            "[articles]\nstalemate = [1]\n",
            "club.toml:7: [articles].stalemate: a list of strings is needed here, \
             not a list with something else in it",
        ),
        ("articles = 3\n", "club.toml:6: articles: a table is needed here, not an integer"),
    ] {
        assert_eq!(told("club.toml", &format!("{HEAD}{more}")), [expected], "{more}");
    }
}

#[test]
fn each_mistake_in_the_header_is_told() {
    for (right, wrong, expected) in [
        ("id = \"club\"\n", "", "club.toml:1: id: missing; the id of the rulebook is needed here"),
        (
            "\"club\"",
            "\"clubs\"",
            "club.toml:1: id: \"clubs\": the id has to be the name of its file, \"club\"",
        ),
        ("\"Club rules\"", "7", "club.toml:2: title: a string is needed here, not an integer"),
        (
            "fide-2023-standard",
            "fide-2023-standart",
            "club.toml:3: inherits: there is no rulebook \"fide-2023-standart\"; did you mean \
             \"fide-2023-standard\"?",
        ),
        (
            "2024-01-01",
            "2024-13-01",
            "club.toml:4: edition: \"2024-13-01\": a day is written like 2023-01-01",
        ),
        (
            "\"competition\"",
            "\"competitoin\"",
            "club.toml:5: regime: \"competitoin\" is not one of \"competition\", \"unsupervised\"; did you \
             mean \"competition\"?",
        ),
    ] {
        assert_eq!(told("club.toml", &HEAD.replacen(right, wrong, 1)), [expected]);
    }
}

#[test]
fn text_that_is_not_toml_is_told_with_its_line() {
    let told = told("club.toml", &format!("{HEAD}[illegal\nlose_at = = 2\n"));
    assert!(told[0].starts_with("club.toml:6: not TOML: "), "{told:?}");
    assert!(told.iter().any(|t| t.starts_with("club.toml:7: ")), "every line is told: {told:?}");
}

#[test]
fn all_mistakes_of_all_files_are_told() {
    let wrong = format!("{HEAD}[illegal]\nlose_at = 99\nfoo = 1\n");
    let other = "id = \"other\"\n";
    let error = with(&[("club.toml", &wrong), ("other.toml", other)]).expect_err("wrong");
    let places: Vec<_> =
        error.0.iter().map(|p| (p.file.display().to_string(), p.line, p.key.as_str())).collect();
    for place in [
        ("club.toml", 7, "[illegal].lose_at"),
        ("club.toml", 8, "[illegal].foo"),
        ("other.toml", 1, "title"),
        ("other.toml", 1, "edition"),
        ("other.toml", 1, "regime"),
    ] {
        assert!(places.contains(&(place.0.to_owned(), place.1, place.2)), "{place:?} is not in {places:?}");
    }
}

#[test]
fn a_rulebook_without_parent_has_to_be_complete() {
    let whole =
        include_str!("../data/rulebooks/fide-2018-standard.toml").replace("fide-2018-standard", "club");
    let lacks = |line: &str| {
        ![
            "penalty_ms",
            "draw_test",
            "release_dwell_ms",
            "\"illegal.penalty_ms",
            "\"flag.draw_test",
            "flag-fall",
        ]
        .iter()
        .any(|key| line.starts_with(key))
    };
    let text = whole.lines().filter(|line| lacks(line)).map(|line| format!("{line}\n")).collect::<String>();
    let mut told = told("club.toml", &text);
    told.sort_unstable();
    assert_eq!(told.len(), 4, "{told:#?}");
    for (told, expected) in told.iter().zip([
        ": [articles].flag-fall: missing; an article is needed here",
        ": [flag].draw_test: missing; a value is needed here",
        ": [illegal].penalty_ms: missing; a value is needed here",
        ": [observation].release_dwell_ms: missing; a value is needed here",
    ]) {
        assert!(told.starts_with("club.toml:1:") && told.ends_with(expected), "{told}");
    }
}

#[test]
fn a_rulebook_that_should_inherit_and_does_not_is_told_so_and_nothing_else() {
    let head = HEAD.replace("inherits = \"fide-2023-standard\"\n", "");
    // Twelve values with articles, the dwell, and sixteen matters.
    assert_eq!(
        told("club.toml", &head),
        ["club.toml:1: inherits: missing; the id of the rulebook that all else is taken from, such as \
             \"fide-2023-standard\", or each of the 29 values and articles that are not set, is needed here"]
    );
}

#[test]
fn what_a_parent_lacks_is_not_told_again_of_its_heirs() {
    let base = HEAD.replace("inherits = \"fide-2023-standard\"\n", "");
    let heir = HEAD.replace("\"club\"", "\"heir\"").replace("fide-2023-standard", "club");
    let error = with(&[("club.toml", &base), ("heir.toml", &heir)]).expect_err("incomplete");
    assert!(error.0.iter().all(|p| p.file.ends_with("club.toml")), "{error}");
}

#[test]
fn a_loop_is_told_in_each_file_that_is_in_it_and_only_there() {
    let book = |id: &str, parent: &str| {
        HEAD.replace("\"club\"", &format!("{id:?}")).replace("fide-2023-standard", parent)
    };
    let files = [
        ("a.toml", book("a", "b")),
        ("b.toml", book("b", "c")),
        ("c.toml", book("c", "a")),
        ("leads-in.toml", book("leads-in", "a")),
        ("own.toml", book("own", "own")),
    ];
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let told: Vec<_> = with(&files).expect_err("loops").0.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "a.toml:3: inherits: rulebooks inherit in a loop: a -> b -> c -> a",
            "b.toml:3: inherits: rulebooks inherit in a loop: b -> c -> a -> b",
            "c.toml:3: inherits: rulebooks inherit in a loop: c -> a -> b -> c",
            "own.toml:3: inherits: rulebooks inherit in a loop: own -> own",
        ]
    );
}

#[test]
fn a_missing_parent_is_told_once_however_many_inherit() {
    let lost = HEAD.replace("fide-2023-standard", "nowhere-to-be-found");
    let heir = HEAD.replace("\"club\"", "\"heir\"").replace("fide-2023-standard", "club");
    let told: Vec<_> = with(&[("club.toml", &lost), ("heir.toml", &heir)])
        .expect_err("lost")
        .0
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(told, ["club.toml:3: inherits: there is no rulebook \"nowhere-to-be-found\""]);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // Random text is no rulebook: it lacks a header at least.
        prop_assert!(with(&[("club.toml", &text)]).is_err());
    }

    #[test]
    fn no_change_of_a_rulebook_makes_it_panic(
        at in any::<prop::sample::Index>(),
        cut in 0usize..40,
        put in "[\\[\\]\"=.,#{}a-z0-9\n -]{0,12}",
    ) {
        let file = "fide-2018-standard.toml";
        let mut chars: Vec<char> = include_str!("../data/rulebooks/fide-2018-standard.toml").chars().collect();
        let from = at.index(chars.len());
        let to = (from + cut).min(chars.len());
        chars.splice(from..to, put.chars());
        let text: String = chars.into_iter().collect();
        let lines = text.lines().count() + 1;
        if let Err(e) = with(&[(file, &text)]) {
            for p in e.0.iter().filter(|p| p.file.ends_with(file)) {
                prop_assert!((1..=lines).contains(&p.line), "{p}");
            }
        }
    }
}
