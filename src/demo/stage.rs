// SPDX-License-Identifier: GPL-3.0-or-later
//! The hall of the demo: board, bus, daemon and a client that watches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arbiterd_board::{ClockSide, Placement, Version};
use arbiterd_dgt::simulator::{ClockOptions, Options, Simulator};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::screen::Screen;
use super::{DemoError, bus};
use crate::client::{BusAddress, Client, Seen, Watch};
use crate::config::Config;
use crate::daemon::{self, DaemonError, Setup};
use crate::dbus::AllowAll;
use crate::laws::rulebook::Library;
use crate::sim::{Act, Pace, PtyBoard};
use crate::time;

/// The rulebook of the demo.
pub const RULEBOOK: &str = "fide-2023-standard";

/// The position in which the dispute arises, Black to move.
pub const POSITION: &str = "8/6k1/8/4p2p/7P/3r4/1B3K2/8 b - - 0 56";

/// White's and Black's time at the start.
const TIMES: [Duration; 2] = [Duration::from_millis(18_000), Duration::from_millis(27_500)];

/// Longer than anything in the demo takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Everything that runs.
pub struct Stage {
    pub address: String,
    fast: bool,
    folder: tempfile::TempDir,
    board: PtyBoard<Simulator>,
    client: Client,
    watch: Watch,
    stop: Option<oneshot::Sender<()>>,
    daemon: JoinHandle<Result<(), DaemonError>>,
}

impl Stage {
    /// Starts the bus, plugs the board in, starts the daemon and watches it.
    pub async fn set(fast: bool) -> Result<Self, DemoError> {
        let folder = tempfile::Builder::new().prefix("arbiterd-demo-").tempdir().map_err(DemoError::Files)?;
        let address = bus::start(folder.path()).await?;
        let pace = if fast { Pace::Unpaced } else { Pace::Line };
        let board = PtyBoard::plug(Simulator::new(time::now(), board_options()?), pace, None)?;
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready_in, ready) = oneshot::channel();
        let setup = setup(&folder, &board, &address)?;
        let daemon = tokio::spawn(daemon::run(
            setup,
            move || {
                // Nobody waits any more: the demo is going down.
                let _ = ready_in.send(());
            },
            async {
                // The sender is dropped with the stage: that too is the end.
                let _ = stopped.await;
            },
        ));
        if ready.await.is_err() {
            return Err(daemon
                .await
                .map_or(DemoError::DaemonEnded, |r| r.err().map_or(DemoError::DaemonEnded, Into::into)));
        }
        let bus_address = BusAddress::Address(address.clone());
        let client = Client::connect(bus_address.clone()).await?;
        let watch = Watch::open(bus_address).await?;
        Ok(Self { address, fast, folder, board, client, watch, stop: Some(stop), daemon })
    }

    /// A hand does something.
    pub fn act(&self, act: Act) -> Result<(), DemoError> {
        Ok(self.board.act(act)?)
    }

    /// The client through which the players' claims go.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Shows what comes over the bus until `until` is among it.
    pub async fn watch_until(
        &mut self,
        screen: &mut Screen,
        what: &'static str,
        mut until: impl FnMut(&Seen) -> bool,
    ) -> Result<Seen, DemoError> {
        let missing = DemoError::Missing { what, seconds: PATIENCE.as_secs() };
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(seen) = timeout(left, self.next(screen)).await else { return Err(missing) };
            let seen = seen?;
            screen.seen(&seen)?;
            if until(&seen) {
                return Ok(seen);
            }
        }
    }

    /// The next thing seen; meanwhile the clock on the screen runs.
    async fn next(&mut self, screen: &mut Screen) -> Result<Seen, DemoError> {
        loop {
            tokio::select! {
                seen = self.watch.next() => return Ok(seen?),
                () = tokio::time::sleep(screen.refresh()) => screen.tick()?,
            }
        }
    }

    /// Somebody thinks; what happens meanwhile is shown. Not in the fast demo.
    pub async fn think(&mut self, screen: &mut Screen, millis: u64) -> Result<(), DemoError> {
        if self.fast {
            return Ok(());
        }
        let deadline = Instant::now() + Duration::from_millis(millis);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match timeout(left, self.next(screen)).await {
                Err(_) => return Ok(()),
                Ok(seen) => screen.seen(&seen?)?,
            }
        }
    }

    /// Stops the daemon in order and gives back where its journal is.
    pub async fn close(mut self) -> Result<ClosedStage, DemoError> {
        if let Some(stop) = self.stop.take() {
            // It may have ended by itself: its result says so.
            let _ = stop.send(());
        }
        self.daemon.await.map_err(|_| DemoError::DaemonEnded)??;
        Ok(ClosedStage { folder: self.folder })
    }
}

/// What is left when the daemon has stopped: its journal, until this is dropped.
pub struct ClosedStage {
    folder: tempfile::TempDir,
}

impl ClosedStage {
    /// The journal's file.
    pub fn journal(&self) -> PathBuf {
        self.folder.path().join("journal.db")
    }
}

fn board_options() -> Result<Options, DemoError> {
    let placement: Placement = POSITION
        .split_once(' ')
        .and_then(|(placement, _)| placement.parse().ok())
        .ok_or_else(|| DemoError::Setup(POSITION.to_owned()))?;
    Ok(Options {
        serial: 1,
        placement,
        clock: Some(ClockOptions {
            left: TIMES[0],
            right: TIMES[1],
            increment: Duration::ZERO,
            // White has moved: his end is down, and Black's time is to run.
            pressed: ClockSide::Left,
            version: Version { main: 2, sub: 2 },
            ..ClockOptions::default()
        }),
        ..Options::default()
    })
}

fn setup(folder: &tempfile::TempDir, board: &PtyBoard<Simulator>, address: &str) -> Result<Setup, DemoError> {
    let text = format!(
        "journal = {:?}\nrulebook_dirs = []\n\
         [[board]]\nid = \"demo\"\nport = {:?}\nfamily = \"dgt\"\n\
         [[table]]\nid = \"1\"\nboard = \"demo\"\nrulebook = {RULEBOOK:?}\nobserver = \"witness\"\n\
         white_side = \"left\"\nstart = {POSITION:?}\n",
        folder.path().join("journal.db").display().to_string(),
        board.path().display().to_string(),
    );
    let library = Library::embedded().map_err(|e| DemoError::Setup(e.to_string()))?;
    let config = Config::parse(std::path::Path::new("demo.toml"), &text, &library, None)
        .map_err(|e| DemoError::Setup(format!("{e:?}")))?;
    Ok(Setup {
        config,
        library,
        bus: BusAddress::Address(address.to_owned()),
        authorizer: Arc::new(AllowAll),
        status: |_| {},
    })
}
