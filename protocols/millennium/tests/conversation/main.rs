// SPDX-License-Identifier: MIT OR Apache-2.0
//! Driver against a scripted board in virtual time.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

mod board;
mod changes;
mod damage;
mod lights;
mod link;
mod portions;
mod registers;
mod start;
mod table;
