// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver against a simulated board in trouble: clocks that are set, that refuse, that lose
//! commands; boards without power for a moment; faults of the line, of any kind, at any time.

use core::time::Duration;

use arbiterd_board::{
    AckOutcome, Channel, ClockControl, ClockReport, Driver, LinkState, ReportBody, Request, Run,
};
use arbiterd_dgt::simulator::{ClockOptions, Control, Fault, LineFault, Options, PowerUp, Rate};
use arbiterd_dgt::wire::clock_code;
use proptest::prelude::*;

use crate::table::{START, Table, ms, occupant, piece, sq};

const EMPTY_E2: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";

fn with_clock(clock: ClockOptions) -> Table {
    Table::with_clock(Some(clock))
}

fn computer() -> ClockOptions {
    ClockOptions { control: Control::Computer, ..ClockOptions::default() }
}

/// 1:31:58 and 1:30:00, paused.
fn set() -> Request {
    Request::SetClock { left: Duration::from_secs(5518), right: Duration::from_secs(5400), run: Run::Stopped }
}

fn order(table: &mut Table, request: Request) -> arbiterd_board::RequestId {
    table.driver.request(table.now, Channel(0), request).unwrap()
}

#[test]
fn a_clock_under_a_computers_control_is_set_and_read_back() {
    for delay in [0, 50, 700, 1500] {
        let mut table = with_clock(ClockOptions { ack_delay: Duration::from_millis(delay), ..computer() });
        table.run_until(6000);
        let id = order(&mut table, set());
        table.run_until(10_000);
        assert_eq!(table.acks(id), [AckOutcome::Accepted], "{delay} ms");
        assert_eq!(table.driver.capabilities(Channel(0)).clock, ClockControl::Settable);
        let last = *table.readings().last().unwrap();
        assert_eq!(last.left.remaining, Duration::from_secs(5518));
        assert_eq!(last.right.remaining, Duration::from_secs(5400));
        assert!(!last.counting);
        // From the answer on, no time from before is told as one that can be believed.
        let bodies = table.bodies();
        let answered = bodies.iter().position(|b| matches!(b, ReportBody::Ack { .. })).unwrap();
        let believed = bodies[answered..].iter().filter_map(|b| match b {
            ReportBody::Clock(ClockReport::Reading(reading)) => Some(reading.left.remaining),
            _ => None,
        });
        assert!(believed.clone().count() > 0);
        assert!(believed.clone().all(|left| left == Duration::from_secs(5518)), "{delay} ms");
    }
}

#[test]
fn a_clock_in_a_normal_option_refuses() {
    let mut table = with_clock(ClockOptions::default());
    table.run_until(6000);
    let id = order(&mut table, set());
    table.run_until(9000);
    assert_eq!(table.acks(id), [AckOutcome::Refused]);
    assert_eq!(table.readings().last().unwrap().left.remaining, Duration::from_secs(5400));
    assert_eq!(table.driver.capabilities(Channel(0)).clock, ClockControl::ReadOnly);
}

#[test]
fn a_clock_that_never_answers_is_given_up_and_the_board_goes_on() {
    let mut table = with_clock(ClockOptions { answers: false, ..ClockOptions::default() });
    table.run_until(12_000);
    let id = order(&mut table, Request::ShowTimes);
    table.board.lift(ms(12_000), sq("e2"));
    table.run_until(13_000);
    assert!(table.boards().contains(&(EMPTY_E2.to_owned(), true)), "the squares wait for no clock");
    table.run_until(22_000);
    assert_eq!(table.acks(id), [AckOutcome::NoAnswer]);
    assert_eq!(table.links().len(), 1);
}

#[test]
fn a_text_reaches_a_clock_that_loses_commands() {
    for seed in 0..20 {
        let clock = ClockOptions { flaky_percent: 40, ..ClockOptions::default() };
        let mut table = Table::new(Options { clock: Some(clock), seed, ..Options::default() });
        table.run_until(10_000);
        if table.identities().last().unwrap().clock.is_none() {
            // The question for its version failed three times, so its kind is not known.
            continue;
        }
        let id = order(&mut table, Request::ShowText { text: "hello".to_owned(), beep: Duration::ZERO });
        table.run_until(25_000);
        let shown = table.board.display().unwrap().text.as_deref().map(str::trim_end) == Some("hello");
        let taken = table.acks(id) == [AckOutcome::Accepted];
        assert!(shown || !taken, "seed {seed}: what was not shown is told as no success");
        assert_eq!(table.acks(id).len(), 1, "seed {seed}");
    }
}

