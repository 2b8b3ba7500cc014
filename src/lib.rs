// SPDX-License-Identifier: GPL-3.0-or-later
//! The electronic assistant arbiter of a chess venue.
//!
//! The pure core ([`board`], [`clock`], [`laws`], [`table`]) takes time and input as arguments
//! and gives outputs and its next deadline; it opens nothing and reads no clock. The shell
//! around it moves bytes: [`link`] serial ports, [`journal`] the database, [`dbus`] the message
//! bus, [`daemon`] the whole; [`sim`] is a board that is not there, [`client`] and [`ctl`] the
//! other end of the bus, [`rehearse`] cases against the core in virtual time, [`time`] the clocks of the
//! machine.
//!
//! The way of a byte: serial port, driver (`protocols/*`), [`board::Sensor`] and
//! [`clock::ClockModel`], [`table::Table`], [`laws`], [`journal`], [`dbus`].

pub mod board;
pub mod client;
pub mod clock;
pub mod command;
pub mod config;
pub mod ctl;
pub mod daemon;
pub mod dbus;
#[cfg(feature = "demo")]
pub mod demo;
pub mod document;
pub mod journal;
pub mod laws;
pub mod link;
pub mod rehearse;
pub mod sim;
pub mod table;
pub mod time;
