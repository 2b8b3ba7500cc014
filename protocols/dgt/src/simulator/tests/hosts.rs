// SPDX-License-Identifier: MIT OR Apache-2.0
//! What hosts may do to a board: too much at once, lights, and harm.

use super::*;

fn with(options: Options) -> Simulator {
    let placement = START.parse().unwrap();
    Simulator::new(Mono::ZERO, Options { placement, ..options })
}

fn kinds(simulator: &mut Simulator) -> Vec<u8> {
    sent(simulator).iter().map(|message| message[0]).collect()
}

#[test]
fn ten_bytes_of_input_wait_while_the_board_sends() {
    let mut simulator = with(Options { input_limit: Some(10), ..Options::default() });
    // The dump takes 69.8 ms. A version, then a clock command of twelve bytes: only nine of it
    // find room.
    simulator.receive(ms(0), &[0x42]);
    simulator.receive(ms(10), &[0x4d, 0x2b, 0x0a, 3, 0x0a, 1, 0x1f, 0x3a, 1, 0x1e, 0, 4, 0]);
    assert_eq!(kinds(&mut simulator), [0x86]);
    assert_eq!(simulator.lost_input(), 3);
    simulator.handle_timeout(ms(69));
    assert_eq!(kinds(&mut simulator), []);
    simulator.handle_timeout(ms(200));
    assert_eq!(kinds(&mut simulator), [0x93]);
    // What is left of the command is broken off by the pause, and swallows nothing.
    simulator.receive(ms(1000), &[0x45]);
    assert_eq!(kinds(&mut simulator), [0x91]);
}

#[test]
fn a_board_without_a_limit_loses_nothing() {
    let mut simulator = with(Options::default());
    simulator.receive(ms(0), &[0x42; 40]);
    assert_eq!(sent(&mut simulator).len(), 40);
    assert_eq!(simulator.lost_input(), 0);
}

#[test]
fn a_paced_board_waits_for_its_line() {
    let mut simulator = with(Options { paced: true, ..Options::default() });
    simulator.receive(ms(0), &[0x49, 0x4d]);
    let begins: Vec<Mono> = {
        simulator.handle_timeout(ms(9000));
        core::iter::from_fn(|| simulator.poll_transmission()).map(|(at, _)| at).collect()
    };
    // 7939 bytes of 1.0417 ms.
    assert_eq!(begins, [ms(0), Mono::from_micros(8_269_791)]);
}

#[test]
fn the_boot_loader_loses_the_board_until_it_is_switched_off() {
    for power_up in [PowerUp::Single, PowerUp::Bus] {
        let mut simulator = with(Options { power_up, ..Options::default() });
        simulator.receive(ms(0), &[0x4e]);
        assert_eq!((simulator.condition(), simulator.harmful()), (Condition::BootLoader, &[0x4e][..]));
        simulator.receive(ms(100), &[0x40, 0x4d, 0x42]);
        simulator.handle_timeout(ms(60_000));
        assert_eq!(kinds(&mut simulator), []);
        simulator.power_cycle(ms(60_000));
        simulator.receive(ms(60_100), &[0x4d]);
        assert_eq!(kinds(&mut simulator), [0x93]);
    }
}

#[test]
fn a_stored_scan_blinds_half_the_squares_for_good() {
    let mut simulator = with(Options::default());
    simulator.receive(ms(0), &[0x4b, 0x53]);
    // Only light squares are left: of the back rank b1, d1, f1 and h1.
    simulator.handle_timeout(ms(250));
    let gone = sent(&mut simulator);
    assert_eq!(gone.len(), 16);
    assert!(gone.contains(&vec![0x8e, 0, 5, 56, 0]) && !gone.contains(&vec![0x8e, 0, 5, 57, 0]));
    simulator.power_cycle(ms(1000));
    simulator.receive(ms(1000), &[0x42]);
    assert_eq!(sent(&mut simulator).remove(0)[59..], [0, 3, 0, 6, 0, 4, 0, 2]);
    simulator.receive(ms(1100), &[0x51]);
    simulator.receive(ms(2000), &[0x42]);
    assert_eq!(sent(&mut simulator).remove(0)[59..], [2, 0, 4, 0, 5, 0, 3, 0]);
    // The scan of all squares brings them back.
    simulator.receive(ms(2100), &[0x54]);
    simulator.receive(ms(3000), &[0x42]);
    assert_eq!(sent(&mut simulator).remove(0)[59..], [2, 3, 4, 6, 5, 4, 3, 2]);
    assert_eq!(simulator.harmful(), [0x53, 0x51, 0x54]);
}

