// SPDX-License-Identifier: GPL-3.0-or-later
//! A recorder in front of a journal that another program keeps locked.

use arbiterd_board::{Channel, Colour, Mono, Request};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::*;
use crate::journal::{GameId, GameStart, RulingQuery, RunInfo};
use crate::laws::{Authority, Certainty, Consequence, RulingKind, Status};
use crate::link::LinkHandle;
use crate::table::{Claim, Fact, GameResult, Input, Saying, Speaker};

struct Rig {
    dir: TempDir,
    journal: Journal,
    game: GameId,
    held: Held,
    entries: mpsc::UnboundedSender<Entry>,
    published: mpsc::UnboundedReceiver<Publication>,
    lamp: Lamp,
    /// What the board was asked for.
    requested: mpsc::Receiver<(Channel, Request)>,
    /// Events of a commit that were not looked at yet.
    events: VecDeque<Event>,
    task: JoinHandle<Result<(), DaemonError>>,
}

impl Rig {
    async fn start(bound: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let run = RunInfo {
            boot_id: "b".to_owned(),
            wall_millis: 0,
            mono_at_start: Mono::ZERO,
            version: "0".to_owned(),
        };
        let journal = Journal::open(&dir.path().join("journal.db"), run).unwrap();
        let game = journal.begin_game(start()).await.unwrap();
        let (entries, entries_out) = mpsc::unbounded_channel();
        let (publish, published) = mpsc::unbounded_channel();
        let held = Held::new(bound);
        let (link, requested) = LinkHandle::new();
        let lamp = Lamp::new("t1".to_owned(), link, Channel(0));
        let recorder = Recorder {
            table: "t1".to_owned(),
            journal: journal.clone(),
            entries: entries_out,
            faults: Faults::new(publish.clone(), |_| {}, ""),
            publish,
            held: held.clone(),
            lamp: lamp.clone(),
        };
        let task = tokio::spawn(recorder.run());
        let events = VecDeque::new();
        Self { dir, journal, game, held, entries, published, lamp, requested, events, task }
    }

    /// Another program that holds the journal until this is dropped.
    fn lock(&self) -> Connection {
        let other = Connection::open(self.dir.path().join("journal.db")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        other
    }

    /// Fact and ruling of this number, as a table gives them.
    fn give(&self, seq: u64) -> oneshot::Receiver<Result<u64, CallError>> {
        self.give_of(None, seq)
    }

    /// The same; a new game may begin with it.
    fn give_of(&self, begins: Option<GameStart>, seq: u64) -> oneshot::Receiver<Result<u64, CallError>> {
        let input = Input::Said { by: Speaker::Player(Colour::White), what: Saying::Claim(Claim::Flag) };
        let fact = Fact { seq, at: Mono::from_millis(seq), input };
        let ruling = ruling(seq);
        let (reply, answer) = oneshot::channel();
        let batch =
            Batch { game: self.game, facts: vec![fact], rulings: vec![ruling.clone()], notices: Vec::new() };
        self.held.add(&batch);
        let decided = vec![Decided::View(View::Result(GameResult::Drawn)), Decided::Ruling(Box::new(ruling))];
        let said = Some(Said { fact: seq, reply });
        // A recorder that ended takes nothing more.
        let _ = self.entries.send(Entry { begins, batch, revision: seq, decided, said });
        answer
    }

    async fn next(&mut self) -> Event {
        while self.events.is_empty() {
            match self.published.recv().await.expect("the recorder ended") {
                Publication::Now(event) => self.events.push_back(event),
                Publication::Committed { events, .. } => self.events.extend(events),
            }
        }
        self.events.pop_front().expect("there is one")
    }

    /// The row of the next ruling, which must be that of this number, after its view.
    async fn ruled(&mut self, seq: u64) -> i64 {
        let view = self.next().await;
        assert!(matches!(view, Event::View { revision: Some(r), .. } if r == seq), "{view:?}");
        match self.next().await {
            Event::Ruling { row, ruling, .. } => {
                assert_eq!(ruling.seq, seq);
                row
            }
            other => panic!("no ruling: {other:?}"),
        }
    }
}

fn start() -> GameStart {
    GameStart {
        table: "t1".to_owned(),
        rulebook: "r".to_owned(),
        rulebook_hash: "h".to_owned(),
        start_fen: "f".to_owned(),
        observer: "arbiter".to_owned(),
        settings: "{}".to_owned(),
    }
}

#[tokio::test]
async fn a_new_game_at_the_table_is_a_game_of_its_own_in_the_journal() {
    let mut rig = Rig::start(100).await;
    drop((rig.give(1), rig.give(2), rig.give_of(Some(start()), 1), rig.give(2), rig.give(3)));
    for seq in [1, 2, 1, 2, 3] {
        rig.ruled(seq).await;
    }
    let other = Connection::open(rig.dir.path().join("journal.db")).unwrap();
    let mut facts = other.prepare("SELECT game, count(*), max(seq) FROM fact GROUP BY game").unwrap();
    let games = facts.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).unwrap();
    let games: Vec<(i64, i64, i64)> = games.map(Result::unwrap).collect();
    assert_eq!(games, [(1, 2, 2), (2, 3, 3)]);
}

