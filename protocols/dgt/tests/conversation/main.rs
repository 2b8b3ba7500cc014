// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver and the simulated board, in virtual time.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

mod confirmed;
mod deadlines;
mod doubt;
mod lag;
mod orders;
mod portions;
mod script;
mod table;
mod trouble;

use core::time::Duration;

use arbiterd_board::{
    AckOutcome, Channel, ClockReport, ClockSide, Driver, Flag, Lever, LinkState, Mono, Noise, NoiseCause,
    Occupant, ReportBody, Request, RequestError, Run, Stamp, Version,
};
use arbiterd_dgt::simulator::{ClockOptions, Options};
use arbiterd_dgt::{BOARD_LAG, CLOCK_LAG, Message, encode};

use table::{START, Table, ms, occupant, piece, sq};

const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

/// The first dump, and the second that confirms it.
const FIRST_LOOKS: [(&str, bool); 2] = [(START, false), (START, true)];

fn clock(left: u64, right: u64) -> Option<ClockOptions> {
    let [left, right] = [left, right].map(Duration::from_secs);
    Some(ClockOptions { left, right, increment: Duration::ZERO, ..ClockOptions::default() })
}

/// Plays e2e4 at `at`, half a second in the hand.
fn play_e4(table: &mut Table, at: u64) {
    table.run_until(at);
    table.board.lift(ms(at), sq("e2"));
    table.run_until(at + 500);
    table.board.place(ms(at + 500), sq("e4"), piece('P'));
}

#[test]
fn start_up_leads_to_a_link_an_identity_and_a_baseline() {
    let mut table = Table::new(Options { serial: 1025, ..Options::default() });
    table.run_until(3000);
    let bodies = table.bodies();
    assert!(matches!(bodies[0], ReportBody::Link(LinkState::Up)), "{bodies:?}");
    assert_eq!(bodies[1], ReportBody::Capabilities(table.driver.capabilities(Channel(0))));
    let ReportBody::Identity(identity) = &bodies[2] else { panic!("{bodies:?}") };
    assert_eq!(identity.family, "dgt");
    assert_eq!(identity.firmware, Some(Version { main: 1, sub: 0 }));
    assert_eq!(table.boards(), FIRST_LOOKS.map(|(board, confirmed)| (board.to_owned(), confirmed)));
    let last = table.identities().pop().unwrap();
    assert_eq!(last.serial.as_deref(), Some("0000000001"));
    assert_eq!(last.clock, Some(Version { main: 2, sub: 2 }));
    // The first reading, and the one that bears it out.
    assert_eq!(table.readings().len(), 2);
}

#[test]
fn start_up_says_the_right_things_at_the_right_times() {
    let mut table = Table::new(Options::default());
    table.run_until(1500);
    let said: Vec<(u64, Vec<u8>)> =
        table.said.iter().map(|(at, b)| (at.as_micros() / 1000, b.clone())).collect();
    assert_eq!(
        said,
        [
            (500, vec![0x40]),
            (600, vec![0x4d]),
            (600, vec![0x45]),
            (600, vec![0x55]),
            (600, vec![0x4b]),
            (700, vec![0x42]),
            (700, vec![0x2b, 3, 3, 9, 0]),
            (800, vec![0x41]),
            (800, vec![0x41]),
            (1000, vec![0x42]),
        ]
    );
}

#[test]
fn updates_before_the_first_dump_are_part_of_it() {
    let mut table = Table::new(Options { scan_period: Duration::from_millis(50), ..Options::default() });
    table.run_until(610);
    table.board.lift(ms(610), sq("e2"));
    table.run_until(2000);
    assert!(table.arrived.contains(&(ms(650), vec![0x8e, 0, 5, 0x34, 0])));
    assert!(!table.bodies().iter().any(|b| matches!(b, ReportBody::Square { .. })));
    // Taken 50 ms after a change, the first dump is not confirmed; the next look is.
    let hand = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR".to_owned();
    assert_eq!(table.boards(), [(hand.clone(), false), (hand, true)]);
}

#[test]
fn an_old_board_without_a_long_serial_number_and_a_clock_starts_too() {
    let mut table =
        Table::new(Options { serial: 1025, long_serial: None, clock: None, ..Options::default() });
    table.run_until(3000);
    assert_eq!(table.identities().pop().unwrap().serial.as_deref(), Some("01025"));
    assert_eq!(table.boards().len(), FIRST_LOOKS.len());
    assert!(table.bodies().contains(&ReportBody::Clock(ClockReport::Absent)));
}

