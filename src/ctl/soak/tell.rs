// SPDX-License-Identifier: GPL-3.0-or-later
//! What a soak says in the end: for people, or one JSON object a line.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::again::again;
use super::args::SoakArgs;
use super::boards::Stand;
use super::desk::Heard;
use super::fold;
use super::judge::Answer;
use super::totals::{Failure, Tally, Totals};
use super::trace::{self, Entry};
use crate::sim::people::{Session, Tempo};

/// Notices are counted in so many moves: about what one board sees on a day.
const MOVES: usize = 2000;
/// More failures than a person reads; the others are in `--json`.
const SHOWN: usize = 20;

/// The word for how fast it was played.
pub(super) const fn tempo(tempo: Tempo) -> &'static str {
    match tempo {
        Tempo::Standard => "standard",
        Tempo::Rapid => "rapid",
        Tempo::Blitz => "blitz",
    }
}

/// How fast it was played, whose eyes the table is, and at which board.
pub(super) fn place(session: &Session, stand: Option<&Stand>) -> String {
    let tempo = tempo(session.tempo);
    let board = stand.map(|stand| format!(", {}", stand.describe())).unwrap_or_default();
    format!("{tempo}, {}{board}", session.observer.word())
}

/// Everything that was told at one table, and what was true.
pub(super) fn trace(
    session: &Session,
    stand: Option<&Stand>,
    heard: &Heard,
    json: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let board = stand.map(Stand::describe);
    let truth = &session.truth;
    let wrongs = truth.wrongs.iter().map(|wronged| {
        let by = format!("{:?}", wronged.by).to_lowercase();
        (wronged.what.word(), by, wronged.since.to_string())
    });
    let (tempo, observer) = (tempo(session.tempo), session.observer.word());
    if json {
        let wrongs: Vec<_> = wrongs.collect();
        let truth = json!({ "moves": truth.moves, "wrongs": wrongs });
        let trace: Vec<String> = heard.trace.iter().map(Entry::whole).collect();
        let fen = &session.fen;
        let line = json!({ "event": "trace", "tempo": tempo, "observer": observer, "board": board, "fen": fen,
            "truth": truth, "record": heard.moves, "trace": trace });
        return writeln!(out, "{line}");
    }
    writeln!(out, "{}", place(session, stand))?;
    writeln!(out, "{}", session.fen)?;
    writeln!(out, "{}", trace::KEY)?;
    if stand.is_some() {
        writeln!(out, "{}", trace::KEY_OF_BYTES)?;
    }
    for line in fold::folded(&heard.trace) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "played    {}", truth.moves.join(" "))?;
    writeln!(out, "recorded  {}", heard.moves.join(" "))?;
    for ((what, by, since), wronged) in wrongs.zip(&truth.wrongs) {
        let may_stand = match wronged.may_stand.as_slice() {
            [] => String::new(),
            moves => format!(", and until it is ruled on the record may have {}", moves.join(" ")),
        };
        writeln!(out, "done wrong: {what} by {by} at {since}{may_stand}")?;
    }
    writeln!(out)
}

pub(super) fn totals(
    totals: &Totals,
    args: &SoakArgs,
    took: Duration,
    json: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    if json {
        for failure in &totals.failures {
            writeln!(
                out,
                "{}",
                json!({ "event": "failure", "game": failure.game,
                    "place": failure.place, "what": failure.what, "again": again(args, failure.game) })
            )?;
        }
        return writeln!(out, "{}", object(totals, args, took));
    }
    text(totals, args, took, out)
}

fn rate(moves: usize, took: Duration) -> u64 {
    let millis = took.as_millis().max(1);
    u64::try_from(moves as u128 * 1000 / millis).unwrap_or(u64::MAX)
}

