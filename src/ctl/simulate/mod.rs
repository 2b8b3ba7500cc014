// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl simulate`: a board that is not there, on a pseudo terminal, for any host program.

mod args;
mod bench;
mod player;
mod tell;
mod wish;

use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arbiterd_board::{ClockButton, Mono};
use arbiterd_dgt::simulator::{BusLineError, Condition};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot};

pub(super) use self::args::Family;
use self::args::{ClockOption, DgtArgs, HandsPace, TimeControl, Wiring};
use self::bench::{Bench, News};
use self::player::{Order, Player, Tempo};
use self::tell::Told;
pub(super) use self::tell::harm;
use self::wish::Wish;
use super::{CtlError, Out};
use crate::sim::{BoardGone, Game, GameError, Hands, PtyBoard, PtyError};
use crate::time::now;

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
    let Family::Dgt(args) = family;
    let serials = args.serials().map_err(CtlError::Simulate)?;
    let game = args.play.as_ref().map(|path| Game::load(path, args.game)).transpose();
    let game = game.map_err(SimulateError::from)?.map(Arc::new);
    let (stop, mut stopped) = mpsc::unbounded_channel();
    watch_signals(&stop)?;
    let mut hall = Hall::set(args, serials, game)?;
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

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum After {
    GoOn,
    Quit,
}

/// Whether the boards are on their port.
enum Port {
    In(PtyBoard<Bench>),
    Out(Box<Bench>),
    /// Between the two.
    Nowhere,
}

/// The boards, their port and who plays on them.
struct Hall<'a> {
    args: &'a DgtArgs,
    serials: Vec<u32>,
    port: Port,
    /// The board that the hands' lines are for.
    chosen: usize,
    waiting: Vec<Option<oneshot::Sender<()>>>,
    news: mpsc::UnboundedReceiver<News>,
    orders: mpsc::UnboundedReceiver<Order>,
    orders_in: mpsc::UnboundedSender<Order>,
}

impl<'a> Hall<'a> {
    fn set(args: &'a DgtArgs, serials: Vec<u32>, game: Option<Arc<Game>>) -> Result<Self, SimulateError> {
        let (news_in, news) = mpsc::unbounded_channel();
        let (orders_in, orders) = mpsc::unbounded_channel();
        let bench = Bench::new(now(), args.line(&serials, game.as_deref())?, serials.len(), news_in);
        let port = Port::In(plug(args, bench)?);
        let waiting = Vec::new();
        let mut hall = Self { args, serials, port, chosen: 0, waiting, news, orders, orders_in };
        if let Some(game) = game {
            hall.seat_players(&game);
        }
        Ok(hall)
    }

    fn seat_players(&mut self, game: &Arc<Game>) {
        let has_clock = self.args.clock != TimeControl::None;
        for board in 0..self.serials.len() {
            let player = Player {
                board,
                serial: self.name(board),
                game: Arc::clone(game),
                tempo: tempo(self.args),
                starts_clock: has_clock && self.args.option == ClockOption::Normal,
                has_clock,
                orders: self.orders_in.clone(),
            };
            let (begin, asked) = oneshot::channel();
            self.waiting.push(Some(begin));
            tokio::spawn(player.play(asked));
        }
    }

    fn name(&self, board: usize) -> String {
        self.serials.get(board).map_or_else(String::new, |serial| format!("{serial:05}"))
    }

    fn plugged(&self) -> Told {
        let terminal = match &self.port {
            Port::In(board) => board.terminal().display().to_string(),
            Port::Out(_) | Port::Nowhere => String::new(),
        };
        Told::Plugged {
            terminal,
            link: self.args.link.as_ref().map(|path| path.display().to_string()),
            boards: (0..self.serials.len()).map(|board| self.name(board)).collect(),
        }
    }

    /// Does something with the boards, plugged in or not.
    async fn with<R, F>(&mut self, action: F) -> Result<R, SimulateError>
    where
        R: Send + 'static,
        F: FnOnce(&mut Bench, Mono) -> R + Send + 'static,
    {
        match &mut self.port {
            Port::In(board) => Ok(board.ask(action).await?),
            Port::Out(bench) => Ok(action(bench, now())),
            Port::Nowhere => Err(BoardGone.into()),
        }
    }

    async fn hear(&mut self, news: News, out: &mut Out) -> Result<(), CtlError> {
        let told = match news {
            News::Asked { board } => {
                if let Some(begin) = self.waiting.get_mut(board).and_then(Option::take) {
                    // The player is gone only when the program is.
                    _ = begin.send(());
                }
                Told::Asked { board: self.name(board) }
            }
            News::Harmed { board, byte } => {
                Told::Harmful { board: self.name(board), command: format!("{byte:02x}"), what: harm(byte) }
            }
            News::Lost { board, bytes } => Told::LostInput { board: self.name(board), bytes },
            News::Became { board, condition } => {
                if condition == Condition::Unplugged && self.args.mode == Wiring::Single {
                    return self.unplug(out).await;
                }
                let (condition, what) = described(condition);
                Told::Condition { board: self.name(board), condition, what }
            }
        };
        out.tell(&told)
    }

