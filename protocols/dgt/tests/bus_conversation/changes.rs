// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes are told once each, in order, with the interval in which they happened, whatever goes
//! wrong on the line.

use core::time::Duration;

use arbiterd_board::{
    Channel, ClockReport, ClockSide, Driver, LinkState, Mono, Noise, NoiseCause, ReportBody, Request, Stamp,
};
use arbiterd_dgt::bus::BusCommand::{self, RepeatChanges, SendChanges, SendClock};
use arbiterd_dgt::clock::ClockMessage;
use arbiterd_dgt::log::Record;

use crate::line::{Fault, Line, ms, reading};

const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

/// On the line for this many bytes, and 5 ms until the board begins.
fn answered(said: Mono, bytes: u64) -> Mono {
    said.after(Duration::from_micros(5000 + bytes * 10_000_000 / 9600))
}

/// A board whose changes were just asked for (there were none), and when.
fn just_asked() -> (Line, Mono) {
    let mut line = Line::running();
    let at = line.run_to(1025, SendChanges);
    (line, at)
}

fn play_e4(line: &mut Line) {
    line.board().change("e2", '.');
    line.board().change("e4", 'P');
}

/// What was said about changes from a moment on.
fn asked_for_changes(line: &Line, from: Mono) -> Vec<BusCommand> {
    let mut said = line.said_to(1025, from.after(Duration::from_micros(1)));
    said.retain(|c| [SendChanges, RepeatChanges].contains(c));
    said
}

#[test]
fn a_move_is_told_in_the_order_in_which_it_was_noted() {
    let (mut line, before) = just_asked();
    play_e4(&mut line);
    let at = line.run_to(1025, SendChanges);
    line.run_until(3000);
    // 4 bytes, then 6 and two records of two.
    let stamp = Stamp { earliest: before.before(Duration::from_millis(250)), latest: answered(at, 14) };
    let expected = [("e2".to_owned(), '.', stamp), ("e4".to_owned(), 'P', stamp)];
    assert_eq!(line.squares(1025), expected);
    assert_eq!(line.boards_told(1025).last(), Some(&(AFTER_E4.to_owned(), true)));
}

#[test]
fn changes_are_followed_at_once_by_another_question() {
    let (mut line, _) = just_asked();
    play_e4(&mut line);
    let at = line.run_to(1025, SendChanges);
    let next = line.run_to(1025, SendChanges);
    assert_eq!(next, answered(at, 14));
}

#[test]
fn a_damaged_answer_is_asked_for_once_more() {
    let (mut line, before) = just_asked();
    line.faults.push((1025, SendChanges, Fault::Damaged));
    play_e4(&mut line);
    let at = line.run_to(1025, SendChanges);
    let again = line.run_to(1025, RepeatChanges);
    // The line must be silent for 20 ms first.
    assert_eq!(again, answered(at, 14).after(Duration::from_millis(20)));
    line.run_until(2700);
    assert_eq!(asked_for_changes(&line, before)[..3], [SendChanges, RepeatChanges, SendChanges]);
    assert_eq!(line.told(1025), ["e2.", "e4P"]);
    let stamp = Stamp { earliest: before.before(Duration::from_millis(250)), latest: answered(again, 14) };
    assert!(line.squares(1025).iter().all(|(_, _, at)| *at == stamp));
    assert_eq!(line.noises(0), [Noise { bytes: 10, cause: NoiseCause::Malformed }]);
    // And it is told before the answer that followed it.
    let place = |wanted: fn(&ReportBody) -> bool| line.reports.iter().position(|(_, _, r)| wanted(&r.body));
    let noise = place(|body| matches!(body, ReportBody::Noise(_)));
    assert!(noise.is_some() && noise < place(|body| matches!(body, ReportBody::Square { .. })));
    assert_eq!(line.collisions, 0);
}

#[test]
fn a_lost_answer_is_asked_for_once_more() {
    let (mut line, before) = just_asked();
    line.faults.push((1025, SendChanges, Fault::Lost));
    line.faults.push((1025, RepeatChanges, Fault::Lost));
    play_e4(&mut line);
    let at = line.run_to(1025, SendChanges);
    // 80 ms, and 4 and 6 bytes.
    let again = line.run_to(1025, RepeatChanges);
    assert_eq!(again.since(at), Duration::from_micros(90_416));
    line.run_until(2900);
    assert_eq!(
        asked_for_changes(&line, before)[..4],
        [SendChanges, RepeatChanges, RepeatChanges, SendChanges]
    );
    assert_eq!(line.told(1025), ["e2.", "e4P"]);
    assert_eq!(line.squares(1025)[0].2.earliest, before.before(Duration::from_millis(250)));
    assert_eq!(line.collisions, 0);
}

