// SPDX-License-Identifier: GPL-3.0-or-later
//! Millennium boards: the decoder, and the driver against a board that answers as the fuzzer likes.

use std::time::Duration;

use arbiterd_board::{
    Channel, Driver, Mono, Occupant, Piece, Placement, Report, ReportBody, Request, Sensing, Square,
};
use arbiterd_millennium::wire::{Command, Setting};
use arbiterd_millennium::{Decoder, Item, Message, MillenniumDriver, Text, Transport, encode};

use super::decoders::in_portions;
use super::duty::Duty;
use super::plan::Plan;

/// The first byte says how large the portions are, and what is expected; the rest is what a board
/// says.
pub fn millennium_decoder(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else { return };
    let size = usize::from(first >> 2).max(1);
    let [mut whole, mut portions] = [Decoder::new(), Decoder::new()];
    for decoder in [&mut whole, &mut portions] {
        decoder.expect_information(first & 1 != 0);
        decoder.expect_bare_version(first & 2 != 0);
    }
    let items = in_portions(bytes, bytes.len().max(1), |portion| whole.decode(portion));
    assert_eq!(items, in_portions(bytes, size, |portion| portions.decode(portion)), "portions matter");
    assert_eq!(whole.counters(), portions.counters());
    whole.abandon();
    let mut all = items;
    all.extend(in_portions(&[], 1, |portion| whole.decode(portion)));
    assert!(!whole.is_waiting(), "bytes are held after a pause");
    let left = whole.take_noise().map_or(0, |noise| u64::from(noise.bytes));
    let (mut good, mut noise) = (0, left);
    for item in &all {
        match item {
            Item::Message(message) => good += encode(message).len() as u64,
            Item::Noise(told) => noise += u64::from(told.bytes),
        }
    }
    let counters = whole.counters();
    assert_eq!(noise, counters.dropped_bytes, "noise told and noise counted");
    assert_eq!(counters.bytes, bytes.len() as u64);
    assert_eq!(good + noise, bytes.len() as u64, "bytes that are nowhere");
}

struct Conversation {
    driver: MillenniumDriver,
    now: Mono,
    /// What the board at the other end holds, shows and says of itself.
    registers: [u8; 16],
    placement: Placement,
    version: [u8; 2],
    text: Option<&'static str>,
    /// Questions are heard and not answered.
    mute: bool,
    duty: Duty,
    /// What stands by squares and boards; nothing while the link is down.
    stands: Option<Placement>,
    sensing: Option<Sensing>,
    /// What the driver was told last that registers hold; nothing is held against it once bytes by
    /// chance may have told it something else.
    told: [Option<u8>; 16],
    misled: bool,
}

const WAITS: [u64; 4] = [15, 41, 300, 2000];
/// All requests have had their last try by then.
const ALL_ANSWERED: Duration = Duration::from_secs(30);
const TEXTS: [Option<&str>; 4] = [None, Some("55mm"), Some("e-one"), Some("")];

/// The first byte says who the board is and how it is reached, the rest what happens.
pub fn millennium_driver(data: &[u8]) {
    let mut plan = Plan(data);
    let Some(first) = plan.byte() else { return };
    let transport = if first & 1 == 0 { Transport::Wired } else { Transport::Bluetooth };
    let mut registers = [0; 16];
    registers[1] = 0x14;
    let mut talk = Conversation {
        driver: MillenniumDriver::over(transport),
        now: Mono::from_millis(1000),
        registers,
        placement: Placement::EMPTY,
        version: [first >> 6, first & 0x10],
        text: TEXTS[usize::from(first >> 1) % TEXTS.len()],
        mute: false,
        duty: Duty::default(),
        stands: None,
        sensing: None,
        told: [None; 16],
        misled: false,
    };
    talk.play(&mut plan);
}

impl Conversation {
    fn play(&mut self, plan: &mut Plan<'_>) {
        self.reset();
        while let Some(choice) = plan.byte() {
            let more = choice / 12;
            match choice % 12 {
                step @ 0..=3 => self.pass(Duration::from_millis(WAITS[usize::from(step)])),
                4 => {
                    self.misled = true;
                    self.hear(plan.bytes(usize::from(more) + 1));
                }
                5 => self.show(plan),
                6 => self.ask(more, plan),
                7 => self.mute = !self.mute,
                8 => self.reset(),
                9 => self.joined(plan),
                10 => {
                    let (Some(address), Some(value)) = (plan.byte(), plan.byte()) else { continue };
                    self.registers[usize::from(address % 16)] = value;
                }
                // A machine that was suspended: deadlines pass and nobody looks.
                _ => {
                    self.now = self.now.after(Duration::from_millis(100 * u64::from(more) * u64::from(more)));
                    self.wake();
                }
            }
        }
        let end = self.now.after(ALL_ANSWERED);
        while self.duty.open() > 0 && self.now < end {
            self.pass(Duration::from_secs(1));
        }
        self.duty.assert_all_answered("never answered");
    }

    fn reset(&mut self) {
        self.driver.reset(self.now);
        self.said_after(0);
        self.duty.assert_all_answered("a new conversation owes answers of the old one");
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.driver.receive(self.now, bytes);
        self.said_after(bytes.len());
    }

