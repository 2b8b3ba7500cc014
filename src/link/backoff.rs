// SPDX-License-Identifier: GPL-3.0-or-later
//! How long to wait between tries.

use std::time::Duration;

/// Waiting times that double. For a port from 0.2 s to 5 s: soon enough for a plug that was pulled
/// by accident, rare enough for a board that comes tomorrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    first: Duration,
    next: Duration,
    longest: Duration,
}

impl Backoff {
    /// The first wait for a port.
    pub const FIRST: Duration = Duration::from_millis(200);
    /// The longest wait for a port.
    pub const LONGEST: Duration = Duration::from_secs(5);

    /// The waiting times of a port, beginning with [`Backoff::FIRST`].
    pub const fn new() -> Self {
        Self::between(Self::FIRST, Self::LONGEST)
    }

    /// Waiting times from `first` to `longest`.
    pub const fn between(first: Duration, longest: Duration) -> Self {
        Self { first, next: first, longest }
    }

    /// How long to wait before the next try.
    pub fn wait(&mut self) -> Duration {
        let wait = self.next;
        self.next = wait.saturating_mul(2).min(self.longest);
        wait
    }

    /// The trouble is over: begin with the shortest wait again.
    pub fn reset(&mut self) {
        self.next = self.first;
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_begin_anew() {
        let mut backoff = Backoff::new();
        let millis: Vec<u128> = (0..8).map(|_| backoff.wait().as_millis()).collect();
        assert_eq!(millis, [200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
        backoff.reset();
        assert_eq!(backoff.wait(), Duration::from_millis(200));
    }

    #[test]
    fn other_things_wait_within_other_bounds() {
        let mut backoff = Backoff::between(Duration::from_secs(1), Duration::from_secs(30));
        let seconds: Vec<u64> = (0..7).map(|_| backoff.wait().as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 30, 30]);
        backoff.reset();
        assert_eq!(backoff.wait(), Duration::from_secs(1));
    }
}
