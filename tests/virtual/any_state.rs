// SPDX-License-Identifier: GPL-3.0-or-later
//! Whatever happens at a table, the arbiter leads it back: everything that can happen, in any order,
//! brings tables into every state; no command leaves a record that does not hold together, and from
//! everywhere a way leads back in step.

use std::cell::RefCell;
use std::collections::BTreeMap;

use arbiterd::laws::rulebook::Library;
use arbiterd::table::{Claim, Command, Input, Observer, Orientation, Saying, Speaker, TableState};
use arbiterd_board::{Colour, Flag, Occupant, Placement, ReportBody, Square};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::any_table::AnyTable;

/// Where games begin: with all that can happen, and near promotion, mate and castling of Chess960.
const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "8/P1k5/8/3pP3/8/8/p1K5/8 w - d6 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "1k6/8/8/8/8/8/3p4/R1K3R1 w GA - 0 1",
];

#[derive(Clone, Debug)]
enum Step {
    /// A legal move by number, and whether it is pressed for.
    Play(usize, bool),
    /// A piece of the player to move, by number, goes somewhere, whatever is allowed, and he presses.
    Shove(usize, Square),
    Square(Square, Occupant),
    Show(Show),
    Press(Colour),
    Flag(Colour, Flag),
    Claim(Speaker, Claim),
    Link(bool),
    /// The board is there and shows the record.
    Back,
    Gap(u64),
    Disturbed(Square, bool),
    Go(u64),
    Tell(Tell),
    /// The ways back are tried from here.
    TryAll,
}

/// A whole board.
#[derive(Clone, Copy, Debug)]
enum Show {
    Record,
    Start,
    Empty,
    Again,
    Turned,
    Later(usize, usize),
}

