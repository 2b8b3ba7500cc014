// SPDX-License-Identifier: GPL-3.0-or-later
//! Links over real pseudo terminals: states of a port, bytes both ways, unplugging.
//!
//! Nothing here waits for time to pass: each step awaits an event, for at most [`PATIENCE`].
#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a failed test")]

mod late_reader;

use std::collections::VecDeque;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use arbiterd::link::{LinkEvent, LinkHandle, LinkSettings, PortState, run};
use arbiterd::sim::{Device, Move, Pace, PtyBoard, PtyError};
use arbiterd_board::{
    Capabilities, Channel, ClockControl, Driver, LineSettings, LinkState, Mono, Noise, NoiseCause, Occupant,
    Parity, Piece, Placement, Report, ReportBody, Request, RequestError, RequestId, Sensing, Square, Stamp,
};
use arbiterd_dgt::DgtDriver;
use arbiterd_dgt::simulator::{Options, Simulator};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

const PATIENCE: Duration = Duration::from_secs(20);
const BOARD: Channel = Channel(0);
const LINE: LineSettings =
    LineSettings { baud: 9600, data_bits: 8, parity: Parity::None, stop_bits: 1, data_terminal_ready: None };

/// What these drivers say that they can do.
const NO_LAGS: Capabilities = Capabilities {
    sensing: Sensing::Pieces,
    clock: ClockControl::None,
    board_lag: Duration::ZERO,
    clock_lag: Duration::ZERO,
};

/// Bytes that a terminal would swallow, translate or act upon if it were not raw.
const AWKWARD: [u8; 10] = [0x00, 0x0d, 0x0a, 0x11, 0x13, 0x1a, 0x03, 0x04, 0x7f, 0xff];

async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("never came: {what}"))
}

/// What happened to a driver.
#[derive(PartialEq, Eq, Debug)]
enum Call {
    Reset(Mono),
    Requested,
    Received(Mono, Vec<u8>),
}

/// A driver that tells what happens to it, thinks the board is there at its first byte, and
/// sends the pieces it was given, the next ones with each request.
struct Scripted {
    calls: mpsc::UnboundedSender<Call>,
    /// How many pieces were asked of it.
    given: watch::Sender<usize>,
    scripts: VecDeque<Vec<Vec<u8>>>,
    sending: VecDeque<Vec<u8>>,
    up: bool,
    reports: VecDeque<Report>,
}

impl Scripted {
    fn new(scripts: Vec<Vec<Vec<u8>>>) -> (Self, mpsc::UnboundedReceiver<Call>) {
        let (calls, called) = mpsc::unbounded_channel();
        let (sending, reports) = (VecDeque::new(), VecDeque::new());
        let given = watch::channel(0).0;
        (Self { calls, given, scripts: scripts.into(), sending, up: false, reports }, called)
    }
}

impl Driver for Scripted {
    fn line_settings(&self) -> LineSettings {
        LINE
    }

    fn reset(&mut self, now: Mono) {
        self.up = false;
        _ = self.calls.send(Call::Reset(now));
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        if !self.up {
            self.up = true;
            self.reports.push_back(Report { at: Stamp::at(now), body: ReportBody::Link(LinkState::Up) });
        }
        _ = self.calls.send(Call::Received(now, bytes.to_vec()));
    }

    fn poll_report(&mut self) -> Option<(Channel, Report)> {
        Some((BOARD, self.reports.pop_front()?))
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        let piece = self.sending.pop_front()?;
        self.given.send_modify(|given| *given += 1);
        Some(piece)
    }

    fn poll_timeout(&self) -> Option<Mono> {
        None
    }

    fn handle_timeout(&mut self, _: Mono) {}

    fn request(&mut self, _: Mono, _: Channel, _: Request) -> Result<RequestId, RequestError> {
        _ = self.calls.send(Call::Requested);
        self.sending.extend(self.scripts.pop_front().ok_or(RequestError::LinkDown)?);
        Ok(RequestId(0))
    }

    fn capabilities(&self, _: Channel) -> Capabilities {
        NO_LAGS
    }
}

/// A board that says what it was told to and remembers what it heard.
#[derive(Default, Debug)]
struct Parrot {
    saying: VecDeque<Vec<u8>>,
    heard: Vec<u8>,
    /// Told how much was heard in all, whenever something is.
    ears: Option<watch::Sender<usize>>,
}

impl Parrot {
    fn with_ears() -> (Self, watch::Receiver<usize>) {
        let (ears, counted) = watch::channel(0);
        (Self { ears: Some(ears), ..Self::default() }, counted)
    }
}