fn ruling(seq: u64) -> Ruling {
    Ruling {
        seq,
        revision: seq,
        rulebook: "r".to_owned(),
        kind: RulingKind::FlagFall,
        articles: vec!["6.9".to_owned()],
        offender: None,
        consequence: Consequence::default(),
        authority: Authority::Final,
        standing: Status::InForce,
        evidence: vec![seq],
        certainty: Certainty::Proven,
        not_observable: Vec::new(),
        evidence_complete: Mono::from_millis(seq),
    }
}

#[tokio::test]
async fn what_cannot_be_recorded_is_held_back_in_order_and_comes_when_it_can() {
    let mut rig = Rig::start(HELD_AT_MOST).await;
    let lock = rig.lock();
    let first = rig.give(1);
    // The first word is that something is wrong, and nothing that was decided comes before it.
    let Event::Faults(faults) = rig.next().await else { panic!("not held back") };
    assert_eq!((faults[0].kind.as_str(), faults[0].table.as_deref()), ("fault.journal", Some("t1")));
    assert!(faults[0].detail.contains("locked"), "{faults:?}");
    let refused = first.await.unwrap().unwrap_err();
    assert!(matches!(&refused, CallError::JournalUnavailable(text) if text.contains("fact 1")), "{refused}");
    rig.give(2).await.unwrap().unwrap_err();
    rig.give(3).await.unwrap().unwrap_err();
    assert_eq!(rig.held.count(), 6);
    drop(lock);
    let mut rows = vec![rig.ruled(1).await];
    assert!(matches!(rig.next().await, Event::Faults(faults) if faults.is_empty()));
    rows.push(rig.ruled(2).await);
    rows.push(rig.ruled(3).await);
    assert_eq!(rows, [1, 2, 3]);
    assert_eq!(rig.give(4).await.unwrap(), Ok(4));
    assert_eq!(rig.ruled(4).await, 4);
    assert_eq!(rig.held.count(), 0);
    let all = RulingQuery { since: 0, table: None, limit: 10 };
    let recorded: Vec<u64> = rig.journal.rulings(all).await.unwrap().iter().map(|r| r.ruling.seq).collect();
    assert_eq!(recorded, [1, 2, 3, 4]);
    assert_eq!(rig.journal.facts(rig.game).await.unwrap().len(), 4);
    drop(rig.entries);
    rig.task.await.unwrap().unwrap();
}

#[tokio::test]
async fn lights_come_on_when_what_they_say_is_recorded() {
    let mut rig = Rig::start(HELD_AT_MOST).await;
    let lock = rig.lock();
    let squares = vec!["e2".parse().unwrap()];
    let picture = rig.lamp.decide(squares.clone()).unwrap();
    let batch = Batch { game: rig.game, facts: Vec::new(), rulings: vec![ruling(1)], notices: Vec::new() };
    rig.held.add(&batch);
    let decided = vec![Decided::Ruling(Box::new(ruling(1))), Decided::Lights(picture)];
    rig.entries.send(Entry { begins: None, batch, revision: 1, decided, said: None }).unwrap();
    assert!(matches!(rig.next().await, Event::Faults(_)));
    assert!(rig.requested.try_recv().is_err(), "not recorded");
    drop(lock);
    assert!(matches!(rig.next().await, Event::Ruling { .. }));
    assert_eq!(rig.requested.try_recv(), Ok((Channel(0), Request::Light(squares))));
}

#[tokio::test]
async fn at_its_end_it_still_records_what_it_holds() {
    let mut rig = Rig::start(HELD_AT_MOST).await;
    let lock = rig.lock();
    let _answer = rig.give(1);
    assert!(matches!(rig.next().await, Event::Faults(_)));
    let _answer = rig.give(2);
    let (closed, _) = mpsc::unbounded_channel();
    rig.entries = closed;
    drop(lock);
    assert_eq!((rig.ruled(1).await, matches!(rig.next().await, Event::Faults(_))), (1, true));
    assert_eq!(rig.ruled(2).await, 2);
    rig.task.await.unwrap().unwrap();
}

#[tokio::test]
async fn more_than_is_kept_ends_the_daemon_with_a_count() {
    let rig = Rig::start(5).await;
    let _lock = rig.lock();
    let _answers: Vec<_> = (1..=3).map(|seq| rig.give(seq)).collect();
    let outcome = rig.task.await.unwrap();
    assert!(matches!(outcome, Err(DaemonError::HeldTooMuch { held: 6 })), "{outcome:?}");
}

#[tokio::test]
async fn without_a_writer_nothing_is_tried_again() {
    let rig = Rig::start(HELD_AT_MOST).await;
    rig.journal.clone().close().await.unwrap();
    let _answer = rig.give(1);
    let outcome = rig.task.await.unwrap();
    assert!(matches!(outcome, Err(DaemonError::Journal(JournalError::WriterGone { .. }))), "{outcome:?}");
}
