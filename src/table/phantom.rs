// SPDX-License-Identifier: GPL-3.0-or-later
//! What the board reports of its squares, less the pieces that cannot be there.

use arbiterd_board::{Mono, Occupant, Piece, Placement, Square, Stamp};

use super::{Table, TableState};
use crate::board::{Phantom, SensorEvent, can_stand, surplus};
use crate::laws::NoticeKind;

/// When a report arrived, when it was true, and the fact that it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    pub(super) received: Mono,
    pub(super) at: Stamp,
    pub(super) fact: u64,
}

impl Table {
    /// Takes the report of a square.
    pub(super) fn sense_square(
        &mut self,
        heard: Heard,
        hardware: Square,
        occupant: Occupant,
    ) -> Vec<SensorEvent> {
        let mut events = self.let_in_if_unwatched(heard);
        let square = self.sensor.seen_by_players(hardware);
        self.phantoms.gone(square);
        let Some(mut stands) = self.sensor.placement().copied() else { return events };
        let settled = self.game.standing().placement();
        let impossible = occupant
            .piece()
            .filter(|&piece| self.watches_for_phantoms() && !can_stand(piece, square, &stands, &settled));
        if let Some(piece) = impossible {
            self.hold(heard, square, piece);
            return events;
        }
        stands[square] = occupant;
        // What was told first happened first: the new square of a piece, then its old one.
        let explained = self.phantoms.explained(&mut stands, &settled);
        events.extend(self.let_in(heard.received, explained));
        events.extend(self.sensor.square(heard.received, heard.at, hardware, occupant, heard.fact));
        events
    }

    /// Takes the report of a whole board.
    pub(super) fn sense_whole(&mut self, heard: Heard, hardware: &Placement) -> Vec<SensorEvent> {
        let mut events = self.let_in_if_unwatched(heard);
        let settled = self.game.standing().placement();
        let mut seen = self.turn(hardware);
        if let Some(before) = self.sensor.placement().copied() {
            self.phantoms.gone_from(&seen);
            for square in self.phantoms.squares() {
                seen[square] = before[square];
            }
            let explained = self.phantoms.explained(&mut seen, &settled);
            events.extend(self.let_in(heard.received, explained));
            let watched = self.watches_for_phantoms();
            let found = if watched { surplus(&seen, &before, &settled) } else { Vec::new() };
            for (square, piece) in found {
                self.hold(heard, square, piece);
                seen[square] = before[square];
            }
        }
        let hardware = self.turn(&seen);
        events.extend(self.sensor.whole(heard.received, heard.at, &hardware, &settled, heard.fact));
        events
    }

    /// A board as the players see it, or back.
    pub(super) fn turn(&self, placement: &Placement) -> Placement {
        if self.sensor.turned() == Some(true) { placement.rotated() } else { *placement }
    }

    fn hold(&mut self, heard: Heard, square: Square, piece: Piece) {
        let Heard { received, at, fact } = heard;
        self.phantoms.hold(Phantom { square, piece, at, fact, since: received });
    }

    /// While pieces are put back, set up or brought, there may be others than the record has.
    fn watches_for_phantoms(&self) -> bool {
        self.state == TableState::InStep
            && self.sensor.turned().is_some()
            && self.clock.stands_since().is_none()
    }

    fn let_in_if_unwatched(&mut self, heard: Heard) -> Vec<SensorEvent> {
        if self.state == TableState::InStep { Vec::new() } else { self.let_in_all(heard.received) }
    }

    fn let_in_all(&mut self, received: Mono) -> Vec<SensorEvent> {
        let all = self.phantoms.release();
        self.let_in(received, all)
    }

    fn let_in(&mut self, received: Mono, phantoms: Vec<Phantom>) -> Vec<SensorEvent> {
        let mut events = Vec::new();
        for Phantom { square, piece, at, fact, .. } in phantoms {
            let hardware = self.sensor.seen_by_players(square);
            events.extend(self.sensor.square(received, at, hardware, Occupant::Piece(piece), fact));
        }
        events
    }

    /// Whoever decides on what stands decides on all that the board shows.
    pub(super) fn show_phantoms(&mut self, now: Mono) {
        let before = self.sensor.placement().copied();
        let events = self.let_in_all(now);
        self.sensed(now, before.as_ref(), &events);
    }

    pub(super) fn call_for_phantoms(&mut self, now: Mono) {
        let (squares, facts): (Vec<_>, Vec<_>) =
            self.phantoms.call_for(now).into_iter().map(|p| (p.square, p.fact)).unzip();
        if !squares.is_empty() {
            self.notice(now, NoticeKind::PhantomPiece, squares, facts);
        }
    }
}
