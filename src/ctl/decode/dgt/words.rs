// SPDX-License-Identifier: GPL-3.0-or-later
//! Messages in words, for a trace that people read. What needs their attention is in capitals.

use arbiterd_board::{ClockSide, Flag, Lever, NoiseCause, Occupant, SideReading, Square, Version};
use arbiterd_dgt::Message;
use arbiterd_dgt::bus::{Answer, BusMessage};
use arbiterd_dgt::clock::{AckMeaning, ClockAck, ClockMessage, Status, Times};
use arbiterd_dgt::host::{ClockFrame, HostItem, LightsFrame};
use arbiterd_dgt::log::{Log, Record};
use arbiterd_dgt::wire::{Counting, Lights, SetAndRun};

use super::form::{bus_word, button_word, clock_command, command_word, millis, receiver, side_word};
use crate::clock::shown;
use crate::ctl::decode::hex::hex;
use crate::ctl::decode::noise;
use crate::ctl::simulate::harm;

/// So many records of a log are written out; all of them are in the JSON.
const MOST_RECORDS: usize = 8;

pub(super) fn message(message: &Message) -> String {
    match message {
        Message::Board(placement) => format!("board {placement}"),
        Message::Square { square, occupant } => on_square(*square, *occupant),
        Message::Clock(message) => clock(message),
        Message::Version(version) => firmware(Some(*version)),
        Message::Serial(serial) => format!("serial number {}", serial.escape_debug()),
        Message::LongSerial(serial) => format!("long serial number {}", serial.escape_debug()),
        Message::Battery(status) => {
            let left = status.left.map(|(hours, minutes)| format!(", {hours}:{minutes:02} hours left"));
            let charging = if status.charging { ", charging" } else { "" };
            format!("battery {} %{}{charging}", status.percent, left.unwrap_or_default())
        }
        Message::BusAddress(address) => format!("bus address {address:05}"),
        Message::TradeMark(text) => format!("trade mark {text:?}"),
        Message::Log(bytes) => format!("log: {}", log(Log::new(bytes))),
    }
}

pub(super) fn bus(message: &BusMessage<'_>) -> String {
    let said = match message.answer {
        Answer::Board(placement) => format!("board {placement}"),
        Answer::Clock(message) => clock(&message),
        Answer::Changes(records) => format!("changes: {}", log(records)),
        Answer::FromStart(records) => format!("since the start: {}", log(records)),
        Answer::Ping => "here".to_owned(),
        Answer::Started => "start of the game marked".to_owned(),
        Answer::Version(version) => firmware(version),
    };
    format!("board {}: {said}", message.address)
}

pub(super) fn host(item: &HostItem) -> String {
    match item {
        HostItem::Command(command) => command_word(command).to_owned(),
        HostItem::Harmful(byte) => format!("HARMFUL COMMAND {byte:02x}: {}", harm(*byte)),
        HostItem::Unknown(byte) => format!("UNKNOWN COMMAND {byte:02x}"),
        HostItem::Clock(frame) => clock_frame(frame),
        HostItem::Lights(frame) => lights(*frame),
        HostItem::PegasusKey => "the developer's key of a Pegasus".to_owned(),
        HostItem::Bus(frame) => {
            let intact = if frame.intact { "" } else { ", WRONG CHECKSUM" };
            format!("to board {}: {}{intact}", receiver(*frame), bus_word(frame.command))
        }
        HostItem::Broken(_) => noise::words(NoiseCause::Unfinished),
    }
}

fn on_square(square: Square, occupant: Occupant) -> String {
    match occupant.letter() {
        '.' => format!("{square} empty"),
        '=' => format!("{square} the piece that says draw"),
        '+' => format!("{square} the piece that says White wins"),
        '-' => format!("{square} the piece that says Black wins"),
        letter => format!("{square} {letter}"),
    }
}

fn firmware(version: Option<Version>) -> String {
    version.map_or_else(|| "firmware without a number".to_owned(), |version| format!("firmware {version}"))
}

fn clock(message: &ClockMessage) -> String {
    match message {
        ClockMessage::Times(times) => self::times(times),
        ClockMessage::Ack(ack) => answer(*ack),
        ClockMessage::Null => "clock says nothing (all zero)".to_owned(),
        ClockMessage::NoClock => "no clock".to_owned(),
        ClockMessage::Corrupt { status, .. } => format!("clock: CORRUPT digits, {}", state(*status)),
    }
}

fn times(times: &Times) -> String {
    let reading = times.reading;
    let status = Status {
        counting: reading.counting,
        lever: reading.lever,
        turn: reading.turn,
        battery_low: reading.battery_low,
    };
    let left = side(reading.left, times.left_per_move);
    let right = side(reading.right, times.right_per_move);
    format!("clock left {left}, right {right}, {}", state(status))
}

