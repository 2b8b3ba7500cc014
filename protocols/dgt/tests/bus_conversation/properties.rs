// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties: whatever goes wrong with answers, each change is told once; portions do not
//! matter; any bytes are survived.

use core::time::Duration;

use arbiterd_board::{Driver, Mono, Placement, Stamp};
use arbiterd_dgt::bus::DgtBusDriver;
use proptest::prelude::*;

use crate::line::{Fault, Line, address, ms, occupant, sq};

/// The squares that change, so few that the same changes come again and again.
const SQUARES: [(&str, char); 3] = [("d2", 'P'), ("e2", 'P'), ("g1", 'N')];
const SCAN: Duration = Duration::from_millis(250);

fn simple_fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        Just(Fault::Unheard),
        Just(Fault::Lost),
        Just(Fault::Damaged),
        (1usize..12).prop_map(Fault::Cut),
    ]
}

/// More than a third of all answers are lost.
fn losses() -> impl Strategy<Value = Vec<Option<Fault>>> {
    let fault = prop_oneof![6 => Just(None), 4 => simple_fault().prop_map(Some)];
    proptest::collection::vec(fault, 0..200)
}

/// No answer is lost, but many come when nobody waits for them any more.
fn delays() -> impl Strategy<Value = Vec<Option<Fault>>> {
    let fault = prop_oneof![3 => Just(None), 1 => (1u64..400).prop_map(|late| Some(Fault::Late(late)))];
    proptest::collection::vec(fault, 0..200)
}

/// Which squares change in each scan: a square changes once in a scan at most.
fn scans() -> impl Strategy<Value = Vec<[bool; 3]>> {
    let rarely = prop::bool::weighted(0.3);
    proptest::collection::vec([rarely, rarely, rarely], 1..60)
}

/// Runs two boards of which one changes; what it noted, and when.
fn play(line: &mut Line, scans: &[[bool; 3]]) -> Vec<(String, Mono)> {
    let mut noted = Vec::new();
    let mut on = [true; 3];
    for (scan, changes) in (0u64..).zip(scans) {
        line.run_until(2000 + 250 * scan);
        for ((changed, on), (square, letter)) in changes.iter().zip(&mut on).zip(SQUARES) {
            if *changed {
                *on = !*on;
                let letter = if *on { letter } else { '.' };
                line.board().change(square, letter);
                noted.push((format!("{square}{letter}"), line.now));
            }
        }
    }
    noted
}

