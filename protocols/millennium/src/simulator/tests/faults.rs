// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults, each as the host sees it.

use super::*;

#[test]
fn answers_are_late_lost_or_never_given_while_statuses_go_on() {
    let mut simulator = board();
    simulator.inject(ms(0), fault("no-answer=1"));
    assert_eq!(ask(&mut simulator, 0, "V"), [""; 0]);
    assert_eq!(ask(&mut simulator, 20, "V"), ["v010374"]);
    simulator.inject(ms(40), fault("deaf=V"));
    assert_eq!(ask(&mut simulator, 40, "V"), [""; 0]);
    assert_eq!(ask(&mut simulator, 60, "X"), ["x78"]);
    simulator.inject(ms(80), fault("deaf=none"));
    simulator.inject(ms(80), fault("slow=100ms"));
    simulator.inject(ms(80), fault("register=02,00"));
    simulator.receive(ms(80), &command("V"));
    assert_eq!(by(&mut simulator, ms(190)), [INITIAL, INITIAL, "v010374"]);
}

#[test]
fn a_status_comes_between_a_command_and_its_answer() {
    let mut simulator = board();
    simulator.inject(ms(0), fault("status-first=on"));
    assert_eq!(ask(&mut simulator, 0, "R01"), [INITIAL, "r011476"]);
    simulator.inject(ms(20), fault("status-first=off"));
    assert_eq!(ask(&mut simulator, 20, "R01"), ["r011476"]);
}

#[test]
fn two_scans_are_spliced_and_the_check_fits() {
    let mut simulator = reporting(3);
    assert_eq!(ask(&mut simulator, 0, "S"), [INITIAL]);
    simulator.inject(ms(20), fault("splice=32"));
    // Nothing new to mix.
    assert_eq!(ask(&mut simulator, 20, "S"), [INITIAL]);
    simulator.replace(ms(40), sq("e7"), Occupant::Empty);
    simulator.replace(ms(40), sq("e5"), Occupant::Piece(piece('p')));
    simulator.lift(ms(40), sq("e2"));
    simulator.place(ms(40), sq("e4"), piece('P'));
    // The upper half of the board as it was, the lower as it is.
    assert_eq!(by(&mut simulator, ms(50)), [E2_E4]);
    let whole = "srnbqkbnrpppp.ppp............p.......P...........PPPP.PPPRNBQKBNR73";
    assert_eq!(ask(&mut simulator, 90, "S"), [whole]);
}

#[test]
fn check_digits_are_wrong_once_or_lower_case() {
    let mut simulator = board();
    simulator.inject(ms(0), fault("bad-check"));
    assert_eq!(ask(&mut simulator, 0, "V"), ["v010370"]);
    assert_eq!(ask(&mut simulator, 20, "V"), ["v010374"]);
    simulator.inject(ms(40), fault("lower-case=on"));
    simulator.lift(ms(40), sq("e2"));
    simulator.handle_timeout(ms(90));
    // Vector 37.
    assert_eq!(ask(&mut simulator, 90, "S"), [E2_LIFTED.replace("0D", "0d")]);
    simulator.receive(ms(110), &command("X"));
    simulator.handle_timeout(ms(120));
    assert_eq!(simulator.poll_transmit(), Some(vec![0xf8, 0x37, 0x38]));
}

#[test]
fn parity_goes_and_comes_back() {
    let mut simulator = board();
    simulator.inject(ms(0), fault("parity=off"));
    simulator.receive(ms(0), &command("V"));
    simulator.handle_timeout(ms(10));
    assert_eq!(simulator.poll_transmit().as_deref(), Some(&b"v010374"[..]));
    simulator.inject(ms(20), fault("parity=on"));
    simulator.receive(ms(20), &command("V"));
    simulator.handle_timeout(ms(30));
    assert_eq!(simulator.poll_transmit(), Some(vec![0x76, 0xb0, 0x31, 0xb0, 0xb3, 0x37, 0x34]));
}

#[test]
fn an_echo_gives_the_host_its_own_bytes() {
    let mut simulator = board();
    simulator.inject(ms(0), fault("echo=on"));
    simulator.receive(ms(0), &[0xd3, 0xb5, 0xb3]);
    assert_eq!(simulator.poll_transmit(), Some(vec![0xd3, 0xb5, 0xb3]));
    assert_eq!(by(&mut simulator, ms(10)), [INITIAL]);
}

