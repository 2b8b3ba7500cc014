// SPDX-License-Identifier: GPL-3.0-or-later
//! The clocks of the host, for the shell. The pure rooms are given the time as an argument.

use arbiterd_board::Mono;
use rustix::time::{ClockId, Timespec, clock_gettime};

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// This moment of `CLOCK_MONOTONIC`. Moments of the same boot (see [`boot_id`]) can be compared,
/// also across processes; std's `Instant` promises neither, so no fact is stamped with it.
pub fn now() -> Mono {
    Mono::from_micros(micros(clock_gettime(ClockId::Monotonic)))
}

/// Waits until `moment`; for ever without one. It may wake a little late, never early.
pub(crate) async fn until(moment: Option<Mono>) {
    match moment {
        Some(moment) => tokio::time::sleep(moment.since(now())).await,
        None => std::future::pending().await,
    }
}

/// The identity of this boot, without which a [`Mono`] of an earlier run says nothing;
/// `unknown` where the kernel does not tell.
pub fn boot_id() -> String {
    match std::fs::read_to_string(BOOT_ID) {
        Ok(text) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}

/// Milliseconds since 1970. A run asks once, next to [`now`], and keeps the pair: wall time may
/// be set while a game is on, so no two moments are ever compared by it.
pub fn wall_millis() -> u64 {
    micros(clock_gettime(ClockId::Realtime)) / 1000
}

/// A moment before the origin (a wall clock set before 1970) counts as the origin.
fn micros(t: Timespec) -> u64 {
    let seconds = u64::try_from(t.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(t.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000).saturating_add(nanos / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_nanoseconds_make_microseconds() {
        assert_eq!(micros(Timespec { tv_sec: 12, tv_nsec: 345_678_999 }), 12_345_678);
        assert_eq!(micros(Timespec { tv_sec: -1, tv_nsec: 0 }), 0);
    }

    #[test]
    fn the_monotonic_clock_is_the_one_that_the_kernel_counts_from_boot() {
        // /proc/uptime counts as CLOCK_BOOTTIME does: never behind CLOCK_MONOTONIC.
        let moment = now();
        let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
        let seconds: f64 = uptime.split_whitespace().next().unwrap().parse().unwrap();
        let since_boot = std::time::Duration::from_secs_f64(seconds + 0.01);
        assert!(moment.since(Mono::ZERO) <= since_boot, "{moment} is later than {seconds}");
        assert!(now() >= moment);
    }

    #[test]
    fn the_wall_clock_counts_milliseconds() {
        // Between 2001 and 2286 a count of milliseconds has 13 digits.
        assert_eq!(wall_millis().to_string().len(), 13);
    }

    #[test]
    fn a_boot_has_one_identity() {
        let id = boot_id();
        assert_eq!(id, boot_id());
        assert!(id == "unknown" || id.len() == 36, "{id:?} is no UUID");
    }
}
