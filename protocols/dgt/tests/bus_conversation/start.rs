// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the conversation begins, and the round of visits.

use core::time::Duration;

use arbiterd_board::{
    Channel, ClockControl, ClockReport, Driver, Identity, LinkState, ReportBody, Sensing, Version,
};
use arbiterd_dgt::bus::{BusAddress, BusCommand};
use arbiterd_dgt::clock::ClockMessage;
use arbiterd_dgt::log::Record;

use crate::line::{Line, START, longest_gap, ms};

#[test]
fn a_board_comes_up_with_its_identity_and_a_baseline() {
    let mut line = Line::new([1025]);
    line.run_until(1000);
    let bodies = line.bodies(1025);
    assert_eq!(bodies[0], ReportBody::Link(LinkState::Up));
    assert_eq!(bodies[1], ReportBody::Capabilities(line.driver.capabilities(Channel(1025))));
    let identity = Identity {
        family: "dgt".to_owned(),
        serial: Some("01025".to_owned()),
        firmware: Some(Version { main: 1, sub: 3 }),
        clock: None,
    };
    assert_eq!(bodies[2], ReportBody::Identity(identity));
    assert_eq!(bodies[3], ReportBody::Board { placement: START.parse().unwrap(), confirmed: true });
    assert!(matches!(bodies[4], ReportBody::Clock(ClockReport::Reading(_))));
    assert_eq!(line.bodies(0), []);
}

#[test]
fn the_right_things_are_said_in_the_right_order() {
    let mut line = Line::new([1025]);
    line.run_until(900);
    let expected = [
        BusCommand::SendVersion,
        BusCommand::SendChanges,
        BusCommand::SendBoard,
        BusCommand::SendChanges,
        BusCommand::SendClock,
    ];
    assert_eq!(line.said_to(1025, ms(0))[..5], expected);
    // Half a second after the line was opened.
    assert_eq!(line.said[0].0, ms(500));
    // 4 bytes, 5 ms and 8 bytes later the next: 12 bytes are 12.5 ms.
    assert_eq!(line.said[1].0.since(ms(500)), Duration::from_micros(17_500));
}

#[test]
fn nothing_is_asked_more_often_than_the_board_scans() {
    let mut line = Line::running();
    line.run_until(20_000);
    let asked = line.times_said(1025, BusCommand::SendChanges);
    let asked: Vec<_> = asked.into_iter().filter(|at| *at >= ms(2000)).collect();
    // The two of a look follow each other at once.
    assert!(asked.len() <= 18 * 4 + 1, "{}", asked.len());
    assert!(longest_gap(&asked) <= Duration::from_millis(340));
}

#[test]
fn an_old_board_says_no_version() {
    let mut line = Line::new([1025]);
    line.board().version = None;
    line.run_until(1000);
    let firmware = line.bodies(1025).into_iter().find_map(|body| match body {
        ReportBody::Identity(identity) => Some(identity.firmware),
        _ => None,
    });
    assert_eq!(firmware, Some(None));
}

#[test]
fn a_board_in_single_mode_swallows_the_first_command() {
    let mut line = Line::new([1025]);
    line.board().single_mode = true;
    line.run_until(1000);
    assert_eq!(
        line.said_to(1025, ms(0))[..3],
        [BusCommand::SendVersion, BusCommand::SendVersion, BusCommand::SendChanges]
    );
    assert_eq!(line.boards_told(1025), [(START.to_owned(), true)]);
    // 80 ms, and 12 bytes on the line.
    assert_eq!(line.said[1].0.since(line.said[0].0), Duration::from_micros(92_500));
}

#[test]
fn what_was_noted_before_is_thrown_away() {
    let mut line = Line::new([1025]);
    line.board().note(Record::PowerUp);
    line.board().change("e2", '.');
    line.board().change("e4", 'P');
    line.run_until(2000);
    assert_eq!(line.told(1025), [""; 0]);
    assert_eq!(line.boards_told(1025).len(), 1);
    assert_eq!(line.links(1025).len(), 1);
}

#[test]
fn a_board_without_a_clock_says_so() {
    let mut line = Line::new([1025]);
    line.board().clock = ClockMessage::NoClock;
    line.run_until(1000);
    assert!(line.bodies(1025).contains(&ReportBody::Clock(ClockReport::Absent)));
}

#[test]
fn twelve_boards_are_visited_twice_a_second() {
    let mut line = Line::new(1001..=1012);
    line.run_until(10_000);
    let begun = line.said.len();
    for number in 1001..=1012 {
        assert_eq!(line.boards_told(number)[0], (START.to_owned(), true));
    }
    line.run_until(40_000);
    assert!(line.said.len() > begun);
    for number in 1001..=1012 {
        let late = |command| {
            let mut times = line.times_said(number, command);
            times.retain(|at| *at >= ms(10_000));
            times
        };
        let cycle = |command| {
            let times = late(command);
            30_000 / u32::try_from(times.len()).unwrap()
        };
        assert!(cycle(BusCommand::SendChanges) <= 550, "{}", cycle(BusCommand::SendChanges));
        assert!(cycle(BusCommand::SendClock) <= 600);
        // With a look at some board in most cycles, and always within what was promised.
        assert!(longest_gap(&late(BusCommand::SendChanges)) <= Duration::from_millis(650));
        // Looks every five seconds, or when their turn comes.
        assert!((4..=6).contains(&late(BusCommand::SendBoard).len()));
    }
    assert_eq!(line.collisions, 0);
}

#[test]
fn there_is_never_a_second_dump_in_a_cycle() {
    let mut line = Line::new(1001..=1012);
    line.run_until(60_000);
    // A cycle begins where the first board follows the last one.
    let mut dumps = vec![0];
    let mut before = None;
    for (at, frame) in &line.said {
        let number = frame.address().map(BusAddress::number);
        if number == Some(1001) && before == Some(1012) {
            dumps.push(0);
        }
        before = number;
        if *at > ms(10_000) && frame.command() == BusCommand::SendBoard {
            *dumps.last_mut().unwrap() += 1;
        }
    }
    assert_eq!(dumps.iter().max(), Some(&1));
    // A cycle takes 0.55 s with a dump, and 50 s were watched.
    assert!(dumps.iter().sum::<u32>() >= 12 * 7);
}

#[test]
fn all_boards_are_observed_soon_after_the_start() {
    let mut line = Line::new(1001..=1012);
    line.run_until(6000);
    for number in 1001..=1012 {
        assert_eq!(line.boards_told(number).first(), Some(&(START.to_owned(), true)), "{number}");
    }
}

#[test]
fn the_lags_are_told_and_grow_with_the_number_of_boards() {
    let one = Line::new([1]).driver.capabilities(Channel(1));
    let twelve = Line::new(1..=12).driver.capabilities(Channel(1));
    assert_eq!(one.sensing, Sensing::Pieces);
    assert_eq!(one.clock, ClockControl::ReadOnly);
    // A scan, a cycle of 250 ms, a look, a silent board, two failed tries.
    assert!(one.board_lag >= Duration::from_millis(500) && one.board_lag < Duration::from_millis(1000));
    assert!(twelve.board_lag > one.board_lag + Duration::from_millis(500));
    assert!(twelve.board_lag < Duration::from_millis(1600));
    // The clock's own second comes on top of the visits.
    assert!(one.clock_lag > Duration::from_secs(1) && twelve.clock_lag > one.clock_lag);
}