impl Device for Parrot {
    fn line_settings(&self) -> LineSettings {
        LINE
    }

    fn receive(&mut self, _: Mono, bytes: &[u8]) {
        self.heard.extend(bytes);
        if let Some(ears) = &self.ears {
            ears.send_replace(self.heard.len());
        }
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.saying.pop_front()
    }

    fn poll_timeout(&self) -> Option<Mono> {
        None
    }

    fn handle_timeout(&mut self, _: Mono) {}
}

/// A running link.
struct Rig {
    events: mpsc::Receiver<LinkEvent>,
    handle: LinkHandle,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Rig {
    fn start(port: &Path, driver: Box<dyn Driver + Send>) -> Self {
        let (sender, events) = mpsc::channel(16);
        let (handle, requests) = LinkHandle::new();
        let (stop, stopped) = watch::channel(false);
        let settings = LinkSettings { id: "one".to_owned(), port: port.to_owned(), driver };
        let task = tokio::spawn(run(settings, sender, requests, stopped));
        Self { events, handle, stop, task }
    }

    async fn next(&mut self) -> LinkEvent {
        soon("an event of the link", self.events.recv()).await.unwrap()
    }

    /// The next event, which must be a state of the port.
    async fn state(&mut self) -> PortState {
        match self.next().await {
            LinkEvent::Port { id, state } => {
                assert_eq!(id, "one");
                state
            }
            other => panic!("not a state: {other:?}"),
        }
    }

    /// The next report for which `wanted` gives something; whatever comes before is let pass.
    async fn report<T>(&mut self, wanted: impl Fn(&ReportBody) -> Option<T>) -> T {
        loop {
            if let LinkEvent::Report { report, .. } = self.next().await
                && let Some(found) = wanted(&report.body)
            {
                return found;
            }
        }
    }

    /// Has the driver send the next pieces of its script.
    async fn send(&self, called: &mut mpsc::UnboundedReceiver<Call>) {
        self.handle.request(BOARD, Request::ReadBoard).unwrap();
        assert_eq!(call(called).await, Call::Requested);
    }

    /// Stops the link and awaits its end.
    async fn end(self) {
        self.stop.send(true).unwrap();
        soon("the end of the link", self.task).await.unwrap();
    }
}

async fn call(called: &mut mpsc::UnboundedReceiver<Call>) -> Call {
    soon("a call of the driver", called.recv()).await.unwrap()
}

/// The moment of the next call, which must be a reset.
async fn reset(called: &mut mpsc::UnboundedReceiver<Call>) -> Mono {
    match call(called).await {
        Call::Reset(at) => at,
        other => panic!("not a reset: {other:?}"),
    }
}

/// The next `count` bytes that the driver receives, in however many reads.
async fn received(called: &mut mpsc::UnboundedReceiver<Call>, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < count {
        match call(called).await {
            Call::Received(_, more) => bytes.extend(more),
            other => panic!("not bytes: {other:?}"),
        }
    }
    bytes
}

fn say(board: &PtyBoard<Parrot>, bytes: &[u8]) {
    let bytes = bytes.to_vec();
    board.with(move |parrot, _| parrot.saying.push_back(bytes)).unwrap();
}

/// How often this thread has called read, as the kernel counts.
fn reads_of_this_thread() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    text.lines().find_map(|line| line.strip_prefix("syscr: "))?.parse().ok()
}

#[tokio::test]
async fn a_missing_port_is_taken_when_it_appears() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("board");
    let (driver, mut called) = Scripted::new(vec![]);
    let mut rig = Rig::start(&path, Box::new(driver));
    assert_eq!(rig.state().await.word(), "missing");
    let board = PtyBoard::plug(Parrot::default(), Pace::Unpaced, Some(&path)).unwrap();
    assert_eq!(board.path(), path);
    assert_eq!(rig.state().await, PortState::Open);
    reset(&mut called).await;
    rig.end().await;
}

#[tokio::test]
async fn a_port_held_by_another_is_busy_until_it_is_let_go() {
    let board = PtyBoard::plug(Parrot::default(), Pace::Unpaced, None).unwrap();
    let other = serialport::new(board.path().to_str().unwrap(), 9600).open().unwrap();
    let (driver, _called) = Scripted::new(vec![]);
    let mut rig = Rig::start(board.path(), Box::new(driver));
    assert_eq!(rig.state().await, PortState::Busy);
    drop(other);
    assert_eq!(rig.state().await, PortState::Open);
    // And the link holds it the same way.
    assert!(serialport::new(board.path().to_str().unwrap(), 9600).open().is_err());
    rig.end().await;
    serialport::new(board.path().to_str().unwrap(), 9600).open().unwrap();
}

