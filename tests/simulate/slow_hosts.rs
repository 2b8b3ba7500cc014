// SPDX-License-Identifier: GPL-3.0-or-later
//! Hosts that have the port open and do not read: a terminal and a converter hold little, and what
//! finds no room there is lost and counted, as on a real line.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use arbiterd::sim::{Device, Pace, PtyBoard};
use arbiterd_board::Mono;
use arbiterd_dgt::simulator::{BusLine, BusLineOptions, Options as DgtOptions, Simulator as DgtBoard};
use arbiterd_millennium::simulator::{Options, Simulator};
use rustix::fs::OFlags;

use crate::rig::Board;

/// Longer than anything takes on a slow machine: a bound on hanging, not a measure.
const PATIENCE: Duration = Duration::from_secs(60);
/// Linux keeps less than this for a terminal that nobody reads.
const TERMINAL: usize = 100 * 1024;
/// What is said at once, in bytes: several times as much as anybody keeps.
const FLOOD: usize = 400_000;

struct Slow<D> {
    board: PtyBoard<D>,
    port: File,
}

impl<D: Device + Clone> Slow<D> {
    /// A host that has asked a question, got its answer of so many bytes, and does not read any more.
    async fn host(device: D, pace: Pace, question: &'static [u8], answer: usize) -> Self {
        let board = PtyBoard::plug(device, pace, None).unwrap();
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).unwrap();
        let port = OpenOptions::new().read(true).write(true).custom_flags(flags).open(board.path()).unwrap();
        let mut slow = Self { board, port };
        slow.port.write_all(question).unwrap();
        let mut read = 0;
        slow.until(|slow| {
            read += slow.read().len();
            read >= answer
        })
        .await;
        assert_eq!(read, answer);
        slow
    }

    /// What can be read now.
    fn read(&mut self) -> Vec<u8> {
        let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            match self.port.read(&mut buffer) {
                Ok(count) => all.extend(&buffer[..count]),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return all,
                Err(e) => panic!("{e}"),
            }
        }
    }

    async fn until(&mut self, mut come: impl FnMut(&mut Self) -> bool) {
        let mut looks = tokio::time::interval(Duration::from_millis(5));
        let wait = async {
            while !come(self) {
                looks.tick().await;
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.expect("it never came");
    }

    /// Has the board say a lot, and returns how many bytes it was.
    async fn flood(&self, provoke: fn(&mut D, Mono)) -> usize {
        let said = self.board.ask(move |device, now| {
            let mut twin = device.clone();
            let mut said = 0;
            while said < FLOOD {
                provoke(device, now);
                provoke(&mut twin, now);
                said += core::iter::from_fn(|| twin.poll_transmit()).map(|bytes| bytes.len()).sum::<usize>();
            }
            said
        });
        said.await.unwrap()
    }

    fn lost(&self) -> usize {
        usize::try_from(self.board.lost()).unwrap()
    }
}

/// The board says all at once: the terminal fills, the converter fills, and the rest is lost. Every byte
/// is either read in the end or was counted; then the line is as good as before.
async fn loses_and_counts<D: Device + Clone>(
    device: D,
    question: &'static [u8],
    answer: usize,
    provoke: fn(&mut D, Mono),
) {
    let mut slow = Slow::host(device, Pace::Unpaced, question, answer).await;
    // Once for the terminal, and once more when it is full.
    let said = slow.flood(provoke).await + slow.flood(provoke).await;
    slow.until(|slow| said - slow.lost() < TERMINAL).await;
    let mut read = 0;
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    let all = async {
        while read + slow.lost() < said {
            looks.tick().await;
            read += slow.read().len();
        }
    };
    tokio::time::timeout(PATIENCE, all).await.expect("bytes are nowhere");
    assert_eq!(read + slow.lost(), said, "bytes are counted as lost and read");
    let lost = slow.lost();
    slow.board.with(provoke).unwrap();
    slow.until(|slow| !slow.read().is_empty()).await;
    assert_eq!(slow.lost(), lost, "a host that reads loses nothing");
}

/// The line is slow and the host asks fast: no more is kept than a board may be behind.
async fn keeps_little<D: Device + Clone>(
    device: D,
    question: &'static [u8],
    answer: usize,
    provoke: fn(&mut D, Mono),
) {
    let slow = Slow::host(device, Pace::Line, question, answer).await;
    let said = slow.flood(provoke).await;
    // When the next question to the board is answered, what it said before is on the line.
    slow.board.ask(|_, _| ()).await.unwrap();
    let kept = said - slow.lost();
    // Up to 64 KiB, and the message with which that was passed.
    assert!(kept < 64 * 1024 + 256, "{kept} bytes of {said} are kept");
    assert!(kept >= 64 * 1024, "{kept} bytes of {said}: there was room");
}

fn dgt() -> DgtBoard {
    DgtBoard::new(arbiterd::time::now(), DgtOptions::default())
}

/// It asks what stands on the board.
fn ask_dgt(board: &mut DgtBoard, now: Mono) {
    board.receive(now, &[0x42]);
}

/// It says nothing unasked.
fn millennium() -> Simulator {
    let faults = vec!["register=02,01".parse().unwrap()];
    Simulator::new(arbiterd::time::now(), Options { faults, ..Options::default() })
}

/// It asks what stands on the board; the answer to each question is awaited (vector 3).
fn ask_millennium(board: &mut Simulator, now: Mono) {
    board.receive(now, &[0xd3, 0xb5, 0xb3]);
    board.handle_timeout(board.poll_timeout().unwrap());
}

/// DGT_SEND_VERSION, and vector 1 of the Millennium protocol.
const SEND_VERSION: &[u8] = &[0x4d];
const VERSION: &[u8] = &[0xd6, 0xb5, 0xb6];
/// DGT_BUS_SEND_BRD to the board 1025.
const SEND_BOARD: &[u8] = &[0x82, 0x08, 0x01, 0x0b];

/// It asks what stands on the board of the line, which takes as long as its bytes.
fn ask_line(line: &mut BusLine, now: Mono) {
    line.receive(now, SEND_BOARD);
    for _ in 0..200 {
        let Some(due) = line.poll_timeout() else { return };
        line.handle_timeout(due);
    }
}

#[tokio::test]
async fn what_a_host_does_not_read_of_a_dgt_board_is_lost_and_counted() {
    loses_and_counts(dgt(), SEND_VERSION, 5, ask_dgt).await;
}

#[tokio::test]
async fn what_a_host_does_not_read_of_a_millennium_board_is_lost_and_counted() {
    loses_and_counts(millennium(), VERSION, 7, ask_millennium).await;
}

#[tokio::test]
async fn what_a_host_does_not_read_of_a_line_of_boards_is_lost_and_counted() {
    let options = DgtOptions { serial: 1025u16.into(), ..DgtOptions::default() };
    let line = BusLine::new(arbiterd::time::now(), BusLineOptions::default(), vec![options]).unwrap();
    loses_and_counts(line, SEND_BOARD, 70, ask_line).await;
}

#[tokio::test]
async fn a_host_that_asks_faster_than_the_line_answers_fills_no_memory() {
    keeps_little(dgt(), SEND_VERSION, 5, ask_dgt).await;
    keeps_little(millennium(), VERSION, 7, ask_millennium).await;
}

#[test]
fn a_host_that_does_not_read_is_told_of_as_a_warning() {
    // It hears itself, and so need not wait for answers.
    let mut board = Board::millennium(&["--fault", "echo=on"]);
    let mut port = OpenOptions::new().read(true).write(true).open(board.link()).unwrap();
    port.write_all(&[0; FLOOD]).unwrap();
    board.hear("WARNING: the host does not read");
}
