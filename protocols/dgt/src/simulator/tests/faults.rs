// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults, each as the host sees it.

use super::*;

const VERSION: [u8; 5] = [0x93, 0, 5, 1, 0];

fn asked_version(simulator: &mut Simulator, at: u64) -> Vec<Vec<u8>> {
    simulator.receive(ms(at), &[0x4d]);
    sent(simulator)
}

#[test]
fn every_nth_byte_is_dropped_inserted_doubled_or_flipped() {
    let mut simulator = board(None);
    simulator.inject(ms(0), Fault::Line(LineFault::Drop(Rate::Every(4))));
    assert_eq!(asked_version(&mut simulator, 1), [[0x93, 0, 5, 0]]);
    // Four more bytes: the third of them is the eighth.
    assert_eq!(asked_version(&mut simulator, 2), [[0x93, 0, 1, 0]]);
    simulator.inject(ms(3), Fault::Line(LineFault::Drop(Rate::Never)));
    assert_eq!(asked_version(&mut simulator, 4), [VERSION]);
    simulator.inject(ms(5), Fault::Line(LineFault::Insert(Rate::Every(2), 0x5a)));
    assert_eq!(asked_version(&mut simulator, 6), [[0x93, 0x5a, 0, 5, 0x5a, 1, 0]]);
    simulator.inject(ms(7), Fault::Line(LineFault::Insert(Rate::Never, 0)));
    simulator.inject(ms(7), Fault::Line(LineFault::Double(Rate::Every(2))));
    assert_eq!(asked_version(&mut simulator, 8), [[0x93, 0, 0, 5, 1, 1, 0]]);
    simulator.inject(ms(9), Fault::Line(LineFault::Double(Rate::Never)));
    simulator.inject(ms(9), Fault::Line(LineFault::Flip(Rate::Every(1))));
    let flipped = asked_version(&mut simulator, 10).remove(0);
    for (byte, whole) in flipped.iter().zip(VERSION) {
        assert_eq!((byte ^ whole).count_ones(), 1);
    }
}

