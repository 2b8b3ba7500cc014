// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes over the line: ids and lengths of messages, piece codes, square numbers, and in
//! rooms of their own the commands. Decoders, encoders, drivers and simulator read these tables.

mod clock_command;
mod command;
mod lights;

use core::time::Duration;

use arbiterd_board::{Colour, LineSettings, NoiseCause, Occupant, Parity, Piece, ResultToken, Role, Square};

pub use self::clock_command::{
    BeepAfter, CLOCK_COMMAND, ClockCommand, ClockText, ClockTextError, Counting, Glyphs, Icons, IconsError,
    LONGEST_BEEP, LongClockText, SetAndRun, SideIcons, TimeTooLong, clock_code,
};
pub use self::command::Command;
pub use self::lights::{LIGHTS_COMMAND, Lights};

use crate::log::LONGEST_LOG;

/// The line (topic: transport): 9600 baud, 8 data bits, no parity, 1 stop bit, no handshake.
pub const LINE: LineSettings =
    LineSettings { baud: 9600, data_bits: 8, parity: Parity::None, stop_bits: 1, data_terminal_ready: None };

/// Length of a message's header: the id and two length bytes of seven bits (topic: framing).
pub const HEADER: usize = 3;

/// The longest total length taken for a frame. No known message has more than 0x3e in its first
/// length byte, so anything above is a corrupted header (topic: broken input).
pub const LONGEST_FRAME: usize = (0x3e << 7) | 0x7f;

/// Ids of the messages a board sends; bit 7 marks the start of a message and occurs nowhere
/// else (topic: framing).
pub mod id {
    /// Not a message: filler seen after trouble, and a lone reply byte of emulators.
    pub const NONE: u8 = 0x80;
    /// The whole board.
    pub const BOARD_DUMP: u8 = 0x86;
    /// The clock's times, or the clock's answer to a command.
    pub const CLOCK: u8 = 0x8d;
    /// One square.
    pub const FIELD_UPDATE: u8 = 0x8e;
    /// The log in the board's memory.
    pub const EE_MOVES: u8 = 0x8f;
    /// The board's address on a bus.
    pub const BUS_ADDRESS: u8 = 0x90;
    /// The short serial number.
    pub const SERIAL: u8 = 0x91;
    /// The trade mark text.
    pub const TRADE_MARK: u8 = 0x92;
    /// The firmware version.
    pub const VERSION: u8 = 0x93;
    /// Draughts, fifty squares, Black's.
    pub const DRAUGHTS_BLACK: u8 = 0x94;
    /// Draughts, fifty squares, White's.
    pub const DRAUGHTS_WHITE: u8 = 0x95;
    /// The board's battery.
    pub const BATTERY: u8 = 0xa0;
    /// The long serial number.
    pub const LONG_SERIAL: u8 = 0xa2;
}

/// Total length of a board dump of the 10x10 draughts board, which shares the id of the chess
/// dump and must not be taken for one.
pub const DRAUGHTS_DUMP_LENGTH: usize = 103;

/// One row of [`FORMS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// The id byte.
    pub id: u8,
    /// The shortest total length, header included.
    pub shortest: usize,
    /// The longest total length.
    pub longest: usize,
    /// Whether the decoder reads it; otherwise it is skipped by its length.
    pub read: bool,
}

const fn form(id: u8, shortest: usize, longest: usize, read: bool) -> Form {
    Form { id, shortest, longest, read }
}

/// The messages of single-board mode and their total lengths (topic: framing).
pub const FORMS: &[Form] = &[
    form(id::BOARD_DUMP, 67, 67, true),
    form(id::CLOCK, 10, 10, true),
    form(id::FIELD_UPDATE, 5, 5, true),
    form(id::EE_MOVES, 7939, 7939, true),
    form(id::BUS_ADDRESS, 5, 5, true),
    // Old boards add a space and three characters, so 8 to 12 are all in use.
    form(id::SERIAL, 8, 12, true),
    form(id::TRADE_MARK, HEADER, 259, true),
    form(id::VERSION, 5, 5, true),
    form(id::DRAUGHTS_BLACK, 53, 53, false),
    form(id::DRAUGHTS_WHITE, 53, 53, false),
    // The vendor's constant says 7, its own list of bytes and every device say 12.
    form(id::BATTERY, 12, 12, true),
    form(id::LONG_SERIAL, 13, 13, true),
];

