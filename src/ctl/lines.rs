// SPDX-License-Identifier: GPL-3.0-or-later
//! What was seen, as a line for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use arbiterd_board::Mono;

use crate::client::{BoardSeen, ClockSeen, FaultSeen, NoticeInfo, PortSeen, RulingInfo, Seen, TableSeen};

/// Writes lines. Where there is more than one board or table, each line names its own.
pub(super) struct Lines {
    colour: bool,
    boards: BTreeSet<String>,
    tables: BTreeSet<String>,
}

impl Lines {
    pub(super) const fn new(colour: bool) -> Self {
        Self { colour, boards: BTreeSet::new(), tables: BTreeSet::new() }
    }

    /// A line for something that was seen, headed by the last moment at which it can have
    /// happened, or else by that of its arrival. Placements, positions and what has a line of its
    /// own already are left out.
    pub(super) fn seen(&mut self, seen: &Seen, arrived: Mono) -> Option<String> {
        let at = arrived.as_micros();
        let (at, place, text) = match seen {
            Seen::Ports { ports } => {
                self.boards.extend(ports.iter().map(|p| p.board.clone()));
                (at, String::new(), format!("ports: {}", join(ports, ", ", port)))
            }
            Seen::Board(b) => (at, format!("board {}  ", b.board), board(b)),
            Seen::Table(t) => {
                self.tables.insert(t.table.clone());
                (at, format!("table {}  ", t.table), table(t))
            }
            Seen::Placement { .. } | Seen::Position { .. } => return None,
            Seen::State { table, state, differing } => {
                (at, self.at_table(table), format!("table {state}{}", list(", differing", differing)))
            }
            Seen::Result { table, result } => (at, self.at_table(table), format!("result {result}")),
            Seen::Clock(c) => (at, self.at_table(&c.table), clock(c)),
            Seen::Lifted { board, square, piece, earliest, latest } => {
                (*latest, self.at_board(board), touched("lifted", piece, square, *earliest, *latest))
            }
            Seen::Placed { board, square, piece, earliest, latest } => {
                (*latest, self.at_board(board), touched("placed", piece, square, *earliest, *latest))
            }
            Seen::Pressed { table, by, earliest, latest } => {
                let when = between(*earliest, *latest);
                (*latest, self.at_table(table), format!("{by} pressed the clock{when}"))
            }
            Seen::Claimed { table, by, what, fact } => {
                (at, self.at_table(table), format!("{by} claims {what} (fact {fact})"))
            }
            Seen::Moved { table, ply, by, uci, completion, .. } => {
                let number = ply.saturating_add(1) / 2;
                let text = format!("move {number} {by} {uci} (completed by {completion})");
                (at, self.at_table(table), text)
            }
            Seen::RulingDecided { table, ruling, standing } => {
                (at, self.at_table(table), format!("ruling {ruling} {standing}"))
            }
            Seen::BoardAccepted { table, fen } => {
                (at, self.at_table(table), format!("the arbiter accepts the board: {fen}"))
            }
            Seen::TakenBack { table, remaining } => {
                (at, self.at_table(table), format!("moves taken back; half-moves left: {remaining}"))
            }
            Seen::Restored { table, remaining, taken_back, white_ms, black_ms, reopened, .. } => {
                let clock = white_ms.zip(*black_ms);
                (at, self.at_table(table), restored(*remaining, taken_back, clock, *reopened))
            }
            Seen::Ruled(r) => return Some(self.ruling(r)),
            Seen::Notice(n) => (n.at, self.at_table(&n.table), self.notice_text(n)),
            Seen::Faults { faults } if faults.is_empty() => {
                (at, String::new(), "nothing is wrong with arbiterd any more".to_owned())
            }
            Seen::Faults { faults } => {
                (at, String::new(), self.paint("31", &format!("wrong: {}", join(faults, "; ", fault))))
            }
            Seen::Gone => (at, String::new(), self.paint("33", "arbiterd left the bus")),
            Seen::Back => (at, String::new(), "arbiterd is on the bus again".to_owned()),
        };
        Some(format!("{}  {place}{text}", seconds(at)))
    }

