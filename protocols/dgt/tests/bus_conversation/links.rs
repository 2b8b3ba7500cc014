// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boards that come and go, and lines that misbehave.

use core::time::Duration;

use arbiterd_board::{AckOutcome, Channel, Driver, LinkState, Mono, NoiseCause, Request, Stamp};
use arbiterd_dgt::bus::BusCommand::{SendChanges, SendVersion};

use crate::line::{Line, START, longest_gap, ms, sq};

fn states(line: &Line, number: u16) -> Vec<LinkState> {
    line.links(number).into_iter().map(|(_, state, _)| state).collect()
}

#[test]
fn a_silent_board_is_lost_after_two_seconds_and_comes_back() {
    let mut line = Line::new([1001, 1002, 1003]);
    line.run_until(5000);
    line.boards.get_mut(&1002).unwrap().off = true;
    line.run_until(10_000);
    let [_, (told, LinkState::Down, at)] = line.links(1002)[..] else { panic!("{:?}", line.links(1002)) };
    assert_eq!(at, Stamp { earliest: at.earliest, latest: told });
    // It was heard within the cycle before it fell silent.
    assert!(at.earliest <= ms(5010) && at.earliest >= ms(4600), "{at:?}");
    assert_eq!(told.since(at.earliest), Duration::from_secs(2));
    assert_eq!(states(&line, 1001), [LinkState::Up]);
    // Its place changes meanwhile, which is told as a board and never as a move.
    let board = line.boards.get_mut(&1002).unwrap();
    board.off = false;
    board.change("e2", '.');
    line.run_until(16_000);
    assert_eq!(states(&line, 1002), [LinkState::Up, LinkState::Down, LinkState::Up]);
    assert_eq!(line.told(1002), [""; 0]);
    let lifted = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR".to_owned();
    assert_eq!(line.boards_told(1002).last(), Some(&(lifted, true)));
}

#[test]
fn a_silent_board_does_not_slow_the_others() {
    let mut line = Line::new(1001..=1012);
    line.run_until(8000);
    for number in [1003, 1007] {
        line.boards.get_mut(&number).unwrap().off = true;
    }
    line.run_until(60_000);
    let promised = line.driver.capabilities(Channel(1001)).board_lag - Duration::from_millis(250);
    let mut asked = line.times_said(1001, SendChanges);
    asked.retain(|at| *at >= ms(8000));
    assert!(longest_gap(&asked) <= promised, "{:?}", longest_gap(&asked));
    // When both are given up, they cost one try each in ever longer times.
    asked.retain(|at| *at >= ms(12_000));
    assert!(longest_gap(&asked) <= Duration::from_millis(700), "{:?}", longest_gap(&asked));
    let probes: Vec<Mono> =
        line.times_said(1003, SendVersion).into_iter().filter(|at| *at >= ms(8000)).collect();
    let gaps: Vec<u128> = probes.windows(2).map(|p| (p[1].since(p[0]).as_millis() + 500) / 1000).collect();
    assert_eq!(gaps[..4], [2, 4, 4, 4]);
}

#[test]
fn a_board_that_was_never_there_is_not_told() {
    let mut line = Line::new([1001, 1002]);
    line.boards.get_mut(&1002).unwrap().off = true;
    line.run_until(20_000);
    assert_eq!(line.bodies(1002), []);
    assert_eq!(states(&line, 1001), [LinkState::Up]);
    // Three tries when the line opens, then one at a time.
    let tries = line.times_said(1002, SendVersion);
    assert!(tries[2].since(tries[0]) < Duration::from_millis(300));
    assert!(tries[3].since(tries[2]) > Duration::from_millis(1000));
    assert!(tries.len() < 10);
}

#[test]
fn all_boards_can_be_lost_and_come_back() {
    let mut line = Line::new([1001, 1002]);
    line.run_until(3000);
    line.boards.values_mut().for_each(|b| b.off = true);
    line.run_until(15_000);
    for number in [1001, 1002] {
        assert_eq!(states(&line, number), [LinkState::Up, LinkState::Down]);
    }
    line.boards.values_mut().for_each(|b| b.off = false);
    line.run_until(25_000);
    for number in [1001, 1002] {
        assert_eq!(states(&line, number).last(), Some(&LinkState::Up));
        assert_eq!(line.boards_told(number).last(), Some(&(START.to_owned(), true)));
    }
}

#[test]
fn a_board_that_tells_no_changes_any_more_is_lost_although_its_clock_answers() {
    let mut line = Line::running();
    line.faults.extend([(1025, SendChanges, crate::line::Fault::Lost)]);
    line.faults.extend([(1025, arbiterd_dgt::bus::BusCommand::RepeatChanges, crate::line::Fault::Lost); 50]);
    line.run_until(6000);
    assert_eq!(states(&line, 1025)[..2], [LinkState::Up, LinkState::Down]);
    // From there on the question is put anew.
    assert_eq!(states(&line, 1025).last(), Some(&LinkState::Up));
    assert_eq!(line.boards_told(1025).last(), Some(&(START.to_owned(), true)));
}

