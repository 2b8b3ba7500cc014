// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log in the board's memory, read with its command.

use super::*;

fn of(placement: &str, clock: Option<ClockOptions>) -> Simulator {
    let options = Options {
        placement: placement.parse().unwrap(),
        clock,
        scan_period: Duration::from_millis(100),
        ..Options::default()
    };
    Simulator::new(Mono::ZERO, options)
}

/// The records at the end of the ring, the mark of its end included.
fn log(board: &mut Simulator, at: u64) -> Vec<u8> {
    board.receive(ms(at), &[0x49]);
    let frame = sent(board).pop().unwrap();
    // 0x1f00 bytes and the header.
    assert_eq!((&frame[..3], frame.len()), (&[0x8f, 0x3e, 0x03][..], 7939));
    frame[3..].iter().copied().skip_while(|byte| *byte == 0x7f).collect()
}

const EMPTY: &str = "8/8/8/8/8/8/8/8";

#[test]
fn being_switched_on_is_written_with_all_pieces() {
    let mut board = of("b7/8/8/8/8/8/8/7K", None);
    assert_eq!(log(&mut board, 0), [0x6a, 0x5a, 0x00, 0x55, 0x3f, 0x6b]);
    // That it was read, and again what was written before.
    assert_eq!(log(&mut board, 10), [0x6a, 0x5a, 0x00, 0x55, 0x3f, 0x6e, 0x6b]);
    board.power_cycle(ms(20));
    let log = log(&mut board, 30);
    assert_eq!(log[6..], [0x6e, 0x7f, 0x7f, 0x7f, 0x6a, 0x5a, 0x00, 0x55, 0x3f, 0x6b]);
}

#[test]
fn an_empty_board_is_marked_when_it_becomes_empty() {
    let mut board = of(EMPTY, None);
    assert_eq!(log(&mut board, 0), [0x6a, 0x6d, 0x6b]);
    board.place(ms(310), sq("a8"), piece('K'));
    board.remove(ms(2010), sq("a8"));
    board.handle_timeout(ms(3000));
    assert_eq!(log(&mut board, 3000), [0x6a, 0x6d, 0x6e, 0x45, 0x00, 0x40, 0x00, 0x6d, 0x6b]);
}

#[test]
fn records_that_follow_soon_are_marked() {
    let mut board = of(EMPTY, None);
    // Seen at 1000, at 1200 and at 1500 ms: 200 ms apart is soon, 300 ms is not.
    for (at, square) in [(950, "a8"), (1150, "b8"), (1450, "c8")] {
        board.place(ms(at), sq(square), piece('P'));
    }
    board.handle_timeout(ms(2000));
    assert_eq!(log(&mut board, 2000), [0x6a, 0x6d, 0x41, 0x00, 0x51, 0x01, 0x41, 0x02, 0x6b]);
}

#[test]
fn a_capture_by_replacement_is_one_record_of_its_square() {
    let mut board = of("k7/8/8/8/8/8/8/8", None);
    board.replace(ms(1000), sq("a8"), Occupant::Piece(piece('Q')));
    board.handle_timeout(ms(2000));
    assert_eq!(log(&mut board, 2000), [0x6a, 0x5b, 0x00, 0x46, 0x00, 0x6b]);
}

#[test]
fn a_flickering_piece_writes_over_its_record() {
    let mut board = of("QK6/8/8/8/8/8/8/8", None);
    for at in [1000, 1200, 1400] {
        board.lift(ms(at), sq("a8"));
        board.place(ms(at + 100), sq("a8"), piece('Q'));
    }
    board.handle_timeout(ms(2000));
    assert_eq!(log(&mut board, 2000), [0x6a, 0x56, 0x00, 0x55, 0x01, 0x46, 0x00, 0x6b]);
    // Off for longer than a flicker: two records.
    board.lift(ms(3000), sq("a8"));
    board.place(ms(3900), sq("a8"), piece('Q'));
    board.handle_timeout(ms(5000));
    assert_eq!(log(&mut board, 5000)[7..], [0x6e, 0x40, 0x00, 0x46, 0x00, 0x6b]);
}

