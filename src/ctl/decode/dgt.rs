// SPDX-License-Identifier: GPL-3.0-or-later
//! The ears for DGT boards and their hosts.

mod form;
mod words;

use std::time::Duration;

use arbiterd_board::{Mono, NoiseCause};
use arbiterd_dgt::Decoder;
use arbiterd_dgt::bus::BusDecoder;
use arbiterd_dgt::host::{HostDecoder, HostItem, LONGEST_PAUSE};
use serde_json::json;

use super::args::{Mode, Side};
use super::ear::{self, Counters, Found, Kind, LONGEST_GAP, Reader, What, dropped, said};

/// The decoder of a side.
///
/// The bytes of each item are those that came since the item before it. Its memory is bounded by
/// the longest message.
pub(super) enum DgtReader {
    Single(Box<Decoder>),
    Bus(Box<BusDecoder>),
    Host(Box<HostDecoder>),
}

impl DgtReader {
    pub(super) fn new(mode: Mode, from: Side) -> Self {
        match (from, mode) {
            (Side::Host, _) => Self::Host(Box::default()),
            (Side::Board, Mode::Single) => Self::Single(Box::default()),
            (Side::Board, Mode::Bus) => Self::Bus(Box::default()),
        }
    }
}

impl Reader for DgtReader {
    fn step(&mut self, now: Mono, byte: u8, open: usize) -> Vec<Found> {
        let mut found = Vec::new();
        let input = &mut &[byte][..];
        match self {
            Self::Single(decoder) => {
                while let Some(item) = decoder.decode(input) {
                    found.push(ear::found(item, |message| {
                        said(open, Kind::Message, form::message(&message), words::message(&message))
                    }));
                }
                found.extend(decoder.take_noise().map(dropped));
            }
            Self::Bus(decoder) => {
                while let Some(item) = decoder.decode(input) {
                    found.push(ear::found(item, |message| {
                        said(open, Kind::Message, form::bus(&message), words::bus(&message))
                    }));
                }
                found.extend(decoder.take_noise().map(dropped));
            }
            Self::Host(decoder) => {
                decoder.hear(now, &[byte]);
                found.extend(std::iter::from_fn(|| decoder.poll()).map(|item| heard(&item, open)));
            }
        }
        found
    }

    fn give_up(&mut self, open: usize) -> Vec<Found> {
        let noise = match self {
            Self::Single(decoder) => {
                decoder.abandon();
                decoder.take_noise()
            }
            Self::Bus(decoder) => {
                decoder.abandon();
                decoder.take_noise()
            }
            Self::Host(decoder) => {
                decoder.reset();
                None
            }
        };
        let cause = noise.map_or(NoiseCause::Unfinished, |noise| noise.cause);
        vec![Found { length: open, what: What::Noise(cause) }]
    }

    fn longest_pause(&self) -> Duration {
        match self {
            Self::Host(_) => LONGEST_PAUSE,
            Self::Single(_) | Self::Bus(_) => LONGEST_GAP,
        }
    }

    fn counters(&self) -> Option<Counters> {
        let counters = match self {
            Self::Single(decoder) => decoder.counters(),
            Self::Bus(decoder) => decoder.counters(),
            Self::Host(_) => return None,
        };
        let more = json!({
            "masked_pieces": counters.masked_pieces,
            "squares_out_of_range": counters.squares_out_of_range,
            "draughts_dumps": counters.draughts_dumps,
            "corrupt_clocks": counters.corrupt_clocks,
            "bad_checksums": counters.bad_checksums,
        });
        Some(Counters {
            dropped_bytes: counters.dropped_bytes,
            more: more.as_object().cloned().unwrap_or_default(),
            remark: format!("{} of a corrupt clock", counters.corrupt_clocks),
        })
    }
}

fn heard(item: &HostItem, open: usize) -> Found {
    let (length, kind) = match item {
        HostItem::Command(_) => (1, Kind::Message),
        HostItem::Harmful(_) => (1, Kind::Harmful),
        HostItem::Unknown(_) => (1, Kind::Unknown),
        // It is told with its last byte if it is whole but wrong, and else with one that is not
        // its own.
        HostItem::Broken(bytes) => {
            let whole = bytes.len() == open;
            let cause = if whole { NoiseCause::Malformed } else { NoiseCause::Unfinished };
            return Found { length: bytes.len(), what: What::Noise(cause) };
        }
        HostItem::PegasusKey => (open, Kind::Secret),
        // A whole frame takes all that is open.
        HostItem::Clock(_) | HostItem::Lights(_) | HostItem::Bus(_) => (open, Kind::Message),
    };
    said(length, kind, form::host(item), words::host(item))
}
