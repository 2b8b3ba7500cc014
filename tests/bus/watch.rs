// SPDX-License-Identifier: GPL-3.0-or-later
//! What is published, in its order on the wire.

use std::collections::HashMap;
use std::time::Duration;

use arbiterd::client::{ClientError, FaultSeen, NoticeInfo, Seen, Watch};
use arbiterd::dbus::{Event, Fault};
use arbiterd::table::{Claim, ClockView, Completion, GameResult, MoveView, Speaker, TableState, View};
use arbiterd_board::{ClockSide, Colour, Mono, Piece, Placement, Role, Square, Stamp};
use futures_util::StreamExt;
use zbus::message::Type;
use zbus::{MatchRule, MessageStream, OwnedVariant, Variant};

use crate::rig::{PrivateBus, START, Service, notice, ruling};

const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

fn view(view: View) -> Event {
    Event::View { table: "t-1".to_owned(), revision: None, view }
}

fn e4() -> MoveView {
    MoveView {
        ply: 1,
        by: Colour::White,
        uci: "e2e4".to_owned(),
        completion: Completion::Press,
        clock: Some([Duration::from_secs(5400), Duration::from_secs(5399)]),
        fen: AFTER_E4.to_owned(),
    }
}

fn square(name: &str) -> Square {
    name.parse().unwrap()
}

const PAWN: Piece = Piece { colour: Colour::White, role: Role::Pawn };

fn stamp(earliest: u64, latest: u64) -> Stamp {
    Stamp { earliest: Mono::from_micros(earliest), latest: Mono::from_micros(latest) }
}

/// The next `n` things that are seen.
async fn take(watch: &mut Watch, n: usize) -> Vec<Seen> {
    let mut seen = Vec::new();
    for _ in 0..n {
        seen.push(watch.next().await.unwrap());
    }
    seen
}

/// A watch after the present state: ports, board, clock and table, in the order of their paths.
async fn opened(private: &PrivateBus) -> Watch {
    let mut watch = Watch::open(private.bus()).await.unwrap();
    let present = take(&mut watch, 4).await;
    assert!(matches!(&present[0], Seen::Ports { ports } if ports[0].board == "hall-1"), "{present:?}");
    assert!(matches!(&present[1], Seen::Board(b) if b.board == "hall-1"), "{present:?}");
    assert!(matches!(&present[2], Seen::Clock(c) if c.table == "t-1"), "{present:?}");
    assert!(matches!(&present[3], Seen::Table(t) if t.table == "t-1" && t.board == "hall-1"), "{present:?}");
    watch
}

