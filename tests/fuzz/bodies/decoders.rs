// SPDX-License-Identifier: GPL-3.0-or-later
//! Decoders: any bytes in any portions give the same items, and every byte is accounted for.

use arbiterd_board::Noise;
use arbiterd_dgt::bus::{BusDecoder, BusItem, encode as encode_bus};
use arbiterd_dgt::{Decoder, Item, Message, encode};

/// The first byte says how large the portions are; the rest is what a board says.
pub fn dgt_decoder(data: &[u8]) {
    let Some((size, bytes)) = data.split_first() else { return };
    let size = usize::from(*size).max(1);
    let mut whole = Decoder::new();
    let items = in_portions(bytes, bytes.len().max(1), |portion| whole.decode(portion));
    let mut portions = Decoder::new();
    assert_eq!(items, in_portions(bytes, size, |portion| portions.decode(portion)), "portions matter");
    assert_eq!(whole.counters(), portions.counters());
    whole.abandon();
    let left = whole.take_noise();
    let (good, noise) = items.iter().map(length).chain([(0, left.map_or(0, size_of))]).fold((0, 0), add);
    let dropped = usize::try_from(whole.counters().dropped_bytes).unwrap();
    assert_eq!(noise, dropped, "noise told and noise counted");
    // A serial number may be four bytes longer on the line than the five that count.
    let serials = items.iter().filter(|i| matches!(i, Item::Message(Message::Serial(_)))).count();
    assert!(good + dropped <= bytes.len() && bytes.len() - good - dropped <= 4 * serials);
}

fn add(a: (usize, usize), b: (usize, usize)) -> (usize, usize) {
    (a.0 + b.0, a.1 + b.1)
}

fn size_of(noise: Noise) -> usize {
    usize::try_from(noise.bytes).unwrap()
}

/// What is found when the bytes come in portions of this size; then what a decoder has held back.
pub fn in_portions<T>(bytes: &[u8], size: usize, mut decode: impl FnMut(&mut &[u8]) -> Option<T>) -> Vec<T> {
    let mut items = Vec::new();
    for mut portion in bytes.chunks(size).chain([&[][..]]) {
        items.extend(core::iter::from_fn(|| decode(&mut portion)));
        assert!(portion.is_empty(), "bytes are left");
    }
    items
}

/// Bytes of messages and of noise.
fn length(item: &Item) -> (usize, usize) {
    match item {
        Item::Message(message) => (encode(message).len(), 0),
        Item::Noise(noise) => (0, size_of(*noise)),
    }
}

/// The same for bus mode.
pub fn dgt_bus_decoder(data: &[u8]) {
    let Some((size, bytes)) = data.split_first() else { return };
    let size = usize::from(*size).max(1);
    let mut whole = BusDecoder::new();
    let (items, length) = decode_bus(&mut whole, bytes, bytes.len().max(1));
    let mut portions = BusDecoder::new();
    let again = decode_bus(&mut portions, bytes, size);
    assert_eq!((items, length), again, "portions matter");
    assert_eq!(whole.counters(), portions.counters());
    whole.abandon();
    let noise = length.1 + whole.take_noise().map_or(0, size_of);
    let dropped = usize::try_from(whole.counters().dropped_bytes).unwrap();
    assert_eq!(noise, dropped, "noise told and noise counted");
    assert_eq!(length.0 + dropped, bytes.len(), "bytes that are nowhere");
}

/// Items as text, because what they lend does not outlive the next call; bytes of answers and of
/// noise.
fn decode_bus(decoder: &mut BusDecoder, bytes: &[u8], size: usize) -> (Vec<String>, (usize, usize)) {
    let mut total = (0, 0);
    let items = in_portions(bytes, size, |portion| {
        let item = decoder.decode(portion)?;
        let length = match &item {
            BusItem::Message(message) => {
                assert!((1..=0x3fff).contains(&message.address.number()));
                (encode_bus(message).len(), 0)
            }
            BusItem::Noise(noise) => (0, size_of(*noise)),
        };
        total = add(total, length);
        Some(format!("{item:?}"))
    });
    (items, total)
}
