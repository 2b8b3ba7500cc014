// SPDX-License-Identifier: GPL-3.0-or-later
//! The whole daemon over a mock serial port: a simulated board at the far end of a real pty, a
//! private bus, the daemon as a child process, and `busctl` as a client that knows nothing of it.
//!
//! These tests use real time, so they assert order and content, never how long something took.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

mod bus_line;
mod disputes;
mod ends;
mod faults;
mod hall;
mod independent_board;
mod lights;
mod millennium;
mod play;
mod ports;
mod restarts;
mod usage;
mod witness;