#[test]
fn an_answer_that_is_repeated_is_not_taken_for_the_next() {
    let clock = ClockOptions { repeats_answers: true, control: Control::Clock, ..ClockOptions::default() };
    let mut table = with_clock(clock);
    table.run_until(6000);
    let text = |text: &str| Request::ShowText { text: text.to_owned(), beep: Duration::ZERO };
    let first = order(&mut table, text("one"));
    let second = order(&mut table, set());
    table.run_until(12_000);
    assert_eq!(table.acks(first), [AckOutcome::Accepted]);
    assert_eq!(table.acks(second), [AckOutcome::Refused]);
    let codes: Vec<u8> =
        table.said.iter().filter(|(_, b)| b[0] == 0x2b).filter_map(|(_, b)| b.get(3).copied()).collect();
    assert!(codes.ends_with(&[clock_code::TEXT, clock_code::SET_AND_RUN]), "each once: {codes:02x?}");
}

#[test]
fn a_board_without_power_for_a_moment_tells_its_changes_again() {
    for power_up in [PowerUp::Single, PowerUp::Bus] {
        let mut table = Table::new(Options { power_up, ..Options::default() });
        table.run_until(5000);
        table.board.power_cycle(ms(5000));
        table.board.lift(ms(5000), sq("e2"));
        // The next look shows the change; from then on changes are told again.
        table.run_until(15_000);
        assert_eq!(table.boards().last().unwrap().0, EMPTY_E2);
        let told = table.reports.len();
        table.board.place(ms(15_000), sq("e4"), piece('P'));
        table.run_until(15_400);
        let news: Vec<ReportBody> = table.bodies().split_off(told);
        let e4 = ReportBody::Square { square: sq("e4"), occupant: occupant('P') };
        assert!(news.contains(&e4), "{power_up:?}: {news:?}");
    }
}

#[test]
fn a_frozen_board_is_lost_and_found() {
    let mut table = Table::running();
    table.board.inject(ms(3000), Fault::Freeze(Duration::from_secs(12)));
    table.run_until(30_000);
    let links: Vec<LinkState> = table.links().into_iter().map(|(state, _)| state).collect();
    assert_eq!(links, [LinkState::Up, LinkState::Down, LinkState::Up]);
    assert_eq!(table.boards().last(), Some(&(START.to_owned(), true)));
}

#[test]
fn a_log_nobody_asked_for_delays_and_loses_nothing() {
    let mut table = Table::new(Options { paced: true, ..Options::default() });
    table.run_until(4000);
    table.board.inject(ms(4000), Fault::LogDump);
    table.board.lift(ms(5000), sq("e2"));
    table.run_until(30_000);
    assert_eq!(table.boards().last(), Some(&(EMPTY_E2.to_owned(), true)));
    let noise = table.bodies().iter().filter(|b| matches!(b, ReportBody::Noise(_))).count();
    assert_eq!(noise, 0);
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        (3u32..200).prop_map(|n| Fault::Line(LineFault::Drop(Rate::OneIn(n)))),
        (3u32..200, any::<u8>()).prop_map(|(n, byte)| Fault::Line(LineFault::Insert(Rate::OneIn(n), byte))),
        (3u32..200).prop_map(|n| Fault::Line(LineFault::Flip(Rate::OneIn(n)))),
        (1u16..80).prop_map(|bytes| Fault::Line(LineFault::Cut(bytes))),
        (0u64..3000).prop_map(|ms| Fault::Line(LineFault::Late(Duration::from_millis(ms)))),
        (0u64..9000).prop_map(|ms| Fault::Freeze(Duration::from_millis(ms))),
        Just(Fault::LeftoverTime),
        Just(Fault::NullTime),
        Just(Fault::BusFrame),
        Just(Fault::LogDump),
    ]
}

/// All faults of the line end.
fn mend(table: &mut Table) {
    for fault in [
        Fault::Line(LineFault::Drop(Rate::Never)),
        Fault::Line(LineFault::Insert(Rate::Never, 0)),
        Fault::Line(LineFault::Flip(Rate::Never)),
        Fault::Line(LineFault::Late(Duration::ZERO)),
    ] {
        table.board.inject(table.now, fault);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever goes wrong with the line, and whatever hands do meanwhile: once it is mended, the
    /// board that is told, and confirmed, is the one that stands there.
    #[test]
    fn after_any_trouble_the_board_is_told_as_it_stands(
        faults in proptest::collection::vec((fault(), 0u64..4000, 0u8..64), 1..8),
        seed in any::<u64>(),
        paced in any::<bool>(),
    ) {
        let mut table = Table::new(Options { seed, paced, ..Options::default() });
        table.run_until(3000);
        let mut at = 3000;
        for (fault, wait, square) in faults {
            table.board.inject(ms(at), fault);
            let square = arbiterd_board::Square::new(square).unwrap();
            table.board.replace(ms(at), square, occupant('q'));
            at += wait;
            table.run_until(at);
        }
        mend(&mut table);
        // A log in the memory takes 8.3 s on the line and a frozen board 9 s, one after another.
        at += 120_000;
        table.run_until(at);
        let stands = table.board.placement().to_string();
        prop_assert_eq!(table.boards().pop(), Some((stands, true)));
        let last = table.links().last().map(|(state, _)| *state);
        prop_assert_eq!(last, Some(LinkState::Up));
    }
}
