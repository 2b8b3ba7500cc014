// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver and the simulated boards, which share the wire tables and nothing else, in virtual
//! time over lines as slow as they may be. The simulator knows when a hand acted; so it is tried here
//! whether the driver's stamps are true.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic here is a failed test")]

mod doubt;
mod faults;
mod games;
mod link;
mod rig;
mod start;
