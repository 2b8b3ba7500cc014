// SPDX-License-Identifier: GPL-3.0-or-later
//! A fact in words, for a person who reads the journal with the `sqlite3` shell. Nothing reads
//! these words back: the encoded body is the evidence.

use arbiterd_board::{
    ClockReading, ClockReport, ClockSide, Flag, Lever, LinkState, NoiseCause, ReportBody, SideReading,
    Trouble,
};

use crate::clock::shown;
use crate::laws::mate::Verdict;
use crate::table::{Command, Input, Saying, Speaker};

/// What sort of fact it is.
pub(super) const fn kind(input: &Input) -> &'static str {
    match input {
        Input::Report(report) => match &report.body {
            ReportBody::Board { .. } => "board",
            ReportBody::Square { .. } => "square",
            ReportBody::Clock(_) => "clock",
            ReportBody::Identity(_) => "identity",
            ReportBody::Capabilities(_) => "capabilities",
            ReportBody::Battery(_) => "battery",
            ReportBody::Ack { .. } => "ack",
            ReportBody::Link(_) => "link",
            ReportBody::Noise(_) => "noise",
            ReportBody::Trouble(_) => "trouble",
            ReportBody::Scan { .. } => "scan",
            ReportBody::Disturbed { .. } => "disturbed",
        },
        Input::Said { .. } => "said",
        Input::Gap { .. } => "gap",
        Input::MateVerdict { .. } => "mate-verdict",
        Input::Command(_) => "command",
    }
}

/// What it says. Squares are those of the hardware, as the board reported them.
pub(super) fn summary(input: &Input) -> String {
    match input {
        Input::Report(report) => report_summary(&report.body),
        Input::Said { by, what: Saying::Claim(claim) } => format!("{} claims {}", speaker(*by), claim.word()),
        Input::Gap { from, to } => format!("nothing observed from {from} s to {to} s"),
        Input::MateVerdict { question, verdict } => format!("question {}: {}", question.0, mate(verdict)),
        Input::Command(command) => format!("the arbiter {}", told(command)),
    }
}

fn told(command: &Command) -> String {
    match command {
        Command::Confirm { ruling } => format!("confirms ruling {ruling}"),
        Command::Overrule { ruling } => format!("overrules ruling {ruling}"),
        Command::AcceptBoard { turn } => format!("accepts the board, {turn:?} to move"),
        Command::AcceptBoardAs { turn, turned, castling } => {
            let way = match turned {
                Some(true) => ", turned round",
                Some(false) => ", not turned round",
                None => "",
            };
            let rights = castling.as_ref().map(|c| format!(", castling {c}")).unwrap_or_default();
            format!("accepts the board{way}, {turn:?} to move{rights}")
        }
        Command::Restore { plies } => format!("restores the position after {plies} half-moves"),
        Command::SetMoves { after, moves } => {
            format!("sets the moves after {after} half-moves: {}", moves.join(" "))
        }
        Command::CorrectPly { ply, uci } => format!("corrects half-move {ply} to {uci}"),
    }
}

/// What a board or its clock tells.
pub(crate) fn report_summary(body: &ReportBody) -> String {
    match body {
        ReportBody::Board { placement, confirmed: true } => placement.to_string(),
        ReportBody::Board { placement, confirmed: false } => format!("{placement} (unconfirmed)"),
        ReportBody::Square { square, occupant } => format!("{square} {}", occupant.letter()),
        ReportBody::Clock(ClockReport::Absent) => "no clock".to_owned(),
        ReportBody::Clock(ClockReport::Reading(reading)) => clock(reading),
        ReportBody::Clock(ClockReport::Unsettled(reading)) => {
            format!("{} (may be older than the setting)", clock(reading))
        }
        ReportBody::Clock(ClockReport::SideStopped { side, remaining }) => {
            format!("the {} side was stopped at {}", name(*side), shown(*remaining))
        }
        ReportBody::Clock(ClockReport::Button(button)) => format!("the clock's button {button:?}"),
        ReportBody::Identity(identity) => {
            format!("{} {}", identity.family, identity.serial.as_deref().unwrap_or("without a number"))
        }
        ReportBody::Capabilities(c) => {
            format!("board lag {} ms, clock lag {} ms", c.board_lag.as_millis(), c.clock_lag.as_millis())
        }
        ReportBody::Battery(b) => format!("{} %{}", b.percent, if b.charging { ", charging" } else { "" }),
        ReportBody::Ack { request, outcome } => format!("request {}: {outcome:?}", request.0),
        ReportBody::Link(LinkState::Up) => "the board answers".to_owned(),
        ReportBody::Link(LinkState::Down) => "the board does not answer".to_owned(),
        ReportBody::Trouble(Trouble::SharedAddress) => "two boards have this board's address".to_owned(),
        ReportBody::Noise(n) => format!("{} bytes dropped: {}", n.bytes, cause(n.cause)),
        ReportBody::Scan { placement } => format!("{placement} (seen once)"),
        ReportBody::Disturbed { square, disturbed: true } => format!("{square} reads to and fro"),
        ReportBody::Disturbed { square, disturbed: false } => format!("{square} reads steadily again"),
    }
}

