// SPDX-License-Identifier: GPL-3.0-or-later
//! Moves, disputes and their rulings, from bytes to the bus.

use std::time::Duration;

use arbiterd::sim::Act;

use super::hall::{Hall, Plan};
use super::play::{BLACK, WHITE, a_second_is_counted, begin, lift, place, play, press, state};
use super::witness::Witness;

/// Black to move; his e-pawn shields his king from the bishop.
const DISPUTE: &str = "8/6k1/8/4p2p/7P/3r4/1B3K2/8 b - - 0 56";

fn dispute(observer: &'static str, rulebook: &'static str) -> Plan {
    Plan {
        fen: DISPUTE,
        observer,
        rulebook,
        times: [Duration::from_secs(18), Duration::from_secs(27)],
        ..Plan::default()
    }
}

fn words(value: &serde_json::Value) -> Vec<&str> {
    value.as_array().map(|a| a.iter().filter_map(|v| v.as_str()).collect()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn legal_moves_are_recorded_and_nothing_is_ruled() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    play(&board, &mut witness, 'P', "e2", "e4").await;
    play(&board, &mut witness, 'p', "e7", "e5").await;
    play(&board, &mut witness, 'N', "g1", "f3").await;
    let last = play(&board, &mut witness, 'n', "b8", "c6").await;
    assert_eq!(last.field("fen"), "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3");
    assert_eq!(words(&witness.property(false, "Moves")), ["e2e4", "e7e5", "g1f3", "b8c6"]);
    assert!(witness.order(&["Ruled"]).is_empty());
    assert!(witness.rulings(0).is_empty());
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_rules_on_the_claim_and_the_game_goes_on() {
    let plan = dispute("witness", "fide-2023-standard");
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    // The illegal move is recorded like any other: a witness tells nobody.
    play(&board, &mut witness, 'p', "e5", "e4").await;
    lift(&board, &mut witness, "b2").await;
    witness.claim("black", "touch-move").unwrap();
    let open = witness.hear_member("NoticeGiven").await;
    assert_eq!(open.text(1), "notice.claim-open");
    board.act(Act::Stop).unwrap();
    assert!(witness.order(&["Ruled"]).is_empty(), "nothing is ruled before the claim");
    let fact = witness.claim("white", "illegal-move").unwrap();

    let void = witness.hear_member("Ruled").await;
    assert_eq!(void.text(2), "ruling.claim-rejected", "the touch happened in a cancelled position");
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!(ruled.text(2), "ruling.illegal-move");
    for article in ["7.5.1", "7.5.5", "4.5"] {
        assert!(words(ruled.field("articles")).contains(&article), "{ruled:?}");
    }
    assert_eq!(ruled.field("offender"), "black");
    assert_eq!(ruled.field("add_white_ms"), 120_000);
    assert_eq!(ruled.field("add_black_ms"), 0);
    assert_eq!(ruled.field("restore"), DISPUTE);
    assert_eq!(ruled.field("irregular_move"), "e5e4");
    assert_eq!(ruled.field("illegal_black"), 1);
    assert!(ruled.field("evidence").as_array().unwrap().contains(&fact.into()), "the claim is evidence");

    // The ledger says the same, and it is in the journal's file.
    let ledger = witness.rulings(0);
    assert_eq!(ledger.len(), 2);
    assert_eq!(ledger[1]["kind"]["data"], "ruling.illegal-move");
    assert_eq!(ledger[1]["articles"]["data"], *ruled.field("articles"));
    assert_eq!(witness.rulings(ledger[0]["row"]["data"].as_u64().unwrap()).len(), 1);

    // The pieces go back, the clock is set right, and Black plays a legal move.
    place(&board, &mut witness, "b2", 'B').await;
    lift(&board, &mut witness, "e4").await;
    board.act(Act::Place(super::play::sq("e5"), arbiterd_board::Piece::from_letter('p').unwrap())).unwrap();
    state(&mut witness, "in-step").await;
    board.act(Act::Press(WHITE)).unwrap();
    board.act(Act::Start).unwrap();
    play(&board, &mut witness, 'k', "g7", "g6").await;
    assert_eq!(words(&witness.property(false, "Moves")), ["g7g6"]);
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_arbiter_rules_at_the_press_and_the_second_time_the_game_is_lost() {
    let plan = dispute("arbiter", "fide-2023-rapid");
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    play(&board, &mut witness, 'p', "e5", "e4").await;
    let first = witness.hear_member("Ruled").await;
    assert_eq!(first.text(2), "ruling.illegal-move");
    assert_eq!(first.field("add_white_ms"), 60_000);
    assert!(words(first.field("articles")).contains(&"A.5.2"));
    assert_eq!(first.field("result"), "*");

    board.act(Act::Stop).unwrap();
    lift(&board, &mut witness, "e4").await;
    board.act(Act::Place(super::play::sq("e5"), arbiterd_board::Piece::from_letter('p').unwrap())).unwrap();
    state(&mut witness, "in-step").await;
    board.act(Act::Press(WHITE)).unwrap();
    board.act(Act::Start).unwrap();
    // The same again: the second completed illegal move loses.
    play(&board, &mut witness, 'p', "e5", "e4").await;
    let second = witness.hear_member("Ruled").await;
    assert_eq!(second.text(2), "ruling.illegal-move");
    assert_eq!(second.field("illegal_black"), 2);
    assert_eq!(second.field("result"), "1-0");
    assert_eq!(second.field("add_white_ms"), 0);
    state(&mut witness, "over").await;
    assert_eq!(witness.property(false, "Result"), "1-0");
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_press_without_a_move_counts_as_an_illegal_move() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    play(&board, &mut witness, 'P', "e2", "e4").await;
    press(&board, &mut witness, BLACK).await;
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!(ruled.text(2), "ruling.press-without-move");
    assert_eq!(ruled.field("offender"), "black");
    assert_eq!(ruled.field("add_white_ms"), 120_000);
    assert!(words(ruled.field("articles")).contains(&"7.5.3"));
    assert_eq!(witness.order(&["Moved"]).len(), 1, "no move was made of it");
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_touched_piece_has_to_be_moved_when_the_opponent_claims_it() {
    let plan = Plan { observer: "witness", ..Plan::default() };
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    // He takes the knight up, after a second takes the pawn instead, and puts the knight back.
    lift(&board, &mut witness, "g1").await;
    a_second_is_counted(&board).await;
    lift(&board, &mut witness, "e2").await;
    place(&board, &mut witness, "g1", 'N').await;
    place(&board, &mut witness, "e4", 'P').await;
    press(&board, &mut witness, WHITE).await;
    witness.hear_member("Moved").await;
    witness.claim("black", "touch-move").unwrap();
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!(ruled.text(2), "ruling.touch-move");
    assert_eq!(words(ruled.field("required_moves")), ["g1f3", "g1h3"]);
    assert!(words(ruled.field("articles")).contains(&"4.3.1"));
    assert_eq!(ruled.field("illegal_white"), 0, "a touch is no illegal move (3.10)");
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fallen_flag_loses_when_the_opponent_can_mate() {
    let plan = Plan { times: [Duration::from_secs(2), Duration::from_secs(60)], ..Plan::default() };
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!(ruled.text(2), "ruling.flag-fall");
    assert_eq!(ruled.field("offender"), "white");
    assert_eq!(ruled.field("result"), "0-1");
    assert!(words(ruled.field("articles")).contains(&"6.9"));
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_without_ground_is_rejected_and_an_unknown_one_refused() {
    let plan = Plan { observer: "witness", ..Plan::default() };
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    play(&board, &mut witness, 'P', "e2", "e4").await;
    witness.claim("black", "illegal-move").unwrap();
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!(ruled.text(2), "ruling.claim-rejected");
    let refused = witness.claim("black", "sorcery").unwrap_err();
    assert!(refused.contains("sorcery"), "{refused}");
    assert_eq!(witness.rulings(0).len(), 1);
    assert_eq!(daemon.terminate().code(), Some(0));
}

/// The organiser's own rulebook, beside those in the program: a minute and a half.
const CLUB: &str = "id = \"club\"\ntitle = \"Club rules\"\ninherits = \"fide-2023-standard\"\n\
    edition = \"2023-01-01\"\nregime = \"competition\"\n\
    [illegal]\npenalty_ms = 90000\n[cite]\n\"illegal.penalty_ms\" = \"Club 3\"\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rulebook_of_the_venue_rules_without_new_code() {
    let plan = Plan { rulebook: "club", ..Plan::default() };
    let hall = Hall::open_with_rulebook(&plan, "club", CLUB);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    press(&board, &mut witness, WHITE).await;
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!(ruled.field("rulebook"), "club");
    assert_eq!(ruled.field("add_black_ms"), 90_000);
    assert!(words(ruled.field("articles")).contains(&"Club 3"));
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_arbiter_leads_back_in_step_and_a_wrong_command_is_refused() {
    let plan = Plan::default();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    // Black's pieces stand elsewhere although White has the move: nothing explains it.
    lift(&board, &mut witness, "e7").await;
    place(&board, &mut witness, "e5", 'p').await;
    lift(&board, &mut witness, "d8").await;
    place(&board, &mut witness, "h4", 'q').await;
    state(&mut witness, "out-of-step").await;
    let refused = witness.command("Confirm", "ta{sv}", "7").unwrap_err();
    assert!(refused.contains("ruling 7"), "{refused}");
    witness.command("AcceptBoard", "sa{sv}", "white").unwrap();
    let accepted = witness.hear_member("BoardAccepted").await;
    let fen = "rnb1kbnr/pppp1ppp/8/4p3/7q/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(accepted.text(0), fen);
    assert_eq!(witness.property(false, "Fen"), fen);
    play(&board, &mut witness, 'N', "g1", "f3").await;
    assert!(witness.rulings(0).is_empty());
    let refused = witness.command("Restore", "ua{sv}", "2").unwrap_err();
    assert!(refused.contains("half-move 2"), "{refused}");
    witness.command("Restore", "ua{sv}", "0").unwrap();
    let restored = witness.hear_member("Restored").await;
    assert_eq!(words(restored.field("taken_back")), ["g1f3"]);
    assert_eq!(witness.property(false, "Fen"), fen);
    assert_eq!(witness.property(false, "State"), "restoring");
    lift(&board, &mut witness, "f3").await;
    place(&board, &mut witness, "g1", 'N').await;
    state(&mut witness, "in-step").await;
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proposed_ruling_waits_for_the_arbiters_word() {
    // Black lifts a piece of White's and puts it back: whose hand it was no board can see.
    let plan = Plan { fen: "4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1", observer: "witness", ..Plan::default() };
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let board = hall.plug(&plan);
    let daemon = hall.start();
    begin(&board, &mut witness).await;
    lift(&board, &mut witness, "d5").await;
    a_second_is_counted(&board).await;
    lift(&board, &mut witness, "e1").await;
    place(&board, &mut witness, "d5", 'n').await;
    place(&board, &mut witness, "e2", 'K').await;
    press(&board, &mut witness, WHITE).await;
    witness.hear_member("Moved").await;
    witness.claim("black", "touch-move").unwrap();
    let ruled = witness.hear_member("Ruled").await;
    assert_eq!((ruled.text(2), ruled.field("authority")), ("ruling.touch-move", &2.into()), "{ruled:?}");
    assert_eq!(words(&witness.property(false, "Moves")), ["e1e2"], "a proposal changes nothing");
    let seq = ruled.field("seq").to_string();
    witness.command("Confirm", "ta{sv}", &seq).unwrap();
    witness.hear_member("RulingDecided").await;
    witness.hear_member("TakenBack").await;
    assert!(words(&witness.property(false, "Moves")).is_empty());
    assert_eq!(daemon.terminate().code(), Some(0));
}
