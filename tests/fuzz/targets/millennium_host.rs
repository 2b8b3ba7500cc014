// SPDX-License-Identifier: GPL-3.0-or-later
#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::millennium_host(data));
