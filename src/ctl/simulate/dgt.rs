// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line of `arbiterctl simulate dgt`, and the boards that it describes.

mod bench;

use std::time::Duration;

use arbiterd_board::{ClockSide, Colour, Version};
use arbiterd_dgt::BatteryStatus;
use arbiterd_dgt::simulator::{
    BusLine, BusLineOptions, ClockOptions, Control, MOST_BOARDS, Options, PowerUp, Simulator, TimedFault,
};
use clap::{Args, ValueEnum};
use tokio::sync::mpsc;

use self::bench::{DgtBench, Line};
use super::SimulateError;
use super::args::BoardArgs;
use super::stage::{News, Plan, Stage};
use crate::sim::Game;
use crate::time::now;

pub(super) const FAULTS: &str = "\
Faults (--fault, and `fault` of the hands, which happens at once and takes no @):
  drop=1/100 double=1/100 flip=1/100 insert=1/100[,5a]
                                            bytes of the board go wrong from now on
                                            (also =every:100, =never)
  cut=4 late=300ms freeze=5s                a message is cut, all are late, the board stands still
  bad-checksum bus-frame log-dump           an answer or a message that should not be
  lever=stuck|free clock=out|in clock-battery-low leftover-time null-time
  flicker=e4 token=e4,draw|white-wins|black-wins
  unplug                                    the port closes; on a bus the board leaves the line
  With @ and a time it happens later: freeze=5s@30s.

Hands (--hands), one wish a line, each answered by `ok` or `error: ...`:
  lift e2 | place e4 P | press left|right | start | stop | times 1:30:00 1:30:00
  button back|minus|run|plus|ok (several if they are held together: button back minus)
  position PLACEMENT | fault FAULT | power (off and on) | unplug | plug | quit
  board 01002 (the next lines are for it; of two with this number, for the first)
Wishes are granted as fast as they are read, whether or not a host is there; the board scans its
squares only some times a second. The end of the input is that of the hands only: the boards stay as
they are and answer on until Ctrl-C. In the option normal, start and stop are the button run.";

/// How the boards are connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Wiring {
    /// One board on a cable of its own; as a real one it wakes in bus mode, which a host for
    /// single boards does not notice
    Single,
    /// A tournament line that carries one board or several
    Bus,
}

/// The option that the clocks are set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ClockOption {
    /// A time control: the clock runs itself and cannot be set over the line
    Normal,
    /// Option 25: the host sets the times and says who runs
    Computer,
}

#[derive(Debug, Args)]
pub(crate) struct DgtArgs {
    /// How the boards are connected
    #[arg(long, value_enum, default_value_t = Wiring::Single)]
    pub(super) mode: Wiring,
    /// So many boards on the line, with serial numbers from --serial on (needs --mode bus)
    #[arg(long, value_name = "N", conflicts_with = "serials")]
    pub(super) boards: Option<usize>,
    /// The serial numbers of the boards on the line, such as 01025,02050 (needs --mode bus)
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = serial, conflicts_with = "serial")]
    pub(super) serials: Vec<u32>,
    /// Let boards of --serials have the same address, to rehearse a line that is set up wrongly: they
    /// answer at once and spoil each other's bytes
    #[arg(long)]
    pub(super) same_address: bool,
    /// The serial number of the board, or of the first
    #[arg(long, value_name = "N", default_value = "01001", value_parser = serial)]
    pub(super) serial: u32,
    /// The long serial number of the board, or none for an old one
    #[arg(long, value_name = "N|none", value_parser = long_serial)]
    pub(super) long_serial: Option<LongSerial>,
    /// The time control: minutes and increment in seconds, or none for no clock
    #[arg(long, value_name = "MIN+INC|none", default_value = "90+30", value_parser = time_control)]
    pub(super) clock: TimeControl,
    /// What the clocks are set to
    #[arg(long, value_enum, default_value_t = ClockOption::Normal)]
    pub(super) option: ClockOption,
    /// A Bluetooth board: slower scans, a battery, seldom looks at the clock
    #[arg(long)]
    pub(super) bluetooth: bool,
    /// The line's adapter echoes what the host says (needs --mode bus)
    #[arg(long)]
    pub(super) echo: bool,
    /// A fault, see below; may be given several times
    #[arg(long = "fault", value_name = "FAULT")]
    pub(super) faults: Vec<TimedFault>,
    /// The board that --fault is for, by its serial number, instead of all
    #[arg(long, value_name = "N", value_parser = serial, requires = "faults")]
    pub(super) fault_board: Option<u32>,
    #[command(flatten)]
    pub(super) board: BoardArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LongSerial {
    None,
    Number(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeControl {
    None,
    Times { base: Duration, increment: Duration },
}

/// The address on a line: the lower 14 bits of the serial number (topic: bus mode).
const fn address(serial: u32) -> u32 {
    serial & 0x3fff
}

/// Two boards that a host cannot tell apart.
fn same_address(serials: &[u32]) -> Option<(u32, u32)> {
    serials.iter().enumerate().find_map(|(index, second)| {
        let before = serials.get(..index).unwrap_or_default();
        let first = before.iter().find(|first| address(**first) == address(*second))?;
        Some((*first, *second))
    })
}

/// A serial number whose 14-bit address is not that of all boards.
fn serial(text: &str) -> Result<u32, String> {
    let digits = text.len() <= 5 && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|number: &u32| digits && address(*number) != 0);
    number.ok_or_else(|| "a serial number has up to five digits and is not 0, 16384 or the like".to_owned())
}

fn long_serial(text: &str) -> Result<LongSerial, String> {
    if text == "none" {
        return Ok(LongSerial::None);
    }
    let digits = text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits).map(LongSerial::Number);
    number.ok_or_else(|| "give up to ten digits, or none".to_owned())
}

