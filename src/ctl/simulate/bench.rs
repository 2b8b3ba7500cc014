// SPDX-License-Identifier: GPL-3.0-or-later
//! The boards with an ear on their line: it tells what hosts did that a technician wants to know.

use arbiterd_board::{LineSettings, Mono};
use arbiterd_dgt::host::{HostDecoder, HostItem};
use arbiterd_dgt::simulator::{BusLine, Condition, Mode, Simulator};
use arbiterd_dgt::wire::{Command, LINE};
use tokio::sync::mpsc;

use crate::sim::{Device, Pace};

/// One board or several.
#[derive(Debug)]
pub(super) enum Line {
    Single(Box<Simulator>),
    Bus(BusLine),
}

/// What happened at a board, which is named by its number from zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum News {
    /// A host asked what stands on it, and will be told of changes.
    Asked { board: usize },
    /// A host sent something that harms a board.
    Harmed { board: usize, byte: u8 },
    /// A host sent so many bytes that found no room.
    Lost { board: usize, bytes: u64 },
    /// It does not work any more, or again does.
    Became { board: usize, condition: Condition },
}

/// What was last told of a board.
#[derive(Clone, Debug)]
struct Told {
    address: u16,
    asked: bool,
    harmful: usize,
    lost: u64,
    condition: Condition,
}

/// Commands of bus mode that ask for the whole board.
const ASKS_FOR_BOARD: [u8; 2] = [0x82, 0x8d];

/// The boards, for a terminal.
#[derive(Debug)]
pub(super) struct Bench {
    line: Line,
    ear: HostDecoder,
    told: Vec<Told>,
    /// A host of a single board asked what stands, maybe before it asked for changes.
    wants_board: bool,
    news: mpsc::UnboundedSender<News>,
}

impl Bench {
    pub(super) fn new(at: Mono, line: Line, boards: usize, news: mpsc::UnboundedSender<News>) -> Self {
        let mut bench = Self { line, ear: HostDecoder::new(), told: Vec::new(), wants_board: false, news };
        for number in 0..boards {
            let address = bench.board(at, number).map_or(0, |board| board.address());
            let condition = Condition::Working;
            bench.told.push(Told { address, asked: false, harmful: 0, lost: 0, condition });
        }
        bench
    }

    /// The pace at which a terminal must give out what the boards say.
    pub(super) const fn pace(&self) -> Pace {
        match self.line {
            Line::Single(_) => Pace::Line,
            Line::Bus(_) => Pace::Unpaced,
        }
    }

    /// The board with this number, counted from zero.
    pub(super) fn board(&mut self, at: Mono, number: usize) -> Option<&mut Simulator> {
        match &mut self.line {
            Line::Single(board) => (number == 0).then_some(&mut **board),
            Line::Bus(line) => line.board_number(at, number),
        }
    }

    /// Tells what is new since the last time.
    pub(super) fn look(&mut self, at: Mono) {
        for number in 0..self.told.len() {
            let Some(board) = self.board(at, number) else { continue };
            let (condition, lost, mode) = (board.condition(), board.lost_input(), board.mode());
            let harmful = board.harmful().to_vec();
            let streams = matches!(mode, Mode::Update | Mode::UpdateBoard | Mode::UpdateNice);
            let asked = streams && self.wants_board;
            let Some(told) = self.told.get_mut(number) else { continue };
            let mut news = Vec::new();
            for byte in harmful.iter().skip(told.harmful) {
                news.push(News::Harmed { board: number, byte: *byte });
            }
            if lost > told.lost {
                news.push(News::Lost { board: number, bytes: lost - told.lost });
            }
            if condition != told.condition {
                news.push(News::Became { board: number, condition });
            }
            if asked && !told.asked {
                news.push(News::Asked { board: number });
            }
            *told = Told {
                address: told.address,
                asked: told.asked || asked,
                harmful: harmful.len(),
                lost,
                condition,
            };
            for one in news {
                // Nobody listens any more: the program is ending.
                _ = self.news.send(one);
            }
        }
    }

    fn listen(&mut self, at: Mono, bytes: &[u8]) {
        self.ear.hear(at, bytes);
        while let Some(item) = self.ear.poll() {
            match item {
                HostItem::Command(Command::SendBoard) => self.wants_board = true,
                HostItem::Bus(frame) if frame.intact && ASKS_FOR_BOARD.contains(&frame.command) => {
                    self.asked_on_bus(frame.address);
                }
                _ => {}
            }
        }
    }

    fn asked_on_bus(&mut self, address: u16) {
        for (board, told) in self.told.iter_mut().enumerate() {
            if told.address == address && !told.asked {
                told.asked = true;
                _ = self.news.send(News::Asked { board });
            }
        }
    }
}

impl Device for Bench {
    fn line_settings(&self) -> LineSettings {
        LINE
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        match &mut self.line {
            Line::Single(board) => board.receive(now, bytes),
            Line::Bus(line) => line.receive(now, bytes),
        }
        self.listen(now, bytes);
        self.look(now);
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        match &mut self.line {
            Line::Single(board) => board.poll_transmit(),
            Line::Bus(line) => line.poll_transmit(),
        }
    }

    fn poll_timeout(&self) -> Option<Mono> {
        match &self.line {
            Line::Single(board) => board.poll_timeout(),
            Line::Bus(line) => line.poll_timeout(),
        }
    }

    fn handle_timeout(&mut self, now: Mono) {
        match &mut self.line {
            Line::Single(board) => board.handle_timeout(now),
            Line::Bus(line) => line.handle_timeout(now),
        }
        self.look(now);
    }
}