/// Ids of the answers in bus mode (topic: bus mode). They overlap with the commands of the host,
/// and one of them with the board dump of single-board mode.
pub mod bus_id {
    /// The whole board.
    pub const BOARD: u8 = 0x83;
    /// The clock.
    pub const CLOCK: u8 = 0x84;
    /// Records of what changed.
    pub const CHANGES: u8 = 0x85;
    /// Records since the start of the game was marked.
    pub const FROM_START: u8 = 0x86;
    /// A sign of life.
    pub const PING: u8 = 0x87;
    /// The start of a game was marked.
    pub const STARTED: u8 = 0x88;
    /// The firmware version.
    pub const VERSION: u8 = 0x89;
    /// Draughts, fifty squares.
    pub const DRAUGHTS: u8 = 0x8a;
}

/// The shortest bus frame: id, length, address, checksum.
pub const SHORTEST_BUS_FRAME: usize = 6;

const LONGEST_BUS_LOG: usize = SHORTEST_BUS_FRAME + LONGEST_LOG;

/// The answers of bus mode and their total lengths, checksum included (topic: bus mode).
pub const BUS_FORMS: &[Form] = &[
    form(bus_id::BOARD, 70, 70, true),
    form(bus_id::CLOCK, 13, 13, true),
    form(bus_id::CHANGES, SHORTEST_BUS_FRAME, LONGEST_BUS_LOG, true),
    form(bus_id::FROM_START, SHORTEST_BUS_FRAME, LONGEST_BUS_LOG, true),
    form(bus_id::PING, 6, 6, true),
    form(bus_id::STARTED, 6, 6, true),
    // Up to version 1.2 the version is left out.
    form(bus_id::VERSION, 6, 8, true),
    form(bus_id::DRAUGHTS, 56, 56, false),
];

/// What the header of a frame says about the rest of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Read it when it is complete.
    Read,
    /// Skip it by its length: a known message without use here, or an unknown one.
    Skip,
    /// A frame of bus mode, if its checksum fits.
    Bus,
    /// No frame at all: hunt for the next start of a message.
    Reject(NoiseCause),
}

/// Judges a header: the id byte and the total length.
#[must_use]
pub fn judge(id: u8, total: usize) -> Verdict {
    if id == self::id::NONE {
        return Verdict::Reject(NoiseCause::UnknownKind);
    }
    if !(HEADER..=LONGEST_FRAME).contains(&total) {
        return Verdict::Reject(NoiseCause::Malformed);
    }
    let form = FORMS.iter().find(|f| f.id == id);
    if let Some(form) = form
        && (form.shortest..=form.longest).contains(&total)
    {
        return if form.read { Verdict::Read } else { Verdict::Skip };
    }
    let draughts = id == self::id::BOARD_DUMP && total == DRAUGHTS_DUMP_LENGTH;
    let on_bus = BUS_FORMS.iter().any(|f| f.id == id);
    match form {
        _ if on_bus && !draughts && total >= SHORTEST_BUS_FRAME => Verdict::Bus,
        None if !on_bus => Verdict::Skip,
        _ => Verdict::Reject(NoiseCause::Malformed),
    }
}

/// What the header of a frame says about the rest of it, in bus mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BusVerdict {
    /// Read it when it is complete and its checksum fits.
    Read,
    /// Skip it by its length: a known answer without use here, or an unknown one.
    Skip,
    /// A message of single-board mode.
    Single,
    /// No frame at all: hunt for the next start of a message.
    Reject(NoiseCause),
}

/// Judges a header in bus mode: the id byte and the total length.
#[must_use]
pub fn judge_bus(id: u8, total: usize) -> BusVerdict {
    if id == self::id::NONE {
        return BusVerdict::Reject(NoiseCause::UnknownKind);
    }
    let on_bus = BUS_FORMS.iter().find(|f| f.id == id);
    let single = FORMS.iter().find(|f| f.id == id);
    let fits = |form: &&Form| (form.shortest..=form.longest).contains(&total);
    if let Some(form) = on_bus.filter(fits) {
        return if form.read { BusVerdict::Read } else { BusVerdict::Skip };
    }
    if single.filter(fits).is_some() {
        return BusVerdict::Single;
    }
    let unknown = on_bus.is_none() && single.is_none();
    if unknown && (SHORTEST_BUS_FRAME..=LONGEST_FRAME).contains(&total) {
        return BusVerdict::Skip;
    }
    BusVerdict::Reject(NoiseCause::Malformed)
}

