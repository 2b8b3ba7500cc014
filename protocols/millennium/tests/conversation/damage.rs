// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver says and tells when the line damages what it hears: the reactions that the
//! damaged vectors demand.

use arbiterd_board::{Noise, NoiseCause, ReportBody};

use crate::table::{E2_LIFTED, START, Table, board, fen, ms, scan};

fn noise(bytes: u32, cause: NoiseCause) -> ReportBody {
    ReportBody::Noise(Noise { bytes, cause })
}

/// A board that is asked, so that nothing comes by itself and every question has its reason.
fn asked() -> Table {
    let mut table = Table::on_change();
    table.run_until(3100);
    table.forget();
    table
}

/// A version that reaches the driver before the board itself is heard.
fn version_heard(bytes: &[u8]) -> Table {
    let mut table = Table::new();
    table.cut = true;
    table.run_until(120);
    table.hear(bytes);
    table.cut = false;
    table.run_until(1000);
    table
}

/// The version is the first thing that a board is asked, so its parity is not known yet: of the two
/// reactions that the description has for this vector only the relaxed one can occur in the driver.
/// The decoder's strict one is tested with the vectors.
#[test]
fn vector_27_is_accepted_before_the_parity_is_known() {
    let table = version_heard(&[0x76, 0xb0, 0x31, 0x30, 0xb3, 0x37, 0x34]);
    assert_eq!(table.count("V"), 1, "for a second answer that says the same, and not again");
    assert_eq!(table.links().len(), 1);
}

#[test]
fn vector_28_a_damaged_version_is_asked_for_again() {
    let table = version_heard(&[0x76, 0xb0, 0x31, 0xb0, 0xb3, 0x37, 0xb5]);
    assert_eq!(table.count("V"), 2);
    let said: Vec<_> = table.said[..2].iter().map(|(at, bytes)| (*at, bytes.len())).collect();
    assert_eq!(said, [(ms(115), 3), (ms(415), 3)]);
    assert!(table.bodies().contains(&noise(7, NoiseCause::Malformed)));
    assert_eq!(table.boards().first().map(String::as_str), Some(START));
}

#[test]
fn vector_29_a_damaged_status_is_asked_for_again() {
    let mut table = asked();
    let mut bytes = table.board.frame(&crate::board::status(&fen(E2_LIFTED)));
    bytes[59] = 0xce;
    table.hear(&bytes);
    assert_eq!(table.observed(), []);
    table.run_until(3300);
    assert_eq!(table.heard(), ["S"]);
    assert!(table.bodies().contains(&noise(67, NoiseCause::Malformed)));
    assert_eq!(table.observed(), [], "the board says that nothing has changed");
}

#[test]
fn vector_30_half_a_status_and_silence() {
    let mut table = asked();
    let bytes = table.board.frame(&crate::board::status(&fen(E2_LIFTED)));
    table.hear(&bytes[..40]);
    table.run_until(3599);
    assert_eq!(table.heard(), [] as [String; 0]);
    table.run_until(3600);
    assert_eq!(table.heard(), ["S"]);
    assert_eq!(table.bodies()[0], noise(40, NoiseCause::Unfinished));
    assert_eq!(table.observed(), []);
    // On a wire the limit is 100 ms.
    let mut table = Table::running();
    table.cut = true;
    table.forget();
    table.hear(&bytes[..40]);
    table.run_until(1099);
    assert_eq!(table.said, []);
    table.run_until(1100);
    assert_eq!(table.said.len(), 1);
}

#[test]
fn a_damaged_frame_in_a_stream_costs_a_scan() {
    let mut table = Table::running();
    table.forget();
    let mut bytes = table.board.frame(&crate::board::status(&fen(E2_LIFTED)));
    bytes[20] ^= 0x40;
    table.hear(&bytes);
    table.board.placement = fen(E2_LIFTED);
    table.run_until(1100);
    assert_eq!(table.observed()[0], scan(E2_LIFTED));
    assert!(table.bodies().contains(&noise(67, NoiseCause::Malformed)));
    assert_eq!(table.bodies().last(), Some(&board(E2_LIFTED)));
    assert_eq!(table.heard(), ["S"]);
}

#[test]
fn an_adapter_that_echoes_is_told_and_not_talked_to_for_ever() {
    let mut board = crate::board::Board::new(fen(START));
    board.echo = true;
    board.registers[2] = 3;
    let mut table = Table::with(arbiterd_millennium::Transport::Bluetooth, board);
    table.run_until(3000);
    table.forget();
    table.run_until(18_000);
    assert_eq!(table.count("S"), 10);
    assert!(table.driver.counters().echoes >= 10);
    assert!(table.bodies().contains(&noise(3, NoiseCause::UnknownKind)));
}

#[test]
fn a_stray_i_costs_no_frame() {
    let mut table = Table::running();
    table.forget();
    table.hear(&[0xe9, 0xb0, 0xb0]);
    table.board.placement = fen(E2_LIFTED);
    table.run_until(1100);
    assert_eq!(table.observed()[0], scan(E2_LIFTED));
    assert_eq!(table.bodies()[0], noise(3, NoiseCause::Junk));
}

#[test]
fn a_command_that_is_lost_is_said_three_times() {
    let mut table = asked();
    table.board.deaf = Some((b'S', 2));
    table.run_until(10_000);
    let times: Vec<u64> = table.said.iter().map(|(at, _)| at.as_micros() / 1000).take(3).collect();
    assert_eq!([times[1] - times[0], times[2] - times[1]], [1000, 1000]);
    assert_eq!(table.links(), []);
}
