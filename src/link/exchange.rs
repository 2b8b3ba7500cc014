// SPDX-License-Identifier: GPL-3.0-or-later
//! The conversation over a port that is open.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arbiterd_board::Mono;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_serial::{ClearBuffer, SerialPort, SerialStream};

use super::{Link, ended};
use crate::time::{now, until};

/// For so long a port may take no byte of a piece before the piece is given up. At 9600 baud
/// this is many times what the longest command takes.
const WRITE_PATIENCE: Duration = Duration::from_secs(1);

/// More than any frame of any family, so that one read takes all that has come.
const READ_BUFFER: usize = 1024;

/// How a conversation ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The link was told to stop, or nobody listens.
    Stopped,
    /// The port went away.
    Lost {
        /// Whether any byte had come.
        heard: bool,
    },
}

/// What a port did.
enum Traffic {
    Read(Mono, io::Result<usize>),
    Wrote(io::Result<usize>),
}

/// The piece that is being written. It is written to its end before the driver is asked for the
/// next, so two commands never mix.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    written: usize,
    give_up: Option<Mono>,
}

impl Piece {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.written..).unwrap_or_default()
    }

    fn begin(bytes: Vec<u8>, at: Mono) -> Self {
        Self { bytes, written: 0, give_up: Some(at.after(WRITE_PATIENCE)) }
    }

    /// `count` bytes more were taken.
    fn advance(&mut self, count: usize, at: Mono) {
        self.written += count;
        if self.rest().is_empty() {
            *self = Self::default();
        } else {
            self.give_up = Some(at.after(WRITE_PATIENCE));
        }
    }
}

impl Link {
    /// Moves bytes between `port` and the driver, and reports to whoever listens, until the
    /// port is lost or the link shall end. The driver has been reset.
    pub(super) async fn exchange(&mut self, port: &mut SerialStream) -> End {
        let mut buffer = [0; READ_BUFFER];
        let mut piece = Piece::default();
        let mut heard = false;
        let mut at = now();
        loop {
            self.outbox.collect(self.driver.as_mut(), at);
            if self.outbox.is_full() {
                tracing::error!(
                    board = self.outbox.id(),
                    "nobody takes what this board reports: it is not observed any more until somebody does"
                );
                return End::Lost { heard: false };
            }
            if piece.rest().is_empty()
                && let Some(bytes) = self.driver.poll_transmit()
            {
                piece = Piece::begin(bytes, now());
            }
            tokio::select! {
                () = ended(&mut self.stop, &self.events) => return End::Stopped,
                moved = traffic(port, &mut buffer, piece.rest()) => match moved {
                    Traffic::Read(moment, Ok(count)) if count > 0 => {
                        at = moment;
                        heard = true;
                        self.driver.receive(at, buffer.get(..count).unwrap_or_default());
                    }
                    Traffic::Wrote(Ok(count)) if count > 0 => piece.advance(count, now()),
                    // Nothing read is how a terminal says that its other side hung up. It says
                    // so again at every read: going on would only burn the processor.
                    Traffic::Read(_, ended) | Traffic::Wrote(ended) => {
                        self.log_loss(&ended);
                        return End::Lost { heard };
                    }
                },
                () = until(self.driver.poll_timeout()) => {
                    // After a pause of this process the answer may have come in time and wait to be
                    // read: it is heard before anybody is called silent.
                    if !holds_bytes(port) {
                        at = now();
                        self.driver.handle_timeout(at);
                    } else if let (moment, Ok(count @ 1..)) = read(port, &mut buffer).await {
                        at = moment;
                        heard = true;
                        self.driver.receive(at, buffer.get(..count).unwrap_or_default());
                    }
                }
                () = until(piece.give_up) => {
                    self.give_up(port, piece.rest().len());
                    piece = Piece::default();
                }
                Ok(permit) = self.events.reserve(), if !self.outbox.is_empty() => self.outbox.hand_over(permit),
                (channel, request) = self.requests.next() => {
                    at = now();
                    if let Err(error) = self.driver.request(at, channel, request.clone()) {
                        self.refusals.tell(self.outbox.id(), channel, &request, &error);
                    }
                }
            }
        }
    }

    /// Forgets a command of which the port would not take the last `unsent` bytes, and what the
    /// system still holds of it: the board must not get half of it when it wakes. That it does
    /// not answer, the driver notices.
    fn give_up(&self, port: &SerialStream, unsent: usize) {
        tracing::warn!(board = self.outbox.id(), unsent, "the port takes no bytes: a command was given up");
        self.discard_unsent(port);
    }

    /// Throws away what was written and has not left.
    pub(super) fn discard_unsent(&self, port: &SerialStream) {
        if let Err(e) = port.clear(ClearBuffer::Output) {
            tracing::debug!(board = self.outbox.id(), "could not discard unsent bytes: {e}");
        }
    }

    fn log_loss(&self, ended: &io::Result<usize>) {
        match ended {
            Ok(_) => tracing::info!(board = self.outbox.id(), "the port hung up"),
            Err(e) => tracing::info!(board = self.outbox.id(), "the port failed: {e}"),
        }
    }
}

/// Waits until the port took bytes of `piece` or gave some. Bytes are read whether or not the
/// port takes any, and stamped as soon as the read returns.
async fn traffic(port: &mut SerialStream, buffer: &mut [u8], piece: &[u8]) -> Traffic {
    poll_fn(|cx| {
        if !piece.is_empty()
            && let Poll::Ready(wrote) = Pin::new(&mut *port).poll_write(cx, piece)
        {
            return Poll::Ready(Traffic::Wrote(wrote));
        }
        let read = ready!(poll_read(port, cx, buffer));
        Poll::Ready(Traffic::Read(now(), read))
    })
    .await
}

/// Whether the system holds bytes of the port that nobody has read.
fn holds_bytes(port: &SerialStream) -> bool {
    port.bytes_to_read().is_ok_and(|count| count > 0)
}

async fn read(port: &mut SerialStream, buffer: &mut [u8]) -> (Mono, io::Result<usize>) {
    let read = poll_fn(|cx| poll_read(port, cx, buffer)).await;
    (now(), read)
}

fn poll_read(port: &mut SerialStream, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
    let mut buffer = ReadBuf::new(buffer);
    Pin::new(port).poll_read(cx, &mut buffer).map_ok(|()| buffer.filled().len())
}
