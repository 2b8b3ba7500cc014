// SPDX-License-Identifier: GPL-3.0-or-later
//! A bus of the test's own, a service on it and a daemon that only answers.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arbiterd::client::BusAddress;
use arbiterd::dbus::{
    AllowAll, Authorizer, BoardInfo, Bus, Call, CallError, Caller, LedgerQuery, LedgerRow, NoticeRow, Setup,
    TableInfo,
};
use arbiterd::laws::{
    Authority, Certainty, Consequence, NotCovered, NotObservable, Notice, NoticeKind, ProposedClock, Ruling,
    RulingKind, Status,
};
use arbiterd::table::{Claim, GameResult, SetUpFault, SetUpWord, Speaker, View};
use arbiterd_board::{Colour, Mono, Square};
use tokio::sync::mpsc;
use zbus::Connection;

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// When the service of the rig publishes rulings.
pub const PUBLISHED: Mono = Mono::from_millis(9_000);

/// A `dbus-daemon` of the test's own.
pub struct PrivateBus {
    child: Child,
    address: String,
    _dir: tempfile::TempDir,
}

impl PrivateBus {
    pub fn start() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut child = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address=1"])
            .arg(format!("--address=unix:path={}", dir.path().join("bus").display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("these tests need dbus-daemon: install the package dbus-daemon or dbus");
        let mut address = String::new();
        // The address is printed once the bus listens.
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut address).expect("an address");
        Self { child, address: address.trim().to_owned(), _dir: dir }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn bus(&self) -> BusAddress {
        BusAddress::Address(self.address.clone())
    }

    pub async fn connect(&self) -> Connection {
        self.bus().connect().await.expect("a connection to the private bus")
    }
}

impl Drop for PrivateBus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A claim that reached the daemon.
#[derive(Clone, PartialEq, Debug)]
pub struct Claimed {
    pub fact: u64,
    pub table: String,
    pub by: Speaker,
    pub claim: Claim,
    pub sender: Caller,
}

/// What the daemon was asked.
#[derive(Clone, Default)]
pub struct Asked {
    claims: Arc<Mutex<Vec<Claimed>>>,
    queries: Arc<Mutex<Vec<LedgerQuery>>>,
}

impl Asked {
    pub fn claims(&self) -> Vec<Claimed> {
        self.claims.lock().unwrap().clone()
    }

    pub fn queries(&self) -> Vec<LedgerQuery> {
        self.queries.lock().unwrap().clone()
    }
}

/// Answers calls: claims are numbered, a flag claim is not covered, the ledger has fixed rows.
fn answer(call: Call, ledger: &[LedgerRow], asked: &Asked) {
    match call {
        Call::Claim { claim: Claim::Flag, reply, .. } => {
            let _ = reply.send(Err(CallError::NotCovered("flags are not ruled on".to_owned())));
        }
        Call::Claim { table, by, claim, sender, reply } => {
            let mut claims = asked.claims.lock().unwrap();
            let fact = claims.len() as u64 + 1;
            claims.push(Claimed { fact, table, by, claim, sender });
            let _ = reply.send(Ok(fact));
        }
        Call::Command { command, reply, .. } => {
            let _ = reply.send(Err(CallError::Refused(format!("{command:?}"))));
        }
        Call::Rulings { query, reply } => {
            let rows = ledger
                .iter()
                .filter(|r| r.row > query.since && query.table.as_ref().is_none_or(|t| *t == r.table))
                .take(query.limit as usize)
                .cloned()
                .collect();
            asked.queries.lock().unwrap().push(query);
            let _ = reply.send(Ok(rows));
        }
        Call::Notices { query, reply } => {
            let row = NoticeRow { row: query.since + 1, table: "t-1".to_owned(), notice: notice() };
            asked.queries.lock().unwrap().push(query);
            let _ = reply.send(Ok(vec![row]));
        }
    }
}

/// A service on a bus.
pub struct Service {
    pub bus: Bus,
    pub asked: Asked,
    daemon: tokio::task::JoinHandle<()>,
}

impl Service {
    pub async fn start(private: &PrivateBus) -> Self {
        Self::with(private, Arc::new(AllowAll), Vec::new()).await
    }

