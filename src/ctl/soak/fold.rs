// SPDX-License-Identifier: GPL-3.0-or-later
//! Bytes as people can read them: what repeats is told once and counted, and of a long stretch of which
//! nothing came only the ends are shown.

use arbiterd_board::Mono;

use super::trace::{Entry, What};

/// No message of a board is longer by much.
const LONGEST_PERIOD: usize = 128;
/// Fewer equal bytes than this are read as easily as their number.
const EQUAL: usize = 4;
/// The same for repeated messages, in bytes.
const REPEATED: usize = 12;
/// Of more groups than these together the middle is left out.
const HEAD: usize = 24;
const TAIL: usize = 12;
/// The same for the lines of a stretch in which nothing was told.
const FIRST: usize = 2;
const LAST: usize = 2;

/// All lines, with the stretches between what was told folded.
pub(super) fn folded(entries: &[Entry]) -> Vec<String> {
    let mut lines = Vec::new();
    for stretch in entries.chunk_by(|a, b| a.is_idle() && b.is_idle()) {
        let joined = join(stretch);
        match joined.len().checked_sub(FIRST + LAST).filter(|between| *between > 1) {
            None => lines.extend(joined.iter().map(Entry::folded)),
            Some(between) => {
                let (first, rest) = joined.split_at(FIRST);
                let (middle, last) = rest.split_at(between);
                lines.extend(first.iter().map(Entry::folded));
                lines.extend(left_out(middle));
                lines.extend(last.iter().map(Entry::folded));
            }
        }
    }
    lines
}

/// Portions that followed each other in one direction are one line, with the moment of the first.
fn join(stretch: &[Entry]) -> Vec<Entry> {
    let mut joined: Vec<Entry> = Vec::new();
    for entry in stretch {
        if let What::Bytes(way, more) = &entry.what
            && let Some(Entry { what: What::Bytes(last, bytes), .. }) = joined.last_mut()
            && way == last
        {
            bytes.extend(more);
        } else {
            joined.push(entry.clone());
        }
    }
    joined
}

fn left_out(middle: &[Entry]) -> Option<String> {
    let at: Mono = middle.first()?.at;
    let bytes = |wanted: char| -> usize {
        let of = |entry: &Entry| match &entry.what {
            What::Bytes(way, bytes) if *way == wanted => bytes.len(),
            _ => 0,
        };
        middle.iter().map(of).sum()
    };
    let same = middle.iter().filter(|entry| matches!(entry.what, What::Again(_))).count();
    let (from, to) = (bytes('<'), bytes('>'));
    let again = if same > 0 { format!(", {same} times all of it as before") } else { String::new() };
    Some(format!("{at}         ({from} bytes from the board, {to} to it{again})"))
}

/// Some bytes, and how they are shown.
struct Group {
    text: String,
    bytes: usize,
}

/// `86 00 43 07 x8 [41 42] x9 (120 bytes more) 03 02`
pub(super) fn bytes(all: &[u8]) -> String {
    let groups = groups(all);
    let text = |groups: &[Group]| groups.iter().map(|g| g.text.as_str()).collect::<Vec<_>>().join(" ");
    let Some(between) = groups.len().checked_sub(HEAD + TAIL).filter(|between| *between > 1) else {
        return text(&groups);
    };
    let (head, rest) = groups.split_at(HEAD);
    let (middle, tail) = rest.split_at(between);
    let left_out: usize = middle.iter().map(|group| group.bytes).sum();
    format!("{} ({left_out} bytes more) {}", text(head), text(tail))
}

fn groups(mut rest: &[u8]) -> Vec<Group> {
    let mut groups = Vec::new();
    while let Some(first) = rest.first() {
        let (period, times) = repetition(rest).unwrap_or((1, 1));
        let text = match (period, times) {
            (_, 1) => hex(*first),
            (1, _) => format!("{} x{times}", hex(*first)),
            _ => format!("[{}] x{times}", equal_bytes_counted(rest.get(..period).unwrap_or_default())),
        };
        let (_, after) = rest.split_at(period * times);
        rest = after;
        groups.push(Group { text, bytes: period * times });
    }
    groups
}