fn time_control(text: &str) -> Result<TimeControl, String> {
    if text == "none" {
        return Ok(TimeControl::None);
    }
    let read = || {
        let (minutes, increment) = text.split_once('+').unwrap_or((text, "0"));
        let base = Duration::from_secs(minutes.parse::<u64>().ok().filter(|m| *m < 600)? * 60);
        let increment = Duration::from_secs(increment.parse::<u64>().ok().filter(|s| *s < 600)?);
        Some(TimeControl::Times { base, increment })
    };
    read().ok_or_else(|| "give minutes and seconds such as 90+30, below 600 each, or none".to_owned())
}

impl DgtArgs {
    /// The serial numbers of the boards, in their order.
    fn serials(&self) -> Result<Vec<u32>, SimulateError> {
        let wrong = |what: &str| Err(SimulateError::Usage(what.to_owned()));
        let several = self.boards.is_some() || !self.serials.is_empty();
        if self.mode == Wiring::Single && (several || self.echo) {
            return wrong("--boards, --serials and --echo are for a line of boards: add --mode bus");
        }
        if self.mode == Wiring::Bus && self.bluetooth {
            return wrong("a Bluetooth board is on no line: leave --bluetooth or --mode bus out");
        }
        if self.clock == TimeControl::None && self.option == ClockOption::Computer {
            return wrong("there is no clock to set to --option computer: leave it or --clock none out");
        }
        if self.same_address && self.serials.is_empty() {
            return wrong("--same-address needs --serials that have it, such as 01025,01025");
        }
        let count = self.boards.unwrap_or(1);
        if count == 0 || count.max(self.serials.len()) > MOST_BOARDS {
            return wrong("a line carries 1 to 32 boards");
        }
        let serials: Vec<u32> = match self.serials.as_slice() {
            [] => (self.serial..=99_999).filter(|n| address(*n) != 0).take(count).collect(),
            given => given.to_vec(),
        };
        if let Some((first, second)) = same_address(&serials).filter(|_| !self.same_address) {
            return Err(SimulateError::Usage(format!(
                "the boards {first:05} and {second:05} have the same address on the line, {:05}: give others, \
                 or add --same-address to rehearse this mistake",
                address(first)
            )));
        }
        match self.fault_board {
            _ if serials.len() < count => wrong("the serial numbers would have six digits: begin lower"),
            Some(board) if !serials.contains(&board) => wrong("--fault-board names none of the boards"),
            _ => Ok(serials),
        }
    }

