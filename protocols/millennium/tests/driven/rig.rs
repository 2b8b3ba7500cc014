// SPDX-License-Identifier: MIT OR Apache-2.0
//! A driver and a simulated board on a line that takes its time, all of it virtual.

use core::time::Duration;
use std::collections::VecDeque;

use arbiterd_board::simulator::{Chance, Device as _};
use arbiterd_board::{
    Driver, LinkState, Mono, Occupant, Placement, Report, ReportBody, Request, RequestId, Sensing, Square,
};
use arbiterd_millennium::simulator::{Fault, Model, Options, Simulator};
use arbiterd_millennium::wire::{Cable, LINE};
use arbiterd_millennium::{MillenniumDriver, Transport};

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

pub const MODELS: [Model; 8] = Model::ALL;
pub const TRANSPORTS: [Transport; 2] = [Transport::Wired, Transport::Bluetooth];

/// How the bytes of one direction travel: in portions of so many bytes at most, each up to so late.
/// None overtakes another.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub portion: u64,
    pub latest: Duration,
}

impl Way {
    /// What the driver says it allows for, used to the full: a packet of USB and its latency, or
    /// a radio that has to say some of it again.
    pub const fn of(transport: Transport) -> Self {
        match transport {
            Transport::Wired => Self { portion: 62, latest: Duration::from_millis(16) },
            Transport::Bluetooth => Self { portion: 20, latest: Duration::from_millis(300) },
        }
    }

    /// As fast as the line itself.
    pub const PROMPT: Self = Self { portion: 255, latest: Duration::ZERO };
}

/// A hand has changed a square, in the board's own squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deed {
    pub at: Mono,
    pub square: Square,
    pub occupant: Occupant,
}

/// A report, and when it was told.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    pub at: Mono,
    pub report: Report,
}

pub struct Rig {
    pub now: Mono,
    pub driver: MillenniumDriver,
    pub board: Simulator,
    pub model: Model,
    pub transport: Transport,
    pub way: Way,
    sensing: Sensing,
    cable: Cable,
    chance: Chance,
    to_host: VecDeque<(Mono, Vec<u8>)>,
    to_board: VecDeque<(Mono, Vec<u8>)>,
    /// What stood on the board at first, and what hands did then.
    first: Placement,
    pub deeds: Vec<Deed>,
    pub told: Vec<Told>,
}

impl Rig {
    /// A board with the pieces of the initial position, switched on a while before the line is opened.
    pub fn new(model: Model, transport: Transport, seed: u64) -> Self {
        Self::with(model, transport, seed, |_| {})
    }

    /// The same with other options.
    pub fn with(model: Model, transport: Transport, seed: u64, change: impl FnOnce(&mut Options)) -> Self {
        let mut options =
            Options { placement: START.parse().unwrap(), paced: true, seed, ..Options::of(model) };
        change(&mut options);
        let mut chance = Chance::new(seed);
        let opened = Mono::from_millis(1000).after(chance.up_to(Duration::from_millis(100)));
        let (sensing, cable, first) = (options.sensing, options.cable, options.placement);
        let mut rig = Self {
            now: opened,
            driver: MillenniumDriver::over(transport),
            board: Simulator::new(Mono::ZERO, options),
            model,
            transport,
            way: Way::of(transport),
            sensing,
            cable,
            chance,
            to_host: VecDeque::new(),
            to_board: VecDeque::new(),
            first,
            deeds: Vec::new(),
            told: Vec::new(),
        };
        rig.board.handle_timeout(opened);
        rig.forget();
        rig.driver.reset(opened);
        rig.settle();
        rig
    }

    // ----- time ---------------------------------------------------------------------------

    /// Lets so much time pass; whatever is due meanwhile happens at its own time.
    pub fn pass(&mut self, time: Duration) {
        let end = self.now.after(time);
        while let Some(due) = self.due().filter(|due| *due <= end) {
            assert!(due >= self.now, "a deadline that is past: {due} at {}", self.now);
            self.now = due;
            self.happen();
        }
        self.now = end;
    }

    pub fn pass_ms(&mut self, millis: u64) {
        self.pass(Duration::from_millis(millis));
    }

    fn due(&self) -> Option<Mono> {
        let first = |queue: &VecDeque<(Mono, Vec<u8>)>| queue.front().map(|(at, _)| *at);
        let dues = [
            self.driver.poll_timeout(),
            self.board.poll_timeout(),
            first(&self.to_host),
            first(&self.to_board),
        ];
        dues.into_iter().flatten().min()
    }

