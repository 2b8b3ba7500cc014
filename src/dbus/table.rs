// SPDX-License-Identifier: GPL-3.0-or-later
//! `org.arbiterd.Arbiter1.Table`.

use std::collections::HashMap;

use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::{Connection, OwnedObjectPath, OwnedVariant, interface};

use super::TableInfo;
use super::authorize::Question;
use super::call::{Call, CallError, Desk, Failure, Options};
use super::dict::{Dict, squares};
use super::names::board_path;
use super::shown::{Changes, Shown};
use crate::table::{Claim, Command, GameResult, MoveView, Speaker, TableState};
use arbiterd_board::Colour;

/// What a table shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TableShown {
    board: OwnedObjectPath,
    rulebook: String,
    observer: String,
    state: String,
    differing: Vec<String>,
    /// The position before the first move, then after each: a position that moves were taken
    /// back to is one that was told before.
    fens: Vec<String>,
    fen: String,
    moves: Vec<String>,
    result: String,
    revision: u64,
}

impl TableShown {
    pub(super) fn new(info: &TableInfo) -> Self {
        Self {
            board: board_path(&info.board),
            rulebook: info.rulebook.clone(),
            observer: info.observer.clone(),
            state: TableState::NoBoard.word().to_owned(),
            differing: Vec::new(),
            fens: vec![info.start_fen.clone()],
            fen: info.start_fen.clone(),
            moves: Vec::new(),
            result: GameResult::Open.pgn().to_owned(),
            revision: 0,
        }
    }

    pub(super) fn set_revision(&mut self, changes: &mut Changes, revision: Option<u64>) {
        if let Some(revision) = revision {
            changes.set("Revision", &mut self.revision, revision);
        }
    }

    pub(super) fn set_state(&mut self, changes: &mut Changes, state: &TableState) {
        changes.set("State", &mut self.state, state.word().to_owned());
        changes.set("Differing", &mut self.differing, squares(state.differing()));
    }

    pub(super) fn set_result(&mut self, changes: &mut Changes, result: GameResult) {
        changes.set("Result", &mut self.result, result.pgn().to_owned());
    }

    pub(super) fn add_move(&mut self, changes: &mut Changes, m: &MoveView) {
        self.moves.push(m.uci.clone());
        self.fens.push(m.fen.clone());
        changes.invalidate("Moves");
        changes.set("Fen", &mut self.fen, m.fen.clone());
    }

    pub(super) fn accept(&mut self, changes: &mut Changes, fen: &str) {
        // Play that is taken back to here comes back to this.
        if let Some(last) = self.fens.last_mut() {
            fen.clone_into(last);
        }
        changes.set("Fen", &mut self.fen, fen.to_owned());
    }

    pub(super) fn take_back(&mut self, changes: &mut Changes, remaining: usize) {
        self.moves.truncate(remaining);
        self.fens.truncate(remaining.saturating_add(1));
        changes.invalidate("Moves");
        if let Some(fen) = self.fens.last() {
            changes.set("Fen", &mut self.fen, fen.clone());
        }
    }
}

pub(super) struct Table {
    pub(super) id: String,
    pub(super) shown: Shown<TableShown>,
    pub(super) desk: Desk,
}

