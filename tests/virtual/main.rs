// SPDX-License-Identifier: GPL-3.0-or-later
//! Properties of the whole core over a simulated board, in virtual time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic here is a failed test")]

mod answers;
mod any_state;
mod any_table;
mod blame;
mod board_signal;
mod corrections;
mod displaced;
mod disturbed;
mod evidence;
mod false_update;
mod faulty_line;
mod hands;
mod honest;
mod lagged;
mod lights;
mod new_game;
mod no_clock;
mod phantom;
mod proposals;
mod quick_play;
mod scans;
mod set_up;
mod several;
mod silence;
mod twins;
mod venue;
mod way_out;
