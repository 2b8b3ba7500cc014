// SPDX-License-Identifier: MIT OR Apache-2.0
//! What decoders of all families find, and dropped bytes on their way to being told.

use crate::{Noise, NoiseCause};

/// What a decoder found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item<M> {
    /// A valid message.
    Message(M),
    /// Bytes that were dropped before it.
    Noise(Noise),
}

/// Bytes that a decoder dropped and has not told yet. Asked with each byte of noise, so it is inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dropped(Option<Noise>);

impl Dropped {
    /// More is dropped. The first cause is told, but for one: of a message of an unknown kind
    /// nothing is missed, and what is lost beside it must not hide behind it.
    #[inline]
    pub fn add(&mut self, bytes: usize, cause: NoiseCause) {
        let noise = self.0.get_or_insert(Noise { bytes: 0, cause });
        if noise.cause == NoiseCause::UnknownKind {
            noise.cause = cause;
        }
        noise.bytes = noise.bytes.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
    }

    /// The noise that no message has followed yet, if it is to be told now.
    #[inline]
    pub const fn take(&mut self) -> Option<Noise> {
        self.0.take()
    }

    /// Whether something was dropped, and all of it of an unknown kind.
    #[must_use]
    #[inline]
    pub fn is_only_unknown(&self) -> bool {
        self.0.is_some_and(|noise| noise.cause == NoiseCause::UnknownKind)
    }

    /// Whether something was dropped that may have told something.
    #[must_use]
    #[inline]
    pub fn has_lost_something(&self) -> bool {
        self.0.is_some() && !self.is_only_unknown()
    }

    /// What is told now: the noise before an item comes first, and the item waits in `ready`.
    pub fn first<M>(&mut self, item: Item<M>, ready: &mut Option<Item<M>>) -> Item<M> {
        match self.take() {
            Some(noise) => {
                *ready = Some(item);
                Item::Noise(noise)
            }
            None => item,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_lost_hides_behind_an_unknown_message() {
        for lost in [NoiseCause::Junk, NoiseCause::Unfinished, NoiseCause::Malformed, NoiseCause::OutOfRange]
        {
            let mut dropped = Dropped::default();
            dropped.add(3, NoiseCause::UnknownKind);
            assert!(dropped.is_only_unknown() && !dropped.has_lost_something());
            dropped.add(4, lost);
            assert!(!dropped.is_only_unknown() && dropped.has_lost_something());
            dropped.add(8, NoiseCause::WrongMode);
            dropped.add(1, NoiseCause::UnknownKind);
            assert_eq!(dropped.take(), Some(Noise { bytes: 16, cause: lost }));
            assert!(!dropped.is_only_unknown() && !dropped.has_lost_something());
        }
    }

    #[test]
    fn noise_is_told_before_what_came_after_it() {
        let (mut dropped, mut ready) = (Dropped::default(), None);
        assert_eq!(dropped.first(Item::Message('a'), &mut ready), Item::Message('a'));
        assert_eq!(ready, None);
        dropped.add(2, NoiseCause::Junk);
        let noise = Noise { bytes: 2, cause: NoiseCause::Junk };
        assert_eq!(dropped.first(Item::Message('b'), &mut ready), Item::Noise(noise));
        assert_eq!((ready, dropped.take()), (Some(Item::Message('b')), None));
    }
}
