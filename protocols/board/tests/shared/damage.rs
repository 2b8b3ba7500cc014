// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of frames that are damaged on their way, and what may be expected of a decoder then.

use proptest::prelude::*;
use proptest::sample::Index;

#[derive(Clone, Copy, Debug)]
pub enum Damage {
    Inserted(u8),
    Deleted,
    /// Some of its bits are turned.
    Changed(u8),
}

/// Damages of any kind anywhere in a stream, up to eleven.
pub fn damages() -> impl Strategy<Value = Vec<(Index, Damage)>> {
    proptest::collection::vec((any::<Index>(), any_damage()), 0..12)
}

pub fn any_damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<u8>().prop_map(Damage::Inserted),
        Just(Damage::Deleted),
        (1u8..).prop_map(Damage::Changed),
    ]
}

/// A stream of which each byte knows its frame and whether it is the first of it.
pub struct Stream(pub Vec<(u8, usize, bool)>);

impl Stream {
    pub fn of(frames: &[Vec<u8>]) -> Self {
        let mut stream = Vec::new();
        for (number, frame) in frames.iter().enumerate() {
            stream.extend(frame.iter().enumerate().map(|(at, byte)| (*byte, number, at == 0)));
        }
        Self(stream)
    }

    /// The number of the frame that this touches. What is put before a frame touches it not.
    pub fn apply(&mut self, at: usize, damage: Damage) -> Option<usize> {
        let (byte, number, first) = self.0[at];
        match damage {
            Damage::Inserted(new) => self.0.insert(at, (new, number, false)),
            Damage::Deleted => drop(self.0.remove(at)),
            Damage::Changed(bits) => self.0[at].0 = byte ^ bits,
        }
        (!(first && matches!(damage, Damage::Inserted(_)))).then_some(number)
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().map(|(byte, _, _)| *byte).collect()
    }
}

/// The damaged stream, and the numbers of the frames that were touched.
pub fn damage(frames: &[Vec<u8>], damages: &[(Index, Damage)]) -> (Vec<u8>, Vec<usize>) {
    let mut stream = Stream::of(frames);
    let mut touched = Vec::new();
    for (index, damage) in damages {
        if !stream.0.is_empty() {
            let at = index.index(stream.0.len());
            touched.extend(stream.apply(at, *damage));
        }
    }
    (stream.bytes(), touched)
}

/// What comes of each frame when nothing is damaged, less the frames that were touched.
pub fn untouched<T: Clone>(whole: &[T], touched: &[usize]) -> Vec<T> {
    let kept = whole.iter().enumerate().filter(|(number, _)| !touched.contains(number));
    kept.map(|(_, message)| message.clone()).collect()
}

/// Whether `part` is found in `whole`, in its order.
pub fn is_subsequence<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|wanted| whole.any(|found| found == wanted))
}

/// What a decoder finds when it gets the bytes in portions of these sizes, and then the rest.
pub fn in_portions<T>(
    mut bytes: &[u8],
    sizes: &[usize],
    mut decode: impl FnMut(&mut &[u8]) -> Option<T>,
) -> Vec<T> {
    let mut found = Vec::new();
    for size in sizes.iter().copied().chain([usize::MAX]) {
        let (mut portion, rest) = bytes.split_at(size.min(bytes.len()));
        found.extend(core::iter::from_fn(|| decode(&mut portion)));
        bytes = rest;
    }
    found
}
