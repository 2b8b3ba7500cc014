// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks at the whole board, and requests.

use core::time::Duration;

use arbiterd_board::{
    AckOutcome, Channel, Driver, LinkState, Mono, Noise, NoiseCause, Placement, ReportBody, Request,
    RequestError, Run, Stamp,
};
use arbiterd_dgt::bus::BusCommand::{self, RepeatChanges, SendBoard, SendChanges};

use crate::line::{Fault, Line, START, longest_gap, ms, occupant, sq};

const LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
const HERE: Channel = Channel(1025);

/// A board that rests, just after a look was asked for, and when.
fn at_a_look() -> (Line, Mono) {
    let mut line = Line::running();
    let at = line.run_to(1025, SendBoard);
    (line, at)
}

#[test]
fn a_board_at_rest_is_looked_at_every_five_seconds() {
    let mut line = Line::running();
    line.run_until(30_000);
    let looks = line.times_said(1025, SendBoard);
    assert_eq!(looks.len(), 6);
    assert!(longest_gap(&looks) <= Duration::from_millis(5400), "{looks:?}");
    assert!(line.boards_told(1025).iter().all(|told| *told == (START.to_owned(), true)));
}

#[test]
fn a_change_is_followed_by_a_look_after_a_pause() {
    let mut line = Line::running();
    line.run_to(1025, SendChanges);
    line.board().change("e2", '.');
    let told = line.run_to(1025, SendChanges);
    let look = line.run_to(1025, SendBoard);
    let wait = look.since(told);
    assert!(wait >= Duration::from_millis(300) && wait <= Duration::from_millis(600), "{wait:?}");
    line.run_until(3000);
    assert_eq!(line.boards_told(1025).last(), Some(&(LIFTED.to_owned(), true)));
}

#[test]
fn a_dump_is_told_when_the_changes_until_then_are_known() {
    let (mut line, at) = at_a_look();
    line.run_until(at.as_micros() / 1000 + 150);
    // 4 and 70 bytes, and 5 ms.
    let received = at.after(Duration::from_micros(5000 + 77_083));
    assert_eq!(line.said_to(1025, at)[..2], [SendBoard, SendChanges]);
    let (told, _, report) = line
        .reports
        .iter()
        .rfind(|(_, _, r)| matches!(r.body, ReportBody::Board { confirmed: true, .. }))
        .unwrap();
    assert_eq!(report.at, Stamp { earliest: at.before(Duration::from_millis(250)), latest: received });
    // The follow-up took 10 bytes and 5 ms more.
    assert_eq!(*told, received.after(Duration::from_micros(5000 + 10_416)));
}

#[test]
fn a_dump_amid_changes_is_set_aside_and_the_changes_are_told() {
    let (mut line, at) = at_a_look();
    let told = line.boards_told(1025).len();
    // The dump was made a moment before.
    line.board().change("e2", '.');
    line.run_until(at.as_micros() / 1000 + 150);
    assert_eq!(line.told(1025), ["e2."]);
    assert_eq!(line.boards_told(1025).len(), told, "it may show what the records tell later");
    line.run_until(at.as_micros() / 1000 + 1500);
    assert_eq!(line.boards_told(1025).last(), Some(&(LIFTED.to_owned(), true)));
    assert_eq!(line.told(1025), ["e2."]);
}

#[test]
fn a_dump_soon_after_a_change_is_not_confirmed() {
    let mut line = Line::running();
    line.run_to(1025, SendChanges);
    // The change is told 200 ms late, so the next cycle begins soon after.
    line.faults = vec![(1025, SendChanges, Fault::Lost), (1025, RepeatChanges, Fault::Lost)];
    line.board().change("e2", '.');
    let at = line.run_to(1025, SendChanges);
    let id = line.driver.request(line.now, HERE, Request::ReadBoard).unwrap();
    line.run_until(at.as_micros() / 1000 + 450);
    assert_eq!(line.boards_told(1025).last(), Some(&(LIFTED.to_owned(), false)));
    assert_eq!(line.acks(id).len(), 1);
    line.run_until(3200);
    assert_eq!(line.boards_told(1025).last(), Some(&(LIFTED.to_owned(), true)));
}