#[test]
fn chance_strikes_about_as_often_as_it_is_told_to_and_can_be_repeated() {
    let run = |seed| {
        let options = Options { seed, faults: vec!["drop=1/10".parse().unwrap()], ..Options::default() };
        let mut simulator = Simulator::new(Mono::ZERO, options);
        let mut bytes = Vec::new();
        for at in 0..400 {
            bytes.extend(asked_version(&mut simulator, at).concat());
        }
        bytes
    };
    // Of 2000 bytes about 200 are lost; the deviation is about 13.
    let lost = 2000 - run(1).len();
    assert!((140..=260).contains(&lost), "{lost}");
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn one_message_is_cut() {
    let mut simulator = board(None);
    simulator.inject(ms(0), Fault::Line(LineFault::Cut(4)));
    assert_eq!(asked_version(&mut simulator, 0), [[0x93, 0, 5, 1]]);
    assert_eq!(asked_version(&mut simulator, 1), [VERSION]);
}

#[test]
fn messages_are_late_and_keep_their_order() {
    let mut simulator = board(None);
    simulator.inject(ms(0), Fault::Line(LineFault::Late(Duration::from_millis(300))));
    assert_eq!(asked_version(&mut simulator, 0), squares(&[]));
    simulator.inject(ms(100), Fault::Line(LineFault::Late(Duration::ZERO)));
    simulator.receive(ms(100), &[0x45]);
    assert_eq!(sent(&mut simulator), squares(&[]));
    assert_eq!(simulator.poll_timeout(), Some(ms(300)));
    simulator.handle_timeout(ms(300));
    let kinds: Vec<u8> = sent(&mut simulator).iter().map(|message| message[0]).collect();
    assert_eq!(kinds, [0x93, 0x91]);
}

#[test]
fn a_frozen_board_hears_and_says_nothing() {
    let mut simulator = board(Some(plain_clock()));
    simulator.inject(ms(100), Fault::Freeze(Duration::from_secs(5)));
    assert_eq!(asked_version(&mut simulator, 200), squares(&[]));
    simulator.start(ms(300));
    simulator.lift(ms(400), sq("e2"));
    simulator.handle_timeout(ms(5099));
    assert_eq!(sent(&mut simulator), squares(&[]));
    // The clock was started at 300 ms: 4.8 s later it shows 1:29:56.
    simulator.handle_timeout(ms(5250));
    assert_eq!(
        sent(&mut simulator),
        [vec![0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x29, 0x56, 0x11], vec![0x8e, 0, 5, 0x34, 0]]
    );
    assert_eq!(asked_version(&mut simulator, 5260), [VERSION]);
}

#[test]
fn a_board_without_its_plug_says_so_to_the_shell_only() {
    let mut simulator = board(None);
    simulator.receive(ms(0), &[0x4d]);
    simulator.inject(ms(0), Fault::Unplug);
    assert!(simulator.is_unplugged());
    assert_eq!(asked_version(&mut simulator, 100), squares(&[]));
    assert_eq!(simulator.poll_timeout(), None);
    // It comes back with another position, idle, and tells no change of its own accord.
    simulator.lift(ms(200), sq("e2"));
    simulator.power_cycle(ms(1000));
    assert!(!simulator.is_unplugged());
    simulator.handle_timeout(ms(2000));
    sent(&mut simulator);
    simulator.receive(ms(2000), &[0x4b, 0x42]);
    assert_eq!(sent(&mut simulator).remove(0)[3 + 0x34], 0);
}

#[test]
fn vectors_23_and_24_times_that_are_none() {
    let mut simulator = board(Some(plain_clock()));
    simulator.inject(ms(0), Fault::NullTime);
    assert_eq!(sent(&mut simulator), [[0x8d, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0]]);
    simulator.inject(ms(0), Fault::LeftoverTime);
    for expected in [2, 1] {
        simulator.receive(ms(0), b"\x2b\x0c\x03\x0cillegal \x00\x00");
        let messages = sent(&mut simulator);
        assert_eq!(messages.len(), expected);
        if expected == 2 {
            assert_eq!(messages[1], [0x8d, 0, 0x0a, 0x0c, 8, 8, 0, 0, 0, 0]);
        }
    }
}

#[test]
fn a_log_a_bus_frame_and_a_token_out_of_nowhere() {
    let mut simulator = board(None);
    simulator.inject(ms(0), Fault::LogDump);
    assert_eq!(sent(&mut simulator).remove(0)[..3], [0x8f, 0x3e, 0x03]);
    simulator.inject(ms(0), Fault::BusFrame);
    // The address is 1: 87 + 6 + 1 = 8e.
    assert_eq!(sent(&mut simulator), [[0x87, 0, 6, 0, 1, 0x0e]]);
    simulator.inject(ms(0), "token=e4,white-wins".parse().unwrap());
    simulator.handle_timeout(ms(250));
    assert_eq!(sent(&mut simulator), squares(&[(0x24, 0x0e)]));
}

#[test]
fn a_square_flickers_for_one_scan() {
    let mut simulator = board(None);
    simulator.inject(ms(100), "flicker=e2".parse().unwrap());
    simulator.inject(ms(100), "flicker=e4".parse().unwrap());
    simulator.handle_timeout(ms(250));
    assert_eq!(sent(&mut simulator), squares(&[(0x34, 0)]));
    assert_eq!(simulator.placement()[sq("e2")], Occupant::Piece(piece('P')));
    simulator.handle_timeout(ms(500));
    assert_eq!(sent(&mut simulator), squares(&[(0x34, 1)]));
    simulator.handle_timeout(ms(5000));
    assert_eq!(sent(&mut simulator), squares(&[]));
}

#[test]
fn faults_happen_by_themselves_at_their_times() {
    let faults = ["unplug@30s", "freeze=1s@10s", "cut=4"].map(|text| text.parse().unwrap()).to_vec();
    let mut simulator = Simulator::new(ms(1000), Options { faults, ..Options::default() });
    assert_eq!(asked_version(&mut simulator, 1000), [[0x93, 0, 5, 1]]);
    assert_eq!(simulator.poll_timeout(), Some(ms(11_000)));
    assert_eq!(asked_version(&mut simulator, 11_500), squares(&[]));
    assert_eq!(asked_version(&mut simulator, 12_000), [VERSION]);
    simulator.handle_timeout(ms(30_999));
    assert!(!simulator.is_unplugged());
    simulator.handle_timeout(ms(31_000));
    assert!(simulator.is_unplugged());
}
