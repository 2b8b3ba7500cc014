// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands, their answers and what they leave behind.

use super::*;
use crate::host::Harm;

#[test]
fn the_answers_are_those_of_the_vectors() {
    let mut simulator = board();
    for (at, text, answer) in [
        (0, "V", "v010374"),
        (20, "S", INITIAL),
        (40, "X", "x78"),
        (60, "W0203", "w020376"),
        (80, "W0200", "w020075"),
        (100, "R02", "r020070"),
        (120, "R01", "r011476"),
    ] {
        simulator.inject(ms(at), fault("register=02,01"));
        if text == "R02" {
            simulator.inject(ms(at), fault("register=02,00"));
        }
        assert_eq!(ask(&mut simulator, at, text), [answer], "{text}");
    }
    // Nothing known answers a page or a dump.
    simulator.inject(ms(140), fault("register=02,01"));
    assert_eq!(ask(&mut simulator, 140, "I00"), [""; 0]);
    assert_eq!(ask(&mut simulator, 160, "G"), [""; 0]);
}

#[test]
fn bytes_have_odd_parity() {
    let mut simulator = board();
    simulator.receive(ms(0), &[0xd6, 0xb5, 0xb6]);
    simulator.handle_timeout(ms(1));
    assert_eq!(simulator.poll_transmit(), Some(vec![0x76, 0xb0, 0x31, 0xb0, 0xb3, 0x37, 0x34]));
    simulator.receive(ms(2), &[0x58, 0xb5, 0x38]);
    simulator.handle_timeout(ms(3));
    assert_eq!(simulator.poll_transmit(), Some(vec![0xf8, 0x37, 0x38]));
}

#[test]
fn a_cable_on_the_right_turns_the_status_round() {
    let mut simulator = of(Options { cable: Cable::Right, ..Options::default() });
    simulator.lift(ms(0), sq("e2"));
    simulator.place(ms(0), sq("e4"), piece('P'));
    simulator.handle_timeout(ms(50));
    // Vector 21.
    let turned = "sRNBKQBNRPPP.PPPP...........P....................pppppppprnbkqbnr73";
    assert_eq!(ask(&mut simulator, 50, "S"), [turned]);
}

#[test]
fn wrong_parities_give_silence() {
    let mut simulator = board();
    for (at, bytes) in [(0, [0x56, 0xb5, 0xb6]), (20, [0xd6, 0xb5, 0x37]), (40, [0xd6, 0xb5, 0x58])] {
        simulator.receive(ms(at), &bytes);
        assert_eq!(by(&mut simulator, ms(at + 10)), [""; 0]);
    }
    simulator.receive(ms(60), &[0xb5, 0x38]);
    assert_eq!(by(&mut simulator, ms(70)), ["x78"]);
    assert_eq!(
        simulator.misuses(),
        [Misuse::BadParity(b'V'), Misuse::BadCheck(b'V'), Misuse::Broken(vec![0xd6, 0xb5])]
    );
    assert_eq!(simulator.obeyed(), 1);
}

#[test]
fn a_command_before_the_answer_is_lost() {
    let mut simulator = board();
    simulator.inject(ms(0), fault("slow=300ms"));
    simulator.receive(ms(0), &command("V"));
    simulator.receive(ms(299), &command("X"));
    assert_eq!(by(&mut simulator, ms(300)), [""; 0]);
    assert_eq!(by(&mut simulator, ms(301)), ["v010374"]);
    assert_eq!(simulator.misuses(), [Misuse::Hasty(b'X')]);
}

#[test]
fn lights_are_set_and_put_out() {
    let mut simulator = board();
    // Vector 23: the corners of e2 and e4, so those of e3 too.
    // LEDs 41 to 44 and 50 to 53 in the vector: four and four with five between.
    let lights = format!("L32{}FFFFFFFF{}FFFFFFFF{}", "00".repeat(40), "00".repeat(5), "00".repeat(28));
    assert_eq!(lights.len(), 165);
    assert_eq!(ask(&mut simulator, 0, &lights), ["l6C"]);
    assert_eq!(simulator.lit(), [sq("e2"), sq("e3"), sq("e4")]);
    assert_eq!(simulator.lights().unwrap().slot(), 0x32);
    assert_eq!(ask(&mut simulator, 60, "X"), ["x78"]);
    assert_eq!((simulator.lights(), simulator.lit()), (None, vec![]));
}

#[test]
fn registers_survive_and_each_writing_is_counted() {
    let mut simulator = board();
    assert_eq!(ask(&mut simulator, 0, "W011E"), ["w011E02"]);
    assert_eq!(ask(&mut simulator, 20, "W011E"), ["w011E02"]);
    assert_eq!(ask(&mut simulator, 40, "WFF5A"), ["wFF5A03"]);
    assert_eq!((simulator.registers().writes(), simulator.registers().value(0xff)), (3, 0x5a));
    assert_eq!(simulator.misuses(), [Misuse::NeedlessWrite(1)]);
    simulator.power_cycle(ms(60));
    assert_eq!(ask(&mut simulator, 60, "R01"), ["r011E07"]);
    assert_eq!(simulator.registers().writes(), 3);
}

#[test]
fn what_harms_is_remembered() {
    let mut simulator = board();
    let harmful = |harm, letter, values: &[u8]| Misuse::Harmful { harm, letter, values: values.to_vec() };
    for (at, text) in [(0, "W0130"), (20, "W0207"), (40, "W0701")] {
        ask(&mut simulator, at, text);
    }
    simulator.receive(ms(60), b"M");
    assert_eq!(
        simulator.misuses(),
        [
            harmful(Harm::HidesTouches, b'W', &[1, 0x30]),
            harmful(Harm::HidesTouches, b'W', &[2, 7]),
            harmful(Harm::Undescribed, b'W', &[7, 1]),
            Misuse::Unknown(b'M'),
        ]
    );
}

#[test]
fn without_block_parity_commands_are_bare() {
    let mut simulator = board();
    assert_eq!(ask(&mut simulator, 0, "W0001"), ["w000176"]);
    assert!(matches!(simulator.misuses(), [Misuse::Harmful { harm: Harm::NoBlockParity, .. }]));
    simulator.receive(ms(20), &[0xd6]);
    assert_eq!(by(&mut simulator, ms(30)), ["v010374"]);
    let quirks = Quirks { bare_answers: true, ..Quirks::default() };
    let mut simulator = of(Options { quirks, ..Options::default() });
    ask(&mut simulator, 0, "W0001");
    simulator.receive(ms(20), &[0xd6]);
    assert_eq!(by(&mut simulator, ms(30)), ["v0103"]);
}

#[test]
fn a_restart_is_three_seconds_of_silence_and_an_empty_status() {
    let mut simulator = reporting(0);
    let lights = format!("L32{}", "FF".repeat(81));
    ask(&mut simulator, 0, &lights);
    by(&mut simulator, ms(99));
    simulator.receive(ms(100), &command("T"));
    simulator.receive(ms(200), &command("V"));
    assert_eq!(by(&mut simulator, ms(3099)), [""; 0]);
    assert_eq!(simulator.poll_timeout(), Some(ms(3100)));
    assert_eq!(by(&mut simulator, ms(3100)), [EMPTY]);
    assert_eq!(simulator.lights(), None);
    assert_eq!(by(&mut simulator, us(3_140_960)), [INITIAL]);
}