#[test]
fn a_reset_begins_from_the_beginning() {
    for at in (0..3000).step_by(7) {
        let mut line = Line::new([1025]);
        line.run_until(at);
        let up = states(&line, 1025).len();
        let id = line.driver.request(line.now, Channel(1025), Request::ReadBoard).ok();
        line.driver.reset(line.now);
        line.exchange();
        if up == 1 {
            let (_, state, stamp) = *line.links(1025).last().unwrap();
            assert_eq!((state, stamp.latest), (LinkState::Down, line.now));
            assert_eq!(line.acks(id.unwrap())[0].2, AckOutcome::NoAnswer);
        }
        let before = line.reports.len();
        let said = line.said.len();
        line.run_until(at + 1500);
        assert_eq!(states(&line, 1025).last(), Some(&LinkState::Up), "{at}");
        let boards = line.reports[before..].iter().any(|(_, _, r)| {
            r.body == arbiterd_board::ReportBody::Board { placement: START.parse().unwrap(), confirmed: true }
        });
        assert!(boards, "{at}");
        assert_eq!(line.said[said].1.command(), SendVersion);
    }
}

#[test]
fn a_line_that_was_not_opened_is_silent() {
    let mut driver = arbiterd_dgt::bus::DgtBusDriver::new([crate::line::address(1)]);
    driver.receive(ms(0), &[0x87, 0, 6, 0, 1, 0x0e]);
    driver.handle_timeout(ms(10_000));
    assert_eq!(driver.poll_timeout(), None);
    assert_eq!(driver.poll_transmit(), None);
    assert_eq!(driver.poll_report(), None);
}

#[test]
fn what_an_adapter_hears_of_the_host_changes_nothing() {
    let play = |echoes: bool, portions: usize| {
        let mut line = Line::new([6, 1025]);
        line.echoes = echoes;
        line.portions = vec![portions; 4000].into();
        line.run_until(3000);
        line.board().change("e2", '.');
        line.run_until(3300);
        line.board().change("e4", 'P');
        line.run_until(9000);
        line.reports
    };
    let expected = play(false, 80);
    for portions in [1, 2, 3, 80] {
        assert_eq!(play(true, portions), expected, "{portions}");
    }
}

#[test]
fn a_line_that_never_falls_silent_is_a_lost_one() {
    let mut line = Line::new([1001, 1002]);
    line.run_until(3000);
    for at in (3000..8000).step_by(15) {
        line.run_until(at);
        line.hear(&[0x55]);
    }
    assert_eq!(states(&line, 1001), [LinkState::Up, LinkState::Down]);
    assert_eq!(states(&line, 1002), [LinkState::Up, LinkState::Down]);
    let noises = line.noises(0);
    assert!(noises.iter().all(|n| n.cause == NoiseCause::Junk) && !noises.is_empty());
    line.run_until(14_000);
    assert_eq!(states(&line, 1001).last(), Some(&LinkState::Up));
}

#[test]
fn the_line_is_left_alone_after_garbage() {
    let mut line = Line::running();
    for at in (2000..2300).step_by(10) {
        line.run_until(at);
        line.hear(&[0x55]);
    }
    let said = line.said.last().unwrap().0;
    assert!(said <= ms(2010), "{said}");
    line.run_until(2400);
    // Twenty milliseconds after the last of it.
    assert!(line.said.iter().any(|(at, _)| *at == ms(2310)), "{:?}", line.said.last());
}

#[test]
fn a_line_that_was_held_up_tells_that_it_is_slower() {
    let mut line = Line::new([1001, 1002]);
    line.run_until(3000);
    let usual = line.capabilities(1001);
    assert_eq!(usual.len(), 1);
    // A search halts the visits for two rounds.
    line.driver.discover(line.now);
    line.run_until(3100);
    line.boards.get_mut(&1001).unwrap().placement[sq("e2")] = crate::line::occupant('.');
    line.boards.get_mut(&1001).unwrap().change("e2", '.');
    line.run_until(7000);
    assert_eq!(states(&line, 1001), [LinkState::Up]);
    let (_, _, stamp) = line.squares(1001)[0].clone();
    assert!(stamp.uncertainty() > Duration::from_millis(2400));
    let slow = *line.capabilities(1001).last().unwrap();
    assert!(slow.board_lag >= stamp.uncertainty(), "{slow:?}");
    // Not for ever.
    line.run_until(70_000);
    assert_eq!(line.capabilities(1001).last(), usual.last());
}