    /// A line for a ruling.
    pub(super) fn ruling(&self, r: &RulingInfo) -> String {
        let kind = r.kind.strip_prefix("ruling.").unwrap_or(&r.kind);
        let mut text = format!("ruling {} {kind}", r.row);
        push(&mut text, "against ", r.offender.as_deref().unwrap_or_default());
        push(&mut text, "", r.irregular_move.as_deref().unwrap_or_default());
        text.push_str(&list(", article", &r.articles));
        for (side, added) in [("White", r.add_white_ms), ("Black", r.add_black_ms)] {
            if added > 0 {
                push(&mut text, &format!("{side} gets "), &duration(added));
            }
        }
        if r.take_back_increment_ms > 0 {
            push(&mut text, "increment taken off: ", &duration(r.take_back_increment_ms));
        }
        if r.result != "*" {
            push(&mut text, "result ", &r.result);
        }
        push(&mut text, "restore ", r.restore.as_deref().unwrap_or_default());
        text.push_str(&list(", to be played", &r.required_moves));
        if let Some(p) = r.proposed_clock {
            let [white, black] = p.at_irregularity_ms;
            text.push_str(&format!(
                ", clock at the move: White {}, Black {}",
                duration(white),
                duration(black)
            ));
        }
        text.push_str(&list(", left to the arbiter:", &r.not_observable));
        text.push_str(&format!(" [{}, {}, {}]", r.authority, r.standing, r.certainty));
        let at = r.published_us.or(r.committed_us).unwrap_or(r.evidence_complete_us);
        // The ledger is read without knowing how many tables there are.
        let place = if r.published_us.is_some() { self.at_table(&r.table) } else { format!("{}  ", r.table) };
        format!("{}  {place}{}", seconds(at), self.paint("1", &text))
    }

    /// A line for a notice of the ledger, which is read without knowing how many tables there are.
    pub(super) fn notice(&self, n: &NoticeInfo) -> String {
        format!("{}  {}  {} (row {})", seconds(n.at), n.table, self.notice_text(n), n.row)
    }

    fn notice_text(&self, n: &NoticeInfo) -> String {
        let kind = n.kind.strip_prefix("notice.").unwrap_or(&n.kind);
        let mut text = format!("notice {kind}{}", list(":", &n.squares));
        push(&mut text, "", &n.side);
        push(&mut text, "", &n.not_covered);
        push(&mut text, "", &n.set_up.join("; "));
        self.paint("33", &text)
    }

    /// A line that must not be missed.
    pub(super) fn alarm(&self, text: &str) -> String {
        self.paint("31", text)
    }

    fn at_board(&self, board: &str) -> String {
        if self.boards.len() > 1 { format!("{board}  ") } else { String::new() }
    }

    fn at_table(&self, table: &str) -> String {
        if self.tables.len() > 1 { format!("{table}  ") } else { String::new() }
    }

