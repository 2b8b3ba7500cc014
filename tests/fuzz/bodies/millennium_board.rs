// SPDX-License-Identifier: GPL-3.0-or-later
//! A simulated Millennium board against a host that says anything, and hands that do anything.

use std::time::Duration;

use arbiterd_board::simulator::Device as _;
use arbiterd_board::{Mono, Occupant, Piece, Placement, Square};
use arbiterd_millennium::host::{HostDecoder, HostItem};
use arbiterd_millennium::simulator::{Fault, Model, Options, Simulator};
use arbiterd_millennium::wire::Cable;
use arbiterd_millennium::{Decoder, Item, Message};

use super::plan::Plan;

const MODELS: [Model; 8] = Model::ALL;
/// Commands without their checks; register and value are chosen.
const COMMANDS: [&str; 8] = ["V", "S", "X", "I00", "G", "R", "W", "T"];
/// Timed reports come at most every 4.096 ms and scans every 30.72 ms, and an answer may come after each
/// of what the host says.
const MOST_WAKES: u64 = 300;
/// A restart takes three seconds, a scan half a second at most.
const ALL_QUIET: Duration = Duration::from_secs(6);
/// How much more a board says than it hears: a status for three bytes.
const MOST_FOR_A_BYTE: usize = 70;

struct Bench {
    model: Model,
    cable: Cable,
    /// The same board twice: one hears in portions, one byte by byte.
    boards: [Simulator; 2],
    ears: [HostDecoder; 2],
    /// Reads what the board says as a host would.
    host: Decoder,
    now: Mono,
    status: Option<Placement>,
}

/// The first byte says which board it is, the rest what happens.
pub fn millennium_host(data: &[u8]) {
    let mut plan = Plan(data);
    let Some(first) = plan.byte() else { return };
    let model = MODELS[usize::from(first % 8)];
    let cable = if first & 8 == 0 { Cable::Left } else { Cable::Right };
    let board = Simulator::new(Mono::ZERO, Options { cable, seed: 1, ..Options::of(model) });
    let mut ears = [HostDecoder::new(), HostDecoder::new()];
    ears.iter_mut().for_each(|ear| ear.expect_bare(first & 16 != 0));
    let mut host = Decoder::new();
    host.expect_information(true);
    let boards = [board.clone(), board];
    let mut bench = Bench { model, cable, boards, ears, host, now: Mono::ZERO, status: None };
    while let Some(choice) = plan.byte() {
        bench.choose(choice, &mut plan);
    }
    bench.end();
}

impl Bench {
    fn choose(&mut self, choice: u8, plan: &mut Plan<'_>) {
        let more = choice / 8;
        match choice % 8 {
            0 => self.hear(plan.bytes(usize::from(more) + 1)),
            1 | 2 => self.command(plan),
            3 => self.pass(Duration::from_millis(u64::from(more) * 8)),
            4 => self.pass(Duration::from_millis(u64::from(more) * 200)),
            5 => self.hand(plan),
            6 if more == 0 => {
                let now = self.now;
                self.boards.iter_mut().for_each(|board| board.power_cycle(now));
                self.said(0);
            }
            _ => self.leave(more, plan.byte().unwrap_or(0)),
        }
    }

    fn hear(&mut self, bytes: &[u8]) {
        let [whole, bytewise] = &mut self.ears;
        whole.hear(self.now, bytes);
        bytes.iter().for_each(|byte| bytewise.hear(self.now, &[*byte]));
        let items = heard(whole);
        assert_eq!(items, heard(bytewise), "portions matter");
        assert!(items.len() <= bytes.len() + 1, "{items:?} of {bytes:02x?}");
        let [whole, bytewise] = &mut self.boards;
        whole.receive(self.now, bytes);
        bytes.iter().for_each(|byte| bytewise.receive(self.now, &[*byte]));
        self.said(MOST_FOR_A_BYTE * bytes.len());
    }

    /// A command with right checks.
    fn command(&mut self, plan: &mut Plan<'_>) {
        let command = COMMANDS[usize::from(plan.byte().unwrap_or(0)) % COMMANDS.len()];
        let values = match command {
            "R" => plan.bytes(1),
            "W" => plan.bytes(2),
            _ => &[],
        };
        let mut text = command.to_owned();
        values.iter().for_each(|value| text += &format!("{value:02X}"));
        self.hear(&framed(&text));
    }

