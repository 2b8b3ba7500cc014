// SPDX-License-Identifier: GPL-3.0-or-later
//! What a soak says in the end: for people, or one JSON object a line.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::args::{Families, Level, Mix, SoakArgs};
use super::boards::Stand;
use super::desk::Heard;
use super::judge::Answer;
use super::totals::{Failure, Tally, Totals};
use crate::sim::people::Session;

/// Notices are counted in so many moves: about what one board sees on a day.
const MOVES: usize = 2000;
/// More failures than a person reads; the others are in `--json`.
const SHOWN: usize = 20;

/// How fast it was played, whose eyes the table is, and at which board.
pub(super) fn place(session: &Session, stand: Option<&Stand>) -> String {
    let tempo = format!("{:?}", session.tempo).to_lowercase();
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
    let (tempo, observer) = (format!("{:?}", session.tempo).to_lowercase(), session.observer.word());
    if json {
        let wrongs: Vec<_> = wrongs.collect();
        let truth = json!({ "moves": truth.moves, "wrongs": wrongs });
        let (fen, trace) = (&session.fen, &heard.trace);
        let line = json!({ "event": "trace", "tempo": tempo, "observer": observer, "board": board, "fen": fen,
            "truth": truth, "record": heard.moves, "trace": trace });
        return writeln!(out, "{line}");
    }
    writeln!(out, "{}", place(session, stand))?;
    writeln!(out, "{}", session.fen)?;
    for line in &heard.trace {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "played    {}", truth.moves.join(" "))?;
    writeln!(out, "recorded  {}", heard.moves.join(" "))?;
    for ((what, by, since), wronged) in wrongs.zip(&truth.wrongs) {
        writeln!(out, "done wrong: {what} by {by} at {since}, with {}", wronged.may_stand.join(" "))?;
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
                    "place": failure.place, "what": failure.what })
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
                answers.iter().map(|(answer, t)| (word(*answer).to_owned(), tally(t))).collect();
            ((*what).to_owned(), Value::Object(answers))
        })
        .collect();
    let notices: Map<String, Value> =
        totals.notices.iter().map(|(kind, count)| (kind.word().to_owned(), json!(count))).collect();
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
        "notices": notices, "asking": totals.asking(), "boards": boards, "faulty": totals.faulty,
        "broken_off": totals.broken_off, "failed": totals.failures.len(),
        "moves_per_second": rate(totals.played, took),
    })
}

const fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Ruled => "ruled",
        Answer::Left => "left",
        Answer::Called => "called",
        Answer::Quiet => "quiet",
        Answer::Missed => "missed",
    }
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
    writeln!(out)?;
    writeln!(out, "{:<28}{:>8}", format!("calls in {MOVES} half-moves"), per_moves(totals.asking(), moves))?;
    notices(totals, true, out)?;
    writeln!(out, "what was only told")?;
    notices(totals, false, out)?;
    failures(&totals.failures, args, out)
}

/// A line for each kind of notice that asks a person to look, or that does not.
fn notices(totals: &Totals, asking: bool, out: &mut impl Write) -> io::Result<()> {
    for (kind, count) in totals.notices.iter().filter(|(kind, _)| kind.asks() == asking) {
        writeln!(out, "  {:<26}{:>8}", kind.word(), per_moves(*count, totals.played))?;
    }
    Ok(())
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
    for answer in ANSWERS {
        write!(out, "{:>8}", word(answer))?;
    }
    writeln!(out)?;
    for (what, answers) in &totals.answers {
        write!(out, "  {what:<26}")?;
        for answer in ANSWERS {
            write!(out, "{:>8}", answers.get(&answer).map_or(0, |tally| tally.count))?;
        }
        let missed = answers.get(&Answer::Missed);
        writeln!(out, "{}", missed.map(|t| format!("  first in game {}", t.first)).unwrap_or_default())?;
    }
    Ok(())
}

const ANSWERS: [Answer; 5] = [Answer::Ruled, Answer::Left, Answer::Called, Answer::Quiet, Answer::Missed];

/// `: illegal-move 3 (first in game 7), ...`
fn listed(tallies: &std::collections::BTreeMap<&'static str, Tally>) -> String {
    let each: Vec<String> = tallies
        .iter()
        .map(|(what, tally)| format!("{what} {} (first in game {})", tally.count, tally.first))
        .collect();
    if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) }
}

fn failures(failures: &[Failure], args: &SoakArgs, out: &mut impl Write) -> io::Result<()> {
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
    match failures.first() {
        Some(failure) if !args.trace => writeln!(out, "to see one: {}", again(args, failure.game)),
        _ => Ok(()),
    }
}

/// The command that plays one of the games again.
fn again(args: &SoakArgs, game: u64) -> String {
    let mut words = vec![format!("arbiterctl soak --seed {}", args.seed)];
    if args.irregular > 0 {
        words.push(format!("--irregular {}", args.irregular));
    }
    if args.play_on {
        words.push("--play-on".to_owned());
    }
    if args.habits != Mix::Everyday {
        words.push(format!("--habits {}", args.habits.word()));
    }
    if args.level != Level::Events {
        words.push(format!("--level {}", args.level.word()));
    }
    if args.family != Families::Both {
        words.push(format!("--family {}", args.family.word()));
    }
    if args.faults > 0 {
        words.push(format!("--faults {}", args.faults));
    }
    match &args.pgn {
        Some(file) => words.push(format!("--pgn '{}'", file.display())),
        None => words.push(format!("--longest {}", args.longest)),
    }
    words.push(format!("--only {game} --trace"));
    words.join(" ")
}
