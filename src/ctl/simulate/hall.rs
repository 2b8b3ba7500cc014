// SPDX-License-Identifier: GPL-3.0-or-later
//! The boards, their port and who plays on them.

use std::path::Path;
use std::sync::Arc;

use arbiterd_board::Mono;
use tokio::sync::{mpsc, oneshot};

use super::SimulateError;
use super::player::{Order, Player};
use super::stage::{Bench, News, Plan, Stage};
use super::tell::Told;
use super::wish::Wish;
use crate::ctl::{CtlError, Out};
use crate::sim::{BoardGone, Game, PtyBoard};
use crate::time::now;

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    GoOn,
    Quit,
}

/// Whether the boards are on their port.
enum Port<B> {
    In(PtyBoard<B>),
    Out(Box<B>),
    /// Between the two.
    Nowhere,
}

/// The boards, their port and who plays on them.
pub(super) struct Hall<'a, B> {
    link: Option<&'a Path>,
    plan: Plan,
    port: Port<B>,
    /// The board that the hands' lines are for.
    chosen: usize,
    waiting: Vec<Option<oneshot::Sender<()>>>,
    pub(super) news: mpsc::UnboundedReceiver<News>,
    pub(super) orders: mpsc::UnboundedReceiver<Order>,
    orders_in: mpsc::UnboundedSender<Order>,
}

impl<'a, B: Bench> Hall<'a, B> {
    pub(super) fn set(
        stage: &'a impl Stage<Bench = B>,
        plan: Plan,
        game: Option<Arc<Game>>,
    ) -> Result<Self, SimulateError> {
        let (news_in, news) = mpsc::unbounded_channel();
        let (orders_in, orders) = mpsc::unbounded_channel();
        let link = stage.board().link.as_deref();
        let port = Port::In(plug(link, stage.bench(game.as_deref(), news_in)?)?);
        let waiting = Vec::new();
        let mut hall = Self { link, plan, port, chosen: 0, waiting, news, orders, orders_in };
        if let Some(game) = game {
            hall.seat_players(&game);
        }
        Ok(hall)
    }

    fn seat_players(&mut self, game: &Arc<Game>) {
        for board in 0..self.plan.names.len() {
            let player = Player {
                board,
                name: self.name(board),
                game: Arc::clone(game),
                tempo: self.plan.tempo,
                starts_clock: self.plan.starts_clock,
                has_clock: self.plan.has_clock,
                orders: self.orders_in.clone(),
            };
            let (begin, asked) = oneshot::channel();
            self.waiting.push(Some(begin));
            tokio::spawn(player.play(asked));
        }
    }

    fn name(&self, board: usize) -> String {
        self.plan.names.get(board).cloned().unwrap_or_default()
    }

    pub(super) fn plugged(&self) -> Told {
        let terminal = match &self.port {
            Port::In(board) => board.terminal().display().to_string(),
            Port::Out(_) | Port::Nowhere => String::new(),
        };
        Told::Plugged {
            terminal,
            link: self.link.map(|path| path.display().to_string()),
            boards: self.plan.names.clone(),
        }
    }

    /// Does something with the boards, plugged in or not.
    async fn with<R, F>(&mut self, action: F) -> Result<R, SimulateError>
    where
        R: Send + 'static,
        F: FnOnce(&mut B, Mono) -> R + Send + 'static,
    {
        match &mut self.port {
            Port::In(board) => Ok(board.ask(action).await?),
            Port::Out(bench) => Ok(action(bench, now())),
            Port::Nowhere => Err(BoardGone.into()),
        }
    }

    pub(super) async fn hear(&mut self, news: News, out: &mut Out) -> Result<(), CtlError> {
        let told = match news {
            News::Asked { board } => {
                if let Some(begin) = self.waiting.get_mut(board).and_then(Option::take) {
                    // The player is gone only when the program is.
                    _ = begin.send(());
                }
                Told::Asked { board: self.name(board) }
            }
            News::Harmed { board, command, shown, what } => {
                Told::Harmful { board: self.name(board), command, shown, what }
            }
            News::Misused { board, misuse, what } => Told::Misuse { board: self.name(board), misuse, what },
            News::Lost { board, bytes } => Told::LostInput { board: self.name(board), bytes },
            News::Unread => Told::LostOutput,
            News::Became { board, condition, what } => {
                Told::Condition { board: self.name(board), condition, what }
            }
            News::Unplugged { .. } if self.plan.alone => return self.unplug(out).await,
            News::Unplugged { board } => Told::Condition {
                board: self.name(board),
                condition: "unplugged",
                what: "it left the line; `power` brings it back",
            },
        };
        out.tell(&told)
    }

    pub(super) fn obey(&mut self, order: Order, out: &mut Out) -> Result<(), CtlError> {
        let (board, act) = match order {
            Order::Tell(told) => return out.tell(&told),
            Order::Act(board, act) => (board, act),
        };
        let action = move |bench: &mut B, at: Mono| bench.act(at, board, act);
        match &mut self.port {
            Port::In(board) => board.with(action).map_err(SimulateError::from)?,
            Port::Out(bench) => action(bench, now()),
            Port::Nowhere => {}
        }
        Ok(())
    }

    /// Obeys a line of the hands and answers it.
    pub(super) async fn grant(&mut self, line: &str, out: &mut Out) -> Result<After, CtlError> {
        let wish = Wish::read(line, B::board_name);
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

    async fn do_wish(&mut self, wish: Wish<B::Fault>, out: &mut Out) -> Result<Result<(), String>, CtlError> {
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
            Wish::Board(name) => Ok(match self.plan.names.iter().position(|known| *known == name) {
                Some(number) => {
                    self.chosen = number;
                    Ok(())
                }
                None => Err(format!("no board has the serial number {name}")),
            }),
            _ => {
                let chosen = self.chosen;
                let done = self.with(move |bench, at| {
                    let done = bench.grant(at, chosen, wish);
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

    /// Opens the port again.
    async fn plug_again(&mut self, out: &mut Out) -> Result<Result<(), String>, CtlError> {
        let mut bench = match std::mem::replace(&mut self.port, Port::Nowhere) {
            Port::Out(bench) => *bench,
            other => {
                self.port = other;
                return Ok(Err("the port is open already; write unplug".to_owned()));
            }
        };
        bench.plugged_in(now());
        self.port = Port::In(plug(self.link, bench)?);
        out.tell(&self.plugged())?;
        Ok(Ok(()))
    }
}

fn plug<B: Bench>(link: Option<&Path>, bench: B) -> Result<PtyBoard<B>, SimulateError> {
    // A link that leads somewhere is another simulator's, or was made for a real board.
    if let Some(path) = link
        && let Ok(target) = std::fs::read_link(path)
        && path.exists()
    {
        return Err(SimulateError::LinkTaken { path: path.to_owned(), target });
    }
    let pace = bench.pace();
    Ok(PtyBoard::plug(bench, pace, link)?)
}
