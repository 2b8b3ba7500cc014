// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked vectors of the protocol's description, and its table of broken input. Each number
//! is the number of the vector there; those of bus mode are in `bus_vectors.rs`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

mod answers;
mod broken;
mod host;
mod identity;
mod read;
mod squares;
mod times;
