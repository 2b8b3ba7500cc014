// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl simulate`: a board that is not there, on a pseudo terminal, for any host program.

mod args;
mod dgt;
mod hall;
mod millennium;
mod player;
mod stage;
mod tell;
mod wish;

use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::sync::Arc;

use arbiterd_dgt::simulator::BusLineError;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

pub(super) use self::args::Family;
pub(super) use self::dgt::harm;
use self::hall::{After, Hall};
pub(super) use self::millennium::harm as harm_of_millennium;
use self::stage::Stage;
use self::tell::Told;
use super::{CtlError, Out};
use crate::sim::{BoardGone, Game, GameError, PtyError};

/// Why a simulation did not come about.
#[derive(Debug, thiserror::Error)]
pub(super) enum SimulateError {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Line(#[from] BusLineError),
    #[error(transparent)]
    Pty(#[from] PtyError),
    #[error(transparent)]
    Board(#[from] BoardGone),
    #[error(transparent)]
    Game(#[from] GameError),
    #[error(
        "the link {} leads to {}, which is in use, maybe by another simulator: end that, remove the link, or name another path",
        path.display(),
        target.display()
    )]
    LinkTaken { path: PathBuf, target: PathBuf },
    #[error("cannot listen to signals: {0}")]
    Signals(io::Error),
}

impl SimulateError {
    /// Whether the command line is at fault.
    pub(super) const fn is_usage(&self) -> bool {
        matches!(self, Self::Usage(_))
    }
}

/// Runs until a signal or `quit`.
pub(super) async fn run(family: &Family, out: &mut Out) -> Result<(), CtlError> {
    match family {
        Family::Dgt(args) => perform(&**args, out).await,
        Family::Millennium(args) => perform(&**args, out).await,
    }
}

async fn perform<S: Stage>(stage: &S, out: &mut Out) -> Result<(), CtlError> {
    let plan = stage.plan().map_err(CtlError::Simulate)?;
    let args = stage.board();
    let game = args.play.as_ref().map(|path| Game::load(path, args.game)).transpose();
    let game = game.map_err(SimulateError::from)?.map(Arc::new);
    let (stop, mut stopped) = mpsc::unbounded_channel();
    watch_signals(&stop)?;
    let mut hall = Hall::set(stage, plan, game)?;
    out.tell(&hall.plugged())?;
    // Whoever writes lines faster than they are granted waits.
    let (lines_in, mut lines) = mpsc::channel(1);
    let mut hands = args.hands;
    if hands {
        std::thread::spawn(move || read_lines(io::stdin().lock(), &lines_in));
    }
    loop {
        tokio::select! {
            _ = stopped.recv() => return Ok(()),
            Some(news) = hall.news.recv() => hall.hear(news, out).await?,
            Some(order) = hall.orders.recv() => hall.obey(order, out)?,
            line = lines.recv(), if hands => match line {
                Some(line) => {
                    if hall.grant(&line, out).await? == After::Quit {
                        return Ok(());
                    }
                }
                None => {
                    hands = false;
                    out.tell(&Told::HandsEnded)?;
                }
            }
        }
    }
}

/// Ctrl-C, somebody's kill and a closed terminal.
fn watch_signals(stop: &mpsc::UnboundedSender<()>) -> Result<(), CtlError> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let mut signal = signal(kind).map_err(SimulateError::Signals)?;
        let stop = stop.clone();
        tokio::spawn(async move {
            signal.recv().await;
            // Whoever would hear it has stopped already.
            _ = stop.send(());
        });
    }
    Ok(())
}

/// Longer than any wish.
const LONGEST_LINE: u64 = 1024;

/// Hands on each line of the input until its end. What is no text is handed on too, for it must be
/// answered; an endless line comes in pieces.
fn read_lines(mut from: impl BufRead, to: &mpsc::Sender<String>) {
    loop {
        let mut line = Vec::new();
        match from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => {
                tracing::warn!("cannot read the lines of the hands: {e}");
                return;
            }
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if !line.is_empty() && to.blocking_send(line.to_owned()).is_err() {
            return;
        }
    }
}

impl Out {
    fn tell(&mut self, told: &Told) -> Result<(), CtlError> {
        self.put(told, |lines| Some(if told.is_warning() { lines.alarm(&told.line()) } else { told.line() }))
    }
}
