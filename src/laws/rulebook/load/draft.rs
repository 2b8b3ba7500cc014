// SPDX-License-Identifier: GPL-3.0-or-later
//! One rulebook file, before it inherits: what it sets, and the articles that it cites for it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::{ArbiterActs, FlagCaller, MateTest, Matter, PressTreatment, Regime, TouchWindow, Window};
use crate::document::{Entry, Fault, Found, Place, Section};

/// More than any edition ever gave: a slip of three digits is found.
const MAX_PENALTY: Duration = Duration::from_secs(3600);
/// A piece that stands longer than this has been released.
const MAX_DWELL: Duration = Duration::from_secs(10);

/// A file's own content.
pub(super) struct Draft {
    pub id: String,
    pub title: String,
    pub edition: String,
    pub regime: Regime,
    pub parent: Option<Found<String>>,
    pub parameters: Parameters,
    pub articles: BTreeMap<Matter, Vec<String>>,
    /// The beginning of the file.
    pub head: Place,
}

/// A value with its articles: they are inherited and overridden together.
#[derive(Clone)]
pub(super) struct Cited<T> {
    pub value: T,
    pub articles: Vec<String>,
}

macro_rules! parameters {
    ($(#[$doc:meta])* $name:ident, $section:literal { $($key:ident: $type:ty = $read:expr;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Default)]
        pub(super) struct $name { $(pub $key: Option<Cited<$type>>,)* }

        impl $name {
            /// As they are named in `[cite]`.
            const NAMES: &[&str] = &[$(concat!($section, ".", stringify!($key))),*];

            fn read(root: &Section<'_>, cites: &mut Cites) -> Self {
                root.section($section, |section| Self {
                    $($key: {
                        let name = concat!($section, ".", stringify!($key));
                        cites.join(name, &section.key(stringify!($key)), $read)
                    },)*
                })
                .unwrap_or_default()
            }

            fn inherit(&mut self, parent: &Self) {
                $(if self.$key.is_none() { self.$key.clone_from(&parent.$key); })*
            }

            fn missing(&self, into: &mut Vec<String>) {
                $(if self.$key.is_none() {
                    into.push(concat!("[", $section, "].", stringify!($key)).to_owned());
                })*
            }

            fn cites(&self, into: &mut BTreeMap<String, Vec<String>>) {
                $(if let Some(cited) = &self.$key {
                    into.insert(concat!($section, ".", stringify!($key)).to_owned(), cited.articles.clone());
                })*
            }
        }
    };
}

parameters! {
    /// `[illegal]`.
    IllegalDraft, "illegal" {
        penalty_ms: Duration = |e| e.millis(MAX_PENALTY);
        lose_at: u8 = |e| e.integer(1..=9)?.narrow();
        draw_exception: MateTest = |e| e.word(MateTest::WORDS);
        window: Window = |e| e.word(Window::WORDS);
        arbiter_acts: ArbiterActs = |e| e.word(ArbiterActs::WORDS);
        reverse_increment: bool = |e| e.bool();
        press_without_move: PressTreatment = |e| e.word(PressTreatment::WORDS);
    }
}

parameters! {
    /// `[touch]`.
    TouchDraft, "touch" {
        claim_until: TouchWindow = |e| e.word(TouchWindow::WORDS);
        arbiter_acts: bool = |e| e.bool();
    }
}

parameters! {
    /// `[flag]`.
    FlagDraft, "flag" {
        called_by: FlagCaller = |e| e.word(FlagCaller::WORDS);
        claim_needs_own_time: bool = |e| e.bool();
        draw_test: MateTest = |e| e.word(MateTest::WORDS);
    }
}

/// All parameters of a rulebook.
#[derive(Clone)]
pub(super) struct Parameters {
    pub illegal: IllegalDraft,
    pub touch: TouchDraft,
    pub flag: FlagDraft,
    /// `[observation] release_dwell_ms`. The laws know the hand and a board sees squares, so no
    /// article says how long a piece must rest to be released: this is a setting of the engine
    /// and the one value that no article is asked for.
    pub release_dwell: Option<Duration>,
}

impl Parameters {
    fn read(root: &Section<'_>) -> Self {
        let mut cites = Cites::read(root);
        let parameters = Self {
            illegal: IllegalDraft::read(root, &mut cites),
            touch: TouchDraft::read(root, &mut cites),
            flag: FlagDraft::read(root, &mut cites),
            release_dwell: root
                .section("observation", |s| Some(s.key("release_dwell_ms").millis(MAX_DWELL)?.value))
                .flatten(),
        };
        cites.report_rest(root);
        parameters
    }

    /// Takes over what is not set here.
    pub fn inherit(&mut self, parent: &Self) {
        self.illegal.inherit(&parent.illegal);
        self.touch.inherit(&parent.touch);
        self.flag.inherit(&parent.flag);
        self.release_dwell = self.release_dwell.or(parent.release_dwell);
    }

    /// The keys that have no value.
    pub fn missing(&self) -> Vec<String> {
        let mut keys = Vec::new();
        self.illegal.missing(&mut keys);
        self.touch.missing(&mut keys);
        self.flag.missing(&mut keys);
        if self.release_dwell.is_none() {
            keys.push("[observation].release_dwell_ms".to_owned());
        }
        keys
    }

    /// The articles by `section.key`.
    pub fn cites(&self) -> BTreeMap<String, Vec<String>> {
        let mut cites = BTreeMap::new();
        self.illegal.cites(&mut cites);
        self.touch.cites(&mut cites);
        self.flag.cites(&mut cites);
        cites
    }
}

impl Draft {
    /// Reads a file whose name says that it holds `file_id`. Gives `None` when its header is
    /// wrong; a wrong value further down leaves a gap.
    pub fn read(root: &Section<'_>, file_id: &str) -> Option<Self> {
        let id = root.key("id").required("the id of the rulebook").text(|s| check_id(s, file_id));
        let title = root.key("title").required("a title").text(check_line);
        let edition = root.key("edition").required("the day it came into force").text(check_day);
        let regimes = Regime::WORDS.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>();
        let regime = root.key("regime").required(&regimes.join(" or ")).word(Regime::WORDS);
        let parent = root.key("inherits").string();
        let parameters = Parameters::read(root);
        let articles = root.section("articles", read_articles).unwrap_or_default();
        Some(Self {
            id: id?.value,
            title: title?.value,
            edition: edition?.value,
            regime: regime?.value,
            parent,
            parameters,
            articles,
            head: root.place(),
        })
    }
}

fn read_articles(section: &Section<'_>) -> BTreeMap<Matter, Vec<String>> {
    let cited =
        Matter::WORDS.iter().map(|(word, matter)| (*matter, articles_of(section, &section.key(word))));
    cited.filter_map(|(matter, articles)| Some((matter, articles?))).collect()
}

/// The articles of `[cite]` by parameter, until they are joined with their values.
struct Cites(BTreeMap<&'static str, Cite>);

struct Cite {
    place: Place,
    /// `None` if they are wrong, which has been told.
    articles: Option<Vec<String>>,
}

impl Cites {
    fn read(root: &Section<'_>) -> Self {
        let names = [IllegalDraft::NAMES, TouchDraft::NAMES, FlagDraft::NAMES].concat();
        let cites = root.section("cite", |section| {
            let entries = names.into_iter().map(|name| (name, section.key(name)));
            entries.filter(|(_, e)| e.is_there()).map(|(name, e)| (name, Cite::read(section, &e))).collect()
        });
        Self(cites.unwrap_or_default())
    }

    /// Joins a value with its articles: none without the other.
    fn join<T>(
        &mut self,
        name: &'static str,
        entry: &Entry<'_>,
        read: impl FnOnce(&Entry<'_>) -> Option<Found<T>>,
    ) -> Option<Cited<T>> {
        if !entry.is_there() {
            return None;
        }
        let cite = self.0.remove(name);
        if cite.is_none() {
            entry.report(Fault::Missing { expected: format!("an article for it, [cite].{name:?},") });
        }
        let value = read(entry)?.value;
        Some(Cited { value, articles: cite?.articles? })
    }

    fn report_rest(self, root: &Section<'_>) {
        for cite in self.0.into_values() {
            root.report(cite.place.problem(Fault::CitesNoValue));
        }
    }
}

impl Cite {
    fn read(section: &Section<'_>, entry: &Entry<'_>) -> Self {
        Self { place: entry.place().clone(), articles: articles_of(section, entry) }
    }
}

fn articles_of(section: &Section<'_>, entry: &Entry<'_>) -> Option<Vec<String>> {
    let articles = entry.string_or_strings()?;
    if articles.is_empty() {
        entry.report(Fault::Missing { expected: "at least one article".to_owned() });
        return None;
    }
    let check = |article: Found<String>| match check_line(&article.value) {
        Ok(article) => Some(article),
        Err(expected) => {
            section.report(article.place.problem(Fault::Malformed { found: article.value, expected }));
            None
        }
    };
    articles.into_iter().map(check).collect()
}

fn check_id(id: &str, file_id: &str) -> Result<String, String> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if id.is_empty() || id.len() > 64 || !id.bytes().all(plain) {
        Err("an id has up to 64 of the characters a-z, 0-9 and -".to_owned())
    } else if id == file_id {
        Ok(id.to_owned())
    } else {
        Err(format!("the id has to be the name of its file, {file_id:?}"))
    }
}

/// Titles and articles go on the bus, into the log and, line by line, into the hash.
fn check_line(text: &str) -> Result<String, String> {
    if text.trim() != text || text.is_empty() || text.chars().any(char::is_control) {
        Err("one line of text is needed, without blanks around it".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

fn check_day(text: &str) -> Result<String, String> {
    let within = |part: Option<&str>, digits: usize, max: u32| {
        part.filter(|p| p.len() == digits && p.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|p| p.parse::<u32>().ok())
            .is_some_and(|n| (1..=max).contains(&n))
    };
    let mut parts = text.splitn(3, '-');
    if within(parts.next(), 4, 9999) && within(parts.next(), 2, 12) && within(parts.next(), 2, 31) {
        Ok(text.to_owned())
    } else {
        Err("a day is written like 2023-01-01".to_owned())
    }
}

/// A count that has already been held to a range within a byte.
trait Narrow {
    fn narrow(self) -> Option<Found<u8>>;
}

impl Narrow for Found<u64> {
    fn narrow(self) -> Option<Found<u8>> {
        Some(Found { value: u8::try_from(self.value).ok()?, place: self.place })
    }
}
