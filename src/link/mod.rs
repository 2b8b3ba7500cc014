// SPDX-License-Identifier: GPL-3.0-or-later
//! One serial port and the driver that speaks over it.
//!
//! [`run`] is the task of one configured port. It opens the port, hands the driver what
//! arrives with the moment at which the read returned, writes what the driver wants sent, and
//! tells everything as [`LinkEvent`]s. Trouble with a port is a [`PortState`] and never an
//! end: the port is tried again, after 0.2 s at first and every 5 s in the long run, until the
//! task is told to stop or nobody listens any more.

mod backoff;
mod exchange;
mod open;
mod outbox;
mod refusals;
mod state;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use arbiterd_board::{Channel, Driver, Mono, Report, Request, RequestError};
use tokio::sync::{mpsc, watch};
use tokio_serial::SerialStream;

pub use self::backoff::Backoff;
pub use self::state::PortState;

use self::exchange::End;
use self::outbox::Outbox;
use self::refusals::Refusals;
use crate::time::now;

/// One configured port.
pub struct LinkSettings {
    /// The name of the board or line, as in the configuration.
    pub id: String,
    /// The path of the port. A link by identity (`/dev/.../by-id/...`) survives replugging.
    pub port: PathBuf,
    /// What speaks over it.
    pub driver: Box<dyn Driver + Send>,
}

/// Something a link tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkEvent {
    /// The state of the port changed.
    Port {
        /// The name of the link.
        id: String,
        /// The state it is in now.
        state: PortState,
    },
    /// The driver reported something. When a port is lost, the link itself reports
    /// [`arbiterd_board::LinkState::Down`] for each channel whose board was thought to answer.
    Report {
        /// The name of the link.
        id: String,
        /// The channel on it.
        channel: Channel,
        /// When it became known at the host.
        at: Mono,
        /// What was reported.
        report: Report,
    },
}

/// How many requests may wait for a link.
const REQUESTS: usize = 32;

/// The end at which requests for a link are put in.
#[derive(Clone, Debug)]
pub struct LinkHandle(mpsc::Sender<(Channel, Request)>);

impl LinkHandle {
    /// A handle, and the other end for [`run`].
    pub fn new() -> (Self, mpsc::Receiver<(Channel, Request)>) {
        let (sender, receiver) = mpsc::channel(REQUESTS);
        (Self(sender), receiver)
    }

    /// Asks something of the device on `channel`. The outcome comes as a report
    /// ([`arbiterd_board::ReportBody::Ack`]); a request that the driver refuses, or that comes
    /// while the port is away, is logged and dropped.
    ///
    /// # Errors
    /// [`LinkRequestError`] if the link cannot take it; nothing was asked then.
    pub fn request(&self, channel: Channel, request: Request) -> Result<(), LinkRequestError> {
        self.0.try_send((channel, request)).map_err(|e| match e {
            mpsc::error::TrySendError::Full(_) => LinkRequestError::Full,
            mpsc::error::TrySendError::Closed(_) => LinkRequestError::Ended,
        })
    }
}

/// Why a request was not taken by a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LinkRequestError {
    /// Too many wait already.
    #[error("{REQUESTS} requests wait for this link already: wait for their answers")]
    Full,
    /// The link's task is over.
    #[error("this link has ended")]
    Ended,
}

/// Serves one port until `stop` becomes true (or its sender is gone), or the receiver of
/// `events` is dropped.
///
/// Must run in a tokio runtime with input, output and time enabled.
pub async fn run(
    settings: LinkSettings,
    events: mpsc::Sender<LinkEvent>,
    requests: mpsc::Receiver<(Channel, Request)>,
    stop: watch::Receiver<bool>,
) {
    let LinkSettings { id, port, driver } = settings;
    let (outbox, requests, refusals) = (Outbox::new(id), Requests(requests), Refusals::default());
    let mut link = Link { port, driver, outbox, events, requests, refusals, stop };
    link.serve().await;
    link.outbox.hand_over_rest(&link.events);
    tracing::debug!(board = link.outbox.id(), "the link has ended");
}

/// Everything the task of one port holds.
struct Link {
    port: PathBuf,
    driver: Box<dyn Driver + Send>,
    outbox: Outbox,
    events: mpsc::Sender<LinkEvent>,
    requests: Requests,
    refusals: Refusals,
    stop: watch::Receiver<bool>,
}

impl Link {
    async fn serve(&mut self) {
        let mut backoff = Backoff::new();
        loop {
            match self.open().await {
                ControlFlow::Break(()) => return,
                ControlFlow::Continue(Err(state)) => self.outbox.port(state),
                ControlFlow::Continue(Ok(port)) => match self.converse(port).await {
                    End::Stopped => return,
                    // A port that opens and is gone at once, again and again, is tried as
                    // rarely as one that does not open.
                    End::Lost { heard } => {
                        if heard {
                            backoff.reset();
                        }
                    }
                },
            }
            if self.rest(backoff.wait()).await.is_break() {
                return;
            }
        }
    }

    /// Tries to open the port; breaks if the link shall end.
    async fn open(&mut self) -> ControlFlow<(), Result<SerialStream, PortState>> {
        tokio::select! {
            () = ended(&mut self.stop, &self.events) => ControlFlow::Break(()),
            opened = open::open(&self.port, self.driver.line_settings()) => ControlFlow::Continue(opened),
        }
    }

    /// One conversation, from a port just opened to its end. The handle is dropped before this
    /// returns: while a lost port is held, its name stays taken and the board comes back under
    /// another.
    async fn converse(&mut self, mut port: SerialStream) -> End {
        self.outbox.port(PortState::Open);
        self.driver.reset(now());
        let end = self.exchange(&mut port).await;
        // Else closing waits (up to 30 s) for bytes to leave that no board takes.
        self.discard_unsent(&port);
        drop(port);
        if matches!(end, End::Lost { .. }) {
            self.outbox.lost(now());
        }
        end
    }

    /// Waits for the next try, and until there is room for what it brings; breaks if the link shall
    /// end.
    async fn rest(&mut self, wait: Duration) -> ControlFlow<()> {
        let over = tokio::time::sleep(wait);
        tokio::pin!(over);
        loop {
            tokio::select! {
                () = ended(&mut self.stop, &self.events) => return ControlFlow::Break(()),
                () = &mut over, if self.outbox.has_room() => return ControlFlow::Continue(()),
                Ok(permit) = self.events.reserve(), if !self.outbox.is_empty() => self.outbox.hand_over(permit),
                // The driver still thinks that the line is open, so it is not asked; and what
                // was meant for the board as it was is not kept for the board as it will be.
                (channel, request) = self.requests.next() => {
                    self.refusals.tell(self.outbox.id(), channel, &request, &RequestError::LinkDown);
                }
            }
        }
    }
}

/// The requests of all handles; waits for ever once the last handle is gone.
struct Requests(mpsc::Receiver<(Channel, Request)>);

impl Requests {
    async fn next(&mut self) -> (Channel, Request) {
        match self.0.recv().await {
            Some(request) => request,
            None => std::future::pending().await,
        }
    }
}

/// Waits until the link shall end.
async fn ended(stop: &mut watch::Receiver<bool>, events: &mpsc::Sender<LinkEvent>) {
    tokio::select! {
        // An error says that whoever could stop this link is gone.
        _ = stop.wait_for(|stop| *stop) => {}
        () = events.closed() => {}
    }
}
