// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several boards on one line (topic: bus mode).
//!
//! All hear the host; their transmitters are joined so that a low level wins. When two speak at
//! once the host reads the conjunction of their bytes, which is what "wired-or" means on a line
//! that idles high. Time on the line is counted in bytes of 9600 baud, and a byte counts when it
//! is complete. So bytes are given out at their own time, and a shell adds no pace of its own.
//!
//! Faults are those of the boards, which are pulled off the line one by one; [`BusLine::unplug`]
//! pulls the line off the host.

use std::collections::{BTreeMap, VecDeque};

use arbiterd_board::simulator::Device;
use arbiterd_board::{LineSettings, Mono};

use super::{Options, PowerUp, Simulator};
use crate::wire::LINE;

/// So many boards fit on a line here; a venue should have twelve at most.
pub const MOST_BOARDS: usize = 32;

/// What the line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BusLineOptions {
    /// The host's adapter has one pair of wires for both directions and hears what it says.
    pub echo: bool,
    /// What chance begins with; each board gets a seed of its own from it.
    pub seed: u64,
}

/// The line cannot be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BusLineError {
    /// More boards than a line can carry.
    #[error("a line carries {MOST_BOARDS} boards, not {0}: use a second line")]
    TooMany(usize),
    /// There is nothing on it.
    #[error("a line without a board: name at least one")]
    Empty,
}

#[derive(Clone, Debug)]
struct OnLine {
    board: Simulator,
    /// The first byte of the line that this board's transmitter is free for.
    next: u64,
}

/// Boards on one line.
#[derive(Clone, Debug)]
pub struct BusLine {
    boards: Vec<OnLine>,
    echo: bool,
    now: Mono,
    /// Bytes of the host on their way, with the moment at which each is complete.
    from_host: VecDeque<(Mono, u8)>,
    /// The first byte of the line that the host's transmitter is free for.
    host_next: u64,
    /// What the host will read, by the number of the byte on the line.
    to_host: BTreeMap<u64, u8>,
    given: VecDeque<Vec<u8>>,
    unplugged: bool,
}

/// So many bytes of the host wait for their time on the line; further ones are lost, as a host
/// that writes them without listening has lost its boards anyway.
const MOST_WAITING: usize = 4096;

/// Bytes on the line are numbered from the origin of time; each takes 3125/3 microseconds.
const BYTES: u64 = 3;
const MICROS: u64 = 3125;

/// The first byte that begins at `at` or later.
const fn first_byte_from(at: Mono) -> u64 {
    at.as_micros().saturating_mul(BYTES).div_ceil(MICROS)
}

/// When a byte is complete.
const fn end_of(byte: u64) -> Mono {
    Mono::from_micros(byte.saturating_add(1).saturating_mul(MICROS).div_ceil(BYTES))
}

/// Its bytes are given out at their own time, so that a shell adds no pace.
impl Device for BusLine {
    fn line_settings(&self) -> LineSettings {
        LINE
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        self.advance(now);
        if self.unplugged {
            return;
        }
        let room = MOST_WAITING.saturating_sub(self.from_host.len());
        for byte in bytes.iter().take(room) {
            let number = first_byte_from(now).max(self.host_next);
            self.host_next = number.saturating_add(1);
            self.from_host.push_back((end_of(number), *byte));
            if self.echo {
                self.join(number, *byte);
            }
        }
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.given.pop_front()
    }

    fn poll_timeout(&self) -> Option<Mono> {
        let complete = self.to_host.keys().next().map(|number| end_of(*number));
        [self.next_step(), complete].into_iter().flatten().min()
    }

    fn handle_timeout(&mut self, now: Mono) {
        self.advance(now);
    }
}

