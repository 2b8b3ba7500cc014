// SPDX-License-Identifier: GPL-3.0-or-later
//! Drivers against a simulated board whose line, hands and patience are chosen by the fuzzer.

use std::time::Duration;

use arbiterd_board::simulator::Device;
use arbiterd_board::{Channel, ClockSide, Driver, Mono, Occupant, Piece, Request, Run, Square};
use arbiterd_dgt::bus::{BusAddress, DgtBusDriver};
use arbiterd_dgt::host::{HostDecoder, HostItem};
use arbiterd_dgt::simulator::{BusLine, BusLineOptions, Options, PowerUp, Simulator};
use arbiterd_dgt::wire::bus_checksum;
use arbiterd_dgt::{DgtDriver, Transport};

use super::duty::Duty;
use super::plan::Plan;

/// How the driver speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Single,
    Bus,
}

const ADDRESSES: [u16; 2] = [1025, 2050];

/// The far end of the line.
enum Far {
    Board(Box<Simulator>),
    Bus(Box<BusLine>),
}

impl Far {
    fn device(&self) -> &dyn Device {
        match self {
            Self::Board(board) => &**board,
            Self::Bus(line) => &**line,
        }
    }

    fn device_mut(&mut self) -> &mut dyn Device {
        match self {
            Self::Board(board) => &mut **board,
            Self::Bus(line) => &mut **line,
        }
    }

    fn board(&mut self, now: Mono, which: u8) -> Option<&mut Simulator> {
        match self {
            Self::Board(board) => Some(board),
            Self::Bus(line) => line.board_number(now, usize::from(which) % ADDRESSES.len()),
        }
    }
}

struct Conversation<D> {
    driver: D,
    mode: Mode,
    far: Far,
    /// Reads what the driver says as a board would.
    ear: HostDecoder,
    now: Mono,
    /// Nothing passes the line.
    cut: bool,
    /// How long the host's adapter gathers bytes before it hands them on.
    latency: Duration,
    /// No further choice is made after this moment.
    until: Mono,
    duty: Duty,
}

/// How many tenths of a second pass at once.
const TENTHS: [u64; 4] = [1, 3, 10, 40];
/// All orders for the clock that can wait have had their last try by then.
const ALL_ANSWERED: Duration = Duration::from_secs(120);

impl<D: Driver> Conversation<D> {
    fn play(&mut self, plan: &mut Plan<'_>) {
        self.reset();
        while self.now < self.until
            && let Some(choice) = plan.byte()
        {
            self.choose(choice, plan);
        }
        let end = self.now.after(ALL_ANSWERED);
        while self.duty.open() > 0 && self.now < end {
            self.pass(Duration::from_secs(1));
        }
        self.duty.assert_all_answered("never answered");
    }

    fn choose(&mut self, choice: u8, plan: &mut Plan<'_>) {
        let more = choice / 14;
        match choice % 14 {
            step @ 0..=3 => self.pass(Duration::from_millis(100 * TENTHS[usize::from(step)])),
            4 => self.hear(plan.bytes(usize::from(more) + 1)),
            5 => self.hand(plan),
            6 => self.ask(plan),
            7 => self.cut = !self.cut,
            8 => self.reset(),
            9 => {
                let now = self.now;
                if let Some(board) = self.far.board(now, more) {
                    board.power_cycle(now);
                }
            }
            10 => {
                let now = self.now;
                let side = if more & 1 == 0 { ClockSide::Left } else { ClockSide::Right };
                if let Some(board) = self.far.board(now, more / 2) {
                    board.start(now);
                    board.press(now, side);
                }
            }
            11 => self.hear(&frame(usize::from(more), plan)),
            // A machine that was suspended: deadlines pass and nobody looks.
            12 => {
                self.now = self.now.after(Duration::from_millis(100 * u64::from(more) * u64::from(more)));
                self.wake();
            }
            // Early calls do no harm.
            _ => self.wake(),
        }
    }

    fn reset(&mut self) {
        self.driver.reset(self.now);
        self.said_after(0);
        self.drain();
        self.duty.assert_all_answered("a new conversation owes answers of the old one");
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.driver.receive(self.now, bytes);
        self.said_after(bytes.len());
        self.drain();
    }

    fn hand(&mut self, plan: &mut Plan<'_>) {
        let (Some(place), Some(what)) = (plan.byte(), plan.byte()) else { return };
        let now = self.now;
        let piece = ['P', 'N', 'k', 'q'].get(usize::from(what % 5)).copied().and_then(Piece::from_letter);
        if let (Some(board), Some(square)) = (self.far.board(now, what / 5), Square::new(place % 64)) {
            board.replace(now, square, piece.map_or(Occupant::Empty, Occupant::Piece));
        }
    }

