// SPDX-License-Identifier: GPL-3.0-or-later
//! A result that the players show with the pieces is proposed to the arbiter, once.

use arbiterd_board::Mono;

use super::Table;
use crate::laws::board_signal::{DWELL, Shown, proposal, shown};

impl Table {
    /// When a sign that stands now will have stood long enough.
    pub(super) fn sign_due(&self) -> Option<Mono> {
        self.sign_to_propose().map(|sign| sign.since.after(DWELL))
    }

    pub(super) fn look_for_sign(&mut self, now: Mono) {
        let Some(sign) = self.sign_to_propose().filter(|sign| sign.since.after(DWELL) <= now) else { return };
        self.sign_proposed = Some(sign.result);
        let ruling = proposal(&sign, &self.bench(now));
        self.rule(now, ruling, None);
    }

    fn sign_to_propose(&self) -> Option<Shown> {
        shown(&self.bench(Mono::ZERO)).filter(|sign| self.sign_proposed != Some(sign.result))
    }
}
