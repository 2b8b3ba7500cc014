// SPDX-License-Identifier: GPL-3.0-or-later
//! What `arbiterctl simulate` tells.

use serde::Serialize;

/// Something to tell, as JSON or as people read it. Boards are named by their serial numbers,
/// or counted where they have none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Told {
    /// The boards can be opened here.
    Plugged { terminal: String, link: Option<String>, boards: Vec<String> },
    /// The port is gone.
    Unplugged,
    /// A host has asked for the position and hears of changes.
    Asked { board: String },
    /// A host did harm. People are shown the command in their own form.
    Harmful {
        board: String,
        command: String,
        #[serde(skip)]
        shown: String,
        what: &'static str,
    },
    /// A host did what no host should.
    Misuse { board: String, misuse: &'static str, what: String },
    /// The board does not answer any more, or does again.
    Condition { board: String, condition: &'static str, what: &'static str },
    /// A host sent faster than the board takes it in.
    LostInput { board: String, bytes: u64 },
    /// A host has the port open and does not read what comes.
    LostOutput,
    /// A hand did something.
    Hand { board: String, act: String },
    /// A move of the game begins.
    Move { board: String, number: u32, by: &'static str, san: String },
    /// The game is over.
    Played { board: String, moves: usize },
    /// The input of the hands has ended; the boards stay.
    HandsEnded,
    /// A line of the hands was obeyed.
    Ok { line: String },
    /// A line of the hands was not.
    Error { line: String, error: String },
}

impl Told {
    /// Whether it is to be seen among everything else.
    pub(super) const fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::Harmful { .. }
                | Self::Misuse { .. }
                | Self::LostInput { .. }
                | Self::LostOutput
                | Self::Unplugged
        )
    }

    /// The line for people.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Plugged { terminal, .. } => terminal.clone(),
            Self::Unplugged => "WARNING: the port is closed, as if the cable were pulled".to_owned(),
            Self::Asked { board } => format!("board {board}: a host asked what stands on it"),
            Self::Harmful { board, shown, what, .. } => {
                format!("WARNING: board {board}: the host sent {shown}, which harms a real board: {what}")
            }
            Self::Misuse { board, what, .. } => format!("WARNING: board {board}: {what}"),
            Self::Condition { board, what, .. } => format!("board {board}: {what}"),
            Self::LostInput { board, bytes } => {
                format!(
                    "WARNING: board {board}: {bytes} bytes of the host were lost; it must wait for answers"
                )
            }
            Self::LostOutput => "WARNING: the host does not read: what boards say to it is lost".to_owned(),
            Self::Hand { board, act } => format!("board {board}: {act}"),
            Self::Move { board, number, by, san } => {
                let dots = if *by == "white" { "." } else { "..." };
                format!("board {board}: {number}{dots} {san}")
            }
            Self::Played { board, moves } => format!("board {board}: the game is over after {moves} moves"),
            Self::HandsEnded => "the hands have ended; the board stays and answers until Ctrl-C".to_owned(),
            Self::Ok { .. } => "ok".to_owned(),
            Self::Error { error, .. } => format!("error: {error}"),
        }
    }
}