    fn happen(&mut self) {
        let now = self.now;
        self.board.handle_timeout(now);
        self.settle();
        while let Some((_, bytes)) = self.to_board.pop_front_if(|(at, _)| *at <= now) {
            self.board.receive(now, &bytes);
            self.settle();
        }
        while let Some((_, bytes)) = self.to_host.pop_front_if(|(at, _)| *at <= now) {
            self.driver.receive(now, &bytes);
            self.settle();
        }
        self.driver.handle_timeout(now);
        self.settle();
    }

    /// Puts on their way what both have said, and notes what was told.
    fn settle(&mut self) {
        while let Some(bytes) = self.board.poll_transmit() {
            let portion = usize::try_from(1 + self.chance.below(self.way.portion)).unwrap();
            let mut begins = self.now;
            for bytes in bytes.chunks(portion) {
                begins = begins.after(LINE.duration(bytes.len()));
                let at = arrival(&self.to_host, begins.after(self.chance.up_to(self.way.latest)));
                self.to_host.push_back((at, bytes.to_vec()));
            }
        }
        while let Some(bytes) = self.driver.poll_transmit() {
            let whole = self.now.after(LINE.duration(bytes.len()));
            let at = arrival(&self.to_board, whole.after(self.chance.up_to(self.way.latest)));
            self.to_board.push_back((at, bytes));
        }
        while let Some((_, report)) = self.driver.poll_report() {
            assert!(report.at.latest <= self.now, "from the future at {}: {report:?}", self.now);
            self.told.push(Told { at: self.now, report });
        }
    }

    /// Nothing that is on its way arrives.
    fn forget(&mut self) {
        while self.board.poll_transmit().is_some() {}
        self.to_host.clear();
        self.to_board.clear();
    }

    // ----- what happens -------------------------------------------------------------------

    /// A hand changes a square.
    pub fn put(&mut self, square: Square, occupant: Occupant) {
        self.board.replace(self.now, square, occupant);
        self.deeds.push(Deed { at: self.now, square, occupant });
        self.settle();
    }

    /// The same in words: `e2` lifts, `e4P` sets.
    pub fn act(&mut self, words: &str) {
        let (square, letter) = words.split_at(2);
        let occupant = letter.chars().next().map_or(Occupant::Empty, |l| Occupant::from_letter(l).unwrap());
        self.put(square.parse().unwrap(), occupant);
    }

    /// Some acts, each after so many milliseconds.
    pub fn acts(&mut self, millis: u64, words: &str) {
        for act in words.split_whitespace() {
            self.pass_ms(millis);
            self.act(act);
        }
        self.pass_ms(millis);
    }

    pub fn inject(&mut self, text: &str) {
        self.board.inject(self.now, text.parse::<Fault>().unwrap());
        self.settle();
    }

    /// The plug is pulled for so long; the host closes the port and opens it again.
    pub fn replug(&mut self, millis: u64, meanwhile: &str) {
        self.inject("unplug");
        self.forget();
        // Nobody calls the driver while its port is gone.
        for act in meanwhile.split_whitespace() {
            self.act(act);
        }
        self.now = self.now.after(Duration::from_millis(millis));
        self.board.power_cycle(self.now);
        self.forget();
        self.driver.reset(self.now);
        self.settle();
    }

    pub fn ask(&mut self, request: Request) -> RequestId {
        let id = self.driver.request(self.now, arbiterd_board::Channel(0), request).unwrap();
        self.settle();
        id
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.chance.below(limit)
    }

    // ----- what was told ------------------------------------------------------------------

    /// Runs until the board was told, and until nothing is set up any more.
    pub fn start(&mut self) {
        let begun = self.now;
        while !self.told.iter().any(|told| matches!(told.report.body, ReportBody::Board { .. })) {
            self.pass_ms(10);
            assert!(self.now.since(begun) < Duration::from_secs(60), "never told: {:?}", self.model);
        }
        self.pass_ms(12_000);
    }

    /// What the driver makes of what stands there: its squares are those of a cable on the left.
    pub fn shown(&self, square: Square, occupant: Occupant) -> (Square, Occupant) {
        let square = if self.cable == Cable::Right { square.rotated() } else { square };
        (square, if self.sensing == Sensing::Occupancy { unidentified(occupant) } else { occupant })
    }

    /// What stood on the board from when on, as the driver would show it.
    pub fn history(&self) -> Vec<(Mono, Placement)> {
        let mut stands = Placement::EMPTY;
        for square in Square::all() {
            let (square, occupant) = self.shown(square, self.first[square]);
            stands[square] = occupant;
        }
        let mut all = vec![(Mono::ZERO, stands)];
        for deed in &self.deeds {
            let (square, occupant) = self.shown(deed.square, deed.occupant);
            stands[square] = occupant;
            all.push((deed.at, stands));
        }
        all
    }

