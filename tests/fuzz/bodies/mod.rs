// SPDX-License-Identifier: GPL-3.0-or-later
//! What is fuzzed, once for the fuzzer and for the ordinary test. A body panics when something is
//! wrong, and takes any bytes.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each target uses one; a panic is the finding"
)]

mod conversation;
mod decoders;
mod duty;
mod millennium;
mod millennium_board;
mod plan;

pub use self::conversation::{dgt_bus_driver, dgt_driver, dgt_host};
pub use self::decoders::{dgt_bus_decoder, dgt_decoder};
pub use self::millennium::{millennium_decoder, millennium_driver};
pub use self::millennium_board::millennium_host;

/// Takes any bytes.
pub type Body = fn(&[u8]);

/// Every body with the name of its target and of its corpus.
pub const ALL: [(&str, Body); 8] = [
    ("dgt_decoder", dgt_decoder),
    ("dgt_bus_decoder", dgt_bus_decoder),
    ("dgt_driver", dgt_driver),
    ("dgt_bus_driver", dgt_bus_driver),
    ("dgt_host", dgt_host),
    ("millennium_decoder", millennium_decoder),
    ("millennium_driver", millennium_driver),
    ("millennium_host", millennium_host),
];
