// SPDX-License-Identifier: GPL-3.0-or-later
//! The last game of a table, and an end that cannot wait.

use arbiterd::journal::{Batch, JournalError, LastGame};
use arbiterd::laws::{Authority, Consequence, Ruling};
use arbiterd::table::GameResult;
use arbiterd_board::Colour;

use super::venue::{Venue, facts, ruling, start};

#[tokio::test]
async fn the_last_game_of_a_table_is_the_last_one_in_which_anything_was_observed() {
    let venue = Venue::new();
    let journal = venue.open();
    assert_eq!(journal.last_game("one").await.unwrap(), None);
    let one = journal.begin_game(start("one")).await.unwrap();
    assert_eq!(journal.last_game("one").await.unwrap(), None, "nothing was observed");
    journal.append(facts(one, 1..=3)).await.unwrap();
    let other = journal.begin_game(start("two")).await.unwrap();
    journal.append(facts(other, [1])).await.unwrap();
    let _empty = journal.begin_game(start("one")).await.unwrap();
    let open = LastGame { game: one, facts: 3, result: GameResult::Open };
    assert_eq!(journal.last_game("one").await.unwrap(), Some(open));
    assert!(open.is_open());

    // A result that is only proposed ends no game; a final one does, whatever is ruled after it.
    let won = |seq, authority| {
        let consequence = Consequence { result: GameResult::Won(Colour::White), ..Consequence::default() };
        Ruling { authority, consequence, ..ruling(seq) }
    };
    let append = async |ruling: Ruling| {
        let batch = Batch { game: one, facts: Vec::new(), rulings: vec![ruling], notices: Vec::new() };
        journal.append(batch).await.unwrap();
        journal.last_game("one").await.unwrap().unwrap().result
    };
    assert_eq!(append(won(1, Authority::Proposed)).await, GameResult::Open);
    assert_eq!(append(won(2, Authority::Final)).await, GameResult::Won(Colour::White));
    assert_eq!(append(ruling(3)).await, GameResult::Won(Colour::White));
}

#[tokio::test]
async fn closing_gives_up_at_its_deadline_and_nobody_waits_after_it() {
    let venue = Venue::new();
    let journal = venue.open();
    let game = journal.begin_game(start("one")).await.unwrap();
    let other = venue.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let pending = journal.append(facts(game, [1]));
    let closed = journal.close_by(tokio::time::Instant::now()).await;
    assert!(matches!(closed, Err(JournalError::StillWriting { .. })), "{closed:?}");
    // The thread goes on for as long as the process does, and has not been cut off.
    other.execute_batch("COMMIT").unwrap();
    pending.await.unwrap();
}