    pub async fn with(private: &PrivateBus, authorizer: Arc<dyn Authorizer>, present: Vec<View>) -> Self {
        let (calls, mut queue) = mpsc::channel(16);
        let asked = Asked::default();
        let bus = Bus::serve(private.connect().await, setup(calls, authorizer, present)).await;
        let for_daemon = asked.clone();
        let daemon = tokio::spawn(async move {
            let ledger = ledger();
            while let Some(call) = queue.recv().await {
                answer(call, &ledger, &for_daemon);
            }
        });
        Self { bus: bus.expect("the service"), asked, daemon }
    }

    /// The daemon takes no more calls.
    pub async fn stop_daemon(&mut self) {
        self.daemon.abort();
        let _ = (&mut self.daemon).await;
    }
}

pub fn setup(calls: mpsc::Sender<Call>, authorizer: Arc<dyn Authorizer>, present: Vec<View>) -> Setup {
    Setup {
        boards: vec![BoardInfo {
            id: "hall-1".to_owned(),
            port: "/dev/ttyUSB0".to_owned(),
            family: "dgt".to_owned(),
        }],
        tables: vec![TableInfo {
            id: "t-1".to_owned(),
            board: "hall-1".to_owned(),
            rulebook: "fide-2023-standard".to_owned(),
            observer: "arbiter".to_owned(),
            start_fen: START.to_owned(),
            present,
        }],
        calls,
        authorizer,
        now: || PUBLISHED,
    }
}

/// A ruling with every field filled in.
pub fn ruling() -> Ruling {
    Ruling {
        seq: 3,
        revision: 5,
        rulebook: "fide-2023-standard".to_owned(),
        kind: RulingKind::IllegalMove,
        articles: vec!["7.5.1".to_owned(), "7.5.5".to_owned()],
        offender: Some(Colour::Black),
        consequence: Consequence {
            add_white: Duration::from_secs(120),
            add_black: Duration::from_secs(1),
            take_back_increment: Duration::from_secs(30),
            result: GameResult::Won(Colour::White),
            restore: Some(START.to_owned()),
            irregular_move: Some("e7e4".to_owned()),
            required_moves: vec!["e7e5".to_owned(), "e7e6".to_owned()],
            free_touch: vec![Square::new(0).unwrap(), Square::new(63).unwrap()],
            proposed_clock: Some(ProposedClock {
                at_irregularity: [Duration::from_secs(10), Duration::from_secs(20)],
                now: [Duration::from_secs(8), Duration::from_secs(19)],
            }),
            illegal_moves: [0, 2],
        },
        authority: Authority::Proposed,
        standing: Status::InForce,
        certainty: Certainty::Likely,
        evidence: vec![11, 12],
        not_observable: vec![NotObservable::ClockTimes],
        evidence_complete: Mono::from_millis(8_000),
    }
}

/// A notice with every field filled in.
pub fn notice() -> Notice {
    Notice {
        kind: NoticeKind::NotRuled,
        at: Mono::from_micros(70),
        squares: vec![Square::new(56).unwrap()],
        side: Some(Colour::Black),
        not_covered: Some(NotCovered::BothFlags),
        evidence: vec![3],
        set_up: vec![SetUpFault {
            what: SetUpWord::Swapped,
            squares: vec![Square::new(3).unwrap(), Square::new(4).unwrap()],
            text: "white king and queen swapped".to_owned(),
        }],
    }
}

/// Three rows; the second of a table that is no more.
pub fn ledger() -> Vec<LedgerRow> {
    let row = |row, table: &str, ruling| LedgerRow { row, table: table.to_owned(), ruling };
    let plain = Ruling {
        seq: 4,
        kind: RulingKind::Checkmate,
        offender: None,
        consequence: Consequence::default(),
        authority: Authority::Final,
        certainty: Certainty::Proven,
        ..ruling()
    };
    vec![row(7, "t-1", ruling()), row(8, "gone", plain.clone()), row(9, "t-1", plain)]
}
