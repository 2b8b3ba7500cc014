// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties of the driver: portions do not matter, and no bytes make it spin, panic or tell what
//! was not seen twice.

use arbiterd_board::{Driver, Mono, Placement, Report, ReportBody};
use arbiterd_millennium::{MillenniumDriver, Transport};
use core::time::Duration;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::board::{Board, status};
use crate::table::{AFTER_E4, AFTER_E5, E2_LIFTED, START, Table, fen, ms};

/// A short piece of a game, heard in portions of these sizes.
fn game(transport: Transport, portions: Vec<usize>) -> Vec<Report> {
    let mut board = Board::new(fen(START));
    board.registers[2] = if transport == Transport::Wired { 0 } else { 3 };
    let mut table = Table::with(transport, board);
    table.portions = portions.into();
    for (at, text) in [(3000, START), (3400, E2_LIFTED), (3700, AFTER_E4), (4100, AFTER_E5)] {
        table.run_until(at);
        table.board.placement = fen(text);
    }
    table.run_until(6000);
    table.reports
}

/// Applies squares and boards to each other as a table would, and asserts that they agree.
fn agree(reports: &[Report]) {
    let mut stands: Option<Placement> = None;
    for report in reports {
        match (&report.body, &mut stands) {
            (ReportBody::Board { placement, .. }, Some(stands)) => {
                assert_eq!(placement, stands, "a board shows what no square told");
            }
            (ReportBody::Board { placement, .. }, none) => *none = Some(*placement),
            (ReportBody::Square { square, occupant }, Some(stands)) => {
                assert_ne!(stands[*square], *occupant, "no change");
                stands[*square] = *occupant;
            }
            (ReportBody::Square { .. }, None) => panic!("a change before the first board"),
            (ReportBody::Link(_), stands) => *stands = None,
            _ => {}
        }
    }
}

const BOARDS: [&str; 4] = [START, E2_LIFTED, AFTER_E4, AFTER_E5];

/// The first squares of one scan, a8 first, and the rest of another.
fn joined(first: &str, second: &str, cut: usize) -> Placement {
    let [first, second] = [first, second].map(fen);
    let mut joined = second;
    for square in arbiterd_millennium::wire::status_order().take(cut) {
        joined[square] = first[square];
    }
    joined
}

fn show(table: &mut Table, placement: &Placement) {
    let frame = table.board.frame(&status(placement));
    // Slowly enough that no square is disturbed.
    table.now = table.now.after(Duration::from_millis(400));
    table.hear(&frame);
}

/// What stands after these reports.
fn changed(reports: &[Report], mut stands: Placement) -> Placement {
    for report in reports {
        if let ReportBody::Square { square, occupant } = report.body {
            stands[square] = occupant;
        }
    }
    stands
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_portions_give_the_same_reports(portions in proptest::collection::vec(1usize..90, 0..400)) {
        for transport in [Transport::Wired, Transport::Bluetooth] {
            let whole = game(transport, Vec::new());
            agree(&whole);
            prop_assert_eq!(&game(transport, portions.clone()), &whole);
        }
    }

    /// Whatever scans show, joined or not: a square and a board are told only if two in a row agree on
    /// them, and boards never show what squares have not told.
    #[test]
    fn what_is_told_two_scans_in_a_row_agree_on(
        choices in proptest::collection::vec((0usize..4, 0usize..4, any::<Index>()), 1..40),
    ) {
        let mut table = Table::running();
        let mut last = fen(START);
        for (first, second, cut) in choices {
            let shown = joined(BOARDS[first], BOARDS[second], cut.index(65));
            let before = table.reports.len();
            show(&mut table, &shown);
            for report in &table.reports[before..] {
                match report.body {
                    ReportBody::Board { placement, .. } => prop_assert_eq!([placement; 2], [last, shown]),
                    ReportBody::Square { square, occupant } => {
                        prop_assert_eq!([occupant; 2], [last[square], shown[square]]);
                    }
                    ReportBody::Scan { placement } => prop_assert_eq!(placement, shown),
                    _ => {}
                }
            }
            last = shown;
        }
        agree(&table.reports);
    }

    /// Positions that stand for two scans each, and between them scans that are joined of the one
    /// before and a later one: what is told is always one of the positions that stood.
    #[test]
    fn joined_scans_make_no_position_that_never_stood(
        steps in proptest::collection::vec((0usize..4, proptest::option::of(any::<Index>())), 1..30),
    ) {
        let mut table = Table::running();
        let mut stands = fen(START);
        let mut told = fen(START);
        for (next, cut) in steps {
            let next = fen(BOARDS[next]);
            let before = table.reports.len();
            if let Some(cut) = cut {
                show(&mut table, &joined(&stands.to_string(), &next.to_string(), cut.index(65)));
            }
            prop_assert_eq!(changed(&table.reports[before..], told), told, "a joined scan was told");
            show(&mut table, &next);
            let first = changed(&table.reports[before..], told);
            prop_assert!(first == told || first == next, "{} is told", first);
            show(&mut table, &next);
            told = changed(&table.reports[before..], told);
            prop_assert_eq!(told, next);
            stands = next;
        }
    }

    #[test]
    fn any_bytes_at_any_time_are_survived(
        chunks in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..90), 0u64..400), 0..60),
    ) {
        let mut table = Table::new();
        for (bytes, wait) in chunks {
            let next = table.now.as_micros() / 1000 + wait;
            table.run_until(next);
            table.hear(&bytes);
        }
        agree(&table.reports);
        prop_assert!(table.board.wrong.is_empty());
        // And a board is found again.
        table.forget();
        let end = table.now.as_micros() / 1000 + 20_000;
        table.run_until(end);
        prop_assert!(table.boards().last().is_some_and(|b| b == START));
    }
}

#[test]
fn a_driver_that_hears_only_noise_says_little() {
    let mut driver = MillenniumDriver::new();
    driver.reset(Mono::ZERO);
    let mut said = 0;
    for at in 0..10_000 {
        driver.handle_timeout(ms(at));
        driver.receive(ms(at), &[b's', b'x', 0x00]);
        said += core::iter::from_fn(|| driver.poll_transmit()).count();
        while driver.poll_report().is_some() {}
    }
    assert!(said < 40, "{said}");
}
