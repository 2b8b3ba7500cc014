// SPDX-License-Identifier: GPL-3.0-or-later
//! Messages as JSON objects. Squares have their names, pieces the letters of a FEN, times both
//! forms, versions both forms.

use std::time::Duration;

use arbiterd_board::{ClockButton, ClockSide, Flag, Lever, Noise, NoiseCause, SideReading, Version};
use arbiterd_dgt::bus::{Answer, BusMessage};
use arbiterd_dgt::clock::{AckMeaning, ClockAck, ClockMessage, Status, Times};
use arbiterd_dgt::host::{ClockFrame, HostItem};
use arbiterd_dgt::log::{Log, Record};
use arbiterd_dgt::{BatteryStatus, Item, Message};
use serde_json::{Value, json};

/// The same with the number of bytes read so far.
pub(super) fn at(offset: u64, mut value: Value) -> Value {
    value["offset"] = offset.into();
    value
}

/// What a board on a port of its own said.
pub(super) fn item(item: &Item) -> Value {
    match item {
        Item::Message(message) => self::message(message),
        Item::Noise(noise) => self::noise(*noise),
    }
}

pub(super) fn noise(noise: Noise) -> Value {
    let cause = match noise.cause {
        NoiseCause::Junk => "junk",
        NoiseCause::Unfinished => "unfinished",
        NoiseCause::Malformed => "malformed",
        NoiseCause::UnknownKind => "unknown-kind",
        NoiseCause::OutOfRange => "out-of-range",
        NoiseCause::WrongMode => "wrong-mode",
    };
    json!({ "kind": "noise", "bytes": noise.bytes, "cause": cause })
}

fn message(message: &Message) -> Value {
    match message {
        Message::Board(placement) => json!({ "kind": "board", "placement": placement.to_string() }),
        Message::Square { square, occupant } => {
            json!({ "kind": "square", "square": square.to_string(), "piece": occupant.letter() })
        }
        Message::Clock(message) => clock(*message),
        Message::Version(version) => versioned("version", *version),
        Message::Serial(serial) => json!({ "kind": "serial", "serial": serial }),
        Message::LongSerial(serial) => json!({ "kind": "long-serial", "serial": serial }),
        Message::Battery(status) => battery(*status),
        Message::BusAddress(address) => json!({ "kind": "bus-address", "address": address }),
        Message::TradeMark(text) => json!({ "kind": "trade-mark", "text": text }),
        Message::Log(bytes) => log("log", Log::new(bytes)),
    }
}

/// What a board on a bus line said.
pub(super) fn bus(message: &BusMessage<'_>) -> Value {
    let mut value = match message.answer {
        Answer::Board(placement) => json!({ "kind": "board", "placement": placement.to_string() }),
        Answer::Clock(message) => clock(message),
        Answer::Changes(records) => log("changes", records),
        Answer::FromStart(records) => log("from-start", records),
        Answer::Ping => json!({ "kind": "ping" }),
        Answer::Started => json!({ "kind": "started" }),
        Answer::Version(Some(version)) => versioned("version", version),
        Answer::Version(None) => json!({ "kind": "version", "version": null }),
    };
    value["address"] = format!("{:05}", message.address.number()).into();
    value
}

fn versioned(kind: &str, version: Version) -> Value {
    json!({ "kind": kind, "version": version.to_string(), "main": version.main, "sub": version.sub })
}

fn battery(status: BatteryStatus) -> Value {
    let time = |(hours, minutes): (u8, u8)| format!("{hours}:{minutes:02}");
    let (days, hours, minutes) = status.standby;
    json!({
        "kind": "battery",
        "percent": status.percent,
        "left": status.left.map(time),
        "on": time(status.on),
        "standby": format!("{days} d {hours}:{minutes:02}"),
        "charging": status.charging,
        "discharging": status.discharging,
    })
}

// ----- the clock ------------------------------------------------------------------------------

fn clock(message: ClockMessage) -> Value {
    match message {
        ClockMessage::Times(times) => self::times(times),
        ClockMessage::Ack(ack) => self::ack(ack),
        ClockMessage::Null => json!({ "kind": "null-clock" }),
        ClockMessage::NoClock => json!({ "kind": "no-clock" }),
        ClockMessage::Corrupt { payload, status } => {
            json!({ "kind": "corrupt-clock", "payload": hex(&payload), "status": self::status(status) })
        }
    }
}

fn times(times: Times) -> Value {
    let reading = times.reading;
    let side = |side: SideReading, per_move: bool| {
        let flag = match side.flag {
            Flag::Up => Value::Null,
            Flag::Shown => "shown".into(),
            Flag::Fallen => "fallen".into(),
        };
        let (time, ms) = both(side.remaining);
        json!({ "time": time, "ms": ms, "flag": flag, "per_move": per_move })
    };
    json!({
        "kind": "times",
        "left": side(reading.left, times.left_per_move),
        "right": side(reading.right, times.right_per_move),
        "counting": reading.counting,
        "pressed": pressed(reading.lever),
        "turn": reading.turn.map(side_word),
        "battery_low": reading.battery_low,
    })
}

