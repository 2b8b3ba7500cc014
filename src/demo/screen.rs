// SPDX-License-Identifier: GPL-3.0-or-later
//! What the demo prints: lines that read well in a wide terminal, a narrow one, and none at all.

use std::io::{IsTerminal, Write, stdout};
use std::time::Duration;

use arbiterd_board::{Mono, Placement, Square};

use super::DemoError;
use crate::client::{ClockSeen, RulingInfo, Seen};
use crate::time;

/// Wider lines do not read well.
const WIDEST: usize = 100;
/// Where there is no terminal to ask.
const USUAL: usize = 80;

/// The terminal, and what it shows now.
pub struct Screen {
    width: usize,
    colour: bool,
    live: bool,
    begun: Mono,
    placement: Placement,
    clock: Option<ClockSeen>,
    status_shown: bool,
    blank_shown: bool,
}

impl Screen {
    /// Standard output as it is: terminal or not, wide or narrow, coloured or not (`NO_COLOR`).
    pub fn new() -> Self {
        let live = stdout().is_terminal() && std::env::var_os("TERM").is_some_and(|t| t != "dumb");
        let width =
            rustix::termios::tcgetwinsize(stdout()).ok().map(|w| usize::from(w.ws_col)).filter(|w| *w > 0);
        Self {
            width: width.unwrap_or(USUAL).clamp(20, WIDEST),
            colour: live && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
            live,
            begun: time::now(),
            placement: Placement::EMPTY,
            clock: None,
            status_shown: false,
            blank_shown: false,
        }
    }

    /// How often the running clock is shown anew.
    pub const fn refresh(&self) -> Duration {
        Duration::from_millis(if self.live { 250 } else { 60_000 })
    }

    /// Shows the running clock below the last line.
    pub fn tick(&mut self) -> Result<(), DemoError> {
        if !self.live {
            return Ok(());
        }
        let Some(clock) = &self.clock else { return Ok(()) };
        let line = self.paint("2", &fit(&clock_line(clock, time::now()), self.width.saturating_sub(1)));
        self.status_shown = true;
        out(&format!("\r\x1b[K{line}"))
    }

    fn line(&mut self, text: &str) -> Result<(), DemoError> {
        // Two empty lines in a row say no more than one.
        if text.is_empty() && std::mem::replace(&mut self.blank_shown, true) {
            return Ok(());
        }
        self.blank_shown = text.is_empty();
        let clear = if std::mem::take(&mut self.status_shown) { "\r\x1b[K" } else { "" };
        out(&format!("{clear}{text}\n"))
    }

    /// An empty line.
    pub fn blank(&mut self) -> Result<(), DemoError> {
        self.line("")
    }

    /// A heading.
    pub fn title(&mut self, text: &str) -> Result<(), DemoError> {
        for line in wrap(text, self.width) {
            let painted = self.paint("1", &line);
            self.line(&painted)?;
        }
        Ok(())
    }

    /// Plain text, wrapped.
    pub fn text(&mut self, text: &str) -> Result<(), DemoError> {
        for line in wrap(text, self.width) {
            self.line(&line)?;
        }
        Ok(())
    }

    /// Something to copy: never broken into lines.
    pub fn verbatim(&mut self, text: &str) -> Result<(), DemoError> {
        self.line(text)
    }

    /// What happens at the table, as nobody but we can see.
    pub fn narrate(&mut self, text: &str) -> Result<(), DemoError> {
        self.line("")?;
        for (i, line) in wrap(text, self.width.saturating_sub(2)).into_iter().enumerate() {
            let painted = self.paint("3", &format!("{} {line}", if i == 0 { "-" } else { " " }));
            self.line(&painted)?;
        }
        Ok(())
    }

    /// Rulebooks, each with what it makes of the facts and the articles: in columns where they
    /// fit.
    pub fn outcomes(&mut self, rows: &[[String; 3]]) -> Result<(), DemoError> {
        let wide: Vec<_> =
            rows.iter().map(|[book, what, why]| format!("  {book:<17} {what:<25} {why}")).collect();
        if wide.iter().all(|line| line.chars().count() <= self.width) {
            return wide.iter().try_for_each(|line| self.line(line));
        }
        for [book, what, why] in rows {
            self.hanging("  ", &format!("{book}: {what}"))?;
            self.hanging("    ", why)?;
        }
        Ok(())
    }

