// SPDX-License-Identifier: MIT OR Apache-2.0
//! Damaged input: what must be dropped, how it is told, and that the next frame is read. What the
//! driver has to say then is tested with its conversation.

use arbiterd_board::{Noise, NoiseCause, Version};
use arbiterd_millennium::{ByteParity, Counters, Decoder, Item, Message};

use crate::data::{self, hex};
use crate::{AFTER_E4, E2_LIFTED, START, decode, drain, noise, placement, status, strict};

const V0103: Item = Item::Message(Message::Version(Version { main: 1, sub: 3 }));

fn after_e4_turned() -> Item {
    status(&placement(AFTER_E4).rotated().to_string())
}

/// What a decoder counted besides what it had counted before.
fn dropped(decoder: &Decoder) -> Counters {
    Counters { bytes: 0, frames: 0, ..decoder.counters() }
}

#[test]
fn vector_27_one_wrong_parity_bit() {
    let bytes = hex("76 B0 31 30 B3 37 34");
    // Nothing is known of the board's parity: it is accepted.
    assert_eq!(decode(&bytes), [V0103]);
    // The board sends odd parity: it is a parity error.
    let mut decoder = strict();
    assert_eq!(drain(&mut decoder, &bytes), []);
    assert_eq!(decoder.take_noise(), Some(Noise { bytes: 7, cause: NoiseCause::Malformed }));
    assert_eq!(dropped(&decoder), Counters { parity_errors: 1, dropped_bytes: 7, ..Counters::default() });
}

#[test]
fn vector_28_wrong_block_parity() {
    let mut decoder = strict();
    assert_eq!(drain(&mut decoder, &hex("76 B0 31 B0 B3 37 B5")), []);
    assert_eq!(decoder.take_noise(), Some(Noise { bytes: 7, cause: NoiseCause::Malformed }));
    assert_eq!(dropped(&decoder), Counters { checksum_errors: 1, dropped_bytes: 7, ..Counters::default() });
}

#[test]
fn vector_29_two_wrong_bits_with_odd_parity() {
    let mut bytes = data::V17.bytes();
    assert_eq!(bytes[59], 0xc2);
    bytes[59] = 0xce;
    let mut decoder = strict();
    assert_eq!(drain(&mut decoder, &bytes), []);
    assert_eq!(decoder.take_noise(), Some(Noise { bytes: 67, cause: NoiseCause::Malformed }));
    assert_eq!(dropped(&decoder), Counters { checksum_errors: 1, dropped_bytes: 67, ..Counters::default() });
}

#[test]
fn vector_30_half_a_status_and_silence() {
    let mut decoder = strict();
    assert_eq!(drain(&mut decoder, &data::V17.bytes()[..40]), []);
    assert!(decoder.is_waiting());
    assert_eq!(decoder.take_noise(), None);
    decoder.abandon();
    assert_eq!(drain(&mut decoder, &[]), []);
    assert!(!decoder.is_waiting());
    assert_eq!(decoder.take_noise(), Some(Noise { bytes: 40, cause: NoiseCause::Unfinished }));
    assert_eq!(dropped(&decoder).timeouts, 1);
    assert_eq!(drain(&mut decoder, &data::V20.bytes()), [status(AFTER_E4)]);
}

#[test]
fn vector_31_a_status_cut_short_by_the_next() {
    let bytes = [&data::V17.bytes()[..30], &data::V20.bytes()[..]].concat();
    assert_eq!(decode(&bytes), [noise(30, NoiseCause::Unfinished), status(AFTER_E4)]);
}

#[test]
fn vector_32_a_status_without_its_first_byte() {
    let bytes = [&data::V18.bytes()[1..], &data::V21.bytes()[..]].concat();
    assert_eq!(decode(&bytes), [noise(66, NoiseCause::Junk), after_e4_turned()]);
}

#[test]
fn vector_33_a_status_with_a_byte_missing() {
    let mut bytes = data::V17.bytes();
    bytes.remove(20);
    bytes.extend(data::V20.bytes());
    // The digit 7 stands where the last square is due, so the frame is broken before the next begins.
    assert_eq!(decode(&bytes), [noise(66, NoiseCause::Malformed), status(AFTER_E4)]);
}

#[test]
fn vector_34_junk_before_a_version() {
    let bytes = [hex("00 FF 7E 0D 0A"), data::V2.bytes()].concat();
    assert_eq!(decode(&bytes), [noise(5, NoiseCause::Junk), V0103]);
}

#[test]
fn vector_35_noise_of_another_speed() {
    let bytes = [hex("E6 00 98 F8"), data::V20.bytes()].concat();
    assert_eq!(decode(&bytes), [noise(4, NoiseCause::Junk), status(AFTER_E4)]);
}

#[test]
fn vector_36_an_echo() {
    let mut decoder = strict();
    let bytes = [hex("D3 B5 B3"), data::V17.bytes()].concat();
    // Three bytes are dropped; nothing of the board is missing, which the cause says.
    let items = drain(&mut decoder, &bytes);
    assert_eq!(items, [noise(3, NoiseCause::UnknownKind), status(START)]);
    assert_eq!(dropped(&decoder), Counters { echoes: 1, dropped_bytes: 3, ..Counters::default() });
}