fn status(status: Status) -> Value {
    json!({
        "counting": status.counting,
        "pressed": pressed(status.lever),
        "turn": status.turn.map(side_word),
        "battery_low": status.battery_low,
    })
}

fn pressed(lever: Lever) -> Option<&'static str> {
    match lever {
        Lever::Pressed(side) => Some(side_word(side)),
        Lever::Unknown => None,
    }
}

const fn side_word(side: ClockSide) -> &'static str {
    match side {
        ClockSide::Left => "left",
        ClockSide::Right => "right",
    }
}

/// The time as the clock shows it, and in milliseconds.
fn both(time: Duration) -> (String, u64) {
    let seconds = time.as_secs();
    let shown = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    (shown, u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn ack(ack: ClockAck) -> Value {
    let bytes = hex(&[ack.status, ack.subject, ack.value, ack.detail]);
    let (meaning, of) = match ack.meaning() {
        AckMeaning::Accepted(code) => ("accepted", Some(format!("{code:02x}"))),
        AckMeaning::Failed(code) => ("failed", Some(format!("{code:02x}"))),
        AckMeaning::Version(version) => ("version", Some(version.to_string())),
        AckMeaning::Ready => ("ready", None),
        AckMeaning::Button(button) => ("button", Some(button_word(button).to_owned())),
        AckMeaning::NotInMode => ("not-in-mode", None),
        AckMeaning::Event(code) => ("event", Some(format!("{code:02x}"))),
    };
    json!({ "kind": "answer", "bytes": bytes, "meaning": meaning, "of": of })
}

const fn button_word(button: ClockButton) -> &'static str {
    match button {
        ClockButton::Back => "back",
        ClockButton::Minus => "minus",
        ClockButton::Run => "run",
        ClockButton::Plus => "plus",
        ClockButton::Ok => "ok",
    }
}

// ----- the memory -----------------------------------------------------------------------------

fn log(kind: &str, log: Log<'_>) -> Value {
    let mut records = log.records();
    let list: Vec<Value> = records.by_ref().map(record).collect();
    json!({ "kind": kind, "records": list, "skipped": records.skipped() })
}

fn record(record: Record) -> Value {
    match record {
        Record::Piece { square, occupant, soon } => {
            json!({ "record": "piece", "square": square.to_string(), "piece": occupant.letter(), "soon": soon })
        }
        Record::Time { side, remaining } => {
            let (time, ms) = both(remaining);
            json!({ "record": "time", "stopped": side_word(side), "time": time, "ms": ms })
        }
        Record::PowerUp => json!({ "record": "power-up" }),
        Record::End => json!({ "record": "end" }),
        Record::FourRows => json!({ "record": "four-rows" }),
        Record::EmptyBoard => json!({ "record": "empty-board" }),
        Record::Downloaded => json!({ "record": "downloaded" }),
        Record::BeginPosition => json!({ "record": "begin-position" }),
        Record::BeginPositionTurned => json!({ "record": "begin-position-turned" }),
        Record::StartTag => json!({ "record": "start-tag" }),
        Record::Watchdog => json!({ "record": "watchdog" }),
        Record::Reserved(byte) => json!({ "record": "reserved", "byte": format!("{byte:02x}") }),
    }
}

// ----- the host -------------------------------------------------------------------------------

/// What a host said.
pub(super) fn host(item: &HostItem) -> Value {
    match item {
        HostItem::Command(command) => json!({ "kind": "command", "command": format!("{command:?}") }),
        HostItem::Harmful(byte) => {
            json!({ "kind": "HARMFUL", "byte": format!("{byte:02x}"), "what": "a board may be lost by this" })
        }
        HostItem::Unknown(byte) => json!({ "kind": "unknown", "byte": format!("{byte:02x}") }),
        HostItem::Clock(frame) => clock_frame(frame),
        HostItem::Lights(frame) => {
            json!({ "kind": "lights", "lights": frame.lights().map(|lights| format!("{lights:?}")) })
        }
        HostItem::PegasusKey => json!({ "kind": "pegasus-key" }),
        HostItem::Bus(frame) => json!({
            "kind": "bus-command",
            "command": format!("{:02x}", frame.command),
            "address": format!("{:05}", frame.address),
            "intact": frame.intact,
        }),
        HostItem::Broken(bytes) => json!({ "kind": "noise", "bytes": bytes.len(), "cause": "unfinished" }),
    }
}

fn clock_frame(frame: &ClockFrame) -> Value {
    let set = frame.set_and_run().map(|set| {
        let side = |side| both(set.time(side)).0;
        json!({
            "left": side(ClockSide::Left),
            "right": side(ClockSide::Right),
            "left_runs": set.runs(ClockSide::Left),
            "right_runs": set.runs(ClockSide::Right),
            "toggles": set.toggles(),
        })
    });
    json!({
        "kind": "clock-command",
        "code": format!("{:02x}", frame.code),
        "arguments": hex(&frame.arguments),
        "text": frame.text().map(|text| text.text),
        "set": set,
    })
}

/// Bytes as they are written in this project's texts.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}
