// SPDX-License-Identifier: GPL-3.0-or-later
//! How it is told: objects, lines for people, and what was counted.

use arbiterd_board::Mono;
use serde_json::{Value, json};

use super::args::Side;
use super::ear::{Ear, Heard, Kind};
use super::hex::hex;

/// So many bytes fit into the column of a line; the longest command for the clock but one.
const SHOWN_BYTES: usize = 14;
const BYTES_COLUMN: usize = SHOWN_BYTES * 3 - 1;

/// As an object, with its place in the bytes of its side.
pub(super) fn object(heard: &Heard) -> Value {
    let mut value = heard.said.json.clone();
    value["offset"] = heard.offset.into();
    value["length"] = heard.bytes.len().into();
    value["bytes"] = match heard.said.kind {
        Kind::Secret => Value::Null,
        _ => hex(&heard.bytes).into(),
    };
    value
}

/// As an object of a trace, with its side and its times too.
pub(super) fn traced(heard: &Heard, from: Side) -> Value {
    let mut value = object(heard);
    value["from"] = from.word().into();
    value["began_us"] = heard.began.as_micros().into();
    value["at_us"] = heard.at.as_micros().into();
    value
}

/// Counts what is told of a side.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    messages: u64,
    harmful: u64,
    unknown: u64,
    noises: u64,
    dropped_bytes: u64,
}

impl Count {
    pub(super) fn add(&mut self, heard: &Heard) {
        match heard.said.kind {
            Kind::Message | Kind::Secret => self.messages += 1,
            Kind::Harmful => self.harmful += 1,
            Kind::Unknown => self.unknown += 1,
            Kind::Noise => {
                self.noises += 1;
                self.dropped_bytes += u64::try_from(heard.bytes.len()).unwrap_or(u64::MAX);
            }
        }
    }

    /// What the last object holds of a side.
    pub(super) fn of(self, ear: &Ear) -> Value {
        let length = ear.length();
        match ear.counters() {
            None => json!({
                "length": length,
                "commands": self.messages,
                "harmful": self.harmful,
                "unknown": self.unknown,
                "noises": self.noises,
                "dropped_bytes": self.dropped_bytes,
            }),
            Some(counters) => {
                let mut value = json!({
                    "length": length,
                    "messages": self.messages,
                    "noises": self.noises,
                    "dropped_bytes": self.dropped_bytes,
                });
                for (name, count) in counters.more {
                    value[name] = count;
                }
                value
            }
        }
    }

    /// The same for people.
    pub(super) fn words(self, ear: &Ear) -> String {
        let Self { messages, harmful, unknown, noises, dropped_bytes } = self;
        let length = ear.length();
        let noise = format!("{dropped_bytes} bytes of noise in {noises} places");
        match ear.counters() {
            None => {
                let harm = format!("{harmful} HARMFUL and {unknown} unknown");
                format!("host: {length} bytes, {messages} commands, {harm} ones, {noise}")
            }
            Some(counters) => {
                let remark = counters.remark;
                format!("board: {length} bytes, {messages} messages ({remark}), {noise}")
            }
        }
    }
}

/// A line for people: time, difference to the line before, direction, bytes, meaning.
pub(super) fn line(heard: &Heard, from: Side, before: Option<Mono>) -> String {
    let at = heard.at.as_micros();
    let difference = heard.at.since(before.unwrap_or(heard.at)).as_micros();
    let began = match heard.began.as_micros() {
        began if began == at => String::new(),
        began => format!(" (began at {}.{:06})", began / 1_000_000, began % 1_000_000),
    };
    let (arrow, words) = (from.arrow(), &heard.said.words);
    let bytes = if heard.said.kind == Kind::Secret { "..".to_owned() } else { shown(&heard.bytes) };
    format!(
        "{:>6}.{:06}  +{}.{:06}  {arrow}  {bytes:<BYTES_COLUMN$}  {words}{began}",
        at / 1_000_000,
        at % 1_000_000,
        difference / 1_000_000,
        difference % 1_000_000,
    )
}

/// The bytes, or as many as fit, and how many there are.
fn shown(bytes: &[u8]) -> String {
    if bytes.len() <= SHOWN_BYTES {
        return hex(bytes);
    }
    format!("{} .. ({} bytes)", hex(bytes.get(..8).unwrap_or(bytes)), bytes.len())
}
