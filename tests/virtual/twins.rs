// SPDX-License-Identifier: GPL-3.0-or-later
//! A table whose board has lights, and its twin without: told the same, they say the same but for
//! the lights, and what those show is held to its rule in every run.

use std::ops::Deref;

use arbiterd::laws::Directive;
use arbiterd::table::{Input, Lights, Output, Table, TableConfig, TableState, View};
use arbiterd_board::{Mono, Square};

pub struct Twins {
    table: Table,
    dark: Table,
    turned: bool,
    /// What both have said of their state.
    state: TableState,
    /// What was ordered to be lit, as the players see it, oldest first; empty for darkness.
    pub pictures: Vec<Vec<Square>>,
}

impl Deref for Twins {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

impl Twins {
    /// Both, at a board that stands turned or not.
    pub fn new(config: TableConfig, turned: bool) -> Self {
        Self {
            table: Table::new(TableConfig { lights: Lights::Restoration, ..config.clone() }),
            dark: Table::new(TableConfig { lights: Lights::Off, ..config }),
            turned,
            state: TableState::NoBoard,
            pictures: Vec::new(),
        }
    }

    pub fn handle(&mut self, at: Mono, input: Input) -> u64 {
        self.dark.handle(at, input.clone());
        self.table.handle(at, input)
    }

    pub fn advance(&mut self, now: Mono) {
        self.dark.advance(now);
        self.table.advance(now);
    }

    /// The next output of both. Pictures are none: they are looked at and kept.
    pub fn poll_output(&mut self) -> Option<Output> {
        while let Some(output) = self.table.poll_output() {
            if let Output::Directive(Directive::Light(squares)) = output {
                self.look_at(&squares);
                continue;
            }
            assert_eq!(self.dark.poll_output().as_ref(), Some(&output), "without lights");
            if let Output::View(View::State(state)) = &output {
                self.state = state.clone();
            }
            return Some(output);
        }
        assert_eq!(self.dark.poll_output(), None, "without lights");
        assert_eq!(&self.state, self.table.state());
        assert!(self.lit().is_empty() || self.restores(), "left on in {:?}", self.state);
        None
    }

    /// The board stands turned, which the tables may have to find out.
    pub const fn stands_turned(&mut self) {
        self.turned = true;
    }

    /// What is lit.
    pub fn lit(&self) -> &[Square] {
        self.pictures.last().map_or(&[], Vec::as_slice)
    }

    fn look_at(&mut self, hardware: &[Square]) {
        let picture: Vec<Square> =
            hardware.iter().map(|s| if self.turned { s.rotated() } else { *s }).collect();
        if !picture.is_empty() {
            assert!(self.restores(), "{picture:?} in {:?}", self.state);
            assert_eq!(picture, self.state.differing());
        }
        self.pictures.push(picture);
    }

    const fn restores(&self) -> bool {
        matches!(self.state, TableState::Restoring { .. })
    }
}
