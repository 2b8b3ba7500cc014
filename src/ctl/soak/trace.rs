// SPDX-License-Identifier: GPL-3.0-or-later
//! A session line by line: what the table was told, and, indented, what it said.

use arbiterd_board::{ClockReport, Lever, Mono, Placement, Report, ReportBody, RequestError};

use super::{fold, words};
use crate::sim::people::{Due, Told, Wronged};
use crate::table::Output;

/// What the lines mean, for people.
pub(super) const KEY: &str = "\
key: each line begins with its second; people sit down at 1000, the board is switched on before
  e2 .  e2 P      the board tells that e2 is empty, that a white pawn is on it (p: a black one); it names its own
                  squares: when it stands the other way round those are not the players'
  board           the board tells all of it, as a FEN does; unconfirmed: no second look has borne it out
  board lag       so much later than it was the board tells a thing at most, and its clock
  clock           its times, who pressed last; White sits on the left. Readings that only show that time goes on are left out
  (indented)      what the program made of it: moves, presses with the moments between which they were, rulings,
                  notices, and what it asks of the board
  !               somebody does wrong from here on; the program is not told that";

/// The same for the bytes.
pub(super) const KEY_OF_BYTES: &str = "  \
  < >             bytes from the board, and to it; [41 42] x3 is three times 41 42, and what is left out, because
                  nothing came of it, is counted in brackets (--json has all of it)";

/// A moment and what was then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) at: Mono,
    pub(super) what: What,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    Line(String),
    /// A report of the whole board that says what was known.
    Again(String),
    /// Bytes that arrived from the board (`<`) or were sent to it (`>`).
    Bytes(char, Vec<u8>),
}

impl Entry {
    /// Whether nothing came of it.
    pub(super) const fn is_idle(&self) -> bool {
        !matches!(self.what, What::Line(_))
    }

    pub(super) fn folded(&self) -> String {
        match &self.what {
            What::Bytes(way, bytes) => format!("{}         {way} {}", self.at, fold::bytes(bytes)),
            What::Line(_) | What::Again(_) => self.whole(),
        }
    }

    /// With nothing left out.
    pub(super) fn whole(&self) -> String {
        match &self.what {
            What::Line(text) | What::Again(text) => format!("{} {text}", self.at),
            What::Bytes(way, bytes) => {
                let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("{}         {way} {}", self.at, bytes.join(" "))
            }
        }
    }
}

/// The lines of one session.
#[derive(Debug, Default)]
pub(super) struct Trace {
    entries: Vec<Entry>,
    /// What is done wrong and has not come yet, the last one first.
    wrongs: Vec<Entry>,
    /// Who pressed last, and whether the clock runs.
    clock: Option<(Lever, bool)>,
    /// What the board has shown, once it has been confirmed.
    board: Option<Placement>,
}

impl Trace {
    /// The lines of a session in which this is done wrong.
    pub(super) fn of(wrongs: &[Wronged]) -> Self {
        let mark = |wronged: &Wronged| Entry { at: wronged.since, what: What::Line(mark(wronged)) };
        Self { wrongs: wrongs.iter().rev().map(mark).collect(), ..Self::default() }
    }

    fn push(&mut self, at: Mono, what: What) {
        while let Some(wrong) = self.wrongs.pop_if(|wrong| wrong.at <= at) {
            self.entries.push(wrong);
        }
        self.entries.push(Entry { at, what });
    }

    /// What the table is told.
    pub(super) fn told(&mut self, at: Mono, told: &Told) {
        let what = match told {
            Told::Report(report) => self.reported(report),
            Told::Claim(by, claim) => Some(What::Line(format!("{by:?} claims {}", claim.word()))),
        };
        if let Some(what) = what {
            self.push(at, what);
        }
    }

