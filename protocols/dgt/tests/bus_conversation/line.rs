// SPDX-License-Identifier: MIT OR Apache-2.0
//! A driver and some boards on one line in virtual time. The boards do what the protocol's
//! description says and no more; what goes wrong on the line is written down before.

#[path = "../../../board/tests/shared/words.rs"]
mod words;

pub use words::{START, ms, occupant, sq};

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use arbiterd_board::{
    AckOutcome, Capabilities, Channel, ClockReading, ClockReport, ClockSide, Driver, Flag, Lever, LinkState,
    Mono, Noise, Placement, Report, ReportBody, RequestId, SideReading, Stamp, Version,
};
use arbiterd_dgt::bus::{
    Answer, BusAddress, BusCommand, BusFrame, BusMessage, DgtBusDriver, LineCommand, encode,
};
use arbiterd_dgt::clock::{ClockMessage, Times};
use arbiterd_dgt::log::{Log, Record};

pub fn address(number: u16) -> BusAddress {
    BusAddress::new(number).unwrap()
}

pub fn reading(left: u64, right: u64, pressed: ClockSide) -> ClockReading {
    let side = |seconds| SideReading { remaining: Duration::from_secs(seconds), flag: Flag::Up };
    ClockReading {
        left: side(left),
        right: side(right),
        counting: true,
        lever: Lever::Pressed(pressed),
        turn: Some(pressed.other()),
        battery_low: false,
    }
}

/// A board that answers as the description says.
pub struct Board {
    pub version: Option<Version>,
    pub placement: Placement,
    /// What it has noted and not told yet.
    pub noted: Vec<u8>,
    /// What it told last.
    pub told: Vec<u8>,
    pub clock: ClockMessage,
    /// The first bus command only leads back to bus mode.
    pub single_mode: bool,
    /// It has no power, or its plug is out.
    pub off: bool,
    pub ignores_ping: bool,
    /// It answers a ping to all, and nothing else.
    pub pings_only: bool,
    /// Something changes on it whenever its changes are asked for.
    pub chatters: bool,
    /// How long after a ping to all it answers, in milliseconds, in turn.
    pub ping_after: VecDeque<u64>,
}

impl Default for Board {
    fn default() -> Self {
        let times = Times {
            reading: reading(5400, 5400, ClockSide::Right),
            left_per_move: false,
            right_per_move: false,
        };
        Self {
            version: Some(Version { main: 1, sub: 3 }),
            placement: START.parse().unwrap(),
            noted: Vec::new(),
            told: Vec::new(),
            clock: ClockMessage::Times(times),
            single_mode: false,
            off: false,
            ignores_ping: false,
            pings_only: false,
            chatters: false,
            ping_after: [10].into(),
        }
    }
}

impl Board {
    /// Something changes on a square, and is noted.
    pub fn change(&mut self, square: &str, letter: char) {
        self.placement[sq(square)] = occupant(letter);
        self.note(Record::Piece { square: sq(square), occupant: occupant(letter), soon: false });
    }

    pub fn note(&mut self, record: Record) {
        record.write(&mut self.noted);
    }

    pub fn show(&mut self, reading: ClockReading) {
        let times = Times { reading, left_per_move: false, right_per_move: false };
        self.clock = ClockMessage::Times(times);
    }

    fn answer(&mut self, address: BusAddress, command: BusCommand) -> Option<Vec<u8>> {
        if self.pings_only {
            return None;
        }
        if self.chatters && command == BusCommand::SendChanges {
            let letter = if self.placement[sq("a2")].letter() == '.' { 'P' } else { '.' };
            self.change("a2", letter);
        }
        let answer = match command {
            BusCommand::SendClock => Answer::Clock(self.clock),
            BusCommand::SendBoard => Answer::Board(self.placement),
            BusCommand::SendChanges => {
                self.told = core::mem::take(&mut self.noted);
                Answer::Changes(Log::new(&self.told))
            }
            BusCommand::RepeatChanges => Answer::Changes(Log::new(&self.told)),
            BusCommand::IgnoreNextPing => {
                self.ignores_ping = true;
                Answer::Ping
            }
            BusCommand::Ping => Answer::Ping,
            BusCommand::SendVersion => Answer::Version(self.version),
            _ => panic!("{command:?} is none of the driver's business"),
        };
        Some(encode(&BusMessage { address, answer }))
    }
}

