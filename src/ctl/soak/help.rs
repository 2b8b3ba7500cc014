// SPDX-License-Identifier: GPL-3.0-or-later
//! The key to what `arbiterctl soak` says.

pub(super) const HELP: &str = "\
Examples:
  arbiterctl soak --games 500 --seed 7
      500 games with everything that hands do, and no irregularity in them.
  arbiterctl soak --games 500 --seed 7 --irregular 50
      In half of them somebody does something wrong, and it is known what.
  arbiterctl soak --games 500 --seed 7 --irregular 50 --play-on
      And when it was ruled on, they put the position back and play on.
  arbiterctl soak --seed 7 --irregular 50 --only 17 --trace
      Game 17 of those again: everything that was told, and what came of it.
  arbiterctl soak --games 100 --pgn games.pgn
      Real games, in turn, instead of random legal moves.
  arbiterctl soak --games 200 --seed 7 --level bytes
      Through everything: hands at a simulated board, its bytes, the line, the driver, the table. Boards
      of both families by turns, wired and over Bluetooth, some the other way round.
  arbiterctl soak --games 200 --seed 7 --level bytes --family dgt --faults 30
      DGT boards only; in 30 of 100 games the line loses, doubles or damages a byte now and then.

What is counted:
  wrong       a half-move in the record is another than was played; the rest of its game is not judged
  missing     a half-move was played and is not in the record
  false       a ruling, given or only proposed, that nothing called for
  ruled       an irregularity, or the end of the game, led to the ruling that it calls for
  left        instead of that, a notice says that this is left to the arbiter (notice.not-ruled)
  called      a person had to be called, or a claim is still open, and a notice says so
  quiet       nothing was due, and nothing came
  missed      none of these: a ruling or a call was due, and did not come
  calls       notices that ask a person to look; those that only tell of something are listed with them
  broken off  missing or missed where the line was faulty: counted apart, and no failure

What is done wrong, with --irregular:
  illegal-move            is made and pressed for (7.5.1)
  illegal-unpressed       is made, and corrected before the press: no fault (6.2.1)
  press-without-move      (7.5.3)
  promotion-not-replaced  a pawn is left on the last rank and the clock pressed (7.5.2)
  touch-move              one piece is touched and another moved, and that is claimed (4.3, 4.8)
  rook-first-castling     the rook is touched first, and that is claimed (4.4.2)
  displaced-piece         a piece is knocked to the next square beside a legal move (7.4)
  wrong-piece-back        two are knocked over and put back on each other's squares (7.4)

How a game ends by itself:
  checkmate               the last move mates (5.1.1); ruled when it was told
  draw                    the last move is stalemate (5.2.1)

Rulings, where one is false; those above under their own words, and:
  illegal-move-stands     is not corrected any more (A.5.2)
  claim-rejected          a claim had no ground, or came too late
  flag-fall               (6.9)
  board-signal            a result that was shown with the pieces

Notices that call a person:
  start-position-wrong    the pieces do not stand as the game begins
  out-of-step             what stands is not explained by the record
  device-lost             the board does not answer
  clock-lost              the clock is not connected any more
  moves-inferred          moves were not seen, and follow from what stands
  unfinished-move         the clock was pressed while a move was unfinished, or what stands unclear
  not-ruled               something is left to the arbiter; a trace says what
  square-disturbed        a square reads to and fro and does not cease to
  phantom-piece           a square shows a piece that cannot be there
  pieces-displaced        beside a completed move pieces are missing or stand elsewhere (7.4)
Notices that only tell:
  orientation-rotated     the board stands the other way round
  device-back             the board answers again
  claim-open              a claim waits for the evidence that it needs
  claim-answered          a claim needs no answer of its own

Boards, with --level bytes, each wired or bluetooth; failed are games in which something went wrong:
  dgt                     one without lights
  revelation              of the DGT family, with lights
  millennium              and imitations of it

A game is described by its tempo, whose eyes the program is, and its board:
  standard, rapid, blitz  how fast people play, and by which rules
  arbiter                 the program rules on what it sees
  witness                 the program rules on what is claimed

States of a table, in a trace:
  no-board                none has been seen yet
  awaiting-position       the board does not show the position from which the game begins
  in-step                 the board agrees with the record
  restoring               a position is being put back, and these squares still differ
  out-of-step             as above, and these squares differ
  over                    the game has ended
  board-lost              the board does not answer

