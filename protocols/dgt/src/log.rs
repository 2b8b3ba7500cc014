// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log that a board keeps in its memory (topic: EEPROM log). Bus mode tells changes with the
//! same records, so the bus driver reads them and the simulator writes them with this table.

use core::time::Duration;

use arbiterd_board::{ClockSide, Occupant, Square};

use crate::clock::{sixtieths, two_digits};
use crate::wire::{self, hours_minutes_seconds};

/// How many bytes the ring in the board's memory holds.
pub const LONGEST_LOG: usize = 0x1f00;

/// First bytes of the records (topic: EEPROM log).
mod tag {
    pub(super) const NOTHING: u8 = 0x00;
    /// A piece record: the code is in the low four bits.
    pub(super) const PIECE: u8 = 0x40;
    /// In a piece record: less than about 250 ms since the piece record before.
    pub(super) const SOON: u8 = 0x10;
    pub(super) const LAST_PIECE: u8 = 0x5f;
    /// The time of a side: hours are in the low four bits.
    pub(super) const RIGHT_TIME: u8 = 0x60;
    pub(super) const LEFT_TIME: u8 = 0x70;
    pub(super) const POWER_UP: u8 = 0x6a;
    pub(super) const END: u8 = 0x6b;
    pub(super) const FOUR_ROWS: u8 = 0x6c;
    pub(super) const EMPTY_BOARD: u8 = 0x6d;
    pub(super) const DOWNLOADED: u8 = 0x6e;
    pub(super) const BEGIN_POSITION: u8 = 0x6f;
    pub(super) const BEGIN_POSITION_TURNED: u8 = 0x7a;
    pub(super) const START_TAG: u8 = 0x7b;
    pub(super) const WATCHDOG: u8 = 0x7c;
    pub(super) const RESERVED: [u8; 2] = [0x7d, 0x7e];
    pub(super) const FILLER: u8 = 0x7f;
}

/// One record of the log. The bytes that only fill it up are no records.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Record {
    /// One square changed.
    Piece {
        /// The hardware square.
        square: Square,
        /// What is on it now.
        occupant: Occupant,
        /// It came less than about 250 ms after the piece record before it. Older boards do not
        /// say so: then it is always false.
        soon: bool,
    },
    /// The lever was moved. Written only if the moves do not come too fast.
    Time {
        /// The side whose time stopped.
        side: ClockSide,
        /// What it has left, in whole seconds up to [`wire::LONGEST_TIME`].
        remaining: Duration,
    },
    /// The board was switched on. A record of each piece on it follows, in no order.
    PowerUp,
    /// The end of the log.
    End,
    /// The outer rows are full, but it is not the initial position. A hint at most: the
    /// descriptions do not agree on which rows.
    FourRows,
    /// Nothing is on the board.
    EmptyBoard,
    /// The log was read at this point.
    Downloaded,
    /// The initial position, connector at White's left hand.
    BeginPosition,
    /// The initial position, connector at White's right hand.
    BeginPositionTurned,
    /// The host marked the start of a game. A record of each piece on the board follows.
    StartTag,
    /// The board started again by itself. The records of being switched on follow.
    Watchdog,
    /// 0x7d or 0x7e, which nobody has described.
    Reserved(u8),
}

/// Records of one byte that carry nothing else.
const MARKS: [(u8, Record); 9] = [
    (tag::POWER_UP, Record::PowerUp),
    (tag::END, Record::End),
    (tag::FOUR_ROWS, Record::FourRows),
    (tag::EMPTY_BOARD, Record::EmptyBoard),
    (tag::DOWNLOADED, Record::Downloaded),
    (tag::BEGIN_POSITION, Record::BeginPosition),
    (tag::BEGIN_POSITION_TURNED, Record::BeginPositionTurned),
    (tag::START_TAG, Record::StartTag),
    (tag::WATCHDOG, Record::Watchdog),
];

