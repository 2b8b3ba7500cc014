// SPDX-License-Identifier: GPL-3.0-or-later
//! The message bus, from outside: a `dbus-daemon` of each test's own, the service on it with a
//! daemon that only answers, and an independent second connection.

// A helper that panics is a failed test, as in the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod calls;
mod ctl;
mod interfaces;
mod objects;
mod rig;
mod watch;
