// SPDX-License-Identifier: GPL-3.0-or-later
//! The ears for Millennium boards and their hosts.

mod form;
mod words;

use std::time::Duration;

use arbiterd_board::{Mono, NoiseCause};
use arbiterd_millennium::host::{HostDecoder, HostItem, LONGEST_PAUSE};
use arbiterd_millennium::wire::CHECK;
use arbiterd_millennium::{ByteParity, Decoder, encode};
use serde_json::json;

use super::args::Side;
use super::ear::{self, Counters, Found, Kind, LONGEST_GAP, Reader, What, dropped, said};

/// The decoder of a side. Its memory is bounded by the longest message.
pub(super) enum MillenniumReader {
    Board(Box<Decoder>),
    Host(Box<HostDecoder>),
}

impl MillenniumReader {
    pub(super) fn new(from: Side) -> Self {
        match from {
            Side::Board => {
                let mut decoder = Decoder::new();
                // Whether a host asked for it is not known here. What a false start swallows is
                // looked at again.
                decoder.expect_information(true);
                Self::Board(Box::new(decoder))
            }
            Side::Host => Self::Host(Box::default()),
        }
    }
}

impl Reader for MillenniumReader {
    fn step(&mut self, now: Mono, byte: u8, _open: usize) -> Vec<Found> {
        match self {
            Self::Board(decoder) => drain(decoder, &[byte]),
            Self::Host(decoder) => {
                decoder.hear(now, &[byte]);
                std::iter::from_fn(|| decoder.poll()).map(|item| heard(&item)).collect()
            }
        }
    }

    fn give_up(&mut self, open: usize) -> Vec<Found> {
        match self {
            // What was swallowed may hold messages.
            Self::Board(decoder) => {
                decoder.abandon();
                drain(decoder, &[])
            }
            Self::Host(decoder) => {
                decoder.reset();
                vec![Found { length: open, what: What::Noise(NoiseCause::Unfinished) }]
            }
        }
    }

    fn longest_pause(&self) -> Duration {
        match self {
            Self::Board(_) => LONGEST_GAP,
            Self::Host(_) => LONGEST_PAUSE,
        }
    }

    fn counters(&self) -> Option<Counters> {
        let Self::Board(decoder) = self else { return None };
        let counters = decoder.counters();
        let parity = match decoder.byte_parity() {
            ByteParity::Learning => "learning",
            ByteParity::Odd => "odd",
            ByteParity::None => "none",
            ByteParity::Mixed => "mixed",
        };
        let more = json!({
            "byte_parity": parity,
            "parity_errors": counters.parity_errors,
            "bad_checksums": counters.checksum_errors,
            "resyncs": counters.resyncs,
            "timeouts": counters.timeouts,
            "echoes": counters.echoes,
            "unknown_letters": counters.unknown_letters,
        });
        Some(Counters {
            dropped_bytes: counters.dropped_bytes,
            more: more.as_object().cloned().unwrap_or_default(),
            remark: format!("byte parity {parity}"),
        })
    }
}

fn drain(decoder: &mut Decoder, mut input: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    while let Some(item) = decoder.decode(&mut input) {
        found.push(ear::found(item, |message| {
            // Bytes that it held back may follow a message, so its length is its own.
            let length = encode(&message).len();
            said(length, Kind::Message, form::message(&message), words::message(&message))
        }));
    }
    found.extend(decoder.take_noise().map(dropped));
    found
}

fn heard(item: &HostItem) -> Found {
    let (length, kind) = match item {
        HostItem::Unknown(_) => (1, Kind::Unknown),
        HostItem::Broken(bytes) => {
            return Found { length: bytes.len(), what: What::Noise(NoiseCause::Unfinished) };
        }
        HostItem::Command(command) => {
            let kind = if command.harm().is_some() { Kind::Harmful } else { Kind::Message };
            (1 + 2 * command.values.len() + CHECK, kind)
        }
    };
    said(length, kind, form::host(item), words::host(item))
}