Beside each count is the first game of it: for --only in place of --games, with all other options as they were.
Not every game offers an occasion for what is to be done wrong in it: in how many none came is said, if in any.

With --json: an object for each game in which something went wrong (\"event\": \"failure\"; \"again\" is the command
that shows it), and one at the end (\"end\") with the words above; \"notices\" are all of them, \"asking\" those that
call a person, \"first\" and \"first_notices\" are games, \"planned\" the games in which something was to be done wrong
and \"no_occasion\" those of them in which nothing was.
With --trace (\"trace\"): line by line what was told and what came of it, with a key above it. Of the bytes between
the board and its driver what repeats is counted, and what nothing came of is left out; --json has all of them.

A board without a clock shows no press. There the last half-move may be absent, for no reply completes it;
a touch that is claimed is ruled on or left open, a claim of what needs a press is left to the arbiter, and the
game always ends with what was done wrong.

The same options and the same seed give the same games on every machine.

Exit codes: 0 nothing was wrong, missing, false or missed; 1 something was, or an error; 2 wrong usage.";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::HELP;
    use crate::ctl::soak::boards;
    use crate::ctl::soak::judge::Answer;
    use crate::ctl::soak::tell;
    use crate::laws::{NoticeKind, RulingKind};
    use crate::sim::people::{Irregularity, Tempo};
    use crate::table::{Observer, TableState};

    /// The words that are explained under the headings that begin with this.
    fn explained(heading: &str) -> BTreeSet<&'static str> {
        let lines = HELP.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
        let entries = lines.take_while(|line| line.starts_with("  "));
        let words = entries.filter_map(|line| line.trim_start().split("  ").next());
        words.filter(|word| !word.is_empty()).flat_map(|word| word.split(", ")).collect()
    }

    fn set<T>(all: &[T], word: impl Fn(&T) -> &'static str) -> BTreeSet<&'static str> {
        all.iter().map(word).collect()
    }

    #[test]
    fn every_irregularity_is_explained_and_nothing_else() {
        assert_eq!(explained("What is done wrong"), set(Irregularity::ALL, |what| what.word()));
    }

    #[test]
    fn every_answer_is_explained() {
        let counted = explained("What is counted");
        let answers = set(&Answer::ALL, |answer| answer.word());
        assert!(answers.is_subset(&counted), "{counted:?}");
        let others: BTreeSet<_> = counted.difference(&answers).copied().collect();
        assert_eq!(others, ["broken off", "calls", "false", "missing", "wrong"].into());
    }

    #[test]
    fn every_ruling_is_explained_and_nothing_else() {
        let mut explained_here = explained("How a game ends by itself");
        explained_here.extend(explained("Rulings"));
        let irregularities = set(Irregularity::ALL, |what| what.word());
        let rulings = set(RulingKind::ALL, |kind| kind.word());
        assert_eq!(explained_here, rulings.difference(&irregularities).copied().collect());
    }

    #[test]
    fn every_notice_is_explained_where_it_belongs() {
        let (asking, telling): (Vec<_>, Vec<_>) = NoticeKind::ALL.iter().copied().partition(|k| k.asks());
        assert_eq!(explained("Notices that call"), set(&asking, |kind| kind.word()));
        assert_eq!(explained("Notices that only tell"), set(&telling, |kind| kind.word()));
    }

    #[test]
    fn every_board_is_explained_and_nothing_else() {
        let kinds = boards::WORDS.iter().map(|word| word.split(' ').next().unwrap_or(word)).collect();
        assert_eq!(explained("Boards"), kinds);
    }

    #[test]
    fn every_word_for_a_game_is_explained() {
        let tempos = [Tempo::Standard, Tempo::Rapid, Tempo::Blitz].map(tell::tempo);
        let observers = [Observer::Arbiter, Observer::Witness].map(|observer| observer.word());
        assert_eq!(explained("A game is described"), tempos.into_iter().chain(observers).collect());
    }

    #[test]
    fn every_state_is_explained_and_nothing_else() {
        let differing = Vec::new;
        let states = [
            TableState::NoBoard,
            TableState::AwaitingPosition { differing: differing() },
            TableState::InStep,
            TableState::Restoring { differing: differing() },
            TableState::OutOfStep { differing: differing() },
            TableState::Over,
            TableState::BoardLost,
        ];
        assert_eq!(explained("States"), set(&states, TableState::word));
    }
}