#[test]
fn a_dump_without_its_follow_up_is_not_confirmed() {
    for faults in [
        vec![(1025, SendChanges, Fault::Lost)],
        vec![(1025, SendChanges, Fault::Unheard)],
        vec![
            (1025, SendChanges, Fault::Lost),
            (1025, RepeatChanges, Fault::Lost),
            (1025, RepeatChanges, Fault::Lost),
        ],
    ] {
        let (mut line, at) = at_a_look();
        let before = line.boards_told(1025).len();
        line.faults.clone_from(&faults);
        line.run_until(at.as_micros() / 1000 + 3000);
        let told = line.boards_told(1025);
        assert_eq!(told[before], (START.to_owned(), false), "{faults:?}");
        assert_eq!(told.last(), Some(&(START.to_owned(), true)), "{faults:?}");
    }
}

#[test]
fn a_baseline_never_shows_a_change_that_is_told_once_more() {
    let mut line = Line::new([1025]);
    // The dump does not show it yet.
    line.run_to(1025, SendBoard);
    line.board().change("e2", '.');
    // This one does.
    line.run_to(1025, SendChanges);
    line.board().change("e4", 'P');
    line.run_until(2500);
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    assert_eq!(line.boards_told(1025), [(after.to_owned(), true)]);
    assert_eq!(line.told(1025), [""; 0]);
}

#[test]
fn a_baseline_whose_follow_up_fails_never_shows_a_change_that_is_told_once_more() {
    for faults in [
        vec![
            (1025, SendChanges, Fault::Lost),
            (1025, RepeatChanges, Fault::Lost),
            (1025, RepeatChanges, Fault::Lost),
        ],
        vec![(1025, SendChanges, Fault::Damaged)],
        vec![(1025, SendChanges, Fault::Unheard)],
    ] {
        let mut line = Line::new([1025]);
        line.run_to(1025, SendChanges);
        line.board().change("e2", '.');
        line.run_to(1025, SendBoard);
        line.board().change("e4", 'P');
        line.faults.clone_from(&faults);
        line.run_until(4000);
        assert_eq!(line.faults, []);
        let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
        assert_eq!(line.boards_told(1025)[0], (after.to_owned(), true), "{faults:?}");
        assert_eq!(line.told(1025), [""; 0], "{faults:?}");
    }
}

#[test]
fn a_board_on_which_there_is_always_a_hand_is_begun_with_what_its_records_say() {
    let mut line = Line::new([1025]);
    line.run_to(1025, SendBoard);
    // From here on every look finds changes, and the last one is after it.
    let mut letter = '.';
    while line.boards_told(1025).is_empty() {
        line.board().change("a2", letter);
        letter = if letter == '.' { 'P' } else { '.' };
        line.run_to(1025, SendBoard);
        assert!(line.now < ms(3000));
    }
    let (first, confirmed) = line.boards_told(1025).remove(0);
    assert!(!confirmed);
    line.run_until(6000);
    // What was told puts together what stands there.
    let mut placement: Placement = first.parse().unwrap();
    for (square, letter, _) in line.squares(1025) {
        assert_ne!(placement[sq(&square)].letter(), letter, "told once more");
        placement[sq(&square)] = occupant(letter);
    }
    assert_eq!(placement, line.board().placement);
    assert_eq!(line.boards_told(1025).last(), Some(&(placement.to_string(), true)));
}

#[test]
fn a_change_that_no_record_told_is_confirmed_by_a_second_dump() {
    let mut line = Line::running();
    let before = line.times_said(1025, SendBoard).pop().unwrap();
    let count = line.boards_told(1025).len();
    // The board has noted nothing.
    line.board().placement[sq("e2")] = occupant('.');
    let first = line.run_to(1025, SendBoard);
    let second = line.run_to(1025, SendBoard);
    line.run_until(second.as_micros() / 1000 + 500);
    assert_eq!(line.boards_told(1025)[count..], [(LIFTED.to_owned(), false), (LIFTED.to_owned(), true)]);
    assert!(second.since(first) < Duration::from_millis(900));
    let stamps: Vec<Stamp> = line
        .reports
        .iter()
        .filter(|(_, _, r)| matches!(r.body, ReportBody::Board { .. }))
        .map(|(_, _, r)| r.at)
        .collect();
    // It may have happened right after the last dump that did not show it.
    assert_eq!(stamps[count].earliest, before.before(Duration::from_millis(250)));
    assert_eq!(stamps[count + 1].earliest, second.before(Duration::from_millis(250)));
    let lag = line.capabilities(1025).last().unwrap().board_lag;
    assert!(lag >= stamps[count].uncertainty());
}