#[test]
fn vector_37_block_parity_in_lower_case() {
    let mut bytes = data::V19.bytes();
    bytes.splice(65.., hex("B0 64"));
    assert_eq!(decode(&bytes), [status(E2_LIFTED)]);
    assert_eq!(drain(&mut strict(), &bytes), [status(E2_LIFTED)]);
}

#[test]
fn vector_38_no_parity_at_all() {
    let bytes = data::V17.seven_bits();
    assert_eq!(decode(&bytes), [status(START)]);
    let mut decoder = strict();
    assert_eq!(drain(&mut decoder, &bytes), []);
    assert_eq!(decoder.take_noise(), Some(Noise { bytes: 67, cause: NoiseCause::Malformed }));
    assert_eq!(dropped(&decoder), Counters { parity_errors: 49, dropped_bytes: 67, ..Counters::default() });
    // It is considered to be a board without parity once it has done so three times.
    assert_eq!(drain(&mut decoder, &bytes), []);
    assert_eq!(decoder.byte_parity(), ByteParity::Odd);
    assert_eq!(drain(&mut decoder, &bytes), []);
    assert_eq!(decoder.byte_parity(), ByteParity::None);
    assert_eq!(drain(&mut decoder, &bytes), [noise(134, NoiseCause::Malformed), status(START)]);
}

#[test]
fn vector_39_a_register_between_statuses() {
    let register = hex("F2 B0 31 31 34 37 B6");
    let bytes = [data::V17.bytes(), register, data::V20.bytes()].concat();
    let scan = Item::Message(Message::Register { address: 1, value: 0x14 });
    assert_eq!(decode(&bytes), [status(START), scan, status(AFTER_E4)]);
}

#[test]
fn vector_40_two_statuses_spliced_that_do_not_fit() {
    let mut decoder = strict();
    let bytes = [&data::V17.bytes()[..45], &data::V20.bytes()[45..]].concat();
    assert_eq!(drain(&mut decoder, &bytes), []);
    assert_eq!(decoder.take_noise(), Some(Noise { bytes: 67, cause: NoiseCause::Malformed }));
    assert_eq!(dropped(&decoder).checksum_errors, 1);
}

/// Length, parity and block parity are all right, so every decoder accepts it. That it never
/// becomes a move is the driver's doing, and tested there.
#[test]
fn vector_41_two_statuses_spliced_that_fit() {
    let after_e5 = placement("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    let later = arbiterd_millennium::encode(&Message::Status(after_e5));
    let bytes = [&data::V17.bytes()[..33], &later[33..]].concat();
    assert_eq!(drain(&mut strict(), &bytes), [status(AFTER_E4)]);
}

/// An `i` of noise may hold no frames: it begins one only while a page is expected, and what it
/// swallowed even then is found again.
#[test]
fn a_stray_i_swallows_nothing() {
    let frames = [hex("E9 B0 B0"), data::V17.bytes(), data::V20.bytes()].concat();
    assert_eq!(decode(&frames), [noise(3, NoiseCause::Junk), status(START), status(AFTER_E4)]);
    let mut decoder = Decoder::new();
    decoder.expect_information(true);
    let items = drain(&mut decoder, &frames);
    // 83 characters are too many: 80 of text and none of them a line feed.
    assert_eq!(items, [noise(3, NoiseCause::Malformed), status(START), status(AFTER_E4)]);
    // And when nothing more comes, the pause or the end of the wait sets them free.
    for end in [Decoder::abandon as fn(&mut Decoder), |decoder| decoder.expect_information(false)] {
        let mut decoder = Decoder::new();
        decoder.expect_information(true);
        assert_eq!(drain(&mut decoder, &[hex("E9 B0 B0"), data::V17.bytes()].concat()), []);
        end(&mut decoder);
        let items = drain(&mut decoder, &[]);
        assert!(matches!(items[..], [Item::Noise(Noise { bytes: 3, .. }), Item::Message(_)]), "{items:?}");
    }
}

/// A board whose register 00 switches block parity off, which is asked without.
#[test]
fn a_bare_version_is_believed_only_when_it_was_asked_for() {
    let bare = Item::Message(Message::BareVersion(Version { main: 1, sub: 3 }));
    let frames = [&data::V2.bytes()[..5], &data::V17.bytes()[..]].concat();
    assert_eq!(decode(&frames), [noise(5, NoiseCause::Unfinished), status(START)]);
    let mut decoder = Decoder::new();
    decoder.expect_bare_version(true);
    assert_eq!(drain(&mut decoder, &frames), [bare, status(START)]);
    assert_eq!(drain(&mut decoder, &data::V2.bytes()), [V0103]);
    assert_eq!(drain(&mut decoder, &data::V2.bytes()[..5]), []);
    decoder.abandon();
    assert_eq!(drain(&mut decoder, &[]), [bare]);
}
