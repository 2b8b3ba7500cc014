// SPDX-License-Identifier: GPL-3.0-or-later
//! A table with no clock to hear: a move is made on the board, and completed by the released reply
//! or by ending the game (FIDE 6.2.1). What needs a press or a flag is not ruled on, nor rejected.

use arbiterd::laws::{NotCovered, RulingKind};
use arbiterd::table::{Claim, Command, Observer, Orientation, Speaker};
use arbiterd_board::{ClockControl, Colour, Sensing};

use super::lagged::{Lagged, START};

const STANDARD: &str = "fide-2023-standard";
const WHITE: Speaker = Speaker::Player(Colour::White);
const BLACK: Speaker = Speaker::Player(Colour::Black);

fn table(observer: Observer) -> Lagged {
    Lagged::begin_without_clock(STANDARD, observer, START)
}

#[test]
fn a_move_is_completed_by_the_released_reply_and_by_nothing_less() {
    let mut t = table(Observer::Arbiter);
    t.carry("e2", "e4", 'P');
    t.go(60_000);
    assert_eq!(t.moves(), Vec::<String>::new(), "it rests, and is only made");
    t.square("e7", '.');
    t.go(60_000);
    assert_eq!(t.moves(), Vec::<String>::new(), "a lift completes nothing");
    t.square("e7", 'p');
    t.go(60_000);
    assert_eq!(t.moves(), Vec::<String>::new(), "nor does a piece that is put back");
    t.carry("e7", "e5", 'p');
    t.go(2000);
    assert_eq!(t.moves(), ["e2e4"]);
    t.carry("g1", "f3", 'N');
    t.go(2000);
    assert_eq!(t.moves(), ["e2e4", "e7e5"]);
    assert_eq!((t.kinds(), t.state()), (vec![], "in-step"));
}

#[test]
fn a_move_that_is_changed_before_the_reply_was_not_completed() {
    let mut t = table(Observer::Arbiter);
    t.carry("e2", "e4", 'P');
    t.go(5000);
    t.carry("e4", "e3", 'P');
    t.go(5000);
    t.carry("e7", "e5", 'p');
    t.go(2000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e3".to_owned()], vec![]));
}

#[test]
fn mate_ends_the_game_without_a_press() {
    let mut t = table(Observer::Arbiter);
    for (from, to, piece) in [("f2", "f3", 'P'), ("e7", "e5", 'p'), ("g2", "g4", 'P'), ("d8", "h4", 'q')] {
        t.carry(from, to, piece);
        t.go(3000);
    }
    assert_eq!(t.moves(), ["f2f3", "e7e5", "g2g4", "d8h4"]);
    assert_eq!(t.state(), "over");
}

#[test]
fn an_illegal_move_accuses_nobody_and_the_claim_is_left_to_the_arbiter() {
    for observer in [Observer::Arbiter, Observer::Witness] {
        let mut t = table(observer);
        t.carry("e2", "e5", 'P');
        t.go(10_000);
        t.carry("d7", "d6", 'p');
        t.go(10_000);
        assert_eq!((t.moves(), t.kinds()), (Vec::<String>::new(), vec![]));
        t.claim(BLACK, Claim::IllegalMove);
        t.go(3000);
        assert_eq!(t.kinds(), [], "it is not rejected either");
        assert!(left_open(&t), "{:?}", t.notices);
        // The arbiter looks at the board and says what stands.
        t.command(Command::AcceptBoard { turn: Colour::White });
        t.carry("g1", "f3", 'N');
        t.carry("g8", "f6", 'n');
        t.go(2000);
        assert_eq!((t.moves(), t.state()), (vec!["g1f3".to_owned()], "in-step"));
    }
}

#[test]
fn a_flag_that_nothing_shows_is_the_arbiters_to_see() {
    let mut t = table(Observer::Arbiter);
    t.carry("e2", "e4", 'P');
    t.go(2000);
    t.claim(WHITE, Claim::Flag);
    t.go(5000);
    assert_eq!(t.kinds(), []);
    assert!(left_open(&t), "{:?}", t.notices);
}

#[test]
fn a_board_that_does_not_know_its_pieces_is_never_in_step() {
    let mut t = Lagged::unplugged(STANDARD, Observer::Arbiter, START, Orientation::Normal);
    t.capabilities_with(Sensing::Occupancy, ClockControl::None);
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    t.carry("e2", "e4", 'P');
    t.carry("e7", "e5", 'p');
    t.go(20_000);
    assert_eq!((t.moves(), t.kinds(), t.state()), (vec![], vec![], "no-board"));
}

fn left_open(t: &Lagged) -> bool {
    let open: Vec<_> = t.notices.iter().filter(|n| n.not_covered == Some(NotCovered::NoClock)).collect();
    open.len() == 1 && !open[0].evidence.is_empty()
}

/// Nobody waits until the daemon has told a move before he replies.
#[test]
fn moves_in_quick_succession_are_all_recorded() {
    let game = [
        ("e2", "e4", 'P'),
        ("e7", "e5", 'p'),
        ("g1", "f3", 'N'),
        ("b8", "c6", 'n'),
        ("f1", "b5", 'B'),
        ("a7", "a6", 'p'),
        ("b5", "c6", 'B'),
        ("d7", "c6", 'p'),
    ];
    for plies in 2..=game.len() {
        let mut t = table(Observer::Arbiter);
        for (from, to, piece) in &game[..plies] {
            if to == &"c6" && *piece != 'n' {
                t.square("c6", '.');
                t.wait(100);
            }
            t.carry(from, to, *piece);
            t.wait(100);
        }
        t.go(3000);
        let recorded: Vec<String> =
            game[..plies - 1].iter().map(|(from, to, _)| format!("{from}{to}")).collect();
        assert_eq!((t.moves(), t.kinds(), t.state()), (recorded, vec![], "in-step"), "{plies} plies");
    }
}

/// A piece that stops on its way is no reply before the next hand has put down a piece.
#[test]
fn a_reply_that_slides_on_completes_one_move_and_is_recorded_where_it_ends() {
    let mut t = table(Observer::Arbiter);
    t.carry("e2", "e4", 'P');
    t.wait(100);
    t.carry("d7", "d6", 'p');
    t.square("d6", '.');
    t.wait(100);
    t.square("d5", 'p');
    t.wait(200);
    t.carry("b1", "c3", 'N');
    t.go(3000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned(), "d7d5".to_owned()], vec![]));
}

