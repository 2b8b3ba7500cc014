// SPDX-License-Identifier: MIT OR Apache-2.0
//! What hands do, and what of it is told when: first that it was seen, then what is borne out.

use arbiterd_board::simulator::Device;
use arbiterd_board::{
    AckOutcome, Channel, Driver, Mono, Occupant, Placement, ReportBody, Request, Square, Stamp,
};
use arbiterd_millennium::wire::Cable;
use arbiterd_millennium::{Message, Transport, encode};
use core::time::Duration;

use crate::board::{Board, status};
use crate::table::{AFTER_E4, AFTER_E5, E2_LIFTED, START, Table, board, fen, ms, scan, sq, square};

/// A status on the line.
const LINE: Duration = Duration::from_micros(17_447);
/// A scan, two statuses that are still on the line, the status itself and USB.
const AGE: Duration = Duration::from_micros(40_960 + 3 * 17_447 + 16_000);

/// The board shows each of these for so many scans.
fn show(table: &mut Table, scans: u32, placements: &[&str]) {
    for text in placements {
        table.board.placement = fen(text);
        for _ in 0..scans {
            let next = table.board.poll_timeout().unwrap();
            table.run_until(next.as_micros().div_ceil(1000));
        }
    }
}

#[test]
fn a_change_is_seen_at_once_and_told_when_it_is_seen_twice() {
    let mut table = Table::running();
    table.forget();
    show(&mut table, 1, &[E2_LIFTED]);
    assert_eq!(table.observed(), [scan(E2_LIFTED)]);
    show(&mut table, 1, &[E2_LIFTED]);
    assert_eq!(table.observed(), [scan(E2_LIFTED), square("e2", '.')]);
    assert_eq!(table.bodies().last(), Some(&board(E2_LIFTED)));
}

#[test]
fn a_stamp_reaches_from_the_last_status_that_another_agreed_with_to_the_first_that_saw_it() {
    let mut table = Table::running();
    table.forget();
    show(&mut table, 2, &[START]);
    show(&mut table, 2, &[E2_LIFTED]);
    let [before, _, first, second] = table.statuses()[..] else { panic!("{:?}", table.statuses()) };
    let [lift] = &table.squares()[..] else { panic!("{:?}", table.squares()) };
    assert_eq!(lift.at, Stamp { earliest: before.before(AGE), latest: first });
    assert!(second > first);
    // What was only seen is stamped with its own arrival.
    let seen = table.reports.iter().find(|r| r.body == scan(E2_LIFTED)).unwrap();
    assert_eq!(seen.at, Stamp::received(first, AGE));
}

#[test]
fn a_touch_that_one_scan_sees_is_kept_and_moves_nothing() {
    let mut table = Table::running();
    table.forget();
    show(&mut table, 1, &[E2_LIFTED]);
    show(&mut table, 3, &[START]);
    assert_eq!(table.observed(), [scan(E2_LIFTED), scan(START)]);
    assert_eq!(table.boards(), [START]);
}

#[test]
fn squares_that_change_together_are_told_together_lifts_first() {
    let mut table = Table::running();
    table.forget();
    show(&mut table, 2, &[AFTER_E5]);
    let bodies: Vec<_> = table.squares().iter().map(|r| r.body.clone()).collect();
    assert_eq!(bodies, [square("e2", '.'), square("e7", '.'), square("e4", 'P'), square("e5", 'p')]);
    let stamps: Vec<_> = table.squares().iter().map(|r| r.at).collect();
    assert!(stamps.iter().all(|at| *at == stamps[0]));
}

#[test]
fn a_slide_leaves_its_transient_as_evidence_only() {
    let mut table = Table::running();
    table.forget();
    let on_e3 = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR";
    show(&mut table, 1, &[on_e3]);
    show(&mut table, 2, &[AFTER_E4]);
    assert_eq!(table.observed(), [scan(on_e3), scan(AFTER_E4), square("e2", '.'), square("e4", 'P')]);
}

#[test]
fn a_pushed_capture_is_one_square() {
    let mut table = Table::running();
    let before = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR";
    show(&mut table, 5, &[before]);
    table.forget();
    show(
        &mut table,
        2,
        &["rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPP1PPP/RNBQKBNR", "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR"],
    );
    let bodies: Vec<_> = table.squares().iter().map(|r| r.body.clone()).collect();
    assert_eq!(bodies, [square("e4", '.'), square("d5", 'P')]);
}

