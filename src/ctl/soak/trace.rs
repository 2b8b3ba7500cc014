// SPDX-License-Identifier: GPL-3.0-or-later
//! A session line by line: what the table was told, and, indented, what it said.

use arbiterd_board::{ClockReport, Lever, Mono, Report, ReportBody, RequestError};

use crate::laws::{Authority, Notice, Ruling};
use crate::sim::people::Told;
use crate::table::{Output, View};

/// The lines of one session.
#[derive(Debug, Default)]
pub(super) struct Trace {
    lines: Vec<String>,
    lever: Option<Lever>,
}

impl Trace {
    /// What the table is told. A reading of the clock that only shows that time goes on is left out.
    pub(super) fn told(&mut self, at: Mono, told: &Told) {
        let what = match told {
            Told::Report(report) => self.reported(report),
            Told::Claim(by, claim) => Some(format!("{by:?} claims {}", claim.word())),
        };
        self.lines.extend(what.map(|what| format!("{at} {what}")));
    }

    fn reported(&mut self, report: &Report) -> Option<String> {
        match &report.body {
            ReportBody::Square { square, occupant } => Some(format!("{square} {}", occupant.letter())),
            ReportBody::Board { placement, confirmed } => {
                Some(format!("board {placement}{}", if *confirmed { "" } else { " (unconfirmed)" }))
            }
            ReportBody::Capabilities(c) => {
                let (board, clock) = (c.board_lag.as_millis(), c.clock_lag.as_millis());
                Some(format!("lags: board {board} ms, clock {clock} ms"))
            }
            ReportBody::Clock(ClockReport::Reading(reading)) => {
                let new = self.lever.replace(reading.lever) != Some(reading.lever);
                new.then(|| format!("clock: {:?}", reading.lever))
            }
            ReportBody::Clock(other) => Some(format!("clock: {other:?}")),
            ReportBody::Link(state) => Some(format!("link {state:?}")),
            ReportBody::Noise(noise) => Some(format!("noise: {} bytes, {:?}", noise.bytes, noise.cause)),
            ReportBody::Disturbed { square, disturbed } => {
                Some(format!("{square} is {}", if *disturbed { "disturbed" } else { "calm" }))
            }
            _ => None,
        }
    }

    /// Bytes that arrived from the board (`<`) or were sent to it (`>`).
    pub(super) fn bytes(&mut self, at: Mono, way: char, bytes: &[u8]) {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.lines.push(format!("{at}         {way} {}", bytes.join(" ")));
    }

    /// The driver did not take what the table wanted.
    pub(super) fn refused(&mut self, at: Mono, error: &RequestError) {
        self.lines.push(format!("{at}     refused: {error}"));
    }

    /// What the table says.
    pub(super) fn output(&mut self, now: Mono, output: &Output) {
        self.lines.extend(said(output).map(|what| format!("{now}     {what}")));
    }

    pub(super) fn lines(self) -> Vec<String> {
        self.lines
    }
}

fn said(output: &Output) -> Option<String> {
    Some(match output {
        Output::Ruling(r) => ruling(r),
        Output::Notice(n) => notice(n),
        Output::Directive(directive) => format!("wants {directive:?}"),
        Output::View(View::Moved(moved)) => {
            format!("move {} {} by {:?} ({:?})", moved.ply, moved.uci, moved.by, moved.completion)
        }
        Output::View(View::Pressed { by, at }) => {
            format!("press of {by:?} between {} and {}", at.earliest, at.latest)
        }
        Output::View(View::TakenBack { remaining }) => format!("taken back to {remaining} half-moves"),
        Output::View(View::Restored(restored)) => {
            format!("the arbiter restores the position after {} half-moves", restored.remaining)
        }
        Output::View(View::State(state)) => format!("state {}", state.word()),
        Output::View(View::Result(result)) => format!("result {}", result.pgn()),
        _ => return None,
    })
}

fn ruling(ruling: &Ruling) -> String {
    let proposed = if ruling.authority == Authority::Proposed { "proposed " } else { "" };
    let offender = ruling.offender.map(|o| format!(" against {o:?}")).unwrap_or_default();
    let articles = ruling.articles.join(", ");
    format!("{proposed}ruling {}{offender} ({articles})", ruling.kind.word())
}

fn notice(notice: &Notice) -> String {
    let why = notice.not_covered.map(|why| format!(": {}", why.word())).unwrap_or_default();
    let squares: Vec<String> = notice.squares.iter().map(ToString::to_string).collect();
    format!("notice {}{why} {}", notice.kind.word(), squares.join(" "))
}
