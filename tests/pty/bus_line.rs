// SPDX-License-Identifier: GPL-3.0-or-later
//! A tournament bus: several boards on one port, each with its table.

use arbiterd::sim::{Act, Hands, PtyBoard};
use arbiterd_board::Piece;
use arbiterd_dgt::simulator::{BusLine, Fault};

use super::hall::{Hall, Plan};
use super::play::{BLACK, WHITE, sq};
use super::witness::{Heard, Witness};

const ADDRESSES: [u16; 2] = [1025, 2050];

/// A hand at the board of a table, counted from one, and the eyes of the arbiter at that table.
struct At<'a> {
    line: &'a PtyBoard<BusLine>,
    table: usize,
}

impl At<'_> {
    async fn act(&self, act: Act) {
        let address = ADDRESSES[self.table - 1];
        self.line.ask(move |line, now| line.board(now, address).unwrap().act(now, act)).await.unwrap();
    }

    /// Waits for a signal of this table or its board.
    async fn hear(&self, witness: &mut Witness, what: &str, wanted: impl Fn(&Heard) -> bool) -> Heard {
        let (table, board) = (format!("/table/t{}", self.table), format!("/board/b{}", self.table));
        let ours = |h: &Heard| h.path.ends_with(&table) || h.path.ends_with(&board);
        witness.hear(&format!("{what} at {table}"), |h| ours(h) && wanted(h)).await
    }

    async fn state(&self, witness: &mut Witness, word: &str) {
        self.hear(witness, word, |h| h.args.get(1).is_some_and(|p| p["State"]["data"] == word)).await;
    }

    /// Carries a piece; returns when the daemon has seen it.
    async fn carry(&self, witness: &mut Witness, piece: char, from: &str, to: &str) {
        self.act(Act::Lift(sq(from))).await;
        self.hear(witness, "lifted", |h| h.member == "Lifted" && h.text(0) == from).await;
        self.act(Act::Place(sq(to), Piece::from_letter(piece).unwrap())).await;
        self.hear(witness, "placed", |h| h.member == "Placed" && h.text(0) == to).await;
    }

    async fn play(&self, witness: &mut Witness, piece: char, from: &str, to: &str) {
        self.carry(witness, piece, from, to).await;
        self.act(Act::Press(if piece.is_ascii_uppercase() { WHITE } else { BLACK })).await;
        let moved = self.hear(witness, "moved", |h| h.member == "Moved").await;
        assert_eq!(moved.field("uci"), &format!("{from}{to}"));
    }

    async fn begin(&self, witness: &mut Witness) {
        self.act(Act::Start).await;
        let running = |h: &Heard| {
            h.args.get(1).is_some_and(|p| p["Running"]["data"].as_str().is_some_and(|r| !r.is_empty()))
        };
        self.hear(witness, "a running clock", running).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_board_on_the_line_has_its_own_game_its_own_rulings_and_its_own_cable() {
    let plan = Plan::default();
    let hall = Hall::open_with_bus_line(&plan, &ADDRESSES);
    let mut witness = Witness::listen(hall.address());
    let line = hall.plug_line(&plan, &ADDRESSES);
    let daemon = hall.start();
    let (one, two) = (At { line: &line, table: 1 }, At { line: &line, table: 2 });

    in_step_both(&mut witness).await;
    one.begin(&mut witness).await;
    two.begin(&mut witness).await;
    one.play(&mut witness, 'P', "e2", "e4").await;
    two.play(&mut witness, 'P', "d2", "d4").await;
    one.play(&mut witness, 'p', "e7", "e5").await;

    // An illegal move at the second table is that table's alone.
    two.carry(&mut witness, 'p', "d7", "d4").await;
    two.act(Act::Press(BLACK)).await;
    let ruled = two.hear(&mut witness, "a ruling", |h| h.member == "Ruled").await;
    assert_eq!(ruled.text(2), "ruling.illegal-move");
    assert_eq!(ruled.field("offender"), "black");
    one.play(&mut witness, 'N', "g1", "f3").await;

    // One board is switched off: its table has none, and the other game goes on.
    line.ask(|line, now| line.board(now, ADDRESSES[1]).unwrap().inject(now, Fault::Unplug)).await.unwrap();
    two.state(&mut witness, "board-lost").await;
    one.play(&mut witness, 'n', "b8", "c6").await;

    let rulings = witness.rulings(0);
    assert_eq!(rulings.len(), 1, "{rulings:?}");
    assert_eq!(daemon.terminate().code(), Some(0));
}

/// Both tables agree with their boards, whichever comes first.
async fn in_step_both(witness: &mut Witness) {
    let mut tables = std::collections::BTreeSet::new();
    while tables.len() < ADDRESSES.len() {
        let heard =
            witness.hear("in step", |h| h.args.get(1).is_some_and(|p| p["State"]["data"] == "in-step")).await;
        tables.insert(heard.path);
    }
}
