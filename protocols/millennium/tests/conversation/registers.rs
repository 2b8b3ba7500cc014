// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers keep their values without power and wear: they are read first, and written only if
//! they have to be.

use arbiterd_board::{Channel, Driver};
use arbiterd_millennium::Transport;
use core::time::Duration;

use crate::board::Board;
use crate::table::{E2_LIFTED, START, Table, fen, ms};

/// The values that other programs leave behind.
fn left_by(values: [u8; 4]) -> Board {
    let mut board = Board::new(fen(START));
    board.registers[..4].copy_from_slice(&values);
    board
}

fn writes(table: &Table) -> Vec<String> {
    table.heard().into_iter().filter(|command| command.starts_with('W')).collect()
}

#[test]
fn a_board_as_it_left_the_factory_is_not_written() {
    let mut table = Table::running();
    for round in 1..=5 {
        table.run_until(round * 2000);
        table.driver.reset(ms(round * 2000));
        table.run_until(round * 2000 + 1500);
    }
    assert_eq!(table.count("V"), 12, "twice each time");
    assert_eq!(writes(&table), [] as [String; 0]);
}

#[test]
fn only_what_differs_is_written_and_read_again() {
    let mut table = Table::with(Transport::Wired, left_by([0, 0x30, 7, 0x0a]));
    table.run_until(2000);
    let heard = table.heard();
    let dark = heard.iter().position(|command| command == "X").unwrap();
    let end = ["R04", "R04", "W0114", "R01", "W0200", "R02", "S", "X"];
    assert_eq!(heard[..=dark][dark - 7..], end);
    assert_eq!(table.board.registers[..4], [0, 0x14, 0, 0x0a]);
    // The next conversations find it as it has to be.
    for round in 1..=5 {
        table.run_until(round * 2000);
        table.driver.reset(ms(round * 2000));
        table.run_until(round * 2000 + 1500);
    }
    assert_eq!(writes(&table), ["W0114", "W0200"]);
}

#[test]
fn over_bluetooth_reports_come_on_change() {
    let mut table = Table::with(Transport::Bluetooth, left_by([0, 0x14, 0, 0]));
    table.run_until(5000);
    assert_eq!(writes(&table), ["W0203"]);
    assert_eq!(table.board.registers[2], 3);
}

/// One kind of imitation reads 1E in register 01 whatever is written.
#[test]
fn what_a_board_does_not_take_is_written_twice_in_all() {
    let mut board = left_by([0, 0x1e, 0, 0]);
    board.stubborn = vec![1];
    let mut table = Table::with(Transport::Wired, board);
    for round in 0..20 {
        table.run_until(round * 2000 + 1500);
        table.driver.reset(ms(round * 2000 + 1500));
    }
    assert_eq!(writes(&table), ["W0114", "W0114"]);
    // And its lag is told by what it really does: 61.44 ms a scan.
    table.run_until(42_000);
    let lag = table.driver.capabilities(Channel(0)).board_lag;
    assert_eq!(lag, Duration::from_micros(5 * 61_440 + 3 * 17_447 + 16_000));
}

/// It scans more slowly than it says, so what it tells is older.
#[test]
fn a_scan_takes_as_long_as_statuses_show_whatever_the_register_says() {
    for (slowness, scan) in [(1, 40_960), (2, 2 * 40_960), (3, 3 * 40_960)] {
        let mut board = Board::new(fen(START));
        board.slowness = slowness;
        let mut table = Table::with(Transport::Wired, board);
        table.run_until(5000);
        let lag = table.driver.capabilities(Channel(0)).board_lag;
        assert_eq!(lag, Duration::from_micros(5 * scan + 3 * 17_447 + 16_000), "{slowness}");
        table.board.placement = fen(E2_LIFTED);
        let lifted = table.now;
        table.run_until(6000);
        let [lift] = &table.squares()[..] else { panic!("{:?}", table.squares()) };
        assert!(lift.at.earliest <= lifted && lifted <= lift.at.latest);
    }
}

/// Where statuses come on change, their pace is that of hands.
#[test]
fn the_pace_of_hands_is_not_taken_for_that_of_scans() {
    let mut table = Table::on_change();
    let lag = table.driver.capabilities(Channel(0)).board_lag;
    for round in 0..40 {
        table.board.placement = fen(if round % 2 == 0 { E2_LIFTED } else { START });
        table.run_until(3000 + (round + 1) * 700);
    }
    assert_eq!(table.squares().len(), 40);
    assert_eq!(table.driver.capabilities(Channel(0)).board_lag, lag);
}

#[test]
fn a_board_that_acknowledges_nothing_is_read_again() {
    let mut board = left_by([0, 0x30, 0, 0]);
    board.version = "0110";
    board.mute = vec![b'L', b'X', b'W'];
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(3000);
    assert_eq!(writes(&table), ["W0114"]);
    assert_eq!(table.board.registers[1], 0x14);
    assert_eq!(table.count("X"), 1);
    assert_eq!(table.links().len(), 1);
}

#[test]
fn a_board_without_registers_is_taken_at_its_worst() {
    let mut board = Board::new(fen(START));
    board.mute = vec![b'R'];
    let mut table = Table::with(Transport::Wired, board);
    table.run_until(8000);
    assert_eq!(writes(&table), [] as [String; 0]);
    assert!(table.driver.capabilities(Channel(0)).board_lag > Duration::from_millis(6 * 522));
    assert!(table.boards().iter().all(|b| b == START));
    assert_eq!(table.links().len(), 1);
}
