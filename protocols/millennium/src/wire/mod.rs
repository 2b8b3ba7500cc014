// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands on the line: letters, lengths, parities and squares, each once.

mod cable;
mod command;
mod lights;
mod register;

use arbiterd_board::{LineSettings, Occupant, Parity, Square};

pub use cable::Cable;
pub use command::Command;
pub use lights::{LIGHTS, Lights, Pattern, SLOT_UNIT};
pub use register::{Brightness, EOneOptions, Register, ReportMode, ScanTime, Setting};

/// How the port has to be set. The line itself has seven data bits and odd parity; the port is
/// opened with eight and none, and the parity is made here, which also works where there is no line
/// at all (topic: serial).
pub const LINE: LineSettings = LineSettings {
    baud: 38_400,
    data_bits: 8,
    parity: Parity::None,
    stop_bits: 1,
    // As the drivers of python-mchess and picochess have it; none says why.
    data_terminal_ready: Some(false),
};

/// The letters with which the host's commands begin.
#[allow(missing_docs, reason = "the names say it")]
pub mod command_letter {
    pub const VERSION: u8 = b'V';
    pub const STATUS: u8 = b'S';
    pub const LIGHTS: u8 = b'L';
    pub const LIGHTS_OFF: u8 = b'X';
    pub const RESET: u8 = b'T';
    pub const READ: u8 = b'R';
    pub const WRITE: u8 = b'W';
    pub const INFORMATION: u8 = b'I';
    pub const DUMP: u8 = b'G';
}

/// The letters with which the board's answers begin.
#[allow(missing_docs, reason = "the names say it")]
pub mod answer {
    pub const VERSION: u8 = b'v';
    pub const STATUS: u8 = b's';
    pub const LIGHTS: u8 = b'l';
    pub const LIGHTS_OFF: u8 = b'x';
    pub const RESET: u8 = b't';
    pub const READ: u8 = b'r';
    pub const WRITE: u8 = b'w';
    pub const INFORMATION: u8 = b'i';
    pub const DUMP: u8 = b'g';
}

/// Characters of a status or a dump: letter, squares, block parity.
pub const STATUS_LENGTH: usize = 1 + Square::COUNT + CHECK;
/// Characters of a command for the lights.
pub const LIGHTS_LENGTH: usize = 1 + 2 + 2 * LIGHTS + CHECK;
/// Characters of the block parity.
pub const CHECK: usize = 2;
/// The most characters of text on an information page. It is not described; a limit keeps noise
/// that looks like the start of one from holding frames for long.
pub const INFORMATION_TEXT: usize = 80;
/// The longest answer: an information page, with its letter, number and line feed.
pub const LONGEST_ANSWER: usize = 1 + 2 + INFORMATION_TEXT + 1 + CHECK;
/// The longest command.
pub const LONGEST_COMMAND: usize = LIGHTS_LENGTH;

/// How many characters an answer has, block parity included; `None` for an information page, whose
/// length is in its text, and for what begins no answer.
#[must_use]
pub const fn answer_length(letter: u8) -> Option<usize> {
    match letter {
        answer::STATUS | answer::DUMP => Some(STATUS_LENGTH),
        answer::VERSION | answer::READ | answer::WRITE => Some(1 + 4 + CHECK),
        answer::LIGHTS | answer::LIGHTS_OFF | answer::RESET => Some(1 + CHECK),
        _ => None,
    }
}

/// How many characters a command has, block parity included.
#[must_use]
pub const fn command_length(letter: u8) -> Option<usize> {
    match letter {
        command_letter::VERSION
        | command_letter::STATUS
        | command_letter::LIGHTS_OFF
        | command_letter::RESET
        | command_letter::DUMP => Some(1 + CHECK),
        command_letter::READ | command_letter::INFORMATION => Some(1 + 2 + CHECK),
        command_letter::WRITE => Some(1 + 4 + CHECK),
        command_letter::LIGHTS => Some(LIGHTS_LENGTH),
        _ => None,
    }
}

/// The block parity of characters: all of them, the letter included, without their bit 7.
#[must_use]
pub fn check(characters: &[u8]) -> u8 {
    characters.iter().fold(0, |sum, byte| sum ^ (byte & 0x7f))
}

/// Whether all eight bits of a byte hold an odd number of ones.
#[must_use]
pub const fn has_odd_parity(byte: u8) -> bool {
    byte.count_ones() % 2 == 1
}

/// A character with its odd parity in bit 7.
#[must_use]
pub const fn with_parity(character: u8) -> u8 {
    let character = character & 0x7f;
    if has_odd_parity(character) { character } else { character | 0x80 }
}

/// The same bytes as a board sends them that knows no parity.
#[must_use]
pub fn without_parity(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte & 0x7f).collect()
}

/// A value as two upper-case hexadecimal digits.
#[must_use]
pub const fn hex_digits(value: u8) -> [u8; 2] {
    const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
    [DIGITS[(value >> 4) as usize], DIGITS[(value & 0x0f) as usize]]
}

/// The value of two hexadecimal digits of either case, whatever their bit 7.
#[must_use]
pub const fn hex_value(high: u8, low: u8) -> Option<u8> {
    match (hex_digit(high & 0x7f), hex_digit(low & 0x7f)) {
        (Some(high), Some(low)) => Some(high << 4 | low),
        _ => None,
    }
}

const fn hex_digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'A'..=b'F' => Some(character - b'A' + 10),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

/// A whole frame: the characters, their block parity, and odd parity on every byte.
#[must_use]
pub fn frame(characters: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let mut out: Vec<u8> = characters.into_iter().collect();
    out.extend(hex_digits(check(&out)));
    out.iter().map(|c| with_parity(*c)).collect()
}

/// The hardware squares in the order in which a status tells them: a8 first, h1 last. A board
/// whose cable leaves on the right tells the same order, with its own a8 at the players' h1; who
/// turned it round is decided elsewhere (topic: squares).
pub fn status_order() -> impl DoubleEndedIterator<Item = Square> {
    (0..64).filter_map(|index| Cable::Left.square(index))
}

/// What a letter of a status says of its square; `None` if a status holds no such letter.
#[must_use]
pub const fn occupant(letter: u8) -> Option<Occupant> {
    match letter {
        b'.' => Some(Occupant::Empty),
        // Seen in the wild and described nowhere: something is there, and what is not known
        // (topic: unknown letters).
        b'?' | b'O' => Some(Occupant::Unidentified),
        _ => match arbiterd_board::Piece::from_letter(letter as char) {
            Some(piece) => Some(Occupant::Piece(piece)),
            None => None,
        },
    }
}

/// The letter that stands for an occupant in a status.
#[must_use]
pub fn status_letter(occupant: Occupant) -> u8 {
    match occupant {
        Occupant::Empty => b'.',
        // Letters of pieces are ASCII.
        Occupant::Piece(piece) => u8::try_from(piece.letter()).unwrap_or(b'?'),
        Occupant::Unidentified | Occupant::Token(_) => b'?',
    }
}
