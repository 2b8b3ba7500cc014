// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl` and `busctl`, as programs.

use std::process::Stdio;

use arbiterd::dbus::Event;
use arbiterd::table::{GameResult, TableState, View};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use zbus::fdo::DBusProxy;

use crate::rig::{PrivateBus, Service};

/// What a program wrote, and its exit code.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

async fn run(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().await.expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn arbiterctl(bus: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiterctl"));
    command.args(["--bus", bus]).kill_on_drop(true);
    command
}

fn monitor(private: &PrivateBus, options: &[&str]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = arbiterctl(private.address());
    let mut child = command.args(options).arg("monitor").stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

#[tokio::test]
async fn rulings_are_lines_for_people_or_objects_for_programs() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let ran = run(arbiterctl(private.address()).args(["rulings", "--since", "8"])).await;
    let line = "8.000  t-1  ruling 9 checkmate, article 7.5.1 7.5.5, left to the arbiter: clock-times \
                [final, in-force, proven]\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), line, ""));
    let ran = run(arbiterctl(private.address()).args(["--json", "rulings"])).await;
    let rows: Vec<serde_json::Value> =
        ran.out.lines().map(|l| serde_json::from_str(l).expect("one object a line")).collect();
    assert_eq!(rows.iter().map(|r| r["row"].as_u64()).collect::<Vec<_>>(), [Some(7), Some(8), Some(9)]);
    assert_eq!(rows[0]["required_moves"], serde_json::json!(["e7e5", "e7e6"]));
    assert_eq!(rows[0]["authority"], "proposed");
    assert_eq!(rows[1]["offender"], serde_json::Value::Null);
}

#[tokio::test]
async fn notices_are_read_back_by_row() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let ran = run(arbiterctl(private.address()).args(["notices", "--since", "4"])).await;
    let line = "0.000  t-1  notice not-ruled: a8, black, both-flags, white king and queen swapped (row 5)\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), line, ""));
}

#[tokio::test]
async fn a_claim_is_recorded_and_its_refusal_is_told() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let claim = ["claim", "t-1", "--by", "white"];
    let ran = run(arbiterctl(private.address()).args(claim).arg("illegal-move")).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "claim recorded as fact 1 of table t-1\n"));
    let ran = run(arbiterctl(private.address()).args(claim).arg("flag")).await;
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("org.arbiterd.Arbiter1.Error.NotCovered"), "{}", ran.err);
    let ran = run(arbiterctl(private.address()).args(claim).arg("win")).await;
    assert_eq!(ran.code, Some(2));
    let ran = run(arbiterctl(private.address()).args(["claim", "t-2", "--by", "arbiter", "flag"])).await;
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("no table \"t-2\""), "{}", ran.err);
}

#[tokio::test]
async fn the_monitor_shows_the_present_state_and_then_what_happens() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let (mut child, mut lines) = monitor(&private, &["--json"]);
    let mut events = Vec::new();
    while events.last().is_none_or(|e| e != "table") {
        let line = lines.next_line().await.unwrap().expect("a line");
        let object: serde_json::Value = serde_json::from_str(&line).expect("an object");
        events.push(object["event"].as_str().expect("an event").to_owned());
    }
    assert_eq!(events, ["ports", "board", "clock", "table"]);
    let view = View::State(TableState::InStep);
    let event = Event::View { table: "t-1".to_owned(), revision: None, view };
    service.bus.publish(event).await.unwrap();
    let line = lines.next_line().await.unwrap().expect("a line");
    let object: serde_json::Value = serde_json::from_str(&line).expect("an object");
    assert_eq!(
        object,
        serde_json::json!({ "event": "state", "table": "t-1", "state": "in-step", "differing": [] })
    );
    child.kill().await.unwrap();
}

#[tokio::test]
async fn the_monitor_ends_quietly_when_nobody_reads_it() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let mut command = arbiterctl(private.address());
    command.arg("monitor").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..4 {
        lines.next_line().await.unwrap().expect("the present state");
    }
    drop(lines);
    // A program that another test is just starting may hold the pipe open for a moment, so one
    // line can still find a reader: go on until there is none.
    let bus = DBusProxy::new(service.bus.connection()).await.unwrap();
    let mut results = [GameResult::Drawn, GameResult::Open].into_iter().cycle();
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        let view = View::Result(results.next().unwrap());
        let event = Event::View { table: "t-1".to_owned(), revision: None, view };
        service.bus.publish(event).await.unwrap();
        bus.get_id().await.unwrap();
    };
    assert_eq!(code, Some(0));
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).await.unwrap();
    assert_eq!(err, "");
}

#[tokio::test]
async fn errors_say_what_to_do() {
    let private = PrivateBus::start();
    let ran = run(arbiterctl(private.address()).arg("monitor")).await;
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("not running") && ran.err.contains("--bus"), "{}", ran.err);
    let ran = run(arbiterctl("unix:path=/nonexistent/bus").arg("rulings")).await;
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("cannot be reached") && ran.err.contains("--bus"), "{}", ran.err);
    assert_eq!(run(arbiterctl("nowhere").arg("rulings")).await.code, Some(2));
    let ran = run(arbiterctl("system").arg("--version")).await;
    assert_eq!((ran.code, ran.out), (Some(0), format!("arbiterctl {}\n", env!("CARGO_PKG_VERSION"))));
}

#[tokio::test]
async fn busctl_can_look_and_call() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let busctl = |words: &[&str]| {
        let mut command = Command::new("busctl");
        command.arg(format!("--address={}", private.address())).args(words).kill_on_drop(true);
        command
    };
    let (name, table) = ("org.arbiterd.Arbiter1", "/org/arbiterd/Arbiter1/table/t_2d1");
    let ran = run(&mut busctl(&["introspect", name, table, "org.arbiterd.Arbiter1.Table"])).await;
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.lines().any(|l| l.starts_with(".Claim ") && l.contains("ssa{sv}")), "{}", ran.out);
    let interface = "org.arbiterd.Arbiter1.Table";
    let claim = ["call", name, table, interface, "Claim", "ssa{sv}", "black", "touch-move", "0"];
    let ran = run(&mut busctl(&claim)).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "t 1\n"), "{}", ran.err);
    assert_eq!(service.asked.claims().len(), 1);
    let manager = ["call", name, "/org/arbiterd/Arbiter1", "org.arbiterd.Arbiter1.Manager"];
    let query = ["GetRulings", "ta{sv}", "0", "1", "limit", "u", "1"];
    let ran = run(&mut busctl(&[&manager[..], &query[..]].concat())).await;
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("aa{sv} 1 "), "{}", ran.out);
}
