// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver of several boards on one line against scripted boards, in virtual time.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is a failed test")]

mod changes;
mod line;
mod links;
mod looks;
mod properties;
mod search;
mod start;
mod twins;