/// What goes wrong with one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The board does not hear it.
    Unheard,
    /// The board answers, and nothing of it arrives.
    Lost,
    /// A byte of the answer is wrong.
    Damaged,
    /// Only so many bytes of the answer arrive.
    Cut(usize),
    /// The answer comes so much later, in milliseconds.
    Late(u64),
}

pub struct Line {
    pub now: Mono,
    pub driver: DgtBusDriver,
    pub boards: BTreeMap<u16, Board>,
    /// What goes wrong with the next commands of this kind for a board, in turn.
    pub faults: Vec<(u16, BusCommand, Fault)>,
    /// What goes wrong with the next commands of any kind, in turn.
    pub any_faults: VecDeque<Option<Fault>>,
    /// The adapter hears the host itself.
    pub echoes: bool,
    /// Sizes of the portions in which bytes reach the driver, in turn; whole answers if empty.
    pub portions: VecDeque<usize>,
    /// Bytes reach the driver each at its own time, and not when their answer is complete.
    pub trickles: bool,
    /// A second board with the address of one of the boards, and how much later than that one it
    /// answers, in milliseconds; at once, and the zeros win.
    pub twin: Option<(u16, Board, Option<u64>)>,
    /// On their way to the driver.
    coming: Vec<(Mono, Vec<u8>)>,
    pub said: Vec<(Mono, BusFrame)>,
    pub reports: Vec<(Mono, Channel, Report)>,
    /// How often the host spoke while a board did.
    pub collisions: u32,
}

impl Line {
    /// Boards with these addresses, all of them configured, on a line that is opened at zero.
    pub fn new(addresses: impl IntoIterator<Item = u16>) -> Self {
        let addresses: Vec<u16> = addresses.into_iter().collect();
        let driver = DgtBusDriver::new(addresses.iter().map(|a| address(*a)));
        Self::with_driver(driver, addresses)
    }

    /// Boards that the driver has to find.
    pub fn unknown(addresses: impl IntoIterator<Item = u16>) -> Self {
        Self::with_driver(DgtBusDriver::discovering(), addresses)
    }

    fn with_driver(mut driver: DgtBusDriver, addresses: impl IntoIterator<Item = u16>) -> Self {
        driver.reset(Mono::ZERO);
        Self {
            now: Mono::ZERO,
            driver,
            boards: addresses.into_iter().map(|a| (a, Board::default())).collect(),
            faults: Vec::new(),
            any_faults: VecDeque::new(),
            echoes: false,
            portions: VecDeque::new(),
            trickles: false,
            twin: None,
            coming: Vec::new(),
            said: Vec::new(),
            reports: Vec::new(),
            collisions: 0,
        }
    }

    /// One board, two seconds after the line was opened.
    pub fn running() -> Self {
        let mut line = Self::new([1025]);
        line.run_until(2000);
        line
    }

    pub fn board(&mut self) -> &mut Board {
        self.boards.get_mut(&1025).unwrap()
    }

    /// Runs until just before this command for this board is said, and returns when it was said.
    pub fn run_to(&mut self, number: u16, command: BusCommand) -> Mono {
        let frame = BusFrame::to(address(number), command);
        let before = self.said.len();
        for _ in 0..100_000 {
            if let Some((at, _)) = self.said[before..].iter().find(|(_, f)| *f == frame) {
                return *at;
            }
            self.run_until_micros(self.now.as_micros() + 500);
        }
        panic!("{frame:?} was not said");
    }

    /// Runs until all boards are asked whether they are there, or for ten seconds.
    pub fn run_to_ping(&mut self) {
        let ping = BusFrame::All(LineCommand::Ping);
        let before = self.said.len();
        for _ in 0..20_000 {
            if self.said[before..].iter().any(|(_, f)| *f == ping) {
                return;
            }
            self.run_until_micros(self.now.as_micros() + 500);
        }
    }

    pub fn run_until(&mut self, millis: u64) {
        self.run_until_micros(millis * 1000);
    }

    fn run_until_micros(&mut self, micros: u64) {
        let end = Mono::from_micros(micros);
        self.exchange();
        loop {
            let coming = self.coming.iter().map(|(at, _)| *at).min();
            let due = [self.driver.poll_timeout(), coming].into_iter().flatten().min();
            let Some(due) = due.filter(|due| *due <= end) else { break };
            assert!(due >= self.now, "{due} lies before {}", self.now);
            self.now = due;
            self.deliver();
            if self.driver.poll_timeout().is_some_and(|at| at <= due) {
                self.driver.handle_timeout(due);
                self.exchange();
                let next = self.driver.poll_timeout();
                assert!(next.is_none_or(|at| at > due), "the driver does not move on at {due}");
            }
        }
        self.now = self.now.max(end);
    }

