// SPDX-License-Identifier: GPL-3.0-or-later
//! The board with an eye on what hosts do with it that a technician wants to know.

use arbiterd_board::{LineSettings, Mono, Occupant, Square};
use arbiterd_millennium::host::Harm;
use arbiterd_millennium::simulator::{Condition, Fault, Misuse, Simulator};
use tokio::sync::mpsc;

use super::NAME;
use crate::ctl::simulate::stage::{Bench, News};
use crate::ctl::simulate::wish::{NO_CLOCK, Wish, nothing_on};
use crate::sim::{Act, Device, Hands, Pace};

/// The only board.
const BOARD: usize = 0;

/// The board, for a terminal.
#[derive(Debug)]
pub(in crate::ctl::simulate) struct MillenniumBench {
    board: Box<Simulator>,
    /// What was last told of it.
    asked: bool,
    misuses: usize,
    condition: Condition,
    news: mpsc::UnboundedSender<News>,
}

impl MillenniumBench {
    pub(super) fn new(board: Simulator, news: mpsc::UnboundedSender<News>) -> Self {
        Self { board: Box::new(board), asked: false, misuses: 0, condition: Condition::Working, news }
    }
}

impl Device for MillenniumBench {
    fn line_settings(&self) -> LineSettings {
        self.board.line_settings()
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        self.board.receive(now, bytes);
        self.look(now);
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.board.poll_transmit()
    }

    fn poll_timeout(&self) -> Option<Mono> {
        self.board.poll_timeout()
    }

    fn handle_timeout(&mut self, now: Mono) {
        self.board.handle_timeout(now);
        self.look(now);
    }

    fn unread(&mut self) {
        // Nobody listens any more: the program is ending.
        _ = self.news.send(News::Unread);
    }
}

impl Bench for MillenniumBench {
    type Fault = Fault;

    fn board_name(text: &str) -> Result<String, String> {
        if text == NAME { Ok(NAME.to_owned()) } else { Err(format!("there is one board, {NAME}")) }
    }

    fn pace(&self) -> Pace {
        Pace::Line
    }

    fn act(&mut self, at: Mono, _board: usize, act: Act) {
        self.board.act(at, act);
    }

    fn grant(&mut self, at: Mono, _board: usize, wish: Wish<Fault>) -> Result<(), String> {
        match wish {
            Wish::Act(Act::Lift(square)) if self.board.placement()[square] == Occupant::Empty => {
                return Err(nothing_on(square));
            }
            Wish::Act(act @ (Act::Lift(_) | Act::Place(..))) => self.board.act(at, act),
            Wish::Act(_) | Wish::Buttons(_) => return Err(NO_CLOCK.to_owned()),
            Wish::Position(placement) => {
                for square in Square::all() {
                    self.board.replace(at, square, placement[square]);
                }
            }
            Wish::Fault(fault) => self.board.inject(at, fault),
            Wish::Power => self.board.power_cycle(at),
            Wish::Board(_) | Wish::Plug | Wish::Unplug | Wish::Quit => {}
        }
        Ok(())
    }

    /// It has its power from the cable.
    fn plugged_in(&mut self, at: Mono) {
        self.board.power_cycle(at);
    }

    fn look(&mut self, _at: Mono) {
        let mut news: Vec<News> = self.board.misuses().iter().skip(self.misuses).map(told).collect();
        self.misuses = self.board.misuses().len();
        // A host that was understood may only listen from then on.
        let asked = self.board.obeyed() > 0;
        if asked && !self.asked {
            news.push(News::Asked { board: BOARD });
        }
        self.asked |= asked;
        let condition = self.board.condition();
        if condition != self.condition {
            news.push(became(condition));
        }
        self.condition = condition;
        for one in news {
            // Nobody listens any more: the program is ending.
            _ = self.news.send(one);
        }
    }
}

const fn became(condition: Condition) -> News {
    let (condition, what) = match condition {
        Condition::Working => ("working", "it works again"),
        Condition::Unplugged => return News::Unplugged { board: BOARD },
        Condition::Hung => ("hung", "it hangs; `power` brings it back"),
    };
    News::Became { board: BOARD, condition, what }
}

fn told(misuse: &Misuse) -> News {
    let letter = |byte: &u8| char::from(*byte & 0x7f).escape_default().to_string();
    let (misuse, what) = match misuse {
        Misuse::Harmful { harm, letter, values } => {
            let digits: String = values.iter().map(|value| format!("{value:02X}")).collect();
            let command = format!("{}{digits}", char::from(*letter));
            return News::Harmed { board: BOARD, shown: command.clone(), command, what: self::harm(*harm) };
        }
        Misuse::Unknown(byte) => ("unknown", format!("the host sent 0x{byte:02x}, which begins no command")),
        Misuse::Broken(bytes) => {
            ("broken", format!("the host broke off a command after {} bytes", bytes.len()))
        }
        Misuse::BadParity(of) => {
            ("bad-parity", format!("a byte of the host's {} has even parity", letter(of)))
        }
        Misuse::BadCheck(of) => {
            ("bad-check", format!("the block parity of the host's {} is wrong", letter(of)))
        }
        Misuse::Hasty(of) => (
            "hasty",
            format!("the host's {} came before the last answer and was lost; it must wait", letter(of)),
        ),
        Misuse::NeedlessWrite(register) => (
            "needless-write",
            format!("the host wrote what register {register:02X} held already, which only wears it"),
        ),
    };
    News::Misused { board: BOARD, misuse, what }
}

/// What a harmful command does.
pub(in crate::ctl) const fn harm(harm: Harm) -> &'static str {
    match harm {
        Harm::Restart => "the board restarts, sees nothing for three seconds and then tells an empty board",
        Harm::NoBlockParity => "frames carry no block parity any more, so that damage is not noticed",
        Harm::HidesTouches => "a short touch is not reported any more, also to the programs that come after",
        Harm::Undescribed => "it writes a register for good that nobody has described",
    }
}
