// SPDX-License-Identifier: GPL-3.0-or-later
//! Messages as JSON objects, told apart by `event` as what `monitor` and `simulate` tell. Squares have their
//! names, pieces the letters of a FEN, times and versions both forms, numbers their unit in their name.
//! Members are added, never renamed.

use std::time::Duration;

use arbiterd_board::{ClockButton, ClockSide, Flag, Lever, NoiseCause, SideReading, Version};
use arbiterd_dgt::bus::{Answer, BusMessage};
use arbiterd_dgt::clock::{AckMeaning, ClockAck, ClockMessage, Status, Times};
use arbiterd_dgt::host::{BusRequest, ClockFrame, HostItem, LightsFrame};
use arbiterd_dgt::log::{Log, Record};
use arbiterd_dgt::wire::{Command, Counting, Lights, SetAndRun, clock_code};
use arbiterd_dgt::{BatteryStatus, Message};
use serde_json::{Value, json};

use crate::clock::shown;

use crate::ctl::decode::hex::hex;
use crate::ctl::decode::noise;
use crate::ctl::simulate::harm;

/// What a board on a port of its own said.
pub(super) fn message(message: &Message) -> Value {
    match message {
        Message::Board(placement) => json!({ "event": "board", "placement": placement.to_string() }),
        Message::Square { square, occupant } => {
            json!({ "event": "square", "square": square.to_string(), "piece": occupant.letter() })
        }
        Message::Clock(message) => clock(*message),
        Message::Version(version) => versioned("version", *version),
        Message::Serial(serial) => json!({ "event": "serial", "serial": serial }),
        Message::LongSerial(serial) => json!({ "event": "long-serial", "serial": serial }),
        Message::Battery(status) => battery(*status),
        Message::BusAddress(address) => json!({ "event": "bus-address", "address": format!("{address:05}") }),
        Message::TradeMark(text) => json!({ "event": "trade-mark", "text": text }),
        Message::Log(bytes) => log("log", Log::new(bytes)),
    }
}

/// What a board on a bus line said.
pub(super) fn bus(message: &BusMessage<'_>) -> Value {
    let mut value = match message.answer {
        Answer::Board(placement) => json!({ "event": "board", "placement": placement.to_string() }),
        Answer::Clock(message) => clock(message),
        Answer::Changes(records) => log("changes", records),
        Answer::FromStart(records) => log("from-start", records),
        Answer::Ping => json!({ "event": "ping" }),
        Answer::Started => json!({ "event": "started" }),
        Answer::Version(Some(version)) => versioned("version", version),
        Answer::Version(None) => json!({ "event": "version", "version": null }),
    };
    value["address"] = message.address.to_string().into();
    value
}

fn versioned(kind: &str, version: Version) -> Value {
    json!({ "event": kind, "version": version.to_string(), "main": version.main, "sub": version.sub })
}

fn battery(status: BatteryStatus) -> Value {
    let minutes = |(hours, minutes): (u8, u8)| u32::from(hours) * 60 + u32::from(minutes);
    let (days, hours, rest) = status.standby;
    json!({
        "event": "battery",
        "percent": status.percent,
        "left_minutes": status.left.map(minutes),
        "on_minutes": minutes(status.on),
        "standby_minutes": u32::from(days) * 24 * 60 + minutes((hours, rest)),
        "charging": status.charging,
        "discharging": status.discharging,
    })
}

// ----- the clock ------------------------------------------------------------------------------

fn clock(message: ClockMessage) -> Value {
    match message {
        ClockMessage::Times(times) => self::times(times),
        ClockMessage::Ack(ack) => self::ack(ack),
        ClockMessage::Null => json!({ "event": "null-clock" }),
        ClockMessage::NoClock => json!({ "event": "no-clock" }),
        ClockMessage::Corrupt { payload, status } => {
            json!({ "event": "corrupt-clock", "payload": hex(&payload), "status": self::status(status) })
        }
    }
}

