// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boards of the family and their imitations (topic: quirks).

use super::*;

fn model(model: Model) -> Simulator {
    of(Options::of(model))
}

#[test]
fn versions_are_those_that_were_seen() {
    for (which, version) in [
        (Model::Exclusive, "v010374"),
        (Model::Performance, "v011076"),
        (Model::Supreme, "v020074"),
        (Model::EOne, "v020074"),
        (Model::Elfacun, "v010077"),
        (Model::CynusLink, "v010077"),
        (Model::Chesstimation, "v001770"),
        (Model::Centaur, "v313077"),
    ] {
        assert_eq!(ask(&mut model(which), 0, "V"), [version], "{which:?}");
    }
}

#[test]
fn a_performance_obeys_without_a_word() {
    let mut simulator = model(Model::Performance);
    assert_eq!(ask(&mut simulator, 0, &format!("L32{}", "FF".repeat(81))), [""; 0]);
    assert_eq!(simulator.lit().len(), 64);
    assert_eq!(ask(&mut simulator, 50, "X"), [""; 0]);
    assert_eq!(simulator.lights(), None);
    assert_eq!(ask(&mut simulator, 70, "W0203"), [""; 0]);
    assert_eq!(ask(&mut simulator, 90, "R02"), ["r020373"]);
}

#[test]
fn newer_boards_have_a_page_of_text() {
    let mut simulator = of(Options { information: Some("55mm".to_owned()), ..Options::of(Model::Supreme) });
    // Vector 16.
    assert_eq!(ask(&mut simulator, 0, "I00"), ["i0055mm\n63"]);
    assert!(ask(&mut model(Model::EOne), 0, "I00")[0].starts_with("i00e-one"));
    // i, F, F and the line feed: 69 and 0A.
    assert_eq!(ask(&mut model(Model::Chesstimation), 0, "I00"), ["iFF\n63"]);
}

#[test]
fn an_eone_guesses_and_goes_wrong() {
    let mut simulator = model(Model::EOne);
    assert_eq!(ask(&mut simulator, 0, "S"), [INITIAL]);
    assert_eq!(ask(&mut simulator, 20, "G"), [INITIAL.replacen('s', "g", 1).replace("NR73", "NR67")]);
    simulator.lift(ms(40), sq("e2"));
    simulator.handle_timeout(ms(90));
    assert_eq!(ask(&mut simulator, 90, "S"), [E2_LIFTED]);
    simulator.place(ms(110), sq("e4"), piece('P'));
    simulator.handle_timeout(ms(170));
    assert_eq!(ask(&mut simulator, 170, "S"), [E2_E4]);
    // A queen in its place is not noticed, nor are two pieces that change places unseen.
    simulator.place(ms(200), sq("e4"), piece('Q'));
    simulator.handle_timeout(ms(250));
    assert_eq!(ask(&mut simulator, 250, "S"), [E2_E4]);
}

#[test]
fn an_eone_that_never_saw_the_initial_position_knows_no_piece() {
    let placement = "8/8/8/8/8/8/8/K6k".parse().unwrap();
    let mut simulator = Simulator::new(ms(0), Options { placement, ..Options::of(Model::EOne) });
    simulator.inject(ms(0), fault("register=02,01"));
    let unknown = format!("s{}?......?73", ".".repeat(56));
    assert_eq!(ask(&mut simulator, 0, "S"), [unknown]);
}

#[test]
fn an_eone_can_be_turned_round_by_its_register() {
    let mut simulator = model(Model::EOne);
    simulator.inject(ms(0), fault("register=06,01"));
    // Vector 18.
    let turned = "sRNBKQBNRPPPPPPPP................................pppppppprnbkqbnr73";
    assert_eq!(ask(&mut simulator, 0, "S"), [turned]);
}

/// Lifts or sets what is named, and asks after the next scan.
fn then(simulator: &mut Simulator, millis: u64, act: &str) -> String {
    let square = sq(&act[..2]);
    match act[2..].chars().next() {
        Some(letter) => simulator.place(ms(millis), square, piece(letter)),
        None => _ = simulator.lift(ms(millis), square),
    }
    simulator.handle_timeout(ms(millis + 50));
    ask(simulator, millis + 50, "S").remove(0)
}

