// SPDX-License-Identifier: GPL-3.0-or-later
//! Quick play and late presses, report by report: a move is where its piece came to stand, or nowhere.

use arbiterd::laws::{NotCovered, Notice, NoticeKind, RulingKind};
use arbiterd::table::Observer;
use arbiterd_board::{Colour, LinkState, Noise, NoiseCause, ReportBody};

use super::lagged::{Lagged, START};

/// What a table is told, report by report: squares, `W` and `B` for presses, `whole:` and a placement, `tick` for a
/// reading of the clock, `lost` and `up` for the line, and the milliseconds between them.
pub(super) fn told(fen: &str, no_clock: bool, script: &str) -> Lagged {
    let mut t = if no_clock {
        Lagged::begin_without_clock("fide-2023-standard", Observer::Arbiter, fen)
    } else {
        Lagged::begin("fide-2023-standard", Observer::Arbiter, fen)
    };
    for word in script.split_whitespace() {
        match word {
            "W" => t.press(Colour::White),
            "B" => t.press(Colour::Black),
            "~" => t.tell(ReportBody::Noise(Noise { bytes: 5, cause: NoiseCause::Unfinished })),
            "mute" => t.shows_itself = false,
            "lost" => t.link(LinkState::Down),
            "up" => t.link(LinkState::Up),
            "tick" => t.clock(),
            _ if word.starts_with("whole:") => t.whole(&word["whole:".len()..]),
            _ if word.len() == 3 && word.starts_with(|c: char| c.is_ascii_lowercase()) => {
                t.square(&word[..2], word.chars().last().unwrap());
            }
            _ => {
                let ms = word.parse::<u64>().unwrap();
                if ms > 100 {
                    t.go(ms);
                } else {
                    t.wait(ms);
                }
            }
        }
    }
    for _ in 0..if no_clock { 0 } else { 15 } {
        t.go(1000);
        t.clock();
    }
    t.go(20_000);
    t
}

/// Whether what was recorded is how the game began: something of it, or a person was called.
pub(super) fn is_beginning(t: &Lagged, played: &str) -> bool {
    let recorded = t.moves();
    recorded.iter().zip(played.split_whitespace()).all(|(m, p)| m == p)
        && recorded.len() <= played.split_whitespace().count()
        && (!recorded.is_empty() || called(t))
}

pub(super) fn called(t: &Lagged) -> bool {
    t.notices.iter().any(|n| {
        matches!(n.kind.word(), "out-of-step" | "unfinished-move" | "not-ruled" | "pieces-displaced")
    })
}

/// Each presses for his own move after the opponent has replied (6.2.2), half-move by half-move: two moves and two
/// presses for each of them.
#[test]
fn whoever_presses_late_move_after_move_is_not_accused() {
    // e2e4, e7e5, W for e2e4, g1f3 seen before that, B for e7e5, b8c6, W for g1f3, B for b8c6.
    for pace in [500, 600, 900, 1000] {
        let script = format!(
            "e2. 200 e4P {pace} e7. 200 e5p {pace} g1. 200 f3N 50 W {pace} B 200 b8. 200 c6n {pace} W {pace} B"
        );
        let t = told(START, false, &script);
        assert_eq!((t.record().as_str(), t.kinds()), ("e2e4 e7e5 g1f3 b8c6", vec![]), "{pace}");
    }
}

#[test]
fn kings_that_walk_with_late_presses_are_not_accused() {
    let t = told(
        "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
        false,
        "e3. 200 e4K 600 e6. 200 d6k 600 e4. 200 d4K 100 W 500 B 200 d6. 200 e6k 500 W 400 B",
    );
    assert_eq!((t.record().as_str(), t.kinds()), ("e3e4 e6d6 e4d4 d6e6", vec![]));
}

/// The false press without a move is a first offence, so that White's first illegal move loses him the game
/// (7.5.5).
#[test]
fn a_late_press_does_not_lose_the_game() {
    let t = told(
        START,
        false,
        "e2. 200 e4P 900 e7. 200 e5p 900 g1. 200 f3N 50 W 900 B 200 b8. 200 c6n 900 W 900 B 4000 f3. 200 f5N 400 W",
    );
    let kinds: Vec<&str> = t.kinds().iter().map(|k| k.word()).collect();
    assert_eq!((kinds, t.result()), (vec!["illegal-move"], "*"));
}

