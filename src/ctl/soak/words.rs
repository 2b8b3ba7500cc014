// SPDX-License-Identifier: GPL-3.0-or-later
//! What is told to a table and what it says, in words.

use std::time::Duration;

use arbiterd_board::{ReportBody, Square};

use crate::clock::shown;
use crate::journal::summary::report_summary;
use crate::laws::{Authority, Consequence, Directive, Notice, Ruling, Status};
use crate::table::{Completion, GameResult, Output, View};

/// What the board or its clock tells, if a reader of the game can use it: as it stands in a journal.
pub(super) fn report(body: &ReportBody) -> Option<String> {
    let what = match body {
        ReportBody::Board { .. } => "board ",
        ReportBody::Clock(_) => "clock: ",
        ReportBody::Noise(_) => "noise: ",
        ReportBody::Square { .. }
        | ReportBody::Capabilities(_)
        | ReportBody::Link(_)
        | ReportBody::Disturbed { .. }
        | ReportBody::Trouble(_) => "",
        ReportBody::Scan { .. }
        | ReportBody::Ack { .. }
        | ReportBody::Identity(_)
        | ReportBody::Battery(_) => {
            return None;
        }
    };
    Some(format!("{what}{}", report_summary(body)))
}

/// What the table says, without what is only there for those who watch.
pub(super) fn output(output: &Output) -> Option<String> {
    Some(match output {
        Output::Ruling(r) => ruling(r),
        Output::Notice(n) => notice(n),
        Output::Directive(d) => directive(d),
        Output::View(View::Moved(moved)) => {
            format!("move {} {} by {:?}, {}", moved.ply, moved.uci, moved.by, completed(moved.completion))
        }
        Output::View(View::Pressed { by, at }) => {
            format!("press of {by:?} between {} and {}", at.earliest, at.latest)
        }
        Output::View(View::TakenBack { remaining }) => format!("taken back to {remaining} half-moves"),
        Output::View(View::Restored(restored)) => {
            format!("the arbiter restores the position after {} half-moves", restored.remaining)
        }
        Output::View(View::State(state)) => format!("state {}{}", state.word(), squares(state.differing())),
        Output::View(View::Result(result)) => format!("result {}", result.pgn()),
        _ => return None,
    })
}

const fn completed(completion: Completion) -> &'static str {
    match completion {
        Completion::Press => "completed by the press",
        Completion::Reply => "completed by the reply",
        Completion::GameEnd => "which ends the game",
        Completion::Arbiter => "as the arbiter says",
    }
}

fn directive(directive: &Directive) -> String {
    match directive {
        Directive::AskMate { fen, side, .. } => format!("asks whether {side:?} can mate from {fen}"),
        Directive::ReadBoard => "asks the board to show all of it".to_owned(),
        Directive::ReadClock => "asks what the clock shows".to_owned(),
        Directive::SetClock { white, black, .. } => {
            format!("wants the clock set to {} for White, {} for Black", shown(*white), shown(*black))
        }
        Directive::Light(none) if none.is_empty() => "puts all lights out".to_owned(),
        Directive::Light(some) => format!("lights{}", squares(some)),
    }
}

/// ` e2 e4`
fn squares(squares: &[Square]) -> String {
    squares.iter().map(|square| format!(" {square}")).collect()
}

fn ruling(ruling: &Ruling) -> String {
    let authority = match (ruling.authority, ruling.standing) {
        (_, Status::Confirmed) => "confirmed ",
        (_, Status::Overruled) => "overruled ",
        (_, Status::Fallen) => "fallen ",
        (Authority::Proposed, Status::InForce) => "proposed ",
        (Authority::Final, Status::InForce) => "",
    };
    let offender = ruling.offender.map(|o| format!(" against {o:?}")).unwrap_or_default();
    let (kind, articles) = (ruling.kind.word(), ruling.articles.join(", "));
    let follows: String = consequences(&ruling.consequence).iter().map(|what| format!("; {what}")).collect();
    format!("{authority}ruling {kind}{offender} ({articles}){follows}")
}

/// What follows from a ruling, the penalty first.
fn consequences(c: &Consequence) -> Vec<String> {
    let added = |time: Duration, whom: &str| {
        (!time.is_zero()).then(|| format!("{} s more for {whom}", time.as_secs()))
    };
    let result = (c.result != GameResult::Open).then(|| format!("result {}", c.result.pgn()));
    let increment = (!c.take_back_increment.is_zero())
        .then(|| format!("the increment of {} s is taken back", c.take_back_increment.as_secs()));
    let irregular = c.irregular_move.as_ref().map(|uci| format!("{uci} was irregular"));
    let restore = c.restore.as_ref().map(|fen| format!("back to {fen}"));
    let required =
        (!c.required_moves.is_empty()).then(|| format!("to be played: {}", c.required_moves.join(" or ")));
    let free = (!c.free_touch.is_empty()).then(|| format!("no move with{}", squares(&c.free_touch)));
    let counted = (c.illegal_moves != [0; 2])
        .then(|| format!("illegal moves so far: White {}, Black {}", c.illegal_moves[0], c.illegal_moves[1]));
    let penalty = [added(c.add_white, "White"), added(c.add_black, "Black"), increment, result, counted];
    penalty.into_iter().chain([irregular, restore, required, free]).flatten().collect()
}

fn notice(notice: &Notice) -> String {
    let why = notice.not_covered.map(|why| format!(": {} ({why})", why.word())).unwrap_or_default();
    format!("notice {}{why}{}", notice.kind.word(), squares(&notice.squares))
}

#[cfg(test)]
mod tests {
    use arbiterd_board::{Colour, Mono};

    use super::*;
    use crate::laws::{Certainty, NotCovered, NoticeKind, RulingKind};

    #[test]
    fn a_ruling_says_what_follows() {
        let ruling = Ruling {
            seq: 1,
            revision: 1,
            rulebook: String::new(),
            kind: RulingKind::IllegalMove,
            articles: vec!["7.5.1".to_owned(), "7.5.5".to_owned()],
            offender: Some(Colour::Black),
            consequence: Consequence {
                add_white: Duration::from_secs(120),
                irregular_move: Some("e7e4".to_owned()),
                required_moves: vec!["e7e6".to_owned(), "e7e5".to_owned()],
                illegal_moves: [0, 1],
                ..Consequence::default()
            },
            authority: Authority::Proposed,
            standing: Status::InForce,
            evidence: Vec::new(),
            certainty: Certainty::Proven,
            not_observable: Vec::new(),
            evidence_complete: Mono::ZERO,
        };
        let said = output(&Output::Ruling(ruling)).unwrap();
        let penalty = "120 s more for White; illegal moves so far: White 0, Black 1";
        let rest = "e7e4 was irregular; to be played: e7e6 or e7e5";
        assert_eq!(
            said,
            format!("proposed ruling illegal-move against Black (7.5.1, 7.5.5); {penalty}; {rest}")
        );
    }

    #[test]
    fn a_notice_without_squares_ends_with_its_last_word() {
        let notice = Notice::new(NoticeKind::OrientationRotated, Mono::ZERO);
        assert_eq!(output(&Output::Notice(notice)).unwrap(), "notice orientation-rotated");
        let left = NotCovered::PressMayBeLate;
        let notice = Notice { not_covered: Some(left), ..Notice::new(NoticeKind::NotRuled, Mono::ZERO) };
        let said = output(&Output::Notice(notice)).unwrap();
        assert_eq!(said, format!("notice not-ruled: press-may-be-late ({left})"));
    }
}
