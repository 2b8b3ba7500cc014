// SPDX-License-Identifier: GPL-3.0-or-later
//! A simulated board and its driver on a line that takes its time, all of it virtual.

use std::collections::VecDeque;
use std::time::Duration;

use arbiterd_board::simulator::{Chance, Device};
use arbiterd_board::{Channel, Driver, LineSettings, Mono, Report, Request, RequestError};

use super::{Act, Hands};

/// How the bytes of one direction travel: in portions of so many at most, each up to so late. None
/// overtakes another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The most bytes that arrive together.
    pub portion: u64,
    /// What a portion is late at most, beside the time that its bytes take.
    pub latest: Duration,
}

impl Way {
    /// A converter on USB: what does not fill its packet is handed over after 16 ms.
    pub const WIRED: Self = Self { portion: 62, latest: Duration::from_millis(16) };
    /// A radio, whose gaps reach 300 ms.
    pub const BLUETOOTH: Self = Self { portion: 20, latest: Duration::from_millis(300) };
}

/// A board that hands can reach.
pub trait Board: Device + Hands {}

impl<T: Device + Hands> Board for T {}

/// What is seen at the driver's end of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// Bytes of the board arrived.
    Arrived(Vec<u8>),
    /// The driver sends bytes.
    Sent(Vec<u8>),
    /// The driver reports.
    Reported(Report),
}

/// Bytes on their way, and when they arrive.
type Portions = VecDeque<(Mono, Vec<u8>)>;

/// A board, a driver and what lies between them. After each call that takes the time drain
/// [`Line::poll_news`].
pub struct Line {
    board: Box<dyn Board>,
    driver: Box<dyn Driver>,
    settings: LineSettings,
    way: Way,
    chance: Chance,
    to_host: Portions,
    to_board: Portions,
    news: VecDeque<News>,
}

impl Line {
    /// A line that is opened at `now`; the board was switched on by then. Boards send when the line is
    /// free for it: they are `paced`.
    pub fn open(now: Mono, board: Box<dyn Board>, mut driver: Box<dyn Driver>, way: Way, seed: u64) -> Self {
        let settings = board.line_settings();
        driver.reset(now);
        let (chance, to_host, to_board) = (Chance::new(seed), VecDeque::new(), VecDeque::new());
        let mut line =
            Self { board, driver, settings, way, chance, to_host, to_board, news: VecDeque::new() };
        line.settle(now);
        line
    }

    /// When [`Line::run`] wants to be called, if at all.
    pub fn due(&self) -> Option<Mono> {
        let first = |portions: &Portions| portions.front().map(|(at, _)| *at);
        let dues = [
            self.board.poll_timeout(),
            self.driver.poll_timeout(),
            first(&self.to_host),
            first(&self.to_board),
        ];
        dues.into_iter().flatten().min()
    }

    /// Does what is due at `now`: the board is the first to hear of a moment, the driver the last.
    pub fn run(&mut self, now: Mono) {
        self.board.handle_timeout(now);
        self.settle(now);
        while let Some((_, bytes)) = self.to_board.pop_front_if(|(at, _)| *at <= now) {
            self.board.receive(now, &bytes);
            self.settle(now);
        }
        while let Some((_, bytes)) = self.to_host.pop_front_if(|(at, _)| *at <= now) {
            self.driver.receive(now, &bytes);
            self.news.push_back(News::Arrived(bytes));
            self.settle(now);
        }
        self.driver.handle_timeout(now);
        self.settle(now);
    }

    /// A hand does something.
    pub fn act(&mut self, now: Mono, act: Act) {
        self.board.act(now, act);
        self.settle(now);
    }

    /// Something is asked of the board.
    ///
    /// # Errors
    /// [`RequestError`], as the driver says it.
    pub fn request(&mut self, now: Mono, request: Request) -> Result<(), RequestError> {
        self.driver.request(now, Channel(0), request)?;
        self.settle(now);
        Ok(())
    }

    /// What happened, oldest first.
    pub fn poll_news(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// Puts on their way what both have said, and notes what is reported.
    fn settle(&mut self, now: Mono) {
        while let Some(bytes) = self.board.poll_transmit() {
            let portion = usize::try_from(1 + self.chance.below(self.way.portion)).unwrap_or(1);
            let mut begins = now;
            for bytes in bytes.chunks(portion) {
                begins = begins.after(self.settings.duration(bytes.len()));
                let before = self.to_host.back().map(|(at, _)| *at);
                let at = self.arrival(begins, before);
                self.to_host.push_back((at, bytes.to_vec()));
            }
        }
        while let Some(bytes) = self.driver.poll_transmit() {
            let whole = now.after(self.settings.duration(bytes.len()));
            let before = self.to_board.back().map(|(at, _)| *at);
            let at = self.arrival(whole, before);
            self.news.push_back(News::Sent(bytes.clone()));
            self.to_board.push_back((at, bytes));
        }
        while let Some((_, report)) = self.driver.poll_report() {
            self.news.push_back(News::Reported(report));
        }
    }

    /// When a portion arrives that has left the line at `left`, behind another.
    fn arrival(&mut self, left: Mono, before: Option<Mono>) -> Mono {
        let at = left.after(self.chance.up_to(self.way.latest));
        before.map_or(at, |before| at.max(before))
    }
}