#[tokio::test]
async fn a_watch_sees_everything_in_the_order_of_publishing() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let mut watch = opened(&private).await;
    let mut placement = Placement::EMPTY;
    placement[square("e2")] = arbiterd_board::Occupant::Piece(PAWN);
    let (table, board) = ("t-1".to_owned(), "hall-1".to_owned());
    let events = [
        Event::Port { board: board.clone(), state: "open".to_owned(), detail: String::new() },
        Event::Link { board: board.clone(), up: true },
        view(View::State(TableState::AwaitingPosition { differing: vec![square("a1")] })),
        view(View::Placement(placement)),
        view(View::Lifted { square: square("e2"), piece: PAWN, at: stamp(10, 20) }),
        view(View::Placed { square: square("e4"), piece: PAWN, at: stamp(30, 40) }),
        view(View::Pressed { by: Colour::White, at: stamp(50, 60) }),
        Event::View { table: table.clone(), revision: Some(1), view: View::Moved(e4()) },
        view(View::Claimed { by: Speaker::Player(Colour::Black), claim: Claim::IllegalMove, fact: 17 }),
        Event::Ruling {
            table: table.clone(),
            row: 7,
            ruling: Box::new(ruling()),
            committed_at: Mono::from_millis(8_500),
        },
        Event::View { table: table.clone(), revision: Some(2), view: View::TakenBack { remaining: 0 } },
        view(View::Result(GameResult::Won(Colour::White))),
        Event::Notice { table: table.clone(), row: 2, notice: notice() },
    ];
    for event in events {
        service.bus.publish(event).await.unwrap();
    }
    let seen = take(&mut watch, 16).await;
    assert!(matches!(&seen[0], Seen::Ports { ports } if ports[0].state == "open"), "{:?}", seen[0]);
    assert!(matches!(&seen[1], Seen::Board(b) if b.state == "open" && b.link == "unknown"), "{:?}", seen[1]);
    assert!(matches!(&seen[2], Seen::Board(b) if b.state == "open" && b.link == "up"), "{:?}", seen[2]);
    let after_the_board = [
        Seen::State {
            table: table.clone(),
            state: "awaiting-position".to_owned(),
            differing: vec!["a1".to_owned()],
        },
        Seen::Placement { board: board.clone(), placement: "8/8/8/8/8/8/4P3/8".to_owned() },
        Seen::Lifted {
            board: board.clone(),
            square: "e2".to_owned(),
            piece: "P".to_owned(),
            earliest: 10,
            latest: 20,
        },
        Seen::Placed { board, square: "e4".to_owned(), piece: "P".to_owned(), earliest: 30, latest: 40 },
        Seen::Pressed { table: table.clone(), by: "white".to_owned(), earliest: 50, latest: 60 },
        Seen::Position { table: table.clone(), fen: AFTER_E4.to_owned(), revision: 1 },
        Seen::Moved {
            table: table.clone(),
            ply: 1,
            by: "white".to_owned(),
            uci: "e2e4".to_owned(),
            completion: "press",
            fen: AFTER_E4.to_owned(),
            white_ms: Some(5_400_000),
            black_ms: Some(5_399_000),
        },
        Seen::Claimed {
            table: table.clone(),
            by: "black".to_owned(),
            what: "illegal-move".to_owned(),
            fact: 17,
        },
    ];
    assert_eq!(seen[3..11], after_the_board);
    let Seen::Ruled(ruled) = &seen[11] else { panic!("{:?}", seen[11]) };
    assert_eq!((ruled.row, ruled.kind.as_str()), (7, "ruling.illegal-move"));
    assert_eq!((ruled.committed_us, ruled.published_us), (Some(8_500_000), Some(9_000_000)));
    let after_the_ruling = [
        Seen::Position { table: table.clone(), fen: START.to_owned(), revision: 2 },
        Seen::TakenBack { table: table.clone(), remaining: 0 },
        Seen::Result { table: table.clone(), result: "1-0".to_owned() },
        Seen::Notice(NoticeInfo {
            row: 2,
            table,
            kind: "notice.not-ruled".to_owned(),
            at: 70,
            squares: vec!["a8".to_owned()],
            side: "black".to_owned(),
            not_covered: "both-flags".to_owned(),
            evidence: vec![3],
            set_up: vec!["white king and queen swapped".to_owned()],
            set_up_words: vec!["swapped".to_owned()],
            set_up_squares: vec!["d1 e1".to_owned()],
        }),
    ];
    assert_eq!(seen[12..], after_the_ruling);
}

#[tokio::test]
async fn faults_are_told_when_they_begin_when_they_end_and_to_those_who_come_later() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let mut watch = opened(&private).await;
    let fault = Fault {
        kind: "fault.journal".to_owned(),
        table: Some("t-1".to_owned()),
        board: None,
        detail: "no room is left".to_owned(),
    };
    service.bus.publish(Event::Faults(vec![fault])).await.unwrap();
    let expected = Seen::Faults {
        faults: vec![FaultSeen {
            kind: "fault.journal".to_owned(),
            table: "t-1".to_owned(),
            board: String::new(),
            detail: "no room is left".to_owned(),
        }],
    };
    assert_eq!(watch.next().await.unwrap(), expected);
    let mut late = Watch::open(private.bus()).await.unwrap();
    assert!(take(&mut late, 5).await.contains(&expected), "not among the present state");
    service.bus.publish(Event::Faults(Vec::new())).await.unwrap();
    assert_eq!(watch.next().await.unwrap(), Seen::Faults { faults: Vec::new() });
}

#[tokio::test]
async fn one_change_is_one_signal_before_the_one_that_explains_it() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let client = private.connect().await;
    let rule = MatchRule::builder().msg_type(Type::Signal).sender("org.arbiterd.Arbiter1");
    let rule = rule.path("/org/arbiterd/Arbiter1/table/t_2d1").build().unwrap();
    let mut signals = MessageStream::for_match_rule(rule, &client, None).await.unwrap();
    let moved = Event::View { table: "t-1".to_owned(), revision: Some(1), view: View::Moved(e4()) };
    service.bus.publish(moved).await.unwrap();

    let first = signals.next().await.unwrap().unwrap();
    assert_eq!(first.header().member().unwrap().as_str(), "PropertiesChanged");
    let (interface, changed, invalidated): (String, HashMap<String, OwnedVariant>, Vec<String>) =
        first.body().deserialize().unwrap();
    assert_eq!(interface, "org.arbiterd.Arbiter1.Table");
    assert_eq!(changed.len(), 2);
    assert_eq!(&*changed["Fen"], &Variant::from(AFTER_E4));
    assert_eq!(&*changed["Revision"], &Variant::from(1u64));
    assert_eq!(invalidated, ["Moves"]);
    let second = signals.next().await.unwrap().unwrap();
    assert_eq!(second.header().member().unwrap().as_str(), "Moved");
}