#[test]
fn a_cut_answer_is_asked_for_once_more() {
    let (mut line, _) = just_asked();
    line.faults.push((1025, SendChanges, Fault::Cut(9)));
    play_e4(&mut line);
    line.run_until(2900);
    assert_eq!(line.told(1025), ["e2.", "e4P"]);
    assert_eq!(line.noises(0), [Noise { bytes: 9, cause: NoiseCause::Unfinished }]);
}

#[test]
fn a_question_that_was_not_heard_is_put_anew() {
    let (mut line, before) = just_asked();
    line.faults.push((1025, SendChanges, Fault::Unheard));
    play_e4(&mut line);
    line.run_until(2800);
    // The last packet was empty, so nobody knows whether this is it.
    assert_eq!(asked_for_changes(&line, before)[..3], [SendChanges, RepeatChanges, SendChanges]);
    assert_eq!(line.told(1025), ["e2.", "e4P"]);
    // Also the time of the question does not count.
    assert_eq!(line.squares(1025)[0].2.earliest, before.before(Duration::from_millis(250)));
}

#[test]
fn a_packet_is_not_told_twice() {
    let (mut line, _) = just_asked();
    // Lifted and put back: on its own this could happen twice.
    line.board().change("e2", '.');
    line.board().change("e2", 'P');
    let at = line.run_to(1025, SendChanges);
    line.faults.push((1025, SendChanges, Fault::Unheard));
    line.run_until(2900);
    assert_eq!(asked_for_changes(&line, at)[..3], [SendChanges, RepeatChanges, SendChanges]);
    assert_eq!(line.told(1025), ["e2.", "e2P"]);
    // A second time it is told.
    line.board().change("e2", '.');
    line.board().change("e2", 'P');
    line.run_until(3500);
    assert_eq!(line.told(1025), ["e2.", "e2P", "e2.", "e2P"]);
}

#[test]
fn what_may_have_happened_again_is_told_with_an_interval_that_is_true_either_way() {
    let (mut line, before) = just_asked();
    line.board().change("e2", '.');
    line.board().change("e2", 'P');
    line.run_to(1025, SendChanges);
    // Two failures in a row take longer than a scan: it could have happened twice by now.
    line.faults.extend([(1025, SendChanges, Fault::Unheard); 2]);
    line.run_until(3200);
    assert_eq!(line.told(1025), ["e2.", "e2P", "e2.", "e2P"]);
    let earliest = before.before(Duration::from_millis(250));
    assert!(line.squares(1025).iter().all(|(_, _, at)| at.earliest == earliest));
}

#[test]
fn a_lever_is_told_once_whatever_may_have_happened_again() {
    let (mut line, _) = just_asked();
    let remaining = Duration::from_secs(5399);
    line.board().note(Record::Time { side: ClockSide::Left, remaining });
    line.run_to(1025, SendChanges);
    line.faults.extend([(1025, SendChanges, Fault::Unheard); 2]);
    line.run_until(3200);
    assert_eq!(line.faults, []);
    let stopped = ReportBody::Clock(ClockReport::SideStopped { side: ClockSide::Left, remaining });
    assert_eq!(line.bodies(1025).iter().filter(|body| **body == stopped).count(), 1);
}

#[test]
fn records_that_cannot_follow_themselves_are_never_told_again() {
    let (mut line, _) = just_asked();
    play_e4(&mut line);
    line.run_to(1025, SendChanges);
    line.faults.extend([(1025, SendChanges, Fault::Unheard); 2]);
    line.run_until(3200);
    assert_eq!(line.faults, []);
    assert_eq!(line.told(1025), ["e2.", "e4P"]);
}

#[test]
fn what_follows_a_packet_is_not_lost_with_an_answer() {
    let (mut line, _) = just_asked();
    line.board().change("e2", '.');
    let at = line.run_to(1025, SendChanges);
    line.faults.push((1025, SendChanges, Fault::Lost));
    line.board().change("e4", 'P');
    line.run_until(2900);
    assert_eq!(asked_for_changes(&line, at)[..2], [SendChanges, RepeatChanges]);
    assert_eq!(line.told(1025), ["e2.", "e4P"]);
}

