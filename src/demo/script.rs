// SPDX-License-Identifier: GPL-3.0-or-later
//! The disputed game: what hands and voices do, and what is waited for.
//!
//! Black pushes the pawn that shields his king from White's bishop and presses. White reaches
//! for his bishop; Black calls touch-move; White stops the clock and claims the illegal move.

use std::time::Duration;

use arbiterd_board::{ClockSide, Colour, Piece, Role, Square};

use super::DemoError;
use super::screen::Screen;
use super::stage::{RULEBOOK, Stage};
use crate::client::{RulingInfo, Seen};
use crate::sim::Act;
use crate::table::{Claim, Speaker};

const fn square(file: u8, rank: u8) -> Square {
    match Square::from_coords(file, rank) {
        Some(s) => s,
        // Evaluated when this is compiled.
        None => unreachable!(),
    }
}

const E5: Square = square(4, 4);
const E4: Square = square(4, 3);
const B2: Square = square(1, 1);
const G7: Square = square(6, 6);
const G6: Square = square(6, 5);
const PAWN: Piece = Piece { colour: Colour::Black, role: Role::Pawn };
const KING: Piece = Piece { colour: Colour::Black, role: Role::King };
const BISHOP: Piece = Piece { colour: Colour::White, role: Role::Bishop };

/// What is to be seen, and how to see it elsewhere.
pub fn prologue(screen: &mut Screen, stage: &Stage) -> Result<(), DemoError> {
    screen.title(&format!("arbiterd demo: a dispute under {RULEBOOK}"))?;
    screen.text(
        "A simulated board and clock on a pseudo terminal, the real daemon, and a message bus of its own:",
    )?;
    screen.verbatim(&format!("  {}", stage.address))?;
    screen.text("The same can be watched from another terminal:")?;
    screen.verbatim(&format!("  arbiterctl --bus {} monitor", stage.address))?;
    screen.verbatim(&format!("  busctl --address={} monitor", stage.address))?;
    screen.blank()
}

/// Plays the dispute and returns the ruling on the illegal move.
pub async fn dispute(screen: &mut Screen, stage: &mut Stage) -> Result<RulingInfo, DemoError> {
    stage.watch_until(screen, "the board in step", |s| in_state(s, "in-step")).await?;
    screen.board()?;
    stage.act(Act::Start)?;
    stage.watch_until(screen, "Black's clock running", |s| runs(s, "black")).await?;
    illegal_push(screen, stage).await?;
    let ruling = claims(screen, stage).await?;
    restoration(screen, stage, &ruling).await?;
    Ok(ruling)
}

async fn illegal_push(screen: &mut Screen, stage: &mut Stage) -> Result<(), DemoError> {
    screen.narrate("Black pushes his e-pawn. It was shielding his own king from the bishop on b2.")?;
    stage.think(screen, 1500).await?;
    lift(screen, stage, E5).await?;
    stage.think(screen, 500).await?;
    place(screen, stage, E4, PAWN).await?;
    stage.think(screen, 500).await?;
    stage.act(Act::Press(ClockSide::Right))?;
    stage
        .watch_until(screen, "Black's press", |s| matches!(s, Seen::Pressed { by, .. } if by == "black"))
        .await?;
    stage.watch_until(screen, "the completed move", |s| matches!(s, Seen::Moved { .. })).await?;
    screen.board()?;
    screen.narrate(
        "The daemon is a witness here: it has seen what happened, and says nothing that a player has not claimed.",
    )
}

async fn claims(screen: &mut Screen, stage: &mut Stage) -> Result<RulingInfo, DemoError> {
    screen.narrate("White reaches for his bishop, to take the king.")?;
    stage.think(screen, 1800).await?;
    lift(screen, stage, B2).await?;
    stage.think(screen, 400).await?;
    screen.narrate("Black: \"Touched! You must move the bishop.\"")?;
    claim(screen, stage, Colour::Black, Claim::TouchMove).await?;
    stage
        .watch_until(
            screen,
            "the open claim",
            |s| matches!(s, Seen::Notice(n) if n.kind == "notice.claim-open"),
        )
        .await?;
    stage.think(screen, 500).await?;
    screen.narrate("White stops the clock: \"Your move was illegal.\"")?;
    stage.act(Act::Stop)?;
    stage.watch_until(screen, "the stopped clock", |s| runs(s, "")).await?;
    stage.think(screen, 500).await?;
    claim(screen, stage, Colour::White, Claim::IllegalMove).await?;
    let seen = stage
        .watch_until(screen, "the ruling", |s| matches!(s, Seen::Ruled(r) if r.kind == "ruling.illegal-move"))
        .await?;
    let Seen::Ruled(ruling) = seen else { return Err(DemoError::Unexpected(format!("{seen:?}"))) };
    expected(&ruling)?;
    Ok(*ruling)
}