    fn ask(&mut self, plan: &mut Plan<'_>) {
        let (Some(what), Some(more)) = (plan.byte(), plan.byte()) else { return };
        let channel = [Channel(0), Channel(ADDRESSES[0]), Channel(ADDRESSES[1])][usize::from(what / 16) % 3];
        let time = Duration::from_secs(u64::from(more) * 200);
        let request = match what % 8 {
            0 => Request::ReadBoard,
            1 => Request::ReadClock,
            2 => Request::SetClock { left: time, right: time, run: Run::Stopped },
            3 => Request::SetClock { left: time, right: time, run: Run::Side(ClockSide::Left) },
            4 => Request::ShowText { text: format!("{}{}", char::from(more), what), beep: time },
            5 => Request::ShowTimes,
            6 => Request::Beep(time),
            _ => Request::Light(Square::new(more % 64).into_iter().collect()),
        };
        // Being refused is an answer too.
        if let Ok(id) = self.driver.request(self.now, channel, request) {
            self.duty.asked(id);
        }
        self.said_after(0);
        self.drain();
    }

    fn pass(&mut self, by: Duration) {
        let end = self.now.after(by);
        loop {
            let handed_on = self.far.device().poll_timeout().map(|at| self.handed_on(at));
            let due = [self.driver.poll_timeout(), handed_on].into_iter().flatten().min();
            let Some(due) = due.filter(|due| *due <= end) else { break };
            self.now = self.now.max(due);
            if self.driver.poll_timeout().is_some_and(|at| at <= self.now) {
                self.duty.wakes(self.now);
            }
            self.wake();
        }
        self.now = end;
    }

    /// When the adapter hands on what happens at the far end then: at whole multiples of its latency.
    fn handed_on(&self, at: Mono) -> Mono {
        let step = u64::try_from(self.latency.as_micros()).unwrap().max(1);
        Mono::from_micros(at.as_micros().div_ceil(step) * step)
    }

    /// Everybody looks what is due.
    fn wake(&mut self) {
        if self.far.device().poll_timeout().is_some_and(|at| self.handed_on(at) <= self.now) {
            self.far.device_mut().handle_timeout(self.now);
        }
        self.driver.handle_timeout(self.now);
        self.said_after(0);
        self.drain();
        Duty::assert_goes_on(self.now, &self.driver);
    }

    /// Takes what the driver tells and says after one call, which is little.
    fn said_after(&mut self, heard: usize) {
        let most_reports = 20 + heard + self.duty.open();
        let mut reports = 0;
        while let Some((_, report)) = self.driver.poll_report() {
            self.duty.told(self.now, &report);
            reports += 1;
        }
        assert!(reports <= most_reports, "{reports} reports after {heard} bytes");
        // No message is shorter than three bytes, and each is followed by a word at most.
        let most_words = 2 + heard / 3;
        let mut words = 0;
        while let Some(bytes) = self.driver.poll_transmit() {
            self.check_said(&bytes);
            if !self.cut {
                self.far.device_mut().receive(self.now, &bytes);
            }
            words += 1;
        }
        assert!(words <= most_words, "{words} commands after {heard} bytes");
    }

    /// Until nobody says anything more.
    fn drain(&mut self) {
        for _ in 0..1000 {
            let Some(bytes) = self.far.device_mut().poll_transmit() else { return };
            if !self.cut {
                self.driver.receive(self.now, &bytes);
                self.said_after(bytes.len());
            }
        }
        panic!("the two talk without end at {}", self.now);
    }

    /// One whole command at a time is said, of the right mode, and none that harms.
    fn check_said(&mut self, bytes: &[u8]) {
        self.ear.hear(self.now, bytes);
        let items: Vec<HostItem> = core::iter::from_fn(|| self.ear.poll()).collect();
        let fine = match &items[..] {
            [HostItem::Bus(frame)] => {
                self.mode == Mode::Bus && frame.intact && !LEAVES_THE_BUS.contains(&frame.command)
            }
            [HostItem::Command(_) | HostItem::Clock(_) | HostItem::Lights(_)] => self.mode == Mode::Single,
            _ => false,
        };
        assert!(fine, "said {bytes:02x?}: {items:?}");
    }
}

/// The end of bus mode and the power-up procedure: neither is for a line with several boards.
const LEAVES_THE_BUS: [u8; 2] = [0x88, 0x89];

/// Ids of both modes and how many bytes follow header and address; a log is as long as it likes.
const FRAMES: [(u8, usize); 14] = [
    (0x86, 64),
    (0x8d, 7),
    (0x8e, 2),
    (0x93, 2),
    (0x91, 5),
    (0xa2, 10),
    (0xa0, 9),
    (0x83, 64),
    (0x84, 7),
    (0x85, 6),
    (0x86, 9),
    (0x87, 0),
    (0x88, 0),
    (0x89, 2),
];
const FIRST_OF_BUS: usize = 7;

