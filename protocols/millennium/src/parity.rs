// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a board puts in bit 7 is learned from its frames (topic: byte parity). Genuine boards send
//! odd parity, some send the bit clear, one kind sends neither, and no version number tells.

use crate::wire;

/// What bit 7 of a board's bytes says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ByteParity {
    /// Not known yet: nothing is refused for its sake.
    #[default]
    Learning,
    /// Odd parity, as described: a frame with a byte that breaks it is dropped.
    Odd,
    /// Always clear: a frame with a byte that has it set is dropped.
    None,
    /// Neither, so it says nothing. A sign of a bad line or of an unusual board.
    Mixed,
}

/// So many frames of one kind, without another between, settle it.
const SETTLED: u32 = 3;
/// So many are needed to leave what was settled for or from [`ByteParity::Mixed`]: about a second of
/// statuses. A few damaged frames do not loosen the rule, and a few good ones do not tighten it.
const UNSETTLED: u32 = 24;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Learner {
    mode: ByteParity,
    judged: u32,
    run: Option<Kind>,
    run_length: u32,
}

/// What one frame says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Odd,
    Clear,
    Neither,
}

impl Learner {
    pub(crate) const fn mode(&self) -> ByteParity {
        self.mode
    }

    /// Whether a byte is what the board sends, by all that is known of it.
    pub(crate) const fn fits(&self, byte: u8) -> bool {
        match self.mode {
            ByteParity::Learning | ByteParity::Mixed => true,
            ByteParity::Odd => wire::has_odd_parity(byte),
            ByteParity::None => byte < 0x80,
        }
    }

    /// Whether a frame whose block parity is right may be believed; learns from it.
    pub(crate) fn judge(&mut self, odd: bool, clear: bool) -> bool {
        let kind = match (odd, clear) {
            // Each of its characters has an odd number of bits, so it fits both and says nothing.
            (true, true) => return true,
            (true, false) => Kind::Odd,
            (false, true) => Kind::Clear,
            (false, false) => Kind::Neither,
        };
        let believed = match self.mode {
            ByteParity::Learning | ByteParity::Mixed => true,
            ByteParity::Odd => kind == Kind::Odd,
            ByteParity::None => kind == Kind::Clear,
        };
        self.learn(kind);
        believed
    }

    fn learn(&mut self, kind: Kind) {
        self.judged = self.judged.saturating_add(1);
        self.run_length = if self.run == Some(kind) { self.run_length.saturating_add(1) } else { 1 };
        self.run = Some(kind);
        let enough = match (self.mode, kind) {
            (ByteParity::Mixed, _) | (_, Kind::Neither) => UNSETTLED,
            _ => SETTLED,
        };
        if self.run_length >= enough {
            self.mode = match kind {
                Kind::Odd => ByteParity::Odd,
                Kind::Clear => ByteParity::None,
                Kind::Neither => ByteParity::Mixed,
            };
        } else if self.mode == ByteParity::Learning && self.judged >= SETTLED {
            self.mode = ByteParity::Mixed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: (bool, bool) = (true, false);
    const CLEAR: (bool, bool) = (false, true);
    const NEITHER: (bool, bool) = (false, false);

    fn after(frames: &[(bool, bool)]) -> Learner {
        let mut learner = Learner::default();
        for (odd, clear) in frames {
            learner.judge(*odd, *clear);
        }
        learner
    }

    #[test]
    fn the_first_three_frames_decide() {
        for (frames, mode) in [
            (&[ODD, ODD][..], ByteParity::Learning),
            (&[ODD, ODD, ODD], ByteParity::Odd),
            (&[CLEAR, CLEAR, CLEAR], ByteParity::None),
            (&[ODD, CLEAR, ODD], ByteParity::Mixed),
            (&[NEITHER, NEITHER, NEITHER], ByteParity::Mixed),
            (&[(true, true), (true, true), (true, true), ODD], ByteParity::Learning),
        ] {
            assert_eq!(after(frames).mode(), mode, "{frames:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_not_believed() {
        let mut odd = after(&[ODD; 3]);
        assert!(odd.judge(true, false));
        assert!(odd.judge(true, true));
        assert!(!odd.judge(false, false));
        assert!(!odd.judge(false, true));
        let mut none = after(&[CLEAR; 3]);
        assert!(none.judge(false, true));
        assert!(!none.judge(true, false));
    }

    #[test]
    fn a_board_that_changes_its_mind_is_followed_after_three_frames() {
        let mut learner = after(&[ODD; 3]);
        learner.judge(false, true);
        learner.judge(false, true);
        assert_eq!(learner.mode(), ByteParity::Odd);
        learner.judge(false, true);
        assert_eq!(learner.mode(), ByteParity::None);
    }

    #[test]
    fn a_mixed_start_is_made_good_by_a_second_of_order() {
        let mut learner = after(&[ODD, NEITHER, ODD]);
        for _ in 0..22 {
            learner.judge(true, false);
            assert_eq!(learner.mode(), ByteParity::Mixed);
        }
        learner.judge(true, false);
        assert_eq!(learner.mode(), ByteParity::Odd);
    }

    #[test]
    fn a_board_whose_bits_mean_nothing_any_more_is_not_lost_for_ever() {
        let mut learner = after(&[ODD; 3]);
        for _ in 0..23 {
            assert!(!learner.judge(false, false));
        }
        assert_eq!(learner.mode(), ByteParity::Odd);
        learner.judge(false, false);
        assert_eq!(learner.mode(), ByteParity::Mixed);
    }
}