    /// Text after a head; its further lines begin below the text, also on a narrow screen.
    fn hanging(&mut self, head: &str, text: &str) -> Result<(), DemoError> {
        let room = self.width.saturating_sub(head.len()).max(12);
        let mut head = head.to_owned();
        for line in wrap(text, room) {
            self.line(&format!("{head}{line}"))?;
            head = " ".repeat(head.len());
        }
        Ok(())
    }

    /// Takes in something that came over the bus and shows it.
    pub fn seen(&mut self, seen: &Seen) -> Result<(), DemoError> {
        match seen {
            Seen::Placement { placement, .. } => self.take_placement(placement),
            Seen::Board(b) => self.take_placement(&b.placement),
            Seen::Clock(c) if c.connected != "connected" => {}
            Seen::Clock(c) => {
                self.clock = Some(c.clone());
                let text = clock_line(c, Mono::from_micros(c.as_of));
                return self.event(c.as_of, &text);
            }
            Seen::Lifted { square, piece, earliest, latest, .. } => {
                let text = format!(
                    "{} lifted from {square}{}",
                    named(piece),
                    between(self.begun, *earliest, *latest)
                );
                return self.event(*latest, &text);
            }
            Seen::Placed { square, piece, earliest, latest, .. } => {
                let text =
                    format!("{} placed on {square}{}", named(piece), between(self.begun, *earliest, *latest));
                return self.event(*latest, &text);
            }
            Seen::Pressed { by, earliest, latest, .. } => {
                let text = format!("{} presses{}", capital(by), between(self.begun, *earliest, *latest));
                return self.event(*latest, &text);
            }
            Seen::Moved { uci, by, .. } => {
                let text = format!("move completed by {}: {}", capital(by), squares(uci));
                return self.event(time::now().as_micros(), &text);
            }
            Seen::Claimed { by, what, .. } => {
                let text = self.paint("36", &format!("{} claims: {what}", capital(by)));
                return self.event(time::now().as_micros(), &text);
            }
            Seen::Notice(n) => {
                let text = notice(&n.kind);
                let text = self.paint("33", &text);
                return self.event(time::now().as_micros(), &text);
            }
            Seen::State { state, differing, .. } => {
                let rest =
                    if differing.is_empty() { String::new() } else { format!(": {}", differing.join(" ")) };
                return self.event(time::now().as_micros(), &format!("table {state}{rest}"));
            }
            Seen::Ruled(r) => return self.ruling(r),
            _ => {}
        }
        Ok(())
    }

    fn take_placement(&mut self, fen: &str) {
        if let Ok(p) = fen.parse() {
            self.placement = p;
        }
    }

    fn event(&mut self, at: u64, text: &str) -> Result<(), DemoError> {
        let seconds = Mono::from_micros(at).since(self.begun);
        let head = format!("{:>4}.{:02}  ", seconds.as_secs(), seconds.subsec_millis() / 10);
        self.hanging(&head, text)
    }

    fn ruling(&mut self, r: &RulingInfo) -> Result<(), DemoError> {
        let kind = r.kind.strip_prefix("ruling.").unwrap_or(&r.kind);
        let head = self.paint("1;31", &format!("  RULING {}: {kind}", r.seq));
        self.line(&head)?;
        for (name, value) in ruling_parts(r) {
            self.hanging(&format!("    {name:<10} "), &value)?;
        }
        self.line("")
    }

