// SPDX-License-Identifier: GPL-3.0-or-later
//! A hall for tests: a private bus, a simulated board on a real pty, and the daemon as a child
//! process. Readiness is told by `sd_notify`, never guessed.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use arbiterd::sim::{Pace, PtyBoard};
use arbiterd_board::{ClockSide, Placement};
use arbiterd_dgt::simulator::{BusLine, BusLineOptions, ClockOptions, Options, Simulator};
use tempfile::TempDir;

/// Longer than anything takes on a slow machine: a bound on hanging, not a measure.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// What is played, and under what.
pub struct Plan {
    pub family: &'static str,
    /// How the configuration says that the board is reached, if it does.
    pub transport: Option<&'static str>,
    pub fen: &'static str,
    pub rulebook: &'static str,
    pub observer: &'static str,
    /// White's (left) and Black's (right) time.
    pub times: [Duration; 2],
    pub increment: Duration,
    pub lights: &'static str,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            family: "dgt",
            transport: None,
            fen: START,
            rulebook: "fide-2023-standard",
            observer: "arbiter",
            times: [Duration::from_secs(5400); 2],
            increment: Duration::ZERO,
            lights: "off",
        }
    }
}

/// A private `dbus-daemon`, killed when dropped.
struct PrivateBus {
    child: Child,
    address: String,
}

impl PrivateBus {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address=1"])
            .arg(format!("--address=unix:path={}", folder.join("bus").display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon is installed (Debian package dbus-daemon)");
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { child, address: address.trim().to_owned() }
    }
}

impl Drop for PrivateBus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A daemon as a child process.
pub struct Daemon {
    child: Child,
    notify: UnixDatagram,
    log: PathBuf,
}

impl Daemon {
    /// Starts one; it may not be ready.
    fn spawn(folder: &Path, config: &Path, address: &str) -> Self {
        let socket = folder.join("notify");
        let _ = std::fs::remove_file(&socket);
        let notify = UnixDatagram::bind(&socket).unwrap();
        notify.set_read_timeout(Some(PATIENCE)).unwrap();
        let log = folder.join("daemon.log");
        let child = Command::new(env!("CARGO_BIN_EXE_arbiterd"))
            .args(["run", "--bus", address, "--config"])
            .arg(config)
            .env("NOTIFY_SOCKET", &socket)
            .env("LOG", "info")
            .stdin(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        Self { child, notify, log }
    }

    /// What it has said on standard error.
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until it tells systemd this.
    pub fn wait_for(&self, word: &str) {
        self.wait_for_line(|l| l == word);
    }

    /// Waits until it tells systemd a line like this.
    pub fn wait_for_line(&self, wanted: impl Fn(&str) -> bool) {
        let mut buffer = [0; 4096];
        loop {
            let n = self.notify.recv(&mut buffer).unwrap_or_else(|e| panic!("never told: {e}"));
            if String::from_utf8_lossy(&buffer[..n]).lines().any(&wanted) {
                return;
            }
        }
    }

    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Asks it to stop, as systemd does.
    pub fn terminate(mut self) -> ExitStatus {
        self.signal("TERM");
        self.wait_for("STOPPING=1");
        self.child.wait().unwrap()
    }

    /// Waits for its end, and gives what it said too.
    pub fn ended(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        (status, self.said())
    }

    /// Ends it at once: a supported way to stop.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The names of its threads, each once.
    pub fn threads(&self) -> std::collections::BTreeSet<String> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        // A thread may end while it is looked at.
        tasks
            .filter_map(|t| std::fs::read_to_string(t.unwrap().path().join("comm")).ok())
            .map(|name| name.trim().to_owned())
            .collect()
    }

    /// Whether it still runs.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the daemon said:\n{}", self.said());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The hall.
pub struct Hall {
    folder: TempDir,
    bus: PrivateBus,
    config: PathBuf,
}

impl Hall {
    /// A hall with a bus, nothing plugged in, nothing running.
    pub fn open(plan: &Plan) -> Self {
        Self::open_in(tempfile::tempdir().unwrap(), plan, "[]")
    }

    /// The same with a rulebook of its own beside those of the program.
    pub fn open_with_rulebook(plan: &Plan, id: &str, text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let books = folder.path().join("books");
        std::fs::create_dir(&books).unwrap();
        std::fs::write(books.join(format!("{id}.toml")), text).unwrap();
        let dirs = format!("[{:?}]", books.display().to_string());
        Self::open_in(folder, plan, &dirs)
    }

    /// A hall with a tournament bus: a board and a table for each address, `t1` first.
    pub fn open_with_bus_line(plan: &Plan, addresses: &[u16]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tables: String = (1..)
            .zip(addresses)
            .map(|(n, address)| {
                let bus_serial = format!("bus_serial = \"{address:05}\"\n");
                section(folder.path(), plan, n, &bus_serial)
            })
            .collect();
        Self::with_tables(folder, "[]", &tables)
    }

