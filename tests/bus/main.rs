// SPDX-License-Identifier: GPL-3.0-or-later
//! The message bus, from outside: a `dbus-daemon` of each test's own, the service on it with a
//! daemon that only answers, and an independent second connection.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

mod calls;
mod commands;
mod ctl;
mod interfaces;
mod objects;
mod rig;
mod watch;
