// SPDX-License-Identifier: GPL-3.0-or-later
//! What a table makes of recorded facts: the same again, or what another rulebook would say.

use std::time::Duration;

use arbiterd_board::Colour;

use super::{Fact, Input, Output, Table, TableConfig};
use crate::laws::mate::Verdict;
use crate::laws::{Directive, Ruling};

/// After the last fact, so long is waited for what is still due.
const AFTERMATH: Duration = Duration::from_secs(10);

/// The rulings that `facts` lead to at a table with `config`. Questions about mate are answered
/// by `answer` (position, side); recorded answers belong to recorded questions and are left out.
pub fn replay(
    config: TableConfig,
    facts: &[Fact],
    mut answer: impl FnMut(&str, Colour) -> Verdict,
) -> Vec<Ruling> {
    let mut table = Table::new(config);
    let mut rulings = Vec::new();
    let mut now = arbiterd_board::Mono::ZERO;
    for fact in facts.iter().filter(|f| !matches!(f.input, Input::MateVerdict { .. })) {
        now = fact.at;
        table.handle(now, fact.input.clone());
        collect(&mut table, now, &mut rulings, &mut answer);
    }
    table.advance(now.after(AFTERMATH));
    collect(&mut table, now.after(AFTERMATH), &mut rulings, &mut answer);
    rulings
}

fn collect(
    table: &mut Table,
    now: arbiterd_board::Mono,
    rulings: &mut Vec<Ruling>,
    answer: &mut impl FnMut(&str, Colour) -> Verdict,
) {
    while let Some(output) = table.poll_output() {
        match output {
            Output::Ruling(ruling) => rulings.push(ruling),
            Output::Directive(Directive::AskMate { question, fen, side }) => {
                table.handle(now, Input::MateVerdict { question, verdict: answer(&fen, side) });
            }
            _ => {}
        }
    }
}