/// In tenths, rounded down.
fn per_moves(count: usize, moves: usize) -> String {
    let tenths = (count * MOVES * 10).checked_div(moves).unwrap_or(0);
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn object(totals: &Totals, args: &SoakArgs, took: Duration) -> Value {
    let tally = |tally: &Tally| json!({ "count": tally.count, "first": tally.first });
    let false_rulings: Map<String, Value> =
        totals.false_rulings.iter().map(|(kind, t)| ((*kind).to_owned(), tally(t))).collect();
    let answers: Map<String, Value> = totals
        .answers
        .iter()
        .map(|(what, answers)| {
            let answers: Map<String, Value> =
                answers.iter().map(|(answer, t)| (answer.word().to_owned(), tally(t))).collect();
            ((*what).to_owned(), Value::Object(answers))
        })
        .collect();
    let notices: Map<String, Value> =
        totals.notices.iter().map(|(kind, t)| (kind.word().to_owned(), json!(t.count))).collect();
    let first_notices: Map<String, Value> =
        totals.notices.iter().map(|(kind, t)| (kind.word().to_owned(), json!(t.first))).collect();
    let boards: Map<String, Value> = totals
        .boards
        .iter()
        .map(|(kind, share)| {
            let share = json!({ "games": share.games, "moves": share.played, "failed": share.failed });
            ((*kind).to_owned(), share)
        })
        .collect();
    json!({
        "event": "end", "seed": args.seed, "games": totals.games, "habits": args.habits.word(),
        "irregular": args.irregular, "play_on": args.play_on, "level": args.level.word(), "family": args.family.word(),
        "faults": args.faults, "moves": totals.played, "wrong": totals.wrong,
        "missing": totals.missing, "false": false_rulings, "answers": answers,
        "planned": totals.planned, "no_occasion": totals.no_occasion,
        "notices": notices, "first_notices": first_notices, "asking": totals.asking(), "boards": boards, "faulty": totals.faulty,
        "broken_off": totals.broken_off, "failed": totals.failures.len(),
        "moves_per_second": rate(totals.played, took),
    })
}

fn text(totals: &Totals, args: &SoakArgs, took: Duration, out: &mut impl Write) -> io::Result<()> {
    let (games, moves) = (totals.games, totals.played);
    let (habits, level) = (args.habits.word(), args.level.word());
    writeln!(out, "seed {}, {habits} habits, level {level}: {games} games, {moves} half-moves", args.seed)?;
    writeln!(out, "{} half-moves a second", rate(moves, took))?;
    writeln!(out)?;
    writeln!(out, "wrong    {}", totals.wrong)?;
    writeln!(out, "missing  {}", totals.missing)?;
    let false_rulings: usize = totals.false_rulings.values().map(|t| t.count).sum();
    writeln!(out, "false    {false_rulings}{}", listed(&totals.false_rulings))?;
    if totals.faulty > 0 {
        writeln!(out, "broken off on a faulty line  {} of {} games", totals.broken_off, totals.faulty)?;
    }
    boards(totals, out)?;
    answers(totals, out)?;
    occasions(totals, out)?;
    writeln!(out)?;
    let calls = format!("calls in {MOVES} half-moves");
    let first = if totals.notices.is_empty() { "" } else { "  first game" };
    writeln!(out, "{calls:<28}{:>8}{first}", per_moves(totals.asking(), moves))?;
    notices(totals, true, out)?;
    if totals.notices.keys().any(|kind| !kind.asks()) {
        writeln!(out, "what was only told")?;
        notices(totals, false, out)?;
    }
    failures(&totals.failures, out)?;
    replay(totals, args, out)
}

/// A line for each kind of notice that asks a person to look, or that does not.
fn notices(totals: &Totals, asking: bool, out: &mut impl Write) -> io::Result<()> {
    for (kind, tally) in totals.notices.iter().filter(|(kind, _)| kind.asks() == asking) {
        let often = per_moves(tally.count, totals.played);
        writeln!(out, "  {:<26}{often:>8}  {}", kind.word(), tally.first)?;
    }
    Ok(())
}

/// That less was done wrong than was asked for, where it is so.
fn occasions(totals: &Totals, out: &mut impl Write) -> io::Result<()> {
    if totals.no_occasion == 0 {
        return Ok(());
    }
    let Totals { planned, no_occasion, .. } = totals;
    writeln!(out, "nothing was done wrong in {no_occasion} of {planned} games that were to be irregular:")?;
    writeln!(out, "no occasion came in them for what was to be done")
}

/// A line for each kind of board.
fn boards(totals: &Totals, out: &mut impl Write) -> io::Result<()> {
    if totals.boards.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{:<28}{:>8}{:>12}{:>8}", "board", "games", "half-moves", "failed")?;
    for (kind, share) in &totals.boards {
        writeln!(out, "  {kind:<26}{:>8}{:>12}{:>8}", share.games, share.played, share.failed)?;
    }
    Ok(())
}

/// A line for each kind of what called for an answer.
fn answers(totals: &Totals, out: &mut impl Write) -> io::Result<()> {
    if totals.answers.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    write!(out, "{:<28}", "done wrong, or the end")?;
    for answer in Answer::ALL {
        write!(out, "{:>8}", answer.word())?;
    }
    writeln!(out, "  first game")?;
    for (what, answers) in &totals.answers {
        write!(out, "  {what:<26}")?;
        for answer in Answer::ALL {
            write!(out, "{:>8}", answers.get(&answer).map_or(0, |tally| tally.count))?;
        }
        let first: Vec<String> =
            answers.iter().map(|(answer, tally)| format!("{} {}", answer.word(), tally.first)).collect();
        writeln!(out, "  {}", first.join(", "))?;
    }
    Ok(())
}

/// `: illegal-move 3 (first in game 7), ...`
fn listed(tallies: &std::collections::BTreeMap<&'static str, Tally>) -> String {
    let each: Vec<String> = tallies
        .iter()
        .map(|(what, tally)| format!("{what} {} (first in game {})", tally.count, tally.first))
        .collect();
    if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) }
}