    /// The board as the hardware shows it, and the clock beside or below it.
    pub fn board(&mut self) -> Result<(), DemoError> {
        self.line("")?;
        for rank in (0..8).rev() {
            let mut row = format!("   {}  ", rank + 1);
            for file in 0..8 {
                let letter = Square::from_coords(file, rank).map_or(' ', |s| self.placement[s].letter());
                row.push(letter);
                row.push(' ');
            }
            self.line(row.trim_end())?;
        }
        self.line("      a b c d e f g h")?;
        if let Some(clock) = self.clock.clone() {
            let text = clock_line(&clock, time::now());
            self.line(&format!("   {text}"))?;
        }
        self.line("")
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

fn out(text: &str) -> Result<(), DemoError> {
    let mut stdout = stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(DemoError::Screen)
}

fn ruling_parts(r: &RulingInfo) -> Vec<(&'static str, String)> {
    let mut parts = vec![("articles", r.articles.join(", "))];
    if let Some(offender) = &r.offender {
        parts.push(("against", offender.clone()));
    }
    if let Some(m) = &r.irregular_move {
        parts.push(("move", squares(m)));
    }
    if r.add_white_ms > 0 {
        parts.push(("time", format!("White gets {}", minutes(r.add_white_ms))));
    }
    if r.add_black_ms > 0 {
        parts.push(("time", format!("Black gets {}", minutes(r.add_black_ms))));
    }
    if let Some(fen) = &r.restore {
        parts.push(("restore", fen.clone()));
    }
    if let Some(p) = r.proposed_clock {
        let pair = |t: [u64; 2]| format!("White {}, Black {}", minutes(t[0]), minutes(t[1]));
        parts.push((
            "clocks",
            format!(
                "for the arbiter to choose: at the move {}; now {}",
                pair(p.at_irregularity_ms),
                pair(p.now_ms)
            ),
        ));
    }
    if !r.free_touch.is_empty() {
        parts
            .push(("free", format!("the piece on {} cannot move and binds nobody", r.free_touch.join(", "))));
    }
    if !r.required_moves.is_empty() {
        parts.push(("must play", r.required_moves.join(" or ")));
    }
    if !r.not_observable.is_empty() {
        parts.push((
            "yours",
            format!("not to be seen, for the arbiter to say: {}", r.not_observable.join(", ")),
        ));
    }
    parts.push(("evidence", format!("{}; facts {}", r.certainty, list(&r.evidence))));
    parts
}

fn list(numbers: &[u64]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn notice(kind: &str) -> String {
    match kind.strip_prefix("notice.").unwrap_or(kind) {
        "claim-open" => "claim heard: it will be answered when there is a move to judge".to_owned(),
        other => format!("notice: {other}"),
    }
}

fn clock_line(c: &ClockSeen, now: Mono) -> String {
    let side = |name: &str, ms: u64, word: &str| {
        let passed = u64::try_from(now.since(Mono::from_micros(c.as_of)).as_millis()).unwrap_or(0);
        let running = c.running == word;
        let left = if running { ms.saturating_sub(passed) } else { ms };
        format!("{name} {}{}", minutes(left), if running { " <" } else { "" })
    };
    let stopped = if c.running.is_empty() { "  (stopped)" } else { "" };
    format!("clock: {}   {}{stopped}", side("White", c.white_ms, "white"), side("Black", c.black_ms, "black"))
}

fn minutes(ms: u64) -> String {
    // A clock that counts down shows the second that has begun.
    let s = ms.div_ceil(1000);
    format!("{}:{:02}", s / 60, s % 60)
}

fn between(begun: Mono, earliest: u64, latest: u64) -> String {
    let s = |at: u64| Mono::from_micros(at).since(begun).as_secs_f64();
    format!(" (between {:.2} and {:.2})", s(earliest), s(latest))
}

fn named(piece: &str) -> String {
    let name = match piece.to_ascii_lowercase().as_str() {
        "p" => "pawn",
        "n" => "knight",
        "b" => "bishop",
        "r" => "rook",
        "q" => "queen",
        "k" => "king",
        _ => "something",
    };
    let colour = if piece.chars().all(|c| c.is_ascii_uppercase()) { "white" } else { "black" };
    format!("{colour} {name}")
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().collect::<String>() + chars.as_str())
}

fn squares(uci: &str) -> String {
    match (uci.get(0..2), uci.get(2..4)) {
        (Some(from), Some(to)) => format!("{from}-{to}{}", uci.get(4..).unwrap_or("")),
        _ => uci.to_owned(),
    }
}

fn fit(text: &str, width: usize) -> String {
    text.chars().take(width).collect()
}

/// Breaks text at spaces into lines of at most `width` characters; a longer word keeps its own
/// line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(last) = lines.last_mut() else { break };
        let needed = last.chars().count() + usize::from(!last.is_empty()) + word.chars().count();
        if needed > width && !last.is_empty() {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_at_spaces_and_long_words_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unix:path=/very/long now", 5), ["unix:path=/very/long", "now"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn times_and_moves_read_as_people_write_them() {
        assert_eq!(minutes(14_600), "0:15");
        assert_eq!(minutes(120_000), "2:00");
        assert_eq!(squares("e5e4"), "e5-e4");
        assert_eq!(squares("a7a8q"), "a7-a8q");
        assert_eq!(named("B"), "white bishop");
    }
}