/// Whether the stamp covers the scan before the change was noted, in which it happened.
fn covers(stamp: Stamp, noted: Mono) -> bool {
    stamp.earliest <= noted.before(SCAN) && noted <= stamp.latest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever goes wrong, nothing observed is lost, and whatever is told did happen then.
    #[test]
    fn each_change_is_told_and_nothing_else(
        faults in prop_oneof![losses(), delays()],
        scans in scans(),
    ) {
        let mut line = Line::new([1024, 1025]);
        line.run_until(2000);
        line.any_faults = faults.into();
        let noted = play(&mut line, &scans);
        line.any_faults.clear();
        line.run_until(2000 + 250 * scans.len() as u64 + 9000);
        let told = line.squares(1025);
        for (square, letter, stamp) in &told {
            let name = format!("{square}{letter}");
            prop_assert!(noted.iter().any(|(n, at)| *n == name && covers(*stamp, *at)), "{name} {stamp:?}");
        }
        if line.links(1025).len() == 1 {
            // The same changes may be told again, but none is left out.
            let mut rest = told.iter();
            for (name, at) in &noted {
                let found = rest.any(|(s, l, stamp)| *name == format!("{s}{l}") && covers(*stamp, *at));
                prop_assert!(found, "{name} at {at} in {told:?}");
            }
        }
        let expected = line.board().placement.to_string();
        prop_assert_eq!(line.boards_told(1025).pop(), Some((expected, true)));
        prop_assert!(line.told(1024).is_empty());
    }

    /// Where not everything goes wrong at once, each change is told once.
    #[test]
    fn each_change_is_told_once(
        faults in proptest::collection::vec((simple_fault(), 20usize..30), 0..20),
        scans in scans(),
    ) {
        let mut line = Line::new([1024, 1025]);
        line.run_until(2000);
        for (fault, pause) in faults {
            line.any_faults.push_back(Some(fault));
            line.any_faults.extend(vec![None; pause]);
        }
        let noted = play(&mut line, &scans);
        line.run_until(2000 + 250 * scans.len() as u64 + 3000);
        let names: Vec<String> = noted.iter().map(|(name, _)| name.clone()).collect();
        prop_assert_eq!(line.told(1025), names);
        let told = line.squares(1025);
        prop_assert!(noted.iter().zip(&told).all(|((_, at), (_, _, stamp))| covers(*stamp, *at)));
        prop_assert_eq!(line.links(1025).len(), 1);
        prop_assert_eq!(line.collisions, 0);
    }

    /// Hands on the board and failures while it comes up: what is told first shows no change that
    /// is told once more, and all changes after it are told.
    #[test]
    fn a_baseline_and_the_changes_after_it_fit_together(
        faults in proptest::collection::vec((simple_fault(), 20usize..30), 0..20),
        begin in 400u64..900,
        scans in scans(),
    ) {
        let mut line = Line::new([1024, 1025]);
        for (fault, pause) in faults {
            line.any_faults.push_back(Some(fault));
            line.any_faults.extend(vec![None; pause]);
        }
        let mut on = [true; 3];
        for (scan, changes) in (0u64..).zip(&scans) {
            line.run_until(begin + 250 * scan);
            for ((changed, on), (square, letter)) in changes.iter().zip(&mut on).zip(SQUARES) {
                if *changed {
                    *on = !*on;
                    line.board().change(square, if *on { letter } else { '.' });
                }
            }
        }
        line.any_faults.clear();
        line.run_until(begin + 250 * scans.len() as u64 + 4000);
        let mut told: Placement = line.boards_told(1025)[0].0.parse().unwrap();
        for (square, letter, _) in line.squares(1025) {
            prop_assert_ne!(told[sq(&square)].letter(), letter, "{} once more", square);
            told[sq(&square)] = occupant(letter);
        }
        prop_assert_eq!(told, line.board().placement);
        prop_assert_eq!(line.boards_told(1025).pop(), Some((told.to_string(), true)));
    }

    #[test]
    fn the_portions_do_not_matter(portions in proptest::collection::vec(1usize..9, 0..600), scans in scans()) {
        let mut whole = Line::running();
        play(&mut whole, &scans);
        let mut portioned = Line::new([1025]);
        portioned.portions = portions.into();
        portioned.run_until(2000);
        play(&mut portioned, &scans);
        prop_assert_eq!(portioned.reports, whole.reports);
    }

    /// Inserted bytes on the line: the changes are told all the same, once each.
    #[test]
    fn bytes_from_nowhere_lose_nothing(
        bytes in proptest::collection::vec((0u64..8000, any::<u8>()), 0..30),
        scans in scans(),
    ) {
        let mut line = Line::new([1024, 1025]);
        line.run_until(2000);
        let mut bytes = bytes;
        bytes.sort_unstable();
        let mut inserted = bytes.into_iter().peekable();
        let mut noted = Vec::new();
        for (scan, changes) in (0u64..).zip(&scans) {
            while let Some((at, byte)) = inserted.next_if(|(at, _)| *at <= 250 * scan) {
                line.run_until(2000 + at);
                line.hear(&[byte]);
            }
            line.run_until(2000 + 250 * scan);
            for (changed, (square, letter)) in changes.iter().zip(SQUARES) {
                if *changed {
                    let there = line.board().placement[sq(square)].letter() != '.';
                    let letter = if there { '.' } else { letter };
                    line.board().change(square, letter);
                    noted.push(format!("{square}{letter}"));
                }
            }
        }
        line.run_until(2000 + 250 * scans.len() as u64 + 3000);
        prop_assert_eq!(line.told(1025), noted);
        prop_assert_eq!(line.links(1025).len(), 1);
    }

    #[test]
    fn any_bytes_are_survived(
        portions in proptest::collection::vec((0u64..300, proptest::collection::vec(any::<u8>(), 0..20)), 0..200),
        discovers in any::<bool>(),
    ) {
        let mut driver = if discovers {
            DgtBusDriver::discovering()
        } else {
            DgtBusDriver::new([address(1), address(1025)])
        };
        driver.reset(Mono::ZERO);
        let mut now = Mono::ZERO;
        for (wait, bytes) in portions {
            now = now.after(Duration::from_millis(wait));
            driver.handle_timeout(now);
            driver.receive(now, &bytes);
            while driver.poll_transmit().is_some() {}
            let next = driver.poll_timeout();
            prop_assert!(next.is_some_and(|at| at > now), "{next:?} at {now} {driver:?}");
            // No command is left in the queue, and reports are few.
            let reports = core::iter::from_fn(|| driver.poll_report()).count();
            prop_assert!(reports <= 20, "{}", reports);
        }
        prop_assert!(driver.poll_timeout().is_some_and(|at| at >= ms(500)));
    }
}