#[test]
fn a_board_that_misses_the_first_question_is_asked_every_two_seconds() {
    let mut table = Table::new(Options::default());
    table.cut = true;
    table.run_until(6000);
    let asked: Vec<u64> =
        table.said.iter().filter(|(_, b)| *b == [0x4d]).map(|(at, _)| at.as_micros()).collect();
    assert_eq!(asked, [600_000, 2_600_000, 4_600_000]);
    assert_eq!(table.bodies(), []);
    table.cut = false;
    table.run_until(8000);
    assert_eq!(table.boards(), FIRST_LOOKS.map(|(board, confirmed)| (board.to_owned(), confirmed)));
}

#[test]
fn a_move_gives_squares_and_then_a_confirmed_board() {
    let mut table = Table::running();
    play_e4(&mut table, 3100);
    table.run_until(4900);
    let bodies = table.bodies();
    let e2 = ReportBody::Square { square: sq("e2"), occupant: Occupant::Empty };
    let e4 = ReportBody::Square { square: sq("e4"), occupant: occupant('P') };
    let squares: Vec<_> = bodies.iter().filter(|b| matches!(b, ReportBody::Square { .. })).collect();
    assert_eq!(squares, [&e2, &e4]);
    assert_eq!(table.boards().last(), Some(&(AFTER_E4.to_owned(), true)));
}

#[test]
fn stamps_reach_back_over_the_time_of_the_deed() {
    let mut table = Table::running();
    play_e4(&mut table, 3100);
    table.run_until(4900);
    // Lifted at 3.1 s; the scan at 3.25 s told it.
    let told = ms(3250);
    let lift = table.reports.iter().find(|r| matches!(r.body, ReportBody::Square { .. })).unwrap();
    assert_eq!(lift.at, Stamp::received(told, BOARD_LAG));
    table.board.start(ms(4900));
    table.run_until(4950);
    let reading = table.reports.iter().rfind(|r| matches!(r.body, ReportBody::Clock(_))).unwrap();
    assert_eq!(reading.at, Stamp::received(ms(4900), CLOCK_LAG));
}

#[test]
fn a_dump_amid_changes_is_not_confirmed() {
    let mut table = Table::running();
    table.run_until(3200);
    table.board.lift(ms(3200), sq("e2"));
    table.run_until(3260);
    table.driver.request(ms(3260), Channel(0), Request::ReadBoard).unwrap();
    table.run_until(3300);
    let hand = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR".to_owned();
    assert_eq!(table.boards().last(), Some(&(hand.clone(), false)));
    table.run_until(3600);
    assert_eq!(table.boards().last(), Some(&(hand, true)));
}

#[test]
fn a_press_turns_the_lever() {
    let mut table = Table::running();
    table.board.start(ms(3000));
    table.run_until(6000);
    assert_eq!(table.readings().last().unwrap().lever, Lever::Pressed(ClockSide::Right));
    table.board.press(ms(6000), ClockSide::Left);
    table.run_until(6100);
    let reading = *table.readings().last().unwrap();
    assert_eq!(reading.lever, Lever::Pressed(ClockSide::Left));
    assert_eq!(reading.turn, Some(ClockSide::Right));
    assert!(reading.counting);
    // Three seconds used, and thirty gained for the press.
    assert_eq!(reading.left.remaining, Duration::from_secs(5400 - 3 + 30));
}

#[test]
fn a_counting_clock_is_not_asked_and_a_stopped_one_neither_unless_there_is_news() {
    let mut table = Table::running();
    let polls = |table: &Table| table.said.iter().filter(|(_, b)| *b == [0x41]).count();
    table.board.start(ms(3000));
    table.run_until(20_000);
    table.board.stop(ms(20_000));
    table.run_until(40_000);
    // At the beginning, and then for a second reading of the first one, of the start and of the stop.
    assert_eq!(polls(&table), 4);
}