/// What Articles 7.5.1 and 7.5.5 say of this dispute.
fn expected(ruling: &RulingInfo) -> Result<(), DemoError> {
    let right = ruling.offender.as_deref() == Some("black")
        && ruling.add_white_ms == 120_000
        && ruling.add_black_ms == 0
        && ruling.articles.iter().any(|a| a == "7.5.1")
        && ruling.illegal_black == 1;
    if right { Ok(()) } else { Err(DemoError::Unexpected(format!("{ruling:?}"))) }
}

async fn restoration(screen: &mut Screen, stage: &mut Stage, ruling: &RulingInfo) -> Result<(), DemoError> {
    let Some(times) = &ruling.proposed_clock else {
        return Err(DemoError::Unexpected(format!("{ruling:?}")));
    };
    // The arbiter chooses the times at the move (7.1), and adds what the ruling says (7.5.5).
    let [white, black] = times.at_irregularity_ms;
    let (white, black) = (white + ruling.add_white_ms, black + ruling.add_black_ms);
    screen.narrate(
        "The arbiter has the position restored, sets the times at the move and gives White two minutes.",
    )?;
    stage.think(screen, 1200).await?;
    place(screen, stage, B2, BISHOP).await?;
    lift(screen, stage, E4).await?;
    stage.think(screen, 600).await?;
    stage.act(Act::Place(E5, PAWN))?;
    stage.watch_until(screen, "the restored position", |s| in_state(s, "in-step")).await?;
    screen.board()?;
    stage.act(Act::SetTimes { left: Duration::from_millis(white), right: Duration::from_millis(black) })?;
    // The lever is put so that Black's time will run; the clock stands, so it is no press.
    stage.act(Act::Press(ClockSide::Left))?;
    stage.act(Act::Start)?;
    stage
        .watch_until(screen, "the corrected clock", |s| {
            runs(s, "black") && matches!(s, Seen::Clock(c) if c.white_ms == white)
        })
        .await?;
    screen.narrate(
        "Black may play any legal move: the pawn he touched has none (4.5). He steps out of the line.",
    )?;
    stage.think(screen, 1200).await?;
    lift(screen, stage, G7).await?;
    stage.think(screen, 400).await?;
    place(screen, stage, G6, KING).await?;
    stage.think(screen, 500).await?;
    stage.act(Act::Press(ClockSide::Right))?;
    stage
        .watch_until(screen, "the legal move", |s| matches!(s, Seen::Moved { uci, .. } if uci == "g7g6"))
        .await?;
    screen.board()
}

/// What came of it.
pub fn epilogue(screen: &mut Screen, ruling: &RulingInfo) -> Result<(), DemoError> {
    screen.title("Summary")?;
    screen.text(&format!(
        "Ruling {} (journal row {}): illegal move {} by {}; articles {}; White gets 2:00; the position before it was \
         restored; the game went on.",
        ruling.seq,
        ruling.row,
        ruling.irregular_move.as_deref().unwrap_or("?"),
        ruling.offender.as_deref().unwrap_or("?"),
        ruling.articles.join(", "),
    ))?;
    screen.text(
        "Every step came over the message bus, and every ruling was in the journal before it was published.",
    )
}

async fn lift(screen: &mut Screen, stage: &mut Stage, at: Square) -> Result<(), DemoError> {
    stage.act(Act::Lift(at))?;
    let name = at.to_string();
    stage
        .watch_until(
            screen,
            "a lifted piece",
            |s| matches!(s, Seen::Lifted { square, .. } if *square == name),
        )
        .await?;
    Ok(())
}

async fn place(screen: &mut Screen, stage: &mut Stage, at: Square, piece: Piece) -> Result<(), DemoError> {
    stage.act(Act::Place(at, piece))?;
    let name = at.to_string();
    stage
        .watch_until(
            screen,
            "a placed piece",
            |s| matches!(s, Seen::Placed { square, .. } if *square == name),
        )
        .await?;
    Ok(())
}

async fn claim(screen: &mut Screen, stage: &mut Stage, by: Colour, claim: Claim) -> Result<(), DemoError> {
    let fact = stage.client().claim("1", Speaker::Player(by), claim).await?;
    stage
        .watch_until(screen, "the claim", |s| matches!(s, Seen::Claimed { fact: f, .. } if *f == fact))
        .await?;
    Ok(())
}

fn in_state(seen: &Seen, word: &str) -> bool {
    match seen {
        Seen::State { state, .. } => state == word,
        Seen::Table(t) => t.state == word,
        _ => false,
    }
}

fn runs(seen: &Seen, side: &str) -> bool {
    matches!(seen, Seen::Clock(c) if c.running == side && c.connected == "connected")
}
