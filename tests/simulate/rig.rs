// SPDX-License-Identifier: GPL-3.0-or-later
//! The two processes: a board of ours and a host of another making.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Longer than anything takes on a slow machine: a bound on hanging, not a measure.
const PATIENCE: Duration = Duration::from_secs(240);

/// `arbiterctl simulate` as a child process.
pub struct Board {
    child: Child,
    lines: Receiver<String>,
    stdin: Option<ChildStdin>,
    folder: TempDir,
}

/// `before` the family come words for every command.
fn command(folder: &Path, before: &[&str], family: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiterctl"));
    command.args(before).args(["simulate", family, "--link"]).arg(folder.join("board")).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn write_game(folder: &Path, game: &str) -> String {
    let path = folder.join("game.pgn");
    std::fs::write(&path, game).unwrap();
    path.display().to_string()
}

impl Board {
    /// Starts one and waits until it can be opened.
    pub fn start(args: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), &[], "dgt", args)
    }

    /// The same with lines for programs.
    pub fn start_json(args: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), &["--json"], "dgt", args)
    }

    /// The same with a game that is played fast.
    pub fn play(game: &str, args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = write_game(folder.path(), game);
        let args = [&["--play", &path, "--pace", "fast"], args].concat();
        Self::start_in(folder, &[], "dgt", &args)
    }

    /// A Millennium board.
    pub fn millennium(args: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), &[], "millennium", args)
    }

    /// The same with lines for programs.
    pub fn millennium_json(args: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), &["--json"], "millennium", args)
    }

    /// The same with a game that is played fast.
    pub fn millennium_play(game: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = write_game(folder.path(), game);
        Self::start_in(folder, &[], "millennium", &["--play", &path, "--pace", "fast"])
    }

    fn start_in(folder: TempDir, before: &[&str], family: &str, args: &[&str]) -> Self {
        let mut child =
            command(folder.path(), before, family, args).stderr(Stdio::inherit()).spawn().unwrap();
        let (send, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let stdin = child.stdin.take();
        let board = Self { child, lines, stdin, folder };
        let first = board.lines.recv_timeout(PATIENCE).expect("the board says where it is");
        let terminal = match serde_json::from_str::<Value>(&first) {
            Ok(object) => object["terminal"].as_str().unwrap().to_owned(),
            Err(_) => first,
        };
        assert_eq!(std::fs::read_link(board.link()).unwrap(), Path::new(&terminal));
        board
    }

    /// One that does not start: its exit code, what it said and where its link would be.
    pub fn refused(game: &str, args: &[&str]) -> (Option<i32>, String, PathBuf) {
        Self::refused_of("dgt", game, args)
    }

    /// The same of any family.
    pub fn refused_of(family: &str, game: &str, args: &[&str]) -> (Option<i32>, String, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = write_game(folder.path(), game);
        // A position of its own excludes a game.
        let play = ["--play", &path];
        let play: &[&str] = if args.contains(&"--position") { &[] } else { &play };
        let output = command(folder.path(), &[], family, &[play, args].concat()).output().unwrap();
        assert_eq!(output.stdout, b"");
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said, folder.path().join("board"))
    }

    /// One that does not get its link: its exit code and what it said.
    pub fn refused_at(link: &Path) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arbiterctl"));
        let output =
            command.args(["simulate", "dgt", "--link"]).arg(link).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.stdout, b"");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    pub fn link(&self) -> PathBuf {
        self.folder.path().join("board")
    }

    /// Waits for a line with this in it.
    pub fn hear(&mut self, wanted: &str) -> String {
        loop {
            let line =
                self.lines.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("never heard {wanted:?}: {e}"));
            if line.contains(wanted) {
                return line;
            }
        }
    }

    /// Gives the hands a line and waits for the answer.
    pub fn ask(&mut self, line: &str) -> String {
        self.ask_bytes(line.as_bytes())
    }

    /// The same with a line that may be no text.
    pub fn ask_bytes(&mut self, line: &[u8]) -> String {
        self.stdin.as_mut().unwrap().write_all(&[line, b"\n"].concat()).unwrap();
        let line = String::from_utf8_lossy(line);
        let is_answer = |line: &str| {
            let event = serde_json::from_str::<Value>(line).ok().map(|object| object["event"].clone());
            line == "ok" || line.starts_with("error: ") || event.is_some_and(|e| e == "ok" || e == "error")
        };
        loop {
            let heard =
                self.lines.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("no answer to {line}: {e}"));
            if is_answer(&heard) {
                return heard;
            }
        }
    }

    /// Nothing more comes from the hands.
    pub fn end_of_hands(&mut self) {
        self.stdin = None;
    }

    /// Waits for its end and gives its exit code; the link must be gone.
    pub fn ended(mut self) -> Option<i32> {
        let code = self.child.wait().unwrap().code();
        assert!(!self.link().is_symlink(), "the link was left behind");
        code
    }

    /// Ends it by a signal.
    pub fn end(self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        self.ended()
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the board said: {:#?}", self.lines.try_iter().collect::<Vec<_>>());
        }
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The host in Python, as a child process.
pub struct Host {
    child: Child,
}

impl Host {
    pub fn run(args: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/independent/dgt_host.py");
        let child = Command::new("python3")
            // No folder of compiled files beside the sources.
            .arg("-B")
            .arg(script)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is installed");
        Self { child }
    }

    /// At the port of a board.
    pub fn on(board: &Board, args: &[&str]) -> Self {
        let port = board.link().display().to_string();
        Self::run(&[&[port.as_str()], args].concat())
    }

    /// Waits until it ends, which must be without a violation and with its goal reached, and gives
    /// what it said.
    pub fn ends_well(mut self) -> Vec<Value> {
        let mut text = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let status = self.child.wait().unwrap();
        let said: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let wrong: Vec<&Value> = said.iter().filter(|line| line["event"] == "violation").collect();
        assert!(status.success() && wrong.is_empty(), "{status}: {wrong:#?}\nat last: {:?}", said.last());
        said
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