    fn obey(&mut self, order: Order, out: &mut Out) -> Result<(), CtlError> {
        let (board, act) = match order {
            Order::Tell(told) => return out.tell(&told),
            Order::Act(board, act) => (board, act),
        };
        let action = move |bench: &mut Bench, at: Mono| {
            if let Some(board) = bench.board(at, board) {
                board.act(at, act);
            }
        };
        match &mut self.port {
            Port::In(board) => board.with(action).map_err(SimulateError::from)?,
            Port::Out(bench) => action(bench, now()),
            Port::Nowhere => {}
        }
        Ok(())
    }

    /// Obeys a line of the hands and answers it.
    async fn grant(&mut self, line: &str, out: &mut Out) -> Result<After, CtlError> {
        let wish = Wish::read(line);
        let after = if wish == Ok(Wish::Quit) { After::Quit } else { After::GoOn };
        let outcome = match wish {
            Err(error) => Err(error),
            Ok(wish) => self.do_wish(wish, out).await?,
        };
        let line = line.trim().to_owned();
        match outcome {
            Ok(()) => out.tell(&Told::Ok { line })?,
            Err(error) => out.tell(&Told::Error { line, error })?,
        }
        Ok(after)
    }

    async fn do_wish(&mut self, wish: Wish, out: &mut Out) -> Result<Result<(), String>, CtlError> {
        match wish {
            Wish::Quit => Ok(Ok(())),
            Wish::Plug => self.plug_again(out).await,
            Wish::Unplug => {
                if matches!(self.port, Port::Out(_)) {
                    return Ok(Err("the port is closed already; write plug".to_owned()));
                }
                self.unplug(out).await?;
                Ok(Ok(()))
            }
            Wish::Board(serial) => Ok(match self.serials.iter().position(|known| *known == serial) {
                Some(number) => {
                    self.chosen = number;
                    Ok(())
                }
                None => Err(format!("no board has the serial number {serial:05}")),
            }),
            Wish::Buttons(held)
                if held.contains(&ClockButton::Run) && self.args.option == ClockOption::Normal =>
            {
                Ok(Err("in the option normal this button starts and stops the clock: write start or stop"
                    .to_owned()))
            }
            _ => {
                let chosen = self.chosen;
                let done = self.with(move |bench, at| {
                    let done = bench.board(at, chosen).map_or(Ok(()), |board| wish.grant(board, at));
                    bench.look(at);
                    done
                });
                Ok(done.await?)
            }
        }
    }

    /// Closes the port; the boards live on.
    async fn unplug(&mut self, out: &mut Out) -> Result<(), CtlError> {
        match std::mem::replace(&mut self.port, Port::Nowhere) {
            Port::In(board) => {
                let bench = board.unplug().await.map_err(SimulateError::from)?;
                self.port = Port::Out(Box::new(bench));
                out.tell(&Told::Unplugged)
            }
            other => {
                self.port = other;
                Ok(())
            }
        }
    }

    /// Opens the port again; a board on a cable has its power from it, and starts anew.
    async fn plug_again(&mut self, out: &mut Out) -> Result<Result<(), String>, CtlError> {
        let mut bench = match std::mem::replace(&mut self.port, Port::Nowhere) {
            Port::Out(bench) => *bench,
            other => {
                self.port = other;
                return Ok(Err("the port is open already; write unplug".to_owned()));
            }
        };
        if self.args.mode == Wiring::Single
            && let Some(board) = bench.board(now(), 0)
        {
            board.power_cycle(now());
        }
        self.port = Port::In(plug(self.args, bench)?);
        out.tell(&self.plugged())?;
        Ok(Ok(()))
    }
}

fn plug(args: &DgtArgs, bench: Bench) -> Result<PtyBoard<Bench>, SimulateError> {
    // A link that leads somewhere is another simulator's, or was made for a real board.
    if let Some(path) = &args.link
        && let Ok(target) = std::fs::read_link(path)
        && path.exists()
    {
        return Err(SimulateError::LinkTaken { path: path.clone(), target });
    }
    let pace = bench.pace();
    Ok(PtyBoard::plug(bench, pace, args.link.as_deref())?)
}

const fn described(condition: Condition) -> (&'static str, &'static str) {
    match condition {
        Condition::Working => ("working", "it works again"),
        Condition::Unplugged => ("unplugged", "it left the line; `power` brings it back"),
        Condition::BootLoader => ("boot-loader", "it waits in its boot loader; `power` brings it back"),
        Condition::Hung => ("hung", "it hangs, for it has no lights to switch; `power` brings it back"),
    }
}

/// A wired board scans four times a second, one with Bluetooth twice (topic: timing): hands that
/// are to be seen wait a little longer.
fn tempo(args: &DgtArgs) -> Tempo {
    let noticed = Duration::from_millis(if args.bluetooth { 550 } else { 300 });
    match args.pace {
        HandsPace::Fast => Tempo { think: Duration::ZERO, hand: noticed },
        HandsPace::Real => Tempo {
            think: Duration::from_secs(args.move_seconds.into()),
            hand: Duration::from_millis(500).max(noticed),
        },
    }
}

impl Out {
    fn tell(&mut self, told: &Told) -> Result<(), CtlError> {
        self.put(told, |lines| Some(if told.is_warning() { lines.alarm(&told.line()) } else { told.line() }))
    }
}