fn side(reading: SideReading, per_move: bool) -> String {
    let flag = match reading.flag {
        Flag::Up => "",
        Flag::Shown => " (flag shown)",
        Flag::Fallen => " (flag FALLEN)",
    };
    let per_move = if per_move { " (time per move)" } else { "" };
    format!("{}{flag}{per_move}", shown(reading.remaining))
}

fn state(status: Status) -> String {
    let mut words = vec![if status.counting { "running" } else { "stopped" }.to_owned()];
    words.extend(status.turn.map(|turn| format!("{}'s turn", side_word(turn))));
    if let Lever::Pressed(pressed) = status.lever {
        words.push(format!("{} side down", side_word(pressed)));
    }
    if status.battery_low {
        words.push("battery LOW".to_owned());
    }
    words.join(", ")
}

fn answer(ack: ClockAck) -> String {
    match ack.meaning() {
        AckMeaning::Accepted(code) => format!("clock accepted {}", clock_command(code)),
        AckMeaning::Failed(code) => {
            format!("clock REFUSED {} (status {:02x})", clock_command(code), ack.status)
        }
        AckMeaning::Version(version) => format!("clock version {version}"),
        AckMeaning::Ready => "clock ready".to_owned(),
        AckMeaning::Button(button) => format!("clock button {}", button_word(button)),
        AckMeaning::NotInMode => "clock NOT IN THE OPTION that the command needs".to_owned(),
        AckMeaning::Event(code) => format!("clock event {code:02x}"),
    }
}

fn log(log: Log<'_>) -> String {
    let mut records = log.records();
    let mut words: Vec<String> = records.by_ref().take(MOST_RECORDS).map(record).collect();
    let more = records.by_ref().count();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    if records.skipped() > 0 {
        words.push(format!("{} BYTES SKIPPED", records.skipped()));
    }
    if words.is_empty() { "nothing".to_owned() } else { words.join("; ") }
}

fn record(record: Record) -> String {
    match record {
        Record::Piece { square, occupant, soon } => {
            format!("{}{}", on_square(square, occupant), if soon { " soon after" } else { "" })
        }
        Record::Time { side, remaining } => format!("{} stopped at {}", side_word(side), shown(remaining)),
        Record::PowerUp => "switched on".to_owned(),
        Record::End => "end".to_owned(),
        Record::FourRows => "outer rows full".to_owned(),
        Record::EmptyBoard => "empty board".to_owned(),
        Record::Downloaded => "log read here".to_owned(),
        Record::BeginPosition => "initial position".to_owned(),
        Record::BeginPositionTurned => "initial position, turned".to_owned(),
        Record::StartTag => "start of a game".to_owned(),
        Record::Watchdog => "started again by itself".to_owned(),
        Record::Reserved(byte) => format!("{byte:02x}, which nobody has described"),
    }
}

fn clock_frame(frame: &ClockFrame) -> String {
    let command = match clock_command(frame.code) {
        "unknown" => format!("UNKNOWN COMMAND {:02x}", frame.code),
        known => known.to_owned(),
    };
    let mut said = format!("clock: {command}");
    if let Some(set) = frame.set_and_run() {
        let pause = if set.is_pause() { ", paused" } else { "" };
        let toggles = if set.toggles() { ", lever changes sides" } else { "" };
        let [left, right] = [ClockSide::Left, ClockSide::Right].map(|side| set_side(&set, side));
        said += &format!(" left {left}, right {right}{pause}{toggles}");
    } else if let Some(heard) = frame.text() {
        said += &format!(" {:?}", heard.text);
        if !heard.beep.is_zero() {
            said += &format!(", beep {} ms", millis(heard.beep));
        }
    } else if let Some(beep) = frame.beep() {
        said += &format!(" {} ms", millis(beep));
    } else if !frame.arguments.is_empty() {
        said += &format!(" {}", hex(&frame.arguments));
    }
    said
}

fn set_side(set: &SetAndRun, side: ClockSide) -> String {
    let runs = if set.runs(side) { " running" } else { "" };
    let up = if set.counting(side) == Counting::Up { " counting up" } else { "" };
    format!("{}{runs}{up}", shown(set.time(side)))
}

fn lights(frame: LightsFrame) -> String {
    match frame.lights() {
        Some(Lights::On { from, to }) => format!("lights on at {from} and {to}"),
        Some(Lights::Off { from, to }) => format!("lights off at {from} and {to}"),
        Some(Lights::AllOff) => "all lights off".to_owned(),
        Some(Lights::AutoOff(on)) => format!("lights go out by themselves: {on}"),
        Some(Lights::AutoTurn(on)) => format!("board finds its orientation by itself: {on}"),
        None => "UNKNOWN COMMAND for the lights".to_owned(),
    }
}