/// Black's pawn took on c4 and was taken there between two scans. His next move is not the answer to h2h3, and
/// nothing was knocked over.
#[test]
fn an_exchange_that_was_half_seen_is_no_accident_beside_the_next_move() {
    for last in ["470 B 230 g8. f6n 500 W 710 B", "470 B 530 g8. 350 f6n 500 W 710 B"] {
        let script = format!("h2. 350 h3P 480 W 220 d5. c4. 350 f1. 350 c4B {last}");
        let t = told("4k1n1/8/4p3/3p4/2P5/8/7P/4KB2 w - - 0 1", false, &script);
        assert!(is_beginning(&t, "h2h3 d5c4 f1c4 g8f6"), "{}", t.record());
        assert_eq!(t.kinds(), vec![]);
    }
}

/// The same at an ordinary pace, with both presses of the exchange within one reading of the clock; the game that
/// is recorded goes on beside the one that is played.
#[test]
fn an_exchange_within_one_reading_is_no_accident_beside_the_next_move() {
    let t = told(
        "4k1n1/8/4p3/3p4/2P5/8/7P/4KB2 w - - 0 1",
        false,
        "h3P h2. 700 c4. d5. 200 W 150 f1. 350 c4B 1750 g8. f6n 450 B 2700 h3. 350 h4P 550 W",
    );
    assert!(is_beginning(&t, "h2h3 d5c4 f1c4 g8f6 h3h4"), "{}", t.record());
}

/// White's press is for d1b1, and his rook goes by way of c1 to e1. Black's is for h7h5.
#[test]
fn a_late_press_does_not_end_a_way_that_goes_on() {
    let t = told(
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 30",
        false,
        "b1R d1. 700 h7. 350 b1. h5p 30 W 320 c1R 350 c1. e1R 300 B",
    );
    assert!(is_beginning(&t, "d1b1 h7h5 b1e1"), "{}", t.record());
}

/// The rook rests on b1 on its way to a1, which it takes; both presses come after it.
#[test]
fn a_rook_that_rests_before_it_takes_has_not_moved_to_where_it_rested() {
    let t = told(
        "4k2r/8/8/8/8/8/8/R3K3 b - - 0 1",
        false,
        "h8. 350 h1r 700 e1. 320 B 30 h1. d2K 350 a1. 350 b1r 350 b1. a1r 840 W 400 B",
    );
    assert!(is_beginning(&t, "h8h1 e1d2 h1a1"), "{}", t.record());
}

/// The rook rests on d3 on its way to d1, Black's late press comes a second after it has arrived there, and then
/// White's own.
#[test]
fn a_rook_that_rested_on_its_way_is_recorded_where_it_stands() {
    let t = told(
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 30",
        false,
        "d4R d1. 240 h7. 480 h6p 600 h2. 120 h3P 300 W 300 h4P h3. 800 B 160 h6. 480 h5p 310 W 170 d4. 360 d3R \
         360 d3. 240 d1R 1070 B 490 W",
    );
    assert!(is_beginning(&t, "d1d4 h7h6 h2h4 h6h5 d4d1"), "{}", t.record());
}

/// The pawn rests on b6 for half a second and stands on b5 for more than a second when its press is heard of.
#[test]
fn a_pawn_that_rested_on_its_way_is_recorded_where_it_stands() {
    let t = told(
        "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        false,
        "d7. 240 d5p 600 d2. 120 d3P 600 a7. 120 a6p 290 B 120 W 530 d1. 200 f3Q 430 B 600 W 10 b7. 120 b6p \
         360 b6. 120 b5p 1200 B",
    );
    assert!(is_beginning(&t, "d7d5 d2d3 a7a6 d1f3 b7b5"), "{}", t.record());
}

/// The rook rests on d4 on its way to d5, and goes back to d4 when Black has replied.
#[test]
fn a_piece_that_goes_back_to_where_it_rested_has_moved_twice() {
    let t = told(
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 30",
        true,
        "d1. 200 d4R 200 d4. 200 d5R 600 g7. 200 d5. g6p 200 d4R 3000 h7. 200 h6p 3000 h2. 200 h3P 3000",
    );
    assert!(is_beginning(&t, "d1d5 g7g6 d5d4 h7h6 h2h3"), "{}", t.record());
    assert!(t.moves().len() == 4 || called(&t), "{}", t.record());
}

/// Without a clock: four half-moves, of which one scan told the end of two. Then the players part.
#[test]
fn without_a_clock_half_moves_that_cannot_be_told_are_not_passed_over_in_silence() {
    let t = told(START, true, "g1. 200 a7. 200 f3N a6p 400 a2. 200 a3P 600 b7. 200 b6p 30000");
    assert!(is_beginning(&t, "g1f3 a7a6 a2a3 b7b6"), "{}", t.record());
    assert!(t.moves().len() == 3 || called(&t), "{}", t.record());
}