fn speaker(by: Speaker) -> String {
    match by {
        Speaker::Player(colour) => format!("{colour:?}"),
        Speaker::Arbiter => "the arbiter".to_owned(),
    }
}

fn mate(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Possible { line } => format!("mate is possible in {} half-moves", line.len()),
        Verdict::Impossible { proof } => format!("mate is impossible: {proof:?}"),
        Verdict::Undetermined { spent } => format!("undetermined after {spent} positions"),
    }
}

fn clock(r: &ClockReading) -> String {
    let lever = match r.lever {
        Lever::Pressed(side) => format!("pressed on the {}", name(side)),
        Lever::Unknown => "lever unknown".to_owned(),
    };
    let counting = if r.counting { "running" } else { "stopped" };
    format!("left {}, right {}, {lever}, {counting}", time(r.left), time(r.right))
}

const fn name(side: ClockSide) -> &'static str {
    match side {
        ClockSide::Left => "left",
        ClockSide::Right => "right",
    }
}

const fn cause(cause: NoiseCause) -> &'static str {
    match cause {
        NoiseCause::Junk => "outside any frame",
        NoiseCause::Unfinished => "a frame that broke off",
        NoiseCause::Malformed => "a frame whose length or check does not fit",
        NoiseCause::UnknownKind => "a frame of an unknown kind",
        NoiseCause::OutOfRange => "a frame with a value out of its range",
        NoiseCause::WrongMode => "a frame of another mode",
    }
}

fn time(side: SideReading) -> String {
    let flag = match side.flag {
        Flag::Up => "",
        Flag::Shown => " (flag shown)",
        Flag::Fallen => " (flag fallen)",
    };
    format!("{}{flag}", shown(side.remaining))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Claim;
    use arbiterd_board::{Colour, Mono, Report, Stamp};
    use std::time::Duration;

    #[test]
    fn a_fact_reads_as_a_person_would_say_it() {
        let reading = ClockReading {
            left: SideReading { remaining: Duration::from_secs(5399), flag: Flag::Up },
            right: SideReading { remaining: Duration::ZERO, flag: Flag::Fallen },
            counting: true,
            lever: Lever::Pressed(ClockSide::Left),
            turn: None,
            battery_low: false,
        };
        let input = Input::Report(Report {
            at: Stamp::at(Mono::ZERO),
            body: ReportBody::Clock(ClockReport::Reading(reading)),
        });
        assert_eq!(kind(&input), "clock");
        assert_eq!(
            summary(&input),
            "left 1:29:59, right 0:00:00 (flag fallen), pressed on the left, running"
        );
        let said =
            Input::Said { by: Speaker::Player(Colour::White), what: Saying::Claim(Claim::IllegalMove) };
        assert_eq!((kind(&said), summary(&said).as_str()), ("said", "White claims illegal-move"));
        let moves = vec!["e2e4".to_owned(), "e7e5".to_owned()];
        let set = Input::Command(Command::SetMoves { after: 4, moves });
        assert_eq!(summary(&set), "the arbiter sets the moves after 4 half-moves: e2e4 e7e5");
        let accepted = Input::Command(Command::AcceptBoardAs {
            turn: Colour::Black,
            turned: Some(true),
            castling: Some("KQ".to_owned()),
        });
        let words = "the arbiter accepts the board, turned round, Black to move, castling KQ";
        assert_eq!(summary(&accepted), words);
    }
}
