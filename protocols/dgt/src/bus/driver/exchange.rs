// SPDX-License-Identifier: MIT OR Apache-2.0
//! One question to one board and the wait for its answer.

use arbiterd_board::Mono;

use crate::bus::{Answer, BusCommand, BusFrame};
use crate::wire::SHORTEST_BUS_FRAME;

/// What a board can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ask {
    Version,
    Board,
    Changes,
    Clock,
    /// Not to answer the next ping to all boards.
    IgnorePing,
}

impl Ask {
    /// The length of the answer; changes without records.
    pub(super) const fn answer_length(self) -> usize {
        match self {
            Self::Version => SHORTEST_BUS_FRAME + 2,
            Self::Board => SHORTEST_BUS_FRAME + 64,
            Self::Clock => SHORTEST_BUS_FRAME + 7,
            Self::Changes | Self::IgnorePing => SHORTEST_BUS_FRAME,
        }
    }

    pub(super) const fn is_answered_by(self, answer: &Answer<'_>) -> bool {
        matches!(
            (self, answer),
            (Self::Version, Answer::Version(_))
                | (Self::Board, Answer::Board(_))
                | (Self::Changes, Answer::Changes(_))
                | (Self::Clock, Answer::Clock(_))
                | (Self::IgnorePing, Answer::Ping)
        )
    }
}

/// The one question that is not settled. A board keeps one command of input, so there is never
/// a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) board: usize,
    pub(super) ask: Ask,
    /// How it was put last.
    pub(super) command: BusCommand,
    /// How often it was put.
    pub(super) tries: u8,
    /// When it was put first since it was sure which answer belongs to which question: no answer
    /// to it says what was before.
    pub(super) since: Mono,
    pub(super) wait: Wait,
    /// The answer to the last try is damaged.
    pub(super) damaged: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// For the answer, until then.
    Answer(Mono),
    /// For the line, to put it again.
    Line,
}

/// Takes out what a half-duplex adapter hears of the host itself: exactly the bytes of the last
/// frame, in their order, before anything else (topic: bus mode).
///
/// No answer begins with the four bytes of its command, so nothing of a board is taken out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Echo {
    /// The frame that was said, and how much of it has come back.
    expected: Option<([u8; BusFrame::LENGTH], usize)>,
}

/// Bytes that looked like an echo and were none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Released {
    frame: [u8; BusFrame::LENGTH],
    count: usize,
}

impl Released {
    pub(super) fn bytes(&self) -> &[u8] {
        self.frame.get(..self.count).unwrap_or_default()
    }
}

impl Echo {
    pub(super) const fn said(&mut self, frame: [u8; BusFrame::LENGTH]) {
        self.expected = Some((frame, 0));
    }

    /// What was held back and is no echo, and what of `bytes` is left.
    pub(super) fn strip<'b>(&mut self, bytes: &'b [u8]) -> (Released, &'b [u8]) {
        let Some((frame, back)) = self.expected.take() else { return (Released::default(), bytes) };
        let due = frame.get(back..).unwrap_or_default();
        let same = due.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        let rest = bytes.get(same..).unwrap_or_default();
        let back = back + same;
        if back == frame.len() {
            return (Released::default(), rest);
        }
        if rest.is_empty() {
            self.expected = Some((frame, back));
            return (Released::default(), rest);
        }
        (Released { frame, count: back }, rest)
    }

    /// Gives up waiting: what was held back is no whole echo.
    pub(super) fn release(&mut self) -> Released {
        let (frame, count) = self.expected.take().unwrap_or_default();
        Released { frame, count }
    }
}