    fn hand(&mut self, plan: &mut Plan<'_>) {
        let square = Square::new(plan.byte().unwrap_or(0) % 64).unwrap();
        let letters = b"..PNBRQKpnbrqk?.";
        let letter = char::from(letters[usize::from(plan.byte().unwrap_or(0)) % letters.len()]);
        let occupant = match letter {
            '?' => Occupant::Unidentified,
            letter => Piece::from_letter(letter).map_or(Occupant::Empty, Occupant::Piece),
        };
        for board in &mut self.boards {
            board.replace(self.now, square, occupant);
        }
        self.said(0);
    }

    /// Another program has left this in a register.
    fn leave(&mut self, address: u8, value: u8) {
        let fault = Fault::Register(address % 8, value);
        self.boards.iter_mut().for_each(|board| board.inject(self.now, fault));
        self.said(0);
    }

    /// Lets time pass; one board is woken when it asks, the other only at the end.
    fn pass(&mut self, time: Duration) {
        let end = self.now.after(time);
        let mut wakes = 0;
        while let Some(due) = self.boards[0].poll_timeout().filter(|due| *due <= end) {
            assert!(due >= self.now, "a deadline that is past");
            self.now = due;
            self.boards[0].handle_timeout(due);
            assert!(self.boards[0].poll_timeout().is_none_or(|next| next > due), "a wake-up for nothing");
            wakes += 1;
        }
        let most = MOST_WAKES * (time.as_secs() + 1);
        assert!(wakes <= most, "{wakes} wake-ups in {time:?}");
        self.now = end;
        self.boards.iter_mut().for_each(|board| board.handle_timeout(end));
        self.said(usize::try_from(most).unwrap() * MOST_FOR_A_BYTE);
    }

    /// Both have said the same, in whole messages, and no more than this and a report.
    fn said(&mut self, most: usize) {
        let [whole, bytewise] = &mut self.boards;
        let mut said = 0;
        loop {
            let message = whole.poll_transmit();
            assert_eq!(message, bytewise.poll_transmit(), "portions or wake-ups matter");
            let Some(message) = message else { break };
            said += message.len();
            let mut rest = message.as_slice();
            while let Some(item) = self.host.decode(&mut rest) {
                match item {
                    Item::Message(Message::Status(placement)) => self.status = Some(placement),
                    Item::Message(_) => {}
                    Item::Noise(noise) => panic!("{noise:?} in {message:02x?}"),
                }
            }
            assert!(!self.host.is_waiting(), "half a message: {message:02x?}");
        }
        assert!(said <= most + MOST_FOR_A_BYTE, "{said} bytes, not {most}");
        assert!(whole.misuses().len() <= 64);
    }

    /// Whatever happened, a board that is asked tells what stands on it.
    fn end(&mut self) {
        self.pass(ALL_QUIET);
        self.status = None;
        self.hear(&framed("S"));
        self.pass(Duration::from_millis(20));
        // Letters of an eONE are its guesses, and its options hide and turn what stands there.
        if self.model == Model::EOne {
            assert!(self.status.is_some());
            return;
        }
        let mut stands = *self.boards[0].placement();
        for square in Square::all() {
            if !matches!(stands[square], Occupant::Empty | Occupant::Piece(_)) {
                stands[square] = Occupant::Unidentified;
            }
        }
        let shown = if self.cable == Cable::Right { stands.rotated() } else { stands };
        assert_eq!(self.status, Some(shown));
    }
}

fn heard(ear: &mut HostDecoder) -> Vec<HostItem> {
    core::iter::from_fn(|| ear.poll()).collect()
}

/// With block parity and byte parity, as the protocol describes them.
fn framed(text: &str) -> Vec<u8> {
    let check = text.bytes().fold(0, |check, byte| check ^ byte);
    let odd = |byte: u8| if byte.count_ones().is_multiple_of(2) { byte | 0x80 } else { byte };
    format!("{text}{check:02X}").bytes().map(odd).collect()
}
