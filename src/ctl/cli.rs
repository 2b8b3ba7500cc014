// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line of `arbiterctl`.

use clap::{Parser, Subcommand};

use super::{decode, rehearse, simulate, soak};
use crate::client::BusAddress;
use crate::table::{Claim, Speaker};
use arbiterd_board::Colour;

const EXAMPLES: &str = "\
Examples:
  arbiterctl monitor
      Show what happens at all tables, as it happens.
  arbiterctl --json rulings --since 17
      Rulings after row 17 of the ledger, one JSON object a line.
  arbiterctl notices --table table-1
      What a person should have looked at, at this table.
  arbiterctl claim table-1 --by white illegal-move
      White claims that his opponent completed an illegal move.
  arbiterctl confirm table-1 3
      The arbiter gives ruling 3, which was only proposed.
  arbiterctl accept-board table-1 --turn black
      Back in step: what stands is the position, Black to move.
  arbiterctl accept-board table-1 --turn white --orientation turned --castling KQ
      The same where nobody knows which way round the board stands; only White may still castle.
  arbiterctl restore table-1 24
      The position after 24 half-moves is put back; a game that was over goes on.
  arbiterctl set-moves table-1 --after 24 e1g1 f8e7 f1e1
      After 24 half-moves these were played, which the board did not tell.
  arbiterctl correct table-1 31 a7a8n
      Half-move 31 was the promotion to a knight; what was played after it stays.
  arbiterctl simulate dgt --link /tmp/board --play game.pgn
      A board that is not there, for any program that reads boards; there is a millennium too.
  arbiterctl rehearse cases/
      Try the cases of a folder, without any board or service, before a tournament.
  arbiterctl rehearse --rulebook club-standard.toml laws.toml
      Try the scenarios of a file under an organiser's own rulebook.
  arbiterctl --json rehearse --due sensing cases/
      Only what is due with the sensing can fail; one JSON object for each case.
  arbiterctl soak --games 500 --seed 7
      How well what hands do at boards is understood: games that are known, in virtual time.
  arbiterctl --bus unix:path=/tmp/bus monitor
      Watch a service on a bus of its own.

Exit codes: 0 done, 1 an error, 2 wrong usage.";

