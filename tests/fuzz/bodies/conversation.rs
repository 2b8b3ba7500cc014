// SPDX-License-Identifier: GPL-3.0-or-later
//! Drivers against a simulated board whose line, hands and patience are chosen by the fuzzer.

use std::time::Duration;

use arbiterd_board::{Channel, ClockSide, Driver, Mono, Occupant, Piece, Report, Request, Run, Square};
use arbiterd_dgt::bus::{BusAddress, DgtBusDriver};
use arbiterd_dgt::host::{HostDecoder, HostItem};
use arbiterd_dgt::simulator::{BusLine, BusLineOptions, Options, PowerUp, Simulator};
use arbiterd_dgt::{DgtDriver, Transport};

use super::plan::Plan;

const ADDRESSES: [u16; 2] = [1025, 2050];

/// The far end of the line.
enum Far {
    Board(Box<Simulator>),
    Bus(Box<BusLine>),
}

impl Far {
    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        match self {
            Self::Board(board) => board.receive(now, bytes),
            Self::Bus(line) => line.receive(now, bytes),
        }
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        match self {
            Self::Board(board) => board.poll_transmit(),
            Self::Bus(line) => line.poll_transmit(),
        }
    }

    fn poll_timeout(&self) -> Option<Mono> {
        match self {
            Self::Board(board) => board.poll_timeout(),
            Self::Bus(line) => line.poll_timeout(),
        }
    }

    fn handle_timeout(&mut self, now: Mono) {
        match self {
            Self::Board(board) => board.handle_timeout(now),
            Self::Bus(line) => line.handle_timeout(now),
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
    far: Far,
    /// Reads what the driver says as a board would.
    ear: HostDecoder,
    now: Mono,
    /// Nothing passes the line.
    cut: bool,
    wakes: u32,
}

/// The most wake-ups in a tenth of a second of virtual time: a driver that asks for more spins.
const MOST_WAKES: u32 = 400;
const STEP: Duration = Duration::from_millis(100);
/// How many of them pass at once.
const STEPS: [u32; 4] = [1, 3, 10, 40];

impl<D: Driver> Conversation<D> {
    fn play(&mut self, plan: &mut Plan<'_>) {
        self.driver.reset(self.now);
        self.drain();
        while let Some(choice) = plan.byte() {
            self.choose(choice, plan);
        }
    }

    fn choose(&mut self, choice: u8, plan: &mut Plan<'_>) {
        match choice % 12 {
            step @ 0..=3 => self.pass(STEPS[usize::from(step)]),
            4 => {
                let bytes = plan.bytes(usize::from(choice / 12) + 1);
                self.driver.receive(self.now, bytes);
                self.drain();
            }
            5 => self.hand(plan),
            6 => self.ask(plan),
            7 => self.cut = !self.cut,
            8 => {
                self.driver.reset(self.now);
                self.drain();
            }
            9 => {
                let now = self.now;
                if let Some(board) = self.far.board(now, choice / 12) {
                    board.power_cycle(now);
                }
            }
            10 => {
                let now = self.now;
                let side = if choice & 1 == 0 { ClockSide::Left } else { ClockSide::Right };
                if let Some(board) = self.far.board(now, choice / 12) {
                    board.start(now);
                    board.press(now, side);
                }
            }
            // Late and early calls do no harm.
            _ => {
                self.driver.handle_timeout(self.now);
                self.drain();
            }
        }
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
        let _ = self.driver.request(self.now, channel, request);
        self.drain();
    }

    fn pass(&mut self, steps: u32) {
        for _ in 0..steps {
            self.wakes = 0;
            self.pass_until(self.now.after(STEP));
        }
    }

    fn pass_until(&mut self, end: Mono) {
        loop {
            let due = [self.driver.poll_timeout(), self.far.poll_timeout()].into_iter().flatten().min();
            let Some(due) = due.filter(|due| *due <= end) else { break };
            self.wakes += 1;
            assert!(self.wakes < MOST_WAKES, "wakes without end at {}", self.now);
            self.now = self.now.max(due);
            self.far.handle_timeout(self.now);
            self.driver.handle_timeout(self.now);
            self.drain();
        }
        self.now = end;
    }

    fn drain(&mut self) {
        for _ in 0..1000 {
            let mut quiet = true;
            while let Some((_, report)) = self.driver.poll_report() {
                self.check(&report);
            }
            while let Some(bytes) = self.driver.poll_transmit() {
                quiet = false;
                self.check_said(&bytes);
                if !self.cut {
                    self.far.receive(self.now, &bytes);
                }
            }
            while let Some(bytes) = self.far.poll_transmit() {
                quiet = false;
                if !self.cut {
                    self.driver.receive(self.now, &bytes);
                }
            }
            if quiet {
                return;
            }
        }
        panic!("the two talk without end at {}", self.now);
    }

    fn check(&self, report: &Report) {
        assert!(report.at.earliest <= report.at.latest, "{report:?}");
        assert!(report.at.latest <= self.now, "from the future: {report:?}");
    }

    /// Nothing but whole commands is ever said, and none that harms.
    fn check_said(&mut self, bytes: &[u8]) {
        self.ear.hear(self.now, bytes);
        while let Some(item) = self.ear.poll() {
            let fine = !matches!(item, HostItem::Harmful(_) | HostItem::Unknown(_) | HostItem::Broken(_));
            assert!(fine, "said {bytes:02x?}: {item:?}");
        }
    }
}

fn conversation<D: Driver>(driver: D, far: Far) -> Conversation<D> {
    Conversation { driver, far, ear: HostDecoder::new(), now: Mono::from_millis(5000), cut: false, wakes: 0 }
}

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
    conversation(DgtDriver::over(transport), far).play(&mut plan);
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
    conversation(driver, far).play(&mut plan);
}

/// The board's side: any host says anything.
pub fn dgt_host(data: &[u8]) {
    let mut plan = Plan(data);
    let Some(choice) = plan.byte() else { return };
    let mut now = Mono::from_millis(5000);
    let mut board = Simulator::new(now, options(choice, 1025));
    while let Some(step) = plan.byte() {
        let bytes = plan.bytes(usize::from(step % 32));
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