#[test]
fn a_square_that_flickers_does_not_hold_up_the_others() {
    let mut table = Table::running();
    table.forget();
    // h8 reads rook and knight in turns while e2 is lifted.
    let other = "rnbqkbnn/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
    show(&mut table, 1, &[E2_LIFTED, other, E2_LIFTED]);
    let bodies: Vec<_> = table.squares().iter().map(|r| r.body.clone()).collect();
    assert_eq!(bodies, [square("e2", '.')]);
}

fn disturbed(name: &str, on: bool) -> ReportBody {
    ReportBody::Disturbed { square: sq(name), disturbed: on }
}

#[test]
fn a_disturbed_square_is_named_until_it_is_calm_and_told_all_the_same() {
    let mut table = Table::running();
    table.forget();
    // Three alternations in a second, each borne out.
    show(&mut table, 2, &[E2_LIFTED, START]);
    assert!(!table.bodies().contains(&disturbed("e2", true)));
    show(&mut table, 2, &[E2_LIFTED]);
    let begun = table.now;
    let told: Vec<_> = table.bodies().into_iter().filter(|b| !matches!(b, ReportBody::Scan { .. })).collect();
    assert_eq!(
        told,
        [
            square("e2", '.'),
            board(E2_LIFTED),
            square("e2", 'P'),
            board(START),
            disturbed("e2", true),
            square("e2", '.'),
            board(E2_LIFTED)
        ]
    );
    // A second after its last change it is calm.
    table.forget();
    table.run_until(begun.as_micros() / 1000 + 1100);
    let told: Vec<_> = table.bodies();
    assert_eq!(told, [disturbed("e2", false), board(E2_LIFTED)]);
}

#[test]
fn a_square_that_reads_otherwise_scan_by_scan_is_disturbed_and_named_every_second() {
    let mut table = Table::running();
    table.forget();
    for _ in 0..40 {
        show(&mut table, 1, &[E2_LIFTED, START]);
    }
    // 80 scans of 41 ms: named at the sixth, and a second later, and two, and three.
    assert_eq!(table.bodies().iter().filter(|b| **b == disturbed("e2", true)).count(), 4);
    assert_eq!(table.squares(), [], "nothing was borne out");
    assert_eq!(table.observed().len(), 80, "and every scan is evidence");
}

#[test]
fn what_bounces_when_it_is_lifted_is_told_as_soon_as_it_is_borne_out_with_its_doubt() {
    let mut table = Table::running();
    table.forget();
    show(&mut table, 2, &[START]);
    let steady = table.statuses()[0];
    show(&mut table, 1, &[E2_LIFTED, START, E2_LIFTED]);
    let first = *table.statuses().last().unwrap();
    show(&mut table, 1, &[E2_LIFTED]);
    let [lift] = &table.squares()[..] else { panic!("{:?}", table.squares()) };
    assert_eq!(lift.at, Stamp { earliest: steady.before(AGE), latest: first });
    assert!(!table.bodies().contains(&disturbed("e2", true)));
}

#[test]
fn a_change_elsewhere_keeps_its_place_beside_a_disturbed_square() {
    let mut table = Table::running();
    table.forget();
    show(&mut table, 2, &[E2_LIFTED, START, E2_LIFTED]);
    let other = "rnbqkbnr/pppppppp/8/8/8/8/PPP11PPP/RNBQKBNR";
    show(&mut table, 2, &[other]);
    let bodies: Vec<_> = table.squares().iter().map(|r| r.body.clone()).collect();
    assert_eq!(bodies, [square("e2", '.'), square("e2", 'P'), square("e2", '.'), square("d2", '.')]);
}

/// The reader of the port was held up while hands moved.
#[test]
fn statuses_that_are_read_late_together_do_not_claim_to_know_when_they_came() {
    let mut table = Table::running();
    table.forget();
    show(&mut table, 1, &[START]);
    let before = *table.statuses().last().unwrap();
    let frames: Vec<u8> = [START, E2_LIFTED, E2_LIFTED, AFTER_E4, AFTER_E4]
        .iter()
        .flat_map(|text| encode(&Message::Status(fen(text))))
        .collect();
    table.now = before.after(Duration::from_millis(250));
    table.hear(&frames);
    let late = table.now;
    // The first of them may have come directly after the one before, and been old then.
    let earliest = before.before(AGE.saturating_sub(LINE));
    let squares = table.squares();
    assert_eq!(squares.len(), 2, "{squares:?}");
    for report in squares {
        assert!(report.at.earliest <= earliest && report.at.latest == late, "{report:?}");
    }
}