#[test]
fn another_piece_in_between_keeps_both_records() {
    let mut board = of("Q7/8/8/8/8/8/8/8", None);
    board.lift(ms(950), sq("a8"));
    board.place(ms(1050), sq("b8"), piece('K'));
    board.place(ms(1150), sq("a8"), piece('Q'));
    board.handle_timeout(ms(2000));
    assert_eq!(log(&mut board, 2000)[3..], [0x40, 0x00, 0x6d, 0x55, 0x01, 0x56, 0x00, 0x6b]);
}

#[test]
fn what_a_host_has_is_not_written_over() {
    let mut board = of("QK6/8/8/8/8/8/8/8", None);
    board.lift(ms(950), sq("a8"));
    board.receive(ms(1001), &[0x4a]);
    board.receive(ms(1002), &[0x83, 0, 1, 4]);
    board.place(ms(1150), sq("a8"), piece('Q'));
    board.receive(ms(1300), &[0x83, 0, 1, 4]);
    board.handle_timeout(ms(1400));
    let frames = sent(&mut board);
    assert_eq!(frames[0][13..15], [0x40, 0x00]);
    assert_eq!(frames[1][5..7], [0x56, 0x00]);
}

#[test]
fn the_initial_position_is_marked_again_after_more_than_two_pieces_left_it() {
    let tags = |pieces: &[&str]| {
        let mut board = of(START, None);
        let mut at = 1000;
        let mut taken = Vec::new();
        for square in pieces {
            taken.push((sq(square), board.lift(ms(at), sq(square))));
            at += 1000;
        }
        for (square, occupant) in taken {
            board.replace(ms(at), square, occupant);
            at += 1000;
        }
        board.handle_timeout(ms(at));
        log(&mut board, at).iter().filter(|byte| **byte == 0x6f).count()
    };
    assert_eq!(tags(&["a2", "b2"]), 1);
    assert_eq!(tags(&["a2", "b2", "c2"]), 2);
}

#[test]
fn a_board_that_was_turned_round_has_a_mark_of_its_own() {
    let turned = START.parse::<Placement>().unwrap().rotated().to_string();
    let log = log(&mut of(&turned, None), 0);
    assert_eq!(log[65..], [0x7a, 0x6b]);
}

#[test]
fn four_full_rows_are_marked() {
    let log = log(&mut of("PP4PP/PP4PP/PP4PP/PP4PP/PP4PP/PP4PP/PP4PP/PP4PP", None), 0);
    assert_eq!(log[65..], [0x6c, 0x6b]);
}

#[test]
fn a_turn_of_the_lever_is_written_with_the_time_that_stopped() {
    let mut board = of(EMPTY, Some(plain_clock()));
    board.start(ms(0));
    board.press(ms(2000), ClockSide::Left);
    board.press(ms(12_500), ClockSide::Right);
    // Both within a quarter of a second: too fast for the second.
    board.press(ms(20_000), ClockSide::Left);
    board.press(ms(20_100), ClockSide::Right);
    // Left stopped with 1:29:58, right with 1:29:49.5, left with 1:29:50.5.
    let expected = [0x6a, 0x6d, 0x71, 0x29, 0x58, 0x61, 0x29, 0x50, 0x71, 0x29, 0x51, 0x6b];
    assert_eq!(log(&mut board, 21_000), expected);
}

#[test]
fn the_ring_forgets_its_oldest_bytes() {
    let mut board = of(EMPTY, None);
    board.receive(ms(0), &[0x4a]);
    board.receive(ms(1), &[0x83, 0, 1, 4]);
    board.handle_timeout(ms(100));
    let mut at = 1000;
    for _ in 0..4000 {
        board.place(ms(at), sq("a8"), piece('K'));
        board.remove(ms(at + 1000), sq("a8"));
        at += 2000;
    }
    sent(&mut board);
    board.receive(ms(at), &[0x83, 0, 1, 4]);
    board.handle_timeout(ms(at + 100));
    // Five bytes for each coming and going are 20000; the ring holds 7935 beside its end, and
    // its first record may be cut.
    let frame = sent(&mut board).remove(0);
    assert_eq!((&frame[..3], frame.len()), (&[0x85, 0x3e, 0x05][..], 7935 + 6));
    assert_eq!(frame[frame.len() - 6..frame.len() - 1], [0x45, 0x00, 0x40, 0x00, 0x6d]);
    assert_eq!(log(&mut board, at + 200).len(), 0x1f00);
}