    fn paint(&self, style: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

fn port(p: &PortSeen) -> String {
    let mut text = format!("{} {} {}", p.board, p.path, p.state);
    if !p.detail.is_empty() {
        let _ = write!(text, " ({})", p.detail);
    }
    text
}

/// `journal (table t1): no room is left`.
fn fault(f: &FaultSeen) -> String {
    let kind = f.kind.strip_prefix("fault.").unwrap_or(&f.kind);
    let place = match (f.table.as_str(), f.board.as_str()) {
        ("", "") => String::new(),
        ("", board) => format!(" (board {board})"),
        (table, _) => format!(" (table {table})"),
    };
    format!("{kind}{place}: {}", f.detail)
}

fn board(b: &BoardSeen) -> String {
    let mut text = format!("{} at {}: {}", b.family, b.port, b.state);
    if b.link != "unknown" {
        push(&mut text, "link ", b.link);
    }
    push(&mut text, "serial ", &b.serial);
    push(&mut text, "firmware ", &b.firmware);
    text
}

fn table(t: &TableSeen) -> String {
    format!(
        "on board {}, {} as {}: {}{}; half-moves: {}; result {}",
        t.board,
        t.rulebook,
        t.observer,
        t.state,
        list(", differing", &t.differing),
        t.moves.len(),
        t.result
    )
}

fn restored(remaining: u64, taken_back: &[String], clock: Option<(u64, u64)>, reopened: bool) -> String {
    let mut text = format!("the arbiter restores the position after {remaining} half-moves");
    if reopened {
        text.push_str("; the game goes on");
    }
    text.push_str(&list("; taken back", taken_back));
    if let Some((white, black)) = clock {
        let _ = write!(text, "; clock then: White {}, Black {}", duration(white), duration(black));
    }
    text
}

fn clock(c: &ClockSeen) -> String {
    if c.connected != "connected" {
        return format!("clock {}", c.connected);
    }
    let mut text = format!("clock White {} Black {}", duration(c.white_ms), duration(c.black_ms));
    match c.running.as_str() {
        "" => text.push_str(", stopped"),
        side => push(&mut text, "running: ", side),
    }
    text.push_str(&list(", flag down:", &c.flags));
    text
}

/// `white lifted Bb2 (between 12.045 and 12.345)`: the colour is that of the piece; whose hand it
/// was, no board can see.
fn touched(what: &str, piece: &str, square: &str, earliest: u64, latest: u64) -> String {
    let side = if piece.chars().all(char::is_uppercase) { "white" } else { "black" };
    format!("{side} {what} {}{square}{}", piece.to_uppercase(), between(earliest, latest))
}

fn between(earliest: u64, latest: u64) -> String {
    if earliest == latest {
        return String::new();
    }
    format!(" (between {} and {})", seconds(earliest), seconds(latest))
}

/// Microseconds as seconds with three decimals.
fn seconds(micros: u64) -> String {
    format!("{}.{:03}", micros / 1_000_000, micros / 1000 % 1000)
}

/// Milliseconds as hours, minutes and seconds, as a clock shows them.
fn duration(millis: u64) -> String {
    let s = millis / 1000;
    match s / 3600 {
        0 => format!("{}:{:02}", s / 60, s % 60),
        hours => format!("{hours}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}

fn push(text: &mut String, label: &str, value: &str) {
    if !value.is_empty() {
        let _ = write!(text, ", {label}{value}");
    }
}

fn list(label: &str, items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!("{label} {}", items.join(" ")) }
}

fn join<T>(items: &[T], separator: &str, f: impl Fn(&T) -> String) -> String {
    items.iter().map(f).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARRIVED: Mono = Mono::from_millis(12_400);

    fn lifted(board: &str) -> Seen {
        Seen::Lifted {
            board: board.to_owned(),
            square: "b2".to_owned(),
            piece: "B".to_owned(),
            earliest: 12_045_000,
            latest: 12_345_000,
        }
    }

    fn port(board: &str) -> PortSeen {
        PortSeen {
            board: board.to_owned(),
            path: "/dev/ttyUSB0".to_owned(),
            state: "open".to_owned(),
            detail: String::new(),
        }
    }

    #[test]
    fn a_lift_says_between_which_moments_it_happened() {
        let line = Lines::new(false).seen(&lifted("b"), ARRIVED);
        assert_eq!(line.as_deref(), Some("12.345  white lifted Bb2 (between 12.045 and 12.345)"));
    }

    #[test]
    fn a_board_is_named_where_there_are_several() {
        let mut lines = Lines::new(false);
        let ports = Seen::Ports { ports: vec![port("one"), port("two")] };
        let line = lines.seen(&ports, ARRIVED);
        let all = "12.400  ports: one /dev/ttyUSB0 open, two /dev/ttyUSB0 open";
        assert_eq!(line.as_deref(), Some(all));
        let line = lines.seen(&lifted("two"), ARRIVED);
        assert_eq!(line.as_deref(), Some("12.345  two  white lifted Bb2 (between 12.045 and 12.345)"));
    }

    #[test]
    fn an_exact_moment_needs_no_bounds() {
        let seen =
            Seen::Pressed { table: "t".to_owned(), by: "black".to_owned(), earliest: 1_000, latest: 1_000 };
        let line = Lines::new(false).seen(&seen, ARRIVED);
        assert_eq!(line.as_deref(), Some("0.001  black pressed the clock"));
    }

    #[test]
    fn colour_is_there_only_where_it_is_wanted() {
        assert_eq!(
            Lines::new(false).seen(&Seen::Gone, ARRIVED).as_deref(),
            Some("12.400  arbiterd left the bus")
        );
        let line = Lines::new(true).seen(&Seen::Gone, ARRIVED);
        assert_eq!(line.as_deref(), Some("12.400  \x1b[33marbiterd left the bus\x1b[0m"));
    }

    #[test]
    fn a_fault_names_its_place_and_its_end_is_told() {
        let fault = FaultSeen {
            kind: "fault.journal".to_owned(),
            table: "t1".to_owned(),
            board: String::new(),
            detail: "no room is left".to_owned(),
        };
        let line = Lines::new(false).seen(&Seen::Faults { faults: vec![fault] }, ARRIVED);
        assert_eq!(line.as_deref(), Some("12.400  wrong: journal (table t1): no room is left"));
        let line = Lines::new(false).seen(&Seen::Faults { faults: Vec::new() }, ARRIVED);
        assert_eq!(line.as_deref(), Some("12.400  nothing is wrong with arbiterd any more"));
    }

    #[test]
    fn times_are_read_as_on_a_clock() {
        assert_eq!(duration(120_000), "2:00");
        assert_eq!(duration(5_403_999), "1:30:03");
    }
}