#[test]
fn a_late_answer_is_told_once() {
    for late in [80, 95, 150, 260, 400] {
        let (mut line, _) = just_asked();
        line.faults.push((1025, SendChanges, Fault::Late(late)));
        play_e4(&mut line);
        line.run_until(3500);
        assert_eq!(line.told(1025), ["e2.", "e4P"], "{late}");
        line.board().change("d2", '.');
        line.run_until(4500);
        assert_eq!(line.told(1025), ["e2.", "e4P", "d2."], "{late}");
        assert_eq!(line.links(1025).len(), 1);
    }
}

#[test]
fn changes_are_kept_through_many_failures() {
    let (mut line, _) = just_asked();
    line.faults.extend([(1025, SendChanges, Fault::Lost)]);
    line.faults.extend([(1025, RepeatChanges, Fault::Damaged); 4]);
    play_e4(&mut line);
    line.run_until(4000);
    assert_eq!(line.told(1025), ["e2.", "e4P"]);
    assert_eq!(line.links(1025).len(), 1);
}

#[test]
fn a_board_that_starts_again_is_a_lost_link_and_a_new_baseline() {
    let (mut line, before) = just_asked();
    line.board().change("e2", '.');
    line.board().note(Record::PowerUp);
    line.board().change("e4", 'P');
    let at = line.run_to(1025, SendChanges);
    line.run_until(4000);
    // What was noted before is a change; after it, what stands on the board.
    assert_eq!(line.told(1025), ["e2."]);
    let links = line.links(1025);
    let told = answered(at, 4 + 6 + 5);
    let down = Stamp { earliest: before.before(Duration::from_millis(250)), latest: told };
    assert_eq!(links[1..], [(told, LinkState::Down, down), (told, LinkState::Up, Stamp::at(told))]);
    // A baseline, and everything that a link begins with.
    assert_eq!(line.boards_told(1025).last(), Some(&(AFTER_E4.to_owned(), true)));
    let identities = line.bodies(1025).iter().filter(|b| matches!(b, ReportBody::Identity(_))).count();
    assert_eq!(identities, 2);
    assert_eq!(line.capabilities(1025).len(), 2);
}

#[test]
fn a_watchdog_is_a_restart_too() {
    let (mut line, _) = just_asked();
    line.board().note(Record::Watchdog);
    line.board().note(Record::PowerUp);
    line.board().change("e4", 'P');
    line.run_until(4000);
    assert_eq!(line.told(1025), [""; 0]);
    assert_eq!(line.links(1025).len(), 3);
}

#[test]
fn marks_in_the_log_say_nothing() {
    let (mut line, _) = just_asked();
    for mark in [Record::FourRows, Record::Downloaded, Record::BeginPosition, Record::Reserved(0x7d)] {
        line.board().note(mark);
    }
    line.run_until(2400);
    assert_eq!(line.told(1025), [""; 0]);
    assert_eq!(line.links(1025).len(), 1);
}

#[test]
fn records_that_cannot_be_read_are_noise_of_their_board() {
    let (mut line, _) = just_asked();
    line.board().noted = vec![0x01, 0x40, 0x34, 0x41, 0x40];
    let looks = line.times_said(1025, BusCommand::SendBoard).len();
    line.run_until(3000);
    assert_eq!(line.told(1025), ["e2."]);
    assert_eq!(line.noises(1025), [Noise { bytes: 3, cause: NoiseCause::OutOfRange }]);
    assert_eq!(line.times_said(1025, BusCommand::SendBoard).len(), looks + 1);
}

// ----- the clock --------------------------------------------------------------------------

#[test]
fn a_reading_is_as_old_as_the_clocks_lag() {
    let mut line = Line::running();
    let at = line.run_to(1025, SendClock);
    line.run_until(2300);
    // 4 bytes and 13.
    let stamp = Stamp { earliest: at.before(Duration::from_secs(1)), latest: answered(at, 17) };
    assert!(line.readings(1025).iter().any(|(_, told)| *told == stamp));
}

#[test]
fn a_press_may_be_as_old_as_the_reading_before() {
    let mut line = Line::running();
    line.board().show(reading(5399, 5400, ClockSide::Right));
    let before = line.run_to(1025, SendClock);
    line.board().show(reading(5399, 5400, ClockSide::Left));
    let at = line.run_to(1025, SendClock);
    let after = line.run_to(1025, SendClock);
    line.run_until(3000);
    let told = line.readings(1025);
    let press = told.iter().position(|(_, stamp)| stamp.latest == answered(at, 17)).unwrap();
    assert_eq!(told[press].1.earliest, before.before(Duration::from_secs(1)));
    assert_eq!(told[press + 1].1.earliest, after.before(Duration::from_secs(1)));
}

