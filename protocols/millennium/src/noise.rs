// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dropped bytes, on their way to being told.

use arbiterd_board::{Noise, NoiseCause};

/// Adds dropped bytes to the noise that is not told yet.
pub(crate) fn add(noise: &mut Option<Noise>, bytes: u32, cause: NoiseCause) {
    let noise = noise.get_or_insert(Noise { bytes: 0, cause });
    // Of an echo nothing is missed; what is lost beside it must not hide behind it.
    if noise.cause == NoiseCause::UnknownKind {
        noise.cause = cause;
    }
    noise.bytes = noise.bytes.saturating_add(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_frame_does_not_hide_behind_an_echo() {
        let mut noise = None;
        for (bytes, cause) in [
            (3, NoiseCause::UnknownKind),
            (4, NoiseCause::Unfinished),
            (8, NoiseCause::Malformed),
            (1, NoiseCause::UnknownKind),
        ] {
            add(&mut noise, bytes, cause);
        }
        assert_eq!(noise, Some(Noise { bytes: 16, cause: NoiseCause::Unfinished }));
    }
}
