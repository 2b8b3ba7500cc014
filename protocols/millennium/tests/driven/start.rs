// SPDX-License-Identifier: MIT OR Apache-2.0
//! The start of the conversation: who the board is, and what is written into it.

use arbiterd_board::{LinkState, ReportBody, Sensing};
use arbiterd_millennium::Transport;
use arbiterd_millennium::simulator::{Misuse, Model};
use arbiterd_millennium::wire::Cable;

use crate::rig::{MODELS, Rig, TRANSPORTS};

/// How a board of this model knows what stands on it, by the description of the family.
fn sensing(model: Model) -> Sensing {
    if model == Model::EOne { Sensing::Occupancy } else { Sensing::Pieces }
}

#[test]
fn every_board_comes_up_as_what_it_is_and_tells_its_position() {
    for model in MODELS {
        for transport in TRANSPORTS {
            for cable in [Cable::Left, Cable::Right] {
                let mut rig = Rig::with(model, transport, 1, |options| options.cable = cable);
                rig.start();
                assert_eq!(rig.links(), [LinkState::Up], "{model:?} {transport:?}");
                assert_eq!(rig.last_board(), Some(rig.stands()));
                let told = |wanted: fn(&ReportBody) -> bool| {
                    rig.told.iter().rev().find(|told| wanted(&told.report.body)).unwrap().report.body.clone()
                };
                let ReportBody::Identity(identity) = told(|body| matches!(body, ReportBody::Identity(_)))
                else {
                    unreachable!()
                };
                assert_eq!(identity.family, "millennium");
                assert_eq!(identity.firmware, Some(version(model)));
                let ReportBody::Capabilities(can) = told(|body| matches!(body, ReportBody::Capabilities(_)))
                else {
                    unreachable!()
                };
                assert_eq!(can.sensing, sensing(model), "{model:?}");
                assert_eq!(rig.squares(), []);
            }
        }
    }
}

/// The versions of the description's list of products.
fn version(model: Model) -> arbiterd_board::Version {
    let (main, sub) = match model {
        Model::Exclusive => (1, 3),
        Model::Performance => (1, 0x10),
        Model::Supreme | Model::EOne => (2, 0),
        Model::Elfacun | Model::CynusLink => (1, 0),
        Model::Chesstimation => (0, 0x17),
        Model::Centaur => (0x31, 0x30),
    };
    arbiterd_board::Version { main, sub }
}

/// Boards whose register of the scan time reads as 1E whatever it holds, and which therefore are
/// written twice, once for each driver.
const fn stubborn(model: Model) -> bool {
    matches!(model, Model::Elfacun)
}

#[test]
fn a_board_as_it_left_the_factory_is_not_written_over_a_wire() {
    for model in MODELS {
        let mut rig = Rig::new(model, Transport::Wired, 2);
        rig.start();
        rig.pass_ms(20_000);
        rig.replug(500, "");
        rig.pass_ms(20_000);
        let writes = if stubborn(model) { 2 } else { 0 };
        assert_eq!(rig.board.registers().writes(), writes, "{model:?}");
        let misuses = if stubborn(model) { 2 } else { 0 };
        assert_eq!(rig.board.misuses().len(), misuses, "{model:?}: {:?}", rig.board.misuses());
    }
}

#[test]
fn over_bluetooth_only_the_mode_of_reports_is_written_and_once() {
    for model in MODELS {
        let mut rig = Rig::new(model, Transport::Bluetooth, 3);
        rig.start();
        rig.pass_ms(20_000);
        rig.replug(500, "");
        rig.pass_ms(20_000);
        // No register of these emulators can be read, so none is written.
        let mode = if model == Model::Centaur { 0 } else { 1 };
        let scan = if stubborn(model) { 2 } else { 0 };
        assert_eq!(rig.board.registers().writes(), mode + scan, "{model:?}");
        assert_eq!(rig.board.registers().value(2), if model == Model::Centaur { 0 } else { 3 });
        // In a stream that could not be ended a status looks like the answer to a question that is still on
        // its way, so that the next command may catch up with it; it is said again then.
        let misuses = rig
            .board
            .misuses()
            .iter()
            .filter(|misuse| !matches!(misuse, Misuse::Hasty(_)) || model != Model::Centaur);
        assert_eq!(misuses.count() as u64, scan, "{model:?}: {:?}", rig.board.misuses());
    }
}

#[test]
fn what_other_programs_left_is_put_right_once_and_only_that() {
    for model in MODELS.into_iter().filter(|model| *model != Model::Centaur) {
        for (transport, mode) in [(Transport::Wired, 0), (Transport::Bluetooth, 3)] {
            let mut rig = Rig::new(model, transport, 4);
            rig.inject("register=01,30");
            rig.inject("register=02,07");
            rig.inject("register=03,0A");
            rig.start();
            rig.pass_ms(20_000);
            let registers = rig.board.registers();
            assert_eq!(registers.value(1), 0x14, "{model:?}");
            assert_eq!(registers.value(2), mode, "{model:?}");
            assert_eq!(registers.value(3), 0x0a, "{model:?}");
            let writes = if stubborn(model) { 3 } else { 2 };
            assert_eq!(registers.writes(), writes, "{model:?}");
        }
    }
}

#[test]
fn an_eone_that_applies_rules_and_turns_itself_is_told_not_to() {
    for transport in TRANSPORTS {
        let mut rig = Rig::new(Model::EOne, transport, 5);
        rig.inject("register=06,EC");
        rig.start();
        rig.acts(3000, "e7 e7p e2 e5P");
        assert_eq!(rig.board.registers().value(6), 0xc8);
        rig.assert_true();
        rig.assert_complete();
    }
}

#[test]
fn a_board_whose_frames_carry_no_block_parity_is_told_to_use_it() {
    for model in [Model::Exclusive, Model::Supreme] {
        let mut rig = Rig::new(model, Transport::Wired, 6);
        rig.inject("register=00,01");
        rig.start();
        assert_eq!(rig.board.registers().value(0), 0);
        assert_eq!(rig.board.registers().writes(), 1);
        assert_eq!(rig.last_board(), Some(rig.stands()));
    }
}