/// A line on which the first of two boards begins an answer that takes three seconds, and the
/// second has noted a change.
fn at_a_very_long_answer() -> Line {
    let mut line = Line::new([1001, 1002]);
    line.trickles = true;
    line.run_until(3000);
    line.run_to(1001, SendChanges);
    for _ in 0..1500 {
        line.boards.get_mut(&1001).unwrap().change("a2", '.');
    }
    line.boards.get_mut(&1002).unwrap().change("e2", '.');
    line.run_to(1001, SendChanges);
    line
}

#[test]
fn one_bad_byte_after_a_very_long_answer_loses_nobody() {
    let mut line = at_a_very_long_answer();
    let at = line.now.as_micros() / 1000;
    while line.told(1001).is_empty() {
        line.run_until(line.now.as_micros() / 1000 + 1);
    }
    assert!(line.now >= ms(at + 3000), "{}", line.now);
    line.hear(&[0x55]);
    line.run_until(at + 6000);
    assert_eq!(states(&line, 1001), [LinkState::Up]);
    assert_eq!(states(&line, 1002), [LinkState::Up]);
    assert_eq!(line.told(1002), ["e2."]);
}

#[test]
fn one_bad_byte_before_a_very_long_answer_loses_nobody() {
    let mut line = at_a_very_long_answer();
    let at = line.now.as_micros() / 1000;
    line.hear(&[0x55]);
    line.run_until(at + 6000);
    assert_eq!(line.told(1001).len(), 1500);
    assert_eq!(states(&line, 1001), [LinkState::Up]);
    assert_eq!(states(&line, 1002), [LinkState::Up]);
    assert_eq!(line.told(1002), ["e2."]);
}

#[test]
fn failed_tries_right_after_a_very_long_answer_lose_nobody() {
    let mut line = at_a_very_long_answer();
    let at = line.now.as_micros() / 1000;
    line.faults.push((1002, SendChanges, crate::line::Fault::Lost));
    line.faults.extend([(1002, arbiterd_dgt::bus::BusCommand::RepeatChanges, crate::line::Fault::Lost); 3]);
    line.run_until(at + 6000);
    assert_eq!(line.faults, []);
    assert_eq!(states(&line, 1002), [LinkState::Up]);
    assert_eq!(line.told(1002), ["e2."]);
}

#[test]
fn failed_tries_right_after_a_search_lose_nobody() {
    let mut line = Line::new([1001, 1002]);
    line.run_until(3000);
    line.driver.discover(line.now);
    line.boards.get_mut(&1002).unwrap().change("e2", '.');
    line.faults.push((1002, SendChanges, crate::line::Fault::Lost));
    line.faults.extend([(1002, arbiterd_dgt::bus::BusCommand::RepeatChanges, crate::line::Fault::Lost); 3]);
    line.run_until(9000);
    assert_eq!(line.faults, []);
    assert_eq!(states(&line, 1002), [LinkState::Up]);
    assert_eq!(line.told(1002), ["e2."]);
}

#[test]
fn a_board_whose_repeated_answer_takes_longer_than_its_time_is_not_lost_over_it() {
    let mut line = at_a_very_long_answer();
    let at = line.now.as_micros() / 1000;
    line.faults.extend([(1001, SendChanges, crate::line::Fault::Damaged)]);
    line.faults
        .extend([(1001, arbiterd_dgt::bus::BusCommand::RepeatChanges, crate::line::Fault::Unheard); 2]);
    line.run_until(at + 12_000);
    assert_eq!(line.told(1001).len(), 1500);
    assert_eq!(states(&line, 1001), [LinkState::Up]);
    assert_eq!(states(&line, 1002), [LinkState::Up]);
}

#[test]
fn a_board_that_always_has_something_to_tell_does_not_starve_the_others() {
    let mut line = Line::new([1001, 1002]);
    line.run_until(3000);
    line.boards.get_mut(&1001).unwrap().chatters = true;
    line.run_until(13_000);
    let mut asked = line.times_said(1002, SendChanges);
    asked.retain(|at| *at >= ms(3000));
    assert!(longest_gap(&asked) <= Duration::from_millis(400), "{:?}", longest_gap(&asked));
    assert_eq!(states(&line, 1002), [LinkState::Up]);
    assert!(line.told(1001).len() > 100);
}

#[test]
fn a_board_that_always_has_something_to_tell_when_the_line_opens_does_not_starve_the_others() {
    let mut line = Line::new([1001, 1002]);
    line.boards.get_mut(&1001).unwrap().chatters = true;
    line.run_until(6000);
    assert_eq!(states(&line, 1002), [LinkState::Up]);
    assert_eq!(line.boards_told(1002).first(), Some(&(START.to_owned(), true)));
}
