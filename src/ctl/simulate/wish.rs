// SPDX-License-Identifier: GPL-3.0-or-later
//! What hands are told to do, a line each.

use std::str::FromStr;
use std::time::Duration;

use arbiterd_board::simulator::ParseFaultError;
use arbiterd_board::{ClockButton, ClockSide, Piece, Placement, Square};

use crate::sim::Act;

/// What a line asks for, with the faults of a family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Wish<F> {
    Act(Act),
    /// Buttons of the clock that are held at the same time.
    Buttons(Vec<ClockButton>),
    Position(Placement),
    Fault(F),
    /// Switched off and on.
    Power,
    /// The next lines are for the board of this name.
    Board(String),
    Plug,
    Unplug,
    Quit,
}

const VERBS: &str =
    "lift, place, press, start, stop, times, button, position, fault, board, power, unplug, plug and quit";

impl<F: FromStr<Err = ParseFaultError>> Wish<F> {
    /// Reads a line; what is wrong is said with what to write instead. `board` reads the name of a
    /// board.
    pub(super) fn read(line: &str, board: fn(&str) -> Result<String, String>) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match *words.as_slice() {
            ["lift", on] => Self::Act(Act::Lift(square(on)?)),
            ["place", on, what] => Self::Act(Act::Place(square(on)?, piece(what)?)),
            ["press", "left"] => Self::Act(Act::Press(ClockSide::Left)),
            ["press", "right"] => Self::Act(Act::Press(ClockSide::Right)),
            ["start"] => Self::Act(Act::Start),
            ["stop"] => Self::Act(Act::Stop),
            ["times", left, right] => Self::Act(Act::SetTimes { left: time(left)?, right: time(right)? }),
            ["button", first, ref more @ ..] => Self::Buttons(
                std::iter::once(first).chain(more.iter().copied()).map(button).collect::<Result<_, _>>()?,
            ),
            ["position", placement, ..] => Self::Position(
                placement.parse().map_err(|_| format!("{placement:?} is no placement of a FEN"))?,
            ),
            ["fault", fault] => Self::Fault(fault.parse::<F>().map_err(|e| e.to_string())?),
            ["board", number] => Self::Board(board(number)?),
            ["power"] => Self::Power,
            ["plug"] => Self::Plug,
            ["unplug"] => Self::Unplug,
            ["quit"] => Self::Quit,
            _ => return Err(usage(words.first().copied().unwrap_or_default())),
        })
    }
}

/// What a wish for a clock is answered where there is none.
pub(super) const NO_CLOCK: &str = "the board has no clock";

/// What a wish for a piece is answered where there is none.
pub(super) fn nothing_on(square: Square) -> String {
    format!("nothing stands on {square}")
}

fn usage(verb: &str) -> String {
    let form = match verb {
        "lift" => "lift e2",
        "place" => "place e4 P",
        "press" => "press left or press right",
        "times" => "times 1:30:00 1:30:00, left and right",
        "button" => "button and back, minus, run, plus or ok, several if they are held together",
        "position" => "position and the placement of a FEN",
        "fault" => "fault and its name, such as fault clock=out",
        "board" => "board and its serial number",
        "start" | "stop" | "power" | "plug" | "unplug" | "quit" => return format!("write {verb} alone"),
        _ => return format!("{verb:?} is not known; there are {VERBS}"),
    };
    format!("write {form}")
}

fn square(text: &str) -> Result<Square, String> {
    text.parse().map_err(|_| format!("{text:?} is no square; write one such as e4"))
}

fn button(text: &str) -> Result<ClockButton, String> {
    Ok(match text {
        "back" => ClockButton::Back,
        "minus" => ClockButton::Minus,
        "run" => ClockButton::Run,
        "plus" => ClockButton::Plus,
        "ok" => ClockButton::Ok,
        _ => return Err(format!("{text:?} is no button; write back, minus, run, plus or ok")),
    })
}

fn piece(text: &str) -> Result<Piece, String> {
    let mut letters = text.chars();
    match (letters.next().and_then(Piece::from_letter), letters.next()) {
        (Some(piece), None) => Ok(piece),
        _ => Err(format!("{text:?} is no piece; write PNBRQK for White's, pnbrqk for Black's")),
    }
}

/// `h:mm:ss`, as clocks show it.
fn time(text: &str) -> Result<Duration, String> {
    let read = || {
        let (hours, rest) = text.split_once(':')?;
        let (minutes, seconds) = rest.split_once(':')?;
        let below = |text: &str, limit: u64| text.parse::<u64>().ok().filter(|n| *n < limit);
        let (hours, minutes, seconds) = (below(hours, 10)?, below(minutes, 60)?, below(seconds, 60)?);
        Some(Duration::from_secs(hours * 3600 + minutes * 60 + seconds))
    };
    read().ok_or_else(|| format!("{text:?} is no time of a clock; write one such as 1:30:00"))
}

#[cfg(test)]
mod tests {
    use arbiterd_dgt::simulator::Fault;

    use super::*;

    fn read(line: &str) -> Result<Wish<Fault>, String> {
        Wish::read(line, |name| Ok(name.to_owned()))
    }

    #[test]
    fn lines_are_read() {
        let e2: Square = "e2".parse().unwrap();
        assert_eq!(read("lift e2"), Ok(Wish::Act(Act::Lift(e2))));
        assert_eq!(read(" place  e2 n "), Ok(Wish::Act(Act::Place(e2, Piece::from_letter('n').unwrap()))));
        let times = Act::SetTimes { left: Duration::from_secs(5_400), right: Duration::from_secs(59) };
        assert_eq!(read("times 1:30:00 0:00:59"), Ok(Wish::Act(times)));
        assert_eq!(read("board 02050"), Ok(Wish::Board("02050".to_owned())));
        assert!(matches!(read("fault clock=out"), Ok(Wish::Fault(_))));
        assert_eq!(read("button ok"), Ok(Wish::Buttons(vec![ClockButton::Ok])));
        let held = vec![ClockButton::Back, ClockButton::Minus, ClockButton::Run, ClockButton::Plus];
        assert_eq!(read("button back minus run plus"), Ok(Wish::Buttons(held)));
    }

    #[test]
    fn wrong_lines_are_told_what_to_write() {
        for (line, said) in [
            ("lift", "write lift e2"),
            ("lift i9", "such as e4"),
            ("place e4 x", "PNBRQK"),
            ("place e4 PP", "PNBRQK"),
            ("press up", "press left"),
            ("times 1:30 0:59", "such as 1:30:00"),
            ("times 1:60:00 0:00:59", "such as 1:30:00"),
            ("fault gremlin", "there are drop"),
            ("button", "write button and back"),
            ("button plus lever", "\"lever\" is no button"),
            ("quit now", "quit alone"),
            ("dance", "there are lift"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
