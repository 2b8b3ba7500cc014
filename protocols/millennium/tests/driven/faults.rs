// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes wrong on the line and with single scans never becomes a square that a hand did not change.

use arbiterd_board::{Request, Square};
use arbiterd_millennium::Transport;
use arbiterd_millennium::simulator::Model;

use crate::rig::{MODELS, Rig, TRANSPORTS};

/// A stretch of a game, with pauses by chance.
const STRETCH: &str = "e2 e4P d7 d5p d5 e4 d5P d8 d5q g1 f3N c8 g4b e1 g1K h1 f1R";

const LINE_FAULTS: [&str; 6] =
    ["flip=1/150", "drop=1/150", "insert=1/150,50", "insert=1/150,73", "insert=1/150,00", "flip=1/40"];

impl Rig {
    fn play_by_chance(&mut self, game: &str, longest: u64) {
        for act in game.split_whitespace() {
            let pause = self.below(longest);
            self.pass_ms(pause);
            self.act(act);
        }
    }
}

/// Plays under these faults, mends the line, and holds that in the end the truth is known.
fn under(model: Model, transport: Transport, seed: u64, faults: &[&str], mended: &[&str]) {
    let mut rig = Rig::new(model, transport, seed);
    rig.start();
    rig.pass_ms(500);
    for fault in faults {
        rig.inject(fault);
    }
    rig.play_by_chance(STRETCH, 1500);
    for fault in mended {
        rig.inject(fault);
    }
    rig.pass_ms(20_000);
    rig.assert_true();
    assert_eq!(rig.last_board(), Some(rig.stands()), "{model:?} {transport:?} seed {seed} {faults:?}");
}

#[test]
fn a_line_that_spoils_bytes_makes_no_square() {
    for seed in 0..12 {
        for model in MODELS {
            for transport in TRANSPORTS {
                let fault = LINE_FAULTS[usize::try_from(seed).unwrap() % LINE_FAULTS.len()];
                let mended = ["flip=never", "drop=never", "insert=never"];
                under(model, transport, 200 + seed, &[fault], &mended);
            }
        }
    }
}

#[test]
fn a_byte_parity_that_comes_and_goes_changes_nothing() {
    for model in MODELS {
        for transport in TRANSPORTS {
            for seed in 0..8 {
                let mut rig = Rig::new(model, transport, 300 + seed);
                if seed % 2 == 0 {
                    rig.inject("parity=off");
                }
                rig.start();
                for (act, parity) in STRETCH.split_whitespace().zip(["on", "off"].into_iter().cycle()) {
                    let pause = rig.below(4000);
                    rig.pass_ms(pause);
                    rig.inject(&format!("parity={parity}"));
                    rig.act(act);
                }
                rig.pass_ms(20_000);
                rig.assert_true();
                assert_eq!(rig.last_board(), Some(rig.stands()), "{model:?} {transport:?}");
            }
        }
    }
}

#[test]
fn a_board_without_byte_parity_misses_nothing() {
    for model in MODELS {
        for transport in TRANSPORTS {
            let mut rig = Rig::new(model, transport, 31);
            rig.inject("parity=off");
            rig.start();
            rig.acts(6000, STRETCH);
            rig.assert_true();
            rig.assert_complete();
        }
    }
}

#[test]
fn statuses_between_commands_and_answers_slow_answers_and_lower_case_change_nothing() {
    for model in MODELS {
        for transport in TRANSPORTS {
            let mut rig = Rig::new(model, transport, 32);
            for fault in ["status-first=on", "lower-case=on", "slow=120ms"] {
                rig.inject(fault);
            }
            rig.start();
            rig.acts(6000, "e2 e4P e7 e5p");
            rig.ask(Request::Light(vec!["e2".parse().unwrap(), "e4".parse().unwrap()]));
            rig.pass_ms(3000);
            assert_eq!(rig.board.lit(), ["e2", "e4"].map(|name| name.parse::<Square>().unwrap()));
            rig.assert_true();
            rig.assert_complete();
        }
    }
}

/// Vector 41: its check fits, and both halves were there, but not at once.
#[test]
fn a_status_joined_from_two_scans_is_no_change() {
    for (place, model) in [8, 24, 32, 40, 52].into_iter().zip([0, 1, 4, 5, 2]) {
        let mut rig = Rig::new(MODELS[model], Transport::Wired, 33);
        rig.start();
        rig.pass_ms(500);
        rig.inject(&format!("splice={place}"));
        // Both at once: within one scan.
        for act in ["e7", "e5p", "e2", "e4P"] {
            rig.act(act);
        }
        rig.pass_ms(3000);
        rig.assert_true();
        let told = rig.squares().len();
        assert_eq!(told, 4, "{:?}", rig.squares());
        assert_eq!(rig.last_board(), Some(rig.stands()));
    }
}

#[test]
fn a_board_that_refuses_to_report_on_change_only_is_used_as_it_is() {
    for model in MODELS {
        let mut rig = Rig::new(model, Transport::Bluetooth, 36);
        rig.inject("deaf=W");
        rig.start();
        rig.acts(6000, "e2 e4P e7 e5p");
        rig.assert_true();
        rig.assert_complete();
    }
}
