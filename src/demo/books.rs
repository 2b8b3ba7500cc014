// SPDX-License-Identifier: GPL-3.0-or-later
//! The same facts, read from the journal, under other rulebooks.

use std::sync::Arc;
use std::time::Duration;

use arbiterd_board::ClockSide;

use super::DemoError;
use super::screen::Screen;
use super::stage::{ClosedStage, POSITION};
use crate::journal::{Journal, RunInfo};
use crate::laws::mate::answer;
use crate::laws::rulebook::Library;
use crate::laws::{Ruling, RulingKind};
use crate::table::{Fact, GameResult, Lights, Observer, Orientation, Start, TableConfig, replay};
use crate::time;

/// Rulebooks with other consequences: less time, time by another article, the game lost at once.
const OTHERS: [&str; 3] = ["fide-2023-blitz", "fide-2018-rapid", "fide-2017-blitz"];

/// Shows what the recorded facts give under other rulebooks.
pub async fn compare(screen: &mut Screen, stage: &ClosedStage) -> Result<(), DemoError> {
    let facts = recorded(stage).await?;
    let library = Library::embedded().map_err(|e| DemoError::Setup(e.to_string()))?;
    screen.title("The same facts under other rulebooks")?;
    let mut rows = Vec::new();
    for id in OTHERS {
        let ruling = ruling_under(id, &library, &facts)?;
        rows.push([id.to_owned(), consequence(&ruling), ruling.articles.join(", ")]);
    }
    screen.outcomes(&rows)?;
    screen.blank()
}

async fn recorded(stage: &ClosedStage) -> Result<Vec<Fact>, DemoError> {
    let run = RunInfo {
        boot_id: time::boot_id(),
        wall_millis: time::wall_millis(),
        mono_at_start: time::now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let journal = Journal::open(&stage.journal(), run)?;
    let games = journal.games().await?;
    let game =
        games.first().ok_or_else(|| DemoError::Unexpected("the journal holds no game".to_owned()))?.game;
    let facts = journal.facts(game).await?;
    journal.close().await?;
    Ok(facts)
}

fn ruling_under(id: &str, library: &Library, facts: &[Fact]) -> Result<Ruling, DemoError> {
    let rulebook = library.get(id).ok_or_else(|| DemoError::Setup(id.to_owned()))?;
    let start = Start::from_fen(POSITION).map_err(|e| DemoError::Setup(e.to_string()))?;
    let config = TableConfig {
        id: id.to_owned(),
        rulebook: Arc::clone(&rulebook),
        observer: Observer::Witness,
        white_side: ClockSide::Left,
        orientation: Orientation::Auto,
        start,
        increment: Duration::ZERO,
        illegal_moves: [0; 2],
        lights: Lights::Off,
    };
    replay(config, facts, answer)
        .into_iter()
        .find(|r| r.kind == RulingKind::IllegalMove)
        .ok_or_else(|| DemoError::Unexpected(format!("no ruling under {id}")))
}

fn consequence(ruling: &Ruling) -> String {
    match ruling.consequence.result {
        GameResult::Open => format!(
            "restored, White gets {}:{:02}",
            ruling.consequence.add_white.as_secs() / 60,
            ruling.consequence.add_white.as_secs() % 60
        ),
        GameResult::Won(_) => format!("the game is lost, {}", ruling.consequence.result.pgn()),
        GameResult::Drawn => "the game is drawn".to_owned(),
    }
}
