// SPDX-License-Identifier: MIT OR Apache-2.0
//! What hosts say, as a board hears it; the bytes are those of the worked vectors.

use proptest::prelude::*;

use super::*;
use crate::wire::{Cable, Command, with_parity};

fn ms(millis: u64) -> Mono {
    Mono::from_millis(millis)
}

fn drain(decoder: &mut HostDecoder) -> Vec<HostItem> {
    core::iter::from_fn(|| decoder.poll()).collect()
}

fn heard(bytes: &[u8]) -> Vec<HostItem> {
    let mut decoder = HostDecoder::new();
    decoder.hear(ms(0), bytes);
    drain(&mut decoder)
}

fn command(bytes: &[u8]) -> HostCommand {
    match heard(bytes).as_slice() {
        [HostItem::Command(command)] => command.clone(),
        other => panic!("{other:?}"),
    }
}

fn good(letter: u8, values: &[u8]) -> HostItem {
    HostItem::Command(HostCommand { letter, values: values.to_vec(), odd: true, fits: true })
}

#[test]
fn vectors_1_to_15_are_commands() {
    for (bytes, letter, values) in [
        (&[0xd6, 0xb5, 0xb6][..], b'V', &[][..]),
        (&[0xd3, 0xb5, 0xb3], b'S', &[]),
        (&[0x58, 0xb5, 0x38], b'X', &[]),
        (&[0x54, 0xb5, 0x34], b'T', &[]),
        (&[0x52, 0xb0, 0x32, 0xb5, 0xb0], b'R', &[2]),
        (&[0x57, 0xb0, 0x32, 0xb0, 0xb3, 0xb5, 0xb6], b'W', &[2, 3]),
        (&[0x57, 0xb0, 0x31, 0x31, 0x34, 0xb5, 0xb3], b'W', &[1, 0x14]),
        (&[0x57, 0xb0, 0x31, 0xb0, 0x46, 0x32, 0xb0], b'W', &[1, 0x0f]),
        (&[0x49, 0xb0, 0xb0, 0x34, 0xb9], b'I', &[0]),
    ] {
        assert_eq!(heard(bytes), [good(letter, values)]);
    }
}

#[test]
fn what_this_crate_writes_is_heard() {
    let lights = Lights::squares(&["e2".parse().unwrap(), "e4".parse().unwrap()], Cable::Right);
    let heard = command(&Command::Lights(lights).encode());
    assert_eq!((heard.lights(), heard.odd, heard.fits), (Some(lights), true, true));
    assert_eq!((heard.write(), heard.harm()), (None, None));
    assert_eq!(command(&Command::Dump.encode()).letter, b'G');
}

#[test]
fn wrong_parities_are_told() {
    // The parity bit of the letter is wrong, then the block parity.
    let wrong = command(&[0x56, 0xb5, 0xb6]);
    assert_eq!((wrong.odd, wrong.fits), (false, true));
    let wrong = command(&[0xd6, 0xb5, 0x37]);
    assert_eq!((wrong.odd, wrong.fits), (true, false));
}

#[test]
fn a_broken_command_swallows_no_other() {
    let mut decoder = HostDecoder::new();
    // The letter of the next one ends it.
    decoder.hear(ms(0), &[0x57, 0xb0, 0x32, 0xd3, 0xb5, 0xb3]);
    assert_eq!(drain(&mut decoder), [HostItem::Broken(vec![0x57, 0xb0, 0x32]), good(b'S', &[])]);
    // So does a byte that begins nothing, and a pause.
    decoder.hear(ms(10), &[0xd6, 0xb5, 0x0d, 0xd6]);
    assert_eq!(drain(&mut decoder), [HostItem::Broken(vec![0xd6, 0xb5]), HostItem::Unknown(0x0d)]);
    decoder.hear(ms(510), &[0xb5]);
    decoder.hear(ms(1011), &[0xb6]);
    assert_eq!(drain(&mut decoder), [HostItem::Broken(vec![0xd6, 0xb5]), HostItem::Unknown(0xb6)]);
}

#[test]
fn without_block_parity_commands_end_with_their_values() {
    let mut decoder = HostDecoder::new();
    decoder.expect_bare(true);
    decoder.hear(ms(0), &[0xd6, 0x52, 0xb0, 0x32, 0xd3, 0xb5, 0xb3]);
    assert_eq!(
        drain(&mut decoder),
        [
            good(b'V', &[]),
            good(b'R', &[2]),
            good(b'S', &[]),
            HostItem::Unknown(0xb5),
            HostItem::Unknown(0xb3)
        ]
    );
}

#[test]
fn what_harms_is_told() {
    let harm = |text: &str| {
        let characters: Vec<u8> = text.bytes().collect();
        let digits = format!("{:02X}", check(&characters));
        let bytes: Vec<u8> = text.bytes().chain(digits.bytes()).map(with_parity).collect();
        command(&bytes).harm()
    };
    for (text, expected) in [
        ("T", Some(Harm::Restart)),
        ("W0001", Some(Harm::NoBlockParity)),
        ("W0000", None),
        ("W0130", Some(Harm::HidesTouches)),
        ("W011E", None),
        // Below the fastest the board takes the time of the factory.
        ("W0100", None),
        ("W0203", None),
        ("W0204", Some(Harm::HidesTouches)),
        ("W0207", Some(Harm::HidesTouches)),
        ("W040F", None),
        ("W0500", Some(Harm::Undescribed)),
        ("W0600", None),
        ("W0F00", Some(Harm::Undescribed)),
        ("W1000", None),
        ("V", None),
        ("R0F", None),
    ] {
        assert_eq!(harm(text), expected, "{text}");
    }
}

/// Bytes as hosts send them, mixed with any.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let letters = prop::sample::select(b"VSLXTRWIG0123456789ABCDEFabc".map(with_parity).to_vec());
    proptest::collection::vec(prop_oneof![3 => letters, 1 => any::<u8>()], 0..400)
}

proptest! {
    #[test]
    fn any_bytes_in_any_portions_are_the_same_items_and_all_of_them(
        bytes in bytes(), portions in proptest::collection::vec(1usize..20, 0..200),
    ) {
        let mut decoder = HostDecoder::new();
        let mut rest = &bytes[..];
        let mut items = Vec::new();
        for portion in portions.into_iter().chain(core::iter::repeat(3)) {
            if rest.is_empty() {
                break;
            }
            let (head, tail) = rest.split_at(portion.min(rest.len()));
            decoder.hear(ms(0), head);
            items.extend(drain(&mut decoder));
            rest = tail;
        }
        prop_assert_eq!(&items, &heard(&bytes));
        // A pause ends what is left: then every byte belongs to an item.
        decoder.hear(ms(501), &[0x0d]);
        items.extend(drain(&mut decoder));
        let length: usize = items.iter().map(|item| match item {
            HostItem::Command(command) => 1 + 2 * command.values.len() + CHECK,
            HostItem::Unknown(_) => 1,
            HostItem::Broken(bytes) => bytes.len(),
        }).sum();
        prop_assert_eq!(length, bytes.len() + 1);
    }

    /// Nothing that was heard before keeps a command from being heard, even without a pause.
    #[test]
    fn a_command_is_always_heard(bytes in bytes()) {
        let mut decoder = HostDecoder::new();
        decoder.hear(ms(0), &bytes);
        drain(&mut decoder);
        decoder.hear(ms(0), &[0xd3, 0xb5, 0xb3]);
        prop_assert_eq!(drain(&mut decoder).pop(), Some(good(b'S', &[])));
    }
}
