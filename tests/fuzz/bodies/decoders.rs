// SPDX-License-Identifier: GPL-3.0-or-later
//! Decoders: any bytes in any portions give the same items, and every byte is accounted for.

use arbiterd_dgt::bus::{BusDecoder, BusItem};
use arbiterd_dgt::{Decoder, Item, Message, encode};

/// The first byte says how large the portions are; the rest is what a board says.
pub fn dgt_decoder(data: &[u8]) {
    let Some((size, bytes)) = data.split_first() else { return };
    let size = usize::from(*size).max(1);
    let mut whole = Decoder::new();
    let items = decode(&mut whole, bytes, bytes.len().max(1));
    let mut portions = Decoder::new();
    assert_eq!(items, decode(&mut portions, bytes, size), "portions matter");
    assert_eq!(whole.counters(), portions.counters());
    whole.abandon();
    let good: usize = items.iter().map(length).sum();
    let dropped = usize::try_from(whole.counters().dropped_bytes).unwrap();
    // A serial number may be four bytes longer on the line than the five that count.
    let serials = items.iter().filter(|i| matches!(i, Item::Message(Message::Serial(_)))).count();
    assert!(good + dropped <= bytes.len() && bytes.len() - good - dropped <= 4 * serials);
}

fn decode(decoder: &mut Decoder, bytes: &[u8], size: usize) -> Vec<Item> {
    let mut items = Vec::new();
    for portion in bytes.chunks(size) {
        let mut rest = portion;
        while let Some(item) = decoder.decode(&mut rest) {
            items.push(item);
        }
        assert!(rest.is_empty(), "bytes are left");
    }
    items
}

fn length(item: &Item) -> usize {
    match item {
        Item::Message(message) => encode(message).len(),
        Item::Noise(_) => 0,
    }
}

/// The same for bus mode.
pub fn dgt_bus_decoder(data: &[u8]) {
    let Some((size, bytes)) = data.split_first() else { return };
    let size = usize::from(*size).max(1);
    let mut whole = BusDecoder::new();
    let items = decode_bus(&mut whole, bytes, bytes.len().max(1));
    let mut portions = BusDecoder::new();
    assert_eq!(items, decode_bus(&mut portions, bytes, size), "portions matter");
    assert!(whole.counters().dropped_bytes <= bytes.len() as u64);
}

/// Items as text: what they lend does not outlive the next call.
fn decode_bus(decoder: &mut BusDecoder, bytes: &[u8], size: usize) -> Vec<String> {
    let mut items = Vec::new();
    for portion in bytes.chunks(size) {
        let mut rest = portion;
        while let Some(item) = decoder.decode(&mut rest) {
            if let BusItem::Message(message) = &item {
                assert!((1..=0x3fff).contains(&message.address.number()));
            }
            items.push(format!("{item:?}"));
        }
        assert!(rest.is_empty(), "bytes are left");
    }
    items
}
