// SPDX-License-Identifier: MIT OR Apache-2.0
//! When statuses are sent (topic: registers), and what they say (topic: sequences).

use super::*;

#[test]
fn every_scan_is_reported_at_its_time() {
    let mut simulator = reporting(0);
    assert_eq!(simulator.poll_timeout(), Some(us(40_960)));
    assert_eq!(by(&mut simulator, us(40_959)), [""; 0]);
    assert_eq!(by(&mut simulator, us(40_960)), [INITIAL]);
    // 24.4 of them in a second.
    assert_eq!(by(&mut simulator, ms(1000)).len(), 23);
    // The fastest scan, and a value below it, for which the board takes that of the factory.
    simulator.inject(ms(1000), fault("register=01,0f"));
    assert_eq!(simulator.poll_timeout(), Some(us(1_030_720)));
    simulator.inject(ms(1000), fault("register=01,0e"));
    assert_eq!(simulator.poll_timeout(), Some(us(1_040_960)));
    simulator.inject(ms(1000), fault("register=01,ff"));
    assert_eq!(simulator.poll_timeout(), Some(us(1_522_240)));
}

#[test]
fn what_hands_do_is_seen_by_the_next_scan() {
    let mut simulator = board();
    simulator.lift(ms(41), sq("e2"));
    assert_eq!(ask(&mut simulator, 50, "S"), [INITIAL]);
    assert_eq!(ask(&mut simulator, 82, "S"), [E2_LIFTED]);
    simulator.place(ms(100), sq("e4"), piece('P'));
    assert_eq!(ask(&mut simulator, 130, "S"), [E2_E4]);
}

#[test]
fn nothing_is_reported_and_nothing_wakes_the_board_where_reports_are_off() {
    let mut simulator = reporting(1);
    simulator.lift(ms(0), sq("e2"));
    assert_eq!(by(&mut simulator, ms(10_000)), [""; 0]);
    assert_eq!(simulator.poll_timeout(), None);
}

#[test]
fn timed_reports_come_in_the_period_of_register_03() {
    let mut simulator = reporting(2);
    simulator.inject(ms(0), fault("register=03,64"));
    // 100 times 4.096 ms.
    assert_eq!(simulator.poll_timeout(), Some(us(409_600)));
    assert_eq!(by(&mut simulator, us(409_600)), [INITIAL]);
    simulator.lift(ms(500), sq("e2"));
    assert_eq!(by(&mut simulator, us(819_199)), [""; 0]);
    assert_eq!(by(&mut simulator, us(819_200)), [E2_LIFTED]);
}

#[test]
fn changes_are_reported_when_enough_scans_agree() {
    for (mode, scans) in [(3, 1), (4, 2), (5, 3), (6, 4), (7, 5)] {
        let mut simulator = reporting(mode);
        assert_eq!(by(&mut simulator, ms(1000)), [""; 0]);
        assert_eq!(simulator.poll_timeout(), None);
        // Scans at 1024 ms and every 40.96 ms from there on.
        simulator.lift(ms(1000), sq("e2"));
        let told = us(1_024_000 + 40_960 * (scans - 1));
        assert_eq!(by(&mut simulator, told.before(Duration::from_micros(1))), [""; 0], "mode {mode}");
        assert_eq!(by(&mut simulator, told), [E2_LIFTED], "mode {mode}");
        assert_eq!(by(&mut simulator, ms(3000)), [""; 0], "mode {mode}");
    }
}

#[test]
fn a_short_touch_is_hidden_by_debouncing_only() {
    let touch = |mode| {
        let mut simulator = reporting(mode);
        let pawn = simulator.lift(ms(1000), sq("e2"));
        // Seen by the scans at 1024 and 1064.96 ms.
        simulator.replace(ms(1100), sq("e2"), pawn);
        by(&mut simulator, ms(2000))
    };
    assert_eq!(touch(3), [E2_LIFTED, INITIAL]);
    assert_eq!(touch(4), [E2_LIFTED, INITIAL]);
    assert_eq!(touch(5), [""; 0]);
    assert_eq!(touch(7), [""; 0]);
}

/// The sequences of the description, on both sides of the cable.
#[test]
fn sequences_are_told_as_described() {
    let sequences: [(&str, &[&str]); 4] = [
        // A capture with the captured piece removed first.
        (
            "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR",
            &[
                "-d5 rnbqkbnrppp.pppp....................P...........PPPP.PPPRNBQKBNR2D",
                "-e4 rnbqkbnrppp.pppp................................PPPP.PPPRNBQKBNR53",
                "Pd5 rnbqkbnrppp.pppp...........P....................PPPP.PPPRNBQKBNR2D",
            ],
        ),
        // The same with the capturing piece pushed in.
        (
            "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR",
            &[
                "-e4 rnbqkbnrppp.pppp...........p....................PPPP.PPPRNBQKBNR0D",
                "Pd5 rnbqkbnrppp.pppp...........P....................PPPP.PPPRNBQKBNR2D",
            ],
        ),
        // Castling, king first.
        (
            "4k3/8/8/8/8/8/8/4K2R",
            &[
                "-e1 ....k..........................................................R4A",
                "Kg1 ....k.........................................................KR2F",
                "-h1 ....k.........................................................K.53",
                "Rf1 ....k........................................................RK.2F",
            ],
        ),
        // A promotion, the pawn replaced afterwards.
        (
            "4k3/P7/8/8/8/8/8/4K3",
            &[
                "-a7 ....k.......................................................K...53",
                "Pa8 P...k.......................................................K...2D",
                "-a8 ....k.......................................................K...53",
                "Qa8 Q...k.......................................................K...2C",
            ],
        ),
    ];
    for (start, steps) in sequences {
        for cable in [Cable::Left, Cable::Right] {
            let options = Options { placement: start.parse().unwrap(), cable, ..Options::default() };
            let mut simulator = Simulator::new(ms(0), options);
            simulator.inject(ms(0), fault("register=02,03"));
            for (number, step) in (1u64..).zip(steps) {
                let (act, told) = step.split_once(' ').unwrap();
                let (letter, square) = act.split_at(1);
                let occupant = match letter {
                    "-" => Occupant::Empty,
                    letter => Occupant::Piece(piece(letter.chars().next().unwrap())),
                };
                simulator.replace(ms(100 * number), sq(square), occupant);
                let (squares, digits) = told.split_at(64);
                let squares: String = match cable {
                    Cable::Left => squares.to_owned(),
                    Cable::Right => squares.chars().rev().collect(),
                };
                // The order of the squares does not change their sum.
                let said = by(&mut simulator, ms(100 * number + 50));
                assert_eq!(said, [format!("s{squares}{digits}")], "{step}");
            }
        }
    }
}

#[test]
fn a_paced_line_takes_its_time() {
    let mut simulator = of(Options { paced: true, ..Options::default() });
    simulator.inject(ms(0), fault("register=02,00"));
    simulator.receive(ms(40), &command("V"));
    // The status of 40.96 ms begins at once; 67 characters take 17.4 ms, then comes the answer.
    assert_eq!(by(&mut simulator, us(40_960)), [INITIAL]);
    assert_eq!(by(&mut simulator, us(58_000)), [""; 0]);
    assert_eq!(by(&mut simulator, us(58_500)), ["v010374"]);
}
