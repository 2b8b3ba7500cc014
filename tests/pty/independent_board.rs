// SPDX-License-Identifier: GPL-3.0-or-later
//! The daemon with a board in Python that shares no code with it (`tests/independent`), written
//! from the description of the protocol alone.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::hall::{Hall, Plan};
use super::play::in_step;
use super::witness::{Heard, Witness};

/// The board as a child process; its hands are lines on its standard input.
struct Board {
    child: Child,
    hands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Board {
    fn plug(port: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/independent/dgt_board.py");
        let mut child = Command::new("python3")
            .arg("-B")
            .arg(script)
            .args(["--increment", "0", "--input-limit", "10", "--start", "bus", "--link"])
            .arg(port)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is installed");
        let hands = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut board = Self { child, hands, answers };
        assert!(board.line()["pty"].is_string());
        board
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        assert!(line["danger"].is_null(), "the daemon sent what harms a board: {line}");
        assert!(line["dropped"].is_null(), "the daemon sent faster than a board takes it in: {line}");
        line
    }

    /// A hand does something.
    fn hand(&mut self, wish: &str) {
        writeln!(self.hands, "{wish}").unwrap();
        loop {
            let line = self.line();
            assert!(line["error"].is_null(), "{line}");
            if line["done"] == wish {
                return;
            }
        }
    }

    /// Carries a piece, presses and gives the move that the daemon tells.
    async fn play(&mut self, witness: &mut Witness, piece: char, from: &str, to: &str) -> Heard {
        self.hand(&format!("lift {from}"));
        witness.hear(from, |h| h.member == "Lifted" && h.text(0) == from).await;
        self.hand(&format!("place {to} {piece}"));
        witness.hear(to, |h| h.member == "Placed" && h.text(0) == to).await;
        self.hand(if piece.is_ascii_uppercase() { "press left" } else { "press right" });
        witness.hear_member("Moved").await
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_of_another_making_is_understood_and_its_illegal_move_ruled() {
    let hall = Hall::open(&Plan::default());
    let mut witness = Witness::listen(hall.address());
    let mut board = Board::plug(&hall.port());
    let daemon = hall.start();
    in_step(&mut witness).await;
    board.hand("start");
    for (piece, from, to) in [
        ('P', "e2", "e4"),
        ('p', "e7", "e5"),
        ('N', "g1", "f3"),
        ('n', "b8", "c6"),
        ('B', "f1", "c4"),
        ('b', "f8", "c5"),
    ] {
        let moved = board.play(&mut witness, piece, from, to).await;
        assert_eq!(moved.field("uci"), &format!("{from}{to}"));
    }
    assert!(witness.order(&["Ruled"]).is_empty());
    // A knight does not go straight ahead.
    board.play(&mut witness, 'N', "f3", "f5").await;
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!(ruled.text(2), "ruling.illegal-move");
    let articles = ruled.field("articles").as_array().unwrap();
    assert!(articles.contains(&"7.5.1".into()), "{ruled:?}");
    assert_eq!(ruled.field("offender"), "white");
    assert_eq!(ruled.field("irregular_move"), "f3f5");
    board.hand("state");
    assert_eq!(daemon.terminate().code(), Some(0));
}