    fn open_in(folder: TempDir, plan: &Plan, rulebook_dirs: &str) -> Self {
        let transport = plan.transport.map(|word| format!("transport = {word:?}\n")).unwrap_or_default();
        let table = section(folder.path(), plan, 1, &transport);
        Self::with_tables(folder, rulebook_dirs, &table)
    }

    fn with_tables(folder: TempDir, rulebook_dirs: &str, tables: &str) -> Self {
        let bus = PrivateBus::start(folder.path());
        let config = folder.path().join("arbiterd.toml");
        let journal = folder.path().join("journal.db").display().to_string();
        let text = format!("journal = {journal:?}\nrulebook_dirs = {rulebook_dirs}\n{tables}");
        std::fs::write(&config, text).unwrap();
        Self { folder, bus, config }
    }

    pub fn address(&self) -> &str {
        &self.bus.address
    }

    pub fn journal(&self) -> PathBuf {
        self.folder.path().join("journal.db")
    }

    /// Where the board's port is, or will be.
    pub fn port(&self) -> PathBuf {
        self.folder.path().join("board")
    }

    /// Plugs in a line of boards with these addresses, all in the plan's position.
    pub fn plug_line(&self, plan: &Plan, addresses: &[u16]) -> PtyBoard<BusLine> {
        let boards = addresses.iter().map(|&serial| Options { serial: serial.into(), ..options(plan) });
        let line = BusLine::new(arbiterd::time::now(), BusLineOptions::default(), boards.collect()).unwrap();
        PtyBoard::plug(line, Pace::Unpaced, Some(&self.port())).unwrap()
    }

    /// Plugs in a board in the plan's position.
    pub fn plug(&self, plan: &Plan) -> PtyBoard<Simulator> {
        let device = Simulator::new(arbiterd::time::now(), options(plan));
        PtyBoard::plug(device, Pace::Line, Some(&self.port())).unwrap()
    }

    /// Plugs a board in again that was unplugged.
    pub fn replug(&self, device: Simulator) -> PtyBoard<Simulator> {
        PtyBoard::plug(device, Pace::Line, Some(&self.port())).unwrap()
    }

    /// Starts the daemon and waits until it is ready.
    pub fn start(&self) -> Daemon {
        let daemon = self.start_on(self.address());
        daemon.wait_for("READY=1");
        daemon
    }

    /// Starts the daemon on another bus, without waiting for it.
    pub fn start_on(&self, address: &str) -> Daemon {
        Daemon::spawn(self.folder.path(), &self.config, address)
    }

    /// Ends the bus at once.
    pub fn kill_bus(&mut self) {
        self.bus.child.kill().unwrap();
        self.bus.child.wait().unwrap();
    }

    /// The bus stands still; it is still killed at the end.
    pub fn freeze_bus(&self) {
        let status =
            Command::new("kill").args(["-s", "STOP", &self.bus.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Another program that holds the journal until this is dropped.
    pub fn lock_journal(&self) -> rusqlite::Connection {
        let other = rusqlite::Connection::open(self.journal()).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        other
    }
}

/// The configuration of a board and its table.
fn section(folder: &Path, plan: &Plan, n: usize, more: &str) -> String {
    format!(
        "[[board]]\nid = \"b{n}\"\nport = {port:?}\nfamily = {family:?}\n{more}\
         [[table]]\nid = \"t{n}\"\nboard = \"b{n}\"\nrulebook = {rulebook:?}\nobserver = {observer:?}\n\
         white_side = \"left\"\nstart = {fen:?}\nincrement_ms = {increment}\n\
         lights = {lights:?}\n",
        port = folder.join("board").display().to_string(),
        family = plan.family,
        rulebook = plan.rulebook,
        observer = plan.observer,
        fen = plan.fen,
        increment = plan.increment.as_millis(),
        lights = plan.lights,
    )
}

/// A board in the plan's position.
pub fn options(plan: &Plan) -> Options {
    let (placement, rest) = plan.fen.split_once(' ').unwrap();
    let placement: Placement = placement.parse().unwrap();
    let white_begins = rest.starts_with('w');
    Options {
        placement,
        clock: Some(ClockOptions {
            left: plan.times[0],
            right: plan.times[1],
            increment: plan.increment,
            // The opponent of the player who begins has his end down.
            pressed: if white_begins { ClockSide::Right } else { ClockSide::Left },
            ..ClockOptions::default()
        }),
        ..Options::default()
    }
}

/// Runs a program of ours to its end.
pub fn arbiterd(args: &[&str]) -> (ExitStatus, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_arbiterd"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap(), said)
}