#[test]
fn an_eone_that_turns_itself_round_does_so_when_black_seems_to_begin() {
    let mut simulator = model(Model::EOne);
    simulator.inject(ms(0), fault("register=06,04"));
    assert_eq!(then(&mut simulator, 100, "e2"), E2_LIFTED);
    assert_eq!(then(&mut simulator, 200, "e2P"), INITIAL);
    // e7 is where it now takes d2 to be: letter 51 after the `s`; a pawn less is 50 XOR 2E less.
    let d2_lifted = "srnbqkbnrpppppppp................................PPP.PPPPRNBQKBNR0D";
    assert_eq!(then(&mut simulator, 300, "e7"), d2_lifted);
    assert_eq!(ask(&mut simulator, 400, "R06"), ["r060571"]);
    let d4 = "srnbqkbnrpppppppp...................P............PPP.PPPPRNBQKBNR73";
    assert_eq!(then(&mut simulator, 500, "e5p"), d4);
    // It does not turn in the middle of a game.
    assert_eq!(
        then(&mut simulator, 600, "e2"),
        "srnbqkbnrppp.pppp...................P............PPP.PPPPRNBQKBNR2D"
    );
    assert_eq!(ask(&mut simulator, 700, "R06"), ["r060571"]);
}

#[test]
fn an_eone_that_does_not_turn_itself_round_keeps_its_squares() {
    let mut simulator = model(Model::EOne);
    let e7_lifted = "srnbqkbnrpppp.ppp................................PPPPPPPPRNBQKBNR2D";
    assert_eq!(then(&mut simulator, 100, "e7"), e7_lifted);
    assert_eq!(ask(&mut simulator, 200, "R06"), ["r060074"]);
}

#[test]
fn an_eone_with_rules_hides_what_is_against_them() {
    let mut simulator = model(Model::EOne);
    simulator.inject(ms(0), fault("register=06,20"));
    assert_eq!(then(&mut simulator, 100, "e2"), E2_LIFTED);
    // No pawn goes to e5, so it has never left.
    assert_eq!(then(&mut simulator, 200, "e5P"), INITIAL);
    assert_eq!(ask(&mut simulator, 300, "R06"), ["r062274"]);
    assert_eq!(then(&mut simulator, 400, "e5"), E2_LIFTED);
    assert_eq!(then(&mut simulator, 500, "e4P"), E2_E4);
    assert_eq!(ask(&mut simulator, 600, "R06"), ["r062076"]);
    // Without rules it is told.
    simulator.inject(ms(700), fault("register=06,00"));
    assert_eq!(then(&mut simulator, 800, "e4"), E2_LIFTED);
    let e5 = "srnbqkbnrpppppppp............P...................PPPP.PPPRNBQKBNR73";
    assert_eq!(then(&mut simulator, 900, "e5P"), e5);
}

#[test]
fn an_eone_with_rules_lets_pieces_of_both_go_their_ways() {
    let mut simulator = model(Model::EOne);
    simulator.inject(ms(0), fault("register=06,20"));
    let acts = ["e2", "e4P", "d7", "d5p", "d5", "e4", "d5P", "d5", "d8", "d5q", "g1", "f3N", "d5", "a5q"];
    for (at, act) in (1..).zip(acts) {
        _ = then(&mut simulator, 100 * at, act);
        assert_eq!(ask(&mut simulator, 100 * at + 70, "R06"), ["r062076"], "{act}");
    }
    // A rook that goes like a knight.
    _ = then(&mut simulator, 2000, "a8");
    _ = then(&mut simulator, 2100, "b6r");
    assert_eq!(ask(&mut simulator, 2200, "R06"), ["r062274"]);
}

#[test]
fn imitations_have_their_ways() {
    let mut elfacun = model(Model::Elfacun);
    assert_eq!(ask(&mut elfacun, 0, "X"), ["x78"]);
    elfacun.inject(ms(20), fault("register=02,00"));
    assert_eq!(ask(&mut elfacun, 20, "X"), [INITIAL]);
    elfacun.inject(ms(40), fault("register=02,01"));
    assert_eq!(ask(&mut elfacun, 40, "R01"), ["r011E07"]);
    let mut chesstimation = model(Model::Chesstimation);
    assert_eq!(ask(&mut chesstimation, 0, "R05"), [""; 0]);
    chesstimation.inject(ms(20), fault("register=02,00"));
    assert_eq!(by(&mut chesstimation, ms(1000)), [""; 0]);
    chesstimation.lift(ms(1000), sq("e2"));
    assert_eq!(by(&mut chesstimation, ms(2000)), [E2_LIFTED]);
    let mut centaur = model(Model::Centaur);
    assert_eq!(ask(&mut centaur, 0, "R01"), ["r021475"]);
    centaur.receive(ms(20), &command("T"));
    assert_eq!(sent(&mut centaur), ["t74"]);
    // A board without parity does not look at the host's.
    let mut centaur = model(Model::Centaur);
    centaur.receive(ms(0), b"V56");
    assert_eq!(by(&mut centaur, ms(10)), ["v313077"]);
}