#[tokio::test]
async fn bytes_pass_unchanged_both_ways_and_are_stamped() {
    let (parrot, mut heard) = Parrot::with_ears();
    let board = PtyBoard::plug(parrot, Pace::Line, None).unwrap();
    let every: Vec<u8> = (0..=255).collect();
    let (driver, mut called) = Scripted::new(vec![vec![AWKWARD.to_vec(), every.clone()]]);
    let mut rig = Rig::start(board.path(), Box::new(driver));
    assert_eq!(rig.state().await, PortState::Open);
    let opened = reset(&mut called).await;

    rig.send(&mut called).await;
    let sent = [AWKWARD.as_slice(), &every].concat();
    soon("what the driver sends", heard.wait_for(|count| *count >= sent.len())).await.unwrap();
    assert_eq!(board.ask(|parrot, _| parrot.heard.clone()).await.unwrap(), sent);

    say(&board, &AWKWARD);
    say(&board, &every);
    let Call::Received(at, mut bytes) = call(&mut called).await else { panic!("no bytes") };
    assert!(at >= opened && at <= arbiterd::time::now(), "{at} is not between {opened} and now");
    bytes.extend(received(&mut called, sent.len() - bytes.len()).await);
    assert_eq!(bytes, sent);
    rig.report(|body| matches!(body, ReportBody::Link(LinkState::Up)).then_some(())).await;
    rig.end().await;
}

#[tokio::test]
async fn what_is_said_before_anyone_listens_is_neither_echoed_nor_kept() {
    let (parrot, mut heard) = Parrot::with_ears();
    let board = PtyBoard::plug(parrot, Pace::Unpaced, None).unwrap();
    say(&board, b"early");
    assert_eq!(board.ask(|parrot, _| parrot.saying.len()).await.unwrap(), 0, "not said yet");
    // A second time for another host, after the first has closed the port.
    for round in 1..=2 {
        let (driver, mut called) = Scripted::new(vec![vec![b"hello".to_vec()]]);
        let mut rig = Rig::start(board.path(), Box::new(driver));
        assert_eq!(rig.state().await, PortState::Open);
        reset(&mut called).await;
        // The board answers when it has heard the host, so it is sure to be listened to.
        rig.send(&mut called).await;
        soon("the greeting", heard.wait_for(|count| *count == 5 * round)).await.unwrap();
        say(&board, b"late");
        assert_eq!(received(&mut called, 4).await, b"late");
        let heard = board.ask(|parrot, _| parrot.heard.clone()).await.unwrap();
        assert_eq!(heard, b"hello".repeat(round));
        rig.end().await;
    }
}

#[tokio::test]
async fn a_board_makes_its_link_over_a_link_only_and_takes_it_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("board");
    std::fs::write(&path, "somebody's").unwrap();
    let refused = PtyBoard::plug(Parrot::default(), Pace::Line, Some(&path)).unwrap_err();
    assert!(matches!(refused, PtyError::Link { .. }), "{refused}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "somebody's");

    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/nowhere", &path).unwrap();
    let first = PtyBoard::plug(Parrot::default(), Pace::Line, Some(&path)).unwrap();
    let second = PtyBoard::plug(Parrot::default(), Pace::Line, Some(&path)).unwrap();
    let target = std::fs::read_link(&path).unwrap();
    first.unplug().await.unwrap();
    assert_eq!(std::fs::read_link(&path).unwrap(), target, "the link of another board was taken away");
    drop(second);
    assert!(!path.is_symlink());
}