/// A command with arguments that may or may not fit.
#[derive(Clone, Debug)]
enum Tell {
    Confirm(u64),
    Overrule(u64),
    Accept(Colour),
    AcceptAs(Colour, Option<bool>, Option<&'static str>),
    Restore(u32),
    /// Legal moves by number, and one more that may be anything.
    Set(u32, Vec<usize>, Option<&'static str>),
    Correct(u32, Result<usize, &'static str>),
}

fn squares() -> impl Strategy<Value = Square> {
    (0u8..64).prop_map(|i| Square::new(i).unwrap())
}

fn colours() -> impl Strategy<Value = Colour> {
    prop_oneof![Just(Colour::White), Just(Colour::Black)]
}

fn speakers() -> impl Strategy<Value = Speaker> {
    prop_oneof![colours().prop_map(Speaker::Player), Just(Speaker::Arbiter)]
}

fn shows() -> impl Strategy<Value = Show> {
    prop_oneof![
        4 => Just(Show::Record),
        2 => Just(Show::Start),
        1 => Just(Show::Empty),
        1 => Just(Show::Again),
        1 => Just(Show::Turned),
        2 => (0usize..40, 0usize..40).prop_map(|(a, b)| Show::Later(a, b)),
    ]
}

fn words() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["e2e5", "e7e5", "", "a7a8", "no move", "e2e4", "g1f3q", "0000"])
}

fn tells() -> impl Strategy<Value = Tell> {
    let plies = prop_oneof![8 => 0u32..8, 1 => any::<u32>()];
    let castling = proptest::sample::select(vec!["KQkq", "-", "KQ", "k", "Kx", "", "GA"]);
    let moves = proptest::collection::vec(0usize..60, 0..4);
    prop_oneof![
        3 => (0u64..5).prop_map(Tell::Confirm),
        3 => (0u64..5).prop_map(Tell::Overrule),
        1 => colours().prop_map(Tell::Accept),
        2 => (colours(), any::<Option<bool>>(), proptest::option::of(castling))
            .prop_map(|(turn, turned, castling)| Tell::AcceptAs(turn, turned, castling)),
        4 => plies.clone().prop_map(Tell::Restore),
        4 => (plies.clone(), moves, proptest::option::weighted(0.3, words()))
            .prop_map(|(after, moves, odd)| Tell::Set(after, moves, odd)),
        4 => (plies, prop_oneof![3 => (0usize..60).prop_map(Ok), 1 => words().prop_map(Err)])
            .prop_map(|(ply, uci)| Tell::Correct(ply, uci)),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let occupants = proptest::sample::select(
        ".?=PNBRQKpnbrqk".chars().filter_map(Occupant::from_letter).collect::<Vec<_>>(),
    );
    let claims = proptest::sample::select(Claim::ALL.to_vec());
    let flags = prop_oneof![2 => Just(Flag::Up), 1 => Just(Flag::Fallen)];
    prop_oneof![
        20 => (0usize..60, proptest::bool::weighted(0.8)).prop_map(|(n, press)| Step::Play(n, press)),
        4 => (0usize..16, squares()).prop_map(|(n, to)| Step::Shove(n, to)),
        2 => (squares(), occupants).prop_map(|(s, o)| Step::Square(s, o)),
        4 => shows().prop_map(Step::Show),
        2 => colours().prop_map(Step::Press),
        1 => (colours(), flags).prop_map(|(side, flag)| Step::Flag(side, flag)),
        2 => (speakers(), claims).prop_map(|(by, claim)| Step::Claim(by, claim)),
        1 => any::<bool>().prop_map(Step::Link),
        5 => Just(Step::Back),
        1 => (0u64..5000).prop_map(Step::Gap),
        1 => (squares(), any::<bool>()).prop_map(|(s, disturbed)| Step::Disturbed(s, disturbed)),
        4 => (1u64..8000).prop_map(Step::Go),
        6 => tells().prop_map(Step::Tell),
        2 => Just(Step::TryAll),
    ]
}

/// What was reached and done, by name.
type Counts = RefCell<BTreeMap<String, u32>>;

fn count(counts: &Counts, what: impl Into<String>) {
    *counts.borrow_mut().entry(what.into()).or_default() += 1;
}

impl AnyTable {
    fn step(&mut self, step: &Step, counts: &Counts) {
        match step {
            Step::Play(n, press) => self.play(*n, *press),
            Step::Shove(n, to) => {
                let by = self.table.game().turn();
                let own: Vec<_> = self.hardware.occupied().filter(|(_, o)| o.is_of(by)).collect();
                if own.is_empty() {
                    return;
                }
                let (from, piece) = own[n % own.len()];
                self.square(from, Occupant::Empty);
                self.go(200);
                self.square(*to, piece);
                self.go(600);
                self.press(by);
                self.go(4000);
            }
            Step::Square(square, occupant) => self.square(*square, *occupant),
            Step::Show(show) => self.show(self.to_show(*show)),
            Step::Press(by) => self.press(*by),
            Step::Flag(side, flag) => self.flag(*side, *flag),
            Step::Claim(by, claim) => self.input(Input::Said { by: *by, what: Saying::Claim(*claim) }),
            Step::Link(up) => self.link(*up),
            Step::Back => {
                self.link(true);
                self.show(self.to_show(Show::Record));
            }
            Step::Gap(ms) => self.gap(*ms),
            Step::Disturbed(square, disturbed) => {
                self.report(ReportBody::Disturbed { square: *square, disturbed: *disturbed });
            }
            Step::Go(ms) => self.go(*ms),
            Step::Tell(tell) => self.tell(tell, counts),
            Step::TryAll => self.try_every_way(counts),
        }
    }

    /// The hands of the player to move make a legal move, whatever else stands.
    fn play(&mut self, n: usize, press: bool) {
        let standing = self.table.game().standing().clone();
        let moves = standing.legal_moves();
        if moves.is_empty() {
            return;
        }
        let (before, by) = (standing.placement(), self.table.game().turn());
        let after = standing.play(moves[n % moves.len()], self.table.game().mode()).placement();
        let differing: Vec<Square> = before.differences(&after).collect();
        for s in &differing {
            self.square(*s, Occupant::Empty);
            self.go(100);
        }
        for s in differing.iter().filter(|s| after[**s] != Occupant::Empty) {
            self.square(*s, after[*s]);
            self.go(200);
        }
        if press {
            self.press(by);
            self.go(2500);
        }
    }

    fn to_show(&self, show: Show) -> Placement {
        let game = self.table.game();
        match show {
            Show::Record => game.standing().placement(),
            Show::Start => game.standing_after(0).unwrap().placement(),
            Show::Empty => Placement::EMPTY,
            Show::Again => self.hardware,
            Show::Turned => game.standing().placement().rotated(),
            Show::Later(a, b) => {
                let mut standing = game.standing().clone();
                for n in [a, b] {
                    if let Some(m) = pick(&standing.legal_moves(), n) {
                        standing = standing.play(m, game.mode());
                    }
                }
                standing.placement()
            }
        }
    }

    fn tell(&mut self, tell: &Tell, counts: &Counts) {
        let (game, mode) = (self.table.game(), self.table.game().mode());
        // Mostly a half-move of the record, or the next after it.
        let near = |n: u32| if n < 8 { n % (u32::try_from(game.plies().len()).unwrap() + 2) } else { n };
        let command = match tell {
            Tell::Confirm(n) => Command::Confirm { ruling: self.ruling(*n) },
            Tell::Overrule(n) => Command::Overrule { ruling: self.ruling(*n) },
            Tell::Accept(turn) => Command::AcceptBoard { turn: *turn },
            Tell::AcceptAs(turn, turned, castling) => {
                Command::AcceptBoardAs { turn: *turn, turned: *turned, castling: castling.map(str::to_owned) }
            }
            Tell::Restore(plies) => Command::Restore { plies: near(*plies) },
            Tell::Set(after, numbers, odd) => {
                let after = near(*after);
                let mut standing = game.standing_after(after as usize).unwrap_or(game.standing()).clone();
                let mut moves = Vec::new();
                for n in numbers {
                    let Some(m) = pick(&standing.legal_moves(), *n) else { break };
                    moves.push(m.to_uci(mode).to_string());
                    standing = standing.play(m, mode);
                }
                moves.extend(odd.map(str::to_owned));
                Command::SetMoves { after, moves }
            }
            Tell::Correct(ply, uci) => {
                let ply = near(*ply);
                let before = (ply as usize).checked_sub(1).and_then(|i| game.standing_after(i));
                let named = |n: &usize| {
                    let m = pick(&before?.legal_moves(), *n)?;
                    Some(m.to_uci(mode).to_string())
                };
                let uci = match uci {
                    Ok(n) => named(n).unwrap_or_default(),
                    Err(word) => (*word).to_owned(),
                };
                Command::CorrectPly { ply, uci }
            }
        };
        let fen = self.table.game().standing().fen();
        let taken = self.command(&command);
        let name = format!("{command:?}");
        let name = name.split(' ').next().unwrap();
        count(counts, format!("{name} {}", if taken.is_ok() { "taken" } else { "refused" }));
        if taken.is_ok() {
            self.did(&command, &fen);
        }
    }

    /// A ruling that waits for a word, or any.
    fn ruling(&self, n: u64) -> u64 {
        let mut given = self.rulings.iter().copied();
        let waits = given.find(|&ruling| self.table.check(&Command::Confirm { ruling }).is_ok());
        waits.filter(|_| n > 0).unwrap_or(n)
    }

    /// A command that was taken did what it says.
    fn did(&self, command: &Command, fen_before: &str) {
        let (game, mode) = (self.table.game(), self.table.game().mode());
        let told = |i: usize| game.plies()[i].uci(mode);
        match command {
            Command::Restore { plies } => {
                assert_eq!(game.plies().len(), *plies as usize);
                let ended = game.standing().legal_moves().is_empty();
                assert!(!game.over() || ended, "{} before, {}", fen_before, game.standing().fen());
            }
            Command::SetMoves { after, moves } => {
                let found: Vec<_> = (*after as usize..game.plies().len()).map(told).collect();
                assert_eq!(&found, moves);
            }
            Command::CorrectPly { ply, uci } => assert_eq!(&told(*ply as usize - 1), uci),
            Command::AcceptBoard { .. } | Command::AcceptBoardAs { .. } => {
                assert_eq!(self.table.state(), &TableState::InStep);
            }
            Command::Confirm { .. } | Command::Overrule { .. } => {}
        }
    }

    /// From here, each way that the arbiter's book names leads back in step.
    fn try_every_way(&self, counts: &Counts) {
        let word = self.table.state().word();
        count(counts, word);
        assert!(self.clone().restored(), "restore from {word}");
        assert!(self.clone().accepted(), "accept-board from {word}");
        assert!(self.clone().moves_set(), "set-moves from {word}");
        let mut set_up = self.clone();
        let back = set_up.set_up();
        // It may be that only what was due already was ruled first, and the game is over.
        assert!(back || *set_up.table.state() == TableState::Over, "setting up from {word}");
        count(counts, format!("set up {back}"));
    }

    /// The board is there, and shows what the table wants to see, if need be turned round.
    fn set_up(&mut self) -> bool {
        self.link(true);
        for turned in [false, true] {
            // What is due is decided first, and may be another position.
            self.go(20_000);
            let wanted = self.table.game().standing().placement();
            self.show(if turned { wanted.rotated() } else { wanted });
            if *self.table.state() == TableState::InStep {
                return true;
            }
        }
        false
    }

    /// The arbiter restores, again if something was still to be ruled on, and an earlier position where
    /// the last one ends the game by itself.
    fn restored(mut self) -> bool {
        for _ in 0..8 {
            self.capabilities();
            let game = self.table.game();
            let last = game.plies().len();
            let ends = game.standing().legal_moves().is_empty();
            let plies = u32::try_from(if ends { last.saturating_sub(1) } else { last }).unwrap();
            let taken = self.command(&Command::Restore { plies });
            assert!(taken.is_ok() || (last == 0 && !self.table.game().over()), "{taken:?}");
            if self.set_up() {
                return true;
            }
        }
        false
    }

    /// A position that any game may have come to stands on the board, and the arbiter says how.
    fn accepted(mut self) -> bool {
        for _ in 0..8 {
            self.capabilities();
            self.link(true);
            if self.table.game().over() {
                let plies = self.table.game().plies().len().saturating_sub(1);
                self.command(&Command::Restore { plies: u32::try_from(plies).unwrap() }).unwrap();
            }
            self.show("r4rk1/pp3ppp/2n5/8/8/2N5/PP3PPP/R3K2R".parse().unwrap());
            let castling = Some("-".to_owned());
            let command = Command::AcceptBoardAs { turn: Colour::Black, turned: Some(false), castling };
            if self.command(&command).is_err() {
                // Something was ruled meanwhile.
                continue;
            }
            let fen = self.table.game().standing().fen();
            assert!(fen.starts_with("r4rk1/pp3ppp/2n5/8/8/2N5/PP3PPP/R3K2R b - - "), "{fen}");
            if *self.table.state() == TableState::InStep {
                return true;
            }
        }
        false
    }

    /// The arbiter says what the last half-move was, or the first, and the board shows it.
    fn moves_set(mut self) -> bool {
        for _ in 0..8 {
            self.capabilities();
            let game = self.table.game();
            let after = game.plies().len().saturating_sub(1);
            let Some(m) = pick(&game.standing_after(after).unwrap().legal_moves(), 0) else { return true };
            let uci = m.to_uci(game.mode()).to_string();
            let after = u32::try_from(after).unwrap();
            if self.table.game().over() {
                self.command(&Command::Restore { plies: after }).unwrap();
            }
            if self.command(&Command::SetMoves { after, moves: vec![uci] }).is_err() {
                continue;
            }
            // That may have been mate.
            if self.set_up() || self.table.game().standing().legal_moves().is_empty() {
                return true;
            }
        }
        false
    }
}

fn pick(moves: &[shakmaty::Move], n: usize) -> Option<shakmaty::Move> {
    (!moves.is_empty()).then(|| moves[n % moves.len()])
}

#[test]
fn from_every_state_the_arbiter_leads_back_in_step() {
    let library = Library::embedded().unwrap();
    let counts = Counts::default();
    let config = Config { cases: 1500, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let games = (
        proptest::sample::select(STARTS.to_vec()),
        proptest::sample::select(vec!["fide-2023-standard", "fide-2017-rapid", "fide-2023-blitz"]),
        prop_oneof![3 => Just(Observer::Arbiter), 1 => Just(Observer::Witness)],
        proptest::sample::select(vec![Orientation::Auto, Orientation::Normal, Orientation::Turned]),
        (any::<bool>(), any::<bool>()),
        proptest::collection::vec(steps(), 10..60),
    );
    let played = runner.run(&games, |(fen, book, observer, orientation, (plugged, answers), steps)| {
        let mut t = AnyTable::new(fen, library.get(book).unwrap(), observer, orientation);
        t.answers = answers;
        if plugged {
            t.capabilities();
            let first = t.to_show(Show::Start);
            t.show(if orientation == Orientation::Turned { first.rotated() } else { first });
            t.clock();
        } else {
            t.try_every_way(&counts);
        }
        for step in &steps {
            t.step(step, &counts);
            t.hold();
        }
        t.try_every_way(&counts);
        t.hold_replay();
        Ok(())
    });
    if let Err(failed) = played {
        panic!("{failed}");
    }
    let counts = counts.into_inner();
    let mut expected: Vec<String> =
        ["no-board", "awaiting-position", "in-step", "restoring", "out-of-step", "over", "board-lost"]
            .map(str::to_owned)
            .to_vec();
    for name in ["Confirm", "Overrule", "AcceptBoard", "AcceptBoardAs", "Restore", "SetMoves", "CorrectPly"] {
        expected.extend(["taken", "refused"].map(|what| format!("{name} {what}")));
    }
    for what in expected {
        let times = counts.get(&what).copied().unwrap_or(0);
        assert!(times > 5, "{what} was hardly reached: {counts:?}");
    }
    assert_eq!(counts.keys().filter(|what| !what.contains(' ')).count(), 7, "{counts:?}");
    assert!(counts["set up true"] > counts["set up false"], "{counts:?}");
}