#[test]
fn a_fallen_flag_is_seen_in_two_readings() {
    let mut table = Table::with_clock(clock(3, 7));
    table.board.start(ms(3000));
    table.run_until(8000);
    let fallen: Vec<_> = table.readings().into_iter().filter(|r| r.left.flag == Flag::Fallen).collect();
    assert!(fallen.len() >= 2, "{fallen:?}");
    assert!(fallen.iter().all(|r| r.left.remaining.is_zero() && r.right.flag == Flag::Up));
    // Also when the arbiter stops the clock at once.
    let mut table = Table::with_clock(clock(3, 7));
    table.board.start(ms(3000));
    table.run_until(6000);
    table.board.stop(ms(6000));
    table.run_until(9500);
    let fallen = table.readings().into_iter().filter(|r| r.left.flag == Flag::Fallen && !r.counting).count();
    assert!(fallen >= 2);
}

#[test]
fn an_arbiters_correction_by_hand_is_seen() {
    let mut table = Table::running();
    table.run_until(3500);
    table.board.set_times(ms(3500), Duration::from_secs(5520), Duration::from_secs(5400));
    table.run_until(3600);
    let reading = *table.readings().last().unwrap();
    assert_eq!(reading.left.remaining, Duration::from_secs(5520));
    assert!(!reading.counting);
}

#[test]
fn a_silent_board_is_lost_within_five_seconds_and_comes_back() {
    let mut table = Table::running();
    table.run_until(4000);
    table.cut = true;
    table.run_until(20_000);
    let downs: Vec<Stamp> =
        table.links().into_iter().filter(|(l, _)| *l == LinkState::Down).map(|(_, at)| at).collect();
    assert_eq!(downs.len(), 1);
    let (last_heard, _) = *table.arrived.last().unwrap();
    assert_eq!(downs[0], Stamp { earliest: last_heard, latest: last_heard.after(Duration::from_secs(5)) });
    // In between the board changed, which is told as a board and never as a move.
    table.board.replace(ms(20_000), sq("e2"), Occupant::Empty);
    table.board.replace(ms(20_000), sq("e4"), occupant('P'));
    table.cut = false;
    let before = table.reports.len();
    table.run_until(24_000);
    let back: Vec<_> = table.reports[before..].iter().map(|r| r.body.clone()).collect();
    assert_eq!(back[0], ReportBody::Link(LinkState::Up));
    assert!(!back.iter().any(|b| matches!(b, ReportBody::Square { .. })), "{back:?}");
    assert_eq!(table.boards().last(), Some(&(AFTER_E4.to_owned(), true)));
}

#[test]
fn a_board_at_rest_is_kept_alive_and_looked_at() {
    let mut table = Table::running();
    table.run_until(33_000);
    assert_eq!(table.links().len(), 1);
    let said = |byte: u8| table.said.iter().filter(|(_, b)| *b == [byte]).count();
    // Two looks at the start, then one every five seconds, and three seconds after each a sign of
    // life.
    assert_eq!(said(0x42), 2 + 6);
    assert_eq!(said(0x45), 1 + 6);
}

#[test]
fn bytes_without_a_frame_are_no_sign_of_life_for_ever() {
    let mut table = Table::running();
    table.run_until(4000);
    table.cut = true;
    for at in (4000..20_000).step_by(1000) {
        table.run_until(at);
        table.hear(&[0x00, 0x7f]);
    }
    assert_eq!(table.links().last().map(|(l, _)| *l), Some(LinkState::Down));
    // And they are told, not lost.
    assert!(
        table.bodies().iter().any(|b| matches!(b, ReportBody::Noise(Noise { cause: NoiseCause::Junk, .. })))
    );
}

#[test]
fn a_false_update_is_corrected_by_the_confirmed_dump() {
    let mut table = Table::running();
    table.run_until(3500);
    table.hear(&[0x8e, 0, 5, 0x34, 0]);
    table.run_until(3600);
    let told = table.bodies().pop();
    assert_eq!(told, Some(ReportBody::Square { square: sq("e2"), occupant: Occupant::Empty }));
    // The look at 3.8 s contradicts the update: either may be wrong, so another has to agree.
    table.run_until(4099);
    let looks = FIRST_LOOKS.len();
    assert_eq!(table.boards()[looks..], [(START.to_owned(), false)]);
    table.run_until(4100);
    assert_eq!(table.boards()[looks..], [(START.to_owned(), false), (START.to_owned(), true)]);
}

