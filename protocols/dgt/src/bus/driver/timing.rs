// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long things take on a bus, and how old what is told can be (topics: bus mode, timing).

use core::time::Duration;

use super::exchange::Ask;
use crate::bus::BusFrame;
use crate::wire::{LINE, LONGEST_FRAME};

/// How long a port needs after it was opened (topic: start-up).
pub(super) const OPENING: Duration = Duration::from_millis(500);
/// Time for an answer, besides that on the line.
const ANSWER: Duration = Duration::from_millis(80);
/// A board takes so long at most to begin its answer, while it writes its memory.
const REACTION: Duration = Duration::from_millis(20);
/// After garbage the line must be silent for so long before anything is said.
pub(super) const QUIET: Duration = Duration::from_millis(20);
/// A pause too long to lie within an answer: adapters hold bytes for 16 ms, and some grace.
pub(super) const GAP: Duration = Duration::from_millis(40);
/// So long after a failed try an answer may belong to an earlier question than the last one.
pub(super) const UNSURE: Duration = Duration::from_millis(500);
/// How often a command is said before the board is left alone for this cycle.
pub(super) const TRIES: u8 = 3;

/// A scan of all squares. Nothing is asked more often than this: there would be nothing new.
pub(super) const SCAN: Duration = Duration::from_millis(250);
/// A board at rest has told no change for longer than one scan.
pub(super) const SETTLED: Duration = Duration::from_millis(300);
/// The first look is made anew so often, while a hand is on the board.
pub(super) const FIRST_LOOKS: u8 = 8;
/// A lost change shows in the next dump, so one is asked for even when nothing happens.
pub(super) const IDLE_LOOK: Duration = Duration::from_secs(5);

/// All boards answer a ping to all of them within 1100 ms.
pub(super) const COLLECT: Duration = Duration::from_millis(1200);
/// While no board answers at all, boards are looked for again after so long.
pub(super) const DISCOVER_AGAIN: Duration = Duration::from_secs(5);
/// A board that does not answer costs the others its time-out, so it is asked ever less often.
pub(super) const FIRST_PROBE: Duration = Duration::from_secs(1);
/// The longest time between two such questions.
pub(super) const LONGEST_PROBE: Duration = Duration::from_secs(4);
/// A question that failed in all tries, on a board that answers others, is put again after this.
pub(super) const LATER: Duration = Duration::from_secs(1);

/// How often in a cycle a board's changes are asked for again at once.
pub(super) const FOLLOW_UPS: u8 = 3;
/// While searches find devices that answer nothing but pings, the time between them grows to this.
pub(super) const LONGEST_SEARCH_PAUSE: Duration = Duration::from_secs(40);

/// Silence after which a board is lost, on a line with few boards.
const LOST: Duration = Duration::from_secs(2);
/// Time for an answer to a request, as on a line with one board.
const REQUEST: Duration = Duration::from_secs(3);

/// How long the frame and its answer are on the line; records are not counted.
fn on_the_line(ask: Ask) -> Duration {
    LINE.duration(BusFrame::LENGTH + ask.answer_length())
}

/// How long a try waits for its answer.
pub(super) fn limit(ask: Ask) -> Duration {
    ANSWER + on_the_line(ask)
}

/// An answer that has begun is over by then, counted from the end of the wait for it: a frame holds
/// no more bytes, and what goes on longer is none.
pub(super) fn overtime() -> Duration {
    LINE.duration(LONGEST_FRAME) + GAP
}

/// The longest cycle of a line with so many boards, if every first try is answered: changes and
/// clock of each board, one look at a board, and one question to a board that does not answer.
pub(super) fn cycle(boards: usize) -> Duration {
    let exchange = |ask| on_the_line(ask) + REACTION;
    let count = u32::try_from(boards).unwrap_or(u32::MAX);
    let visits = (exchange(Ask::Changes) + exchange(Ask::Clock)).saturating_mul(count);
    visits.max(SCAN) + exchange(Ask::Board) + limit(Ask::Version)
}

/// What two failed tries add to a cycle, with the rest after them.
pub(super) fn retries() -> Duration {
    3 * limit(Ask::Clock)
}

/// Silence after which a board is lost: so long that it was asked at least twice.
pub(super) fn lost(boards: usize) -> Duration {
    LOST.max(2 * cycle(boards) + retries())
}

/// Time for an answer to a request.
pub(super) fn request(boards: usize) -> Duration {
    REQUEST.max(3 * cycle(boards))
}