/// An illegal move was ruled on, White plays another straight from where the pawn stands and presses, and Black
/// replies at once. The game goes on, and nobody is told that none of it is recorded.
#[test]
fn a_replacement_that_is_answered_at_once_is_not_passed_over_in_silence() {
    let t = told(
        START,
        false,
        "e2. 200 e5P 1250 W 3200 e5. 200 e3P 350 e7. 200 e5p 250 W 300 B 1500 g1. 200 f3N 500 W 2200 b8. 250 c6n \
         750 B 2000 f1. 250 b5B 650 W 2100 a7. 200 a6p 800 B 2000 b5. 200 a4B 500 W 60000",
    );
    assert!(is_beginning(&t, "e2e3 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4"), "{}", t.record());
    assert!(t.moves().len() == 7 || called(&t), "{} {}", t.record(), t.state());
}

/// With a clock, White pressing while Black replies, or both late.
#[test]
fn a_piece_that_goes_back_to_where_it_rested_has_moved_twice_with_a_clock_too() {
    for presses in
        ["160 W 40 d4R 635 B 535 W 2230 h7. 200 h6p 440 B", "200 d4R 900 W 1 B 210 W 2500 h7. 200 h6p 1180 B"]
    {
        let script = format!("d1. 200 d4R 400 d4. 200 d5R 600 g7. 200 d5. g6p {presses}");
        let t = told("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 30", false, &script);
        assert!(is_beginning(&t, "d1d5 g7g6 d5d4 h7h6"), "{}", t.record());
    }
}

/// The pawn rested on b6, went on to b5 and was taken in passing: it was seen to go from b6, to stand on b5 when
/// White took up his pawn, and to be taken from there.
#[test]
fn a_pawn_that_was_seen_two_squares_on_was_not_taken_one_square_on() {
    let t = told(
        "4k3/1p1p1p2/8/2P1P1P1/1p1p1p2/8/2P1P1P1/4K3 b - - 0 1",
        false,
        "d7. 420 d6p 240 e5. 120 d6. 120 d6P 820 B 80 b7. 70 W 170 b6p 180 b6. 240 b5p 300 c5. 180 b5. 240 b6P \
         360 b4. 30 B 30 b3p 540 W 300 B",
    );
    assert!(is_beginning(&t, "d7d6 e5d6 b7b5 c5b6 b4b3"), "{}", t.record());
}

/// The pawn rests on d6 for a second on its way to d5, and White's press before it is late.
#[test]
fn a_pawn_that_rested_a_second_is_recorded_where_it_stands() {
    let t = told(
        "4k3/1p1p1p2/8/2P1P1P1/1p1p1p2/8/2P1P1P1/4K3 b - - 0 1",
        false,
        "b7. 200 b6p 800 c5. 200 b6. 200 b6P 35 B 765 d6p d7. 1000 d5p d6. 125 W 780 B",
    );
    assert!(is_beginning(&t, "b7b6 c5b6 d7d5"), "{}", t.record());
}

/// The board told nonsense and answers no look any more: White has moved and pressed, and Black thinks.
#[test]
fn a_pressed_move_that_is_never_proven_is_not_passed_over_in_silence() {
    let t = told(START, false, "mute ~ e2. 200 e4P 300 W 60000");
    assert!(t.moves().len() == 1 || called(&t), "{} {}", t.record(), t.state());
}

/// Both kings go twice, and the board tells of it in two scans: so many presses are not for two half-moves.
#[test]
fn more_presses_than_half_moves_are_not_explained_by_these() {
    let t = told(
        "8/5k2/8/8/3K4/8/8/8 w - - 0 1",
        false,
        "d4. 350 f7. d5K 100 W 150 B 50 d5. f6k c5K 350 W 2800 e7k f6. 600 B",
    );
    assert!(is_beginning(&t, "d4d5 f7f6 d5c5 f6e7"), "{}", t.record());
    assert!(t.moves().len() == 4 || called(&t), "{}", t.record());
}

const PRESS_AFTER_TWO_MOVES: &str =
    "e2. 200 e4P 1500 e7. 200 e5p 2500 g1. 450 f3N 320 W 1100 b8. 450 B 6 c6n 500 d2. 450";