#[test]
fn two_dumps_that_contradict_each_other_and_the_records_confirm_nothing() {
    let mut line = Line::running();
    let count = line.boards_told(1025).len();
    line.board().placement[sq("e2")] = occupant('.');
    line.run_to(1025, SendBoard);
    line.run_to(1025, SendChanges);
    line.board().placement[sq("e2")] = occupant('P');
    line.run_to(1025, SendBoard);
    line.run_to(1025, SendBoard);
    line.run_until(line.now.as_micros() / 1000 + 500);
    let start = START.to_owned();
    assert_eq!(
        line.boards_told(1025)[count..],
        [(LIFTED.to_owned(), false), (start.clone(), false), (start, true)]
    );
}

#[test]
fn noise_is_told_on_the_line_and_looked_after() {
    let mut line = Line::running();
    let looks = line.times_said(1025, SendBoard).len();
    line.run_to(1025, SendChanges);
    line.hear(&[0x00, 0x7f]);
    line.run_until(3000);
    assert_eq!(line.noises(0), [Noise { bytes: 2, cause: NoiseCause::Junk }]);
    assert_eq!(line.times_said(1025, SendBoard).len(), looks + 1);
    assert_eq!(line.boards_told(1025).last(), Some(&(START.to_owned(), true)));
}

#[test]
fn a_message_of_single_board_mode_is_told_at_once_and_looked_after() {
    let mut line = Line::running();
    let looks = line.times_said(1025, SendBoard).len();
    line.hear(&[0x8e, 0x00, 0x05, 0x34, 0x00]);
    assert_eq!(line.noises(0), [Noise { bytes: 5, cause: NoiseCause::WrongMode }]);
    line.run_until(3000);
    // It is no change: nobody knows whose it is.
    assert_eq!(line.told(1025), [""; 0]);
    assert_eq!(line.times_said(1025, SendBoard).len(), looks + 1);
}

#[test]
fn the_answer_of_a_board_that_nobody_knows_is_noise() {
    let mut line = Line::running();
    line.hear(&[0x87, 0x00, 0x06, 0x00, 0x06, 0x13]);
    assert_eq!(line.noises(0), [Noise { bytes: 6, cause: NoiseCause::OutOfRange }]);
}

// ----- requests ---------------------------------------------------------------------------

#[test]
fn a_board_is_read_on_request() {
    let mut line = Line::new([1024, 1025]);
    line.run_until(2000);
    line.run_to(1025, SendChanges);
    let asked = line.now;
    let id = line.driver.request(line.now, HERE, Request::ReadBoard).unwrap();
    line.exchange();
    let said = line.run_to(1025, SendBoard);
    line.run_until(3000);
    assert!(said >= asked && said.since(asked) < Duration::from_millis(300));
    let board = line
        .reports
        .iter()
        .rposition(|(_, c, r)| *c == HERE && matches!(r.body, ReportBody::Board { confirmed: true, .. }));
    let ack = line.reports.iter().position(|(_, _, r)| matches!(r.body, ReportBody::Ack { .. }));
    assert_eq!(ack, board.map(|at| at + 1));
    assert_eq!(line.acks(id), [(line.reports[ack.unwrap()].0, HERE, AckOutcome::Accepted)]);
}

#[test]
fn an_answer_to_an_earlier_question_is_no_answer_to_a_request() {
    let (mut line, at) = at_a_look();
    let id = line.driver.request(line.now, HERE, Request::ReadBoard).unwrap();
    line.run_until(at.as_micros() / 1000 + 120);
    assert_eq!(line.acks(id), []);
    line.run_until(at.as_micros() / 1000 + 900);
    assert_eq!(line.acks(id).len(), 1);
    assert_eq!(line.times_said(1025, SendBoard).iter().filter(|said| **said >= at).count(), 2);
}