    /// A reading of the clock that only shows that time goes on is left out.
    fn reported(&mut self, report: &Report) -> Option<What> {
        let text = words::report(&report.body)?;
        match &report.body {
            ReportBody::Clock(ClockReport::Reading(reading)) => {
                let state = (reading.lever, reading.counting);
                (self.clock.replace(state) != Some(state)).then_some(What::Line(text))
            }
            ReportBody::Board { placement, confirmed: true } => {
                let known = self.board.replace(*placement) == Some(*placement);
                Some(if known { What::Again(text) } else { What::Line(text) })
            }
            ReportBody::Square { square, occupant } => {
                if let Some(board) = &mut self.board {
                    board[*square] = *occupant;
                }
                Some(What::Line(text))
            }
            _ => Some(What::Line(text)),
        }
    }

    pub(super) fn bytes(&mut self, at: Mono, way: char, bytes: &[u8]) {
        self.push(at, What::Bytes(way, bytes.to_vec()));
    }

    /// The driver did not take what the table wanted.
    pub(super) fn refused(&mut self, at: Mono, error: &RequestError) {
        self.push(at, What::Line(format!("    refused: {error}")));
    }

    /// What the table says.
    pub(super) fn output(&mut self, now: Mono, output: &Output) {
        if let Some(what) = words::output(output) {
            self.push(now, What::Line(format!("    {what}")));
        }
    }

    pub(super) fn entries(mut self) -> Vec<Entry> {
        self.entries.extend(self.wrongs.into_iter().rev());
        self.entries
    }
}

fn mark(wronged: &Wronged) -> String {
    let due = match wronged.due {
        Due::Ruling(kind) => format!("calls for the ruling {}", kind.word()),
        Due::Open(kind) => format!("calls for the ruling {}, once the move is completed", kind.word()),
        Due::Left => "has to be left to the arbiter".to_owned(),
        Due::Person => "calls for a person".to_owned(),
        Due::Unclaimed => "a person may be called".to_owned(),
        Due::Nothing => "calls for nothing".to_owned(),
    };
    format!("! {:?}: {} ({due})", wronged.by, wronged.what.word())
}

#[cfg(test)]
mod tests {
    use arbiterd_board::{Colour, Occupant};

    use super::*;
    use crate::laws::RulingKind;
    use crate::sim::people::Irregularity;
    use crate::table::Claim;

    fn at(millis: u64) -> Mono {
        Mono::from_millis(millis)
    }

    #[test]
    fn what_is_done_wrong_is_marked_where_it_is_done() {
        let wronged = |what, since| Wronged {
            what,
            by: Colour::Black,
            due: Due::Ruling(RulingKind::TouchMove),
            since: at(since),
            after: 0,
            may_stand: Vec::new(),
            claimed: true,
            played_on: true,
        };
        let wrongs = [wronged(Irregularity::TouchMove, 20), wronged(Irregularity::RookFirst, 90)];
        let mut trace = Trace::of(&wrongs);
        trace.bytes(at(10), '>', &[0x42]);
        trace.told(at(30), &Told::Claim(Colour::White, Claim::TouchMove));
        let lines: Vec<String> = trace.entries().iter().map(Entry::whole).collect();
        assert_eq!(
            lines,
            [
                "0.010         > 42",
                "0.020 ! Black: touch-move (calls for the ruling touch-move)",
                "0.030 White claims touch-move",
                "0.090 ! Black: rook-first-castling (calls for the ruling touch-move)",
            ]
        );
    }

    #[test]
    fn a_board_that_shows_what_was_known_is_the_same_again() {
        let e2 = "e2".parse().unwrap();
        let whole = |placement| ReportBody::Board { placement, confirmed: true };
        let mut changed = Placement::EMPTY;
        changed[e2] = Occupant::Unidentified;
        let mut trace = Trace::default();
        let square = ReportBody::Square { square: e2, occupant: Occupant::Unidentified };
        let bodies = [whole(Placement::EMPTY), whole(Placement::EMPTY), square, whole(changed)];
        let stamp = arbiterd_board::Stamp::at(at(1));
        let idle = |body| {
            let report = Report { at: stamp, body };
            trace.told(at(1), &Told::Report(report));
            trace.entries.last().is_some_and(Entry::is_idle)
        };
        assert_eq!(bodies.map(idle), [false, true, false, true]);
    }
}