impl Table {
    async fn command(
        &self,
        header: &Header<'_>,
        connection: &Connection,
        command: Command,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<u64, Failure> {
        Options::new(options).finish("none")?;
        self.tell(header, connection, command).await
    }

    async fn tell(
        &self,
        header: &Header<'_>,
        connection: &Connection,
        command: Command,
    ) -> Result<u64, Failure> {
        let question = Question::new(Speaker::Arbiter, &self.id);
        let sender = self.desk.admit(connection, header, question).await?;
        let table = self.id.clone();
        Ok(self.desk.ask(|reply| Call::Command { table, command, sender, reply }).await?)
    }
}

fn speaker_from(word: &str) -> Result<Speaker, Failure> {
    match word {
        "white" => Ok(Speaker::Player(Colour::White)),
        "black" => Ok(Speaker::Player(Colour::Black)),
        "arbiter" => Ok(Speaker::Arbiter),
        _ => Err(Failure::invalid_args(format!("by must be white, black or arbiter, not {word:?}"))),
    }
}

fn turned_from(word: &str) -> Result<bool, Failure> {
    match word {
        "normal" => Ok(false),
        "turned" => Ok(true),
        _ => Err(Failure::invalid_args(format!("orientation must be normal or turned, not {word:?}"))),
    }
}

/// A table: one board, one clock and the game on it.
#[interface(name = "org.arbiterd.Arbiter1.Table")]
impl Table {
    /// Brings a claim forward. It answers with the number of the fact that records the claim, once
    /// it is recorded; what comes of it follows as the signal `Ruled`, at the earliest when the
    /// evidence is complete.
    ///
    /// `by` is who claims: `white`, `black` or `arbiter`. `what` is `illegal-move`, `touch-move` or
    /// `flag`. `options` is for later versions: no key is known.
    ///
    /// The sender needs leave: for `org.arbiterd.arbiter1.claim` to speak for a player, for
    /// `org.arbiterd.arbiter1.rule` to speak as the arbiter.
    ///
    /// Errors: `org.freedesktop.DBus.Error.InvalidArgs` for a wrong `by` or an option;
    /// `org.arbiterd.Arbiter1.Error.UnknownClaim`; `org.arbiterd.Arbiter1.Error.NotAuthorized`;
    /// `org.arbiterd.Arbiter1.Error.NotCovered` for a claim on which this version does not rule;
    /// `org.arbiterd.Arbiter1.Error.JournalUnavailable` if it cannot be recorded now: it was heard
    /// and is kept, nothing comes of it before it is recorded, and it must not be brought forward
    /// again; `org.arbiterd.Arbiter1.Error.ShuttingDown`.
    #[zbus(out_args("fact"))]
    async fn claim(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
        by: &str,
        what: &str,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<u64, Failure> {
        let by = speaker_from(by)?;
        let claim: Claim =
            what.parse().map_err(|e: crate::table::UnknownClaim| CallError::UnknownClaim(e.to_string()))?;
        Options::new(options).finish("none")?;
        let sender = self.desk.admit(connection, &header, Question::new(by, &self.id)).await?;
        let table = self.id.clone();
        Ok(self.desk.ask(|reply| Call::Claim { table, by, claim, sender, reply }).await?)
    }

    /// Gives a proposed ruling: what follows from it follows now. `ruling` is its number at this
    /// table. It answers with the number of the fact that records this.
    ///
    /// The sender needs leave for `org.arbiterd.arbiter1.rule`.
    ///
    /// Errors: `org.arbiterd.Arbiter1.Error.Refused` if no such ruling waits, with what to do;
    /// `org.freedesktop.DBus.Error.InvalidArgs` for an option (none is known); `NotAuthorized`,
    /// `JournalUnavailable` and `ShuttingDown` as at `Claim`.
    #[zbus(out_args("fact"))]
    async fn confirm(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
        ruling: u64,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<u64, Failure> {
        self.command(&header, connection, Command::Confirm { ruling }, options).await
    }

    /// Sets a proposed ruling aside: nothing follows from it. Arguments, leave and errors as at
    /// `Confirm`.
    #[zbus(out_args("fact"))]
    async fn overrule(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
        ruling: u64,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<u64, Failure> {
        self.command(&header, connection, Command::Overrule { ruling }, options).await
    }

    /// Takes what stands on the board as the position, with `turn` (`white` or `black`) to move. Moves
    /// completed before stay in the record.
    ///
    /// Options: `orientation` (s), `normal` or `turned`: which way round the board stands, where the
    /// service does not know it yet or has it wrong; `castling` (s): who may still castle, as in a FEN,
    /// such as `KQk`, or `-` for nobody. Without it whoever could castle before may, as long as his king
    /// and that rook still stand on their squares.
    ///
    /// Leave and errors as at `Confirm`; `Refused` also if there is no board in sight, something on it is
    /// no chess piece, nobody knows which way round it stands, king or rook is not where `castling` needs
    /// it, or the game is over.
    #[zbus(out_args("fact"))]
    async fn accept_board(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
        turn: &str,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<u64, Failure> {
        let turn = match speaker_from(turn)? {
            Speaker::Player(turn) => turn,
            Speaker::Arbiter => return Err(Failure::invalid_args("turn must be white or black".to_owned())),
        };
        let mut options = Options::new(options);
        let turned =
            options.take::<String>("orientation", "s")?.map(|word| turned_from(&word)).transpose()?;
        let castling = options.take::<String>("castling", "s")?;
        options.finish("orientation, castling")?;
        let command = if turned.is_none() && castling.is_none() {
            Command::AcceptBoard { turn }
        } else {
            Command::AcceptBoardAs { turn, turned, castling }
        };
        self.tell(&header, connection, command).await
    }

    /// Puts the position after `plies` completed half-moves back (0: the position at the start): the
    /// record is taken back to it, and the pieces are to be set up so. A game that is over goes on, and
    /// what ended it does not stand any more. What was ruled or observed stays in the journal.
    ///
    /// `TakenBack` and `Restored` tell what fell and what the clocks showed then; a proposed ruling about
    /// a half-move that fell is told by `RulingDecided`.
    ///
    /// Leave and errors as at `Confirm`; `Refused` also if so many half-moves are not in the record, or
    /// the game has not begun.
    #[zbus(out_args("fact"))]
    async fn restore(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
        plies: u32,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<u64, Failure> {
        self.command(&header, connection, Command::Restore { plies }, options).await
    }

    /// Says which half-moves were played after the first `after` of the record, in place of those that it
    /// has there: what was missed. `moves` are in UCI notation, castling as in `Moves`. They are published
    /// as `Moved`, completed by the arbiter, after `TakenBack` if some stood there before.
    ///
    /// Leave and errors as at `Confirm`; `Refused` also for a move that is not legal, with its number and
    /// what is wrong with it, for no moves at all, if fewer than `after` half-moves are in the record, or
    /// if the game is over.
    #[zbus(out_args("fact"))]
    async fn set_moves(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
        after: u32,
        moves: Vec<String>,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<u64, Failure> {
        self.command(&header, connection, Command::SetMoves { after, moves }, options).await
    }

    /// Says that half-move `ply` (1 for the first) was `uci`, such as another promotion. Later half-moves
    /// stay. `TakenBack` is published, then `Moved` for it and for those after it.
    ///
    /// Leave and errors as at `Confirm`; `Refused` also if it is not legal there, with what is wrong; if
    /// one after it could not have been played then, with the first such; if it is not in the record; or
    /// if the game is over.
    #[zbus(out_args("fact"))]
    async fn correct_ply(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
        ply: u32,
        uci: &str,
        options: HashMap<String, OwnedVariant>,
    ) -> Result<u64, Failure> {
        let uci = uci.to_owned();
        self.command(&header, connection, Command::CorrectPly { ply, uci }, options).await
    }

    /// The board.
    #[zbus(property(emits_changed_signal = "const"))]
    fn board(&self) -> OwnedObjectPath {
        self.shown.with(|t| t.board.clone())
    }

    /// The identifier of the rulebook in force, such as `fide-2023-standard`.
    #[zbus(property(emits_changed_signal = "const"))]
    fn rulebook(&self) -> String {
        self.shown.with(|t| t.rulebook.clone())
    }

    /// How the service watches: `arbiter`, it rules where the rulebook lets an arbiter act by
    /// himself; `witness`, it rules on claims only; or a word of a later version.
    #[zbus(property)]
    fn observer(&self) -> String {
        self.shown.with(|t| t.observer.clone())
    }

    /// Where the table stands: `no-board`, `awaiting-position`, `in-step`, `restoring`,
    /// `out-of-step`, `over`, `board-lost`, or a word of a later version.
    #[zbus(property)]
    fn state(&self) -> String {
        self.shown.with(|t| t.state.clone())
    }

    /// The squares that differ from what should stand there, where the state knows of such.
    #[zbus(property)]
    fn differing(&self) -> Vec<String> {
        self.shown.with(|t| t.differing.clone())
    }

    /// The position after the last completed move, as FEN.
    #[zbus(property)]
    fn fen(&self) -> String {
        self.shown.with(|t| t.fen.clone())
    }

    /// The completed moves in UCI notation, castling by the king's squares.
    #[zbus(property(emits_changed_signal = "invalidates"))]
    fn moves(&self) -> Vec<String> {
        self.shown.with(|t| t.moves.clone())
    }

    /// The result: `*` while the game goes on, `1-0`, `0-1` or `1/2-1/2`.
    #[zbus(property)]
    fn result(&self) -> String {
        self.shown.with(|t| t.result.clone())
    }

    /// The revision of the game. Rulings name the revision that they apply to.
    #[zbus(property)]
    fn revision(&self) -> u64 {
        self.shown.with(|t| t.revision)
    }

    /// A claim was made. `by` is `white`, `black` or `arbiter`, `what` as in `Claim`; `fact` is the
    /// number of the fact that records it.
    #[zbus(signal)]
    pub(super) async fn claimed(
        emitter: &SignalEmitter<'_>,
        by: &str,
        what: &str,
        fact: u64,
    ) -> zbus::Result<()>;

    /// A player, `white` or `black`, pressed his clock, between `earliest` and `latest`,
    /// microseconds of CLOCK_MONOTONIC.
    #[zbus(signal)]
    pub(super) async fn pressed(
        emitter: &SignalEmitter<'_>,
        by: &str,
        earliest: u64,
        latest: u64,
    ) -> zbus::Result<()>;

    /// A move was completed and is in the record. `ply` counts half-moves, 1 for the first. Whether
    /// the move was legal is not said.
    ///
    /// Details: `by` (s) `white` or `black`; `uci` (s) the move; `completion` (u) how it was
    /// completed: 0 unknown, 1 by pressing the clock, 2 by the opponent's reply, 3 by the end of
    /// the game, 4 by the arbiter, who said that it was played; `fen` (s) the position after it; `white_ms` and `black_ms` (t) the clock, only
    /// where it is known.
    #[zbus(signal)]
    pub(super) async fn moved(emitter: &SignalEmitter<'_>, ply: u64, details: Dict) -> zbus::Result<()>;

    /// Moves were taken back by a ruling or by the arbiter, or are told anew after he corrected one; so many
    /// half-moves remain in the record.
    #[zbus(signal)]
    pub(super) async fn taken_back(emitter: &SignalEmitter<'_>, remaining: u64) -> zbus::Result<()>;

    /// The arbiter had the position after `remaining` half-moves put back.
    ///
    /// Details: `taken_back` (as) the half-moves that fell, in UCI notation, oldest first; `fen` (s) the
    /// position; `white_ms` and `black_ms` (t) what the clock showed then, only where it is known: which
    /// times to set is the arbiter's to judge; `reopened` (b) whether the game was over and goes on.
    #[zbus(signal)]
    pub(super) async fn restored(
        emitter: &SignalEmitter<'_>,
        remaining: u64,
        details: Dict,
    ) -> zbus::Result<()>;

    /// What became of a ruling: a person decided on a proposed one, the arbiter reopened the game that it
    /// had ended, or what it was about was taken out of the record. `ruling` is its number at this table,
    /// `standing`: 0 unknown, 1 in force, 2 confirmed, 3 overruled, 4 fallen.
    #[zbus(signal)]
    pub(super) async fn ruling_decided(
        emitter: &SignalEmitter<'_>,
        ruling: u64,
        standing: u32,
    ) -> zbus::Result<()>;

    /// The arbiter took what stands on the board as the position `fen`.
    #[zbus(signal)]
    pub(super) async fn board_accepted(emitter: &SignalEmitter<'_>, fen: &str) -> zbus::Result<()>;

    /// A ruling was given; it is recorded. `row` is its row in the ledger of all tables, `seq` its
    /// number at this table, `kind` such as `ruling.illegal-move`.
    ///
    /// Details, as in the ledger: `row` (t), `seq` (t), `table` (s), `revision` (t) of the game that
    /// it applies to, `rulebook` (s), `kind` (s), `articles` (as) in the rulebook's numbering,
    /// `offender` (s) `white`, `black` or empty; `authority` (u) 0 unknown, 1 final, 2 proposed: a
    /// person must confirm it; `standing` (u) 0 unknown, 1 in force, 2 confirmed, 3 overruled, 4 fallen;
    /// `certainty` (u) 0 unknown, 1 proven, 2 likely; `evidence` (at) the facts it rests on;
    /// `not_observable` (as) what is left to a person, such as `intent`.
    ///
    /// What follows: `add_white_ms`, `add_black_ms` (t) time to add; `take_back_increment_ms` (t)
    /// increment that the offender gained and that is taken off; `result` (s) as in a PGN, `*` if
    /// the game goes on; `restore` (s) the position to restore, as FEN, or empty; `irregular_move`
    /// (s) or empty; `required_moves` (as) of which one must be played, empty for any;
    /// `free_touch` (as) squares whose touched piece binds nobody; `illegal_white`,
    /// `illegal_black` (u) illegal moves counted with this one. Only where times are proposed to
    /// the arbiter: `proposed_white_at_irregularity_ms`, `proposed_black_at_irregularity_ms`,
    /// `proposed_white_now_ms`, `proposed_black_now_ms` (t).
    ///
    /// Moments, microseconds of CLOCK_MONOTONIC: `evidence_complete_us` (t); `committed_us` (t)
    /// (not in the ledger); `published_us` (t) when this signal was sent (not in the ledger).
    #[zbus(signal)]
    pub(super) async fn ruled(
        emitter: &SignalEmitter<'_>,
        row: u64,
        seq: u64,
        kind: &str,
        details: Dict,
    ) -> zbus::Result<()>;

    /// A person should look; nobody is punished. `row` is the notice's row in the journal, `kind`
    /// such as `notice.out-of-step`.
    ///
    /// Details: `row` (t), `table` (s), `kind` (s), `at_us` (t) when, microseconds of
    /// CLOCK_MONOTONIC; `squares` (as) it concerns; `side` (s) whom it concerns, or empty;
    /// `not_covered` (s) what is not ruled on, or empty; `evidence` (at) the facts it rests on.
    /// Of a start position: `set_up` (as) what is wrong, in words; in the same order `set_up_words`
    /// (as), each no-pieces, turned-round, swapped, displaced, wrong-piece, missing or extra, and
    /// `set_up_squares` (as), each the squares of one with spaces between.
    #[zbus(signal)]
    pub(super) async fn notice_given(
        emitter: &SignalEmitter<'_>,
        row: u64,
        kind: &str,
        details: Dict,
    ) -> zbus::Result<()>;
}