#[tokio::test]
async fn a_pulled_plug_is_lost_without_a_busy_loop_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("board");
    let (parrot, mut heard) = Parrot::with_ears();
    let board = PtyBoard::plug(parrot, Pace::Unpaced, Some(&path)).unwrap();
    let (driver, mut called) = Scripted::new(vec![vec![b"?".to_vec()]]);
    let mut rig = Rig::start(&path, Box::new(driver));
    assert_eq!(rig.state().await, PortState::Open);
    let first = reset(&mut called).await;
    rig.send(&mut called).await;
    soon("the question", heard.wait_for(|count| *count == 1)).await.unwrap();
    say(&board, b"!");
    assert_eq!(received(&mut called, 1).await, b"!");
    rig.report(|body| matches!(body, ReportBody::Link(LinkState::Up)).then_some(())).await;

    let before = reads_of_this_thread();
    let pulled = arbiterd::time::now();
    let parrot = board.unplug().await.unwrap();
    assert_eq!(rig.state().await, PortState::Lost);
    match rig.next().await {
        LinkEvent::Report { id, channel, at, report } => {
            assert_eq!((id.as_str(), channel), ("one", BOARD));
            assert!(at >= pulled, "{at} is before {pulled}");
            assert_eq!(report, Report { at: Stamp::at(at), body: ReportBody::Link(LinkState::Down) });
        }
        other => panic!("the table does not hear of it: {other:?}"),
    }
    assert_eq!(rig.state().await.word(), "missing");
    // Requests of the time between are refused, not kept for the board that comes.
    rig.handle.request(BOARD, Request::ReadBoard).unwrap();
    // At least one back-off has passed. The runtime itself reads a few times for its wakers.
    match (before, reads_of_this_thread()) {
        (Some(before), Some(after)) => {
            assert!(after - before < 50, "{} reads of a dead port", after - before)
        }
        _ => println!("skipped: this kernel does not count the reads of a thread"),
    }

    let board = PtyBoard::plug(parrot, Pace::Unpaced, Some(&path)).unwrap();
    assert_eq!(rig.state().await, PortState::Open);
    assert!(reset(&mut called).await > first);
    rig.send(&mut called).await;
    drop(board);
    // Nothing was heard since: the driver did not think that the board answers.
    assert_eq!(rig.state().await, PortState::Lost);
    assert_eq!(rig.state().await.word(), "missing");
    rig.end().await;
    assert_eq!(soon("the driver's end", called.recv()).await, None, "one request each was taken");
}

/// A terminal whose board is frozen: the master side, and nobody at it.
fn frozen() -> (std::fs::File, PathBuf) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    (master.into(), PathBuf::from(name))
}

#[tokio::test]
async fn a_port_that_takes_no_bytes_is_read_all_the_same_and_the_command_is_given_up() {
    use std::io::Write;
    let (mut master, path) = frozen();
    // More than a terminal holds.
    let (driver, mut called) = Scripted::new(vec![vec![vec![0x55; 200_000], b"next".to_vec()]]);
    let mut given = driver.given.subscribe();
    let mut rig = Rig::start(&path, Box::new(driver));
    assert_eq!(rig.state().await, PortState::Open);
    reset(&mut called).await;
    rig.send(&mut called).await;
    for round in 0..3u8 {
        master.write_all(&[round]).unwrap();
        assert_eq!(received(&mut called, 1).await, [round]);
        assert_eq!(*given.borrow(), 1, "the next command before the end of the first");
    }
    soon("the next command", given.wait_for(|given| *given == 2)).await.unwrap();
    master.write_all(b"!").unwrap();
    assert_eq!(received(&mut called, 1).await, b"!");
    rig.end().await;
}

#[tokio::test]
async fn a_listener_that_does_not_listen_does_not_stop_the_reading() {
    let (parrot, mut heard) = Parrot::with_ears();
    let board = PtyBoard::plug(parrot, Pace::Unpaced, None).unwrap();
    let (driver, mut called) = Scripted::new(vec![vec![b"?".to_vec()]]);
    let (sender, mut events) = mpsc::channel(1);
    let (handle, requests) = LinkHandle::new();
    let (_stop, stopped) = watch::channel(false);
    let settings =
        LinkSettings { id: "one".to_owned(), port: board.path().to_owned(), driver: Box::new(driver) };
    let task = tokio::spawn(run(settings, sender, requests, stopped));
    reset(&mut called).await;
    handle.request(BOARD, Request::ReadBoard).unwrap();
    assert_eq!(call(&mut called).await, Call::Requested);
    soon("the question", heard.wait_for(|count| *count == 1)).await.unwrap();
    for byte in 0..20 {
        say(&board, &[byte]);
        assert_eq!(received(&mut called, 1).await, [byte]);
    }
    // The channel held one event; the other waited. The end of the channel ends the link.
    assert!(matches!(
        soon("state", events.recv()).await,
        Some(LinkEvent::Port { state: PortState::Open, .. })
    ));
    assert!(matches!(soon("report", events.recv()).await, Some(LinkEvent::Report { .. })));
    drop(events);
    soon("the end of the link", task).await.unwrap();
}

/// A driver that, asked, reports far too much at once.
struct Flood {
    reports: usize,
}

impl Driver for Flood {
    fn line_settings(&self) -> LineSettings {
        LINE
    }

    fn reset(&mut self, _: Mono) {}

    fn receive(&mut self, _: Mono, _: &[u8]) {}