    /// Bytes that no board sent reach the driver now.
    pub fn hear(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let size = self.portions.pop_front().unwrap_or(rest.len()).clamp(1, rest.len());
            let (portion, after) = rest.split_at(size);
            self.driver.receive(self.now, portion);
            rest = after;
        }
        self.exchange();
    }

    fn deliver(&mut self) {
        while let Some(index) = self.coming.iter().position(|(at, _)| *at <= self.now) {
            let (_, bytes) = self.coming.remove(index);
            self.hear(&bytes);
        }
    }

    /// Takes what the driver has to tell and to say.
    pub fn exchange(&mut self) {
        loop {
            while let Some((channel, report)) = self.driver.poll_report() {
                self.reports.push((self.now, channel, report));
            }
            let Some(bytes) = self.driver.poll_transmit() else { return };
            let frame = BusFrame::parse(bytes.clone().try_into().unwrap()).unwrap();
            self.said.push((self.now, frame));
            self.collisions += u32::from(self.coming.iter().any(|(at, _)| *at > self.now));
            if self.echoes {
                self.hear(&bytes);
            }
            self.answer(frame);
        }
    }

    fn answer(&mut self, frame: BusFrame) {
        let BusFrame::One { command, address } = frame else {
            assert_eq!(frame, BusFrame::All(LineCommand::Ping));
            return self.answer_ping();
        };
        let wanted = |(a, c, _): &(u16, BusCommand, Fault)| *a == address.number() && *c == command;
        let fault = match self.faults.iter().position(wanted) {
            Some(index) => Some(self.faults.remove(index).2),
            None => self.any_faults.pop_front().flatten(),
        };
        let Some(board) = self.boards.get_mut(&address.number()).filter(|b| !b.off) else { return };
        if fault == Some(Fault::Unheard) || core::mem::take(&mut board.single_mode) {
            return;
        }
        let Some(mut bytes) = board.answer(address, command) else { return };
        let mut reaction = 5;
        match fault {
            Some(Fault::Lost) => return,
            Some(Fault::Damaged) => {
                let last = bytes.last_mut().unwrap();
                *last ^= 0x01;
            }
            Some(Fault::Cut(count)) => bytes.truncate(count),
            Some(Fault::Late(millis)) => reaction += millis,
            _ => {}
        }
        let second = match &mut self.twin {
            Some((number, twin, after)) if *number == address.number() => {
                twin.answer(address, command).map(|bytes| (bytes, *after))
            }
            _ => None,
        };
        match second {
            Some((second, None)) => bytes.iter_mut().zip(second).for_each(|(a, b)| *a &= b),
            Some((second, Some(after))) => {
                self.send(4, reaction, bytes);
                return self.send(0, reaction + after, second);
            }
            None => {}
        }
        self.send(4, reaction, bytes);
    }

    /// All boards answer, and where answers meet on the line, the zeros win.
    fn answer_ping(&mut self) {
        let mut answers: Vec<(u64, Vec<u8>)> = Vec::new();
        for (number, board) in &mut self.boards {
            if board.off || core::mem::take(&mut board.ignores_ping) {
                continue;
            }
            let bytes = encode(&BusMessage { address: address(*number), answer: Answer::Ping });
            board.ping_after.rotate_left(1);
            let at = *board.ping_after.back().unwrap();
            match answers.iter_mut().find(|(after, _)| after.abs_diff(at) < 7) {
                Some((_, other)) => other.iter_mut().zip(bytes).for_each(|(a, b)| *a &= b),
                None => answers.push((at, bytes)),
            }
        }
        if let Some((number, twin, _)) = &mut self.twin
            && !core::mem::take(&mut twin.ignores_ping)
        {
            let bytes = encode(&BusMessage { address: address(*number), answer: Answer::Ping });
            answers.push((twin.ping_after[0], bytes));
        }
        answers.sort();
        for (after, bytes) in answers {
            self.send(4, after, bytes);
        }
    }

    fn send(&mut self, said: usize, reaction: u64, bytes: Vec<u8>) {
        let line = self.driver.line_settings();
        let at = self.now.after(line.duration(said + bytes.len()) + Duration::from_millis(reaction));
        // Nothing overtakes on a line, not even what comes after something late.
        let before = self.coming.iter().map(|(at, _)| *at).max();
        let at = before.map_or(at, |before| before.max(at));
        if !self.trickles {
            return self.coming.push((at, bytes));
        }
        for (left, byte) in (0..bytes.len()).rev().zip(bytes) {
            self.coming.push((at.before(line.duration(left)), vec![byte]));
        }
    }

    // ----- what was told ------------------------------------------------------------------

    pub fn bodies(&self, channel: u16) -> Vec<ReportBody> {
        let of_channel = self.reports.iter().filter(|(_, c, _)| *c == Channel(channel));
        of_channel.map(|(_, _, r)| r.body.clone()).collect()
    }

    pub fn squares(&self, channel: u16) -> Vec<(String, char, Stamp)> {
        let of_channel = self.reports.iter().filter(|(_, c, _)| *c == Channel(channel));
        let squares = of_channel.filter_map(|(_, _, r)| match r.body {
            ReportBody::Square { square, occupant } => Some((square.to_string(), occupant.letter(), r.at)),
            _ => None,
        });
        squares.collect()
    }

    /// The squares that were told, without their times: `e2.` is e2 empty.
    pub fn told(&self, channel: u16) -> Vec<String> {
        self.squares(channel).into_iter().map(|(square, letter, _)| format!("{square}{letter}")).collect()
    }

    pub fn boards_told(&self, channel: u16) -> Vec<(String, bool)> {
        let boards = self.bodies(channel).into_iter().filter_map(|body| match body {
            ReportBody::Board { placement, confirmed } => Some((placement.to_string(), confirmed)),
            _ => None,
        });
        boards.collect()
    }

    pub fn readings(&self, channel: u16) -> Vec<(ClockReading, Stamp)> {
        let of_channel = self.reports.iter().filter(|(_, c, _)| *c == Channel(channel));
        let readings = of_channel.filter_map(|(_, _, r)| match r.body {
            ReportBody::Clock(ClockReport::Reading(reading)) => Some((reading, r.at)),
            _ => None,
        });
        readings.collect()
    }

    pub fn links(&self, channel: u16) -> Vec<(Mono, LinkState, Stamp)> {
        let of_channel = self.reports.iter().filter(|(_, c, _)| *c == Channel(channel));
        let links = of_channel.filter_map(|(at, _, r)| match r.body {
            ReportBody::Link(state) => Some((*at, state, r.at)),
            _ => None,
        });
        links.collect()
    }

    pub fn capabilities(&self, channel: u16) -> Vec<Capabilities> {
        let told = self.bodies(channel).into_iter().filter_map(|body| match body {
            ReportBody::Capabilities(capabilities) => Some(capabilities),
            _ => None,
        });
        told.collect()
    }

    pub fn noises(&self, channel: u16) -> Vec<Noise> {
        let told = self.bodies(channel).into_iter().filter_map(|body| match body {
            ReportBody::Noise(noise) => Some(noise),
            _ => None,
        });
        told.collect()
    }

    pub fn acks(&self, wanted: RequestId) -> Vec<(Mono, Channel, AckOutcome)> {
        let acks = self.reports.iter().filter_map(|(at, channel, r)| match r.body {
            ReportBody::Ack { request, outcome } if request == wanted => Some((*at, *channel, outcome)),
            _ => None,
        });
        acks.collect()
    }

    /// When a command was said to a board.
    pub fn times_said(&self, number: u16, command: BusCommand) -> Vec<Mono> {
        let frame = BusFrame::to(address(number), command);
        self.said.iter().filter(|(_, f)| *f == frame).map(|(at, _)| *at).collect()
    }

    /// What was said to a board from a moment on.
    pub fn said_to(&self, number: u16, from: Mono) -> Vec<BusCommand> {
        let to = |f: &BusFrame| f.address() == Some(address(number));
        self.said.iter().filter(|(at, f)| *at >= from && to(f)).map(|(_, f)| f.command()).collect()
    }
}

/// The longest time between two of these moments.
pub fn longest_gap(times: &[Mono]) -> Duration {
    times.windows(2).map(|pair| pair[1].since(pair[0])).max().unwrap()
}