#[test]
fn a_late_answer_to_an_earlier_question_is_no_answer_to_a_request_and_no_younger_than_it() {
    let mut line = Line::running();
    // A clock that does not answer is left alone for a second.
    line.faults = vec![(1025, BusCommand::SendClock, Fault::Lost); 3];
    while !line.faults.is_empty() {
        line.run_to(1025, BusCommand::SendClock);
    }
    line.driver.request(line.now, HERE, Request::ReadBoard).unwrap();
    line.faults = vec![
        (1025, SendBoard, Fault::Lost),
        (1025, SendBoard, Fault::Lost),
        (1025, SendBoard, Fault::Late(420)),
        (1025, SendChanges, Fault::Lost),
        (1025, RepeatChanges, Fault::Lost),
        (1025, RepeatChanges, Fault::Lost),
    ];
    let at = line.run_to(1025, SendBoard);
    line.run_to(1025, SendBoard);
    let last = line.run_to(1025, SendBoard);
    line.run_to(1025, RepeatChanges);
    let id = line.driver.request(line.now, HERE, Request::ReadBoard).unwrap();
    let again = line.run_to(1025, SendBoard);
    // The answer to the third try, which comes after the question for the request.
    let late = last.after(Duration::from_micros(425_000 + 77_083));
    assert!(late > again && late < again.after(Duration::from_millis(82)), "{late} {again}");
    line.run_until(again.as_micros() / 1000 + 2000);
    assert_eq!(line.faults, []);
    let dumps = line.reports.iter().filter(|(_, _, r)| matches!(r.body, ReportBody::Board { .. }));
    let dump = dumps.map(|(_, _, r)| r.at).find(|stamp| stamp.latest == late).unwrap();
    assert!(dump.earliest <= at.before(Duration::from_millis(250)), "{dump:?} {at}");
    let [(told, _, AckOutcome::Accepted)] = line.acks(id)[..] else { panic!("{:?}", line.acks(id)) };
    assert!(told > late.after(Duration::from_millis(80)), "{told}");
}

#[test]
fn a_clock_is_read_on_request() {
    let mut line = Line::running();
    let asked = line.run_to(1025, BusCommand::SendClock);
    let id = line.driver.request(line.now, HERE, Request::ReadClock).unwrap();
    line.run_until(2600);
    let [(at, channel, outcome)] = line.acks(id)[..] else { panic!("{:?}", line.acks(id)) };
    assert_eq!((channel, outcome), (HERE, AckOutcome::Accepted));
    // Not by the reading that was on its way already.
    assert!(at.since(asked) > Duration::from_millis(100), "{at}");
}

#[test]
fn what_cannot_be_done_is_refused() {
    let mut line = Line::new([1025]);
    let ask = |line: &mut Line, channel, request| line.driver.request(line.now, channel, request);
    assert_eq!(ask(&mut line, HERE, Request::ReadBoard), Err(RequestError::LinkDown));
    line.run_until(2000);
    let other = Channel(7);
    assert_eq!(ask(&mut line, other, Request::ReadBoard), Err(RequestError::NoSuchChannel(other)));
    let all = ask(&mut line, Channel(0), Request::ReadClock);
    assert!(matches!(all, Err(RequestError::NotSupported { .. })));
    let set = Request::SetClock { left: Duration::ZERO, right: Duration::ZERO, run: Run::Stopped };
    assert_eq!(
        ask(&mut line, HERE, set),
        Err(RequestError::NotSupported { what: "telling a clock anything through a bus line" })
    );
}

#[test]
fn a_request_to_a_board_that_falls_silent_is_given_up() {
    let mut line = Line::running();
    line.board().off = true;
    let ids = [Request::ReadBoard, Request::ReadClock]
        .map(|request| line.driver.request(line.now, HERE, request).unwrap());
    line.run_until(8000);
    for id in ids {
        let [(at, _, outcome)] = line.acks(id)[..] else { panic!("{:?}", line.acks(id)) };
        assert_eq!(outcome, AckOutcome::NoAnswer);
        assert!(at <= ms(5000));
    }
    assert_eq!(line.links(1025).last().map(|(_, state, _)| *state), Some(LinkState::Down));
}