#[test]
fn a_move_that_stood_when_the_board_was_out_of_sight_is_completed_by_the_next_reply() {
    let mut t = table(Observer::Arbiter);
    t.carry("e2", "e4", 'P');
    t.carry("e7", "e5", 'p');
    t.go(2000);
    assert_eq!(t.moves(), ["e2e4"]);
    t.link(arbiterd_board::LinkState::Down);
    t.go(1000);
    t.link(arbiterd_board::LinkState::Up);
    t.whole("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    t.go(1000);
    t.carry("g1", "f3", 'N');
    t.go(2000);
    assert_eq!((t.moves(), t.kinds()), (vec!["e2e4".to_owned(), "e7e5".to_owned()], vec![]));
}

/// Black touches his knight and plays another piece, with these pauses before White claims.
fn touched_another(t: &mut Lagged, claimed_early: bool) {
    t.carry("e2", "e4", 'P');
    t.go(2000);
    t.square("b8", '.');
    t.wait(700);
    t.square("b8", 'n');
    t.go(2000);
    if claimed_early {
        t.claim(WHITE, Claim::TouchMove);
        t.go(2000);
    }
    t.carry("d7", "d6", 'p');
    t.go(2000);
    if !claimed_early {
        t.claim(WHITE, Claim::TouchMove);
        t.go(2000);
    }
    t.carry("g1", "f3", 'N');
    t.go(3000);
}

/// A player has the move when his opponent's has been made (1.3): what he touches then binds him, also
/// if he puts it back before he replies, and whenever it is claimed until the claimant touches.
#[test]
fn a_touch_that_was_put_back_before_the_reply_is_his_who_replied() {
    for claimed_early in [true, false] {
        let mut t = table(Observer::Arbiter);
        touched_another(&mut t, claimed_early);
        assert_eq!(t.kinds(), [RulingKind::TouchMove], "{claimed_early}");
        let ruling = &t.rulings[0];
        assert_eq!(ruling.offender, Some(Colour::Black));
        assert_eq!(ruling.consequence.required_moves, ["b8a6", "b8c6"]);
    }
}

#[test]
fn a_claim_of_a_touch_that_was_none_is_still_rejected() {
    let mut t = table(Observer::Arbiter);
    t.carry("e2", "e4", 'P');
    t.go(2000);
    t.claim(WHITE, Claim::TouchMove);
    t.go(2000);
    assert_eq!(t.kinds(), [RulingKind::ClaimRejected], "nothing was touched");
}

/// The opponent has made his move since, but the arbiter means what was played before.
#[test]
fn a_touch_in_the_last_move_is_ruled_on_while_the_answer_to_it_stands() {
    let castling = [("e8", '.'), ("h8", '.'), ("g8", 'k'), ("f8", 'r')];
    let pawn = [("e7", '.'), ("e5", 'p')];
    for answer in [&castling[..], &pawn[..]] {
        let fen = "rnbqk2r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let mut t = Lagged::begin_without_clock(STANDARD, Observer::Arbiter, fen);
        t.square("d2", '.');
        t.wait(700);
        t.square("d2", 'P');
        t.go(1000);
        t.carry("g1", "f3", 'N');
        t.go(2000);
        for (square, letter) in answer {
            t.square(square, *letter);
            t.wait(200);
        }
        t.go(2000);
        t.claim(Speaker::Arbiter, Claim::TouchMove);
        t.go(2000);
        assert_eq!(t.kinds(), [RulingKind::TouchMove]);
        assert_eq!(t.rulings[0].offender, Some(Colour::White));
    }
}

/// A pawn taken in passing leaves the same placement, whether it came one square or two.
#[test]
fn a_pawn_taken_in_passing_completes_the_move_that_it_had_made() {
    let orders: [&[(&str, char)]; 3] = [
        &[("e5", '.'), ("d6", 'P'), ("d5", '.')],
        &[("d5", '.'), ("e5", '.'), ("d6", 'P')],
        &[("e5", '.'), ("d5", '.'), ("d6", 'P')],
    ];
    for order in orders {
        let mut t = table(Observer::Arbiter);
        for (from, to, piece) in [("e2", "e4", 'P'), ("a7", "a6", 'p'), ("e4", "e5", 'P'), ("d7", "d5", 'p')]
        {
            t.carry(from, to, piece);
            t.go(2000);
        }
        for (square, letter) in order {
            t.square(square, *letter);
            t.wait(200);
        }
        t.go(2000);
        t.carry("c7", "d6", 'p');
        t.go(3000);
        let expected = ["e2e4", "a7a6", "e4e5", "d7d5"].map(str::to_owned).to_vec();
        assert_eq!(t.moves()[..4], expected, "{order:?}");
        assert_eq!((t.kinds(), t.state()), (vec![], "in-step"));
    }
}

/// Silence is no rest: the queen may have gone on meanwhile.
#[test]
fn a_mate_counts_only_when_the_board_has_shown_that_it_stood() {
    for shows_itself in [true, false] {
        let mut t = table(Observer::Arbiter);
        for (from, to, piece) in [("f2", "f3", 'P'), ("e7", "e5", 'p'), ("g2", "g4", 'P')] {
            t.carry(from, to, piece);
            t.go(2000);
        }
        t.shows_itself = shows_itself;
        t.carry("d8", "h4", 'q');
        t.go(10_000);
        assert_eq!(t.state(), if shows_itself { "over" } else { "in-step" });
    }
}

/// The arbiter speaks for whoever may claim: against the player who touched one piece and moved another.
#[test]
fn the_arbiter_means_the_player_who_touched_more_than_he_moved() {
    let mut t = table(Observer::Arbiter);
    for (from, to, piece) in [("g1", "f3", 'N'), ("e7", "e5", 'p'), ("f3", "d4", 'N')] {
        t.carry(from, to, piece);
        t.go(2000);
    }
    t.square("e5", '.');
    t.wait(700);
    t.square("e5", 'p');
    t.go(1000);
    t.carry("b8", "c6", 'n');
    t.go(1000);
    t.claim(Speaker::Arbiter, Claim::TouchMove);
    t.go(1000);
    t.carry("d4", "f3", 'N');
    t.go(3000);
    assert_eq!(t.kinds(), [RulingKind::TouchMove]);
    assert_eq!(t.rulings[0].offender, Some(Colour::Black));
}

/// A touch was ruled on, and the player plays his replacement straight from where his piece stands: the
/// reply completes it, as any move.
#[test]
fn a_replacement_that_was_played_directly_is_completed_by_the_reply() {
    let mut t = table(Observer::Arbiter);
    touched_another(&mut t, true);
    t.carry("f3", "g1", 'N');
    assert_eq!((t.state(), t.moves().len()), ("restoring", 1));
    // d6 stands still; the knight that was touched goes instead of it.
    t.square("d6", '.');
    t.square("b8", '.');
    t.square("d7", 'p');
    t.square("c6", 'n');
    t.go(2000);
    assert_eq!(t.state(), "restoring", "nobody is told before it is completed");
    t.carry("g1", "f3", 'N');
    t.go(3000);
    assert_eq!((t.moves(), t.state()), (vec!["e2e4".to_owned(), "b8c6".to_owned()], "in-step"));
}

/// A piece that hovers makes thousands of changes, and a reply after them is found all the same.
#[test]
fn a_reply_is_found_behind_thousands_of_changes() {
    let mut t = table(Observer::Arbiter);
    t.carry("e2", "e4", 'P');
    t.go(1000);
    for _ in 0..2500 {
        t.square("b8", '.');
        t.wait(20);
        t.square("b8", 'n');
        t.wait(20);
    }
    t.carry("e7", "e5", 'p');
    t.go(3000);
    assert_eq!(t.moves(), ["e2e4"]);
}
