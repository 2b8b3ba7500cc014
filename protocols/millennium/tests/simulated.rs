// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoder and the simulated board, which know nothing of each other: what the one says the
//! other understands, and a line that spoils bytes makes no status that was never sent.
#![allow(clippy::unwrap_used, reason = "a panic here is a failed test")]

use core::time::Duration;

use arbiterd_board::simulator::Device;
use arbiterd_board::{Mono, Occupant, Placement, Square};
use arbiterd_millennium::simulator::{Fault, Model, Options, Simulator};
use arbiterd_millennium::wire::Cable;
use arbiterd_millennium::{ByteParity, Decoder, Item, Message};
use proptest::prelude::*;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// The time of one scan.
const SCAN: Duration = Duration::from_micros(40_960);

struct Table {
    board: Simulator,
    decoder: Decoder,
    now: Mono,
    /// What scans saw, in the order of the board's hardware.
    sent: Vec<Placement>,
    heard: Vec<Placement>,
}

impl Table {
    fn new(options: Options) -> Self {
        let board = Simulator::new(Mono::ZERO, Options { placement: START.parse().unwrap(), ..options });
        Self { board, decoder: Decoder::new(), now: Mono::ZERO, sent: Vec::new(), heard: Vec::new() }
    }

    /// One scan, and what it says in portions of so many bytes.
    fn scan(&mut self, portion: usize) {
        self.now = self.now.after(SCAN);
        self.board.handle_timeout(self.now);
        let seen = self.board.seen();
        self.sent.push(if self.board.cable() == Cable::Right { seen.rotated() } else { seen });
        while let Some(bytes) = self.board.poll_transmit() {
            for portion in bytes.chunks(portion) {
                let mut rest = portion;
                while let Some(item) = self.decoder.decode(&mut rest) {
                    if let Item::Message(Message::Status(placement)) = item {
                        self.heard.push(placement);
                    }
                }
            }
        }
    }

    fn inject(&mut self, text: &str) {
        self.board.inject(self.now, text.parse::<Fault>().unwrap());
    }
}

/// The last square of a status stays what it is, so that no letter moves to where a digit is due.
fn changes() -> impl Strategy<Value = Vec<(u8, char)>> {
    let letters = prop::sample::select(b".PNBRQKpnbrqk".map(char::from).to_vec());
    proptest::collection::vec((0u8..64, letters), 1..60)
        .prop_map(|all| all.into_iter().filter(|(square, _)| *square != 7).collect())
}

fn occupant(letter: char) -> Occupant {
    Occupant::from_letter(letter).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_status_is_understood_from_both_sides_and_with_every_parity(
        changes in changes(), portion in 1usize..100, right in any::<bool>(), odd in any::<bool>(),
    ) {
        let model = if odd { Model::Exclusive } else { Model::Centaur };
        let cable = if right { Cable::Right } else { Cable::Left };
        let mut table = Table::new(Options { cable, ..Options::of(model) });
        for (square, letter) in changes {
            table.board.replace(table.now, Square::new(square).unwrap(), occupant(letter));
            table.scan(portion);
        }
        prop_assert_eq!(&table.heard, &table.sent);
        prop_assert_eq!(table.decoder.take_noise(), None);
    }

    #[test]
    fn a_line_that_spoils_bytes_makes_no_status_that_was_never_sent(
        changes in changes(),
        portion in 1usize..100,
        number in 3u32..400,
        kind in prop::sample::select(vec!["drop=1/N", "flip=1/N", "insert=1/N,00", "insert=1/N,50", "insert=1/N,73"]),
        seed in any::<u64>(),
    ) {
        let mut table = Table::new(Options { seed, ..Options::default() });
        for _ in 0..3 {
            table.scan(portion);
        }
        // A turned bit is seen by the parity of its byte, once it is known that there is one.
        prop_assert_eq!(table.decoder.byte_parity(), ByteParity::Odd);
        table.inject(&kind.replace('N', &number.to_string()));
        for (square, letter) in changes {
            table.board.replace(table.now, Square::new(square).unwrap(), occupant(letter));
            table.scan(portion);
        }
        prop_assert!(table.heard.iter().all(|heard| table.sent.contains(heard)));
        // The line is mended: the second status at the latest is whole.
        table.inject("drop=never");
        table.inject("flip=never");
        table.inject("insert=never");
        table.scan(portion);
        table.scan(portion);
        prop_assert_eq!(table.heard.last(), table.sent.last());
    }
}

/// Vector 41: nothing in a frame tells that it was put together from two scans.
#[test]
fn a_spliced_status_is_believed_and_the_next_one_differs() {
    let mut table = Table::new(Options::default());
    table.scan(67);
    table.inject("splice=32");
    for (square, letter) in [("e7", '.'), ("e5", 'p'), ("e2", '.'), ("e4", 'P')] {
        table.board.replace(table.now, square.parse().unwrap(), occupant(letter));
    }
    table.scan(67);
    table.scan(67);
    let told: Vec<String> = table.heard.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            START,
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
        ]
    );
}
