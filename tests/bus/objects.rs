// SPDX-License-Identifier: GPL-3.0-or-later
//! Names, objects and properties.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use arbiterd::dbus::{AllowAll, Bus, BusError, Event, Lifeline};
use arbiterd::table::{Completion, GameResult, MoveView, TableState, View};
use arbiterd_board::{Capabilities, ClockControl, Colour, Identity, Sensing, Version};
use tokio::sync::mpsc;
use zbus::fdo::{DBusProxy, ObjectManagerProxy, PropertiesProxy};
use zbus::names::InterfaceName;
use zbus::{Connection, OwnedVariant};

use crate::rig::{PrivateBus, START, Service, setup};

const SERVICE: &str = "org.arbiterd.Arbiter1";
const ROOT: &str = "/org/arbiterd/Arbiter1";
const BOARD: &str = "/org/arbiterd/Arbiter1/board/hall_2d1";
const TABLE: &str = "/org/arbiterd/Arbiter1/table/t_2d1";

async fn property<T>(connection: &Connection, path: &str, interface: &str, name: &str) -> T
where
    T: TryFrom<OwnedVariant>,
    T::Error: std::fmt::Debug,
{
    let proxy = PropertiesProxy::builder(connection).destination(SERVICE).path(path.to_owned());
    let proxy = proxy.build().await.unwrap();
    let interface = InterfaceName::try_from(format!("{SERVICE}.{interface}")).unwrap();
    T::try_from(proxy.get(interface, name).await.unwrap()).unwrap()
}

#[tokio::test]
async fn boards_and_tables_are_below_the_object_manager() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let client = private.connect().await;
    let manager = ObjectManagerProxy::builder(&client).destination(SERVICE).path(ROOT);
    let objects = manager.build().await.unwrap().get_managed_objects().await.unwrap();
    let ours = |path: &str| -> BTreeSet<String> {
        let (_, interfaces) = objects.iter().find(|(p, _)| p.as_str() == path).expect(path);
        interfaces.keys().map(|i| i.to_string()).filter(|i| i.starts_with(SERVICE)).collect()
    };
    assert_eq!(ours(BOARD), BTreeSet::from(["org.arbiterd.Arbiter1.Board".to_owned()]));
    let at_table = ["org.arbiterd.Arbiter1.Table", "org.arbiterd.Arbiter1.Clock"];
    assert_eq!(ours(TABLE), at_table.map(str::to_owned).into());
}

#[tokio::test]
async fn properties_begin_with_what_was_set_up() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let c = private.connect().await;
    assert_eq!(property::<String>(&c, ROOT, "Manager", "Version").await, env!("CARGO_PKG_VERSION"));
    assert_eq!(property::<String>(&c, BOARD, "Board", "Port").await, "/dev/ttyUSB0");
    assert_eq!(property::<String>(&c, BOARD, "Board", "Family").await, "dgt");
    assert_eq!(property::<String>(&c, BOARD, "Board", "State").await, "missing");
    assert_eq!(property::<u32>(&c, BOARD, "Board", "Link").await, 0);
    assert_eq!(property::<String>(&c, BOARD, "Board", "Placement").await, "8/8/8/8/8/8/8/8");
    assert_eq!(property::<zbus::OwnedObjectPath>(&c, TABLE, "Table", "Board").await.as_str(), BOARD);
    assert_eq!(property::<String>(&c, TABLE, "Table", "Rulebook").await, "fide-2023-standard");
    assert_eq!(property::<String>(&c, TABLE, "Table", "Observer").await, "arbiter");
    assert_eq!(property::<String>(&c, TABLE, "Table", "State").await, "no-board");
    assert_eq!(property::<String>(&c, TABLE, "Table", "Fen").await, START);
    assert_eq!(property::<String>(&c, TABLE, "Table", "Result").await, "*");
    assert_eq!(property::<u32>(&c, TABLE, "Clock", "Connected").await, 0);
}