#[test]
fn a_damaged_update_is_told_as_noise_and_looked_after() {
    let mut table = Table::running();
    table.run_until(3500);
    let looks = table.boards().len();
    table.hear(&[0x8e, 0, 5, 0x40, 1, 0x90, 0, 5, 0, 1]);
    table.run_until(3900);
    let noise = Noise { bytes: 5, cause: NoiseCause::OutOfRange };
    assert!(table.bodies().contains(&ReportBody::Noise(noise)));
    assert_eq!(table.boards().len(), looks + 1);
}

#[test]
fn an_update_that_is_lost_behind_an_unknown_message_is_looked_after() {
    let mut table = Table::running();
    table.run_until(3500);
    let looks = table.boards().len();
    table.hear(&[0xa3, 0, 5, 1, 2, 0x0e, 0, 5, 0x34, 0, 0x90, 0, 5, 0, 1]);
    table.run_until(3900);
    assert!(table.bodies().contains(&ReportBody::Noise(Noise { bytes: 10, cause: NoiseCause::Junk })));
    assert_eq!(table.boards().len(), looks + 1);
}

#[test]
fn a_half_frame_is_given_up_after_half_a_second() {
    let mut table = Table::running();
    table.run_until(3500);
    table.hear(&[0x8e, 0, 5, 0x34]);
    table.run_until(4100);
    table.hear(&[0]);
    table.run_until(9000);
    assert!(!table.bodies().iter().any(|b| matches!(b, ReportBody::Square { .. })));
    let noise = Noise { bytes: 5, cause: NoiseCause::Unfinished };
    assert!(table.bodies().contains(&ReportBody::Noise(noise)));
}

#[test]
fn corrupt_times_are_noise_and_a_null_message_says_nothing() {
    let mut table = Table::running();
    table.run_until(3500);
    let readings = table.readings().len();
    table.hear(&[0x8d, 0, 0x0a, 0x0c, 8, 8, 0, 0, 0, 0]);
    table.hear(&[0x8d, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0]);
    table.run_until(3600);
    assert_eq!(table.readings().len(), readings);
    let noise = Noise { bytes: 10, cause: NoiseCause::OutOfRange };
    assert_eq!(table.bodies().last(), Some(&ReportBody::Noise(noise)));
}

#[test]
fn a_board_found_in_bus_mode_is_brought_back() {
    let mut table = Table::running();
    table.run_until(3500);
    let before = table.reports.len();
    table.said.clear();
    table.hear(&[0x87, 0, 6, 8, 1, 0x16]);
    table.run_until(6000);
    let bodies: Vec<_> = table.reports[before..].iter().map(|r| r.body.clone()).collect();
    assert_eq!(bodies[0], ReportBody::Noise(Noise { bytes: 6, cause: NoiseCause::WrongMode }));
    assert_eq!(bodies[1], ReportBody::Link(LinkState::Down));
    assert_eq!(bodies[2], ReportBody::Link(LinkState::Up));
    assert_eq!(table.said[0], (ms(3500), vec![0x40]));
    assert_eq!(table.boards().last(), Some(&(START.to_owned(), true)));
}

#[test]
fn requests_are_answered_or_given_up() {
    let mut table = Table::running();
    table.run_until(3500);
    let board = table.driver.request(ms(3500), Channel(0), Request::ReadBoard).unwrap();
    let clock = table.driver.request(ms(3500), Channel(0), Request::ReadClock).unwrap();
    table.run_until(3600);
    for request in [board, clock] {
        assert_eq!(table.acks(request), [AckOutcome::Accepted]);
    }
    table.cut = true;
    let lost = table.driver.request(ms(3600), Channel(0), Request::ReadBoard).unwrap();
    table.run_until(6599);
    assert_eq!(table.acks(lost), []);
    table.run_until(6600);
    assert_eq!(table.acks(lost), [AckOutcome::NoAnswer]);
}

#[test]
fn an_unanswered_request_is_tried_again() {
    for request in [Request::ReadBoard, Request::ReadClock] {
        let mut table = Table::running();
        table.run_until(3500);
        table.cut = true;
        let id = table.driver.request(ms(3500), Channel(0), request.clone()).unwrap();
        table.run_until(4000);
        table.cut = false;
        table.run_until(4499);
        assert_eq!(table.acks(id), [], "{request:?}");
        table.run_until(4500);
        assert_eq!(table.acks(id), [AckOutcome::Accepted], "{request:?}");
    }
}

