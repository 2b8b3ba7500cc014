// SPDX-License-Identifier: GPL-3.0-or-later
//! Messages as JSON objects, told apart by `event`. Members are added, never renamed.

use arbiterd_board::{NoiseCause, Placement};
use arbiterd_millennium::Message;
use arbiterd_millennium::host::{Harm, HostCommand, HostItem};
use arbiterd_millennium::wire::command_letter;
use serde_json::{Value, json};

use crate::ctl::decode::noise;
use crate::ctl::simulate::harm_of_millennium as harm;

/// What a board said.
pub(super) fn message(message: &Message) -> Value {
    match message {
        Message::Version(version) => json!({
            "event": "version", "version": version.to_string(), "main": version.main, "sub": version.sub,
        }),
        Message::BareVersion(version) => json!({
            "event": "bare-version", "version": version.to_string(), "main": version.main, "sub": version.sub,
        }),
        Message::Status(placement) => squares("status", placement),
        // Its order does not depend on the cable.
        Message::Dump(placement) => json!({ "event": "dump", "placement": placement.to_string() }),
        Message::LightsSet => json!({ "event": "lights-set" }),
        Message::LightsOff => json!({ "event": "lights-off" }),
        Message::Restarting => json!({ "event": "restarting" }),
        Message::Register { address, value } => register("register", *address, *value),
        Message::Written { address, value } => register("written", *address, *value),
        Message::Information { page, text } => {
            json!({ "event": "information", "page": byte(*page), "text": text.as_str() })
        }
    }
}

fn squares(event: &str, placement: &Placement) -> Value {
    json!({
        "event": event,
        "placement": placement.to_string(),
        "turned": placement.rotated().to_string(),
    })
}

fn register(event: &str, address: u8, value: u8) -> Value {
    json!({ "event": event, "address": byte(address), "value": byte(value) })
}

/// Two digits, as the protocol writes them.
pub(super) fn byte(value: u8) -> String {
    format!("{value:02X}")
}

/// What a host said.
pub(super) fn host(item: &HostItem) -> Value {
    match item {
        HostItem::Command(command) => self::command(command),
        HostItem::Unknown(_) => json!({ "event": "unknown" }),
        HostItem::Broken(_) => noise::form(NoiseCause::Unfinished),
    }
}

fn command(command: &HostCommand) -> Value {
    let harm = command.harm();
    let mut value = json!({
        "event": if harm.is_some() { "harmful" } else { "command" },
        "command": command_word(command.letter),
        "odd": command.odd,
        "check": command.fits,
    });
    match command.values.as_slice() {
        [address, written] => {
            value["address"] = byte(*address).into();
            value["value"] = byte(*written).into();
        }
        [address] if command.letter == command_letter::READ => value["address"] = byte(*address).into(),
        [page] => value["page"] = byte(*page).into(),
        _ => {}
    }
    if let Some(lights) = command.lights() {
        value["slot"] = lights.slot().into();
        let patterns = lights.patterns().iter().map(|pattern| byte(pattern.0));
        value["patterns"] = patterns.collect::<String>().into();
    }
    if let Some(harm) = harm {
        value["harm"] = harm_word(harm).into();
        value["what"] = self::harm(harm).into();
    }
    value
}

const fn harm_word(harm: Harm) -> &'static str {
    match harm {
        Harm::Restart => "restart",
        Harm::NoBlockParity => "no-block-parity",
        Harm::HidesTouches => "hides-touches",
        Harm::Undescribed => "undescribed",
    }
}

pub(super) const fn command_word(letter: u8) -> &'static str {
    match letter {
        command_letter::VERSION => "version",
        command_letter::STATUS => "status",
        command_letter::LIGHTS => "lights",
        command_letter::LIGHTS_OFF => "lights-off",
        command_letter::RESET => "reset",
        command_letter::READ => "read",
        command_letter::WRITE => "write",
        command_letter::INFORMATION => "information",
        command_letter::DUMP => "dump",
        _ => "unknown",
    }
}