#[test]
fn squares_flicker_are_misread_and_stick() {
    let mut simulator = reporting(3);
    simulator.inject(ms(0), fault("flicker=e2"));
    assert_eq!(by(&mut simulator, ms(200)), [E2_LIFTED, INITIAL]);
    // Nothing flickers on an empty square.
    simulator.inject(ms(200), fault("flicker=e4"));
    assert_eq!(by(&mut simulator, ms(400)), [""; 0]);
    // Vector 22, and the other letter that nobody has described.
    simulator.inject(ms(400), fault("read=e1,?"));
    let unknown = INITIAL.replace("RNBQKBNR73", "RNBQ?BNR07");
    assert_eq!(by(&mut simulator, ms(500)), [unknown]);
    simulator.inject(ms(500), fault("read=e1,O"));
    // 73 and the sum of K and O, 4B and 4F.
    let unknown = INITIAL.replace("RNBQKBNR73", "RNBQOBNR77");
    assert_eq!(by(&mut simulator, ms(600)), [unknown]);
    simulator.inject(ms(600), fault("free=e1"));
    assert_eq!(by(&mut simulator, ms(700)), [INITIAL]);
    simulator.inject(ms(700), fault("stuck=e2"));
    simulator.lift(ms(700), sq("e2"));
    assert_eq!(by(&mut simulator, ms(800)), [""; 0]);
    simulator.inject(ms(800), fault("free=e2"));
    assert_eq!(by(&mut simulator, ms(900)), [E2_LIFTED]);
}

#[test]
fn what_is_no_piece_is_read_as_unknown() {
    let mut simulator = reporting(3);
    simulator.replace(ms(0), sq("e1"), Occupant::Unidentified);
    assert_eq!(by(&mut simulator, ms(100)), [INITIAL.replace("RNBQKBNR73", "RNBQ?BNR07")]);
}

#[test]
fn a_frozen_board_goes_on_a_hung_one_does_not() {
    let mut simulator = reporting(0);
    simulator.inject(ms(10), fault("freeze=5s"));
    simulator.receive(ms(20), &command("V"));
    assert_eq!(by(&mut simulator, ms(5009)), [""; 0]);
    // The scan that was due happens at its next time.
    assert_eq!(by(&mut simulator, us(5_038_080)), [INITIAL]);
    simulator.inject(ms(5050), fault("hang"));
    simulator.receive(ms(5060), &command("V"));
    assert_eq!((by(&mut simulator, ms(9000)), simulator.poll_timeout()), (vec![], None));
    assert_eq!(simulator.condition(), Condition::Hung);
    simulator.power_cycle(ms(9000));
    assert_eq!(by(&mut simulator, us(9_040_960)), [INITIAL]);
}

#[test]
fn an_unplugged_board_says_nothing_until_it_is_plugged_in() {
    let options = Options { faults: vec!["unplug@1s".parse().unwrap()], ..Options::default() };
    let mut simulator = of(options);
    assert_eq!(ask(&mut simulator, 900, "V"), ["v010374"]);
    simulator.receive(ms(999), &command("V"));
    assert_eq!(by(&mut simulator, ms(1000)), [""; 0]);
    assert!(simulator.is_unplugged());
    simulator.power_cycle(ms(2000));
    assert_eq!(ask(&mut simulator, 2000, "V"), ["v010374"]);
}

#[test]
fn what_another_program_left_is_there_and_was_not_written_by_this_host() {
    let options = Options {
        faults: vec!["register=01,30".parse().unwrap(), "register=02,07".parse().unwrap()],
        placement: START.parse().unwrap(),
        ..Options::default()
    };
    let mut simulator = Simulator::new(ms(0), options);
    assert_eq!(simulator.registers().writes(), 0);
    assert_eq!(ask(&mut simulator, 0, "R01"), ["r013070"]);
    simulator.lift(ms(100), sq("e2"));
    // Five scans of 98.3 ms.
    assert_eq!(by(&mut simulator, us(5 * 98_304)), [""; 0]);
    assert_eq!(by(&mut simulator, us(6 * 98_304)), [E2_LIFTED]);
}

#[test]
fn bytes_are_lost_upon_the_line() {
    let mut simulator = board();
    simulator.inject(ms(0), fault("drop=every:4"));
    assert_eq!(ask(&mut simulator, 0, "V"), ["v01374"]);
    simulator.inject(ms(20), fault("drop=never"));
    simulator.inject(ms(20), fault("cut=4"));
    assert_eq!(ask(&mut simulator, 20, "V"), ["v010"]);
    assert_eq!(ask(&mut simulator, 40, "V"), ["v010374"]);
}