/// With how many bytes it begins that repeat at once, and how often they are there: what covers most.
fn repetition(bytes: &[u8]) -> Option<(usize, usize)> {
    let longest = LONGEST_PERIOD.min(bytes.len() / 2);
    let all = (1..=longest).map(|period| {
        let mut chunks = bytes.chunks_exact(period);
        let first = chunks.next();
        (period, 1 + chunks.take_while(|chunk| Some(*chunk) == first).count())
    });
    let worth = |(period, times): &(usize, usize)| match period {
        1 => *times >= EQUAL,
        _ => *times > 1 && period * times >= REPEATED,
    };
    // Of two that cover as much the shorter says more.
    all.filter(worth).max_by_key(|(period, times)| (period * times, usize::MAX - period))
}

fn equal_bytes_counted(bytes: &[u8]) -> String {
    let runs = bytes.chunk_by(|a, b| a == b).map(|run| {
        let each: Vec<String> = run.iter().map(|byte| hex(*byte)).collect();
        match each.first() {
            Some(first) if each.len() >= EQUAL => format!("{first} x{}", each.len()),
            _ => each.join(" "),
        }
    });
    runs.collect::<Vec<_>>().join(" ")
}

fn hex(byte: u8) -> String {
    format!("{byte:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_counted_and_few_are_shown() {
        assert_eq!(bytes(&[0x86, 0, 0x43, 7, 7, 7, 7, 7, 1, 1]), "86 00 43 07 x5 01 01");
        assert_eq!(bytes(&[]), "");
    }

    #[test]
    fn a_message_that_comes_again_is_shown_once() {
        let message = [0x73, 0x52, 0xae, 0xae, 0xae, 0xae, 0xae, 0x70];
        let three: Vec<u8> = message.iter().cycle().take(24).copied().chain([0x58]).collect();
        assert_eq!(bytes(&three), "[73 52 ae x5 70] x3 58");
    }

    #[test]
    fn what_is_left_out_is_counted_to_the_byte() {
        let all: Vec<u8> = (0..=99).collect();
        let text = bytes(&all);
        let shown = text.split(' ').filter(|word| word.len() == 2 && !word.starts_with('(')).count();
        assert_eq!(shown, HEAD + TAIL, "{text}");
        assert!(text.contains(&format!("({} bytes more)", 100 - HEAD - TAIL)), "{text}");
        assert!(text.starts_with("00 01 02") && text.ends_with("61 62 63"), "{text}");
    }

    fn entry(millis: u64, what: What) -> Entry {
        Entry { at: Mono::from_millis(millis), what }
    }

    #[test]
    fn of_a_long_stretch_without_a_report_the_ends_are_shown() {
        let mut entries = vec![entry(1, What::Line("e2 .".to_owned()))];
        for n in 0..10 {
            entries.push(entry(10 + n, What::Bytes('>', vec![0x42])));
            entries.push(entry(10 + n, What::Bytes('<', vec![0x86, 0])));
            entries.push(entry(10 + n, What::Bytes('<', vec![0x43])));
        }
        entries.push(entry(30, What::Again("board 8".to_owned())));
        entries.push(entry(31, What::Line("e4 P".to_owned())));
        let lines = folded(&entries);
        assert_eq!(
            lines,
            [
                "0.001 e2 .",
                "0.010         > 42",
                "0.010         < 86 00 43",
                "0.011         (24 bytes from the board, 9 to it)",
                "0.019         < 86 00 43",
                "0.030 board 8",
                "0.031 e4 P",
            ]
        );
    }

    #[test]
    fn a_board_that_shows_the_same_is_counted_where_it_is_left_out() {
        let board = entry(1, What::Again("board 8".to_owned()));
        let lines =
            folded(&[board.clone(), board.clone(), board.clone(), board.clone(), board.clone(), board]);
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[2], "0.001         (0 bytes from the board, 0 to it, 2 times all of it as before)");
    }

    #[test]
    fn a_short_stretch_is_shown_as_it_is() {
        let entries = [
            entry(1, What::Bytes('>', vec![0x42])),
            entry(2, What::Bytes('<', vec![0x86])),
            entry(3, What::Again("board 8".to_owned())),
        ];
        assert_eq!(folded(&entries), ["0.001         > 42", "0.002         < 86", "0.003 board 8"]);
    }
}
