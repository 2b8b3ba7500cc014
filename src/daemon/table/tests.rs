// SPDX-License-Identifier: GPL-3.0-or-later
//! The order in which a table is told what came and what is due.

use arbiterd_board::{Channel, ClockSide, Occupant, Placement, ReportBody, Stamp};

use super::*;
use crate::laws::rulebook::Library;
use crate::table::{Lights, Observer, Orientation, Start, TableConfig};

/// An actor, and the far ends of its channels.
struct Rig {
    actor: Actor,
    inbox: mpsc::Sender<ToTable>,
    recorded: mpsc::UnboundedReceiver<Entry>,
    requested: mpsc::Receiver<(Channel, Request)>,
    _published: mpsc::UnboundedReceiver<Publication>,
}

fn rig() -> Rig {
    let rulebook = Library::embedded().unwrap().get("fide-2023-standard").unwrap();
    let table = Table::new(TableConfig {
        id: "t1".to_owned(),
        rulebook,
        observer: Observer::Arbiter,
        white_side: ClockSide::Left,
        start: Start::default(),
        increment: Duration::ZERO,
        orientation: Orientation::Normal,
        illegal_moves: [0; 2],
        lights: Lights::Off,
    });
    let (inbox, inbox_out) = mpsc::channel(1024);
    let (record, recorded) = mpsc::unbounded_channel();
    let (publish, published) = mpsc::unbounded_channel();
    let (link, requested) = LinkHandle::new();
    let actor = Actor {
        table,
        game: GameId::new(1),
        start: GameStart {
            table: "t1".to_owned(),
            rulebook: "fide-2023-standard".to_owned(),
            rulebook_hash: String::new(),
            start_fen: String::new(),
            observer: "arbiter".to_owned(),
            settings: "{}".to_owned(),
        },
        record,
        held: Held::new(usize::MAX),
        publish,
        inbox: inbox_out,
        itself: inbox.downgrade(),
        lamp: Lamp::new("t1".to_owned(), link.clone(), Channel(0)),
        link,
        channel: Channel(0),
        clock: Mono::ZERO,
    };
    Rig { actor, inbox, recorded, requested, _published: published }
}

fn report(at: Mono, body: ReportBody) -> ToTable {
    ToTable::Report { at, report: Report { at: Stamp::at(at), body } }
}

/// A piece that goes up and down, a millisecond between: far less than what counts as rest.
fn restless(begin: Mono, count: u64) -> Vec<(Mono, ToTable)> {
    let start: Placement = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR".parse().unwrap();
    let square = "e2".parse().unwrap();
    let mut all = vec![(begin, report(begin, ReportBody::Board { placement: start, confirmed: true }))];
    for n in 1..=count {
        let at = begin.after(Duration::from_millis(n));
        let occupant = if n % 2 == 1 { Occupant::Empty } else { start[square] };
        all.push((at, report(at, ReportBody::Square { square, occupant })));
    }
    all
}

fn moments(recorded: &mut mpsc::UnboundedReceiver<Entry>) -> Vec<Mono> {
    let mut moments = Vec::new();
    while let Ok(entry) = recorded.try_recv() {
        moments.extend(entry.batch.facts.iter().map(|f| f.at));
    }
    moments
}

#[tokio::test]
async fn reports_that_are_here_come_before_a_deadline_that_is_long_past() {
    let Rig { actor, inbox, mut recorded, .. } = rig();
    let all = restless(time::now().before(Duration::from_secs(10)), 200);
    let expected: Vec<Mono> = all.iter().map(|(at, _)| *at).collect();
    for (_, message) in all {
        inbox.try_send(message).unwrap();
    }
    drop(inbox);
    actor.run().await;
    // Each fact has the moment of its report: no deadline had moved the table's time on.
    assert_eq!(moments(&mut recorded), expected);
}

#[tokio::test]
async fn a_deadline_runs_after_what_came_meanwhile_and_at_its_own_time() {
    let Rig { mut actor, inbox, mut recorded, .. } = rig();
    let begin = time::now().before(Duration::from_secs(10));
    let mut all = restless(begin, 20).into_iter();
    for (_, message) in all.by_ref().take(11) {
        actor.take(message);
    }
    let due = actor.table.poll_timeout().expect("a lifted piece comes to rest");
    let expected: Vec<Mono> = (0..=20).map(|n| begin.after(Duration::from_millis(n))).collect();
    for (_, message) in all {
        inbox.try_send(message).unwrap();
    }
    actor.deadline(Some(due));
    assert_eq!(moments(&mut recorded), expected);
    assert_eq!(actor.clock, due, "not later than it was due");
}

#[test]
fn only_a_late_wake_with_reports_waiting_is_a_stall() {
    let due = Mono::from_millis(10_000);
    let after = |millis| due.after(Duration::from_millis(millis));
    assert_eq!(stall(Some(due), after(2_001), true), Some(Duration::from_millis(2_001)));
    assert_eq!(stall(Some(due), after(2_000), true), None);
    assert_eq!(stall(Some(due), after(60_000), false), None, "nobody waited");
    assert_eq!(stall(None, after(60_000), true), None);
}

#[tokio::test]
async fn a_search_that_fails_leaves_the_question_undecided() {
    let verdict = searched(|| panic!("on purpose")).await;
    assert_eq!(verdict, Verdict::Undetermined { spent: 0 });
}

#[tokio::test]
async fn reading_a_device_again_is_asked_of_the_tables_board() {
    let Rig { actor, mut requested, .. } = rig();
    actor.direct(Directive::ReadClock);
    actor.direct(Directive::ReadBoard);
    assert_eq!(requested.try_recv(), Ok((Channel(0), Request::ReadClock)));
    assert_eq!(requested.try_recv(), Ok((Channel(0), Request::ReadBoard)));
}
