// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterd demo`: a disputed game on a simulated board, ruled by the real daemon.
//!
//! Nothing is shown that did not come over the message bus: simulated board, pseudo terminal,
//! serial link, table, journal, bus, screen.

mod books;
mod bus;
mod screen;
mod script;
mod stage;

use std::process::ExitCode;

use screen::Screen;
use stage::Stage;

use crate::client::ClientError;
use crate::daemon::DaemonError;
use crate::journal::JournalError;
use crate::sim::{BoardGone, PtyError};

/// What the shell reports for a program that an interrupt ended.
const INTERRUPTED: u8 = 130;

/// Why the demonstration could not be shown to its end.
#[derive(Debug, thiserror::Error)]
enum DemoError {
    #[error("no message bus of its own could be started: {0}")]
    Bus(String),
    #[error("no room for the demo's files: {0}; set TMPDIR to a folder that can be written")]
    Files(std::io::Error),
    #[error("the terminal cannot be written: {0}")]
    Screen(std::io::Error),
    #[error("the demo's own rulebook or configuration is damaged: {0}")]
    Setup(String),
    #[error(transparent)]
    Pty(#[from] PtyError),
    #[error(transparent)]
    Board(#[from] BoardGone),
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the daemon did not show {what} within {seconds} s")]
    Missing { what: &'static str, seconds: u64 },
    #[error("the daemon ended before the demo did")]
    DaemonEnded,
    #[error("the dispute ended otherwise than it should: {0}")]
    Unexpected(String),
    #[error("interrupted")]
    Interrupted,
}

/// Shows the demonstration; the exit code says whether it ended as it should.
pub fn main(fast: bool) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&DemoError::Files(error)),
    };
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = show(fast) => outcome,
            () = interrupted() => Err(DemoError::Interrupted),
        }
    });
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever closed the pipe (`| head`) has seen enough.
        Err(DemoError::Screen(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

/// Ctrl-C, a closed terminal, or somebody's kill: each leaves nothing behind.
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind| async move {
        match signal(kind) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            // Without it the system's own way of ending stays in force.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::hangup()) => {}
    }
}

fn failed(error: &DemoError) -> ExitCode {
    // A terminal that is gone needs no message.
    let _ =
        std::io::Write::write_all(&mut std::io::stderr(), format!("\narbiterd demo: {error}\n").as_bytes());
    match error {
        DemoError::Interrupted => ExitCode::from(INTERRUPTED),
        _ => ExitCode::FAILURE,
    }
}

async fn show(fast: bool) -> Result<(), DemoError> {
    let mut screen = Screen::new();
    let mut stage = Stage::set(fast).await?;
    script::prologue(&mut screen, &stage)?;
    let ruling = script::dispute(&mut screen, &mut stage).await?;
    let journal = stage.close().await?;
    books::compare(&mut screen, &journal).await?;
    script::epilogue(&mut screen, &ruling)
}