fn times(times: Times) -> Value {
    let reading = times.reading;
    let side = |side: SideReading, per_move: bool| {
        let flag = match side.flag {
            Flag::Up => "up",
            Flag::Shown => "shown",
            Flag::Fallen => "fallen",
        };
        let (time, time_ms) = both(side.remaining);
        json!({ "time": time, "time_ms": time_ms, "flag": flag, "per_move": per_move })
    };
    json!({
        "event": "times",
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

pub(super) const fn side_word(side: ClockSide) -> &'static str {
    match side {
        ClockSide::Left => "left",
        ClockSide::Right => "right",
    }
}

/// The time as the clock shows it, and in milliseconds.
fn both(time: Duration) -> (String, u64) {
    (shown(time), millis(time))
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn ack(ack: ClockAck) -> Value {
    // The four bytes as documents number them: ack0 to ack3.
    let mut value =
        json!({ "event": "answer", "ack": hex(&[ack.status, ack.subject, ack.value, ack.detail]) });
    let (meaning, key, of) = match ack.meaning() {
        AckMeaning::Accepted(code) => ("accepted", "command", clock_command(code).into()),
        AckMeaning::Failed(code) => ("failed", "command", clock_command(code).into()),
        AckMeaning::Version(version) => {
            value["main"] = version.main.into();
            value["sub"] = version.sub.into();
            ("version", "version", version.to_string().into())
        }
        AckMeaning::Button(button) => ("button", "button", button_word(button).into()),
        AckMeaning::Event(code) => ("event", "code", hex(&[code]).into()),
        AckMeaning::Ready => ("ready", "command", Value::Null),
        AckMeaning::NotInMode => ("not-in-mode", "command", Value::Null),
    };
    value["meaning"] = meaning.into();
    if of != Value::Null {
        value[key] = of;
    }
    value
}

/// The word for a command of the clock by its code.
pub(super) const fn clock_command(code: u8) -> &'static str {
    match code {
        clock_code::DISPLAY => "display",
        clock_code::ICONS => "icons",
        clock_code::END => "end",
        clock_code::BUTTON => "button",
        clock_code::VERSION => "version",
        clock_code::SET_AND_RUN => "set-and-run",
        clock_code::BEEP => "beep",
        clock_code::TEXT => "text",
        clock_code::LONG_TEXT => "long-text",
        _ => "unknown",
    }
}

pub(super) const fn button_word(button: ClockButton) -> &'static str {
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
    json!({ "event": kind, "records": list, "skipped": records.skipped() })
}

fn record(record: Record) -> Value {
    match record {
        Record::Piece { square, occupant, soon } => {
            json!({ "record": "piece", "square": square.to_string(), "piece": occupant.letter(), "soon": soon })
        }
        Record::Time { side, remaining } => {
            let (time, time_ms) = both(remaining);
            json!({ "record": "time", "side": side_word(side), "time": time, "time_ms": time_ms })
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

/// What a host said. A frame that is broken is noise.
pub(super) fn host(item: &HostItem) -> Value {
    match item {
        HostItem::Command(command) => json!({ "event": "command", "command": command_word(command) }),
        HostItem::Harmful(byte) => json!({ "event": "harmful", "what": harm(*byte) }),
        HostItem::Unknown(_) => json!({ "event": "unknown" }),
        HostItem::Clock(frame) => clock_frame(frame),
        HostItem::Lights(frame) => lights(*frame),
        HostItem::PegasusKey => json!({ "event": "pegasus-key" }),
        HostItem::Bus(frame) => json!({
            "event": "bus-command",
            "command": bus_word(frame.command),
            "address": receiver(*frame),
            "intact": frame.intact,
        }),
        HostItem::Broken(_) => noise::form(NoiseCause::Unfinished),
    }
}

/// The board that a frame is for, or all.
pub(super) fn receiver(frame: BusRequest) -> String {
    if frame.address == 0 { "all".to_owned() } else { format!("{:05}", frame.address) }
}

fn clock_frame(frame: &ClockFrame) -> Value {
    let mut value = json!({
        "event": "clock-command",
        "command": clock_command(frame.code),
        "code": hex(&[frame.code]),
        "arguments": hex(&frame.arguments),
    });
    if let Some(set) = frame.set_and_run() {
        value["left"] = set_side(&set, ClockSide::Left);
        value["right"] = set_side(&set, ClockSide::Right);
        value["pause"] = set.is_pause().into();
        value["toggles"] = set.toggles().into();
    }
    if let Some(heard) = frame.text() {
        value["text"] = heard.text.into();
        value["beep_ms"] = millis(heard.beep).into();
    }
    if let Some(beep) = frame.beep() {
        value["beep_ms"] = millis(beep).into();
    }
    value
}

fn set_side(set: &SetAndRun, side: ClockSide) -> Value {
    let (time, time_ms) = both(set.time(side));
    let counting = match set.counting(side) {
        Counting::Down => "down",
        Counting::Up => "up",
    };
    json!({ "time": time, "time_ms": time_ms, "counting": counting, "runs": set.runs(side) })
}

fn lights(frame: LightsFrame) -> Value {
    let squares =
        |from: arbiterd_board::Square, to: arbiterd_board::Square| [from, to].map(|s| s.to_string());
    match frame.lights() {
        Some(Lights::On { from, to }) => {
            json!({ "event": "lights", "lights": "on", "squares": squares(from, to) })
        }
        Some(Lights::Off { from, to }) => {
            json!({ "event": "lights", "lights": "off", "squares": squares(from, to) })
        }
        Some(Lights::AllOff) => json!({ "event": "lights", "lights": "all-off" }),
        Some(Lights::AutoOff(on)) => json!({ "event": "lights", "lights": "auto-off", "on": on }),
        Some(Lights::AutoTurn(on)) => json!({ "event": "lights", "lights": "auto-turn", "on": on }),
        None => json!({ "event": "lights", "lights": "unknown" }),
    }
}

pub(super) const fn command_word(command: &Command) -> &'static str {
    match command {
        Command::Reset => "reset",
        Command::SendClock => "send-clock",
        Command::SendBoard => "send-board",
        Command::Update => "update",
        Command::UpdateBoard => "update-board",
        Command::ReturnSerial => "return-serial",
        Command::ReturnBusAddress => "return-bus-address",
        Command::SendTradeMark => "send-trade-mark",
        Command::SendLog => "send-log",
        Command::ToBusMode => "to-bus-mode",
        Command::UpdateNice => "update-nice",
        Command::SendBattery => "send-battery",
        Command::SendVersion => "send-version",
        Command::SendDraughtsBlack => "send-draughts-black",
        Command::SendDraughtsWhite => "send-draughts-white",
        Command::ReturnLongSerial => "return-long-serial",
        Command::Lights(_) => "lights",
        Command::Clock(_) => "clock",
    }
}

/// The word for a command of bus mode: those that are described, or were seen from other hosts
/// (topic: bus mode).
pub(super) const fn bus_word(byte: u8) -> &'static str {
    match byte {
        0x81 => "send-clock",
        0x82 => "send-board",
        0x83 => "send-changes",
        0x84 => "repeat-changes",
        0x85 => "set-start-game",
        0x86 => "send-from-start",
        0x87 => "ping",
        0x88 => "end-bus-mode",
        0x89 => "reset",
        0x8a => "ignore-next-ping",
        0x8b => "send-version",
        0x8c => "send-draughts",
        0x8d => "send-all",
        0x92 => "randomise-address",
        0x97 => "send-trade-mark",
        _ => "unknown",
    }
}
