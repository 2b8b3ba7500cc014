// SPDX-License-Identifier: GPL-3.0-or-later
//! The scenario file as types.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    scenario: Vec<Scenario>,
}

#[derive(Deserialize)]
pub struct Scenario {
    pub id: String,
    pub rulebooks: Vec<String>,
    pub observer: String,
    pub fen: String,
    #[serde(default)]
    pub moves: Vec<String>,
    pub clock: Clock,
    #[serde(default)]
    pub before: [u8; 2],
    pub events: Vec<Event>,
    pub expect: Expect,
}

#[derive(Deserialize)]
pub struct Clock {
    pub w: u64,
    pub b: u64,
    pub inc: u64,
    pub running: String,
}

#[derive(Deserialize)]
pub struct Event {
    pub t: u64,
    pub ev: String,
    pub sq: Option<String>,
    pub pc: Option<char>,
    pub by: Option<String>,
    pub kind: Option<String>,
    pub side: Option<String>,
    pub w: Option<u64>,
    pub b: Option<u64>,
}

#[derive(Deserialize)]
pub struct Expect {
    pub ruling: String,
    pub rule_at: usize,
    pub result: String,
    #[serde(default)]
    pub add_w: i64,
    #[serde(default)]
    pub add_b: i64,
    #[serde(default)]
    pub illegal_w: u8,
    #[serde(default)]
    pub illegal_b: u8,
    pub fen: String,
    pub allowed: Option<Vec<String>>,
    pub free_touch: Option<Vec<String>>,
    #[serde(default)]
    articles: Vec<String>,
    #[serde(default)]
    cite: BTreeMap<String, Vec<String>>,
    /// Whether the counts are what the scenario is about.
    #[serde(skip)]
    pub counts: bool,
}

impl Expect {
    pub fn articles(&self, rulebook: &str) -> &[String] {
        self.cite.get(rulebook).unwrap_or(&self.articles)
    }
}

impl Scenario {
    pub fn parse(text: &str) -> Vec<Self> {
        let mut file: File = toml::from_str(text).unwrap();
        for s in &mut file.scenario {
            s.expect.counts =
                s.expect.ruling.starts_with("illegal-move") || s.expect.ruling.starts_with("press-without");
        }
        file.scenario
    }
}
