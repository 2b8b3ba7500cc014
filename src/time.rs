// SPDX-License-Identifier: GPL-3.0-or-later
//! The clocks of the host, for the shell only: the pure core is handed its time.

use std::time::{SystemTime, UNIX_EPOCH};

use arbiterd_board::Mono;
use rustix::time::{ClockId, clock_gettime};

/// This moment of `CLOCK_MONOTONIC`, in microseconds.
pub fn now() -> Mono {
    let t = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(t.tv_sec).unwrap_or(0);
    let micros = u64::try_from(t.tv_nsec).unwrap_or(0) / 1000;
    Mono::from_micros(seconds.saturating_mul(1_000_000).saturating_add(micros))
}

/// The kernel's name for the time since it started, within which moments of [`now`] can be
/// compared; `unknown` where the kernel does not tell.
pub fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map(|id| id.trim().to_owned())
        .ok()
        .filter(|id| !id.is_empty())
        .unwrap_or_else(|| "unknown".to_owned())
}

/// Milliseconds since 1970 by the wall clock; to be kept once per run, because it may be set.
pub fn wall_millis() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}