#[test]
fn lights_hang_a_board_that_has_none() {
    let mut simulator = with(Options::default());
    simulator.receive(ms(0), &[0x60, 4, 1, 0x34, 0x24, 0]);
    assert_eq!((simulator.condition(), simulator.lights()), (Condition::Hung, None));
    simulator.receive(ms(1000), &[0x4d]);
    assert_eq!(kinds(&mut simulator), []);
}

fn revelation(sub: u8) -> Simulator {
    let options = Options {
        long_serial: Some(3_000_147_740),
        revelation: Some(Version { main: 3, sub }),
        ..Options::default()
    };
    let mut simulator = with(options);
    simulator.receive(ms(0), &[0x4b]);
    simulator
}

#[test]
fn vector_42_a_revelation_has_lights() {
    let mut simulator = revelation(25);
    let lit = |simulator: &Simulator| {
        simulator.lights().unwrap().on.iter().map(Square::to_string).collect::<Vec<_>>()
    };
    simulator.receive(ms(0), &[0x60, 4, 1, 0x34, 0x24, 0]);
    assert_eq!(lit(&simulator), ["e2", "e4"]);
    simulator.receive(ms(0), &[0x60, 4, 0, 0x34, 0x34, 0]);
    assert_eq!(lit(&simulator), ["e4"]);
    simulator.receive(ms(0), &[0x60, 4, 0, 0x40, 0x40, 0]);
    assert!(lit(&simulator).is_empty());
    simulator.receive(ms(0), &[0x60, 4, 1, 0x34, 0x24, 0, 0x60, 2, 0, 0]);
    assert!(lit(&simulator).is_empty());
    // A light goes out with a change of its square if that was asked for.
    simulator.receive(ms(0), &[0x60, 4, 1, 0x34, 0x24, 0, 0x60, 4, 2, 1, 1, 0]);
    simulator.lift(ms(100), sq("e2"));
    simulator.handle_timeout(ms(250));
    assert_eq!(lit(&simulator), ["e4"]);
}

#[test]
fn an_old_revelation_can_only_switch_lights_on() {
    let mut simulator = revelation(21);
    simulator.receive(ms(0), &[0x60, 4, 1, 0x34, 0x24, 0, 0x60, 4, 0, 0x40, 0x40, 0]);
    assert_eq!(simulator.lights().unwrap().on.len(), 2);
}

#[test]
fn a_revelation_tells_its_firmware_and_takes_eleven_characters() {
    let mut simulator = revelation(25);
    simulator.receive(ms(0), &[0x55]);
    let mut expected = vec![0xa2, 0, 0x0d];
    expected.extend(b"3.25147740");
    assert_eq!(sent(&mut simulator), [expected]);
    simulator.receive(ms(0), b"\x2b\x0f\x03\x0dillegal mov\x00\x00");
    assert_eq!(simulator.display().unwrap().text.as_deref(), Some("illegal mov"));
    assert_eq!(sent(&mut simulator), [[0x8d, 0, 0x0a, 0x0a, 0x10, 0x0d, 0x0a, 0, 0, 0]]);
    let mut ordinary = board(Some(ClockOptions::default()));
    ordinary.receive(ms(0), b"\x2b\x0f\x03\x0dillegal mov\x00\x00");
    assert_eq!(kinds(&mut ordinary), []);
}

#[test]
fn old_boards_leave_questions_unanswered() {
    let mut simulator = with(Options { long_serial: None, battery: None, ..Options::default() });
    simulator.receive(ms(0), &[0x55, 0x4c, 0x50, 0x52, 0x45]);
    assert_eq!(kinds(&mut simulator), [0x91]);
}

#[test]
fn a_bluetooth_board_scans_at_half_the_speed() {
    let mut simulator = with(Options { scan_period: Duration::from_millis(500), ..Options::default() });
    simulator.receive(ms(0), &[0x4b]);
    simulator.lift(ms(10), sq("e2"));
    assert_eq!(simulator.poll_timeout(), Some(ms(500)));
}