/// Watch the tables that arbiterd serves, read its rulings and bring claims forward.
#[derive(Debug, Parser)]
#[command(name = "arbiterctl", version, after_help = EXAMPLES)]
pub(super) struct Cli {
    /// The message bus: system, session or an address
    #[arg(long, global = true, default_value = "system", value_name = "BUS")]
    pub(super) bus: BusAddress,
    /// One JSON object a line instead of text for people
    #[arg(long, global = true)]
    pub(super) json: bool,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show what happens, as it happens, beginning with the present state
    Monitor,
    /// Show rulings of the ledger
    Rulings {
        /// Only rulings after this row
        #[arg(long, default_value_t = 0, value_name = "ROW")]
        since: u64,
        /// Only rulings of this table
        #[arg(long)]
        table: Option<String>,
        /// At most so many
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Show notices that were given
    Notices {
        /// Only notices after this row; rows of notices are counted for themselves
        #[arg(long, default_value_t = 0, value_name = "ROW")]
        since: u64,
        /// Only notices of this table
        #[arg(long)]
        table: Option<String>,
        /// At most so many
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Bring a claim forward at a table
    Claim {
        /// The table
        table: String,
        /// Who claims: white, black or arbiter
        #[arg(long, value_parser = speaker)]
        by: Speaker,
        /// What is claimed: illegal-move, touch-move or flag
        what: Claim,
    },
    /// Give a proposed ruling: what follows from it follows now
    Confirm {
        /// The table
        table: String,
        /// The ruling's number at the table
        ruling: u64,
    },
    /// Set a proposed ruling aside: nothing follows from it
    Overrule {
        /// The table
        table: String,
        /// The ruling's number at the table
        ruling: u64,
    },
    /// Take what stands on the board as the position: the way back when a table is out of step
    ///
    /// Who could castle before still may, as long as his king and that rook stand on their squares, unless
    /// --castling says otherwise. Nothing can be taken in passing. Completed moves stay in the record.
    AcceptBoard {
        /// The table
        table: String,
        /// Who has the move: white or black
        #[arg(long, value_parser = player)]
        turn: Colour,
        /// Which way round the board stands, where that is not known yet: normal or turned
        #[arg(long, value_parser = turned, value_name = "WAY")]
        orientation: Option<Turned>,
        /// Who may still castle, as in a FEN: KQkq and the like, or - for nobody
        #[arg(long, allow_hyphen_values = true, value_name = "RIGHTS")]
        castling: Option<String>,
    },
    /// Put the position after so many half-moves back: the record is taken back to it
    ///
    /// The half-moves after it fall, and so does what was proposed about them. What the clocks showed then
    /// is told where it is known. A game that was over goes on, and what ended it does not stand.
    Restore {
        /// The table
        table: String,
        /// How many half-moves remain in the record; 0 for the position at the start
        plies: u32,
    },
    /// Say which half-moves were played, where the board did not tell
    ///
    /// They take the place of all that the record has after --after. Nothing is ruled from who touched what
    /// in them.
    SetMoves {
        /// The table
        table: String,
        /// How many half-moves of the record stay
        #[arg(long, value_name = "PLIES")]
        after: u32,
        /// What was played after them, in UCI notation: e2e4 e7e8q; castling as the table writes it
        #[arg(required = true)]
        moves: Vec<String>,
    },
    /// Say that one half-move was another, such as another promotion; those after it stay
    Correct {
        /// The table
        table: String,
        /// Which half-move: 1 for the first
        ply: u32,
        /// What it was, in UCI notation
        uci: String,
    },
    /// Say what the bytes of a line mean
    Decode {
        #[command(subcommand)]
        family: decode::Family,
    },
    /// Try cases and scenarios of the Laws against the rules of the service, in no time
    Rehearse(rehearse::Args),
    /// Play games that are known against the core, with people's hands, and count what it gets wrong
    Soak(soak::SoakArgs),
    /// Be a board: make a pseudo terminal that answers any host program as a real board would
    Simulate {
        #[command(subcommand)]
        family: simulate::Family,
    },
}

/// Whether a board stands turned round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turned(pub(super) bool);

fn turned(word: &str) -> Result<Turned, String> {
    match word {
        "normal" => Ok(Turned(false)),
        "turned" => Ok(Turned(true)),
        _ => Err("give normal or turned".to_owned()),
    }
}

fn player(word: &str) -> Result<Colour, String> {
    match word {
        "white" => Ok(Colour::White),
        "black" => Ok(Colour::Black),
        _ => Err("give white or black".to_owned()),
    }
}

fn speaker(word: &str) -> Result<Speaker, String> {
    match word {
        "white" => Ok(Speaker::Player(Colour::White)),
        "black" => Ok(Speaker::Player(Colour::Black)),
        "arbiter" => Ok(Speaker::Arbiter),
        _ => Err("give white, black or arbiter".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_examples_are_understood() {
        for line in EXAMPLES.lines().filter_map(|l| l.strip_prefix("  arbiterctl")) {
            let words = std::iter::once("arbiterctl").chain(line.split_whitespace());
            assert!(Cli::try_parse_from(words).is_ok(), "{line}");
        }
    }

    #[test]
    fn wrong_words_are_wrong_usage() {
        for line in [
            "claim t --by green flag",
            "claim t --by white win",
            "monitor --bus nowhere",
            "",
            "accept-board t --turn white --orientation left",
            "restore t",
            "restore t -1",
            "set-moves t --after 3",
            "set-moves t e2e4",
            "correct t first e2e4",
        ] {
            let words = std::iter::once("arbiterctl").chain(line.split_whitespace());
            let error = Cli::try_parse_from(words).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