/// The checksum of a bus frame: the sum of all bytes before it, seven bits (topic: bus mode).
#[must_use]
pub fn bus_checksum(before: &[u8]) -> u8 {
    before.iter().fold(0u8, |sum, b| sum.wrapping_add(*b)) & 0x7f
}

/// A piece byte's low four bits; the rest is not described and is masked (topic: pieces).
pub const PIECE_MASK: u8 = 0x0f;

const fn piece(colour: Colour, role: Role) -> Occupant {
    Occupant::Piece(Piece { colour, role })
}

/// What the sixteen piece codes mean (topic: pieces). King comes before queen; the last three
/// are the pieces that announce a result.
pub const OCCUPANTS: [Occupant; 16] = [
    Occupant::Empty,
    piece(Colour::White, Role::Pawn),
    piece(Colour::White, Role::Rook),
    piece(Colour::White, Role::Knight),
    piece(Colour::White, Role::Bishop),
    piece(Colour::White, Role::King),
    piece(Colour::White, Role::Queen),
    piece(Colour::Black, Role::Pawn),
    piece(Colour::Black, Role::Rook),
    piece(Colour::Black, Role::Knight),
    piece(Colour::Black, Role::Bishop),
    piece(Colour::Black, Role::King),
    piece(Colour::Black, Role::Queen),
    Occupant::Token(ResultToken::Draw),
    Occupant::Token(ResultToken::WhiteWins),
    Occupant::Token(ResultToken::BlackWins),
];

/// What a piece byte means; the undescribed high bits are masked.
#[must_use]
pub fn occupant(byte: u8) -> Occupant {
    OCCUPANTS[usize::from(byte & PIECE_MASK)]
}

/// The code of what stands on a square. An object without the maker's coil is not detected at
/// all: it reads as empty (topic: pieces).
#[must_use]
pub fn piece_code(occupant: Occupant) -> u8 {
    (0u8..).zip(OCCUPANTS).find(|(_, o)| *o == occupant).map_or(0, |(code, _)| code)
}

/// The square with a raw number (a8 = 0, h8 = 7, a1 = 56, h1 = 63); `None` above 63: such a
/// byte is rejected, never masked onto another square (topic: squares).
#[must_use]
pub const fn square(raw: u8) -> Option<Square> {
    // Reading order runs from the eighth rank down; files agree, so only the rank is turned.
    if raw < 64 { Square::new(raw ^ 0x38) } else { None }
}

/// The raw number of a square, the inverse of [`square`].
#[must_use]
pub const fn raw_square(square: Square) -> u8 {
    square.index() ^ 0x38
}

/// All squares in raw order, which is also the order of a scan.
pub fn raw_order() -> impl Iterator<Item = Square> {
    (0..64).filter_map(square)
}

/// The largest time the clock can be set to or report: 9:59:59 (topic: clock times).
pub const LONGEST_TIME: Duration = Duration::from_secs(9 * 3600 + 59 * 60 + 59);

/// Hours, minutes and seconds of a time that a clock can hold.
pub(crate) fn hours_minutes_seconds(time: Duration) -> [u8; 3] {
    let seconds = time.min(LONGEST_TIME).as_secs();
    // Below 60 and below 10: they fit.
    [seconds / 3600, seconds / 60 % 60, seconds % 60].map(|part| u8::try_from(part).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_squares_read_like_a_page() {
        for (raw, name) in [(0, "a8"), (1, "b8"), (7, "h8"), (8, "a7"), (56, "a1"), (63, "h1"), (0x34, "e2")]
        {
            assert_eq!(square(raw), name.parse().ok(), "{name}");
        }
        assert!(Square::all().all(|s| square(raw_square(s)) == Some(s)));
        assert_eq!(square(64), None);
    }
}