    pub fn stands(&self) -> Placement {
        self.history().last().unwrap().1
    }

    pub fn squares(&self) -> Vec<(Square, Occupant)> {
        self.told
            .iter()
            .filter_map(|told| match told.report.body {
                ReportBody::Square { square, occupant } => Some((square, occupant)),
                _ => None,
            })
            .collect()
    }

    pub fn last_board(&self) -> Option<Placement> {
        self.told.iter().rev().find_map(|told| match told.report.body {
            ReportBody::Board { placement, .. } => Some(placement),
            _ => None,
        })
    }

    pub fn links(&self) -> Vec<LinkState> {
        self.told
            .iter()
            .filter_map(|told| match told.report.body {
                ReportBody::Link(state) => Some(state),
                _ => None,
            })
            .collect()
    }

    // ----- what holds ---------------------------------------------------------------------

    /// Each square that was told was changed by a hand to what is told, and at a moment that lies within
    /// the stamp; each board stood there at a moment within its stamp.
    pub fn assert_true(&self) {
        let history = self.history();
        let mut sensing = self.sensing;
        for told in &self.told {
            let at = told.report.at;
            let as_sensed =
                |occupant| if sensing == Sensing::Occupancy { unidentified(occupant) } else { occupant };
            match &told.report.body {
                // A newer board of which no page came through is taken for one that knows no pieces.
                ReportBody::Capabilities(capabilities) => sensing = capabilities.sensing,
                ReportBody::Square { square, occupant } => {
                    let acted = |deed: &&Deed| {
                        let (shown, holds) = self.shown(deed.square, deed.occupant);
                        (shown, as_sensed(holds)) == (*square, *occupant)
                            && at.earliest <= deed.at
                            && deed.at <= at.latest
                    };
                    assert!(
                        self.deeds.iter().any(|deed| acted(&deed)),
                        "no hand did that then: {square} {occupant:?}, {} to {}, told {}; hands: {:?}",
                        at.earliest,
                        at.latest,
                        told.at,
                        self.deeds_at(*square),
                    );
                }
                ReportBody::Board { placement, .. } => {
                    let stood = history.iter().enumerate().any(|(n, (from, stood))| {
                        let until = history.get(n + 1).map_or(Mono::from_micros(u64::MAX), |next| next.0);
                        let shows = Square::all().all(|square| as_sensed(stood[square]) == placement[square]);
                        shows && *from <= at.latest && at.earliest <= until
                    });
                    assert!(stood, "{placement} did not stand from {} to {}", at.earliest, at.latest);
                }
                _ => {}
            }
        }
    }

    fn deeds_at(&self, square: Square) -> Vec<String> {
        let of = |deed: &&Deed| self.shown(deed.square, deed.occupant).0 == square;
        self.deeds.iter().filter(of).map(|deed| format!("{} {:?}", deed.at, deed.occupant)).collect()
    }

    /// What hands did that the board can see: one that only sees whether something stands there sees no
    /// exchange.
    fn visible(&self) -> Vec<(Mono, Square, Occupant)> {
        let (mut stands, mut all) = (self.history().swap_remove(0).1, Vec::new());
        for deed in &self.deeds {
            let (square, occupant) = self.shown(deed.square, deed.occupant);
            if core::mem::replace(&mut stands[square], occupant) != occupant {
                all.push((deed.at, square, occupant));
            }
        }
        all
    }

    /// Every change of every hand was told, once and in its order.
    pub fn assert_complete(&self) {
        let wanted: Vec<_> =
            self.visible().into_iter().map(|(_, square, occupant)| (square, occupant)).collect();
        assert_eq!(self.squares(), wanted, "{:?} {:?}", self.model, self.transport);
    }

    /// The longest time from what a hand did to the report of it, where all was told.
    pub fn worst_lag(&self) -> Duration {
        self.assert_complete();
        let squares = self.told.iter().filter(|told| matches!(told.report.body, ReportBody::Square { .. }));
        let lags = self.visible().into_iter().zip(squares).map(|((at, ..), told)| told.at.since(at));
        lags.max().unwrap_or_default()
    }
}

/// Nothing overtakes what is on its way.
fn arrival(queue: &VecDeque<(Mono, Vec<u8>)>, at: Mono) -> Mono {
    queue.back().map_or(at, |(last, _)| at.max(*last))
}

fn unidentified(occupant: Occupant) -> Occupant {
    if occupant == Occupant::Empty { occupant } else { Occupant::Unidentified }
}
