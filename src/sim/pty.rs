// SPDX-License-Identifier: GPL-3.0-or-later
//! A simulated board behind a pseudo terminal.
//!
//! Only the master side is held, as hardware would: whether a host has the port open is seen
//! by reading (`EIO` says that nobody has), and what the board says meanwhile is lost, as it
//! is on a real line. So is what a host that has it open does not read in time, once its terminal
//! and a converter's buffer are full. A pseudo terminal knows no speed, so the line's is kept here.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arbiterd_board::{ClockSide, Piece, Square};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::{Act, Device, Hands};
use crate::time::now;

mod wire;

use self::wire::Line;
pub use self::wire::Pace;

/// Why a simulated board could not be plugged in.
#[derive(Debug, thiserror::Error)]
pub enum PtyError {
    /// The system gave no pseudo terminal.
    #[error("cannot {step} a pseudo terminal: {source}; is /dev/pts mounted, and not full?")]
    Terminal {
        /// What was tried.
        step: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The link to it could not be made.
    #[error("cannot make the link {}: {source}; name a path in a folder that is there, which is free or a link already", path.display())]
    Link {
        /// The path of the link.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no tokio runtime with input and output around the call.
    #[error("a simulated board needs a tokio runtime: {0}")]
    Runtime(#[from] tokio::runtime::TryCurrentError),
}

/// The simulated board's task is over: its terminal failed or the simulator panicked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the simulated board is gone: plug it in again")]
pub struct BoardGone;

type Command<D> = Box<dyn FnOnce(&mut D) + Send>;

/// A simulated board that is plugged in. Dropping it pulls the plug.
#[derive(Debug)]
pub struct PtyBoard<D> {
    path: PathBuf,
    link: Option<Link>,
    commands: mpsc::UnboundedSender<Command<D>>,
    lost: Arc<AtomicU64>,
    task: JoinHandle<D>,
}

impl<D: Device> PtyBoard<D> {
    /// Makes a terminal and runs `device` behind it, on the current tokio runtime. With `link`
    /// a symbolic link to it is made there (replacing a link, nothing else), which stays the
    /// same path over replugging, as udev's links do.
    ///
    /// # Errors
    /// [`PtyError`]; nothing is left behind then.
    pub fn plug(device: D, pace: Pace, link: Option<&Path>) -> Result<Self, PtyError> {
        let runtime = tokio::runtime::Handle::try_current()?;
        let (master, name) = terminal()?;
        let link = link.map(|path| Link::make(path, &name)).transpose()?;
        let (commands, orders) = mpsc::unbounded_channel();
        let line = Line::new(master, device, pace);
        let lost = line.lost();
        let task = runtime.spawn(line.run(orders));
        Ok(Self { path: name, link, commands, lost, task })
    }

    /// What a host opens: the link if there is one, else the terminal itself.
    pub fn path(&self) -> &Path {
        self.link.as_ref().map_or(&self.path, |link| &link.path)
    }

    /// The terminal itself, which is another after replugging.
    pub fn terminal(&self) -> &Path {
        &self.path
    }

    /// How many bytes of the board were lost because a host that had the port open did not read, or
    /// asked faster than the line answers.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Does something with the board, at the moment given along. Calls are done in their order;
    /// this does not wait for them.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub fn with<F>(&self, action: F) -> Result<(), BoardGone>
    where
        F: FnOnce(&mut D, arbiterd_board::Mono) + Send + 'static,
    {
        self.commands.send(Box::new(|device| action(device, now()))).map_err(|_| BoardGone)
    }

    /// Asks the board something, after all that was done before.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub async fn ask<R, F>(&self, question: F) -> Result<R, BoardGone>
    where
        R: Send + 'static,
        F: FnOnce(&mut D, arbiterd_board::Mono) -> R + Send + 'static,
    {
        let (sender, answer) = oneshot::channel();
        // Nobody waits for the answer any more: then it is not needed.
        self.with(move |device, now| _ = sender.send(question(device, now)))?;
        answer.await.map_err(|_| BoardGone)
    }

    /// Pulls the plug: when this returns, the terminal and the link are gone, and everything
    /// asked of the board before was done. The board as it stands is given back; it may be
    /// plugged in again.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub async fn unplug(self) -> Result<D, BoardGone> {
        let Self { path: _, link, commands, lost: _, task } = self;
        drop(link);
        // The end of the commands is the end of the task.
        drop(commands);
        task.await.map_err(|_| BoardGone)
    }
}

impl<D: Device + Hands> PtyBoard<D> {
    /// A hand does something.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub fn act(&self, act: Act) -> Result<(), BoardGone> {
        self.with(move |device, now| device.act(now, act))
    }

    /// A hand lifts what stands on `square`.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub fn lift(&self, square: Square) -> Result<(), BoardGone> {
        self.act(Act::Lift(square))
    }

    /// A hand puts `piece` on `square`.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub fn place(&self, square: Square, piece: Piece) -> Result<(), BoardGone> {
        self.act(Act::Place(square, piece))
    }

    /// The player on this side presses the clock.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub fn press(&self, side: ClockSide) -> Result<(), BoardGone> {
        self.act(Act::Press(side))
    }

    /// The clock is stopped.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub fn stop(&self) -> Result<(), BoardGone> {
        self.act(Act::Stop)
    }

    /// The clock is started.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub fn start(&self) -> Result<(), BoardGone> {
        self.act(Act::Start)
    }

    /// Both times are set.
    ///
    /// # Errors
    /// [`BoardGone`].
    pub fn set_times(&self, left: Duration, right: Duration) -> Result<(), BoardGone> {
        self.act(Act::SetTimes { left, right })
    }
}

/// A new terminal: its master side, not blocking, and the name of its slave side, raw already.
/// What a board says before a host has set the terminal would otherwise be echoed back to it.
fn terminal() -> Result<(OwnedFd, PathBuf), PtyError> {
    let failed = |step| move |e: rustix::io::Errno| PtyError::Terminal { step, source: e.into() };
    let master =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).map_err(failed("open"))?;
    grantpt(&master).map_err(failed("grant"))?;
    unlockpt(&master).map_err(failed("unlock"))?;
    let name = ptsname(&master, Vec::new()).map_err(failed("name"))?;
    let name = PathBuf::from(OsStr::from_bytes(name.as_bytes()));
    let slave = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
        .map_err(failed("open the other side of"))?;
    let mut settings = tcgetattr(&slave).map_err(failed("read the settings of"))?;
    settings.make_raw();
    tcsetattr(&slave, OptionalActions::Now, &settings).map_err(failed("set"))?;
    rustix::fs::fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK).map_err(failed("set"))?;
    Ok((master, name))
}

/// A symbolic link that goes when this is dropped, unless another has taken its place.
#[derive(Debug)]
struct Link {
    path: PathBuf,
    target: PathBuf,
}

impl Link {
    fn make(path: &Path, target: &Path) -> Result<Self, PtyError> {
        let failed = |source| PtyError::Link { path: path.to_owned(), source };
        if path.is_symlink() {
            std::fs::remove_file(path).map_err(failed)?;
        }
        std::os::unix::fs::symlink(target, path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), target: target.to_owned() })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if std::fs::read_link(&self.path).is_ok_and(|target| target == self.target)
            && let Err(e) = std::fs::remove_file(&self.path)
        {
            tracing::warn!("cannot remove the link {}: {e}", self.path.display());
        }
    }
}
