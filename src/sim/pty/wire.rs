// SPDX-License-Identifier: GPL-3.0-or-later
//! The master side of the terminal: bytes from and to the host.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arbiterd_board::Mono;
use rustix::io::Errno;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;

use super::{Command, Device};
use crate::time::{now, until};

/// How fast bytes of the board arrive at the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// As on the line: at 9600 baud a byte takes 1.04 ms, and a read finds what has come by then.
    Line,
    /// Each message at once.
    Unpaced,
}

/// How often to look whether a host has opened the port, while none has, or reads again.
const LOOK: Duration = Duration::from_millis(5);

/// So many bytes that have arrived wait for a host that does not read, when its terminal is full
/// too. Usual converters hold a few hundred; what arrives then is lost, as there.
const CONVERTER: usize = 256;
/// A board that has so much to say still says nothing more, and what it would have said is lost: a
/// host asks faster than the line answers. Longer than several of the longest messages.
const ARREARS: usize = 64 * 1024;

#[allow(
    deprecated,
    reason = "what replaces it is unsafe, for descriptors that may close; an OwnedFd does not"
)]
fn watch(master: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(master, Interest::READABLE)
}

/// The line between a simulated board and its host.
pub(super) struct Line<D> {
    master: OwnedFd,
    device: D,
    /// How long a byte takes.
    byte: Duration,
    /// Bytes on their way to the host, with the moment at which each arrives.
    wire: VecDeque<(Mono, u8)>,
    /// The terminal is full: not before this is anything written again.
    stalled: Option<Mono>,
    /// Bytes for a host that found no room.
    lost: Arc<AtomicU64>,
    /// It was told that this host loses bytes.
    complained: bool,
}

/// Whether a host has the port open.
#[derive(PartialEq, Eq)]
enum Host {
    Here,
    Away,
}

/// Whether the board is still plugged in.
#[derive(PartialEq, Eq)]
enum Plug {
    In,
    Pulled,
}

impl<D: Device> Line<D> {
    pub(super) fn new(master: OwnedFd, device: D, pace: Pace) -> Self {
        let byte = match pace {
            Pace::Line => device.line_settings().duration(1),
            Pace::Unpaced => Duration::ZERO,
        };
        Self {
            master,
            device,
            byte,
            wire: VecDeque::new(),
            stalled: None,
            lost: Arc::default(),
            complained: false,
        }
    }

    /// How many bytes for a host found no room, counted for ever.
    pub(super) fn lost(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.lost)
    }

    /// Runs until the commands end, and gives the board back; the terminal is closed then.
    pub(super) async fn run(mut self, mut orders: mpsc::UnboundedReceiver<Command<D>>) -> D {
        loop {
            match self.meet(&mut orders).await {
                Ok(Plug::In) => {}
                Ok(Plug::Pulled) => return self.device,
                Err(e) => {
                    tracing::warn!("the terminal of a simulated board failed: {e}");
                    return self.device;
                }
            }
        }
    }

    /// Serves the host that is there, or waits a little for one.
    async fn meet(&mut self, orders: &mut mpsc::UnboundedReceiver<Command<D>>) -> io::Result<Plug> {
        match self.read()? {
            Host::Here => self.serve(orders).await,
            Host::Away => Ok(self.wait(orders).await),
        }
    }

    /// Lets the board live for a little while no host has the port open: what it says is lost.
    async fn wait(&mut self, orders: &mut mpsc::UnboundedReceiver<Command<D>>) -> Plug {
        let look = now().after(LOOK);
        loop {
            while self.device.poll_transmit().is_some() {}
            self.wire.clear();
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => order(&mut self.device),
                    None => return Plug::Pulled,
                },
                () = until(self.device.poll_timeout()) => self.device.handle_timeout(now()),
                () = until(Some(look)) => return Plug::In,
            }
        }
    }

    /// Serves a host until it closes the port.
    ///
    /// The runtime remembers for ever that a descriptor was hung up, and a terminal is when its
    /// last host closes it. So each host is watched by a registration of its own.
    async fn serve(&mut self, orders: &mut mpsc::UnboundedReceiver<Command<D>>) -> io::Result<Plug> {
        let watch = watch(self.master.try_clone()?)?;
        self.complained = false;
        loop {
            self.load(now());
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => order(&mut self.device),
                    None => return Ok(Plug::Pulled),
                },
                ready = watch.readable() => {
                    // Cleared before the read: what comes after the read wakes this again.
                    ready?.clear_ready();
                    if self.read()? == Host::Away {
                        return Ok(Plug::In);
                    }
                }
                () = until(self.device.poll_timeout()) => self.device.handle_timeout(now()),
                () = until(self.next_write()) => self.write(now())?,
            }
        }
    }

    /// Gives the board all that the host has sent.
    fn read(&mut self) -> io::Result<Host> {
        let mut buffer = [0; 512];
        loop {
            match rustix::io::read(&self.master, &mut buffer) {
                Ok(0) | Err(Errno::IO) => return Ok(Host::Away),
                Ok(count) => self.device.receive(now(), buffer.get(..count).unwrap_or_default()),
                Err(Errno::AGAIN) => return Ok(Host::Here),
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Puts on the wire what the board has to say since `at`: each byte follows the one before.
    fn load(&mut self, at: Mono) {
        while let Some(message) = self.device.poll_transmit() {
            if self.wire.len() >= ARREARS {
                self.lose(message.len());
                continue;
            }
            for byte in message {
                let free = self.wire.back().map_or(at, |(last, _)| at.max(*last));
                self.wire.push_back((free.after(self.byte), byte));
            }
        }
    }

    /// When the next byte is to be written.
    fn next_write(&self) -> Option<Mono> {
        let (arrival, _) = self.wire.front()?;
        Some(self.stalled.map_or(*arrival, |stalled| stalled.max(*arrival)))
    }

    /// Hands the host the bytes that have arrived by `at`.
    fn write(&mut self, at: Mono) -> io::Result<()> {
        let arrived: Vec<u8> =
            self.wire.iter().take_while(|(due, _)| *due <= at).map(|(_, byte)| *byte).collect();
        self.stalled = None;
        match rustix::io::write(&self.master, &arrived) {
            Ok(count) => _ = self.wire.drain(..count.min(arrived.len())),
            // The host does not read and the terminal is full; the board knows nothing of that.
            Err(Errno::AGAIN) => {
                self.stalled = Some(at.after(LOOK));
                self.overrun(arrived.len());
            }
            // Closed just now, which the next read tells.
            Err(Errno::INTR | Errno::IO) => {}
            Err(e) => return Err(e.into()),
        }
        Ok(())
    }

    /// Of so many bytes that have arrived the newest find no room in the converter.
    fn overrun(&mut self, arrived: usize) {
        if arrived > CONVERTER {
            self.wire.drain(CONVERTER..arrived);
            self.lose(arrived - CONVERTER);
        }
    }

    /// Counts bytes that found no room, and tells it once for each host.
    fn lose(&mut self, bytes: usize) {
        self.lost.fetch_add(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
        if !core::mem::replace(&mut self.complained, true) {
            self.device.unread();
        }
    }
}