    /// The boards, switched on, with the position of the game if there is one.
    fn line(&self, serials: &[u32], game: Option<&Game>) -> Result<Line, SimulateError> {
        let options: Vec<Options> = serials.iter().map(|serial| self.board(*serial, game)).collect();
        match (self.mode, <[Options; 1]>::try_from(options)) {
            (Wiring::Single, Ok([options])) => Ok(Line::Single(Box::new(Simulator::new(now(), options)))),
            (_, options) => {
                let options = options.map_or_else(|many| many, Vec::from);
                let line = BusLineOptions { echo: self.echo, seed: self.board.seed };
                Ok(Line::Bus(BusLine::new(now(), line, options)?))
            }
        }
    }

    fn board(&self, serial: u32, game: Option<&Game>) -> Options {
        let mine = self.fault_board.is_none_or(|board| board == serial);
        let wired = Options {
            serial,
            long_serial: match self.long_serial {
                None => Some(u64::from(serial)),
                Some(LongSerial::None) => None,
                Some(LongSerial::Number(number)) => Some(number),
            },
            version: Version { main: 1, sub: 7 },
            clock: self.clock(game.map_or(Colour::White, |game| game.begins)),
            placement: game.map_or(self.board.position, |game| game.start),
            power_up: PowerUp::Bus,
            // Room for ten bytes (topic: host commands).
            input_limit: Some(10),
            faults: if mine { self.faults.clone() } else { Vec::new() },
            seed: self.board.seed,
            ..Options::default()
        };
        if !self.bluetooth {
            return wired;
        }
        // Half the speed of a wired board, two or three looks a second at the clock (topic: timing).
        Options {
            version: Version { main: 2, sub: 10 },
            battery: Some(BatteryStatus {
                percent: 90,
                left: None,
                on: (0, 10),
                standby: (0, 0, 0),
                charging: false,
                discharging: true,
            }),
            scan_period: Duration::from_millis(500),
            clock_poll: Duration::from_millis(400),
            power_up: PowerUp::Single,
            ..wired
        }
    }

    fn clock(&self, begins: Colour) -> Option<ClockOptions> {
        let TimeControl::Times { base, increment } = self.clock else { return None };
        Some(ClockOptions {
            left: base,
            right: base,
            increment,
            // White sits at the left; the opponent of the player who begins has his end down.
            pressed: match begins {
                Colour::White => ClockSide::Right,
                Colour::Black => ClockSide::Left,
            },
            control: match self.option {
                ClockOption::Normal => Control::Clock,
                ClockOption::Computer => Control::Computer,
            },
            // Real clocks take 50 to 1500 ms (topic: timing).
            ack_delay: Duration::from_millis(50),
            ack_spread: Duration::from_millis(1450),
            repeats_answers: self.bluetooth,
            ..ClockOptions::default()
        })
    }
}

impl Stage for DgtArgs {
    type Bench = DgtBench;

    fn board(&self) -> &BoardArgs {
        &self.board
    }

    fn plan(&self) -> Result<Plan, SimulateError> {
        let has_clock = self.clock != TimeControl::None;
        // A wired board scans four times a second, one with Bluetooth twice (topic: timing).
        let noticed = Duration::from_millis(if self.bluetooth { 550 } else { 300 });
        Ok(Plan {
            names: self.serials()?.into_iter().map(name).collect(),
            tempo: self.board.tempo(noticed),
            has_clock,
            starts_clock: has_clock && self.option == ClockOption::Normal,
            alone: self.mode == Wiring::Single,
        })
    }

    fn bench(
        &self,
        game: Option<&Game>,
        news: mpsc::UnboundedSender<News>,
    ) -> Result<DgtBench, SimulateError> {
        let serials = self.serials()?;
        let line = self.line(&serials, game)?;
        Ok(DgtBench::new(now(), line, serials.len(), self.option, news))
    }
}

fn name(serial: u32) -> String {
    format!("{serial:05}")
}

/// What a harmful command does to a board.
pub(in crate::ctl) const fn harm(byte: u8) -> &'static str {
    match byte {
        0x4e => "it starts the boot loader, and the board is lost until it is switched off and on",
        0x51 | 0x53 => "it stores a scan for draughts, and half of the squares are blind for good",
        0x54 => "it changes the stored scan of the squares",
        _ => "it is no command for this board",
    }
}