#[tokio::test]
async fn a_clock_is_told_once_with_all_that_changed() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let mut watch = opened(&private).await;
    let clock = ClockView {
        white: Duration::from_secs(60),
        black: Duration::from_millis(1_500),
        running: Some(Colour::Black),
        as_of: Mono::from_micros(5),
        uncertainty: Duration::from_secs(1),
        white_side: ClockSide::Right,
        flags: [true, false],
        connected: true,
    };
    service.bus.publish(view(View::Clock(clock))).await.unwrap();
    // The same once more is no change: nothing may be seen of it.
    service.bus.publish(view(View::Clock(clock))).await.unwrap();
    service.bus.publish(view(View::Clock(ClockView { connected: false, ..clock }))).await.unwrap();
    let seen = take(&mut watch, 2).await;
    let Seen::Clock(c) = &seen[0] else { panic!("{:?}", seen[0]) };
    assert_eq!((c.white_ms, c.black_ms, c.running.as_str()), (60_000, 1_500, "black"));
    assert_eq!((c.as_of, c.uncertainty, c.white_side.as_str()), (5, 1_000_000, "right"));
    assert_eq!((c.connected, c.flags.as_slice()), ("connected", ["white".to_owned()].as_slice()));
    assert!(matches!(&seen[1], Seen::Clock(c) if c.connected == "absent"), "{:?}", seen[1]);
}

#[tokio::test]
async fn the_signal_and_the_ledger_tell_a_ruling_alike() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let mut watch = opened(&private).await;
    let committed_at = Mono::from_millis(8_500);
    let event = Event::Ruling { table: "t-1".to_owned(), row: 7, ruling: Box::new(ruling()), committed_at };
    service.bus.publish(event).await.unwrap();
    let Seen::Ruled(mut signalled) = watch.next().await.unwrap() else { panic!("no ruling") };
    // These two belong to the publishing, not to the ruling.
    assert_eq!(signalled.published_us.take(), Some(9_000_000));
    assert_eq!(signalled.committed_us.take(), Some(8_500_000));
    let client = arbiterd::client::Client::connect(private.bus()).await.unwrap();
    assert_eq!(client.rulings(6, None, Some(1)).await.unwrap(), [*signalled]);
}

#[tokio::test]
async fn a_signal_from_another_peer_is_not_believed() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let mut watch = opened(&private).await;
    let stranger = private.connect().await;
    let bus = zbus::fdo::DBusProxy::new(&stranger).await.unwrap();
    for name in bus.list_names().await.unwrap() {
        if name.as_str().starts_with(':') {
            let path = "/org/arbiterd/Arbiter1/table/t_2d1";
            let interface = "org.arbiterd.Arbiter1.Table";
            let body = ("white", "flag", 666u64);
            stranger.emit_signal(Some(name.as_str()), path, interface, "Claimed", &body).await.unwrap();
        }
    }
    // The bus has handed the signals over once it answers.
    bus.list_names().await.unwrap();
    service.bus.publish(view(View::Result(GameResult::Drawn))).await.unwrap();
    let expected = Seen::Result { table: "t-1".to_owned(), result: "1/2-1/2".to_owned() };
    assert_eq!(watch.next().await.unwrap(), expected);
}

#[tokio::test]
async fn a_watch_outlives_the_service_and_begins_again_with_its_present_state() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let mut watch = opened(&private).await;
    service.bus.connection().clone().close().await.unwrap();
    assert_eq!(watch.next().await.unwrap(), Seen::Gone);
    let _again = Service::start(&private).await;
    let seen = take(&mut watch, 5).await;
    assert_eq!(seen[0], Seen::Back);
    assert!(matches!(&seen[4], Seen::Table(t) if t.fen == START), "{:?}", seen[4]);
}

#[tokio::test]
async fn a_watch_without_a_service_or_a_bus_says_so() {
    let private = PrivateBus::start();
    let watch = Watch::open(private.bus()).await;
    assert!(matches!(watch.err(), Some(ClientError::NotRunning { .. })));
    let bus = private.bus();
    let _service = Service::start(&private).await;
    let mut watch = opened(&private).await;
    drop(private);
    assert!(matches!(watch.next().await, Ok(Seen::Gone) | Err(ClientError::Closed { .. })));
    assert!(matches!(Watch::open(bus).await.err(), Some(ClientError::Unreachable { .. })));
}