#[test]
fn a_capture_and_its_recapture_within_a_second_disturb_nothing() {
    let mut table = Table::running();
    let at = |letter: char| {
        let mut placement = fen(START);
        placement[sq("d5")] = Occupant::from_letter(letter).unwrap();
        placement.to_string()
    };
    show(&mut table, 3, &[&at('p')]);
    table.forget();
    show(&mut table, 2, &[&at('.'), &at('P'), &at('.'), &at('n')]);
    assert!(!table.bodies().iter().any(|b| matches!(b, ReportBody::Disturbed { .. })));
    let told: Vec<_> = table.squares().iter().map(|r| r.body.clone()).collect();
    assert_eq!(told, ['.', 'P', '.', 'n'].map(|letter| square("d5", letter)));
}

#[test]
fn a_board_at_rest_is_told_once_a_second() {
    let mut table = Table::running();
    table.forget();
    table.run_until(11_000);
    assert!((9..=10).contains(&table.boards().len()), "{}", table.boards().len());
    assert_eq!(table.said, [], "statuses stream, so nothing is asked");
}

#[test]
fn on_change_a_question_bears_it_out() {
    let mut table = Table::on_change();
    table.forget();
    table.run_until(3050);
    table.forget();
    table.board.placement = fen(E2_LIFTED);
    table.run_until(3300);
    assert_eq!(table.observed(), [scan(E2_LIFTED), square("e2", '.')]);
    assert_eq!(table.bodies().last(), Some(&board(E2_LIFTED)));
    assert_eq!(table.heard(), ["S"]);
}

/// Its register says that it tells every scan.
fn silent_stream(transport: Transport) -> Table {
    let mut board = Board::new(fen(START));
    board.silent = true;
    board.stubborn = vec![2];
    Table::with(transport, board)
}

#[test]
fn a_board_that_does_not_stream_is_asked_whatever_its_register_says() {
    for transport in [Transport::Wired, Transport::Bluetooth] {
        let mut table = silent_stream(transport);
        table.run_until(12_000);
        assert_eq!(table.board.registers[2], 0);
        let lag = table.driver.capabilities(Channel(0)).board_lag;
        assert!(lag > Duration::from_secs(1), "{lag:?}");
        for (at, text) in [(12_050, E2_LIFTED), (12_600, AFTER_E4)] {
            table.forget();
            table.run_until(at);
            table.board.placement = fen(text);
            let changed = table.now;
            table.run_until(at + 500);
            assert_eq!(table.squares().len(), 1, "{transport:?}: {:?}", table.observed());
            assert_eq!(table.boards().last().map(String::as_str), Some(text), "no second goes by");
            let at = table.squares()[0].at;
            assert!(at.earliest <= changed && changed <= at.latest);
        }
        assert_eq!(table.links().len(), 0, "it is there all the time");
    }
}

