// SPDX-License-Identifier: GPL-3.0-or-later
//! What an arbiter tells a table, on its way to the daemon, and what is told of it.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use arbiterd::client::{Client, ClientError, Seen, Watch};
use arbiterd::dbus::{DenyAll, Event};
use arbiterd::laws::Status;
use arbiterd::table::{Command, Restored, View};
use arbiterd_board::Colour;
use zbus::{Connection, Variant};

use crate::rig::{PrivateBus, START, Service};

const TABLE: &str = "/org/arbiterd/Arbiter1/table/t_2d1";

fn all() -> Vec<(Command, &'static [&'static str])> {
    let turn = Colour::White;
    let as_it_stands = |turned, castling: Option<&str>| Command::AcceptBoardAs {
        turn,
        turned,
        castling: castling.map(str::to_owned),
    };
    let moves = |moves: &[&str]| moves.iter().map(|m| (*m).to_owned()).collect();
    vec![
        (Command::Confirm { ruling: 3 }, &["confirm", "t-1", "3"]),
        (Command::Overrule { ruling: 4 }, &["overrule", "t-1", "4"]),
        (Command::AcceptBoard { turn }, &["accept-board", "t-1", "--turn", "white"]),
        (
            as_it_stands(Some(true), None),
            &["accept-board", "t-1", "--turn", "white", "--orientation", "turned"],
        ),
        (
            as_it_stands(Some(false), Some("-")),
            &["accept-board", "t-1", "--turn", "white", "--orientation", "normal", "--castling", "-"],
        ),
        (as_it_stands(None, Some("Kq")), &["accept-board", "t-1", "--turn", "white", "--castling", "Kq"]),
        (Command::Restore { plies: 24 }, &["restore", "t-1", "24"]),
        (
            Command::SetMoves { after: 4, moves: moves(&["e1g1", "a7a8q"]) },
            &["set-moves", "t-1", "--after", "4", "e1g1", "a7a8q"],
        ),
        (Command::CorrectPly { ply: 31, uci: "a7a8n".to_owned() }, &["correct", "t-1", "31", "a7a8n"]),
    ]
}

/// The daemon of these tests refuses each command by what it was told.
#[tokio::test]
async fn each_command_reaches_the_daemon_as_it_was_given() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let client = Client::connect(private.bus()).await.unwrap();
    for (command, words) in all() {
        let told = format!("{command:?}");
        let refused = client.command("t-1", command).await.unwrap_err();
        let ClientError::Refused { name, message } = refused else { panic!("{refused}") };
        assert_eq!((name.as_str(), message), ("org.arbiterd.Arbiter1.Error.Refused", told.clone()));
        let ctl = tokio::process::Command::new(env!("CARGO_BIN_EXE_arbiterctl"))
            .args(["--bus", private.address()])
            .args(words)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output()
            .await
            .unwrap();
        let err = String::from_utf8(ctl.stderr).unwrap();
        assert_eq!(ctl.status.code(), Some(1), "{words:?}: {err}");
        assert!(err.contains(&told), "{words:?}: {err}");
    }
}

#[tokio::test]
async fn whoever_may_not_rule_may_tell_a_table_nothing() {
    let private = PrivateBus::start();
    let _service = Service::with(&private, Arc::new(DenyAll), Vec::new()).await;
    let client = Client::connect(private.bus()).await.unwrap();
    for (command, _) in all() {
        let refused = client.command("t-1", command).await.unwrap_err();
        let ClientError::Refused { name, message } = refused else { panic!("{refused}") };
        assert_eq!(name, "org.arbiterd.Arbiter1.Error.NotAuthorized");
        assert!(message.contains("org.arbiterd.arbiter1.rule"), "{message}");
    }
}

async fn accept(c: &Connection, option: (&str, Variant<'_>)) -> String {
    let options = HashMap::from([option]);
    let interface = Some("org.arbiterd.Arbiter1.Table");
    let body = ("white", options);
    let answer = c.call_method(Some("org.arbiterd.Arbiter1"), TABLE, interface, "AcceptBoard", &body).await;
    match answer.unwrap_err() {
        zbus::Error::MethodError(name, text, _) => format!("{name}: {}", text.unwrap_or_default()),
        e => e.to_string(),
    }
}

#[tokio::test]
async fn wrong_words_for_how_a_board_stands_are_named() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let c = private.connect().await;
    for (option, named) in [
        (("orientation", Variant::from("left")), "left"),
        (("orientation", Variant::from(true)), "orientation"),
        (("castling", Variant::from(3u32)), "castling"),
        (("colour", Variant::from("white")), "orientation, castling"),
    ] {
        let refused = accept(&c, option).await;
        assert!(refused.starts_with("org.freedesktop.DBus.Error.InvalidArgs"), "{refused}");
        assert!(refused.contains(named), "{refused}");
    }
}

#[tokio::test]
async fn a_position_that_is_put_back_is_told_with_what_fell() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let mut watch = Watch::open(private.bus()).await.unwrap();
    // The present state first.
    while !matches!(watch.next().await.unwrap(), Seen::Table(_)) {}
    let view = |view| Event::View { table: "t-1".to_owned(), revision: None, view };
    let restored = |clock| Restored {
        remaining: 2,
        taken_back: vec!["e2e4".to_owned(), "e7e5".to_owned()],
        fen: START.to_owned(),
        clock,
        reopened: true,
    };
    let times = Some([Duration::from_millis(61_500), Duration::from_secs(60)]);
    service.bus.publish(view(View::Restored(restored(times)))).await.unwrap();
    service.bus.publish(view(View::Restored(restored(None)))).await.unwrap();
    service.bus.publish(view(View::Decided { ruling: 5, status: Status::Fallen })).await.unwrap();
    let expected = |white_ms, black_ms| Seen::Restored {
        table: "t-1".to_owned(),
        remaining: 2,
        taken_back: vec!["e2e4".to_owned(), "e7e5".to_owned()],
        fen: START.to_owned(),
        white_ms,
        black_ms,
        reopened: true,
    };
    assert_eq!(watch.next().await.unwrap(), expected(Some(61_500), Some(60_000)));
    assert_eq!(watch.next().await.unwrap(), expected(None, None));
    let fallen = Seen::RulingDecided { table: "t-1".to_owned(), ruling: 5, standing: "fallen" };
    assert_eq!(watch.next().await.unwrap(), fallen);
}
