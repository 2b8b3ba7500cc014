// SPDX-License-Identifier: GPL-3.0-or-later
//! The keys of the files: which there are, which have to be there, and what stands for one that is
//! not. `tests/cases/README.md` has the same tables, with what each key means; a test holds them
//! equal.

/// A key of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    pub name: &'static str,
    /// What stands for it where it is not there, in words for people; it has to be there if nothing does.
    pub otherwise: Option<&'static str>,
}

impl Key {
    pub const fn is_required(&self) -> bool {
        self.otherwise.is_none()
    }
}

/// It has to be there.
const fn must(name: &'static str) -> Key {
    Key { name, otherwise: None }
}

/// It need not be there.
const fn may(name: &'static str, otherwise: &'static str) -> Key {
    Key { name, otherwise: Some(otherwise) }
}

const NONE: &str = "none";
/// It is read by people and by nothing else.
const FOR_PEOPLE: &str = "for people";
/// What is not said of an outcome is not asked.
const NOT_COMPARED: &str = "not compared";

pub const CASE: &[Key] = &[
    must("schema"),
    must("id"),
    must("title"),
    must("level"),
    may("due", "always due"),
    may("disputed", "false"),
    may("note", FOR_PEOPLE),
    may("source", FOR_PEOPLE),
    must("setup"),
    may("obs", NONE),
    must("expect"),
];

pub const SETUP: &[Key] = &[
    must("start_fen"),
    must("book"),
    must("mode"),
    may("supervised", "true"),
    may("device", "any"),
    may("white_clock_side", "left"),
    may("increment_ms", "0"),
    may("variations", NONE),
    may("base_ms", FOR_PEOPLE),
    may("white_ms", FOR_PEOPLE),
    may("black_ms", FOR_PEOPLE),
    may("time_control", FOR_PEOPLE),
];

pub const EXPECT: &[Key] = &[
    may("moves", "no move"),
    may("optional_tail", NONE),
    may("irregular", NONE),
    may("inferred", NONE),
    may("never", NONE),
    may("completed", NOT_COMPARED),
    may("games", NOT_COMPARED),
    may("results", NOT_COMPARED),
    may("result", NOT_COMPARED),
    may("reason", NOT_COMPARED),
    may("clock", NOT_COMPARED),
    may("orientation", NOT_COMPARED),
    may("order", NONE),
    may("dev_moves", NOT_COMPARED),
    may("board_matches", "true"),
    may("forbid", NONE),
    may("allow", NONE),
    may("ruling", NONE),
];

pub const EXPECTED_CLOCK: &[Key] =
    &[may("white_ms", NOT_COMPARED), may("black_ms", NOT_COMPARED), may("running", NOT_COMPARED)];

pub const EXPECTED_RULING: &[Key] = &[
    must("kind"),
    may("alternatives", NONE),
    may("by", NOT_COMPARED),
    may("add_white_ms", NOT_COMPARED),
    may("add_black_ms", NOT_COMPARED),
    may("required", NOT_COMPARED),
    may("squares", NOT_COMPARED),
    may("dev", NOT_COMPARED),
    may("after_ms", NOT_COMPARED),
    may("before_ms", NOT_COMPARED),
];

/// What each observation has, beside the keys of its kind.
pub const EVERY_OBSERVATION: &[Key] = &[must("t_ms"), must("kind"), may("dev", "the only board")];

const OF_A_SQUARE: &[Key] = &[must("square"), must("piece")];

/// The kinds of observations, and the keys of each.
pub const OBSERVATIONS: &[(&str, &[Key])] = &[
    ("lift", OF_A_SQUARE),
    ("place", OF_A_SQUARE),
    ("board", &[must("fen")]),
    (
        "clock",
        &[must("white_ms"), must("black_ms"), must("lever"), must("running"), may("flag", "no flag is down")],
    ),
    ("raw", &[must("hex")]),
    ("unplug", &[may("port", FOR_PEOPLE)]),
    ("replug", &[may("port", FOR_PEOPLE)]),
    ("claim", &[must("by"), must("what"), may("move", FOR_PEOPLE)]),
    ("arbiter", &[must("action"), may("moves", NONE)]),
    ("system", &[must("event"), may("down_ms", FOR_PEOPLE), may("duration_ms", FOR_PEOPLE)]),
    ("wait", &[may("duration_ms", FOR_PEOPLE)]),
];

pub const SCENARIOS: &[Key] = &[must("schema"), must("scenario")];

pub const SCENARIO: &[Key] = &[
    must("id"),
    may("title", "empty"),
    must("rulebooks"),
    must("observer"),
    must("fen"),
    may("moves", NONE),
    must("clock"),
    may("before", "[0, 0]"),
    must("events"),
    must("expect"),
    may("group", FOR_PEOPLE),
    may("odd", "false"),
    may("chess960", FOR_PEOPLE),
    may("period", FOR_PEOPLE),
];

pub const SCENARIO_CLOCK: &[Key] =
    &[must("w"), must("b"), must("inc"), must("running"), may("delay", FOR_PEOPLE)];

/// What each event has, beside the keys of its kind.
pub const EVERY_EVENT: &[Key] = &[must("t"), must("ev")];

const SAID: &[Key] = &[
    may("by", FOR_PEOPLE),
    may("kind", FOR_PEOPLE),
    may("side", FOR_PEOPLE),
    may("sq", FOR_PEOPLE),
    may("pc", FOR_PEOPLE),
    may("move", FOR_PEOPLE),
    may("w", FOR_PEOPLE),
    may("b", FOR_PEOPLE),
    may("running", FOR_PEOPLE),
];

/// What happens in a scenario, and the keys of each.
pub const EVENTS: &[(&str, &[Key])] = &[
    ("lift", &[must("sq"), may("pc", "not checked"), may("by", FOR_PEOPLE)]),
    ("place", &[must("sq"), must("pc"), may("by", FOR_PEOPLE)]),
    ("press", &[must("by"), may("w", "as before"), may("b", "as before"), may("running", FOR_PEOPLE)]),
    (
        "stop",
        &[may("by", FOR_PEOPLE), may("w", "as before"), may("b", "as before"), may("running", FOR_PEOPLE)],
    ),
    ("flag", &[must("side")]),
    ("claim", &[must("by"), must("kind"), may("move", FOR_PEOPLE)]),
    ("say", SAID),
    ("human", SAID),
];

pub const SCENARIO_EXPECT: &[Key] = &[
    must("ruling"),
    must("rule_at"),
    must("result"),
    must("fen"),
    may("add_w", "0"),
    may("add_b", "0"),
    may("illegal_w", "0"),
    may("illegal_b", "0"),
    may("allowed", NOT_COMPARED),
    may("free_touch", NOT_COMPARED),
    may("articles", NONE),
    may("cite", "articles"),
    may("confidence", "text"),
    may("running", FOR_PEOPLE),
    may("bind", FOR_PEOPLE),
    may("can_mate", FOR_PEOPLE),
    may("position", FOR_PEOPLE),
    may("repetitions", FOR_PEOPLE),
    may("human", FOR_PEOPLE),
    may("note", FOR_PEOPLE),
];