/// White's first press comes when he has moved twice: then his next may be late for the second, or be for the pawn
/// that jumped over two squares.
#[test]
fn an_illegal_move_beside_a_press_that_may_be_late_is_left_to_the_arbiter() {
    let t = told(START, false, &format!("{PRESS_AFTER_TWO_MOVES} d5P 620 W"));
    assert_eq!(t.record(), "e2e4 e7e5 g1f3 b8c6");
    let left = |n: &Notice| n.not_covered == Some(NotCovered::PressMayBeLate);
    assert_eq!((t.kinds(), t.notices.iter().filter(|n| left(n)).count()), (vec![], 1), "{:?}", t.notices);
}

#[test]
fn a_legal_move_beside_a_press_that_may_be_late_calls_nobody() {
    let t = told(START, false, &format!("{PRESS_AFTER_TWO_MOVES} d3P 620 W"));
    assert!(is_beginning(&t, "e2e4 e7e5 g1f3 b8c6 d2d3") && t.moves().len() >= 4, "{}", t.record());
    assert_eq!((t.kinds(), called(&t)), (vec![], false), "{:?}", t.notices);
}

/// The queens have changed places and the game goes on; then they are put back, and change places again.
#[test]
fn a_person_is_called_once_for_a_position_that_does_not_stand() {
    let swapped = "rnbQkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBqKBNR";
    let mut t = told(START, false, "d1. d8. 400 d1q d8Q 6000 e2. 300 e4P 400 W 4000 e7. 300 e5p 400 B 4000");
    let out_of_step = |t: &Lagged| t.notices.iter().filter(|n| n.kind == NoticeKind::OutOfStep).count();
    let asked = |t: &Lagged| t.notices.iter().filter(|n| n.kind.asks()).count();
    assert_eq!((t.record().as_str(), out_of_step(&t), asked(&t)), ("", 1, 1), "{:?}", t.notices);
    t.whole(START.split(' ').next().unwrap());
    t.go(10_000);
    t.whole(swapped);
    t.go(10_000);
    assert_eq!(out_of_step(&t), 2, "it is put back, and moved again");
}

/// The second press of the two that White gave for two moves comes when he has moved nothing since.
#[test]
fn a_press_without_a_move_that_may_be_late_is_left_to_the_arbiter() {
    let script = PRESS_AFTER_TWO_MOVES.trim_end_matches("500 d2. 450");
    let t = told(START, false, &format!("{script} 2500 W"));
    assert_eq!(t.record(), "e2e4 e7e5 g1f3 b8c6");
    let left = |n: &Notice| n.not_covered == Some(NotCovered::PressMayBeLate);
    assert_eq!((t.kinds(), t.notices.iter().filter(|n| left(n)).count()), (vec![], 1), "{:?}", t.notices);
}

/// Black's king takes a bishop that is protected. That his knight went away and came back, and took it, while it never
/// left its square is no way to say that he may not have.
#[test]
fn what_no_piece_left_its_square_for_explains_no_illegal_move() {
    let t =
        told("4kB1r/4nR2/8/3P1pb1/2P2p2/1P1B1Np1/8/rQ1K4 b - - 1 35", false, "f8. 1000 e8. 350 f8k 400 B");
    assert_eq!(t.kinds(), vec![RulingKind::IllegalMove], "{:?}", t.notices);
}

/// White moves his rook, his sleeve his bishop, and Black takes the rook: the bishop's is a legal move beside a rook
/// that is missing, too.
#[test]
fn which_of_two_pieces_was_moved_and_which_knocked_over_is_not_known_from_what_is_taken_next() {
    let t = told(
        "k7/8/B7/5p2/8/8/6R1/1K6 w - - 0 1",
        false,
        "g2. 380 g4R 380 b5B a6. 420 W 730 f5. g4. 380 g4p 500 B",
    );
    assert_eq!((t.record().as_str(), called(&t)), ("", true), "{:?}", t.notices);
}

/// Black's pawn rested on g6, went on to g5, where it was never seen, and was taken in passing. Nobody knows, and
/// nobody knows any better when both have played on.
#[test]
fn a_pawn_that_may_have_been_taken_in_passing_is_not_told_by_what_is_in_a_hand_later() {
    let t = told(
        "3rk3/6p1/8/5P2/8/8/4B3/4K3 b - - 0 1",
        false,
        "g7. 40 g6p 600 g6. 1600 B 20 f5. 700 g6P 2000 W 14000 d8. 1000 d8r 1300 d8. 1900 d6r 900 B 35000 e2. \
         1200 e2. 450 g4B 1700 W",
    );
    assert_eq!((t.record().as_str(), called(&t)), ("", true), "{:?}", t.notices);
}