    /// Something is put somewhere, and the board tells it.
    fn show(&mut self, plan: &mut Plan<'_>) {
        let (Some(place), Some(what)) = (plan.byte(), plan.byte()) else { return };
        if let Some(square) = Square::new(place % 64) {
            let letters = ['P', 'K', 'r', 'q'];
            let piece = letters.get(usize::from(what % 6)).copied().and_then(Piece::from_letter);
            self.placement[square] = piece.map_or(Occupant::Empty, Occupant::Piece);
        }
        let status = encode(&Message::Status(self.placement));
        self.hear(&status);
    }

    /// The head of a frame and the tail of another, which fit or do not.
    fn joined(&mut self, plan: &mut Plan<'_>) {
        let Some(cut) = plan.byte() else { return };
        let before = encode(&Message::Status(self.placement));
        self.placement = self.placement.rotated();
        let after = encode(&Message::Status(self.placement));
        let cut = usize::from(cut) % before.len();
        self.hear(&[&before[..cut], &after[cut..]].concat());
    }

    fn ask(&mut self, what: u8, plan: &mut Plan<'_>) {
        let squares: Vec<Square> =
            plan.bytes(usize::from(what % 4)).iter().filter_map(|b| Square::new(b % 64)).collect();
        let request = match what % 8 {
            0 => Request::ReadBoard,
            1 => Request::ReadClock,
            _ => Request::Light(squares),
        };
        // Being refused is an answer too.
        if let Ok(id) = self.driver.request(self.now, Channel(0), request) {
            self.duty.asked(id);
        }
        self.said_after(0);
    }

    fn pass(&mut self, by: Duration) {
        let end = self.now.after(by);
        while let Some(due) = self.driver.poll_timeout().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.duty.wakes(self.now);
            self.wake();
        }
        self.now = end;
    }

    fn wake(&mut self) {
        self.driver.handle_timeout(self.now);
        self.said_after(0);
        Duty::assert_goes_on(self.now, &self.driver);
    }

    /// Takes what the driver tells and says after one call, which is little, and answers it.
    fn said_after(&mut self, heard: usize) {
        let mut heard = heard;
        // A question for each answer, and an end: what is asked is answered at once.
        for _ in 0..100 {
            let most = 200 + 70 * heard + 2 * self.duty.open();
            let mut reports = 0;
            while let Some((channel, report)) = self.driver.poll_report() {
                assert_eq!(channel, Channel(0));
                self.check(&report);
                reports += 1;
            }
            assert!(reports <= most, "{reports} reports after {heard} bytes");
            let Some(said) = self.driver.poll_transmit() else { return };
            assert_eq!(self.driver.poll_transmit(), None, "two commands at a time");
            heard = match self.answer(&said) {
                Some(answer) if !self.mute => {
                    self.driver.receive(self.now, &answer);
                    answer.len()
                }
                _ => 0,
            };
        }
        panic!("the two talk without end at {}", self.now);
    }

    fn answer(&mut self, said: &[u8]) -> Option<Vec<u8>> {
        let bare = [Command::Version, Command::Write(Setting::BlockParity)];
        let Some(command) = Command::from_frame(said) else {
            assert!(bare.iter().any(|command| command.encode_bare() == said), "said {said:02x?}");
            return None;
        };
        let message = match command {
            Command::Version => {
                let [main, sub] = self.version;
                Message::Version(arbiterd_board::Version { main, sub })
            }
            Command::Status => Message::Status(self.placement),
            Command::Lights(lights) => {
                assert!(!lights.are_dark(), "all dark is a command of its own");
                Message::LightsSet
            }
            Command::LightsOff => Message::LightsOff,
            Command::Read(register) => {
                let address = register.address();
                if !self.mute {
                    self.told[usize::from(address)] = Some(self.registers[usize::from(address)]);
                }
                Message::Register { address, value: self.registers[usize::from(address)] }
            }
            Command::Write(setting) => {
                let (address, value) = (setting.register().address(), setting.value());
                let told = self.told[usize::from(address)];
                assert!(self.misled || told.is_some_and(|told| told != value), "written for nothing");
                // One that keeps what it has, sometimes.
                if self.version[1] == 0 {
                    self.registers[usize::from(address)] = value;
                }
                Message::Written { address, value }
            }
            Command::Information => Message::Information { page: 0, text: Text::new(self.text?) },
            Command::Reset | Command::Dump => panic!("not to be said: {command:?}"),
        };
        Some(encode(&message))
    }

    fn check(&mut self, report: &Report) {
        self.duty.told(self.now, report);
        match &report.body {
            ReportBody::Board { placement, confirmed } => {
                assert!(confirmed);
                assert_eq!(self.stands.get_or_insert(*placement), placement, "no square told it");
            }
            ReportBody::Square { square, occupant } => {
                let stands = self.stands.as_mut().unwrap_or_else(|| panic!("no board yet: {report:?}"));
                assert_ne!(stands[*square], *occupant, "no change");
                stands[*square] = *occupant;
            }
            // A newer board that says late who it is is seen anew, with pieces for what it had told.
            ReportBody::Capabilities(capabilities) if self.sensing != Some(capabilities.sensing) => {
                self.sensing = Some(capabilities.sensing);
                self.stands = None;
            }
            ReportBody::Link(_) => self.stands = None,
            _ => {}
        }
    }
}
