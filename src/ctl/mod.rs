// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl`: what the service publishes, for people and for programs.

mod cli;
mod decode;
mod lines;
mod rehearse;
mod simulate;
mod soak;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::client::{BusAddress, Client, ClientError, Watch};
use crate::{table, time};
use cli::{Cli, Command};
use lines::Lines;

/// What can go wrong in `arbiterctl`.
#[derive(Debug, thiserror::Error)]
enum CtlError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Decode(#[from] decode::DecodeError),
    #[error(transparent)]
    Simulate(#[from] simulate::SimulateError),
    #[error(transparent)]
    Rehearse(#[from] rehearse::RehearseError),
    #[error(transparent)]
    Soak(#[from] soak::SoakError),
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    #[error("cannot write as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl CtlError {
    /// What the shell is told: wrong usage has a code of its own.
    const fn code(&self) -> u8 {
        match self {
            Self::Simulate(e) if e.is_usage() => 2,
            Self::Rehearse(e) if e.is_usage() => 2,
            _ => 1,
        }
    }

    /// Whoever read our output has stopped reading: that is no failure.
    fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(e) | Self::Decode(decode::DecodeError::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe)
            || matches!(self, Self::Json(e) if e.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    }
}

/// Runs `arbiterctl` with the arguments of the process. Exit codes: 0 done, 1 an error, 2 wrong
/// usage.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // What cannot be printed has no reader.
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime.map_err(CtlError::from).and_then(|r| r.block_on(run(cli)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) if e.is_broken_pipe() => ExitCode::SUCCESS,
        Err(e) => {
            let _ = writeln!(io::stderr(), "arbiterctl: {e}");
            ExitCode::from(e.code())
        }
    }
}

async fn run(cli: Cli) -> Result<(), CtlError> {
    let mut out = Out { json: cli.json, lines: Lines::new(colour_wanted()), to: io::stdout() };
    match cli.command {
        Command::Monitor => monitor(cli.bus, &mut out).await,
        Command::Rulings { since, table, limit } => {
            let client = Client::connect(cli.bus).await?;
            let rulings = client.rulings(since, table.as_deref(), limit).await?;
            rulings.iter().try_for_each(|r| out.put(r, |lines| Some(lines.ruling(r))))
        }
        Command::Notices { since, table, limit } => {
            let client = Client::connect(cli.bus).await?;
            let notices = client.notices(since, table.as_deref(), limit).await?;
            notices.iter().try_for_each(|n| out.put(n, |lines| Some(lines.notice(n))))
        }
        Command::Claim { table, by, what } => {
            let fact = Client::connect(cli.bus).await?.claim(&table, by, what).await?;
            let recorded = serde_json::json!({ "table": table, "fact": fact });
            out.put(&recorded, |_| Some(format!("claim recorded as fact {fact} of table {table}")))
        }
        Command::Decode { family } => Ok(decode::run(&family, out.json, &mut out.to)?),
        Command::Rehearse(args) => rehearse::run(&args, &mut out),
        Command::Soak(args) => soak::run(&args, out.json, &mut out.to),
        Command::Simulate { family } => simulate::run(&family, &mut out).await,
        Command::Confirm { table, ruling } => {
            tell(cli.bus, &mut out, &table, table::Command::Confirm { ruling }).await
        }
        Command::Overrule { table, ruling } => {
            tell(cli.bus, &mut out, &table, table::Command::Overrule { ruling }).await
        }
        Command::AcceptBoard { table, turn } => {
            tell(cli.bus, &mut out, &table, table::Command::AcceptBoard { turn }).await
        }
    }
}

async fn tell(bus: BusAddress, out: &mut Out, table: &str, command: table::Command) -> Result<(), CtlError> {
    let fact = Client::connect(bus).await?.command(table, command).await?;
    let recorded = serde_json::json!({ "table": table, "fact": fact });
    out.put(&recorded, |_| Some(format!("recorded as fact {fact} of table {table}")))
}

async fn monitor(bus: BusAddress, out: &mut Out) -> Result<(), CtlError> {
    let mut watch = Watch::open(bus).await?;
    loop {
        let seen = watch.next().await?;
        let arrived = time::now();
        out.put(&seen, |lines| lines.seen(&seen, arrived))?;
    }
}

/// Where output goes, and in which form.
struct Out {
    json: bool,
    lines: Lines,
    to: io::Stdout,
}

impl Out {
    /// Writes one thing as one line: as JSON, or as people read it, who are spared some things.
    fn put<T: serde::Serialize>(
        &mut self,
        thing: &T,
        line: impl FnOnce(&mut Lines) -> Option<String>,
    ) -> Result<(), CtlError> {
        if self.json {
            serde_json::to_writer(&mut self.to, thing)?;
            self.to.write_all(b"\n")?;
        } else if let Some(line) = line(&mut self.lines) {
            writeln!(self.to, "{line}")?;
        }
        // A pipe shows each line when it happens, as a terminal does.
        Ok(self.to.flush()?)
    }
}

/// Colour on a terminal, unless the user does not want any (no-color.org).
fn colour_wanted() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}
