// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dropped bytes, on their way to being told: the same for both modes.

use arbiterd_board::{Noise, NoiseCause};

use crate::wire::id;

/// Why a frame is dropped that another one cuts short.
pub(crate) fn breaking_off(frame: &[u8]) -> NoiseCause {
    match frame.first() {
        // A lone byte that emulators send; it is complete as it is.
        Some(&id::NONE) => NoiseCause::UnknownKind,
        _ => NoiseCause::Unfinished,
    }
}

/// Adds dropped bytes to the noise that is not told yet.
pub(crate) fn add(noise: &mut Option<Noise>, bytes: u32, cause: NoiseCause) {
    let noise = noise.get_or_insert(Noise { bytes: 0, cause });
    // Of an unknown message nothing is missed; what is lost beside it must not hide behind it.
    if noise.cause == NoiseCause::UnknownKind && cause != NoiseCause::Junk {
        noise.cause = cause;
    }
    noise.bytes = noise.bytes.saturating_add(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_update_does_not_hide_behind_an_unknown_message() {
        let mut noise = None;
        for (bytes, cause) in [
            (1, NoiseCause::UnknownKind),
            (2, NoiseCause::Junk),
            (4, NoiseCause::Unfinished),
            (8, NoiseCause::Malformed),
        ] {
            add(&mut noise, bytes, cause);
        }
        assert_eq!(noise, Some(Noise { bytes: 15, cause: NoiseCause::Unfinished }));
    }
}
