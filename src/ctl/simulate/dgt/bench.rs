// SPDX-License-Identifier: GPL-3.0-or-later
//! The boards with an ear on their line: it tells what hosts did that a technician wants to know.

use arbiterd_board::{ClockButton, LineSettings, Mono, Occupant, Square};
use arbiterd_dgt::host::{HostDecoder, HostItem};
use arbiterd_dgt::simulator::{BusLine, Condition, Fault, Mode, Simulator};
use arbiterd_dgt::wire::Command;
use tokio::sync::mpsc;

use super::{ClockOption, harm, name, serial};
use crate::ctl::simulate::stage::{Bench, News};
use crate::ctl::simulate::wish::{NO_CLOCK, Wish, nothing_on};
use crate::sim::{Act, Device, Hands, Pace};

/// One board or several.
#[derive(Debug)]
pub(super) enum Line {
    Single(Box<Simulator>),
    Bus(BusLine),
}

impl Line {
    fn device(&self) -> &dyn Device {
        match self {
            Self::Single(board) => &**board,
            Self::Bus(line) => line,
        }
    }

    fn device_mut(&mut self) -> &mut dyn Device {
        match self {
            Self::Single(board) => &mut **board,
            Self::Bus(line) => line,
        }
    }
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
pub(in crate::ctl::simulate) struct DgtBench {
    line: Line,
    ear: HostDecoder,
    told: Vec<Told>,
    /// A host of a single board asked what stands, maybe before it asked for changes.
    wants_board: bool,
    option: ClockOption,
    news: mpsc::UnboundedSender<News>,
}

impl DgtBench {
    pub(super) fn new(
        at: Mono,
        line: Line,
        boards: usize,
        option: ClockOption,
        news: mpsc::UnboundedSender<News>,
    ) -> Self {
        let (ear, told) = (HostDecoder::new(), Vec::new());
        let mut bench = Self { line, ear, told, wants_board: false, option, news };
        for number in 0..boards {
            let address = bench.board(at, number).map_or(0, |board| board.address());
            let condition = Condition::Working;
            bench.told.push(Told { address, asked: false, harmful: 0, lost: 0, condition });
        }
        bench
    }

    /// The board with this number, counted from zero.
    fn board(&mut self, at: Mono, number: usize) -> Option<&mut Simulator> {
        match &mut self.line {
            Line::Single(board) => (number == 0).then_some(&mut **board),
            Line::Bus(line) => line.board_number(at, number),
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

impl Device for DgtBench {
    fn line_settings(&self) -> LineSettings {
        self.line.device().line_settings()
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        self.line.device_mut().receive(now, bytes);
        self.listen(now, bytes);
        self.look(now);
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.line.device_mut().poll_transmit()
    }

    fn poll_timeout(&self) -> Option<Mono> {
        self.line.device().poll_timeout()
    }

    fn handle_timeout(&mut self, now: Mono) {
        self.line.device_mut().handle_timeout(now);
        self.look(now);
    }

    fn unread(&mut self) {
        // Nobody listens any more: the program is ending.
        _ = self.news.send(News::Unread);
    }
}

impl Bench for DgtBench {
    type Fault = Fault;

    fn board_name(text: &str) -> Result<String, String> {
        serial(text).map(name)
    }

    fn pace(&self) -> Pace {
        match self.line {
            Line::Single(_) => Pace::Line,
            Line::Bus(_) => Pace::Unpaced,
        }
    }

    fn act(&mut self, at: Mono, board: usize, act: Act) {
        if let Some(board) = self.board(at, board) {
            board.act(at, act);
        }
    }

    fn grant(&mut self, at: Mono, board: usize, wish: Wish<Fault>) -> Result<(), String> {
        let option = self.option;
        self.board(at, board).map_or(Ok(()), |board| grant(board, at, wish, option))
    }

    /// A board on a cable has its power from it, and starts anew.
    fn plugged_in(&mut self, at: Mono) {
        if let Line::Single(board) = &mut self.line {
            board.power_cycle(at);
        }
    }

    fn look(&mut self, at: Mono) {
        for number in 0..self.told.len() {
            let Some(board) = self.board(at, number) else { continue };
            let (condition, lost, mode) = (board.condition(), board.lost_input(), board.mode());
            let harmful = board.harmful().to_vec();
            let streams = matches!(mode, Mode::Update | Mode::UpdateBoard | Mode::UpdateNice);
            let asked = streams && self.wants_board;
            let Some(told) = self.told.get_mut(number) else { continue };
            let mut news = Vec::new();
            for byte in harmful.iter().skip(told.harmful) {
                news.push(News::Harmed {
                    board: number,
                    command: format!("{byte:02x}"),
                    shown: format!("0x{byte:02x}"),
                    what: harm(*byte),
                });
            }
            if lost > told.lost {
                news.push(News::Lost { board: number, bytes: lost - told.lost });
            }
            if condition != told.condition {
                news.push(became(number, condition));
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
}

const fn became(board: usize, condition: Condition) -> News {
    let (condition, what) = match condition {
        Condition::Working => ("working", "it works again"),
        Condition::Unplugged => return News::Unplugged { board },
        Condition::BootLoader => ("boot-loader", "it waits in its boot loader; `power` brings it back"),
        Condition::Hung => ("hung", "it hangs, for it has no lights to switch; `power` brings it back"),
    };
    News::Became { board, condition, what }
}

/// Does it at a board; what cannot be done is said.
fn grant(board: &mut Simulator, at: Mono, wish: Wish<Fault>, option: ClockOption) -> Result<(), String> {
    match wish {
        Wish::Act(act) => {
            possible(board, at, act)?;
            board.act(at, act);
        }
        Wish::Buttons(held) if held.contains(&ClockButton::Run) && option == ClockOption::Normal => {
            return Err(
                "in the option normal this button starts and stops the clock: write start or stop".to_owned()
            );
        }
        Wish::Buttons(_) if board.times(at).is_none() => return Err(NO_CLOCK.to_owned()),
        Wish::Buttons(held) => board.press_buttons(at, &held),
        Wish::Position(placement) => {
            for square in Square::all() {
                board.replace(at, square, placement[square]);
            }
        }
        Wish::Fault(fault) => board.inject(at, fault),
        Wish::Power => board.power_cycle(at),
        Wish::Board(_) | Wish::Plug | Wish::Unplug | Wish::Quit => {}
    }
    Ok(())
}

fn possible(board: &mut Simulator, at: Mono, act: Act) -> Result<(), String> {
    match act {
        Act::Lift(square) if board.placement()[square] == Occupant::Empty => Err(nothing_on(square)),
        Act::Press(_) | Act::Start | Act::Stop | Act::SetTimes { .. } if board.times(at).is_none() => {
            Err(NO_CLOCK.to_owned())
        }
        _ => Ok(()),
    }
}