fn failures(failures: &[Failure], out: &mut impl Write) -> io::Result<()> {
    if !failures.is_empty() {
        writeln!(out)?;
    }
    for failure in failures.iter().take(SHOWN) {
        let Failure { game, place, what } = failure;
        writeln!(out, "game {game} ({place}): {}", what.join("; "))?;
    }
    if let Some(more) = failures.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        writeln!(out, "and {more} games more")?;
    }
    Ok(())
}

/// How to see one of the games: the first that failed, else the first that any line names.
fn replay(totals: &Totals, args: &SoakArgs, out: &mut impl Write) -> io::Result<()> {
    if args.trace {
        return Ok(());
    }
    let answers = totals.answers.values().flat_map(|answers| answers.values());
    let named = answers.chain(totals.notices.values()).map(|tally| tally.first).min();
    let failed = totals.failures.first().map(|failure| failure.game);
    if let Some(game) = failed.or(named) {
        if failed.is_none() {
            writeln!(out)?;
        }
        writeln!(out, "to see one: {}", again(args, game))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctl::soak::args::of_words;

    #[test]
    fn a_failure_says_the_same_command_to_programs_as_to_people() {
        let args = of_words(["--seed", "7", "--irregular", "50", "--level", "bytes"]);
        let failure = Failure { game: 17, place: "rapid".to_owned(), what: vec!["missed draw".to_owned()] };
        let failed = Totals { failures: vec![failure], ..Totals::default() };
        let said = |json| {
            let mut out = Vec::new();
            totals(&failed, &args, Duration::ZERO, json, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let again = "arbiterctl soak --seed 7 --irregular 50 --level bytes --longest 80 --only 17 --trace";
        assert!(said(false).ends_with(&format!("to see one: {again}\n")), "{}", said(false));
        let first: Value = serde_json::from_str(said(true).lines().next().unwrap()).unwrap();
        assert_eq!((&first["event"], &first["again"]), (&"failure".into(), &again.into()));
    }
}
