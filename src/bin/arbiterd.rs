// SPDX-License-Identifier: GPL-3.0-or-later
//! The daemon's command line. See `arbiterd --help`.

use std::path::PathBuf;
use std::process::ExitCode;

use arbiterd::client::BusAddress;
use arbiterd::command;
use clap::{Parser, Subcommand};

/// The electronic assistant arbiter of a chess venue.
///
/// Reads electronic chess boards and their clocks, rules by the Laws of Chess in force and
/// publishes every ruling over D-Bus, with its article and its evidence.
#[derive(Parser)]
#[command(name = "arbiterd", version, arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "Exit codes: 0 stopped in order, 1 failed, 2 wrong use, 78 wrong configuration.\n\
    LOG=debug arbiterd run ... says more on standard error.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the configured boards until stopped.
    Run {
        /// The configuration.
        #[arg(long, value_name = "FILE", default_value = command::DEFAULT_CONFIG)]
        config: PathBuf,
        /// The message bus: system, session, or an address such as unix:path=/run/bus.
        #[arg(long, value_name = "BUS", default_value = "system")]
        bus: BusAddress,
    },
    /// Check a configuration and name every mistake in it; opens no device.
    CheckConfig {
        /// The configuration.
        #[arg(value_name = "FILE", default_value = command::DEFAULT_CONFIG)]
        config: PathBuf,
    },
    /// Show a disputed game on a simulated board, with a message bus of its own.
    ///
    /// Needs no board, no running message bus and no rights. While it runs,
    /// `arbiterctl --bus ADDRESS monitor` in another terminal shows the same.
    #[cfg(feature = "demo")]
    Demo {
        /// Without the waiting: nobody thinks, and the line is not slowed to 9600 baud.
        #[arg(long)]
        fast: bool,
    },
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Run { config, bus } => command::run(&config, &bus),
        Command::CheckConfig { config } => command::check_config(&config),
        #[cfg(feature = "demo")]
        Command::Demo { fast } => arbiterd::demo::main(fast),
    }
}