impl BusLine {
    /// Boards that are switched on at `now`, in bus mode.
    ///
    /// # Errors
    /// [`BusLineError`].
    pub fn new(now: Mono, line: BusLineOptions, boards: Vec<Options>) -> Result<Self, BusLineError> {
        match boards.len() {
            0 => return Err(BusLineError::Empty),
            1..=MOST_BOARDS => {}
            many => return Err(BusLineError::TooMany(many)),
        }
        let on_line = |(index, options): (u64, Options)| {
            let seed = options.seed ^ line.seed.wrapping_add(index);
            let options = Options { power_up: PowerUp::Bus, paced: true, seed, ..options };
            OnLine { board: Simulator::new(now, options), next: 0 }
        };
        Ok(Self {
            boards: (0..).zip(boards).map(on_line).collect(),
            echo: line.echo,
            now,
            from_host: VecDeque::new(),
            host_next: 0,
            to_host: BTreeMap::new(),
            given: VecDeque::new(),
            unplugged: false,
        })
    }

    /// The addresses of the boards, in the order in which they were given.
    #[must_use]
    pub fn addresses(&self) -> Vec<u16> {
        self.boards.iter().map(|on_line| on_line.board.address()).collect()
    }

    /// The board with this address, as it is at `now`: its hands, its clock and its faults. If two
    /// have the same, the first.
    pub fn board(&mut self, now: Mono, address: u16) -> Option<&mut Simulator> {
        self.advance(now);
        self.boards.iter_mut().map(|on_line| &mut on_line.board).find(|board| board.address() == address)
    }

    /// The board with this number in the order in which they were given, counted from zero.
    pub fn board_number(&mut self, now: Mono, number: usize) -> Option<&mut Simulator> {
        self.advance(now);
        self.boards.get_mut(number).map(|on_line| &mut on_line.board)
    }

    /// The line is pulled off the host.
    pub fn unplug(&mut self, now: Mono) {
        self.advance(now);
        self.unplugged = true;
    }

    /// The line was pulled off the host: whoever owns it closes it.
    #[must_use]
    pub const fn is_unplugged(&self) -> bool {
        self.unplugged
    }

    // ----- the line -----------------------------------------------------------------------

    fn next_step(&self) -> Option<Mono> {
        let boards = self.boards.iter().filter_map(|on_line| on_line.board.poll_timeout());
        // A fault may have let a board say something since the last step.
        let said = self.boards.iter().any(|on_line| on_line.board.has_transmission()).then_some(self.now);
        boards.chain(said).chain(self.from_host.front().map(|(at, _)| *at)).min()
    }

    fn advance(&mut self, now: Mono) {
        while let Some(at) = self.next_step().filter(|at| *at <= now) {
            self.step(at.max(self.now));
        }
        self.step(now.max(self.now));
        self.give();
    }

    fn step(&mut self, now: Mono) {
        self.now = now;
        for on_line in &mut self.boards {
            on_line.board.handle_timeout(now);
        }
        while let Some((_, byte)) = self.from_host.pop_front_if(|(at, _)| *at <= now) {
            for on_line in &mut self.boards {
                on_line.board.receive(now, &[byte]);
            }
        }
        self.collect();
    }

    /// Puts what boards say onto the line.
    fn collect(&mut self) {
        let mut said = Vec::new();
        for on_line in &mut self.boards {
            while let Some((at, bytes)) = on_line.board.poll_transmission() {
                for byte in bytes {
                    let number = first_byte_from(at).max(on_line.next);
                    on_line.next = number.saturating_add(1);
                    said.push((number, byte));
                }
            }
        }
        for (number, byte) in said {
            self.join(number, byte);
        }
    }

    /// A low level wins.
    fn join(&mut self, number: u64, byte: u8) {
        self.to_host.entry(number).and_modify(|on_line| *on_line &= byte).or_insert(byte);
    }

    /// Gives the host what is complete.
    fn give(&mut self) {
        let mut complete = Vec::new();
        while let Some(entry) = self.to_host.first_entry().filter(|entry| end_of(*entry.key()) <= self.now) {
            complete.push(entry.remove());
        }
        if !complete.is_empty() && !self.unplugged {
            self.given.push_back(complete);
        }
    }
}
