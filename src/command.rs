// SPDX-License-Identifier: GPL-3.0-or-later
//! The subcommands of the daemon's binary, with their exit codes.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::client::BusAddress;
use crate::config::{self, Config, ConfigError};
use crate::daemon::{self, DaemonError, Setup};
use crate::dbus::{AllowAll, Authorizer, DenyAll};
use crate::laws::rulebook::Library;

/// Where the configuration is unless said otherwise.
pub const DEFAULT_CONFIG: &str = "/etc/arbiterd/config.toml";

/// `EX_CONFIG` of sysexits.h: systemd does not try again with the same configuration.
const WRONG_CONFIGURATION: u8 = 78;

/// For so long the end of the process waits for threads that cannot be told to end.
const LEFT_BEHIND: Duration = Duration::from_millis(500);

/// Why a subcommand failed.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("the rulebooks in this program are damaged: {0}")]
    Rulebooks(#[from] crate::laws::rulebook::RulebookError),
    #[error("cannot start: {0}")]
    Runtime(#[from] std::io::Error),
    #[error(transparent)]
    Daemon(#[from] DaemonError),
}

impl CommandError {
    const fn code(&self) -> u8 {
        match self {
            Self::Config(_) => WRONG_CONFIGURATION,
            _ => 1,
        }
    }
}

/// `arbiterd run`.
pub fn run(path: &Path, bus: &BusAddress) -> ExitCode {
    start_log();
    finish(serve(path, bus))
}

/// `arbiterd check-config`: the same reading as at a start.
pub fn check_config(path: &Path) -> ExitCode {
    let outcome = Library::embedded().map_err(CommandError::from).and_then(|l| Ok(Config::check(path, &l)?));
    if outcome.is_ok() {
        // A closed pipe is no reason to fail.
        let _ = writeln!(std::io::stdout(), "{}: no mistake found", path.display());
    }
    finish(outcome)
}

fn finish(outcome: Result<(), CommandError>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "arbiterd: {error}");
            ExitCode::from(error.code())
        }
    }
}

fn serve(path: &Path, bus: &BusAddress) -> Result<(), CommandError> {
    let embedded = Library::embedded()?;
    let config = Config::load(path, &embedded)?;
    let library = config::library(&embedded, &config.rulebook_dirs)?;
    let setup = Setup { config, library, bus: bus.clone(), authorizer: authorizer(bus), status };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(until_told(setup));
    // A port that hangs while it is opened, or a search that goes on, holds a blocking thread: the
    // end does not wait for those.
    runtime.shutdown_timeout(LEFT_BEHIND);
    outcome
}

async fn until_told(setup: Setup) -> Result<(), CommandError> {
    // The handlers stay in place: a second signal neither kills nor hurries an orderly end.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            tracing::warn!(
                "the configuration is not read anew while running in this version: restart for that"
            );
        }
    });
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tell_systemd(&[sd_notify::NotifyState::Stopping]);
        tracing::info!("stopping");
    };
    let ready = || {
        tell_systemd(&[sd_notify::NotifyState::Ready]);
        tracing::info!("ready");
    };
    daemon::run(setup, ready, stop).await.map_err(CommandError::from)
}

/// The status line of the service.
fn status(line: &str) {
    tell_systemd(&[sd_notify::NotifyState::Status(line)]);
}

/// Whoever reaches a bus that was named by its address, or a session's own, is the user himself.
/// On the system bus somebody has to be asked, and as long as nobody can be, all are refused.
fn authorizer(bus: &BusAddress) -> Arc<dyn Authorizer> {
    match bus {
        BusAddress::System => Arc::new(DenyAll),
        BusAddress::Session | BusAddress::Address(_) => Arc::new(AllowAll),
    }
}

/// Without systemd there is nobody to tell, and that is no error.
fn tell_systemd(state: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "systemd could not be told");
    }
}

fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    // The journal has its own times.
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(
            std::io::IsTerminal::is_terminal(&std::io::stderr()) && std::env::var_os("NO_COLOR").is_none(),
        );
    if std::env::var_os("JOURNAL_STREAM").is_some() {
        log.without_time().init();
    } else {
        log.init();
    }
}