#[tokio::test]
async fn a_resumed_game_is_there_when_the_name_is() {
    let private = PrivateBus::start();
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let first = MoveView {
        ply: 1,
        by: Colour::White,
        uci: "e2e4".to_owned(),
        completion: Completion::Press,
        clock: None,
        fen: fen.to_owned(),
    };
    let second = MoveView { ply: 2, by: Colour::Black, uci: "e7e4".to_owned(), ..first.clone() };
    let present = vec![
        View::Moved(first),
        View::Moved(second),
        View::TakenBack { remaining: 1 },
        View::State(TableState::Over),
        View::Result(GameResult::Drawn),
    ];
    let _service = Service::with(&private, Arc::new(AllowAll), present).await;
    let c = private.connect().await;
    assert_eq!(property::<Vec<String>>(&c, TABLE, "Table", "Moves").await, ["e2e4"]);
    assert_eq!(property::<String>(&c, TABLE, "Table", "Fen").await, fen);
    assert_eq!(property::<String>(&c, TABLE, "Table", "State").await, "over");
    assert_eq!(property::<String>(&c, TABLE, "Table", "Result").await, "1/2-1/2");
}

#[tokio::test]
async fn a_board_tells_who_it_is() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let identity = Identity {
        family: "dgt".to_owned(),
        serial: Some("04711".to_owned()),
        firmware: Some(Version { main: 1, sub: 10 }),
        clock: None,
    };
    let capabilities = Capabilities {
        sensing: Sensing::Pieces,
        clock: ClockControl::ReadOnly,
        board_lag: Duration::from_millis(400),
        clock_lag: Duration::from_secs(1),
    };
    let board = || "hall-1".to_owned();
    let bus = &service.bus;
    let port = Event::Port { board: board(), state: "open".to_owned(), detail: "at last".to_owned() };
    bus.publish(port).await.unwrap();
    bus.publish(Event::Identity { board: board(), identity, capabilities }).await.unwrap();
    let c = private.connect().await;
    assert_eq!(property::<String>(&c, BOARD, "Board", "State").await, "open");
    bus.publish(Event::Link { board: board(), up: true }).await.unwrap();
    assert_eq!(property::<String>(&c, BOARD, "Board", "State").await, "open", "the port is another axis");
    assert_eq!(property::<u32>(&c, BOARD, "Board", "Link").await, 1);
    bus.publish(Event::Link { board: board(), up: false }).await.unwrap();
    assert_eq!(property::<u32>(&c, BOARD, "Board", "Link").await, 2);
    assert_eq!(property::<String>(&c, BOARD, "Board", "Serial").await, "04711");
    assert_eq!(property::<String>(&c, BOARD, "Board", "Firmware").await, "1.10");
    assert_eq!(property::<u64>(&c, BOARD, "Board", "BoardLag").await, 400_000);
    assert_eq!(property::<u64>(&c, BOARD, "Board", "ClockLag").await, 1_000_000);
}

#[tokio::test]
async fn a_second_service_does_not_get_the_name_and_the_first_keeps_it() {
    let private = PrivateBus::start();
    let first = Service::start(&private).await;
    let (calls, _queue) = mpsc::channel(1);
    let second = Bus::serve(private.connect().await, setup(calls, Arc::new(AllowAll), Vec::new())).await;
    assert!(matches!(second, Err(BusError::NameTaken)), "{:?}", second.err());
    let bus = DBusProxy::new(first.bus.connection()).await.unwrap();
    let owner = bus.get_name_owner(SERVICE.try_into().unwrap()).await.unwrap();
    assert_eq!(Some(&owner), first.bus.connection().unique_name());
}

#[tokio::test]
async fn the_end_of_the_bus_and_the_loss_of_the_name_are_noticed() {
    let private = PrivateBus::start();
    let connection = private.connect().await;
    let lifeline = Lifeline::attach(&connection).await.unwrap();
    let (calls, _queue) = mpsc::channel(1);
    let bus = Bus::serve(connection.clone(), setup(calls, Arc::new(AllowAll), Vec::new())).await.unwrap();
    assert!(connection.release_name(SERVICE).await.unwrap());
    assert!(matches!(lifeline.ended().await, BusError::NameLost));

    let lifeline = Lifeline::attach(bus.connection()).await.unwrap();
    drop(private);
    assert!(matches!(lifeline.ended().await, BusError::Gone));
}

#[tokio::test]
async fn events_of_unknown_objects_are_errors() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let view = View::Result(GameResult::Drawn);
    let unknown = Event::View { table: "t-2".to_owned(), revision: None, view };
    assert!(matches!(service.bus.publish(unknown).await, Err(BusError::NoSuchTable(t)) if t == "t-2"));
    let unknown = Event::Link { board: "b".to_owned(), up: true };
    assert!(matches!(service.bus.publish(unknown).await, Err(BusError::NoSuchBoard(b)) if b == "b"));
}