impl Record {
    /// Appends the bytes of this record. A time above [`wire::LONGEST_TIME`] is written as that.
    pub fn write(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Piece { square, occupant, soon } => {
                let soon = if soon { tag::SOON } else { 0 };
                out.extend([tag::PIECE | soon | wire::piece_code(occupant), wire::raw_square(square)]);
            }
            Self::Time { side, remaining } => {
                let tag = match side {
                    ClockSide::Left => tag::LEFT_TIME,
                    ClockSide::Right => tag::RIGHT_TIME,
                };
                let [hours, minutes, seconds] = hours_minutes_seconds(remaining);
                out.extend([tag | hours, two_digits(minutes), two_digits(seconds)]);
            }
            Self::Reserved(byte) => {
                let [first, second] = tag::RESERVED;
                out.push(byte.clamp(first, second));
            }
            mark => out.extend(MARKS.iter().filter(|(_, m)| *m == mark).map(|(tag, _)| *tag)),
        }
    }
}

/// A piece of the log as bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Log<'a>(&'a [u8]);

impl<'a> Log<'a> {
    /// The log in these bytes.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Its records, oldest first.
    #[must_use]
    pub const fn records(&self) -> Records<'a> {
        Records { rest: self.0, skipped: 0 }
    }

    /// Whether there is no byte in it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads records from bytes. It never fails: what is no record is skipped and counted.
///
/// The first record of a log that has gone round may be cut, so reading begins anywhere.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
    skipped: u32,
}

/// What the next bytes are.
enum Found {
    /// A record of so many bytes.
    Record(Record, usize),
    /// So many bytes that say nothing.
    Filler(usize),
    /// So many bytes that are no record.
    Skip(usize),
}

impl Records<'_> {
    /// How many bytes were skipped so far because they are no record. Filler does not count.
    #[must_use]
    pub const fn skipped(&self) -> u32 {
        self.skipped
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while let Some(first) = self.rest.first() {
            let (record, length) = match find(*first, self.rest) {
                Found::Record(record, length) => (Some(record), length),
                Found::Filler(length) => (None, length),
                Found::Skip(length) => {
                    self.skipped = self.skipped.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
                    (None, length)
                }
            };
            self.rest = self.rest.get(length..).unwrap_or_default();
            if record.is_some() {
                return record;
            }
        }
        None
    }
}

fn find(first: u8, rest: &[u8]) -> Found {
    match first {
        tag::NOTHING | tag::FILLER => Found::Filler(1),
        tag::PIECE..=tag::LAST_PIECE => find_piece(first, rest),
        0x60..=0x69 => find_time(ClockSide::Right, rest),
        0x70..=0x79 => find_time(ClockSide::Left, rest),
        byte if tag::RESERVED.contains(&byte) => Found::Record(Record::Reserved(byte), 1),
        byte => match MARKS.iter().find(|(tag, _)| *tag == byte) {
            Some((_, record)) => Found::Record(*record, 1),
            None => Found::Skip(1),
        },
    }
}

fn find_piece(first: u8, rest: &[u8]) -> Found {
    // A number above 63 is no square and may open the next record. It is never masked: that
    // would put a piece on a wrong square (topic: squares).
    match rest.get(1).and_then(|raw| wire::square(*raw)) {
        Some(square) => {
            let occupant = wire::occupant(first);
            Found::Record(Record::Piece { square, occupant, soon: first & tag::SOON != 0 }, 2)
        }
        None => Found::Skip(1),
    }
}

