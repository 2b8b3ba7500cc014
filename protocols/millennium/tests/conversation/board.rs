// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board by the letter of the description, without hands of its own: the test sets what stands on
//! it. It reads and writes its frames by itself and takes nothing from the crate but the pieces.

use std::collections::VecDeque;

use arbiterd_board::simulator::Device;
use arbiterd_board::{LineSettings, Mono, Placement, Square};
use arbiterd_millennium::wire::LINE;

pub struct Board {
    pub placement: Placement,
    pub version: &'static str,
    /// What it says when asked who it is; nothing if it does not know the question.
    pub information: Option<&'static str>,
    pub registers: [u8; 16],
    /// Addresses whose registers keep what they hold.
    pub stubborn: Vec<u8>,
    /// Commands that are obeyed and not answered.
    pub mute: Vec<u8>,
    pub odd_parity: bool,
    /// A scan takes so many times as long as the register says.
    pub slowness: u64,
    /// Statuses come on change only, whatever the register says.
    pub silent: bool,
    /// What the host sends comes back.
    pub echo: bool,
    /// So many commands with this letter are not heard.
    pub deaf: Option<(u8, u32)>,
    /// Sent before the next answer.
    pub before_answer: Option<Placement>,
    /// Commands that were heard and right.
    pub heard: Vec<(Mono, String)>,
    /// Whatever was heard and not right.
    pub wrong: Vec<Vec<u8>>,
    next_scan: Mono,
    told: Option<Placement>,
    out: VecDeque<Vec<u8>>,
}

impl Board {
    pub fn new(placement: Placement) -> Self {
        let mut registers = [0; 16];
        registers[1] = 0x14;
        registers[4] = 0x0f;
        Self {
            placement,
            version: "0103",
            information: None,
            registers,
            stubborn: Vec::new(),
            mute: Vec::new(),
            odd_parity: true,
            slowness: 1,
            silent: false,
            echo: false,
            deaf: None,
            before_answer: None,
            heard: Vec::new(),
            wrong: Vec::new(),
            next_scan: Mono::ZERO,
            told: None,
            out: VecDeque::new(),
        }
    }

    /// Characters on their way to the host, with their checks.
    pub fn send(&mut self, characters: &str) {
        self.out.push_back(self.frame(characters));
    }

    pub fn frame(&self, characters: &str) -> Vec<u8> {
        let sum = characters.bytes().fold(0, |sum, c| sum ^ c);
        let checked = format!("{characters}{sum:02X}");
        let parity = |c: u8| if self.odd_parity && c.count_ones().is_multiple_of(2) { c | 0x80 } else { c };
        checked.bytes().map(parity).collect()
    }

    fn obey(&mut self, command: &str) -> Option<String> {
        match command.as_bytes()[0] {
            b'V' => Some(format!("v{}", self.version)),
            b'S' => {
                self.told = Some(self.placement);
                Some(status(&self.placement))
            }
            b'L' => Some("l".to_owned()),
            b'X' => Some("x".to_owned()),
            b'I' => self.information.map(|text| format!("i{}{text}\n", &command[1..3])),
            b'R' => {
                let address = u8::from_str_radix(&command[1..3], 16).unwrap();
                Some(format!("r{address:02X}{:02X}", self.registers[usize::from(address)]))
            }
            b'W' => {
                let address = u8::from_str_radix(&command[1..3], 16).unwrap();
                if !self.stubborn.contains(&address) {
                    let value = u8::from_str_radix(&command[3..5], 16).unwrap();
                    self.registers[usize::from(address)] = value;
                }
                Some(format!("w{}", &command[1..5]))
            }
            other => panic!("not to be sent: {}", char::from(other)),
        }
    }
}

impl Device for Board {
    fn line_settings(&self) -> LineSettings {
        LINE
    }

    fn receive(&mut self, now: Mono, bytes: &[u8]) {
        if self.echo {
            self.out.push_back(bytes.to_vec());
        }
        let characters: String = bytes.iter().map(|b| char::from(b & 0x7f)).collect();
        if bytes.iter().any(|b| b.count_ones().is_multiple_of(2)) {
            self.wrong.push(bytes.to_vec());
            return;
        }
        let bare = self.registers[0] & 1 != 0;
        let command = if bare { Some(characters.as_str()) } else { checked(&characters) };
        let Some(command) = command.filter(|c| complete(c)) else {
            self.wrong.push(bytes.to_vec());
            return;
        };
        if let Some((letter, left @ 1..)) = self.deaf
            && command.as_bytes()[0] == letter
        {
            self.deaf = Some((letter, left - 1));
            return;
        }
        self.heard.push((now, command.to_owned()));
        // It may be told to report from now on.
        self.next_scan = self.next_scan.max(now);
        let answer = self.obey(command);
        if let Some(placement) = self.before_answer.take() {
            self.send(&status(&placement));
        }
        if self.mute.contains(&command.as_bytes()[0]) {
            return;
        }
        if let Some(answer) = answer {
            // Whether a board without block parity still sends it is not known: this one does not.
            let frame = self.frame(&answer);
            self.out.push_back(if bare { frame[..frame.len() - 2].to_vec() } else { frame });
        }
    }

    fn poll_timeout(&self) -> Option<Mono> {
        matches!(self.registers[2], 0 | 3).then_some(self.next_scan)
    }

    fn handle_timeout(&mut self, now: Mono) {
        if self.poll_timeout().is_some_and(|at| at <= now) {
            let period = u64::from(self.registers[1].max(1)) * 2048 * self.slowness;
            self.next_scan = Mono::from_micros(now.as_micros() + period);
            let streams = self.registers[2] == 0 && !self.silent;
            if streams || self.told != Some(self.placement) {
                let status = status(&self.placement);
                self.told = Some(self.placement);
                self.send(&status);
            }
        }
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.out.pop_front()
    }
}

/// A command without its block parity, if that is right.
fn checked(characters: &str) -> Option<&str> {
    let (command, check) = characters.split_at_checked(characters.len().checked_sub(2)?)?;
    let sum = command.bytes().fold(0, |sum, c| sum ^ c);
    (format!("{sum:02X}") == check).then_some(command)
}

fn complete(command: &str) -> bool {
    let length = match command.as_bytes().first() {
        Some(b'V' | b'S' | b'X') => 1,
        Some(b'R' | b'I') => 3,
        Some(b'W') => 5,
        Some(b'L') => 165,
        _ => return false,
    };
    command.len() == length && command[1..].bytes().all(|c| c.is_ascii_digit() || (b'A'..=b'F').contains(&c))
}

/// `s` and the letters of the squares, a8 first.
pub fn status(placement: &Placement) -> String {
    let squares = (0..8).rev().flat_map(|rank| (0..8).map(move |file| Square::from_coords(file, rank)));
    core::iter::once('s').chain(squares.map(|s| placement[s.unwrap()].letter())).collect()
}
