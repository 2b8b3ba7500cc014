// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties: the portions in which bytes arrive do not matter, and noise costs no more than
//! the frames it touches.

use arbiterd_board::simulator::Device;
use arbiterd_board::{ClockSide, Driver, Mono, Report};
use arbiterd_dgt::simulator::{Options, Simulator};
use arbiterd_dgt::{DgtDriver, Item, Message};
use proptest::prelude::*;

use crate::table::{START, Table, ms, piece, sq};

/// A short piece of a game, heard in portions of these sizes.
fn game(portions: Vec<usize>) -> Vec<Report> {
    let mut table = Table::new(Options::default());
    table.portions = portions.into();
    table.run_until(3100);
    table.board.start(ms(3100));
    table.board.lift(ms(3100), sq("e2"));
    table.run_until(3600);
    table.board.place(ms(3600), sq("e4"), piece('P'));
    table.run_until(3900);
    table.board.press(ms(3900), ClockSide::Left);
    table.run_until(12_000);
    table.reports
}

/// Frames as a board sends them during a move, each a lift, a dump or a reading.
fn frames() -> Vec<Vec<u8>> {
    let options = Options { placement: START.parse().unwrap(), ..Options::default() };
    let mut board = Simulator::new(Mono::ZERO, options);
    board.receive(ms(0), &[0x4b, 0x42]);
    board.start(ms(0));
    board.lift(ms(100), sq("e2"));
    board.place(ms(600), sq("e4"), piece('P'));
    board.press(ms(2500), ClockSide::Left);
    board.receive(ms(3000), &[0x42, 0x45, 0x4d]);
    board.handle_timeout(ms(5000));
    core::iter::from_fn(|| board.poll_transmit()).collect()
}

fn messages(bytes: &[u8]) -> Vec<Message> {
    let mut decoder = arbiterd_dgt::Decoder::new();
    let mut rest = bytes;
    let items = core::iter::from_fn(|| decoder.decode(&mut rest));
    items.filter_map(|item| if let Item::Message(m) = item { Some(m) } else { None }).collect()
}

/// Whether `part` is left of `whole` when some of it is taken away.
fn is_subsequence(part: &[Message], whole: &[Message]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|wanted| whole.any(|m| m == wanted))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_portions_give_the_same_reports(portions in proptest::collection::vec(1usize..9, 0..400)) {
        prop_assert_eq!(game(portions), game(Vec::new()));
    }

    /// Bytes below 0x80 between two frames belong to none, so nothing at all is lost.
    #[test]
    fn junk_between_frames_loses_nothing(
        junk in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..0x80), 0..20),
    ) {
        let frames = frames();
        let mut between = vec![Vec::new(); frames.len() + 1];
        for (index, byte) in junk {
            let at = index.index(between.len());
            between[at].push(byte);
        }
        let clean: Vec<u8> = frames.concat();
        let mut noisy = between.remove(0);
        for (frame, junk) in frames.iter().zip(between) {
            noisy.extend(frame);
            noisy.extend(junk);
        }
        prop_assert_eq!(messages(&noisy), messages(&clean));
    }

    /// A byte that starts a frame, put anywhere, breaks the frame it lies in and no other.
    #[test]
    fn a_start_byte_breaks_only_the_frame_it_lies_in(
        frame in any::<prop::sample::Index>(),
        offset in any::<prop::sample::Index>(),
        byte in 0x80u8..,
    ) {
        let frames = frames();
        let hit = frame.index(frames.len());
        let mut damaged = frames.clone();
        let at = offset.index(damaged[hit].len());
        damaged[hit].insert(at, byte);
        let found = messages(&damaged.concat());
        let mut expected = messages(&frames.concat());
        // Before the first byte of a frame it lies in none.
        if at > 0 {
            expected.remove(hit);
        }
        // What follows the inserted byte may look like a message of its own, so the others must
        // all be there, in order.
        prop_assert!(is_subsequence(&expected, &found));
        prop_assert!(found.len() <= frames.len() + 1);
    }

    /// Inserted bytes of any kind: never a panic, and at most one message lost for each.
    #[test]
    fn inserted_bytes_lose_at_most_a_message_each(
        inserted in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        portions in proptest::collection::vec(1usize..9, 0..100),
    ) {
        let frames = frames();
        // Where each frame begins, to know which of them are hit.
        let mut stream: Vec<(usize, u8)> =
            frames.iter().enumerate().flat_map(|(n, f)| f.iter().map(move |b| (n, *b))).collect();
        let mut hit = std::collections::BTreeSet::new();
        for (index, byte) in inserted {
            let at = index.index(stream.len());
            let within = stream[at].0;
            hit.insert(within);
            stream.insert(at, (within, byte));
        }
        let bytes: Vec<u8> = stream.iter().map(|(_, b)| *b).collect();
        let whole = messages(&frames.concat());
        let untouched: Vec<Message> =
            whole.iter().enumerate().filter(|(n, _)| !hit.contains(n)).map(|(_, m)| m.clone()).collect();
        prop_assert!(is_subsequence(&untouched, &messages(&bytes)));

        let mut driver = DgtDriver::new();
        driver.reset(Mono::ZERO);
        let mut rest = &bytes[..];
        let mut now = ms(0);
        for portion in portions.into_iter().chain(core::iter::repeat(7)) {
            if rest.is_empty() {
                break;
            }
            let (head, tail) = rest.split_at(portion.min(rest.len()));
            now = now.after(core::time::Duration::from_millis(40));
            driver.handle_timeout(now);
            driver.receive(now, head);
            rest = tail;
        }
        prop_assert!(driver.poll_timeout().is_some_and(|at| at > now));
    }
}