#[test]
fn an_answer_to_an_earlier_question_does_not_count() {
    let mut table = Table::running();
    table.run_until(3500);
    table.cut = true;
    let first = table.driver.request(ms(3500), Channel(0), Request::ReadBoard).unwrap();
    table.run_until(3600);
    let second = table.driver.request(ms(3600), Channel(0), Request::ReadBoard).unwrap();
    let dump = encode(&Message::Board(*table.board.placement()));
    table.hear(&dump);
    assert_eq!(table.acks(first), [AckOutcome::Accepted]);
    assert_eq!(table.acks(second), []);
    table.hear(&dump);
    assert_eq!(table.acks(second), [AckOutcome::Accepted]);
}

#[test]
fn what_is_left_of_an_old_stream_is_not_told() {
    let mut table = Table::new(Options::default());
    table.cut = true;
    table.run_until(1000);
    let dump = encode(&Message::Board(START.parse().unwrap()));
    let times = [0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x30, 0, 0x10];
    for stray in [&dump[..], &times[..], &[0x8e, 0, 5, 0x34, 0]] {
        table.hear(stray);
    }
    assert_eq!(table.bodies(), []);
    // The version is answered, but the dump was not asked for yet.
    table.hear(&[0x93, 0, 5, 1, 0]);
    table.hear(&dump);
    assert_eq!(table.boards(), []);
    assert_eq!(table.links().len(), 1);
}

#[test]
fn requests_that_cannot_be_done_are_refused() {
    let mut table = Table::new(Options::default());
    let request =
        |table: &mut Table, channel, request| table.driver.request(table.now, Channel(channel), request);
    assert_eq!(request(&mut table, 0, Request::ReadBoard), Err(RequestError::LinkDown));
    table.run_until(3000);
    assert_eq!(request(&mut table, 1, Request::ReadBoard), Err(RequestError::NoSuchChannel(Channel(1))));
    let ten_hours = Duration::from_secs(36_000);
    let set = Request::SetClock { left: ten_hours, right: Duration::ZERO, run: Run::Stopped };
    assert!(matches!(request(&mut table, 0, set), Err(RequestError::OutOfRange { .. })));
    let light = Request::Light(vec![sq("e2")]);
    assert!(matches!(request(&mut table, 0, light), Err(RequestError::NotSupported { .. })));
    let text = Request::ShowText { text: "nine chars".to_owned(), beep: Duration::ZERO };
    assert!(matches!(request(&mut table, 0, text), Err(RequestError::OutOfRange { .. })));
    let said = table.said.len();
    table.run_until(3100);
    assert_eq!(table.said.len(), said, "nothing was sent");
}

#[test]
fn a_mute_clock_is_asked_three_times_and_again_when_it_appears() {
    let asked = |table: &Table| table.said.iter().filter(|(_, b)| b[0] == 0x2b).count();
    let mut table = Table::new(Options { clock: None, ..Options::default() });
    // A board that does not even say that there is no clock.
    table.mute = Some(0x8d);
    table.run_until(20_000);
    assert_eq!(asked(&table), 3);
    table.hear(&[0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x30, 0, 0x10]);
    table.run_until(30_000);
    assert_eq!(asked(&table), 6);
}

#[test]
fn opening_the_port_again_starts_the_conversation_again() {
    let mut table = Table::running();
    table.run_until(3500);
    table.driver.reset(ms(3500));
    table.run_until(6500);
    let links: Vec<_> = table.links().into_iter().map(|(l, _)| l).collect();
    assert_eq!(links, [LinkState::Up, LinkState::Down, LinkState::Up]);
    assert_eq!(table.boards().len(), 2 * FIRST_LOOKS.len());
}

#[test]
fn a_driver_whose_line_is_not_open_wants_nothing() {
    let mut driver = arbiterd_dgt::DgtDriver::new();
    driver.receive(ms(1), &[0x8e, 0, 5, 0x34, 0]);
    driver.handle_timeout(Mono::from_millis(10_000));
    assert_eq!(driver.poll_timeout(), None);
    assert_eq!(driver.poll_transmit(), None);
    assert_eq!(driver.poll_report(), None);
}