#[test]
fn a_stream_is_believed_when_it_is_seen_and_doubted_when_it_has_stalled_twice() {
    let mut table = Table::running();
    let streaming = table.driver.capabilities(Channel(0)).board_lag;
    table.board.silent = true;
    table.forget();
    table.run_until(2500);
    let silent = table.driver.capabilities(Channel(0)).board_lag;
    assert!(silent > streaming + Duration::from_secs(1));
    let told = |table: &Table| {
        let told = table.bodies().into_iter().filter_map(|b| match b {
            ReportBody::Capabilities(capabilities) => Some(capabilities.board_lag),
            _ => None,
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(told(&table), [silent]);
    table.board.silent = false;
    table.forget();
    table.run_until(3000);
    assert_eq!(told(&table), [streaming]);
}

/// Lights take up to three tries of a second; a change does not wait for them.
#[test]
fn a_change_is_borne_out_before_lights_that_nobody_acknowledges() {
    let mut table = Table::on_change();
    table.board.mute = vec![b'L'];
    table.forget();
    let lights = table.ask(Request::Light(vec![sq("a1")]));
    table.board.placement = fen(E2_LIFTED);
    table.run_until(3000 + 450);
    assert_eq!(table.boards(), [E2_LIFTED]);
    assert_eq!(table.heard().iter().map(|c| &c[..1]).collect::<Vec<_>>(), ["L", "S"]);
    assert_eq!(table.acks(lights), [], "the answer to S is none to L");
    // The lights are not forgotten.
    table.board.mute.clear();
    table.run_until(5000);
    assert_eq!(table.acks(lights), [AckOutcome::Accepted]);
    assert_eq!(table.count("L"), 2);
}

#[test]
fn what_a_board_shows_before_it_said_who_it_is_is_evidence() {
    let mut board = Board::new(fen(START));
    board.deaf = Some((b'V', 9));
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(1000);
    table.board.placement = fen(E2_LIFTED);
    table.run_until(1500);
    assert_eq!(table.bodies(), [scan(START), scan(E2_LIFTED)]);
}

#[test]
fn on_change_the_board_is_asked_every_second_and_a_half() {
    let mut table = Table::on_change();
    table.forget();
    table.run_until(18_000);
    assert_eq!(table.count("S"), 10);
    assert_eq!(table.boards().len(), 10);
    assert_eq!(table.links(), []);
}

#[test]
fn the_board_is_read_when_somebody_asks() {
    let mut table = Table::on_change();
    table.forget();
    let id = table.ask(Request::ReadBoard);
    table.run_until(3200);
    assert_eq!(table.acks(id), [AckOutcome::Accepted]);
    assert_eq!(table.boards(), [START]);
    table.cut = true;
    let lost = table.ask(Request::ReadBoard);
    table.run_until(7000);
    assert_eq!(table.acks(lost), [AckOutcome::NoAnswer]);
}

#[test]
fn an_unknown_letter_is_neither_a_piece_nor_an_empty_square() {
    let mut table = Table::running();
    table.forget();
    let strange = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ?BNR";
    show(&mut table, 2, &[strange]);
    assert_eq!(table.observed(), [scan(strange), square("e1", '?')]);
}

/// A turned board tells the players' e2 as its own d7: the daemon turns it round.
#[test]
fn hardware_squares_are_those_of_a_cable_on_the_left() {
    let mut table = Table::running();
    let turned: Placement = fen(AFTER_E4).rotated();
    let letters: String =
        (0..64).map(|place| fen(AFTER_E4)[Cable::Right.square(place).unwrap()].letter()).collect();
    assert_eq!(status(&turned), format!("s{letters}"));
    table.board.placement = turned;
    table.forget();
    table.run_until(1200);
    assert_eq!(table.boards(), [turned.to_string()]);
    let from: Square = sq("e2");
    assert!(table.bodies().contains(&square(&from.rotated().to_string(), '.')));
}

/// The initial position up to h5 and the position after 1. e4 e5 from there on: every check fits, and
/// it shows White's move alone, which by then was answered.
fn spliced(first: &str, second: &str) -> Vec<u8> {
    let [first, second] = [first, second].map(|text| encode(&Message::Status(fen(text))));
    [&first[..33], &second[33..]].concat()
}

#[test]
fn vector_41_is_never_told_as_a_move() {
    for later_scans in [2, 3] {
        let mut table = Table::running();
        table.forget();
        let splice = spliced(START, AFTER_E5);
        assert_eq!(splice, encode(&Message::Status(fen(AFTER_E4))));
        table.hear(&splice);
        assert_eq!(table.observed(), [scan(AFTER_E4)], "it is evidence");
        show(&mut table, later_scans, &[AFTER_E5]);
        // Both moves are told at once, with one time: no order is claimed that was not seen.
        let bodies: Vec<_> = table.squares().iter().map(|r| r.body.clone()).collect();
        assert_eq!(bodies, [square("e2", '.'), square("e7", '.'), square("e4", 'P'), square("e5", 'p')]);
        let at = table.squares()[0].at;
        assert!(table.squares().iter().all(|r| r.at == at));
        assert!(table.boards().iter().all(|b| b == AFTER_E5), "{:?}", table.boards());
    }
}

#[test]
fn a_splice_that_is_followed_by_the_old_position_leaves_no_trace_but_evidence() {
    let mut table = Table::running();
    table.forget();
    table.hear(&spliced(START, AFTER_E5));
    show(&mut table, 3, &[START]);
    assert_eq!(table.observed(), [scan(AFTER_E4), scan(START)]);
    assert!(table.boards().iter().all(|b| b == START));
}

#[test]
fn a_splice_on_a_board_with_a_flickering_square_is_no_move_either() {
    let mut table = Table::running();
    table.forget();
    table.hear(&spliced(START, AFTER_E5));
    let flicker = "rnbqkbnn/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
    show(&mut table, 1, &[flicker, AFTER_E5, flicker]);
    let bodies: Vec<_> = table.squares().iter().map(|r| r.body.clone()).collect();
    assert_eq!(bodies, [square("e2", '.'), square("e7", '.'), square("e4", 'P'), square("e5", 'p')]);
    let at = table.squares()[0].at;
    assert!(table.squares().iter().all(|r| r.at == at));
}

#[test]
fn a_baseline_is_no_change() {
    let mut table = Table::new();
    table.board.placement = fen(AFTER_E4);
    table.run_until(1000);
    assert_eq!(table.squares(), []);
    assert_eq!(table.driver.poll_timeout().map(|at| at > ms(1000)), Some(true));
    assert_eq!(table.driver.capabilities(Channel(0)).clock_lag, Duration::ZERO);
    assert!(table.now > Mono::ZERO);
}