fn find_time(side: ClockSide, rest: &[u8]) -> Found {
    if let [first, minutes, seconds, ..] = *rest
        && let (Some(minutes), Some(seconds)) = (sixtieths(minutes), sixtieths(seconds))
    {
        let hours = u64::from(first & 0x0f);
        let remaining = Duration::from_secs(hours * 3600 + minutes * 60 + seconds);
        return Found::Record(Record::Time { side, remaining }, 3);
    }
    // Wrong digits are skipped whole: read on their own they could look like a piece that
    // nobody moved. Only what cannot be a digit at all opens the next record.
    let digits = rest.iter().skip(1).take(2).take_while(|b| **b < tag::RIGHT_TIME).count();
    Found::Skip(1 + digits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> (Vec<Record>, u32) {
        let mut records = Log::new(bytes).records();
        let found = records.by_ref().collect();
        (found, records.skipped())
    }

    fn piece(square: &str, letter: char, soon: bool) -> Record {
        Record::Piece {
            square: square.parse().unwrap(),
            occupant: Occupant::from_letter(letter).unwrap(),
            soon,
        }
    }

    fn time(side: ClockSide, seconds: u64) -> Record {
        Record::Time { side, remaining: Duration::from_secs(seconds) }
    }

    #[test]
    fn every_record_is_read_and_written() {
        let bytes = [
            0x40, 0x34, // e2 empty
            0x51, 0x24, // white pawn e4, soon after
            0x4e, 0x00, // the piece that says White wins, a8
            0x69, 0x59, 0x59, // right 9:59:59
            0x71, 0x29, 0x58, // left 1:29:58
            0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e,
        ];
        let expected = [
            piece("e2", '.', false),
            piece("e4", 'P', true),
            piece("a8", '+', false),
            time(ClockSide::Right, 35_999),
            time(ClockSide::Left, 5398),
            Record::PowerUp,
            Record::End,
            Record::FourRows,
            Record::EmptyBoard,
            Record::Downloaded,
            Record::BeginPosition,
            Record::BeginPositionTurned,
            Record::StartTag,
            Record::Watchdog,
            Record::Reserved(0x7d),
            Record::Reserved(0x7e),
        ];
        assert_eq!(read(&bytes), (expected.to_vec(), 0));
        let mut written = Vec::new();
        expected.iter().for_each(|record| record.write(&mut written));
        assert_eq!(written, bytes);
    }

    #[test]
    fn filler_is_neither_a_record_nor_skipped() {
        assert_eq!(read(&[0x7f, 0x7f, 0x7f, 0x6a, 0x00, 0x40, 0x00]).1, 0);
        assert_eq!(read(&[0x7f, 0x7f, 0x7f, 0x6a, 0x00]).0, [Record::PowerUp]);
    }

    #[test]
    fn a_record_cut_at_its_front_is_skipped() {
        // The rest of a piece record, and of times.
        assert_eq!(read(&[0x34, 0x40, 0x0c]), (vec![piece("e7", '.', false)], 1));
        assert_eq!(read(&[0x29, 0x58, 0x40, 0x0c]), (vec![piece("e7", '.', false)], 2));
    }

    #[test]
    fn a_record_cut_at_its_end_is_skipped() {
        for cut in [&[0x40][..], &[0x71], &[0x71, 0x29]] {
            assert_eq!(read(cut), (vec![], u32::try_from(cut.len()).unwrap()), "{cut:02x?}");
        }
    }

    #[test]
    fn bytes_below_0x40_where_a_record_should_be_are_skipped_one_by_one() {
        assert_eq!(read(&[0x01, 0x3f, 0x6d]), (vec![Record::EmptyBoard], 2));
    }

    #[test]
    fn a_square_above_63_is_never_masked_onto_another() {
        assert_eq!(read(&[0x41, 0x40]), (vec![], 2));
        assert_eq!(read(&[0x41, 0x6b]), (vec![Record::End], 1));
    }

    #[test]
    fn wrong_digits_are_no_time_and_no_piece_either() {
        // 5a 12 would be a black bishop on c6.
        assert_eq!(read(&[0x71, 0x5a, 0x12]), (vec![], 3));
        assert_eq!(read(&[0x61, 0x12, 0x5c, 0x6d]), (vec![Record::EmptyBoard], 3));
        assert_eq!(read(&[0x61, 0x6d]), (vec![Record::EmptyBoard], 1));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_their_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let (records, skipped) = read(&bytes);
            let mut written = Vec::new();
            records.iter().for_each(|record| record.write(&mut written));
            let filler = bytes.iter().filter(|b| [0x00, 0x7f].contains(*b)).count();
            let skipped = usize::try_from(skipped).unwrap();
            prop_assert!(written.len() + skipped <= bytes.len());
            prop_assert!(written.len() + skipped + filler >= bytes.len());
            prop_assert_eq!(read(&written), (records, 0));
        }
    }
}