/// A frame as a board builds it, with any content.
fn frame(kind: usize, plan: &mut Plan<'_>) -> Vec<u8> {
    let kind = kind % FRAMES.len();
    let (id, length) = FRAMES[kind];
    let mut data: Vec<u8> = plan.bytes(length).iter().map(|b| b & 0x7f).collect();
    data.resize(length, 0);
    let mut bytes = vec![id, 0, 0];
    if kind >= FIRST_OF_BUS {
        bytes.extend([8, 1]);
    }
    bytes.extend(data);
    let total = bytes.len() + usize::from(kind >= FIRST_OF_BUS);
    bytes[2] = u8::try_from(total).unwrap();
    if kind >= FIRST_OF_BUS {
        bytes.push(bus_checksum(&bytes));
    }
    bytes
}

fn conversation<D: Driver>(driver: D, mode: Mode, far: Far) -> Conversation<D> {
    let now = Mono::from_millis(5000);
    let (ear, duty) = (HostDecoder::new(), Duty::default());
    let (latency, until) = (Duration::ZERO, now.after(Duration::from_secs(3600)));
    Conversation { driver, mode, far, ear, now, cut: false, latency, until, duty }
}

/// Common adapters gather bytes for so long. It also spares the fuzzer most of its time, because
/// boards on a line give out every byte at its own moment.
const LATENCY: Duration = Duration::from_millis(16);
/// So long one input goes on: enough for a search, and for boards that are lost and come back. What
/// costs time is time on the line, so an input that goes on for minutes keeps hundreds from being tried.
const LONGEST: Duration = Duration::from_secs(8);
/// The same where each byte is handed on by itself, which takes several times as long to work out.
const LONGEST_BY_BYTES: Duration = Duration::from_secs(2);

fn options(choice: u8, serial: u32) -> Options {
    Options {
        serial,
        power_up: if choice & 1 == 0 { PowerUp::Single } else { PowerUp::Bus },
        paced: choice & 2 != 0,
        long_serial: (choice & 4 == 0).then_some(1),
        revelation: (choice & 8 != 0).then_some(arbiterd_board::Version { main: 3, sub: 25 }),
        ..Options::default()
    }
}

/// The driver of one board.
pub fn dgt_driver(data: &[u8]) {
    let mut plan = Plan(data);
    let Some(choice) = plan.byte() else { return };
    let transport = if choice & 16 == 0 { Transport::Wired } else { Transport::Bluetooth };
    let start = Mono::from_millis(5000);
    let far = Far::Board(Box::new(Simulator::new(start, options(choice, 1025))));
    conversation(DgtDriver::over(transport), Mode::Single, far).play(&mut plan);
}

/// The driver of a bus line.
pub fn dgt_bus_driver(data: &[u8]) {
    let mut plan = Plan(data);
    let Some(choice) = plan.byte() else { return };
    let boards = ADDRESSES.map(|address| options(choice, u32::from(address))).to_vec();
    let line = BusLineOptions { echo: choice & 16 != 0, ..BusLineOptions::default() };
    let start = Mono::from_millis(5000);
    let far = Far::Bus(Box::new(BusLine::new(start, line, boards).unwrap()));
    let driver = if choice & 32 == 0 {
        DgtBusDriver::new(ADDRESSES.into_iter().filter_map(BusAddress::new))
    } else {
        DgtBusDriver::discovering()
    };
    let (latency, longest) =
        if choice & 64 == 0 { (LATENCY, LONGEST) } else { (Duration::ZERO, LONGEST_BY_BYTES) };
    let until = start.after(longest);
    Conversation { latency, until, ..conversation(driver, Mode::Bus, far) }.play(&mut plan);
}

/// The board's side: any host says anything.
pub fn dgt_host(data: &[u8]) {
    let mut plan = Plan(data);
    let Some(choice) = plan.byte() else { return };
    let mut now = Mono::from_millis(5000);
    let mut board = Simulator::new(now, options(choice, 1025));
    let (mut whole, mut bytewise) = (HostDecoder::new(), HostDecoder::new());
    while let Some(step) = plan.byte() {
        let bytes = plan.bytes(usize::from(step % 32));
        whole.hear(now, bytes);
        bytes.iter().for_each(|byte| bytewise.hear(now, &[*byte]));
        let items = heard(&mut whole);
        assert_eq!(items, heard(&mut bytewise), "portions matter");
        assert!(items.len() <= bytes.len() + 1, "{items:?} of {bytes:02x?}");
        board.receive(now, bytes);
        let mut said = 0;
        now = now.after(Duration::from_millis(u64::from(step) * 8));
        board.handle_timeout(now);
        while let Some(message) = board.poll_transmit() {
            said += message.len();
        }
        // A log of 7939 bytes is the longest answer to one byte, and to hear is not to repeat.
        assert!(said <= 8000 * (bytes.len() + 64), "{said} bytes said to {} heard", bytes.len());
    }
}

fn heard(ear: &mut HostDecoder) -> Vec<HostItem> {
    core::iter::from_fn(|| ear.poll()).collect()
}