    fn poll_report(&mut self) -> Option<(Channel, Report)> {
        self.reports = self.reports.checked_sub(1)?;
        let body = ReportBody::Noise(Noise { bytes: 1, cause: NoiseCause::Junk });
        Some((BOARD, Report { at: Stamp::at(Mono::ZERO), body }))
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        None
    }

    fn poll_timeout(&self) -> Option<Mono> {
        None
    }

    fn handle_timeout(&mut self, _: Mono) {}

    fn request(&mut self, _: Mono, _: Channel, _: Request) -> Result<RequestId, RequestError> {
        self.reports = FLOOD;
        Ok(RequestId(0))
    }

    fn capabilities(&self, _: Channel) -> Capabilities {
        NO_LAGS
    }
}

/// More than a link keeps for somebody who does not listen.
const FLOOD: usize = 40_000;

#[tokio::test]
async fn a_link_that_nobody_listens_to_stops_observing_instead_of_growing_and_drops_nothing() {
    let board = PtyBoard::plug(Parrot::default(), Pace::Unpaced, None).unwrap();
    let mut rig = Rig::start(board.path(), Box::new(Flood { reports: 0 }));
    assert_eq!(rig.state().await, PortState::Open);
    rig.handle.request(BOARD, Request::ReadBoard).unwrap();
    // It says that it observes no more after all that it had observed, and only then goes on.
    for n in 0..FLOOD {
        let event = rig.next().await;
        assert!(matches!(event, LinkEvent::Report { .. }), "{n}: {event:?}");
    }
    assert_eq!(rig.state().await, PortState::Lost);
    assert_eq!(rig.state().await, PortState::Open);
    rig.end().await;
}

/// Set for the child process that must not open the port it names.
const FORBIDDEN: &str = "ARBITERD_TEST_FORBIDDEN_PORT";

#[tokio::test]
async fn a_port_without_permission_is_told_as_such() {
    if let Some(port) = std::env::var_os(FORBIDDEN) {
        assert_not_permitted(Path::new(&port)).await;
        return;
    }
    let board = PtyBoard::plug(Parrot::default(), Pace::Unpaced, None).unwrap();
    std::fs::set_permissions(board.path(), PermissionsExt::from_mode(0o000)).unwrap();
    if rustix::fs::access(board.path(), rustix::fs::Access::READ_OK).is_err() {
        assert_not_permitted(board.path()).await;
        return;
    }
    // Permissions do not bind root: a child that is not root looks instead. It runs a copy of this
    // program from a folder that is open to everybody, wherever this one was built.
    if Command::new("setpriv").arg("--version").output().is_err() {
        println!("not tested: running as root, and there is no setpriv (util-linux) to become another user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let copy = folder.path().join("link");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(&copy)
        .args(["--exact", "a_port_without_permission_is_told_as_such"])
        .env(FORBIDDEN, board.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}

async fn assert_not_permitted(port: &Path) {
    let (driver, _called) = Scripted::new(vec![]);
    let mut rig = Rig::start(port, Box::new(driver));
    assert_eq!(rig.state().await, PortState::NotPermitted);
    rig.end().await;
}

#[tokio::test]
async fn the_dgt_driver_gets_to_know_the_simulated_board_and_sees_its_hands() {
    let start: Placement = START.parse().unwrap();
    let options = Options { placement: start, ..Options::default() };
    let simulator = Simulator::new(arbiterd::time::now(), options);
    let board = PtyBoard::plug(simulator, Pace::Line, None).unwrap();
    let mut rig = Rig::start(board.path(), Box::new(DgtDriver::new()));
    assert_eq!(rig.state().await, PortState::Open);
    rig.report(|body| matches!(body, ReportBody::Link(LinkState::Up)).then_some(())).await;
    let seen = rig
        .report(|body| match body {
            ReportBody::Board { placement, confirmed: true } => Some(*placement),
            _ => None,
        })
        .await;
    assert_eq!(seen, start);

    let pawn = Piece::from_letter('P').unwrap();
    let (e2, e4): (Square, Square) = ("e2".parse().unwrap(), "e4".parse().unwrap());
    for act in Move::quiet(pawn, e2, e4).acts() {
        board.act(act).unwrap();
    }
    // One scan may see both changes, and tells them in the order of the squares.
    let square = |body: &ReportBody| match body {
        ReportBody::Square { square, occupant } => Some((*square, *occupant)),
        _ => None,
    };
    let mut changes = [rig.report(square).await, rig.report(square).await];
    changes.sort_by_key(|(square, _)| *square);
    assert_eq!(changes, [(e2, Occupant::Empty), (e4, Occupant::Piece(pawn))]);
    rig.end().await;
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
