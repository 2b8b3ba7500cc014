// SPDX-License-Identifier: GPL-3.0-or-later
//! Bytes that are no message, of whatever family.

use arbiterd_board::NoiseCause;
use serde_json::{Value, json};

/// As an object.
pub(super) fn form(cause: NoiseCause) -> Value {
    json!({ "event": "noise", "cause": cause_word(cause) })
}

const fn cause_word(cause: NoiseCause) -> &'static str {
    match cause {
        NoiseCause::Junk => "junk",
        NoiseCause::Unfinished => "unfinished",
        NoiseCause::Malformed => "malformed",
        NoiseCause::UnknownKind => "unknown-kind",
        NoiseCause::OutOfRange => "out-of-range",
        NoiseCause::WrongMode => "wrong-mode",
    }
}

/// The same for people.
pub(super) fn words(cause: NoiseCause) -> String {
    let cause = match cause {
        NoiseCause::Junk => "bytes outside any message",
        NoiseCause::Unfinished => "a message that broke off",
        NoiseCause::Malformed => "wrong length, form or checksum",
        NoiseCause::UnknownKind => "a message of an unknown kind",
        NoiseCause::OutOfRange => "a value that cannot be",
        NoiseCause::WrongMode => "a message of the other mode (see --mode)",
    };
    format!("NOISE: {cause}")
}