/// When each answer of the clock was received, and its stamp.
fn clock_stamps(line: &Line) -> Vec<Stamp> {
    let clock = line.reports.iter().filter(|(_, _, r)| matches!(r.body, ReportBody::Clock(_)));
    clock.map(|(_, _, r)| r.at).collect()
}

#[test]
fn a_clock_may_have_gone_and_come_right_after_the_answer_before() {
    let mut line = Line::running();
    let lag = Duration::from_secs(1);
    let there = line.run_to(1025, SendClock);
    line.board().clock = ClockMessage::NoClock;
    // A question that is not answered says nothing.
    line.faults = vec![(1025, SendClock, Fault::Lost)];
    let unanswered = line.run_to(1025, SendClock);
    let gone = line.run_to(1025, SendClock);
    // As long as the answer to the lost question may come, nobody knows which answer is whose.
    line.run_until(gone.as_micros() / 1000 + 600);
    let still = line.run_to(1025, SendClock);
    let still_told = answered(still, 17);
    line.run_until(still_told.as_micros() / 1000 + 1);
    line.board().show(reading(5300, 5400, ClockSide::Left));
    let back = line.run_to(1025, SendClock);
    line.run_until(back.as_micros() / 1000 + 100);
    assert!(there < unanswered && unanswered < gone);
    let stamps = clock_stamps(&line);
    let first = stamps.iter().find(|stamp| stamp.latest == answered(gone, 17)).copied();
    assert_eq!(first.map(|stamp| stamp.earliest), Some(there.before(lag)));
    let [.., second, third] = stamps[..] else { panic!("{stamps:?}") };
    // It was gone already.
    assert_eq!(second, Stamp { earliest: still.before(lag), latest: still_told });
    assert_eq!(third, Stamp { earliest: still.before(lag), latest: answered(back, 17) });
}

#[test]
fn a_late_reading_is_as_old_as_the_question_to_which_it_may_belong() {
    let mut line = Line::running();
    line.faults = vec![
        (1025, SendClock, Fault::Lost),
        (1025, SendClock, Fault::Lost),
        (1025, SendClock, Fault::Late(200)),
        (1025, SendChanges, Fault::Lost),
        (1025, RepeatChanges, Fault::Lost),
        (1025, RepeatChanges, Fault::Lost),
    ];
    let at = line.run_to(1025, SendClock);
    line.run_to(1025, RepeatChanges);
    // The clock is asked again at once.
    line.driver.request(line.now, Channel(1025), Request::ReadClock).unwrap();
    let again = line.run_to(1025, SendClock);
    let count = line.readings(1025).len();
    line.run_until(at.as_micros() / 1000 + 2000);
    assert_eq!(line.faults, []);
    let (_, stamp) = line.readings(1025)[count];
    assert!(stamp.latest > again && stamp.latest < again.after(Duration::from_millis(98)), "{stamp:?}");
    assert_eq!(stamp.earliest, at.before(Duration::from_secs(1)));
}

#[test]
fn a_lever_in_the_log_has_the_clock_read_next() {
    let (mut line, _) = just_asked();
    // A clock that does not answer is asked once a second.
    line.faults.extend([(1025, SendClock, Fault::Lost); 3]);
    line.run_until(3000);
    assert_eq!(line.faults, []);
    line.board().note(Record::Time { side: ClockSide::Left, remaining: Duration::from_secs(5399) });
    let at = line.run_to(1025, SendChanges);
    line.run_until(3400);
    let said = line.said_to(1025, at);
    assert_eq!(said[..3], [SendChanges, SendChanges, SendClock]);
}

#[test]
fn corrupt_times_are_noise_and_no_reading() {
    let mut line = Line::running();
    let count = line.readings(1025).len();
    line.board().clock = ClockMessage::decode([0x0c, 8, 8, 0, 0, 0, 0]);
    line.run_to(1025, SendClock);
    line.run_to(1025, SendClock);
    assert_eq!(line.readings(1025).len(), count);
    assert_eq!(line.noises(1025)[0], Noise { bytes: 13, cause: NoiseCause::OutOfRange });
    assert!(ms(3000) > line.now);
}
