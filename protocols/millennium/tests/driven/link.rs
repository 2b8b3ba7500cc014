// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boards that go away and come back.

use arbiterd_board::{LinkState, ReportBody};

use crate::rig::{MODELS, Rig, TRANSPORTS};

use LinkState::{Down, Up};

#[test]
fn what_was_moved_while_the_plug_was_out_is_no_change() {
    for model in MODELS {
        for transport in TRANSPORTS {
            let mut rig = Rig::new(model, transport, 21);
            rig.start();
            rig.acts(6000, "e2 e4P");
            let before = rig.squares();
            rig.replug(700, "e7 e5p");
            let reopened = rig.now;
            rig.pass_ms(20_000);
            assert_eq!(rig.links(), [Up, Down, Up], "{model:?} {transport:?}");
            assert_eq!(rig.squares(), before, "{model:?} {transport:?}");
            let told = rig.told.iter().rev().find_map(|told| match told.report.body {
                ReportBody::Board { placement, .. } => Some((told.at, placement)),
                _ => None,
            });
            assert_eq!(told.map(|(_, placement)| placement), Some(rig.stands()), "{model:?}");
            assert!(told.unwrap().0 > reopened);
            rig.acts(6000, "g1 f3N");
            assert_eq!(rig.squares().len(), before.len() + 2, "{model:?} {transport:?}");
            rig.assert_true();
        }
    }
}

#[test]
fn a_board_that_stands_still_is_lost_and_what_happens_then_is_no_change() {
    for model in MODELS {
        for transport in TRANSPORTS {
            let mut rig = Rig::new(model, transport, 22);
            rig.start();
            rig.acts(6000, "e2 e4P");
            let before = rig.squares();
            rig.inject("freeze=20s");
            rig.acts(5000, "e7 e5p");
            assert_eq!(rig.links(), [Up, Down], "{model:?} {transport:?}");
            rig.pass_ms(25_000);
            assert_eq!(rig.links(), [Up, Down, Up], "{model:?} {transport:?}");
            assert_eq!(rig.squares(), before, "{model:?} {transport:?}");
            assert_eq!(rig.last_board(), Some(rig.stands()), "{model:?} {transport:?}");
            rig.acts(6000, "g1 f3N");
            assert_eq!(rig.squares().len(), before.len() + 2, "{model:?} {transport:?}");
            rig.assert_true();
        }
    }
}

#[test]
fn a_board_at_rest_is_not_lost_and_tells_no_square() {
    for model in MODELS {
        for transport in TRANSPORTS {
            let mut rig = Rig::new(model, transport, 23);
            rig.start();
            let misuses = rig.board.misuses().len();
            rig.pass_ms(120_000);
            assert_eq!(rig.links(), [Up], "{model:?} {transport:?}");
            assert_eq!(rig.squares(), []);
            assert_eq!(rig.board.misuses().len(), misuses, "{:?}", rig.board.misuses());
            rig.assert_true();
        }
    }
}
