// SPDX-License-Identifier: GPL-3.0-or-later
//! How far it is: a bar on standard error, where that is a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

const WIDTH: u64 = 30;
const REFRESH: Duration = Duration::from_millis(200);

pub(super) struct Progress {
    of: u64,
    done: u64,
    shown: Option<Instant>,
    visible: bool,
}

impl Progress {
    pub(super) fn new(of: u64) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { of, done: 0, shown: None, visible: stderr().is_terminal() && !dumb }
    }

    pub(super) fn step(&mut self, failed: usize) {
        self.done += 1;
        if !self.visible || self.shown.is_some_and(|at| at.elapsed() < REFRESH) {
            return;
        }
        self.shown = Some(Instant::now());
        put(&format!("\r{}\x1b[K", bar(self.done, self.of, failed)));
    }

    pub(super) fn end(&self) {
        if self.shown.is_some() {
            put("\r\x1b[K");
        }
    }
}

/// A bar that cannot be drawn is not missed.
fn put(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

fn bar(done: u64, of: u64, failed: usize) -> String {
    let full = (done * WIDTH).checked_div(of).unwrap_or(WIDTH).min(WIDTH);
    let (full, empty) = (0..WIDTH).partition::<Vec<u64>, _>(|cell| *cell < full);
    format!("[{}{}] {done}/{of} games, {failed} wrong", "=".repeat(full.len()), " ".repeat(empty.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_from_the_left() {
        assert_eq!(bar(1, 3, 0), format!("[{}{}] 1/3 games, 0 wrong", "=".repeat(10), " ".repeat(20)));
        assert_eq!(bar(3, 3, 2), format!("[{}] 3/3 games, 2 wrong", "=".repeat(30)));
    }
}
