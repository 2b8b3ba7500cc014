// SPDX-License-Identifier: GPL-3.0-or-later
//! From complete evidence to the signal at another process, through the whole daemon: a real pty,
//! a journal on disk with `synchronous=FULL`, a private `dbus-daemon`.
//!
//! `cargo bench --bench ruling_latency [-- ROUNDS]`
//!
//! Each round a player presses without a move. The daemon waits until everything that stood on
//! the board at the press must have been reported (the hold-off), rules, commits, publishes; this
//! process receives. Both read the same monotonic clock of the machine. Printed are medians, and
//! the 99th percentile as information: machines are noisy, so no bound is asserted.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a measuring program: it prints, and a failure ends it"
)]

#[path = "../tests/pty/hall.rs"]
#[allow(dead_code, reason = "the tests use more of the hall")]
mod hall;

use std::time::Duration;

use arbiterd::client::{BusAddress, RulingInfo, Seen, Watch};
use arbiterd::sim::Act;
use arbiterd_board::ClockSide;
use hall::{Hall, PATIENCE, Plan};

/// A rulebook with the highest count there can be: a game serves as many rounds, less the one that
/// would lose it.
const BOOK: &str = "# SPDX-License-Identifier: GPL-3.0-or-later\n\
    id = \"bench\"\ntitle = \"for measuring\"\ninherits = \"fide-2023-standard\"\nedition = \"2023-01-01\"\n\
    regime = \"competition\"\n[illegal]\nlose_at = 9\n[cite]\n\"illegal.lose_at\" = \"none\"\n";

/// The rounds of one game.
const ROUNDS_OF_A_GAME: usize = 8;

/// One round, in microseconds.
struct Round {
    hold_off: u64,
    to_commit: u64,
    to_publish: u64,
    to_receive: u64,
    total: u64,
}

fn main() {
    let rounds = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(200);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let measured = runtime.block_on(measure(rounds));
    report(&measured);
}

async fn measure(rounds: usize) -> Vec<Round> {
    let mut measured = Vec::with_capacity(rounds);
    while measured.len() < rounds {
        let of_game = ROUNDS_OF_A_GAME.min(rounds - measured.len());
        measured.extend(play(of_game).await);
        println!("{} of {rounds} rounds", measured.len());
    }
    measured
}

/// A game of its own, with a daemon and a bus of its own.
async fn play(rounds: usize) -> Vec<Round> {
    let plan = Plan { rulebook: "bench", times: [Duration::from_secs(35_000); 2], ..Plan::default() };
    let hall = Hall::open_with_rulebook(&plan, "bench", BOOK);
    let board = hall.plug(&plan);
    let _daemon = hall.start();
    let mut watch = Watch::open(BusAddress::Address(hall.address().to_owned())).await.unwrap();
    until(&mut watch, |s| {
        matches!(s, Seen::State { state, .. } if state == "in-step")
            || matches!(s, Seen::Table(t) if t.state == "in-step")
    })
    .await;
    board.act(Act::Start).unwrap();
    until(&mut watch, |s| matches!(s, Seen::Clock(c) if c.running == "white")).await;
    let mut measured = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        // White, who has the move, presses without one; then his opponent gives him his time back.
        board.act(Act::Press(ClockSide::Left)).unwrap();
        let pressed = until(&mut watch, |s| matches!(s, Seen::Pressed { .. })).await;
        let Seen::Pressed { latest, .. } = pressed else { unreachable!() };
        let ruled = until(&mut watch, |s| matches!(s, Seen::Ruled(_))).await;
        let received = arbiterd::time::now().as_micros();
        let Seen::Ruled(ruling) = ruled else { unreachable!() };
        measured.push(split(&ruling, latest, received));
        board.act(Act::Press(ClockSide::Right)).unwrap();
        until(&mut watch, |s| matches!(s, Seen::Pressed { by, .. } if by == "black")).await;
    }
    measured
}

fn split(r: &RulingInfo, pressed: u64, received: u64) -> Round {
    let committed = r.committed_us.unwrap();
    let published = r.published_us.unwrap();
    Round {
        hold_off: r.evidence_complete_us - pressed,
        to_commit: committed - r.evidence_complete_us,
        to_publish: published - committed,
        to_receive: received - published,
        total: received - r.evidence_complete_us,
    }
}

async fn until(watch: &mut Watch, wanted: impl Fn(&Seen) -> bool) -> Seen {
    loop {
        let seen = tokio::time::timeout(PATIENCE, watch.next()).await.expect("the daemon is silent").unwrap();
        if wanted(&seen) {
            return seen;
        }
    }
}

fn report(rounds: &[Round]) {
    println!("{} rulings, in milliseconds:          median     p99", rounds.len());
    let row = |name: &str, of: fn(&Round) -> u64| {
        let mut values: Vec<u64> = rounds.iter().map(of).collect();
        values.sort_unstable();
        let at = |share: usize| values[(values.len() - 1) * share / 100];
        let ms = |us: u64| format!("{}.{:02}", us / 1000, us % 1000 / 10);
        println!("{name:<40} {:>8} {:>8}", ms(at(50)), ms(at(99)));
    };
    row("hold-off before (press to evidence)", |r| r.hold_off);
    row("evidence complete to signal received", |r| r.total);
    row("  of it until the commit has returned", |r| r.to_commit);
    row("  of it from commit to the bus", |r| r.to_publish);
    row("  of it from the bus to the other process", |r| r.to_receive);
}
