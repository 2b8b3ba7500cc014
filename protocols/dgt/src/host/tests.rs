// SPDX-License-Identifier: MIT OR Apache-2.0
//! What hosts say, as a board hears it.

use proptest::prelude::*;

use arbiterd_board::{ClockSide, Square};

use super::*;
use crate::wire::{BeepAfter, ClockCommand, ClockText, Icons};

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

fn clock_frame(bytes: &[u8]) -> ClockFrame {
    match heard(bytes).as_slice() {
        [HostItem::Clock(frame)] => frame.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bytes_are_commands_unknown_or_harmful() {
    assert_eq!(
        heard(&[0x40, 0x4b, 0x4e, 0x48, 0x00, 0xff, 0x49, 0x51]),
        [
            HostItem::Command(Command::Reset),
            HostItem::Command(Command::UpdateNice),
            HostItem::Harmful(0x4e),
            HostItem::Unknown(0x48),
            HostItem::Unknown(0x00),
            HostItem::Unknown(0xff),
            HostItem::Command(Command::SendLog),
            HostItem::Harmful(0x51),
        ]
    );
}

#[test]
fn vector_38_times_and_who_runs() {
    let frame = clock_frame(&[0x2b, 0x0a, 3, 0x0a, 1, 0x1f, 0x3a, 1, 0x1e, 0, 4, 0]);
    let set = frame.set_and_run().unwrap();
    assert_eq!(set.time(ClockSide::Left), Duration::from_secs(5400 + 118));
    assert_eq!(set.time(ClockSide::Right), Duration::from_secs(5400));
    assert!(!set.runs(ClockSide::Left) && !set.runs(ClockSide::Right) && !set.toggles());
    assert_eq!((frame.text(), frame.segments(), frame.icons(), frame.beep()), (None, None, None, None));
}

#[test]
fn vectors_40_and_41_texts_and_beeps() {
    let frame = clock_frame(b"\x2b\x0c\x03\x0cillegal \x00\x00");
    assert_eq!(frame.text(), Some(HeardText { text: "illegal ".to_owned(), beep: Duration::ZERO }));
    // Upper case and bytes that are commands by themselves; 62.5 ms and fifteen sixteenths.
    let frame = clock_frame(b"\x2b\x0c\x03\x0cINK@A+`c\x0f\x00");
    assert_eq!(
        frame.text().unwrap(),
        HeardText { text: "INK@A+`c".to_owned(), beep: Duration::from_secs(1) }
    );
    let frame = clock_frame(&[0x2b, 4, 3, 0x0b, 0x10, 0]);
    assert_eq!(frame.beep(), Some(Duration::from_millis(1024)));
    let frame = clock_frame(&[0x2b, 0x0b, 3, 1, 0, 0x5b, 0x7b, 0, 0x66, 0x7b, 0, 1, 0]);
    assert_eq!(frame.segments(), Some(([0x7b, 0x5b, 0, 0x7b, 0x66, 0], 0, false)));
}

#[test]
fn icons_with_a_zero_more_or_less() {
    let frame = [0x2b, 0x0c, 3, 2, 1, 2, 4, 8, 0x10, 0, 0, 0, 0];
    for (bytes, trailing) in [(&frame[..], 0), (&[&frame[..], &[0]].concat(), 1)] {
        let items = heard(bytes);
        let HostItem::Clock(frame) = &items[0] else { panic!("{items:?}") };
        assert_eq!(frame.icons(), Some([1, 2, 4, 8, 0x10]));
        assert_eq!(items[1..], vec![HostItem::Unknown(0); trailing]);
    }
}

#[test]
fn what_this_crate_writes_is_heard() {
    let text = ClockCommand::Text(ClockText::new("NIL").unwrap(), BeepAfter::NONE);
    let commands = [ClockCommand::Version, ClockCommand::End, ClockCommand::Icons(Icons::CLEAR), text];
    for command in commands {
        let code = command.code();
        let items = heard(&Command::Clock(command).encode());
        assert!(matches!(&items[0], HostItem::Clock(frame) if frame.code == code), "{items:?}");
    }
}

#[test]
fn lights_in_both_forms() {
    let e = |name: &str| name.parse::<Square>().unwrap();
    let frame = |bytes: &[u8]| match heard(bytes).as_slice() {
        [HostItem::Lights(frame)] => frame.lights(),
        other => panic!("{other:?}"),
    };
    assert_eq!(frame(&[0x60, 4, 1, 0x34, 0x24, 0]), Some(Lights::On { from: e("e2"), to: e("e4") }));
    assert_eq!(frame(&[0x60, 4, 0, 0x40, 0x40, 0]), Some(Lights::AllOff));
    assert_eq!(frame(&[0x60, 2, 0, 0]), Some(Lights::AllOff));
    assert_eq!(frame(&[0x60, 2, 1, 0]), None);
    assert_eq!(frame(&[0x60, 4, 1, 0x7f, 0, 0]), None);
}

#[test]
fn a_pegasus_key_is_skipped_by_its_length() {
    // A made-up key; its bytes would be commands, of bus mode too.
    let key = [0x63, 7, 0x81, 0x4e, 0x40, 0xff, 0x2b, 0x60, 0];
    assert_eq!(
        heard(&[&key[..], &[0x4d]].concat()),
        [HostItem::PegasusKey, HostItem::Command(Command::SendVersion)]
    );
}

#[test]
fn vectors_43_and_45_bus_frames() {
    let bus = |command, address, intact| HostItem::Bus(BusRequest { command, address, intact });
    assert_eq!(heard(&[0x83, 8, 1, 0x0c, 0x87, 0, 0, 7]), [bus(0x83, 1025, true), bus(0x87, 0, true)]);
    assert_eq!(heard(&[0x83, 8, 1, 0x0d]), [bus(0x83, 1025, false)]);
    // Its bytes are no commands.
    assert_eq!(heard(&[0x83, 0x4e, 0x40, 0x11]), [bus(0x83, (0x4e << 7) | 0x40, true)]);
}

#[test]
fn a_broken_frame_swallows_no_command() {
    let mut decoder = HostDecoder::new();
    decoder.hear(ms(0), &[0x2b, 0x0c, 3, 0x0c, 0x69]);
    decoder.hear(ms(100), &[0x6c]);
    assert_eq!(drain(&mut decoder), []);
    decoder.hear(ms(201), &[0x4d]);
    assert_eq!(
        drain(&mut decoder),
        [HostItem::Broken(vec![0x2b, 0x0c, 3, 0x0c, 0x69, 0x6c]), HostItem::Command(Command::SendVersion)]
    );
    // A byte from 0x80 on ends it at once.
    decoder.hear(ms(300), &[0x2b, 3, 3, 0x87, 0, 0, 7]);
    assert_eq!(
        drain(&mut decoder),
        [
            HostItem::Broken(vec![0x2b, 3, 3]),
            HostItem::Bus(BusRequest { command: 0x87, address: 0, intact: true })
        ]
    );
    // A size that no frame has: the first byte opened none.
    assert_eq!(
        heard(&[0x2b, 0x40, 0x60, 0x41, 0x63, 0x20, 0x4d]),
        [
            HostItem::Unknown(0x2b),
            HostItem::Command(Command::Reset),
            HostItem::Unknown(0x60),
            HostItem::Command(Command::SendClock),
            HostItem::Unknown(0x63),
            HostItem::Unknown(0x20),
            HostItem::Command(Command::SendVersion),
        ]
    );
    // The form without a closing zero of before 2003 is not taken for its kind.
    assert_eq!(heard(&[0x2b, 2, 3, 3]), [HostItem::Broken(vec![0x2b, 2, 3, 3])]);
}

proptest! {
    #[test]
    fn any_bytes_in_any_portions_are_the_same_items(
        bytes in proptest::collection::vec(prop_oneof![
            any::<u8>(),
            prop::sample::select(vec![0x2b, 0x60, 0x63, 0x83, 0x03, 0x04, 0x0c, 0x00, 0x4d]),
        ], 0..400),
        portions in proptest::collection::vec(1usize..20, 0..200),
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
        prop_assert_eq!(items, heard(&bytes));
    }

    /// After any bytes and a pause, the next command is heard.
    #[test]
    fn a_command_after_a_pause_is_always_heard(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut decoder = HostDecoder::new();
        decoder.hear(ms(0), &bytes);
        drain(&mut decoder);
        decoder.hear(ms(101), &[0x4d]);
        prop_assert_eq!(drain(&mut decoder).pop(), Some(HostItem::Command(Command::SendVersion)));
    }

    /// Without a pause no frame swallows more than its longest length.
    #[test]
    fn a_command_is_heard_before_long(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut decoder = HostDecoder::new();
        decoder.hear(ms(0), &bytes);
        drain(&mut decoder);
        decoder.hear(ms(0), &[0x4d; 40]);
        prop_assert_eq!(drain(&mut decoder).pop(), Some(HostItem::Command(Command::SendVersion)));
    }
}

#[test]
fn no_bytes_at_all_do_not_shorten_a_pause() {
    let mut decoder = HostDecoder::new();
    decoder.hear(ms(0), &[0x8c, 0x08]);
    decoder.hear(ms(100), &[]);
    // 110 ms after the last byte: the frame was broken off.
    decoder.hear(ms(110), &[0x42]);
    assert_eq!(
        drain(&mut decoder),
        [HostItem::Broken(vec![0x8c, 0x08]), HostItem::Command(Command::SendBoard)]
    );
}
