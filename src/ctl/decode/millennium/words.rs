// SPDX-License-Identifier: GPL-3.0-or-later
//! Messages in words, for a trace that people read. What needs their attention is in capitals.

use arbiterd_board::NoiseCause;
use arbiterd_millennium::Message;
use arbiterd_millennium::host::{HostCommand, HostItem};
use arbiterd_millennium::wire::{Pattern, Register, ReportMode, ScanTime};

use super::form::{byte, command_word};
use crate::ctl::decode::noise;
use crate::ctl::simulate::harm_of_millennium as harm;

pub(super) fn message(message: &Message) -> String {
    match message {
        Message::Version(version) => format!("version {version}"),
        Message::BareVersion(version) => format!("version {version} WITHOUT BLOCK PARITY"),
        Message::Status(placement) => format!("status {placement} (cable right: {})", placement.rotated()),
        Message::Dump(placement) => format!("dump {placement}"),
        Message::LightsSet => "lights set".to_owned(),
        Message::LightsOff => "all lights off".to_owned(),
        Message::Restarting => "restarting".to_owned(),
        Message::Register { address, value } => held(*address, *value),
        Message::Written { address, value } => format!("written: {}", held(*address, *value)),
        Message::Information { page, text } => format!("page {}: {:?}", byte(*page), text.as_str()),
    }
}

pub(super) fn host(item: &HostItem) -> String {
    match item {
        HostItem::Command(command) => self::command(command),
        HostItem::Unknown(byte) => format!("UNKNOWN COMMAND {byte:02x}"),
        HostItem::Broken(_) => noise::words(NoiseCause::Unfinished),
    }
}

fn command(command: &HostCommand) -> String {
    let word = command_word(command.letter);
    let mut said = match (command.harm(), command.write(), command.values.as_slice()) {
        (Some(harm), Some((address, value)), _) => {
            format!("HARMFUL COMMAND {word} {}: {}", held(address, value), self::harm(harm))
        }
        (Some(harm), None, _) => format!("HARMFUL COMMAND {word}: {}", self::harm(harm)),
        (None, Some((address, value)), _) => format!("{word} {}", held(address, value)),
        (None, None, [address]) => format!("{word} {}", byte(*address)),
        (None, None, _) => word.to_owned(),
    };
    if let Some(lights) = command.lights() {
        let lit = lights.patterns().iter().filter(|pattern| **pattern != Pattern::OFF).count();
        said += &format!(" {lit} on, slot {}", byte(lights.slot()));
    }
    if !command.fits {
        said += ", WRONG BLOCK PARITY";
    }
    if !command.odd {
        said += ", EVEN BYTE PARITY";
    }
    said
}

/// A register and what its value means.
fn held(address: u8, value: u8) -> String {
    let meaning = match Register::from_address(address) {
        Some(Register::SerialSetup) if value & 1 == 1 => "no block parity".to_owned(),
        Some(Register::SerialSetup) => "block parity".to_owned(),
        Some(Register::ScanTime) => {
            format!("scan {} ms", ScanTime::of_register(value).duration().as_millis())
        }
        Some(Register::Reports) => reports(ReportMode::of_register(value)).to_owned(),
        Some(Register::ReportTime) => "report time".to_owned(),
        Some(Register::Brightness) => "brightness".to_owned(),
        Some(Register::Options) => "options".to_owned(),
        None => "not described".to_owned(),
    };
    format!("register {} = {} ({meaning})", byte(address), byte(value))
}

const fn reports(mode: ReportMode) -> &'static str {
    match mode {
        ReportMode::EveryScan => "a status for every scan",
        ReportMode::Off => "no statuses",
        ReportMode::Timed => "statuses by time",
        ReportMode::OnChange => "a status on change",
        ReportMode::TwoScans => "on change, two scans",
        ReportMode::ThreeScans => "on change, three scans",
        ReportMode::FourScans => "on change, four scans",
        ReportMode::FiveScans => "on change, five scans",
    }
}
